//! The exact join for containment: how much of the smaller document is in the larger one.
//!
//! A document of n shingles that has a share t of them in another must share one of the first n − ⌈t·n⌉ + 1 with it,
//! wherever it is in the other. So the prefixes of all documents choose the shingles that matter, and only those are
//! posted, for all documents. A short document inside one a hundred times longer is found like any other pair.

use std::collections::HashSet;

use crate::candidates::Limits;
use crate::control::Control;
use crate::error::Result;
use crate::prefix::{Budget, Joined, Order, concat, of_members, prefixes};
use crate::repeated::Repeated;
use crate::strategy::Search;

/// All pairs of `members` whose containment reaches the threshold; None if that is too much work.
pub fn join(
    sets: &[Vec<u64>],
    members: &[u32],
    search: &Search<'_>,
    limits: Limits,
    control: &Control,
) -> Result<Option<Joined>> {
    let mut ranked = members.to_vec();
    ranked.sort_by_key(|&d| (sets[d as usize].len(), d));
    let members = of_members(sets, &ranked);
    let order = Order::new(&members, control)?;
    // What one document alone has brings no two together: of most texts, that is nearly everything.
    let mut repeated = Repeated::of(members.iter().map(|set| set.len()).sum(), 2);
    repeated.meet_lists(&members, |x| order.token(x), control)?;
    let prefixes = prefixes(sets, &ranked, search.threshold, &order, |token| repeated.has(token), control)?;
    let mattering: HashSet<u64> = prefixes.iter().flatten().copied().collect();
    let postings = control.parts(
        ranked.len(),
        256,
        || (),
        |(), part| {
            let mut out = Vec::with_capacity(part.clone().map(|rank| sets[ranked[rank] as usize].len()).sum());
            for rank in part {
                control.check()?;
                control.count(1);
                let tokens = sets[ranked[rank] as usize].iter().map(|&x| order.token(x));
                out.extend(tokens.filter(|t| mattering.contains(t)).map(|t| (t, rank as u32)));
            }
            out.shrink_to_fit();
            Ok(out)
        },
    )?;
    let mut postings = concat(postings);
    postings.sort_unstable();
    let (state, budget) = (|| vec![u32::MAX; ranked.len()], Budget::new(limits));
    let found = control.parts(ranked.len(), 64, state, |met, part| {
        let (mut out, mut verified) = (Vec::new(), 0);
        control.count(part.len());
        for rank in part {
            control.check()?;
            if !budget.spend(0, 0) {
                break;
            }
            let (before, mut steps) = (out.len(), 0);
            for &token in &prefixes[rank] {
                // Larger documents with this shingle; of two of one size, the one that ranks later.
                let from = postings.partition_point(|&p| p <= (token, rank as u32));
                for &(_, other) in postings[from..].iter().take_while(|p| p.0 == token) {
                    steps += 1;
                    if std::mem::replace(&mut met[other as usize], rank as u32) != rank as u32 {
                        verified += 1;
                        out.extend(search.verify(sets, ranked[rank], ranked[other as usize]));
                    }
                }
            }
            budget.spend(steps, out.len() - before);
        }
        Ok((out, verified))
    })?;
    Ok(budget.joined(found))
}
