//! Postings: which documents have a key in some band. They serve an index; [`candidates`](crate::candidates) serves a
//! collection that is searched once.
//!
//! Two forms. [`Postings`] is a hash table in memory, which grows document by document. [`Entries`] are sorted pairs of
//! key and number, 12 bytes each, which a store keeps in pages and searches one page at a time.

use crate::candidates::agreeing_bytes;
use crate::hash::Stream;

/// The keys of documents as postings have them: the band becomes part of the key, so that one table holds all bands.
pub fn with_band(keys: &mut [u64], bands: usize) {
    for row in keys.chunks_mut(bands.max(1)) {
        for (band, key) in row.iter_mut().enumerate() {
            *key ^= spread(band as u64 + 1);
        }
    }
}

fn spread(number: u64) -> u64 {
    Stream::new(number).next()
}

const EMPTY: u32 = u32::MAX;
/// Of a head: the number of the only document itself, not the place of an entry.
const ONE: u32 = 1 << 31;
/// The largest number of a document.
pub const LAST: u32 = ONE - 2;

/// A hash table from keys to documents.
///
/// Most keys belong to one document, whose number is stored in the table itself. The documents of other keys are entries
/// in a ring: the head is the last, which is followed by the first. So they are found oldest first, and added at once.
#[derive(Debug, Default)]
pub struct Postings {
    keys: Vec<u64>,
    heads: Vec<u32>,
    entries: Vec<(u32, u32)>,
    filled: usize,
    removed: Vec<u64>,
}

/// What the keys of one document meet.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Met {
    /// Documents that share a key, ascending, each once.
    pub numbers: Vec<u32>,
    /// Whether some key has more documents than were looked at.
    pub truncated: bool,
}

impl Postings {
    /// Add a document. Its number must be new, and at most [`LAST`].
    pub fn insert(&mut self, number: u32, keys: &[u64]) {
        assert!(number <= LAST, "a number beyond {LAST}");
        for &key in keys {
            if self.filled * 4 >= self.keys.len() * 3 {
                self.grow();
            }
            let place = self.place(key);
            match self.heads[place] {
                EMPTY => {
                    self.keys[place] = key;
                    self.heads[place] = ONE | number;
                    self.filled += 1;
                }
                head if head & ONE != 0 => {
                    if head != ONE | number {
                        let first = self.entries.len() as u32;
                        self.entries.push((head & !ONE, first + 1));
                        self.entries.push((number, first));
                        self.heads[place] = first + 1;
                    }
                }
                head => {
                    let last = head as usize;
                    if self.entries[last].0 != number {
                        let new = self.entries.len() as u32;
                        self.entries.push((number, self.entries[last].1));
                        self.entries[last].1 = new;
                        self.heads[place] = new;
                    }
                }
            }
        }
    }

    /// Remove a document: it is no longer found, although its entries stay.
    pub fn remove(&mut self, number: u32) {
        let word = number as usize / 64;
        if word >= self.removed.len() {
            self.removed.resize(word + 1, 0);
        }
        self.removed[word] |= 1 << (number % 64);
    }

    /// The documents that share one of these keys; of a key that has more than `most`, only the first `most`.
    #[must_use]
    pub fn meet(&self, keys: &[u64], most: usize) -> Met {
        let mut met = Met::default();
        if self.keys.is_empty() {
            return met;
        }
        for &key in keys {
            match self.heads[self.place(key)] {
                EMPTY => {}
                head if head & ONE != 0 => met.numbers.extend(self.alive(head & !ONE)),
                head => met.truncated |= self.ring(head, most, &mut met.numbers),
            }
        }
        met.numbers.sort_unstable();
        met.numbers.dedup();
        met
    }

    /// Bytes that it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.keys.capacity() * 12 + self.entries.capacity() * 8 + self.removed.capacity() * 8
    }

    /// Walk a ring from its first; says whether it is longer than `most`.
    fn ring(&self, last: u32, most: usize, numbers: &mut Vec<u32>) -> bool {
        let mut next = self.entries[last as usize].1;
        let mut left = most;
        loop {
            let (number, after) = self.entries[next as usize];
            if let Some(number) = self.alive(number) {
                if left == 0 {
                    return true;
                }
                left -= 1;
                numbers.push(number);
            }
            if next == last {
                return false;
            }
            next = after;
        }
    }

    fn alive(&self, number: u32) -> Option<u32> {
        let word = self.removed.get(number as usize / 64).copied().unwrap_or(0);
        (word >> (number % 64) & 1 == 0).then_some(number)
    }

    /// Where a key is, or would be.
    fn place(&self, key: u64) -> usize {
        let mask = self.keys.len() - 1;
        let mut place = (spread(key) as usize) & mask;
        while self.heads[place] != EMPTY && self.keys[place] != key {
            place = (place + 1) & mask;
        }
        place
    }

    fn grow(&mut self) {
        let room = (self.keys.len() * 2).max(64);
        let keys = std::mem::replace(&mut self.keys, vec![0; room]);
        let heads = std::mem::replace(&mut self.heads, vec![EMPTY; room]);
        for (key, head) in keys.into_iter().zip(heads) {
            if head != EMPTY {
                let place = self.place(key);
                self.keys[place] = key;
                self.heads[place] = head;
            }
        }
    }
}

/// Bytes of an entry: the key, then the number of the document, least byte first.
pub const ENTRY: usize = 12;

