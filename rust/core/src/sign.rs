//! Signing: from texts to signatures, and to the little that a search keeps of each document.
//!
//! A search releases every text as soon as it is signed. What it keeps of a document ([`Row`]) is what finding candidates
//! needs: a digest, half of the key of each band, one byte of each slot, and two counts; 396 bytes with the default recipe.

use crate::bands::{Bands, KeyKind};
use crate::control::{Control, PART};
use crate::error::Result;
use crate::hash::fold;
use crate::recipe::Recipe;
use crate::shingle::{Ordered, Scratch, Shingler};
use crate::simd::{self, Kernel, Tools};
use crate::sketch::{INFINITY, Sketcher};

/// Equal for documents with the same shingles in the same numbers: the sum of their hashes, the sum of the products of
/// their halves, and a hash of the keys of all bands. Where the order of shingles matters, a hash of them in their order
/// is in the place of the products. That equal digests mean equal shingles is confirmed on the shingles before anything is
/// built on it ([`crate::verify`]).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Digest {
    /// Σ hash.
    pub sum: u64,
    /// Σ upper half × lower half; or a hash of the shingles in their order.
    pub products: u64,
    /// Of all keys; 0 for a document that was not signed.
    pub signature: u64,
}

impl Digest {
    /// Bytes of a digest.
    pub const SIZE: usize = 24;

    /// Of the hashes of all shingles, in any order; without the signature.
    pub fn of(hashes: &[u64]) -> Self {
        let mut digest = Digest::default();
        add(&mut digest, hashes);
        digest
    }

    /// The same for documents in which the order of shingles matters.
    pub fn with_order(self, ordered: &Ordered) -> Self {
        Digest { products: ordered.hash(), ..self }
    }

    /// The same, of a text whose digest without the order is this one, if the order matters to the shingler.
    pub(crate) fn as_seen_by(self, shingler: &Shingler, text: &str, scratch: &mut Scratch) -> Self {
        if shingler.is_in_order() { self.with_order(&shingler.ordered(text, scratch)) } else { self }
    }

    /// Whether it has the same shingles, as far as that is known without the signature.
    pub fn is_like(self, other: Digest) -> bool {
        (self.sum, self.products) == (other.sum, other.products)
    }

    /// The three numbers one after the other, as every store keeps them.
    pub fn to_bytes(self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        let numbers = [self.sum, self.products, self.signature];
        bytes.chunks_exact_mut(8).zip(numbers).for_each(|(slot, number)| slot.copy_from_slice(&number.to_le_bytes()));
        bytes
    }

    /// Read back what [`Digest::to_bytes`] gave.
    pub fn from_bytes(bytes: &[u8; Self::SIZE]) -> Self {
        let (numbers, _) = bytes.as_chunks::<8>();
        let number = |i: usize| u64::from_le_bytes(numbers[i]);
        Digest { sum: number(0), products: number(1), signature: number(2) }
    }
}

/// What is kept of some consecutive documents once their texts are released.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows {
    /// See [`Digest`].
    pub digests: Vec<Digest>,
    /// Shingles of each document, repeats included.
    pub shingles: Vec<u32>,
    /// Code points of each text.
    pub lengths: Vec<u64>,
    /// What [`half`] leaves of the keys of each document: band by band, so that those of one band are adjacent.
    pub keys: Vec<u32>,
    /// One byte of each slot, document by document.
    pub slots: Vec<u8>,
}

impl Rows {
    /// Put whole keys, given document by document, where the search for candidates reads them.
    pub fn with_keys(self, keys: &[u64]) -> Self {
        let documents = self.digests.len();
        let bands = keys.len().checked_div(documents).unwrap_or(0);
        let of_band = |band: usize| (0..documents).map(move |document| half(keys[document * bands + band]));
        Rows { keys: (0..bands).flat_map(of_band).collect(), ..self }
    }
}

/// What a search keeps of a key. Of ten million documents, twelve thousand pairs agree in a band by chance; the slots tell
/// them apart at once, and half of the memory for keys is saved.
#[inline(always)]
pub fn half(key: u64) -> u32 {
    (key >> 32) as u32
}

/// Bytes of a row beside its keys and slots.
pub const ROW: usize = Digest::SIZE + size_of::<u32>() + size_of::<u64>();

/// The byte that is kept of a slot: equal slots have equal bytes, different ones once in 256 times.
#[inline(always)]
pub fn slot_byte(slot: u32) -> u8 {
    (slot.wrapping_mul(0x9e37_79b1) >> 24) as u8
}

/// Signs the documents of one search.
#[derive(Debug, Clone)]
pub struct Signer {
    /// Turns texts into shingles.
    pub shingler: Shingler,
    sketcher: Sketcher,
    bands: Option<Bands>,
    hashes: usize,
}

impl Signer {
    /// With these bands; without bands no keys are kept.
    pub fn new(recipe: &Recipe, shingler: Shingler, bands: Option<Bands>) -> Result<Self> {
        if let Some(bands) = bands {
            bands.check(recipe.hashes)?;
        }
        Ok(Signer { shingler, sketcher: Sketcher::new(recipe)?, bands, hashes: recipe.hashes })
    }

