//! Verified pairs as columns: those above a threshold, the closest, the score of any two documents, and the pairs of
//! exact duplicates, which a search treats as one document and a reader sees one by one.

use crate::groups::Lists;

/// Pairs, column by column; a is the lesser number, and pairs are sorted by a, then b.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pairs {
    /// The document with the lesser number.
    pub a: Vec<u32>,
    /// The other.
    pub b: Vec<u32>,
    /// Jaccard similarity.
    pub jaccard: Vec<f64>,
    /// The share of a that is in b.
    pub containment_a: Vec<f64>,
    /// The share of b that is in a.
    pub containment_b: Vec<f64>,
}

/// Which score is compared with a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Jaccard.
    Jaccard,
    /// The larger of the two containments.
    Containment,
}

impl Pairs {
    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.a.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.a.is_empty()
    }

    /// The score of a pair.
    pub fn score(&self, i: usize, by: By) -> f64 {
        match by {
            By::Jaccard => self.jaccard[i],
            By::Containment => self.containment_a[i].max(self.containment_b[i]),
        }
    }

    /// The pairs at these places, in this order.
    pub fn take(&self, places: impl Iterator<Item = usize> + Clone) -> Pairs {
        Pairs {
            a: places.clone().map(|i| self.a[i]).collect(),
            b: places.clone().map(|i| self.b[i]).collect(),
            jaccard: places.clone().map(|i| self.jaccard[i]).collect(),
            containment_a: places.clone().map(|i| self.containment_a[i]).collect(),
            containment_b: places.map(|i| self.containment_b[i]).collect(),
        }
    }

    /// The pairs at or above a threshold.
    pub fn at_least(&self, threshold: f64, by: By) -> Pairs {
        self.take((0..self.len()).filter(|&i| self.score(i, by) >= threshold))
    }

    /// The `n` closest pairs: by score, then Jaccard, then place.
    pub fn closest(&self, n: usize, by: By) -> Pairs {
        let order = |&x: &usize, &y: &usize| {
            let by_score = self.score(y, by).total_cmp(&self.score(x, by));
            by_score.then_with(|| self.jaccard[y].total_cmp(&self.jaccard[x])).then(x.cmp(&y))
        };
        let mut places: Vec<usize> = (0..self.len()).collect();
        if n < places.len() {
            if n > 0 {
                places.select_nth_unstable_by(n - 1, order);
            }
            places.truncate(n);
        }
        places.sort_unstable_by(order);
        self.take(places.iter().copied())
    }

    /// The score of each two documents x and y, where `class` names the first of each document's copies: 1 between copies,
    /// NaN where there is no pair.
    pub fn between(&self, class: &[u32], x: &[u32], y: &[u32], by: By) -> Vec<f64> {
        let starts = self.starts(class.len());
        let score = |(&x, &y): (&u32, &u32)| {
            let (x, y) = (class[x as usize], class[y as usize]);
            if x == y {
                return 1.0;
            }
            let range = starts[x.min(y) as usize]..starts[x.min(y) as usize + 1];
            let found = self.b[range.clone()].binary_search(&x.max(y));
            found.map_or(f64::NAN, |at| self.score(range.start + at, by))
        };
        x.iter().zip(y).map(score).collect()
    }

    /// Where the pairs of each first document begin, and the end.
    fn starts(&self, documents: usize) -> Vec<usize> {
        let mut starts = vec![0; documents + 1];
        for &a in &self.a {
            starts[a as usize + 1] += 1;
        }
        for i in 0..documents {
            starts[i + 1] += starts[i];
        }
        starts
    }

    /// The pairs with those of copies beside them; of two documents from `old_from` on there is none. If copies add more
    /// than `most` pairs, each is listed with the first of its kind only, and the second value is false.
    pub fn with_copies(&self, class: &[u32], old_from: usize, most: i64) -> (Pairs, bool) {
        if class.iter().enumerate().all(|(document, &first)| first as usize == document) {
            return (self.take((0..self.len()).filter(|&i| (self.a[i] as usize) < old_from)), true);
        }
        let kinds = Kinds::new(class, old_from);
        let all = self.added(&kinds) <= i128::from(most);
        let mut rows: Vec<Row> = Vec::with_capacity(self.len());
        for i in 0..self.len() {
            let (a, b) = (self.a[i], self.b[i]);
            if all {
                for &x in kinds.members(a) {
                    rows.extend(kinds.members(b).iter().map(|&y| Row::of(x, y, i as u32)));
                }
            } else {
                rows.push(Row::of(a, b, i as u32));
            }
        }
        for (document, &first) in class.iter().enumerate() {
            if all {
                let later = kinds.members(document as u32).iter().filter(|&&y| y > document as u32);
                rows.extend(later.map(|&y| Row::of(document as u32, y, COPIES)));
            } else if first as usize != document {
                rows.push(Row::of(first, document as u32, COPIES));
            }
        }
        rows.retain(|row| ((row.ends >> 32) as usize) < old_from);
        rows.sort_unstable_by_key(|row| row.ends);
        (self.rows(class, &rows), all)
    }

    /// How many pairs copies would add, two old ones excepted.
    fn added(&self, kinds: &Kinds) -> i128 {
        let two = |n: i128| n * (n - 1) / 2;
        let mut total = 0;
        for kind in 0..kinds.class.len() as u32 {
            if kinds.class[kind as usize] == kind {
                let (all, old) = kinds.sizes(kind);
                total += two(all) - two(old);
            }
        }
        for (&a, &b) in self.a.iter().zip(&self.b) {
            let ((all_a, old_a), (all_b, old_b)) = (kinds.sizes(a), kinds.sizes(b));
            if all_a > 1 || all_b > 1 {
                total += all_a * all_b - old_a * old_b - 1;
            }
        }
        total
    }

    fn rows(&self, class: &[u32], rows: &[Row]) -> Pairs {
        let score = |row: &Row, straight: &[f64], turned: &[f64]| {
            let Some(&a) = self.a.get(row.pair as usize) else { return 1.0 };
            if class[(row.ends >> 32) as usize] == a { straight[row.pair as usize] } else { turned[row.pair as usize] }
        };
        let column = |straight: &[f64], turned: &[f64]| rows.iter().map(|row| score(row, straight, turned)).collect();
        Pairs {
            a: rows.iter().map(|row| (row.ends >> 32) as u32).collect(),
            b: rows.iter().map(|row| row.ends as u32).collect(),
            jaccard: column(&self.jaccard, &self.jaccard),
            containment_a: column(&self.containment_a, &self.containment_b),
            containment_b: column(&self.containment_b, &self.containment_a),
        }
    }
}

