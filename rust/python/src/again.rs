//! The texts of all inputs, as the core asks for some of them again.

use std::sync::Mutex;

use lookalike_core::control::Control;
use lookalike_core::shingle::Scratch;
use lookalike_core::texts::{Take, Texts as Again};
use lookalike_core::{Error, Result};
use lookalike_files::{self as files, Table, Wanted};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::inputs::{FEW, Input, Kind, Pool, lock};
use crate::signatures::{bytes, from_bytes};
use crate::tables;
use crate::text::Packed;

/// Several inputs, one after the other, as the core asks for their texts again.
pub struct Inputs<'a> {
    parts: Vec<(u32, Part<'a>)>,
    all_at_hand: bool,
    /// What went wrong outside the core.
    failed: Mutex<Option<PyErr>>,
}

enum Part<'a> {
    List(Vec<&'a str>),
    Table { table: &'a dyn Table, wanted: &'a Wanted, starts: Vec<u32>, numbers: Vec<u64> },
    Source(&'a Py<PyAny>),
}

impl<'a> Inputs<'a> {
    /// `lists` has the texts of the inputs that are lists, `counts` the number of documents of each.
    pub fn new(inputs: &'a [PyRef<'_, Input>], lists: Vec<Vec<&'a str>>, counts: &[u32]) -> Self {
        let mut lists = lists.into_iter();
        let mut start = 0;
        let parts: Vec<(u32, Part<'a>)> = inputs
            .iter()
            .zip(counts)
            .map(|(input, count)| {
                let first = start;
                start += count;
                (first, input.part(&mut lists))
            })
            .collect();
        let all_at_hand = parts.iter().all(|(_, part)| matches!(part, Part::List(_)));
        Inputs { parts, all_at_hand, failed: Mutex::default() }
    }

    /// The exception behind an error of the core, if it came from Python.
    pub fn take_failure(&self) -> Option<PyErr> {
        lock(&self.failed).take()
    }

    fn fail(&self, error: PyErr) -> Error {
        let said = error.to_string();
        lock(&self.failed).get_or_insert(error);
        Error::Outside(said)
    }
}

impl Input {
    /// The list, if it is one.
    pub fn list<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyList>> {
        if let Kind::List(list) = &self.kind { Some(list.bind(py).clone()) } else { None }
    }

    fn part<'a>(&'a self, lists: &mut impl Iterator<Item = Vec<&'a str>>) -> Part<'a> {
        match &self.kind {
            Kind::List(_) => Part::List(lists.next().unwrap_or_default()),
            Kind::Source(source) => Part::Source(source),
            Kind::Table { table, wanted, chunks } => {
                let chunks = lock(chunks);
                let mut end = 0;
                let starts = chunks
                    .iter()
                    .map(|c| {
                        end += c.documents;
                        end - c.documents
                    })
                    .collect();
                Part::Table { table: &**table, wanted, starts, numbers: chunks.iter().map(|c| c.number).collect() }
            }
        }
    }
}

impl Again for Inputs<'_> {
    fn fetch(&self, wanted: &[u32], control: &Control, take: &Take<'_>) -> Result<()> {
        for (i, (first, part)) in self.parts.iter().enumerate() {
            let end = self.parts.get(i + 1).map_or(u32::MAX, |next| next.0);
            let range = wanted.partition_point(|d| d < first)..wanted.partition_point(|&d| d < end);
            let own: Vec<u32> = wanted[range].iter().map(|d| d - first).collect();
            if own.is_empty() {
                continue;
            }
            let take = |d: u32, text: &str, scratch: &mut Scratch| take(first + d, text, scratch);
            match part {
                Part::List(texts) => texts.fetch(&own, control, &take)?,
                Part::Table { table, wanted, starts, numbers } => {
                    self.fetch_table(*table, wanted, starts, numbers, &own, control, &take)?;
                }
                Part::Source(source) => self.fetch_source(source, &own, control, &take)?,
            }
        }
        Ok(())
    }

    fn at_hand(&self) -> bool {
        self.all_at_hand
    }
}

impl Inputs<'_> {
    #[allow(clippy::too_many_arguments)] // of one caller
    fn fetch_table(
        &self,
        table: &dyn Table,
        columns: &Wanted,
        starts: &[u32],
        numbers: &[u64],
        own: &[u32],
        control: &Control,
        take: &Take<'_>,
    ) -> Result<()> {
        let chunk_of = |d: u32| starts.partition_point(|&start| start <= d) - 1;
        let wanted: Vec<(u64, Vec<u32>)> = own
            .chunk_by(|&x, &y| chunk_of(x) == chunk_of(y))
            .map(|run| {
                let chunk = chunk_of(run[0]);
                (numbers[chunk], run.iter().map(|d| d - starts[chunk]).collect())
            })
            .collect();
        let (pool, failed) = (Pool::default(), Mutex::new(None));
        let stop = || control.is_stopped() || lock(&failed).is_some();
        let each = |number: u64, index: u32, text: &str| {
            let chunk = numbers.binary_search(&number).expect("only chunks that were read are asked for");
            if let Err(error) = pool.with(|scratch| take(starts[chunk] + index, text, scratch)) {
                lock(&failed).get_or_insert(error);
            }
        };
        let read = table.fetch(columns, &wanted, control.threads(), &stop, &each);
        if let Some(error) = lock(&failed).take() {
            return Err(error);
        }
        match read {
            Ok(()) => Ok(()),
            Err(files::Error::Interrupted) => Err(Error::Interrupted),
            Err(error) => Err(Python::attach(|py| self.fail(tables::to_python(py, &error)))),
        }
    }

    fn fetch_source(&self, source: &Py<PyAny>, own: &[u32], control: &Control, take: &Take<'_>) -> Result<()> {
        let iterator = Python::attach(|py| -> PyResult<Py<PyAny>> {
            let numbers = bytes(py, own, u32::to_le_bytes);
            Ok(source.bind(py).call_method1("fetch", (numbers,))?.try_iter()?.into_any().unbind())
        });
        let iterator = iterator.map_err(|error| self.fail(error))?;
        let next = || {
            Python::attach(|py| -> PyResult<Option<(Vec<u32>, Packed)>> {
                let Some(item) = iterator.bind(py).try_iter()?.next() else { return Ok(None) };
                let (numbers, packed) = item?.extract::<(Bound<'_, PyBytes>, Packed)>()?;
                Ok(Some((from_bytes(numbers.as_bytes()), packed)))
            })
        };
        while let Some((numbers, packed)) = next().map_err(|error| self.fail(error))? {
            control.check()?;
            packed.read_some(0, usize::MAX, |texts| {
                if texts.len() != numbers.len() {
                    return Err(Error::Outside("as many texts as numbers were asked for".into()));
                }
                control.parts(texts.len(), FEW, Scratch::default, |scratch, part| {
                    part.into_iter().try_for_each(|i| take(numbers[i], texts[i], scratch))
                })?;
                Ok(())
            })?;
        }
        Ok(())
    }
}
