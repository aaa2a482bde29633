//! Tables in files, for tests and for the search of a whole file.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use lookalike_core::control::Control;
use lookalike_files::{self as files, Chunk, Compression, Ids, Limits, SkipReason, Table, Wanted};
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::run::run_told;

pyo3::create_exception!(lookalike._native, TableError, PyException, "A table that the native reader cannot read.");

/// A Parquet or JSON Lines file.
#[pyclass(frozen, module = "lookalike._native")]
pub struct TableFile {
    table: Arc<dyn Table>,
    bytes: usize,
}

impl TableFile {
    /// The table itself, for the rest of this crate.
    pub fn table(&self) -> &Arc<dyn Table> {
        &self.table
    }

    /// Run `work` with Ctrl-C honoured; its error is one of the table.
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&(dyn Fn() -> bool + Sync)) -> files::Result<T> + Send,
    ) -> PyResult<T> {
        let run = |control: &Control| {
            let stop = || control.check().is_err();
            match work(&stop) {
                Err(files::Error::Interrupted) => Err(lookalike_core::Error::Interrupted),
                result => Ok(result),
            }
        };
        run_told(py, 1, self.bytes, None, run)?.map_err(|error| to_python(py, &error))
    }
}

/// The exception for an error; `kind`, `line` and, for a file that cannot be opened, `errno` say more.
pub fn to_python(py: Python<'_>, error: &files::Error) -> PyErr {
    let made = TableError::new_err(error.to_string());
    let errno = match error {
        files::Error::Io(error) => error.raw_os_error(),
        _ => None,
    };
    let value = made.value(py);
    let set = value.setattr("kind", error.kind()).and_then(|()| value.setattr("line", error.line()));
    match set.and_then(|()| value.setattr("errno", errno)) {
        Ok(()) => made,
        Err(other) => other,
    }
}

/// An id in Python: a number or a text.
#[derive(IntoPyObject)]
pub enum OwnId {
    Number(i64),
    Text(String),
}

/// More about why a row was skipped.
#[derive(IntoPyObject)]
pub enum About {
    /// Where in its line something is wrong.
    Place(u64),
    /// What its text is, if it is no text.
    Kind(&'static str),
}

/// Why a row was skipped: its name, and more about it.
pub fn why(reason: SkipReason) -> (&'static str, Option<About>) {
    match reason {
        SkipReason::NullText => ("null text", None),
        SkipReason::NotUtf8 => ("not text", None),
        SkipReason::TooLarge => ("too large", None),
        SkipReason::OtherText(kind) => ("other text", Some(About::Kind(kind))),
        SkipReason::Line(bad) => (bad.fault.name(), Some(About::Place(bad.place))),
    }
}

/// (row, reason, more about it, its own id)
type OwnSkip = (u32, &'static str, Option<About>, Option<OwnId>);

/// (number, rows, places, texts, ids, skipped)
type OwnChunk = (u64, u32, Vec<u32>, Vec<String>, Option<Vec<OwnId>>, Vec<OwnSkip>);

fn own(chunk: &Chunk<'_>) -> OwnChunk {
    let ids = match chunk.ids {
        Ids::None => None,
        Ids::Numbers(numbers) => Some(numbers.iter().map(|&number| OwnId::Number(number)).collect()),
        Ids::Texts(texts) => Some(texts.iter().map(|&text| OwnId::Text(text.to_owned())).collect()),
    };
    let skipped = chunk.skipped.iter().map(|skip| {
        let (reason, about) = why(skip.reason);
        (skip.row, reason, about, skip.id.map(OwnId::from))
    });
    let texts = chunk.texts.iter().map(|&text| text.to_owned()).collect();
    (chunk.number, chunk.rows, chunk.places.to_vec(), texts, ids, skipped.collect())
}

/// The bad ones among some whole lines of JSON Lines: (line, what is wrong, where).
#[pyfunction]
pub fn bad_lines(py: Python<'_>, lines: PyBackedBytes) -> Vec<(u32, &'static str, u64)> {
    let found = py.detach(|| files::bad_lines(&lines));
    found.into_iter().map(|(line, bad)| (line, bad.fault.name(), bad.place)).collect()
}

#[pymethods]
impl TableFile {
    /// Open a file. `limits` are those of `Limits`, in its order; without them there are none.
    #[staticmethod]
    #[pyo3(signature = (path, form, compression=None, limits=None))]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        form: &str,
        compression: Option<&str>,
        limits: Option<(usize, u64, u64, usize)>,
    ) -> PyResult<Self> {
        let limits = limits.map_or(Limits::NONE, |(document, expansion, harmless, columns)| Limits {
            document,
            expansion,
            harmless,
            columns,
        });
        let bytes = std::fs::metadata(&path).map_or(0, |info| usize::try_from(info.len()).unwrap_or(usize::MAX));
        let table = match (form, compression) {
            ("parquet", None) => py.detach(|| files::open_parquet(&path, limits)),
            ("jsonl", None) => files::open_json_lines(&path, Compression::None, limits),
            ("jsonl", Some("gz")) => files::open_json_lines(&path, Compression::Gzip, limits),
            ("jsonl", Some("zst")) => files::open_json_lines(&path, Compression::Zstd, limits),
            _ => return Err(PyValueError::new_err(format!("no table is {form:?} with compression {compression:?}"))),
        };
        Ok(TableFile { table: table.map_err(|error| to_python(py, &error))?, bytes })
    }

    /// Names and kinds of the columns.
    fn columns(&self, py: Python<'_>) -> PyResult<Vec<(String, &'static str)>> {
        let columns = self.run(py, |_| self.table.columns())?;
        Ok(columns.into_iter().map(|column| (column.name, column.kind.name())).collect())
    }

    /// The number of rows if it is known.
    fn rows(&self) -> Option<u64> {
        self.table.rows()
    }

    /// All chunks, in the order of the file.
    #[pyo3(signature = (text, own_id, threads))]
    fn read(&self, py: Python<'_>, text: String, own_id: Option<String>, threads: usize) -> PyResult<Vec<OwnChunk>> {
        let wanted = Wanted { text, id: own_id };
        let chunks = Mutex::new(Vec::new());
        self.run(py, |stop| {
            let take = |chunk: &Chunk<'_>| {
                let chunk = own(chunk);
                chunks.lock().unwrap_or_else(PoisonError::into_inner).push(chunk);
            };
            self.table.read(&wanted, threads, stop, &take)
        })?;
        let mut chunks = chunks.into_inner().unwrap_or_else(PoisonError::into_inner);
        chunks.sort_unstable_by_key(|chunk| chunk.0);
        Ok(chunks)
    }

    /// Some documents again: (chunk, index, text), in the order of the file.
    fn fetch(
        &self,
        py: Python<'_>,
        text: String,
        own_id: Option<String>,
        wanted: Vec<(u64, Vec<u32>)>,
        threads: usize,
    ) -> PyResult<Vec<(u64, u32, String)>> {
        let columns = Wanted { text, id: own_id };
        let found = Mutex::new(Vec::new());
        self.run(py, |stop| {
            let take = |chunk: u64, index: u32, text: &str| {
                let text = text.to_owned();
                found.lock().unwrap_or_else(PoisonError::into_inner).push((chunk, index, text));
            };
            self.table.fetch(&columns, &wanted, threads, stop, &take)
        })?;
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort_unstable();
        Ok(found)
    }
}
