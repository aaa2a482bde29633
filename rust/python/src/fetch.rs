//! Some texts of an input read again, to be shown.

use std::sync::Mutex;

use lookalike_core::texts::Texts as _;
use pyo3::prelude::*;

use crate::again::Inputs;
use crate::inputs::{Input, lock};
use crate::run::run;
use crate::signatures::from_bytes;

/// The texts of these documents of an input that has been read, with their numbers, in order. Not of a list. When they
/// have more than `most` bytes, the others are omitted, to be requested again; at least one is returned.
#[pyfunction]
pub fn fetch_texts(
    py: Python<'_>,
    given: PyRef<'_, Input>,
    documents: u32,
    numbers: &[u8],
    threads: usize,
    most: usize,
) -> PyResult<Vec<(u32, String)>> {
    let (wanted, inputs) = (from_bytes(numbers), [given]);
    let again = Inputs::new(&inputs, Vec::new(), &[documents]);
    let found = Mutex::new((Vec::with_capacity(wanted.len()), 0));
    let outcome = run(py, threads, usize::MAX, |control| {
        again.fetch(&wanted, control, &|number, text, _| {
            let (texts, bytes) = &mut *lock(&found);
            if texts.is_empty() || *bytes + text.len() <= most {
                *bytes += text.len();
                texts.push((number, text.to_owned()));
            }
            Ok(())
        })
    });
    if let Some(error) = again.take_failure() {
        return Err(error);
    }
    outcome?;
    let (mut found, _) = std::mem::take(&mut *lock(&found));
    found.sort_unstable();
    Ok(found)
}
