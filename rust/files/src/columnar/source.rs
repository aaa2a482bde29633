//! A file as the Parquet decoder wants it, and what the decoder does wrong made into errors.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Once};

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

use super::thrift::{self, Stop};
use crate::limits::TooMuch;
use crate::positioned::read_at;
use crate::workers::Pool;
use crate::{Error, Limits, Result};

/// A file that several threads read, and buffers for its pages.
#[derive(Clone)]
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

    /// A buffer of so many bytes at least, with anything in them.
    pub fn buffer(&self, length: usize) -> Vec<u8> {
        let mut buffer = self.pages.get();
        if buffer.len() < length {
            buffer.resize(length, 0);
        }
        buffer
    }

    /// Forget the buffers: of a thousand files that are open, one is read.
    pub fn forget_buffers(&self) {
        self.pages.clear();
    }

    /// The first bytes of a buffer as a page.
    pub fn page(&self, buffer: Vec<u8>, length: usize) -> Bytes {
        Bytes::from_owner(Page { buffer, length, home: self.pages.clone() })
    }

    /// Whether what the end of the file says of it can be decoded in the time that it takes to read it. What is no
    /// Parquet is left to the decoder.
    pub fn check_end(&self) -> Result<()> {
        let mut end = [0; END as usize];
        let place = self.length.saturating_sub(END);
        if read_at(&self.file, place, &mut end)? < end.len() || end[4..] != *b"PAR1" {
            return Ok(());
        }
        let length = u32::from_le_bytes([end[0], end[1], end[2], end[3]]);
        let Some(start) = place.checked_sub(u64::from(length)) else { return Ok(()) };
        let mut data = vec![0; length as usize];
        let read = read_at(&self.file, start, &mut data)?;
        thrift::file(&data[..read]).map_err(|_| Error::Unreadable("its end is damaged".into()))
    }
}

impl Length for Source {
    fn len(&self) -> u64 {
        self.length
    }
}

/// A buffer that had to grow beyond this for one page is not kept.
const LARGE: usize = 8 << 20;

/// Bytes at the end of a file: the length of what it says of itself, and four letters.
const END: u64 = 8;

/// The longest header of a page; two long texts may be in it.
const LONGEST_HEADER: usize = 64 << 20;

/// Page headers are small; what is read with one and not needed is wasted.
const HEADER: usize = 4 << 10;

impl ChunkReader for Source {
    type T = Header;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        // At the very end is the length of what the file says of itself, elsewhere a page.
        let is_page = start.saturating_add(END) < self.length;
        Ok(Header { file: self.file.clone(), start, is_page, limits: self.limits, read: None })
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        // A damaged file may ask for any length: no memory is taken for what it does not have.
        if start.checked_add(length as u64).is_none_or(|end| end > self.length) {
            return Err(ParquetError::EOF("a page reaches beyond the end of the file".into()));
        }
        let mut buffer = self.buffer(length);
        if read_at(&self.file, start, &mut buffer[..length])? < length {
            return Err(ParquetError::EOF("the file became shorter while it was read".into()));
        }
        Ok(self.page(buffer, length))
    }
}

/// The header of a page, looked at when the decoder begins to read it. (It may also ask for what follows a header that it
/// knows, and not read that.)
pub(crate) struct Header {
    file: Arc<File>,
    start: u64,
    is_page: bool,
    limits: Limits,
    read: Option<Cursor<Vec<u8>>>,
}

impl Header {
    /// Read the header, and refuse one that cannot be decoded, or whose page cannot be unpacked: the decoder takes the
    /// memory for a page before it unpacks it, as much as the header says.
    fn whole(&self) -> io::Result<Vec<u8>> {
        let mut head = vec![0; HEADER];
        loop {
            let read = read_at(&self.file, self.start, &mut head)?;
            let is_more = read == head.len() && read < LONGEST_HEADER;
            match thrift::page(&head[..read]) {
                _ if !self.is_page => {}
                Ok(sizes) if self.limits.allows_page(sizes.packed, sizes.bytes) => {}
                Ok(_) => return Err(io::Error::other(TooMuch)),
                Err(Stop::CutOff) if is_more => {
                    head.resize(8 * read, 0);
                    continue;
                }
                Err(_) => return Err(io::Error::other("the header of a page is damaged")),
            }
            head.truncate(read);
            return Ok(head);
        }
    }
}

impl Read for Header {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read.is_none() {
            self.read = Some(Cursor::new(self.whole()?));
        }
        self.read.as_mut().map_or(Ok(0), |head| head.read(buffer))
    }
}

/// A page, packed or unpacked. Its buffer goes home when the last value in it is forgotten.
struct Page {
    buffer: Vec<u8>,
    length: usize,
    home: Arc<Pool<Vec<u8>>>,
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
/// the system, and touching it again takes longer than decoding. It learns what is large from what is freed: after one
/// block of this size, which nobody touches, pages stay in its hands. (Twice the speed for Snappy; other allocators do
/// not mind.)
pub(crate) fn keep_pages() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| drop(std::hint::black_box(Vec::<u8>::with_capacity((32 << 20) - (64 << 10)))));
}

thread_local! {
    /// Whether this thread is inside the decoder, whose panics become errors and need no trace.
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

/// Why decoding failed.
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
            Trouble::Error(ParquetError::External(inner)) if is_too_much(&*inner) => Error::Expands,
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

/// Whether an error is that of a page that expands to too much, found before it was read or while it was.
fn is_too_much(error: &(dyn std::error::Error + Send + Sync + 'static)) -> bool {
    let read = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    error.is::<TooMuch>() || read.is_some_and(|inner| inner.is::<TooMuch>())
}

/// What a Parquet file says that cannot be.
pub(crate) fn damaged<T>(row: u64, reason: &str) -> Result<T> {
    Err(Error::Damaged { row: Some(row), reason: reason.into() })
}
