//! The stages of a search one by one, for callers that have only texts or rows: an index, a cluster job, a notebook. Each
//! is the function of the core that a whole search runs.

use lookalike_core::candidates::{agreeing_bytes, once, pack, unpack};
use lookalike_core::confirm::confirm_copies as confirm;
use lookalike_core::control::Control;
use lookalike_core::copies::classes;
use lookalike_core::hot::hot_pairs as pairs_of_hot;
use lookalike_core::intake::InMemory;
use lookalike_core::recipe::Unit;
use lookalike_core::search;
use lookalike_core::sign::{self, Digest, Rows};
use lookalike_core::strategy::Search;
use lookalike_core::verify::{self as second, NoRecord, Second};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::engine::check_order;
use crate::functions::scores;
use crate::run::run;
use crate::signatures::{bytes, from_bytes};
use crate::strategy::Strategy;
use crate::text::{Texts, bytes_of};

type Buffer = PyBuffer<u8>;
type Bytes<'py> = Bound<'py, PyBytes>;

fn u32s(buffer: &Buffer) -> PyResult<Vec<u32>> {
    bytes_of(buffer).map(from_bytes)
}

fn u64s(buffer: &Buffer) -> PyResult<Vec<u64>> {
    Ok(bytes_of(buffer)?.as_chunks().0.iter().map(|&eight| u64::from_le_bytes(eight)).collect())
}

fn wrong(message: impl Into<String>) -> PyErr {
    PyValueError::new_err(message.into())
}

/// Give the texts of a list to `work`, with their size in bytes.
pub fn with_texts<T>(list: &Bound<'_, PyList>, work: impl FnOnce(Vec<&str>, usize) -> PyResult<T>) -> PyResult<T> {
    let held = Texts::new(list)?;
    let read = held.read()?;
    let texts: Vec<&str> = read.iter().map(|text| &**text).collect();
    let size = texts.iter().map(|text| text.len()).sum();
    work(texts, size)
}

/// Pairs as packed numbers, sorted, each once; refused if one names a document that is not there, or one twice.
fn packed(a: &Buffer, b: &Buffer, documents: usize) -> PyResult<Vec<u64>> {
    let (a, b) = (u32s(a)?, u32s(b)?);
    if a.len() != b.len() {
        return Err(wrong("the columns of pairs have several lengths"));
    }
    let bad = |&(&x, &y): &(&u32, &u32)| x == y || x.max(y) as usize >= documents;
    if let Some((x, y)) = a.iter().zip(&b).find(bad) {
        return Err(wrong(format!("({x}, {y}) is no pair of {documents} documents")));
    }
    let mut pairs: Vec<u64> = a.into_iter().zip(b).map(|(x, y)| pack(x, y)).collect();
    once(&mut pairs);
    Ok(pairs)
}

/// Classes as they were given; refused unless each document names a first one, which names itself.
fn checked_classes(given: &Buffer, documents: usize) -> PyResult<Vec<u32>> {
    let class = u32s(given)?;
    let first = |(i, &c): (usize, &u32)| c as usize <= i && class[c as usize] == c;
    if class.len() != documents || !class.iter().enumerate().all(first) {
        return Err(wrong(format!("classes must name, for each of {documents} documents, the first of its copies")));
    }
    Ok(class)
}

/// About how many shingles each text has: so much is verified at a time.
fn about_shingles(texts: &[&str], search: &Search<'_>) -> Vec<u32> {
    let unit = match search.recipe.unit {
        Unit::Word => 6,
        Unit::Token => 3,
        Unit::Char => 1,
    };
    texts.iter().map(|text| u32::try_from(text.len() / unit).unwrap_or(u32::MAX)).collect()
}

