//! From the keys of all documents to candidate pairs.
//!
//! In every band, documents with equal keys make a bucket, and a bucket is paired; a pair stays if enough slots agree. A
//! few pages that thousands of others resemble would make that quadratic. So the pairs are counted first: where they are
//! more than a budget that grows with the number of documents, the documents of large buckets are set apart as *hot*, to
//! be joined exactly, or, if even their true pairs are too many, to be compared with the representatives of their clusters
//! only ([`crate::stars`]).

use std::borrow::Cow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::bands::sharing;
use crate::control::Control;
use crate::error::Result;
use crate::repeated::Repeated;
use crate::simd::{self, Kernel, Tools};

/// A pair of document numbers, the smaller one first, as one number.
#[inline(always)]
pub fn pack(a: u32, b: u32) -> u64 {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}

/// The two documents of a packed pair.
#[inline(always)]
pub fn unpack(pair: u64) -> (u32, u32) {
    ((pair >> 32) as u32, pair as u32)
}

/// How often a pair may be proposed where a caller raises the limit of pairs.
const REPEATS: u64 = 1 << 10;

/// How much a search may do before it treats documents as hot. Both grow with the number of documents only, unless a
/// caller raises them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Pairs that buckets may propose, however often.
    pub proposals: u64,
    /// Pairs that may be candidates, and so be listed.
    pub pairs: u64,
}

impl Limits {
    /// The limits for this number of documents (docs/design.md, "Hot clusters").
    pub fn of(documents: usize) -> Self {
        let documents = documents as u64;
        Limits { proposals: (1 << 24) + 64 * documents, pairs: (1 << 20) + 8 * documents }
    }

    /// The same with at least so many pairs. Each may be proposed by many bands, and met at many shingles of a join, so
    /// that it is their number that decides what is listed.
    pub fn raised(self, pairs: u64) -> Self {
        if pairs <= self.pairs {
            return self;
        }
        Limits { proposals: self.proposals.max(pairs.saturating_mul(REPEATS)), pairs }
    }
}

/// What is kept of the documents, wherever it is stored.
pub trait Store: Sync {
    /// How many there are.
    fn documents(&self) -> usize;
    /// What is kept of the keys of one band, one for each document.
    fn keys(&self, band: usize) -> Result<Cow<'_, [u32]>>;
    /// The sorted pairs in which at least `least` slots agree.
    fn agreeing(&self, pairs: Vec<u64>, least: usize, control: &Control) -> Result<Vec<u64>>;
    /// Bytes of memory that it takes.
    fn bytes(&self) -> usize;
    /// How many pairs are best given to `agreeing` at once, and whether several threads may do so.
    fn portion(&self) -> (usize, bool);
}

/// What the bands propose.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// Packed pairs, sorted; none of two hot documents.
    pub pairs: Vec<u64>,
    /// Hot documents, in order.
    pub hot: Vec<u32>,
}

impl Candidates {
    /// The documents of the pairs, and the hot ones; some come more than once.
    pub fn documents(&self) -> impl Iterator<Item = u32> {
        self.pairs.iter().flat_map(|&pair| <[u32; 2]>::from(unpack(pair))).chain(self.hot.iter().copied())
    }
}

/// What is asked of the bands.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// Number of bands.
    pub bands: usize,
    /// Slots that must agree.
    pub least: usize,
    /// Documents that take part, in order: of copies only the first.
    pub members: &'a [u32],
    /// Two documents from this number on make no pair.
    pub old_from: usize,
    /// When documents become hot.
    pub limits: Limits,
}

/// Candidate pairs among the members, each once, and the documents that are hot.
pub fn candidates(store: &dyn Store, asked: &Asked<'_>, control: &Control) -> Result<Candidates> {
    control.begin_counting("candidates", asked.bands);
    let none = vec![false; 0];
    let all = Pass { store, asked, largest: usize::MAX, hot: &none };
    let (pairs, sizes) = all.run(control)?;
    if let Some(pairs) = pairs {
        return Ok(Candidates { pairs, hot: Vec::new() });
    }
    let mut largest = sizes.largest_within(asked.limits.proposals);
    loop {
        control.begin_counting("hot documents", 2 * asked.bands);
        let hot = Pass { store, asked, largest, hot: &none }.hot(control)?;
        let rest = Pass { store, asked, largest, hot: &hot };
        if let (Some(pairs), _) = rest.run(control)? {
            let hot = (0..hot.len() as u32).filter(|&d| hot[d as usize]).collect();
            return Ok(Candidates { pairs, hot });
        }
        largest /= 2; // at 1 there are no pairs at all, so this ends
    }
}

