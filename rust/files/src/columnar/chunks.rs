//! From decoded values to chunks: texts are checked to be UTF-8, once, and ids are put beside them.

use parquet::data_type::ByteArray;

use super::rows::{Batch, RawIds};
use crate::{Chunk, Error, Id, Ids, Result, Skip, SkipReason};

/// The number of the chunk that begins at a row of a row group. So a chunk is found again without counting those before.
pub(crate) fn number(group: usize, row: u64) -> u64 {
    (group as u64) << 32 | row
}

/// The row group and the row in it of a chunk.
pub(crate) fn place(number: u64) -> (usize, u64) {
    ((number >> 32) as usize, number & 0xffff_ffff)
}

/// The text of a value, unless it is not UTF-8.
pub(crate) fn text(value: &ByteArray) -> Option<&str> {
    simdutf8::basic::from_utf8(value.data()).ok()
}

/// Ids as they are collected.
#[derive(Default)]
struct Taken<'a> {
    numbers: Vec<i64>,
    texts: Vec<&'a str>,
}

/// Hand a batch of row group `group` over, before whose rows the file has `before`; texts that are longer than `longest`
/// are skipped.
pub(crate) fn deliver(
    batch: &Batch,
    group: usize,
    before: u64,
    longest: usize,
    take: &dyn Fn(&Chunk<'_>),
) -> Result<()> {
    let (mut places, mut texts) = (Vec::with_capacity(batch.rows), Vec::with_capacity(batch.rows));
    let (mut skipped, mut taken) = (Vec::new(), Taken::default());
    let mut ids = ids(&batch.ids);
    for (row, value) in batch.texts.each().enumerate() {
        let id = ids.next().transpose()?.flatten();
        let row_in_chunk = row as u32;
        let skip = |reason| Skip { row: row_in_chunk, reason, id };
        if value.is_some_and(|value| value.len() > longest) {
            skipped.push(skip(SkipReason::TooLarge));
            continue;
        }
        match value.map(text) {
            Some(Some(text)) => {
                places.push(row_in_chunk);
                texts.push(text);
                match id {
                    Some(Id::Number(number)) => taken.numbers.push(number),
                    Some(Id::Text(text)) => taken.texts.push(text),
                    None if matches!(batch.ids, RawIds::None | RawIds::Same) => {}
                    None => return Err(Error::MissingId { row: before + batch.first + row as u64 }),
                }
            }
            Some(None) => skipped.push(skip(SkipReason::NotUtf8)),
            None => skipped.push(skip(SkipReason::NullText)),
        }
    }
    let ids = match &batch.ids {
        _ if texts.is_empty() => Ids::None,
        RawIds::None => Ids::None,
        RawIds::Same => Ids::Texts(&texts),
        RawIds::Small(..) | RawIds::Large(_) => Ids::Numbers(&taken.numbers),
        RawIds::Texts(_) => Ids::Texts(&taken.texts),
    };
    let number = number(group, batch.first);
    take(&Chunk { number, rows: batch.rows as u32, places: &places, texts: &texts, ids, skipped: &skipped });
    Ok(())
}

/// The id of each row; nothing at all where there are none.
fn ids(raw: &RawIds) -> Box<dyn Iterator<Item = Result<Option<Id<'_>>>> + '_> {
    match raw {
        RawIds::None | RawIds::Same => Box::new(std::iter::empty()),
        RawIds::Small(values, unsigned) => Box::new(values.each().map(|value| {
            let widen = |&value: &i32| if *unsigned { i64::from(value as u32) } else { i64::from(value) };
            Ok(value.map(widen).map(Id::Number))
        })),
        RawIds::Large(values) => Box::new(values.each().map(|value| Ok(value.copied().map(Id::Number)))),
        RawIds::Texts(values) => Box::new(values.each().map(|value| {
            let text = |value| text(value).map(Id::Text).ok_or(Error::NeedsFallback("an id that is not UTF-8"));
            value.map(text).transpose()
        })),
    }
}
