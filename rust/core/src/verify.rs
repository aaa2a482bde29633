//! The second read: the texts of candidates are read again, made into sets, compared exactly, and released.
//!
//! Connected candidates are verified together, as many at a time as fit the memory. Exact duplicates, documents with equal
//! digests, are confirmed on their shingles in the same read.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use crate::candidates::unpack;
use crate::control::Control;
use crate::copies::same_shingles;
use crate::error::{Error, Result};
use crate::groups::linked;
use crate::runs::{Held, Marks, bytes_per_shingle};
use crate::shingle::{Scratch, Shingler};
use crate::short::ShortPairs;
use crate::sign::Digest;
use crate::strategy::{Pair, Search};
use crate::texts::Texts;

/// Bytes of sets that are held at a time where texts are at hand: few enough to stay in the cache.
const CACHE: usize = 1 << 20;
/// The same where only long passages count: runs take longer to make again than to come from memory.
const CACHE_OF_RUNS: usize = 1 << 24;
/// Pairs that are verified at a time there, so that a large cluster is not left to one thread.
const SHARE: usize = 1 << 16;

/// The input of the second read.
#[derive(Debug, Clone, Copy)]
pub struct Second<'a> {
    /// The search.
    pub search: &'a Search<'a>,
    /// Makes the shingles.
    pub shingler: &'a Shingler,
    /// The digest of each document, from the first read; none if there was no such read.
    pub digests: &'a [Digest],
    /// The number of shingles of each document.
    pub shingles: &'a [u32],
    /// Bytes of sets and texts to hold at most, unless two documents need more.
    pub memory: usize,
}

/// The outcome of the second read.
#[derive(Debug, Default, PartialEq)]
pub struct Verified {
    /// Pairs that the search looks for, sorted.
    pub pairs: Vec<Pair>,
    /// Supposed copies that are none, (first, document): their digests are equal and their shingles are not.
    pub unlike: Vec<(u32, u32)>,
    /// Pairs that reach the threshold only with passages that are too short to count.
    pub short: ShortPairs,
}

/// What an earlier run that was stopped has done of the second read, and where this one writes down what it does.
pub trait Record: Send {
    /// Portions that are done, and what came of them.
    fn done(&mut self) -> Result<(usize, Verified)>;
    /// A portion has ended.
    fn add(&mut self, found: &Verified) -> Result<()>;
}

/// Nothing is written down.
#[derive(Debug, Default)]
pub struct NoRecord;

impl Record for NoRecord {
    fn done(&mut self) -> Result<(usize, Verified)> {
        Ok((0, Verified::default()))
    }
    fn add(&mut self, _: &Verified) -> Result<()> {
        Ok(())
    }
}

impl Verified {
    fn extend(&mut self, mut more: Verified) {
        self.pairs.append(&mut more.pairs);
        self.unlike.append(&mut more.unlike);
        self.short.extend(more.short);
    }
}

/// A pair to be verified, or a copy to be confirmed.
#[derive(Debug, Clone, Copy)]
struct Edge {
    a: u32,
    b: u32,
    copy: bool,
    /// The connected component that it is in.
    group: u32,
}

