//! A file as the Parquet decoder wants it, and what the decoder does wrong made into errors.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Once};

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

use crate::limits::TooMuch;
use crate::positioned::{FileFrom, read_at};
use crate::workers::Pool;
use crate::{Error, Limits, Result};

/// A file that several threads read, and buffers for its pages.
pub(crate) struct Source {
    file: Arc<File>,
    length: u64,
    pages: Arc<Pool<Vec<u8>>>,
    limits: Limits,
}

impl Source {
    pub fn new(file: File, limits: Limits) -> io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(Source { file: Arc::new(file), length, pages: Arc::new(Pool::new()), limits })
    }
}

impl Length for Source {
    fn len(&self) -> u64 {
        self.length
    }
}

/// A buffer that had to grow beyond this for one page is not kept.
const LARGE: usize = 8 << 20;

/// Page headers are small; what is read with one and not needed is wasted.
const HEADER: usize = 4 << 10;

impl ChunkReader for Source {
    type T = BufReader<FileFrom>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        // The decoder takes the memory for a page before it unpacks it, as much as the header says.
        let mut head = [0; PAGE_SIZES];
        let read = read_at(&self.file, start, &mut head)?;
        match page_sizes(&head[..read]) {
            Some((bytes, packed)) if !self.limits.allows_page(packed, bytes) => {
                Err(ParquetError::External(Box::new(TooMuch)))
            }
            _ => Ok(BufReader::with_capacity(HEADER, FileFrom { file: self.file.clone(), offset: start })),
        }
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        // A damaged file may ask for any length: no memory is taken for what it does not have.
        if start.checked_add(length as u64).is_none_or(|end| end > self.length) {
            return Err(ParquetError::EOF("a page reaches beyond the end of the file".into()));
        }
        let mut buffer = self.pages.get();
        if buffer.len() < length {
            buffer.resize(length, 0);
        }
        let page = Page { buffer, length, home: self.pages.clone() };
        Ok(Bytes::from_owner(page.read(&self.file, start)?))
    }
}

/// Bytes in which the sizes of a page are, at the start of its header.
const PAGE_SIZES: usize = 18;

/// How many bytes a page has and how many it takes in the file, by its header; None for what is no header of a page. The
/// header is a struct of Thrift's compact protocol, and its first three fields, in this order, are numbers of 32 bits:
/// the kind of page, its size, its size in the file.
fn page_sizes(head: &[u8]) -> Option<(u64, u64)> {
    let (_, rest) = number(head)?;
    let (bytes, rest) = number(rest)?;
    let (packed, _) = number(rest)?;
    Some((bytes, packed))
}

/// A field with a number of 32 bits that follows the one before it: a byte that says so, and its zigzag code.
fn number(field: &[u8]) -> Option<(u64, &[u8])> {
    let (&0x15, rest) = field.split_first()? else { return None };
    let end = rest.iter().take(5).position(|byte| byte & 0x80 == 0)?;
    let code = rest[..=end].iter().rev().fold(0, |code, byte| code << 7 | u64::from(byte & 0x7f));
    // Negative sizes are damage, which the decoder finds.
    (code & 1 == 0).then_some((code >> 1, &rest[end + 1..]))
}

/// A page as it is in the file. Its buffer goes home when the last value in it is forgotten.
struct Page {
    buffer: Vec<u8>,
    length: usize,
    home: Arc<Pool<Vec<u8>>>,
}

impl Page {
    fn read(mut self, file: &File, start: u64) -> parquet::errors::Result<Self> {
        if read_at(file, start, &mut self.buffer[..self.length])? < self.length {
            return Err(ParquetError::EOF("the file became shorter while it was read".into()));
        }
        Ok(self)
    }
}

impl AsRef<[u8]> for Page {
    fn as_ref(&self) -> &[u8] {
        &self.buffer[..self.length]
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if self.buffer.len() <= LARGE {
            self.home.put(std::mem::take(&mut self.buffer));
        }
    }
}

