//! Repeats: parts of documents, or runs of words, that occurred before.
//!
//! All documents are read twice. In the first read each becomes the hashes of its words, with a boundary after every part
//! ([`Repeats::add`]). On these numbers alone the repeats are found ([`Repeats::find`]): runs with equal keys are sorted
//! together, the first of each stays, and the others are compared with it word by word. In the second read the texts are
//! cut ([`Repeats::cut`]). Numbers that do not fit the memory are kept elsewhere ([`Numbers`]).
//!
//! A passage of N words is a repeat if the same N words occur anywhere before it without overlapping it; everything in
//! such passages is cut. Keys of every N words would be many, so only those are sorted whose **mark** occurs
//! twice (see `keys.rs`): in texts that repeat little, few are left.

mod cover;
mod cut;
mod keys;
mod numbers;

use std::collections::HashMap;

use crate::control::{Control, PART};
use crate::error::{Error, Result};
use crate::hash::Stream;
use crate::parts::Part;
use crate::recipe::{Recipe, Unit};
use crate::repeated::{PLACES, Repeated};
use crate::shingle::{Scratch, Shingler};

use cover::Cover;
pub use cut::{Cut, CutText};
pub use numbers::{Numbers, Room};
use numbers::{PairSorter, Reader};

/// Follows every part; no word has this hash.
const BORDER: u64 = 0;

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sought {
    /// Whole parts of at least this many words.
    Parts(Part, usize),
    /// Passages of at least this many words.
    Passages(usize),
}

/// A repeat: where it begins, how many words it has, and where the same words occurred first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Repeat {
    start: u64,
    length: u64,
    first: u64,
}

/// A collection whose repeats are looked for.
pub struct Repeats {
    sought: Sought,
    shingler: Shingler,
    /// What the shingler returns for a text without words.
    nothing: u64,
    place: u64,
    memory: usize,
    room: Box<Room>,
    units: Box<dyn Numbers>,
    /// Where the units of each document begin, and where those of the last end.
    starts: Vec<u64>,
    /// Three numbers for each repeat.
    found: Box<dyn Numbers>,
    /// The document and the repeat that are cut next.
    next: (usize, u64),
}

impl Repeats {
    /// Prepare. Only the normalisation of words is taken from the recipe; `secret` keys all hashes and changes no result;
    /// `memory` is how many bytes may be held, beside texts.
    pub fn new(recipe: &Recipe, sought: Sought, secret: u64, memory: usize, room: Box<Room>) -> Result<Self> {
        let mut stream = Stream::new(secret);
        let recipe = Recipe { unit: Unit::Word, k: 1, bag: false, seed: stream.next(), ..recipe.clone() };
        let shingler = Shingler::new(&recipe)?;
        let nothing = shingler.sequence("", &mut Scratch::default())[0];
        let (units, found) = (room(memory / 4), room(memory / 8));
        let place = stream.next();
        let (starts, next) = (vec![0], (0, 0));
        Ok(Repeats { sought, shingler, nothing, place, memory, room, units, starts, found, next })
    }

    /// How many documents were added.
    pub fn documents(&self) -> usize {
        self.starts.len() - 1
    }

    /// Take the next documents of the first read.
    pub fn add(&mut self, texts: &[&str], control: &Control) -> Result<()> {
        if self.documents() + texts.len() >= u32::MAX as usize {
            return Err(Error::TooLarge(format!("more documents than one search holds, {}", u32::MAX - 1)));
        }
        let laid = control.parts(texts.len(), PART, Scratch::default, |scratch, part| {
            let (mut units, mut ends) = (Vec::new(), Vec::new());
            for text in &texts[part] {
                control.check()?;
                self.lay(text, scratch, &mut units, |_, _, _| ());
                ends.push(units.len());
            }
            Ok((units, ends))
        })?;
        for (units, ends) in laid {
            let before = self.units.len();
            self.units.append(&units)?;
            self.starts.extend(ends.into_iter().map(|end| before + end as u64));
        }
        Ok(())
    }

    /// Append the words of each part that is long enough, with a boundary after it; `emit` is given the unit at which a
    /// part begins, and its bytes.
    fn lay(&self, text: &str, scratch: &mut Scratch, units: &mut Vec<u64>, mut emit: impl FnMut(usize, usize, usize)) {
        let mut add = |start: usize, end: usize, least: usize| {
            let before = units.len();
            self.shingler.each_block(&text[start..end], scratch, |block| {
                units.extend(block.iter().map(|&unit| unit.max(BORDER + 1)));
            });
            if units.len() - before < least || units[before..] == [self.nothing] {
                units.truncate(before);
            } else {
                units.push(BORDER);
                emit(before, start, end);
            }
        };
        match self.sought {
            Sought::Parts(part, least) => part.each(text, |start, end| add(start, end, least)),
            Sought::Passages(least) => add(0, text.len(), least),
        }
    }

