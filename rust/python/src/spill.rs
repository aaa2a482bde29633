//! Rows that do not fit the memory: written to one file as they are made, in any order, and read back a band or a block at
//! a time. Python keeps the file and a list of what is in it, so that a search that was killed can go on.

use std::borrow::Cow;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Mutex;

use lookalike_core::candidates::{Store, agreeing_bytes, unpack};
use lookalike_core::control::Control;
use lookalike_core::jaccard::Overlap;
use lookalike_core::sign::{Digest, ROW, Rows};
use lookalike_core::strategy::Pair;
use lookalike_core::verify::{Record, Verified};
use lookalike_core::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::inputs::lock;
use crate::signatures::from_bytes;

/// Bytes of rows that are written at once.
pub const FLUSH: usize = 16 << 20;

/// A part as it stands in the file: digests, shingles, lengths, keys band by band, slots.
pub fn write(rows: &Rows, out: &mut Vec<u8>) {
    rows.digests.iter().for_each(|digest| out.extend(digest.to_bytes()));
    rows.shingles.iter().for_each(|x| out.extend(x.to_le_bytes()));
    rows.lengths.iter().for_each(|x| out.extend(x.to_le_bytes()));
    rows.keys.iter().for_each(|x| out.extend(x.to_le_bytes()));
    out.extend(&rows.slots);
}

/// A part of the file: (input, batch, documents, where it begins).
pub type Entry = (u32, u64, u32, u64);

/// The rows of a whole collection in their file.
pub struct Spilled {
    file: Mutex<File>,
    /// In the order of the documents: (documents before it, documents, where it begins).
    parts: Vec<(u32, u32, u64)>,
    documents: usize,
    bands: usize,
    hashes: usize,
    /// Bytes that blocks of slots may take.
    memory: usize,
    pub digests: Vec<Digest>,
    pub shingles: Vec<u32>,
    pub lengths: Vec<u64>,
}

fn outside(error: &std::io::Error) -> Error {
    Error::Outside(format!("the work folder cannot be read: {error}"))
}

fn u64s(data: &[u8]) -> impl Iterator<Item = u64> {
    let (eights, _) = data.as_chunks::<8>();
    eights.iter().map(|&b| u64::from_le_bytes(b))
}

impl Spilled {
    /// Open the file; entries may come in any order.
    pub fn open(path: &Path, mut entries: Vec<Entry>, bands: usize, hashes: usize, memory: usize) -> Result<Self> {
        entries.sort_unstable();
        let mut documents = 0usize;
        let mut parts = Vec::with_capacity(entries.len());
        for &(_, _, count, offset) in &entries {
            parts.push((documents as u32, count, offset));
            documents += count as usize;
            if documents >= u32::MAX as usize {
                return Err(Error::TooLarge(format!(
                    "{documents} documents: one search holds at most {}",
                    u32::MAX - 1
                )));
            }
        }
        let file = Mutex::new(File::open(path).map_err(|error| outside(&error))?);
        let (digests, shingles, lengths) = (Vec::new(), Vec::new(), Vec::new());
        let mut made = Spilled { file, parts, documents, bands, hashes, memory, digests, shingles, lengths };
        made.read_heads()?;
        Ok(made)
    }

    fn read_heads(&mut self) -> Result<()> {
        for &(_, count, offset) in &self.parts.clone() {
            let n = count as usize;
            let data = self.read(offset, n * ROW)?;
            let (digests, rest) = data.split_at(Digest::SIZE * n);
            let (shingles, lengths) = rest.split_at(4 * n);
            let (fours, _) = shingles.as_chunks::<4>();
            self.digests.extend(digests.as_chunks().0.iter().map(Digest::from_bytes));
            self.shingles.extend(fours.iter().map(|&b| u32::from_le_bytes(b)));
            self.lengths.extend(u64s(lengths));
        }
        Ok(())
    }

    fn read(&self, offset: u64, length: usize) -> Result<Vec<u8>> {
        let mut data = vec![0; length];
        let mut file = lock(&self.file);
        let done = file.seek(SeekFrom::Start(offset)).and_then(|_| file.read_exact(&mut data));
        done.map(|()| data).map_err(|error| outside(&error))
    }

    /// Documents whose slots are held at a time: two blocks of them fit the memory.
    fn block(&self) -> usize {
        (self.memory / (2 * self.hashes)).max(1)
    }

    /// The slots of some consecutive documents.
    fn slots(&self, first: usize, count: usize) -> Result<Vec<u8>> {
        let end = (first + count).min(self.documents);
        let mut slots = Vec::with_capacity((end - first) * self.hashes);
        let from = self.parts.partition_point(|part| part.0 as usize + part.1 as usize <= first);
        for &(start, n, offset) in self.parts[from..].iter().take_while(|part| (part.0 as usize) < end) {
            let (start, n) = (start as usize, n as usize);
            let (low, high) = (first.max(start) - start, end.min(start + n) - start);
            let slots_at = offset + (n * (ROW + 4 * self.bands) + low * self.hashes) as u64;
            slots.extend(self.read(slots_at, (high - low) * self.hashes)?);
        }
        Ok(slots)
    }
}

impl Store for Spilled {
    fn documents(&self) -> usize {
        self.documents
    }

