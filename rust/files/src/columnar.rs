//! Parquet files. Row groups are decoded side by side; where there are fewer of them than threads, the threads without
//! one are handed batches by the others.

mod chunks;
mod pages;
mod rows;
mod schema;
mod snappy;
mod source;
mod thrift;

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::file::metadata::ParquetStatisticsPolicy;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::{ReadOptionsBuilder, SerializedFileReader};

use self::chunks::{deliver, number, place, text};
use self::rows::{Batch, Columns, Rows};
use self::source::{Source, damaged, guarded, keep_pages};
use crate::limits::Expansion;
use crate::workers::{Watch, share};
use crate::{Chunk, Column, ColumnKind, Error, Limits, Result, Stop, Table, Wanted};

/// A Parquet file.
pub struct Parquet {
    file: SerializedFileReader<Source>,
    source: Arc<Source>,
    /// Rows before each row group, and in all.
    starts: Vec<u64>,
    limits: Limits,
}

/// Some chunks of a row group to read again.
struct Again<'a> {
    group: usize,
    chunks: &'a [(u64, Vec<u32>)],
}

/// Chunks of a row group that are read again on one thread: fewer, and the pages that two threads share cost more.
const FEWEST_AGAIN: usize = 8;

impl Parquet {
    /// Open a file and read its end, which says what is in it.
    pub fn open(path: &Path, limits: Limits) -> Result<Self> {
        keep_pages();
        let source = Source::new(File::open(path)?, limits)?;
        source.check_end()?;
        let skip = ParquetStatisticsPolicy::SkipAll;
        let options = ReadOptionsBuilder::new().with_column_stats_policy(skip.clone()).with_size_stats_policy(skip);
        let file = guarded(|| SerializedFileReader::new_with_options(source.clone(), options.build()));
        let file = file.map_err(|trouble| trouble.at_opening())?;
        let mut starts = vec![0];
        for group in file.metadata().row_groups() {
            let rows = u32::try_from(group.num_rows());
            let rows = rows.map_err(|_| Error::Unreadable("a row group has an impossible number of rows".into()))?;
            starts.push(starts.last().copied().unwrap_or(0) + u64::from(rows));
        }
        Ok(Parquet { file, source: Arc::new(source), starts, limits })
    }

    fn columns_of(&self, wanted: &Wanted) -> Result<Columns> {
        let schema = self.file.metadata().file_metadata().schema_descr();
        let find = |name: &str| guarded(|| Ok(schema::find(schema, name))).map_err(|trouble| trouble.at_opening())?;
        let text = find(&wanted.text)?;
        let id = wanted.id.as_deref().map(find).transpose()?;
        if !matches!(text.kind, ColumnKind::Text | ColumnKind::Bytes) {
            return Err(Error::NeedsFallback("a column of texts of another type"));
        }
        let known = |kind| matches!(kind, ColumnKind::Text | ColumnKind::Bytes | ColumnKind::Integer);
        match id {
            Some(id) if !known(id.kind) => Err(Error::NeedsFallback("a column of ids of another type")),
            _ => Ok(Columns { text, id }),
        }
    }

    /// Counts what the columns expand to, against what they take in the file.
    fn expansion(&self, columns: &Columns) -> Expansion {
        let places = [Some(columns.text.place), columns.id.map(|id| id.place)];
        let groups = self.file.metadata().row_groups().iter();
        let packed = groups.flat_map(|group| places.iter().flatten().filter_map(|&place| group.columns().get(place)));
        let packed = packed.map(|column| u64::try_from(column.compressed_size()).unwrap_or(0)).sum();
        Expansion::new(&self.limits, packed)
    }

    fn rows_of(&self, group: usize, columns: &Columns) -> Result<Rows> {
        let before = self.starts[group];
        let reader = guarded(|| self.file.get_row_group(group)).map_err(|trouble| trouble.after(before))?;
        Rows::new(&self.source, &*reader, columns, before, self.limits)
    }

    /// Decode a row group and give its batches away.
    fn decode(
        &self,
        group: usize,
        columns: &Columns,
        expansion: &Expansion,
        watch: &Watch<'_>,
        give: &mut dyn FnMut((usize, Batch)),
    ) {
        let mut at = number(group, 0);
        let mut run = || -> Result<()> {
            let mut rows = self.rows_of(group, columns)?;
            while watch.wants(at) {
                let Some(batch) = rows.next(usize::MAX)? else { break };
                expansion.add(batch.bytes as u64)?;
                at = number(group, batch.first + batch.rows as u64);
                give((group, batch));
            }
            Ok(())
        };
        let result = run();
        watch.note(at, result);
    }

