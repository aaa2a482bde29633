//! The recipe as the core takes it.

use lookalike_core::families::{FAMILIES, Family};
use lookalike_core::recipe::{Form, Recipe, SketchKind, Unit, Whitespace};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Settings of a `Recipe`, checked and translated once.
#[pyclass(frozen, module = "lookalike._native")]
pub struct Settings {
    pub recipe: Recipe,
}

/// The value that belongs to a name.
fn named<T: Copy>(field: &str, given: &str, allowed: &[(&str, T)]) -> PyResult<T> {
    let found = allowed.iter().find(|(name, _)| *name == given).map(|&(_, value)| value);
    found.ok_or_else(|| PyValueError::new_err(format!("{field}: unknown value {given:?}")))
}

/// A family by name.
pub fn family(name: &str) -> PyResult<Family> {
    named("family", name, &FAMILIES.map(|f| (f.name(), f)))
}

#[pymethods]
impl Settings {
    #[new]
    #[pyo3(signature = (*, unit, k, bag, lowercase, whitespace, punctuation, accents, digits, stop_words, invisible, form, sketch, family, hashes, seed))]
    #[allow(clippy::too_many_arguments)] // one per setting of the recipe, by name only
    fn new(
        unit: &str,
        k: usize,
        bag: bool,
        lowercase: bool,
        whitespace: &str,
        punctuation: &str,
        accents: &str,
        digits: &str,
        stop_words: Vec<String>,
        invisible: &str,
        form: &str,
        sketch: &str,
        family: &str,
        hashes: usize,
        seed: u64,
    ) -> PyResult<Self> {
        use Whitespace::{Collapse, Keep, Remove};
        let forms =
            [("none", Form::None), ("nfc", Form::Nfc), ("nfd", Form::Nfd), ("nfkc", Form::Nfkc), ("nfkd", Form::Nfkd)];
        let classic = SketchKind::Classic(self::family(family)?);
        Ok(Settings {
            recipe: Recipe {
                unit: named("unit", unit, &[("char", Unit::Char), ("word", Unit::Word), ("token", Unit::Token)])?,
                k,
                bag,
                lowercase,
                whitespace: named(
                    "whitespace",
                    whitespace,
                    &[("keep", Keep), ("collapse", Collapse), ("remove", Remove)],
                )?,
                remove_marks: named("punctuation", punctuation, &[("keep", false), ("remove", true)])?,
                strip_accents: named("accents", accents, &[("keep", false), ("strip", true)])?,
                zero_digits: named("digits", digits, &[("keep", false), ("zero", true)])?,
                stop_words,
                drop_invisible: named("invisible", invisible, &[("keep", false), ("drop", true)])?,
                form: named("form", form, &forms)?,
                sketch: named("sketch", sketch, &[("fast", SketchKind::Fast), ("classic", classic)])?,
                hashes,
                seed,
            },
        })
    }
}
