//! Source code as tokens (docs/format.md §2.2): one lexer for all languages, and for broken code.
//!
//! It knows what most languages share: comments, strings, numbers, words and signs. Its time is linear in the text,
//! whatever the text is: a search for an end that is not there is made once and remembered.

use crate::normalize::EXCLUDED;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A comment, or a string that serves as one.
    Comment,
    /// A string or a character.
    Text,
    /// A number.
    Number,
    /// A word of the grammar of some language.
    Keyword,
    /// Any other word.
    Name,
    /// Any other character.
    Sign,
}

/// A piece of source code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Whether it is a unit of a shingle.
    pub counts: bool,
    /// First byte.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
}

impl Token {
    /// Its unit: the same for all names, for all numbers, and for all strings.
    pub fn unit<'t>(&self, text: &'t str) -> &'t str {
        match self.kind {
            Kind::Name => "x",
            Kind::Number => "0",
            Kind::Text => "\"",
            Kind::Keyword => known(&KEYWORDS, &text[self.start..self.end]).unwrap_or("x"),
            Kind::Comment | Kind::Sign => &text[self.start..self.end],
        }
    }
}

#[rustfmt::skip]
const KEYWORDS: [&str; 68] = [
    "and", "assert", "async", "await", "bool", "boolean", "break", "byte", "case", "catch", "char", "class",
    "continue", "def", "default", "delete", "do", "double", "elif", "else", "elseif", "elsif", "enum", "except",
    "extends", "finally", "float", "for", "foreach", "function", "global", "goto", "if", "impl", "implements",
    "instanceof", "int", "interface", "lambda", "long", "namespace", "new", "not", "or", "procedure", "raise",
    "return", "short", "signed", "sizeof", "struct", "switch", "then", "throw", "throws", "trait", "try",
    "typedef", "typeof", "union", "unless", "unsigned", "until", "void", "while", "with", "xor", "yield",
];
/// Words that make little difference to a declaration.
#[rustfmt::skip]
const MODIFIERS: [&str; 19] = [
    "auto", "const", "export", "extern", "final", "inline", "let", "mut", "override", "private", "protected",
    "pub", "public", "readonly", "register", "static", "var", "virtual", "volatile",
];
const LONGEST_WORD: usize = 10;
const IMPORTS: [&str; 7] = ["from", "import", "include", "package", "require", "use", "using"];
/// The most tokens of an import: one without an end does not swallow the whole text.
const LONGEST_IMPORT: usize = 256;
/// First words of lines that end in a colon; where there are any, `//` is a division.
const BLOCKS: [&str; 11] = ["async", "def", "elif", "else", "except", "finally", "for", "if", "try", "while", "with"];
/// Letters before a quote that belong to the string, in lower case.
const PREFIXES: [&str; 11] = ["b", "br", "f", "fr", "l", "r", "rb", "rf", "u", "u8", "ur"];
/// The most `#` around a raw string.
const MOST_HASHES: usize = 8;

/// The word of a sorted list that this one is; it may be in upper case throughout.
fn known(list: &'static [&'static str], word: &str) -> Option<&'static str> {
    let bytes = word.as_bytes();
    if bytes.len() > LONGEST_WORD {
        return None;
    }
    let mut small = [0; LONGEST_WORD];
    small[..bytes.len()].copy_from_slice(bytes);
    if bytes.iter().all(u8::is_ascii_uppercase) {
        small.make_ascii_lowercase();
    }
    list.binary_search_by(|listed| listed.as_bytes().cmp(&small[..bytes.len()])).ok().map(|place| list[place])
}

fn is_name(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() || c == '_' || c == '$' } else { !c.is_whitespace() && c != EXCLUDED }
}

fn begins_name(c: char) -> bool {
    is_name(c) && !c.is_ascii_digit()
}

const LINE_ENDS: [char; 2] = ['\n', '\r'];

