//! From a block of lines to a chunk.

use memchr::{memchr, memchr_iter};

use super::CHANGED;
use crate::json::{Cursor, Kind, Picked, Span, Wrong, pick};
use crate::{Chunk, Column, ColumnKind, Error, Id, Ids, Result, Skip, SkipReason, Wanted};

/// What is wrong in a block, and in which of its lines.
#[derive(Debug)]
pub(crate) enum Fault {
    Line(u32, Wrong),
    MissingId(u32),
    Fallback(&'static str),
}

impl Fault {
    /// As an error; `before` is asked for the number of lines before the block.
    pub fn into_error(self, before: impl FnOnce() -> Result<u64>) -> Result<Error> {
        Ok(match self {
            Fault::Line(line, Wrong::Malformed) => Error::BadLine { line: before()? + u64::from(line) },
            Fault::Line(_, Wrong::Deep) => Error::NeedsFallback("a line that is nested deeply"),
            Fault::Line(_, Wrong::LongNumber) => Error::NeedsFallback("a number of very many digits"),
            Fault::MissingId(line) => Error::MissingId { row: before()? + u64::from(line) },
            Fault::Fallback(reason) => Error::NeedsFallback(reason),
        })
    }
}

type Faulty<T> = std::result::Result<T, Fault>;

/// The lines of a block that are not blank: the number of each in the block, and its text unless it is not UTF-8.
fn lines(block: &[u8]) -> impl Iterator<Item = (u32, Option<&str>)> {
    let whole = simdutf8::basic::from_utf8(block).ok();
    let (mut number, mut start) = (0, 0);
    std::iter::from_fn(move || {
        while start < block.len() {
            let end = memchr(b'\n', &block[start..]).map_or(block.len(), |length| start + length);
            let line = start..end;
            start = end + 1;
            number += 1;
            if !is_blank(&block[line.clone()]) {
                let text = match whole {
                    Some(text) => text.get(line),
                    None => simdutf8::basic::from_utf8(&block[line]).ok(),
                };
                return Some((number - 1, text));
            }
        }
        None
    })
}

/// Whether a line is what Python's `bytes.strip` makes empty.
fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t'..=b'\r'))
}

/// Lines in a block, blank ones included.
fn count(block: &[u8]) -> u32 {
    let ends = memchr_iter(b'\n', block).count();
    (ends + usize::from(block.last().is_some_and(|&byte| byte != b'\n'))) as u32
}

/// Whether a block has control characters other than line ends, which may then be in strings. Asked of the whole block,
/// because that is done 32 bytes at a time.
fn has_controls(block: &[u8]) -> bool {
    let (mut controls, mut ends) = (0, 0);
    for part in block.chunks(255 * 32) {
        let (mut some, mut feeds) = ([0u8; 32], [0u8; 32]);
        let (groups, rest) = part.as_chunks::<32>();
        for group in groups {
            for i in 0..32 {
                some[i] += u8::from(group[i] < 0x20);
                feeds[i] += u8::from(group[i] == b'\n');
            }
        }
        controls += some.iter().map(|&n| usize::from(n)).sum::<usize>();
        ends += feeds.iter().map(|&n| usize::from(n)).sum::<usize>();
        controls += rest.iter().filter(|&&byte| byte < 0x20).count();
        ends += rest.iter().filter(|&&byte| byte == b'\n').count();
    }
    // A carriage return before a line end can be in no string: the string would have no end.
    controls != ends && controls != ends + memchr::memmem::find_iter(block, b"\r\n").count()
}

