//! Pairs and groups as JSON: the outputs that every large search has, and that take long in Python.

use std::fmt::Write;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyList, PyString};

use crate::signatures::from_bytes;

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
/// are floats of 64 bits, and `names` are their keys.
#[pyfunction]
#[pyo3(signature = (a, b, names, scores, between, /))]
pub fn json_pairs(
    a: &Bound<'_, PyList>,
    b: &Bound<'_, PyList>,
    names: [String; 3],
    scores: [PyBackedBytes; 3],
    between: &str,
) -> PyResult<String> {
    let scores = scores.each_ref().map(|column| column.as_chunks::<8>().0);
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
        for (name, column) in names.iter().zip(scores) {
            let _ = write!(out, ", \"{name}\": ");
            put_score(&mut out, f64::from_le_bytes(column[i]));
        }
        out.push('}');
    }
    Ok(out)
}

/// JSON objects of groups, one text for all, with `between` between them. The ids of representatives and of members are
/// JSON already; group `i` has the members from `starts[i]` to `starts[i + 1]`, as 32-bit numbers counted from the first.
#[pyfunction]
#[pyo3(signature = (principals, members, starts, between, /))]
pub fn json_groups(
    principals: &Bound<'_, PyList>,
    members: &Bound<'_, PyList>,
    starts: &[u8],
    between: &str,
) -> PyResult<String> {
    let starts: Vec<u32> = from_bytes(starts);
    let first = starts.first().copied().unwrap_or(0);
    let is_sorted = starts.is_sorted() && starts.len() == principals.len() + 1;
    if !is_sorted || starts.last().is_some_and(|last| (last - first) as usize != members.len()) {
        return Err(PyValueError::new_err("the groups do not have these members"));
    }
    let mut out = String::with_capacity(members.len() * 24 + principals.len() * 48);
    let mut members = members.iter();
    for (i, principal) in principals.iter().enumerate() {
        if i > 0 {
            out.push_str(between);
        }
        let _ = write!(out, "{{\"principal\": {}, \"members\": [", principal.cast::<PyString>()?.to_str()?);
        for (j, member) in members.by_ref().take((starts[i + 1] - starts[i]) as usize).enumerate() {
            if j > 0 {
                out.push_str(", ");
            }
            out.push_str(member.cast::<PyString>()?.to_str()?);
        }
        out.push_str("]}");
    }
    Ok(out)
}
