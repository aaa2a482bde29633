//! What the method needs to know of a code point, in one table. The data is that of the ICU4X crates, never that of the
//! compiler or the interpreter, because it is part of the published format.

use std::sync::OnceLock;

use icu_casemap::CaseMapper;
use icu_normalizer::properties::CanonicalCombiningClassMapBorrowed;
use icu_properties::props::{DefaultIgnorableCodePoint, ExtendedPictographic, GeneralCategory, WhiteSpace, WordBreak};
use icu_properties::{CodePointMapData, CodePointSetData};

/// Version of the Unicode tables, for `doctor`.
pub const UNICODE_TABLES: &str = "ICU4X 2.4";

/// Word_Break property (UAX #29).
#[allow(missing_docs)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Break {
    Other,
    CR,
    LF,
    Newline,
    Extend,
    ZWJ,
    Format,
    Katakana,
    HebrewLetter,
    ALetter,
    SingleQuote,
    DoubleQuote,
    MidNumLet,
    MidLetter,
    MidNum,
    Numeric,
    ExtendNumLet,
    RegionalIndicator,
    WSegSpace,
}

/// By number; filled up to a power of two, so that looking one up needs no check.
const BREAKS: [Break; 32] = {
    use Break::*;
    let named = [
        Other,
        CR,
        LF,
        Newline,
        Extend,
        ZWJ,
        Format,
        Katakana,
        HebrewLetter,
        ALetter,
        SingleQuote,
        DoubleQuote,
        MidNumLet,
        MidLetter,
        MidNum,
        Numeric,
        ExtendNumLet,
        RegionalIndicator,
        WSegSpace,
    ];
    let mut all = [Other; 32];
    let mut i = 0;
    while i < named.len() {
        all[i] = named[i];
        i += 1;
    }
    all
};

impl Break {
    /// Its name in the Unicode Character Database.
    pub fn name(self) -> &'static str {
        match self {
            Break::HebrewLetter => "Hebrew_Letter",
            Break::SingleQuote => "Single_Quote",
            Break::DoubleQuote => "Double_Quote",
            Break::RegionalIndicator => "Regional_Indicator",
            Break::Other => "Other",
            Break::CR => "CR",
            Break::LF => "LF",
            Break::Newline => "Newline",
            Break::Extend => "Extend",
            Break::ZWJ => "ZWJ",
            Break::Format => "Format",
            Break::Katakana => "Katakana",
            Break::ALetter => "ALetter",
            Break::MidNumLet => "MidNumLet",
            Break::MidLetter => "MidLetter",
            Break::MidNum => "MidNum",
            Break::Numeric => "Numeric",
            Break::ExtendNumLet => "ExtendNumLet",
            Break::WSegSpace => "WSegSpace",
        }
    }
}

/// Packed properties of a code point.
#[derive(Debug, Clone, Copy)]
pub struct Info(u16);

impl Info {
    const PICTOGRAPH: u16 = 1 << 5;
    const WHITE: u16 = 1 << 6;
    const MARK: u16 = 1 << 7;
    const DECIMAL: u16 = 1 << 8;
    const ACCENT: u16 = 1 << 9;
    const GLUE: u16 = 1 << 10;
    const INVISIBLE: u16 = 1 << 11;

    /// Word_Break class.
    #[inline(always)]
    pub fn word_break(self) -> Break {
        BREAKS[usize::from(self.0 & 31)]
    }
    /// Extended_Pictographic.
    #[inline(always)]
    pub fn pictograph(self) -> bool {
        self.0 & Self::PICTOGRAPH != 0
    }
    /// White_Space.
    #[inline(always)]
    pub fn white(self) -> bool {
        self.0 & Self::WHITE != 0
    }
    /// Punctuation mark: category P*, Sc, Sk or Sm, skin tones excepted.
    #[inline(always)]
    pub fn mark(self) -> bool {
        self.0 & Self::MARK != 0
    }
    /// Category Nd.
    #[inline(always)]
    pub fn decimal(self) -> bool {
        self.0 & Self::DECIMAL != 0
    }
    /// An accent that `accents = strip` drops (docs/format.md §1, step 3).
    #[inline(always)]
    pub fn accent(self) -> bool {
        self.0 & Self::ACCENT != 0
    }
    /// May change together with the code point before it when the Unicode form changes.
    #[inline(always)]
    pub fn glue(self) -> bool {
        self.0 & Self::GLUE != 0
    }
    /// Default_Ignorable_Code_Point, which `invisible = drop` drops.
    #[inline(always)]
    fn invisible(self) -> bool {
        self.0 & Self::INVISIBLE != 0
    }
}

/// Tables of the Basic Multilingual Plane: one load a code point instead of six look-ups.
struct Plane {
    info: Vec<Info>,
    lower: Vec<u16>,
}

fn plane() -> &'static Plane {
    static PLANE: OnceLock<Plane> = OnceLock::new();
    PLANE.get_or_init(|| Plane {
        info: (0..0x1_0000).map(slow_info).collect(),
        lower: (0..0x1_0000).map(|c| slow_lower(c) as u16).collect(),
    })
}

/// Properties of code points.
#[derive(Clone, Copy)]
pub struct Tables(&'static Plane);

impl std::fmt::Debug for Tables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tables")
    }
}

impl Tables {
    /// The tables; built on first use.
    pub fn get() -> Self {
        Tables(plane())
    }

    /// Properties of `c`.
    #[inline(always)]
    pub fn info(self, c: char) -> Info {
        self.0.info.get(c as usize).copied().unwrap_or_else(|| slow_info(c as u32))
    }

