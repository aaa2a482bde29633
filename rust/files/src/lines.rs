//! JSON Lines.

use std::path::Path;

use crate::{Chunk, Column, Error, Result, Stop, Table, Wanted};

/// The most bytes of one line.
pub const LONGEST_LINE: usize = 256 << 20;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip, one member or several.
    Gzip,
    /// Zstandard, one frame or several.
    Zstd,
}

/// A file of JSON Lines.
pub struct JsonLines {}

impl JsonLines {
    /// Open a file.
    pub fn open(path: &Path, compression: Compression) -> Result<Self> {
        let _ = (path, compression);
        Ok(JsonLines {})
    }
}

impl Table for JsonLines {
    fn columns(&self) -> Result<Vec<Column>> {
        Err(Error::NeedsFallback("JSON Lines are not read here yet"))
    }

    fn rows(&self) -> Option<u64> {
        None
    }

    fn read(&self, _: &Wanted, _: usize, _: Stop<'_>, _: &(dyn Fn(&Chunk<'_>) + Sync)) -> Result<()> {
        Err(Error::NeedsFallback("JSON Lines are not read here yet"))
    }

    fn fetch(
        &self,
        _: &Wanted,
        _: &[(u64, Vec<u32>)],
        _: usize,
        _: Stop<'_>,
        _: &(dyn Fn(u64, u32, &str) + Sync),
    ) -> Result<()> {
        Err(Error::NeedsFallback("JSON Lines are not read here yet"))
    }
}
