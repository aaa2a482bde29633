//! From verified pairs to groups.

/// Connected components: documents joined by a chain of pairs. Gives for each document the least number of its group.
pub fn linked(documents: usize, pairs: &[(u32, u32)]) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..documents as u32).collect();
    for &(a, b) in pairs {
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

/// Lists of numbers, one after the other in one array.
struct Lists {
    start: Vec<usize>,
    items: Vec<u32>,
}

impl Lists {
    fn new(lists: usize, entries: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
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

    fn of(&self, list: u32) -> &[u32] {
        &self.items[self.start[list as usize]..self.start[list as usize + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_one_linked_group_and_two_stars() {
        let pairs = [(0, 1), (1, 2), (2, 3)];
        assert_eq!(linked(5, &pairs), [0, 0, 0, 0, 4]);
        assert_eq!(star(&[0, 1, 2, 3, 4], &pairs, &[0, 1, 2, 3, 4]), [0, 0, 2, 2, 4]);
        assert_eq!(star(&[0, 1, 2, 3, 4], &pairs, &[1, 0, 2, 3, 4]), [1, 1, 1, 3, 4]);
    }

    #[test]
    fn a_million_copies_are_one_group_in_linear_time() {
        let class = vec![0; 1_000_000];
        let order: Vec<u32> = (0..1_000_000).rev().collect();
        assert!(star(&class, &[], &order).iter().all(|&p| p == 999_999));
    }
}
