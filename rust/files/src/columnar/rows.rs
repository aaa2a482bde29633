//! Rows of a row group, decoded a batch at a time. Texts are slices of their page: nothing is copied.

use std::sync::Arc;

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::RowGroupReader;

use super::pages::column_reader;
use super::schema::Leaf;
use super::source::{Source, Trouble, damaged, guarded};
use crate::{Error, Limits, Result};

/// Rows in a batch, at most.
const MOST_ROWS: usize = 512;
/// Bytes of text in a batch, about: a batch ends with the row that goes beyond.
const MOST_BYTES: usize = 1 << 20;
/// Rows that are decoded before it is known how long texts are.
const FIRST_ROWS: usize = 16;

/// Values of some rows, and which of the rows have one.
#[derive(Debug)]
pub(crate) struct Values<T> {
    pub values: Vec<T>,
    /// 1 for a row that has a value; empty for a column in which every row has.
    levels: Vec<i16>,
}

impl<T> Values<T> {
    fn new() -> Self {
        Values { values: Vec::new(), levels: Vec::new() }
    }

    /// The value of each row.
    pub fn each(&self) -> impl Iterator<Item = Option<&T>> {
        let mut values = self.values.iter();
        let all = if self.levels.is_empty() { self.values.len() } else { 0 };
        let present = self.levels.iter().map(|&level| level == 1).chain(std::iter::repeat_n(true, all));
        present.map(move |present| if present { values.next() } else { None })
    }
}

/// The ids of a batch as they are in the file.
#[derive(Debug)]
pub(crate) enum RawIds {
    None,
    /// The texts are the ids.
    Same,
    Small(Values<i32>, bool),
    Large(Values<i64>),
    Texts(Values<ByteArray>),
}

impl RawIds {
    /// Bytes of ids that are texts of their own.
    fn bytes(&self) -> usize {
        if let RawIds::Texts(texts) = self { texts.values.iter().map(ByteArray::len).sum() } else { 0 }
    }
}

/// Some consecutive rows.
#[derive(Debug)]
pub(crate) struct Batch {
    /// The first row, counted in its row group.
    pub first: u64,
    pub rows: usize,
    /// Bytes of its texts and ids, each counted as often as it is there.
    pub bytes: usize,
    pub texts: Values<ByteArray>,
    pub ids: RawIds,
}

/// Which columns to decode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns {
    pub text: Leaf,
    pub id: Option<Leaf>,
}

enum IdReader {
    None,
    Same,
    Small(ColumnReaderImpl<Int32Type>, bool),
    Large(ColumnReaderImpl<Int64Type>),
    Texts(ColumnReaderImpl<ByteArrayType>),
}

/// Decodes the rows of a row group from some row on.
pub(crate) struct Rows {
    texts: ColumnReaderImpl<ByteArrayType>,
    ids: IdReader,
    /// The next row, and the one after the last, in the row group.
    row: u64,
    end: u64,
    /// Rows of the file that are before the row group.
    before: u64,
    /// Rows to decode at once.
    step: usize,
}

impl Rows {
    /// Begin at the first row of a row group, before which the file has `before`.
    pub fn new(
        source: &Arc<Source>,
        group: &dyn RowGroupReader,
        columns: &Columns,
        before: u64,
        limits: Limits,
    ) -> Result<Self> {
        let reader = |leaf: Leaf| {
            guarded(|| column_reader(source, group, leaf.place, limits))
                .map_err(|trouble: Trouble| trouble.after(before))
        };
        let texts = reader(columns.text)?;
        let ColumnReader::ByteArrayColumnReader(texts) = texts else {
            return Err(Error::NeedsFallback("a column of texts that is not stored as bytes"));
        };
        let ids = match columns.id {
            None => IdReader::None,
            Some(id) if id.place == columns.text.place => IdReader::Same,
            Some(id) => IdReader::new(reader(id)?, id.unsigned)?,
        };
        let end = u64::try_from(group.metadata().num_rows()).unwrap_or(0);
        Ok(Rows { texts, ids, row: 0, end, before, step: FIRST_ROWS })
    }

