//! From many documents to verified pairs, by each of the four methods. All give the same pairs in the same form, up to the
//! recall that `Lsh` and `Signatures` promise.

use std::time::Instant;

use crate::bands::{Bands, KeyKind, Signatures, candidates};
use crate::batch::{Control, Digest, Signed, digested_sets, sign};
use crate::containment;
use crate::error::{Error, Result};
use crate::jaccard::{Metric, Overlap, overlap_at_least};
use crate::prefix;
use crate::recipe::Recipe;
use crate::shingle::{Scratch, Shingler};
use crate::sketch::agreeing;
use crate::verify::verify;

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
#[derive(Debug, Clone)]
pub struct Found {
    /// For each document the first one with the same shingles in the same numbers; itself if there is none before it.
    pub class: Vec<u32>,
    /// Pairs between such firsts, sorted.
    pub pairs: Vec<Pair>,
    /// Candidates that were verified.
    pub candidates: usize,
    /// How long each stage took.
    pub seconds: Vec<(&'static str, f64)>,
}

/// Times the stages of a search.
struct Clock<'a> {
    control: &'a Control,
    began: Instant,
    stage: &'static str,
    seconds: Vec<(&'static str, f64)>,
}

impl<'a> Clock<'a> {
    fn start(control: &'a Control, stage: &'static str) -> Self {
        control.begin(stage);
        Clock { control, began: Instant::now(), stage, seconds: Vec::new() }
    }

    /// The next stage begins.
    fn next(&mut self, stage: &'static str) {
        self.seconds.push((self.stage, self.began.elapsed().as_secs_f64()));
        (self.began, self.stage) = (Instant::now(), stage);
        self.control.begin(stage);
    }

    /// The last stage has ended.
    fn end(mut self) -> Vec<(&'static str, f64)> {
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
}

impl Search<'_> {
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

