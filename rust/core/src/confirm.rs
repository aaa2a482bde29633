//! The whole second read: supposed exact duplicates are confirmed, candidate pairs are verified, and the outcome is
//! returned.

use std::sync::OnceLock;
use std::time::Instant;

use crate::candidates::once;
use crate::control::Control;
use crate::copies::{copies, of_interest, pairs_of_unlike, set_apart};
use crate::error::Result;
use crate::runs::Held;
use crate::shingle::{Scratch, Shingler};
use crate::short::ShortPairs;
use crate::sign::Digest;
use crate::strategy::Pair;
use crate::texts::Texts;
use crate::verify::{NoRecord, Record, Second, Verified, changed};

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// For each document the first one with the same shingles in the same numbers; itself if there is none before it, or
    /// if all of them are old and in no pair.
    pub class: Vec<u32>,
    /// Pairs between such firsts, sorted.
    pub pairs: Vec<Pair>,
    /// Pairs that were verified.
    pub candidates: usize,
    /// Documents without units, in their order: there is nothing in them to compare, so each is a class of its own.
    pub empty: Vec<u32>,
    /// Documents of clusters so large that their pairs are listed in part (docs/design.md, "Hot clusters").
    pub hot: usize,
    /// Of those, documents that were not even compared with all representatives.
    pub in_part: usize,
    /// Pairs that reach the threshold only with passages that are too short to count.
    pub short: ShortPairs,
    /// How long each stage took.
    pub seconds: Vec<(&'static str, f64)>,
}

impl Found {
    /// Set the documents without units apart. They are copies of each other alone, so no pair can name them.
    pub fn set_empty_apart(&mut self, shingler: &Shingler, digests: &[Digest], shingles: &[u32]) {
        let only = shingler.without_units();
        let is_empty = |&i: &u32| shingles[i as usize] == 1 && digests[i as usize].sum == only;
        self.empty = (0..digests.len() as u32).filter(is_empty).collect();
        self.empty.iter().for_each(|&i| self.class[i as usize] = i);
    }

    /// Dissolve classes of old documents that are in no pair, so that every method gives the same classes.
    pub fn forget_old_copies(&mut self, old_from: usize) {
        let paired = self.pairs.iter().flat_map(|pair| [pair.a, pair.b]);
        self.class = of_interest(std::mem::take(&mut self.class), paired, old_from);
    }
}

/// Times the stages of a search.
pub(crate) struct Clock<'a> {
    control: &'a Control,
    began: Instant,
    stage: &'static str,
    seconds: Vec<(&'static str, f64)>,
}

impl<'a> Clock<'a> {
    pub(crate) fn start(control: &'a Control, stage: &'static str) -> Self {
        control.begin(stage);
        Clock { control, began: Instant::now(), stage, seconds: Vec::new() }
    }

    /// The next stage begins.
    pub(crate) fn next(&mut self, stage: &'static str) {
        self.seconds.push((self.stage, self.began.elapsed().as_secs_f64()));
        (self.began, self.stage) = (Instant::now(), stage);
        self.control.begin(stage);
    }

    /// The last stage has ended.
    pub(crate) fn end(mut self) -> Vec<(&'static str, f64)> {
        self.seconds.push((self.stage, self.began.elapsed().as_secs_f64()));
        self.seconds
    }
}

/// The second read, and a third for supposed copies that are none.
pub fn confirm(
    second: &Second<'_>,
    texts: &dyn Texts,
    pairs: &[u64],
    mut class: Vec<u32>,
    record: &mut dyn Record,
    control: &Control,
) -> Result<Found> {
    let Verified { pairs: mut found, unlike, mut short } =
        second.read("verify", texts, pairs, &copies(&class), record, control)?;
    let mut candidates = pairs.len();
    if !unlike.is_empty() {
        set_apart(&mut class, &unlike);
        let mut more = pairs_of_unlike(&unlike, pairs);
        once(&mut more);
        candidates += more.len();
        let more = second.read("supposed copies", texts, &more, &[], &mut NoRecord, control)?;
        short.extend(more.short);
        found.extend(more.pairs);
        found.sort_unstable_by_key(|pair| (pair.a, pair.b));
    }
    Ok(Found { class, pairs: found, candidates, short, ..Found::default() })
}

/// The classes without copies that are none, which become separate classes: for callers that have no pairs to verify.
pub fn confirm_copies(
    second: &Second<'_>,
    texts: &dyn Texts,
    mut class: Vec<u32>,
    control: &Control,
) -> Result<Vec<u32>> {
    let verified = second.read("copies", texts, &[], &copies(&class), &mut NoRecord, control)?;
    set_apart(&mut class, &verified.unlike);
    Ok(class)
}

/// The documents of pairs.
pub(crate) fn ends(pairs: &[Pair]) -> Vec<(u32, u32)> {
    pairs.iter().map(|pair| (pair.a, pair.b)).collect()
}

/// What is compared of some documents, in their order.
pub(crate) fn held(second: &Second<'_>, texts: &dyn Texts, documents: &[u32], control: &Control) -> Result<Vec<Held>> {
    read_again(texts, documents, control, |document, text, scratch| second.held(document, text, scratch, control))
}

/// The sets of some documents, in their order.
pub(crate) fn sets_of(
    second: &Second<'_>,
    texts: &dyn Texts,
    documents: &[u32],
    control: &Control,
) -> Result<Vec<Vec<u64>>> {
    read_again(texts, documents, control, |document, text, scratch| second.set(document, text, scratch, control))
}

/// What `make` returns for some documents, in their order; each is counted.
fn read_again<T: Default + Send + Sync>(
    texts: &dyn Texts,
    documents: &[u32],
    control: &Control,
    make: impl Fn(u32, &str, &mut Scratch) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let mut wanted = documents.to_vec();
    wanted.sort_unstable();
    let place = |document: u32| wanted.binary_search(&document).expect("only what is wanted is given");
    let slots: Vec<OnceLock<T>> = wanted.iter().map(|_| OnceLock::new()).collect();
    texts.fetch(&wanted, control, &|document, text, scratch| {
        let _ = slots[place(document)].set(make(document, text, scratch)?);
        control.count(1);
        Ok(())
    })?;
    let came = slots.into_iter().map(|slot| slot.into_inner().ok_or_else(changed));
    let mut came: Vec<T> = came.collect::<Result<_>>()?;
    Ok(documents.iter().map(|&document| std::mem::take(&mut came[place(document)])).collect())
}
