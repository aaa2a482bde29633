//! Text → units → shingles → 64-bit elements (docs/format.md §2–4).

mod excluded;
mod ordered;
mod placed;
mod windows;

use std::collections::HashSet;

use crate::ascii::{self, Left, Places, Sink};
use crate::code::tokens;
use crate::control::Control;
use crate::error::Result;
use crate::hash::{PADDING, ShingleHash, WINDOW};
use crate::normalize::Normalizer;
use crate::recipe::{Recipe, Unit, Whitespace};
use crate::simd;
use crate::sort::Sorter;
use crate::unicode::Tables;
use crate::words::{Segment, segments};

pub use crate::normalize::EXCLUDED;
pub use ordered::Ordered;
pub use placed::Placed;
use windows::Windows;

/// Shingles are handed on in blocks of this many: 32 KiB, which stays in the first-level cache.
pub const BLOCK: usize = 4096;
/// Zero bytes after a buffer.
const TAIL: usize = ascii::BEHIND + PADDING;
const _: () = assert!(TAIL >= WINDOW); // words are hashed in windows

/// Buffers that are kept from one document to the next.
#[derive(Debug, Default)]
pub struct Scratch {
    bytes: Vec<u8>,
    left: Vec<u8>,
    text: String,
    places: Places,
    words: Vec<u64>,
    block: Vec<u64>,
    all: Vec<u64>,
    pub(crate) sorter: Sorter,
}

impl Scratch {
    /// About how many bytes the buffers keep.
    pub fn bytes(&self) -> usize {
        let texts = self.bytes.capacity() + self.left.capacity() + self.text.capacity();
        texts + 8 * (self.words.capacity() + self.block.capacity() + self.all.capacity())
    }
}

/// Turns texts into shingles by one recipe.
#[derive(Debug, Clone)]
pub struct Shingler {
    normalizer: Normalizer,
    hash: ShingleHash,
    unit: Unit,
    k: usize,
    bag: bool,
    remove_marks: bool,
    whitespace: Whitespace,
    stop: HashSet<u64>,
    /// Excluded shingles: those of a template, or those that nearly every document has.
    ignored: HashSet<u64>,
    /// Whether shingles that touch excluded text do not count.
    drops_excluded: bool,
    /// The same with k = 1, which gives the units of a text one by one; only where excluded text is dropped.
    single: Option<Box<Shingler>>,
    /// Whether texts with the same shingles in another order are no copies.
    in_order: bool,
}

impl Shingler {
    /// Check the recipe and prepare its stop list.
    pub fn new(recipe: &Recipe) -> Result<Self> {
        recipe.check()?;
        let mut shingler = Shingler {
            normalizer: Normalizer::new(recipe),
            hash: ShingleHash::new(recipe.seed),
            unit: recipe.unit,
            k: recipe.k,
            bag: recipe.bag,
            remove_marks: recipe.remove_marks,
            whitespace: recipe.whitespace,
            stop: HashSet::new(),
            ignored: HashSet::new(),
            drops_excluded: false,
            single: None,
            in_order: false,
        };
        if recipe.unit != Unit::Token {
            shingler.stop = recipe.stop_words.iter().map(|w| shingler.stop_hash(w)).collect();
        }
        Ok(shingler)
    }

    /// Exclude these shingles from every document.
    pub fn ignoring(mut self, shingles: impl IntoIterator<Item = u64>) -> Self {
        self.ignored.extend(shingles);
        self
    }

    fn stop_hash(&self, word: &str) -> u64 {
        let mut text = String::new();
        self.normalizer.any(word, &mut text);
        self.hash.slice(self.without_marks(&text).as_bytes())
    }

    fn without_marks(&self, text: &str) -> String {
        let tables = Tables::get();
        text.chars().filter(|&c| !(self.remove_marks && tables.info(c).mark())).collect()
    }

