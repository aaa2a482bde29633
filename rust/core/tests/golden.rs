//! The vectors of format 2 (docs/format.md), made by the Python reference and read by `pytest` too.

use std::path::Path;

use lookalike_core::Recipe;
use lookalike_core::bands::{Bands, KeyKind};
use lookalike_core::control::Control;
use lookalike_core::families::{FAMILIES, Family, Functions, first_primes};
use lookalike_core::hash::{ShingleHash, Stream};
use lookalike_core::recipe::{Form, SketchKind, Unit, Whitespace};
use lookalike_core::shingle::{Scratch, Shingler};
use lookalike_core::sign;
use serde_json::Value;

fn vectors() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/v2.json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).expect("valid JSON")
}

/// The entries of a section; an empty one would test nothing.
fn entries<'a>(vectors: &'a Value, section: &str) -> &'a [Value] {
    let found = vectors[section].as_array().unwrap_or_else(|| panic!("no section {section}"));
    assert!(!found.is_empty(), "section {section} is empty");
    found
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

/// A 64-bit number, written as hexadecimal digits.
fn long(value: &Value) -> u64 {
    u64::from_str_radix(text(value), 16).expect("hexadecimal digits")
}

fn longs(value: &Value) -> Vec<u64> {
    value.as_array().expect("an array").iter().map(long).collect()
}

fn int(value: &Value) -> usize {
    value.as_u64().expect("a whole number") as usize
}

fn ints(value: &Value) -> Vec<u32> {
    let small = |v| u32::try_from(int(v)).expect("32 bits");
    value.as_array().expect("an array").iter().map(small).collect()
}

fn family(value: &Value) -> Family {
    *FAMILIES.iter().find(|f| f.name() == text(value)).expect("a family")
}

fn recipe(given: &Value) -> Recipe {
    Recipe {
        unit: match text(&given["unit"]) {
            "char" => Unit::Char,
            "word" => Unit::Word,
            "token" => Unit::Token,
            other => panic!("unit {other}"),
        },
        k: int(&given["k"]),
        bag: given["bag"].as_bool().expect("a flag"),
        lowercase: given["lowercase"].as_bool().expect("a flag"),
        whitespace: match text(&given["whitespace"]) {
            "keep" => Whitespace::Keep,
            "collapse" => Whitespace::Collapse,
            "remove" => Whitespace::Remove,
            other => panic!("whitespace {other}"),
        },
        remove_marks: text(&given["punctuation"]) == "remove",
        strip_accents: text(&given["accents"]) == "strip",
        zero_digits: text(&given["digits"]) == "zero",
        stop_words: given["stop_words"].as_array().expect("words").iter().map(|w| text(w).into()).collect(),
        drop_invisible: text(&given["invisible"]) == "drop",
        form: match text(&given["form"]) {
            "none" => Form::None,
            "nfc" => Form::Nfc,
            "nfd" => Form::Nfd,
            "nfkc" => Form::Nfkc,
            "nfkd" => Form::Nfkd,
            other => panic!("form {other}"),
        },
        sketch: SketchKind::Fast,
        hashes: int(&given["hashes"]),
        seed: given["seed"].as_u64().expect("64 bits"),
    }
}

#[test]
fn streams_and_primes() {
    let vectors = vectors();
    assert_eq!(vectors["format"], 2);
    for v in entries(&vectors, "streams") {
        let mut stream = Stream::new(long(&v["state"]));
        for expected in longs(&v["numbers"]) {
            assert_eq!(stream.next(), expected, "{v}");
        }
    }
    let primes = ints(&vectors["primes"]);
    assert_eq!(first_primes(primes.len()), primes);
}

