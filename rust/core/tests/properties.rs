//! The ways to search against each other, on small collections full of copies and near-copies.

use lookalike_core::Recipe;
use lookalike_core::bands::Bands;
use lookalike_core::candidates::Limits;
use lookalike_core::confirm::Found;
use lookalike_core::control::Control;
use lookalike_core::copies::of_interest;
use lookalike_core::error::Result;
use lookalike_core::groups::star;
use lookalike_core::intake::{Intake, Keep};
use lookalike_core::jaccard::Metric;
use lookalike_core::recipe::Unit;
use lookalike_core::search::find;
use lookalike_core::shingle::Scratch;
use lookalike_core::sign::Signer;
use lookalike_core::strategy::{Method, Pair, Search};
use lookalike_core::texts::{Take, Texts};
use proptest::prelude::*;

fn collection() -> impl Strategy<Value = Vec<String>> {
    let word = prop::sample::select(vec!["a", "b", "c", "d", "e", "été", "日本", "x9"]);
    let text = prop::collection::vec(word, 0..14).prop_map(|words| words.join(" "));
    prop::collection::vec(text, 0..24)
}

/// Texts that are not at hand: they come one by one, from the last to the first.
struct Far<'a>(&'a [&'a str]);

impl Texts for Far<'_> {
    fn fetch(&self, wanted: &[u32], _: &Control, take: &Take<'_>) -> Result<()> {
        assert!(wanted.is_sorted());
        let mut scratch = Scratch::default();
        wanted.iter().rev().try_for_each(|&d| take(d, self.0[d as usize], &mut scratch))
    }
}

fn keep(method: Method) -> Keep {
    if matches!(method, Method::Brute | Method::Exact) { Keep::Sets } else { Keep::Rows }
}

/// Take the texts in batches of three, the last batch first.
fn taken(texts: &[&str], search: &Search<'_>, keep: Keep) -> Intake {
    let bands = if let Method::Lsh { bands, .. } = search.method { Some(bands) } else { None };
    let signer = Signer::new(search.recipe, search.shingler().unwrap(), bands).unwrap();
    let intake = Intake::new(signer, keep);
    for (number, batch) in texts.chunks(3).enumerate().rev() {
        intake.add((0, number as u64), batch, &mut Scratch::default(), &Control::new(1)).unwrap();
    }
    intake
}

fn run(texts: &[String], search: &Search<'_>, threads: usize) -> Found {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let control = Control::new(threads);
    let kept = taken(&texts, search, keep(search.method)).finish(&control).unwrap();
    let mut found = find(kept, &texts, search, None, &control).expect("a good search");
    found.seconds.clear();
    check_counted(&control);
    found
}

/// The last stage counted all that it said it would.
fn check_counted(control: &Control) {
    let (stage, done, total) = control.progress();
    assert_eq!(done, total, "{stage}");
}

fn run_far(texts: &[String], search: &Search<'_>, keep: Keep, order: Option<&[u32]>) -> Found {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let control = Control::new(2);
    let kept = taken(&texts, search, keep).finish(&control).unwrap();
    let found = find(kept, &Far(&texts), search, order, &control).expect("a good search");
    check_counted(&control);
    found
}

fn score(pair: &Pair, metric: Metric) -> f64 {
    metric.score(pair.overlap)
}

/// One row a band and no filter: two sets that share anything meet with near certainty at 512 bands.
const EVERYTHING: Method = Method::Lsh { bands: Bands { bands: 512, rows: 1 }, least: 0 };

/// Units of the shortest passage that counts, or none.
fn min_units() -> impl Strategy<Value = Option<usize>> {
    prop::option::of(1..8usize)
}

fn all_meet() -> Recipe {
    Recipe { unit: Unit::Char, k: 2, hashes: 512, ..Recipe::default() }
}

