//! Steps 2 to 6 of docs/format.md §1: invisible code points, Unicode form, accents, case, digits.
//!
//! Marks, white space and stop words are removed in `shingle.rs`, because words are found first.

use std::borrow::Cow;
use std::sync::OnceLock;

use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

use crate::error::{Error, Result};
use crate::recipe::{Form, Recipe};
use crate::simd::{self, Kernel, Tools};
use crate::unicode::{Settled, Tables};

/// Stands for each character of excluded text: Unicode promises that no text has it, and it is a unit of its own. No shingle
/// or passage reaches across it.
pub const EXCLUDED: char = '\u{fdd0}';

/// The text after §1, and where each of its code points comes from.
#[derive(Debug, Default, Clone)]
pub struct Traced {
    /// The normalised text.
    pub text: String,
    /// For each code point of `text`, the first byte and the byte after the last in the original.
    pub spans: Vec<(u32, u32)>,
}

/// A text after step 2, and where it comes from.
#[derive(Debug)]
pub struct Visible<'t> {
    /// The text without what is dropped.
    pub text: Cow<'t, str>,
    /// For each run that is dropped, where in `text` it stood, and how many bytes are gone up to there.
    gaps: Vec<(usize, usize)>,
}

impl Visible<'_> {
    /// The place in the original of a piece of `text`: from its first code point to its last, without what is dropped
    /// around it.
    pub fn original(&self, start: usize, end: usize) -> (usize, usize) {
        let gone = |gaps: usize| if gaps == 0 { 0 } else { self.gaps[gaps - 1].1 };
        let before_start = self.gaps.partition_point(|&(at, _)| at <= start);
        let before_end = self.gaps.partition_point(|&(at, _)| at < end);
        (start + gone(before_start), end + gone(before_end))
    }
}

/// The settings of §1.
#[derive(Debug, Clone, Copy)]
pub struct Normalizer {
    drop_invisible: bool,
    form: Form,
    strip_accents: bool,
    lowercase: bool,
    zero_digits: bool,
}

impl Normalizer {
    /// Take the settings from a recipe.
    pub fn new(recipe: &Recipe) -> Self {
        Normalizer {
            drop_invisible: recipe.drop_invisible,
            form: recipe.form,
            strip_accents: recipe.strip_accents,
            lowercase: recipe.lowercase,
            zero_digits: recipe.zero_digits,
        }
    }

    /// Append the normalised `text` to `out` if it is ASCII, which form and accents do not touch; if not, say so, and
    /// leave some of it in `out`.
    pub fn ascii(&self, text: &[u8], out: &mut Vec<u8>) -> bool {
        simd::dispatch(Ascii { normalizer: *self, text, out })
    }

    /// Append the normalised `text` to `out`.
    pub fn any(&self, text: &str, out: &mut String) {
        let formed = self.formed(text);
        let tables = Tables::get();
        out.reserve(formed.len());
        let mut copied = 0; // what steps 5 and 6 leave as it is, most of it, is copied in runs
        for (at, c) in formed.char_indices() {
            let new = self.simple(c, tables);
            if new != c {
                out.push_str(&formed[copied..at]);
                out.push(new);
                copied = at + c.len_utf8();
            }
        }
        out.push_str(&formed[copied..]);
    }

    /// Steps 5 and 6, one code point to one.
    #[inline(always)]
    fn simple(&self, c: char, tables: Tables) -> char {
        if c.is_ascii() {
            let c = if self.lowercase { c.to_ascii_lowercase() } else { c };
            return if self.zero_digits && c.is_ascii_digit() { '0' } else { c };
        }
        let c = if self.lowercase { tables.lower(c) } else { c };
        if self.zero_digits && tables.info(c).decimal() { '0' } else { c }
    }

