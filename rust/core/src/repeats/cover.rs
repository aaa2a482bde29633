//! Passages of a fixed length, one word after the other, merged into repeats that do not overlap.

use super::Repeat;
use crate::error::Result;

/// Joins passages whose firsts follow each other; where they do not, the next repeat goes as far as it can.
pub(super) struct Cover<F> {
    length: u64,
    take: F,
    now: Option<Repeat>,
    /// Begins within, or right after, what is covered now, and reaches further.
    next: Option<Repeat>,
}

impl<F: FnMut(Repeat) -> Result<()>> Cover<F> {
    /// For passages of `length` words.
    pub fn new(length: u64, take: F) -> Self {
        Cover { length, take, now: None, next: None }
    }

    /// Hand on a repeat as it is.
    pub fn whole(&mut self, repeat: Repeat) -> Result<()> {
        (self.take)(repeat)
    }

    /// Take the next passage, and where it occurred first; passages come in order.
    pub fn window(&mut self, start: u64, first: u64) -> Result<()> {
        while self.now.is_some_and(|now| start > now.start + now.length) {
            self.pass()?;
        }
        let window = Repeat { start, length: self.length, first };
        match (&mut self.now, &mut self.next) {
            (None, _) => self.now = Some(window),
            (_, Some(next)) if goes_on(*next, window) => next.length += 1,
            (Some(now), None) if goes_on(*now, window) => now.length += 1,
            (_, next) => *next = Some(window),
        }
        Ok(())
    }

    /// Hand on what is covered now, and begin with what reaches further.
    fn pass(&mut self) -> Result<()> {
        if let Some(now) = self.now.take() {
            let end = now.start + now.length;
            (self.take)(now)?;
            self.now = self.next.take().map(|next| {
                let covered = end - next.start;
                Repeat { start: end, length: next.length - covered, first: next.first + covered }
            });
        }
        Ok(())
    }

    /// There are no more passages.
    pub fn finish(mut self) -> Result<()> {
        while self.now.is_some() {
            self.pass()?;
        }
        Ok(())
    }
}

/// Whether a passage ends one word after a repeat, and so does its first occurrence.
fn goes_on(repeat: Repeat, window: Repeat) -> bool {
    window.start + window.length == repeat.start + repeat.length + 1
        && window.first + window.length == repeat.first + repeat.length + 1
}
