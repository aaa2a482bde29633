//! Rows of pairs as JSON: the one output that every large search has, and that takes long in Python.

use std::fmt::Write;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

/// A number between 0 and 1 as Python shows it: the fewest digits that read back as the same number.
fn put_score(out: &mut String, score: f64) {
    if score != 0.0 && score < 1e-4 {
        let shown = format!("{score:e}");
        let (digits, exponent) = shown.split_once("e-").unwrap_or((&shown, "0"));
        let _ = write!(out, "{digits}e-{exponent:0>2}");
    } else {
        let _ = write!(out, "{score:?}");
    }
}

/// JSON objects of pairs, one text for all, with `between` between them. The ids of both sides are JSON already; scores
/// are floats of 64 bits.
#[pyfunction]
#[pyo3(signature = (a, b, jaccard, containment_a, containment_b, between, /))]
pub fn json_pairs(
    a: &Bound<'_, PyList>,
    b: &Bound<'_, PyList>,
    jaccard: &[u8],
    containment_a: &[u8],
    containment_b: &[u8],
    between: &str,
) -> PyResult<String> {
    let scores = [jaccard, containment_a, containment_b].map(|column| column.as_chunks::<8>().0);
    if scores.iter().any(|column| column.len() != a.len()) || a.len() != b.len() {
        return Err(PyValueError::new_err("columns of pairs have different lengths"));
    }
    let mut out = String::with_capacity(a.len() * 128);
    for (i, (x, y)) in a.iter().zip(b.iter()).enumerate() {
        if i > 0 {
            out.push_str(between);
        }
        let (x, y) = (x.cast::<PyString>()?.to_str()?, y.cast::<PyString>()?.to_str()?);
        let _ = write!(out, "{{\"a\": {x}, \"b\": {y}");
        for (name, column) in ["jaccard", "containment_a", "containment_b"].iter().zip(scores) {
            let _ = write!(out, ", \"{name}\": ");
            put_score(&mut out, f64::from_le_bytes(column[i]));
        }
        out.push('}');
    }
    Ok(out)
}
