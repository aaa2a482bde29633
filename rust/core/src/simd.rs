//! The only file with `unsafe`: the same safe code compiled for what the processor can do, chosen at run time, and the
//! one step that needs an instruction of its own, turning 64 bytes into bit masks.

use std::sync::OnceLock;

/// Bit i of each mask speaks of byte i of a block of 64.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Masks {
    /// A–Z, a–z.
    pub letter: u64,
    /// 0–9.
    pub digit: u64,
    /// `_`.
    pub underscore: u64,
    /// `'` `.` `:`: they join two letters.
    pub mid_letter: u64,
    /// `'` `.` `,` `;`: they join two digits.
    pub mid_digit: u64,
    /// Other ASCII punctuation and the above.
    pub mark: u64,
    /// Control characters that are not white space.
    pub control: u64,
}

impl Masks {
    /// Forget what lies beyond the first `n` bytes.
    #[inline(always)]
    pub fn first(mut self, n: usize) -> Self {
        if n < 64 {
            let keep = (1u64 << n) - 1;
            self.letter &= keep;
            self.digit &= keep;
            self.underscore &= keep;
            self.mid_letter &= keep;
            self.mid_digit &= keep;
            self.mark &= keep;
            self.control &= keep;
        }
        self
    }

    /// Marks that stand inside a word, given the neighbouring blocks.
    #[inline(always)]
    pub fn joined(&self, before: &Masks, after: &Masks) -> u64 {
        let between = |m: u64, b: u64, a: u64| ((m << 1) | (b >> 63)) & ((m >> 1) | (a << 63));
        (self.mid_letter & between(self.letter, before.letter, after.letter))
            | (self.mid_digit & between(self.digit, before.digit, after.digit))
    }
}

/// Work that is compiled once per instruction set. `run` must be `#[inline(always)]` to be of use.
pub trait Kernel {
    /// What it gives.
    type Output;
    /// Do it; `masks` is the instruction set's way from bytes to masks.
    fn run(self, masks: impl Fn(&[u8; 64]) -> Masks + Copy) -> Self::Output;
}

/// Instruction sets with code of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// What every processor of the target has.
    Baseline,
    /// x86-64 with AVX2, BMI1, BMI2, LZCNT and POPCNT (2013 and later).
    Avx2,
}

/// The levels that this processor can run.
pub fn levels() -> &'static [Level] {
    static LEVELS: OnceLock<Vec<Level>> = OnceLock::new();
    LEVELS.get_or_init(|| {
        #[allow(unused_mut)]
        let mut found = vec![Level::Baseline];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
        {
            found.push(Level::Avx2);
        }
        found
    })
}

/// The level in use: the best one, or what `LOOKALIKE_CPU=baseline` asks for. It changes the speed, never a result.
pub fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(|| {
        let wanted = std::env::var("LOOKALIKE_CPU").unwrap_or_default();
        if wanted == "baseline" { Level::Baseline } else { *levels().last().unwrap_or(&Level::Baseline) }
    })
}

/// Run a kernel at the level in use.
#[inline(always)]
pub fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    dispatch_at(level(), kernel)
}

/// Run a kernel at a level; one that this processor lacks falls back to the baseline.
#[inline(always)]
pub fn dispatch_at<K: Kernel>(level: Level, kernel: K) -> K::Output {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 if levels().contains(&Level::Avx2) => {
            // SAFETY: `levels` found every feature that `run_avx2` is compiled for on this processor.
            unsafe { run_avx2(kernel) }
        }
        _ => kernel.run(masks_portable),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(
        #[inline(always)]
        |block| masks_avx2(block),
    )
}

const LETTER: u8 = 1;
const DIGIT: u8 = 2;
const UNDERSCORE: u8 = 4;
const MID_LETTER: u8 = 8;
const MID_DIGIT: u8 = 16;
const MARK: u8 = 32;
const CONTROL: u8 = 64;

const CLASSES: [u8; 256] = {
    let mut t = [0u8; 256];
    let mut i = 0;
    while i < 128 {
        let c = i as u8;
        t[i] = match c {
            b'a'..=b'z' | b'A'..=b'Z' => LETTER,
            b'0'..=b'9' => DIGIT,
            b'_' => UNDERSCORE | MARK,
            b'\'' | b'.' => MID_LETTER | MID_DIGIT | MARK,
            b':' => MID_LETTER | MARK,
            b',' | b';' => MID_DIGIT | MARK,
            b'\t'..=b'\r' | b' ' => 0,
            0..=8 | 14..=31 | 127 => CONTROL,
            _ => MARK,
        };
        i += 1;
    }
    t
};