/// Proposals by the size of their bucket: entry i counts those of buckets of 2^i to 2^(i+1) − 1 documents.
#[derive(Debug, Default)]
struct Sizes([AtomicU64; 32]);

impl Sizes {
    fn total(&self) -> u64 {
        self.0.iter().map(|n| n.load(Ordering::Relaxed)).sum()
    }

    /// The largest size, at most [`LARGE`], up to which all buckets together propose no more than this.
    fn largest_within(&self, proposals: u64) -> usize {
        let mut sum = 0;
        for (i, count) in self.0.iter().enumerate() {
            sum += count.load(Ordering::Relaxed);
            if sum > proposals || 2 << i > LARGE {
                return (1 << i) - 1;
            }
        }
        LARGE
    }
}

/// Where some documents are hot, no larger bucket is paired.
const LARGE: usize = 256;

/// One pass over all bands.
struct Pass<'a> {
    store: &'a dyn Store,
    asked: &'a Asked<'a>,
    /// Larger buckets are skipped.
    largest: usize,
    /// Two hot documents make no pair; empty if there are none.
    hot: &'a [bool],
}

type Bucket = [(u32, u32)];

impl Pass<'_> {
    /// The candidates, or None if the limits are exceeded; and what buckets of each size propose.
    fn run(&self, control: &Control) -> Result<(Option<Vec<u64>>, Sizes)> {
        let limits = self.asked.limits;
        let (sizes, too_many) = (Sizes::default(), AtomicBool::new(false));
        let kept: Mutex<Vec<u64>> = Mutex::default();
        self.each_band(control, |shared, control| {
            for bucket in buckets(shared).filter(|b| b.len() <= self.largest) {
                sizes.0[bucket.len().ilog2() as usize].fetch_add(self.proposals(bucket), Ordering::Relaxed);
            }
            // Whatever the pass finds after this is discarded; whether that happens does not depend on the threads.
            too_many.fetch_or(sizes.total() > limits.proposals, Ordering::Relaxed);
            if too_many.load(Ordering::Relaxed) {
                return Ok(());
            }
            let found = self.band_pairs(shared, &too_many, control)?;
            let mut all = kept.lock().expect("no thread panics while it holds this");
            all.extend(found);
            if all.len() as u64 > limits.pairs.saturating_mul(4) {
                once(&mut all);
                too_many.fetch_or(all.len() as u64 > limits.pairs, Ordering::Relaxed);
            }
            Ok(())
        })?;
        let mut all = kept.into_inner().expect("no thread panicked");
        once(&mut all);
        let too_many = too_many.into_inner() || all.len() as u64 > limits.pairs;
        Ok(((!too_many).then_some(all), sizes))
    }

    /// For each document, whether it is in a bucket that is too large.
    fn hot(&self, control: &Control) -> Result<Vec<bool>> {
        let hot: Vec<AtomicBool> = (0..self.store.documents()).map(|_| AtomicBool::new(false)).collect();
        self.each_band(control, |shared, _| {
            for bucket in buckets(shared).filter(|b| b.len() > self.largest && self.proposals(b) > 0) {
                bucket.iter().for_each(|&(_, d)| hot[d as usize].store(true, Ordering::Relaxed));
            }
            Ok(())
        })?;
        Ok(hot.into_iter().map(AtomicBool::into_inner).collect())
    }

    /// Give the documents of each band that share their key with another, sorted by key.
    fn each_band(&self, control: &Control, work: impl Fn(&Bucket, &Control) -> Result<()> + Sync) -> Result<()> {
        let (_, parallel) = self.store.portion();
        let one = |repeated: &mut Repeated, band: usize, control: &Control| {
            let keys = self.store.keys(band)?;
            let members = self.asked.members;
            let keyed = members.iter().map(|&d| (keys[d as usize], d));
            let shared = sharing(keyed, members.len(), repeated);
            drop(keys);
            work(&shared, control)?;
            control.count(1);
            Ok(())
        };
        if parallel {
            let alone = control.alone();
            control
                .parts(self.asked.bands, 1, Repeated::default, |repeated, part| one(repeated, part.start, &alone))?;
        } else {
            let mut repeated = Repeated::default();
            for band in 0..self.asked.bands {
                control.check()?;
                one(&mut repeated, band, control)?;
            }
        }
        Ok(())
    }

    /// Pairs of a bucket of which at least one document is new: old ones are at its end.
    fn proposals(&self, bucket: &Bucket) -> u64 {
        let (all, new) = (bucket.len() as u64, self.new_in(bucket) as u64);
        new * new.saturating_sub(1) / 2 + new * (all - new)
    }

    fn new_in(&self, bucket: &Bucket) -> usize {
        bucket.partition_point(|&(_, d)| (d as usize) < self.asked.old_from)
    }

    fn band_pairs(&self, shared: &Bucket, too_many: &AtomicBool, control: &Control) -> Result<Vec<u64>> {
        let portion = self.store.portion().0;
        let (mut kept, mut raw) = (Vec::new(), Vec::new());
        let is_hot = |d: u32| self.hot.get(d as usize) == Some(&true);
        for bucket in buckets(shared).filter(|b| b.len() <= self.largest) {
            for (i, &(_, a)) in bucket[..self.new_in(bucket)].iter().enumerate() {
                let hot = is_hot(a);
                raw.extend(bucket[i + 1..].iter().filter(|&&(_, b)| !(hot && is_hot(b))).map(|&(_, b)| pack(a, b)));
                if raw.len() >= portion {
                    control.check()?;
                    if too_many.load(Ordering::Relaxed) {
                        return Ok(Vec::new());
                    }
                    raw.sort_unstable();
                    kept.extend(self.store.agreeing(std::mem::take(&mut raw), self.asked.least, control)?);
                }
            }
        }
        raw.sort_unstable();
        kept.extend(self.store.agreeing(raw, self.asked.least, control)?);
        Ok(kept)
    }
}

