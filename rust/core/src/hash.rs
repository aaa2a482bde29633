//! The hash functions of docs/format.md §4 and §6, and the classic ones of the source reports.

/// SplitMix64 (Steele, Lea, Flood 2014): the source of every parameter.
#[derive(Debug, Clone)]
pub struct Stream(u64);

impl Stream {
    /// The sequence that starts at `state`.
    pub fn new(state: u64) -> Self {
        Stream(state)
    }

    /// The next 64-bit number.
    #[allow(clippy::should_implement_trait)] // an endless stream, not an iterator
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// The high half of the next number.
    pub fn next_u32(&mut self) -> u32 {
        (self.next() >> 32) as u32
    }
}

/// Both halves of the 128-bit product, xor-ed: one multiplication mixes 64 bits into 64.
#[inline(always)]
pub fn fold(a: u64, b: u64) -> u64 {
    let p = u128::from(a) * u128::from(b);
    (p as u64) ^ ((p >> 64) as u64)
}

/// The same from products of 32 bits, of which a register of 512 bits holds eight (see [`crate::simd::Tools::WIDE`]).
#[inline(always)]
pub fn fold_wide(a: u64, b: u64) -> u64 {
    const LOW: u64 = 0xffff_ffff;
    let (a0, a1, b0, b1) = (a & LOW, a >> 32, b & LOW, b >> 32);
    let least = a0 * b0;
    let middle = a1 * b0 + (least >> 32);
    let other = a0 * b1 + (middle & LOW);
    let (low, high) = (other << 32 | least & LOW, a1 * b1 + (middle >> 32) + (other >> 32));
    low ^ high
}

/// 64 bits to the 32 that the linear families and the sketch's tail work on.
#[inline(always)]
pub fn key32(x: u64) -> u32 {
    (x as u32) ^ ((x >> 32) as u32)
}

/// Bytes that may be read past the end of a hashed slice: callers keep this much padding in their buffers.
pub const PADDING: usize = 16;

/// Bytes that [`ShingleHash::in_window`] may read of a short slice.
pub const WINDOW: usize = 24;

/// What of the first and of the last 8 bytes of a short string counts, and how far apart they begin. A table, because the
/// lengths of words are hard to predict: compiled to branches, the same takes twice as long.
#[derive(Clone, Copy)]
struct Short {
    first: u64,
    last: u64,
    skip: usize,
}

const SHORT: [Short; 17] = {
    let mut table = [Short { first: 0, last: 0, skip: 0 }; 17];
    let mut len = 1;
    while len <= 16 {
        table[len] = if len <= 8 {
            Short { first: u64::MAX >> (64 - 8 * len), last: 0, skip: 0 }
        } else {
            Short { first: u64::MAX, last: u64::MAX, skip: len - 8 }
        };
        len += 1;
    }
    table
};

/// The keyed 64-bit hash of shingles.
#[derive(Debug, Clone, Copy)]
pub struct ShingleHash {
    s: [u64; 4],
}

impl ShingleHash {
    /// Key it.
    pub fn new(seed: u64) -> Self {
        let mut g = Stream::new(seed);
        ShingleHash { s: [g.next(), g.next(), g.next(), g.next()] }
    }

    /// Hash `buffer[start..start + len]`. The buffer must hold at least 8 bytes from `start` on (see [`PADDING`]);
    /// what they are does not matter.
    #[inline(always)]
    pub fn bytes(&self, buffer: &[u8], start: usize, len: usize) -> u64 {
        if len > 16 {
            return self.long(&buffer[start..start + len]);
        }
        self.short(word(buffer, start), word(buffer, start + SHORT[len].skip), len)
    }

    /// The same where the buffer holds at least [`WINDOW`] bytes from `start` on: one check instead of two.
    #[inline(always)]
    pub fn in_window(&self, buffer: &[u8], start: usize, len: usize) -> u64 {
        let window: &[u8; WINDOW] = buffer[start..start + WINDOW].try_into().expect("as long as the range");
        if len > 16 {
            return self.long(&buffer[start..start + len]);
        }
        self.short(word(window, 0), word(window, SHORT[len].skip & 15), len)
    }

    /// One formula for both short cases of the format: up to 8 bytes the second operand is 0.
    #[inline(always)]
    fn short(&self, first: u64, last: u64, len: usize) -> u64 {
        let masks = SHORT[len];
        fold(first & masks.first ^ self.s[0], last & masks.last ^ len as u64 ^ self.s[1])
    }

    fn long(&self, p: &[u8]) -> u64 {
        let n = p.len();
        let mut h = self.s[2] ^ n as u64;
        let mut i = 0;
        while i + 8 < n {
            h = fold(h ^ word(p, i), self.s[0]);
            i += 8;
        }
        fold(h ^ word(p, n - 8), self.s[1])
    }

    /// Hash any bytes, copying them when they are too short to be read at once.
    pub fn slice(&self, p: &[u8]) -> u64 {
        if p.len() >= 8 {
            self.bytes(p, 0, p.len())
        } else {
            let mut b = [0u8; 8];
            b[..p.len()].copy_from_slice(p);
            self.bytes(&b, 0, p.len())
        }
    }

    /// The shingle of a window of word hashes.
    #[inline(always)]
    pub fn words(&self, window: &[u64]) -> u64 {
        let h = window.iter().fold(0u64, |h, &w| h.rotate_left(11) ^ w);
        fold(h ^ self.s[3], self.s[2])
    }

