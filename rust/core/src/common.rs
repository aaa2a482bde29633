//! Shingles that very many documents have: boilerplate, which a search can exclude.
//!
//! Two passes over the collection: counters that several shingles share show which could be that frequent, then those
//! few are counted one by one. Memory depends on the number of frequent shingles, not on that of documents.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::control::Control;
use crate::error::Result;
use crate::shingle::{Scratch, Shingler};

const BITS: u32 = 22;

/// Counts shingles over the batches of a collection.
#[derive(Debug)]
pub struct Common {
    shingler: Shingler,
    /// Documents that have a shingle with these first bits.
    counters: Vec<AtomicU32>,
    /// In the second pass: how many documents must have a shingle.
    least: Option<u32>,
    counts: Mutex<HashMap<u64, u32>>,
}

impl Common {
    /// Begin the first pass.
    pub fn new(shingler: Shingler) -> Self {
        let counters = (0..1 << BITS).map(|_| AtomicU32::new(0)).collect();
        Common { shingler, counters, least: None, counts: Mutex::default() }
    }

    /// Begin the second pass, over the same texts: count what may be in at least `least` documents.
    pub fn count_exactly(&mut self, least: u32) {
        self.least = Some(least);
    }

    fn counter(&self, x: u64) -> &AtomicU32 {
        &self.counters[(x >> (64 - BITS)) as usize]
    }

    /// Take some texts, on this thread.
    pub fn add(&self, texts: &[&str], scratch: &mut Scratch, control: &Control) -> Result<()> {
        let mut own: HashMap<u64, u32> = HashMap::new();
        for text in texts {
            control.check()?;
            let set = self.shingler.set(text, scratch, control)?;
            match self.least {
                None => set.iter().for_each(|&x| {
                    self.counter(x).fetch_add(1, Ordering::Relaxed);
                }),
                Some(least) => set
                    .into_iter()
                    .filter(|&x| self.counter(x).load(Ordering::Relaxed) >= least)
                    .for_each(|x| *own.entry(x).or_default() += 1),
            }
        }
        let mut counts = self.counts.lock().expect("no thread panics while it holds this");
        own.into_iter().for_each(|(x, n)| *counts.entry(x).or_default() += n);
        Ok(())
    }

    /// The shingles that enough documents have, sorted.
    pub fn found(self) -> Vec<u64> {
        let least = self.least.unwrap_or(u32::MAX);
        let counts = self.counts.into_inner().expect("no thread panicked");
        let mut found: Vec<u64> = counts.into_iter().filter(|&(_, n)| n >= least).map(|(x, _)| x).collect();
        found.sort_unstable();
        found
    }
}