    /// Step 2.
    pub fn visible<'a>(&self, text: &'a str) -> Visible<'a> {
        let whole = Visible { text: Cow::Borrowed(text), gaps: Vec::new() };
        if !self.drop_invisible || text.is_ascii() {
            return whole;
        }
        let tables = Tables::get();
        let mut pieces = text.split(|c| tables.invisible(c));
        let first = pieces.next().unwrap_or_default();
        if first.len() == text.len() {
            return whole;
        }
        let (mut kept, mut gaps) = (String::with_capacity(text.len()), Vec::new());
        kept.push_str(first);
        for piece in pieces.filter(|piece| !piece.is_empty()) {
            // Pieces are parts of the text: where one begins says how much is gone before it.
            gaps.push((kept.len(), piece.as_ptr() as usize - text.as_ptr() as usize - kept.len()));
            kept.push_str(piece);
        }
        Visible { text: Cow::Owned(kept), gaps }
    }

    /// Steps 2 to 4.
    fn formed<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let as_it_is = self.form == Form::None && !self.drop_invisible;
        let formed = if as_it_is || settled(self.form, self.drop_invisible).all(text) {
            Cow::Borrowed(text)
        } else {
            match self.visible(text).text {
                Cow::Borrowed(text) => normalized(self.form, text),
                Cow::Owned(text) => Cow::Owned(apply(self.form, &text).into_owned()),
            }
        };
        if !self.strip_accents {
            return formed;
        }
        let apart = match self.form {
            Form::Nfkc | Form::Nfkd => apply(Form::Nfkd, &formed),
            _ => apply(Form::Nfd, &formed),
        };
        let tables = Tables::get();
        let bare: String = apart.chars().filter(|&c| !tables.info(c).accent()).collect();
        let again = if self.form == Form::None { Form::Nfc } else { self.form };
        Cow::Owned(apply(again, &bare).into_owned())
    }

    /// The normalised text with the place in the original of each of its code points.
    pub fn traced(&self, text: &str) -> Result<Traced> {
        if u32::try_from(text.len()).is_err() {
            return Err(Error::TooLarge(format!(
                "a text of {} bytes is too long to be traced: 4 GiB is the most",
                text.len()
            )));
        }
        let visible = self.visible(text);
        let text = visible.text.as_ref();
        let tables = Tables::get();
        let mut traced = self.clusters(text, |c| !c.is_ascii() && tables.info(c).glue());
        let mut whole = String::new();
        self.any(text, &mut whole);
        if traced.text != whole {
            // A composition across our cluster borders: fall back to borders before ASCII only, which no form moves.
            traced = self.clusters(text, |c| !c.is_ascii());
        }
        for (start, end) in &mut traced.spans {
            let original = visible.original(*start as usize, *end as usize);
            (*start, *end) = (original.0 as u32, original.1 as u32);
        }
        Ok(traced)
    }

    /// Normalise cluster by cluster, where `glued` says which code points belong to the one before.
    fn clusters(&self, text: &str, glued: impl Fn(char) -> bool) -> Traced {
        let alone = self.form == Form::None && !self.strip_accents;
        let mut out = Traced::default();
        let mut start = 0;
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let end = at + c.len_utf8();
            if chars.peek().is_some_and(|&(_, next)| !alone && glued(next)) {
                continue;
            }
            let before = out.text.len();
            self.any(&text[start..end], &mut out.text);
            let made = out.text[before..].chars().count();
            out.spans.extend(std::iter::repeat_n((start as u32, end as u32), made));
            start = end;
        }
        out
    }
}

/// [`Normalizer::ascii`], compiled per instruction set.
struct Ascii<'a> {
    normalizer: Normalizer,
    text: &'a [u8],
    out: &'a mut Vec<u8>,
}

impl Kernel for Ascii<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<T: Tools>(self, _: T) -> bool {
        let Ascii { normalizer: Normalizer { lowercase, zero_digits, .. }, text, out } = self;
        out.reserve(text.len());
        // In parts, so that what was looked at is still in the first-level cache when it is copied.
        text.chunks(1024).all(|part| {
            if !part.is_ascii() {
                return false;
            }
            let zeroed = |b: u8| if b.is_ascii_digit() { b'0' } else { b };
            match (lowercase, zero_digits) {
                (true, false) => out.extend(part.iter().map(u8::to_ascii_lowercase)),
                (true, true) => out.extend(part.iter().map(|b| zeroed(b.to_ascii_lowercase()))),
                (false, true) => out.extend(part.iter().map(|&b| zeroed(b))),
                (false, false) => out.extend_from_slice(part),
            }
            true
        })
    }
}

fn apply(form: Form, text: &str) -> Cow<'_, str> {
    if form == Form::None || settled(form, false).all(text) { Cow::Borrowed(text) } else { normalized(form, text) }
}

fn normalized(form: Form, text: &str) -> Cow<'_, str> {
    match form {
        Form::None => Cow::Borrowed(text),
        Form::Nfc => ComposingNormalizerBorrowed::new_nfc().normalize(text),
        Form::Nfkc => ComposingNormalizerBorrowed::new_nfkc().normalize(text),
        Form::Nfd => DecomposingNormalizerBorrowed::new_nfd().normalize(text),
        Form::Nfkd => DecomposingNormalizerBorrowed::new_nfkd().normalize(text),
    }
}