/// A mark at the start of a file that says that it is not plain UTF-8.
pub(crate) fn has_mark(start: &[u8]) -> bool {
    [&b"\xef\xbb\xbf"[..], b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff"].iter().any(|mark| start.starts_with(mark))
}

/// What was found in a block.
#[derive(Default)]
struct Found<'a> {
    places: Vec<u32>,
    texts: Vec<Span<'a>>,
    numbers: Vec<i64>,
    names: Vec<Span<'a>>,
    skipped: Vec<(u32, SkipReason, Picked<'a>)>,
}

/// Read a block and hand it over as chunk `number`. `made` is room for strings, used again and again.
pub(crate) fn parse(
    block: &[u8],
    number: u64,
    wanted: &Wanted,
    made: &mut String,
    take: &dyn Fn(&Chunk<'_>),
) -> Faulty<()> {
    let controls = has_controls(block);
    let mut found = Found::default();
    made.clear();
    for (row, line) in lines(block) {
        let Some(line) = line else {
            found.skipped.push((row, SkipReason::NotUtf8, Picked::Null));
            continue;
        };
        let (text, id) = pick(line, controls, wanted, made).map_err(|wrong| Fault::Line(row, wrong))?;
        found.add(row, text, id, wanted.id.is_some())?;
    }
    found.give(number, count(block), made, take);
    Ok(())
}

impl<'a> Found<'a> {
    fn add(&mut self, row: u32, text: Picked<'a>, id: Picked<'a>, with_id: bool) -> Faulty<()> {
        if id == Picked::Other {
            return Err(Fault::Fallback("an id that is neither a text nor a whole number of 64 bits"));
        }
        let text = match text {
            Picked::Text(text) => text,
            Picked::Null => {
                self.skipped.push((row, SkipReason::NullText, id));
                return Ok(());
            }
            _ => return Err(Fault::Fallback("a text that is not a string")),
        };
        match id {
            Picked::Number(number) => self.numbers.push(number),
            Picked::Text(name) => self.names.push(name),
            _ if with_id => return Err(Fault::MissingId(row)),
            _ => {}
        }
        if !self.numbers.is_empty() && !self.names.is_empty() {
            return Err(Fault::Fallback("ids of which some are texts and some are numbers"));
        }
        self.places.push(row);
        self.texts.push(text);
        Ok(())
    }

    fn give(&self, number: u64, rows: u32, made: &'a str, take: &dyn Fn(&Chunk<'_>)) {
        let texts: Vec<&str> = self.texts.iter().map(|text| text.get(made)).collect();
        let names: Vec<&str> = self.names.iter().map(|name| name.get(made)).collect();
        let id = |picked: &Picked<'a>| match picked {
            Picked::Number(number) => Some(Id::Number(*number)),
            Picked::Text(name) => Some(Id::Text(name.get(made))),
            _ => None,
        };
        let skipped = self.skipped.iter().map(|(row, reason, own)| Skip { row: *row, reason: *reason, id: id(own) });
        let ids = match (self.numbers.is_empty(), names.is_empty()) {
            (false, _) => Ids::Numbers(&self.numbers),
            (_, false) => Ids::Texts(&names),
            _ => Ids::None,
        };
        let skipped: Vec<_> = skipped.collect();
        take(&Chunk { number, rows, places: &self.places, texts: &texts, ids, skipped: &skipped });
    }
}

/// Give the documents of a block with some ascending indices.
pub(crate) fn again(
    block: &[u8],
    wanted: &Wanted,
    indices: &[u32],
    made: &mut String,
    mut give: impl FnMut(u32, &str),
) -> Faulty<()> {
    let controls = has_controls(block);
    let mut indices = indices.iter().copied().peekable();
    let mut index = 0;
    for (row, line) in lines(block) {
        if indices.peek().is_none() {
            return Ok(());
        }
        let Some(line) = line else { continue };
        made.clear();
        let (text, _) = pick(line, controls, wanted, made).map_err(|wrong| Fault::Line(row, wrong))?;
        if let Picked::Text(text) = text {
            if indices.next_if_eq(&index).is_some() {
                give(index, text.get(made));
            }
            index += 1;
        }
    }
    if indices.peek().is_none() { Ok(()) } else { Err(Fault::Fallback(CHANGED)) }
}

/// The fields of the objects in a block, in order of first appearance.
pub(crate) fn columns(block: &[u8]) -> Faulty<Vec<Column>> {
    let mut columns: Vec<Column> = Vec::new();
    for (row, line) in lines(block) {
        if let Some(line) = line {
            add_fields(line, &mut columns).map_err(|wrong| Fault::Line(row, wrong))?;
        }
    }
    Ok(columns)
}

fn add_fields(line: &str, columns: &mut Vec<Column>) -> std::result::Result<(), Wrong> {
    let mut cursor = Cursor::new(line, true);
    cursor.open()?;
    let mut next = 0; // most objects have the same fields in the same order
    while let Some(key) = cursor.key()? {
        let kind = match cursor.value()? {
            Kind::Null => ColumnKind::Null,
            Kind::Text => ColumnKind::Text,
            Kind::Whole(digits) if digits.parse::<i64>().is_ok() => ColumnKind::Integer,
            _ => ColumnKind::Other,
        };
        let place = match columns.get(next) {
            Some(column) if key.is(&column.name) => Some(next),
            _ => columns.iter().position(|column| key.is(&column.name)),
        };
        next = place.unwrap_or(columns.len()) + 1;
        match place.map(|place| &mut columns[place]) {
            Some(column) => column.kind = both(column.kind, kind),
            None => columns.push(Column { name: key.spelled(), kind }),
        }
    }
    cursor.end()
}

/// What a column holds that holds both.
fn both(a: ColumnKind, b: ColumnKind) -> ColumnKind {
    match (a, b) {
        (ColumnKind::Null, kind) | (kind, ColumnKind::Null) => kind,
        _ if a == b => a,
        _ => ColumnKind::Mixed,
    }
}
