//! The exact join by prefix filter (Chaudhuri 2006, Bayardo 2007, Mann et al. 2016).
//!
//! Order all shingles from rare to frequent. Two sets that reach the threshold must share a shingle among the first
//! n − ⌈t·n⌉ + 1 of each. So only those are posted, and only what meets there is compared. Nothing is missed; what LSH
//! promises with a probability, this proves.

use crate::batch::Control;
use crate::error::Result;
use crate::jaccard::Metric;
use crate::join::{Pair, Search};

/// Where a shingle of a prefix stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Posting {
    /// Frequency class above, hash below: rare shingles come first.
    token: u64,
    /// Rank of the document by size.
    rank: u32,
    /// Its place in the document's prefix.
    place: u32,
}

/// All pairs of `members` whose Jaccard similarity reaches the threshold, sorted, and how many were verified.
pub fn join(sets: &[Vec<u64>], members: &[u32], search: &Search<'_>, control: &Control) -> Result<(Vec<Pair>, usize)> {
    let threshold = search.threshold;
    let mut ranked = members.to_vec();
    ranked.sort_by_key(|&d| (sets[d as usize].len(), d));
    let frequency = Frequency::count(sets, &ranked, control)?;
    let postings = postings(sets, &ranked, threshold, &frequency, control)?;
    let own = by_document(&postings, ranked.len());
    let size = |rank: u32| sets[ranked[rank as usize] as usize].len();
    let state = || vec![u32::MAX; ranked.len()];
    let found = control.parts(ranked.len(), 256, state, |met, part| {
        let (mut out, mut verified) = (Vec::new(), 0);
        for rank in part.start as u32..part.end as u32 {
            control.check()?;
            let n = size(rank);
            let least_size = (threshold * n as f64 - 1e-6).ceil() as usize;
            for &at in own.of(rank) {
                let mine = postings[at as usize];
                // Smaller documents with the same shingle stand directly before, largest last.
                for other in postings[..at as usize].iter().rev() {
                    if other.token != mine.token || size(other.rank) < least_size {
                        break;
                    }
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
        }
        Ok((out, verified))
    })?;
    Ok(gather(found))
}

/// Put the pairs of all parts in order, and count what was verified for them.
pub(crate) fn gather(parts: Vec<(Vec<Pair>, usize)>) -> (Vec<Pair>, usize) {
    let verified = parts.iter().map(|part| part.1).sum();
    let mut found: Vec<Pair> = parts.into_iter().flat_map(|part| part.0).collect();
    found.sort_unstable_by_key(|p| (p.a, p.b));
    (found, verified)
}

/// Approximate document frequencies, one byte a bucket. Any total order makes the filter exact; a good one makes it fast.
pub(crate) struct Frequency {
    counts: Vec<u8>,
    shift: u32,
}

impl Frequency {
    pub(crate) fn count(sets: &[Vec<u64>], members: &[u32], control: &Control) -> Result<Self> {
        let total: usize = members.iter().map(|&d| sets[d as usize].len()).sum();
        let bits = (2 * total.max(1)).ilog2().clamp(12, 28) + 1;
        let shift = 64 - bits;
        let mut counts = vec![0u8; 1 << bits];
        // Each part of the table belongs to one thread: no atomics, and the same counts every time.
        let size = (1usize << bits) / 16;
        control.fill_parts(&mut counts, size, |first, counts| {
            for &d in members {
                control.check()?;
                let set = &sets[d as usize];
                // Sets are sorted, so the elements of this part of the table are one run of each.
                let low = (first as u64) << shift;
                let from = set.partition_point(|&x| x < low);
                for &x in &set[from..] {
                    let bucket = (x >> shift) as usize - first;
                    let Some(count) = counts.get_mut(bucket) else { break };
                    *count = count.saturating_add(1);
                }
            }
            Ok(())
        })?;
        Ok(Frequency { counts, shift })
    }

    #[inline(always)]
    pub(crate) fn token(&self, x: u64) -> u64 {
        u64::from(self.counts[(x >> self.shift) as usize]) << 56 | x >> 8
    }
}

/// Prefixes of all documents, sorted by token, then size. Shingles of one document only are left out.
fn postings(
    sets: &[Vec<u64>],
    ranked: &[u32],
    threshold: f64,
    frequency: &Frequency,
    control: &Control,
) -> Result<Vec<Posting>> {
    let parts = control.parts(
        ranked.len(),
        256,
        || (),
        |(), part| {
            let mut out = Vec::new();
            for rank in part {
                control.check()?;
                let tokens = prefix_tokens(&sets[ranked[rank] as usize], threshold, frequency);
                let places = tokens.iter().enumerate().filter(|&(_, &t)| t >> 56 > 1);
                out.extend(places.map(|(place, &token)| Posting { token, rank: rank as u32, place: place as u32 }));
            }
            out.sort_unstable();
            Ok(out)
        },
    )?;
    let mut all: Vec<Posting> = parts.into_iter().flatten().collect();
    all.sort(); // merges the sorted parts
    Ok(all)
}

/// The tokens of a document's prefix, rarest first.
pub(crate) fn prefix_tokens(set: &[u64], threshold: f64, frequency: &Frequency) -> Vec<u64> {
    let mut tokens: Vec<u64> = set.iter().map(|&x| frequency.token(x)).collect();
    let n = tokens.len();
    let prefix = (n + 1 - ((threshold * n as f64 - 1e-6).ceil() as usize).max(1)).min(n);
    if prefix < n {
        tokens.select_nth_unstable(prefix);
    }
    tokens.truncate(prefix);
    tokens.sort_unstable();
    tokens
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
