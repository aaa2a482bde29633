//! Escapes in strings.

use super::Wrong;
use super::cursor::{Cursor, Key};

/// The character of the escape that some bytes begin with, and how many bytes it takes. Both halves of a surrogate pair
/// are one character; one half alone is U+FFFD.
pub(crate) fn escape(bytes: &[u8]) -> Result<(char, usize), Wrong> {
    let char = match bytes.get(1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode(bytes),
        _ => return Err(Wrong::Malformed),
    };
    Ok((char, 2))
}

fn unicode(bytes: &[u8]) -> Result<(char, usize), Wrong> {
    let unit = hex(bytes).ok_or(Wrong::Malformed)?;
    if let Some(char) = char::from_u32(unit) {
        return Ok((char, 6));
    }
    let second = bytes.get(6..).and_then(hex);
    match second {
        Some(low @ 0xdc00..=0xdfff) if unit < 0xdc00 => {
            let joined = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
            Ok((char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER), 12))
        }
        _ => Ok((char::REPLACEMENT_CHARACTER, 6)),
    }
}

/// The number in an escape of four hexadecimal digits.
fn hex(bytes: &[u8]) -> Option<u32> {
    let digits = bytes.get(..6)?.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0, |number, &digit| Some(number << 4 | char::from(digit).to_digit(16)?))
}

impl Key<'_> {
    /// Whether this is the name of a field.
    pub fn is(&self, name: &str) -> bool {
        if !self.escaped { self.raw == name } else { self.spelled() == name && !self.is_broken() }
    }

    /// The name itself.
    pub fn spelled(&self) -> String {
        let mut made = String::new();
        match Cursor::new(&format!("\"{}\"", self.raw), false).text(&mut made) {
            Ok(Some(plain)) => plain.to_owned(),
            _ => made,
        }
    }

    /// Whether half a surrogate pair is in it: then no name that can be asked for is the same.
    pub fn is_broken(&self) -> bool {
        let written = self.raw.matches('\u{fffd}').count() + self.raw.to_ascii_lowercase().matches("\\ufffd").count();
        self.spelled().matches('\u{fffd}').count() > written
    }
}
