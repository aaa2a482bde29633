//! From verified pairs to clusters, each with a representative (in code: groups, and the principal of each).

/// Connected components: documents joined by a chain of pairs. Gives for each document the least number of its group.
pub fn linked(documents: usize, pairs: impl IntoIterator<Item = (u32, u32)>) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..documents as u32).collect();
    for (a, b) in pairs {
        let (x, y) = (root(&mut parent, a), root(&mut parent, b));
        // The lesser number becomes the root, so the answer does not depend on the order of pairs.
        parent[x.max(y) as usize] = x.min(y);
    }
    (0..documents as u32).map(|i| root(&mut parent, i)).collect()
}

/// Root of `i`, halving its path on the way.
fn root(parent: &mut [u32], mut i: u32) -> u32 {
    while parent[i as usize] != i {
        parent[i as usize] = parent[parent[i as usize] as usize];
        i = parent[i as usize];
    }
    i
}

/// Stars: documents are taken by `order`; one that has no principal yet becomes one, and takes those of its partners that
/// have none. So every member was verified against its principal. Gives for each document its principal.
///
/// `class` names for each document the first of its copies (itself if it has none); pairs are between such firsts, and a
/// partner brings all its copies. A class that has been taken whole is not walked again, so copies cost linear time.
pub fn star(class: &[u32], pairs: &[(u32, u32)], order: &[u32]) -> Vec<u32> {
    const FREE: u32 = u32::MAX;
    let documents = class.len();
    let copies = Lists::new(documents, class.iter().enumerate().map(|(i, &c)| (c, i as u32)));
    let partners = Lists::new(documents, pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]));
    let mut principal = vec![FREE; documents];
    let mut taken = vec![false; documents]; // by class
    for &p in order {
        if principal[p as usize] != FREE {
            continue;
        }
        let own = class[p as usize];
        for &c in std::iter::once(&own).chain(partners.of(own)) {
            if std::mem::replace(&mut taken[c as usize], true) {
                continue;
            }
            for &member in copies.of(c) {
                principal[member as usize] = p;
            }
        }
    }
    principal
}

/// [`linked`] groups and the principal of each document: of the documents from `old_from` on, which are old, the one that
/// `order` names first; of a group without any, the new one. A document and its copies, by `class`, are in one group.
pub fn linked_by(class: &[u32], pairs: &[(u32, u32)], order: &[u32], old_from: usize) -> Vec<u32> {
    let copies = class.iter().enumerate().map(|(i, &c)| (c, i as u32));
    let all: Vec<(u32, u32)> = pairs.iter().copied().chain(copies).collect();
    let mut principal = linked(class.len(), all.iter().copied());
    let mut head = vec![u32::MAX; class.len()];
    for old in [true, false] {
        for &document in order.iter().filter(|&&d| (d as usize >= old_from) == old) {
            let group = principal[document as usize] as usize;
            if head[group] == u32::MAX {
                head[group] = document;
            }
        }
    }
    principal.iter_mut().for_each(|group| *group = head[*group as usize]);
    principal
}

/// [`star`]s of new documents beside old ones, which are those from `old_from` on. Every old document is a principal of its
/// own. A new one joins the old one it is most like, the one that `order` names first among equals; the rest make stars.
pub fn star_beside(class: &[u32], pairs: &[(u32, u32)], scores: &[f64], order: &[u32], old_from: usize) -> Vec<u32> {
    let nearest = nearest_old(class, pairs, scores, order, old_from);
    let free = |document: u32| nearest[class[document as usize] as usize].is_none();
    let among_new: Vec<_> = pairs.iter().copied().filter(|&(a, b)| free(a) && free(b)).collect();
    let mut principal = star(class, &among_new, order);
    for (document, own) in principal.iter_mut().enumerate() {
        if document >= old_from {
            *own = document as u32;
        } else if let Some(old) = nearest[class[document] as usize] {
            *own = old;
        }
    }
    principal
}

/// For each first of a kind the old document that it is most like: a copy of it, or of one of its partners.
fn nearest_old(
    class: &[u32],
    pairs: &[(u32, u32)],
    scores: &[f64],
    order: &[u32],
    old_from: usize,
) -> Vec<Option<u32>> {
    let old: Vec<u32> = order.iter().copied().filter(|&document| document as usize >= old_from).collect();
    let mut rank = vec![u32::MAX; class.len()]; // of the first old document of each kind
    for (i, &document) in old.iter().enumerate().rev() {
        rank[class[document as usize] as usize] = i as u32;
    }
    let mut best: Vec<(f64, u32)> = rank.iter().map(|&r| (if r == u32::MAX { -1.0 } else { 1.0 }, r)).collect();
    for (&(a, b), &score) in pairs.iter().zip(scores) {
        for (kind, partner) in [(a, b), (b, a)] {
            let (known, own) = (&mut best[kind as usize], rank[partner as usize]);
            if own != u32::MAX && (score > known.0 || (score == known.0 && own < known.1)) {
                *known = (score, own);
            }
        }
    }
    best.iter().map(|&(_, r)| old.get(r as usize).copied()).collect()
}

