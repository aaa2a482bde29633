//! Signatures: the fast sketch (docs/format.md §5.1), and the choice between it and classic MinHash.

use crate::error::Result;
use crate::families::{Functions, Lower, lower};
use crate::hash::{Stream, fold, key32};
use crate::recipe::{Recipe, SketchKind};
use crate::shingle::BLOCK;
use crate::simd::{self, Kernel, Tools};

/// The value of every slot of the empty set; two infinities do not agree (docs/format.md §5).
pub const INFINITY: u32 = u32::MAX;

/// Values of round r begin here.
const ROUND: u32 = 1 << 30;
/// Values of the last pass begin here.
const TAIL: u32 = 3 << 30;

/// Makes signatures of one recipe.
#[derive(Debug, Clone)]
pub enum Sketcher {
    /// Fast similarity sketching, cut off after two rounds.
    Fast(Fast),
    /// One function of a family per slot.
    Classic(Functions),
}

impl Sketcher {
    /// Draw the parameters of a recipe.
    pub fn new(recipe: &Recipe) -> Result<Self> {
        recipe.check()?;
        Ok(match recipe.sketch {
            SketchKind::Fast => Sketcher::Fast(Fast::new(recipe.hashes, recipe.seed)),
            SketchKind::Classic(family) => Sketcher::Classic(Functions::new(family, recipe.hashes, recipe.seed)),
        })
    }

    /// Add elements to a signature. It must have been filled with [`INFINITY`] at the start; elements may come in any
    /// order and any number of calls, repeated or not.
    pub fn update(&self, slots: &mut [u32], elements: &[u64]) {
        for part in elements.chunks(BLOCK) {
            match self {
                Sketcher::Fast(fast) => fast.offer(slots, part),
                Sketcher::Classic(functions) => {
                    with_keys(part, |keys| simd::dispatch(Lower { functions, slots, keys }));
                }
            }
        }
    }
}

/// The 32-bit keys of at most [`BLOCK`] elements, on the stack; short documents do not pay for a long array.
#[inline(always)]
fn with_keys(elements: &[u64], work: impl FnOnce(&[u32])) {
    fn filled<const N: usize>(elements: &[u64], work: impl FnOnce(&[u32])) {
        let mut keys = [0u32; N];
        for (key, &x) in keys.iter_mut().zip(elements) {
            *key = key32(x);
        }
        work(&keys[..elements.len()]);
    }
    if elements.len() <= 512 { filled::<512>(elements, work) } else { filled::<BLOCK>(elements, work) }
}

/// Parameters of the fast sketch.
#[derive(Debug, Clone)]
pub struct Fast {
    r1: u64,
    r2: u64,
    a: Vec<u32>,
    b: Vec<u32>,
}

impl Fast {
    fn new(hashes: usize, seed: u64) -> Self {
        let mut g = Stream::new(seed ^ 0x6661_7374_7631_0000);
        let (r1, r2) = (g.next(), g.next());
        let (a, b) = (0..hashes).map(|_| (g.next_u32() | 1, g.next_u32())).unzip();
        Fast { r1, r2, a, b }
    }
}

impl Fast {
    /// One block of elements offered to the slots.
    fn offer(&self, slots: &mut [u32], elements: &[u64]) {
        match <&mut [u32; 256]>::try_from(&mut *slots) {
            Ok(slots) => throw_256(slots, elements),
            Err(_) => throw(slots, 0, elements, |x| x),
        }
        // A value of a later round never beats one of an earlier: a full slot needs no more offers.
        if greatest(slots) < ROUND {
            return;
        }
        throw(slots, ROUND, elements, |x| fold(x ^ self.r1, self.r2));
        if greatest(slots) >= TAIL {
            with_keys(elements, |keys| simd::dispatch(Tail { fast: self, slots, keys }));
        }
    }
}

fn greatest(slots: &[u32]) -> u32 {
    slots.iter().copied().fold(0, u32::max)
}

/// The last pass, for slots that both rounds left empty.
struct Tail<'a> {
    fast: &'a Fast,
    slots: &'a mut [u32],
    keys: &'a [u32],
}

impl Kernel for Tail<'_> {
    type Output = ();

    #[inline(always)]
    fn run<T: Tools>(self, _: T) {
        let Tail { fast, slots, keys } = self;
        let empty = slots.iter().filter(|&&s| s >= TAIL).count();
        if empty * 2 > slots.len() {
            tail_all(fast, slots, keys);
        } else {
            tail_some(fast, slots, keys);
        }
    }
}

/// One round: every element is thrown into one slot.
///
/// Eight at a time: written as one small loop, the processor learns that a slot may have been written just before, and
/// waits for it every time, which is six times slower. Not a kernel, because compiled for AVX2 the same happens.
#[inline(never)]
fn throw(slots: &mut [u32], tag: u32, elements: &[u64], hash: impl Fn(u64) -> u64) {
    let m = slots.len() as u128;
    let mut one = |x: u64| {
        let p = u128::from(hash(x)) * m;
        let slot = &mut slots[(p >> 64) as usize];
        let value = tag | ((p as u64) >> 34) as u32;
        *slot = (*slot).min(value);
    };
    let (eights, rest) = elements.as_chunks::<8>();
    for e in eights {
        one(e[0]);
        one(e[1]);
        one(e[2]);
        one(e[3]);
        one(e[4]);
        one(e[5]);
        one(e[6]);
        one(e[7]);
    }
    rest.iter().for_each(|&x| one(x));
}

