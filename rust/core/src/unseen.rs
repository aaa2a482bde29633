//! Invisible characters inside words, counted for a note: what hides copying in a table, where nothing can be flagged by
//! name. The rule is that of `extract/clean_text.py`, which flags files, but for characters that are not cheap to find, or
//! that count when texts are compared.

/// Characters that show nothing and that no word of these alphabets needs; without operators, which formulas have.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{34f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{2065}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{e0000}'..='\u{e0fff}')
}

/// The first bytes of these characters.
fn may_begin(byte: u8) -> bool {
    (byte == 0xcd) | (byte == 0xe2) | (byte == 0xef) | (byte == 0xf3)
}

/// A letter of an alphabet that needs no invisible characters: Latin, Greek, Cyrillic or Armenian.
fn is_letter(c: char) -> bool {
    matches!(c, 'A'..='Z' | 'a'..='z' | 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ɏ' | 'Ͱ' | 'Ͳ'..='Ͽ' | 'Ѐ'..='ԯ' | 'Ա'..='և' | 'Ḁ'..='῿')
}

/// A letter of a script that separates words by U+200B, which shows nothing: Thai, Khmer, Chinese and others.
fn has_no_spaces(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{1950}'..='\u{1aaf}' | '\u{1b00}'..='\u{1b7f}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{a980}'..='\u{aadf}')
}

const SOFT_HYPHEN: char = '\u{ad}';
const NON_JOINER: char = '\u{200c}';
const SPACE: char = '\u{200b}';
const BLOCK: usize = 64;
/// Words that typesetting must have split, with this share of all: German keeps letters apart that are no ligature.
const MANY: usize = 20;
const SHARE: f64 = 2.0 / 3.0;

/// What a run of invisible characters does.
enum Run {
    SplitsWord,
    /// Splits a word by non-joiners alone.
    SplitsLetters,
    /// Splits a word by spaces alone.
    SplitsNames,
    /// Has a space beside a script that separates words so.
    SplitsText,
    Nothing,
}

/// Whether a text has an invisible character inside a word.
pub fn inside_word(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (mut letters, mut names, mut spaces, mut name_end) = (0, 0, 0, 0);
    let mut from = 0;
    while from < bytes.len() {
        let block = &bytes[from..bytes.len().min(from + BLOCK)];
        if !block.iter().fold(false, |any, &byte| any | may_begin(byte)) {
            from += block.len();
            continue;
        }
        let end = from + block.len();
        while from < end {
            if !may_begin(bytes[from]) {
                from += 1;
                continue;
            }
            let after = text[from..].trim_start_matches(|c| is_unseen(c) || c == SOFT_HYPHEN);
            let run = &text[from..text.len() - after.len()];
            if run.is_empty() {
                from += 1;
                continue;
            }
            match what(&text[..from], run, after) {
                Run::SplitsWord => return true,
                Run::SplitsLetters => letters += 1,
                Run::SplitsNames => {
                    names += usize::from(name_end == 0 || !text[name_end..from].chars().all(is_letter));
                    name_end = from + run.len();
                }
                Run::SplitsText => spaces += 1,
                Run::Nothing => {}
            }
            from += run.len();
        }
    }
    names > spaces || letters >= MANY && letters as f64 >= SHARE * text.split_whitespace().count() as f64
}

fn what(before: &str, run: &str, after: &str) -> Run {
    let last = before.trim_end_matches(SOFT_HYPHEN).chars().next_back();
    let first = after.chars().next();
    let is_mark = |c| matches!(c, '\u{300}'..='\u{34e}' | '\u{350}'..='\u{36f}');
    let only = |sign| run.chars().all(|c| c == sign || c == SOFT_HYPHEN);
    if last.is_some_and(|c| is_letter(c) || is_mark(c)) && first.is_some_and(is_letter) {
        match () {
            _ if only(NON_JOINER) && matches!(last, Some('f' | 'ſ')) => Run::Nothing,
            _ if only(NON_JOINER) => Run::SplitsLetters,
            _ if only(SPACE) => Run::SplitsNames,
            _ => Run::SplitsWord,
        }
    } else if only(SPACE) && [last, first].into_iter().flatten().any(has_no_spaces) {
        Run::SplitsText
    } else {
        Run::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_stands_inside_a_word() {
        for unseen in ['\u{200b}', '\u{200d}', '\u{200e}', '\u{34f}', '\u{fe0f}', '\u{feff}', '\u{e0061}'] {
            for (before, after) in
                [("mil", "ler"), ("мель", "ник"), ("ποτα", "μός"), ("te\u{301}", "te"), ("x\u{ad}", "y")]
            {
                for around in ["", " “quoted”", &"long ".repeat(30), "漢字かな", "\u{200b}"] {
                    let text = format!("{around} {before}{unseen}{after} {around}");
                    assert!(inside_word(&text), "{text:?}");
                    assert!(inside_word(&format!("{around} {before}{unseen}\u{ad}{unseen}{after}")));
                }
            }
        }
    }

    #[test]
    fn leaves_out_what_words_need() {
        for text in [
            "plain",
            "“quoted” – and naïve café",
            "\u{feff}a mark at the start, \u{200e}and\u{200e} between words\u{200b}",
            "Do\u{ad}nau\u{ad}dampf",
            "Auf\u{200c}lage",
            "نمی\u{200c}خواهم Word\u{200c}های",
            "क्\u{200d}ष",
            "ok👩\u{200d}🚀 a❤\u{fe0f}b 1\u{fe0f}\u{20e3}",
            "2a\u{2062}b",
            "葛\u{e0100}城",
            "Wach\u{200c}stube und Staub\u{200c}ecken, Haus\u{200c}\u{ad}thür im Ort",
            "ใช้\u{200b}Microsoft\u{200b}Word\u{200b}และ\u{200b}Excel\u{200b}Google\u{200b}Docs\u{200b}Drive\u{200b}Maps",
            "ប្រើ\u{200b}Facebook\u{200b}Messenger\u{200b}និង",
            "a\u{34f}\u{308}",
        ] {
            assert!(!inside_word(text), "{text:?}");
            assert!(!inside_word(&format!("{text} ").repeat(20)), "{text:?}");
        }
    }

    #[test]
    fn counts_more_than_words_need() {
        let typeset = "Wach\u{200c}stube ".repeat(20);
        assert!(inside_word(&typeset));
        assert!(inside_word(&format!("{typeset}{}", "wort ".repeat(10))));
        assert!(!inside_word(&format!("{typeset}{}", "wort ".repeat(11))));
        assert!(!inside_word(&"Wach\u{200c}stube ".repeat(19)));
        assert!(inside_word("Wach\u{200c}\u{200b}stube"));
        assert!(inside_word("ใช้\u{200b}และ mil\u{200b}ler ri\u{200b}ver"));
        assert!(inside_word("ใช้\u{200b}และ\u{200b}ใช้ mil\u{200d}ler"));
    }

    #[test]
    fn takes_linear_time() {
        for unit in ["\u{200b}", "\u{200b}\u{ad}", "\u{ad}\u{200b}.", "a\u{200b}.", "\u{ad}", "かな\u{200b}a\u{200b}a"]
        {
            assert!(!inside_word(&unit.repeat(1 << 20)));
        }
        assert!(inside_word(&"a\u{200b}".repeat(1 << 20)));
    }
}
