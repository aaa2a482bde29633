//! The text and the id of an object.

use std::ops::Range;

use super::{Cursor, Kind, Wrong};
use crate::Wanted;

/// A string, as it is in the line or put together from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Span<'a> {
    Plain(&'a str),
    Made(Range<usize>),
}

impl<'a> Span<'a> {
    /// The text, of which `made` has what was put together.
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
    /// Something that only Python knows what to do with.
    Other,
}

/// The text and the id of a line. Strings with escapes are put together at the end of `made`.
pub(crate) fn pick<'a>(
    line: &'a str,
    controls: bool,
    wanted: &Wanted,
    made: &mut String,
) -> Result<(Picked<'a>, Picked<'a>), Wrong> {
    let (mut text, mut id) = (Picked::Null, Picked::Null);
    let other = wanted.id.as_deref().filter(|&name| name != wanted.text);
    let mut cursor = Cursor::new(line, controls);
    cursor.open()?;
    while let Some(key) = cursor.key()? {
        if key.is(&wanted.text) {
            text = field(&mut cursor, made)?;
        } else if other.is_some_and(|name| key.is(name)) {
            id = field(&mut cursor, made)?;
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
        Kind::Whole(digits) => digits.parse().map_or(Picked::Other, Picked::Number),
        _ => Picked::Other,
    })
}
