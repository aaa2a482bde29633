//! The settings of a search, and when two documents are a pair.

use crate::bands::Bands;
use crate::candidates::Limits;
use crate::error::{Error, Result};
use crate::jaccard::{Metric, Overlap, overlap_at_least};
use crate::recipe::Recipe;
use crate::runs::{Held, Marks};
use crate::shingle::Shingler;

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
    /// Excluded shingles, the same for all documents.
    pub ignored: &'a [u64],
    /// Whether shingles that touch excluded text do not count.
    pub drops_excluded: bool,
    /// Units of the shortest passage that counts; None: every shared shingle does.
    pub min_units: Option<usize>,
    /// When clusters are hot; None: as the number of documents says.
    pub limits: Option<Limits>,
    /// Pairs of hot clusters to list, if that is more than the number of documents says.
    pub max_pairs: u64,
    /// Bytes of sets to hold at a time.
    pub memory: usize,
}

impl<'a> Search<'a> {
    /// A search for pairs by Jaccard similarity, with nothing excluded.
    pub fn new(recipe: &'a Recipe, threshold: f64, method: Method) -> Self {
        Search {
            recipe,
            metric: Metric::Jaccard,
            threshold,
            method,
            old_from: usize::MAX,
            ignored: &[],
            drops_excluded: false,
            min_units: None,
            limits: None,
            max_pairs: 0,
            memory: 256 << 20,
        }
    }

    /// What makes the shingles.
    pub fn shingler(&self) -> Result<Shingler> {
        let shingler =
            Shingler::new(self.recipe)?.ignoring(self.ignored.iter().copied()).dropping_excluded(self.drops_excluded);
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

    /// The pair if it still reaches the threshold when only long passages count, if that is required.
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
        self.limits.unwrap_or_else(|| Limits::of(documents).raised(self.max_pairs))
    }
}
