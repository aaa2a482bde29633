//! Texts cut into lines, paragraphs or sentences. The parts follow each other without a gap: the white space after a
//! part belongs to it.

use crate::unicode::Tables;

/// What a text is cut into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Up to a line break.
    Line,
    /// Up to a blank line.
    Paragraph,
    /// Up to a full stop or the like, or a line break.
    Sentence,
}

impl Part {
    /// Call `emit` with the first byte of each part of a text and the byte after the last.
    pub fn each(self, text: &str, mut emit: impl FnMut(usize, usize)) {
        let mut start = 0;
        let border = |at: usize| {
            if at > start {
                emit(start, at);
                start = at;
            }
        };
        match self {
            Part::Line => lines(text, border),
            Part::Paragraph => paragraphs(text, border),
            Part::Sentence => sentences(text, border),
        }
        if start < text.len() {
            emit(start, text.len());
        }
    }
}

/// Whether a line ends with `c`; of CR LF, only LF counts.
fn breaks(c: char, next: Option<char>) -> bool {
    match c {
        '\r' => next != Some('\n'),
        _ => is_break(c),
    }
}

/// Whether `c` is, or is part of, a line break.
pub fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The code points of a text, each with its first byte and the one after it.
fn with_next(text: &str) -> impl Iterator<Item = (usize, char, Option<char>)> {
    let next = text.chars().skip(1).map(Some).chain([None]);
    text.char_indices().zip(next).map(|((at, c), next)| (at, c, next))
}

fn lines(text: &str, mut border: impl FnMut(usize)) {
    for (at, c, next) in with_next(text) {
        if breaks(c, next) {
            border(at + c.len_utf8());
        }
    }
}

/// A paragraph begins with the line after a blank one.
fn paragraphs(text: &str, mut border: impl FnMut(usize)) {
    let tables = Tables::get();
    let (mut broken, mut line) = (0, 0); // line breaks since something was visible, and where the line begins
    for (at, c, next) in with_next(text) {
        if breaks(c, next) {
            (broken, line) = (broken + 1, at + c.len_utf8());
        } else if !tables.info(c).white() {
            if broken > 1 {
                border(line);
            }
            broken = 0;
        }
    }
}

/// How much of the end of a sentence has been seen.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// Nothing.
    Not,
    /// A full stop or the like, and closing quotes or brackets: white space must follow.
    Stop,
    /// The same of a script that needs no white space.
    WideStop,
    /// White space after it, or a line break: whatever is visible begins another sentence.
    Gap,
}

fn sentences(text: &str, mut border: impl FnMut(usize)) {
    let tables = Tables::get();
    let mut end = End::Not;
    for (at, c) in text.char_indices() {
        let (stop, wide, closer) = (is_stop(c), is_wide_stop(c), is_closer(c));
        if tables.info(c).white() {
            if is_break(c) || end != End::Not {
                end = End::Gap;
            }
            continue;
        }
        if end == End::Gap || (end == End::WideStop && !stop && !wide && !closer) {
            border(at);
            end = End::Not;
        }
        end = match end {
            _ if wide => End::WideStop,
            End::WideStop => End::WideStop,
            _ if stop => End::Stop,
            End::Stop if closer => End::Stop,
            _ => End::Not,
        };
    }
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '‼' | '⁇' | '⁈' | '⁉' | '؟' | '۔' | '।' | '॥' | '።')
}

fn is_wide_stop(c: char) -> bool {
    matches!(c, '。' | '．' | '！' | '？' | '｡')
}

fn is_closer(c: char) -> bool {
    matches!(
        c,
        '"' | '\'' | '”' | '’' | '»' | '›' | ')' | ']' | '}' | '」' | '』' | '）' | '】' | '〉' | '》' | '］' | '｝'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(part: Part, text: &str) -> Vec<&str> {
        let mut out = vec![];
        part.each(text, |start, end| out.push(&text[start..end]));
        out
    }

    #[test]
    fn lines_end_at_every_kind_of_break() {
        assert_eq!(split(Part::Line, "a\r\nb\n\nc\rd\u{2028}"), ["a\r\n", "b\n", "\n", "c\r", "d\u{2028}"]);
        assert!(split(Part::Line, "").is_empty());
    }

    #[test]
    fn paragraphs_are_parted_by_blank_lines() {
        assert_eq!(split(Part::Paragraph, "\n\na\nb\r\n \t\r\n  c\n"), ["\n\n", "a\nb\r\n \t\r\n", "  c\n"]);
    }

    #[test]
    fn sentences_end_at_stops_and_line_breaks() {
        let text = "It is 3.14. \"Really?\" Yes!\nHome\n  About … 你好。“再见！”好 End";
        let expected =
            ["It is 3.14. ", "\"Really?\" ", "Yes!\n", "Home\n  ", "About … ", "你好。", "“再见！”", "好 End"];
        assert_eq!(split(Part::Sentence, text), expected);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in "[a .!?。”\n\r]{0,40}|\\PC*") {
            for part in [Part::Line, Part::Paragraph, Part::Sentence] {
                let parts = split(part, &text);
                prop_assert_eq!(parts.concat(), &text[..]);
                prop_assert!(!parts.contains(&""));
            }
        }
    }
}
