//! What can keep a table from being read. Rows and lines are counted from 0 in the whole file.

use std::fmt;

/// The result type of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What kept a table from being read.
#[derive(Debug)]
pub enum Error {
    /// The file cannot be opened or read.
    Io(std::io::Error),
    /// The file is not Parquet, or the end of it, which describes the rest, is damaged.
    Unreadable(String),
    /// The file cannot be decoded after some row.
    Damaged {
        /// Rows that can be read before it, at least; unknown for a compressed stream.
        row: Option<u64>,
        /// What the decoder said.
        reason: String,
    },
    /// A compressed stream ends too early.
    Truncated(&'static str),
    /// No column has this name.
    MissingColumn(String),
    /// More than one column has this name.
    ColumnTwice(String),
    /// A document has no id.
    MissingId {
        /// Its row.
        row: u64,
    },
    /// None of the first lines is a JSON object.
    NotLines,
    /// The file expands to more than [`Limits`](crate::Limits) allow.
    Expands,
    /// There are more columns than [`Limits`](crate::Limits) allow.
    TooManyColumns,
    /// Only the Python readers can tell what this means.
    NeedsFallback(&'static str),
    /// The caller asked to stop.
    Interrupted,
}

impl Error {
    /// A short name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Error::Io(_) => "io",
            Error::Unreadable(_) => "unreadable",
            Error::Damaged { .. } => "damaged",
            Error::Truncated(_) => "truncated",
            Error::MissingColumn(_) => "missing column",
            Error::ColumnTwice(_) => "column twice",
            Error::MissingId { .. } => "missing id",
            Error::NotLines => "not lines",
            Error::Expands => "expands",
            Error::TooManyColumns => "too many columns",
            Error::NeedsFallback(_) => "needs fallback",
            Error::Interrupted => "interrupted",
        }
    }

    /// The row or line that it is about, if it is about one.
    pub fn line(&self) -> Option<u64> {
        match *self {
            Error::MissingId { row: line } => Some(line),
            Error::Damaged { row, .. } => row,
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io(error) => write!(f, "the file cannot be read ({error})"),
            Error::Unreadable(reason) => write!(f, "this is not a readable Parquet file ({reason})"),
            Error::Damaged { row: Some(row), reason } => {
                write!(f, "the file cannot be read after row {row} ({reason})")
            }
            Error::Damaged { row: None, reason } => f.write_str(reason),
            Error::Truncated(codec) => write!(f, "the {codec} data ends too early: the file is truncated"),
            Error::MissingColumn(name) => write!(f, "there is no column {name:?}"),
            Error::ColumnTwice(name) => write!(f, "there is more than one column {name:?}"),
            Error::MissingId { row } => write!(f, "row {} has no id", row + 1),
            Error::NotLines => f.write_str("none of the first lines is a JSON object"),
            Error::Expands => f.write_str("the file expands to too many times its size"),
            Error::TooManyColumns => f.write_str("the table has too many columns"),
            Error::NeedsFallback(reason) => write!(f, "the quick reader does not read this: {reason}"),
            Error::Interrupted => f.write_str("the reading was interrupted"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Error::Io(error)
    }
}
