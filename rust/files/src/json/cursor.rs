//! A cursor over a line.

use memchr::memchr2;

use super::text::escape;
use super::{DEEPEST, MOST_DIGITS, Wrong};
use crate::BadLine;

const BOOL: &str = "true or false";
pub(crate) const NUMBER: &str = "a number";

/// A place in a line that is a JSON object.
pub(crate) struct Cursor<'a> {
    line: &'a str,
    at: usize,
    /// Whether there may be control characters in strings, where JSON allows none.
    controls: bool,
    begun: bool,
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind<'a> {
    Null,
    Text,
    /// A whole number, as it is written.
    Whole(&'a str),
    /// Anything else, as a person calls it.
    Other(&'static str),
}

/// The name of a field as it is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key<'a> {
    pub raw: &'a str,
    pub escaped: bool,
}

impl<'a> Cursor<'a> {
    /// Before a line. `controls` is false if it is known that no control character is in a string.
    pub fn new(line: &'a str, controls: bool) -> Self {
        Cursor { line, at: 0, controls, begun: false }
    }

    /// Enter the object of the line.
    pub fn open(&mut self) -> Result<(), Wrong> {
        self.blank();
        self.expect(b'{').map_err(|_| Wrong::NotAnObject)
    }

    /// The name of the next field, with its value next; None after the last.
    pub fn key(&mut self) -> Result<Option<Key<'a>>, Wrong> {
        let first = !std::mem::replace(&mut self.begun, true);
        if !self.another(b'}', first)? {
            return Ok(None);
        }
        self.name().map(Some)
    }

    /// Check that nothing follows the object.
    pub fn end(&mut self) -> Result<(), Wrong> {
        self.blank();
        if self.at == self.line.len() { Ok(()) } else { Err(Wrong::Malformed) }
    }

    /// An error at this place.
    pub fn bad(&self, wrong: Wrong) -> BadLine {
        let ended = wrong == Wrong::Malformed && self.at == self.line.len();
        let place = self.line[..self.at].chars().count() as u64;
        BadLine { fault: if ended { Wrong::CutOff } else { wrong }, place }
    }

    /// The byte that comes next; 0, with which nothing begins, at the end.
    pub fn peek(&self) -> u8 {
        self.line.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    /// Skip a value.
    pub fn value(&mut self) -> Result<Kind<'a>, Wrong> {
        self.nested(1)
    }

    /// Skip a string; it is assembled in `made` if it has escapes, otherwise returned unchanged.
    pub fn text(&mut self, made: &mut String) -> Result<Option<&'a str>, Wrong> {
        self.expect(b'"')?;
        let piece = self.piece()?;
        if self.peek() == b'"' {
            self.at += 1;
            return Ok(Some(piece));
        }
        made.push_str(piece);
        loop {
            let (char, length) = escape(&self.line.as_bytes()[self.at..])?;
            made.push(char);
            self.at += length;
            made.push_str(self.piece()?);
            if self.peek() == b'"' {
                self.at += 1;
                return Ok(None);
            }
        }
    }

    /// What is before the next quote or escape of a string.
    fn piece(&mut self) -> Result<&'a str, Wrong> {
        let (start, rest) = (self.at, &self.line.as_bytes()[self.at..]);
        let length = memchr2(b'"', b'\\', rest).ok_or(Wrong::CutOff)?;
        if self.controls
            && let Some(control) = rest[..length].iter().position(|&byte| byte < 0x20)
        {
            self.at += control;
            return Err(Wrong::Malformed);
        }
        self.at += length;
        Ok(&self.line[start..self.at])
    }

    fn name(&mut self) -> Result<Key<'a>, Wrong> {
        let start = self.at + 1;
        let escaped = self.string()?;
        let raw = &self.line[start..self.at - 1];
        self.blank();
        self.expect(b':')?;
        self.blank();
        Ok(Key { raw, escaped })
    }

    /// Skip a string; returns whether it has escapes.
    fn string(&mut self) -> Result<bool, Wrong> {
        self.expect(b'"')?;
        let mut escaped = false;
        loop {
            self.piece()?;
            if self.peek() == b'"' {
                self.at += 1;
                return Ok(escaped);
            }
            let (_, length) = escape(&self.line.as_bytes()[self.at..])?;
            self.at += length;
            escaped = true;
        }
    }

    fn nested(&mut self, depth: usize) -> Result<Kind<'a>, Wrong> {
        match self.peek() {
            b'"' => self.string().map(|_| Kind::Text),
            b'{' | b'[' if depth >= DEEPEST => Err(Wrong::Deep),
            b'{' => self.inside(b'}', depth + 1),
            b'[' => self.inside(b']', depth + 1),
            b'n' => self.word("null", Kind::Null),
            b't' => self.word("true", Kind::Other(BOOL)),
            b'f' => self.word("false", Kind::Other(BOOL)),
            b'N' => self.word("NaN", Kind::Other(NUMBER)),
            b'I' => self.word("Infinity", Kind::Other(NUMBER)),
            _ => self.number(),
        }
    }

    /// Skip an object or a list.
    fn inside(&mut self, close: u8, depth: usize) -> Result<Kind<'a>, Wrong> {
        self.at += 1;
        let mut first = true;
        while self.another(close, first)? {
            if close == b'}' {
                self.name()?;
            }
            self.nested(depth)?;
            first = false;
        }
        Ok(Kind::Other(if close == b'}' { "an object" } else { "a list" }))
    }

    /// Whether another element follows; then the cursor is at it.
    fn another(&mut self, close: u8, first: bool) -> Result<bool, Wrong> {
        self.blank();
        if self.peek() == close {
            self.at += 1;
            return Ok(false);
        }
        if !first {
            self.expect(b',')?;
            self.blank();
        }
        Ok(true)
    }

    fn word(&mut self, word: &str, kind: Kind<'a>) -> Result<Kind<'a>, Wrong> {
        if !self.line.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(Wrong::Malformed);
        }
        self.at += word.len();
        Ok(kind)
    }

    fn number(&mut self) -> Result<Kind<'a>, Wrong> {
        let start = self.at;
        if self.peek() == b'-' {
            self.at += 1;
            if self.peek() == b'I' {
                return self.word("Infinity", Kind::Other(NUMBER));
            }
        }
        let leading = self.peek();
        let digits = self.digits()?;
        if leading == b'0' && digits > 1 {
            return Err(Wrong::Malformed);
        }
        let mut whole = true;
        if self.peek() == b'.' {
            self.at += 1;
            self.digits()?;
            whole = false;
        }
        if matches!(self.peek(), b'e' | b'E') {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), b'+' | b'-'));
            self.digits()?;
            whole = false;
        }
        match whole {
            true if digits > MOST_DIGITS => Err(Wrong::LongNumber),
            true => Ok(Kind::Whole(&self.line[start..self.at])),
            false => Ok(Kind::Other(NUMBER)),
        }
    }

    /// Skip digits, at least one.
    fn digits(&mut self) -> Result<usize, Wrong> {
        let start = self.at;
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        if self.at == start { Err(Wrong::Malformed) } else { Ok(self.at - start) }
    }

    /// Skip white space.
    fn blank(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\r' | b'\n') {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), Wrong> {
        if self.peek() != byte {
            return Err(Wrong::Malformed);
        }
        self.at += 1;
        Ok(())
    }
}
