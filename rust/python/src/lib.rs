//! The bindings between Python and the core: signatures of functions, nothing else. The Python side of each is documented in
//! `src/lookalike/_native.pyi`.

mod again;
mod engine;
mod fetch;
mod functions;
mod groups;
mod inputs;
mod json;
mod packed;
mod postings;
mod repeats;
mod rows;
mod run;
mod settings;
mod signatures;
mod spill;
mod stages;
mod strategy;
mod tables;
mod text;

use pyo3::prelude::*;

/// Native core of lookalike.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::engine::{Common, Intake, Spilled, limits, search};
    #[pymodule_export]
    use crate::fetch::fetch_texts;
    #[pymodule_export]
    use crate::functions::{
        CharProperties, avalanche, build_info, char_properties, counts, elements, family_value, hash_vec32, hash_vec64,
        jenkins_mix, linked, murmur3_32, overlap, passages, shared_in_long_runs, shingles, spread, star, units,
    };
    #[pymodule_export]
    use crate::groups::{at_least, closest, grouped, least_scores, principals, score_between, with_copies};
    #[pymodule_export]
    use crate::inputs::Input;
    #[pymodule_export]
    use crate::json::{json_groups, json_pairs};
    #[pymodule_export]
    use crate::packed::{join_texts, repeated_in, take_texts};
    #[pymodule_export]
    use crate::postings::{Postings, closest_rows, entries_of, merge_entries, numbers_in, posting_keys};
    #[pymodule_export]
    use crate::repeats::Repeats;
    #[pymodule_export]
    use crate::settings::Settings;
    #[pymodule_export]
    use crate::signatures::SignatureMatrix;
    #[pymodule_export]
    use crate::stages::{agree, confirm_copies, hot_pairs, propose, sets_of, sign_rows, verify, verify_sets};
    #[pymodule_export]
    use crate::strategy::Strategy;
    #[pymodule_export]
    use crate::tables::{TableError, TableFile, bad_lines};
}
