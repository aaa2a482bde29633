//! Text from Python. ASCII, and text that is encoded already, is borrowed; a lone surrogate becomes U+FFFD.

use std::borrow::Cow;

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

use crate::run::error_of;

/// The UTF-8 of a Python string.
pub fn read<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Cow<'a, str>> {
    match text.to_str() {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(_) => Ok(Cow::Owned(replace_surrogates(text)?)),
    }
}

/// A lone surrogate is three bytes, ED A0…BF xx, and so is U+FFFD: byte offsets stay what they were.
fn replace_surrogates(text: &Bound<'_, PyString>) -> PyResult<String> {
    let encoded = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
    let mut bytes = encoded.cast::<PyBytes>()?.as_bytes().to_vec();
    for i in 0..bytes.len().saturating_sub(2) {
        if bytes[i] == 0xed && bytes[i + 1] >= 0xa0 {
            bytes[i..i + 3].copy_from_slice("\u{fffd}".as_bytes());
        }
    }
    Ok(String::from_utf8(bytes)?)
}

/// Texts as Arrow's large_string lays them out: (offsets, data, first, count).
pub struct Packed {
    offsets: PyBuffer<u8>,
    data: PyBuffer<u8>,
    first: usize,
    count: usize,
}

impl<'py> FromPyObject<'_, 'py> for Packed {
    type Error = PyErr;

    fn extract(item: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let (offsets, data, first, count) = item.extract()?;
        Ok(Packed { offsets, data, first, count })
    }
}

impl Packed {
    /// The texts.
    fn read(&self) -> PyResult<Vec<&str>> {
        let (data, ends) = self.parts()?;
        let text = std::str::from_utf8(data).map_err(|_| not_utf8())?;
        split(text, &ends).map(|text| text.ok_or_else(not_utf8)).collect()
    }

    /// Bytes of all texts.
    pub fn bytes(&self) -> PyResult<usize> {
        Ok(self.parts()?.0.len())
    }

    /// Give `count` texts from `from` on to `work`.
    pub fn read_some<T>(
        &self,
        from: usize,
        count: usize,
        work: impl FnOnce(&[&str]) -> lookalike_core::Result<T>,
    ) -> lookalike_core::Result<T> {
        let outside = |error: PyErr| lookalike_core::Error::Outside(error.to_string());
        let (data, ends) = self.parts().map_err(outside)?;
        let start = if from == 0 { 0 } else { ends[from - 1] };
        let ends = &ends[from..ends.len().min(from.saturating_add(count))];
        let end = ends.last().copied().unwrap_or(start);
        let bad = || lookalike_core::Error::Outside("packed text is not UTF-8".into());
        let text = std::str::from_utf8(&data[start..end]).map_err(|_| bad())?;
        let ends: Vec<usize> = ends.iter().map(|end| end - start).collect();
        let texts: Option<Vec<&str>> = split(text, &ends).collect();
        work(&texts.ok_or_else(bad)?)
    }

    /// Consecutive texts that have about `size` bytes together: (first, count).
    pub fn shares(&self, size: usize) -> PyResult<Vec<(usize, usize)>> {
        let (_, ends) = self.parts()?;
        let (mut shares, mut from, mut start) = (Vec::new(), 0, 0);
        for (i, &end) in ends.iter().enumerate() {
            if end - start >= size {
                shares.push((from, i + 1 - from));
                (from, start) = (i + 1, end);
            }
        }
        shares.extend((from < ends.len()).then_some((from, ends.len() - from)));
        Ok(shares)
    }

    /// All texts together as bytes, and where each ends.
    fn parts(&self) -> PyResult<(&[u8], Vec<usize>)> {
        let bad = || PyValueError::new_err("packed text: offsets and data do not fit together");
        let offsets = bytes_of(&self.offsets)?;
        let offset = |i: usize| -> PyResult<usize> {
            let eight = offsets.get(8 * i..8 * i + 8).ok_or_else(bad)?;
            usize::try_from(i64::from_le_bytes(eight.try_into().expect("8 bytes"))).map_err(|_| bad())
        };
        let start = offset(self.first)?;
        let (mut ends, mut last) = (Vec::with_capacity(self.count), start);
        for i in self.first..self.first + self.count {
            let end = offset(i + 1)?;
            if end < last {
                return Err(bad());
            }
            ends.push(end - start);
            last = end;
        }
        Ok((bytes_of(&self.data)?.get(start..last).ok_or_else(bad)?, ends))
    }
}

