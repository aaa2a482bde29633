//! Invisible characters inside words, counted for a note: what hides copying in a table, where nothing can be flagged by
//! name. The rule is that of `extract/clean_text.py`, which flags files, but for characters that are not cheap to find.

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

const SOFT_HYPHEN: char = '\u{ad}';
const NON_JOINER: char = '\u{200c}';
const BLOCK: usize = 64;

/// Whether a text has an invisible character inside a word.
pub fn inside_word(text: &str) -> bool {
    let bytes = text.as_bytes();
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
            } else if splits(&text[..from], run, after) {
                return true;
            } else {
                from += run.len();
            }
        }
    }
    false
}

fn splits(before: &str, run: &str, after: &str) -> bool {
    let before = before.trim_end_matches(SOFT_HYPHEN).chars().next_back();
    let is_mark = |c| matches!(c, '\u{300}'..='\u{34e}' | '\u{350}'..='\u{36f}');
    // German keeps letters apart that are no ligature.
    let is_useful = run.chars().eq([NON_JOINER]) && matches!(before, Some('f' | 'ſ'));
    before.is_some_and(|c| is_letter(c) || is_mark(c)) && after.chars().next().is_some_and(is_letter) && !is_useful
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
            "a\u{34f}\u{308}",
        ] {
            assert!(!inside_word(text), "{text:?}");
            assert!(!inside_word(&format!("{text} ").repeat(20)), "{text:?}");
        }
    }

    #[test]
    fn takes_linear_time() {
        for unit in ["\u{200b}", "\u{200b}\u{ad}", "\u{ad}\u{200b}.", "a\u{200b}.", "\u{ad}"] {
            assert!(!inside_word(&unit.repeat(1 << 20)));
        }
    }
}