    /// Find all repeats, when all documents were added.
    pub fn find(&mut self, control: &Control) -> Result<()> {
        let mut keyed = PairSorter::new(&self.room, self.memory / 4);
        let apart = match self.sought {
            Sought::Parts(..) => {
                control.begin_counting("finding repeats", keys::steps(self.units.len(), 0));
                keys::each_part(&*self.units, self.place, control, |start, key| keyed.push(key, start))?;
                1
            }
            Sought::Passages(least) => {
                self.key_passages(least, &mut keyed, control)?;
                least as u64
            }
        };
        // Sorted by key, then by place: the first of each key stays, and what overlaps it does not count.
        let mut later = PairSorter::new(&self.room, self.memory / 4);
        let mut first = None;
        keyed.each(control, |key, start| match first {
            Some((same, first)) if same == key => {
                if start >= first + apart {
                    later.push(start, first)
                } else {
                    Ok(())
                }
            }
            _ => {
                first = Some((key, start));
                Ok(())
            }
        })?;
        let mut found = (self.room)(self.memory / 8);
        let mut confirm = Confirm::new(&*self.units, self.sought);
        let mut cover = Cover::new(apart, |repeat: Repeat| found.append(&[repeat.start, repeat.length, repeat.first]));
        later.each(control, |start, first| match (confirm.first(start, first)?, self.sought) {
            (None, _) => Ok(()),
            (Some((first, length)), Sought::Parts(..)) => cover.whole(Repeat { start, length, first }),
            (Some((first, _)), Sought::Passages(_)) => cover.window(start, first),
        })?;
        cover.finish()?;
        self.found = found;
        self.next = (0, 0);
        Ok(())
    }

    /// Give the keys of all passages that may occur twice.
    fn key_passages(&self, least: usize, keyed: &mut PairSorter<'_>, control: &Control) -> Result<()> {
        let total = self.units.len();
        // Two bits a place; a table that is too small costs time only.
        let most = (self.memory / 4) * 4 / (2 * PLACES);
        let marks = usize::try_from(keys::marks(total, least)).unwrap_or(usize::MAX);
        let mut marked = Repeated::of(marks.min(most), PLACES);
        let mut last = u64::MAX;
        control.begin_counting("finding repeats", 2 * keys::steps(total, least));
        keys::each_window(&*self.units, least, self.place, control, |window| {
            if window.mark.1 != last {
                last = window.mark.1;
                marked.meet(window.mark.0);
            }
            Ok(())
        })?;
        keys::each_window(&*self.units, least, self.place, control, |window| {
            if marked.has(window.mark.0) { keyed.push(window.key, window.start) } else { Ok(()) }
        })
    }

    /// The document that has the unit at `place`.
    fn document_of(&self, place: u64) -> u32 {
        (self.starts.partition_point(|&start| start <= place) - 1) as u32
    }
}

/// Compares what has equal keys, word by word.
struct Confirm<'a> {
    sought: Sought,
    here: Reader<'a>,
    there: Reader<'a>,
    /// The last repeat: of passages that go on together only the last words need comparing.
    last: Option<(u64, u64)>,
    /// By the first with a key: others with the same key and other words. There are hardly ever any.
    others: HashMap<u64, Vec<u64>>,
}

impl<'a> Confirm<'a> {
    fn new(units: &'a dyn Numbers, sought: Sought) -> Self {
        let (here, there) = (Reader::new(units), Reader::new(units));
        Confirm { sought, here, there, last: None, others: HashMap::new() }
    }

    /// Where the words at `start` occurred first, and how many there are; None if that is here.
    fn first(&mut self, start: u64, first: u64) -> Result<Option<(u64, u64)>> {
        if let Some(length) = self.same(start, first)? {
            self.last = Some((start, first));
            return Ok(Some((first, length)));
        }
        for other in self.others.get(&first).cloned().unwrap_or_default() {
            if let Some(length) = self.same(start, other)?.filter(|length| other + length <= start) {
                return Ok(Some((other, length)));
            }
        }
        self.others.entry(first).or_default().push(start);
        Ok(None)
    }

