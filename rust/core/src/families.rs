//! The four hash families of the source reports, corrected as docs/primer.md §12 says, on 32-bit keys (docs/format.md §5.2).

use std::collections::HashSet;

use crate::hash::{Stream, jenkins_mix, murmur3_block, murmur3_finish, murmur3_scramble};
use crate::simd::{Kernel, Tools};

/// A family of hash functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// (a·t + b) mod P: the division method.
    Modular,
    /// s·t + o mod 2³², s odd: Knuth's multiplicative method, all bits kept.
    Multiplicative,
    /// MurmurHash3_x86_32 with a seed per function.
    Murmur3,
    /// Robert Jenkins' 96-bit mix with a prime and a random number per function.
    Jenkins,
}

/// All families, in the order of the reports.
pub const FAMILIES: [Family; 4] = [Family::Modular, Family::Multiplicative, Family::Murmur3, Family::Jenkins];

/// The largest prime below 2³²: every value fits 32 bits and infinity stays free.
pub const PRIME: u32 = 4_294_967_291;

impl Family {
    /// Its name in a recipe.
    pub fn name(self) -> &'static str {
        match self {
            Family::Modular => "modular",
            Family::Multiplicative => "multiplicative",
            Family::Murmur3 => "murmur3",
            Family::Jenkins => "jenkins",
        }
    }

    fn label(self) -> u64 {
        match self {
            Family::Modular => 0x6d6f_6475_6c61_7200,
            Family::Multiplicative => 0x6d75_6c74_6900_0000,
            Family::Murmur3 => 0x6d75_726d_7572_3300,
            Family::Jenkins => 0x6a65_6e6b_696e_7300,
        }
    }
}

/// `hashes` functions of one family: two 32-bit parameters each.
#[derive(Debug, Clone)]
pub struct Functions {
    family: Family,
    a: Vec<u32>,
    b: Vec<u32>,
}

impl Functions {
    /// Draw the parameters (docs/format.md §5.2).
    pub fn new(family: Family, hashes: usize, seed: u64) -> Self {
        let mut g = Stream::new(seed ^ family.label());
        let (mut a, mut b) = (Vec::with_capacity(hashes), vec![0; hashes]);
        match family {
            Family::Modular => {
                for b in &mut b {
                    a.push((1 + g.next() % u64::from(PRIME - 1)) as u32);
                    *b = (g.next() % u64::from(PRIME)) as u32;
                }
            }
            Family::Multiplicative => {
                for b in &mut b {
                    a.push(g.next_u32() | 1);
                    *b = g.next_u32();
                }
            }
            Family::Murmur3 => {
                let mut seen = HashSet::new();
                while a.len() < hashes {
                    let s = g.next_u32();
                    if seen.insert(s) {
                        a.push(s);
                    }
                }
            }
            Family::Jenkins => {
                a = first_primes(hashes);
                b.iter_mut().for_each(|b| *b = g.next_u32());
            }
        }
        Functions { family, a, b }
    }

    /// Value of function `i` at `key`.
    pub fn value(&self, i: usize, key: u32) -> u32 {
        let (a, b) = (self.a[i], self.b[i]);
        match self.family {
            Family::Modular => modular(a, b, key % PRIME),
            Family::Multiplicative => multiplicative(a, b, key),
            Family::Murmur3 => murmur(a, b, murmur3_scramble(key)),
            Family::Jenkins => jenkins(a, b, key),
        }
    }

    /// Lower every slot to the least value over `keys`.
    #[inline(always)]
    fn lower(&self, slots: &mut [u32], keys: &[u32]) {
        let (a, b) = (&self.a, &self.b);
        match self.family {
            Family::Modular => lower(slots, a, b, keys, |a, b, key| modular(a, b, key % PRIME)),
            Family::Multiplicative => lower(slots, a, b, keys, multiplicative),
            Family::Murmur3 => lower(slots, a, b, keys, |a, b, key| murmur(a, b, murmur3_scramble(key))),
            Family::Jenkins => lower(slots, a, b, keys, jenkins),
        }
        slots.iter_mut().for_each(|slot| *slot = (*slot).min(u32::MAX - 1));
    }
}

