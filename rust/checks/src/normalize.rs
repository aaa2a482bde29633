//! Any text and settings: the three ways to normalise agree, and every code point comes from somewhere.

use lookalike_core::normalize::Normalizer;

use crate::texts::{check_places, recipe, text};

/// Any text and settings: the three ways to normalise agree, and every code point comes from somewhere.
pub fn normalize(data: &[u8]) {
    let Some((recipe, hard, rest)) = recipe(data) else { return };
    let text = text(rest, hard);
    let normalizer = Normalizer::new(&recipe);
    let mut plain = String::new();
    normalizer.any(&text, &mut plain);

    let traced = normalizer.traced(&text).expect("short enough");
    assert_eq!(traced.text, plain);
    assert_eq!(traced.spans.len(), plain.chars().count());
    check_places(&text, traced.spans.iter().map(|&(start, end)| (start as usize, end as usize)));
    assert!(traced.spans.iter().all(|(start, end)| start < end));

    if text.is_ascii() {
        let mut ascii = Vec::new();
        normalizer.ascii(text.as_bytes(), &mut ascii);
        assert_eq!(ascii, plain.as_bytes());
    }
}
