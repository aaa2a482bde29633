//! What a search keeps of the rows of a table beside their texts: which rows they are, their ids, and what was skipped.

use std::sync::Mutex;

use lookalike_core::repeated::suspects;
use lookalike_files::{Chunk, Id, Ids, SkipReason};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::inputs::lock;
use crate::packed::repeated_text;
use crate::signatures::bytes;
use crate::tables::{About, OwnId, why};

/// The rows of a table, as their chunks come.
#[derive(Default)]
pub struct TableRows(Mutex<Vec<ChunkRows>>);

struct ChunkRows {
    number: u64,
    rows: u32,
    documents: u32,
    /// None if every row is a document.
    places: Option<Vec<u32>>,
    numbers: Vec<i64>,
    texts: String,
    ends: Vec<u32>,
    skipped: Vec<(u32, SkipReason, Option<OwnId>)>,
}

impl TableRows {
    /// Take what there is to know of a chunk.
    pub fn see(&self, chunk: &Chunk<'_>) {
        let mut own = ChunkRows {
            number: chunk.number,
            rows: chunk.rows,
            documents: chunk.texts.len() as u32,
            places: (chunk.rows as usize != chunk.places.len()).then(|| chunk.places.to_vec()),
            numbers: Vec::new(),
            texts: String::new(),
            ends: Vec::new(),
            skipped: chunk.skipped.iter().map(|skip| (skip.row, skip.reason, skip.id.map(OwnId::from))).collect(),
        };
        match chunk.ids {
            Ids::None => {}
            Ids::Numbers(numbers) => own.numbers = numbers.to_vec(),
            Ids::Texts(texts) => {
                for text in texts {
                    own.texts.push_str(text);
                    own.ends.push(own.texts.len() as u32);
                }
            }
        }
        lock(&self.0).push(own);
    }

    /// All rows, in their order: "rows", "places", "numbers", "offsets" and "texts", "skipped", "repeated".
    pub fn into_python(self, out: &Bound<'_, PyDict>) -> PyResult<()> {
        let py = out.py();
        let mut chunks = self.0.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        chunks.sort_unstable_by_key(|chunk| chunk.number);
        let rows: u64 = chunks.iter().map(|chunk| u64::from(chunk.rows)).sum();
        let documents: usize = chunks.iter().map(|chunk| chunk.documents as usize).sum();
        out.set_item("rows", rows)?;
        out.set_item("places", (rows != documents as u64).then(|| bytes(py, &places(&chunks), i64::to_le_bytes)))?;
        let numbers: Vec<i64> = chunks.iter().flat_map(|chunk| &chunk.numbers).copied().collect();
        let (offsets, texts) = packed(&chunks);
        let repeated =
            if numbers.is_empty() { repeated_text(&offsets, texts.as_bytes()) } else { repeated_of(&numbers) };
        // A table may give numbers in one chunk and texts in another: then neither is as many as there are documents.
        out.set_item("numbers", (!numbers.is_empty()).then(|| bytes(py, &numbers, i64::to_le_bytes)))?;
        out.set_item("offsets", (offsets.len() > 1).then(|| bytes(py, &offsets, i64::to_le_bytes)))?;
        out.set_item("texts", PyBytes::new(py, texts.as_bytes()))?;
        out.set_item("repeated", repeated)?;
        out.set_item("skipped", skipped(chunks))
    }
}

fn places(chunks: &[ChunkRows]) -> Vec<i64> {
    let (mut all, mut first) = (Vec::new(), 0);
    for chunk in chunks {
        match &chunk.places {
            Some(places) => all.extend(places.iter().map(|&place| first + i64::from(place))),
            None => all.extend((0..chunk.rows).map(|place| first + i64::from(place))),
        }
        first += i64::from(chunk.rows);
    }
    all
}

fn packed(chunks: &[ChunkRows]) -> (Vec<i64>, String) {
    let mut offsets = vec![0];
    let mut texts = String::with_capacity(chunks.iter().map(|chunk| chunk.texts.len()).sum());
    for chunk in chunks {
        let start = texts.len() as i64;
        offsets.extend(chunk.ends.iter().map(|&end| start + i64::from(end)));
        texts.push_str(&chunk.texts);
    }
    (offsets, texts)
}

/// The first document whose id was there before, and where.
fn repeated_of(numbers: &[i64]) -> Option<(usize, usize)> {
    if numbers.is_sorted_by(|a, b| a < b) {
        return None; // the numbers of rows, mostly
    }
    let number = |i: u32| numbers[i as usize];
    let mut order = suspects(numbers.iter().map(|&number| number as u64));
    order.sort_unstable_by_key(|&i| (number(i), i));
    let equal = order.windows(2).filter(|w| number(w[0]) == number(w[1]));
    equal.map(|w| (w[1], w[0])).min().map(|(second, first)| (first as usize, second as usize))
}

/// (row, reason, more about it, id) of each row without a text.
fn skipped(chunks: Vec<ChunkRows>) -> Vec<(u64, &'static str, Option<About>, Option<OwnId>)> {
    let (mut all, mut first) = (Vec::new(), 0);
    for chunk in chunks {
        let own = chunk.skipped.into_iter().map(|(row, reason, id)| {
            let (reason, about) = why(reason);
            (first + u64::from(row), reason, about, id)
        });
        all.extend(own);
        first += u64::from(chunk.rows);
    }
    all
}

impl From<Id<'_>> for OwnId {
    fn from(id: Id<'_>) -> Self {
        match id {
            Id::Number(number) => OwnId::Number(number),
            Id::Text(text) => OwnId::Text(text.to_owned()),
        }
    }
}
