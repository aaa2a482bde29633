//! Long passages: which of the shingles that two documents share lie in a long run that they share (docs/format.md §4.1).
//!
//! A run of the required length is a *window* of consecutive shingles. Both documents have a run if they have its window, so
//! the windows of two documents are merged like sets, and what counts is found by the places of the shared windows.

use crate::control::Control;
use crate::error::{Error, Result};
use crate::shingle::{Ordered, Scratch, Shingler};
use crate::sign::Digest;
use crate::sort::Sorter;

/// A document while it is compared.
#[derive(Debug, Default)]
pub struct Held {
    /// Its elements.
    pub set: Vec<u64>,
    /// Its runs, where only long passages count.
    pub runs: Option<Runs>,
}

impl Held {
    /// What is held of a text, and the digest of its shingles; `least` is how many units a run has that counts.
    pub fn new(
        shingler: &Shingler,
        text: &str,
        least: Option<usize>,
        scratch: &mut Scratch,
        control: &Control,
    ) -> Result<(Self, Digest)> {
        let mut digest = Digest::default();
        let set = shingler.set_seen(text, scratch, control, |all| digest = Digest::of(all))?;
        let Some(least) = least else { return Ok((Held { set, runs: None }, digest)) };
        let ordered = shingler.ordered(text, scratch);
        let digest = digest.with_order(&ordered);
        let runs = Runs::new(shingler, &ordered, &set, least, &mut scratch.sorter, control)?;
        Ok((Held { set, runs: Some(runs) }, digest))
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        8 * self.set.len() + self.runs.as_ref().map_or(0, Runs::bytes)
    }

    /// How many of the `shared` elements count: all of copies, else those in runs that both have.
    pub fn counted(&self, other: &Held, shared: usize, marks: &mut Marks) -> usize {
        match (&self.runs, &other.runs) {
            (Some(x), Some(y)) if x.order != y.order || self.set != other.set => x.shared(y, marks),
            _ => shared,
        }
    }
}

/// Bytes that a shingle takes while its document is compared.
pub fn bytes_per_shingle(min_units: Option<usize>) -> usize {
    if min_units.is_some() { 24 } else { 8 }
}

/// No window begins there; no element is there.
const NONE: u32 = u32::MAX;

/// The runs of one document: made once, compared with those of many.
#[derive(Debug)]
pub struct Runs {
    /// Equal for documents with the same shingles in the same order.
    order: u64,
    /// The hash of each different window, sorted.
    windows: Vec<u64>,
    /// For each place, which is that of a shingle, the number of the window that begins there.
    window_at: Vec<u32>,
    /// For each place the number of its shingle among the elements, unless it is excluded.
    element_at: Vec<u32>,
    /// Shingles of a window.
    width: usize,
}

impl Runs {
    fn new(
        shingler: &Shingler,
        ordered: &Ordered,
        set: &[u64],
        least: usize,
        sorter: &mut Sorter,
        control: &Control,
    ) -> Result<Self> {
        let (order, width) = (ordered.hash(), shingler.shingles_of_run(least));
        let mut runs = Runs { order, windows: Vec::new(), window_at: Vec::new(), element_at: Vec::new(), width };
        let shingles = ordered.shingles();
        if shingles.len() >= NONE as usize {
            return Err(Error::TooLarge("a document of 4 294 967 295 units or more is too long for min_words".into()));
        }
        if ordered.stretches().all(|(_, stretch)| stretch.len() < width) {
            return Ok(runs);
        }
        let base = shingler.keyed(PRIME);
        let mut hashes = Vec::with_capacity(shingles.len());
        let mut starts = Vec::with_capacity(shingles.len());
        for (first, stretch) in ordered.stretches() {
            control.check()?;
            starts.extend(first..(first + stretch.len() + 1).saturating_sub(width).max(first));
            each_window(stretch, width, base, |hash| hashes.push(hash));
        }
        runs.windows = hashes.clone();
        sorter.sort(&mut runs.windows, control)?;
        runs.windows.dedup();
        runs.windows.shrink_to_fit(); // a portion of the documents is held
        runs.window_at = vec![NONE; shingles.len()];
        for (start, number) in starts.into_iter().zip(numbers(&hashes, &runs.windows, control)?) {
            runs.window_at[start] = number;
        }
        runs.element_at = numbers(shingles, set, control)?;
        Ok(runs)
    }

    fn bytes(&self) -> usize {
        8 * self.windows.len() + 4 * (self.window_at.len() + self.element_at.len())
    }

    /// How many different elements lie in windows that both have.
    fn shared(&self, other: &Runs, marks: &mut Marks) -> usize {
        let (few, many) = if self.windows.len() <= other.windows.len() { (self, other) } else { (other, self) };
        if !marks.meet(&few.windows, &many.windows) {
            return 0;
        }
        marks.elements.clear();
        marks.elements.resize(few.element_at.len() / 64 + 1, 0);
        let (mut shared, mut until) = (0, 0);
        for (place, (&window, &element)) in few.window_at.iter().zip(&few.element_at).enumerate() {
            if window != NONE && has(&marks.windows, window) {
                until = place + few.width;
            }
            if place < until && element != NONE {
                shared += usize::from(!has(&marks.elements, element));
                put(&mut marks.elements, element);
            }
        }
        shared
    }
}

/// What is marked while two documents are compared: kept from one pair to the next.
#[derive(Debug, Default)]
pub struct Marks {
    /// A bit for each window that both have.
    windows: Vec<u64>,
    /// A bit for each element that was counted.
    elements: Vec<u64>,
}

