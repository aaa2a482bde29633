//! The inputs that are kept in `rust/fuzz/seeds` pass their checks, without a fuzzer.

use std::path::Path;

use lookalike_checks::{CHECKS, Check};

fn replay(name: &str, check: Check) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds").join(name);
    let mut inputs = 0;
    for entry in std::fs::read_dir(&folder).expect("every target has seeds") {
        let path = entry.expect("a file").path();
        let data = std::fs::read(&path).expect("a file that can be read");
        eprintln!("{}", path.display()); // shown if the check panics
        check(&data);
        // Cut off anywhere it is still an input: what a fuzzer tries first.
        (0..data.len()).step_by(1 + data.len() / 40).for_each(|end| check(&data[..end]));
        inputs += 1;
    }
    assert!(inputs >= 5, "{name} has only {inputs} seeds");
}

#[test]
fn every_input_that_is_kept_passes_its_check() {
    for (name, check) in CHECKS {
        replay(name, check);
    }
}

#[test]
fn every_check_has_a_target() {
    let targets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/fuzz_targets");
    let files = std::fs::read_dir(targets).expect("a folder").map(|entry| entry.expect("a file").file_name());
    let mut names: Vec<String> = files.map(|name| name.to_string_lossy().replace(".rs", "")).collect();
    names.sort();
    assert_eq!(names, CHECKS.map(|(name, _)| name.to_owned()));
}
