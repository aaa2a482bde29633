//! The settings that decide a similarity. Python's `Recipe` is the public class; this is its counterpart in the core.

use crate::error::{Error, Result};
use crate::families::Family;

/// What a shingle is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Code points.
    Char,
    /// Words by the default Unicode word boundaries.
    Word,
    /// Tokens of source code. Of the settings of normalisation only `drop_invisible` has an effect; those of marks, white
    /// space and stop words have none.
    Token,
}

/// What happens to white space (characters only).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whitespace {
    /// As it is.
    Keep,
    /// Runs become one space; none at the ends.
    Collapse,
    /// All of it is removed.
    Remove,
}

/// Unicode normalisation form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As it is.
    None,
    /// Canonical composition.
    Nfc,
    /// Canonical decomposition.
    Nfd,
    /// Compatibility composition.
    Nfkc,
    /// Compatibility decomposition.
    Nfkd,
}

/// Which sketch makes the signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SketchKind {
    /// Truncated fast similarity sketching.
    Fast,
    /// `hashes` hash functions of one family.
    Classic(Family),
}

/// Longest shingle: beyond it, rotations of the word hash would repeat (docs/format.md §4).
pub const MAX_K: usize = 64;
/// Longest signature.
pub const MAX_HASHES: usize = 65_535;

/// All settings of one similarity.
#[derive(Debug, Clone)]
pub struct Recipe {
    /// What a shingle is made of.
    pub unit: Unit,
    /// Units in a shingle.
    pub k: usize,
    /// Count repeated shingles.
    pub bag: bool,
    /// Fold case.
    pub lowercase: bool,
    /// White space (characters only).
    pub whitespace: Whitespace,
    /// Delete punctuation marks.
    pub remove_marks: bool,
    /// Delete accents.
    pub strip_accents: bool,
    /// Every digit becomes 0.
    pub zero_digits: bool,
    /// Words to exclude.
    pub stop_words: Vec<String>,
    /// Delete invisible code points.
    pub drop_invisible: bool,
    /// Unicode form.
    pub form: Form,
    /// Kind of signature.
    pub sketch: SketchKind,
    /// Slots of a signature.
    pub hashes: usize,
    /// Key of every hash.
    pub seed: u64,
}

impl Default for Recipe {
    fn default() -> Self {
        Recipe {
            unit: Unit::Word,
            k: 5,
            bag: false,
            lowercase: true,
            whitespace: Whitespace::Collapse,
            remove_marks: true,
            strip_accents: false,
            zero_digits: false,
            stop_words: Vec::new(),
            drop_invisible: true,
            form: Form::Nfc,
            sketch: SketchKind::Fast,
            hashes: 256,
            seed: 1,
        }
    }
}

impl Recipe {
    /// Refuse numbers out of range. Every engine is built from a checked recipe.
    pub fn check(&self) -> Result<()> {
        if !(1..=MAX_K).contains(&self.k) {
            return Err(Error::Setting {
                field: "k",
                given: self.k.to_string(),
                allowed: format!("a whole number from 1 to {MAX_K}"),
            });
        }
        if !(1..=MAX_HASHES).contains(&self.hashes) {
            return Err(Error::Setting {
                field: "hashes",
                given: self.hashes.to_string(),
                allowed: format!("a whole number from 1 to {MAX_HASHES}"),
            });
        }
        Ok(())
    }
}
