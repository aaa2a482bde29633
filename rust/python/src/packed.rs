//! Single texts out of packed ones.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::signatures::from_bytes;
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

fn offset(offsets: &[u8], i: usize) -> PyResult<usize> {
    let eight = offsets.get(8 * i..8 * i + 8).ok_or_else(apart)?;
    usize::try_from(i64::from_le_bytes(eight.try_into().expect("8 bytes"))).map_err(|_| apart())
}

fn apart() -> PyErr {
    PyValueError::new_err("packed text: offsets and data do not fit together")
}