/// The first round for the usual number of slots: the slot is the first byte of the element, the value the next 30 bits,
/// and no multiplication is needed.
#[inline(never)]
fn throw_256(slots: &mut [u32; 256], elements: &[u64]) {
    let mut one = |x: &[u8; 8]| {
        let slot = &mut slots[usize::from(x[7])];
        *slot = (*slot).min(u32::from_le_bytes([x[3], x[4], x[5], x[6]]) >> 2);
    };
    let (eights, rest) = elements.as_chunks::<8>();
    for eight in eights {
        let bytes = eight.map(u64::to_le_bytes); // taken apart where they lie, by loads and not by shifts
        one(&bytes[0]);
        one(&bytes[1]);
        one(&bytes[2]);
        one(&bytes[3]);
        one(&bytes[4]);
        one(&bytes[5]);
        one(&bytes[6]);
        one(&bytes[7]);
    }
    rest.iter().for_each(|x| one(&x.to_le_bytes()));
}

/// The last pass for all slots: those that hold a value of a round keep it, because it is less.
#[inline(always)]
fn tail_all(fast: &Fast, slots: &mut [u32], keys: &[u32]) {
    lower(slots, &fast.a, &fast.b, keys, |a, b, key| tail_value(a.wrapping_mul(key).wrapping_add(b)));
}

/// The last pass for the slots that are still empty, gathered.
#[inline(always)]
fn tail_some(fast: &Fast, slots: &mut [u32], keys: &[u32]) {
    const WIDTH: usize = 32;
    let mut numbers = [0usize; WIDTH];
    let mut next = 0;
    while next < slots.len() {
        let mut n = 0;
        while n < WIDTH && next < slots.len() {
            numbers[n] = next;
            n += usize::from(slots[next] >= TAIL);
            next += 1;
        }
        let (mut a, mut b, mut least) = ([0u32; WIDTH], [0u32; WIDTH], [INFINITY; WIDTH]);
        for (i, &number) in numbers[..n].iter().enumerate() {
            (a[i], b[i]) = (fast.a[number], fast.b[number]);
        }
        let value = |a: u32, b: u32, key: u32| a.wrapping_mul(key).wrapping_add(b);
        if n > 16 {
            lower(&mut least, &a, &b, keys, value);
        } else {
            lower(&mut least[..16], &a[..16], &b[..16], keys, value);
        }
        for (&number, &l) in numbers[..n].iter().zip(&least) {
            slots[number] = slots[number].min(tail_value(l));
        }
    }
}

#[inline(always)]
fn tail_value(least: u32) -> u32 {
    (TAIL | (least >> 2)).min(INFINITY - 1)
}

/// Number of slots that agree.
#[inline(always)]
pub fn agreeing(a: &[u32], b: &[u32]) -> usize {
    a.iter().zip(b).map(|(x, y)| u32::from((x == y) & (*x != INFINITY))).sum::<u32>() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// §5.1 to the letter.
    fn naive(fast: &Fast, m: usize, elements: &[u64]) -> Vec<u32> {
        let mut slots = vec![INFINITY; m];
        for &x in elements {
            for (tag, y) in [(0, x), (ROUND, fold(x ^ fast.r1, fast.r2))] {
                let p = u128::from(y) * m as u128;
                let slot = &mut slots[(p >> 64) as usize];
                *slot = (*slot).min(tag | ((p as u64) >> 34) as u32);
            }
            for (i, slot) in slots.iter_mut().enumerate() {
                let v = fast.a[i].wrapping_mul(key32(x)).wrapping_add(fast.b[i]);
                *slot = (*slot).min(tail_value(v));
            }
        }
        slots
    }

    proptest! {
        #[test]
        fn sketch_is_its_definition_and_merges(
            a in prop::collection::vec(any::<u64>(), 0..700),
            b in prop::collection::vec(any::<u64>(), 0..700),
            m in prop_oneof![3 => 1..300usize, 1 => Just(256)],
            cut in 0..700usize,
        ) {
            let recipe = Recipe { hashes: m, ..Recipe::default() };
            let sketcher = Sketcher::new(&recipe).unwrap();
            let Sketcher::Fast(fast) = &sketcher else { unreachable!() };
            let sketch = |parts: &[&[u64]]| {
                let mut slots = vec![INFINITY; m];
                parts.iter().for_each(|p| sketcher.update(&mut slots, p));
                slots
            };
            let cut = cut.min(a.len());
            prop_assert_eq!(sketch(&[&a]), naive(fast, m, &a));
            prop_assert_eq!(sketch(&[&a[cut..], &a[..cut], &a]), sketch(&[&a]));
            let union: Vec<u32> = sketch(&[&a]).iter().zip(sketch(&[&b])).map(|(&x, y)| x.min(y)).collect();
            prop_assert_eq!(sketch(&[&a, &b]), union);
        }
    }
}
