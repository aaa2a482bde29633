//! How much one table may take. The numbers come from the caller; without them there are no limits.

use std::fmt;
use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Error, Result};

/// What is refused or skipped for its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one text, or of the line that it is in. A longer one is skipped.
    pub document: usize,
    /// How many times its size a file may expand to.
    pub expansion: u64,
    /// Bytes that any file may expand to, however small it is.
    pub harmless: u64,
    /// Columns of a table.
    pub columns: usize,
}

impl Limits {
    /// No limits at all.
    pub const NONE: Limits =
        Limits { document: usize::MAX >> 1, expansion: u64::MAX, harmless: u64::MAX, columns: usize::MAX };

    /// The most bytes that `packed` bytes may become.
    pub(crate) fn most(&self, packed: u64) -> u64 {
        packed.saturating_mul(self.expansion).max(self.harmless)
    }

    /// Whether a page of this size, which is held whole, is plausible for its compressed size.
    pub(crate) fn allows_page(&self, packed: u64, bytes: u64) -> bool {
        bytes <= packed.saturating_mul(self.expansion).max(self.harmless / PAGE_SHARE)
    }
}

/// A page is in memory as a whole, so it may have a quarter of what any file may expand to.
const PAGE_SHARE: u64 = 4;

/// Counts what a file expands to.
#[derive(Debug)]
pub(crate) struct Expansion {
    most: u64,
    done: AtomicU64,
}

impl Expansion {
    pub fn new(limits: &Limits, packed: u64) -> Self {
        Expansion { most: limits.most(packed), done: AtomicU64::new(0) }
    }

    /// Count some more bytes.
    pub fn add(&self, bytes: u64) -> Result<()> {
        let before = self.done.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) > self.most { Err(Error::Expands) } else { Ok(()) }
    }
}

/// The error that a decoder gets when a file expands to too much.
#[derive(Debug)]
pub(crate) struct TooMuch;

impl fmt::Display for TooMuch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Error::Expands.fmt(f)
    }
}

impl std::error::Error for TooMuch {}

/// A stream that expands, counted.
pub(crate) struct Counted<R> {
    pub stream: R,
    pub expansion: Expansion,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(buffer)?;
        self.expansion.add(read as u64).map_err(|_| io::Error::other(TooMuch))?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_small_may_expand_and_what_is_large_must_not() {
        let limits = Limits { expansion: 10, harmless: 1000, ..Limits::NONE };
        assert!(Expansion::new(&limits, 1).add(1000).is_ok());
        assert!(Expansion::new(&limits, 1).add(1001).is_err());
        assert!(Expansion::new(&limits, 200).add(2000).is_ok());
        let counted = Expansion::new(&limits, 200);
        assert!(counted.add(1999).is_ok() && counted.add(1).is_ok() && counted.add(1).is_err());
        assert!(limits.allows_page(1, 250) && !limits.allows_page(1, 251) && limits.allows_page(100, 1000));
    }

    #[test]
    fn a_stream_ends_where_it_expands_to_too_much() {
        let limits = Limits { expansion: 10, harmless: 100, ..Limits::NONE };
        let mut stream = Counted { stream: io::repeat(b'a'), expansion: Expansion::new(&limits, 5) };
        let mut all = Vec::new();
        assert!(stream.read_to_end(&mut all).unwrap_err().get_ref().is_some_and(|error| error.is::<TooMuch>()));
        assert!(all.len() <= 100);
    }
}
