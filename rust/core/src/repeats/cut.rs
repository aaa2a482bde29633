//! The second read: texts without their repeats.

use super::{Repeat, Repeats, Sought};
use crate::control::{Control, PART};
use crate::error::Result;
use crate::parts::is_break;
use crate::shingle::Scratch;
use crate::unicode::Tables;

/// What is cut out of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// First byte.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
    /// How many words it has.
    pub words: u64,
    /// The document in which the same words occurred first.
    pub first: u32,
}

/// A text after the cuts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CutText {
    /// What is left.
    pub text: String,
    /// In order; they do not overlap.
    pub cuts: Vec<Cut>,
}

impl Repeats {
    /// Cut the next documents of the second read, which are those of the first, in their order. If a text has
    /// changed, the error is its place among these.
    pub fn cut(&mut self, texts: &[&str], control: &Control) -> Result<std::result::Result<Vec<CutText>, usize>> {
        let first = self.next.0;
        if let Some(missing) = (first + texts.len()).checked_sub(self.documents()).filter(|&more| more > 0) {
            return Ok(Err(texts.len() - missing));
        }
        let repeats = self.next_repeats(texts.len())?;
        let done = control.parts(texts.len(), PART, Scratch::default, |scratch, part| {
            let one = |place: usize| {
                control.check()?;
                self.cut_one(texts[place], first + place, &repeats[place], scratch, control)
            };
            part.map(one).collect::<Result<Vec<_>>>()
        })?;
        let mut out = Vec::with_capacity(texts.len());
        for (place, cut) in done.into_iter().flatten().enumerate() {
            match cut {
                Some(cut) => out.push(cut),
                None => return Ok(Err(place)),
            }
        }
        Ok(Ok(out))
    }

    /// Start the second read from the beginning.
    pub fn rewind(&mut self) {
        self.next = (0, 0);
    }

    /// The repeats of the next documents.
    fn next_repeats(&mut self, documents: usize) -> Result<Vec<Vec<Repeat>>> {
        let mut all = Vec::with_capacity(documents);
        for document in self.next.0..self.next.0 + documents {
            let (end, mut own) = (self.starts[document + 1], Vec::new());
            let mut three = [0; 3];
            while self.next.1 < self.found.len() {
                self.found.read(self.next.1, &mut three)?;
                let [start, length, first] = three;
                if start >= end {
                    break;
                }
                own.push(Repeat { start, length, first });
                self.next.1 += 3;
            }
            all.push(own);
        }
        self.next.0 += documents;
        Ok(all)
    }

    /// None if the text is another than it was; of a text without repeats that does not matter.
    fn cut_one(
        &self,
        text: &str,
        document: usize,
        repeats: &[Repeat],
        scratch: &mut Scratch,
        control: &Control,
    ) -> Result<Option<CutText>> {
        if repeats.is_empty() {
            return Ok(Some(CutText { text: text.to_string(), cuts: Vec::new() }));
        }
        let from = self.starts[document];
        let (mut units, mut parts) = (Vec::new(), Vec::new());
        self.lay(text, scratch, &mut units, |unit, start, end| parts.push((from + unit as u64, start, end)));
        let mut then = vec![0; (self.starts[document + 1] - from) as usize];
        self.units.read(from, &mut then)?;
        if units != then {
            return Ok(None);
        }
        let mut cuts = match self.sought {
            Sought::Parts(..) => self.cut_parts(&parts, repeats),
            Sought::Passages(_) => self.cut_passages(text, from, repeats, control)?,
        };
        trim_end(text, &mut cuts);
        Ok(Some(self.without(text, cuts, scratch)))
    }

    fn cut_parts(&self, parts: &[(u64, usize, usize)], repeats: &[Repeat]) -> Vec<Cut> {
        let mut repeats = repeats.iter().peekable();
        let mut cuts = Vec::with_capacity(repeats.len());
        for &(unit, start, end) in parts {
            if let Some(repeat) = repeats.next_if(|repeat| repeat.start == unit) {
                cuts.push(Cut { start, end, words: repeat.length, first: self.document_of(repeat.first) });
            }
        }
        cuts
    }

    fn cut_passages(&self, text: &str, from: u64, repeats: &[Repeat], control: &Control) -> Result<Vec<Cut>> {
        let words = self.shingler.unit_hashes(text, control)?;
        let mut cuts: Vec<Cut> = Vec::with_capacity(repeats.len());
        let mut repeats = repeats.iter().peekable();
        while let Some(repeat) = repeats.next() {
            let (start, next) = ((repeat.start - from) as usize, (repeat.start + repeat.length - from) as usize);
            let goes_on = repeats.peek().is_some_and(|other| other.start == repeat.start + repeat.length);
            // Several words may come of one character, such as a ligature: it is cut once.
            let start = words[start].1.max(cuts.last().map_or(0, |last| last.end));
            let end = if goes_on { words[next].1 } else { words[next - 1].2 }.max(start);
            cuts.push(Cut { start, end, words: repeat.length, first: self.document_of(repeat.first) });
        }
        let mut least = 0;
        for run in runs(&mut cuts) {
            let (start, end) = (run[0].start, run[run.len() - 1].end);
            let behind = words.partition_point(|word| word.1 < end);
            let most = words.get(behind).map_or(text.len(), |word| word.1);
            (run[0].start, run[run.len() - 1].end) = widened(text, start, end, least, most);
            least = run[run.len() - 1].end;
        }
        Ok(cuts)
    }