impl Second<'_> {
    /// What is compared of a text that is read again; an error if the text has changed since the first read.
    pub(crate) fn held(&self, document: u32, text: &str, scratch: &mut Scratch, control: &Control) -> Result<Held> {
        let (held, seen) = Held::new(self.shingler, text, self.search.min_units, scratch, control)?;
        if self.is_same(document, seen) { Ok(held) } else { Err(changed()) }
    }

    /// Its elements alone.
    pub(crate) fn set(&self, document: u32, text: &str, scratch: &mut Scratch, control: &Control) -> Result<Vec<u64>> {
        let (held, seen) = Held::new(self.shingler, text, None, scratch, control)?;
        let seen = seen.as_seen_by(self.shingler, text, scratch);
        if self.is_same(document, seen) { Ok(held.set) } else { Err(changed()) }
    }

    /// Bytes that a document takes while it is compared.
    fn bytes(&self, document: u32) -> usize {
        bytes_per_shingle(self.search.min_units) * self.shingles[document as usize] as usize + 64
    }

    fn is_same(&self, document: u32, seen: Digest) -> bool {
        self.digests.get(document as usize).is_none_or(|first| seen.is_like(*first))
    }

    /// Verify packed pairs and confirm copies, (first, copy). The stage counts texts that are read again, and pairs and
    /// copies that are compared.
    pub fn read(
        &self,
        stage: &'static str,
        texts: &dyn Texts,
        pairs: &[u64],
        copies: &[(u32, u32)],
        record: &mut dyn Record,
        control: &Control,
    ) -> Result<Verified> {
        let edges = self.edges(pairs, copies);
        let portions = self.portions(&edges, texts.at_hand());
        let (skip, mut all) = record.done()?;
        let (done, rest) = portions.split_at(skip.min(portions.len()));
        let steps = |portions: &[Portioned]| portions.iter().map(Portioned::steps).sum::<usize>();
        control.begin_counting(stage, steps(&portions));
        control.count(steps(done));
        if texts.at_hand() {
            let alone = control.alone();
            let work =
                |(): &mut (), part: Range<usize>| self.portion(texts, &edges[rest[part.start].edges.clone()], &alone);
            for found in control.parts(rest.len(), 1, || (), work)? {
                all.extend(found);
            }
        } else {
            for portion in rest {
                let found = self.portion(texts, &edges[portion.edges.clone()], control)?;
                record.add(&found)?;
                all.extend(found);
            }
        }
        all.pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
        all.unlike.sort_unstable();
        Ok(all)
    }

    /// All edges; those of one connected component follow each other.
    fn edges(&self, pairs: &[u64], copies: &[(u32, u32)]) -> Vec<Edge> {
        let of_pairs = pairs.iter().map(|&pair| unpack(pair));
        let group = linked(self.shingles.len(), of_pairs.clone().chain(copies.iter().copied()));
        let edge = |a: u32, b: u32, copy: bool| Edge { a, b, copy, group: group[a as usize] };
        let mut edges: Vec<Edge> = of_pairs.map(|(a, b)| edge(a, b, false)).collect();
        edges.extend(copies.iter().map(|&(a, b)| edge(a, b, true)));
        edges.sort_unstable_by_key(|e| (e.group, e.a, e.b));
        edges
    }

    /// Consecutive edges whose documents fit the memory. Sets go when their group is complete, so that about half of them
    /// are held at a time.
    fn portions(&self, edges: &[Edge], at_hand: bool) -> Vec<Portioned> {
        let cache = if self.search.min_units.is_some() { CACHE_OF_RUNS } else { CACHE };
        let (memory, most) = if at_hand { (cache, SHARE) } else { (self.memory.saturating_mul(2), usize::MAX) };
        let mut last = vec![u32::MAX; self.shingles.len()];
        let (mut portions, mut start, mut held, mut documents) = (Vec::new(), 0, 0, 0);
        for (i, edge) in edges.iter().enumerate() {
            let (mut more, mut fresh) = (0, 0);
            for document in [edge.a, edge.b] {
                let seen = std::mem::replace(&mut last[document as usize], portions.len() as u32);
                fresh += usize::from(seen != portions.len() as u32);
                // A copy is compared when it comes, and not held.
                let held = seen == portions.len() as u32 || (edge.copy && document == edge.b);
                more += if held { 0 } else { self.bytes(document) };
            }
            held += more;
            documents += fresh;
            if i > start && (held > memory || i - start >= most) {
                portions.push(Portioned { edges: start..i, documents: documents - fresh });
                for document in [edge.a, edge.b] {
                    last[document as usize] = portions.len() as u32;
                }
                (start, held, documents) = (i, self.bytes(edge.a) + self.bytes(edge.b), 2);
            }
        }
        portions.extend((start < edges.len()).then_some(Portioned { edges: start..edges.len(), documents }));
        portions
    }

    fn portion(&self, texts: &dyn Texts, edges: &[Edge], control: &Control) -> Result<Verified> {
        let held = Portion::new(edges);
        texts.fetch(&held.documents, control, &|document, text, scratch| {
            held.take(self, edges, document, text, scratch, control)
        })?;
        if !held.slots.iter().all(|slot| slot.taken.load(Ordering::Relaxed)) {
            return Err(changed());
        }
        for group in held.groups.iter().filter(|group| group.edges.len() > SHARE) {
            held.finish(self, &edges[group.edges.clone()], control)?;
        }
        control.check()?; // a stopped one may have missed pairs
        let short = std::mem::take(&mut *held.short.lock().expect("held briefly"));
        let pairs = std::mem::take(&mut *held.found.lock().expect("held briefly"));
        Ok(Verified { pairs, unlike: held.unlike(self, control)?, short })
    }
}

