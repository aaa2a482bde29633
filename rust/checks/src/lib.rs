//! What must hold for any input. Each check takes the bytes of an input and panics if something does not hold.
//!
//! `rust/fuzz` has a target for each check, which looks for such an input; `tests/replay.rs` calls the checks on the
//! inputs that are kept, the seeds of the fuzzer and whatever it once found.

mod json_lines;
mod normalize;
mod parquet;
mod passages;
mod shingle;
mod table;
mod texts;

pub use json_lines::json_lines;
pub use normalize::normalize;
pub use parquet::parquet;
pub use passages::passages;
pub use shingle::shingle;

/// A check of one input.
pub type Check = fn(&[u8]);

/// Every check under the name of its target.
pub const CHECKS: [(&str, Check); 5] = [
    ("json_lines", json_lines),
    ("normalize", normalize),
    ("parquet", parquet),
    ("passages", passages),
    ("shingle", shingle),
];
