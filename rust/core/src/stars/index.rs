//! The representatives so far, by the shingles of their prefixes.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::Verify;
use crate::jaccard::Metric;
use crate::prefix::Order;
use crate::runs::{self, Held};
use crate::strategy::Pair;

/// Representatives that a document is verified against at most, so that no input takes quadratic time.
const PROBES: usize = 1 << 12;
/// Old documents that a new one is listed with at most.
const OLD: usize = 16;

/// What a document met among the representatives so far.
#[derive(Debug, Default)]
pub(super) struct Met {
    /// The pairs: with the first representative that it is similar to, and with old documents.
    pub pairs: Vec<Pair>,
    /// Representatives that it was verified against.
    pub verified: usize,
    /// Whether there were more.
    pub in_part: bool,
}

/// Representatives that a document has met, by a stamp for each: nothing has to be cleared.
#[derive(Debug, Default)]
pub(super) struct Marks {
    stamps: Vec<u32>,
    stamp: u32,
    met: Vec<u32>,
    runs: runs::Marks,
}

impl Marks {
    fn begin(&mut self, representatives: usize) {
        self.stamps.resize(representatives, 0);
        self.stamp += 1;
        self.met.clear();
    }

    fn meet(&mut self, representative: u32) {
        if std::mem::replace(&mut self.stamps[representative as usize], self.stamp) != self.stamp {
            self.met.push(representative);
        }
    }
}

/// Hashes of shingles are spread evenly already.
#[derive(Debug, Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.0 = self.0.rotate_left(8) ^ u64::from(b));
    }
    fn write_u64(&mut self, x: u64) {
        self.0 = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

type Postings<T> = HashMap<u64, T, BuildHasherDefault<Spread>>;

/// The representatives, by their shingles.
pub(super) struct Index {
    metric: Metric,
    threshold: f64,
    memory: usize,
    used: usize,
    representatives: Vec<(u32, Held)>,
    /// By the shingles of their prefixes.
    prefixes: Postings<Runs>,
    /// For containment: by all their shingles.
    whole: Postings<Vec<u32>>,
}

/// Bytes that a shingle in the index takes, if no other document has it.
const POSTED: usize = 112;

impl Index {
    pub fn new(metric: Metric, threshold: f64, memory: usize) -> Self {
        let (prefixes, whole) = (Postings::default(), Postings::default());
        Index { metric, threshold, memory, used: 0, representatives: Vec::new(), prefixes, whole }
    }

    pub fn len(&self) -> usize {
        self.representatives.len()
    }

    /// Take one in, unless the memory is used up.
    pub fn insert(&mut self, document: u32, held: Held, order: &Order) -> bool {
        let prefix = order.prefix(&held.set, self.threshold);
        let posted = prefix.len() + if self.metric == Metric::Containment { held.set.len() } else { 0 };
        self.used += held.bytes() + POSTED * posted;
        if self.used > self.memory {
            return false;
        }
        let (number, size) = (self.representatives.len() as u32, held.set.len());
        for (place, &token) in prefix.iter().enumerate() {
            let slack = (1.0 - self.share()) * size as f64 - place as f64;
            self.prefixes.entry(token).or_default().insert(slack, number);
        }
        if self.metric == Metric::Containment {
            held.set.iter().for_each(|&x| self.whole.entry(order.token(x)).or_default().push(number));
        }
        self.representatives.push((document, held));
        true
    }

    /// Two sets of n and m elements that reach the threshold share at least this share of n + m.
    fn share(&self) -> f64 {
        match self.metric {
            Metric::Jaccard => self.threshold / (1.0 + self.threshold),
            Metric::Containment => 0.0,
        }
    }

    /// The first representative, from number `from` on, that a document is similar to, and all old ones.
    #[allow(clippy::too_many_arguments)] // the innermost loop
    pub fn probe(
        &self,
        document: u32,
        held: &Held,
        from: usize,
        order: &Order,
        is_old: &[bool],
        marks: &mut Marks,
        verify: &Verify<'_>,
    ) -> Met {
        marks.begin(self.len());
        self.meet(&held.set, from as u32, order, marks);
        marks.met.sort_unstable();
        let mut met = Met::default();
        let Marks { met: numbers, runs, .. } = marks;
        for &number in &*numbers {
            let (leader, other) = &self.representatives[number as usize];
            if met.verified == PROBES {
                met.in_part = true;
                break;
            }
            met.verified += 1;
            let pair = if document < *leader {
                verify(document, held, *leader, other, runs)
            } else {
                verify(*leader, other, document, held, runs)
            };
            let old = is_old[*leader as usize];
            if let Some(pair) = pair {
                // A document that is similar to an old one does not join a new one.
                if old || met.pairs.is_empty() {
                    met.pairs.push(pair);
                }
                if !old || met.pairs.len() >= OLD {
                    break;
                }
            }
        }
        met
    }

    /// Mark the representatives that may be similar to a set.
    fn meet(&self, set: &[u64], from: u32, order: &Order, marks: &mut Marks) {
        let (n, share) = (set.len() as f64, self.share());
        let prefix = order.prefix(set, self.threshold);
        match self.metric {
            Metric::Jaccard => {
                for (place, token) in prefix.iter().enumerate() {
                    let Some(runs) = self.prefixes.get(token) else { continue };
                    runs.each_above(share * n - 1.0, |number| {
                        let m = self.representatives[number as usize].1.set.len() as f64;
                        if number >= from && n - place as f64 >= share * (n + m) - 1.0 {
                            marks.meet(number);
                        }
                    });
                }
            }
            Metric::Containment => {
                let in_whole = prefix.iter().filter_map(|token| self.whole.get(token)).flatten();
                in_whole.filter(|&&number| number >= from).for_each(|&number| marks.meet(number));
                for &x in set {
                    if let Some(runs) = self.prefixes.get(&order.token(x)) {
                        runs.each_above(f64::NEG_INFINITY, |number| {
                            if number >= from {
                                marks.meet(number);
                            }
                        });
                    }
                }
            }
        }
    }
}

/// Entries (slack, representative) in a few runs, each sorted from much to little slack: what can no longer be similar is
/// not walked over, and inserting stays cheap.
#[derive(Debug, Default)]
struct Runs(Vec<Vec<(f32, u32)>>);

impl Runs {
    fn insert(&mut self, slack: f64, number: u32) {
        // Rounded up: an entry too many is verified, one too few would be missed.
        let mut run = vec![((slack as f32).next_up(), number)];
        while self.0.last().is_some_and(|last| last.len() <= run.len()) {
            let mut last = self.0.pop().expect("it was seen");
            last.append(&mut run);
            last.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
            run = last;
        }
        self.0.push(run);
    }

    #[inline(always)]
    fn each_above(&self, least: f64, mut take: impl FnMut(u32)) {
        for run in &self.0 {
            run.iter().take_while(|entry| f64::from(entry.0) >= least).for_each(|entry| take(entry.1));
        }
    }
}
