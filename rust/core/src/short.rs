//! Pairs that reach the threshold only with passages that are too short to count: how many, and the closest.

use crate::strategy::Pair;

/// Pairs that are named; the others are counted only.
pub const NAMED: usize = 100;

/// Such pairs, scored as if every shared shingle counted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShortPairs {
    /// How many there are.
    pub count: usize,
    /// The closest with their scores, in no order: fewer than twice [`NAMED`].
    held: Vec<(f64, Pair)>,
}

impl ShortPairs {
    /// Count a pair, and hold it while it may be among the closest.
    pub fn add(&mut self, score: f64, pair: Pair) {
        self.count += 1;
        self.hold(score, pair);
    }

    /// Hold a pair that was counted before.
    pub fn hold(&mut self, score: f64, pair: Pair) {
        self.held.push((score, pair));
        if self.held.len() >= 2 * NAMED {
            self.cut();
        }
    }

    /// Add those of another part of the search.
    pub fn extend(&mut self, more: ShortPairs) {
        self.count += more.count;
        more.held.into_iter().for_each(|(score, pair)| self.hold(score, pair));
    }

    /// The closest pairs with their scores, the closest first: by score, then Jaccard, then in the order of the documents.
    pub fn closest(&self) -> Vec<(f64, Pair)> {
        let mut all = self.clone();
        all.cut();
        all.held
    }

    fn cut(&mut self) {
        self.held.sort_unstable_by(|(score, x), (other, y)| {
            let by_jaccard = y.overlap.jaccard().total_cmp(&x.overlap.jaccard());
            other.total_cmp(score).then(by_jaccard).then((x.a, x.b).cmp(&(y.a, y.b)))
        });
        self.held.truncate(NAMED);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jaccard::Overlap;

    #[test]
    fn the_closest_do_not_depend_on_the_order_and_the_parts() {
        let pair = |a: u32| {
            let overlap = Overlap { shared: 1 + a as usize % 331, a: 400, b: 500, union: 899 - a as usize % 331 };
            (overlap.containment_a(), Pair { a, b: a + 1, overlap })
        };
        let part = |range: std::ops::Range<u32>| {
            let mut part = ShortPairs::default();
            range.map(pair).for_each(|(score, pair)| part.add(score, pair));
            part
        };
        let all = part(0..1000);
        let mut parts = ShortPairs::default();
        (0..200).rev().for_each(|i| parts.extend(part(5 * i..5 * i + 5)));
        assert_eq!((all.count, parts.count), (1000, 1000));
        let closest = all.closest();
        assert_eq!(closest, parts.closest());
        assert_eq!((closest.len(), closest[0], closest[1]), (NAMED, pair(330), pair(661)));
    }
}