    /// Call `take` with the hashes of all shingles, in order and with repeats, in blocks. At least one shingle comes.
    #[inline(always)]
    pub fn each_block(&self, text: &str, scratch: &mut Scratch, mut take: impl FnMut(&[u64])) {
        if self.ignored.is_empty() && !self.drops_excluded {
            return self.every_block(text, scratch, take);
        }
        let mut excluded = self.excluded_units(text, scratch);
        let (mut kept, mut any, mut whole) = (Vec::new(), false, 0u64);
        self.every_block(text, scratch, |block| {
            kept.clear();
            kept.extend(block.iter().filter(|x| !excluded.touch_next() && !self.ignored.contains(x)));
            any |= !kept.is_empty();
            whole = block.iter().fold(whole, |h, &x| self.hash.words(&[h, x]));
            if !kept.is_empty() {
                take(&kept);
            }
        });
        if !any {
            // Everything is excluded: it equals only a document with exactly the same shingles.
            take(&[whole]);
        }
    }

    #[inline(always)]
    fn every_block(&self, text: &str, scratch: &mut Scratch, mut take: impl FnMut(&[u64])) {
        match self.unit {
            Unit::Token => {
                let Scratch { words, block, .. } = scratch;
                words.clear();
                let mut windows = Windows { shingler: self, bytes: &[], words, block, take, any: false };
                let visible = self.normalizer.visible(text).text;
                tokens(&visible, |token| {
                    if token.counts {
                        windows.unit(token.unit(&visible));
                    }
                });
                windows.finish();
            }
            Unit::Word => {
                let ascii = self.fold(text, scratch);
                let Scratch { bytes, text, places, words, block, .. } = scratch;
                words.clear();
                let windows = Windows { shingler: self, bytes, words, block, take, any: false };
                self.each_word(ascii, text, places, windows);
            }
            Unit::Char => {
                let ascii = self.fold(text, scratch);
                self.left_chars(ascii, scratch);
                self.char_windows(ascii, &scratch.bytes, &mut scratch.block, &mut take);
            }
        }
    }

    /// The document as a set of elements: sorted, distinct; occurrences of a bag are separate elements.
    pub fn set(&self, text: &str, scratch: &mut Scratch, control: &Control) -> Result<Vec<u64>> {
        self.set_seen(text, scratch, control, |_| ())
    }

    /// The same; `seen` gets the hashes of all shingles, repeats included.
    pub fn set_seen(
        &self,
        text: &str,
        scratch: &mut Scratch,
        control: &Control,
        seen: impl FnOnce(&[u64]),
    ) -> Result<Vec<u64>> {
        let mut all = std::mem::take(&mut scratch.all);
        all.clear();
        self.each_block(text, scratch, |block| all.extend_from_slice(block));
        seen(&all);
        scratch.sorter.sort(&mut all, control)?;
        if self.bag {
            self.number_occurrences(&mut all);
            scratch.sorter.sort(&mut all, control)?;
        }
        all.dedup();
        let set = all.as_slice().to_vec(); // exactly as large as needed: a search keeps the sets of all documents
        scratch.all = all;
        Ok(set)
    }

    /// The hashes of all shingles, sorted, repeats included.
    pub fn sorted(&self, text: &str, scratch: &mut Scratch, control: &Control) -> Result<Vec<u64>> {
        let mut all = self.sequence(text, scratch);
        scratch.sorter.sort(&mut all, control)?;
        Ok(all)
    }

    /// The hashes of all shingles, in order, repeats included.
    pub fn sequence(&self, text: &str, scratch: &mut Scratch) -> Vec<u64> {
        let mut all = Vec::new();
        self.each_block(text, scratch, |block| all.extend_from_slice(block));
        all
    }

    /// What the only shingle of a text without units is (docs/format.md §3): the same for all such texts.
    pub fn without_units(&self) -> u64 {
        let (mut only, mut scratch) = (0, Scratch::default());
        self.each_block("", &mut scratch, |block| only = block[0]);
        only
    }

    /// Whether repeated shingles count.
    pub fn is_bag(&self) -> bool {
        self.bag
    }

