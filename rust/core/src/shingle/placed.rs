//! Units and shingles with their places in the original, for people: slower than the hashes, and the same.

use super::Shingler;
use crate::code::tokens;
use crate::control::Control;
use crate::error::Result;
use crate::normalize::Traced;
use crate::recipe::Unit;
use crate::words::segments;

/// A unit or a shingle with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// Its normalised text.
    pub text: String,
    /// First byte in the original.
    pub start: usize,
    /// Byte after the last in the original.
    pub end: usize,
}

impl Shingler {
    /// The units with their places.
    pub fn units(&self, text: &str, control: &Control) -> Result<Vec<Placed>> {
        if self.unit == Unit::Token {
            let mut out = Vec::new();
            let visible = self.normalizer.visible(text);
            tokens(&visible.text, |token| {
                if token.counts {
                    let (start, end) = visible.original(token.start, token.end);
                    out.push(Placed { text: token.unit(&visible.text).to_string(), start, end });
                }
            });
            return Ok(out);
        }
        let traced = self.normalizer.traced(text)?;
        control.check()?;
        Ok(match self.unit {
            Unit::Word | Unit::Token => self.placed_words(&traced),
            Unit::Char => {
                let mut out = Vec::new();
                self.each_left_char(&traced.text, |c, first, last| {
                    let (start, end) = (traced.spans[first].0 as usize, traced.spans[last].1 as usize);
                    out.push(Placed { text: c.to_string(), start, end });
                });
                out
            }
        })
    }

    fn placed_words(&self, traced: &Traced) -> Vec<Placed> {
        let mut out = Vec::new();
        let text = &traced.text;
        let mut numbered = (0, 0); // (byte, number of its code point): segments come in order, so count on from the last
        segments(text, |s| {
            let first = numbered.1 + text[numbered.0..s.start].chars().count();
            let last = first + text[s.start..s.end].chars().count() - 1;
            numbered = (s.end, last + 1);
            let word = self.without_marks(&text[s.start..s.end]);
            if s.visible && !word.is_empty() && !self.stop.contains(&self.hash.slice(word.as_bytes())) {
                let (start, end) = (traced.spans[first].0 as usize, traced.spans[last].1 as usize);
                out.push(Placed { text: word, start, end });
            }
        });
        out
    }

    /// The shingles with their places, in order, repeats included.
    pub fn shingles(&self, text: &str, control: &Control) -> Result<Vec<Placed>> {
        let units = self.units(text, control)?;
        control.check()?;
        if units.is_empty() {
            return Ok(vec![Placed { text: String::new(), start: 0, end: 0 }]);
        }
        let separator = if self.unit == Unit::Char { "" } else { " " };
        Ok(units
            .windows(self.k.min(units.len()))
            .map(|w| Placed {
                text: w.iter().map(|u| u.text.as_str()).collect::<Vec<_>>().join(separator),
                start: w[0].start,
                end: w[w.len() - 1].end,
            })
            .collect())
    }

    /// The hash of each unit with its place, for the search of shared passages.
    pub fn unit_hashes(&self, text: &str, control: &Control) -> Result<Vec<(u64, usize, usize)>> {
        Ok(self
            .units(text, control)?
            .into_iter()
            .map(|u| (self.hash.slice(u.text.as_bytes()), u.start, u.end))
            .collect())
    }
}
