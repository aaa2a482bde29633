//! Packed texts: getting single ones, joining several, and finding one that occurs twice.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use lookalike_core::repeated::suspects;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

use crate::signatures::{bytes, from_bytes};
use crate::text::bytes_of;

type Packed = (PyBuffer<u8>, PyBuffer<u8>, usize, usize);

/// The texts at these places, 32 bits each.
#[pyfunction]
pub fn take_texts<'py>(py: Python<'py>, packed: Packed, places: &[u8]) -> PyResult<Bound<'py, PyList>> {
    let (offsets, data, first, count) = packed;
    let (offsets, data) = (bytes_of(&offsets)?, bytes_of(&data)?);
    let mut taken = Vec::with_capacity(places.len() / 4);
    for place in from_bytes(places) {
        let place = place as usize;
        if place >= count {
            return Err(PyIndexError::new_err(place));
        }
        let (start, end) = (offset(offsets, first + place)?, offset(offsets, first + place + 1)?);
        let text = std::str::from_utf8(data.get(start..end).ok_or_else(apart)?);
        let text = text.map_err(|_| PyValueError::new_err("packed text is not UTF-8"))?;
        taken.push(PyString::new(py, text));
    }
    PyList::new(py, taken)
}

/// Packed texts one after the other: their offsets and their data.
#[pyfunction]
pub fn join_texts<'py>(py: Python<'py>, parts: Vec<Packed>) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let (mut all, mut joined) = (vec![0], Vec::new());
    for (offsets, data, first, count) in &parts {
        let (places, data) = checked(offsets, data, *first, *count)?;
        let (start, behind) = (places[0], joined.len() as i64);
        all.extend(places[1..].iter().map(|place| place - start + behind));
        joined.extend_from_slice(&data[start as usize..places[places.len() - 1] as usize]);
    }
    Ok((bytes(py, &all, i64::to_le_bytes), PyBytes::new(py, &joined)))
}

/// The first text that was there before, and where: (before, text).
#[pyfunction]
pub fn repeated_in(py: Python<'_>, packed: Packed) -> PyResult<Option<(usize, usize)>> {
    let (offsets, data, first, count) = packed;
    let (places, data) = checked(&offsets, &data, first, count)?;
    Ok(py.detach(|| repeated_text(&places, data)))
}

/// The offsets of packed texts, which rise and stay within the data.
fn checked<'a>(
    offsets: &PyBuffer<u8>,
    data: &'a PyBuffer<u8>,
    first: usize,
    count: usize,
) -> PyResult<(Vec<i64>, &'a [u8])> {
    let (offsets, data) = (bytes_of(offsets)?, bytes_of(data)?);
    let range = (8 * first)..(8 * (first + count + 1));
    let (eights, _) = offsets.get(range).ok_or_else(apart)?.as_chunks::<8>();
    let places: Vec<i64> = eights.iter().map(|&b| i64::from_le_bytes(b)).collect();
    let within = places[0] >= 0 && places.is_sorted() && places[count] as usize <= data.len();
    if within { Ok((places, data)) } else { Err(apart()) }
}

/// The first text that was there before, and where: (before, text).
pub fn repeated_text(offsets: &[i64], texts: &[u8]) -> Option<(usize, usize)> {
    let state = RandomState::new();
    let text = |i: usize| &texts[offsets[i] as usize..offsets[i + 1] as usize];
    let hashes: Vec<u64> = (0..offsets.len().saturating_sub(1)).map(|i| state.hash_one(text(i))).collect();
    let mut hashed: Vec<(u64, u32)> =
        suspects(hashes.iter().copied()).into_iter().map(|i| (hashes[i as usize], i)).collect();
    hashed.sort_unstable();
    let mut first: Option<(usize, usize)> = None;
    for run in hashed.chunk_by(|x, y| x.0 == y.0).filter(|run| run.len() > 1) {
        let mut seen: HashMap<&[u8], usize> = HashMap::new();
        for &(_, i) in run {
            if let Some(before) = seen.insert(text(i as usize), i as usize) {
                first = first.into_iter().chain([(before, i as usize)]).min_by_key(|found| found.1);
            }
        }
    }
    first
}

fn offset(offsets: &[u8], i: usize) -> PyResult<usize> {
    let eight = offsets.get(8 * i..8 * i + 8).ok_or_else(apart)?;
    usize::try_from(i64::from_le_bytes(eight.try_into().expect("8 bytes"))).map_err(|_| apart())
}

fn apart() -> PyErr {
    PyValueError::new_err("packed text: offsets and data do not fit together")
}
