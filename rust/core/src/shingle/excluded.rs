//! Excluded text: the shingles that touch it do not count.

use std::collections::HashSet;

use super::{Scratch, Shingler};
use crate::normalize::EXCLUDED;

impl Shingler {
    /// Drop the shingles that touch excluded text, whose characters are each an [`EXCLUDED`].
    pub fn dropping_excluded(mut self, drops: bool) -> Self {
        self.drops_excluded = drops;
        if drops {
            let single = Shingler {
                k: 1,
                bag: false,
                drops_excluded: false,
                ignored: HashSet::new(),
                single: None,
                ..self.clone()
            };
            self.single = Some(Box::new(single));
        }
        self
    }

    /// The excluded units of a text.
    pub(super) fn excluded_units(&self, text: &str, scratch: &mut Scratch) -> ExcludedUnits {
        let units = match &self.single {
            Some(single) if self.drops_excluded && text.contains(EXCLUDED) => {
                let excluded = single.sequence(EXCLUDED.encode_utf8(&mut [0; 4]), scratch)[0];
                let units = single.sequence(text, scratch);
                (0..units.len()).filter(|&i| units[i] == excluded).collect()
            }
            _ => Vec::new(),
        };
        ExcludedUnits { units, k: self.k, next: 0, shingle: 0 }
    }
}

/// The excluded units of a text, asked about by its shingles one after the other.
pub(super) struct ExcludedUnits {
    /// Their numbers, ascending.
    units: Vec<usize>,
    k: usize,
    next: usize,
    shingle: usize,
}

impl ExcludedUnits {
    /// Whether the next shingle touches excluded text.
    #[inline(always)]
    pub fn touch_next(&mut self) -> bool {
        while self.units.get(self.next).is_some_and(|&unit| unit < self.shingle) {
            self.next += 1;
        }
        self.shingle += 1;
        self.units.get(self.next).is_some_and(|&unit| unit < self.shingle - 1 + self.k)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recipe;
    use crate::control::Control;
    use crate::recipe::Unit;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn only_shingles_that_touch_no_excluded_text_count(words in prop::collection::vec(0..6u8, 1..30), k in 1..5usize, chars: bool) {
            // 5 stands for excluded text, the others for words of one letter.
            let unit = if chars { Unit::Char } else { Unit::Word };
            let shingler = Shingler::new(&Recipe { unit, k, ..Recipe::default() }).unwrap();
            let word = |&w: &u8| if w == 5 { EXCLUDED } else { (b'a' + w) as char };
            let text: String = words.iter().map(word).flat_map(|c| if chars { vec![c] } else { vec![c, ' '] }).collect();
            let control = Control::new(1);
            let placed = shingler.shingles(&text, &control).unwrap();
            let mut expected: Vec<u64> = Vec::new();
            let mut scratch = Scratch::default();
            for (shingle, hash) in placed.iter().zip(shingler.sequence(&text, &mut scratch)) {
                expected.extend((!shingle.text.contains(EXCLUDED)).then_some(hash));
            }
            let found = shingler.clone().dropping_excluded(true).sequence(&text, &mut scratch);
            prop_assert!(found == expected || (expected.is_empty() && found.len() == 1));
        }
    }
}
