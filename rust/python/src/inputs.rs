//! Where the texts of a search come from: a list in Python, a table that is read natively, or any object in Python that
//! reads batches. Each is read once from the first to the last text, and then some of them are requested again.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lookalike_core::control::Control;
use lookalike_core::shingle::Scratch;
use lookalike_core::{Error, Result};
use lookalike_files::{self as files, Chunk, Table, Wanted};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::run::{come_out, run_told};
use crate::tables::{self, TableFile};
use crate::text::{Packed, Texts};

/// What is done with each batch of texts: (batch, texts).
pub type Batches<'a> = dyn Fn(u64, &[&str], &mut Scratch, &Control) -> Result<()> + Sync + 'a;

/// Texts that are handed over at once.
pub const FEW: usize = 64;
/// Bytes of a batch from Python that one thread takes at a time.
const JOB: usize = 1 << 20;
/// Bytes of batches from Python that wait or are worked on; beyond that no more is read.
const WAITING: usize = 32 << 20;
/// Bytes of buffers that are kept for the next text.
const MOST_KEPT: usize = 16 << 20;

/// Documents to be searched.
#[pyclass(frozen, module = "lookalike._native")]
pub struct Input {
    pub kind: Kind,
}

pub enum Kind {
    List(Py<PyList>),
    Table { table: Arc<dyn Table>, wanted: Wanted, chunks: Mutex<Vec<ChunkRead>> },
    Source(Py<PyAny>),
}

/// What is remembered of a chunk.
pub struct ChunkRead {
    pub number: u64,
    pub documents: u32,
}

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[pymethods]
impl Input {
    /// A list of str, or of packed UTF-8.
    #[staticmethod]
    fn of_texts(texts: Bound<'_, PyList>) -> Self {
        Input { kind: Kind::List(texts.unbind()) }
    }

    /// The documents of a table.
    #[staticmethod]
    #[pyo3(signature = (table, text, own_id=None))]
    fn of_table(table: &TableFile, text: String, own_id: Option<String>) -> Self {
        let (table, wanted) = (Arc::clone(table.table()), Wanted { text, id: own_id });
        Input { kind: Kind::Table { table, wanted, chunks: Mutex::default() } }
    }

    /// An object with `batches()`, which gives packed UTF-8, and `fetch(numbers)`, which takes 32-bit numbers as bytes
    /// and gives some of them with their texts, packed.
    #[staticmethod]
    fn of_source(source: Py<PyAny>) -> Self {
        Input { kind: Kind::Source(source) }
    }

    /// How many bytes of text a table has, as its file says before it is read; None where that is not known.
    fn text_bytes(&self) -> Option<u64> {
        if let Kind::Table { table, wanted, .. } = &self.kind { table.text_bytes(&wanted.text) } else { None }
    }
}

