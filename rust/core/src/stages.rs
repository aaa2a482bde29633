//! The stages of the search one by one, for a collection that does not fit into memory: the caller keeps what they give in
//! files and brings back only what the next stage needs. Together they find what [`crate::join::find`] finds.

use crate::bands::{Bands, KeyKind, sharing};
use crate::batch::{Control, Digest};
use crate::error::Result;
use crate::join::{Pair, Search};
use crate::repeated::Repeated;
use crate::sketch::agreeing;

/// A pair of document numbers, the smaller one first, as one number.
pub fn pack(a: u32, b: u32) -> u64 {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}

/// The two documents of a packed pair.
pub fn unpack(pair: u64) -> (u32, u32) {
    ((pair >> 32) as u32, pair as u32)
}

/// For each document the first one with an equal digest.
pub fn classes(digests: &[Digest]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..digests.len() as u32).collect();
    order.sort_unstable_by_key(|&i| (digests[i as usize], i));
    let mut class = vec![0; digests.len()];
    for run in order.chunk_by(|&x, &y| digests[x as usize] == digests[y as usize]) {
        run.iter().for_each(|&i| class[i as usize] = run[0]);
    }
    class
}

/// Keys of every band for a batch of signatures, band by band.
pub fn keys_by_band(signatures: &[u32], hashes: usize, bands: Bands, control: &Control) -> Result<Vec<Vec<u64>>> {
    bands.check(hashes)?;
    control.parts(
        bands.bands,
        1,
        || (),
        |(), part| {
            let rows = signatures.chunks_exact(hashes);
            Ok(rows.map(|signature| bands.key(KeyKind::Mix64, signature, part.start)).collect())
        },
    )
}

/// The buckets of one band, given out pair by pair, so that no bucket has to be written out at once.
#[derive(Debug)]
pub struct Buckets {
    /// (key, document), sorted; only what shares its key with another.
    entries: Vec<(u64, u32)>,
    old_from: u32,
    at: usize,
    partner: usize,
}

impl Buckets {
    /// Of the keys of one band, those of the documents that `takes_part`; two documents from `old_from` on make no pair.
    pub fn new(keys: &[u64], takes_part: impl Fn(usize) -> bool, old_from: usize) -> Self {
        let members: Vec<u32> = (0..keys.len() as u32).filter(|&i| takes_part(i as usize)).collect();
        let keyed = members.iter().map(|&i| (keys[i as usize], i));
        let shared = sharing(keyed, members.len(), &mut Repeated::default());
        let entries = shared.chunk_by(|x, y| x.0 == y.0).filter(|b| b.len() > 1).flatten().copied().collect();
        Buckets { entries, old_from: u32::try_from(old_from).unwrap_or(u32::MAX), at: 0, partner: 1 }
    }

    /// The next pairs, at most `most`; none when all have been given.
    pub fn next(&mut self, most: usize) -> Vec<u64> {
        let mut out = Vec::new();
        while self.at < self.entries.len() && out.len() < most {
            let (key, a) = self.entries[self.at];
            match self.entries.get(self.partner) {
                Some(&(other, b)) if other == key && a < self.old_from => {
                    out.push(pack(a, b));
                    self.partner += 1;
                }
                _ => {
                    self.at += 1;
                    self.partner = self.at + 1;
                }
            }
        }
        out
    }
}

/// Some consecutive documents' signatures.
#[derive(Debug, Clone, Copy)]
pub struct SignatureBlock<'a> {
    /// Number of the first document.
    pub first: u32,
    /// Slots, row by row.
    pub values: &'a [u32],
    /// Slots in a row.
    pub hashes: usize,
}

impl SignatureBlock<'_> {
    fn row(&self, document: u32) -> &[u32] {
        let at = (document - self.first) as usize * self.hashes;
        &self.values[at..at + self.hashes]
    }
}

/// The pairs with at least `least` slots that agree; their first documents are in `a`, their second in `b`.
pub fn filter(
    pairs: &[u64],
    a: SignatureBlock<'_>,
    b: SignatureBlock<'_>,
    least: usize,
    control: &Control,
) -> Result<Vec<u64>> {
    let kept = control.parts(
        pairs.len(),
        1 << 14,
        || (),
        |(), part| {
            let enough = |pair: &&u64| {
                let (x, y) = unpack(**pair);
                agreeing(a.row(x), b.row(y)) >= least
            };
            Ok(pairs[part].iter().filter(enough).copied().collect::<Vec<_>>())
        },
    )?;
    Ok(kept.into_iter().flatten().collect())
}

/// The element sets of some documents.
#[derive(Debug, Clone, Copy)]
pub struct SetBlock<'a> {
    /// Their numbers, ascending.
    pub documents: &'a [u32],
    /// Where the set of each begins in `elements`, and the end of the last.
    pub starts: &'a [u64],
    /// All sets, one after the other.
    pub elements: &'a [u64],
}

impl SetBlock<'_> {
    fn of(&self, document: u32) -> Option<&[u64]> {
        let i = self.documents.binary_search(&document).ok()?;
        self.elements.get(self.starts[i] as usize..self.starts[i + 1] as usize)
    }
}

/// The verified among some pairs, whose first documents are in `a` and second in `b`.
pub fn verify(
    pairs: &[u64],
    a: SetBlock<'_>,
    b: SetBlock<'_>,
    search: &Search<'_>,
    control: &Control,
) -> Result<Vec<Pair>> {
    let found = control.parts(
        pairs.len(),
        1 << 12,
        || (),
        |(), part| {
            let verified = |&pair: &u64| {
                let (x, y) = unpack(pair);
                search.verify_sets(x, y, a.of(x)?, b.of(y)?)
            };
            Ok(pairs[part].iter().filter_map(verified).collect::<Vec<_>>())
        },
    )?;
    Ok(found.into_iter().flatten().collect())
}
