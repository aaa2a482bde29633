//! Locality-sensitive hashing: rows of a signature in bands, equal bands make candidates (seed items 39–42, 59, 111–113).

use crate::batch::Control;
use crate::error::{Error, Result};
use crate::hash::{fold, hash_vec32, hash_vec64};
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
        let rows = self.of(signature, band);
        match kind {
            KeyKind::Mix64 => {
                let mut h = 0xa076_1d64_78bd_642f ^ ((band as u64) << 32 | self.rows as u64);
                for &v in rows {
                    h = fold(h ^ u64::from(v), 0xe703_7ed1_a0b4_28db);
                }
                fold(h ^ 0x8ebc_6af0_9c88_c6e3, 0x5899_65cc_7537_4cc3)
            }
            KeyKind::HashVec64 => hash_vec64(rows),
            KeyKind::HashVec32 => u64::from(hash_vec32(rows)),
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
                let signature = &signatures[i * hashes..(i + 1) * hashes];
                keys.iter_mut().enumerate().for_each(|(band, key)| *key = self.key(kind, signature, band));
                Ok(())
            },
        )?;
        Ok(out)
    }
}

/// Documents whose signatures are to be banded: only `members` take part, and no two of them should be copies.
#[derive(Debug, Clone, Copy)]
pub struct Signatures<'a> {
    /// Row by row.
    pub values: &'a [u32],
    /// Slots in a row.
    pub hashes: usize,
}

impl<'a> Signatures<'a> {
    /// Row `i`.
    #[inline(always)]
    pub fn row(&self, i: u32) -> &'a [u32] {
        &self.values[i as usize * self.hashes..(i as usize + 1) * self.hashes]
    }
}

impl Signatures<'_> {
    /// For each signature the first that is equal to it. A million equal signatures are one class, found by sorting.
    pub fn classes(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..(self.values.len() / self.hashes) as u32).collect();
        order.sort_unstable_by(|&x, &y| self.row(x).cmp(self.row(y)).then(x.cmp(&y)));
        let mut class = vec![0; order.len()];
        for run in order.chunk_by(|&x, &y| self.row(x) == self.row(y)) {
            // Empty sets agree with nothing, also not with each other (seed item 9).
            let empty = self.row(run[0]).contains(&INFINITY);
            run.iter().for_each(|&i| class[i as usize] = if empty { i } else { run[0] });
        }
        class
    }
}

/// Candidate pairs among `members` that also pass `filter`, each once, smaller number first, sorted. Two documents from
/// `old_from` on make no pair.
///
/// One band at a time: sort (key, document), then pair what is equal. Equality is confirmed on the rows themselves, so a
/// collision of keys proposes nothing. A pair is taken in the first band in which it is equal; so no set of pairs seen is
/// kept, and memory does not grow with the number of bands.
pub fn candidates(
    signatures: Signatures<'_>,
    bands: Bands,
    kind: KeyKind,
    members: &[u32],
    old_from: usize,
    control: &Control,
    filter: impl Fn(&[u32], &[u32]) -> bool + Sync,
) -> Result<Vec<(u32, u32)>> {
    bands.check(signatures.hashes)?;
    let mut found = Vec::new();
    let mut keyed: Vec<(u64, u32)> = vec![(0, 0); members.len()];
    for band in 0..bands.bands {
        control.fill(
            &mut keyed,
            1,
            || (),
            |(), i, entry| {
                entry[0] = (bands.key(kind, signatures.row(members[i]), band), members[i]);
                Ok(())
            },
        )?;
        keyed.sort_unstable();
        let buckets: Vec<&[(u64, u32)]> = keyed.chunk_by(|x, y| x.0 == y.0).filter(|b| b.len() > 1).collect();
        let pairs = control.parts(
            buckets.len(),
            256,
            || (),
            |(), part| {
                let mut out = Vec::new();
                for bucket in &buckets[part] {
                    // A bucket is sorted by number: its old documents stand at the end.
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

#[allow(clippy::too_many_arguments)] // the innermost loop of the search
fn bucket_pairs(
    signatures: Signatures<'_>,
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
            continue; // empty sets agree with nothing (seed item 9)
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
        let signatures = Signatures { values: &values, hashes: 4 };
        for kind in [KeyKind::Mix64, KeyKind::HashVec64, KeyKind::HashVec32] {
            let bands = Bands { bands: 1, rows: 4 };
            let found = candidates(signatures, bands, kind, &[3, 2, 1, 0], 4, &Control::new(2), |_, _| true).unwrap();
            assert_eq!(found, [(0, 2)]);
        }
    }

    #[test]
    fn a_band_is_not_compared_with_another_band() {
        // Band 0 of the first equals band 1 of the second (seed item 113).
        let values = [7, 8, 1, 2, 3, 4, 7, 8];
        let signatures = Signatures { values: &values, hashes: 4 };
        let bands = Bands { bands: 2, rows: 2 };
        let found =
            candidates(signatures, bands, KeyKind::HashVec64, &[0, 1], 2, &Control::new(1), |_, _| true).unwrap();
        assert!(found.is_empty());
    }
}
