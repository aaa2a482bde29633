//! Near-duplicates among a few texts, with the core alone: `cargo run -p lookalike-core --example near_duplicates`.

use lookalike_core::bands::Bands;
use lookalike_core::control::Control;
use lookalike_core::groups::star;
use lookalike_core::intake::{Intake, Keep};
use lookalike_core::jaccard::Metric;
use lookalike_core::search::find;
use lookalike_core::shingle::Scratch;
use lookalike_core::sign::Signer;
use lookalike_core::strategy::{Method, Search};
use lookalike_core::{Recipe, Result};

const TEXTS: [&str; 4] = [
    "The moon pulls the water of the sea towards itself, and the tide rises twice a day on every open coast.",
    "A bridge of stone was built three times over the same river, and the town remembers all three of them.",
    "The moon pulls the water of the sea towards itself, and the tide rises twice a day on every rocky coast.",
    "The moon pulls the water of the sea towards itself, and the tide rises twice a day on every open coast.",
];

fn main() -> Result<()> {
    // What a similarity is, and what is looked for: 64 bands of 4 rows propose almost every pair above one half.
    let recipe = Recipe { k: 3, ..Recipe::default() };
    let bands = Bands { bands: 64, rows: 4 };
    let search = Search::new(&recipe, 0.6, Method::Lsh { bands, least: 0 });

    // The first read: batches are signed, on any thread and in any order, and their texts are let go.
    let control = Control::new(2);
    let intake = Intake::new(Signer::new(&recipe, search.shingler()?, Some(bands))?, Keep::Rows);
    intake.add((0, 0), &TEXTS, &mut Scratch::default(), &control)?;

    // The second read asks for the texts of candidate pairs again. Here they are in memory; implement `Texts` for others.
    let found = find(intake.finish(&control)?, &TEXTS.to_vec(), &search, None, &control)?;
    for pair in &found.pairs {
        println!("{} and {}: Jaccard {:.2}", pair.a, pair.b, Metric::Jaccard.score(pair.overlap));
    }

    // Clusters: exact duplicates are in one class, and every member reaches the threshold with its representative.
    let pairs: Vec<(u32, u32)> = found.pairs.iter().map(|pair| (pair.a, pair.b)).collect();
    let order: Vec<u32> = (0..TEXTS.len() as u32).collect();
    println!("representative of each: {:?}", star(&found.class, &pairs, &order));
    Ok(())
}
