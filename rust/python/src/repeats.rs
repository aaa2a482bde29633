//! Repeats of a collection: its units in memory or in files of a folder, and its texts as Python hands them over.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use lookalike_core::control::Control;
use lookalike_core::parts::Part;
use lookalike_core::repeats::{self as core, CutText, Numbers, Room, Sought};
use lookalike_core::{Error, Result};
use lookalike_files::read_at;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::inputs::lock;
use crate::run::{run, run_told};
use crate::settings::Settings;
use crate::signatures::bytes;
use crate::stages::with_texts;
use crate::text::CodePoints;

type Bytes<'py> = Bound<'py, PyBytes>;
/// Offsets and data of the texts that are left; of each cut the text, the first code point, the one after the last, the
/// words, and the document that keeps it.
type Left<'py> = (Bytes<'py>, Bytes<'py>, (Bytes<'py>, Bytes<'py>, Bytes<'py>, Bytes<'py>, Bytes<'py>));

/// Numbers that are written at once: 1 MiB.
const FLUSH: usize = 1 << 17;

/// Numbers in memory, or in a file once they are too many.
struct Kept {
    folder: PathBuf,
    /// Numbers that may stay in memory.
    most: usize,
    /// Those that are not in the file.
    held: Vec<u64>,
    file: Option<File>,
    written: u64,
}

fn outside(error: &io::Error) -> Error {
    Error::Outside(format!("the temporary folder cannot be used: {error}; TMPDIR names another"))
}

impl Kept {
    fn new(folder: &Path, memory: usize) -> Self {
        Kept { folder: folder.to_path_buf(), most: memory / 8, held: Vec::new(), file: None, written: 0 }
    }

    fn flush(&mut self) -> io::Result<()> {
        static FILES: AtomicUsize = AtomicUsize::new(0);
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                let name = format!("{}.numbers", FILES.fetch_add(1, Ordering::Relaxed));
                none.insert(File::options().read(true).write(true).create_new(true).open(self.folder.join(name))?)
            }
        };
        let mut data = Vec::with_capacity(8 * FLUSH);
        for numbers in self.held.chunks(FLUSH) {
            data.clear();
            numbers.iter().for_each(|number| data.extend(number.to_le_bytes()));
            file.write_all(&data)?;
        }
        self.written += self.held.len() as u64;
        self.held = Vec::new();
        Ok(())
    }
}

impl Numbers for Kept {
    fn append(&mut self, numbers: &[u64]) -> Result<()> {
        self.held.extend_from_slice(numbers);
        let most = if self.file.is_some() { FLUSH } else { self.most };
        if self.held.len() > most { self.flush().map_err(|error| outside(&error)) } else { Ok(()) }
    }

    fn len(&self) -> u64 {
        self.written + self.held.len() as u64
    }

    fn read(&self, from: u64, out: &mut [u64]) -> Result<()> {
        let in_file = (self.written.saturating_sub(from) as usize).min(out.len());
        let (early, late) = out.split_at_mut(in_file);
        if let (Some(file), false) = (&self.file, early.is_empty()) {
            let mut data = vec![0; 8 * early.len()];
            let read = read_at(file, 8 * from, &mut data).map_err(|error| outside(&error))?;
            if read < data.len() {
                return Err(outside(&io::ErrorKind::UnexpectedEof.into()));
            }
            early.iter_mut().zip(data.as_chunks().0).for_each(|(slot, &eight)| *slot = u64::from_le_bytes(eight));
        }
        let from = (from + in_file as u64 - self.written.min(from + in_file as u64)) as usize;
        late.copy_from_slice(&self.held[from..from + late.len()]);
        Ok(())
    }
}

/// A collection whose repeats are looked for: add all texts, find, then cut all texts.
#[pyclass(frozen, module = "lookalike._native")]
pub struct Repeats {
    inner: Mutex<core::Repeats>,
}

fn sought(by: &str, least: usize) -> PyResult<Sought> {
    let part = match by {
        "line" => Part::Line,
        "paragraph" => Part::Paragraph,
        "sentence" => Part::Sentence,
        "passage" => return Ok(Sought::Passages(least.max(1))),
        _ => return Err(PyValueError::new_err(format!("by: unknown value {by:?}"))),
    };
    Ok(Sought::Parts(part, least.max(1)))
}

#[pymethods]
impl Repeats {
    #[new]
    #[pyo3(signature = (settings, *, by, least, secret, memory, folder))]
    fn new(
        py: Python<'_>,
        settings: &Settings,
        by: &str,
        least: usize,
        secret: u64,
        memory: usize,
        folder: PathBuf,
    ) -> PyResult<Self> {
        let sought = sought(by, least)?;
        let room: Box<Room> = Box::new(move |memory| Box::new(Kept::new(&folder, memory)));
        let inner = run(py, 1, 0, |_| core::Repeats::new(&settings.recipe, sought, secret, memory, room))?;
        Ok(Repeats { inner: Mutex::new(inner) })
    }

    /// Take the next texts.
    fn add(&self, py: Python<'_>, texts: &Bound<'_, PyList>, threads: usize) -> PyResult<()> {
        with_texts(texts, |texts, size| run(py, threads, size, |control| lock(&self.inner).add(&texts, control)))
    }

    /// Find the repeats, when all texts were added.
    #[pyo3(signature = (progress=None))]
    fn find(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<()> {
        run_told(py, 1, usize::MAX, progress.as_ref(), |control| lock(&self.inner).find(control))
    }

    /// Cut the next texts, which are those that were added, in their order; or the place of one that has changed.
    fn cut<'py>(&self, py: Python<'py>, texts: &Bound<'py, PyList>, threads: usize) -> PyResult<Bound<'py, PyAny>> {
        with_texts(texts, |texts, size| {
            let done = run(py, threads, size, |control: &Control| lock(&self.inner).cut(&texts, control))?;
            match done {
                Ok(done) => Ok(left(py, &texts, &done).into_pyobject(py)?.into_any()),
                Err(place) => Ok(place.into_pyobject(py)?.into_any()),
            }
        })
    }

    /// Start cutting again, from the first text.
    fn rewind(&self) {
        lock(&self.inner).rewind();
    }
}

fn left<'py>(py: Python<'py>, texts: &[&str], done: &[CutText]) -> Left<'py> {
    let (mut offsets, mut data) = (vec![0i64], Vec::new());
    let (mut rows, mut firsts) = (Vec::new(), Vec::new());
    let (mut starts, mut ends, mut words) = (Vec::new(), Vec::new(), Vec::new());
    for (row, (text, cut)) in texts.iter().zip(done).enumerate() {
        data.extend_from_slice(cut.text.as_bytes());
        offsets.push(data.len() as i64);
        if cut.cuts.is_empty() {
            continue;
        }
        let points = CodePoints::new(text);
        for cut in &cut.cuts {
            rows.push(row as u32);
            starts.push(points.before(cut.start) as u64);
            ends.push(points.before(cut.end) as u64);
            words.push(cut.words);
            firsts.push(cut.first);
        }
    }
    let (short, long) = (u32::to_le_bytes, u64::to_le_bytes);
    let cuts = (
        bytes(py, &rows, short),
        bytes(py, &starts, long),
        bytes(py, &ends, long),
        bytes(py, &words, long),
        bytes(py, &firsts, short),
    );
    (bytes(py, &offsets, i64::to_le_bytes), PyBytes::new(py, &data), cuts)
}