/// Call `emit` with every token, in order.
pub fn tokens(text: &str, mut emit: impl FnMut(Token)) {
    let mut lexer = Lexer::new(text);
    let (mut import, mut before) = (None::<Import>, 0);
    while let Some(mut token) = lexer.next() {
        if token.kind == Kind::Comment {
            emit(token);
            continue;
        }
        import = import.filter(|open| open.depth > 0 || !text[before..token.start].contains(LINE_ENDS));
        if import.is_none() && lexer.begins_import(&token) {
            import = Some(Import { left: LONGEST_IMPORT, depth: 0 });
        }
        if let Some(open) = &mut import {
            token.counts = false;
            if !open.takes(text.as_bytes()[token.start], token.kind) {
                import = None;
            }
        }
        before = token.end;
        emit(token);
    }
}

/// An import that has not ended yet.
struct Import {
    left: usize,
    depth: i64,
}

impl Import {
    /// Take a token; false if it is the last.
    fn takes(&mut self, first: u8, kind: Kind) -> bool {
        self.left -= 1;
        if kind == Kind::Sign {
            match first {
                b'(' | b'[' | b'{' => self.depth += 1,
                b')' | b']' | b'}' => self.depth -= 1,
                b';' => return false,
                _ => {}
            }
        }
        self.left > 0
    }
}

/// Ends that are looked for up to the end of the text; after one failed search, each is known to be absent.
#[derive(Clone, Copy)]
enum Far {
    Block,
    Markup,
    Brackets,
    Double,
    Single,
    Backtick,
    Raw,
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    /// Only white space came before in this line.
    first: bool,
    /// `first` of the token that was emitted last.
    was_first: bool,
    /// `//` is a division if something comes before it.
    divides: bool,
    absent: [bool; Far::Raw as usize + 1 + MOST_HASHES],
    /// Up to here no `'` begins a string.
    no_quote: usize,
}

impl<'t> Lexer<'t> {
    fn new(text: &'t str) -> Self {
        let begins_block = |line: &str| {
            let line = line.trim();
            line.ends_with(':') && BLOCKS.contains(&line.split(|c| !is_name(c)).next().unwrap_or_default())
        };
        let divides = text.contains("//") && text.split(LINE_ENDS).any(begins_block);
        let absent = [false; Far::Raw as usize + 1 + MOST_HASHES];
        Lexer { text, at: 0, first: true, was_first: true, divides, absent, no_quote: 0 }
    }

    fn next(&mut self) -> Option<Token> {
        let rest = &self.text[self.at..];
        let found = rest.find(|c: char| !c.is_whitespace())?;
        self.first |= rest[..found].contains(LINE_ENDS);
        let start = self.at + found;
        let (kind, end) = self.token(start);
        self.at = end;
        self.was_first = std::mem::replace(&mut self.first, false);
        let word = &self.text[start..end];
        let counts = match kind {
            Kind::Comment => false,
            Kind::Keyword => known(&MODIFIERS, word).is_none(),
            Kind::Sign => !matches!(word, ";" | "{" | "}"),
            _ => true,
        };
        Some(Token { kind, counts, start, end })
    }

    /// What begins at `start`, which is no white space, and where it ends.
    fn token(&mut self, start: usize) -> (Kind, usize) {
        let c = self.text[start..].chars().next().expect("a character");
        if is_name(c) {
            return if c.is_ascii_digit() { (Kind::Number, self.number(start)) } else { self.word(start) };
        }
        let text = match c {
            '"' | '\'' | '`' => self.string(start, start, c),
            _ => self.comment(start).map(|end| (Kind::Comment, end)),
        };
        text.unwrap_or((Kind::Sign, start + c.len_utf8()))
    }

    fn before(&self, place: usize) -> Option<char> {
        self.text[..place].chars().next_back()
    }

    fn after(&self, place: usize) -> Option<char> {
        self.text[place..].chars().next()
    }

    fn line_end(&self, from: usize) -> usize {
        self.text[from..].find(LINE_ENDS).map_or(self.text.len(), |n| from + n)
    }

    /// The place after the next `end`, wherever it is.
    fn behind(&mut self, from: usize, end: &str, number: usize) -> Option<usize> {
        if self.absent[number] {
            return None;
        }
        let found = self.text[from..].find(end).map(|n| from + n + end.len());
        self.absent[number] = found.is_none();
        found
    }

