//! From candidates to verified pairs.
//!
//! Candidates that hang together are verified together, by one thread: the sets of their documents are made, compared and
//! dropped, so that they stay in the cache and hardly need memory. Where very many hang together, the sets of all of them
//! are made first, and the pairs are shared out among the threads.

use std::ops::Range;

use crate::batch::{Control, sets};
use crate::error::Result;
use crate::groups::linked;
use crate::join::{Pair, Search};
use crate::shingle::{Scratch, Shingler};

/// Pairs that a thread takes at once: whole groups, at least so many.
const SOME: usize = 64;
/// A group of more pairs than this is not left to one thread.
const MANY: usize = 1 << 12;

/// Those of the proposed pairs that the search looks for, sorted. Pairs are proposed once, the smaller number first.
pub fn verify(
    texts: &[&str],
    mut proposed: Vec<(u32, u32)>,
    search: &Search<'_>,
    shingler: &Shingler,
    control: &Control,
) -> Result<Vec<Pair>> {
    let group = linked(texts.len(), &proposed);
    proposed.sort_unstable_by_key(|&(a, b)| (group[a as usize], a, b));
    let mut in_large = Vec::new();
    let mut in_small = Vec::with_capacity(proposed.len());
    for pairs in proposed.chunk_by(|x, y| group[x.0 as usize] == group[y.0 as usize]) {
        if pairs.len() > MANY { &mut in_large } else { &mut in_small }.extend_from_slice(pairs);
    }
    let mut found = small_groups(texts, &in_small, &group, search, shingler, control)?;
    found.append(&mut large_groups(texts, &in_large, search, shingler, control)?);
    found.sort_unstable_by_key(|pair| (pair.a, pair.b));
    Ok(found)
}

fn small_groups(
    texts: &[&str],
    pairs: &[(u32, u32)],
    group: &[u32],
    search: &Search<'_>,
    shingler: &Shingler,
    control: &Control,
) -> Result<Vec<Pair>> {
    let jobs = jobs(pairs, group);
    let found = control.parts(jobs.len(), 1, Scratch::default, |scratch, part| {
        let pairs = &pairs[jobs[part.start].clone()];
        let mut documents: Vec<u32> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        documents.sort_unstable();
        documents.dedup();
        let mut sets = Vec::with_capacity(documents.len());
        for &document in &documents {
            control.check()?;
            sets.push(shingler.set(texts[document as usize], scratch, control)?);
        }
        let set = |document| &sets[documents.binary_search(&document).expect("it was put in above")][..];
        Ok(pairs.iter().filter_map(|&(a, b)| search.verify_sets(a, b, set(a), set(b))).collect::<Vec<_>>())
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// Parts of the pairs that end where a group ends.
fn jobs(pairs: &[(u32, u32)], group: &[u32]) -> Vec<Range<usize>> {
    let (mut jobs, mut start, mut end) = (Vec::new(), 0, 0);
    for pairs in pairs.chunk_by(|x, y| group[x.0 as usize] == group[y.0 as usize]) {
        end += pairs.len();
        if end - start >= SOME {
            jobs.push(start..end);
            start = end;
        }
    }
    jobs.extend((start < end).then_some(start..end));
    jobs
}

fn large_groups(
    texts: &[&str],
    pairs: &[(u32, u32)],
    search: &Search<'_>,
    shingler: &Shingler,
    control: &Control,
) -> Result<Vec<Pair>> {
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let mut needed = vec![false; texts.len()];
    pairs.iter().for_each(|&(a, b)| (needed[a as usize], needed[b as usize]) = (true, true));
    let sets = sets(texts, &needed, shingler, control)?;
    let found = control.parts(
        pairs.len(),
        1024,
        || (),
        |(), part| {
            control.check()?;
            Ok(pairs[part].iter().filter_map(|&(a, b)| search.verify(&sets, a, b)).collect::<Vec<_>>())
        },
    )?;
    Ok(found.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recipe;
    use crate::hash::Stream;
    use crate::jaccard::Metric;
    use crate::join::Method;

    #[test]
    fn small_and_large_groups_give_what_comparing_one_by_one_gives() {
        // 120 variants of one text make a group of 7140 pairs, the others small ones.
        let mut g = Stream::new(3);
        let texts: Vec<String> =
            (0..500u64)
                .map(|i| {
                    let of = if i < 120 { 0 } else { i / 4 };
                    (0..40)
                        .map(|w| {
                            if g.next().is_multiple_of(12) {
                                format!("new{} ", g.next())
                            } else {
                                format!("w{of}x{w} ")
                            }
                        })
                        .collect()
                })
                .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let proposed: Vec<(u32, u32)> = (0..500u32)
            .flat_map(|a| (a + 1..500).map(move |b| (a, b)))
            .filter(|&(a, b)| (b < 120) || (a >= 120 && a / 4 == b / 4))
            .collect();
        let recipe = Recipe { k: 1, ..Recipe::default() };
        let shingler = Shingler::new(&recipe).unwrap();
        let method = Method::Exact;
        let search =
            Search { recipe: &recipe, metric: Metric::Jaccard, threshold: 0.75, method, old_from: 480, ignored: &[] };
        let all = sets(&texts, &[true; 500], &shingler, &Control::new(1)).unwrap();
        let expected: Vec<Pair> = proposed.iter().filter_map(|&(a, b)| search.verify(&all, a, b)).collect();
        assert!(expected.len() > 1000 && expected.iter().any(|p| p.a >= 120));
        for threads in [1, 3] {
            let found = verify(&texts, proposed.clone(), &search, &shingler, &Control::new(threads)).unwrap();
            assert_eq!(found, expected);
        }
        assert!(verify(&texts, Vec::new(), &search, &shingler, &Control::new(2)).unwrap().is_empty());
    }
}
