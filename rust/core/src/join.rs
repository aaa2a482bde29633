//! All pairs of some sets, by the join that the metric and the method ask for.

use crate::candidates::Limits;
use crate::containment;
use crate::control::Control;
use crate::error::Result;
use crate::jaccard::Metric;
use crate::prefix::{self, Joined};
use crate::strategy::{Method, Pair, Search};

/// How often a join counts each member: when its prefix is made, when that is indexed, and when it is joined.
pub(crate) const STEPS: usize = 3;

/// All pairs of members that reach the threshold; None if that is too much work.
pub(crate) fn join(
    sets: &[Vec<u64>],
    members: &[u32],
    search: &Search<'_>,
    limits: Limits,
    control: &Control,
) -> Result<Option<Joined>> {
    match (search.method, search.metric) {
        (Method::Brute, _) => {
            let pairs = all_pairs(sets, members, search, control)?;
            Ok(Some(Joined { pairs, verified: members.len() * members.len().saturating_sub(1) / 2 }))
        }
        (_, Metric::Jaccard) => prefix::join(sets, members, search, limits, control),
        (_, Metric::Containment) => containment::join(sets, members, search, limits, control),
    }
}

fn all_pairs(sets: &[Vec<u64>], members: &[u32], search: &Search<'_>, control: &Control) -> Result<Vec<Pair>> {
    let found = control.parts(
        members.len(),
        16,
        || (),
        |(), part| {
            let mut out = Vec::new();
            for i in part {
                control.check()?;
                control.count(STEPS);
                out.extend(members[i + 1..].iter().filter_map(|&y| search.verify(sets, members[i], y)));
            }
            Ok(out)
        },
    )?;
    Ok(found.into_iter().flatten().collect())
}
