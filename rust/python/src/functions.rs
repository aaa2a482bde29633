//! The functions of the module.

use lookalike_core::control::Control;
use lookalike_core::families::Functions;
use lookalike_core::passages::passages as shared_runs;
use lookalike_core::runs::{Held, Marks};
use lookalike_core::shingle::{Placed, Scratch, Shingler};
use lookalike_core::strategy::Pair;
use lookalike_core::unicode::{Tables, UNICODE_TABLES, combining_class};
use lookalike_core::{groups, hash, jaccard, quality, simd};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::run::run;
use crate::settings::{Settings, family};
use crate::signatures::{bytes, from_bytes};
use crate::strategy::Strategy;
use crate::text::{CodePoints, read};

type Spans = Vec<(String, usize, usize)>;
type Places = (usize, usize, usize, usize, usize);

fn placed(
    text: &Bound<'_, PyString>,
    settings: &Settings,
    cut: impl FnOnce(&Shingler, &str, &Control) -> lookalike_core::Result<Vec<Placed>> + Send,
) -> PyResult<Spans> {
    let held = read(text)?;
    let text_ref: &str = &held;
    let found = run(text.py(), 1, text_ref.len(), |control| cut(&Shingler::new(&settings.recipe)?, text_ref, control))?;
    let starts = CodePoints::new(text_ref);
    Ok(found.into_iter().map(|p| (p.text, starts.before(p.start), starts.before(p.end))).collect())
}

/// Units of a text: (normalised text, first code point, code point after the last).
#[pyfunction]
pub fn units(text: &Bound<'_, PyString>, settings: &Settings) -> PyResult<Spans> {
    placed(text, settings, |s, t, control| s.units(t, control))
}

/// Shingles of a text, in order, repeats included: (text, first code point, code point after the last).
#[pyfunction]
pub fn shingles(text: &Bound<'_, PyString>, settings: &Settings) -> PyResult<Spans> {
    placed(text, settings, |s, t, control| s.shingles(t, control))
}

/// The document as a sorted list of distinct 64-bit elements.
#[pyfunction]
pub fn elements(text: &Bound<'_, PyString>, settings: &Settings) -> PyResult<Vec<u64>> {
    let held = read(text)?;
    let text_ref: &str = &held;
    run(text.py(), 1, text_ref.len(), |control| {
        Shingler::new(&settings.recipe)?.set(text_ref, &mut Scratch::default(), control)
    })
}

/// (shared elements, elements of a, elements of b).
#[pyfunction]
pub fn overlap(
    a: &Bound<'_, PyString>,
    b: &Bound<'_, PyString>,
    settings: &Settings,
) -> PyResult<(usize, usize, usize)> {
    let (x, y) = (read(a)?, read(b)?);
    let (x, y): (&str, &str) = (&x, &y);
    run(a.py(), 1, x.len() + y.len(), |control| {
        let (shingler, mut scratch) = (Shingler::new(&settings.recipe)?, Scratch::default());
        let (x, y) = (shingler.set(x, &mut scratch, control)?, shingler.set(y, &mut scratch, control)?);
        let found = jaccard::overlap(&x, &y);
        Ok((found.shared, found.a, found.b))
    })
}

/// Sums over shingle counts: (Σ min, Σ max, Σ product, Σ a², Σ b²).
#[pyfunction]
pub fn counts(
    a: &Bound<'_, PyString>,
    b: &Bound<'_, PyString>,
    settings: &Settings,
) -> PyResult<(u64, u64, f64, f64, f64)> {
    let (x, y) = (read(a)?, read(b)?);
    let (x, y): (&str, &str) = (&x, &y);
    run(a.py(), 1, x.len() + y.len(), |control| {
        let (shingler, mut scratch) = (Shingler::new(&settings.recipe)?, Scratch::default());
        let (x, y) = (shingler.sorted(x, &mut scratch, control)?, shingler.sorted(y, &mut scratch, control)?);
        let c = jaccard::counts(&x, &y);
        Ok((c.least, c.most, c.product, c.squares_a, c.squares_b))
    })
}