    /// Go forward to a row, past whole pages without decoding them.
    pub fn skip_to(&mut self, row: u64) -> Result<()> {
        let Some(count) = row.checked_sub(self.row).and_then(|count| usize::try_from(count).ok()) else {
            return damaged(self.before, "a document is asked for that was not there before");
        };
        self.row = row;
        let (texts, ids) = (&mut self.texts, &mut self.ids);
        let skipped = guarded(|| Ok((texts.skip_records(count)?, ids.skip(count)?)));
        match skipped.map_err(|trouble| trouble.after(self.before))? {
            (a, b) if a == count && b == count => Ok(()),
            _ => damaged(self.before, "a column has fewer rows than the file says"),
        }
    }

    /// The next rows, at most `most` of them; None after the last.
    pub fn next(&mut self, most: usize) -> Result<Option<Batch>> {
        let left = usize::try_from(self.end - self.row.min(self.end)).unwrap_or(usize::MAX).min(MOST_ROWS).min(most);
        if left == 0 {
            return Ok(None);
        }
        let batch = guarded(|| self.decode(left)).map_err(|trouble| trouble.after(self.before + self.row))?;
        self.row += batch.rows as u64;
        Ok(Some(batch))
    }

    fn decode(&mut self, most: usize) -> parquet::errors::Result<Batch> {
        let mut texts = Values::new();
        texts.values.reserve(most);
        let (mut rows, mut bytes) = (0, 0);
        while rows < most && bytes < MOST_BYTES {
            let seen = texts.values.len();
            let wanted = self.step.min(most - rows);
            rows += read(&mut self.texts, wanted, &mut texts)?;
            let new: usize = texts.values[seen..].iter().map(ByteArray::len).sum();
            bytes += new;
            let average = new / (texts.values.len() - seen).max(1) + 1;
            self.step = (MOST_BYTES.saturating_sub(bytes) / average).clamp(1, MOST_ROWS);
        }
        // The next batch begins empty, with texts about as long as these.
        self.step = (MOST_BYTES / (bytes / texts.values.len().max(1) + 1)).clamp(1, MOST_ROWS);
        let ids = self.ids.read(rows)?;
        bytes += ids.bytes();
        Ok(Batch { first: self.row, rows, bytes, texts, ids })
    }
}

impl IdReader {
    fn new(reader: ColumnReader, unsigned: bool) -> Result<Self> {
        match reader {
            ColumnReader::Int32ColumnReader(reader) => Ok(IdReader::Small(reader, unsigned)),
            ColumnReader::Int64ColumnReader(reader) => Ok(IdReader::Large(reader)),
            ColumnReader::ByteArrayColumnReader(reader) => Ok(IdReader::Texts(reader)),
            _ => Err(Error::NeedsFallback("ids of another type")),
        }
    }

    fn read(&mut self, rows: usize) -> parquet::errors::Result<RawIds> {
        Ok(match self {
            IdReader::None => RawIds::None,
            IdReader::Same => RawIds::Same,
            IdReader::Small(reader, unsigned) => RawIds::Small(read_all(reader, rows)?, *unsigned),
            IdReader::Large(reader) => RawIds::Large(read_all(reader, rows)?),
            IdReader::Texts(reader) => RawIds::Texts(read_all(reader, rows)?),
        })
    }

    fn skip(&mut self, rows: usize) -> parquet::errors::Result<usize> {
        match self {
            IdReader::None | IdReader::Same => Ok(rows),
            IdReader::Small(reader, _) => reader.skip_records(rows),
            IdReader::Large(reader) => reader.skip_records(rows),
            IdReader::Texts(reader) => reader.skip_records(rows),
        }
    }
}

/// Decode `wanted` rows, or fewer at the end of a page; none is an error.
fn read<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    wanted: usize,
    into: &mut Values<T::T>,
) -> parquet::errors::Result<usize> {
    let (rows, _, _) = reader.read_records(wanted, Some(&mut into.levels), None, &mut into.values)?;
    if rows == 0 {
        return Err(ParquetError::General("a column has fewer rows than the file says".into()));
    }
    Ok(rows)
}

fn read_all<T: DataType>(reader: &mut ColumnReaderImpl<T>, rows: usize) -> parquet::errors::Result<Values<T::T>> {
    let mut out = Values::new();
    out.values.reserve(rows);
    let mut done = 0;
    while done < rows {
        done += read(reader, rows - done, &mut out)?;
    }
    Ok(out)
}
