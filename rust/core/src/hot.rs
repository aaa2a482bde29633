//! Hot documents: all their pairs if that is possible, else those with representatives ([`crate::stars`]).

use crate::candidates::pack;
use crate::confirm::{Found, ends, held, sets_of};
use crate::control::Control;
use crate::copies::firsts;
use crate::error::Result;
use crate::join::{STEPS, join};
use crate::prefix::Joined;
use crate::runs::{Held, Marks};
use crate::short::ShortPairs;
use crate::stars::{Listed, SetsOf, Stars};
use crate::texts::Texts;
use crate::verify::{NoRecord, Second, Verified};

/// Add the pairs of hot documents.
pub fn add_hot(
    second: &Second<'_>,
    texts: &dyn Texts,
    hot: &[u32],
    order: Option<&[u32]>,
    found: &mut Found,
    control: &Control,
) -> Result<()> {
    let listed = hot_pairs(second, texts, hot, order, &found.class, &ends(&found.pairs), control)?;
    found.candidates += listed.verified;
    found.short.extend(listed.short);
    found.in_part = listed.in_part;
    found.hot = if listed.complete { 0 } else { hot.len() };
    found.pairs.extend(listed.pairs);
    found.pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
    found.pairs.dedup_by_key(|pair| (pair.a, pair.b));
    Ok(())
}

/// All pairs of hot documents with each other; none if that is too much work.
fn join_hot(
    second: &Second<'_>,
    texts: &dyn Texts,
    hot: &[u32],
    documents: usize,
    control: &Control,
) -> Result<Option<Listed>> {
    control.begin_counting("join hot clusters", (1 + STEPS) * hot.len());
    let mut sets = vec![Vec::new(); documents];
    hot.iter().zip(sets_of(second, texts, hot, control)?).for_each(|(&d, set)| sets[d as usize] = set);
    let joined = join(&sets, hot, second.search, second.search.limits_for(documents), control)?;
    let Some(Joined { mut pairs, verified }) = joined else { return Ok(None) };
    let mut short = ShortPairs::default();
    if second.search.min_units.is_some() {
        let packed: Vec<u64> = pairs.iter().map(|p| pack(p.a, p.b)).collect();
        Verified { pairs, short, .. } =
            second.read("verify hot clusters", texts, &packed, &[], &mut NoRecord, control)?;
    }
    Ok(Some(Listed { pairs, verified, short, in_part: 0, complete: true }))
}

/// The pairs of hot documents with each other: all of them by an exact join, or, if that is too much, those that they
/// have in their clusters. `pairs` are those with other documents, which are verified.
pub fn hot_pairs(
    second: &Second<'_>,
    texts: &dyn Texts,
    hot: &[u32],
    order: Option<&[u32]>,
    class: &[u32],
    pairs: &[(u32, u32)],
    control: &Control,
) -> Result<Listed> {
    let size: usize = hot.iter().map(|&d| 8 * second.shingles[d as usize] as usize).sum();
    if size <= second.memory
        && let Some(listed) = join_hot(second, texts, hot, class.len(), control)?
    {
        return Ok(listed);
    }
    let sets_of = |documents: &[u32]| held(second, texts, documents, control);
    cluster(second, hot, order, class, pairs, &sets_of, control)
}

/// Compare hot documents with representatives.
pub(crate) fn cluster(
    second: &Second<'_>,
    hot: &[u32],
    order: Option<&[u32]>,
    class: &[u32],
    pairs: &[(u32, u32)],
    sets_of: &SetsOf<'_>,
    control: &Control,
) -> Result<Listed> {
    let mut is_hot = vec![false; class.len()];
    hot.iter().for_each(|&d| is_hot[d as usize] = true);
    let order = order_of_classes(class, order);
    let search = second.search;
    let mut old = vec![false; class.len()];
    class.iter().skip(search.old_from).for_each(|&first| old[first as usize] = true);
    let stars = Stars { search, order: &order, hot: &is_hot, old: &old, pairs, memory: search.memory };
    let verify = |a: u32, x: &Held, b: u32, y: &Held, marks: &mut Marks| {
        search.counted(search.verify_sets(a, b, &x.set, &y.set)?, x, y, marks)
    };
    stars.join(sets_of, &verify, control)
}

/// The first of each class, where the first of its documents stands in the order.
fn order_of_classes(class: &[u32], order: Option<&[u32]>) -> Vec<u32> {
    let Some(order) = order else { return firsts(class) };
    let mut seen = vec![false; class.len()];
    let unseen = |first: &u32| !std::mem::replace(&mut seen[*first as usize], true);
    order.iter().map(|&d| class[d as usize]).filter(unseen).collect()
}