proptest! {
    #[test]
    fn the_exact_joins_find_what_brute_force_finds(
        texts in collection(), t in 1..=20u32, k in 1..4usize, bag: bool, old_from in 0..30usize, threads in 1..4usize,
        min_units in min_units(),
    ) {
        let recipe = Recipe { k, bag: bag && min_units.is_none(), ..Recipe::default() };
        let threshold = f64::from(t) / 20.0;
        for metric in [Metric::Jaccard, Metric::Containment] {
            let brute = Search { metric, old_from, min_units, ..Search::new(&recipe, threshold, Method::Brute) };
            let exact = Search { method: Method::Exact, ..brute };
            let (brute, found) = (run(&texts, &brute, 1), run(&texts, &exact, threads));
            prop_assert_eq!(&found.pairs, &brute.pairs);
            prop_assert_eq!(&found.class, &brute.class);
            prop_assert!(found.pairs.iter().all(|p| (p.a as usize) < old_from && score(p, metric) >= threshold));
            // Sets that do not fit, read again block by block.
            let small = Search { memory: 300, ..exact };
            let found = run_far(&texts, &small, Keep::Digests, None);
            prop_assert_eq!((&found.pairs, &found.class), (&brute.pairs, &brute.class));
        }
    }

    #[test]
    fn bands_that_pass_everything_find_everything(
        texts in collection(), t in 10..=20u32, threads in 1..4usize, memory in 1..2000usize, min_units in min_units(),
    ) {
        let (recipe, threshold) = (all_meet(), f64::from(t) / 20.0);
        let plain = Search { min_units, ..Search::new(&recipe, threshold, Method::Brute) };
        let brute = run(&texts, &plain, 1);
        for method in [EVERYTHING, Method::Signatures { least: 0 }] {
            let search = Search { memory, method, ..plain };
            let found = run(&texts, &search, threads);
            prop_assert_eq!((&found.pairs, &found.class), (&brute.pairs, &brute.class));
            let far = run_far(&texts, &search, Keep::Rows, None);
            prop_assert_eq!((&far.pairs, &far.class), (&brute.pairs, &brute.class));
        }
    }

    #[test]
    fn a_collection_that_grows_too_large_for_sets_is_signed(texts in collection(), most in 0..200u64) {
        let recipe = Recipe { k: 2, ..Recipe::default() };
        let search = Search::new(&recipe, 0.5, Method::Lsh { bands: Bands { bands: 64, rows: 4 }, least: 0 });
        let size: u64 = texts.iter().map(|text| text.chars().count() as u64).sum();
        let exact = Search { method: Method::Exact, ..search };
        let expected = run(&texts, if size > most { &search } else { &exact }, 1);
        let found = run_far(&texts, &search, Keep::SetsUpTo(most), None);
        prop_assert_eq!((&found.pairs, &found.class), (&expected.pairs, &expected.class));
    }

    #[test]
    fn hot_clusters_are_those_of_all_pairs(
        texts in collection(), t in 6..=20u32, old in 0..2usize, turned: bool, metric in 0..2usize,
        min_units in min_units(),
    ) {
        let (recipe, threshold) = (all_meet(), f64::from(t) / 20.0);
        let old_from = if old == 0 { usize::MAX } else { texts.len() / 2 };
        let metric = [Metric::Jaccard, Metric::Containment][metric];
        let brute = Search { metric, old_from, min_units, ..Search::new(&recipe, threshold, Method::Brute) };
        let all = run(&texts, &brute, 1);
        let class = run(&texts, &Search { old_from: usize::MAX, ..brute }, 1).class;
        let mut order: Vec<u32> = (0..texts.len() as u32).collect();
        if turned {
            order.reverse();
        }
        // Every bucket of more than two documents is hot; or everything is.
        for limits in [Limits { proposals: 3, pairs: 1000 }, Limits { proposals: 0, pairs: 0 }] {
            let method = if metric == Metric::Jaccard { EVERYTHING } else { Method::Exact };
            let search = Search { method, limits: Some(limits), ..brute };
            let found = run_far(&texts, &search, keep(method), Some(&order));
            let paired = found.pairs.iter().flat_map(|pair| [pair.a, pair.b]);
            prop_assert_eq!(&found.class, &of_interest(class.clone(), paired, old_from));
            prop_assert!(found.pairs.iter().all(|pair| all.pairs.contains(pair)), "only true pairs");
            prop_assert!(found.pairs.is_sorted_by_key(|p| (p.a, p.b)));
            prop_assert_eq!(found.in_part, 0);
            let has_old = |pairs: &[Pair], d: u32| pairs.iter().any(|p| p.a == d && p.b as usize >= old_from);
            // One that is a copy of an old document belongs to it, whatever others it is like.
            let copies_old = |d: u32| all.class.iter().skip(old_from).any(|&first| first == all.class[d as usize]);
            for d in (0..texts.len().min(old_from) as u32).filter(|&d| !copies_old(d)) {
                prop_assert_eq!(has_old(&found.pairs, d), has_old(&all.pairs, d));
            }
            if old == 0 {
                let pairs = |f: &Found| f.pairs.iter().map(|p| (p.a, p.b)).collect::<Vec<_>>();
                let clusters = |f: &Found| star(&f.class, &pairs(f), &order);
                prop_assert_eq!(clusters(&found), clusters(&all));
            }
        }
    }
}