    /// The text without the cuts; empty if no word is left.
    fn without(&self, text: &str, cuts: Vec<Cut>, scratch: &mut Scratch) -> CutText {
        let (mut left, mut from) = (String::with_capacity(text.len()), 0);
        for cut in &cuts {
            left.push_str(&text[from..cut.start]);
            from = cut.end;
        }
        left.push_str(&text[from..]);
        let mut any = false;
        self.shingler.each_block(&left, scratch, |block| any |= block != [self.nothing]);
        if !any {
            left.clear();
        }
        CutText { text: left, cuts }
    }
}

/// Cuts that follow each other directly.
fn runs(cuts: &mut [Cut]) -> impl Iterator<Item = &mut [Cut]> {
    cuts.chunk_by_mut(|cut, next| cut.end == next.start)
}

/// A run of cuts with the marks right after it and the spaces around it, so that the rest reads smoothly: also with the
/// line breaks after it if it begins a line, and with the spaces before it if it ends one. It begins at `least` or later,
/// and takes no marks from `most` on.
fn widened(text: &str, start: usize, end: usize, least: usize, most: usize) -> (usize, usize) {
    let tables = Tables::get();
    let run = |from: usize, most: usize, fits: &dyn Fn(char) -> bool| {
        from + text[from..most].chars().take_while(|&c| fits(c)).map(char::len_utf8).sum::<usize>()
    };
    let white = |c: char| tables.info(c).white();
    let blank = |c: char| white(c) && !is_break(c);
    let end = run(end, most, &|c| tables.info(c).mark());
    if text[..start].chars().next_back().is_none_or(is_break) {
        let gap = run(end, text.len(), &white);
        let line = text[end..gap].char_indices().rev().find(|&(_, c)| is_break(c));
        return (start, line.map_or(gap, |(at, c)| end + at + c.len_utf8()));
    }
    let end = run(end, text.len(), &blank);
    let ends_line = text[end..].chars().next().is_none_or(is_break);
    let before = least + text[least..start].trim_end_matches(blank).len();
    (if ends_line { before } else { start }, end)
}

/// If the end of a text is cut and the text did not end in white space, neither does what is left.
fn trim_end(text: &str, cuts: &mut [Cut]) {
    let tables = Tables::get();
    let white = |c: char| tables.info(c).white();
    if text.ends_with(white) {
        return;
    }
    let mut least = 0;
    for run in runs(cuts) {
        if run[run.len() - 1].end == text.len() {
            run[0].start = least + text[least..run[0].start].trim_end_matches(white).len();
        }
        least = run[run.len() - 1].end;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Numbers, Room};
    use super::*;
    use crate::Recipe;
    use crate::parts::Part;

    fn left(texts: &[&str], sought: Sought) -> String {
        let room: Box<Room> = Box::new(|_| Box::<Vec<u64>>::default() as Box<dyn Numbers>);
        let mut repeats = Repeats::new(&Recipe::default(), sought, 7, 1 << 20, room).unwrap();
        let control = Control::new(1);
        repeats.add(texts, &control).unwrap();
        repeats.find(&control).unwrap();
        repeats.cut(texts, &control).unwrap().unwrap().pop().unwrap().text
    }

    #[test]
    fn passages_take_their_marks_and_blanks_along() {
        for (text, expected) in [
            ("A. One two three. B", "A. B"),
            ("One two three", ""),
            ("“One, two, three!”", ""),
            ("a one two three", "a"),
            ("a one two three.\nb", "a\nb"),
            ("a\none two three.\n\n  b", "a\n  b"),
            ("a (one two three) b", "a (b"),
            ("one two three one two three b", "b"),
            ("a one two three, one two three.", "a"),
            ("a\r\none two three\r\nb", "a\r\nb"),
            ("漢one two three字", "漢字"),
        ] {
            assert_eq!(left(&["one two three", text], Sought::Passages(3)), expected, "{text:?}");
        }
    }

    #[test]
    fn parts_go_with_what_parts_them() {
        for (text, expected) in [
            ("a\nOne two!\nb", "a\nb"),
            ("a\n\none two", "a"),
            ("a\none two\n", "a\n"),
            ("a\none two\none two", "a"),
            ("***\none two\n", ""),
            ("x\r\none two\r\ny\r\n", "x\r\ny\r\n"),
        ] {
            assert_eq!(left(&["one two", text], Sought::Parts(Part::Line, 2)), expected, "{text:?}");
        }
    }
}
