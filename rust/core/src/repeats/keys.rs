//! Keys of runs of units: polynomials at a secret place, modulo 2⁶¹ − 1.
//!
//! Two given runs of n units that differ have equal keys with a probability of n in 2⁶¹, whoever constructed them: the place
//! is drawn at random for every search (Karp and Rabin 1987). Equal keys are confirmed on the units nevertheless.

use std::collections::VecDeque;

use super::BORDER;
use super::numbers::Numbers;
use crate::control::Control;
use crate::error::Result;

const PRIME: u64 = (1 << 61) - 1;

fn reduce(x: u64) -> u64 {
    let x = (x & PRIME) + (x >> 61);
    if x >= PRIME { x - PRIME } else { x }
}

fn multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    reduce((product as u64 & PRIME) + (product >> 61) as u64)
}

/// The key of the last `length` units.
struct Rolling {
    place: u64,
    /// The place, raised to the power of the length.
    power: u64,
    length: usize,
    key: u64,
}

impl Rolling {
    fn new(place: u64, length: usize) -> Self {
        let place = reduce(place);
        let power = (0..length).fold(1, |power, _| multiply(power, place));
        Rolling { place, power, length, key: 0 }
    }

    /// Add a unit; drop the one that came `length` units before, if there was one.
    fn roll(&mut self, unit: u64, before: Option<u64>) {
        self.key = reduce(multiply(self.key, self.place) + reduce(unit));
        if let Some(before) = before {
            self.key = reduce(self.key + PRIME - multiply(self.power, reduce(before)));
        }
    }
}

/// A run of the requested number of units, none of them a boundary.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    pub start: u64,
    pub key: u64,
    /// The least key of the shorter runs in it, and where that shorter run ends: equal windows have equal ones, and
    /// windows near each other mostly have the same (winnowing: Schleimer, Wilkerson and Aiken 2003).
    pub mark: (u64, u64),
}

/// Units that are read at once.
const BLOCK: usize = 1 << 16;

/// Units in the shorter runs of a window: few enough that marks are rare, enough to tell texts apart.
fn marked(length: usize) -> usize {
    (length / 2).max(length.min(8))
}

/// About how many different marks the windows of this many units have.
pub(super) fn marks(units: u64, length: usize) -> u64 {
    2 * units / (length - marked(length) + 2) as u64
}

/// Call `take` with all windows of `length` units.
pub(super) fn each_window(
    units: &dyn Numbers,
    length: usize,
    place: u64,
    control: &Control,
    mut take: impl FnMut(Window) -> Result<()>,
) -> Result<()> {
    let short = marked(length);
    let (mut whole, mut part) = (Rolling::new(place, length), Rolling::new(place, short));
    let mut least: VecDeque<(u64, u64)> = VecDeque::new(); // keys that rise, with their ends
    let mut since = 0usize; // units since the last border
    each_unit(units, length, control, |at, behind| {
        let unit = behind[length];
        if unit == BORDER {
            (since, whole.key, part.key) = (0, 0, 0);
            least.clear();
            return Ok(());
        }
        let before = |roll: &Rolling| (since >= roll.length).then(|| behind[length - roll.length]);
        whole.roll(unit, before(&whole));
        part.roll(unit, before(&part));
        since += 1;
        if since >= short {
            while least.back().is_some_and(|&(key, _)| key >= part.key) {
                least.pop_back();
            }
            least.push_back((part.key, at));
        }
        if since < length {
            return Ok(());
        }
        let start = at + 1 - length as u64;
        while least[0].1 < start + short as u64 - 1 {
            least.pop_front();
        }
        take(Window { start, key: whole.key, mark: least[0] })
    })
}

/// Call `take` with the first unit and the key of everything between two boundaries.
pub(super) fn each_part(
    units: &dyn Numbers,
    place: u64,
    control: &Control,
    mut take: impl FnMut(u64, u64) -> Result<()>,
) -> Result<()> {
    let mut rolling = Rolling::new(place, 0);
    let mut start = 0;
    each_unit(units, 0, control, |at, behind| {
        if behind[0] == BORDER {
            take(start, rolling.key)?;
            (start, rolling.key) = (at + 1, 0);
        } else {
            rolling.roll(behind[0], None);
        }
        Ok(())
    })
}

/// Call `take` with the place of each unit, and the unit itself with `back` others before it.
fn each_unit(
    units: &dyn Numbers,
    back: usize,
    control: &Control,
    mut take: impl FnMut(u64, &[u64]) -> Result<()>,
) -> Result<()> {
    let block = BLOCK.max(back) as u64;
    let mut buffer = vec![BORDER; back + block.min(units.len()) as usize];
    let mut at = 0;
    while at < units.len() {
        control.check()?;
        control.count(1);
        let count = block.min(units.len() - at) as usize;
        units.read(at, &mut buffer[back..back + count])?;
        for i in 0..count {
            take(at + i as u64, &buffer[i..=i + back])?;
        }
        buffer.copy_within(count..count + back, 0);
        at += count as u64;
    }
    Ok(())
}

/// How many times [`Control::count`] is called in a walk over this many units.
pub(super) fn steps(units: u64, back: usize) -> usize {
    units.div_ceil(BLOCK.max(back) as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn equal_windows_have_equal_keys_and_marks(
            units in prop::collection::vec(0..4u64, 0..200), length in 1..20usize, place: u64,
        ) {
            let mut found = vec![];
            each_window(&units, length, place, &Control::new(1), |window| { found.push(window); Ok(()) }).unwrap();
            let expected: Vec<usize> =
                (0..units.len()).filter(|&i| units[i..].len() >= length && !units[i..i + length].contains(&0)).collect();
            prop_assert_eq!(found.iter().map(|w| w.start as usize).collect::<Vec<_>>(), expected);
            let mut keys: HashMap<&[u64], (u64, u64, u64)> = HashMap::new();
            for window in &found {
                let at = window.start as usize;
                let told = (window.key, window.mark.0, window.mark.1 - window.start);
                prop_assert_eq!(*keys.entry(&units[at..at + length]).or_insert(told), told);
            }
        }
    }
}
