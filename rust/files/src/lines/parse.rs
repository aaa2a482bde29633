//! From a block of lines to a chunk.

use std::collections::HashMap;

use memchr::{memchr, memchr_iter};

use super::CHANGED;
use super::blocks::Block;
use crate::json::{Cursor, Kind, Picked, Span, check, pick};
use crate::{BadLine, Chunk, Column, ColumnKind, Error, Id, Ids, Limits, LineFault, Result, Skip, SkipReason, Wanted};

/// Lines at the start of a file of which one at least must be an object: else it is no file of JSON Lines.
const FIRST_LINES: usize = 100;

/// What keeps a whole block from being read, as opposed to some bad lines.
#[derive(Debug)]
pub(crate) enum Fault {
    /// None of the first lines is an object.
    NotLines,
    MissingId(u32),
    TooManyColumns,
    Fallback(&'static str),
}

impl Fault {
    /// As an error; `before` is asked for the number of lines before the block.
    pub fn into_error(self, before: impl FnOnce() -> Result<u64>) -> Result<Error> {
        Ok(match self {
            Fault::NotLines => Error::NotLines,
            Fault::MissingId(line) => Error::MissingId { row: before()? + u64::from(line) },
            Fault::TooManyColumns => Error::TooManyColumns,
            Fault::Fallback(reason) => Error::NeedsFallback(reason),
        })
    }
}

type Faulty<T> = std::result::Result<T, Fault>;

type Checked<T> = std::result::Result<T, BadLine>;

/// The lines of a block that are not blank: the number of each in the block, and its text if it is UTF-8. None stands for
/// a line of more than `longest` bytes, whatever is in it: a line that is not read to its end cannot be checked.
fn lines(block: &[u8], longest: usize) -> impl Iterator<Item = (u32, Option<Checked<&str>>)> {
    let whole = simdutf8::basic::from_utf8(block).ok();
    let (mut number, mut start) = (0, 0);
    std::iter::from_fn(move || {
        while start < block.len() {
            let end = memchr(b'\n', &block[start..]).map_or(block.len(), |length| start + length);
            let line = start..end;
            start = end + 1;
            number += 1;
            if line.len() > longest {
                return Some((number - 1, None));
            }
            if !is_blank(&block[line.clone()]) {
                // A line of a block that is UTF-8 is UTF-8, and the check is not made again.
                let text = whole.and_then(|text| text.get(line.clone()));
                return Some((number - 1, Some(text.map_or_else(|| utf8(&block[line]), Ok))));
            }
        }
        None
    })
}

fn utf8(line: &[u8]) -> Checked<&str> {
    simdutf8::compat::from_utf8(line)
        .map_err(|error| BadLine { fault: LineFault::NotUtf8, place: error.valid_up_to() as u64 })
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

/// Whether a block has control characters other than line ends, which may then be in strings. Determined for the whole
/// block, 32 bytes at a time.
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

/// Read a block and hand it over; lines of more than `longest` bytes are skipped. `made` is a reusable buffer
/// for strings.
pub(crate) fn parse(
    whole: &Block,
    wanted: &Wanted,
    longest: usize,
    made: &mut String,
    take: &dyn Fn(&Chunk<'_>),
) -> Faulty<()> {
    let block = whole.lines();
    let controls = has_controls(block);
    let mut found = Found::default();
    made.clear();
    for (row, line) in lines(block, longest) {
        let Some(line) = line else {
            found.skipped.push((row, SkipReason::TooLarge, Picked::Null));
            continue;
        };
        match line.and_then(|line| pick(line, controls, wanted, made)) {
            Ok((text, id)) => found.add(row, text, id, wanted.id.is_some())?,
            Err(bad) => found.skipped.push((row, SkipReason::Line(bad), Picked::Null)),
        }
    }
    let mut rows = count(block);
    if whole.too_long {
        found.skipped.push((rows, SkipReason::TooLarge, Picked::Null));
        rows += 1;
    }
    found.give(whole.number, rows, made, take);
    Ok(())
}

impl<'a> Found<'a> {
    fn add(&mut self, row: u32, text: Picked<'a>, id: Picked<'a>, with_id: bool) -> Faulty<()> {
        let text = match text {
            Picked::Text(text) => text,
            Picked::Null => {
                check_id(&id)?;
                self.skipped.push((row, SkipReason::NullText, id));
                return Ok(());
            }
            other => {
                self.skipped.push((row, SkipReason::OtherText(other.kind()), Picked::Null));
                return Ok(());
            }
        };
        check_id(&id)?;
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

fn check_id(id: &Picked<'_>) -> Faulty<()> {
    if matches!(id, Picked::Other(_)) {
        return Err(Fault::Fallback("an id that is neither a text nor a whole number of 64 bits"));
    }
    Ok(())
}

/// Give the documents of a block with some ascending indices.
pub(crate) fn again(
    block: &[u8],
    wanted: &Wanted,
    longest: usize,
    indices: &[u32],
    made: &mut String,
    mut give: impl FnMut(u32, &str),
) -> Faulty<()> {
    let controls = has_controls(block);
    let mut indices = indices.iter().copied().peekable();
    let mut index = 0;
    for line in lines(block, longest).filter_map(|(_, line)| line) {
        if indices.peek().is_none() {
            return Ok(());
        }
        made.clear();
        if let Ok((Picked::Text(text), _)) = line.and_then(|line| pick(line, controls, wanted, made)) {
            if indices.next_if_eq(&index).is_some() {
                give(index, text.get(made));
            }
            index += 1;
        }
    }
    if indices.peek().is_none() { Ok(()) } else { Err(Fault::Fallback(CHANGED)) }
}

/// The fields of the objects in a block, in order of first appearance.
pub(crate) fn columns(block: &[u8], limits: &Limits) -> Faulty<Vec<Column>> {
    let controls = has_controls(block);
    let mut columns = Columns::default();
    let (mut good, mut bad) = (0, 0);
    for line in lines(block, limits.document).filter_map(|(_, line)| line) {
        match line.and_then(|line| check(line, controls).map(|()| line)) {
            Ok(line) => {
                add_fields(line, &mut columns, limits.columns).ok();
                good += 1;
            }
            Err(_) => bad += 1,
        }
        if columns.all.len() > limits.columns {
            return Err(Fault::TooManyColumns);
        }
        if good == 0 && bad >= FIRST_LINES {
            break;
        }
    }
    if good == 0 && bad > 0 { Err(Fault::NotLines) } else { Ok(columns.all) }
}

/// The bad ones among some whole lines.
pub fn bad_lines(block: &[u8]) -> Vec<(u32, BadLine)> {
    let controls = has_controls(block);
    let all = lines(block, usize::MAX).filter_map(|(row, line)| Some((row, line?)));
    let checked = all.map(|(row, line)| (row, line.and_then(|line| check(line, controls))));
    checked.filter_map(|(row, found)| found.err().map(|bad| (row, bad))).collect()
}

/// Fields found so far, and the place of each.
#[derive(Default)]
struct Columns {
    all: Vec<Column>,
    places: HashMap<String, usize>,
}

impl Columns {
    fn add(&mut self, name: String, kind: ColumnKind) -> usize {
        if let Some(&place) = self.places.get(&name) {
            self.all[place].kind = both(self.all[place].kind, kind);
            return place;
        }
        self.places.insert(name.clone(), self.all.len());
        self.push(name, kind)
    }

    fn push(&mut self, name: String, kind: ColumnKind) -> usize {
        self.all.push(Column { name, kind });
        self.all.len() - 1
    }
}

/// Add the fields of a line that is an object, until there are more than `most`.
fn add_fields(line: &str, columns: &mut Columns, most: usize) -> std::result::Result<(), LineFault> {
    let mut cursor = Cursor::new(line, true);
    cursor.open()?;
    let mut next = 0; // most objects have the same fields in the same order
    while let Some(key) = cursor.key()? {
        if columns.all.len() > most {
            return Ok(());
        }
        let kind = match cursor.value()? {
            Kind::Null => ColumnKind::Null,
            Kind::Text => ColumnKind::Text,
            Kind::Whole(digits) if digits.parse::<i64>().is_ok() => ColumnKind::Integer,
            _ => ColumnKind::Other,
        };
        next = match columns.all.get_mut(next) {
            Some(column) if key.is(&column.name) => {
                column.kind = both(column.kind, kind);
                next
            }
            _ if key.is_broken() => columns.push(key.spelled(), kind),
            _ => columns.add(key.spelled(), kind),
        } + 1;
    }
    cursor.end()
}

/// The kind of a column with values of both kinds.
fn both(a: ColumnKind, b: ColumnKind) -> ColumnKind {
    match (a, b) {
        (ColumnKind::Null, kind) | (kind, ColumnKind::Null) => kind,
        _ if a == b => a,
        _ => ColumnKind::Mixed,
    }
}
