//! The search: the first read of all inputs, and everything after it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use lookalike_core::Error;
use lookalike_core::candidates::{Candidates, Limits};
use lookalike_core::common;
use lookalike_core::confirm::{Found, confirm};
use lookalike_core::control::Control;
use lookalike_core::copies::{classes, of_interest};
use lookalike_core::hot::add_hot;
use lookalike_core::intake::{self, Keep, Kept};
use lookalike_core::search::{find, propose};
use lookalike_core::shingle::{Scratch, Shingler};
use lookalike_core::strategy::Method;
use lookalike_core::verify::{Second, changed};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::again::Inputs;
use crate::functions::scores;
use crate::inputs::{Input, lock};
use crate::rows::TableRows;
use crate::run::{come_out, give_back, run_told, to_python};
use crate::settings::Settings;
use crate::signatures::{bytes, from_bytes};
use crate::spill::{self, Spilled as Spill};
use crate::strategy::Strategy;
use crate::text::Texts;

/// Takes the documents of a search: each is signed and released.
#[pyclass(frozen, module = "lookalike._native")]
pub struct Intake {
    core: Mutex<Option<intake::Intake>>,
    counts: Mutex<Vec<u32>>,
    kept: Mutex<Option<Kept>>,
    /// An object in Python that keeps rows in a file: `done() -> [(input, batch, documents, offset)]` and
    /// `write([(input, batch, documents, offset)], bytes)`, with offsets in those bytes.
    spill: Option<Py<PyAny>>,
}

impl Intake {
    /// Batches that are in the file already, and how many documents they have.
    fn spilled(&self, py: Python<'_>) -> PyResult<HashMap<(u32, u64), u32>> {
        let Some(spill) = &self.spill else { return Ok(HashMap::new()) };
        let entries: Vec<spill::Entry> = spill.bind(py).call_method0("done")?.extract()?;
        Ok(entries.into_iter().map(|(input, batch, documents, _)| ((input, batch), documents)).collect())
    }

    /// Write the rows so far, if they are enough.
    fn flush(&self, core: &intake::Intake, least: usize) -> PyResult<()> {
        let Some(spill) = &self.spill else { return Ok(()) };
        let parts = core.take_rows(least);
        if parts.is_empty() {
            return Ok(());
        }
        let (mut entries, mut data): (Vec<spill::Entry>, Vec<u8>) = (Vec::new(), Vec::new());
        for ((input, batch), rows) in &parts {
            entries.push((*input, *batch, rows.digests.len() as u32, data.len() as u64));
            spill::write(rows, &mut data);
        }
        Python::attach(|py| spill.bind(py).call_method1("write", (entries, PyBytes::new(py, &data))).map(|_| ()))
    }
}

/// Code points of text from which what was used to read them is worth giving back.
const LARGE: u64 = 64 << 20;

fn used_up() -> PyErr {
    PyValueError::new_err("the documents of this search were used already")
}

#[pymethods]
impl Intake {
    /// `keep`: "rows" for bands, "sets" for a join, "auto" for sets of up to `most` code points of text and rows beyond,
    /// "digests" for a join of what does not fit the memory.
    #[new]
    #[pyo3(signature = (strategy, keep, most=0, spill=None))]
    fn new(py: Python<'_>, strategy: &Strategy, keep: &str, most: u64, spill: Option<Py<PyAny>>) -> PyResult<Self> {
        let keep = match keep {
            "rows" => Keep::Rows,
            "sets" => Keep::Sets,
            "auto" => Keep::SetsUpTo(most),
            "digests" => Keep::Digests,
            _ => return Err(PyValueError::new_err(format!("unknown keep {keep:?}"))),
        };
        let signer = strategy.signer().map_err(|error| to_python(py, &error))?;
        let core = intake::Intake::new(signer, keep);
        Ok(Intake { core: Mutex::new(Some(core)), counts: Mutex::default(), kept: Mutex::default(), spill })
    }

