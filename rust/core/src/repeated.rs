//! Which of very many numbers occur twice. Most do not, and those need no sorting.

use crate::control::Control;
use crate::error::Result;

/// Says whether a number was seen twice, without false negatives.
#[derive(Debug, Default)]
pub(crate) struct Repeated {
    /// Two bits for each place: seen, and seen again. Several numbers may share a place.
    words: Vec<u64>,
    bits: u32,
}

/// Parts of the table that threads fill.
const WINDOWS: usize = 4;

impl Repeated {
    /// For `numbers` numbers, with at least `places` places for each.
    pub(crate) fn of(numbers: usize, places: usize) -> Self {
        let mut made = Repeated::default();
        made.clear(numbers, places);
        made
    }

    /// Forget everything that was seen, and make room for others.
    pub(crate) fn clear(&mut self, numbers: usize, places: usize) {
        self.bits = (places * numbers.max(1)).ilog2().max(11) + 1;
        self.words.clear();
        self.words.resize((1 << self.bits) / 32, 0);
    }

    /// Record a number.
    #[inline(always)]
    pub(crate) fn meet(&mut self, number: u64) {
        let (word, bit) = place(self.bits, number);
        let word = &mut self.words[word];
        *word |= bit | (*word & bit) << 1;
    }

    /// Record a number for each entry of many lists. Each window of the table belongs to one thread: no atomics.
    pub(crate) fn meet_lists(
        &mut self,
        lists: &[impl AsRef<[u64]> + Sync],
        number: impl Fn(u64) -> u64 + Sync,
        control: &Control,
    ) -> Result<()> {
        let (bits, size) = (self.bits, self.words.len() / WINDOWS);
        control.fill_parts(&mut self.words, size, |first, words| {
            for list in lists {
                control.check()?;
                for &entry in list.as_ref() {
                    let (word, bit) = place(bits, number(entry));
                    if let Some(word) = words.get_mut(word.wrapping_sub(first)) {
                        *word |= bit | (*word & bit) << 1;
                    }
                }
            }
            Ok(())
        })
    }

    /// Whether a number may have been seen twice.
    #[inline(always)]
    pub(crate) fn has(&self, number: u64) -> bool {
        let (word, bit) = place(self.bits, number);
        self.words[word] & bit << 1 != 0
    }
}

/// The indices of all numbers that occur more than once, in order, and, if the numbers are hashes, of a few others.
pub fn suspects(numbers: impl Iterator<Item = u64> + Clone) -> Vec<u32> {
    let mut repeated = Repeated::of(numbers.clone().count(), PLACES);
    numbers.clone().for_each(|number| repeated.meet(number));
    (0..).zip(numbers).filter(|&(_, number)| repeated.has(number)).map(|(index, _)| index).collect()
}

/// Places in the table for each number: at most one number in eight is suspected wrongly.
pub(crate) const PLACES: usize = 8;

#[inline(always)]
fn place(bits: u32, number: u64) -> (usize, u64) {
    let place = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits);
    ((place / 32) as usize, 1 << (place % 32 * 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_met_twice_is_never_denied(lists: Vec<Vec<u16>>, threads in 1..3usize) {
            let lists: Vec<Vec<u64>> = lists.iter().map(|l| l.iter().map(|&x| u64::from(x)).collect()).collect();
            let all: Vec<u64> = lists.concat();
            let mut at_once = Repeated::of(all.len(), 8);
            at_once.meet_lists(&lists, |x| x, &Control::new(threads)).unwrap();
            let mut one_by_one = Repeated::of(all.len(), 8);
            all.iter().for_each(|&x| one_by_one.meet(x));
            prop_assert_eq!(&at_once.words, &one_by_one.words);
            for &x in &all {
                prop_assert!(one_by_one.has(x) || all.iter().filter(|&&y| x == y).count() == 1);
            }
        }
    }

    #[test]
    fn all_that_occur_twice_are_suspected_and_few_others() {
        let mut g = crate::hash::Stream::new(1);
        let numbers: Vec<u64> = (0..1000).map(|x| if x % 100 == 7 { 7 } else { g.next() }).collect();
        let found = suspects(numbers.iter().copied());
        assert!(found.is_sorted() && found.len() < 150);
        assert!((0..10).all(|i| found.contains(&(100 * i + 7))));
        assert!(suspects(std::iter::empty()).is_empty());
    }

    #[test]
    fn most_of_what_was_met_once_is_denied() {
        let mut once = Repeated::of(1000, 8);
        (0..1000).for_each(|x| once.meet(x));
        assert!((0..1000).filter(|&x| once.has(x)).count() < 150);
        once.clear(1000, 8);
        assert!(!(0..1000).any(|x| once.has(x)));
    }
}
