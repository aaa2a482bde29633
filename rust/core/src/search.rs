//! From what was kept of all documents to verified pairs, by each of the four methods. All give the same pairs in the same
//! form, up to the recall that `Lsh` and `Signatures` promise.

use std::sync::OnceLock;
use std::time::Instant;

use crate::bands::Bands;
use crate::candidates::{Asked, Candidates, Limits, Store, all_pairs, candidates, once};
use crate::control::Control;
use crate::copies::{classes, copies, firsts, of_interest, pairs_of_unlike, set_apart};
use crate::error::{Error, Result};
use crate::exact;
use crate::hot::add_hot;
use crate::intake::Kept;
use crate::jaccard::{Metric, Overlap, overlap_at_least};
use crate::recipe::Recipe;
use crate::runs::{Held, Marks};
use crate::shingle::{Scratch, Shingler};
use crate::sign::Digest;
use crate::texts::Texts;
use crate::verify::{NoRecord, Record, Second, Verified, changed};

/// How candidates are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Compare all pairs of sets (the source reports' first approach).
    Brute,
    /// Compare all pairs of signatures, then verify those with enough slots that agree (their second).
    Signatures {
        /// Slots that must agree.
        least: usize,
    },
    /// Band the signatures, filter by slots that agree, then verify (their third).
    Lsh {
        /// The bands.
        bands: Bands,
        /// Slots that must agree.
        least: usize,
    },
    /// Exact join by prefix filter.
    Exact,
}

/// A verified pair, `a` < `b`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// Number of the first document.
    pub a: u32,
    /// Number of the second.
    pub b: u32,
    /// What they share.
    pub overlap: Overlap,
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// For each document the first one with the same shingles in the same numbers; itself if there is none before it, or
    /// if all of them are old and in no pair.
    pub class: Vec<u32>,
    /// Pairs between such firsts, sorted.
    pub pairs: Vec<Pair>,
    /// Pairs that were verified.
    pub candidates: usize,
    /// Documents of clusters so large that their pairs are listed in part (docs/design.md, "Hot clusters").
    pub hot: usize,
    /// Of those, documents that were not even compared with all representatives.
    pub in_part: usize,
    /// Pairs that reach the threshold only with passages that are too short to count.
    pub short: usize,
    /// How long each stage took.
    pub seconds: Vec<(&'static str, f64)>,
}

impl Found {
    /// Leave no class of old documents that is in no pair, so that every method gives the same classes.
    pub fn forget_old_copies(&mut self, old_from: usize) {
        let paired = self.pairs.iter().flat_map(|pair| [pair.a, pair.b]);
        self.class = of_interest(std::mem::take(&mut self.class), paired, old_from);
    }
}

/// Times the stages of a search.
pub(crate) struct Clock<'a> {
    control: &'a Control,
    began: Instant,
    stage: &'static str,
    seconds: Vec<(&'static str, f64)>,
}

impl<'a> Clock<'a> {
    pub(crate) fn start(control: &'a Control, stage: &'static str) -> Self {
        control.begin(stage);
        Clock { control, began: Instant::now(), stage, seconds: Vec::new() }
    }

    /// The next stage begins.
    pub(crate) fn next(&mut self, stage: &'static str) {
        self.seconds.push((self.stage, self.began.elapsed().as_secs_f64()));
        (self.began, self.stage) = (Instant::now(), stage);
        self.control.begin(stage);
    }

    /// The last stage has ended.
    pub(crate) fn end(mut self) -> Vec<(&'static str, f64)> {
        self.next("");
        self.seconds
    }
}

/// What is looked for, and how.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    /// All settings of the similarity.
    pub recipe: &'a Recipe,
    /// What the threshold is compared with. Containment has no bands: signatures do not know it.
    pub metric: Metric,
    /// The least score of a pair.
    pub threshold: f64,
    /// How candidates are found.
    pub method: Method,
    /// Documents from this number on are old: two of them are never compared.
    pub old_from: usize,
    /// Shingles that do not count, on any side.
    pub ignored: &'a [u64],
    /// Whether shingles that touch a wall do not count.
    pub walls: bool,
    /// Units of the shortest passage that counts; None: every shared shingle does.
    pub min_units: Option<usize>,
    /// When clusters are hot; None: as the number of documents says.
    pub limits: Option<Limits>,
    /// Bytes of sets to hold at a time.
    pub memory: usize,
}

