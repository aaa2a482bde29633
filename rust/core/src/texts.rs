//! Texts that can be requested again. The core does not read files: its caller knows where the texts are.

use crate::control::{Control, PART};
use crate::error::Result;
use crate::shingle::Scratch;

/// Receives a requested text: its number, the text, and buffers of the thread.
pub type Take<'a> = dyn Fn(u32, &str, &mut Scratch) -> Result<()> + Sync + 'a;

/// The texts of a collection, to be read a second time.
pub trait Texts: Sync {
    /// Hand over the texts of some documents, which are named in order. They may come in any order and on any thread.
    fn fetch(&self, wanted: &[u32], control: &Control, take: &Take<'_>) -> Result<()>;

    /// Whether every text is available immediately, so that requesting few at a time costs nothing.
    fn at_hand(&self) -> bool {
        false
    }
}

impl Texts for Vec<&str> {
    fn fetch(&self, wanted: &[u32], control: &Control, take: &Take<'_>) -> Result<()> {
        control.parts(wanted.len(), PART, Scratch::default, |scratch, part| {
            for &document in &wanted[part] {
                control.check()?;
                take(document, self[document as usize], scratch)?;
            }
            Ok(())
        })?;
        Ok(())
    }

    fn at_hand(&self) -> bool {
        true
    }
}
