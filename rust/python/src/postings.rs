//! Postings of an index: a table in memory, and sorted entries that a store keeps.

use std::sync::{PoisonError, RwLock};

use lookalike_core::postings::{self as core, ENTRY, Entry, LAST, Met};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::signatures::{bytes, from_bytes};
use crate::text::bytes_of;

type Bytes<'py> = Bound<'py, PyBytes>;
type Buffer = PyBuffer<u8>;

fn u64s(buffer: &Buffer) -> PyResult<Vec<u64>> {
    Ok(bytes_of(buffer)?.as_chunks().0.iter().map(|&eight| u64::from_le_bytes(eight)).collect())
}

fn wrong(message: String) -> PyErr {
    PyValueError::new_err(message)
}

/// Numbers and keys, as many keys for each number.
fn documents(numbers: &[u8], keys: &Buffer, bands: usize) -> PyResult<(Vec<u32>, Vec<u64>)> {
    let (numbers, keys) = (from_bytes(numbers), u64s(keys)?);
    if bands == 0 || keys.len() != numbers.len() * bands {
        return Err(wrong(format!("{} keys are not {bands} for each of {} documents", keys.len(), numbers.len())));
    }
    match numbers.iter().find(|&&number| number > LAST) {
        Some(number) => Err(wrong(format!("{number} is beyond {LAST}, the last number of a document"))),
        None => Ok((numbers, keys)),
    }
}

/// Entries of a store; refused unless they are whole.
fn checked(data: &[u8]) -> PyResult<&[u8]> {
    if data.len().is_multiple_of(ENTRY) { Ok(data) } else { Err(wrong("entries that are not whole".into())) }
}

/// A table of keys in memory.
#[pyclass(frozen, module = "lookalike._native")]
#[derive(Default)]
pub struct Postings {
    core: RwLock<core::Postings>,
    bands: usize,
}

#[pymethods]
impl Postings {
    #[new]
    fn new(bands: usize) -> PyResult<Self> {
        if bands == 0 { Err(wrong("no bands".into())) } else { Ok(Postings { bands, ..Postings::default() }) }
    }

    fn insert(&self, py: Python<'_>, numbers: &[u8], keys: Buffer) -> PyResult<()> {
        let (numbers, keys) = documents(numbers, &keys, self.bands)?;
        py.detach(|| {
            let mut core = self.core.write().unwrap_or_else(PoisonError::into_inner);
            for (&number, row) in numbers.iter().zip(keys.chunks_exact(self.bands)) {
                core.insert(number, row);
            }
        });
        Ok(())
    }

    fn remove(&self, numbers: &[u8]) -> PyResult<()> {
        let mut core = self.core.write().unwrap_or_else(PoisonError::into_inner);
        for number in from_bytes(numbers) {
            if number > LAST {
                return Err(wrong(format!("{number} is no number of a document")));
            }
            core.remove(number);
        }
        Ok(())
    }

    fn meet<'py>(&self, py: Python<'py>, keys: Buffer, most: usize) -> PyResult<(Bytes<'py>, Bytes<'py>, Vec<usize>)> {
        let keys = u64s(&keys)?;
        let met: Vec<Met> = py.detach(|| {
            let core = self.core.read().unwrap_or_else(PoisonError::into_inner);
            keys.chunks_exact(self.bands).map(|row| core.meet(row, most)).collect()
        });
        let (mut queries, mut numbers) = (Vec::new(), Vec::new());
        for (query, one) in (0_u32..).zip(&met) {
            queries.resize(queries.len() + one.numbers.len(), query);
            numbers.extend_from_slice(&one.numbers);
        }
        let truncated = met.iter().enumerate().filter(|(_, one)| one.truncated).map(|(query, _)| query).collect();
        Ok((bytes(py, &queries, u32::to_le_bytes), bytes(py, &numbers, u32::to_le_bytes), truncated))
    }

    fn size(&self) -> usize {
        self.core.read().unwrap_or_else(PoisonError::into_inner).bytes()
    }
}

/// Keys of `sign_rows` with the band as a part of each.
#[pyfunction]
pub fn posting_keys<'py>(py: Python<'py>, keys: Buffer, bands: usize) -> PyResult<Bytes<'py>> {
    let mut keys = u64s(&keys)?;
    core::with_band(&mut keys, bands);
    Ok(bytes(py, &keys, u64::to_le_bytes))
}

/// The entries of documents, sorted.
#[pyfunction]
pub fn entries_of<'py>(py: Python<'py>, numbers: &[u8], keys: Buffer, bands: usize) -> PyResult<Bytes<'py>> {
    let (numbers, keys) = documents(numbers, &keys, bands)?;
    let made = py.detach(|| core::sorted(core::of_documents(&numbers, &keys)));
    Ok(PyBytes::new(py, &made))
}

/// Entries of several parts with keys from `least` to `greatest`, sorted, without removed documents (ascending).
#[pyfunction]
pub fn merge_entries<'py>(
    py: Python<'py>,
    parts: Vec<Buffer>,
    least: u64,
    greatest: u64,
    removed: &[u8],
) -> PyResult<Bytes<'py>> {
    let removed = from_bytes(removed);
    let parts = parts.iter().map(|part| checked(bytes_of(part)?)).collect::<PyResult<Vec<&[u8]>>>()?;
    let stays = |&(key, number): &Entry| (least..=greatest).contains(&key) && removed.binary_search(&number).is_err();
    let merged = py.detach(|| core::sorted(parts.iter().flat_map(|part| core::entries(part)).filter(stays).collect()));
    Ok(PyBytes::new(py, &merged))
}

/// For each key the numbers that a page has under it, as many pages as keys: which key, which number, in 32 bits.
#[pyfunction]
pub fn numbers_in<'py>(py: Python<'py>, pages: Vec<Buffer>, keys: Buffer) -> PyResult<(Bytes<'py>, Bytes<'py>)> {
    let keys = u64s(&keys)?;
    if keys.len() != pages.len() {
        return Err(wrong(format!("{} keys for {} pages", keys.len(), pages.len())));
    }
    let (mut which, mut numbers) = (Vec::new(), Vec::new());
    for ((place, page), key) in (0_u32..).zip(&pages).zip(keys) {
        let found = core::numbers_of(checked(bytes_of(page)?)?, key);
        which.resize(which.len() + found.len(), place);
        numbers.extend(found);
    }
    Ok((bytes(py, &which, u32::to_le_bytes), bytes(py, &numbers, u32::to_le_bytes)))
}

/// The rows of slots that agree best with one: places and slots that agree, in 32 bits, best first.
#[pyfunction]
pub fn closest_rows<'py>(
    py: Python<'py>,
    slots: Buffer,
    rows: Buffer,
    least: usize,
    most: usize,
) -> PyResult<(Bytes<'py>, Bytes<'py>)> {
    let (slots, rows) = (bytes_of(&slots)?, bytes_of(&rows)?);
    if slots.is_empty() || !rows.len().is_multiple_of(slots.len()) {
        return Err(wrong(format!("the rows do not have {} slots each", slots.len())));
    }
    let found = py.detach(|| core::closest(slots, rows, least, most));
    let (places, agreeing): (Vec<u32>, Vec<u32>) = found.into_iter().unzip();
    Ok((bytes(py, &places, u32::to_le_bytes), bytes(py, &agreeing, u32::to_le_bytes)))
}
