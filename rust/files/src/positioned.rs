//! Reading a file at an offset, by several threads at once: no thread moves the position of another.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

/// Read until `buffer` is full or the file ends; the number of bytes read.
pub fn read_at(file: &File, mut offset: u64, mut buffer: &mut [u8]) -> io::Result<usize> {
    let wanted = buffer.len();
    while !buffer.is_empty() {
        match once(file, offset, buffer) {
            Ok(0) => break,
            Ok(read) => {
                offset += read as u64;
                buffer = &mut buffer[read..];
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(wanted - buffer.len())
}

#[cfg(unix)]
fn once(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn once(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

/// A file from some place on, as a stream.
pub(crate) struct FileFrom {
    pub file: Arc<File>,
    pub offset: u64,
}

impl FileFrom {
    /// From its start.
    pub fn start(file: Arc<File>) -> Self {
        FileFrom { file, offset: 0 }
    }
}

impl Read for FileFrom {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = read_at(&self.file, self.offset, buffer)?;
        self.offset += read as u64;
        Ok(read)
    }
}
