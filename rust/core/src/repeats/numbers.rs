//! Where many numbers are kept, in memory or elsewhere, and how they are sorted.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::control::Control;
use crate::error::Result;

/// A long row of numbers that only grows. The core does no input or output: whoever calls it knows where the numbers are.
pub trait Numbers: Send + Sync {
    /// Append numbers.
    fn append(&mut self, numbers: &[u64]) -> Result<()>;
    /// How many there are.
    fn len(&self) -> u64;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Read some, starting with the one at `from`.
    fn read(&self, from: u64, out: &mut [u64]) -> Result<()>;
}

impl Numbers for Vec<u64> {
    fn append(&mut self, numbers: &[u64]) -> Result<()> {
        self.extend_from_slice(numbers);
        Ok(())
    }

    fn len(&self) -> u64 {
        self.as_slice().len() as u64
    }

    fn read(&self, from: u64, out: &mut [u64]) -> Result<()> {
        out.copy_from_slice(&self[from as usize..from as usize + out.len()]);
        Ok(())
    }
}

/// Makes room for numbers, given how many bytes of them may stay in memory.
pub type Room = dyn Fn(usize) -> Box<dyn Numbers> + Send + Sync;

/// Single numbers of a row; fast if they are near each other.
pub(super) struct Reader<'a> {
    numbers: &'a dyn Numbers,
    from: u64,
    block: Vec<u64>,
}

/// Numbers that a [`Reader`] reads at once: 4 KiB.
const NEAR: u64 = 512;

impl<'a> Reader<'a> {
    pub fn new(numbers: &'a dyn Numbers) -> Self {
        Reader { numbers, from: 0, block: Vec::new() }
    }

    pub fn at(&mut self, place: u64) -> Result<u64> {
        let near = place.wrapping_sub(self.from) as usize;
        if let Some(&found) = self.block.get(near) {
            return Ok(found);
        }
        self.block.resize(NEAR.min(self.numbers.len() - place) as usize, 0);
        self.from = place;
        self.numbers.read(place, &mut self.block)?;
        Ok(self.block[0])
    }
}

/// Sorts pairs of numbers: those that fit the memory at once, others in runs that are merged.
pub(super) struct PairSorter<'a> {
    room: &'a Room,
    most: usize,
    held: Vec<(u64, u64)>,
    /// Where each run ends.
    runs: Vec<u64>,
    spilled: Option<Box<dyn Numbers>>,
}

impl<'a> PairSorter<'a> {
    pub fn new(room: &'a Room, memory: usize) -> Self {
        PairSorter { room, most: (memory / 16).max(4), held: Vec::new(), runs: Vec::new(), spilled: None }
    }

    pub fn push(&mut self, a: u64, b: u64) -> Result<()> {
        if self.held.len() == self.most {
            self.spill()?;
        }
        self.held.push((a, b));
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        self.held.sort_unstable();
        let spilled = self.spilled.get_or_insert_with(|| (self.room)(0));
        let mut block = Vec::with_capacity(2 * NEAR as usize);
        for pairs in self.held.chunks(NEAR as usize) {
            block.clear();
            block.extend(pairs.iter().flat_map(|&(a, b)| [a, b]));
            spilled.append(&block)?;
        }
        self.runs.push(spilled.len());
        self.held.clear();
        Ok(())
    }

    /// Call `take` with all pairs in order.
    pub fn each(mut self, control: &Control, mut take: impl FnMut(u64, u64) -> Result<()>) -> Result<()> {
        if self.spilled.is_some() {
            self.spill()?;
        }
        let Some(spilled) = self.spilled.as_deref() else {
            self.held.sort_unstable();
            for pairs in self.held.chunks(1 << 16) {
                control.check()?;
                pairs.iter().try_for_each(|&(a, b)| take(a, b))?;
            }
            return Ok(());
        };
        self.held = Vec::new();
        merge(spilled, &self.runs, 2 * self.most, control, take)
    }
}

/// One sorted run, read block by block.
struct Run {
    next: u64,
    end: u64,
    block: Vec<u64>,
    used: usize,
}

impl Run {
    fn pop(&mut self, from: &dyn Numbers, block: usize) -> Result<Option<(u64, u64)>> {
        if self.used == self.block.len() {
            self.block.resize(((self.end - self.next) as usize).min(block), 0);
            from.read(self.next, &mut self.block)?;
            self.next += self.block.len() as u64;
            self.used = 0;
        }
        let pair = self.block.get(self.used..self.used + 2).map(|pair| (pair[0], pair[1]));
        self.used += 2 * usize::from(pair.is_some());
        Ok(pair)
    }
}

/// Merge runs; at most `numbers` numbers are held.
fn merge(
    from: &dyn Numbers,
    ends: &[u64],
    numbers: usize,
    control: &Control,
    mut take: impl FnMut(u64, u64) -> Result<()>,
) -> Result<()> {
    let block = ((numbers / ends.len()) & !1).clamp(2, 1 << 17);
    let begins = [0].iter().chain(ends);
    let mut runs: Vec<Run> =
        begins.zip(ends).map(|(&next, &end)| Run { next, end, block: Vec::new(), used: 0 }).collect();
    let mut heap = BinaryHeap::new();
    for (number, run) in runs.iter_mut().enumerate() {
        heap.extend(run.pop(from, block)?.map(|pair| Reverse((pair, number))));
    }
    let mut taken = 0u64;
    while let Some(Reverse(((a, b), number))) = heap.pop() {
        taken += 1;
        if taken.is_multiple_of(65_536) {
            control.check()?;
        }
        take(a, b)?;
        heap.extend(runs[number].pop(from, block)?.map(|pair| Reverse((pair, number))));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pairs_come_sorted(pairs: Vec<(u8, u64)>, memory in 0..1000usize) {
            let pairs: Vec<(u64, u64)> = pairs.into_iter().map(|(a, b)| (u64::from(a), b)).collect();
            let room: &Room = &|_| Box::<Vec<u64>>::default();
            let mut sorter = PairSorter::new(room, memory);
            pairs.iter().for_each(|&(a, b)| sorter.push(a, b).unwrap());
            let mut sorted = pairs.clone();
            sorted.sort_unstable();
            let mut found = vec![];
            sorter.each(&Control::new(1), |a, b| { found.push((a, b)); Ok(()) }).unwrap();
            prop_assert_eq!(found, sorted);
        }
    }
}