/// Groups by the numbers of their documents: in the order of their first members, members in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grouping {
    /// The members, group after group.
    pub documents: Vec<u32>,
    /// Where each group begins in `documents`, and the end.
    pub starts: Vec<u32>,
    /// The principal of each group.
    pub heads: Vec<u32>,
}

impl Grouping {
    /// The principal of each of `documents`.
    pub fn head_of_each(&self) -> Vec<u32> {
        let sizes = self.starts.windows(2).map(|ends| (ends[1] - ends[0]) as usize);
        self.heads.iter().zip(sizes).flat_map(|(&head, size)| std::iter::repeat_n(head, size)).collect()
    }

    /// The least of the scores that the documents of each group have; not a number if one of them is none.
    pub fn least(&self, scores: &[f64]) -> Vec<f64> {
        let lesser = |least: f64, &score: &f64| if score < least || score.is_nan() { score } else { least };
        let of = |ends: &[u32]| scores[ends[0] as usize..ends[1] as usize].iter().fold(f64::INFINITY, lesser);
        self.starts.windows(2).map(of).collect()
    }
}

/// The groups that principals make, without those of one document and those of documents from `old_from` on only.
pub fn grouped(principal: &[u32], old_from: usize) -> Grouping {
    let mut counts = vec![(false, false); principal.len()]; // by principal: has another member; has a new one
    for (document, &p) in principal.iter().enumerate() {
        let (another, new) = &mut counts[p as usize];
        *another |= p as usize != document;
        *new |= document < old_from;
    }
    const NONE: u32 = u32::MAX;
    let mut number = vec![NONE; principal.len()];
    let mut heads = Vec::new();
    for &p in principal {
        if counts[p as usize] == (true, true) && number[p as usize] == NONE {
            number[p as usize] = heads.len() as u32;
            heads.push(p);
        }
    }
    let of =
        |(document, &p): (usize, &u32)| (number[p as usize] != NONE).then(|| (number[p as usize], document as u32));
    let lists = Lists::new(heads.len(), principal.iter().enumerate().filter_map(of));
    let starts = lists.start.iter().map(|&start| start as u32).collect();
    Grouping { documents: lists.items, starts, heads }
}

/// Lists of numbers, one after the other in one array.
pub(crate) struct Lists {
    start: Vec<usize>,
    items: Vec<u32>,
}

impl Lists {
    pub(crate) fn new(lists: usize, entries: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut start = vec![0; lists + 1];
        for (list, _) in entries.clone() {
            start[list as usize + 1] += 1;
        }
        for i in 0..lists {
            start[i + 1] += start[i];
        }
        let mut next = start.clone();
        let mut items = vec![0; start[lists]];
        for (list, item) in entries {
            items[next[list as usize]] = item;
            next[list as usize] += 1;
        }
        Lists { start, items }
    }

    pub(crate) fn of(&self, list: u32) -> &[u32] {
        &self.items[self.start[list as usize]..self.start[list as usize + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_one_linked_group_and_two_stars() {
        let pairs = [(0, 1), (1, 2), (2, 3)];
        assert_eq!(linked(5, pairs), [0, 0, 0, 0, 4]);
        assert_eq!(star(&[0, 1, 2, 3, 4], &pairs, &[0, 1, 2, 3, 4]), [0, 0, 2, 2, 4]);
        assert_eq!(star(&[0, 1, 2, 3, 4], &pairs, &[1, 0, 2, 3, 4]), [1, 1, 1, 3, 4]);
    }

    #[test]
    fn old_documents_lead_and_are_no_group_by_themselves() {
        let (class, pairs) = ([0, 1, 2, 3, 4, 4], [(0, 3), (0, 4), (1, 2), (1, 4)]); // 3, 4 and 5 are old
        let beside = star_beside(&class, &pairs, &[0.8, 0.8, 0.9, 0.7], &[0, 1, 2, 3, 4, 5], 3);
        assert_eq!(beside, [3, 4, 2, 3, 4, 5]);
        assert_eq!(star_beside(&class, &pairs, &[0.8, 0.8, 0.9, 0.7], &[0, 1, 2, 5, 4, 3], 3)[..2], [5, 5]);
        assert_eq!(linked_by(&class, &pairs, &[0, 1, 2, 5, 4, 3], 3), [5; 6]);
        let grouping = grouped(&beside, 3);
        assert_eq!(grouping, Grouping { documents: vec![0, 3, 1, 4], starts: vec![0, 2, 4], heads: vec![3, 4] });
        assert_eq!(grouped(&[0, 2, 2], 1), Grouping { documents: vec![], starts: vec![0], heads: vec![] });
        assert_eq!(grouping.head_of_each(), [3, 3, 4, 4]);
        assert_eq!(grouping.least(&[0.8, 1.0, 0.7, 1.0]), [0.8, 0.7]);
        assert!(grouping.least(&[f64::NAN, 0.5, 1.0, 1.0])[0].is_nan());
        assert!(grouping.least(&[0.5, f64::NAN, 0.2, 1.0])[0].is_nan());
    }

    #[test]
    fn a_million_copies_are_one_group_in_linear_time() {
        let class = vec![0; 1_000_000];
        let order: Vec<u32> = (0..1_000_000).rev().collect();
        assert!(star(&class, &[], &order).iter().all(|&p| p == 999_999));
    }
}