impl<'a> Search<'a> {
    /// A search for pairs by Jaccard similarity, with nothing left out.
    pub fn new(recipe: &'a Recipe, threshold: f64, method: Method) -> Self {
        Search {
            recipe,
            metric: Metric::Jaccard,
            threshold,
            method,
            old_from: usize::MAX,
            ignored: &[],
            walls: false,
            min_units: None,
            limits: None,
            memory: 256 << 20,
        }
    }

    /// What makes the shingles.
    pub fn shingler(&self) -> Result<Shingler> {
        let shingler = Shingler::new(self.recipe)?.ignoring(self.ignored.iter().copied()).walled(self.walls);
        Ok(shingler.in_order(self.min_units.is_some()))
    }

    /// The pair if it counts and reaches the threshold.
    pub fn verify(&self, sets: &[Vec<u64>], x: u32, y: u32) -> Option<Pair> {
        let (a, b) = (x.min(y), x.max(y));
        self.verify_sets(a, b, &sets[a as usize], &sets[b as usize])
    }

    /// The same for sets that are given; `a` < `b`.
    pub fn verify_sets(&self, a: u32, b: u32, set_a: &[u64], set_b: &[u64]) -> Option<Pair> {
        if a as usize >= self.old_from {
            return None;
        }
        let overlap = overlap_at_least(set_a, set_b, self.metric, self.threshold)?;
        Some(Pair { a, b, overlap })
    }

    /// The pair if it still reaches the threshold when only long passages count, as far as that is asked for.
    pub fn counted(&self, pair: Pair, x: &Held, y: &Held, marks: &mut Marks) -> Option<Pair> {
        // What lies in no long passage adds nothing to the score, but stays part of the whole.
        let overlap = Overlap { shared: x.counted(y, pair.overlap.shared, marks), ..pair.overlap };
        (self.metric.score(overlap) >= self.threshold).then_some(Pair { overlap, ..pair })
    }

    /// Refuse settings that no search can have.
    pub fn check(&self) -> Result<()> {
        let wrong = |field, given: String, allowed: &str| Err(Error::Setting { field, given, allowed: allowed.into() });
        if !(self.threshold > 0.0 && self.threshold <= 1.0) {
            return wrong("threshold", self.threshold.to_string(), "above 0 and at most 1");
        }
        if self.min_units.is_some() && self.recipe.bag {
            return wrong(
                "min_words",
                self.min_units.unwrap_or(0).to_string(),
                "left out where repeated shingles count",
            );
        }
        let by_sets = matches!(self.method, Method::Brute | Method::Exact);
        if self.metric == Metric::Containment && !by_sets {
            return wrong("method", "lsh or signatures".into(), "exact or brute for containment");
        }
        Ok(())
    }

    pub(crate) fn limits_for(&self, documents: usize) -> Limits {
        self.limits.unwrap_or_else(|| Limits::of(documents))
    }
}

/// Find all pairs that a search looks for. `order` says which documents become representatives first where clusters are
/// hot: every number once; as they stand if it is None.
pub fn find(
    kept: Kept,
    texts: &dyn Texts,
    search: &Search<'_>,
    order: Option<&[u32]>,
    control: &Control,
) -> Result<Found> {
    search.check()?;
    let shingler = search.shingler()?;
    let mut found = match kept {
        Kept::Sets(sets) => exact::find(sets, texts, search, &shingler, order, control)?,
        Kept::Rows(rows) => {
            let (digests, shingles) = (rows.digests(), rows.shingles());
            find_by_rows(rows, &digests, &shingles, texts, search, order, control)?
        }
    };
    found.forget_old_copies(search.old_from);
    Ok(found)
}