fn buckets(shared: &Bucket) -> impl Iterator<Item = &Bucket> {
    shared.chunk_by(|x, y| x.0 == y.0).filter(|bucket| bucket.len() > 1)
}

/// Sort numbers, and keep each once.
pub fn once(numbers: &mut Vec<u64>) {
    numbers.sort_unstable();
    numbers.dedup();
}

/// Number of slots whose bytes agree.
#[inline(always)]
pub fn agreeing_bytes(a: &[u8], b: &[u8]) -> usize {
    simd::dispatch(Agreeing(a, b))
}

struct Agreeing<'a>(&'a [u8], &'a [u8]);

impl Kernel for Agreeing<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<T: Tools>(self, _: T) -> usize {
        // Bytes are counted in bytes, at most 128 at a time, so that a register counts as many as it holds.
        let blocks = self.0.chunks(128).zip(self.1.chunks(128));
        blocks.map(|(a, b)| usize::from(a.iter().zip(b).map(|(x, y)| u8::from(x == y)).sum::<u8>())).sum()
    }
}

/// All pairs of members of which one at least is new, a few at a time: the second approach of the source reports.
pub fn all_pairs(store: &dyn Store, asked: &Asked<'_>, control: &Control) -> Result<Vec<u64>> {
    let members = asked.members;
    let new = members.partition_point(|&d| (d as usize) < asked.old_from);
    control.begin_counting("candidates", new);
    let alone = control.alone();
    let found = control.parts(
        new,
        16,
        || (),
        |(), part| {
            let mut kept = Vec::new();
            for i in part {
                control.check()?;
                control.count(1);
                let pairs = members[i + 1..].iter().map(|&b| pack(members[i], b)).collect();
                kept.extend(store.agreeing(pairs, asked.least, &alone)?);
            }
            Ok(kept)
        },
    )?;
    Ok(found.into_iter().flatten().collect())
}
