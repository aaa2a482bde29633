//! The picker beside serde_json, a full reader, on objects that are made and on objects that are damaged.

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::{DEEPEST, MOST_DIGITS, Picked, Wrong, check, pick};
use crate::{BadLine, Wanted};

fn wanted() -> Wanted {
    Wanted { text: "text".into(), id: Some("id".into()) }
}

/// What the picker finds, with strings as they are read.
#[derive(Debug, PartialEq)]
enum Seen {
    Null,
    Text(String),
    Number(i64),
    Other,
}

fn picked(line: &str) -> Result<(Seen, Seen), Wrong> {
    found(line).map_err(|bad| bad.fault)
}

fn found(line: &str) -> Result<(Seen, Seen), BadLine> {
    let mut made = String::new();
    let picked = pick(line, true, &wanted(), &mut made);
    assert_eq!(picked.as_ref().err(), check(line, true).as_ref().err(), "{line}");
    let (text, id) = picked?;
    let seen = |picked: Picked<'_>| match picked {
        Picked::Null => Seen::Null,
        Picked::Text(span) => Seen::Text(span.get(&made).to_owned()),
        Picked::Number(number) => Seen::Number(number),
        Picked::Other(_) => Seen::Other,
    };
    Ok((seen(text), seen(id)))
}

fn expected(value: Option<&Value>) -> Seen {
    match value {
        None | Some(Value::Null) => Seen::Null,
        Some(Value::String(text)) => Seen::Text(text.clone()),
        Some(value) => value.as_i64().map_or(Seen::Other, Seen::Number),
    }
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![".*", "[a-z\"\\\\/\n\t\u{8}é🐝]{0,40}", Just("text".to_owned()), Just("id".to_owned())]
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1_000_000i32..1_000_000).prop_map(|n| Value::from(f64::from(n) / 8.0)),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((any_text(), inner), 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn any_object() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec((any_text(), any_value()), 0..8).prop_map(|fields| fields.into_iter().collect())
}

/// Spell a string with escapes where `odd` says so.
fn spell(text: &str, odd: u64) -> String {
    let mut out = String::from('"');
    for (i, char) in text.chars().enumerate() {
        if odd >> (i % 64) & 1 == 1 {
            char.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out += &format!("\\u{unit:04x}"));
        } else {
            let plain = serde_json::to_string(&char).expect("a character can be written");
            out += &plain[1..plain.len() - 1];
        }
    }
    out + "\""
}

/// Write an object with white space anywhere and every spelling of strings.
fn write(value: &Value, odd: u64) -> String {
    let space = [" ", "", "\t", " \r "][(odd % 4) as usize];
    let odd = odd.rotate_left(7);
    match value {
        Value::String(text) => spell(text, odd),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| write(item, odd)).collect();
            format!("[{space}{}{space}]", items.join(&format!("{space},{space}")))
        }
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                format!("{}{space}:{space}{}", spell(name, odd.rotate_left(3)), write(value, odd))
            };
            let fields: Vec<_> = fields.iter().map(field).collect();
            format!("{space}{{{space}{}{space}}}{space}", fields.join(&format!("{space},{space}")))
        }
        other => other.to_string(),
    }
}

proptest! {
    #[test]
    fn finds_what_a_full_reader_finds(object in any_object(), odd in any::<u64>()) {
        let line = write(&Value::Object(object.clone()), odd);
        prop_assert_eq!(serde_json::from_str::<Value>(&line).ok(), Some(Value::Object(object.clone())));
        let found = (expected(object.get("text")), expected(object.get("id")));
        prop_assert_eq!(picked(&line), Ok(found), "{}", line);
    }

    #[test]
    fn refuses_what_a_full_reader_refuses(object in any_object(), odd in any::<u64>(), place in any::<prop::sample::Index>(), byte in 0u8..128, cut in any::<bool>()) {
        let mut line = write(&Value::Object(object), odd).into_bytes();
        let place = place.index(line.len());
        if cut { line.truncate(place) } else { line[place] = byte }
        let Ok(line) = String::from_utf8(line) else { return Ok(()) };
        // Half a surrogate pair, and numbers that no float holds, are no errors for Python.
        let full: Result<Map<String, Value>, _> = serde_json::from_str(&line);
        match full {
            Ok(fields) => prop_assert_eq!(picked(&line), Ok((expected(fields.get("text")), expected(fields.get("id")))), "{}", line),
            Err(error) if error.to_string().contains("surrogate") || error.to_string().contains("hex escape") => {}
            Err(error) if error.to_string().contains("out of range") => {}
            Err(_) => {
                let wrong = picked(&line).expect_err(&line);
                prop_assert!(matches!(wrong, Wrong::Malformed | Wrong::CutOff | Wrong::NotAnObject), "{wrong:?} {line}");
            }
        }
    }

    #[test]
    fn takes_any_line_without_a_panic(line in ".*") {
        let _ = picked(&line);
        let _ = picked(&format!("{{\"text\":{line}}}"));
    }
}

