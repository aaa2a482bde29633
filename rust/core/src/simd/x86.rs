//! The tools of x86-64: AVX2, and AVX-512 with its byte instructions.

use super::{Kernel, Masks, Tools};

/// Made only in `run_avx2`: whoever has one may use AVX2.
#[derive(Clone, Copy)]
struct Avx2(());

impl Tools for Avx2 {
    #[inline(always)]
    fn masks(self, block: &[u8; 64]) -> Masks {
        // SAFETY: see the struct.
        unsafe { masks_avx2(block) }
    }
}

/// Made only in `run_avx512`: whoever has one may use AVX-512 F, BW, VL and VBMI2.
#[derive(Clone, Copy)]
struct Avx512(());

impl Tools for Avx512 {
    const WIDE: bool = true;

    #[inline(always)]
    fn masks(self, block: &[u8; 64]) -> Masks {
        // SAFETY: see the struct.
        unsafe { masks_avx512(block) }
    }

    #[inline(always)]
    fn numbers(self, bits: u64, base: u32, out: &mut [u32; 64]) {
        // SAFETY: see the struct.
        unsafe { numbers_avx512(bits, base, out) }
    }

    #[inline(always)]
    fn pick(self, block: &[u8; 64], keep: u64, out: &mut [u8; 128]) {
        // SAFETY: see the struct.
        unsafe { pick_avx512(block, keep, out) }
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Avx2(()))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Avx512(()))
}

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

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn masks_avx512(block: &[u8; 64]) -> Masks {
    use std::arch::x86_64::*;
    // SAFETY: the block is 64 readable bytes; an unaligned load is used.
    let v = unsafe { _mm512_loadu_si512(block.as_ptr().cast()) };
    let all = |b: u8| _mm512_set1_epi8(b as i8);
    let within = |v, low: u8, high: u8| _mm512_cmple_epu8_mask(_mm512_sub_epi8(v, all(low)), all(high - low));
    let is = |b: u8| _mm512_cmpeq_epi8_mask(v, all(b));
    let letter = within(_mm512_or_si512(v, all(0x20)), b'a', b'z');
    let digit = within(v, b'0', b'9');
    let print = within(v, 0x21, 0x7e);
    let quote_or_dot = is(b'\'') | is(b'.');
    Masks {
        letter,
        digit,
        underscore: is(b'_'),
        mid_letter: quote_or_dot | is(b':'),
        mid_digit: quote_or_dot | is(b',') | is(b';'),
        mark: print & !letter & !digit,
        control: !_mm512_movepi8_mask(v) & !print & !within(v, b'\t', b'\r') & !is(b' '),
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt")]
#[inline]
fn numbers_avx512(bits: u64, base: u32, out: &mut [u32; 64]) {
    use std::arch::x86_64::*;
    const EACH: [u8; 64] = {
        let mut each = [0; 64];
        let mut i = 0;
        while i < 64 {
            each[i] = i as u8;
            i += 1;
        }
        each
    };
    // SAFETY: 64 readable bytes.
    let each = unsafe { _mm512_loadu_si512(EACH.as_ptr().cast()) };
    let set = _mm512_maskz_compress_epi8(bits, each);
    let base = _mm512_set1_epi32(base as i32);
    let (quarters, _) = out.as_chunks_mut::<16>();
    let write = |quarter: &mut [u32; 16], numbers: __m128i| {
        let numbers = _mm512_add_epi32(_mm512_cvtepu8_epi32(numbers), base);
        // SAFETY: the quarter is 16 writable numbers.
        unsafe { _mm512_storeu_si512(quarter.as_mut_ptr().cast(), numbers) };
    };
    write(&mut quarters[0], _mm512_castsi512_si128(set));
    if bits.count_ones() > 16 {
        write(&mut quarters[1], _mm512_extracti32x4_epi32::<1>(set));
        write(&mut quarters[2], _mm512_extracti32x4_epi32::<2>(set));
        write(&mut quarters[3], _mm512_extracti32x4_epi32::<3>(set));
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
#[inline]
fn pick_avx512(block: &[u8; 64], keep: u64, out: &mut [u8; 128]) {
    use std::arch::x86_64::*;
    // SAFETY: 64 readable bytes, and 128 writable ones.
    unsafe {
        let picked = _mm512_maskz_compress_epi8(keep, _mm512_loadu_si512(block.as_ptr().cast()));
        _mm512_storeu_si512(out.as_mut_ptr().cast(), picked);
    }
}
