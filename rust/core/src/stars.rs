//! Hot clusters: so many similar documents that comparing all of them would take quadratic time.
//!
//! Clusters only need each document compared with the representatives before it. So the documents are taken in order; one
//! that is similar to no representative becomes one itself, and only representatives are indexed, by the shingles of their
//! prefixes as in the exact join ([`crate::prefix`]). Ten thousand copies of a page make one representative; ten thousand
//! pages that share four fifths of a template make ten thousand, and the shingles that all share are at the end of every
//! prefix. The clusters are those that all pairs would give.

mod index;

use std::collections::HashMap;

use crate::control::Control;
use crate::error::Result;
use crate::prefix::Order;
use crate::runs::{self, Held};
use crate::short::ShortPairs;
use crate::strategy::{Pair, Search};
use index::{Index, Marks, Met};

/// Gives what is compared of some documents, in their order.
pub type SetsOf<'a> = dyn Fn(&[u32]) -> Result<Vec<Held>> + 'a;
/// Verifies two documents: the smaller number first.
pub type Verify<'a> = dyn Fn(u32, &Held, u32, &Held, &mut runs::Marks) -> Option<Pair> + Sync + 'a;

/// The input of a clustering.
pub struct Stars<'a> {
    /// The search.
    pub search: &'a Search<'a>,
    /// All documents, of copies the first only, in the order in which they become representatives.
    pub order: &'a [u32],
    /// For each document whether it is hot.
    pub hot: &'a [bool],
    /// For each first of its copies whether one of them is old.
    pub old: &'a [bool],
    /// Verified pairs of which at most one is hot.
    pub pairs: &'a [(u32, u32)],
    /// Bytes that representatives may take; those beyond are not indexed.
    pub memory: usize,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Listed {
    /// Each hot document with its representative, and with a few others.
    pub pairs: Vec<Pair>,
    /// Pairs that were verified.
    pub verified: usize,
    /// Pairs that reach the threshold only with passages that are too short to count, if these are all pairs.
    pub short: ShortPairs,
    /// Documents that were not compared with all representatives that they might be similar to.
    pub in_part: usize,
    /// Whether these are all pairs.
    pub complete: bool,
}

/// Documents that are compared at once.
const BLOCK: usize = 1 << 12;
/// How many of the next documents with the same representative a document is compared with.
const NEIGHBOURS: usize = 16;
/// How many of them are listed.
const OTHERS: usize = 4;

impl Stars<'_> {
    /// Compare every hot document with the representatives before it.
    pub fn join(&self, sets_of: &SetsOf<'_>, verify: &Verify<'_>, control: &Control) -> Result<Listed> {
        let mut work = Work::new(self);
        // Old documents, and new copies of them, are all representatives, and never compared with each other.
        let (old, new): (Vec<u32>, Vec<u32>) = self.order.iter().copied().partition(|&d| self.old[d as usize]);
        let hot_old: Vec<u32> = old.into_iter().filter(|&d| self.hot[d as usize]).collect();
        let hot_new = new.iter().filter(|&&d| self.hot[d as usize]).count();
        control.begin_counting("hot clusters", 2 * (hot_old.len() + hot_new)); // read again, and compared
        for block in hot_old.chunks(BLOCK) {
            control.check()?;
            let held = sets_of(block)?;
            work.learn(&held, control)?;
            block.iter().zip(held).for_each(|(&d, held)| work.represent(d, held));
            control.count(block.len());
        }
        for block in new.chunks(BLOCK) {
            control.check()?;
            let hot: Vec<u32> = block.iter().copied().filter(|&d| self.hot[d as usize]).collect();
            let held = sets_of(&hot)?;
            work.learn(&held, control)?;
            work.block(block, &hot, held, verify, control)?;
        }
        work.listed.pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
        work.listed.pairs.dedup_by_key(|pair| (pair.a, pair.b));
        Ok(work.listed)
    }
}

struct Work<'a> {
    stars: &'a Stars<'a>,
    partners: HashMap<u32, Vec<u32>>,
    /// Place of each document in the order.
    rank: Vec<u32>,
    leads: Vec<bool>,
    order: Option<Order>,
    index: Index,
    listed: Listed,
}

impl<'a> Work<'a> {
    fn new(stars: &'a Stars<'a>) -> Self {
        let mut rank = vec![u32::MAX; stars.hot.len()];
        stars.order.iter().enumerate().for_each(|(i, &d)| rank[d as usize] = i as u32);
        let mut partners: HashMap<u32, Vec<u32>> = HashMap::new();
        for &(a, b) in stars.pairs {
            partners.entry(a).or_default().push(b);
            partners.entry(b).or_default().push(a);
        }
        let index = Index::new(stars.search.metric, stars.search.threshold, stars.memory);
        let leads = vec![false; stars.hot.len()];
        Work { stars, partners, rank, leads, order: None, index, listed: Listed::default() }
    }

    /// Learn from the first documents which shingles are frequent: any order will do, a good one is fast.
    fn learn(&mut self, held: &[Held], control: &Control) -> Result<()> {
        if self.order.is_none() && !held.is_empty() {
            let sets: Vec<&[u64]> = held.iter().map(|h| &h.set[..]).collect();
            self.order = Some(Order::new(&sets, control)?);
        }
        Ok(())
    }