    /// Read an input, after those that were read before. Returns how many documents it has and how many of these have
    /// invisible characters inside words ("unseen"), and for a table what is known about its rows.
    #[pyo3(signature = (given, threads, progress=None))]
    fn add<'py>(
        &self,
        py: Python<'py>,
        given: &Input,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let core = lock(&self.core).take().ok_or_else(used_up)?;
        let number = lock(&self.counts).len() as u32;
        let (rows, known, failed) = (TableRows::default(), self.spilled(py)?, Mutex::new(None));
        let unseen = core.unseen();
        let taken = AtomicUsize::new(0);
        let take = |batch: u64, texts: &[&str], scratch: &mut Scratch, control: &Control| {
            taken.fetch_add(texts.len(), Ordering::Relaxed);
            if let Some(&documents) = known.get(&(number, batch)) {
                let same = documents as usize == texts.len();
                core.look(texts);
                return if same { Ok(()) } else { Err(changed()) };
            }
            core.add((number, batch), texts, scratch, control)?;
            self.flush(&core, spill::FLUSH).map_err(|error| {
                lock(&failed).get_or_insert(error);
                Error::Outside("the work folder cannot be written".into())
            })
        };
        let outcome = given.read(py, threads, progress.as_ref(), &take, &|chunk| rows.see(chunk));
        let flushed = py.detach(|| self.flush(&core, 0));
        let documents = taken.into_inner();
        let unseen = core.unseen() - unseen;
        *lock(&self.core) = Some(core);
        if let Some(error) = lock(&failed).take() {
            return Err(error);
        }
        outcome.and(flushed)?;
        let documents = u32::try_from(documents).map_err(|_| PyValueError::new_err("too many documents"))?;
        lock(&self.counts).push(documents);
        let out = PyDict::new(py);
        out.set_item("documents", documents)?;
        out.set_item("unseen", unseen)?;
        rows.into_python(&out)?;
        Ok(out)
    }

    /// All inputs are read. Gives whether signatures were kept, and the length of each text as 64-bit numbers.
    fn finish<'py>(&self, py: Python<'py>, threads: usize) -> PyResult<(bool, Bound<'py, PyBytes>)> {
        let core = lock(&self.core).take().ok_or_else(used_up)?;
        let large = core.code_points() > LARGE;
        let kept = run_told(py, threads, usize::MAX, None, |control| core.finish(control))?;
        if large {
            py.detach(give_back);
        }
        let told = (kept.is_signed(), bytes(py, &kept.lengths(), u64::to_le_bytes));
        *lock(&self.kept) = Some(kept);
        Ok(told)
    }

    /// Code points of all texts that were read.
    fn code_points(&self) -> u64 {
        lock(&self.core).as_ref().map_or(0, intake::Intake::code_points)
    }
}

/// Rows in a work folder, to be searched stage by stage.
#[pyclass(frozen, module = "lookalike._native")]
pub struct Spilled {
    store: Spill,
    counts: Vec<u32>,
}

