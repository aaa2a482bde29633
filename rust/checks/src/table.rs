//! What must hold for any table: its rows are the same on one thread and on several, and when they are read again.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use lookalike_files::{Chunk, Error, Id, Ids, Limits, Table, Wanted};

/// Limits that inputs of a few kilobytes reach. Whatever a table takes, it is not much more than they say.
pub(crate) const LIMITS: Limits = Limits { document: 1 << 10, expansion: 20, harmless: 1 << 20, columns: 20 };

/// Rows and bytes after which reading is stopped: a small file may hold far more, and the time is for other files.
const ENOUGH: usize = 1 << 22;
/// The longest message: a damaged file has no way to fill the screen.
const LONGEST_MESSAGE: usize = 300;

/// A file that is removed with this.
pub(crate) struct Temporary(PathBuf);

impl Temporary {
    pub fn new(content: &[u8]) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("lookalike-checks-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, content).expect("a file can be written");
        Temporary(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// An id that was copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OwnId {
    Number(i64),
    Text(String),
}

impl From<Id<'_>> for OwnId {
    fn from(id: Id<'_>) -> Self {
        match id {
            Id::Number(number) => OwnId::Number(number),
            Id::Text(text) => OwnId::Text(text.to_owned()),
        }
    }
}

/// What became of a row: its text, or the reason why it has none.
type Outcome = Result<String, String>;

/// One chunk, copied.
#[derive(Debug, PartialEq, Eq)]
struct Part {
    number: u64,
    rows: u32,
    outcomes: Vec<(u32, Outcome, Option<OwnId>)>,
}

impl Part {
    /// Copy a chunk whose lists fit together.
    fn new(chunk: &Chunk<'_>, with_ids: bool) -> Self {
        let documents = chunk.texts.len();
        assert_eq!(documents, chunk.places.len());
        let ids: Vec<Option<OwnId>> = match chunk.ids {
            Ids::None => vec![None; documents],
            Ids::Numbers(numbers) => numbers.iter().map(|&number| Some(OwnId::Number(number))).collect(),
            Ids::Texts(texts) => texts.iter().map(|&text| Some(OwnId::Text(text.to_owned()))).collect(),
        };
        assert_eq!(ids.len(), documents);
        assert!(ids.iter().all(|id| id.is_some() == with_ids), "documents without ids, or ids that nobody asked for");
        let texts = chunk.places.iter().zip(chunk.texts).zip(ids);
        let skipped = chunk.skipped.iter();
        let mut outcomes: Vec<_> = texts
            .map(|((&row, &text), id)| (row, Ok(text.to_owned()), id))
            .chain(skipped.map(|skip| (skip.row, Err(format!("{:?}", skip.reason)), skip.id.map(OwnId::from))))
            .collect();
        assert!(chunk.places.is_sorted_by(|a, b| a < b));
        outcomes.sort_by_key(|outcome| outcome.0);
        assert!(outcomes.is_sorted_by(|a, b| a.0 < b.0), "a row is both a document and skipped");
        assert!(outcomes.last().is_none_or(|last| last.0 < chunk.rows), "a row beyond the last");
        Part { number: chunk.number, rows: chunk.rows, outcomes }
    }

    fn texts(&self) -> impl Iterator<Item = &String> {
        self.outcomes.iter().filter_map(|(_, outcome, _)| outcome.as_ref().ok())
    }
}

/// All that was read of a table.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Content(Vec<Part>);

impl Content {
    /// Number of rows, blank lines included.
    pub fn rows(&self) -> u64 {
        self.0.iter().map(|part| u64::from(part.rows)).sum()
    }

    /// What became of each row, whatever the chunks were.
    pub fn outcomes(&self) -> Vec<(u64, &Outcome, &Option<OwnId>)> {
        let (mut before, mut all) = (0, Vec::new());
        for part in &self.0 {
            all.extend(part.outcomes.iter().map(|(row, outcome, id)| (before + u64::from(*row), outcome, id)));
            before += u64::from(part.rows);
        }
        all
    }

