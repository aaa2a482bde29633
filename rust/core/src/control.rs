//! How a call runs: the only file with threads.
//!
//! Threads are made for a call and joined at its end, so nothing survives that could break a `fork`, and the order of
//! results never depends on which thread was first.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use crate::error::{Error, Result};

/// How a call runs: how many threads, whether it was asked to stop, and how far it is.
#[derive(Debug)]
pub struct Control {
    threads: usize,
    stop: Arc<AtomicBool>,
    steps: Arc<Steps>,
}

/// How far a call is. Held by the stage, so that nobody sees a stage with the count of another.
#[derive(Debug, Default)]
struct Steps {
    stage: Mutex<&'static str>,
    done: AtomicUsize,
    total: AtomicUsize,
}

/// How many threads can run at once. Determined once: the answer is read from system files, which takes longer than
/// the work of a small call.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

impl Control {
    /// With at most `threads` threads; 0 means one per core.
    pub fn new(threads: usize) -> Self {
        Control { threads: if threads == 0 { cores() } else { threads }, stop: Arc::default(), steps: Arc::default() }
    }

    /// The same call on one thread, for work that is itself one of many parts: it stops when this one is stopped, and what
    /// it counts is counted here.
    pub fn alone(&self) -> Self {
        Control { threads: 1, stop: Arc::clone(&self.stop), steps: Arc::clone(&self.steps) }
    }

    /// How many threads it may use.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Name what the call is doing now; in how many steps is not known, or not yet.
    pub fn begin(&self, stage: &'static str) {
        self.begin_counting(stage, 0);
    }

    /// Name what the call is doing now, and in how many steps. Whoever does a step counts it: parts of a stage may be
    /// split further, and only the stage knows what its steps are.
    pub fn begin_counting(&self, stage: &'static str, total: usize) {
        let mut named = self.steps.stage.lock().expect("held briefly");
        *named = stage;
        self.steps.done.store(0, Ordering::Relaxed);
        self.steps.total.store(total, Ordering::Relaxed);
    }

    /// This many more steps are done.
    pub fn count(&self, steps: usize) {
        self.steps.done.fetch_add(steps, Ordering::Relaxed);
    }

    /// What the call is doing, how many steps are done, and of how many; of 0 when that is not known.
    pub fn progress(&self) -> (&'static str, usize, usize) {
        let stage = self.steps.stage.lock().expect("held briefly");
        let (done, total) = (self.steps.done.load(Ordering::Relaxed), self.steps.total.load(Ordering::Relaxed));
        (*stage, if total == 0 { done } else { done.min(total) }, total)
    }

    /// Ask the call to end soon.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether the call was asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// An error if the call was asked to stop.
    #[inline]
    pub fn check(&self) -> Result<()> {
        if self.is_stopped() { Err(Error::Interrupted) } else { Ok(()) }
    }

    /// Take jobs from a queue until it is empty.
    pub(crate) fn each<S, J: Send>(
        &self,
        jobs: impl ExactSizeIterator<Item = J> + Send,
        state: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, J) -> Result<()> + Sync,
    ) -> Result<()> {
        let threads = self.threads.min(jobs.len());
        let queue = Mutex::new(jobs);
        let run = || {
            let mut state = state();
            loop {
                self.check()?;
                let job = queue.lock().expect("no thread panics while it holds this").next();
                match job {
                    Some(job) => work(&mut state, job)?,
                    None => return Ok(()),
                }
            }
        };
        if threads <= 1 {
            return run();
        }
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
            let mut result = run();
            for other in others {
                match other.join() {
                    Ok(theirs) => result = result.and(theirs),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            result
        })
    }

    /// Split `0..items` into parts of `size`, work on them in any order, and give the results in the order of the parts.
    pub fn parts<S, T: Send>(
        &self,
        items: usize,
        size: usize,
        state: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, Range<usize>) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let mut out: Vec<Option<T>> = (0..items.div_ceil(size)).map(|_| None).collect();
        self.each(out.iter_mut().enumerate(), state, |state, (part, slot)| {
            *slot = Some(work(state, part * size..items.min((part + 1) * size))?);
            Ok(())
        })?;
        Ok(out.into_iter().flatten().collect())
    }

    /// Split `out` into parts of `size` entries and fill each; `work` is given the number of its first entry.
    pub fn fill_parts<V: Send>(
        &self,
        out: &mut [V],
        size: usize,
        work: impl Fn(usize, &mut [V]) -> Result<()> + Sync,
    ) -> Result<()> {
        self.each(out.chunks_mut(size).enumerate(), || (), |(), (part, entries)| work(part * size, entries))
    }

    /// Like [`Control::parts`], writing into `out`, of which each item owns `width` entries.
    pub fn fill<S, V: Send>(
        &self,
        out: &mut [V],
        width: usize,
        state: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, usize, &mut [V]) -> Result<()> + Sync,
    ) -> Result<()> {
        self.each(out.chunks_mut(width * PART).enumerate(), state, |state, (part, rows)| {
            for (i, row) in rows.chunks_mut(width).enumerate() {
                self.check()?;
                work(state, part * PART + i, row)?;
            }
            Ok(())
        })
    }
}

/// Documents in one part of a batch: enough to make the hand-over free, few enough to balance and to stop quickly.
pub(crate) const PART: usize = 64;
