//! The errors of the core. Bad settings are refused before work starts; after that, work can only be stopped, or miss
//! texts that it requests.

use std::fmt;

/// Every error of the core.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// A setting outside its range. `field` is its name in the recipe.
    Setting {
        /// Name of the setting.
        field: &'static str,
        /// What was given.
        given: String,
        /// What is allowed.
        allowed: String,
    },
    /// More documents, or more units in one document, than 32-bit numbers can count.
    TooLarge(String),
    /// The caller asked to stop (Ctrl-C).
    Interrupted,
    /// Texts or rows that were requested from the caller are unavailable. The caller knows why.
    Outside(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Setting { field, given, allowed } => write!(f, "{field} must be {allowed}, not {given}"),
            Error::TooLarge(what) => write!(f, "{what}"),
            Error::Interrupted => write!(f, "interrupted"),
            Error::Outside(why) => write!(f, "{why}"),
        }
    }
}

impl std::error::Error for Error {}

/// Result of a call into the core.
pub type Result<T> = std::result::Result<T, Error>;
