//! Fields of JSON objects on one line, as Python's `json.loads` understands them: also NaN and Infinity, the last of
//! several fields of one name, and half of a surrogate pair, which becomes U+FFFD.
//!
//! Written here because what is wanted is little: two fields out of each line, of which one is nearly all of the line.
//! The others are checked and passed over.

mod cursor;
mod pick;
mod text;

pub(crate) use self::cursor::{Cursor, Kind};
pub(crate) use self::pick::{Picked, Span, pick};

/// Why a line is not read here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// It is not a JSON object.
    Malformed,
    /// It is nested deeper than [`DEEPEST`].
    Deep,
    /// It has a whole number that Python may refuse for its length.
    LongNumber,
}

/// Objects and lists inside each other, at most: more than documents have, less than a stack holds.
pub(crate) const DEEPEST: usize = 500;

/// Digits of a whole number, at most: the least limit that Python can be told to have.
const MOST_DIGITS: usize = 640;

#[cfg(test)]
mod tests;