fn find_by_rows(
    rows: impl Store,
    digests: &[Digest],
    shingles: &[u32],
    texts: &dyn Texts,
    search: &Search<'_>,
    order: Option<&[u32]>,
    control: &Control,
) -> Result<Found> {
    let mut clock = Clock::start(control, "copies");
    let class = classes(digests);
    clock.next("candidates");
    let proposed = propose(&rows, &class, search, control)?;
    let freed = rows.bytes();
    drop(rows);
    clock.next("verify");
    let shingler = search.shingler()?;
    let second = Second { search, shingler: &shingler, digests, shingles, memory: search.memory.max(freed) };
    let class = of_interest(class, proposed.documents(), search.old_from);
    let mut found = confirm(&second, texts, &proposed.pairs, class, &mut NoRecord, control)?;
    if !proposed.hot.is_empty() {
        clock.next("hot clusters");
        add_hot(&second, texts, &proposed.hot, order, &mut found, control)?;
    }
    found.seconds = clock.end();
    Ok(found)
}

/// The candidates of a search by signatures.
pub fn propose(store: &dyn Store, class: &[u32], search: &Search<'_>, control: &Control) -> Result<Candidates> {
    let members = firsts(class);
    let (bands, least) = match search.method {
        Method::Lsh { bands, least } => (bands.bands, least),
        Method::Signatures { least } => (0, least),
        Method::Brute | Method::Exact => return Ok(Candidates::default()),
    };
    let limits = search.limits_for(class.len());
    let asked = Asked { bands, least, members: &members, old_from: search.old_from, limits };
    if bands == 0 {
        return Ok(Candidates { pairs: all_pairs(store, &asked, control)?, hot: Vec::new() });
    }
    candidates(store, &asked, control)
}

/// The second read, and a third for supposed copies that are none.
pub fn confirm(
    second: &Second<'_>,
    texts: &dyn Texts,
    pairs: &[u64],
    mut class: Vec<u32>,
    record: &mut dyn Record,
    control: &Control,
) -> Result<Found> {
    let Verified { pairs: mut found, unlike, mut short } =
        second.read(texts, pairs, &copies(&class), record, control)?;
    let mut candidates = pairs.len();
    if !unlike.is_empty() {
        set_apart(&mut class, &unlike);
        let mut more = pairs_of_unlike(&unlike, pairs);
        once(&mut more);
        candidates += more.len();
        let more = second.read(texts, &more, &[], &mut NoRecord, control)?;
        short += more.short;
        found.extend(more.pairs);
        found.sort_unstable_by_key(|pair| (pair.a, pair.b));
    }
    Ok(Found { class, pairs: found, candidates, short, ..Found::default() })
}

/// The documents of pairs.
pub(crate) fn ends(pairs: &[Pair]) -> Vec<(u32, u32)> {
    pairs.iter().map(|pair| (pair.a, pair.b)).collect()
}

/// What is compared of some documents, in their order.
pub(crate) fn held(second: &Second<'_>, texts: &dyn Texts, documents: &[u32], control: &Control) -> Result<Vec<Held>> {
    read_again(texts, documents, control, |document, text, scratch| second.held(document, text, scratch, control))
}

/// The sets of some documents, in their order.
pub(crate) fn sets_of(
    second: &Second<'_>,
    texts: &dyn Texts,
    documents: &[u32],
    control: &Control,
) -> Result<Vec<Vec<u64>>> {
    read_again(texts, documents, control, |document, text, scratch| second.set(document, text, scratch, control))
}

/// What `make` makes of some documents, in their order.
fn read_again<T: Default + Send + Sync>(
    texts: &dyn Texts,
    documents: &[u32],
    control: &Control,
    make: impl Fn(u32, &str, &mut Scratch) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let mut wanted = documents.to_vec();
    wanted.sort_unstable();
    let place = |document: u32| wanted.binary_search(&document).expect("only what is wanted is given");
    let slots: Vec<OnceLock<T>> = wanted.iter().map(|_| OnceLock::new()).collect();
    texts.fetch(&wanted, control, &|document, text, scratch| {
        let _ = slots[place(document)].set(make(document, text, scratch)?);
        Ok(())
    })?;
    let came = slots.into_iter().map(|slot| slot.into_inner().ok_or_else(changed));
    let mut came: Vec<T> = came.collect::<Result<_>>()?;
    Ok(documents.iter().map(|&document| std::mem::take(&mut came[place(document)])).collect())
}