fn text(line: &str) -> Seen {
    picked(line).map_or_else(|wrong| panic!("{wrong:?}: {line}"), |(text, _)| text)
}

#[test]
fn the_last_of_several_fields_counts() {
    assert_eq!(text(r#"{"text": "a", "text": "b"}"#), Seen::Text("b".into()));
    assert_eq!(text(r#"{"text": 5, "text": "b\n"}"#), Seen::Text("b\n".into()));
    assert_eq!(text(r#"{"text": "b\n", "text": null}"#), Seen::Null);
}

#[test]
fn halves_of_pairs_become_replacement_characters() {
    for (line, expected) in [
        (r#"{"text": "\ud83d\ude00"}"#, "😀"),
        (r#"{"text": "\uD83Da"}"#, "\u{fffd}a"),
        (r#"{"text": "\ude00\ud83d"}"#, "\u{fffd}\u{fffd}"),
        (r#"{"text": "\ud83d\ud83d\ude00"}"#, "\u{fffd}😀"),
        (r#"{"text": "\ud83d\n"}"#, "\u{fffd}\n"),
        (r#"{"te\u0078t": "x"}"#, "x"),
    ] {
        assert_eq!(text(line), Seen::Text(expected.into()), "{line}");
    }
    assert_eq!(picked(r#"{"text": "\ud83d\u12"}"#), Err(Wrong::Malformed));
}

#[test]
fn a_name_with_half_a_pair_is_no_name_that_can_be_asked_for() {
    let wanted = Wanted { text: "\u{fffd}".into(), id: None };
    let find = |line| pick(line, true, &wanted, &mut String::new()).expect("an object").0;
    assert_eq!(find(r#"{"\ud800": 1}"#), Picked::Null);
    assert_eq!(find(r#"{"\ufffd": 1}"#), Picked::Number(1));
    assert_eq!(find("{\"\u{fffd}\": 1}"), Picked::Number(1));
}

#[test]
fn numbers_are_those_of_python() {
    let id = |number: &str| picked(&format!(r#"{{"id": {number}}}"#)).map(|(_, id)| id);
    assert_eq!(id("-9223372036854775808"), Ok(Seen::Number(i64::MIN)));
    assert_eq!(id("9223372036854775808"), Ok(Seen::Other));
    assert_eq!(id("-0"), Ok(Seen::Number(0)));
    for other in ["1.0", "1e3", "NaN", "Infinity", "-Infinity", "true", "[]", "{}"] {
        assert_eq!(id(other), Ok(Seen::Other), "{other}");
    }
    for wrong in ["01", "-", "+1", "1.", ".5", "1e", "-NaN", "nul", "0x1", "Inf", "1 2", ""] {
        assert_eq!(id(wrong), Err(Wrong::Malformed), "{wrong}");
    }
    assert_eq!(id(&"9".repeat(MOST_DIGITS)), Ok(Seen::Other));
    assert_eq!(id(&"9".repeat(MOST_DIGITS + 1)), Err(Wrong::LongNumber));
}

#[test]
fn a_line_is_one_object() {
    for (line, fault, place) in [
        ("", Wrong::NotAnObject, 0),
        (" []", Wrong::NotAnObject, 1),
        ("null", Wrong::NotAnObject, 0),
        ("5", Wrong::NotAnObject, 0),
        ("\"text\"", Wrong::NotAnObject, 0),
        ("{} {}", Wrong::Malformed, 3),
        ("{},", Wrong::Malformed, 2),
        ("{\"a\":1,}", Wrong::Malformed, 7),
        ("{,}", Wrong::Malformed, 1),
        ("{a:1}", Wrong::Malformed, 1),
        ("{\"é\" 1}", Wrong::Malformed, 5),
        ("{\"a\": \"b\t\"}", Wrong::Malformed, 8),
        ("{", Wrong::CutOff, 1),
        ("{\"a\": [1, ", Wrong::CutOff, 10),
        ("{\"a\": \"bcd", Wrong::CutOff, 7),
    ] {
        assert_eq!(found(line), Err(BadLine { fault, place }), "{line}");
    }
}

#[test]
fn what_is_nested_too_deeply_is_refused() {
    let nested = |depth: usize| format!(r#"{{"a": {}{}}}"#, "[".repeat(depth), "]".repeat(depth));
    assert_eq!(picked(&nested(DEEPEST - 1)), Ok((Seen::Null, Seen::Null)));
    assert_eq!(picked(&nested(DEEPEST)), Err(Wrong::Deep));
    assert_eq!(picked(&nested(100_000)), Err(Wrong::Deep));
}