/// What is verified at a time.
#[derive(Debug)]
struct Portioned {
    edges: Range<usize>,
    documents: usize,
}

impl Portioned {
    fn steps(&self) -> usize {
        self.documents + self.edges.len()
    }
}

/// A document while its portion is verified.
#[derive(Debug, Default)]
struct Document {
    /// Whether its text has arrived.
    taken: AtomicBool,
    /// Whether it is in a pair.
    paired: bool,
    /// Whether others are supposed to be its copies.
    copied: bool,
    /// The document that it is supposed to be a copy of.
    first: Option<u32>,
    /// The place of its group.
    group: usize,
    held: Mutex<Held>,
    /// Its text, if it is copied.
    text: OnceLock<Box<str>>,
}

/// A connected component within a portion.
#[derive(Debug)]
struct Group {
    edges: Range<usize>,
    /// Documents whose texts have not arrived yet.
    left: AtomicUsize,
}

#[derive(Debug)]
struct Portion {
    documents: Vec<u32>,
    slots: Vec<Document>,
    groups: Vec<Group>,
    found: Mutex<Vec<Pair>>,
    /// Copies that arrived before their first: (first, copy, text).
    early: Mutex<Vec<(u32, u32, Box<str>)>>,
    unlike: Mutex<Vec<(u32, u32)>>,
    short: Mutex<ShortPairs>,
}

impl Portion {
    fn new(edges: &[Edge]) -> Self {
        let mut documents: Vec<u32> = edges.iter().flat_map(|e| [e.a, e.b]).collect();
        documents.sort_unstable();
        documents.dedup();
        let mut slots: Vec<Document> = documents.iter().map(|_| Document::default()).collect();
        let place = |d: u32| documents.binary_search(&d).expect("it was put in above");
        let mut groups: Vec<Group> = Vec::new();
        for (i, edge) in edges.iter().enumerate() {
            if i == 0 || edges[i - 1].group != edge.group {
                groups.push(Group { edges: i..i, left: AtomicUsize::new(0) });
            }
            let number = groups.len() - 1;
            groups[number].edges.end = i + 1;
            let (a, b) = (place(edge.a), place(edge.b));
            (slots[a].group, slots[b].group) = (number, number);
            if edge.copy {
                slots[a].copied = true;
                slots[b].first = Some(edge.a);
            } else {
                (slots[a].paired, slots[b].paired) = (true, true);
            }
        }
        slots.iter().for_each(|slot| *groups[slot.group].left.get_mut() += 1);
        let (found, early, unlike) = (Mutex::default(), Mutex::default(), Mutex::default());
        Portion { documents, slots, groups, found, early, unlike, short: Mutex::default() }
    }

    fn slot(&self, document: u32) -> &Document {
        &self.slots[self.documents.binary_search(&document).expect("only documents of the portion are asked for")]
    }

    fn take(
        &self,
        second: &Second<'_>,
        edges: &[Edge],
        document: u32,
        text: &str,
        scratch: &mut Scratch,
        control: &Control,
    ) -> Result<()> {
        let slot = self.slot(document);
        if slot.taken.swap(true, Ordering::Relaxed) {
            return Ok(()); // it came before
        }
        control.count(1);
        if slot.paired {
            *slot.held.lock().expect("held briefly") = second.held(document, text, scratch, control)?;
        }
        if slot.copied {
            let _ = slot.text.set(text.into());
        }
        if let Some(first) = slot.first {
            match self.slot(first).text.get() {
                Some(other) => self.compare(second, (first, other), (document, text), scratch)?,
                None => self.early.lock().expect("held briefly").push((first, document, text.into())),
            }
        }
        let group = &self.groups[slot.group];
        if group.left.fetch_sub(1, Ordering::AcqRel) == 1 && group.edges.len() <= SHARE {
            self.finish(second, &edges[group.edges.clone()], &control.alone())?;
        }
        Ok(())
    }

