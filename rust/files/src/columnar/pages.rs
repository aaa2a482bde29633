//! Pages, looked at before they are decoded. The decoder takes memory for as many values as a page says it has, at once,
//! and a few bytes can say any number; memory that the system refuses would end the process, not the decoding.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, Type as Physical};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::RowGroupReader;
use parquet::file::serialized_reader::SerializedPageReader;

use super::snappy;
use super::source::Source;
use crate::Limits;
use crate::limits::TooMuch;

/// The reader of a column whose pages are looked at.
pub(crate) fn column_reader(
    source: &Arc<Source>,
    group: &dyn RowGroupReader,
    place: usize,
    limits: Limits,
) -> Result<ColumnReader> {
    let column = group.metadata().schema_descr().column(place);
    let metadata = group.metadata().column(place);
    let snappy = matches!(metadata.compression(), Compression::SNAPPY);
    let pages = if snappy {
        // To the decoder the column is not compressed, so it hands over its pages as they are in the file.
        let packed = metadata.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
        let rows = usize::try_from(group.metadata().num_rows())?;
        Box::new(SerializedPageReader::new(source.clone(), &packed, rows, None)?)
    } else {
        group.get_column_page_reader(place)?
    };
    let checked = Pages {
        pages,
        snappy: snappy.then(|| source.clone()),
        texts: column.physical_type() == Physical::BYTE_ARRAY,
        levels: column.max_def_level() > 0,
        limits,
    };
    Ok(get_column_reader(column, Box::new(checked)))
}

/// The pages of one column in one row group.
struct Pages {
    pages: Box<dyn PageReader>,
    /// Where buffers come from, if pages are still compressed with Snappy.
    snappy: Option<Arc<Source>>,
    /// Whether the values are texts.
    texts: bool,
    /// Whether values may be missing, which the start of each page tells.
    levels: bool,
    limits: Limits,
}

impl Pages {
    fn ready(&self, mut page: Page) -> Result<Page> {
        if let Some(source) = &self.snappy {
            match &mut page {
                Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => {
                    *buf = self.unpacked(source, buf, 0)?
                }
                Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, is_compressed: true, .. } => {
                    let levels = *def_levels_byte_len as usize + *rep_levels_byte_len as usize;
                    *buf = self.unpacked(source, buf, levels)?;
                }
                Page::DataPageV2 { .. } => {}
            }
        }
        self.checked(page)
    }

    /// Unpack what follows the first bytes of a page, which are not compressed.
    fn unpacked(&self, source: &Source, page: &Bytes, first: usize) -> Result<Bytes> {
        let corrupt = || ParquetError::General("snappy: corrupt input".into());
        let (start, packed) = page.split_at_checked(first).ok_or_else(corrupt)?;
        if packed.is_empty() {
            return Ok(page.clone()); // no row has a value
        }
        let (length, elements) = snappy::header(packed).map_err(|_| corrupt())?;
        if !self.limits.allows_page(packed.len() as u64, length as u64) {
            return Err(ParquetError::External(Box::new(TooMuch)));
        }
        let mut buffer = source.buffer(first + snappy::room(length, elements));
        buffer[..first].copy_from_slice(start);
        snappy::unpack(elements, length, &mut buffer[first..]).map_err(|_| corrupt())?;
        Ok(source.page(buffer, first + length))
    }

    fn checked(&self, page: Page) -> Result<Page> {
        match &page {
            // Every value takes four bytes at least: a number, or the length of a text.
            Page::DictionaryPage { buf, num_values, .. } if *num_values as usize > buf.len() / 4 => {
                Err(ParquetError::General("a dictionary says that it has more values than it holds".into()))
            }
            Page::DataPage { buf, encoding, def_level_encoding, .. } if self.texts => {
                let levels = match def_level_encoding {
                    _ if !self.levels => Some(0),
                    Encoding::RLE => buf.first_chunk().map(|length| 4 + u32::from_le_bytes(*length) as usize),
                    _ => None, // nobody has written another for ten years
                };
                self.check_texts(buf, levels, *encoding).map(|()| page)
            }
            Page::DataPageV2 { buf, encoding, def_levels_byte_len, rep_levels_byte_len, .. } if self.texts => {
                let levels = *def_levels_byte_len as usize + *rep_levels_byte_len as usize;
                self.check_texts(buf, Some(levels), *encoding).map(|()| page)
            }
            _ => Ok(page),
        }
    }

    /// Look at a page of texts, which begin after so many bytes.
    fn check_texts(&self, page: &Bytes, start: Option<usize>, encoding: Encoding) -> Result<()> {
        match encoding {
            // Texts are copied together out of those before them: a page of megabytes may expand to terabytes.
            Encoding::DELTA_BYTE_ARRAY => Err(ParquetError::NYI("texts that are changes of others".into())),
            Encoding::DELTA_LENGTH_BYTE_ARRAY => {
                let texts = start.and_then(|start| page.get(start..)).and_then(lengths);
                let texts = texts.ok_or_else(|| ParquetError::EOF("a page ends before its texts begin".into()))?;
                let bytes = texts.saturating_mul(size_of::<i32>() as u64);
                if self.limits.allows_page(page.len() as u64, bytes) {
                    Ok(())
                } else {
                    Err(ParquetError::External(Box::new(TooMuch)))
                }
            }
            _ => Ok(()),
        }
    }
}

/// How many lengths there are, by the third of the numbers at their start: the size of a block, its parts, all values.
fn lengths(mut data: &[u8]) -> Option<u64> {
    let mut last = None;
    for _ in 0..3 {
        let end = data.iter().take(10).position(|byte| byte & 0x80 == 0)?;
        last = Some(data[..=end].iter().rev().fold(0u64, |code, byte| code << 7 | u64::from(byte & 0x7f)));
        data = &data[end + 1..];
    }
    last
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.pages.get_next_page()?.map(|page| self.ready(page)).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn supports_deferred_dictionary(&self) -> bool {
        self.pages.supports_deferred_dictionary()
    }

    fn take_deferred_dictionary(&mut self) -> Result<Option<Page>> {
        self.pages.take_deferred_dictionary()?.map(|page| self.ready(page)).transpose()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}

#[cfg(test)]
mod tests {
    use super::lengths;

    #[test]
    fn the_number_of_lengths_is_the_third_number() {
        assert_eq!(lengths(&[0x80, 1, 4, 6, 0]), Some(6));
        assert_eq!(lengths(&[0x80, 1, 4, 0xff, 0xff, 0xff, 0xff, 0x0f]), Some(u64::from(u32::MAX)));
        assert_eq!(lengths(&[0x80, 1, 4, 0xff]), None);
        assert_eq!(lengths(&[]), None);
    }
}
