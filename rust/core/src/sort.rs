//! Sorting hashes. They are spread evenly, so their first bits say where each belongs.

use crate::control::Control;
use crate::error::Result;

/// Buffers that are kept from one sort to the next.
#[derive(Debug, Default)]
pub struct Sorter {
    low: Vec<u32>,
    high: Vec<u32>,
    spread: Vec<u64>,
}

/// Sorted at once; longer ones in parts, so that the caller can stop in between.
const LONG: usize = 1 << 17;
/// Fewer are not worth it.
const FEW: usize = 64;

impl Sorter {
    /// Sort numbers, quickly if they are spread evenly.
    pub fn sort(&mut self, all: &mut [u64], control: &Control) -> Result<()> {
        self.between(all, 0, u64::MAX, control)
    }

    /// Sort numbers that lie between two.
    fn between(&mut self, all: &mut [u64], least: u64, greatest: u64, control: &Control) -> Result<()> {
        if all.len() <= LONG {
            self.short(all, least, greatest);
            return Ok(());
        }
        let middle = all.len() / 2;
        let (low, &mut pivot, high) = all.select_nth_unstable(middle);
        control.check()?;
        self.between(low, least, pivot, control)?;
        self.between(high, pivot, greatest, control)
    }

    /// Two passes of a radix sort by the first bits, about twice as many as it takes to number them all: so hardly two
    /// are left in the wrong order.
    fn short(&mut self, all: &mut [u64], least: u64, greatest: u64) {
        let digit = all.len().max(1).ilog2().clamp(6, 11);
        let range_bits = 64 - (greatest - least).leading_zeros();
        if all.len() < FEW || range_bits < 2 * digit {
            return all.sort_unstable();
        }
        let shift = range_bits - 2 * digit;
        let low = |x: u64| ((x - least) >> shift) as usize & ((1 << digit) - 1);
        let high = |x: u64| ((x - least) >> (shift + digit)) as usize;
        for counts in [&mut self.low, &mut self.high] {
            counts.clear();
            counts.resize(1 << digit, 0);
        }
        for &x in &*all {
            self.low[low(x)] += 1;
            self.high[high(x)] += 1;
        }
        self.spread.resize(all.len().max(self.spread.len()), 0);
        let spread = &mut self.spread[..all.len()];
        scatter(all, spread, &mut self.low, low);
        scatter(spread, all, &mut self.high, high);
        insert(all);
    }
}

/// Put each number where its digit belongs; numbers of one digit stay in their order.
#[inline(always)]
fn scatter(from: &[u64], to: &mut [u64], counts: &mut [u32], digit: impl Fn(u64) -> usize) {
    let mut before = 0;
    for count in &mut *counts {
        (*count, before) = (before, before + *count);
    }
    for &x in from {
        let place = &mut counts[digit(x)];
        to[*place as usize] = x;
        *place += 1;
    }
}

/// Insertion sort, fast if hardly anything is out of place. Numbers that somebody constructed may all be: after a while it
/// gives up and leaves them to the general sort.
fn insert(all: &mut [u64]) {
    let mut patience = 4 * all.len();
    for i in 1..all.len() {
        let x = all[i];
        if all[i - 1] <= x {
            continue;
        }
        let mut at = i;
        while at > 0 && all[at - 1] > x {
            all[at] = all[at - 1];
            at -= 1;
        }
        all[at] = x;
        if i - at > patience {
            return all.sort_unstable();
        }
        patience -= i - at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_what_is_even_and_what_is_not(
            mut all in prop::collection::vec(any::<u64>(), 0..3000),
            low_bits in 0..64u32,
            repeat in 1..40usize,
            step in 1..4usize,
        ) {
            all.iter_mut().step_by(step).for_each(|x| *x >>= low_bits);
            let mut all: Vec<u64> = all.iter().enumerate().flat_map(|(i, &x)| {
                std::iter::repeat_n(x, if i % 11 == 0 { repeat } else { 1 })
            }).collect();
            let mut expected = all.clone();
            expected.sort_unstable();
            Sorter::default().sort(&mut all, &Control::new(1)).unwrap();
            prop_assert_eq!(all, expected);
        }
    }

    #[test]
    fn sorts_what_is_long() {
        let mut x = 1u64;
        let mut all: Vec<u64> = (0..3 * LONG)
            .map(|_| {
                x = x.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
                x
            })
            .collect();
        let mut expected = all.clone();
        expected.sort_unstable();
        Sorter::default().sort(&mut all, &Control::new(1)).unwrap();
        assert_eq!(all, expected);
    }
}
