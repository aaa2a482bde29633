//! Many documents at once: the only file with threads.
//!
//! Threads are made for a call and joined at its end, so nothing survives to trouble a `fork`, and the order of results
//! never depends on which thread was first.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use crate::error::{Error, Result};
use crate::recipe::Recipe;
use crate::shingle::{Scratch, Shingler};
use crate::simd::{self, Kernel, Tools};
use crate::sketch::{INFINITY, Sketcher};

/// How a call runs: how many threads, whether it was asked to stop, and how far it is.
#[derive(Debug)]
pub struct Control {
    threads: usize,
    stop: AtomicBool,
    stage: Mutex<&'static str>,
    done: AtomicUsize,
    total: AtomicUsize,
}

/// How many threads can run at once. Asked once: the answer is read from files of the system, which takes longer than
/// the work of a small call.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

impl Control {
    /// With at most `threads` threads; 0 means one per core.
    pub fn new(threads: usize) -> Self {
        Control {
            threads: if threads == 0 { cores() } else { threads },
            stop: AtomicBool::new(false),
            stage: Mutex::new(""),
            done: AtomicUsize::new(0),
            total: AtomicUsize::new(0),
        }
    }

    /// Name what the call is doing now.
    pub fn begin(&self, stage: &'static str) {
        *self.stage.lock().expect("held briefly") = stage;
        self.total.store(0, Ordering::Relaxed);
    }

    /// What the call is doing, and how many parts of how many are done; 0 of 0 when that is not known.
    pub fn progress(&self) -> (&'static str, usize, usize) {
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        (*self.stage.lock().expect("held briefly"), done.min(total), total)
    }

    /// Ask the call to end soon.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// An error once the call was asked to stop.
    #[inline]
    pub fn check(&self) -> Result<()> {
        if self.stop.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
    }

