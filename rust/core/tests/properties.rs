//! The joins against each other, on small collections full of copies and near-copies.

use lookalike_core::Recipe;
use lookalike_core::bands::Bands;
use lookalike_core::batch::{Control, sign};
use lookalike_core::jaccard::Metric;
use lookalike_core::join::{Found, Method, Pair, Search, find};
use lookalike_core::recipe::Unit;
use lookalike_core::shingle::Shingler;
use proptest::prelude::*;

fn collection() -> impl Strategy<Value = Vec<String>> {
    let word = prop::sample::select(vec!["a", "b", "c", "d", "e", "été", "日本", "x9"]);
    let text = prop::collection::vec(word, 0..14).prop_map(|words| words.join(" "));
    prop::collection::vec(text, 0..24)
}

fn run(
    texts: &[String],
    recipe: &Recipe,
    metric: Metric,
    t: f64,
    method: Method,
    old_from: usize,
    threads: usize,
) -> Found {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let search = Search { recipe, metric, threshold: t, method, old_from, ignored: &[] };
    find(&texts, Vec::new(), &search, &Control::new(threads)).expect("a good search")
}

fn score(pair: &Pair, metric: Metric) -> f64 {
    metric.score(pair.overlap)
}

proptest! {
    #[test]
    fn the_exact_joins_find_what_brute_force_finds(
        texts in collection(), t in 1..=20u32, k in 1..4usize, bag: bool, old in 0..30usize, threads in 1..4usize,
    ) {
        let recipe = Recipe { k, bag, ..Recipe::default() };
        let t = f64::from(t) / 20.0;
        for metric in [Metric::Jaccard, Metric::Containment] {
            let brute = run(&texts, &recipe, metric, t, Method::Brute, old, 1);
            let exact = run(&texts, &recipe, metric, t, Method::Exact, old, threads);
            prop_assert_eq!(&exact.pairs, &brute.pairs);
            prop_assert_eq!(&exact.class, &brute.class);
            prop_assert!(exact.pairs.iter().all(|p| p.a < p.b && (p.a as usize) < old && score(p, metric) >= t));
        }
    }

    #[test]
    fn texts_signed_in_parts_beforehand_make_no_difference(texts in collection(), cuts in (0..24usize, 0..24usize)) {
        let recipe = Recipe { k: 2, ..Recipe::default() };
        let method = Method::Lsh { bands: Bands { bands: 64, rows: 4 }, least: 0 };
        let expected = run(&texts, &recipe, Metric::Jaccard, 0.5, method, 99, 2);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (first, second) = (cuts.0.min(cuts.1).min(texts.len()), cuts.0.max(cuts.1).min(texts.len()));
        let (control, shingler) = (Control::new(2), Shingler::new(&recipe).unwrap());
        let signed = [&texts[..first], &texts[first..second]]
            .map(|part| sign(part, &shingler, &recipe, &control).unwrap())
            .into();
        let (metric, threshold) = (Metric::Jaccard, 0.5);
        let search = Search { recipe: &recipe, metric, threshold, method, old_from: 99, ignored: &[] };
        let found = find(&texts, signed, &search, &control).unwrap();
        prop_assert_eq!(&found.pairs, &expected.pairs);
        prop_assert_eq!(&found.class, &expected.class);
    }

    #[test]
    fn bands_that_pass_everything_find_everything(texts in collection(), t in 10..=20u32, threads in 1..4usize) {
        // One row a band and no filter: two sets that share anything meet with near certainty at 512 bands.
        let recipe = Recipe { unit: Unit::Char, k: 2, hashes: 512, ..Recipe::default() };
        let t = f64::from(t) / 20.0;
        let lsh = Method::Lsh { bands: Bands { bands: 512, rows: 1 }, least: 0 };
        let found = run(&texts, &recipe, Metric::Jaccard, t, lsh, 99, threads);
        let all = run(&texts, &recipe, Metric::Jaccard, t, Method::Signatures { least: 0 }, 99, threads);
        let brute = run(&texts, &recipe, Metric::Jaccard, t, Method::Brute, 99, 1);
        prop_assert_eq!(&found.pairs, &brute.pairs);
        prop_assert_eq!(&all.pairs, &brute.pairs);
    }
}