fn masks_portable(block: &[u8; 64]) -> Masks {
    let mut m = Masks::default();
    for (i, &b) in block.iter().enumerate() {
        let class = u64::from(CLASSES[usize::from(b)]);
        m.letter |= (class & 1) << i;
        m.digit |= (class >> 1 & 1) << i;
        m.underscore |= (class >> 2 & 1) << i;
        m.mid_letter |= (class >> 3 & 1) << i;
        m.mid_digit |= (class >> 4 & 1) << i;
        m.mark |= (class >> 5 & 1) << i;
        m.control |= (class >> 6 & 1) << i;
    }
    m
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn masks_avx2(block: &[u8; 64]) -> Masks {
    use std::arch::x86_64::*;
    #[target_feature(enable = "avx2")]
    #[inline]
    fn within(v: __m256i, low: u8, high: u8) -> u32 {
        // low ≤ v ≤ high, unsigned: v - low, then min with the width leaves it unchanged.
        let d = _mm256_sub_epi8(v, _mm256_set1_epi8(low as i8));
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(d, _mm256_set1_epi8((high - low) as i8)), d)) as u32
    }
    #[target_feature(enable = "avx2")]
    #[inline]
    fn half(v: __m256i) -> [u32; 7] {
        let letter = within(_mm256_or_si256(v, _mm256_set1_epi8(0x20)), b'a', b'z');
        let digit = within(v, b'0', b'9');
        let white = within(v, b'\t', b'\r');
        let print = within(v, 0x21, 0x7e);
        let ascii = within(v, 0, 127);
        let space = within(v, b' ', b' ');
        let underscore = within(v, b'_', b'_');
        let quote_or_dot = within(v, b'\'', b'\'') | within(v, b'.', b'.');
        let colon = within(v, b':', b':');
        let comma_or_semicolon = within(v, b',', b',') | within(v, b';', b';');
        let mark = print & !letter & !digit;
        let control = ascii & !print & !white & !space;
        [letter, digit, underscore, quote_or_dot | colon, quote_or_dot | comma_or_semicolon, mark, control]
    }
    // SAFETY: the block is 64 readable bytes; unaligned loads are used.
    let (low, high) = unsafe {
        let p = block.as_ptr().cast::<__m256i>();
        (_mm256_loadu_si256(p), _mm256_loadu_si256(p.add(1)))
    };
    let (low, high) = (half(low), half(high));
    let both = |i: usize| u64::from(low[i]) | u64::from(high[i]) << 32;
    Masks {
        letter: both(0),
        digit: both(1),
        underscore: both(2),
        mid_letter: both(3),
        mid_digit: both(4),
        mark: both(5),
        control: both(6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::{Break, Tables};

    struct Read<'a>(&'a [u8; 64]);
    impl Kernel for Read<'_> {
        type Output = Masks;
        fn run(self, masks: impl Fn(&[u8; 64]) -> Masks + Copy) -> Masks {
            masks(self.0)
        }
    }

    #[test]
    fn every_level_gives_the_same_masks() {
        for first in (0..256).step_by(64) {
            let block: [u8; 64] = std::array::from_fn(|i| (first + i) as u8);
            for &level in levels() {
                assert_eq!(dispatch_at(level, Read(&block)), masks_portable(&block), "{level:?}");
            }
        }
    }

    #[test]
    fn ascii_classes_are_those_of_the_unicode_tables() {
        for c in 0..128u8 {
            let info = Tables::get().info(char::from(c));
            let class = CLASSES[usize::from(c)];
            let b = info.word_break();
            assert_eq!(class & LETTER != 0, b == Break::ALetter, "{c}");
            assert_eq!(class & DIGIT != 0, b == Break::Numeric, "{c}");
            assert_eq!(class & UNDERSCORE != 0, b == Break::ExtendNumLet, "{c}");
            let both = matches!(b, Break::SingleQuote | Break::MidNumLet);
            assert_eq!(class & MID_LETTER != 0, both || b == Break::MidLetter, "{c}");
            assert_eq!(class & MID_DIGIT != 0, both || b == Break::MidNum, "{c}");
            assert_eq!(class & MARK != 0, info.mark(), "{c}");
            assert_eq!(info.mark(), char::from(c).is_ascii_punctuation(), "{c}");
            assert_eq!(class & CONTROL != 0, !info.white() && char::from(c).is_ascii_control(), "{c}");
        }
    }
}