    /// How many words are the same here and there; None if they differ.
    fn same(&mut self, start: u64, first: u64) -> Result<Option<u64>> {
        match self.sought {
            Sought::Parts(..) => {
                for i in 0.. {
                    let unit = self.here.at(start + i)?;
                    if unit != self.there.at(first + i)? {
                        return Ok(None);
                    }
                    if unit == BORDER {
                        return Ok(Some(i));
                    }
                }
                Ok(None)
            }
            Sought::Passages(least) => {
                let goes_on = self.last.is_some_and(|last| last == (start.wrapping_sub(1), first.wrapping_sub(1)));
                let least = least as u64;
                for i in if goes_on { least - 1 } else { 0 }..least {
                    if self.here.at(start + i)? != self.there.at(first + i)? {
                        return Ok(None);
                    }
                }
                Ok(Some(least))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn repeats(texts: &[String], sought: Sought, memory: usize) -> Repeats {
        let room: Box<Room> = Box::new(|_| Box::<Vec<u64>>::default());
        let mut made = Repeats::new(&Recipe::default(), sought, 7, memory, room).unwrap();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        for batch in texts.chunks(3) {
            made.add(batch, &Control::new(2)).unwrap();
        }
        made.find(&Control::new(1)).unwrap();
        made
    }

    fn cut(repeats: &mut Repeats, texts: &[String]) -> Vec<CutText> {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        repeats.cut(&texts, &Control::new(1)).unwrap().expect("nothing has changed")
    }

    /// Words by the definition: cut if in a passage that occurred before, without overlap.
    fn left(texts: &[Vec<u8>], least: usize) -> Vec<Vec<u8>> {
        let mut seen: Vec<(&[u8], usize, usize)> = vec![];
        let mut out = vec![];
        for (number, text) in texts.iter().enumerate() {
            let mut gone = vec![false; text.len()];
            for (at, window) in text.windows(least).enumerate() {
                if seen.iter().any(|&(w, n, i)| w == window && (n < number || i + least <= at)) {
                    gone[at..at + least].fill(true);
                }
                seen.push((window, number, at));
            }
            out.push(text.iter().zip(&gone).filter(|(_, gone)| !**gone).map(|(&w, _)| w).collect());
        }
        out
    }

    proptest! {
        #[test]
        fn passages_equal_the_definition(
            texts in prop::collection::vec(prop::collection::vec(0..3u8, 0..40), 0..6),
            least in 1..12usize,
            memory in prop_oneof![Just(0), Just(1usize << 20)],
        ) {
            let spell = |words: &Vec<u8>| words.iter().map(|w| format!("w{w}")).collect::<Vec<_>>().join(" ");
            let given: Vec<String> = texts.iter().map(spell).collect();
            let expected: Vec<String> = left(&texts, least).iter().map(spell).collect();
            let mut made = repeats(&given, Sought::Passages(least), memory);
            let found: Vec<String> = cut(&mut made, &given).into_iter().map(|cut| cut.text.trim().to_string()).collect();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn parts_equal_the_definition(
            texts in prop::collection::vec(prop::collection::vec(prop::collection::vec(0..2u8, 0..4), 0..8), 0..5),
            least in 1..3usize,
            memory in prop_oneof![Just(0), Just(1usize << 20)],
        ) {
            let spell = |line: &Vec<u8>| line.iter().map(|w| format!("w{w} ")).collect::<String>() + "\n";
            let given: Vec<String> = texts.iter().map(|lines| lines.iter().map(spell).collect()).collect();
            let mut seen = std::collections::HashSet::new();
            let mut expected = vec![];
            for lines in &texts {
                let kept: Vec<_> = lines.iter().filter(|line| line.len() < least || seen.insert(*line)).collect();
                let words: usize = kept.iter().map(|line| line.len()).sum();
                let text = kept.into_iter().map(spell).collect::<String>();
                expected.push(if words == 0 && lines.iter().any(|line| !line.is_empty()) { String::new() } else { text });
            }
            let mut made = repeats(&given, Sought::Parts(Part::Line, least), memory);
            let found: Vec<String> = cut(&mut made, &given).into_iter().map(|cut| cut.text).collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn one_word_a_million_times_leaves_one_passage() {
        let texts = [vec!["word"; 1_000_000].join(" ")];
        let mut made = repeats(&texts, Sought::Passages(50), 1 << 20);
        let found = cut(&mut made, &texts);
        assert_eq!(found[0].text, ["word"; 50].join(" "));
        assert_eq!(found[0].cuts.len(), 1_000_000 / 50 - 1);
    }

    #[test]
    fn equal_keys_of_other_words_are_told_apart() {
        let units: Vec<u64> = vec![1, 2, 0, 1, 3, 0, 1, 3, 0];
        let mut confirm = Confirm::new(&units, Sought::Parts(Part::Line, 1));
        assert_eq!(confirm.first(3, 0).unwrap(), None);
        assert_eq!(confirm.first(6, 0).unwrap(), Some((3, 2)));
    }

    #[test]
    fn a_text_that_changed_is_noticed() {
        let texts = ["one two three".to_string(), "one two three".to_string()];
        let mut made = repeats(&texts, Sought::Passages(3), 1 << 20);
        assert!(made.cut(&["one two three", "one two four"], &Control::new(1)).unwrap().is_err());
    }
}
