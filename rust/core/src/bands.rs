//! Locality-sensitive hashing: rows of a signature in bands, equal bands make candidates (Leskovec et al., Mining of Massive Datasets, §3.4).

use std::ops::Range;

use crate::control::Control;
use crate::error::{Error, Result};
use crate::hash::{fold, hash_vec32, hash_vec64};
use crate::repeated::{PLACES, Repeated};
use crate::sketch::INFINITY;

/// How a band becomes a key (docs/format.md §6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// 64 bits, with the number of the band in it.
    Mix64,
    /// `hash_vec` of the source report in 64 bits.
    HashVec64,
    /// `hash_vec` of the source report in 32 bits.
    HashVec32,
}

/// `bands` bands of `rows` rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bands {
    /// Number of bands.
    pub bands: usize,
    /// Rows in each.
    pub rows: usize,
}

impl Bands {
    /// Refuse what a signature of `hashes` slots cannot hold.
    pub fn check(self, hashes: usize) -> Result<()> {
        if self.bands == 0 || self.rows == 0 || self.bands.saturating_mul(self.rows) > hashes {
            return Err(Error::Setting {
                field: "bands × rows",
                given: format!("{} × {}", self.bands, self.rows),
                allowed: format!("at least 1 × 1 and at most the {hashes} hashes of the signature"),
            });
        }
        Ok(())
    }

    #[inline(always)]
    fn of(self, signature: &[u32], band: usize) -> &[u32] {
        &signature[band * self.rows..(band + 1) * self.rows]
    }

    /// Key of one band.
    #[inline(always)]
    pub fn key(self, kind: KeyKind, signature: &[u32], band: usize) -> u64 {
        let mut key = [0];
        self.keys_from(kind, signature, band, &mut key);
        key[0]
    }

    /// Keys of all bands.
    #[inline(always)]
    pub fn keys_of(self, kind: KeyKind, signature: &[u32], keys: &mut [u64]) {
        self.keys_from(kind, signature, 0, keys);
    }

    /// Keys of consecutive bands, from `first` on.
    #[inline(always)]
    fn keys_from(self, kind: KeyKind, signature: &[u32], first: usize, keys: &mut [u64]) {
        let numbered = first..;
        match kind {
            KeyKind::Mix64 => {
                // Row by row, not band by band: each step of a key waits for the one before, those of other keys need not.
                for (key, band) in keys.iter_mut().zip(numbered) {
                    *key = 0xa076_1d64_78bd_642f ^ ((band as u64) << 32 | self.rows as u64);
                }
                let values = &signature[first * self.rows..(first + keys.len()) * self.rows];
                for row in 0..self.rows {
                    for (key, &value) in keys.iter_mut().zip(values.iter().skip(row).step_by(self.rows)) {
                        *key = fold(*key ^ u64::from(value), 0xe703_7ed1_a0b4_28db);
                    }
                }
                keys.iter_mut().for_each(|key| *key = fold(*key ^ 0x8ebc_6af0_9c88_c6e3, 0x5899_65cc_7537_4cc3));
            }
            KeyKind::HashVec64 => {
                keys.iter_mut().zip(numbered).for_each(|(key, band)| *key = hash_vec64(self.of(signature, band)));
            }
            KeyKind::HashVec32 => {
                keys.iter_mut()
                    .zip(numbered)
                    .for_each(|(key, band)| *key = u64::from(hash_vec32(self.of(signature, band))));
            }
        }
    }

    /// All keys of many signatures, one row each.
    pub fn keys(self, kind: KeyKind, signatures: &[u32], hashes: usize, control: &Control) -> Result<Vec<u64>> {
        self.check(hashes)?;
        let mut out = vec![0; signatures.len() / hashes * self.bands];
        control.fill(
            &mut out,
            self.bands,
            || (),
            |(), i, keys| {
                self.keys_from(kind, &signatures[i * hashes..(i + 1) * hashes], 0, keys);
                Ok(())
            },
        )?;
        Ok(out)
    }
}

/// Signatures of documents, wherever they are stored.
#[derive(Debug)]
pub struct Signatures<'a> {
    rows: Vec<&'a [u32]>,
}

impl<'a> Signatures<'a> {
    /// From parts, each with the signatures of consecutive documents, row by row.
    pub fn of(parts: impl IntoIterator<Item = &'a [u32]>, hashes: usize) -> Self {
        Signatures { rows: parts.into_iter().flat_map(|part| part.chunks_exact(hashes)).collect() }
    }

    /// Row `i`.
    #[inline(always)]
    pub fn row(&self, i: u32) -> &'a [u32] {
        self.rows[i as usize]
    }

    /// For each signature the first that is equal to it. A million equal signatures are one class, found by sorting.
    pub fn classes(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.rows.len() as u32).collect();
        order.sort_unstable_by(|&x, &y| self.row(x).cmp(self.row(y)).then(x.cmp(&y)));
        let mut class = vec![0; order.len()];
        for run in order.chunk_by(|&x, &y| self.row(x) == self.row(y)) {
            // Empty sets agree with nothing, not even with each other (docs/format.md §5).
            let empty = self.row(run[0]).contains(&INFINITY);
            run.iter().for_each(|&i| class[i as usize] = if empty { i } else { run[0] });
        }
        class
    }
}

/// The documents that share their key with another, sorted by key.
pub(crate) fn sharing<K: Copy + Ord + Into<u64>>(
    keyed: impl Iterator<Item = (K, u32)> + Clone,
    documents: usize,
    repeated: &mut Repeated,
) -> Vec<(K, u32)> {
    repeated.clear(documents, PLACES);
    keyed.clone().for_each(|(key, _)| repeated.meet(key.into()));
    let mut found: Vec<(K, u32)> = keyed.filter(|&(key, _)| repeated.has(key.into())).collect();
    found.sort_unstable();
    found
}

