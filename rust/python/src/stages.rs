//! The stages of a search in files; arrays are little-endian bytes.

use std::sync::Mutex;

use lookalike_core::bands::Bands;
use lookalike_core::batch;
use lookalike_core::join::{Method, Search};
use lookalike_core::shingle::Shingler;
use lookalike_core::stages::{self, Buckets, SetBlock, SignatureBlock};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::functions::{metric, scores};
use crate::run::run;
use crate::settings::Settings;
use crate::signatures::{bytes, from_bytes};
use crate::text::Texts;

fn longs(data: &[u8]) -> Vec<u64> {
    let (eights, _) = data.as_chunks::<8>();
    eights.iter().map(|&b| u64::from_le_bytes(b)).collect()
}

/// (signatures, digests, keys of each band).
type SignedBatch<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Vec<Bound<'py, PyBytes>>);

/// A batch of texts: signatures, digests (two numbers each), and the keys of each band.
#[pyfunction]
pub fn sign_batch<'py>(
    py: Python<'py>,
    texts: &Bound<'py, PyList>,
    settings: &Settings,
    ignored: Vec<u64>,
    bands: usize,
    rows: usize,
    threads: usize,
) -> PyResult<SignedBatch<'py>> {
    let held = Texts::new(texts)?;
    let read = held.read()?;
    let texts: Vec<&str> = read.iter().map(|t| &**t).collect();
    let size = texts.iter().map(|t| t.len()).sum();
    let recipe = &settings.recipe;
    let (signatures, digests, keys) = run(py, threads, size, |control| {
        let shingler = Shingler::new(recipe)?.ignoring(ignored);
        let signed = batch::sign(&texts, &shingler, recipe, control)?;
        let keys = stages::keys_by_band(&signed.signatures, recipe.hashes, Bands { bands, rows }, control)?;
        Ok((signed.signatures, signed.digests, keys))
    })?;
    let digests: Vec<u64> = digests.iter().flat_map(|d| [d.0, d.1]).collect();
    let keys = keys.iter().map(|k| bytes(py, k, u64::to_le_bytes)).collect();
    Ok((bytes(py, &signatures, u32::to_le_bytes), bytes(py, &digests, u64::to_le_bytes), keys))
}

/// For each document the first one with an equal digest.
#[pyfunction]
pub fn classes_of<'py>(py: Python<'py>, digests: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let numbers = longs(digests);
    let (pairs, _) = numbers.as_chunks::<2>();
    let digests: Vec<(u64, u64)> = pairs.iter().map(|d| (d[0], d[1])).collect();
    let class = run(py, 1, digests.len() * 16, |_| Ok(stages::classes(&digests)))?;
    Ok(bytes(py, &class, u32::to_le_bytes))
}

/// The buckets of one band, given out as packed pairs.
#[pyclass(frozen, module = "lookalike._native")]
pub struct BandBuckets(Mutex<Buckets>);

#[pymethods]
impl BandBuckets {
    /// From the keys of one band; of copies only the first takes part.
    #[new]
    fn new(py: Python<'_>, keys: &[u8], class_: &[u8], old_from: usize) -> PyResult<Self> {
        let (keys, class) = (longs(keys), from_bytes(class_));
        let buckets = run(py, 1, keys.len() * 16, |_| Ok(Buckets::new(&keys, |i| class[i] as usize == i, old_from)))?;
        Ok(BandBuckets(Mutex::new(buckets)))
    }

    /// The next packed pairs, at most `most`; empty at the end.
    fn next<'py>(&self, py: Python<'py>, most: usize) -> PyResult<Bound<'py, PyBytes>> {
        let pairs = run(py, 1, most, |_| Ok(self.0.lock().expect("one caller at a time").next(most)))?;
        Ok(bytes(py, &pairs, u64::to_le_bytes))
    }
}

