//! Pairs and groups as columns of numbers.

use lookalike_core::groups::{self, Grouping};
use lookalike_core::pairs::{By, Pairs};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::run::run;
use crate::signatures::{bytes, from_bytes};

type Columns = (PyBackedBytes, PyBackedBytes, PyBackedBytes, PyBackedBytes, PyBackedBytes);
type Made<'py> =
    (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>);
type Parts<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

fn floats(data: &[u8]) -> Vec<f64> {
    data.as_chunks().0.iter().map(|&b| f64::from_le_bytes(b)).collect()
}

fn taken(columns: &Columns) -> PyResult<Pairs> {
    let pairs = Pairs {
        a: from_bytes(&columns.0),
        b: from_bytes(&columns.1),
        jaccard: floats(&columns.2),
        containment_a: floats(&columns.3),
        containment_b: floats(&columns.4),
    };
    let lengths = [pairs.b.len(), pairs.jaccard.len(), pairs.containment_a.len(), pairs.containment_b.len()];
    if lengths.iter().any(|&length| length != pairs.len()) {
        return Err(PyValueError::new_err("the columns of pairs have several lengths"));
    }
    Ok(pairs)
}

fn given<'py>(py: Python<'py>, pairs: &Pairs) -> Made<'py> {
    let scores = |column: &[f64]| bytes(py, column, f64::to_le_bytes);
    (
        bytes(py, &pairs.a, u32::to_le_bytes),
        bytes(py, &pairs.b, u32::to_le_bytes),
        scores(&pairs.jaccard),
        scores(&pairs.containment_a),
        scores(&pairs.containment_b),
    )
}

fn by(containment: bool) -> By {
    if containment { By::Containment } else { By::Jaccard }
}

/// Refuse numbers of documents that are not there.
fn check<'a>(documents: usize, numbers: impl IntoIterator<Item = &'a u32>) -> PyResult<()> {
    match numbers.into_iter().find(|&&number| number as usize >= documents) {
        Some(number) => Err(PyValueError::new_err(format!("document {number} of {documents} is not there"))),
        None => Ok(()),
    }
}

/// Bytes of work, by which it is decided whether to watch for Ctrl-C.
fn work(documents: usize, pairs: &Pairs) -> usize {
    8 * documents + 32 * pairs.len()
}

/// The pairs at or above a threshold.
#[pyfunction]
pub fn at_least<'py>(py: Python<'py>, pairs: Columns, threshold: f64, containment: bool) -> PyResult<Made<'py>> {
    let pairs = taken(&pairs)?;
    let kept = run(py, 1, work(0, &pairs), |_| Ok(pairs.at_least(threshold, by(containment))))?;
    Ok(given(py, &kept))
}

/// The closest pairs.
#[pyfunction]
pub fn closest<'py>(py: Python<'py>, pairs: Columns, most: usize, containment: bool) -> PyResult<Made<'py>> {
    let pairs = taken(&pairs)?;
    let kept = run(py, 1, work(0, &pairs), |_| Ok(pairs.closest(most, by(containment))))?;
    Ok(given(py, &kept))
}

/// The pairs with those of copies beside them, and whether these are all.
#[pyfunction]
pub fn with_copies<'py>(
    py: Python<'py>,
    class_: &[u8],
    pairs: Columns,
    old_from: usize,
    most: i64,
) -> PyResult<(Made<'py>, bool)> {
    let (class, pairs) = (from_bytes(class_), taken(&pairs)?);
    check(class.len(), class.iter().chain(&pairs.a).chain(&pairs.b))?;
    let (listed, all) = run(py, 1, work(class.len(), &pairs), |_| Ok(pairs.with_copies(&class, old_from, most)))?;
    Ok((given(py, &listed), all))
}

/// The score of each two documents: 1 between copies, not a number where there is no pair.
#[pyfunction]
pub fn score_between<'py>(
    py: Python<'py>,
    class_: &[u8],
    pairs: Columns,
    x: &[u8],
    y: &[u8],
    containment: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let (class, pairs, x, y) = (from_bytes(class_), taken(&pairs)?, from_bytes(x), from_bytes(y));
    check(class.len(), class.iter().chain(&pairs.a).chain(&x).chain(&y))?;
    let scores = run(py, 1, work(class.len(), &pairs), |_| Ok(pairs.between(&class, &x, &y, by(containment))))?;
    Ok(bytes(py, &scores, f64::to_le_bytes))
}

/// For each document its principal, where documents from `old_from` on are old.
#[pyfunction]
pub fn principals<'py>(
    py: Python<'py>,
    class_: &[u8],
    pairs: Columns,
    order: &[u8],
    linkage: &str,
    containment: bool,
    old_from: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let (class, pairs, order) = (from_bytes(class_), taken(&pairs)?, from_bytes(order));
    check(class.len(), class.iter().chain(&pairs.a).chain(&pairs.b).chain(&order))?;
    let linked = match linkage {
        "linked" => true,
        "star" => false,
        _ => return Err(PyValueError::new_err(format!("linkage must be star or linked, not {linkage:?}"))),
    };
    let principal = run(py, 1, work(class.len(), &pairs), |_| {
        let ends: Vec<(u32, u32)> = pairs.a.iter().copied().zip(pairs.b.iter().copied()).collect();
        if linked {
            return Ok(groups::linked_by(&class, &ends, &order, old_from));
        }
        if old_from >= class.len() {
            return Ok(groups::star(&class, &ends, &order));
        }
        let scores: Vec<f64> = (0..pairs.len()).map(|i| pairs.score(i, by(containment))).collect();
        Ok(groups::star_beside(&class, &ends, &scores, &order, old_from))
    })?;
    Ok(bytes(py, &principal, u32::to_le_bytes))
}

/// The groups that principals make: the members of each, where each begins and the last ends, the principal of each.
#[pyfunction]
pub fn grouped<'py>(py: Python<'py>, principal: &[u8], old_from: usize) -> PyResult<Parts<'py>> {
    let principal = from_bytes(principal);
    check(principal.len(), &principal)?;
    let Grouping { documents, starts, heads } =
        run(py, 1, 8 * principal.len(), |_| Ok(groups::grouped(&principal, old_from)))?;
    let made = |numbers: &[u32]| bytes(py, numbers, u32::to_le_bytes);
    Ok((made(&documents), made(&starts), made(&heads)))
}

/// The least score of a member of each group to its principal; not a number if one is unknown.
#[pyfunction]
pub fn least_scores<'py>(
    py: Python<'py>,
    class_: &[u8],
    pairs: Columns,
    grouping: (PyBackedBytes, PyBackedBytes, PyBackedBytes),
    containment: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let (class, pairs) = (from_bytes(class_), taken(&pairs)?);
    let [documents, starts, heads] = [&grouping.0, &grouping.1, &grouping.2].map(|data| from_bytes(data));
    let grouping = Grouping { documents, starts, heads };
    check(class.len(), class.iter().chain(&pairs.a).chain(&grouping.documents).chain(&grouping.heads))?;
    let (starts, whole) = (&grouping.starts, grouping.documents.len());
    if !starts.is_sorted() || starts.len() != grouping.heads.len() + 1 || starts.last() != Some(&(whole as u32)) {
        return Err(PyValueError::new_err("the groups do not hold their documents"));
    }
    let least = run(py, 1, work(class.len(), &pairs), |_| {
        let scores = pairs.between(&class, &grouping.documents, &grouping.head_of_each(), by(containment));
        Ok(grouping.least(&scores))
    })?;
    Ok(bytes(py, &least, f64::to_le_bytes))
}
