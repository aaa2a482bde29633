//! Where the time of a signature goes, stage by stage: `cargo bench --manifest-path rust/Cargo.toml`, behind it
//! `-- "chars 9"` for the recipes whose names begin so.
//!
//! Best of several runs on one thread, on English-like text made here; `make bench` measures the whole from Python.

use std::hint::black_box;
use std::time::Instant;

use lookalike_core::Recipe;
use lookalike_core::control::Control;
use lookalike_core::families::Family;
use lookalike_core::hash::Stream;
use lookalike_core::recipe::{SketchKind, Unit, Whitespace};
use lookalike_core::shingle::{Scratch, Shingler};
use lookalike_core::sign::sign_one;
use lookalike_core::sketch::{INFINITY, Sketcher};

const DOCUMENTS: usize = 4_000;
const WORDS: u64 = 450;

/// Words of 1 to 12 letters, frequent ones short, with capitals and marks as prose has them.
fn text(g: &mut Stream) -> String {
    let mut out = String::new();
    for i in 0..WORDS {
        let rank = ((g.next() >> 11) as f64 / (1u64 << 53) as f64 * 9.0).exp() as u64; // nearly Zipf's law
        let mut w = Stream::new(rank);
        let letters = 1 + (rank as f64).ln() as u64 / 2 + w.next() % 6;
        for l in 0..letters {
            let c = (b'a' + (w.next() % 26) as u8) as char;
            out.push(if l == 0 && i % 11 == 0 { c.to_ascii_uppercase() } else { c });
        }
        out.push_str(match g.next() % 40 {
            0..3 => ", ",
            3..6 => ". ",
            6 => "-",
            7 => "\n\n",
            8 => "'s ",
            _ => " ",
        });
    }
    out
}

fn time(name: &str, bytes: usize, mut work: impl FnMut()) {
    let best = (0..15)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min);
    println!("{name:<44} {:8.0} MB/s", bytes as f64 / best / 1e6);
}

fn main() {
    let mut g = Stream::new(7);
    let texts: Vec<String> = (0..DOCUMENTS).map(|_| text(&mut g)).collect();
    let bytes = texts.iter().map(String::len).sum();
    let plain = Recipe { unit: Unit::Char, k: 9, ..Recipe::default() };
    let kept = Recipe { whitespace: Whitespace::Keep, remove_marks: false, ..plain.clone() };
    let classic = |family| Recipe { sketch: SketchKind::Classic(family), hashes: 128, ..Recipe::default() };
    let recipes = [
        ("words 5, fast", Recipe::default()),
        ("chars 9", plain),
        ("chars 9, all kept", kept),
        ("words 5, classic multiplicative 128", classic(Family::Multiplicative)),
        ("words 5, classic modular 128", classic(Family::Modular)),
        ("words 5, classic murmur3 128", classic(Family::Murmur3)),
        ("words 5, classic jenkins 128", classic(Family::Jenkins)),
    ];
    let wanted = std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_default();
    for (name, recipe) in recipes.into_iter().filter(|(name, _)| name.starts_with(&wanted)) {
        let shingler = Shingler::new(&recipe).expect("a good recipe");
        let sketcher = Sketcher::new(&recipe).expect("a good recipe");
        let (mut scratch, control) = (Scratch::default(), Control::new(1));
        time(&format!("{name}: shingles"), bytes, || {
            for t in &texts {
                shingler.each_block(t, &mut scratch, |block| {
                    black_box(block);
                });
            }
        });
        let mut slots = vec![INFINITY; recipe.hashes];
        time(&format!("{name}: signatures"), bytes, || {
            for t in &texts {
                slots.fill(INFINITY);
                black_box(sign_one(&shingler, &sketcher, t, &mut slots, &mut scratch, &control))
                    .expect("nobody stops it");
            }
        });
        time(&format!("{name}: sets"), bytes, || {
            for t in &texts {
                black_box(shingler.set(t, &mut scratch, &control)).expect("nobody stops it");
            }
        });
    }
}
