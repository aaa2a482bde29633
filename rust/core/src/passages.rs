//! Passages: runs of units that two documents share.
//!
//! From left to right in A: the longest run that starts here and occurs anywhere in B; if it is long enough it is a
//! passage, at its leftmost place in B, and the search continues after it. A suffix array of B makes this
//! O((|A| + |B|) log |B|) for any text, even one word repeated a million times.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use crate::control::Control;
use crate::error::{Error, Result};
use crate::hash::fold;

/// A shared run, in units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// First unit in A.
    pub a: usize,
    /// First unit in B.
    pub b: usize,
    /// Number of units.
    pub length: usize,
}

/// Shared runs of at least `least` units.
pub fn passages(a: &[u64], b: &[u64], least: usize, control: &Control) -> Result<Vec<Run>> {
    if u32::try_from(a.len().max(b.len())).is_err() {
        return Err(Error::TooLarge("a document of more than 4 294 967 295 units is too long for passages".into()));
    }
    let least = least.max(1);
    if a.len() < least || b.len() < least {
        return Ok(Vec::new());
    }
    let (a, b) = number(a, b);
    // Where a run of `least` units starts that B has too: nowhere else is it worth looking for the longest.
    let starts: HashSet<u64> = window_hashes(&b, least).collect();
    let starts: Vec<bool> = window_hashes(&a, least).map(|h| starts.contains(&h)).collect();
    if !starts.contains(&true) {
        return Ok(Vec::new());
    }
    let suffixes = Suffixes::new(&b, control)?;
    let mut found = Vec::new();
    let mut at = 0;
    while at < starts.len() {
        if at % 1024 == 0 {
            control.check()?;
        }
        let (length, place) = if starts[at] { suffixes.longest(&a[at..]) } else { (0, 0) };
        if length >= least {
            found.push(Run { a: at, b: place, length });
            at += length;
        } else {
            at += 1;
        }
    }
    Ok(found)
}

/// A hash of every `n` consecutive units, rolling. Collisions cost time, never a wrong answer.
fn window_hashes(units: &[u32], n: usize) -> impl Iterator<Item = u64> {
    const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
    let first = BASE.wrapping_pow(n as u32);
    let spread = |unit: u32| (u64::from(unit) + 1).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mut hash = 0u64;
    (0..units.len()).filter_map(move |i| {
        hash = hash.wrapping_mul(BASE).wrapping_add(spread(units[i]));
        if i >= n {
            hash = hash.wrapping_sub(spread(units[i - n]).wrapping_mul(first));
        }
        (i + 1 >= n).then(|| fold(hash, BASE))
    })
}

/// Small numbers for units: equal units, equal numbers. Units of A that B lacks are all 0.
fn number(a: &[u64], b: &[u64]) -> (Vec<u32>, Vec<u32>) {
    let mut numbers: HashMap<u64, u32> = HashMap::new();
    let b = b
        .iter()
        .map(|&x| {
            let next = numbers.len() as u32 + 1;
            *numbers.entry(x).or_insert(next)
        })
        .collect();
    (a.iter().map(|x| numbers.get(x).copied().unwrap_or(0)).collect(), b)
}

/// The sorted suffixes of a text, with the least place in every stretch of them.
struct Suffixes<'a> {
    text: &'a [u32],
    sorted: Vec<u32>,
    /// First and one-past-last suffix that begins with each unit number.
    starts: Vec<u32>,
    /// Segment tree of minima over `sorted`.
    least: Vec<u32>,
}

impl<'a> Suffixes<'a> {
    fn new(text: &'a [u32], control: &Control) -> Result<Self> {
        let sorted = sort_suffixes(text, control)?;
        let n = sorted.len();
        let mut least = vec![u32::MAX; 2 * n];
        least[n..].copy_from_slice(&sorted);
        for i in (1..n).rev() {
            least[i] = least[2 * i].min(least[2 * i + 1]);
        }
        let units = text.iter().copied().max().unwrap_or(0) as usize;
        let mut starts = vec![0u32; units + 2];
        text.iter().for_each(|&u| starts[u as usize + 1] += 1);
        for i in 0..=units {
            starts[i + 1] += starts[i];
        }
        Ok(Suffixes { text, sorted, starts, least })
    }

    /// Length of the longest prefix of `wanted` that occurs, and its leftmost place.
    fn longest(&self, wanted: &[u32]) -> (usize, usize) {
        let unit = wanted[0] as usize;
        if unit == 0 {
            return (0, 0);
        }
        let (mut low, mut high) = (self.starts[unit] as usize, self.starts[unit + 1] as usize);
        // Where `wanted` would be inserted, its best match is next to it on one side.
        let stretch = &self.sorted[low..high];
        let here = low + stretch.partition_point(|&s| self.text[s as usize..].cmp(wanted) == Ordering::Less);
        let common = |i: usize| common_prefix(&self.text[self.sorted[i] as usize..], wanted);
        let below = if here > low { common(here - 1) } else { 0 };
        let above = if here < high { common(here) } else { 0 };
        let length = below.max(above);
        let prefix = &wanted[..length];
        let begins = |s: u32| {
            let suffix = &self.text[s as usize..];
            suffix[..suffix.len().min(length)].cmp(prefix)
        };
        let stretch = &self.sorted[low..high];
        high = low + stretch.partition_point(|&s| begins(s) != Ordering::Greater);
        low += stretch.partition_point(|&s| begins(s) == Ordering::Less);
        (length, self.least_place(low, high))
    }