    fn check(&self, documents: usize) -> Result<()> {
        if documents >= u32::MAX as usize {
            return Err(Error::TooLarge(format!("{documents} documents: one search holds at most {}", u32::MAX - 1)));
        }
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
}

/// Find all pairs that a search looks for. What is already signed, by the same recipe and without the same ignored
/// shingles, must be the first of the texts; the others are signed here, if the method needs that.
pub fn find(texts: &[&str], signed: Vec<Signed>, search: &Search<'_>, control: &Control) -> Result<Found> {
    search.check(texts.len())?;
    let shingler = Shingler::new(search.recipe)?.ignoring(search.ignored.iter().copied());
    match search.method {
        Method::Brute | Method::Exact => find_by_sets(texts, search, &shingler, control),
        Method::Signatures { .. } | Method::Lsh { .. } => find_by_signatures(texts, signed, search, &shingler, control),
    }
}

fn find_by_sets(texts: &[&str], search: &Search<'_>, shingler: &Shingler, control: &Control) -> Result<Found> {
    let mut clock = Clock::start(control, "sets");
    let (digests, mut sets) = digested_sets(texts, shingler, control)?;
    clock.next("copies");
    let class = classes(texts, &digests, shingler, control)?;
    let members = firsts(&class);
    for &member in &members {
        // Nothing in it, or, which nobody has seen, the digest of another without being its copy.
        if sets[member as usize].is_empty() {
            sets[member as usize] = shingler.set(texts[member as usize], &mut Scratch::default(), control)?;
        }
    }
    clock.next("join");
    let (pairs, candidates) = match (search.method, search.metric) {
        (Method::Exact, Metric::Jaccard) => prefix::join(&sets, &members, search, control)?,
        (Method::Exact, Metric::Containment) => containment::join(&sets, &members, search, control)?,
        _ => (all_pairs(&sets, &members, search, control)?, members.len() * members.len().saturating_sub(1) / 2),
    };
    Ok(Found { class, candidates, pairs, seconds: clock.end() })
}

fn all_pairs(sets: &[Vec<u64>], members: &[u32], search: &Search<'_>, control: &Control) -> Result<Vec<Pair>> {
    let found = control.parts(
        members.len(),
        16,
        || (),
        |(), part| {
            let mut out = Vec::new();
            for i in part {
                control.check()?;
                out.extend(members[i + 1..].iter().filter_map(|&y| search.verify(sets, members[i], y)));
            }
            Ok(out)
        },
    )?;
    Ok(found.into_iter().flatten().collect())
}

fn find_by_signatures(
    texts: &[&str],
    mut signed: Vec<Signed>,
    search: &Search<'_>,
    shingler: &Shingler,
    control: &Control,
) -> Result<Found> {
    let mut clock = Clock::start(control, "sign");
    let had: usize = signed.iter().map(|part| part.digests.len()).sum();
    let unsigned =
        texts.get(had..).ok_or_else(|| Error::TooLarge(format!("{had} signatures of {} texts", texts.len())))?;
    signed.push(sign(unsigned, shingler, search.recipe, control)?);
    clock.next("copies");
    let digests: Vec<Digest> = signed.iter().flat_map(|part| &part.digests).copied().collect();
    let class = classes(texts, &digests, shingler, control)?;
    clock.next("candidates");
    let members = firsts(&class);
    let signatures = Signatures::of(signed.iter().map(|part| &part.signatures[..]), search.recipe.hashes);
    let proposed = match search.method {
        Method::Lsh { bands, least } => {
            let enough = |a: &[u32], b: &[u32]| agreeing(a, b) >= least;
            candidates(&signatures, bands, KeyKind::Mix64, &members, search.old_from, control, enough)?
        }
        Method::Signatures { least } => all_by_signature(&signatures, &members, least, control)?,
        Method::Brute | Method::Exact => Vec::new(),
    };
    drop(signatures);
    drop(signed);
    clock.next("verify");
    let candidates = proposed.len();
    let pairs = verify(texts, proposed, search, shingler, control)?;
    Ok(Found { class, pairs, candidates, seconds: clock.end() })
}

fn all_by_signature(
    signatures: &Signatures<'_>,
    members: &[u32],
    least: usize,
    control: &Control,
) -> Result<Vec<(u32, u32)>> {
    let found = control.parts(
        members.len(),
        16,
        || (),
        |(), part| {
            let mut out = Vec::new();
            for i in part {
                control.check()?;
                let (x, a) = (members[i], signatures.row(members[i]));
                let rest = members[i + 1..].iter();
                out.extend(rest.filter(|&&y| agreeing(a, signatures.row(y)) >= least).map(|&y| (x, y)));
            }
            Ok(out)
        },
    )?;
    Ok(found.into_iter().flatten().collect())
}

fn firsts(class: &[u32]) -> Vec<u32> {
    (0..class.len() as u32).filter(|&i| class[i as usize] == i).collect()
}

/// Copies: documents with the same digest, confirmed by comparing their shingles. Linear in the number of documents: each
/// is compared with the first of its class only.
fn classes(texts: &[&str], digests: &[Digest], shingler: &Shingler, control: &Control) -> Result<Vec<u32>> {
    let mut order: Vec<u32> = (0..texts.len() as u32).collect();
    order.sort_unstable_by_key(|&i| (digests[i as usize], i));
    let mut first_of: Vec<u32> = (0..texts.len() as u32).collect();
    for run in order.chunk_by(|&x, &y| digests[x as usize] == digests[y as usize]) {
        run.iter().for_each(|&i| first_of[i as usize] = run[0]);
    }
    let mut class = first_of.clone();
    control.fill(&mut class, 1, Scratch::default, |scratch, i, slot| {
        let first = first_of[i] as usize;
        if texts[first] != texts[i] && !same_shingles(shingler, texts[first], texts[i], scratch) {
            slot[0] = i as u32;
        }
        Ok(())
    })?;
    Ok(class)
}

fn same_shingles(shingler: &Shingler, a: &str, b: &str, scratch: &mut Scratch) -> bool {
    let (mut x, mut y) = (shingler.sequence(a, scratch), shingler.sequence(b, scratch));
    x == y || {
        x.sort_unstable();
        y.sort_unstable();
        x == y
    }
}