/// A key and the number of a document that has it.
pub type Entry = (u64, u32);

/// Read entries.
pub fn entries(data: &[u8]) -> impl DoubleEndedIterator<Item = Entry> + ExactSizeIterator + '_ {
    data.as_chunks::<ENTRY>().0.iter().map(entry)
}

fn entry(bytes: &[u8; ENTRY]) -> Entry {
    let [a, b, c, d, e, f, g, h, number @ ..] = *bytes;
    (u64::from_le_bytes([a, b, c, d, e, f, g, h]), u32::from_le_bytes(number))
}

/// Write entries, sorted, each once.
#[must_use]
pub fn sorted(mut all: Vec<Entry>) -> Vec<u8> {
    all.sort_unstable();
    all.dedup();
    all.into_iter().flat_map(|(key, number)| key.to_le_bytes().into_iter().chain(number.to_le_bytes())).collect()
}

/// The entries of documents: the same number of keys for each.
#[must_use]
pub fn of_documents(numbers: &[u32], keys: &[u64]) -> Vec<Entry> {
    let bands = keys.len().checked_div(numbers.len()).unwrap_or(0).max(1);
    let rows = keys.chunks_exact(bands);
    numbers.iter().zip(rows).flat_map(|(&number, row)| row.iter().map(move |&key| (key, number))).collect()
}

/// The numbers of a key in sorted entries, ascending.
#[must_use]
pub fn numbers_of(data: &[u8], key: u64) -> Vec<u32> {
    let all = data.as_chunks::<ENTRY>().0;
    let from = all.partition_point(|bytes| entry(bytes).0 < key);
    all[from..].iter().map(entry).take_while(|found| found.0 == key).map(|found| found.1).collect()
}

/// The rows of slots that agree best with one: place and slots that agree, at least `least`, at most `most` of them,
/// best first, and the first of equals.
#[must_use]
pub fn closest(slots: &[u8], rows: &[u8], least: usize, most: usize) -> Vec<(u32, u32)> {
    let agreeing = rows.chunks_exact(slots.len().max(1)).map(|row| agreeing_bytes(slots, row) as u32);
    let mut found: Vec<(u32, u32)> = (0..).zip(agreeing).filter(|&(_, agreeing)| agreeing as usize >= least).collect();
    let best = |&(place, agreeing): &(u32, u32)| (u32::MAX - agreeing, place);
    if found.len() > most {
        found.select_nth_unstable_by_key(most, best);
        found.truncate(most);
    }
    found.sort_unstable_by_key(best);
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Both forms find what a map finds, whatever was removed, and cut long postings in the same place.
        #[test]
        fn as_a_map(
            documents in prop::collection::vec(prop::collection::vec(0u64..12, 3), 1..60),
            removed in prop::collection::vec(0u32..60, 0..20),
            asked in prop::collection::vec(0u64..14, 3),
            most in 1usize..8,
        ) {
            let (mut table, mut map, mut all) = (Postings::default(), BTreeMap::<u64, Vec<u32>>::new(), Vec::new());
            for (number, keys) in documents.iter().enumerate() {
                let number = number as u32;
                table.insert(number, keys);
                all.extend(of_documents(&[number], keys));
                for &key in keys {
                    let of_key = map.entry(key).or_default();
                    if !removed.contains(&number) && of_key.last() != Some(&number) {
                        of_key.push(number);
                    }
                }
            }
            for &number in &removed {
                table.remove(number);
            }
            let data = sorted(all);
            let (mut numbers, mut truncated) = (Vec::new(), false);
            for key in &asked {
                let of_key = map.get(key).map_or(&[][..], Vec::as_slice);
                truncated |= of_key.len() > most;
                numbers.extend(&of_key[..of_key.len().min(most)]);
                let mut kept = numbers_of(&data, *key);
                kept.retain(|number| !removed.contains(number));
                prop_assert_eq!(kept, of_key);
            }
            numbers.sort_unstable();
            numbers.dedup();
            prop_assert_eq!(table.meet(&asked, most), Met { numbers, truncated });
        }

        /// Many keys, so that the table grows.
        #[test]
        fn growth(seed: u64, documents in 1u32..300) {
            let keys = |number: u32| (0..8).map(|band| spread(seed ^ u64::from(number * 8 + band))).collect::<Vec<_>>();
            let mut table = Postings::default();
            for number in 0..documents {
                table.insert(number, &keys(number));
            }
            for number in 0..documents {
                prop_assert_eq!(table.meet(&keys(number), 10).numbers, vec![number]);
            }
        }
    }

    #[test]
    fn closest_first() {
        let rows = [1, 2, 3, 9, 2, 3, 1, 2, 9, 1, 2, 3, 8, 8, 8];
        assert_eq!(closest(&[1, 2, 3], &rows, 1, 3), vec![(0, 3), (3, 3), (1, 2)]);
        assert_eq!(closest(&[1, 2, 3], &rows, 3, 9), vec![(0, 3), (3, 3)]);
        assert_eq!(closest(&[1, 2, 3], &[], 0, 9), vec![]);
    }

    #[test]
    fn bands_apart() {
        let mut keys = vec![7, 7, 7, 7];
        with_band(&mut keys, 2);
        assert_eq!((keys[0], keys[1]), (keys[2], keys[3]));
        assert_ne!(keys[0], keys[1]);
    }
}