    fn keys(&self, band: usize) -> Result<Cow<'_, [u32]>> {
        let mut keys = Vec::with_capacity(self.documents);
        for &(_, count, offset) in &self.parts {
            let n = count as usize;
            let data = self.read(offset + (n * (ROW + 4 * band)) as u64, 4 * n)?;
            keys.extend(from_bytes(&data));
        }
        Ok(Cow::Owned(keys))
    }

    fn agreeing(&self, mut pairs: Vec<u64>, least: usize, control: &Control) -> Result<Vec<u64>> {
        let size = self.block();
        let block = |pair: u64| {
            let (a, b) = unpack(pair);
            (a as usize / size, b as usize / size)
        };
        pairs.sort_unstable_by_key(|&pair| (block(pair), pair));
        pairs.dedup();
        let mut kept = Vec::new();
        let mut first = (usize::MAX, Vec::new());
        for run in pairs.chunk_by(|&x, &y| block(x) == block(y)) {
            let (of_a, of_b) = block(run[0]);
            if first.0 != of_a {
                first = (of_a, self.slots(of_a * size, size)?);
            }
            let other = if of_a == of_b { Vec::new() } else { self.slots(of_b * size, size)? };
            let b_slots = if of_a == of_b { &first.1 } else { &other };
            let row = |slots: &[u8], d: u32| -> Vec<u8> {
                slots[(d as usize % size) * self.hashes..][..self.hashes].to_vec()
            };
            let found = control.parts(
                run.len(),
                1 << 14,
                || (),
                |(), part| {
                    let enough = |pair: &&u64| {
                        let (a, b) = unpack(**pair);
                        agreeing_bytes(&row(&first.1, a), &row(b_slots, b)) >= least
                    };
                    Ok(run[part].iter().filter(enough).copied().collect::<Vec<_>>())
                },
            )?;
            kept.extend(found.into_iter().flatten());
        }
        kept.sort_unstable();
        Ok(kept)
    }

    fn bytes(&self) -> usize {
        self.memory
    }

    fn portion(&self) -> (usize, bool) {
        // Every call reads blocks of slots: the more pairs at once the better.
        ((self.memory / 16).max(1 << 16), false)
    }
}

/// Bytes of a verified pair in a work folder.
const PAIR: usize = 8 + 4 * 8;

/// The sign of a score, which marks a pair that shares short passages only: the last of its five numbers is the score.
const SHORT: u64 = 1 << 63;

/// What the second read has found, kept by an object in Python: `verified() -> (portions, bytes)` and `add(bytes)`.
pub struct Kept<'a> {
    pub work: &'a Py<PyAny>,
    pub failed: &'a Mutex<Option<PyErr>>,
}

impl Kept<'_> {
    fn call<T>(&self, work: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T> {
        Python::attach(work).map_err(|error| {
            let said = error.to_string();
            lock(self.failed).get_or_insert(error);
            Error::Outside(said)
        })
    }
}

impl Record for Kept<'_> {
    fn done(&mut self) -> Result<(usize, Verified)> {
        let (portions, data) = self.call(|py| {
            let (portions, data) =
                self.work.bind(py).call_method0("verified")?.extract::<(usize, Bound<'_, PyBytes>)>()?;
            Ok((portions, data.as_bytes().to_vec()))
        })?;
        let mut all = Verified::default();
        for pair in data.chunks_exact(PAIR) {
            let n: Vec<u64> = u64s(pair).collect();
            let (a, b) = unpack(n[0]);
            match n[4] {
                u64::MAX if n[1] == u64::MAX => all.unlike.push((a, b)),
                u64::MAX => all.short.count += n[1] as usize,
                score if score & SHORT != 0 => {
                    let (shared, of_a, of_b) = (n[1] as usize, n[2] as usize, n[3] as usize);
                    let overlap = Overlap { shared, a: of_a, b: of_b, union: of_a + of_b - shared };
                    all.short.hold(f64::from_bits(score & !SHORT), Pair { a, b, overlap });
                }
                union => {
                    let (shared, of_a, of_b, union) = (n[1] as usize, n[2] as usize, n[3] as usize, union as usize);
                    all.pairs.push(Pair { a, b, overlap: Overlap { shared, a: of_a, b: of_b, union } });
                }
            }
        }
        Ok((portions, all))
    }

    fn add(&mut self, found: &Verified) -> Result<()> {
        let mut out = Vec::with_capacity((found.pairs.len() + found.unlike.len() + 1) * PAIR);
        let mut put = |numbers: [u64; 5]| numbers.iter().for_each(|n| out.extend(n.to_le_bytes()));
        let packed = |a: u32, b: u32| u64::from(a) << 32 | u64::from(b);
        for Pair { a, b, overlap: o } in &found.pairs {
            put([packed(*a, *b), o.shared as u64, o.a as u64, o.b as u64, o.union as u64]);
        }
        for &(first, document) in &found.unlike {
            put([packed(first, document), u64::MAX, 0, 0, u64::MAX]);
        }
        if found.short.count > 0 {
            put([0, found.short.count as u64, 0, 0, u64::MAX]);
        }
        for (score, Pair { a, b, overlap: o }) in found.short.closest() {
            put([packed(a, b), o.shared as u64, o.a as u64, o.b as u64, score.to_bits() | SHORT]);
        }
        self.call(|py| self.work.bind(py).call_method1("add", (PyBytes::new(py, &out),)).map(|_| ()))
    }
}