    /// Take jobs from a queue until it is empty.
    fn each<S, J: Send>(
        &self,
        jobs: impl ExactSizeIterator<Item = J> + Send,
        state: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, J) -> Result<()> + Sync,
    ) -> Result<()> {
        let threads = self.threads.min(jobs.len());
        self.done.store(0, Ordering::Relaxed);
        self.total.store(jobs.len(), Ordering::Relaxed);
        let queue = Mutex::new(jobs);
        let run = || {
            let mut state = state();
            loop {
                self.check()?;
                let job = queue.lock().expect("no thread panics while it holds this").next();
                match job {
                    Some(job) => {
                        work(&mut state, job)?;
                        self.done.fetch_add(1, Ordering::Relaxed);
                    }
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

    /// Split `out` into parts of `size` entries and fill each; `work` is told the number of its first entry.
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
const PART: usize = 64;

/// Equal for documents with the same shingles in the same numbers: the sum of their hashes, and the sum of the products
/// of their halves. That equal digests mean equal shingles is confirmed on the shingles before anything is built on it.
pub type Digest = (u64, u64);

/// Signatures and digests of some consecutive documents.
#[derive(Debug, Default)]
pub struct Signed {
    /// `documents × hashes` slots, row by row.
    pub signatures: Vec<u32>,
    /// The digest of each document's shingles.
    pub digests: Vec<Digest>,
}

/// Sign many texts.
pub fn sign(texts: &[&str], shingler: &Shingler, recipe: &Recipe, control: &Control) -> Result<Signed> {
    let sketcher = Sketcher::new(recipe)?;
    let m = recipe.hashes;
    let mut signatures = untouched(texts.len() * m);
    let mut digests = vec![(0, 0); texts.len()];
    let jobs = signatures.chunks_mut(m * PART).zip(digests.chunks_mut(PART)).zip(texts.chunks(PART));
    control.each(jobs, Scratch::default, |scratch, ((rows, digests), texts)| {
        for ((slots, digest), text) in rows.chunks_mut(m).zip(digests).zip(texts) {
            control.check()?;
            slots.fill(INFINITY);
            *digest = sign_one(shingler, &sketcher, text, slots, scratch, control)?;
        }
        Ok(())
    })?;
    Ok(Signed { signatures, digests })
}

/// One text: its signature into `slots`, its digest back.
pub fn sign_one(
    shingler: &Shingler,
    sketcher: &Sketcher,
    text: &str,
    slots: &mut [u32],
    scratch: &mut Scratch,
    control: &Control,
) -> Result<Digest> {
    let mut sums = (0, 0);
    sketch(shingler, sketcher, text, slots, scratch, control, |block| add(&mut sums, block))?;
    if shingler.is_bag() {
        sums = digest(shingler, text, scratch);
    }
    Ok(sums)
}

/// One text: its signature into `slots`; `seen` is shown its shingles, unless they make a bag.
#[inline(always)]
fn sketch(
    shingler: &Shingler,
    sketcher: &Sketcher,
    text: &str,
    slots: &mut [u32],
    scratch: &mut Scratch,
    control: &Control,
    mut seen: impl FnMut(&[u64]),
) -> Result<()> {
    if shingler.is_bag() {
        sketcher.update(slots, &shingler.set(text, scratch, control)?);
        return Ok(());
    }
    shingler.each_block(text, scratch, |block| {
        seen(block);
        sketcher.update(slots, block);
    });
    Ok(())
}

/// Room for signatures, which each thread fills for itself: memory is slow when it is touched for the first time.
fn untouched(numbers: usize) -> Vec<u32> {
    vec![0; numbers]
}

/// Signatures of many texts, row by row, for who needs no digests.
pub fn signatures(texts: &[&str], shingler: &Shingler, recipe: &Recipe, control: &Control) -> Result<Vec<u32>> {
    let sketcher = Sketcher::new(recipe)?;
    let mut out = untouched(texts.len() * recipe.hashes);
    control.fill(&mut out, recipe.hashes, Scratch::default, |scratch, i, slots| {
        slots.fill(INFINITY);
        sketch(shingler, &sketcher, texts[i], slots, scratch, control, |_| ())
    })?;
    Ok(out)
}

/// The digest of one text's shingles.
fn digest(shingler: &Shingler, text: &str, scratch: &mut Scratch) -> Digest {
    let mut sums = (0, 0);
    shingler.each_block(text, scratch, |block| add(&mut sums, block));
    sums
}

fn add(sums: &mut Digest, block: &[u64]) {
    let (sum, products) = simd::dispatch(Sums(block));
    *sums = (sums.0.wrapping_add(sum), sums.1.wrapping_add(products));
}

/// The sum of some numbers, and of the products of their halves.
struct Sums<'a>(&'a [u64]);

impl Kernel for Sums<'_> {
    type Output = Digest;

    #[inline(always)]
    fn run(self, _: impl Tools) -> Digest {
        self.0.iter().fold((0, 0), |(sum, products), &x| {
            (sum.wrapping_add(x), products.wrapping_add((x >> 32).wrapping_mul(x & 0xffff_ffff)))
        })
    }
}

/// Signatures of sets of 64-bit elements, one row each; an empty set stays at infinity.
pub fn sign_sets(sets: &[Vec<u64>], recipe: &Recipe, control: &Control) -> Result<Vec<u32>> {
    let sketcher = Sketcher::new(recipe)?;
    let mut out = vec![INFINITY; sets.len() * recipe.hashes];
    control.fill(
        &mut out,
        recipe.hashes,
        || (),
        |(), i, slots| {
            sketcher.update(slots, &sets[i]);
            Ok(())
        },
    )?;
    Ok(out)
}

/// The element sets of the chosen texts; the others stay empty.
pub fn sets(texts: &[&str], wanted: &[bool], shingler: &Shingler, control: &Control) -> Result<Vec<Vec<u64>>> {
    let mut out: Vec<Vec<u64>> = vec![Vec::new(); texts.len()];
    control.fill(&mut out, 1, Scratch::default, |scratch, i, set| {
        if wanted[i] {
            set[0] = shingler.set(texts[i], scratch, control)?;
        }
        Ok(())
    })?;
    Ok(out)
}

/// Texts whose sets are made before it is seen which of them are copies.
const MANY: usize = 1 << 17;

/// The digest of each text, and its element set, unless a text before it has the same digest: so that a million copies
/// take no more room than one.
pub fn digested_sets(texts: &[&str], shingler: &Shingler, control: &Control) -> Result<(Vec<Digest>, Vec<Vec<u64>>)> {
    let (mut digests, mut sets) = (Vec::with_capacity(texts.len()), Vec::with_capacity(texts.len()));
    let mut known = HashSet::new();
    for texts in texts.chunks(MANY) {
        let mut made = vec![((0, 0), Vec::new()); texts.len()];
        control.fill(&mut made, 1, Scratch::default, |scratch, i, slot| {
            let (digest, set) = &mut slot[0];
            *set = shingler.set_seen(texts[i], scratch, control, |all| add(digest, all))?;
            Ok(())
        })?;
        for (digest, set) in made {
            digests.push(digest);
            sets.push(if known.insert(digest) { set } else { Vec::new() });
        }
    }
    Ok((digests, sets))
}

/// Shingles that at least `least` of the texts have, sorted.
///
/// Two passes: counters that may be shared by several shingles tell which could be that frequent, then those few are
/// counted one by one.
pub fn common(texts: &[&str], least: u32, shingler: &Shingler, control: &Control) -> Result<Vec<u64>> {
    const BITS: u32 = 22;
    let counters: Vec<AtomicU32> = (0..1 << BITS).map(|_| AtomicU32::new(0)).collect();
    let counter = |x: u64| &counters[(x >> (64 - BITS)) as usize];
    control.parts(texts.len(), PART, Scratch::default, |scratch, part| {
        for text in &texts[part] {
            control.check()?;
            shingler.set(text, scratch, control)?.iter().for_each(|&x| {
                counter(x).fetch_add(1, Ordering::Relaxed);
            });
        }
        Ok(())
    })?;
    let counts = control.parts(texts.len(), PART * 16, Scratch::default, |scratch, part| {
        let mut counts: HashMap<u64, u32> = HashMap::new();
        for text in &texts[part] {
            control.check()?;
            let frequent = shingler.set(text, scratch, control)?.into_iter();
            let frequent = frequent.filter(|&x| counter(x).load(Ordering::Relaxed) >= least);
            frequent.for_each(|x| *counts.entry(x).or_default() += 1);
        }
        Ok(counts)
    })?;
    let mut total: HashMap<u64, u32> = HashMap::new();
    counts.into_iter().flatten().for_each(|(x, n)| *total.entry(x).or_default() += n);
    let mut found: Vec<u64> = total.into_iter().filter(|&(_, n)| n >= least).map(|(x, _)| x).collect();
    found.sort_unstable();
    Ok(found)
}
