//! Default word boundaries of Unicode (UAX #29), and what a segment holds.
//!
//! These rules are for any text; `ascii.rs` comes to the same answer for ASCII in a quicker way.

use crate::unicode::{Break, Info, Tables};

/// A piece between two word boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// First byte.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
    /// Some code point is not white space.
    pub visible: bool,
    /// Some code point is a punctuation mark.
    pub marks: bool,
}

/// Call `emit` with every segment of `text`, in order.
#[inline(always)]
pub fn segments(text: &str, mut emit: impl FnMut(Segment)) {
    let tables = Tables::get();
    let mut state = State::default();
    let mut segment = Segment { start: 0, end: 0, visible: false, marks: false };
    for (at, c) in text.char_indices() {
        let info = tables.info(c);
        if at > 0 && state.breaks_before(info, || next_class(&text[at + c.len_utf8()..], tables)) {
            segment.end = at;
            emit(segment);
            segment = Segment { start: at, end: at, visible: false, marks: false };
        }
        state.advance(info);
        segment.visible |= !info.white();
        segment.marks |= info.mark();
    }
    if !text.is_empty() {
        segment.end = text.len();
        emit(segment);
    }
}

fn ignorable(class: Break) -> bool {
    matches!(class, Break::Extend | Break::Format | Break::ZWJ)
}

fn newline(class: Break) -> bool {
    matches!(class, Break::CR | Break::LF | Break::Newline)
}

fn letter(class: Break) -> bool {
    matches!(class, Break::ALetter | Break::HebrewLetter)
}

fn mid_letter(class: Break) -> bool {
    matches!(class, Break::MidLetter | Break::MidNumLet | Break::SingleQuote)
}

fn mid_number(class: Break) -> bool {
    matches!(class, Break::MidNum | Break::MidNumLet | Break::SingleQuote)
}

/// Class of the next code point that rule WB4 does not skip.
fn next_class(rest: &str, tables: Tables) -> Break {
    rest.chars().map(|c| tables.info(c).word_break()).find(|&b| !ignorable(b)).unwrap_or(Break::Other)
}

/// What the rules remember of the text to the left.
struct State {
    /// Class of the code point just before.
    raw: Break,
    /// The last two classes that WB4 does not skip.
    left: Break,
    left2: Break,
    /// An odd number of regional indicators stands directly before.
    odd_flag: bool,
    started: bool,
}

impl Default for State {
    fn default() -> Self {
        State { raw: Break::Other, left: Break::Other, left2: Break::Other, odd_flag: false, started: false }
    }
}

impl State {
    #[inline(always)]
    fn advance(&mut self, info: Info) {
        let class = info.word_break();
        if class == Break::Other {
            // Ideographs and kana: nothing of what they leave behind depends on what was before.
            *self = State { left2: self.left, started: true, ..State::default() };
            return;
        }
        // WB4: skipped, unless there is nothing that it could belong to.
        let skipped = ignorable(class) && self.started && !newline(self.raw);
        if !skipped {
            self.left2 = self.left;
            self.left = class;
            self.odd_flag = class == Break::RegionalIndicator && !self.odd_flag;
        }
        self.raw = class;
        self.started = true;
    }

    #[inline(always)]
    fn breaks_before(&self, info: Info, next: impl FnOnce() -> Break) -> bool {
        let class = info.word_break();
        if class == Break::Other && self.raw != Break::ZWJ {
            return true;
        }
        if newline(self.raw) || newline(class) {
            return !(self.raw == Break::CR && class == Break::LF); // WB3, WB3a, WB3b
        }
        if self.raw == Break::ZWJ && info.pictograph() {
            return false; // WB3c
        }
        match class {
            Break::Other => true,
            Break::Extend | Break::Format | Break::ZWJ => false, // WB4
            Break::WSegSpace => self.raw != Break::WSegSpace,    // WB3d
            Break::RegionalIndicator => !self.odd_flag,          // WB15, WB16
            _ => !self.joins(class, next),
        }
    }

    /// WB5 to WB13b.
    fn joins(&self, class: Break, next: impl FnOnce() -> Break) -> bool {
        use Break::*;
        let (left, left2) = (self.left, self.left2);
        match class {
            ALetter | HebrewLetter => {
                letter(left)
                    || matches!(left, Numeric | ExtendNumLet)
                    || (mid_letter(left) && letter(left2))
                    || (class == HebrewLetter && left == DoubleQuote && left2 == HebrewLetter)
            }
            Numeric => letter(left) || matches!(left, Numeric | ExtendNumLet) || (mid_number(left) && left2 == Numeric),
            Katakana => matches!(left, Katakana | ExtendNumLet),
            ExtendNumLet => letter(left) || matches!(left, Numeric | Katakana | ExtendNumLet),
            SingleQuote if left == HebrewLetter => true,
            DoubleQuote => left == HebrewLetter && next() == HebrewLetter,
            _ if letter(left) && mid_letter(class) => letter(next()),
            _ if left == Numeric && mid_number(class) => next() == Numeric,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation;

    fn split(text: &str) -> Vec<&str> {
        let mut out = vec![];
        segments(text, |s| out.push(&text[s.start..s.end]));
        out
    }

    fn tricky() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("a"),
            Just("1"),
            Just("'"),
            Just("\""),
            Just("."),
            Just(":"),
            Just(","),
            Just("_"),
            Just(" "),
            Just("\r"),
            Just("\n"),
            Just("\u{5d0}"),
            Just("\u{30a2}"),
            Just("\u{301}"),
            Just("\u{200d}"),
            Just("\u{1f469}"),
            Just("\u{1f1e9}"),
            Just("\u{ad}"),
            Just("\u{4e00}"),
            Just("\u{3000}"),
            Just("\u{2d}"),
        ];
        prop::collection::vec(piece, 0..24).prop_map(|v| v.concat())
    }

    #[test]
    fn a_mark_before_a_joined_emoji_does_not_join_the_letter_before_it() {
        assert_eq!(split("a.\u{200d}\u{1f469}"), ["a", ".\u{200d}\u{1f469}"]);
        assert_eq!(split("a.\u{200d}b"), ["a.\u{200d}b"]);
        assert_eq!(
            split("\u{1f469}\u{200d}\u{1f4bb} can't 3.14"),
            ["\u{1f469}\u{200d}\u{1f4bb}", " ", "can't", " ", "3.14"]
        );
    }

    proptest! {
        #[test]
        fn rules_agree_with_an_independent_implementation(text in prop_oneof![tricky(), any::<String>()]) {
            // unicode-segmentation 1.13 takes "a.\u{200d}👩" for one segment, against WB6: see the test below.
            prop_assume!(!text.contains('\u{200d}') || !text.contains(['\'', '"', '.', ':', ',']));
            prop_assert_eq!(split(&text), text.split_word_bounds().collect::<Vec<_>>());
        }
    }
}