#[test]
fn hashes_of_bytes_words_and_occurrences() {
    let vectors = vectors();
    for v in entries(&vectors, "bytes") {
        let hash = ShingleHash::new(long(&v["seed"]));
        let digits = text(&v["data"]);
        let byte = |i| u8::from_str_radix(&digits[i..i + 2], 16).expect("hexadecimal digits");
        let data: Vec<u8> = (0..digits.len()).step_by(2).map(byte).collect();
        for (n, expected) in longs(&v["hashes"]).into_iter().enumerate() {
            assert_eq!(hash.slice(&data[..n]), expected, "{n} bytes of {v}");
        }
    }
    for v in entries(&vectors, "words") {
        let hash = ShingleHash::new(long(&v["seed"]));
        let words = v["words"].as_array().expect("words");
        let hashes: Vec<u64> = words.iter().map(|w| hash.slice(text(w).as_bytes())).collect();
        assert_eq!(hash.words(&hashes), long(&v["hash"]), "{v}");
    }
    for v in entries(&vectors, "occurrences") {
        let (hash, shingle) = (ShingleHash::new(long(&v["seed"])), long(&v["shingle"]));
        for (&j, expected) in ints(&v["occurrences"]).iter().zip(longs(&v["elements"])) {
            assert_eq!(hash.occurrence(shingle, u64::from(j)), expected, "{v}");
        }
    }
}

#[test]
fn units_and_elements_of_texts() {
    let vectors = vectors();
    let mut scratch = Scratch::default(); // one for all, as in a batch
    for v in entries(&vectors, "units") {
        let recipe = recipe(&vectors["recipes"][text(&v["recipe"])]);
        check_text(text(&vectors["texts"][text(&v["text"])]), &recipe, v, &mut scratch);
    }
    for v in entries(&vectors, "code") {
        check_text(text(&v["text"]), &recipe(&v["recipe"]), v, &mut scratch);
    }
}

fn check_text(original: &str, recipe: &Recipe, v: &Value, scratch: &mut Scratch) {
    let shingler = Shingler::new(recipe).unwrap();
    let units: Vec<String> = shingler.units(original, &Control::new(1)).unwrap().into_iter().map(|u| u.text).collect();
    match &v["units"] {
        Value::String(joined) => assert_eq!(&units.concat(), joined, "{v}"),
        words => assert_eq!(units, words.as_array().unwrap().iter().map(text).collect::<Vec<_>>(), "{v}"),
    }
    assert_eq!(shingler.set(original, scratch, &Control::new(1)).unwrap(), longs(&v["elements"]), "{v}");
}

#[test]
fn values_of_the_families() {
    for v in entries(&vectors(), "values") {
        let i = int(&v["function"]);
        let functions = Functions::new(family(&v["family"]), i + 1, long(&v["seed"]));
        let found: Vec<u32> = ints(&v["keys"]).into_iter().map(|key| functions.value(i, key)).collect();
        assert_eq!(found, ints(&v["values"]), "{v}");
    }
}

#[test]
fn signatures_of_sets() {
    let vectors = vectors();
    for v in entries(&vectors, "signatures") {
        let set = &vectors["sets"][text(&v["set"])];
        let elements = if set["stream"].is_string() {
            let mut stream = Stream::new(long(&set["stream"]));
            (0..int(&set["count"])).map(|_| stream.next()).collect()
        } else {
            longs(&set["elements"])
        };
        let recipe = Recipe {
            sketch: match text(&v["sketch"]) {
                "fast" => SketchKind::Fast,
                _ => SketchKind::Classic(family(&v["family"])),
            },
            hashes: int(&v["hashes"]),
            seed: long(&v["seed"]),
            ..Recipe::default()
        };
        let found = sign::sign_sets(&[elements], &recipe, &Control::new(1)).unwrap();
        assert_eq!(found, ints(&v["slots"]), "{}, {} hashes", v["set"], v["hashes"]);
    }
}

#[test]
fn band_keys() {
    let vectors = vectors();
    for v in entries(&vectors, "bands") {
        let kind = match text(&v["kind"]) {
            "mix64" => KeyKind::Mix64,
            "hash_vec64" => KeyKind::HashVec64,
            "hash_vec32" => KeyKind::HashVec32,
            other => panic!("kind {other}"),
        };
        let slots = ints(&vectors["band signatures"][text(&v["signature"])]);
        let bands = Bands { bands: int(&v["bands"]), rows: int(&v["rows"]) };
        let found = bands.keys(kind, &slots, slots.len(), &Control::new(1)).unwrap();
        assert_eq!(found, longs(&v["keys"]), "{v}");
    }
}
