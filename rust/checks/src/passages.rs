//! Any two texts and recipe: passages are equal in both texts, as long as they can be, and one after the other.

use lookalike_core::control::Control;
use lookalike_core::passages::{self as core, Run};
use lookalike_core::shingle::{Placed, Shingler};

use crate::texts::{check_places, recipe, text};

/// Up to this many units the definition itself is quick enough to compare with.
const SMALL: usize = 300;

/// Any two texts and recipe: passages are equal in both texts, as long as they can be, and one after the other.
pub fn passages(data: &[u8]) {
    let Some((recipe, hard, rest)) = recipe(data) else { return };
    let Some((&[least, cut], rest)) = rest.split_first_chunk::<2>() else { return };
    let least = 1 + usize::from(least % 12);
    let (a, b) = rest.split_at(rest.len() * usize::from(cut) / 255);
    let (a, b) = (text(a, hard), text(b, hard));
    let shingler = Shingler::new(&recipe).expect("a good recipe");
    let (units_a, units_b) = (
        shingler.units(&a, &Control::new(1)).expect("short enough"),
        shingler.units(&b, &Control::new(1)).expect("short enough"),
    );
    let hashes = |text: &str| -> Vec<u64> {
        let units = shingler.unit_hashes(text, &Control::new(1)).expect("short enough");
        check_places(text, units.iter().map(|&(_, start, end)| (start, end)));
        units.iter().map(|unit| unit.0).collect()
    };
    let (hashes_a, hashes_b) = (hashes(&a), hashes(&b));
    let found = core::passages(&hashes_a, &hashes_b, least, &Control::new(1)).expect("nobody stops it");

    check(&units_a, &units_b, least, &found);
    if units_a.len().max(units_b.len()) <= SMALL {
        assert_eq!(found, by_definition(&hashes_a, &hashes_b, least));
    }
}

fn check(a: &[Placed], b: &[Placed], least: usize, found: &[Run]) {
    let mut behind = 0;
    for run in found {
        let (end_a, end_b) = (run.a + run.length, run.b + run.length);
        assert!(run.length >= least);
        assert!(run.a >= behind, "passages overlap in A");
        let equal = |i: usize, j: usize| a[i].text == b[j].text;
        assert!((0..run.length).all(|i| equal(run.a + i, run.b + i)), "a passage differs");
        assert!(end_a == a.len() || end_b == b.len() || !equal(end_a, end_b), "goes on to the right");
        // To the left it may go on only into the passage before it.
        assert!(run.a == behind || run.b == 0 || !equal(run.a - 1, run.b - 1), "goes on to the left");
        behind = end_a;
    }
}

/// From left to right in A: the longest run that occurs in B, at its leftmost place.
fn by_definition(a: &[u64], b: &[u64], least: usize) -> Vec<Run> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < a.len() {
        let longest = (0..b.len())
            .map(|p| Run { a: at, b: p, length: a[at..].iter().zip(&b[p..]).take_while(|(x, y)| x == y).count() })
            .reduce(|best, next| if next.length > best.length { next } else { best });
        match longest {
            Some(run) if run.length >= least => {
                at += run.length;
                found.push(run);
            }
            _ => at += 1,
        }
    }
    found
}
