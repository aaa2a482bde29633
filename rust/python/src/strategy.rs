//! The settings of a search as the core takes them.

use lookalike_core::Recipe;
use lookalike_core::bands::Bands;
use lookalike_core::candidates::Limits;
use lookalike_core::jaccard::Metric;
use lookalike_core::sign::Signer;
use lookalike_core::strategy::{Method, Search};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::run::to_python;
use crate::settings::Settings;

/// A `Strategy`, checked and translated once.
#[pyclass(frozen, module = "lookalike._native")]
pub struct Strategy {
    recipe: Recipe,
    metric: Metric,
    threshold: f64,
    pub method: Method,
    ignored: Vec<u64>,
    drops_excluded: bool,
    min_units: Option<usize>,
    limits: Option<Limits>,
    max_pairs: u64,
    memory: usize,
}

impl Strategy {
    /// The search, in which documents from `old_from` on are old.
    pub fn search(&self, old_from: usize) -> Search<'_> {
        Search {
            recipe: &self.recipe,
            metric: self.metric,
            threshold: self.threshold,
            method: self.method,
            old_from,
            ignored: &self.ignored,
            drops_excluded: self.drops_excluded,
            min_units: self.min_units,
            limits: self.limits,
            max_pairs: self.max_pairs,
            memory: self.memory,
        }
    }

    /// Signs documents as a search by this strategy does.
    pub fn signer(&self) -> lookalike_core::Result<Signer> {
        Signer::new(&self.recipe, self.search(usize::MAX).shingler()?, self.bands())
    }

    /// The bands, if there are any.
    pub fn bands(&self) -> Option<Bands> {
        if let Method::Lsh { bands, .. } = self.method { Some(bands) } else { None }
    }
}

#[pymethods]
impl Strategy {
    #[new]
    #[pyo3(signature = (settings, *, threshold, method, metric, bands, rows, least, ignored, drops_excluded=false, min_units=None, limits=None, max_pairs=0, memory=268_435_456))]
    #[allow(clippy::too_many_arguments)] // one per setting of a search, by name only
    fn new(
        py: Python<'_>,
        settings: &Settings,
        threshold: f64,
        method: &str,
        metric: &str,
        bands: usize,
        rows: usize,
        least: usize,
        ignored: Vec<u64>,
        drops_excluded: bool,
        min_units: Option<usize>,
        limits: Option<(u64, u64)>,
        max_pairs: u64,
        memory: usize,
    ) -> PyResult<Self> {
        let method = match method {
            "brute" => Method::Brute,
            "signatures" => Method::Signatures { least },
            "lsh" => Method::Lsh { bands: Bands { bands, rows }, least },
            "exact" => Method::Exact,
            _ => return Err(PyValueError::new_err(format!("unknown method {method:?}"))),
        };
        let metric = match metric {
            "jaccard" => Metric::Jaccard,
            "containment" => Metric::Containment,
            _ => return Err(PyValueError::new_err(format!("unknown metric {metric:?}"))),
        };
        let limits = limits.map(|(proposals, pairs)| Limits { proposals, pairs });
        let recipe = settings.recipe.clone();
        let made = Strategy {
            recipe,
            metric,
            threshold,
            method,
            ignored,
            drops_excluded,
            min_units,
            limits,
            max_pairs,
            memory,
        };
        made.search(usize::MAX).check().map_err(|error| to_python(py, &error))?;
        Ok(made)
    }
}