    fn represent(&mut self, document: u32, held: Held) {
        self.leads[document as usize] = true;
        if let Some(order) = &self.order {
            self.listed.in_part += usize::from(!self.index.insert(document, held, order));
        }
    }

    fn block(
        &mut self,
        block: &[u32],
        hot: &[u32],
        held: Vec<Held>,
        verify: &Verify<'_>,
        control: &Control,
    ) -> Result<()> {
        let Some(order) = &self.order else {
            block.iter().for_each(|&d| self.cool(d));
            return Ok(());
        };
        let (index, old) = (&self.index, self.stars.old);
        let met = control.parts(hot.len(), 16, Marks::default, |marks, part| {
            control.check()?;
            control.count(part.len());
            Ok(part.map(|i| index.probe(hot[i], &held[i], 0, order, old, marks, verify)).collect::<Vec<_>>())
        })?;
        // The others in their order: only those that became representatives in this block are new to them.
        let known = self.index.len();
        let mut held: Vec<Option<Held>> = held.into_iter().map(Some).collect();
        let mut members: HashMap<u32, Vec<usize>> = HashMap::new();
        let (mut marks, mut i) = (Marks::default(), 0);
        let mut met = met.into_iter().flatten();
        for &document in block {
            if !self.stars.hot[document as usize] {
                self.cool(document);
                continue;
            }
            let own = met.next().expect("one for each hot document");
            if let Some(leader) = self.settle(document, own, &mut held[i], known, &mut marks, verify) {
                members.entry(leader).or_default().push(i);
            }
            i += 1;
        }
        self.others(hot, &held, &members, verify, control)
    }

    /// Let a hot document join a representative, which is given back, or become one itself. `own` is what it met before
    /// this block; the first `known` representatives are from then.
    fn settle(
        &mut self,
        document: u32,
        mut own: Met,
        held: &mut Option<Held>,
        known: usize,
        marks: &mut Marks,
        verify: &Verify<'_>,
    ) -> Option<u32> {
        let taken = self.has_leading_partner(document);
        // Also one that a document that is not hot takes: a representative of this block may come before that one.
        if let (true, Some(mine), Some(order)) = (own.pairs.is_empty(), &*held, &self.order)
            && self.index.len() > known
        {
            let more = self.index.probe(document, mine, known, order, self.stars.old, marks, verify);
            own.pairs = more.pairs;
            own.verified += more.verified;
            own.in_part |= more.in_part;
        }
        self.listed.verified += own.verified;
        self.listed.in_part += usize::from(own.in_part);
        let leader = own.pairs.first().map(|pair| if pair.a == document { pair.b } else { pair.a });
        self.listed.pairs.append(&mut own.pairs);
        if leader.is_none()
            && !taken
            && let Some(held) = held.take()
        {
            self.represent(document, held);
        }
        leader
    }

    /// A document that is not hot: all its pairs are known.
    fn cool(&mut self, document: u32) {
        self.leads[document as usize] = !self.has_leading_partner(document);
    }

    fn has_leading_partner(&self, document: u32) -> bool {
        let old = |d: u32| self.stars.old[d as usize];
        let before = |p: &&u32| self.rank[**p as usize] < self.rank[document as usize] && self.leads[**p as usize];
        self.partners.get(&document).is_some_and(|all| all.iter().any(|p| old(*p) || before(&p)))
    }

    /// A few more pairs among those that have one representative: the best of the nearest.
    fn others(
        &mut self,
        hot: &[u32],
        held: &[Option<Held>],
        members: &HashMap<u32, Vec<usize>>,
        verify: &Verify<'_>,
        control: &Control,
    ) -> Result<()> {
        let mut stars: Vec<&Vec<usize>> = members.values().collect();
        stars.sort_unstable();
        let jobs: Vec<(&Vec<usize>, usize)> =
            stars.into_iter().flat_map(|all| (0..all.len()).map(move |place| (all, place))).collect();
        let metric = self.stars.search.metric;
        let found = control.parts(jobs.len(), 64, runs::Marks::default, |marks, part| {
            control.check()?;
            let mut out = Vec::new();
            for &(all, place) in &jobs[part] {
                let near = all[place + 1..].iter().take(NEIGHBOURS);
                let pairs = near.filter_map(|&j| between(hot, held, all[place], j, verify, marks));
                let mut best: Vec<Pair> = pairs.collect();
                best.sort_by(|x, y| metric.score(y.overlap).total_cmp(&metric.score(x.overlap)));
                best.truncate(OTHERS);
                out.append(&mut best);
            }
            Ok(out)
        })?;
        self.listed.verified += jobs.len() * OTHERS;
        self.listed.pairs.extend(found.into_iter().flatten());
        Ok(())
    }
}

fn between(
    hot: &[u32],
    held: &[Option<Held>],
    i: usize,
    j: usize,
    verify: &Verify<'_>,
    marks: &mut runs::Marks,
) -> Option<Pair> {
    let (x, y) = (held[i].as_ref()?, held[j].as_ref()?);
    if hot[i] < hot[j] { verify(hot[i], x, hot[j], y, marks) } else { verify(hot[j], y, hot[i], x, marks) }
}
