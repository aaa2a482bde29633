//! Blocks of whole lines: cut out of a file at any place, or off a stream one after the other.

use std::fs::File;
use std::io::{self, Read};

use memchr::{memchr, memchr_iter, memrchr};

use crate::positioned::read_at;
use crate::{Error, Result};

/// A reusable buffer. Bytes beyond `filled` are left over from earlier use.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    filled: usize,
}

/// A buffer that had to grow beyond this for a long line is not kept.
pub(crate) const KEPT: usize = 8 << 20;

impl Buffer {
    pub fn is_worth_keeping(&self) -> bool {
        self.bytes.len() <= KEPT
    }

    fn filled(&self) -> &[u8] {
        &self.bytes[..self.filled]
    }

    /// Room for `more` bytes.
    fn room(&mut self, more: usize) -> &mut [u8] {
        let end = self.filled + more;
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        &mut self.bytes[self.filled..end]
    }

    fn set(&mut self, bytes: &[u8]) {
        self.filled = 0;
        self.room(bytes.len()).copy_from_slice(bytes);
        self.filled = bytes.len();
    }
}

/// Some whole lines.
#[derive(Debug)]
pub(crate) struct Block {
    pub number: u64,
    pub buffer: Buffer,
    start: usize,
    end: usize,
    /// Lines of the file before these, if they were counted.
    pub before: Option<u64>,
    /// Whether a line follows that is too long to be held.
    pub too_long: bool,
}

impl Block {
    pub fn lines(&self) -> &[u8] {
        &self.buffer.bytes[self.start..self.end]
    }
}

/// The lines of a file that begin in the `number`-th of its parts of `size` bytes; None if no line does. A last one of
/// more than `longest` bytes is not read to its end.
pub(crate) fn cut(file: &File, number: u64, size: usize, longest: usize, mut buffer: Buffer) -> Result<Option<Block>> {
    buffer.filled = 0;
    let place = number * size as u64;
    let back = usize::from(number > 0); // whether a line begins at the place itself, the byte before it tells
    let wanted = size + back;
    let read = read_at(file, place - back as u64, buffer.room(wanted))?;
    buffer.filled = read;
    let start = if back == 0 { 0 } else { memchr(b'\n', buffer.filled()).map_or(read, |end| end + 1) };
    if start >= read {
        return Ok(None);
    }
    let last = memrchr(b'\n', buffer.filled()).map_or(start, |end| end + 1).max(start);
    let whole = read < wanted || to_line_end(file, place + size as u64, last, longest, &mut buffer)?;
    let end = if whole { buffer.filled } else { last };
    Ok(Some(Block { number, buffer, start, end, before: None, too_long: !whole }))
}

/// Read on from `place` to the end of the line that begins at `last` in a buffer; whether that is no further than
/// `longest` away.
fn to_line_end(file: &File, mut place: u64, last: usize, longest: usize, buffer: &mut Buffer) -> Result<bool> {
    let mut more = 16 << 10;
    while buffer.filled().last() != Some(&b'\n') {
        if buffer.filled - last > longest {
            return Ok(false);
        }
        let start = buffer.filled;
        let read = read_at(file, place, buffer.room(more))?;
        let new = &buffer.bytes[start..start + read];
        if let Some(end) = memchr(b'\n', new) {
            buffer.filled += end + 1;
        } else {
            buffer.filled += read;
            if read < more {
                break;
            }
        }
        place += read as u64;
        more = (2 * more).min(4 << 20);
    }
    Ok(true)
}

/// Line ends before a place. Counted only for an error after it.
pub(crate) fn lines_before(file: &File, mut place: u64) -> io::Result<u64> {
    let mut buffer = vec![0; 1 << 20];
    let (mut at, mut lines) = (0, 0);
    while place > 0 {
        let length = usize::try_from(place).unwrap_or(usize::MAX).min(buffer.len());
        let read = read_at(file, at, &mut buffer[..length])?;
        if read == 0 {
            break;
        }
        lines += memchr_iter(b'\n', &buffer[..read]).count() as u64;
        at += read as u64;
        place -= read as u64;
    }
    Ok(lines)
}

/// Cuts a stream into blocks of about `size` bytes.
pub(crate) struct Cutter<R> {
    stream: R,
    size: usize,
    longest: usize,
    number: u64,
    lines: u64,
    /// The beginning of a line whose end has not been read yet.
    begun: Buffer,
    ended: bool,
}

impl<R: Read> Cutter<R> {
    pub fn new(stream: R, size: usize, longest: usize) -> Self {
        Cutter { stream, size, longest, number: 0, lines: 0, begun: Buffer::default(), ended: false }
    }

    /// The number of the next block.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The next block; None after the last.
    pub fn next(&mut self, mut buffer: Buffer) -> Result<Option<Block>> {
        buffer.set(self.begun.filled());
        if !self.begun.is_worth_keeping() {
            self.begun = Buffer::default();
        }
        let mut target = self.size;
        let mut searched = 0;
        let end = loop {
            self.fill(&mut buffer, target)?;
            if self.ended {
                break buffer.filled;
            }
            if let Some(end) = memrchr(b'\n', &buffer.filled()[searched..]) {
                break searched + end + 1;
            }
            searched = buffer.filled;
            if searched > self.longest {
                return self.pass_over(buffer).map(Some);
            }
            target = searched + self.size.max((searched / 4).min(self.longest - searched));
        };
        self.begun.set(&buffer.filled()[end..]);
        if end == 0 {
            return Ok(None);
        }
        let before = self.lines;
        self.lines += memchr_iter(b'\n', &buffer.bytes[..end]).count() as u64;
        let block = Block { number: self.number, buffer, start: 0, end, before: Some(before), too_long: false };
        self.number += 1;
        Ok(Some(block))
    }

    /// Skip to the end of a line that is too long.
    fn pass_over(&mut self, mut buffer: Buffer) -> Result<Block> {
        loop {
            buffer.filled = 0;
            self.fill(&mut buffer, self.size)?;
            let end = memchr(b'\n', buffer.filled()).map(|end| end + 1);
            if end.is_some() || self.ended {
                self.begun.set(&buffer.filled()[end.unwrap_or(buffer.filled)..]);
                break;
            }
        }
        let block = Block { number: self.number, buffer, start: 0, end: 0, before: Some(self.lines), too_long: true };
        self.lines += 1;
        self.number += 1;
        Ok(block)
    }

    fn fill(&mut self, buffer: &mut Buffer, target: usize) -> Result<()> {
        while buffer.filled < target && !self.ended {
            let more = target - buffer.filled;
            match self.stream.read(buffer.room(more)) {
                Ok(0) => self.ended = true,
                Ok(read) => buffer.filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::Io(error)),
            }
        }
        Ok(())
    }
}
