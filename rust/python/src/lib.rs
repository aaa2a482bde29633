//! The door from Python to the core: signatures of functions, nothing else. The Python side of each is documented in
//! `src/lookalike/_native.pyi`.

mod functions;
mod groups;
mod packed;
mod run;
mod settings;
mod signatures;
mod signer;
mod stages;
mod tables;
mod text;

use pyo3::prelude::*;

/// Native core of lookalike.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::functions::{
        CharProperties, avalanche, build_info, char_properties, common, counts, elements, family_value, find,
        hash_vec32, hash_vec64, jenkins_mix, linked, murmur3_32, overlap, passages, shingles, spread, star, units,
    };
    #[pymodule_export]
    use crate::groups::{at_least, closest, grouped, least_scores, principals, score_between, with_copies};
    #[pymodule_export]
    use crate::packed::take_texts;
    #[pymodule_export]
    use crate::settings::Settings;
    #[pymodule_export]
    use crate::signatures::SignatureMatrix;
    #[pymodule_export]
    use crate::signer::Signer;
    #[pymodule_export]
    use crate::stages::{BandBuckets, classes_of, filter_pairs, merge_pairs, sets_of, sign_batch, verify_pairs};
    #[pymodule_export]
    use crate::tables::{TableError, TableFile};
}
