//! The exact join by prefix filter (Chaudhuri 2006, Bayardo 2007, Mann et al. 2016).
//!
//! Put all shingles in one order. Two sets that reach the threshold must share a shingle among the first n − ⌈t·n⌉ + 1 of
//! each, their prefixes. So only those are indexed, and only sets that meet there are compared. Nothing is missed: the
//! recall that LSH has with a probability is certain here.
//!
//! Any order will do; a good one makes it fast. Ours is that of the hashes, in which sets are stored, so that a prefix is
//! read from the front of a set; only shingles that very many documents have come last. Ordering all of them from rare to
//! frequent, as the papers do, makes fewer candidates, but takes a counter for each shingle, and looking those up in main
//! memory takes longer than all the rest.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::candidates::Limits;
use crate::control::Control;
use crate::error::Result;
use crate::jaccard::Metric;
use crate::repeated::Repeated;
use crate::strategy::{Pair, Search};

/// Where a shingle of a prefix occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Posting {
    /// See [`Order::token`].
    token: u64,
    /// Rank of the document by size.
    rank: u32,
    /// Its place in the document's prefix.
    place: u32,
}

/// How much a join may do before it is abandoned: see [`Limits`].
pub(crate) struct Budget {
    limits: Limits,
    steps: AtomicU64,
    pairs: AtomicU64,
}

/// Steps of a join that cost as much as one proposal of the bands.
const STEPS: u64 = 16;

impl Budget {
    pub(crate) fn new(limits: Limits) -> Self {
        Budget { limits, steps: AtomicU64::new(0), pairs: AtomicU64::new(0) }
    }

    /// Count; false once there were too many. Whether that happens does not depend on the threads.
    pub(crate) fn spend(&self, steps: usize, pairs: usize) -> bool {
        let steps = steps as u64 + self.steps.fetch_add(steps as u64, Ordering::Relaxed);
        let pairs = pairs as u64 + self.pairs.fetch_add(pairs as u64, Ordering::Relaxed);
        steps / STEPS <= self.limits.proposals && pairs <= self.limits.pairs
    }

    /// Put the pairs of all parts in order; None if there were too many.
    pub(crate) fn joined(self, parts: Vec<(Vec<Pair>, usize)>) -> Option<Joined> {
        self.spend(0, 0).then(|| {
            let verified = parts.iter().map(|part| part.1).sum();
            let mut pairs: Vec<Pair> = parts.into_iter().flat_map(|part| part.0).collect();
            pairs.sort_unstable_by_key(|p| (p.a, p.b));
            Joined { pairs, verified }
        })
    }
}

/// What a join found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Joined {
    /// Sorted.
    pub pairs: Vec<Pair>,
    /// Pairs that were verified.
    pub verified: usize,
}

/// The sets of some members.
pub(crate) fn of_members<'a>(sets: &'a [Vec<u64>], members: &[u32]) -> Vec<&'a [u64]> {
    members.iter().map(|&d| &sets[d as usize][..]).collect()
}

/// All pairs of `members` whose Jaccard similarity reaches the threshold; None if that is too much work.
pub fn join(
    sets: &[Vec<u64>],
    members: &[u32],
    search: &Search<'_>,
    limits: Limits,
    control: &Control,
) -> Result<Option<Joined>> {
    let threshold = search.threshold;
    let mut ranked = members.to_vec();
    ranked.sort_by_key(|&d| (sets[d as usize].len(), d));
    let order = Order::new(&of_members(sets, &ranked), control)?;
    let postings = postings(&prefixes(sets, &ranked, threshold, &order, |_| true, control)?, control)?;
    let own = by_document(&postings, ranked.len());
    let size = |rank: u32| sets[ranked[rank as usize] as usize].len();
    let (state, budget) = (|| vec![u32::MAX; ranked.len()], Budget::new(limits));
    let found = control.parts(ranked.len(), 256, state, |met, part| {
        let (mut out, mut verified) = (Vec::new(), 0);
        for rank in part.start as u32..part.end as u32 {
            control.check()?;
            if !budget.spend(0, 0) {
                break;
            }
            let n = size(rank);
            let least_size = (threshold * n as f64 - 1e-6).ceil() as usize;
            let (before, mut steps) = (out.len(), 0);
            for &at in own.of(rank) {
                let mine = postings[at as usize];
                // Smaller documents with the same shingle come directly before, largest last.
                for other in postings[..at as usize].iter().rev() {
                    if other.token != mine.token || size(other.rank) < least_size {
                        break;
                    }
                    steps += 1;
                    if std::mem::replace(&mut met[other.rank as usize], rank) == rank {
                        continue;
                    }
                    let m = size(other.rank);
                    let possible = 1 + (n - mine.place as usize - 1).min(m - other.place as usize - 1);
                    if possible >= Metric::Jaccard.least_overlap(n, m, threshold) {
                        verified += 1;
                        out.extend(search.verify(sets, ranked[rank as usize], ranked[other.rank as usize]));
                    }
                }
            }
            budget.spend(steps, out.len() - before);
        }
        control.count(part.len());
        Ok((out, verified))
    })?;
    Ok(budget.joined(found))
}

