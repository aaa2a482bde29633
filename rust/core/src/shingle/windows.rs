//! Words as they are found, hashed and turned into shingles.

use super::{BLOCK, Shingler};
use crate::hash::ShingleHash;
use crate::recipe::MAX_K;
use crate::words::Sink;

/// Hashes words as they are found.
pub(super) struct WordHashes<'a, F> {
    pub hash: ShingleHash,
    pub bytes: &'a [u8],
    pub windows: Windows<'a, F>,
}

impl<F: FnMut(&[u64])> Sink for WordHashes<'_, F> {
    #[inline(always)]
    fn plain(&mut self, start: usize, end: usize) {
        self.windows.push(self.hash.bytes(self.bytes, start, end - start));
    }

    #[inline(never)]
    fn marked(&mut self, start: usize, end: usize) {
        if !self.windows.shingler.remove_marks {
            self.plain(start, end);
        } else if let Some(hash) = self.windows.shingler.bare_word_hash(&self.bytes[start..end]) {
            self.windows.push(hash);
        }
    }
}

/// Turns words into shingles, block by block: a document of any length needs the memory of one block.
pub(super) struct Windows<'a, F> {
    pub shingler: &'a Shingler,
    pub words: &'a mut Vec<u64>,
    pub block: &'a mut Vec<u64>,
    pub take: F,
    pub any: bool,
}

impl<F: FnMut(&[u64])> Windows<'_, F> {
    #[inline(always)]
    fn push(&mut self, word: u64) {
        let stop = &self.shingler.stop;
        if !stop.is_empty() && stop.contains(&word) {
            return;
        }
        self.words.push(word);
        if self.words.len() == BLOCK + MAX_K {
            self.emit();
        }
    }

    /// Hand on all whole windows; the words that begin no whole one yet stay. Not inlined, because the caller may be
    /// compiled for AVX2, which makes the multiplications here slower.
    #[inline(never)]
    fn emit(&mut self) {
        let (k, hash) = (self.shingler.k, self.shingler.hash);
        let count = self.words.len() - k + 1;
        self.block.clear();
        if k == 5 {
            // The most used size, unrolled.
            self.block.extend(self.words.windows(5).map(|w| hash.words(w.first_chunk::<5>().expect("five words"))));
        } else {
            self.block.extend(self.words.windows(k).map(|w| hash.words(w)));
        }
        (self.take)(self.block);
        self.words.drain(..count);
        self.any = true;
    }

    /// The text has ended.
    pub fn finish(&mut self) {
        if self.words.len() >= self.shingler.k {
            self.emit();
        } else if !self.any {
            (self.take)(&[self.shingler.hash.words(self.words)]);
        }
    }
}
