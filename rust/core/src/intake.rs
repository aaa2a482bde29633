//! The first read of a collection: batches of texts come in any order and on any thread, are signed, and released.
//!
//! A small collection is kept as sets instead, for the exact join; when it turns out not to be small, the sets are signed
//! and dropped. Which of the two it is depends on the size of the whole alone, so the answer never depends on threads.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::candidates::{Store, agreeing_bytes, unpack};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::shingle::Scratch;
use crate::sign::{Digest, ROW, Rows, Sets, Signer, code_points};
use crate::unseen::inside_word;

/// What is kept of the documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Signatures in the short form.
    Rows,
    /// Sets.
    Sets,
    /// Sets up to this many code points of text, rows beyond.
    SetsUpTo(u64),
    /// Digests and counts only.
    Digests,
}

#[derive(Debug)]
enum Part {
    Rows(Rows),
    Sets(Sets),
}

impl Part {
    fn documents(&self) -> usize {
        match self {
            Part::Rows(rows) => rows.digests.len(),
            Part::Sets(sets) => sets.digests.len(),
        }
    }
}

/// Takes the texts of a collection, batch by batch.
#[derive(Debug)]
pub struct Intake {
    signer: Signer,
    keep: Keep,
    code_points: AtomicU64,
    unseen: AtomicU64,
    parts: Mutex<BTreeMap<(u32, u64), Part>>,
}

impl Intake {
    /// Begin.
    pub fn new(signer: Signer, keep: Keep) -> Self {
        Intake { signer, keep, code_points: AtomicU64::new(0), unseen: AtomicU64::new(0), parts: Mutex::default() }
    }

    /// Take the texts of one batch, on this thread. Batches stand in the order of their numbers, (input, batch).
    pub fn add(&self, number: (u32, u64), texts: &[&str], scratch: &mut Scratch, control: &Control) -> Result<()> {
        let lengths: Vec<u64> = texts.iter().map(|text| code_points(text)).collect();
        let size: u64 = lengths.iter().sum();
        if size != texts.iter().map(|text| text.len() as u64).sum() {
            self.look(texts);
        }
        let total = size + self.code_points.fetch_add(size, Ordering::Relaxed);
        let shingler = &self.signer.shingler;
        let part = match self.keep {
            Keep::Sets => Part::Sets(Sets::of(texts, lengths, shingler, true, scratch, control)?),
            Keep::SetsUpTo(most) if total <= most => {
                Part::Sets(Sets::of(texts, lengths, shingler, true, scratch, control)?)
            }
            Keep::Digests => Part::Sets(Sets::of(texts, lengths, shingler, false, scratch, control)?),
            Keep::Rows | Keep::SetsUpTo(_) => Part::Rows(self.signer.rows(texts, lengths, scratch, control)?),
        };
        self.parts.lock().expect("no thread panics while it holds this").insert(number, part);
        Ok(())
    }

    /// Count texts with invisible characters inside words; `add` does it, unless all its texts are ASCII.
    #[cold]
    #[inline(never)] // or the loops of `add`, which all texts pass, become slower
    pub fn look(&self, texts: &[&str]) {
        let found = texts.iter().filter(|text| inside_word(text)).count();
        self.unseen.fetch_add(found as u64, Ordering::Relaxed);
    }

    /// Texts with invisible characters inside words, so far.
    pub fn unseen(&self) -> u64 {
        self.unseen.load(Ordering::Relaxed)
    }

    /// Documents taken so far.
    pub fn documents(&self) -> usize {
        self.parts.lock().expect("no thread panics while it holds this").values().map(Part::documents).sum()
    }

    /// Code points taken so far.
    pub fn code_points(&self) -> u64 {
        self.code_points.load(Ordering::Relaxed)
    }

    /// Take the rows so far, if they have at least this many bytes: for callers that keep them elsewhere.
    pub fn take_rows(&self, least: usize) -> Vec<((u32, u64), Rows)> {
        let mut parts = self.parts.lock().expect("no thread panics while it holds this");
        let documents: usize = parts.values().map(Part::documents).sum();
        if documents == 0 || documents * self.signer.row_bytes() < least {
            return Vec::new();
        }
        let rows = |(number, part)| if let Part::Rows(rows) = part { Some((number, rows)) } else { None };
        std::mem::take(&mut *parts).into_iter().filter_map(rows).collect()
    }