    fn number_occurrences(&self, sorted: &mut [u64]) {
        let (mut last, mut j) = (None, 0);
        for x in sorted {
            j = if last == Some(*x) { j + 1 } else { 0 };
            last = Some(*x);
            *x = self.hash.occurrence(*x, j);
        }
    }

    /// §1 into `scratch.bytes`, followed by zeros; true for ASCII.
    fn fold(&self, text: &str, scratch: &mut Scratch) -> bool {
        scratch.bytes.clear();
        let ascii = self.normalizer.ascii(text.as_bytes(), &mut scratch.bytes);
        if !ascii {
            let mut folded = std::mem::take(&mut scratch.text);
            folded.clear();
            self.normalizer.any(text, &mut folded);
            scratch.bytes.clear();
            scratch.bytes.extend_from_slice(folded.as_bytes());
            scratch.text = folded;
        }
        scratch.bytes.resize(scratch.bytes.len() + TAIL, 0);
        ascii
    }

    /// Hand all words to `windows`.
    #[inline(always)]
    fn each_word<F: FnMut(&[u64])>(&self, ascii: bool, text: &str, places: &mut Places, mut windows: Windows<'_, F>) {
        if ascii {
            let bytes = windows.bytes;
            ascii::each_word(bytes, bytes.len() - TAIL, !self.remove_marks, places, &mut windows);
        } else {
            segments(text, |s| {
                if s.visible {
                    windows.word(s.start, s.end, s.marks);
                }
            });
        }
        windows.finish();
    }

    /// Hash of a word without its marks; none if it consists of marks.
    fn bare_word_hash(&self, word: &[u8]) -> Option<u64> {
        const SHORT: usize = 48;
        if word.len() > SHORT || !word.is_ascii() {
            let bare = self.without_marks(std::str::from_utf8(word).unwrap_or_default());
            return if bare.is_empty() { None } else { Some(self.hash.slice(bare.as_bytes())) };
        }
        let (mut bare, mut n) = ([0u8; SHORT + PADDING], 0);
        for &b in word {
            bare[n] = b;
            n += usize::from(!b.is_ascii_punctuation());
        }
        if n == 0 { None } else { Some(self.hash.bytes(&bare, 0, n)) }
    }

    /// Delete stop words, marks and white space as the recipe says, in `scratch.bytes`.
    fn left_chars(&self, ascii: bool, scratch: &mut Scratch) {
        if self.stop.is_empty() && !self.remove_marks && self.whitespace == Whitespace::Keep {
            return;
        }
        let len = scratch.bytes.len() - TAIL;
        if ascii && self.stop.is_empty() {
            let Scratch { bytes, left, .. } = &mut *scratch;
            left.clear();
            let (remove_marks, whitespace) = (self.remove_marks, self.whitespace);
            simd::dispatch(Left { padded: bytes, len, remove_marks, whitespace, out: left });
            std::mem::swap(bytes, left);
        } else {
            if ascii {
                scratch.text.clear();
                scratch.text.push_str(std::str::from_utf8(&scratch.bytes[..len]).unwrap_or_default());
            }
            scratch.bytes.clear();
            let bytes = &mut scratch.bytes;
            if self.stop.is_empty() {
                self.left_runs(&scratch.text, bytes);
            } else {
                self.each_left_char(&scratch.text, |c, _, _| {
                    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                });
            }
        }
        scratch.bytes.resize(scratch.bytes.len() + TAIL, 0);
    }

    /// What [`Shingler::each_left_char`] gives if there are no stop words, copied in runs.
    fn left_runs(&self, text: &str, out: &mut Vec<u8>) {
        let tables = Tables::get();
        let (mut run, mut blank) = (None, false);
        for (at, c) in text.char_indices() {
            let info = tables.info(c);
            let gone = self.remove_marks && info.mark();
            let white = info.white() && self.whitespace != Whitespace::Keep;
            if !gone && !white {
                if run.is_none() {
                    if blank && !out.is_empty() {
                        out.push(b' ');
                    }
                    (run, blank) = (Some(at), false);
                }
                continue;
            }
            if let Some(start) = run.take() {
                out.extend_from_slice(&text.as_bytes()[start..at]);
            }
            blank |= white && !gone && self.whitespace == Whitespace::Collapse;
        }
        if let Some(start) = run {
            out.extend_from_slice(&text.as_bytes()[start..]);
        }
    }