fn not_utf8() -> PyErr {
    PyValueError::new_err("packed text is not UTF-8")
}

/// The pieces of a text between ends; None for one that cuts a character.
fn split<'t, 'e>(text: &'t str, ends: &'e [usize]) -> impl Iterator<Item = Option<&'t str>> + use<'t, 'e> {
    let mut start = 0;
    ends.iter().map(move |&end| text.get(std::mem::replace(&mut start, end)..end))
}

/// Many texts: a list of str, or of packed UTF-8.
pub struct Texts<'py> {
    parts: Vec<Part<'py>>,
}

enum Part<'py> {
    One(Bound<'py, PyString>),
    /// Boxed, so that a list of a million strings takes no more room for them than it must.
    Many(Box<Packed>),
}

impl<'py> Texts<'py> {
    /// Take hold of the texts; anything else in the list is an error that names its place.
    pub fn new(list: &Bound<'py, PyList>) -> PyResult<Self> {
        let part = |(i, item): (usize, Bound<'py, PyAny>)| match item.cast_into::<PyString>() {
            Ok(text) => Ok(Part::One(text)),
            Err(error) => {
                let item = error.into_inner();
                item.extract().map(|packed| Part::Many(Box::new(packed))).map_err(|_| not_text(&item, i))
            }
        };
        Ok(Texts { parts: list.iter().enumerate().map(part).collect::<PyResult<_>>()? })
    }

    /// The texts themselves.
    pub fn read(&self) -> PyResult<Vec<Cow<'_, str>>> {
        let mut out = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            match part {
                Part::One(text) => out.push(read(text)?),
                Part::Many(packed) => out.extend(packed.read()?.into_iter().map(Cow::Borrowed)),
            }
        }
        Ok(out)
    }
}

fn not_text(item: &Bound<'_, PyAny>, i: usize) -> PyErr {
    let kind = item.get_type().name().map_or_else(|_| "?".into(), |n| n.to_string());
    error_of(item.py(), "DocumentError", (i, "text", format!("is {kind}, not str"), remedy(&kind)))
}

/// The bytes of a buffer. Arrow's buffers do not change; a caller that writes to one during a call breaks Arrow's contract.
pub fn bytes_of(buffer: &PyBuffer<u8>) -> PyResult<&[u8]> {
    if !buffer.is_c_contiguous() {
        return Err(PyValueError::new_err("a buffer must be contiguous"));
    }
    if buffer.len_bytes() == 0 {
        return Ok(&[]);
    }
    // SAFETY: the buffer is contiguous, `len_bytes` long, and held for as long as `buffer` lives.
    Ok(unsafe { std::slice::from_raw_parts(buffer.buf_ptr().cast::<u8>(), buffer.len_bytes()) })
}

fn remedy(kind: &str) -> &'static str {
    match kind {
        "bytes" | "bytearray" => "decode it first, for example with .decode('utf-8')",
        "NoneType" => "leave the document out or give it an empty text",
        _ => "give its text as str",
    }
}

/// From byte offsets to offsets in code points, in any order: counted from the last of many milestones.
pub struct CodePoints<'a> {
    text: &'a [u8],
    /// Code points before every [`MILE`]-th byte; none for ASCII, where both offsets are the same.
    milestones: Vec<usize>,
}

const MILE: usize = 1024;

impl<'a> CodePoints<'a> {
    /// Measure a text.
    pub fn new(text: &'a str) -> Self {
        let text_bytes = text.as_bytes();
        let mut milestones = Vec::new();
        if !text.is_ascii() {
            let mut count = 0;
            for mile in text_bytes.chunks(MILE) {
                milestones.push(count);
                count += count_chars(mile);
            }
            milestones.push(count);
        }
        CodePoints { text: text_bytes, milestones }
    }

    /// Code points before byte `place`.
    pub fn before(&self, place: usize) -> usize {
        let mile = place / MILE;
        self.milestones.get(mile).map_or(place, |&count| count + count_chars(&self.text[mile * MILE..place]))
    }
}

/// Bytes that begin a code point.
fn count_chars(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&b| b & 0xc0 != 0x80).count()
}
