//! The only place with `unsafe`, this file and the one below it: the same safe code compiled for what the processor can
//! do, chosen at run time, and the few steps that need an instruction of their own: turning 64 bytes into bit masks, and
//! bits into numbers.

#[cfg(target_arch = "x86_64")]
mod x86;

use std::sync::OnceLock;

/// Bit i of each mask describes byte i of a block of 64.
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
    /// Clear everything beyond the first `n` bytes.
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

    /// Marks that stand inside a word, given whether the byte before the block is a letter or a digit (1, else 0), and the
    /// block after it.
    #[inline(always)]
    pub fn joined(&self, letter_before: u64, digit_before: u64, after: &Masks) -> u64 {
        let between = |m: u64, before: u64, a: u64| ((m << 1) | before) & ((m >> 1) | (a << 63));
        (self.mid_letter & between(self.letter, letter_before, after.letter))
            | (self.mid_digit & between(self.digit, digit_before, after.digit))
    }
}

/// What an instruction set does in its own way. All give the same.
pub trait Tools: Copy {
    /// Whether products of 64 bits are faster put together from products of 32 bits, several at once.
    const WIDE: bool = false;

    /// The masks of a block.
    fn masks(self, block: &[u8; 64]) -> Masks;

    /// Write `base + i` for each bit i that is set, in order; whatever follows them in `out` is meaningless.
    #[inline(always)]
    fn numbers(self, mut bits: u64, base: u32, out: &mut [u32; 64]) {
        let count = bits.count_ones();
        let mut write = |range: std::ops::Range<usize>| {
            for slot in &mut out[range] {
                *slot = base + bits.trailing_zeros();
                bits &= bits.wrapping_sub(1);
            }
        };
        // Prose has about eleven words in a block: no branch for each.
        write(0..12);
        if count > 12 {
            write(12..24);
            if count > 24 {
                write(24..64);
            }
        }
    }

    /// Move the bytes whose bits are set to the front of `out`; whatever follows them is meaningless.
    #[inline(always)]
    fn pick(self, block: &[u8; 64], keep: u64, out: &mut [u8; 128]) {
        if keep == u64::MAX {
            out[..64].copy_from_slice(block);
            return;
        }
        let mut readable = [0; 128]; // 64 bytes from any place
        readable[..64].copy_from_slice(block);
        let end = 64 - keep.leading_zeros() as usize;
        let (mut from, mut kept) = (0, 0);
        let mut gone = if end == 0 { 0 } else { !keep & (u64::MAX >> (64 - end)) };
        while gone != 0 {
            let at = gone.trailing_zeros() as usize;
            out[kept..kept + 64].copy_from_slice(&readable[from..from + 64]);
            kept += at - from;
            from = at + 1;
            gone &= gone - 1;
        }
        out[kept..kept + 64].copy_from_slice(&readable[from..from + 64]);
    }
}

/// Work that is compiled once per instruction set. `run` must be `#[inline(always)]` to be of use.
pub trait Kernel {
    /// What it gives.
    type Output;
    /// Do it with the tools of an instruction set.
    fn run<T: Tools>(self, tools: T) -> Self::Output;
}

/// Instruction sets with code of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// What every processor of the target has.
    Baseline,
    /// x86-64 with AVX2, BMI1, BMI2, LZCNT and POPCNT (2013 and later).
    Avx2,
    /// The same with AVX-512 and its byte instructions, VBMI2 (2019 and later, servers above all).
    Avx512,
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
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512vbmi2")
            {
                found.push(Level::Avx512);
            }
        }
        found
    })
}

/// The level in use: the best one, or less if `LOOKALIKE_CPU` is `baseline` or `avx2`. It changes the speed, never a
/// result.
pub fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(|| {
        let best = *levels().last().unwrap_or(&Level::Baseline);
        match std::env::var("LOOKALIKE_CPU").as_deref() {
            Ok("baseline") => Level::Baseline,
            Ok("avx2") if best == Level::Avx512 => Level::Avx2,
            _ => best,
        }
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
            unsafe { x86::run_avx2(kernel) }
        }
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if levels().contains(&Level::Avx512) => {
            // SAFETY: `levels` found every feature that `run_avx512` is compiled for on this processor.
            unsafe { x86::run_avx512(kernel) }
        }
        _ => kernel.run(Portable),
    }
}

/// Tools that every processor has.
#[derive(Clone, Copy)]
struct Portable;

impl Tools for Portable {
    #[inline(always)]
    fn masks(self, block: &[u8; 64]) -> Masks {
        masks_portable(block)
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::{Break, Tables};

    struct Read<'a>(&'a [u8; 64], u64);
    impl Kernel for Read<'_> {
        type Output = (Masks, Vec<u32>, Vec<u8>);
        fn run<T: Tools>(self, tools: T) -> Self::Output {
            let (mut numbers, mut picked) = ([0; 64], [0; 128]);
            tools.numbers(self.1, 1000, &mut numbers);
            tools.pick(self.0, self.1, &mut picked);
            let count = self.1.count_ones() as usize;
            (tools.masks(self.0), numbers[..count].to_vec(), picked[..count].to_vec())
        }
    }

    #[test]
    fn every_level_gives_the_same() {
        let mut bits = 1u64;
        for first in (0..64 * 64).step_by(64) {
            let block: [u8; 64] = std::array::from_fn(|i| (first + i) as u8);
            bits = bits.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
            let bits = [bits, bits & (bits >> 13), bits | (bits << 7), 0, u64::MAX, 1, 1 << 63][first / 64 % 7];
            let set: Vec<usize> = (0..64).filter(|i| bits >> i & 1 == 1).collect();
            let numbers = set.iter().map(|&i| 1000 + i as u32).collect::<Vec<_>>();
            let picked = set.iter().map(|&i| block[i]).collect::<Vec<_>>();
            for &level in levels() {
                let found = dispatch_at(level, Read(&block, bits));
                assert_eq!(found, (masks_portable(&block), numbers.clone(), picked.clone()), "{level:?}");
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