#[pymethods]
impl Spilled {
    /// Open the file of rows that was written for a strategy; `counts` are the documents of each input.
    #[new]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        entries: Vec<spill::Entry>,
        strategy: &Strategy,
        counts: Vec<u32>,
        memory: usize,
    ) -> PyResult<Self> {
        let (bands, hashes) = (strategy.bands().map_or(0, |b| b.bands), strategy.search(usize::MAX).recipe.hashes);
        let store = run_told(py, 1, usize::MAX, None, |_| Spill::open(&path, entries, bands, hashes, memory))?;
        Ok(Spilled { store, counts })
    }

    /// The length of each text as 64-bit numbers.
    fn lengths<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        bytes(py, &self.store.lengths, u64::to_le_bytes)
    }

    /// The candidates: packed pairs as 64-bit numbers, and hot documents as 32-bit numbers.
    #[pyo3(signature = (strategy, old_from, threads, progress=None))]
    fn candidates<'py>(
        &self,
        py: Python<'py>,
        strategy: &Strategy,
        old_from: usize,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let search = strategy.search(old_from);
        let found = run_told(py, threads, usize::MAX, progress.as_ref(), |control| {
            propose(&self.store, &classes(&self.store.digests), &search, control)
        })?;
        Ok((bytes(py, &found.pairs, u64::to_le_bytes), bytes(py, &found.hot, u32::to_le_bytes)))
    }

    /// Verified pairs from the candidates. `work` keeps what is done: `verified() -> (portions, bytes)`, `add(bytes)`.
    #[pyo3(signature = (strategy, inputs, pairs, hot, work, *, old_from, order, threads, progress=None))]
    #[allow(clippy::too_many_arguments)] // by name only
    fn verify<'py>(
        &self,
        py: Python<'py>,
        strategy: &Strategy,
        inputs: Vec<PyRef<'py, Input>>,
        pairs: &[u8],
        hot: &[u8],
        work: Py<PyAny>,
        old_from: usize,
        order: Option<&[u8]>,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (eights, _) = pairs.as_chunks::<8>();
        let pairs: Vec<u64> = eights.iter().map(|&b| u64::from_le_bytes(b)).collect();
        let (hot, order) = (from_bytes(hot), order.map(from_bytes));
        let all = self.store.digests.len() as u32;
        if pairs.iter().any(|&pair| (pair >> 32) as u32 >= all || pair as u32 >= all) || hot.iter().any(|&d| d >= all) {
            return Err(PyValueError::new_err("a candidate names a document that is not there"));
        }
        check_order(order.as_deref(), all as usize)?;
        let proposed = Candidates { pairs, hot };
        let (search, failed) = (strategy.search(old_from), Mutex::new(None));
        let found = with_inputs(&inputs, &self.counts, |inputs| {
            run_told(py, threads, usize::MAX, progress.as_ref(), |control| {
                let shingler = search.shingler()?;
                let second = Second {
                    search: &search,
                    shingler: &shingler,
                    digests: &self.store.digests,
                    shingles: &self.store.shingles,
                    memory: search.memory,
                };
                let mut record = spill::Kept { work: &work, failed: &failed };
                let class = of_interest(classes(&self.store.digests), proposed.documents(), old_from);
                let mut found = confirm(&second, inputs, &proposed.pairs, class, &mut record, control)?;
                if !proposed.hot.is_empty() {
                    add_hot(&second, inputs, &proposed.hot, order.as_deref(), &mut found, control)?;
                }
                found.set_empty_apart(&shingler, &self.store.digests, &self.store.shingles);
                found.forget_old_copies(old_from);
                Ok(found)
            })
        });
        if let Some(error) = lock(&failed).take() {
            return Err(error);
        }
        found_dict(py, &found?)
    }
}

/// Verified pairs of the documents that an intake has taken from these inputs; documents from `old_from` on are old.
#[pyfunction]
#[pyo3(signature = (intake, strategy, inputs, *, old_from, order, threads, progress=None))]
#[allow(clippy::too_many_arguments)] // by name only
pub fn search<'py>(
    py: Python<'py>,
    intake: &Intake,
    strategy: &Strategy,
    inputs: Vec<PyRef<'py, Input>>,
    old_from: usize,
    order: Option<&[u8]>,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let kept = lock(&intake.kept).take().ok_or_else(used_up)?;
    let counts = lock(&intake.counts).clone();
    let order = order.map(from_bytes);
    check_order(order.as_deref(), counts.iter().map(|&n| n as usize).sum())?;
    let found = with_inputs(&inputs, &counts, |inputs| {
        let mut search = strategy.search(old_from);
        if matches!(kept, Kept::Sets(_)) && search.method != Method::Brute {
            search.method = Method::Exact;
        }
        run_told(py, threads, usize::MAX, progress.as_ref(), |control| {
            find(kept, inputs, &search, order.as_deref(), control)
        })
    })?;
    found_dict(py, &found)
}

pub fn check_order(order: Option<&[u32]>, documents: usize) -> PyResult<()> {
    let Some(order) = order else { return Ok(()) };
    let mut seen = vec![false; documents];
    let once = order.iter().all(|&d| seen.get_mut(d as usize).is_some_and(|seen| !std::mem::replace(seen, true)));
    if once && order.len() == documents {
        return Ok(());
    }
    Err(PyValueError::new_err("the order must name every document once"))
}