    /// All texts of a group have arrived: verify its pairs, and release what was held of them.
    fn finish(&self, second: &Second<'_>, edges: &[Edge], control: &Control) -> Result<()> {
        let mut documents: Vec<u32> = edges.iter().filter(|e| !e.copy).flat_map(|e| [e.a, e.b]).collect();
        documents.sort_unstable();
        documents.dedup();
        let take = |&d: &u32| std::mem::take(&mut *self.slot(d).held.lock().expect("held briefly"));
        let all: Vec<Held> = documents.iter().map(take).collect();
        let held = |d: u32| &all[documents.binary_search(&d).expect("it was put in above")];
        let found = control.parts(edges.len(), 1024, Marks::default, |marks, part| {
            control.check()?;
            control.count(part.len());
            let pairs = edges[part].iter().filter(|e| !e.copy);
            let mut short = ShortPairs::default();
            let verified = pairs.filter_map(|e| verify(second.search, e, held(e.a), held(e.b), marks, &mut short));
            let verified: Vec<Pair> = verified.collect();
            if short.count > 0 {
                self.short.lock().expect("held briefly").extend(short);
            }
            Ok(verified)
        })?;
        self.found.lock().expect("held briefly").extend(found.into_iter().flatten());
        Ok(())
    }

    fn compare(&self, second: &Second<'_>, a: (u32, &str), b: (u32, &str), scratch: &mut Scratch) -> Result<()> {
        if a.1 == b.1 || same_shingles(second.shingler, a.1, b.1, scratch) {
            return Ok(());
        }
        for (document, text) in [a, b] {
            let seen = Digest::of(&second.shingler.sequence(text, scratch));
            if !second.is_same(document, seen.as_seen_by(second.shingler, text, scratch)) {
                return Err(changed());
            }
        }
        self.unlike.lock().expect("held briefly").push((a.0, b.0));
        Ok(())
    }

    /// Compare what arrived too early, and return all supposed copies that are none.
    fn unlike(self, second: &Second<'_>, control: &Control) -> Result<Vec<(u32, u32)>> {
        let early = std::mem::take(&mut *self.early.lock().expect("held briefly"));
        control.parts(early.len(), 16, Scratch::default, |scratch, part| {
            for (first, document, text) in &early[part] {
                match self.slot(*first).text.get() {
                    Some(other) => self.compare(second, (*first, other), (*document, text), scratch)?,
                    None => self.unlike.lock().expect("held briefly").push((*first, *document)),
                }
            }
            Ok(())
        })?;
        let mut unlike = self.unlike.into_inner().expect("no thread panicked");
        unlike.sort_unstable();
        Ok(unlike)
    }
}

fn verify(
    search: &Search<'_>,
    edge: &Edge,
    x: &Held,
    y: &Held,
    marks: &mut Marks,
    short: &mut ShortPairs,
) -> Option<Pair> {
    let pair = search.verify_sets(edge.a, edge.b, &x.set, &y.set)?;
    let counted = search.counted(pair, x, y, marks);
    if counted.is_none() {
        short.add(search.metric.score(pair.overlap), pair);
    }
    counted
}

/// The packed pairs that a search looks for, of documents whose sets are given.
pub fn verify_sets(search: &Search<'_>, pairs: &[u64], sets: &[&[u64]], control: &Control) -> Result<Vec<Pair>> {
    let one = |&pair: &u64| {
        let (a, b) = unpack(pair);
        search.verify_sets(a, b, sets[a as usize], sets[b as usize])
    };
    let found = control.parts(
        pairs.len(),
        1024,
        || (),
        |(), part| {
            control.check()?;
            Ok(pairs[part].iter().filter_map(one).collect::<Vec<_>>())
        },
    )?;
    Ok(found.into_iter().flatten().collect())
}

/// The texts of the second read are not those of the first.
pub fn changed() -> Error {
    Error::Outside("the documents have changed since they were read; search again".into())
}