/// What this form leaves as it is; without invisible code points if those are dropped.
fn settled(form: Form, drop_invisible: bool) -> &'static Settled {
    static TABLES: [[OnceLock<Box<Settled>>; 5]; 2] = [const { [const { OnceLock::new() }; 5] }; 2];
    let tables = Tables::get();
    Settled::of(&TABLES[usize::from(drop_invisible)][form as usize], |text| {
        (drop_invisible && text.contains(|c| tables.invisible(c))) || normalized(form, text) != text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn recipe(form: Form, strip_accents: bool) -> Recipe {
        Recipe { form, strip_accents, zero_digits: true, ..Recipe::default() }
    }

    #[test]
    fn invisible_code_points_go_first_and_places_stay() {
        let text = "\u{feff}a\u{ad}\u{200b}b \u{e0061}e\u{34f}\u{301}\u{fe0f}!";
        let traced = Normalizer::new(&recipe(Form::Nfc, false)).traced(text).unwrap();
        assert_eq!(traced.text, "ab é!");
        let from: Vec<&str> = traced.spans.iter().map(|&(start, end)| &text[start as usize..end as usize]).collect();
        assert_eq!(from, ["a", "b", " ", "e\u{34f}\u{301}", "!"]);
        let keep = Recipe { drop_invisible: false, ..recipe(Form::Nfc, false) };
        assert_eq!(Normalizer::new(&keep).traced(text).unwrap().text, text);
    }

    #[test]
    fn what_stands_for_excluded_text_is_not_dropped() {
        assert!(!Tables::get().invisible(EXCLUDED));
    }

    #[test]
    fn accents_go_and_kana_voicing_stays() {
        let mut out = String::new();
        Normalizer::new(&recipe(Form::Nfc, true)).any("Ángström Ёлка が שָׁלוֹם 42", &mut out);
        assert_eq!(out, "angstrom елка が שלום 00");
    }

    #[test]
    fn long_runs_of_marks_stay_linear() {
        let text = format!("a{}", "\u{301}".repeat(100_000));
        let traced = Normalizer::new(&recipe(Form::Nfc, false)).traced(&text).unwrap();
        assert_eq!(traced.spans.len(), traced.text.chars().count());
    }

    /// Two code points compose only if they are the parts of a composite: of those none but the first may be settled.
    #[test]
    fn settled_code_points_compose_with_nothing_before_them() {
        let tables = [Form::Nfc, Form::Nfd, Form::Nfkc, Form::Nfkd].map(|form| settled(form, false));
        for c in '\0'..=char::MAX {
            let apart = normalized(Form::Nfd, c.encode_utf8(&mut [0; 4])).into_owned();
            for part in apart.chars().skip(1) {
                assert!(tables.iter().all(|table| !table.all(&part.to_string())), "{part:?} of {c:?}");
            }
        }
        assert!(tables.iter().all(|table| table.all("plain ASCII, 漢字")));
        assert!(
            tables[0].all("Ünïcödé") && !tables[1].all("Ünïcödé") && !tables[2].all("ﬁ") && !tables[0].all("e\u{301}")
        );
    }

    /// Any texts, and texts of marks, letters and invisible code points that meet in every combination.
    fn texts() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<String>(),
            "[a漢é\u{301}\u{ad}\u{34f}\u{200d}\u{1161}\u{3164}\u{fe0f}\u{feff}\u{e0061} ]{0,12}"
        ]
    }

    proptest! {
        #[test]
        fn tracing_changes_nothing(text in texts(), strip: bool, drop_invisible: bool, form in 0..5usize) {
            let form = [Form::None, Form::Nfc, Form::Nfd, Form::Nfkc, Form::Nfkd][form];
            let n = Normalizer::new(&Recipe { drop_invisible, ..recipe(form, strip) });
            let mut plain = String::new();
            n.any(&text, &mut plain);
            let traced = n.traced(&text).unwrap();
            prop_assert_eq!(&traced.text, &plain);
            prop_assert_eq!(traced.spans.len(), plain.chars().count());
            for &(start, end) in &traced.spans {
                prop_assert!(start < end && text.get(start as usize..end as usize).is_some());
            }
            let mut bytes = vec![];
            prop_assert_eq!(n.ascii(text.as_bytes(), &mut bytes), text.is_ascii());
            if text.is_ascii() {
                prop_assert_eq!(bytes, plain.into_bytes());
            }
        }
    }
}
