//! Words as they are found, hashed and turned into shingles.

use super::{BLOCK, Shingler};
use crate::ascii::Sink;
use crate::hash::ShingleHash;
use crate::simd::{self, Kernel, Tools};

/// Turns words into shingles, block by block: a document of any length needs the memory of one block.
pub(super) struct Windows<'a, F> {
    pub shingler: &'a Shingler,
    /// The folded text, followed by [`super::TAIL`] zero bytes; empty if the units are tokens.
    pub bytes: &'a [u8],
    pub words: &'a mut Vec<u64>,
    pub block: &'a mut Vec<u64>,
    pub take: F,
    pub any: bool,
}

impl<F: FnMut(&[u64])> Sink for Windows<'_, F> {
    /// All words are hashed as they are, without a branch; then the few with marks inside once more.
    #[inline(never)]
    fn words(&mut self, base: usize, starts: &[u32], ends: &[u32], marked: &[u32]) {
        let (before, hash) = (self.words.len(), self.shingler.hash);
        let bytes = &self.bytes[base..];
        let places = starts.iter().zip(ends).map(|(&start, &end)| (start as usize, end as usize));
        self.words.extend(places.map(|(start, end)| hash.in_window(bytes, start, end - start)));
        if self.shingler.remove_marks && !marked.is_empty() {
            self.bare(before, bytes, starts, ends, marked);
        }
        self.flow(before);
    }

    fn word(&mut self, start: usize, end: usize, marked: bool) {
        let before = self.words.len();
        if marked && self.shingler.remove_marks {
            self.words.extend(self.shingler.bare_word_hash(&self.bytes[start..end]));
        } else {
            self.words.push(self.shingler.hash.bytes(self.bytes, start, end - start));
        }
        self.flow(before);
    }
}

impl<F: FnMut(&[u64])> Windows<'_, F> {
    /// Take a unit that is not in `bytes`.
    pub fn unit(&mut self, text: &str) {
        self.words.push(self.shingler.hash.slice(text.as_bytes()));
        self.flow(self.words.len() - 1);
    }

    /// Replace the hashes of the words that have marks inside; a word of marks alone goes.
    fn bare(&mut self, before: usize, bytes: &[u8], starts: &[u32], ends: &[u32], marked: &[u32]) {
        let mut gone = Vec::new();
        for &number in marked {
            let i = number as usize;
            match self.shingler.bare_word_hash(&bytes[starts[i] as usize..ends[i] as usize]) {
                Some(hash) => self.words[before + i] = hash,
                None => gone.push(before + i),
            }
        }
        if let Some(&first) = gone.first() {
            let (mut kept, mut gone) = (first, gone.into_iter().peekable());
            for i in first..self.words.len() {
                self.words[kept] = self.words[i];
                kept += usize::from(gone.next_if_eq(&i).is_none());
            }
            self.words.truncate(kept);
        }
    }

    /// Drop stop words among those from `before` on, and hand shingles on when a block is full.
    #[inline(always)]
    fn flow(&mut self, before: usize) {
        let stop = &self.shingler.stop;
        if !stop.is_empty() {
            let mut kept = before;
            for i in before..self.words.len() {
                self.words[kept] = self.words[i];
                kept += usize::from(!stop.contains(&self.words[i]));
            }
            self.words.truncate(kept);
        }
        if self.words.len() >= BLOCK.max(self.shingler.k) {
            self.emit();
        }
    }

    /// Hand on all whole windows; the words that begin no whole one yet stay. Not inlined: it runs once a block,
    /// and would be copied into every caller.
    #[inline(never)]
    fn emit(&mut self) {
        let (k, hash) = (self.shingler.k, self.shingler.hash);
        let count = self.words.len() - k + 1;
        // The words of a chunk come together, so there may be a few more windows than a block has room for.
        for from in (0..count).step_by(BLOCK) {
            let words = &self.words[from..(from + BLOCK).min(count) + k - 1];
            self.block.clear();
            match k {
                5 => simd::dispatch(Shingles::<5> { hash, words, block: self.block }),
                3 => simd::dispatch(Shingles::<3> { hash, words, block: self.block }),
                _ => self.block.extend(words.windows(k).map(|w| hash.words(w))),
            }
            (self.take)(self.block);
        }
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

/// The shingles of K words for the most used sizes, 3 and 5: unrolled, and several at a time where that is faster.
struct Shingles<'a, const K: usize> {
    hash: ShingleHash,
    words: &'a [u64],
    block: &'a mut Vec<u64>,
}

impl<const K: usize> Kernel for Shingles<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<T: Tools>(self, _: T) {
        let Shingles { hash, words, block } = self;
        if !T::WIDE {
            return block.extend(words.windows(K).map(|w| hash.words(w.first_chunk::<K>().expect("K words"))));
        }
        let count = words.len() + 1 - K;
        block.resize(count, 0);
        let after: [&[u64]; K] = std::array::from_fn(|i| &words[i..i + count]);
        for (i, shingle) in block[..count].iter_mut().enumerate() {
            *shingle = hash.words_wide(&after.map(|words| words[i]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Stream;

    #[test]
    fn every_level_makes_the_same_shingles() {
        fn check<const K: usize>(hash: ShingleHash, words: &[u64]) {
            let expected: Vec<u64> = words.windows(K).map(|w| hash.words(w)).collect();
            for &level in simd::levels() {
                let mut block = Vec::new();
                simd::dispatch_at(level, Shingles::<K> { hash, words, block: &mut block });
                assert_eq!(block, expected, "{level:?}");
            }
        }
        let mut g = Stream::new(5);
        let words: Vec<u64> = (0..100).map(|_| g.next()).collect();
        for count in 5..words.len() {
            check::<5>(ShingleHash::new(1), &words[..count]);
            check::<3>(ShingleHash::new(1), &words[..count]);
        }
    }
}
