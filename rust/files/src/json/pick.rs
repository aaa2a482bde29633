//! The text and the id of an object.

use std::ops::Range;

use super::cursor::NUMBER;
use super::{Cursor, Kind, Wrong};
use crate::{BadLine, Wanted};

/// A string, unchanged from the line or assembled from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Span<'a> {
    Plain(&'a str),
    Made(Range<usize>),
}

impl<'a> Span<'a> {
    /// The text; `made` has assembled ones.
    pub fn get(&self, made: &'a str) -> &'a str {
        match self {
            Span::Plain(text) => text,
            Span::Made(range) => &made[range.clone()],
        }
    }
}

/// A field of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Picked<'a> {
    /// Null, or not there.
    Null,
    Text(Span<'a>),
    Number(i64),
    /// Something else, as a person calls it: as a text it is wrong, as an id only Python knows what to do with it.
    Other(&'static str),
}

impl Picked<'_> {
    /// What it is, as a person calls it, where a text is wanted.
    pub fn kind(&self) -> &'static str {
        match self {
            Picked::Other(kind) => kind,
            _ => NUMBER,
        }
    }
}

/// Check that a line is an object.
pub(crate) fn check(line: &str, controls: bool) -> Result<(), BadLine> {
    let mut cursor = Cursor::new(line, controls);
    pass(&mut cursor).map_err(|wrong| cursor.bad(wrong))
}

fn pass(cursor: &mut Cursor<'_>) -> Result<(), Wrong> {
    cursor.open()?;
    while cursor.key()?.is_some() {
        cursor.value()?;
    }
    cursor.end()
}

/// The text and the id of a line. Strings with escapes are assembled at the end of `made`.
pub(crate) fn pick<'a>(
    line: &'a str,
    controls: bool,
    wanted: &Wanted,
    made: &mut String,
) -> Result<(Picked<'a>, Picked<'a>), BadLine> {
    let mut cursor = Cursor::new(line, controls);
    fields(&mut cursor, wanted, made).map_err(|wrong| cursor.bad(wrong))
}

fn fields<'a>(cursor: &mut Cursor<'a>, wanted: &Wanted, made: &mut String) -> Result<(Picked<'a>, Picked<'a>), Wrong> {
    let (mut text, mut id) = (Picked::Null, Picked::Null);
    let other = wanted.id.as_deref().filter(|&name| name != wanted.text);
    cursor.open()?;
    while let Some(key) = cursor.key()? {
        if key.is(&wanted.text) {
            text = field(cursor, made)?;
        } else if other.is_some_and(|name| key.is(name)) {
            id = field(cursor, made)?;
        } else {
            cursor.value()?;
        }
    }
    cursor.end()?;
    if wanted.id.is_some() && other.is_none() {
        id = text.clone();
    }
    Ok((text, id))
}

fn field<'a>(cursor: &mut Cursor<'a>, made: &mut String) -> Result<Picked<'a>, Wrong> {
    if cursor.peek() == b'"' {
        let start = made.len();
        let plain = cursor.text(made)?;
        return Ok(Picked::Text(plain.map_or_else(|| Span::Made(start..made.len()), Span::Plain)));
    }
    Ok(match cursor.value()? {
        Kind::Null => Picked::Null,
        Kind::Whole(digits) => digits.parse().map_or(Picked::Other(NUMBER), Picked::Number),
        Kind::Other(kind) => Picked::Other(kind),
        Kind::Text => Picked::Other("text"), // cannot be: those are read above
    })
}