/// Stands for the pair of a row of two copies.
const COPIES: u32 = u32::MAX;

/// Two documents, packed, and the pair of which they are copies.
struct Row {
    ends: u64,
    pair: u32,
}

impl Row {
    fn of(x: u32, y: u32, pair: u32) -> Row {
        Row { ends: u64::from(x.min(y)) << 32 | u64::from(x.max(y)), pair }
    }
}

/// The documents of each kind.
struct Kinds<'a> {
    class: &'a [u32],
    members: Lists,
    old_from: usize,
}

impl<'a> Kinds<'a> {
    fn new(class: &'a [u32], old_from: usize) -> Self {
        let members = Lists::new(class.len(), class.iter().enumerate().map(|(i, &c)| (c, i as u32)));
        Kinds { class, members, old_from }
    }

    /// All copies of a document, itself included, in order.
    fn members(&self, document: u32) -> &[u32] {
        self.members.of(self.class[document as usize])
    }

    /// How many copies there are, and how many of them are old.
    fn sizes(&self, document: u32) -> (i128, i128) {
        let members = self.members(document);
        let new = members.partition_point(|&member| (member as usize) < self.old_from);
        (members.len() as i128, (members.len() - new) as i128)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(rows: &[(u32, u32, f64, f64, f64)]) -> Pairs {
        let mut pairs = Pairs::default();
        for &(a, b, jaccard, containment_a, containment_b) in rows {
            pairs.a.push(a);
            pairs.b.push(b);
            pairs.jaccard.push(jaccard);
            pairs.containment_a.push(containment_a);
            pairs.containment_b.push(containment_b);
        }
        pairs
    }

    #[test]
    fn the_closest_come_first_and_equal_ones_in_their_order() {
        let pairs = made(&[(0, 1, 0.5, 0.6, 0.9), (0, 2, 0.7, 0.8, 0.8), (1, 2, 0.5, 0.9, 0.5)]);
        assert_eq!(pairs.closest(2, By::Jaccard), made(&[(0, 2, 0.7, 0.8, 0.8), (0, 1, 0.5, 0.6, 0.9)]));
        assert_eq!(pairs.closest(9, By::Containment).b, [1, 2, 2]);
        assert!(pairs.closest(0, By::Jaccard).is_empty());
        assert_eq!(pairs.at_least(0.9, By::Containment).a, [0, 1]);
    }

    #[test]
    fn any_two_documents_have_a_score_or_none() {
        let pairs = made(&[(0, 2, 0.7, 0.8, 0.9)]);
        let scores = pairs.between(&[0, 0, 2, 3], &[0, 1, 1, 3], &[1, 2, 3, 3], By::Jaccard);
        assert_eq!(scores[..2], [1.0, 0.7]);
        assert!(scores[2].is_nan());
        assert_eq!(scores[3], 1.0);
    }

    #[test]
    fn copies_come_back_as_documents_of_their_own() {
        let pairs = made(&[(0, 1, 0.5, 0.6, 0.7)]);
        let class = [0, 1, 0, 1];
        let (all, listed) = pairs.with_copies(&class, 4, 10);
        assert!(listed);
        assert_eq!(
            all.a.iter().zip(&all.b).map(|(&a, &b)| (a, b)).collect::<Vec<_>>(),
            [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
        );
        assert_eq!(all.jaccard, [0.5, 1.0, 0.5, 0.5, 1.0, 0.5]);
        assert_eq!(all.containment_a, [0.6, 1.0, 0.6, 0.7, 1.0, 0.6]);
        let (few, listed) = pairs.with_copies(&class, 4, 4);
        assert!(!listed);
        assert_eq!(few.b, [1, 2, 3]);
        assert_eq!(pairs.with_copies(&class, 2, 10).0.len(), 5); // (2, 3) are both old
    }

    #[test]
    fn a_million_copies_are_not_written_out() {
        let class = vec![0; 1_000_000];
        let (pairs, all) = Pairs::default().with_copies(&class, class.len(), 1_000_000);
        assert!(!all);
        assert_eq!(pairs.len(), 999_999);
    }
}
