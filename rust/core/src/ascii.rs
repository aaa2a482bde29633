//! ASCII text by bit masks of 64 bytes at a time: where its words are, and what remains of its characters.
//!
//! Two steps for words, so that no branch depends on a single one: masks give the places of a chunk of text, then the
//! words of all places are hashed. For ASCII the rules of `words.rs` come down to: letters, digits and `_` join;
//! `'` `.` `:` join between letters; `'` `.` `,` `;` between digits.

use crate::recipe::Whitespace;
use crate::simd::{self, Kernel, Masks, Tools};

/// Zero bytes that must follow a text here: blocks of 64 are read.
pub const BEHIND: usize = 64;

/// Bytes whose places are found before their words are handed on: the places stay in the first-level cache.
const CHUNK: usize = 1024;

/// Takes the words of a text, in order.
pub trait Sink {
    /// Words at `base + starts[i] .. base + ends[i]`; `marked` numbers those with punctuation inside, in order.
    fn words(&mut self, base: usize, starts: &[u32], ends: &[u32], marked: &[u32]);
    /// One word that lies across two chunks.
    fn word(&mut self, start: usize, end: usize, marked: bool);
}

/// Places in one chunk, relative to its start; kept from one document to the next.
#[derive(Debug, Default)]
pub struct Places {
    starts: Numbers,
    ends: Numbers,
    /// Which of the words that end here, counted from 0, have marks inside.
    marked: Vec<u32>,
}

/// Numbers of set bits, written without a branch for each.
#[derive(Debug)]
struct Numbers {
    room: Vec<u32>,
    count: usize,
}

impl Default for Numbers {
    fn default() -> Self {
        Numbers { room: vec![0; CHUNK + 64], count: 0 }
    }
}

impl Numbers {
    /// Append `base + i` for each bit i.
    #[inline(always)]
    fn append(&mut self, tools: impl Tools, bits: u64, base: u32) {
        let room = self.room[self.count..].first_chunk_mut().expect("64 more than a chunk has");
        tools.numbers(bits, base, room);
        self.count += bits.count_ones() as usize;
    }

    fn all(&self) -> &[u32] {
        &self.room[..self.count]
    }
}

impl Places {
    /// Number the words of a block that marks stand in; `ends` are those of the block, not yet appended.
    #[inline(never)]
    fn mark(&mut self, mut inner: u64, ends: u64) {
        while inner != 0 {
            let up_to = inner ^ (inner - 1);
            let number = (self.ends.count + (ends & up_to).count_ones() as usize) as u32;
            if self.marked.last() != Some(&number) {
                self.marked.push(number);
            }
            inner &= inner - 1;
        }
    }
}

/// Call `sink` with every word of `padded[..len]`, and with every other visible byte that is not a mark; marks are words
/// of their own if `keep_marks`.
#[inline(always)]
pub fn each_word(padded: &[u8], len: usize, keep_marks: bool, places: &mut Places, sink: &mut impl Sink) {
    let mut edge = Edge::default();
    let mut open = None::<(usize, bool)>; // start of a word that has not ended, and whether it has marks
    for base in (0..len).step_by(CHUNK) {
        simd::dispatch(Find { padded, len, base, keep_marks, places, edge: &mut edge });
        hand_on(base, places, &mut open, sink);
    }
    if let Some((start, marked)) = open {
        sink.word(start, len, marked);
    }
}

fn hand_on(base: usize, places: &mut Places, open: &mut Option<(usize, bool)>, sink: &mut impl Sink) {
    let Places { starts, ends, marked } = places;
    let (starts, mut ends) = (starts.all(), ends.all());
    if let Some((start, has_marks)) = open {
        // The word that ends first, number 0, is the open one.
        *has_marks |= marked.first() == Some(&0);
        let Some((&end, rest)) = ends.split_first() else { return };
        sink.word(*start, base + end as usize, *has_marks);
        (ends, *open) = (rest, None);
        marked.retain_mut(|number| {
            *number = number.wrapping_sub(1);
            *number != u32::MAX
        });
    }
    let whole = ends.len();
    let open_has_marks = marked.pop_if(|number| *number as usize == whole).is_some();
    sink.words(base, &starts[..whole], ends, marked);
    *open = starts.get(whole).map(|&start| (base + start as usize, open_has_marks));
}