impl Input {
    /// Pass all texts to `take`, and what a table says about its rows to `seen`.
    pub fn read(
        &self,
        py: Python<'_>,
        threads: usize,
        progress: Option<&Py<PyAny>>,
        take: &Batches<'_>,
        seen: &(dyn Fn(&Chunk<'_>) + Sync),
    ) -> PyResult<()> {
        match &self.kind {
            Kind::List(list) => read_list(list.bind(py), threads, progress, take),
            Kind::Table { table, wanted, chunks } => {
                let seen = |chunk: &Chunk<'_>| {
                    seen(chunk);
                    let read = ChunkRead { number: chunk.number, documents: chunk.texts.len() as u32 };
                    lock(chunks).push(read);
                };
                lock(chunks).clear();
                read_table(py, &**table, wanted, threads, progress, take, &seen)?;
                lock(chunks).sort_unstable_by_key(|chunk| chunk.number);
                Ok(())
            }
            Kind::Source(source) => read_source(source.bind(py), threads, take),
        }
    }
}

fn read_list(
    list: &Bound<'_, PyList>,
    threads: usize,
    progress: Option<&Py<PyAny>>,
    take: &Batches<'_>,
) -> PyResult<()> {
    let held = Texts::new(list)?;
    let read = held.read()?;
    let texts: Vec<&str> = read.iter().map(|t| &**t).collect();
    let size = texts.iter().map(|t| t.len()).sum();
    run_told(list.py(), threads, size, progress, |control| {
        control.begin("reading");
        let done = control.parts(texts.len(), FEW, Scratch::default, |scratch, part| {
            let count = part.len();
            take((part.start / FEW) as u64, &texts[part], scratch, control)?;
            control.count(count);
            Ok(())
        });
        done.map(|_| ())
    })
}

/// Buffers that threads borrow for a while.
#[derive(Default)]
pub struct Pool(Mutex<Vec<Scratch>>);

impl Pool {
    pub fn with<T>(&self, work: impl FnOnce(&mut Scratch) -> T) -> T {
        let mut scratch = lock(&self.0).pop().unwrap_or_default();
        let done = work(&mut scratch);
        // After one very long text they would stay as large as it.
        if scratch.bytes() <= MOST_KEPT {
            lock(&self.0).push(scratch);
        }
        done
    }
}

fn read_table(
    py: Python<'_>,
    table: &dyn Table,
    wanted: &Wanted,
    threads: usize,
    progress: Option<&Py<PyAny>>,
    take: &Batches<'_>,
    seen: &(dyn Fn(&Chunk<'_>) + Sync),
) -> PyResult<()> {
    let outcome = run_told(py, threads, usize::MAX, progress, |control| {
        control.begin("reading"); // rows; the caller knows of how many, and those of other inputs
        let (pool, failed) = (Pool::default(), Mutex::new(None));
        let each = |chunk: &Chunk<'_>| {
            seen(chunk);
            let done = pool.with(|scratch| take(chunk.number, chunk.texts, scratch, control));
            control.count(chunk.rows as usize);
            if let Err(error) = done {
                lock(&failed).get_or_insert(error);
                control.stop();
            }
        };
        let read = table.read(wanted, control.threads(), &|| control.is_stopped(), &each);
        match (lock(&failed).take(), read) {
            (Some(error), _) => Err(error),
            (None, Err(files::Error::Interrupted)) => Err(Error::Interrupted),
            (None, read) => Ok(read),
        }
    })?;
    outcome.map_err(|error| tables::to_python(py, &error))
}

/// Some texts of a batch from Python.
struct Job {
    number: u64,
    packed: Arc<Alive>,
    from: usize,
    count: usize,
}

/// A batch from Python, counted while it is held.
struct Alive {
    packed: Packed,
    size: usize,
    total: Arc<AtomicUsize>,
}

impl Alive {
    fn new(packed: Packed, total: &Arc<AtomicUsize>) -> PyResult<Self> {
        let size = packed.bytes()?;
        total.fetch_add(size, Ordering::Relaxed);
        Ok(Alive { packed, size, total: Arc::clone(total) })
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.total.fetch_sub(self.size, Ordering::Relaxed);
    }
}

/// The caller's thread reads, because documents may come from anywhere and not everything may be used on another thread
/// than its maker's; the others sign. Where it reads faster than they sign, it signs as well.
fn read_source(source: &Bound<'_, PyAny>, threads: usize, take: &Batches<'_>) -> PyResult<()> {
    let py = source.py();
    let control = Control::new(threads);
    let helpers = control.threads() - 1;
    let (send, receive) = sync_channel::<Job>(2 * helpers.max(1));
    let (send, receive) = (Mutex::new(Some(send)), Mutex::new(receive));
    let (pool, failed) = (Pool::default(), Mutex::new(None));
    let work = |job: Job| {
        let done = pool.with(|scratch| {
            job.packed.packed.read_some(job.from, job.count, |texts| take(job.number, texts, scratch, &control))
        });
        if let Err(error) = done {
            lock(&failed).get_or_insert(error);
            control.stop();
        }
    };
    // Never waits for the lock: its holder may be waiting for a job.
    let help = || {
        let waiting = receive.try_lock().ok().and_then(|receive| receive.try_recv().ok());
        waiting.map_or_else(std::thread::yield_now, work);
    };
    let hand_over = |mut job: Job| {
        if helpers == 0 {
            return work(job);
        }
        let send = lock(&send);
        let Some(send) = send.as_ref() else { return };
        while let Err(full) = send.try_send(job) {
            let (TrySendError::Full(back) | TrySendError::Disconnected(back)) = full;
            job = back;
            help();
        }
    };
    let read = std::thread::scope(|scope| {
        let until_done = || {
            while let Ok(job) = next_job(&receive) {
                work(job);
            }
        };
        let others: Vec<_> = (0..helpers).map(|_| scope.spawn(until_done)).collect();
        let alive = Arc::new(AtomicUsize::new(0));
        let room = || {
            while alive.load(Ordering::Relaxed) > WAITING && !control.is_stopped() {
                help();
            }
        };
        let take = |job| {
            py.detach(|| hand_over(job));
            !control.is_stopped()
        };
        let read = each_job(source, &alive, take, || py.detach(room));
        if read.is_err() {
            control.stop();
        }
        // Without the GIL, which the others need to let go of a batch.
        py.detach(|| {
            drop(lock(&send).take());
            until_done();
            others.into_iter().for_each(|other| {
                other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            });
        });
        read
    });
    read?;
    come_out(py, Ok(lock(&failed).take().map_or(Ok(()), Err)))
}

/// Cut the batches of a source into jobs, until `take` wants no more; `room` waits before the next is read.
fn each_job(
    source: &Bound<'_, PyAny>,
    alive: &Arc<AtomicUsize>,
    take: impl Fn(Job) -> bool,
    room: impl Fn(),
) -> PyResult<()> {
    let mut number = 0;
    for item in source.call_method0("batches")?.try_iter()? {
        let packed = Arc::new(Alive::new(item?.extract()?, alive)?);
        source.py().check_signals()?;
        for (from, count) in packed.packed.shares(JOB)? {
            if !take(Job { number, packed: Arc::clone(&packed), from, count }) {
                return Ok(());
            }
            number += 1;
        }
        drop(packed);
        room();
    }
    Ok(())
}

fn next_job(receive: &Mutex<Receiver<Job>>) -> std::result::Result<Job, std::sync::mpsc::RecvError> {
    lock(receive).recv()
}
