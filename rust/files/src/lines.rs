//! JSON Lines: an object on each line. Of a plain file each thread reads blocks of its own; a compressed one is
//! decompressed by one thread, and the others take its blocks.

mod blocks;
mod parse;

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use self::blocks::{Block, Buffer, Cutter, KEPT, cut, lines_before};
use self::parse::{Fault, again, columns, has_mark, parse};
use crate::limits::{Counted, Expansion, TooMuch};
use crate::positioned::FileFrom;
use crate::workers::{Pool, Watch, share};
use crate::{Chunk, Column, Error, Limits, Result, Stop, Table, Wanted};

pub use self::parse::bad_lines;

/// Bytes of a block: enough to make the hand-over free, few enough to stay in the cache of a core.
const BLOCK: usize = 1 << 20;

/// The error if what was read before is not found again.
const CHANGED: &str = "the file has changed since it was read";

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
pub struct JsonLines {
    file: Arc<File>,
    length: u64,
    compression: Compression,
    block: usize,
    limits: Limits,
    /// Held while a long line is: two threads with one each would take twice the memory.
    long: Mutex<()>,
}

/// What is done with a block.
type Work<'a> = &'a (dyn Fn(&Block, &mut String) -> std::result::Result<(), Fault> + Sync);

impl JsonLines {
    /// Open a file.
    pub fn open(path: &Path, compression: Compression, limits: Limits) -> Result<Self> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok(JsonLines { file: Arc::new(file), length, compression, block: BLOCK, limits, long: Mutex::new(()) })
    }

    /// Read in blocks of another size, which changes nothing but the numbers of the chunks: for tests.
    pub fn with_blocks(self, block: usize) -> Self {
        JsonLines { block, ..self }
    }

    fn stream(&self) -> Result<Cutter<Box<dyn Read>>> {
        let file = FileFrom::start(self.file.clone());
        let stream: Box<dyn Read> = match self.compression {
            _ if self.length == 0 => Box::new(std::io::empty()), // an empty file is not damaged
            Compression::None => Box::new(file),
            Compression::Gzip => {
                Box::new(flate2::bufread::MultiGzDecoder::new(BufReader::with_capacity(self.block, file)))
            }
            Compression::Zstd => Box::new(zstd::stream::read::Decoder::new(file)?),
        };
        let stream: Box<dyn Read> = match self.compression {
            Compression::None => stream,
            _ => Box::new(Counted { stream, expansion: Expansion::new(&self.limits, self.length) }),
        };
        Ok(Cutter::new(stream, self.block, self.limits.document))
    }

    /// What is wrong with the data of a stream, not with the disk.
    fn stream_error(&self, error: Error) -> Error {
        let codec = if self.compression == Compression::Gzip { "gzip" } else { "zstd" };
        match error {
            Error::Io(error) if error.raw_os_error().is_some() => Error::Io(error),
            Error::Io(error) if error.get_ref().is_some_and(|inner| inner.is::<TooMuch>()) => Error::Expands,
            Error::Io(error) if error.kind() == ErrorKind::UnexpectedEof => Error::Truncated(codec),
            Error::Io(error) => Error::Damaged { row: None, reason: format!("the {codec} data is damaged ({error})") },
            other => other,
        }
    }

    /// The error of a block, with the number of its line in the whole file.
    fn error_of(&self, block: &Block, fault: Fault) -> Error {
        let before = || match block.before {
            Some(before) => Ok(before),
            None => Ok(lines_before(&self.file, block.number * self.block as u64)? + self.straddling(block)?),
        };
        fault.into_error(before).unwrap_or_else(|error| error)
    }

    /// 1 if a line that began before the place of a block ends after it.
    fn straddling(&self, block: &Block) -> Result<u64> {
        let place = block.number * self.block as u64;
        Ok(u64::from(block.number > 0 && !ends_line(&self.file, place)?))
    }

    /// Process the blocks, all or the requested ones, on several threads.
    fn each(&self, wanted: Option<&[u64]>, threads: usize, stop: Stop<'_>, work: Work<'_>) -> Result<()> {
        let watch = Watch::new(stop);
        let scratch: Pool<String> = Pool::new();
        let buffers: Pool<Buffer> = Pool::new();
        let take = |block: Block| {
            if watch.wants(block.number) {
                let mut made = scratch.get();
                let result = work(&block, &mut made).map_err(|fault| self.error_of(&block, fault));
                if made.capacity() <= KEPT {
                    scratch.put(made);
                }
                watch.note(block.number, result);
            }
            if block.buffer.is_worth_keeping() {
                buffers.put(block.buffer);
            }
        };
        if self.compression == Compression::None {
            let all = 0..self.length.div_ceil(self.block as u64);
            let jobs: Box<dyn Iterator<Item = u64> + Send> = match wanted {
                Some(wanted) => Box::new(wanted.iter().copied().filter(move |number| all.contains(number))),
                None => Box::new(all),
            };
            let read = |number: u64, _: &mut dyn FnMut(Block)| {
                if watch.wants(number) {
                    self.cut(number, &buffers, &|block| {
                        block.map_or_else(
                            |error| watch.note(number, Err(error)),
                            |block| block.into_iter().for_each(take),
                        );
                    });
                }
            };
            share(threads, jobs, read, take);
        } else {
            let read = |(), give: &mut dyn FnMut(Block)| {
                self.decompress(wanted, &watch, &buffers, &mut |block| {
                    // A long line is not queued: a queue of them would fill the memory.
                    if block.buffer.is_worth_keeping() { give(block) } else { take(block) }
                });
            };
            share(threads, std::iter::once(()), read, take);
        }
        watch.finish()
    }

    /// Cut a block out of a plain file and use it; one with a long line only while no other thread has one.
    fn cut(&self, number: u64, buffers: &Pool<Buffer>, with: &dyn Fn(Result<Option<Block>>)) {
        let longest = self.limits.document;
        let short = longest.min(KEPT.saturating_sub(self.block));
        match cut(&self.file, number, self.block, short, buffers.get()) {
            Ok(Some(block)) if block.too_long && short < longest => {
                let _alone = self.long.lock().unwrap_or_else(PoisonError::into_inner);
                with(cut(&self.file, number, self.block, longest, block.buffer));
            }
            block => with(block),
        }
    }

    /// Hand over the blocks of a compressed file, all or the requested ones.
    fn decompress(
        &self,
        wanted: Option<&[u64]>,
        watch: &Watch<'_>,
        buffers: &Pool<Buffer>,
        give: &mut dyn FnMut(Block),
    ) {
        let mut at = 0;
        let mut run = || -> Result<()> {
            let mut stream = self.stream()?;
            let last = wanted.map_or(u64::MAX, |wanted| wanted.last().copied().unwrap_or(0));
            while watch.wants(at) && at <= last {
                let Some(block) = stream.next(buffers.get()).map_err(|error| self.stream_error(error))? else { break };
                at = stream.number();
                match wanted {
                    Some(wanted) if wanted.binary_search(&block.number).is_err() => {
                        if block.buffer.is_worth_keeping() {
                            buffers.put(block.buffer);
                        }
                    }
                    _ => give(block),
                }
            }
            Ok(())
        };
        let result = run();
        watch.note(at, result);
    }
}