    /// Bytes that are kept of a document.
    pub fn row_bytes(&self) -> usize {
        ROW + self.hashes + size_of::<u32>() * self.bands.map_or(0, |b| b.bands)
    }

    /// Sign some consecutive texts on this thread.
    pub fn rows(&self, texts: &[&str], lengths: Vec<u64>, scratch: &mut Scratch, control: &Control) -> Result<Rows> {
        self.rows_and(texts, lengths, scratch, control, |_| ())
    }

    /// The same, with the whole keys of each document given to `see`.
    fn rows_and(
        &self,
        texts: &[&str],
        lengths: Vec<u64>,
        scratch: &mut Scratch,
        control: &Control,
        mut see: impl FnMut(&[u64]),
    ) -> Result<Rows> {
        let mut rows = self.room(lengths);
        let mut work = Work::new(self);
        for (i, text) in texts.iter().enumerate() {
            control.check()?;
            work.slots.fill(INFINITY);
            let counted = sign_one(&self.shingler, &self.sketcher, text, &mut work.slots, scratch, control)?;
            self.keep(&mut rows, i, &mut work, counted);
            see(&work.keys);
        }
        Ok(rows)
    }

    /// The same from the sets of documents that turned out to be too many for a join of sets.
    pub fn rows_of_sets(&self, held: &Sets, control: &Control) -> Result<Rows> {
        let mut rows = self.room(held.lengths.clone());
        let mut work = Work::new(self);
        for (i, set) in held.sets.iter().enumerate() {
            control.check()?;
            work.slots.fill(INFINITY);
            self.sketcher.update(&mut work.slots, set);
            self.keep(&mut rows, i, &mut work, (held.digests[i], held.shingles[i]));
        }
        Ok(rows)
    }

    fn room(&self, lengths: Vec<u64>) -> Rows {
        let documents = lengths.len();
        Rows {
            digests: Vec::with_capacity(documents),
            shingles: Vec::with_capacity(documents),
            lengths,
            keys: vec![0; documents * self.bands.map_or(0, |b| b.bands)],
            slots: Vec::with_capacity(documents * self.hashes),
        }
    }

    fn keep(&self, rows: &mut Rows, i: usize, work: &mut Work, (digest, shingles): (Digest, u32)) {
        let mut signature = 0;
        if let Some(bands) = self.bands {
            bands.keys_of(KeyKind::Mix64, &work.slots, &mut work.keys);
            let documents = rows.lengths.len();
            for (band, &key) in work.keys.iter().enumerate() {
                rows.keys[band * documents + i] = half(key);
                signature = fold(signature ^ key, 0xd6e8_feb8_6659_fd93);
            }
        }
        rows.digests.push(Digest { signature, ..digest });
        rows.shingles.push(shingles);
        rows.slots.extend(work.slots.iter().map(|&slot| slot_byte(slot)));
    }
}

/// The signature of one document, and its keys.
struct Work {
    slots: Vec<u32>,
    keys: Vec<u64>,
}

impl Work {
    fn new(signer: &Signer) -> Self {
        Work { slots: vec![INFINITY; signer.hashes], keys: vec![0; signer.bands.map_or(0, |b| b.bands)] }
    }
}

/// Documents as sets: what the exact join works on.
#[derive(Debug, Clone, Default)]
pub struct Sets {
    /// See [`Digest`]; without that of the signature.
    pub digests: Vec<Digest>,
    /// Shingles of each document, repeats included.
    pub shingles: Vec<u32>,
    /// Code points of each text.
    pub lengths: Vec<u64>,
    /// The elements of each document, sorted and distinct.
    pub sets: Vec<Vec<u64>>,
}

impl Sets {
    /// The sets of some consecutive texts, made on this thread; without the sets themselves unless they are to be kept.
    pub fn of(
        texts: &[&str],
        lengths: Vec<u64>,
        shingler: &Shingler,
        keep: bool,
        scratch: &mut Scratch,
        control: &Control,
    ) -> Result<Self> {
        let mut made = Sets { lengths, ..Sets::default() };
        for text in texts {
            control.check()?;
            let (mut digest, mut count) = (Digest::default(), 0);
            if keep {
                let set = shingler.set_seen(text, scratch, control, |all| {
                    add(&mut digest, all);
                    count = all.len();
                })?;
                made.sets.push(set);
            } else {
                shingler.each_block(text, scratch, |block| {
                    add(&mut digest, block);
                    count += block.len();
                });
            }
            made.digests.push(digest.as_seen_by(shingler, text, scratch));
            made.shingles.push(u32::try_from(count).unwrap_or(u32::MAX));
        }
        Ok(made)
    }
}

/// Code points of a text.
pub fn code_points(text: &str) -> u64 {
    simd::dispatch(CodePoints(text.as_bytes()))
}

struct CodePoints<'a>(&'a [u8]);