    fn least_place(&self, low: usize, high: usize) -> usize {
        let n = self.sorted.len();
        let (mut low, mut high, mut least) = (low + n, high + n, u32::MAX);
        while low < high {
            if low & 1 == 1 {
                least = least.min(self.least[low]);
                low += 1;
            }
            if high & 1 == 1 {
                high -= 1;
                least = least.min(self.least[high]);
            }
            (low, high) = (low / 2, high / 2);
        }
        least as usize
    }
}

fn common_prefix(x: &[u32], y: &[u32]) -> usize {
    x.iter().zip(y).take_while(|(a, b)| a == b).count()
}

/// Prefix doubling (Manber and Myers 1990; Larsson and Sadakane): ranks by the first 1, 2, 4 … units, with counting sorts.
fn sort_suffixes(text: &[u32], control: &Control) -> Result<Vec<u32>> {
    let n = text.len();
    let mut rank: Vec<u32> = text.to_vec();
    let mut sorted: Vec<u32> = (0..n as u32).collect();
    sorted = counting_sort(&sorted, &rank, rank.iter().copied().max().unwrap_or(0) as usize + 1);
    let mut ranks = rerank(&sorted, &mut rank, |i| (text[i], 0));
    let mut width = 1;
    while (ranks as usize) < n {
        control.check()?;
        // By the second half: suffixes shorter than `width` come first, then in the order that is already known.
        let mut by_second: Vec<u32> = (n.saturating_sub(width) as u32..n as u32).collect();
        by_second.extend(sorted.iter().filter(|&&s| s as usize >= width).map(|&s| s - width as u32));
        sorted = counting_sort(&by_second, &rank, ranks as usize);
        let old = rank.clone();
        let second = |i: usize| old.get(i + width).map_or(0, |&r| r + 1);
        ranks = rerank(&sorted, &mut rank, |i| (old[i], second(i)));
        width *= 2;
    }
    Ok(sorted)
}

/// Give equal keys equal ranks, in the order of `sorted`; returns the number of ranks.
fn rerank(sorted: &[u32], rank: &mut [u32], key: impl Fn(usize) -> (u32, u32)) -> u32 {
    let mut ranks = 0;
    let mut last = None;
    for &s in sorted {
        let k = key(s as usize);
        if last.is_some_and(|l| l != k) {
            ranks += 1;
        }
        last = Some(k);
        rank[s as usize] = ranks;
    }
    ranks + 1
}

/// Stable sort of `items` by their rank.
fn counting_sort(items: &[u32], rank: &[u32], ranks: usize) -> Vec<u32> {
    let mut next = vec![0u32; ranks + 1];
    items.iter().for_each(|&i| next[rank[i as usize] as usize + 1] += 1);
    for r in 0..ranks {
        next[r + 1] += next[r];
    }
    let mut out = vec![0; items.len()];
    for &i in items {
        let slot = &mut next[rank[i as usize] as usize];
        out[*slot as usize] = i;
        *slot += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(a: &[u64], b: &[u64], least: usize) -> Vec<Run> {
        let (mut found, mut at) = (vec![], 0);
        while at < a.len() {
            let best = (0..b.len())
                .map(|p| (a[at..].iter().zip(&b[p..]).take_while(|(x, y)| x == y).count(), p))
                .max_by_key(|&(length, p)| (length, std::cmp::Reverse(p)));
            match best {
                Some((length, p)) if length >= least => {
                    found.push(Run { a: at, b: p, length });
                    at += length;
                }
                _ => at += 1,
            }
        }
        found
    }

    proptest! {
        #[test]
        fn equals_the_definition(
            a in prop::collection::vec(0..4u64, 0..60),
            b in prop::collection::vec(0..4u64, 0..60),
            least in 1..6usize,
        ) {
            prop_assert_eq!(passages(&a, &b, least, &Control::new(1)).unwrap(), naive(&a, &b, least));
        }
    }

    #[test]
    fn long_runs_that_are_not_long_enough_stay_linear() {
        let ends = |end: u64| [&vec![7; 100_000][..], &[end]].concat();
        assert_eq!(passages(&ends(8), &ends(9), 100_001, &Control::new(1)).unwrap(), []);
    }

    #[test]
    fn one_word_a_hundred_thousand_times() {
        let text = vec![7; 100_000];
        let found = passages(&text, &text[..99_999], 5, &Control::new(1)).unwrap();
        assert_eq!(found, [Run { a: 0, b: 0, length: 99_999 }]);
    }
}