/// What the last byte of a block was, for the next: each is 0 or 1.
#[derive(Clone, Copy, Default)]
struct Edge {
    letter: u64,
    digit: u64,
    word: u64,
    single: u64,
}

/// Finds the places of one chunk.
struct Find<'a> {
    padded: &'a [u8],
    len: usize,
    base: usize,
    keep_marks: bool,
    places: &'a mut Places,
    edge: &'a mut Edge,
}

impl Kernel for Find<'_> {
    type Output = ();

    #[inline(always)]
    fn run<T: Tools>(self, tools: T) {
        let Find { padded, len, base, keep_marks, places, edge } = self;
        (places.starts.count, places.ends.count) = (0, 0);
        places.marked.clear();
        let mut now = block_at(padded, len, base, tools);
        let mut before = *edge; // not in memory: each block waits for the one before
        let mut offset = 0;
        while offset < CHUNK && base + offset < len {
            let after = block_at(padded, len, base + offset + 64, tools);
            let joined = now.joined(before.letter, before.digit, &after);
            let word = now.letter | now.digit | now.underscore | joined;
            let single = now.control | if keep_marks { now.mark & !word } else { 0 };
            let shifted = (word << 1) | before.word;
            let starts = (word & !shifted) | single;
            let ends = (!word & shifted) | (single << 1) | before.single;
            let inner = joined | now.underscore;
            if inner != 0 {
                places.mark(inner, ends);
            }
            places.starts.append(tools, starts, offset as u32);
            places.ends.append(tools, ends, offset as u32);
            before = Edge { letter: now.letter >> 63, digit: now.digit >> 63, word: word >> 63, single: single >> 63 };
            now = after;
            offset += 64;
        }
        *edge = before;
    }
}

#[inline(always)]
fn block_at(padded: &[u8], len: usize, at: usize, tools: impl Tools) -> Masks {
    if at >= len {
        return Masks::default();
    }
    let bytes: &[u8; 64] = padded[at..at + 64].try_into().expect("64 bytes");
    tools.masks(bytes).first(len - at)
}

/// What remains of the characters of `padded[..len]`, appended to `out`: see docs/format.md §2.
pub struct Left<'a> {
    /// The text, then [`BEHIND`] bytes or more.
    pub padded: &'a [u8],
    /// Length of the text.
    pub len: usize,
    /// Marks vanish.
    pub remove_marks: bool,
    /// What becomes of white space.
    pub whitespace: Whitespace,
    /// Takes the result; it must be empty.
    pub out: &'a mut Vec<u8>,
}

impl Kernel for Left<'_> {
    type Output = ();

    #[inline(always)]
    fn run<T: Tools>(self, tools: T) {
        let Left { padded, len, remove_marks, whitespace, out } = self;
        out.resize(len + 128, 0);
        let mut kept = 0;
        let mut after_blank = true; // so that none is kept at the start
        for at in (0..len).step_by(64) {
            let bytes: &[u8; 64] = padded[at..at + 64].try_into().expect("64 bytes");
            let inside = if len - at < 64 { (1 << (len - at)) - 1 } else { u64::MAX };
            let found = tools.masks(bytes);
            let marks = if remove_marks { found.mark & inside } else { 0 };
            let white = !(found.letter | found.digit | found.mark | found.control) & inside;
            let mut block = *bytes;
            let keep = match whitespace {
                Whitespace::Keep => inside & !marks,
                Whitespace::Remove => inside & !marks & !white,
                Whitespace::Collapse => {
                    block.iter_mut().for_each(|b| *b = if (b'\t'..=b'\r').contains(b) { b' ' } else { *b });
                    (inside & !(marks | white)) | first_blanks(white, marks, &mut after_blank)
                }
            };
            tools.pick(&block, keep, out[kept..].first_chunk_mut().expect("room behind"));
            kept += keep.count_ones() as usize;
        }
        let last_blank = whitespace == Whitespace::Collapse && kept > 0 && out[kept - 1] == b' ';
        out.truncate(kept - usize::from(last_blank));
    }
}