/// Run `work` with what the second read of some texts needs.
fn with_second<T>(
    texts: &[&str],
    search: &Search<'_>,
    work: impl FnOnce(&Second<'_>) -> lookalike_core::Result<T>,
) -> lookalike_core::Result<T> {
    let (shingler, shingles) = (search.shingler()?, about_shingles(texts, search));
    work(&Second { search, shingler: &shingler, digests: &[], shingles: &shingles, memory: search.memory })
}

/// What is kept of texts: digests, shingles, lengths, keys document by document, and slots.
#[pyfunction]
pub fn sign_rows<'py>(
    py: Python<'py>,
    texts: &Bound<'py, PyList>,
    strategy: &Strategy,
    threads: usize,
) -> PyResult<(Bytes<'py>, Bytes<'py>, Bytes<'py>, Bytes<'py>, Bytes<'py>)> {
    let work = |control: &Control, texts: &[&str]| sign::rows_and_keys(texts, &strategy.signer()?, control);
    let parts = with_texts(texts, |texts, size| run(py, threads, size, |control| work(control, &texts)))?;
    let (parts, keys): (Vec<Rows>, Vec<Vec<u64>>) = parts.into_iter().unzip();
    let digests: Vec<Digest> = parts.iter().flat_map(|rows| &rows.digests).copied().collect();
    let shingles: Vec<u32> = parts.iter().flat_map(|rows| &rows.shingles).copied().collect();
    let lengths: Vec<u64> = parts.iter().flat_map(|rows| &rows.lengths).copied().collect();
    let slots: Vec<u8> = parts.into_iter().flat_map(|rows| rows.slots).collect();
    Ok((
        bytes(py, &digests, Digest::to_bytes),
        bytes(py, &shingles, u32::to_le_bytes),
        bytes(py, &lengths, u64::to_le_bytes),
        bytes(py, &keys.concat(), u64::to_le_bytes),
        PyBytes::new(py, &slots),
    ))
}

/// The elements of each text that count: where each begins and the last ends, and all elements, in 64 bits.
#[pyfunction]
pub fn sets_of<'py>(
    py: Python<'py>,
    texts: &Bound<'py, PyList>,
    strategy: &Strategy,
    threads: usize,
) -> PyResult<(Bytes<'py>, Bytes<'py>)> {
    let work = |control: &Control, texts: &[&str]| sign::sets(texts, &strategy.search(usize::MAX).shingler()?, control);
    let sets = with_texts(texts, |texts, size| run(py, threads, size, |control| work(control, &texts)))?;
    let mut offsets = vec![0u64];
    for set in &sets {
        offsets.push(offsets[offsets.len() - 1] + set.len() as u64);
    }
    Ok((bytes(py, &offsets, u64::to_le_bytes), bytes(py, &sets.concat(), u64::to_le_bytes)))
}

/// The rows that finding candidates needs, from (digests, keys document by document, slots).
fn rows_of(given: &(Buffer, Buffer, Buffer), strategy: &Strategy) -> PyResult<Rows> {
    let (digests, keys, slots) = (bytes_of(&given.0)?, u64s(&given.1)?, bytes_of(&given.2)?);
    let (digests, rest) = digests.as_chunks();
    let documents = digests.len();
    let bands = strategy.bands().map_or(0, |bands| bands.bands);
    let hashes = strategy.search(usize::MAX).recipe.hashes;
    if !rest.is_empty() || keys.len() != documents * bands || slots.len() != documents * hashes {
        return Err(wrong(format!("the rows do not have {bands} keys and {hashes} slots each")));
    }
    if documents >= u32::MAX as usize {
        return Err(wrong(format!("{documents} rows: at most {} are searched at once", u32::MAX - 1)));
    }
    let digests = digests.iter().map(Digest::from_bytes).collect();
    let rows = Rows { digests, slots: slots.to_vec(), ..Rows::default() };
    Ok(rows.with_keys(&keys))
}

/// The candidates among rows: a and b of each pair, the class of each document, and the hot documents.
#[pyfunction]
#[pyo3(signature = (rows, strategy, *, classes, old_from, threads))]
pub fn propose<'py>(
    py: Python<'py>,
    rows: (Buffer, Buffer, Buffer),
    strategy: &Strategy,
    classes: Option<Buffer>,
    old_from: Option<usize>,
    threads: usize,
) -> PyResult<(Bytes<'py>, Bytes<'py>, Bytes<'py>, Bytes<'py>)> {
    let rows = rows_of(&rows, strategy)?;
    let class = match classes {
        Some(given) => checked_classes(&given, rows.digests.len())?,
        None => self::classes(&rows.digests),
    };
    let search = strategy.search(old_from.unwrap_or(usize::MAX));
    let size = rows.slots.len() + 4 * rows.keys.len();
    let store = InMemory::new(vec![rows]);
    let found = run(py, threads, size, |control| search::propose(&store, &class, &search, control))?;
    let side = |of: fn((u32, u32)) -> u32| found.pairs.iter().map(|&pair| of(unpack(pair))).collect::<Vec<_>>();
    let made = |numbers: &[u32]| bytes(py, numbers, u32::to_le_bytes);
    Ok((made(&side(|pair| pair.0)), made(&side(|pair| pair.1)), made(&class), made(&found.hot)))
}

