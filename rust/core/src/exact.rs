//! Searches by sets: the exact joins, and comparing all with all.

use crate::candidates::{Limits, pack};
use crate::confirm::{Clock, Found, confirm, ends, held, sets_of};
use crate::control::Control;
use crate::copies::{classes, firsts};
use crate::error::Result;
use crate::hot::cluster;
use crate::join::{STEPS, join};
use crate::runs::Held;
use crate::shingle::Shingler;
use crate::sign::Sets;
use crate::stars::SetsOf;
use crate::strategy::{Method, Pair, Search};
use crate::texts::Texts;
use crate::verify::{NoRecord, Second};

/// Find the pairs of a collection that was kept as sets, or, if it was too large for that, as digests.
pub(crate) fn find(
    kept: Sets,
    texts: &dyn Texts,
    search: &Search<'_>,
    shingler: &Shingler,
    order: Option<&[u32]>,
    control: &Control,
) -> Result<Found> {
    let mut clock = Clock::start(control, "copies");
    let Sets { digests, shingles, sets, .. } = kept;
    let mut class = classes(&digests);
    let whole = sets.len() == digests.len();
    if whole {
        // Equal digests of different sets have never been observed, and the sets are available to distinguish them.
        for i in 0..class.len() {
            if sets[class[i] as usize] != sets[i] {
                class[i] = i as u32;
            }
        }
    }
    let second = Second { search, shingler, digests: &digests, shingles: &shingles, memory: search.memory };
    let mut found = confirm(&second, texts, &[], class, &mut NoRecord, control)?;
    clock.next("join");
    let members = firsts(&found.class);
    let limits = search.limits_for(found.class.len());
    if !whole && search.method != Method::Brute {
        found = in_blocks(&second, texts, &members, limits, order, found, control)?;
        found.set_empty_apart(shingler, &digests, &shingles);
        found.seconds = clock.end();
        return Ok(found);
    }
    // Supposed copies that are none were verified against their firsts; the join finds those pairs too.
    found.pairs.clear();
    control.begin_counting("join", STEPS * members.len());
    match join(&sets, &members, search, limits, control)? {
        Some(joined) => {
            found.candidates = joined.verified;
            found.pairs = joined.pairs;
            with_long_passages(&second, texts, &mut found, control)?;
        }
        None => {
            let sets_of = |documents: &[u32]| match search.min_units {
                Some(_) => held(&second, texts, documents, control),
                None => {
                    control.count(documents.len()); // as if they were read again
                    Ok(documents.iter().map(|&d| Held { set: sets[d as usize].clone(), runs: None }).collect())
                }
            };
            clock.next("hot clusters");
            all_hot(&second, &members, order, &mut found, &sets_of, control)?;
        }
    }
    found.set_empty_apart(shingler, &digests, &shingles);
    found.seconds = clock.end();
    Ok(found)
}

/// Too many similar documents: compare each with representatives only.
fn all_hot(
    second: &Second<'_>,
    members: &[u32],
    order: Option<&[u32]>,
    found: &mut Found,
    sets_of: &SetsOf<'_>,
    control: &Control,
) -> Result<()> {
    let listed = cluster(second, members, order, &found.class, &ends(&found.pairs), sets_of, control)?;
    (found.pairs, found.candidates) = (listed.pairs, listed.verified);
    (found.hot, found.in_part) = (members.len(), listed.in_part);
    Ok(())
}

/// Keep the pairs that are still pairs when only long passages count.
fn with_long_passages(second: &Second<'_>, texts: &dyn Texts, found: &mut Found, control: &Control) -> Result<()> {
    if second.search.min_units.is_some() {
        let packed: Vec<u64> = found.pairs.iter().map(|p| pack(p.a, p.b)).collect();
        let verified = second.read("verify", texts, &packed, &[], &mut NoRecord, control)?;
        (found.pairs, found.short) = (verified.pairs, verified.short);
    }
    Ok(())
}

/// A join of sets that do not fit the memory together: block by block with every other block, read again each time.
fn in_blocks(
    second: &Second<'_>,
    texts: &dyn Texts,
    members: &[u32],
    limits: Limits,
    order: Option<&[u32]>,
    mut found: Found,
    control: &Control,
) -> Result<Found> {
    let blocks = blocks(members, second.shingles, second.memory / 3);
    // Each block is joined with itself and each other one.
    control.begin_counting("join", (1 + STEPS) * blocks.len() * members.len());
    found.pairs.clear();
    found.candidates = 0;
    for (i, one) in blocks.iter().enumerate() {
        for two in &blocks[i..] {
            control.check()?;
            let both = if one == two { one.to_vec() } else { [*one, *two].concat() };
            let mut sets = vec![Vec::new(); found.class.len()];
            let loaded = sets_of(second, texts, &both, control)?;
            both.iter().zip(loaded).for_each(|(&d, set)| sets[d as usize] = set);
            let joined = join(&sets, &both, second.search, limits, control)?;
            let Some(joined) = joined.filter(|j| (found.pairs.len() + j.pairs.len()) as u64 <= limits.pairs) else {
                found.pairs.clear();
                let sets_of = |documents: &[u32]| held(second, texts, documents, control);
                all_hot(second, members, order, &mut found, &sets_of, control)?;
                return Ok(found);
            };
            found.candidates += joined.verified;
            // Pairs inside a block are found when it is joined with itself.
            let border = two[0];
            let wanted = |pair: &Pair| one == two || (pair.a < border && pair.b >= border);
            found.pairs.extend(joined.pairs.into_iter().filter(wanted));
        }
    }
    found.pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
    with_long_passages(second, texts, &mut found, control)?;
    Ok(found)
}

/// Consecutive members whose sets fit the memory.
fn blocks<'a>(members: &'a [u32], shingles: &[u32], memory: usize) -> Vec<&'a [u32]> {
    let (mut blocks, mut start, mut held) = (Vec::new(), 0, 0);
    for (i, &d) in members.iter().enumerate() {
        let more = 8 * shingles[d as usize] as usize + 64;
        if i > start && held + more > memory {
            blocks.push(&members[start..i]);
            (start, held) = (i, 0);
        }
        held += more;
    }
    blocks.extend((start < members.len()).then(|| &members[start..]));
    blocks
}
