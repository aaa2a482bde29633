//! From what was kept of all documents to verified pairs, by each of the four methods. All give the same pairs in the same
//! form, up to the recall that `Lsh` and `Signatures` promise.

use std::time::Instant;

use crate::bands::Bands;
use crate::candidates::{Asked, Candidates, Limits, Store, all_pairs, candidates, once, pack};
use crate::control::Control;
use crate::copies::{classes, copies, firsts, of_interest, pairs_of_unlike, set_apart};
use crate::error::{Error, Result};
use crate::exact;
use crate::intake::Kept;
use crate::jaccard::{Metric, Overlap, overlap_at_least};
use crate::prefix::Joined;
use crate::recipe::Recipe;
use crate::shingle::Shingler;
use crate::sign::Digest;
use crate::stars::{Held, Listed, Stars};
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
        Ok(if self.min_units.is_some() { shingler.with_units() } else { shingler })
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

    /// The pair if it reaches the threshold although it shares only so much.
    pub fn with_shared(&self, pair: Pair, shared: usize) -> Option<Pair> {
        // What lies in no long passage adds nothing to the score, but stays part of the whole.
        let overlap = Overlap { shared, ..pair.overlap };
        (self.metric.score(overlap) >= self.threshold).then_some(Pair { overlap, ..pair })
    }

    /// Refuse settings that no search can have.
    pub fn check(&self) -> Result<()> {
        let wrong = |field, given: String, allowed: &str| Err(Error::Setting { field, given, allowed: allowed.into() });
        if !(self.threshold > 0.0 && self.threshold <= 1.0) {
            return wrong("threshold", self.threshold.to_string(), "above 0 and at most 1");
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

/// Add the pairs of hot documents.
pub fn add_hot(
    second: &Second<'_>,
    texts: &dyn Texts,
    hot: &[u32],
    order: Option<&[u32]>,
    found: &mut Found,
    control: &Control,
) -> Result<()> {
    let listed = hot_pairs(second, texts, hot, order, &found.class, &ends(&found.pairs), control)?;
    found.candidates += listed.verified;
    found.in_part = listed.in_part;
    found.hot = if listed.complete { 0 } else { hot.len() };
    found.pairs.extend(listed.pairs);
    found.pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
    found.pairs.dedup_by_key(|pair| (pair.a, pair.b));
    Ok(())
}

fn join_hot(
    second: &Second<'_>,
    texts: &dyn Texts,
    hot: &[u32],
    documents: usize,
    control: &Control,
) -> Result<Option<Joined>> {
    let mut sets = vec![Vec::new(); documents];
    hot.iter().zip(held(second, texts, hot, control)?).for_each(|(&d, held)| sets[d as usize] = held.set);
    let joined = exact::join(&sets, hot, second.search, second.search.limits_for(documents), control)?;
    match joined {
        Some(joined) if second.search.min_units.is_some() => {
            let packed: Vec<u64> = joined.pairs.iter().map(|p| pack(p.a, p.b)).collect();
            let pairs = second.read(texts, &packed, &[], &mut NoRecord, control)?.pairs;
            Ok(Some(Joined { pairs, ..joined }))
        }
        other => Ok(other),
    }
}

/// The pairs of hot documents with each other: all of them by an exact join, or, if that is too much, those that they
/// have in their clusters. `pairs` are those with other documents, which are verified.
pub fn hot_pairs(
    second: &Second<'_>,
    texts: &dyn Texts,
    hot: &[u32],
    order: Option<&[u32]>,
    class: &[u32],
    pairs: &[(u32, u32)],
    control: &Control,
) -> Result<Listed> {
    let size: usize = hot.iter().map(|&d| 8 * second.shingles[d as usize] as usize).sum();
    if size <= second.memory
        && let Some(joined) = join_hot(second, texts, hot, class.len(), control)?
    {
        return Ok(Listed { pairs: joined.pairs, verified: joined.verified, in_part: 0, complete: true });
    }
    let sets_of = |documents: &[u32]| held(second, texts, documents, control);
    cluster(second, hot, order, class, pairs, &sets_of, control)
}

/// The documents of pairs.
pub(crate) fn ends(pairs: &[Pair]) -> Vec<(u32, u32)> {
    pairs.iter().map(|pair| (pair.a, pair.b)).collect()
}

/// Compare hot documents with representatives.
pub(crate) fn cluster(
    second: &Second<'_>,
    hot: &[u32],
    order: Option<&[u32]>,
    class: &[u32],
    pairs: &[(u32, u32)],
    sets_of: &crate::stars::SetsOf<'_>,
    control: &Control,
) -> Result<Listed> {
    let mut is_hot = vec![false; class.len()];
    hot.iter().for_each(|&d| is_hot[d as usize] = true);
    let order = order_of_classes(class, order);
    let search = second.search;
    let mut old = vec![false; class.len()];
    class.iter().skip(search.old_from).for_each(|&first| old[first as usize] = true);
    let stars = Stars { search, order: &order, hot: &is_hot, old: &old, pairs, memory: search.memory };
    let verify = |a: u32, x: &Held, b: u32, y: &Held| {
        let pair = search.verify_sets(a, b, &x.set, &y.set)?;
        match (search.min_units, &x.text, &y.text) {
            (Some(least), Some(x), Some(y)) => {
                let mut scratch = crate::shingle::Scratch::default();
                let shared = second.shingler.shared_in_long_runs(x, y, least, &mut scratch, control).ok()?;
                search.with_shared(pair, shared)
            }
            _ => Some(pair),
        }
    };
    stars.join(sets_of, &verify, control)
}

/// The first of each class, where the first of its documents stands in the order.
fn order_of_classes(class: &[u32], order: Option<&[u32]>) -> Vec<u32> {
    let Some(order) = order else { return firsts(class) };
    let mut seen = vec![false; class.len()];
    let unseen = |first: &u32| !std::mem::replace(&mut seen[*first as usize], true);
    order.iter().map(|&d| class[d as usize]).filter(unseen).collect()
}

/// The sets of some documents, in their order.
pub(crate) fn held(second: &Second<'_>, texts: &dyn Texts, documents: &[u32], control: &Control) -> Result<Vec<Held>> {
    let mut wanted = documents.to_vec();
    wanted.sort_unstable();
    let slots: Vec<std::sync::OnceLock<Held>> = wanted.iter().map(|_| std::sync::OnceLock::new()).collect();
    texts.fetch(&wanted, control, &|document, text, scratch| {
        let set = second.set(document, text, scratch, control)?;
        let text = second.search.min_units.map(|_| text.into());
        let place = wanted.binary_search(&document).expect("only what is wanted is given");
        let _ = slots[place].set(Held { set, text });
        Ok(())
    })?;
    let came = slots.into_iter().map(|slot| slot.into_inner().ok_or_else(changed));
    let mut slots: Vec<Held> = came.collect::<Result<_>>()?;
    let place = |document: &u32| wanted.binary_search(document).expect("all of them are wanted");
    Ok(documents.iter().map(|document| std::mem::take(&mut slots[place(document)])).collect())
}