/// The pairs of texts that the strategy looks for, with their scores.
#[pyfunction]
pub fn verify<'py>(
    py: Python<'py>,
    a: Buffer,
    b: Buffer,
    texts: &Bound<'py, PyList>,
    strategy: &Strategy,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let search = strategy.search(usize::MAX);
    let found = with_texts(texts, |texts, size| {
        let pairs = packed(&a, &b, texts.len())?;
        run(py, threads, size, |control| {
            with_second(&texts, &search, |second| second.read("verify", &texts, &pairs, &[], &mut NoRecord, control))
        })
    })?;
    let out = PyDict::new(py);
    scores(py, &found.pairs, &out)?;
    Ok(out)
}

/// The same for documents whose elements are given: where each begins and the last ends, and all elements.
#[pyfunction]
pub fn verify_sets<'py>(
    py: Python<'py>,
    a: Buffer,
    b: Buffer,
    sets: (Buffer, Buffer),
    strategy: &Strategy,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let (offsets, elements) = (u64s(&sets.0)?, u64s(&sets.1)?);
    let set = |ends: &[u64]| elements.get(ends[0] as usize..ends[1] as usize);
    let sets: Option<Vec<&[u64]>> = offsets.windows(2).map(set).collect();
    let sets = sets.filter(|sets| sets.iter().all(|set| set.is_sorted_by(|x, y| x < y)));
    let sets = sets.ok_or_else(|| wrong("every set must be sorted, with each element once"))?;
    let pairs = packed(&a, &b, sets.len())?;
    let search = strategy.search(usize::MAX);
    let size = 8 * (elements.len() + pairs.len());
    let found = run(py, threads, size, |control| second::verify_sets(&search, &pairs, &sets, control))?;
    let out = PyDict::new(py);
    scores(py, &found, &out)?;
    Ok(out)
}

/// The classes without copies whose shingles are others than those of their first.
#[pyfunction]
pub fn confirm_copies<'py>(
    py: Python<'py>,
    classes: Buffer,
    texts: &Bound<'py, PyList>,
    strategy: &Strategy,
    threads: usize,
) -> PyResult<Bytes<'py>> {
    let search = strategy.search(usize::MAX);
    let class = with_texts(texts, |texts, size| {
        let class = checked_classes(&classes, texts.len())?;
        run(py, threads, size, |control| with_second(&texts, &search, |second| confirm(second, &texts, class, control)))
    })?;
    Ok(bytes(py, &class, u32::to_le_bytes))
}

/// The pairs of hot documents with their representatives, and a few more, beside pairs (a, b) that are verified.
#[pyfunction]
#[pyo3(signature = (hot, classes, pairs, texts, strategy, *, order, old_from, threads))]
#[allow(clippy::too_many_arguments)] // by name only
pub fn hot_pairs<'py>(
    py: Python<'py>,
    hot: Buffer,
    classes: Buffer,
    pairs: (Buffer, Buffer),
    texts: &Bound<'py, PyList>,
    strategy: &Strategy,
    order: Option<&[u8]>,
    old_from: Option<usize>,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let search = strategy.search(old_from.unwrap_or(usize::MAX));
    let (hot, order) = (u32s(&hot)?, order.map(from_bytes));
    let listed = with_texts(texts, |texts, size| {
        let class = checked_classes(&classes, texts.len())?;
        check_order(order.as_deref(), texts.len())?;
        let pairs: Vec<(u32, u32)> = packed(&pairs.0, &pairs.1, texts.len())?.into_iter().map(unpack).collect();
        if hot.iter().any(|&document| class.get(document as usize) != Some(&document)) {
            return Err(wrong("a hot document is not there, or the copy of another"));
        }
        run(py, threads, size, |control| {
            let list =
                |second: &Second<'_>| pairs_of_hot(second, &texts, &hot, order.as_deref(), &class, &pairs, control);
            with_second(&texts, &search, list)
        })
    })?;
    let out = PyDict::new(py);
    scores(py, &listed.pairs, &out)?;
    Ok(out)
}

/// In how many slots each row of one column agrees with the same row of another, in 32 bits.
#[pyfunction]
pub fn agree<'py>(py: Python<'py>, a: Buffer, b: Buffer, hashes: usize) -> PyResult<Bytes<'py>> {
    let (a, b) = (bytes_of(&a)?, bytes_of(&b)?);
    if hashes == 0 || a.len() != b.len() || !a.len().is_multiple_of(hashes) {
        return Err(wrong(format!("the slots are not as many rows of {hashes} on both sides")));
    }
    let rows = a.chunks_exact(hashes).zip(b.chunks_exact(hashes));
    let agreeing: Vec<u32> = rows.map(|(x, y)| agreeing_bytes(x, y) as u32).collect();
    Ok(bytes(py, &agreeing, u32::to_le_bytes))
}