    /// Everything taken, in the order of the batches.
    pub fn finish(self, control: &Control) -> Result<Kept> {
        let code_points = self.code_points();
        let parts: Vec<Part> = self.parts.into_inner().expect("no thread panicked").into_values().collect();
        let documents: usize = parts.iter().map(Part::documents).sum();
        if documents >= u32::MAX as usize {
            return Err(Error::TooLarge(format!("{documents} documents: one search holds at most {}", u32::MAX - 1)));
        }
        let as_rows = match self.keep {
            Keep::Rows => true,
            Keep::SetsUpTo(most) => code_points > most,
            Keep::Sets | Keep::Digests => false,
        };
        if !as_rows {
            return Ok(Kept::Sets(joined(parts)));
        }
        let signed = control.parts(
            parts.len(),
            1,
            || (),
            |(), part| match &parts[part.start] {
                Part::Rows(_) => Ok(None),
                Part::Sets(sets) => self.signer.rows_of_sets(sets, control).map(Some),
            },
        )?;
        let rows = parts.into_iter().zip(signed).filter_map(|(part, signed)| match part {
            Part::Rows(rows) => Some(rows),
            Part::Sets(_) => signed,
        });
        Ok(Kept::Rows(InMemory::new(rows.collect())))
    }
}

fn joined(parts: Vec<Part>) -> Sets {
    let mut all = Sets::default();
    for part in parts {
        if let Part::Sets(mut part) = part {
            all.digests.append(&mut part.digests);
            all.shingles.append(&mut part.shingles);
            all.lengths.append(&mut part.lengths);
            all.sets.append(&mut part.sets);
        }
    }
    all
}

/// What was kept of a whole collection.
#[derive(Debug)]
pub enum Kept {
    /// For the bands.
    Rows(InMemory),
    /// For the exact join; without sets if only digests were kept.
    Sets(Sets),
}

impl Kept {
    /// The length of each text in code points.
    pub fn lengths(&self) -> Vec<u64> {
        match self {
            Kept::Rows(rows) => rows.lengths(),
            Kept::Sets(sets) => sets.lengths.clone(),
        }
    }

    /// Whether signatures were kept.
    pub fn is_signed(&self) -> bool {
        matches!(self, Kept::Rows(_))
    }
}

/// Rows in memory.
#[derive(Debug, Default)]
pub struct InMemory {
    parts: Vec<Rows>,
    /// For each document its part, and its place in it.
    places: Vec<(u32, u32)>,
}

impl InMemory {
    /// Of consecutive parts.
    pub fn new(parts: Vec<Rows>) -> Self {
        let in_part = |(number, part): (usize, &Rows)| {
            let documents = part.digests.len() as u32;
            (0..documents).map(move |i| (number as u32, i))
        };
        let places = parts.iter().enumerate().flat_map(in_part).collect();
        InMemory { parts, places }
    }

    /// The digest of each document.
    pub fn digests(&self) -> Vec<Digest> {
        self.parts.iter().flat_map(|part| &part.digests).copied().collect()
    }

    /// The number of shingles of each document.
    pub fn shingles(&self) -> Vec<u32> {
        self.parts.iter().flat_map(|part| &part.shingles).copied().collect()
    }

    /// The length of each text in code points.
    pub fn lengths(&self) -> Vec<u64> {
        self.parts.iter().flat_map(|part| &part.lengths).copied().collect()
    }

    #[inline(always)]
    fn slots(&self, document: u32) -> &[u8] {
        let (part, place) = self.places[document as usize];
        let part = &self.parts[part as usize];
        let hashes = part.slots.len() / part.digests.len();
        &part.slots[place as usize * hashes..][..hashes]
    }
}

impl Store for InMemory {
    fn documents(&self) -> usize {
        self.places.len()
    }

    fn keys(&self, band: usize) -> Result<Cow<'_, [u32]>> {
        let of_band = |part: &Rows| {
            let documents = part.digests.len();
            band * documents..(band + 1) * documents
        };
        let mut keys = Vec::with_capacity(self.places.len());
        self.parts.iter().for_each(|part| keys.extend_from_slice(&part.keys[of_band(part)]));
        Ok(Cow::Owned(keys))
    }

    fn agreeing(&self, mut pairs: Vec<u64>, least: usize, _: &Control) -> Result<Vec<u64>> {
        pairs.retain(|&pair| {
            let (a, b) = unpack(pair);
            agreeing_bytes(self.slots(a), self.slots(b)) >= least
        });
        Ok(pairs)
    }

    fn bytes(&self) -> usize {
        self.parts.iter().map(|part| part.digests.len() * ROW + 4 * part.keys.len() + part.slots.len()).sum()
    }

    fn portion(&self) -> (usize, bool) {
        (1 << 14, true)
    }
}
