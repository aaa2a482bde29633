//! Threads that share work: those with a job produce batches, idle ones consume them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::{Error, Result, Stop};

/// Whether to continue: until the caller stops, or up to the first failure.
pub(crate) struct Watch<'a> {
    stop: Stop<'a>,
    stopped: AtomicBool,
    /// The smallest number of a chunk that failed. Earlier chunks are still processed, so that the first error is found.
    failed: AtomicU64,
    error: Mutex<Option<(u64, Error)>>,
}

impl<'a> Watch<'a> {
    pub fn new(stop: Stop<'a>) -> Self {
        Watch { stop, stopped: AtomicBool::new(false), failed: AtomicU64::new(u64::MAX), error: Mutex::new(None) }
    }

    /// Whether chunk `number` is still needed.
    pub fn wants(&self, number: u64) -> bool {
        if self.stopped.load(Ordering::Relaxed) || (self.stop)() {
            self.stopped.store(true, Ordering::Relaxed);
            return false;
        }
        number < self.failed.load(Ordering::Relaxed)
    }

    /// Record the outcome of chunk `number`.
    pub fn note(&self, number: u64, result: Result<()>) {
        let Err(error) = result else { return };
        self.failed.fetch_min(number, Ordering::Relaxed);
        let mut first = held(&self.error);
        if first.as_ref().is_none_or(|&(known, _)| number < known) {
            *first = Some((number, error));
        }
    }

    /// The outcome of the whole.
    pub fn finish(self) -> Result<()> {
        if self.stopped.into_inner() {
            return Err(Error::Interrupted);
        }
        let error = self.error.into_inner().unwrap_or_else(PoisonError::into_inner);
        error.map_or(Ok(()), |(_, error)| Err(error))
    }
}

/// A lock that outlives a panic: nothing here is half changed while it is held.
fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reusable values, because memory is slow when it is touched for the first time.
pub(crate) struct Pool<T>(Mutex<Vec<T>>);

impl<T: Default> Pool<T> {
    pub fn new() -> Self {
        Pool(Mutex::new(Vec::new()))
    }

    /// A returned one, or a new one.
    pub fn get(&self) -> T {
        held(&self.0).pop().unwrap_or_default()
    }

    /// Return one.
    pub fn put(&self, item: T) {
        held(&self.0).push(item);
    }

    /// Forget those that were returned.
    pub fn clear(&self) {
        held(&self.0).clear();
    }
}

/// Batches between threads.
struct Queue<T> {
    state: Mutex<State<T>>,
    wake: Condvar,
}

struct State<T> {
    ready: VecDeque<T>,
    /// Threads that may still produce batches.
    makers: usize,
    /// Threads that only consume them.
    takers: usize,
}

/// Batches in the queue per consumer: one in progress and one waiting keep each of them busy.
const WAITING: usize = 2;

impl<T> Queue<T> {
    /// Leave a batch for another thread; it is returned if the queue is full.
    fn offer(&self, batch: T) -> Option<T> {
        let mut state = held(&self.state);
        if state.ready.len() >= WAITING * state.takers {
            return Some(batch);
        }
        state.ready.push_back(batch);
        drop(state);
        self.wake.notify_one();
        None
    }

    /// Wait for a batch; None when no more will come.
    fn next(&self) -> Option<T> {
        let mut state = held(&self.state);
        loop {
            if let Some(batch) = state.ready.pop_front() {
                return Some(batch);
            }
            if state.makers == 0 {
                return None;
            }
            state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A thread that may make batches. Dropped, also by a panic, it is one that takes them.
struct Maker<'a, T>(&'a Queue<T>);

impl<T> Drop for Maker<'_, T> {
    fn drop(&mut self) {
        let mut state = held(&self.0.state);
        state.makers -= 1;
        state.takers += 1;
        if state.makers == 0 {
            self.0.wake.notify_all();
        }
    }
}

/// Do jobs on some threads. `make` gets a job and a function to hand its batches to; a thread that finds no more jobs
/// calls `take` on the batches of the others, and so does a maker when nobody has room for its batch.
pub(crate) fn share<J: Send, T: Send>(
    threads: usize,
    jobs: impl Iterator<Item = J> + Send,
    make: impl Fn(J, &mut dyn FnMut(T)) + Sync,
    take: impl Fn(T) + Sync,
) {
    let threads = threads.max(1);
    let queue =
        Queue { state: Mutex::new(State { ready: VecDeque::new(), makers: threads, takers: 0 }), wake: Condvar::new() };
    let jobs = Mutex::new(jobs);
    let run = || {
        let maker = Maker(&queue);
        loop {
            let job = held(&jobs).next();
            let Some(job) = job else { break };
            make(job, &mut |batch| {
                if let Some(batch) = queue.offer(batch) {
                    take(batch);
                }
            });
        }
        drop(maker);
        while let Some(batch) = queue.next() {
            take(batch);
        }
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        run();
        for other in others {
            if let Err(panic) = other.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn every_batch_is_taken_once() {
        for threads in [1, 2, 5] {
            let sum = AtomicUsize::new(0);
            let make = |job: usize, give: &mut dyn FnMut(usize)| (0..100).for_each(|i| give(job * 100 + i));
            share(threads, 0..3, make, |n| {
                sum.fetch_add(n, Ordering::Relaxed);
            });
            assert_eq!(sum.into_inner(), (0..300).sum::<usize>());
        }
    }

    #[test]
    fn a_panic_of_one_thread_ends_all() {
        let run = || share(3, 0..1, |_, give: &mut dyn FnMut(u8)| (0..9).for_each(give), |_| panic!("meant"));
        assert!(std::panic::catch_unwind(run).is_err());
    }

    #[test]
    fn the_first_of_several_errors_is_kept() {
        let watch = Watch::new(&|| false);
        watch.note(7, Err(Error::MissingId { row: 7 }));
        watch.note(3, Err(Error::MissingId { row: 3 }));
        watch.note(5, Err(Error::MissingId { row: 5 }));
        assert!(watch.wants(2) && !watch.wants(3));
        assert!(matches!(watch.finish(), Err(Error::MissingId { row: 3 })));
    }
}
