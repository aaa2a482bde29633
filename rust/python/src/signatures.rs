//! A matrix of signatures that stays in native memory.

use lookalike_core::bands::{Bands, KeyKind, Signatures, candidates};
use lookalike_core::shingle::Shingler;
use lookalike_core::sign;
use lookalike_core::sketch::agreeing;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::run::run;
use crate::settings::Settings;
use crate::text::Texts;

/// Signatures of a collection, one row a document.
#[pyclass(frozen, module = "lookalike._native")]
pub struct SignatureMatrix {
    values: Vec<u32>,
    hashes: usize,
}

/// Numbers as little-endian bytes.
pub fn bytes<'py, const N: usize, T: Copy>(
    py: Python<'py>,
    values: &[T],
    le: impl Fn(T) -> [u8; N],
) -> Bound<'py, PyBytes> {
    let filled = PyBytes::new_with(py, values.len() * N, |out| {
        out.chunks_exact_mut(N).zip(values).for_each(|(slot, &v)| slot.copy_from_slice(&le(v)));
        Ok(())
    });
    filled.expect("the writer cannot fail")
}

/// 32-bit numbers from little-endian bytes.
pub fn from_bytes(data: &[u8]) -> Vec<u32> {
    data.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

fn key_kind(name: &str) -> PyResult<KeyKind> {
    match name {
        "mix64" => Ok(KeyKind::Mix64),
        "hash_vec64" => Ok(KeyKind::HashVec64),
        "hash_vec32" => Ok(KeyKind::HashVec32),
        _ => Err(PyValueError::new_err(format!("key must be mix64, hash_vec64 or hash_vec32, not {name:?}"))),
    }
}

impl SignatureMatrix {
    fn row(&self, i: isize) -> PyResult<&[u32]> {
        let n = self.__len__();
        let at = if i < 0 { i + n as isize } else { i };
        let at = usize::try_from(at).ok().filter(|&at| at < n);
        let at = at.ok_or_else(|| PyIndexError::new_err(format!("no signature {i}: there are {n}")))?;
        Ok(&self.values[at * self.hashes..(at + 1) * self.hashes])
    }
}

#[pymethods]
impl SignatureMatrix {
    /// Signatures of texts.
    #[staticmethod]
    fn of_texts(py: Python<'_>, texts: &Bound<'_, PyList>, settings: &Settings, threads: usize) -> PyResult<Self> {
        let held = Texts::new(texts)?;
        let read = held.read()?;
        let texts: Vec<&str> = read.iter().map(|t| &**t).collect();
        let size = texts.iter().map(|t| t.len()).sum();
        let values = run(py, threads, size, |control| {
            sign::signatures(&texts, &Shingler::new(&settings.recipe)?, &settings.recipe, control)
        })?;
        Ok(SignatureMatrix { values, hashes: settings.recipe.hashes })
    }

    /// Signatures of sets of 64-bit elements.
    #[staticmethod]
    fn of_sets(py: Python<'_>, sets: Vec<Vec<u64>>, settings: &Settings, threads: usize) -> PyResult<Self> {
        let size = sets.iter().map(|s| s.len() * 8).sum();
        let values = run(py, threads, size, |control| sign::sign_sets(&sets, &settings.recipe, control))?;
        Ok(SignatureMatrix { values, hashes: settings.recipe.hashes })
    }

    /// From little-endian bytes, row by row.
    #[staticmethod]
    fn of_bytes(data: &[u8], hashes: usize) -> PyResult<Self> {
        if hashes == 0 || !data.len().is_multiple_of(4 * hashes) {
            return Err(PyValueError::new_err(format!("{} bytes are no rows of {hashes} 32-bit slots", data.len())));
        }
        Ok(SignatureMatrix { values: from_bytes(data), hashes })
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        bytes(py, &self.values, u32::to_le_bytes)
    }

    fn __len__(&self) -> usize {
        self.values.len() / self.hashes
    }

    /// The slots of signature `i`.
    fn slots(&self, i: isize) -> PyResult<Vec<u32>> {
        Ok(self.row(i)?.to_vec())
    }

    /// Number of slots in which two signatures agree.
    fn agreeing(&self, i: isize, j: isize) -> PyResult<usize> {
        Ok(agreeing(self.row(i)?, self.row(j)?))
    }

    /// The signature of the union: slot-wise minimum of rows.
    fn union(&self, rows: Vec<isize>) -> PyResult<Self> {
        let mut values = vec![u32::MAX; self.hashes];
        for i in rows {
            values.iter_mut().zip(self.row(i)?).for_each(|(v, &slot)| *v = slot.min(*v));
        }
        Ok(SignatureMatrix { values, hashes: self.hashes })
    }

    /// Band keys as little-endian 64-bit numbers, `bands` a row.
    fn band_keys<'py>(
        &self,
        py: Python<'py>,
        bands: usize,
        rows: usize,
        key: &str,
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let kind = key_kind(key)?;
        let keys = run(py, threads, self.values.len(), |control| {
            Bands { bands, rows }.keys(kind, &self.values, self.hashes, control)
        })?;
        Ok(bytes(py, &keys, u64::to_le_bytes))
    }

    /// Candidates: for each signature the first that is equal to it, and the pairs between such firsts.
    #[allow(clippy::type_complexity)]
    fn candidates<'py>(
        &self,
        py: Python<'py>,
        bands: usize,
        rows: usize,
        key: &str,
        threads: usize,
    ) -> PyResult<(Bound<'py, PyBytes>, Vec<(u32, u32)>)> {
        let kind = key_kind(key)?;
        let (class, pairs) = run(py, threads, self.values.len() * 4, |control| {
            let signatures = Signatures::of([&self.values[..]], self.hashes);
            let class = signatures.classes();
            let members: Vec<u32> = (0..class.len() as u32).filter(|&i| class[i as usize] == i).collect();
            let pairs =
                candidates(&signatures, Bands { bands, rows }, kind, &members, class.len(), control, |_, _| true)?;
            Ok((class, pairs))
        })?;
        Ok((bytes(py, &class, u32::to_le_bytes), pairs))
    }
}