/// Whether a line ends directly before a place.
fn ends_line(file: &File, place: u64) -> Result<bool> {
    let mut byte = [0];
    Ok(crate::positioned::read_at(file, place - 1, &mut byte)? == 1 && byte[0] == b'\n')
}

/// The first block may begin with a mark, which the Python readers understand.
fn no_mark(block: &Block) -> std::result::Result<(), Fault> {
    let marked = block.number == 0 && has_mark(block.lines());
    if marked { Err(Fault::Fallback("a byte order mark")) } else { Ok(()) }
}

impl Table for JsonLines {
    fn columns(&self) -> Result<Vec<Column>> {
        let mut stream = self.stream()?;
        loop {
            let next = stream.next(Buffer::default()).map_err(|error| self.stream_error(error))?;
            let Some(block) = next else { return Ok(Vec::new()) };
            if block.too_long && block.lines().is_empty() {
                continue;
            }
            let found = no_mark(&block).and_then(|()| columns(block.lines(), &self.limits));
            return found.map_err(|fault| self.error_of(&block, fault));
        }
    }

    fn rows(&self) -> Option<u64> {
        None
    }

    fn read(&self, columns: &Wanted, threads: usize, stop: Stop<'_>, take: &(dyn Fn(&Chunk<'_>) + Sync)) -> Result<()> {
        self.each(None, threads, stop, &|block, made| {
            no_mark(block)?;
            parse(block, columns, self.limits.document, made, take)
        })
    }

    fn fetch(
        &self,
        columns: &Wanted,
        wanted: &[(u64, Vec<u32>)],
        threads: usize,
        stop: Stop<'_>,
        take: &(dyn Fn(u64, u32, &str) + Sync),
    ) -> Result<()> {
        let numbers: Vec<u64> = wanted.iter().map(|&(number, _)| number).collect();
        let found = AtomicUsize::new(0);
        self.each(Some(&numbers), threads.min(numbers.len()), stop, &|block, made| {
            let Ok(place) = numbers.binary_search(&block.number) else { return Ok(()) };
            found.fetch_add(1, Ordering::Relaxed);
            let give = |index, text: &str| take(block.number, index, text);
            again(block.lines(), columns, self.limits.document, &wanted[place].1, made, give)
        })?;
        if found.into_inner() == numbers.len() { Ok(()) } else { Err(Error::NeedsFallback(CHANGED)) }
    }
}

#[cfg(test)]
mod tests;