/// The first white space of each run of white space and marks; none if a space already precedes the run.
#[inline(always)]
fn first_blanks(white: u64, marks: u64, after_blank: &mut bool) -> u64 {
    let run = white | marks;
    let begins = run & !((run << 1) | u64::from(*after_blank));
    // From its beginning a run of marks carries on to what follows it; the sum overflows where that is the next block.
    let first = begins.wrapping_add(marks) & !marks & white;
    *after_blank = match run.leading_ones() {
        0 => false,
        64 => *after_blank || first != 0,
        open => first >> (64 - open) != 0,
    };
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::segments;
    use proptest::prelude::*;

    #[derive(Default)]
    struct Found(Vec<(usize, usize, bool)>);

    impl Sink for Found {
        fn words(&mut self, base: usize, starts: &[u32], ends: &[u32], marked: &[u32]) {
            for (i, (&s, &e)) in starts.iter().zip(ends).enumerate() {
                self.0.push((base + s as usize, base + e as usize, marked.contains(&(i as u32))));
            }
        }
        fn word(&mut self, start: usize, end: usize, marked: bool) {
            self.0.push((start, end, marked));
        }
    }

    fn padded(text: &str) -> Vec<u8> {
        [text.as_bytes(), &[0; BEHIND]].concat()
    }

    /// Pieces that meet in every combination at the boundaries of blocks and chunks.
    fn ascii() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            4 => "[ -~\\n\\t\\x00\\x7fa-c'.,:;_1-2 ]{0,80}",
            1 => (prop::sample::select(vec!["a", " ", "1", ".", "_", "\x01", "a.", ". "]), 0..1100usize)
                .prop_map(|(piece, n)| piece.repeat(n)),
        ];
        prop::collection::vec(piece, 0..5).prop_map(|v| v.concat())
    }

    proptest! {
        #[test]
        fn words_are_those_of_the_rules(text in ascii(), keep_marks: bool) {
            let mut expected = vec![];
            segments(&text, |s| {
                let word = &text[s.start..s.end];
                let only_marks = word.chars().all(|c| c.is_ascii_punctuation());
                // A run of `_` alone is a word by the rules and all marks: the caller drops it.
                if s.visible && (keep_marks || !only_marks || word.contains('_')) {
                    let inner = s.marks && (!only_marks || word.contains('_'));
                    expected.push((s.start, s.end, inner));
                }
            });
            let mut found = Found::default();
            each_word(&padded(&text), text.len(), keep_marks, &mut Places::default(), &mut found);
            prop_assert_eq!(found.0, expected);
        }

        #[test]
        fn every_level_finds_the_same(text in ascii(), keep_marks: bool) {
            let padded = padded(&text);
            let find = |level| {
                let mut places = Places::default();
                let (len, edge) = (text.len(), &mut Edge::default());
                simd::dispatch_at(level, Find { padded: &padded, len, base: 0, keep_marks, places: &mut places, edge });
                [places.starts.all().to_vec(), places.ends.all().to_vec(), places.marked]
            };
            for &level in simd::levels() {
                prop_assert_eq!(find(level), find(simd::Level::Baseline));
            }
        }

        #[test]
        fn what_is_left_is_what_one_byte_after_the_other_leaves(text in ascii(), remove_marks: bool) {
            for whitespace in [Whitespace::Keep, Whitespace::Remove, Whitespace::Collapse] {
                let bare: String =
                    text.chars().filter(|c| !(remove_marks && c.is_ascii_punctuation())).collect();
                let white = |c: char| matches!(c, '\t'..='\r' | ' ');
                let expected = match whitespace {
                    Whitespace::Keep => bare,
                    Whitespace::Remove => bare.replace(white, ""),
                    Whitespace::Collapse => bare.split(white).filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" "),
                };
                for &level in simd::levels() {
                    let mut out = vec![];
                    let padded = padded(&text);
                    let left = Left { padded: &padded, len: text.len(), remove_marks, whitespace, out: &mut out };
                    simd::dispatch_at(level, left);
                    prop_assert_eq!(std::str::from_utf8(&out).unwrap(), &expected);
                }
            }
        }
    }
}
