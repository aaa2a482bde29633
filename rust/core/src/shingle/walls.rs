//! Text that does not count: what is blanked, and what is shared in short passages only.

use std::collections::HashSet;

use super::{Scratch, Shingler};
use crate::control::Control;
use crate::error::Result;
use crate::passages::passages;

/// Stands for each character of a text that does not count: Unicode promises that no text has it, and it is a unit of its
/// own. No shingle or passage reaches across one.
pub const WALL: char = '\u{fdd0}';

impl Shingler {
    /// Leave out the shingles that touch a [`WALL`].
    pub fn walled(mut self, walls: bool) -> Self {
        self.walls = walls;
        if walls && self.single.is_none() { self.with_units() } else { self }
    }

    /// Be ready to tell the units of texts one by one.
    pub fn with_units(mut self) -> Self {
        let single = Shingler { k: 1, bag: false, walls: false, ignored: HashSet::new(), single: None, ..self.clone() };
        self.single = Some(Box::new(single));
        self
    }

    /// A hash for each unit.
    fn unit_sequence(&self, text: &str, scratch: &mut Scratch) -> Vec<u64> {
        self.single.as_ref().map_or_else(Vec::new, |single| single.sequence(text, scratch))
    }

    /// The units that are walls, by their numbers.
    pub(super) fn wall_units(&self, text: &str, scratch: &mut Scratch) -> Vec<usize> {
        if !self.walls || !text.contains(WALL) {
            return Vec::new();
        }
        let wall = self.unit_sequence(WALL.encode_utf8(&mut [0; 4]), scratch);
        let units = self.unit_sequence(text, scratch);
        (0..units.len()).filter(|&i| units[i] == wall[0]).collect()
    }

    /// How many different shingles two texts share that lie, in either of them, in a shared passage of at least `least`
    /// units. `least` is more than k, and no unit counts twice: see [`Shingler::with_units`].
    pub fn shared_in_long_runs(
        &self,
        a: &str,
        b: &str,
        least: usize,
        scratch: &mut Scratch,
        control: &Control,
    ) -> Result<usize> {
        let (units_a, mut units_b) = (self.unit_sequence(a, scratch), self.unit_sequence(b, scratch));
        if let Some(&wall) = self.unit_sequence(WALL.encode_utf8(&mut [0; 4]), scratch).first() {
            // Two gaps are no shared passage.
            units_b.iter_mut().filter(|unit| **unit == wall).for_each(|unit| *unit = !wall);
        }
        let mut long: HashSet<u64> = HashSet::new();
        for (x, y, text) in [(&units_a, &units_b, a), (&units_b, &units_a, b)] {
            let mut all = Vec::new();
            self.every_block(text, scratch, |block| all.extend_from_slice(block));
            for run in passages(x, y, least, control)? {
                long.extend(&all[run.a..=run.a + run.length - self.k]);
            }
        }
        let of_a: HashSet<u64> = self.set(a, scratch, control)?.into_iter().collect();
        let of_b = self.set(b, scratch, control)?;
        Ok(of_b.iter().filter(|x| of_a.contains(x) && long.contains(x)).count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recipe;
    use crate::recipe::Unit;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn only_shingles_that_touch_no_wall_count(words in prop::collection::vec(0..6u8, 1..30), k in 1..5usize, chars: bool) {
            // 5 stands for a wall, the others for words of one letter.
            let unit = if chars { Unit::Char } else { Unit::Word };
            let shingler = Shingler::new(&Recipe { unit, k, ..Recipe::default() }).unwrap();
            let word = |&w: &u8| if w == 5 { WALL } else { (b'a' + w) as char };
            let text: String = words.iter().map(word).flat_map(|c| if chars { vec![c] } else { vec![c, ' '] }).collect();
            let control = Control::new(1);
            let placed = shingler.shingles(&text, &control).unwrap();
            let mut expected: Vec<u64> = Vec::new();
            let mut scratch = Scratch::default();
            for (shingle, hash) in placed.iter().zip(shingler.sequence(&text, &mut scratch)) {
                expected.extend((!shingle.text.contains(WALL)).then_some(hash));
            }
            let found = shingler.clone().walled(true).sequence(&text, &mut scratch);
            prop_assert!(found == expected || (expected.is_empty() && found.len() == 1));
        }
    }

    #[test]
    fn shared_shingles_count_in_long_passages_only() {
        let shingler = Shingler::new(&Recipe { k: 2, ..Recipe::default() }).unwrap().with_units();
        let (a, b) = ("one two three four x five six", "y one two three four z five six");
        let shared =
            |least| shingler.shared_in_long_runs(a, b, least, &mut Scratch::default(), &Control::new(1)).unwrap();
        assert_eq!((shared(3), shared(4), shared(5)), (3, 3, 0));
    }
}
