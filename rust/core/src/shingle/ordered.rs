//! The shingles of a text in their order: what shared passages are found in.

use super::{Scratch, Shingler};

/// The shingles that touch no excluded text, in their order. Shingles excluded by their hash are among them: they do
/// not count, but a passage that contains them is not cut there.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Ordered {
    shingles: Vec<u64>,
    /// The numbers of the shingles that follow excluded text. Excluded text at the ends of a document separates nothing.
    cuts: Vec<usize>,
    hash: u64,
}

impl Ordered {
    /// One number for all of it.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// All shingles.
    pub fn shingles(&self) -> &[u64] {
        &self.shingles
    }

    /// The stretches between excluded text: the number of the first shingle, and the shingles.
    pub fn stretches(&self) -> impl Iterator<Item = (usize, &[u64])> {
        let starts = std::iter::once(0).chain(self.cuts.iter().copied());
        let ends = self.cuts.iter().copied().chain(std::iter::once(self.shingles.len()));
        starts.zip(ends).map(|(start, end)| (start, &self.shingles[start..end]))
    }
}

impl Shingler {
    /// Let the order of shingles matter: texts with the same shingles in another order are no copies.
    pub fn in_order(mut self, in_order: bool) -> Self {
        self.in_order = in_order;
        self
    }

    /// Whether the order of shingles matters.
    pub fn is_in_order(&self) -> bool {
        self.in_order
    }

    /// The shingles of a text in their order.
    pub fn ordered(&self, text: &str, scratch: &mut Scratch) -> Ordered {
        let mut excluded = self.excluded_units(text, scratch);
        let (mut made, mut cut) = (Ordered::default(), false);
        self.every_block(text, scratch, |block| {
            for &shingle in block {
                if excluded.touch_next() {
                    cut = !made.shingles.is_empty();
                    continue;
                }
                made.cuts.extend(cut.then_some(made.shingles.len()));
                cut = false;
                made.shingles.push(shingle);
            }
        });
        // Begun with the number of cuts, so that no shingle is taken for one.
        let numbers = made.shingles.iter().copied().chain(made.cuts.iter().map(|&cut| cut as u64));
        made.hash = numbers.fold(made.cuts.len() as u64, |hash, number| self.hash.words(&[hash, number]));
        made
    }

    /// How many consecutive shingles a run of this many units has; at least one.
    pub fn shingles_of_run(&self, units: usize) -> usize {
        units.saturating_sub(self.k) + 1
    }

    /// A number below `bound` that the seed of the recipe decides.
    pub fn keyed(&self, bound: u64) -> u64 {
        self.hash.words(&[bound]) % bound
    }
}
