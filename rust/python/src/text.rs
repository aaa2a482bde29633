//! Text from Python. ASCII and what was encoded before is borrowed; a lone surrogate becomes U+FFFD.

use std::borrow::Cow;

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

/// The strings of a list; anything else in it is an error that names its place.
pub fn strings<'py>(texts: &Bound<'py, PyList>) -> PyResult<Vec<Bound<'py, PyString>>> {
    let text = |(i, item): (usize, Bound<'py, PyAny>)| match item.cast_into::<PyString>() {
        Ok(text) => Ok(text),
        Err(error) => {
            let kind = error.into_inner().get_type().name().map_or_else(|_| "?".into(), |n| n.to_string());
            Err(error_of(texts.py(), "DocumentError", (i, "text", format!("is {kind}, not str"), remedy(&kind))))
        }
    };
    texts.iter().enumerate().map(text).collect()
}

fn remedy(kind: &str) -> &'static str {
    match kind {
        "bytes" | "bytearray" => "decode it first, for example with .decode('utf-8')",
        "NoneType" => "leave the document out or give it an empty text",
        _ => "give its text as str",
    }
}

/// Number of code points before each of `places` (byte offsets in ascending or any order).
pub struct CodePoints<'a> {
    text: &'a str,
    at: (usize, usize),
}

impl<'a> CodePoints<'a> {
    /// Start at the beginning of `text`.
    pub fn new(text: &'a str) -> Self {
        CodePoints { text, at: (0, 0) }
    }

    /// Code points before byte `place`. Fast when places come nearly in order.
    pub fn before(&mut self, place: usize) -> usize {
        let (byte, count) = self.at;
        let count = if place >= byte {
            count + count_chars(&self.text.as_bytes()[byte..place])
        } else {
            count - count_chars(&self.text.as_bytes()[place..byte])
        };
        self.at = (place, count);
        count
    }
}

/// Bytes that begin a code point.
fn count_chars(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&b| b & 0xc0 != 0x80).count()
}