#[test]
fn copies_are_told_by_their_shingles_not_by_their_digests() {
    // The same shingles in other numbers, and the same in the same numbers.
    let recipe = Recipe { k: 1, ..Recipe::default() };
    let texts = ["a b b", "A b, b!", "a a b", "a b"].map(String::from);
    for method in [Method::Exact, Method::Lsh { bands: Bands { bands: 64, rows: 4 }, least: 0 }] {
        let found = run_far(&texts, &Search::new(&recipe, 0.9, method), keep(method), None);
        assert_eq!(found.class, [0, 0, 2, 3]);
        assert_eq!(found.pairs.iter().map(|p| (p.a, p.b)).collect::<Vec<_>>(), [(0, 2), (0, 3), (2, 3)]);
    }
}

#[test]
fn the_same_shingles_in_another_order_are_no_copies_where_passages_count() {
    let recipe = Recipe { k: 1, ..Recipe::default() };
    let texts = ["a b c", "b a c", "b, a, c!", "b a c d"].map(String::from);
    for method in [Method::Exact, Method::Brute, EVERYTHING] {
        let recipe = Recipe { hashes: 512, ..recipe.clone() };
        let search = Search { min_units: Some(3), ..Search::new(&recipe, 0.7, method) };
        let found = run_far(&texts, &search, keep(method), None);
        assert_eq!(found.class, [0, 1, 1, 3]);
        assert_eq!(found.pairs.iter().map(|p| (p.a, p.b)).collect::<Vec<_>>(), [(1, 3)]);
        assert_eq!(found.short.count, 2);
        let short: Vec<_> = found.short.closest().iter().map(|(score, p)| (*score, p.a, p.b)).collect();
        assert_eq!(short, [(1.0, 0, 1), (0.75, 0, 3)]);
    }
}

#[test]
fn ten_thousand_variants_of_a_page_take_linear_time() {
    // Each document has its own word among forty: comparing all would verify fifty million pairs.
    let texts: Vec<String> = (0..10_000)
        .map(|i| (0..40).map(|w| if w == i % 40 { format!("own{i} ") } else { format!("w{w} ") }).collect())
        .collect();
    let recipe = Recipe { k: 1, ..Recipe::default() };
    for method in [Method::Exact, Method::Lsh { bands: Bands { bands: 26, rows: 8 }, least: 100 }] {
        let found = run_far(&texts, &Search::new(&recipe, 0.8, method), keep(method), None);
        assert_eq!((found.hot, found.in_part), (10_000, 0));
        assert!(found.candidates < 40 * texts.len(), "{} verified", found.candidates);
        assert!((1..10_000).all(|d| found.pairs.binary_search_by_key(&(0, d), |p| (p.a, p.b)).is_ok()));
    }
}