    /// Whether some documents have numbers as ids and others texts, which only the whole table shows.
    pub fn has_mixed_ids(&self) -> bool {
        let documents = || self.0.iter().flat_map(|part| &part.outcomes).filter(|(_, outcome, _)| outcome.is_ok());
        documents().any(|(_, _, id)| matches!(id, Some(OwnId::Number(_))))
            && documents().any(|(_, _, id)| matches!(id, Some(OwnId::Text(_))))
    }
}

/// Why a table was not read to its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// It has more than the check has time for.
    Enough,
    /// What the error says.
    Said(String),
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        let said = error.to_string();
        assert!(!said.is_empty() && said.len() <= LONGEST_MESSAGE && !said.contains('\n'), "{said}");
        if matches!(error, Error::Interrupted) { Refused::Enough } else { Refused::Said(said) }
    }
}

/// Which columns to ask for: those with the usual names, and two that the table says it has.
pub(crate) fn wanted(table: &dyn Table) -> Vec<Wanted> {
    let of = |text: &str, id: Option<&str>| Wanted { text: text.into(), id: id.map(Into::into) };
    let mut all = vec![of("text", None), of("text", Some("id"))];
    match table.columns().map_err(Refused::from) {
        Ok(columns) => {
            if let [first, .., last] = &columns[..] {
                all.push(of(&last.name, Some(&first.name)));
            }
        }
        Err(Refused::Said(_)) => {}
        Err(Refused::Enough) => panic!("nobody stopped it"),
    }
    all
}

/// Read a table on one thread and on two, and all that it gave again. What is given is what one thread read.
pub(crate) fn content(table: &dyn Table, wanted: &Wanted) -> Result<Content, Refused> {
    let one = read(table, wanted, 1);
    let two = read(table, wanted, 2);
    if one == Err(Refused::Enough) || two == Err(Refused::Enough) {
        return Err(Refused::Enough);
    }
    assert_eq!(one, two, "one thread and two");
    let content = one?;
    again(table, wanted, &content, 1, 1);
    again(table, wanted, &content, 2, 3);
    Ok(content)
}

fn read(table: &dyn Table, wanted: &Wanted, threads: usize) -> Result<Content, Refused> {
    let (parts, seen) = (Mutex::new(Vec::new()), AtomicUsize::new(0));
    let stop = || seen.load(Ordering::Relaxed) > ENOUGH;
    table.read(wanted, threads, &stop, &|chunk| {
        let bytes: usize = chunk.texts.iter().map(|text| text.len()).sum();
        seen.fetch_add(bytes + 64 * chunk.rows as usize, Ordering::Relaxed);
        parts.lock().expect("no panic").push(Part::new(chunk, wanted.id.is_some() && !chunk.texts.is_empty()));
    })?;
    let mut parts = parts.into_inner().expect("no panic");
    parts.sort_by_key(|part| part.number);
    assert!(parts.is_sorted_by(|a, b| a.number < b.number), "two chunks have one number");
    Ok(Content(parts))
}

/// Every `step`-th document of each chunk is the same when it is read again.
fn again(table: &dyn Table, wanted: &Wanted, content: &Content, threads: usize, step: usize) {
    let (mut asked, mut expected) = (Vec::new(), Vec::new());
    for (turn, part) in content.0.iter().enumerate() {
        let some = part.texts().enumerate().skip(turn % step).step_by(step);
        let some: Vec<(u32, &String)> = some.map(|(index, text)| (index as u32, text)).collect();
        expected.extend(some.iter().map(|&(index, text)| (part.number, index, text.clone())));
        if !some.is_empty() {
            asked.push((part.number, some.into_iter().map(|(index, _)| index).collect()));
        }
    }
    let found = Mutex::new(Vec::new());
    let take = |number, index, text: &str| found.lock().expect("no panic").push((number, index, text.to_owned()));
    if let Err(error) = table.fetch(wanted, &asked, threads, &|| false, &take) {
        panic!("read once and not again: {error}");
    }
    let mut found = found.into_inner().expect("no panic");
    found.sort();
    assert_eq!(found, expected, "another text when it is read again");
}