/// Shared passages: (start in a, end in a, start in b, end in b, units), in code points.
#[pyfunction]
pub fn passages(
    a: &Bound<'_, PyString>,
    b: &Bound<'_, PyString>,
    settings: &Settings,
    least: usize,
) -> PyResult<Vec<Places>> {
    let (x, y) = (read(a)?, read(b)?);
    let (x, y): (&str, &str) = (&x, &y);
    let found = run(a.py(), 1, x.len() + y.len(), |control| {
        let shingler = Shingler::new(&settings.recipe)?;
        let (x, y) = (shingler.unit_hashes(x, control)?, shingler.unit_hashes(y, control)?);
        control.check()?;
        let hashes = |units: &[(u64, usize, usize)]| units.iter().map(|u| u.0).collect::<Vec<_>>();
        let runs = shared_runs(&hashes(&x), &hashes(&y), least, control)?;
        let places = |r: &lookalike_core::passages::Run| {
            let last = r.length - 1;
            (x[r.a].1, x[r.a + last].2, y[r.b].1, y[r.b + last].2, r.length)
        };
        Ok(runs.iter().map(places).collect::<Vec<_>>())
    })?;
    let (in_a, in_b) = (CodePoints::new(x), CodePoints::new(y));
    Ok(found
        .into_iter()
        .map(|(s, e, t, f, n)| (in_a.before(s), in_a.before(e), in_b.before(t), in_b.before(f), n))
        .collect())
}

/// Scores of pairs as columns of little-endian bytes.
pub fn scores<'py>(py: Python<'py>, pairs: &[Pair], out: &Bound<'py, PyDict>) -> PyResult<()> {
    let column = |value: fn(&Pair) -> f64| bytes(py, &pairs.iter().map(value).collect::<Vec<_>>(), f64::to_le_bytes);
    out.set_item("a", bytes(py, &pairs.iter().map(|p| p.a).collect::<Vec<_>>(), u32::to_le_bytes))?;
    out.set_item("b", bytes(py, &pairs.iter().map(|p| p.b).collect::<Vec<_>>(), u32::to_le_bytes))?;
    out.set_item("jaccard", column(|p| p.overlap.jaccard()))?;
    out.set_item("containment_a", column(|p| p.overlap.containment_a()))?;
    out.set_item("containment_b", column(|p| p.overlap.containment_b()))
}

/// How many shingles two texts share, as far as they count by the `min_units` of the strategy.
#[pyfunction]
pub fn shared_in_long_runs(a: &Bound<'_, PyString>, b: &Bound<'_, PyString>, strategy: &Strategy) -> PyResult<usize> {
    let (x, y) = (read(a)?, read(b)?);
    let (x, y): (&str, &str) = (&x, &y);
    run(a.py(), 1, x.len() + y.len(), |control| {
        let (search, mut scratch) = (strategy.search(usize::MAX), Scratch::default());
        let shingler = search.shingler()?;
        let mut held = |text| Ok(Held::new(&shingler, text, search.min_units, &mut scratch, control)?.0);
        let (x, y): (Held, Held) = (held(x)?, held(y)?);
        Ok(x.counted(&y, jaccard::overlap(&x.set, &y.set).shared, &mut Marks::default()))
    })
}

fn pairs(documents: usize, a: &[u8], b: &[u8]) -> PyResult<Vec<(u32, u32)>> {
    let pairs: Vec<(u32, u32)> = from_bytes(a).into_iter().zip(from_bytes(b)).collect();
    match pairs.iter().find(|p| p.0.max(p.1) as usize >= documents) {
        Some((x, y)) => Err(PyValueError::new_err(format!("pair ({x}, {y}) names a document beyond {documents}"))),
        None => Ok(pairs),
    }
}

/// For each document the least number of its linked group.
#[pyfunction]
pub fn linked<'py>(py: Python<'py>, documents: usize, a: &[u8], b: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let pairs = pairs(documents, a, b)?;
    let group = run(py, 1, pairs.len() * 8, |_| Ok(groups::linked(documents, pairs.iter().copied())))?;
    Ok(bytes(py, &group, u32::to_le_bytes))
}

