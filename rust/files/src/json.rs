//! Fields of JSON objects on one line, as Python's `json.loads` understands them: also NaN and Infinity, the last of
//! several fields of one name, and half of a surrogate pair, which becomes U+FFFD.
//!
//! Written here because little is needed: two fields of each line, one of which is nearly the whole line. The others are
//! checked and skipped.

mod cursor;
mod pick;
mod text;

pub(crate) use self::cursor::{Cursor, Kind};
pub(crate) use self::pick::{Picked, Span, check, pick};

use crate::LineFault as Wrong;

/// Objects and lists inside each other, at most: more than documents have, less than a stack holds.
pub(crate) const DEEPEST: usize = 500;

/// Digits of a whole number, at most: as many as Python takes, by default.
pub(crate) const MOST_DIGITS: usize = 4300;

#[cfg(test)]
mod tests;