/// The order of shingles: by hash, those that very many documents have last.
pub(crate) struct Order {
    /// Approximate document frequencies, from above: several shingles share a counter.
    counts: Vec<u8>,
    shift: u32,
}

/// Shingles that share a counter, at most, on average.
const SHARING: usize = 8;
/// A count that says that a shingle is in very many documents, not that some share its counter.
const MANY: u8 = 64;
/// Parts of a table that threads fill.
const WINDOWS: usize = 4;

impl Order {
    /// Each window of the table belongs to one thread: no atomics, and the same counts every time. Sets are sorted, so the
    /// elements of a window are one run of each.
    pub(crate) fn new(sets: &[&[u64]], control: &Control) -> Result<Self> {
        let total: usize = sets.iter().map(|set| set.len()).sum();
        let bits = (total / SHARING).max(1).ilog2().clamp(11, 30) + 1;
        let shift = 64 - bits;
        let mut counts = vec![0u8; 1 << bits];
        let size = (1usize << bits) / WINDOWS;
        control.fill_parts(&mut counts, size, |first, counts| {
            for set in sets {
                control.check()?;
                let low = (first as u64) << shift;
                let from = set.partition_point(|&x| x < low);
                for &x in &set[from..] {
                    let Some(count) = counts.get_mut((x >> shift) as usize - first) else { break };
                    *count = count.saturating_add(1);
                }
            }
            Ok(())
        })?;
        Ok(Order { counts, shift })
    }

    /// Numbers in the order of shingles: frequency above, if it is high, and hash below.
    #[inline(always)]
    pub(crate) fn token(&self, x: u64) -> u64 {
        let count = self.counts[(x >> self.shift) as usize];
        u64::from(if count < MANY { 0 } else { count }) << 56 | x >> 8
    }

    /// The tokens of a document's prefix, in order.
    pub(crate) fn prefix(&self, set: &[u64], threshold: f64) -> Vec<u64> {
        let n = set.len();
        let prefix = (n + 1 - ((threshold * n as f64 - 1e-6).ceil() as usize).max(1)).min(n);
        let (mut tokens, mut frequent) = (Vec::with_capacity(prefix), Vec::new());
        for &x in set {
            if tokens.len() == prefix {
                return tokens;
            }
            let token = self.token(x);
            if token >> 56 == 0 { tokens.push(token) } else { frequent.push(token) }
        }
        frequent.sort_unstable();
        frequent.truncate(prefix - tokens.len());
        tokens.append(&mut frequent);
        tokens
    }
}

/// The prefixes of documents, by rank: of each what is `wanted`.
pub(crate) fn prefixes(
    sets: &[Vec<u64>],
    ranked: &[u32],
    threshold: f64,
    order: &Order,
    wanted: impl Fn(u64) -> bool + Sync,
    control: &Control,
) -> Result<Vec<Vec<u64>>> {
    let mut out = vec![Vec::new(); ranked.len()];
    control.fill_parts(&mut out, 256, |first, out| {
        control.check()?;
        for (prefix, &d) in out.iter_mut().zip(&ranked[first..]) {
            *prefix = order.prefix(&sets[d as usize], threshold);
            prefix.retain(|&token| wanted(token));
            prefix.shrink_to_fit();
        }
        control.count(out.len());
        Ok(())
    })?;
    Ok(out)
}