    /// The end of the comment that begins here.
    fn comment(&mut self, start: usize) -> Option<usize> {
        let rest = &self.text[start..];
        let spaced = self.before(start).is_none_or(char::is_whitespace);
        let to_line_end = match rest.as_bytes()[0] {
            b'/' if rest.starts_with("/*") => return self.behind(start + 2, "*/", Far::Block as usize),
            b'/' if rest.starts_with("//") => self.before(start) != Some(':') && (self.first || !self.divides),
            b'#' => spaced || matches!(self.before(start), Some(')' | ']' | '}' | ';' | '"' | '\'')),
            b'-' if spaced && rest.starts_with("--[[") => {
                return self.behind(start + 4, "]]", Far::Brackets as usize);
            }
            b'-' if spaced && rest.starts_with("--") => {
                self.after(start + 2).is_none_or(|c| c == '-' || c.is_whitespace())
            }
            b'%' => self.first,
            b';' => self.first && matches!(self.after(start + 1), Some(' ' | '\t' | ';')),
            b'<' if rest.starts_with("<!--") => return self.behind(start + 4, "-->", Far::Markup as usize),
            _ => false,
        };
        to_line_end.then(|| self.line_end(start))
    }

    /// A string whose first quote is at `quote`; before it, from `start` on, is its prefix.
    fn string(&mut self, start: usize, quote: usize, mark: char) -> Option<(Kind, usize)> {
        let triple = match mark {
            '"' => Some(("\"\"\"", Far::Double)),
            '\'' => Some(("'''", Far::Single)),
            _ => None,
        };
        if let Some((marks, far)) = triple.filter(|(marks, _)| self.text[quote..].starts_with(marks))
            && let Some(end) = self.behind(quote + 3, marks, far as usize)
        {
            return Some((if self.first { Kind::Comment } else { Kind::Text }, end));
        }
        let end = match mark {
            '"' => self.closing(quote + 1, b'"', true).unwrap_or_else(|line_end| line_end),
            '\'' => self.single(start, quote)?,
            _ => {
                if self.absent[Far::Backtick as usize] {
                    return None;
                }
                let found = self.closing(quote + 1, b'`', false);
                self.absent[Far::Backtick as usize] = found.is_err();
                found.ok()?
            }
        };
        Some((Kind::Text, end))
    }

    /// The end of a string in single quotes, unless the quote is something else.
    fn single(&mut self, start: usize, quote: usize) -> Option<usize> {
        let before = self.before(quote);
        if quote < self.no_quote || (start == quote && before.is_some_and(is_name)) {
            return None;
        }
        if matches!(before, Some('&' | '<')) && self.after(quote + 1).is_some_and(begins_name) {
            let rest = &self.text[quote + 1..];
            let name_end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            if !rest[name_end..].starts_with('\'') {
                return None; // a lifetime of Rust
            }
        }
        match self.closing(quote + 1, b'\'', true) {
            Ok(end) => Some(end),
            Err(line_end) => {
                self.no_quote = line_end; // any other that follows in the line is escaped
                None
            }
        }
    }

    /// The place after the closing quote; else the end of the line, or of the text.
    fn closing(&self, from: usize, quote: u8, in_line: bool) -> Result<usize, usize> {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while let Some(&byte) = bytes.get(at) {
            let ends_line = |byte: Option<&u8>| in_line && matches!(byte, Some(b'\n' | b'\r'));
            match byte {
                _ if byte == quote => return Ok(at + 1),
                _ if ends_line(Some(&byte)) => return Err(at),
                b'\\' if !ends_line(bytes.get(at + 1)) => at += 2,
                _ => at += 1,
            }
        }
        Err(bytes.len())
    }

    fn number(&self, start: usize) -> usize {
        let hexadecimal = self.text[start..].starts_with("0x") || self.text[start..].starts_with("0X");
        let (mut last, mut end) = (' ', start);
        while let Some(c) = self.after(end) {
            let digit_follows = || self.after(end + 1).is_some_and(|next| next.is_ascii_digit());
            let goes_on = match c {
                '.' => digit_follows(),
                '+' | '-' => !hexadecimal && matches!(last, 'e' | 'E') && digit_follows(),
                _ => is_name(c),
            };
            if !goes_on {
                break;
            }
            (last, end) = (c, end + c.len_utf8());
        }
        end
    }