    /// The same with [`fold_wide`].
    #[inline(always)]
    pub fn words_wide(&self, window: &[u64]) -> u64 {
        let h = window.iter().fold(0u64, |h, &w| h.rotate_left(11) ^ w);
        fold_wide(h ^ self.s[3], self.s[2])
    }

    /// The element of a bag for occurrence `j` of a shingle.
    #[inline(always)]
    pub fn occurrence(&self, shingle: u64, j: u64) -> u64 {
        if j == 0 { shingle } else { fold(shingle ^ self.s[1], self.s[2] ^ j) }
    }
}

#[inline(always)]
fn word(p: &[u8], i: usize) -> u64 {
    u64::from_le_bytes(p[i..i + 8].try_into().expect("8 bytes"))
}

/// MurmurHash3_x86_32 of any bytes (Appleby 2011).
pub fn murmur3_32(bytes: &[u8], seed: u32) -> u32 {
    let mut h = seed;
    let mut blocks = bytes.chunks_exact(4);
    for b in &mut blocks {
        h = murmur3_block(h, murmur3_scramble(u32::from_le_bytes(b.try_into().expect("4 bytes"))));
    }
    let tail = blocks.remainder();
    if !tail.is_empty() {
        let k = tail.iter().rev().fold(0u32, |k, &b| (k << 8) | u32::from(b));
        h ^= murmur3_scramble(k);
    }
    murmur3_finish(h ^ bytes.len() as u32)
}

/// First half of a MurmurHash3 step: it does not depend on the seed, so a signature computes it once per element.
#[inline(always)]
pub fn murmur3_scramble(k: u32) -> u32 {
    k.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593)
}

/// Second half of a MurmurHash3 step.
#[inline(always)]
pub fn murmur3_block(h: u32, scrambled: u32) -> u32 {
    (h ^ scrambled).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64)
}

/// MurmurHash3's finaliser.
#[inline(always)]
pub fn murmur3_finish(mut h: u32) -> u32 {
    h ^= h >> 16;
    h = h.wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}

/// Robert Jenkins' 96-bit mix, third word, in 32 bits (Jenkins 1997).
#[inline(always)]
pub fn jenkins_mix(mut a: u32, mut b: u32, mut c: u32) -> u32 {
    a = a.wrapping_sub(b).wrapping_sub(c) ^ (c >> 13);
    b = b.wrapping_sub(c).wrapping_sub(a) ^ (a << 8);
    c = c.wrapping_sub(a).wrapping_sub(b) ^ (b >> 13);
    a = a.wrapping_sub(b).wrapping_sub(c) ^ (c >> 12);
    b = b.wrapping_sub(c).wrapping_sub(a) ^ (a << 16);
    c = c.wrapping_sub(a).wrapping_sub(b) ^ (b >> 5);
    a = a.wrapping_sub(b).wrapping_sub(c) ^ (c >> 3);
    b = b.wrapping_sub(c).wrapping_sub(a) ^ (a << 10);
    c.wrapping_sub(a).wrapping_sub(b) ^ (b >> 15)
}

/// `hash_vec` of the source report in 32 bits.
#[inline(always)]
pub fn hash_vec32(v: &[u32]) -> u32 {
    v.iter().fold(v.len() as u32, |seed, &i| {
        seed ^ i.wrapping_add(0x9e37_79b9).wrapping_add(seed << 6).wrapping_add(seed >> 2)
    })
}

/// `hash_vec` of the source report in 64 bits: the default of the two (docs/primer.md §12, 111).
#[inline(always)]
pub fn hash_vec64(v: &[u32]) -> u64 {
    v.iter().fold(v.len() as u64, |seed, &i| {
        seed ^ u64::from(i).wrapping_add(0x9e37_79b9).wrapping_add(seed << 6).wrapping_add(seed >> 2)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_vectors() {
        assert_eq!(murmur3_32(b"Hello, world!", 2_538_058_380), 612_912_314);
        assert_eq!(murmur3_32(b"", 1), 1_364_076_727);
        assert_eq!(murmur3_32(b"!Ce", 0), 2_118_813_236);
        assert_eq!(jenkins_mix(1, 2, 3), 3_082_062_082);
        assert_eq!(jenkins_mix(7919, 123, 456), 226_713_306);
        assert_eq!(hash_vec32(&[1, 2, 3]), 4_213_921_812);
        assert_eq!(hash_vec64(&[1, 2, 3]), 11_093_819_480_084);
    }

    #[test]
    fn products_of_halves_fold_alike() {
        let mut g = Stream::new(3);
        for (a, b) in [(0, 0), (u64::MAX, u64::MAX), (u64::MAX, 1 << 32), (0xffff_ffff, u64::MAX)] {
            assert_eq!(fold_wide(a, b), fold(a, b));
        }
        for _ in 0..10_000 {
            let (a, b) = (g.next() >> (g.next() & 63), g.next());
            assert_eq!(fold_wide(a, b), fold(a, b));
        }
    }

    #[test]
    fn padding_does_not_matter() {
        let h = ShingleHash::new(7);
        for n in 0..40 {
            let text: Vec<u8> = (0..n as u8).map(|i| i.wrapping_mul(37)).collect();
            let mut dirty = text.clone();
            dirty.extend([0xAA; PADDING]);
            assert_eq!(h.slice(&text), h.bytes(&dirty, 0, n));
            dirty.extend([0xBB; WINDOW]);
            assert_eq!(h.slice(&text), h.in_window(&dirty, 0, n));
        }
    }
}