/// Let freed pages be used again. The decoder takes new memory for each page, glibc gives that of large blocks back to
/// the system, and touching it anew takes longer than decoding. It learns what is large from what is freed: after one
/// block of this size, which nobody touches, pages stay in its hands. (Twice the speed for Snappy; other allocators do
/// not mind.)
pub(crate) fn keep_pages() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| drop(std::hint::black_box(Vec::<u8>::with_capacity((32 << 20) - (64 << 10)))));
}

thread_local! {
    /// Whether this thread is inside the decoder, whose panics are told as errors and need no trace.
    static DECODING: Cell<bool> = const { Cell::new(false) };
}

/// Run the decoder, which panics at some damaged files; what went wrong becomes an error.
pub(crate) fn guarded<T>(work: impl FnOnce() -> parquet::errors::Result<T>) -> std::result::Result<T, Trouble> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !DECODING.get() {
                usual(info);
            }
        }));
    });
    let before = DECODING.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    DECODING.set(before);
    match outcome {
        Ok(result) => result.map_err(Trouble::Error),
        Err(_) => Err(Trouble::Panic),
    }
}

/// What the decoder came to grief at.
#[derive(Debug)]
pub(crate) enum Trouble {
    Error(ParquetError),
    Panic,
}

impl Trouble {
    /// At the end of the file, which says what is in it.
    pub fn at_opening(self) -> Error {
        match self {
            Trouble::Error(ParquetError::NYI(_)) => Error::NeedsFallback("a kind of Parquet that is not known here"),
            trouble => trouble.io().unwrap_or_else(|trouble| Error::Unreadable(trouble.reason())),
        }
    }

    /// After row `row` of the file.
    pub fn after(self, row: u64) -> Error {
        match self {
            Trouble::Error(ParquetError::NYI(_)) => Error::NeedsFallback("an encoding or codec that is not known here"),
            Trouble::Error(ParquetError::External(inner)) if inner.is::<TooMuch>() => Error::Expands,
            trouble => {
                trouble.io().unwrap_or_else(|trouble| Error::Damaged { row: Some(row), reason: trouble.reason() })
            }
        }
    }

    /// The disk, not the data.
    fn io(self) -> std::result::Result<Error, Trouble> {
        match self {
            Trouble::Error(ParquetError::External(inner)) => match inner.downcast::<io::Error>() {
                Ok(error) if error.raw_os_error().is_some() => Ok(Error::Io(*error)),
                Ok(error) => Err(Trouble::Error(ParquetError::External(error))),
                Err(inner) => Err(Trouble::Error(ParquetError::External(inner))),
            },
            trouble => Err(trouble),
        }
    }

    fn reason(&self) -> String {
        match self {
            Trouble::Error(error) => {
                let text = error.to_string();
                let text = text.split_once(": ").map_or(&*text, |(_, reason)| reason);
                text.lines().next().unwrap_or_default().chars().take(160).collect()
            }
            Trouble::Panic => "the decoder gave up".into(),
        }
    }
}

/// What a Parquet file says that cannot be.
pub(crate) fn damaged<T>(row: u64, reason: &str) -> Result<T> {
    Err(Error::Damaged { row: Some(row), reason: reason.into() })
}

#[cfg(test)]
mod tests {
    use super::page_sizes;

    #[test]
    fn the_sizes_of_a_page_are_read_from_its_header() {
        // kind 0, 300 bytes, 5 in the file
        assert_eq!(page_sizes(&[0x15, 0, 0x15, 0xd8, 4, 0x15, 10, 0x2c]), Some((300, 5)));
        assert_eq!(page_sizes(&[0x15, 4, 0x15, 0xfe, 0xff, 0xff, 0xff, 0xf, 0x15, 2]), Some((0x7fff_ffff, 1)));
        for other in [&b""[..], b"PAR1", &[0x15, 0, 0x15, 0xd8], &[0x15, 0, 0x15, 1, 0x15, 2], &[0x15, 2, 0x19, 4]] {
            assert_eq!(page_sizes(other), None);
        }
    }
}
