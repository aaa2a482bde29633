//! From what was kept of all documents to verified pairs, by each of the four methods. All give the same pairs in the same
//! form, up to the recall that `Lsh` and `Signatures` promise.

use crate::candidates::{Asked, Candidates, Store, all_pairs, candidates};
use crate::confirm::{Clock, Found, confirm};
use crate::control::Control;
use crate::copies::{classes, firsts, of_interest};
use crate::error::Result;
use crate::exact;
use crate::hot::add_hot;
use crate::intake::Kept;
use crate::sign::Digest;
use crate::strategy::{Method, Search};
use crate::texts::Texts;
use crate::verify::{NoRecord, Second};

/// Find all pairs that a search looks for. `order` says which documents become representatives first where clusters are
/// hot: every number once; their own order if it is None.
pub fn find(
    kept: Kept,
    texts: &dyn Texts,
    search: &Search<'_>,
    order: Option<&[u32]>,
    control: &Control,
) -> Result<Found> {
    search.check()?;
    let shingler = search.shingler()?;
    let mut found = match kept {
        Kept::Sets(sets) => exact::find(sets, texts, search, &shingler, order, control)?,
        Kept::Rows(rows) => {
            let (digests, shingles) = (rows.digests(), rows.shingles());
            find_by_rows(rows, &digests, &shingles, texts, search, order, control)?
        }
    };
    found.forget_old_copies(search.old_from);
    Ok(found)
}

fn find_by_rows(
    rows: impl Store,
    digests: &[Digest],
    shingles: &[u32],
    texts: &dyn Texts,
    search: &Search<'_>,
    order: Option<&[u32]>,
    control: &Control,
) -> Result<Found> {
    let mut clock = Clock::start(control, "copies");
    let class = classes(digests);
    clock.next("candidates");
    let proposed = propose(&rows, &class, search, control)?;
    let freed = rows.bytes();
    drop(rows);
    clock.next("verify");
    let shingler = search.shingler()?;
    let second = Second { search, shingler: &shingler, digests, shingles, memory: search.memory.max(freed) };
    let class = of_interest(class, proposed.documents(), search.old_from);
    let mut found = confirm(&second, texts, &proposed.pairs, class, &mut NoRecord, control)?;
    if !proposed.hot.is_empty() {
        clock.next("hot clusters");
        add_hot(&second, texts, &proposed.hot, order, &mut found, control)?;
    }
    found.set_empty_apart(&shingler, digests, shingles);
    found.seconds = clock.end();
    Ok(found)
}

/// The candidates of a search by signatures.
pub fn propose(store: &dyn Store, class: &[u32], search: &Search<'_>, control: &Control) -> Result<Candidates> {
    let members = firsts(class);
    let (bands, least) = match search.method {
        Method::Lsh { bands, least } => (bands.bands, least),
        Method::Signatures { least } => (0, least),
        Method::Brute | Method::Exact => return Ok(Candidates::default()),
    };
    let limits = search.limits_for(class.len());
    let asked = Asked { bands, least, members: &members, old_from: search.old_from, limits };
    if bands == 0 {
        return Ok(Candidates { pairs: all_pairs(store, &asked, control)?, hot: Vec::new() });
    }
    candidates(store, &asked, control)
}
