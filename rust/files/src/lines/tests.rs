//! The same lines come out of a file whatever the size of its blocks.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;

use proptest::prelude::*;

use super::{Compression, JsonLines};
use crate::{BadLine, Error, Ids, Limits, LineFault, Result, SkipReason, Table, Wanted, bad_lines};

/// A file that is removed with this.
struct Temporary(PathBuf);

impl Temporary {
    fn new(content: &[u8]) -> Self {
        static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("lookalike-lines-{}-{count}", std::process::id()));
        File::create(&path).and_then(|mut file| file.write_all(content)).expect("a file can be written");
        Temporary(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Open with blocks of some size.
fn open(file: &Temporary, compression: Compression, block: usize) -> JsonLines {
    JsonLines { block, ..JsonLines::open(&file.0, compression, Limits::NONE).expect("the file is there") }
}

fn wanted() -> Wanted {
    Wanted { text: "text".into(), id: Some("id".into()) }
}

/// (line, text, id) of the documents, and the lines that are skipped.
type Content = (Vec<(u32, String, i64)>, Vec<(u32, SkipReason)>);

fn read(table: &JsonLines, threads: usize) -> Result<Content> {
    let chunks = Mutex::new(Vec::new());
    table.read(&wanted(), threads, &|| false, &|chunk| {
        let ids = match chunk.ids {
            Ids::Numbers(ids) => ids.to_vec(),
            _ => Vec::new(),
        };
        let texts: Vec<String> = chunk.texts.iter().map(|&text| text.to_owned()).collect();
        let skipped: Vec<_> = chunk.skipped.iter().map(|skip| (skip.row, skip.reason)).collect();
        chunks.lock().unwrap().push((chunk.number, chunk.rows, chunk.places.to_vec(), texts, ids, skipped));
    })?;
    let mut chunks = chunks.into_inner().unwrap();
    chunks.sort_by_key(|chunk| chunk.0);
    again(table, threads, chunks.iter().map(|chunk| (chunk.0, &chunk.3[..])));
    let (mut documents, mut skips, mut before) = (Vec::new(), Vec::new(), 0);
    for (_, rows, places, texts, ids, skipped) in chunks {
        assert_eq!(ids.len(), texts.len());
        let numbered = places.into_iter().map(|place| before + place);
        documents.extend(numbered.zip(texts).zip(ids).map(|((line, text), id)| (line, text, id)));
        skips.extend(skipped.into_iter().map(|(row, reason)| (before + row, reason)));
        before += rows;
    }
    Ok((documents, skips))
}

/// Every other document is the same when it is read again.
fn again<'a>(table: &JsonLines, threads: usize, chunks: impl Iterator<Item = (u64, &'a [String])>) {
    let (mut asked, mut expected) = (Vec::new(), Vec::new());
    for (number, texts) in chunks {
        let some: Vec<u32> = (0..texts.len() as u32).filter(|i| (u64::from(*i) + number) % 2 == 0).collect();
        expected.extend(some.iter().map(|&i| (number, i, texts[i as usize].clone())));
        if !some.is_empty() {
            asked.push((number, some));
        }
    }
    let found = Mutex::new(Vec::new());
    let take = |number, index, text: &str| found.lock().unwrap().push((number, index, text.to_owned()));
    table.fetch(&wanted(), &asked, threads, &|| false, &take).expect("what was read can be read again");
    let mut found = found.into_inner().unwrap();
    found.sort();
    assert_eq!(found, expected);
}

/// A line, and what it should come to: nothing, a text, or a reason why it has none.
type Line = (Vec<u8>, Option<std::result::Result<String, SkipReason>>);

fn line(fault: LineFault, place: u64) -> SkipReason {
    SkipReason::Line(BadLine { fault, place })
}