/// Lower every slot to the least `value(a, b, key)` over `keys`, where slot i has the parameters `a[i]`, `b[i]`.
///
/// The inner loop runs over slots, four keys at a time: so it becomes vector instructions over neighbouring slots, with
/// four results for every load.
#[inline(always)]
pub(crate) fn lower(
    slots: &mut [u32],
    a: &[u32],
    b: &[u32],
    keys: &[u32],
    value: impl Fn(u32, u32, u32) -> u32 + Copy,
) {
    let mut fours = keys.chunks_exact(4);
    for k in &mut fours {
        for ((slot, &a), &b) in slots.iter_mut().zip(a).zip(b) {
            let (x, y) = (value(a, b, k[0]).min(value(a, b, k[1])), value(a, b, k[2]).min(value(a, b, k[3])));
            *slot = (*slot).min(x.min(y));
        }
    }
    for &key in fours.remainder() {
        for ((slot, &a), &b) in slots.iter_mut().zip(a).zip(b) {
            *slot = (*slot).min(value(a, b, key));
        }
    }
}

/// [`Functions::lower`], compiled per instruction set.
pub(crate) struct Lower<'a> {
    pub functions: &'a Functions,
    pub slots: &'a mut [u32],
    pub keys: &'a [u32],
}

impl Kernel for Lower<'_> {
    type Output = ();
    #[inline(always)]
    fn run<T: Tools>(self, _: T) {
        self.functions.lower(self.slots, self.keys);
    }
}

/// Reduction modulo 2³² − 5 by twice replacing 2³² with 5.
#[inline(always)]
fn modular(a: u32, b: u32, key: u32) -> u32 {
    let v = u64::from(a) * u64::from(key) + u64::from(b);
    let v = (v & 0xffff_ffff) + 5 * (v >> 32);
    let v = (v & 0xffff_ffff) + 5 * (v >> 32);
    (if v >= u64::from(PRIME) { v - u64::from(PRIME) } else { v }) as u32
}

#[inline(always)]
fn multiplicative(a: u32, b: u32, key: u32) -> u32 {
    a.wrapping_mul(key).wrapping_add(b)
}

#[inline(always)]
fn murmur(seed: u32, _: u32, scrambled: u32) -> u32 {
    murmur3_finish(murmur3_block(seed, scrambled) ^ 4)
}

#[inline(always)]
fn jenkins(prime: u32, number: u32, key: u32) -> u32 {
    jenkins_mix(prime, number, key)
}

/// The first `n` primes.
pub fn first_primes(n: usize) -> Vec<u32> {
    let f = n.max(6) as f64;
    let limit = (f * (f.ln() + f.ln().ln())).ceil() as usize + 1; // Rosser's bound on the n-th prime
    let mut composite = vec![false; limit + 1];
    let mut primes = Vec::with_capacity(n);
    for i in 2..=limit {
        if primes.len() == n {
            break;
        }
        if !composite[i] {
            primes.push(i as u32);
            (i * i..=limit).step_by(i).for_each(|j| composite[j] = true);
        }
    }
    primes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::murmur3_32;
    use proptest::prelude::*;

    #[test]
    fn primes() {
        assert_eq!(first_primes(6), [2, 3, 5, 7, 11, 13]);
        assert_eq!(first_primes(1000)[999], 7919);
        assert_eq!(first_primes(65_535).len(), 65_535);
    }

    proptest! {
        #[test]
        fn values_are_those_of_the_definitions(key: u32, seed: u64) {
            let f = Functions::new(Family::Modular, 3, seed);
            let expected = (u128::from(f.a[2]) * u128::from(key % PRIME) + u128::from(f.b[2])) % u128::from(PRIME);
            prop_assert_eq!(u128::from(f.value(2, key)), expected);
            let f = Functions::new(Family::Murmur3, 3, seed);
            prop_assert_eq!(f.value(1, key), murmur3_32(&key.to_le_bytes(), f.a[1]));
            let f = Functions::new(Family::Jenkins, 3, seed);
            prop_assert_eq!(f.value(2, key), jenkins_mix(5, f.b[2], key));
        }

        #[test]
        fn lanes_give_the_least_value(keys in prop::collection::vec(any::<u32>(), 1..50), seed: u64, n in 1..40usize) {
            for family in FAMILIES {
                let f = Functions::new(family, n, seed);
                for &level in crate::simd::levels() {
                    let mut slots = vec![u32::MAX; n];
                    crate::simd::dispatch_at(level, Lower { functions: &f, slots: &mut slots, keys: &keys });
                    for (i, &slot) in slots.iter().enumerate() {
                        let least = keys.iter().map(|&k| f.value(i, k)).min().unwrap();
                        prop_assert_eq!(slot, least.min(u32::MAX - 1));
                    }
                }
            }
        }
    }
}
