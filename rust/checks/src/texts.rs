//! How the bytes of the fuzzer become a recipe and texts.
//!
//! Four bytes of settings come first, the text follows, so that a seed is a small text file with a short head, and a
//! mutation changes either a setting or the text.

use lookalike_core::Recipe;
use lookalike_core::families::FAMILIES;
use lookalike_core::recipe::{Form, SketchKind, Unit, Whitespace};

/// Bytes of settings before the text.
pub const HEAD: usize = 4;

/// What is hard about Unicode, one code point for each byte from 0x80 on. Random bytes are hardly ever good UTF-8, and
/// when they are it is a letter that nothing happens to; here every byte above ASCII meets a rule.
const HARD: &str = concat!(
    "\u{300}\u{301}\u{308}\u{327}\u{345}\u{5b4}\u{5bc}\u{64b}\u{93c}\u{94d}\u{e31}",
    "\u{3099}\u{309a}\u{1161}\u{11a8}\u{1100}\u{ac00}\u{d7a3}\u{200d}\u{200b}\u{fe0f}\u{1f3fb}",
    "\u{1f469}\u{2764}\u{1f1e6}\u{1f1ff}\u{ad}\u{feff}\u{202e}\u{2028}\u{85}\u{a0}\u{3000}",
    "\u{130}\u{131}\u{df}\u{1e9e}\u{3a3}\u{3c2}\u{149}\u{fb01}\u{fdfa}\u{212b}\u{1d400}",
    "\u{10400}\u{4e00}\u{3042}\u{30a2}\u{ff71}\u{ff9e}\u{5d0}\u{5f3}\u{627}\u{e01}\u{660}",
    "\u{ff10}\u{1d7ce}\u{2019}\u{b7}\u{2014}\u{20ac}\u{fffd}\u{10ffff}\u{e000}",
);

/// The recipe that the head says, and what follows it.
pub fn recipe(data: &[u8]) -> Option<(Recipe, bool, &[u8])> {
    let (head, rest) = data.split_at_checked(HEAD)?;
    let [flags, k, more, seed] = head.try_into().ok()?;
    let bit = |n: u8| flags >> n & 1 == 1;
    let whitespace = [Whitespace::Collapse, Whitespace::Keep, Whitespace::Remove][usize::from(more / 5 % 3)];
    let stop_words: &[&str] = [&[][..], &["the", "a", "Don't", "\u{e9}t\u{e9}"][..]][usize::from(more / 15 % 2)];
    let family = FAMILIES[usize::from(seed) % FAMILIES.len()];
    let recipe = Recipe {
        unit: if more / 30 % 4 == 1 {
            Unit::Token
        } else if bit(0) {
            Unit::Char
        } else {
            Unit::Word
        },
        bag: bit(1),
        lowercase: !bit(2),
        remove_marks: !bit(3),
        strip_accents: bit(4),
        zero_digits: bit(5),
        drop_invisible: more / 120 % 2 == 0,
        k: 1 + usize::from(k % 64),
        form: [Form::Nfc, Form::None, Form::Nfd, Form::Nfkc, Form::Nfkd][usize::from(more % 5)],
        whitespace,
        stop_words: stop_words.iter().map(ToString::to_string).collect(),
        sketch: if bit(6) { SketchKind::Classic(family) } else { SketchKind::Fast },
        hashes: 1 + usize::from(seed % 40), // few: the time is for texts
        seed: u64::from(seed),
    };
    Some((recipe, bit(7), rest))
}

/// The bytes as UTF-8, or, if `hard`, one code point for each byte.
pub fn text(bytes: &[u8], hard: bool) -> String {
    if !hard {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let table: Vec<char> = HARD.chars().collect();
    bytes.iter().map(|&b| if b.is_ascii() { char::from(b) } else { table[usize::from(b) % table.len()] }).collect()
}

/// Places of one text in order: each begins and ends on a code point, not before the one before it.
pub fn check_places(text: &str, places: impl IntoIterator<Item = (usize, usize)>) {
    let mut last = (0, 0);
    for (start, end) in places {
        assert!(start <= end && text.get(start..end).is_some(), "{start}..{end} of {}", text.len());
        assert!(last.0 <= start && last.1 <= end, "{start}..{end} after {last:?}");
        last = (start, end);
    }
}
