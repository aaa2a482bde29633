//! Exact similarity of two documents.

/// What two sorted sets have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overlap {
    /// Elements in both.
    pub shared: usize,
    /// Elements of the first.
    pub a: usize,
    /// Elements of the second.
    pub b: usize,
    /// Elements of either.
    pub union: usize,
}

impl Overlap {
    fn of(shared: usize, a: usize, b: usize) -> Self {
        Overlap { shared, a, b, union: a + b - shared }
    }

    /// |A ∩ B| / |A ∪ B|; two empty sets are equal.
    pub fn jaccard(self) -> f64 {
        share(self.shared, self.union)
    }
    /// Share of the first that is in the second.
    pub fn containment_a(self) -> f64 {
        share(self.shared, self.a)
    }
    /// Share of the second that is in the first.
    pub fn containment_b(self) -> f64 {
        share(self.shared, self.b)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// What a threshold is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// |A ∩ B| / |A ∪ B|.
    Jaccard,
    /// |A ∩ B| / |the smaller|: how much of the one is in the other.
    Containment,
}

impl Metric {
    /// The score of an overlap.
    pub fn score(self, overlap: Overlap) -> f64 {
        match self {
            Metric::Jaccard => overlap.jaccard(),
            Metric::Containment => overlap.containment_a().max(overlap.containment_b()),
        }
    }

    /// The least overlap with which sets of these sizes can reach `threshold`, one lower where rounding is in doubt.
    #[inline(always)]
    pub fn least_overlap(self, a: usize, b: usize, threshold: f64) -> usize {
        let bound = match self {
            Metric::Jaccard => threshold / (1.0 + threshold) * (a + b) as f64,
            Metric::Containment => threshold * a.min(b) as f64,
        };
        (bound - 1e-6).ceil().max(0.0) as usize
    }
}

/// Merge two sorted sets of distinct elements.
pub fn overlap(a: &[u64], b: &[u64]) -> Overlap {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        shared += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    Overlap::of(shared, a.len(), b.len())
}

/// Like [`overlap`], but gives up as soon as `threshold` is out of reach. The final word is the division itself, so that
/// 4/5 is found at 0.8.
pub fn overlap_at_least(a: &[u64], b: &[u64], metric: Metric, threshold: f64) -> Option<Overlap> {
    let need = metric.least_overlap(a.len(), b.len(), threshold);
    if need > a.len().min(b.len()) {
        return None;
    }
    // Elements that may still be missed on each side before `need` is out of reach.
    let (spare_a, spare_b) = (a.len() - need, b.len() - need);
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        shared += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
        if i - shared > spare_a || j - shared > spare_b {
            return None;
        }
    }
    let found = Overlap::of(shared, a.len(), b.len());
    (metric.score(found) >= threshold).then_some(found)
}

/// Sums over the counts of shingles, for bags, cosine and Euclidean distance (docs/primer.md §3).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Counts {
    /// Σ min(count in A, count in B).
    pub least: u64,
    /// Σ max(count in A, count in B).
    pub most: u64,
    /// Σ count in A × count in B.
    pub product: f64,
    /// Σ (count in A)².
    pub squares_a: f64,
    /// Σ (count in B)².
    pub squares_b: f64,
}

/// Merge two sorted sequences with repeats.
pub fn counts(a: &[u64], b: &[u64]) -> Counts {
    let (mut i, mut j) = (0, 0);
    let mut sums = Counts::default();
    while i < a.len() || j < b.len() {
        let x = match (a.get(i), b.get(j)) {
            (Some(&x), Some(&y)) => x.min(y),
            (Some(&x), None) | (None, Some(&x)) => x,
            (None, None) => break,
        };
        let run = |s: &[u64], from: usize| s[from..].iter().take_while(|&&y| y == x).count();
        let (na, nb) = (run(a, i), run(b, j));
        (i, j) = (i + na, j + nb);
        sums.least += na.min(nb) as u64;
        sums.most += na.max(nb) as u64;
        sums.product += na as f64 * nb as f64;
        sums.squares_a += (na as f64).powi(2);
        sums.squares_b += (nb as f64).powi(2);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn worked_examples() {
        let o = overlap(&[0, 1, 2, 5, 6], &[0, 2, 3, 4, 5, 7, 9]);
        assert_eq!((o.shared, o.jaccard()), (3, 1.0 / 3.0));
        let c = counts(&[1, 1, 1, 2], &[1, 1, 2, 2, 3]);
        assert_eq!((c.least, c.most), (3, 6));
        assert_eq!(overlap(&[], &[]).jaccard(), 1.0);
    }

    proptest! {
        #[test]
        fn giving_up_early_loses_nothing(
            a in prop::collection::btree_set(0..60u64, 0..40),
            b in prop::collection::btree_set(0..60u64, 0..40),
            t in 1..=20u32,
        ) {
            let threshold = f64::from(t) / 20.0;
            let (x, y): (Vec<_>, Vec<_>) = (a.iter().copied().collect(), b.iter().copied().collect());
            let whole = overlap(&x, &y);
            prop_assert_eq!(whole.shared, a.intersection(&b).collect::<BTreeSet<_>>().len());
            for metric in [Metric::Jaccard, Metric::Containment] {
                let expected = (metric.score(whole) >= threshold).then_some(whole);
                prop_assert_eq!(overlap_at_least(&x, &y, metric, threshold), expected);
            }
        }
    }
}
