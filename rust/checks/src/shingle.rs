//! Any text and recipe: the quick way to shingles, the one with places, and the set of them say the same.

use lookalike_core::control::Control;
use lookalike_core::hash::ShingleHash;
use lookalike_core::recipe::{Recipe, Unit};
use lookalike_core::shingle::{BLOCK, Placed, Scratch, Shingler};
use lookalike_core::sign::sign_one;
use lookalike_core::sketch::{INFINITY, Sketcher};

use crate::texts::{check_places, recipe, text};

/// Any text and recipe: the quick way to shingles, the one with places, and the set of them say the same.
pub fn shingle(data: &[u8]) {
    let Some((recipe, hard, rest)) = recipe(data) else { return };
    let mut text = text(rest, hard);
    // A text of several blocks is slow, so it is made only now and then.
    let several_blocks = data[2] == 240 && !text.is_empty();
    if several_blocks {
        text = text.repeat(2 * BLOCK / text.len() + 2);
    }
    let shingler = Shingler::new(&recipe).expect("a good recipe");
    let mut scratch = Scratch::default();
    // A document before this one: nothing of it may be left in the buffers.
    shingler.each_block("Another text, été 12, before this one.", &mut scratch, |_| ());

    let mut quick = Vec::new();
    shingler.each_block(&text, &mut scratch, |block| {
        assert!((1..=BLOCK).contains(&block.len()));
        quick.extend_from_slice(block);
    });

    let units = shingler.units(&text, &Control::new(1)).expect("short enough");
    check_places(&text, units.iter().map(|p| (p.start, p.end)));
    assert_eq!(quick, hashes(&recipe, &units));
    if !several_blocks {
        let shingles = shingler.shingles(&text, &Control::new(1)).expect("short enough");
        check_places(&text, shingles.iter().map(|p| (p.start, p.end)));
        assert_eq!(shingles.len(), quick.len());
    }

    let set = shingler.set(&text, &mut scratch, &Control::new(1)).expect("nobody stops it");
    assert!(set.is_sorted_by(|x, y| x < y));
    if !recipe.bag {
        quick.sort_unstable();
        quick.dedup();
        assert_eq!(set, quick);
    } else {
        assert_eq!(set.len(), quick.len());
    }

    let sketcher = Sketcher::new(&recipe).expect("a good recipe");
    let (mut of_text, mut of_set) = (vec![INFINITY; recipe.hashes], vec![INFINITY; recipe.hashes]);
    sign_one(&shingler, &sketcher, &text, &mut of_text, &mut scratch, &Control::new(1)).expect("nobody stops it");
    sketcher.update(&mut of_set, &set);
    assert_eq!(of_text, of_set);
    assert!(!of_text.contains(&INFINITY));
}

/// The shingle hashes by docs/format.md §3–4, straight from the units.
fn hashes(recipe: &Recipe, units: &[Placed]) -> Vec<u64> {
    let hash = ShingleHash::new(recipe.seed);
    let one = |window: &[Placed]| match recipe.unit {
        Unit::Word | Unit::Token => {
            hash.words(&window.iter().map(|u| hash.slice(u.text.as_bytes())).collect::<Vec<_>>())
        }
        Unit::Char => hash.slice(window.iter().map(|u| u.text.as_str()).collect::<String>().as_bytes()),
    };
    if units.len() < recipe.k { vec![one(units)] } else { units.windows(recipe.k).map(one).collect() }
}