/// Bands that are processed at once: as many as usual, so that signatures are read from main memory only once.
const ROUND: usize = 32;
/// Documents whose keys are stored together, band by band.
const BLOCK: usize = 64;

/// Candidate pairs among `members`, of which no two should be copies, that also pass `filter`: each once, smaller number
/// first, sorted. Two documents from `old_from` on make no pair.
///
/// In every band documents with equal keys make a bucket, and a bucket is paired. Equality is confirmed on the rows
/// themselves, so a collision of keys proposes nothing. A pair is taken in the first band in which it is equal; so no set
/// of pairs seen is kept, and memory does not grow with the number of bands.
pub fn candidates(
    signatures: &Signatures<'_>,
    bands: Bands,
    kind: KeyKind,
    members: &[u32],
    old_from: usize,
    control: &Control,
    filter: impl Fn(&[u32], &[u32]) -> bool + Sync,
) -> Result<Vec<(u32, u32)>> {
    bands.check(signatures.rows.first().map_or(usize::MAX, |row| row.len()))?;
    let mut found = Vec::new();
    for first in (0..bands.bands).step_by(ROUND) {
        let round = first..bands.bands.min(first + ROUND);
        let shared = shared_keys(signatures, bands, kind, members, round.clone(), control)?;
        let in_bands = round.zip(&shared);
        let buckets: Vec<(usize, &[(u64, u32)])> = in_bands
            .flat_map(|(band, shared)| shared.chunk_by(|x, y| x.0 == y.0).map(move |bucket| (band, bucket)))
            .filter(|(_, bucket)| bucket.len() > 1)
            .collect();
        let pairs = control.parts(
            buckets.len(),
            256,
            || (),
            |(), part| {
                let mut out = Vec::new();
                for &(band, bucket) in &buckets[part] {
                    // A bucket is sorted by number: its old documents are at the end.
                    let new = bucket.partition_point(|&(_, d)| (d as usize) < old_from);
                    bucket_pairs(signatures, bands, band, bucket, new, control, &filter, &mut out)?;
                }
                Ok(out)
            },
        )?;
        found.extend(pairs.into_iter().flatten());
    }
    found.sort_unstable();
    Ok(found)
}

/// For each band of a round the documents that share their key with another, sorted by key.
fn shared_keys(
    signatures: &Signatures<'_>,
    bands: Bands,
    kind: KeyKind,
    members: &[u32],
    round: Range<usize>,
    control: &Control,
) -> Result<Vec<Vec<(u64, u32)>>> {
    let width = round.len();
    let mut keys = vec![0u64; members.len().next_multiple_of(BLOCK) * width];
    control.fill_parts(&mut keys, BLOCK * width, |first, block| {
        control.check()?;
        let mut row = [0; ROUND];
        for (place, &document) in members[first / width..].iter().take(BLOCK).enumerate() {
            bands.keys_from(kind, signatures.row(document), round.start, &mut row[..width]);
            block.iter_mut().skip(place).step_by(BLOCK).zip(row).for_each(|(key, of_band)| *key = of_band);
        }
        Ok(())
    })?;
    control.parts(width, 1, Repeated::default, |repeated, part| {
        let of_band = keys.chunks_exact(BLOCK).skip(part.start).step_by(width).flatten();
        Ok(sharing(of_band.zip(members).map(|(&key, &document)| (key, document)), members.len(), repeated))
    })
}

#[allow(clippy::too_many_arguments)] // the innermost loop of the search
fn bucket_pairs(
    signatures: &Signatures<'_>,
    bands: Bands,
    band: usize,
    bucket: &[(u64, u32)],
    new: usize,
    control: &Control,
    filter: &impl Fn(&[u32], &[u32]) -> bool,
    out: &mut Vec<(u32, u32)>,
) -> Result<()> {
    for (i, &(_, x)) in bucket[..new].iter().enumerate() {
        control.check()?;
        let a = signatures.row(x);
        let mine = bands.of(a, band);
        if mine.contains(&INFINITY) {
            continue; // empty sets agree with nothing (docs/format.md §5)
        }
        for &(_, y) in &bucket[i + 1..] {
            let b = signatures.row(y);
            let first = bands.of(b, band) == mine && (0..band).all(|e| bands.of(a, e) != bands.of(b, e));
            if first && filter(a, b) {
                out.push((x.min(y), x.max(y)));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figure_5_1_and_ordered_pairs() {
        let values = [0, 1, 4, 3, 2, 1, 3, 0, 0, 1, 4, 3, 1, 2, 0, 4];
        let signatures = Signatures::of([&values[..]], 4);
        for kind in [KeyKind::Mix64, KeyKind::HashVec64, KeyKind::HashVec32] {
            let bands = Bands { bands: 1, rows: 4 };
            let found = candidates(&signatures, bands, kind, &[3, 2, 1, 0], 4, &Control::new(2), |_, _| true).unwrap();
            assert_eq!(found, [(0, 2)]);
        }
    }

    #[test]
    fn a_band_is_not_compared_with_another_band() {
        // Band 0 of the first equals band 1 of the second: bands must not share buckets.
        let values = [7, 8, 1, 2, 3, 4, 7, 8];
        let signatures = Signatures::of([&values[..]], 4);
        let bands = Bands { bands: 2, rows: 2 };
        let found =
            candidates(&signatures, bands, KeyKind::HashVec64, &[0, 1], 2, &Control::new(1), |_, _| true).unwrap();
        assert!(found.is_empty());
    }
}
