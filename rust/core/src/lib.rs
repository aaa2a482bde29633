//! The method of lookalike, told once in prose.
//!
//! A document is **normalised** ([`normalize`]) and cut into units, characters or words ([`words`], quicker
//! for [`ascii`]). Every k consecutive
//! units are a **shingle**, hashed to 64 bits ([`shingle`], [`hash`]); the document is the set, or the bag, of its
//! shingles. Two documents are as alike as the **Jaccard** similarity of their sets ([`jaccard`]).
//!
//! To find alike documents among many without comparing all, each gets a **signature** of a few hundred numbers
//! ([`sketch`], or classic MinHash with one of the [`families`]); the share of equal numbers estimates Jaccard. The
//! signature is cut into **bands** ([`bands`]); two documents that are equal in some band are a **candidate**. Candidates
//! are verified on the sets themselves, so that every reported **pair** is exact ([`verify`], [`join`]). Where the collection is small
//! enough, a [`prefix`] filter finds all pairs without any probability; [`containment`] does so for a document inside another.
//!
//! A collection larger than memory goes through the same [`stages`] one by one.
//!
//! What is asked of [`pairs`] afterwards is worked out on columns of numbers. Pairs make **groups** ([`groups`]); **passages** ([`passages`]) show a person what two documents share.
//!
//! [`batch`] is the only place with threads, [`simd`] the only one with `unsafe`. `docs/format.md` fixes every number.

#![deny(unsafe_code)]

pub mod ascii;
pub mod bands;
pub mod batch;
pub mod containment;
pub mod error;
pub mod families;
pub mod groups;
pub mod hash;
pub mod jaccard;
pub mod join;
pub mod normalize;
pub mod pairs;
pub mod passages;
pub mod prefix;
pub mod quality;
pub mod recipe;
mod repeated;
pub mod shingle;
#[allow(unsafe_code)]
pub mod simd;
pub mod sketch;
pub mod sort;
pub mod stages;
pub mod unicode;
pub mod verify;
pub mod words;

pub use error::{Error, Result};
pub use recipe::Recipe;