    /// A name, a keyword, or a string with a prefix.
    fn word(&mut self, start: usize) -> (Kind, usize) {
        let rest = &self.text[start..];
        let end = start + rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let word = &self.text[start..end];
        if word.len() <= 2 && PREFIXES.contains(&word.to_ascii_lowercase().as_str()) {
            let string = match self.after(end) {
                Some(mark @ ('"' | '\'')) => self.string(start, end, mark),
                Some('#') => self.raw_string(end).map(|end| (Kind::Text, end)),
                _ => None,
            };
            if let Some(found) = string {
                return found;
            }
        }
        let keyword = known(&KEYWORDS, word).or_else(|| known(&MODIFIERS, word));
        (if keyword.is_some() { Kind::Keyword } else { Kind::Name }, end)
    }

    /// The end of `#"…"#`, with one `#` or more.
    fn raw_string(&mut self, hashes: usize) -> Option<usize> {
        let rest = &self.text[hashes..];
        let count = rest.bytes().take_while(|&b| b == b'#').take(MOST_HASHES + 1).count();
        if count > MOST_HASHES || !rest[count..].starts_with('"') {
            return None;
        }
        let end = format!("\"{}", &rest[..count]);
        self.behind(hashes + count + 1, &end, Far::Raw as usize + count)
    }

    /// Whether the token that was emitted last begins an import.
    fn begins_import(&self, token: &Token) -> bool {
        let word = &self.text[token.start..token.end];
        if token.kind != Kind::Name || !self.was_first || !IMPORTS.contains(&word) {
            return false;
        }
        let line = &self.text[token.end..self.line_end(token.end)];
        let follows = line.trim_start_matches([' ', '\t']).chars().next();
        match word {
            "from" => line.split(char::is_whitespace).any(|piece| piece == "import"),
            "import" if follows == Some('(') => true,
            _ => follows.is_some_and(|c| begins_name(c) || matches!(c, '"' | '\'' | '{' | '*' | '<')),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn units(text: &str) -> String {
        let mut found = Vec::new();
        tokens(text, |token| found.extend(token.counts.then(|| token.unit(text))));
        found.join(" ")
    }

    #[test]
    fn lists_are_sorted() {
        assert!(KEYWORDS.is_sorted() && MODIFIERS.is_sorted());
        assert!(KEYWORDS.iter().chain(&MODIFIERS).all(|word| word.len() <= LONGEST_WORD));
    }

    #[test]
    fn languages() {
        assert_eq!(
            units("import java.util.*;\n\npublic static int f(int n) { return n--; } // é"),
            "int x ( int x ) return x - -"
        );
        assert_eq!(
            units("from a import (\n  b,\n)\ndef f(n):\n    '''Doc.'''  # why\n    return n // 2"),
            "def x ( x ) : return x / / 0"
        );
        assert_eq!(units("#include <stdio.h>\nchar *s = \"a\\\"b\", c = '\\'';"), "char * x = \" , x = \"");
        assert_eq!(units("fn f<'a>(s: &'a str) -> u8 { r#\"a\"b\"# }"), "x x < ' x > ( x : & ' x x ) - > x \"");
        assert_eq!(units("SELECT a -- b\nFOR UPDATE"), "x x for x");
    }

    #[test]
    fn ends_that_are_missing() {
        assert_eq!(units("a /* b"), "x / * x");
        assert_eq!(units("a = \"b\nc = 'd\ne = `f"), "x = \" x = ' x x = ` x");
        assert_eq!(units("import (a\n"), "");
    }

    proptest! {
        #[test]
        fn tokens_follow_each_other(text in "[ \n'\"`/*#%;<>!(){}a-e0-9.\\\\-\u{e9}\u{3000}-]{0,60}|\\PC{0,30}") {
            let mut last = 0;
            tokens(&text, |token| {
                assert!(last <= token.start && token.start < token.end && text.get(token.start..token.end).is_some());
                assert!(text[last..token.start].chars().all(char::is_whitespace));
                last = token.end;
            });
            prop_assert!(text[last..].chars().all(char::is_whitespace));
        }
    }
}