    /// Read some chunks of a row group again.
    fn again(
        &self,
        job: &Again<'_>,
        columns: &Columns,
        watch: &Watch<'_>,
        take: &dyn Fn(u64, u32, &str),
    ) -> Result<()> {
        let mut rows = self.rows_of(job.group, columns)?;
        for (number, indices) in job.chunks {
            if !watch.wants(*number) {
                break;
            }
            rows.skip_to(place(*number).1)?;
            documents(&mut rows, indices, self.limits.document, |index, text| take(*number, index, text))?;
        }
        Ok(())
    }

    /// Chunks to read again, in parts that lie in one row group each.
    fn parts<'a>(&self, wanted: &'a [(u64, Vec<u32>)], threads: usize) -> Result<Vec<Again<'a>>> {
        let size = wanted.len().div_ceil(threads.max(1) * 4).max(FEWEST_AGAIN);
        let mut parts = Vec::new();
        for same in wanted.chunk_by(|a, b| place(a.0).0 == place(b.0).0) {
            let (group, _) = place(same[0].0);
            let (last, _) = same[same.len() - 1];
            let rows = self.starts.get(group + 1).map(|end| end - self.starts[group]);
            if rows.is_none_or(|rows| place(last).1 >= rows) || !same.is_sorted_by_key(|chunk| chunk.0) {
                return damaged(0, "a chunk is asked for that was not there before");
            }
            parts.extend(same.chunks(size).map(|chunks| Again { group, chunks }));
        }
        Ok(parts)
    }
}

/// Give the documents with some ascending indices, counted from the next row on.
fn documents(rows: &mut Rows, indices: &[u32], longest: usize, mut give: impl FnMut(u32, &str)) -> Result<()> {
    let mut indices = indices.iter().copied().peekable();
    let mut index = 0;
    while let Some(&next) = indices.peek() {
        // So many rows at least have that many documents: no more are decoded than must be.
        let most = (next - index) as usize + 1;
        let Some(batch) = rows.next(most)? else {
            return damaged(0, "a document is asked for that was not there before");
        };
        for text in batch.texts.each().flatten().filter(|value| value.len() <= longest).filter_map(text) {
            if indices.next_if_eq(&index).is_some() {
                give(index, text);
            }
            index += 1;
        }
    }
    Ok(())
}

impl Table for Parquet {
    fn columns(&self) -> Result<Vec<Column>> {
        let schema = self.file.metadata().file_metadata().schema_descr();
        if schema.root_schema().get_fields().len() > self.limits.columns {
            return Err(Error::TooManyColumns);
        }
        guarded(|| Ok(schema::columns(schema))).map_err(|trouble| trouble.at_opening())
    }

    fn rows(&self) -> Option<u64> {
        self.starts.last().copied()
    }

    fn text_bytes(&self, text: &str) -> Option<u64> {
        let columns = self.columns_of(&Wanted { text: text.into(), id: None }).ok()?;
        let mut groups = self.file.metadata().row_groups().iter();
        groups.try_fold(0u64, |sum, group| {
            let size = group.columns().get(columns.text.place)?.uncompressed_size();
            sum.checked_add(u64::try_from(size).ok()?)
        })
    }

    fn read(&self, columns: &Wanted, threads: usize, stop: Stop<'_>, take: &(dyn Fn(&Chunk<'_>) + Sync)) -> Result<()> {
        let columns = self.columns_of(columns)?;
        let expansion = self.expansion(&columns);
        let watch = Watch::new(stop);
        share(
            threads,
            0..self.starts.len() - 1,
            |group, give| self.decode(group, &columns, &expansion, &watch, give),
            |(group, batch): (usize, Batch)| {
                let number = number(group, batch.first);
                if watch.wants(number) {
                    watch.note(number, deliver(&batch, group, self.starts[group], self.limits.document, take));
                }
            },
        );
        self.source.forget_buffers();
        watch.finish()
    }

    fn fetch(
        &self,
        columns: &Wanted,
        wanted: &[(u64, Vec<u32>)],
        threads: usize,
        stop: Stop<'_>,
        take: &(dyn Fn(u64, u32, &str) + Sync),
    ) -> Result<()> {
        let columns = Columns { id: None, ..self.columns_of(columns)? };
        let watch = Watch::new(stop);
        let parts = self.parts(wanted, threads)?;
        share(
            threads.min(parts.len()),
            parts.into_iter(),
            |job, _: &mut dyn FnMut(())| {
                if watch.wants(job.chunks[0].0) {
                    watch.note(job.chunks[0].0, self.again(&job, &columns, &watch, take));
                }
            },
            |()| (),
        );
        self.source.forget_buffers();
        watch.finish()
    }
}