/// What prefixes share, sorted by token, then size.
fn postings(prefixes: &[Vec<u64>], control: &Control) -> Result<Vec<Posting>> {
    let total = prefixes.iter().map(Vec::len).sum();
    let mut repeated = Repeated::of(total, 2);
    repeated.meet_lists(prefixes, |token| token, control)?;
    let parts = control.parts(
        prefixes.len(),
        256,
        || (),
        |(), part| {
            control.check()?;
            control.count(part.len());
            let mut out = Vec::new();
            for rank in part {
                let places = prefixes[rank].iter().enumerate().filter(|&(_, &token)| repeated.has(token));
                out.extend(places.map(|(place, &token)| Posting { token, rank: rank as u32, place: place as u32 }));
            }
            out.shrink_to_fit();
            Ok(out)
        },
    )?;
    let mut all = concat(parts);
    all.sort_unstable();
    Ok(all)
}

/// All parts in one: the memory of one that grows is not given back.
pub(crate) fn concat<T>(parts: Vec<Vec<T>>) -> Vec<T> {
    let mut all = Vec::with_capacity(parts.iter().map(Vec::len).sum());
    parts.into_iter().for_each(|part| all.extend(part));
    all
}

/// For each rank, where its postings are.
struct Own {
    start: Vec<u32>,
    at: Vec<u32>,
}

impl Own {
    fn of(&self, rank: u32) -> &[u32] {
        &self.at[self.start[rank as usize] as usize..self.start[rank as usize + 1] as usize]
    }
}

fn by_document(postings: &[Posting], documents: usize) -> Own {
    let mut start = vec![0u32; documents + 1];
    for p in postings {
        start[p.rank as usize + 1] += 1;
    }
    for i in 0..documents {
        start[i + 1] += start[i];
    }
    let mut next = start.clone();
    let mut at = vec![0u32; postings.len()];
    for (i, p) in postings.iter().enumerate() {
        at[next[p.rank as usize] as usize] = i as u32;
        next[p.rank as usize] += 1;
    }
    Own { start, at }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recipe;
    use crate::hash::Stream;
    use crate::strategy::Method;
    use proptest::prelude::*;

    /// Variants of a few originals, in which a good part of every document is what all documents have.
    fn sets(seed: u64, documents: usize, common: u64) -> Vec<Vec<u64>> {
        let mut g = Stream::new(seed);
        let shared: Vec<u64> = (0..common).map(|_| g.next()).collect();
        let originals: Vec<Vec<u64>> = (0..20).map(|_| (0..30).map(|_| g.next()).collect()).collect();
        (0..documents)
            .map(|_| {
                let mut set = originals[g.next() as usize % 20].clone();
                let changes = g.next() % 12;
                (0..changes).for_each(|_| set[g.next() as usize % 30] = g.next());
                set.extend(&shared);
                set.sort_unstable();
                set.dedup();
                set
            })
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn it_finds_what_comparing_all_finds(seed: u64, common in 0..60u64, t in 5..=20u32) {
            let sets = sets(seed, 300, common);
            let (recipe, threshold) = (Recipe::default(), f64::from(t) / 20.0);
            let search = Search::new(&recipe, threshold, Method::Exact);
            let members: Vec<u32> = (0..300).collect();
            let order = Order::new(&of_members(&sets, &members), &Control::new(1)).unwrap();
            let frequent = sets[0].iter().filter(|&&x| order.token(x) >> 56 > 0).count();
            prop_assert!(frequent as u64 >= common, "what all have comes last");
            for threads in [1, 2] {
                let found = join(&sets, &members, &search, Limits::of(300), &Control::new(threads)).unwrap().unwrap();
                let pairs = |x: u32| (x + 1..300).map(move |y| (x, y));
                let expected: Vec<Pair> =
                    (0..300).flat_map(pairs).filter_map(|(x, y)| search.verify(&sets, x, y)).collect();
                prop_assert_eq!(&found.pairs, &expected);
            }
        }
    }
}
