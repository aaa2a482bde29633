//! Signatures that are made while the rest of a collection is still being read.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

use lookalike_core::Recipe;
use lookalike_core::batch::{self, Control, Signed};
use lookalike_core::shingle::Shingler;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::run::run_here;
use crate::settings::Settings;
use crate::text::Texts;

/// Signs the batches of a collection, on whichever thread they are given to it, and gives what it has to `find`.
#[pyclass(frozen, module = "lookalike._native")]
pub struct Signer {
    recipe: Recipe,
    shingler: Shingler,
    batches: Mutex<BTreeMap<usize, Signed>>,
    control: Control,
}

impl Signer {
    /// Everything signed so far, in the order of the batches.
    pub fn take(&self) -> Vec<Signed> {
        std::mem::take(&mut *self.held()).into_values().collect()
    }

    fn held(&self) -> MutexGuard<'_, BTreeMap<usize, Signed>> {
        self.batches.lock().expect("no thread panics while it holds this")
    }
}

#[pymethods]
impl Signer {
    /// With these settings, without the ignored shingles.
    #[new]
    fn new(settings: &Settings, ignored: Vec<u64>) -> PyResult<Self> {
        let recipe = settings.recipe.clone();
        let shingler = Shingler::new(&recipe).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Signer { recipe, shingler: shingler.ignoring(ignored), batches: Mutex::default(), control: Control::new(1) })
    }

    /// Sign the texts of batch `number`, on this thread.
    fn add(&self, py: Python<'_>, number: usize, texts: &Bound<'_, PyList>) -> PyResult<()> {
        let held = Texts::new(texts)?;
        let read = held.read()?;
        let texts: Vec<&str> = read.iter().map(|t| &**t).collect();
        let signed = run_here(py, &self.control, |control| batch::sign(&texts, &self.shingler, &self.recipe, control))?;
        self.held().insert(number, signed);
        Ok(())
    }

    /// Let every `add` end soon, by KeyboardInterrupt.
    fn stop(&self) {
        self.control.stop();
    }

    /// The number of texts signed.
    fn __len__(&self) -> usize {
        self.held().values().map(|batch| batch.digests.len()).sum()
    }
}
