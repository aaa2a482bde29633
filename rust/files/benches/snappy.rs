//! Our Snappy decoder beside the crate `snap`, on one thread:
//! `cargo bench --manifest-path rust/Cargo.toml -p lookalike-files`, behind it `-- FILE` for the text of a file instead of
//! text made here.

use std::hint::black_box;
use std::time::Instant;

#[allow(dead_code)] // its tests, which are not run here
#[path = "../src/columnar/snappy.rs"]
mod snappy;

/// Bytes of a page, as writers of Parquet make them.
const PAGE: usize = 1 << 20;
const PAGES: usize = 32;

/// Words of 1 to 10 letters, frequent ones short.
fn text() -> Vec<u8> {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        state >> 33
    };
    let mut out = Vec::new();
    while out.len() < PAGES * PAGE {
        let rank = (next() as f64 / (1u64 << 31) as f64 * 9.0).exp() as u64; // nearly Zipf's law
        let mut letters = rank.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for _ in 0..1 + rank.ilog2() as u64 / 3 + letters % 6 {
            letters = letters.rotate_left(7).wrapping_mul(0xd6e8_feb8_6659_fd93);
            out.push(b'a' + (letters >> 40) as u8 % 26);
        }
        out.push(b' ');
    }
    out
}

fn time(name: &str, pages: &[Vec<u8>], mut unpack: impl FnMut(&[u8]) -> usize) {
    let (mut best, mut bytes) = (f64::INFINITY, 0);
    for _ in 0..15 {
        let start = Instant::now();
        bytes = pages.iter().map(|page| unpack(page)).sum();
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{name:<12} {:8.0} MB/s", bytes as f64 / best / 1e6);
}

fn main() {
    let file = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let text = file.map_or_else(text, |name| std::fs::read(name).expect("a file that can be read"));
    let pack = |page: &[u8]| snap::raw::Encoder::new().compress_vec(page).expect("a page is small");
    let pages: Vec<Vec<u8>> = text.chunks(PAGE).map(pack).collect();
    let mut buffer = vec![0; 4 * PAGE];
    time("snap", &pages, |page| {
        let length = snap::raw::Decoder::new().decompress(page, &mut buffer).expect("packed above");
        black_box(&buffer);
        length
    });
    time("lookalike", &pages, |page| {
        let (length, elements) = snappy::header(page).expect("packed above");
        assert!(snappy::room(length, elements) <= buffer.len());
        snappy::unpack(elements, length, &mut buffer).expect("packed above");
        black_box(&buffer);
        length
    });
}