/// Packed pairs, sorted, each once.
#[pyfunction]
pub fn merge_pairs<'py>(py: Python<'py>, pairs: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let mut pairs = longs(pairs);
    let pairs = run(py, 1, pairs.len() * 8, move |_| {
        pairs.sort_unstable();
        pairs.dedup();
        Ok(pairs)
    })?;
    Ok(bytes(py, &pairs, u64::to_le_bytes))
}

/// The packed pairs with at least `least` slots that agree.
#[pyfunction]
#[pyo3(signature = (pairs, *, first_a, signatures_a, first_b, signatures_b, hashes, least, threads))]
#[allow(clippy::too_many_arguments)] // by name only
pub fn filter_pairs<'py>(
    py: Python<'py>,
    pairs: &[u8],
    first_a: u32,
    signatures_a: &[u8],
    first_b: u32,
    signatures_b: &[u8],
    hashes: usize,
    least: usize,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let (pairs, a, b) = (longs(pairs), from_bytes(signatures_a), from_bytes(signatures_b));
    let kept = run(py, threads, pairs.len() * hashes, |control| {
        let a = SignatureBlock { first: first_a, values: &a, hashes };
        let b = SignatureBlock { first: first_b, values: &b, hashes };
        stages::filter(&pairs, a, b, least, control)
    })?;
    Ok(bytes(py, &kept, u64::to_le_bytes))
}

/// The element sets of the texts that `wanted` (one byte each) marks: (sizes, all elements).
#[pyfunction]
pub fn sets_of<'py>(
    py: Python<'py>,
    texts: &Bound<'py, PyList>,
    wanted: &[u8],
    settings: &Settings,
    ignored: Vec<u64>,
    threads: usize,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let held = Texts::new(texts)?;
    let read = held.read()?;
    let texts: Vec<&str> = read.iter().map(|t| &**t).collect();
    let size = texts.iter().map(|t| t.len()).sum();
    let wanted: Vec<bool> = wanted.iter().map(|&w| w != 0).collect();
    let sets = run(py, threads, size, |control| {
        let shingler = Shingler::new(&settings.recipe)?.ignoring(ignored);
        batch::sets(&texts, &wanted, &shingler, control)
    })?;
    let chosen: Vec<&Vec<u64>> = sets.iter().zip(&wanted).filter(|(_, w)| **w).map(|(s, _)| s).collect();
    let sizes: Vec<u64> = chosen.iter().map(|s| s.len() as u64).collect();
    let elements: Vec<u64> = chosen.into_iter().flatten().copied().collect();
    Ok((bytes(py, &sizes, u64::to_le_bytes), bytes(py, &elements, u64::to_le_bytes)))
}

/// (numbers of documents, starts of their sets and the end of the last, elements).
type Block<'a> = (&'a [u8], &'a [u8], &'a [u8]);

/// The verified among packed pairs: a, b, jaccard, containment_a, containment_b.
#[pyfunction]
#[pyo3(name = "verify_pairs", signature = (pairs, block_a, block_b, settings, *, metric, threshold, threads))]
#[allow(clippy::too_many_arguments)] // by name only
pub fn verify_pairs<'py>(
    py: Python<'py>,
    pairs: &[u8],
    block_a: Block<'_>,
    block_b: Block<'_>,
    settings: &Settings,
    metric: &str,
    threshold: f64,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let metric = self::metric(metric)?;
    let pairs = longs(pairs);
    let own = |block: Block<'_>| (from_bytes(block.0), longs(block.1), longs(block.2));
    let ((da, sa, ea), (db, sb, eb)) = (own(block_a), own(block_b));
    let (recipe, method) = (&settings.recipe, Method::Exact);
    let search = Search { recipe, metric, threshold, method, old_from: usize::MAX, ignored: &[] };
    let found = run(py, threads, ea.len() * 8, |control| {
        let a = SetBlock { documents: &da, starts: &sa, elements: &ea };
        let b = SetBlock { documents: &db, starts: &sb, elements: &eb };
        stages::verify(&pairs, a, b, &search, control)
    })?;
    let out = PyDict::new(py);
    scores(py, &found, &out)?;
    Ok(out)
}