/// Run `work` with the texts of all inputs at its call; an exception from Python comes through as it is.
fn with_inputs<T>(
    inputs: &[PyRef<'_, Input>],
    counts: &[u32],
    work: impl FnOnce(&Inputs<'_>) -> PyResult<T>,
) -> PyResult<T> {
    let Some(first) = inputs.first() else { return work(&Inputs::new(inputs, Vec::new(), counts)) };
    let py = first.py();
    let held: Vec<Texts<'_>> =
        inputs.iter().filter_map(|input| input.list(py)).map(|list| Texts::new(&list)).collect::<PyResult<_>>()?;
    let read: Vec<_> = held.iter().map(Texts::read).collect::<PyResult<_>>()?;
    let lists = read.iter().map(|texts| texts.iter().map(|t| &**t).collect()).collect();
    let inputs = Inputs::new(inputs, lists, counts);
    let done = work(&inputs);
    inputs.take_failure().map_or(done, Err)
}

/// What was found as columns of little-endian bytes.
fn found_dict<'py>(py: Python<'py>, found: &Found) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("class", bytes(py, &found.class, u32::to_le_bytes))?;
    scores(py, &found.pairs, &out)?;
    out.set_item("candidates", found.candidates)?;
    out.set_item("empty", bytes(py, &found.empty, u32::to_le_bytes))?;
    out.set_item("hot", found.hot)?;
    out.set_item("in_part", found.in_part)?;
    out.set_item("short", found.short.count)?;
    let short = PyDict::new(py);
    scores(py, &found.short.closest().into_iter().map(|(_, pair)| pair).collect::<Vec<_>>(), &short)?;
    out.set_item("short_pairs", short)?;
    let seconds = PyDict::new(py);
    for (stage, time) in &found.seconds {
        let before: f64 = seconds.get_item(stage)?.map_or(Ok(0.0), |before| before.extract())?;
        seconds.set_item(stage, before + time)?;
    }
    out.set_item("seconds", seconds)?;
    Ok(out)
}

/// How many pairs buckets may propose, and how many pairs may be listed, before clusters of this many documents are hot;
/// `max_pairs` raises both.
#[pyfunction]
#[pyo3(signature = (documents, max_pairs=0))]
pub fn limits(documents: usize, max_pairs: u64) -> (u64, u64) {
    let limits = Limits::of(documents).raised(max_pairs);
    (limits.proposals, limits.pairs)
}

/// Counts the shingles of a collection, in two passes.
#[pyclass(frozen, module = "lookalike._native")]
pub struct Common(Mutex<Option<common::Common>>);

#[pymethods]
impl Common {
    /// Begin the first pass.
    #[new]
    fn new(py: Python<'_>, settings: &Settings, drops_excluded: bool) -> PyResult<Self> {
        let shingler =
            Shingler::new(&settings.recipe).map_err(|error| to_python(py, &error))?.dropping_excluded(drops_excluded);
        Ok(Common(Mutex::new(Some(common::Common::new(shingler)))))
    }

    /// Read an input; gives the number of its documents.
    #[pyo3(signature = (given, threads, progress=None))]
    fn add(&self, py: Python<'_>, given: &Input, threads: usize, progress: Option<Py<PyAny>>) -> PyResult<usize> {
        let core = lock(&self.0).take().ok_or_else(used_up)?;
        let documents = AtomicUsize::new(0);
        let take = |_: u64, texts: &[&str], scratch: &mut _, control: &_| {
            documents.fetch_add(texts.len(), Ordering::Relaxed);
            core.add(texts, scratch, control)
        };
        let outcome = given.read(py, threads, progress.as_ref(), &take, &|_| ());
        *lock(&self.0) = Some(core);
        outcome.map(|()| documents.into_inner())
    }

    /// Begin the second pass: count what may be in at least this many documents.
    fn count_exactly(&self, least: u32) -> PyResult<()> {
        lock(&self.0).as_mut().ok_or_else(used_up)?.count_exactly(least);
        Ok(())
    }

    /// The shingles that enough documents have, sorted.
    fn found(&self, py: Python<'_>) -> PyResult<Vec<u64>> {
        let core = lock(&self.0).take().ok_or_else(used_up)?;
        come_out(py, Ok(Ok(core.found())))
    }
}
