//! Exact duplicates: documents with equal digests, which [`crate::confirm`] confirms on their shingles.

use crate::candidates::{once, pack, unpack};
use crate::repeated::suspects;
use crate::shingle::{Scratch, Shingler};
use crate::sign::Digest;

/// For each document the first one with an equal digest.
pub fn classes(digests: &[Digest]) -> Vec<u32> {
    let mut order = suspects(digests.iter().map(|digest| digest.sum));
    order.sort_unstable_by_key(|&i| (digests[i as usize], i));
    let mut class: Vec<u32> = (0..digests.len() as u32).collect();
    for run in order.chunk_by(|&x, &y| digests[x as usize] == digests[y as usize]) {
        run.iter().for_each(|&i| class[i as usize] = run[0]);
    }
    class
}

/// Documents that are the first of their class.
pub(crate) fn firsts(class: &[u32]) -> Vec<u32> {
    (0..class.len() as u32).filter(|&i| class[i as usize] == i).collect()
}

/// (first, copy) for each document that is not the first of its class.
pub(crate) fn copies(class: &[u32]) -> Vec<(u32, u32)> {
    (0..class.len() as u32).map(|i| (class[i as usize], i)).filter(|(first, copy)| first != copy).collect()
}

/// The classes without those that have old documents only, none of them in `paired`: nobody asks whether two old
/// documents are copies, so their texts need not be read again to confirm it. Each becomes a class of its own.
pub fn of_interest(mut class: Vec<u32>, paired: impl IntoIterator<Item = u32>, old_from: usize) -> Vec<u32> {
    let Some(old) = class.get(old_from..).filter(|old| !old.is_empty()) else { return class };
    let mut asked = vec![false; old.len()];
    for document in paired {
        if let Some(place) = (document as usize).checked_sub(old_from) {
            asked[place] = true;
        }
    }
    for (place, first) in class.iter_mut().enumerate().skip(old_from) {
        if (*first as usize) >= old_from && !asked[*first as usize - old_from] {
            *first = place as u32;
        }
    }
    class
}

pub(crate) fn set_apart(class: &mut [u32], unlike: &[(u32, u32)]) {
    unlike.iter().for_each(|&(_, document)| class[document as usize] = document);
}

/// Whether two texts have the same shingles in the same numbers, and in the same order if that matters.
pub fn same_shingles(shingler: &Shingler, a: &str, b: &str, scratch: &mut Scratch) -> bool {
    let (mut x, mut y) = (shingler.sequence(a, scratch), shingler.sequence(b, scratch));
    if shingler.is_in_order() {
        // The same element for all shingles of a text in which none counts, and the same cuts between those of others.
        return x == y && shingler.ordered(a, scratch) == shingler.ordered(b, scratch);
    }
    x == y || {
        x.sort_unstable();
        y.sort_unstable();
        x == y
    }
}

/// Candidate pairs for supposed copies that are none: each may be similar to its supposed original, and to whatever that
/// one may be similar to, because their keys are the same.
pub fn pairs_of_unlike(unlike: &[(u32, u32)], pairs: &[u64]) -> Vec<u64> {
    let mut found = Vec::new();
    for group in unlike.chunk_by(|x, y| x.0 == y.0) {
        let first = group[0].0;
        let partners: Vec<u32> = pairs
            .iter()
            .map(|&pair| unpack(pair))
            .filter_map(|(a, b)| {
                if a == first {
                    Some(b)
                } else if b == first {
                    Some(a)
                } else {
                    None
                }
            })
            .collect();
        for (i, &(_, document)) in group.iter().enumerate() {
            found.push(pack(first, document));
            found.extend(partners.iter().map(|&other| pack(document, other)));
            // Few ever differ, unless somebody constructed many.
            found.extend(group[i + 1..].iter().take(64).map(|&(_, other)| pack(document, other)));
        }
    }
    once(&mut found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_copies_that_nobody_asks_about_stand_alone() {
        let class = vec![0, 0, 2, 2, 4, 0, 4, 7, 7, 9, 9]; // old from 2 on
        assert_eq!(of_interest(class.clone(), [1, 4, 9], 2), [0, 0, 2, 3, 4, 0, 4, 7, 8, 9, 9]);
        assert_eq!(of_interest(class.clone(), [], class.len()), class);
        assert_eq!(of_interest(class.clone(), [], usize::MAX), class);
    }
}