impl Marks {
    /// Mark which of the first windows are among the second, and say whether there is any.
    fn meet(&mut self, few: &[u64], many: &[u64]) -> bool {
        self.windows.clear();
        self.windows.resize(few.len() / 64 + 1, 0);
        let (mut i, mut j, mut any) = (0, 0, false);
        while i < few.len() && j < many.len() {
            let (x, y) = (few[i], many[j]);
            if x == y {
                put(&mut self.windows, i as u32);
                any = true;
            }
            i += usize::from(x <= y);
            j += usize::from(y <= x);
        }
        any
    }
}

#[inline(always)]
fn has(bits: &[u64], i: u32) -> bool {
    bits[i as usize / 64] >> (i % 64) & 1 == 1
}

#[inline(always)]
fn put(bits: &mut [u64], i: u32) {
    bits[i as usize / 64] |= 1 << (i % 64);
}

/// The number of each value among the sorted ones, [`NONE`] if it is not there.
fn numbers(values: &[u64], sorted: &[u64], control: &Control) -> Result<Vec<u32>> {
    let mut made = Vec::with_capacity(values.len());
    for part in values.chunks(1 << 16) {
        control.check()?;
        made.extend(part.iter().map(|value| sorted.binary_search(value).map_or(NONE, |number| number as u32)));
    }
    Ok(made)
}

const PRIME: u64 = (1 << 61) - 1;

/// A hash of every `width` consecutive shingles: a polynomial in `base`, modulo a prime because modulo 2⁶⁴ there are texts
/// that collide for every base. The first bits of a hash are spread evenly.
fn each_window(shingles: &[u64], width: usize, base: u64, mut take: impl FnMut(u64)) {
    let leaving = PRIME - power(base, width);
    let mut hash = 0;
    for (i, &shingle) in shingles.iter().enumerate() {
        hash = reduced(u128::from(hash) * u128::from(base) + u128::from(shingle));
        if let Some(before) = i.checked_sub(width) {
            hash = reduced(u128::from(reduced(shingles[before].into())) * u128::from(leaving) + u128::from(hash));
        }
        if i + 1 >= width {
            take(hash << 3);
        }
    }
}

#[inline(always)]
fn reduced(x: u128) -> u64 {
    let x = (x as u64 & PRIME) + ((x >> 61) as u64 & PRIME) + (x >> 122) as u64;
    let x = if x >= PRIME { x - PRIME } else { x };
    if x >= PRIME { x - PRIME } else { x }
}

fn power(base: u64, exponent: usize) -> u64 {
    let (mut result, mut square, mut rest) = (1, base, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            result = reduced(u128::from(result) * u128::from(square));
        }
        square = reduced(u128::from(square) * u128::from(square));
        rest /= 2;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recipe;
    use crate::jaccard::overlap;
    use crate::shingle::EXCLUDED;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn held(shingler: &Shingler, words: &[u8], least: usize) -> Held {
        // 5 stands for excluded text, the others for words of one letter.
        let word = |&w: &u8| if w == 5 { EXCLUDED } else { (b'a' + w) as char };
        let text: String = words.iter().flat_map(|w| [word(w), ' ']).collect();
        Held::new(shingler, &text, Some(least), &mut Scratch::default(), &Control::new(1)).unwrap().0
    }

    /// The shingles, as lists of words, in the runs of `least` words that both have.
    fn in_runs(a: &[u8], b: &[u8], k: usize, least: usize) -> usize {
        let runs = |words: &[u8]| -> HashSet<Vec<u8>> {
            words.windows(least).filter(|run| !run.contains(&5)).map(<[u8]>::to_vec).collect()
        };
        let both: HashSet<Vec<u8>> = runs(a).intersection(&runs(b)).cloned().collect();
        both.iter().flat_map(|run| run.windows(k).map(<[u8]>::to_vec)).collect::<HashSet<_>>().len()
    }

    proptest! {
        #[test]
        fn shingles_count_in_runs_that_both_have(
            a in prop::collection::vec(0..6u8, 1..40),
            b in prop::collection::vec(0..6u8, 1..40),
            shared in prop::collection::vec(0..6u8, 0..20),
            k in 1..4usize,
            more in 0..9usize,
        ) {
            let (a, b) = ([&a[..], &shared].concat(), [&shared[..], &b].concat());
            let shingler = Shingler::new(&Recipe { k, ..Recipe::default() }).unwrap().dropping_excluded(true).in_order(true);
            let (x, y) = (held(&shingler, &a, k + more), held(&shingler, &b, k + more));
            let all = overlap(&x.set, &y.set).shared;
            let mut marks = Marks::default();
            let found = x.counted(&y, all, &mut marks);
            prop_assert_eq!(y.counted(&x, all, &mut marks), found);
            let stretches = |words: &[u8]| -> Vec<Vec<u8>> {
                words.split(|&w| w == 5).filter(|part| part.len() >= k).map(<[u8]>::to_vec).collect()
            };
            if stretches(&a) != stretches(&b) || all == 0 {
                prop_assert_eq!(found, in_runs(&a, &b, k, k + more));
            } else {
                prop_assert_eq!(found, all);
            }
        }

        #[test]
        fn windows_hash_alike_if_and_only_if_they_are(shingles in prop::collection::vec(0..3u64, 0..60), width in 1..9usize) {
            let spread: Vec<u64> = shingles.iter().map(|x| x.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_sub(1)).collect();
            let mut hashes = Vec::new();
            each_window(&spread, width, 0x1234_5678_9abc_def1 % PRIME, |hash| hashes.push(hash));
            let windows: Vec<&[u64]> = shingles.windows(width).collect();
            prop_assert_eq!(hashes.len(), windows.len());
            for i in 0..windows.len() {
                for j in 0..i {
                    prop_assert_eq!(hashes[i] == hashes[j], windows[i] == windows[j]);
                }
            }
        }
    }
}