/// For each document the principal of its star.
#[pyfunction]
#[pyo3(signature = (class_, a, b, order, /))]
pub fn star<'py>(py: Python<'py>, class_: &[u8], a: &[u8], b: &[u8], order: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let (class, order) = (from_bytes(class_), from_bytes(order));
    let pairs = pairs(class.len(), a, b)?;
    if class.iter().chain(&order).any(|&i| i as usize >= class.len()) {
        return Err(PyValueError::new_err("class or order names a document that is not there"));
    }
    let principal = run(py, 1, class.len() * 8, |_| Ok(groups::star(&class, &pairs, &order)))?;
    Ok(bytes(py, &principal, u32::to_le_bytes))
}

/// What the core knows of a code point.
#[pyclass(frozen, get_all, module = "lookalike._native")]
pub struct CharProperties {
    word_break: &'static str,
    extended_pictographic: bool,
    white_space: bool,
    mark: bool,
    decimal: bool,
    combining_class: u8,
    default_ignorable: bool,
    lower: u32,
}

/// Properties of a code point as the core sees them.
#[pyfunction]
pub fn char_properties(code_point: u32) -> PyResult<CharProperties> {
    let c = char::from_u32(code_point)
        .ok_or_else(|| PyValueError::new_err(format!("{code_point:#x} is no Unicode scalar value")))?;
    let info = Tables::get().info(c);
    Ok(CharProperties {
        word_break: info.word_break().name(),
        extended_pictographic: info.pictograph(),
        white_space: info.white(),
        mark: info.mark(),
        decimal: info.decimal(),
        combining_class: combining_class(c),
        default_ignorable: Tables::get().invisible(c),
        lower: Tables::get().lower(c) as u32,
    })
}

/// MurmurHash3_x86_32.
#[pyfunction]
pub fn murmur3_32(data: &[u8], seed: u32) -> u32 {
    hash::murmur3_32(data, seed)
}

/// Robert Jenkins' 96-bit mix, third word.
#[pyfunction]
pub fn jenkins_mix(a: u32, b: u32, c: u32) -> u32 {
    hash::jenkins_mix(a, b, c)
}

/// `hash_vec` in 32 bits.
#[pyfunction]
pub fn hash_vec32(values: Vec<u32>) -> u32 {
    hash::hash_vec32(&values)
}

/// `hash_vec` in 64 bits.
#[pyfunction]
pub fn hash_vec64(values: Vec<u32>) -> u64 {
    hash::hash_vec64(&values)
}

/// Value of function `i` of a family at a 32-bit key.
#[pyfunction]
pub fn family_value(name: &str, i: usize, key: u32, seed: u64) -> PyResult<u32> {
    Ok(Functions::new(family(name)?, i + 1, seed).value(i, key))
}

/// Share of flipped output bits for each flipped input bit, 32 × 32.
#[pyfunction]
pub fn avalanche(py: Python<'_>, name: &str, samples: usize, seed: u64) -> PyResult<Vec<Vec<f64>>> {
    let family = family(name)?;
    run(py, 1, samples * 1024, |control| {
        Ok(quality::avalanche(family, samples, seed, control)?.iter().map(|r| r.to_vec()).collect())
    })
}

/// Number of the keys 0 … keys − 1 in each bucket.
#[pyfunction]
pub fn spread(py: Python<'_>, name: &str, keys: u32, buckets: usize, seed: u64) -> PyResult<Vec<u64>> {
    let family = family(name)?;
    run(py, 1, keys as usize, |control| quality::spread(family, keys, buckets, seed, control))
}

/// How this module was built and what it runs on.
#[pyfunction]
pub fn build_info(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("version", env!("CARGO_PKG_VERSION"))?;
    out.set_item("profile", if cfg!(debug_assertions) { "debug" } else { "release" })?;
    out.set_item("target", format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS))?;
    out.set_item("cpu", format!("{:?}", simd::level()).to_lowercase())?;
    out.set_item("unicode", UNICODE_TABLES)?;
    out.set_item("threads", std::thread::available_parallelism().map_or(1, usize::from))?;
    Ok(out)
}
