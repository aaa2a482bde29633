//! From many documents to verified pairs, by each of the four methods. All give the same pairs in the same form, up to the
//! recall that `Lsh` and `Signatures` promise.

use crate::bands::{Bands, KeyKind, Signatures, candidates};
use crate::batch::{Control, Digest, digest, sets, sign};
use crate::error::{Error, Result};
use crate::jaccard::Overlap;
use crate::prefix::{self, verify};
use crate::recipe::Recipe;
use crate::shingle::{Scratch, Shingler};
use crate::sketch::agreeing;

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// For each document the first one with the same shingles in the same numbers; itself if there is none before it.
    pub class: Vec<u32>,
    /// Pairs between such firsts, sorted.
    pub pairs: Vec<Pair>,
    /// Candidates that were verified.
    pub candidates: usize,
}

/// Find all pairs at or above `threshold`.
pub fn find(texts: &[&str], recipe: &Recipe, threshold: f64, method: Method, control: &Control) -> Result<Found> {
    if texts.len() >= u32::MAX as usize {
        return Err(Error::TooLarge(format!("{} documents: one search holds at most {}", texts.len(), u32::MAX - 1)));
    }
    if !(threshold > 0.0 && threshold <= 1.0) {
        return Err(Error::Setting {
            field: "threshold",
            given: threshold.to_string(),
            allowed: "above 0 and at most 1".into(),
        });
    }
    match method {
        Method::Brute | Method::Exact => find_by_sets(texts, recipe, threshold, method, control),
        Method::Signatures { .. } | Method::Lsh { .. } => find_by_signatures(texts, recipe, threshold, method, control),
    }
}

fn find_by_sets(texts: &[&str], recipe: &Recipe, threshold: f64, method: Method, control: &Control) -> Result<Found> {
    let shingler = Shingler::new(recipe)?;
    let digests = digests(texts, &shingler, control)?;
    let class = classes(texts, &digests, &shingler, control)?;
    let members = firsts(&class);
    let sets = sets(texts, &wanted(texts.len(), members.iter().copied()), recipe, control)?;
    if method == Method::Exact {
        let pairs = prefix::join(&sets, &members, threshold, control)?;
        return Ok(Found { class, candidates: pairs.len(), pairs });
    }
    let found = control.parts(
        members.len(),
        16,
        || (),
        |(), part| {
            let mut out = Vec::new();
            for i in part {
                control.check()?;
                out.extend(members[i + 1..].iter().filter_map(|&y| verify(&sets, members[i], y, threshold)));
            }
            Ok(out)
        },
    )?;
    let candidates = members.len() * members.len().saturating_sub(1) / 2;
    Ok(Found { class, pairs: found.into_iter().flatten().collect(), candidates })
}

fn find_by_signatures(
    texts: &[&str],
    recipe: &Recipe,
    threshold: f64,
    method: Method,
    control: &Control,
) -> Result<Found> {
    let (values, digests) = sign(texts, recipe, control)?;
    let class = classes(texts, &digests, &Shingler::new(recipe)?, control)?;
    let members = firsts(&class);
    let signatures = Signatures { values: &values, hashes: recipe.hashes };
    let proposed = match method {
        Method::Lsh { bands, least } => {
            let enough = |a: &[u32], b: &[u32]| agreeing(a, b) >= least;
            candidates(signatures, bands, KeyKind::Mix64, &members, control, enough)?
        }
        Method::Signatures { least } => all_by_signature(signatures, &members, least, control)?,
        Method::Brute | Method::Exact => Vec::new(),
    };
    let needed = wanted(texts.len(), proposed.iter().flat_map(|&(a, b)| [a, b]));
    let sets = sets(texts, &needed, recipe, control)?;
    let found = control.parts(
        proposed.len(),
        1024,
        || (),
        |(), part| {
            control.check()?;
            Ok(proposed[part].iter().filter_map(|&(a, b)| verify(&sets, a, b, threshold)).collect::<Vec<_>>())
        },
    )?;
    Ok(Found { class, pairs: found.into_iter().flatten().collect(), candidates: proposed.len() })
}

fn all_by_signature(
    signatures: Signatures<'_>,
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

fn wanted(documents: usize, which: impl Iterator<Item = u32>) -> Vec<bool> {
    let mut wanted = vec![false; documents];
    which.for_each(|i| wanted[i as usize] = true);
    wanted
}

fn digests(texts: &[&str], shingler: &Shingler, control: &Control) -> Result<Vec<Digest>> {
    let mut out = vec![(0, 0); texts.len()];
    control.fill(&mut out, 1, Scratch::default, |scratch, i, slot| {
        slot[0] = digest(shingler, texts[i], scratch);
        Ok(())
    })?;
    Ok(out)
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
