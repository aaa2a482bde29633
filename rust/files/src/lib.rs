//! Tables in files, read a part at a time on several threads: Parquet and JSON Lines. Nothing of the method is here.
//!
//! A table yields its documents in chunks that it does not keep, and can read some of them again. Whatever it cannot read
//! exactly as the Python readers do, it refuses with [`Error::NeedsFallback`]: it never guesses.

mod columnar;
mod error;
mod json;
mod limits;
mod lines;
mod positioned;
mod workers;

use std::path::Path;
use std::sync::Arc;

pub use columnar::Parquet;
pub use error::{Error, Result};
pub use limits::Limits;
pub use lines::{Compression, JsonLines, bad_lines};
pub use positioned::read_at;

/// Polled regularly: returns true if the work should stop.
pub type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// One table file: Parquet or JSON Lines.
pub trait Table: Send + Sync {
    /// Names and kinds of the top-level columns, in file order. For JSON Lines those of the objects in the first
    /// megabyte, in order of first appearance; lines that are not objects are skipped, unless all the first ones are.
    fn columns(&self) -> Result<Vec<Column>>;

    /// Number of rows if known without reading.
    fn rows(&self) -> Option<u64>;

    /// How many bytes the texts of a column take when they are unpacked, as the file states before it is read; None if it
    /// does not. A hint that has not been verified.
    fn text_bytes(&self, _text: &str) -> Option<u64> {
        None
    }

    /// Read all rows. Chunks come in any order, on several threads at once; [`Chunk::number`] orders them in the file.
    /// Of several errors, the one nearest to the start of the file is returned.
    fn read(
        &self,
        columns: &Wanted,
        threads: usize,
        stop: &(dyn Fn() -> bool + Sync),
        take: &(dyn Fn(&Chunk<'_>) + Sync),
    ) -> Result<()>;

    /// Read some documents again: (chunk number, ascending indices into that chunk's `texts`), ascending by chunk.
    /// Touches only the row groups, pages or byte ranges that contain them; a compressed stream of lines has to be
    /// decompressed up to the last one wanted. `take(chunk number, index, text)` in any order, on several threads.
    fn fetch(
        &self,
        columns: &Wanted,
        wanted: &[(u64, Vec<u32>)],
        threads: usize,
        stop: &(dyn Fn() -> bool + Sync),
        take: &(dyn Fn(u64, u32, &str) + Sync),
    ) -> Result<()>;
}

/// Open a Parquet file.
pub fn open_parquet(path: &Path, limits: Limits) -> Result<Arc<dyn Table>> {
    Ok(Arc::new(Parquet::open(path, limits)?))
}

/// Open a file of JSON Lines.
pub fn open_json_lines(path: &Path, compression: Compression, limits: Limits) -> Result<Arc<dyn Table>> {
    Ok(Arc::new(JsonLines::open(path, compression, limits)?))
}

/// The columns to read.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The name of the column of texts.
    pub text: String,
    /// The name of the column of ids; it may be the same.
    pub id: Option<String>,
}

/// A top-level column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name; several columns may share one.
    pub name: String,
    /// What it holds.
    pub kind: ColumnKind,
}

/// What a column holds, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Texts.
    Text,
    /// Bytes that may be text.
    Bytes,
    /// Whole numbers that fit into 64 bits with a sign.
    Integer,
    /// Nothing but nulls.
    Null,
    /// Values of different kinds in different rows.
    Mixed,
    /// Anything that this crate does not read.
    Other,
}

impl ColumnKind {
    /// A short name.
    pub fn name(self) -> &'static str {
        match self {
            ColumnKind::Text => "text",
            ColumnKind::Bytes => "bytes",
            ColumnKind::Integer => "integer",
            ColumnKind::Null => "null",
            ColumnKind::Mixed => "mixed",
            ColumnKind::Other => "other",
        }
    }
}

/// Consecutive rows.
#[derive(Debug)]
pub struct Chunk<'a> {
    /// Ascends in the order of the file, with gaps: it says where the chunk begins, not how many are before it.
    pub number: u64,
    /// Rows in it, those without a text included. For JSON Lines its lines, blank ones included.
    pub rows: u32,
    /// For each text, its row within the chunk.
    pub places: &'a [u32],
    /// The documents: rows whose text is neither null nor other than UTF-8.
    pub texts: &'a [&'a str],
    /// One id for each text, if ids are wanted.
    pub ids: Ids<'a>,
    /// The rows without a text; blank lines are not among them.
    pub skipped: &'a [Skip<'a>],
}

/// The ids of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ids<'a> {
    /// No ids were wanted, or the chunk has no documents.
    None,
    /// Whole numbers.
    Numbers(&'a [i64]),
    /// Texts.
    Texts(&'a [&'a str]),
}

/// The id of one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Id<'a> {
    /// A whole number.
    Number(i64),
    /// A text.
    Text(&'a str),
}

/// A row without a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skip<'a> {
    /// Its row within the chunk.
    pub row: u32,
    /// What is wrong with it.
    pub reason: SkipReason,
    /// Its own id, if it has one that can be read.
    pub id: Option<Id<'a>>,
}

/// Why a row is not a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// The text is null, or the field is not there.
    NullText,
    /// The text is not UTF-8.
    NotUtf8,
    /// The text is of another type, in words: "a number".
    OtherText(&'static str),
    /// The line is not an object.
    Line(BadLine),
    /// The text, or the line that it is in, is longer than [`Limits::document`].
    TooLarge,
}

/// What is wrong with a line of JSON Lines, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// What is wrong.
    pub fault: LineFault,
    /// The character of the line where that shows, for [`LineFault::NotUtf8`] the byte; counted from 0.
    pub place: u64,
}

/// Why a line is not a JSON object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineFault {
    /// It is not UTF-8.
    NotUtf8,
    /// It does not begin like an object.
    NotAnObject,
    /// It ends before the object does.
    CutOff,
    /// It is not JSON.
    Malformed,
    /// It is nested deeper than 500 objects and lists.
    Deep,
    /// It has a whole number of more than 4,300 digits.
    LongNumber,
}

impl LineFault {
    /// A short name.
    pub fn name(self) -> &'static str {
        match self {
            LineFault::NotUtf8 => "not utf-8",
            LineFault::NotAnObject => "not an object",
            LineFault::CutOff => "cut off",
            LineFault::Malformed => "malformed",
            LineFault::Deep => "deep",
            LineFault::LongNumber => "long number",
        }
    }
}