    /// Whether `c` is a Default_Ignorable_Code_Point. Asked of every code point of texts that are not settled, so beyond
    /// the plane this is one look-up, not all those of [`Tables::info`].
    #[inline(always)]
    pub fn invisible(self, c: char) -> bool {
        match self.0.info.get(c as usize) {
            Some(info) => info.invisible(),
            None => CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c),
        }
    }

    /// Simple lower-case mapping of `c`.
    #[inline(always)]
    pub fn lower(self, c: char) -> char {
        match self.0.lower.get(c as usize) {
            Some(&l) => char::from_u32(u32::from(l)).unwrap_or(c),
            None => CaseMapper::new().simple_lowercase(c),
        }
    }
}

/// Code points of the Basic Multilingual Plane that a Unicode form leaves as they are, wherever they stand: a text of
/// such needs no normalising, which is so for most texts, and quick to see.
#[derive(Debug)]
pub struct Settled([u64; 1024]);

impl Settled {
    /// The table of a form, given how the form changes a text; built on first use.
    pub fn of(slot: &'static OnceLock<Box<Settled>>, change: impl Fn(&str) -> bool) -> &'static Settled {
        slot.get_or_init(|| {
            let tables = Tables::get();
            let mut settled = Box::new(Settled([0; 1024]));
            for c in ('\0'..='\u{ffff}').filter(|&c| !tables.info(c).glue() && combining_class(c) == 0) {
                let unchanged = !change(c.encode_utf8(&mut [0; 4]));
                settled.0[c as usize / 64] |= u64::from(unchanged) << (c as u32 % 64);
            }
            settled
        })
    }

    /// Whether all code points of a text are settled.
    pub fn all(&self, text: &str) -> bool {
        text.chars().all(|c| self.0.get(c as usize / 64).is_some_and(|bits| bits >> (c as u32 % 64) & 1 == 1))
    }
}

/// Canonical combining class of `c`.
pub fn combining_class(c: char) -> u8 {
    CanonicalCombiningClassMapBorrowed::new().get_u8(c)
}

#[cold]
fn slow_lower(c: u32) -> u32 {
    char::from_u32(c).map_or(c, |c| CaseMapper::new().simple_lowercase(c) as u32)
}

#[cold]
fn slow_info(c: u32) -> Info {
    use GeneralCategory as G;
    let mut bits = word_break(c) as u16;
    let category = CodePointMapData::<GeneralCategory>::new().get32(c);
    let class = CanonicalCombiningClassMapBorrowed::new().get32_u8(c);
    if CodePointSetData::new::<ExtendedPictographic>().contains32(c) {
        bits |= Info::PICTOGRAPH;
    }
    if CodePointSetData::new::<WhiteSpace>().contains32(c) {
        bits |= Info::WHITE;
    }
    let mark = matches!(
        category,
        G::ConnectorPunctuation
            | G::DashPunctuation
            | G::OpenPunctuation
            | G::ClosePunctuation
            | G::InitialPunctuation
            | G::FinalPunctuation
            | G::OtherPunctuation
            | G::CurrencySymbol
            | G::ModifierSymbol
            | G::MathSymbol
    );
    // The skin tones of emoji are of category Sk, but no marks: they belong to the emoji before them.
    if mark && !matches!(c, 0x1f3fb..=0x1f3ff) {
        bits |= Info::MARK;
    }
    if category == G::DecimalNumber {
        bits |= Info::DECIMAL;
    }
    if matches!(class, 1 | 10..=36 | 200..=240) {
        bits |= Info::ACCENT;
    }
    if CodePointSetData::new::<DefaultIgnorableCodePoint>().contains32(c) {
        bits |= Info::INVISIBLE;
    }
    let combining = matches!(category, G::NonspacingMark | G::SpacingMark | G::EnclosingMark);
    // Besides combining marks, these compose backwards: Hangul vowels and finals, half-width kana voicing, Kirat Rai vowels.
    if combining || matches!(c, 0x1160..=0x11ff | 0xff9e | 0xff9f | 0x16d63..=0x16d6a) {
        bits |= Info::GLUE;
    }
    Info(bits)
}

fn word_break(c: u32) -> Break {
    let w = CodePointMapData::<WordBreak>::new().get32(c);
    let known = [
        (WordBreak::CR, Break::CR),
        (WordBreak::LF, Break::LF),
        (WordBreak::Newline, Break::Newline),
        (WordBreak::Extend, Break::Extend),
        (WordBreak::ZWJ, Break::ZWJ),
        (WordBreak::Format, Break::Format),
        (WordBreak::Katakana, Break::Katakana),
        (WordBreak::HebrewLetter, Break::HebrewLetter),
        (WordBreak::ALetter, Break::ALetter),
        (WordBreak::SingleQuote, Break::SingleQuote),
        (WordBreak::DoubleQuote, Break::DoubleQuote),
        (WordBreak::MidNumLet, Break::MidNumLet),
        (WordBreak::MidLetter, Break::MidLetter),
        (WordBreak::MidNum, Break::MidNum),
        (WordBreak::Numeric, Break::Numeric),
        (WordBreak::ExtendNumLet, Break::ExtendNumLet),
        (WordBreak::RegionalIndicator, Break::RegionalIndicator),
        (WordBreak::WSegSpace, Break::WSegSpace),
    ];
    known.iter().find(|(name, _)| *name == w).map_or(Break::Other, |&(_, class)| class)
}