    /// Call `take` with each code point that is left, and the numbers of the first and last code point of `text` that it
    /// stands for.
    fn each_left_char(&self, text: &str, mut take: impl FnMut(char, usize, usize)) {
        let tables = Tables::get();
        let dropped = self.stop_segments(text);
        let mut dropped = dropped.iter().peekable();
        let (mut begun, mut pending) = (false, None::<(usize, usize)>);
        for (number, (at, c)) in text.char_indices().enumerate() {
            while dropped.next_if(|s| s.end <= at).is_some() {}
            let stopped = dropped.peek().is_some_and(|s| s.start <= at);
            let info = tables.info(c);
            if stopped || (self.remove_marks && info.mark()) {
                continue;
            }
            match self.whitespace {
                Whitespace::Remove if info.white() => continue,
                Whitespace::Collapse if info.white() => {
                    pending = Some((pending.map_or(number, |p| p.0), number));
                    continue;
                }
                _ => {}
            }
            if let Some((first, last)) = pending.take().filter(|_| begun) {
                take(' ', first, last);
            }
            begun = true;
            take(c, number, number);
        }
    }

    fn stop_segments(&self, text: &str) -> Vec<Segment> {
        let mut found = Vec::new();
        if !self.stop.is_empty() {
            segments(text, |s| {
                let bare = self.without_marks(&text[s.start..s.end]);
                if s.visible && !bare.is_empty() && self.stop.contains(&self.hash.slice(bare.as_bytes())) {
                    found.push(s);
                }
            });
        }
        found
    }

    #[inline(always)]
    fn char_windows(&self, ascii: bool, bytes: &[u8], block: &mut Vec<u64>, take: &mut impl FnMut(&[u64])) {
        let len = bytes.len() - TAIL;
        let k = self.k;
        if !ascii {
            return self.utf8_windows(bytes, len, block, take);
        }
        if len < k {
            return take(&[self.hash.bytes(bytes, 0, len)]);
        }
        let count = len - k + 1;
        let mut from = 0;
        while from < count {
            let n = BLOCK.min(count - from);
            block.clear();
            let part = &bytes[from..from + n + k + PADDING];
            match k {
                // A constant length compiles to two loads and one multiplication.
                9 => block.extend((0..n).map(|i| self.hash.bytes(part, i, 9))),
                5 => block.extend((0..n).map(|i| self.hash.bytes(part, i, 5))),
                _ => block.extend((0..n).map(|i| self.hash.bytes(part, i, k))),
            }
            take(block);
            from += n;
        }
    }

    /// Windows of code points: both ends move on by one code point.
    fn utf8_windows(&self, bytes: &[u8], len: usize, block: &mut Vec<u64>, take: &mut impl FnMut(&[u64])) {
        let step = |at: usize| at + width(bytes[at]);
        let (mut start, mut end, mut units) = (0, 0, 0);
        while units < self.k && end < len {
            end = step(end);
            units += 1;
        }
        block.clear();
        loop {
            block.push(self.hash.bytes(bytes, start, end - start));
            if block.len() == BLOCK {
                take(block);
                block.clear();
            }
            if end >= len {
                break;
            }
            (start, end) = (step(start), step(end));
        }
        if !block.is_empty() {
            take(block);
        }
    }
}

/// Length of a UTF-8 sequence by its first byte.
#[inline(always)]
fn width(first: u8) -> usize {
    match first {
        0..=0x7f => 1,
        0x80..=0xdf => 2,
        0xe0..=0xef => 3,
        _ => 4,
    }
}