fn any_lines() -> impl Strategy<Value = Vec<Line>> {
    let line = prop_oneof![
        4 => "[a-zé ]{0,30}".prop_map(|text| (format!("{{\"id\": 7, \"text\": \"{text}\"}}").into_bytes(), Some(Ok(text)))),
        1 => "[a-z]{0,3}".prop_map(|text| (format!("{{\"text\":\"\\n{text}\",\"id\":7}} ").into_bytes(), Some(Ok(format!("\n{text}"))))),
        1 => Just((b"".to_vec(), None)),
        1 => Just((b" \t\x0b\r".to_vec(), None)),
        1 => Just((b"{\"text\": null}".to_vec(), Some(Err(SkipReason::NullText)))),
        1 => Just((b"{\"text\": \"\xff\"}".to_vec(), Some(Err(line(LineFault::NotUtf8, 10))))),
        1 => Just((b"{\"text\": \"a\"} x".to_vec(), Some(Err(line(LineFault::Malformed, 14))))),
        1 => Just((b"{\"text\": \"a".to_vec(), Some(Err(line(LineFault::CutOff, 10))))),
        1 => Just((b"[]".to_vec(), Some(Err(line(LineFault::NotAnObject, 0))))),
        1 => Just((b"{\"text\": [1]}".to_vec(), Some(Err(SkipReason::OtherText("a list"))))),
    ];
    prop::collection::vec(line, 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn blocks_of_any_size_have_the_same_lines(lines in any_lines(), windows in any::<bool>(), ended in any::<bool>()) {
        let end: &[u8] = if windows { b"\r\n" } else { b"\n" };
        let mut content: Vec<u8> = lines.iter().flat_map(|(line, _)| [line, end].concat()).collect();
        if !ended && lines.last().is_some_and(|(line, _)| !line.is_empty()) {
            content.truncate(content.len() - end.len());
        }
        let mut expected: Content = Default::default();
        for (number, (_, outcome)) in lines.iter().enumerate() {
            match outcome {
                Some(Ok(text)) => expected.0.push((number as u32, text.clone(), 7)),
                Some(Err(reason)) => expected.1.push((number as u32, *reason)),
                None => {}
            }
        }
        let plain = Temporary::new(&content);
        let zstd = Temporary::new(&zstd::encode_all(&content[..], 1).expect("memory can be written to"));
        for size in (1..content.len() + 2).step_by(1 + content.len() / 40) {
            for (file, compression) in [(&plain, Compression::None), (&zstd, Compression::Zstd)] {
                let found = read(&open(file, compression, size), 1 + size % 3);
                prop_assert_eq!(found.expect("all lines are right"), expected.clone(), "blocks of {} bytes", size);
            }
        }
    }
}

#[test]
fn bad_lines_are_those_that_are_skipped() {
    let content = b"{\"text\": \"a\"}\n\n{\n{\"text\": 5}\n\xff\n";
    let expected = [(2, LineFault::CutOff, 1), (4, LineFault::NotUtf8, 0)];
    assert_eq!(bad_lines(content), expected.map(|(row, fault, place)| (row, BadLine { fault, place })));
}

#[test]
fn columns_are_those_of_objects_unless_none_of_the_first_lines_is_one() {
    let named = |bad: usize| {
        let content = [&b"{\"no\": 1, oops}\n\n".repeat(bad)[..], b"{\"text\": \"a\"}\n"].concat();
        let file = Temporary::new(&content);
        open(&file, Compression::None, 1 << 20).columns().map(|columns| columns.len())
    };
    assert!(matches!(named(99), Ok(1)));
    assert!(matches!(named(100), Err(Error::NotLines)));
}

#[test]
fn a_document_without_an_id_is_named_by_its_row() {
    let file = Temporary::new(b"{\"text\": \"a\", \"id\": 1}\n{\"text\": null}\n{\"text\": \"a\"}\n");
    let error = read(&open(&file, Compression::None, 5), 1).unwrap_err();
    assert!(matches!(error, Error::MissingId { row: 2 }), "{error:?}");
}

#[test]
fn what_only_python_understands_is_refused() {
    for content in [
        &b"\xef\xbb\xbf{\"text\": \"a\", \"id\": 1}\n"[..],
        b"\xff\xfe{\0",
        b"{\"text\": \"a\", \"id\": 1.5}\n",
        b"{\"text\": \"a\", \"id\": 1}\n{\"text\": \"b\", \"id\": \"x\"}\n",
    ] {
        let error = read(&open(&Temporary::new(content), Compression::None, 1 << 20), 1).unwrap_err();
        assert!(matches!(error, Error::NeedsFallback(_)), "{error:?}");
    }
}

#[test]
fn a_caller_can_stop() {
    let file = Temporary::new(&b"{\"text\": \"a\", \"id\": 1}\n".repeat(50));
    let table = open(&file, Compression::None, 10);
    let error = table.read(&wanted(), 2, &|| true, &|_| ()).unwrap_err();
    assert!(matches!(error, Error::Interrupted));
}

#[test]
fn long_lines_are_skipped_and_the_others_read() {
    let short = b"{\"text\": \"a\", \"id\": 1}\n";
    let long = [&b"{\"text\": \""[..], &b"x".repeat(100), b"\", \"id\": 2}\n"].concat();
    let content = [&short[..], &long, short, b"\n", &long, &long, short, &long[..long.len() - 1]].concat();
    let plain = Temporary::new(&content);
    let zstd = Temporary::new(&zstd::encode_all(&content[..], 1).unwrap());
    for size in [1, 7, 22, 23, 24, 100, 123, 124, 150, 1 << 20] {
        for (file, compression) in [(&plain, Compression::None), (&zstd, Compression::Zstd)] {
            let limits = Limits { document: 60, ..Limits::NONE };
            let table = JsonLines { limits, ..open(file, compression, size) };
            let (documents, skipped) = read(&table, 2).expect("long lines are no errors");
            let lines: Vec<u32> = documents.iter().map(|document| document.0).collect();
            assert_eq!(lines, [0, 2, 6], "blocks of {size} bytes");
            assert_eq!(skipped, [1, 4, 5, 7].map(|line| (line, SkipReason::TooLarge)), "blocks of {size} bytes");
            assert_eq!(table.columns().unwrap().len(), 2);
        }
    }
}

#[test]
fn a_stream_that_expands_too_far_is_refused() {
    let content = b"{\"text\": \"aaaaaaaaaaaaaaaaaaaaaaaa\", \"id\": 1}\n".repeat(10_000);
    let zstd = Temporary::new(&zstd::encode_all(&content[..], 1).unwrap());
    let limits = Limits { expansion: 10, harmless: 100_000, ..Limits::NONE };
    let table = JsonLines { limits, ..open(&zstd, Compression::Zstd, 1000) };
    assert!(matches!(read(&table, 2), Err(Error::Expands)));
    let limits = Limits { harmless: 1 << 20, ..limits };
    assert_eq!(read(&JsonLines { limits, ..table }, 2).unwrap().0.len(), 10_000);
}

#[test]
fn more_fields_than_a_table_may_have_are_refused() {
    let fields: Vec<String> = (0..300).map(|i| format!("\"k{i}\": 1")).collect();
    let file = Temporary::new(format!("{{\"text\": \"a\", {}}}\n", fields.join(", ")).as_bytes());
    let with =
        |columns| JsonLines { limits: Limits { columns, ..Limits::NONE }, ..open(&file, Compression::None, 1 << 20) };
    assert_eq!(with(301).columns().unwrap().len(), 301);
    assert!(matches!(with(300).columns(), Err(Error::TooManyColumns)));
}