impl Kernel for CodePoints<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<T: Tools>(self, _: T) -> u64 {
        // Bytes that do not begin a code point are 0x80 to 0xbf; counted in bytes, which a register holds many of.
        let going_on = |block: &[u8]| block.iter().map(|&b| u8::from((b as i8) < -64)).sum::<u8>();
        self.0.len() as u64 - self.0.chunks(128).map(|block| u64::from(going_on(block))).sum::<u64>()
    }
}

/// One text: its signature into `slots`; the digest and the number of its shingles back.
pub fn sign_one(
    shingler: &Shingler,
    sketcher: &Sketcher,
    text: &str,
    slots: &mut [u32],
    scratch: &mut Scratch,
    control: &Control,
) -> Result<(Digest, u32)> {
    let (mut digest, mut count) = (Digest::default(), 0usize);
    let mut seen = |block: &[u64]| {
        add(&mut digest, block);
        count += block.len();
    };
    if shingler.is_bag() {
        sketcher.update(slots, &shingler.set_seen(text, scratch, control, &mut seen)?);
    } else {
        shingler.each_block(text, scratch, |block| {
            seen(block);
            sketcher.update(slots, block);
        });
    }
    Ok((digest.as_seen_by(shingler, text, scratch), u32::try_from(count).unwrap_or(u32::MAX)))
}

fn add(digest: &mut Digest, block: &[u64]) {
    let (sum, products) = simd::dispatch(Sums(block));
    digest.sum = digest.sum.wrapping_add(sum);
    digest.products = digest.products.wrapping_add(products);
}

/// The sum of some numbers, and of the products of their halves.
struct Sums<'a>(&'a [u64]);

impl Kernel for Sums<'_> {
    type Output = (u64, u64);

    #[inline(always)]
    fn run<T: Tools>(self, _: T) -> (u64, u64) {
        self.0.iter().fold((0, 0), |(sum, products), &x| {
            (sum.wrapping_add(x), products.wrapping_add((x >> 32).wrapping_mul(x & 0xffff_ffff)))
        })
    }
}

/// Whole signatures of many texts, one row each.
pub fn signatures(texts: &[&str], shingler: &Shingler, recipe: &Recipe, control: &Control) -> Result<Vec<u32>> {
    let sketcher = Sketcher::new(recipe)?;
    // Zeros, which each thread turns into infinities for itself: memory is slow when it is touched for the first time.
    let mut out = vec![0; texts.len() * recipe.hashes];
    control.fill(&mut out, recipe.hashes, Scratch::default, |scratch, i, slots| {
        slots.fill(INFINITY);
        if shingler.is_bag() {
            sketcher.update(slots, &shingler.set(texts[i], scratch, control)?);
        } else {
            shingler.each_block(texts[i], scratch, |block| sketcher.update(slots, block));
        }
        Ok(())
    })?;
    Ok(out)
}

/// Signatures of sets of 64-bit elements, one row each; an empty set stays at infinity.
pub fn sign_sets(sets: &[Vec<u64>], recipe: &Recipe, control: &Control) -> Result<Vec<u32>> {
    let sketcher = Sketcher::new(recipe)?;
    let mut out = vec![INFINITY; sets.len() * recipe.hashes];
    control.fill(
        &mut out,
        recipe.hashes,
        || (),
        |(), i, slots| {
            sketcher.update(slots, &sets[i]);
            Ok(())
        },
    )?;
    Ok(out)
}

/// The element sets of texts.
pub fn sets(texts: &[&str], shingler: &Shingler, control: &Control) -> Result<Vec<Vec<u64>>> {
    let mut out: Vec<Vec<u64>> = vec![Vec::new(); texts.len()];
    control.fill(&mut out, 1, Scratch::default, |scratch, i, set| {
        set[0] = shingler.set(texts[i], scratch, control)?;
        Ok(())
    })?;
    Ok(out)
}

/// Rows of many texts, signed in parallel; with the whole keys, document by document, as an index or a cluster holds them.
pub fn rows_and_keys(texts: &[&str], signer: &Signer, control: &Control) -> Result<Vec<(Rows, Vec<u64>)>> {
    control.parts(texts.len(), PART, Scratch::default, |scratch, part| {
        let lengths = texts[part.clone()].iter().map(|text| code_points(text)).collect();
        let mut keys = Vec::new();
        let rows = signer.rows_and(&texts[part], lengths, scratch, control, |of_one| keys.extend_from_slice(of_one))?;
        Ok((rows, keys))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_come_back_as_they_went_and_keys_are_halved() {
        let digests = vec![Digest { sum: 1, products: u64::MAX, signature: 1 << 40 }, Digest::default()];
        let read: Vec<Digest> = digests.iter().map(|digest| Digest::from_bytes(&digest.to_bytes())).collect();
        assert_eq!(read, digests);
        let keys = [1, 10, 100, 2, 20, 200].map(|key: u64| key << 32 | 7);
        let rows = Rows { digests, ..Rows::default() }.with_keys(&keys);
        assert_eq!(rows.keys, [1, 2, 10, 20, 100, 200]);
        assert_eq!(Rows::default().with_keys(&[]), Rows::default());
    }
}
