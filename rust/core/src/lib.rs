//! The method of lookalike in short.
//!
//! A document is **normalised** ([`normalize`]) and cut into units, characters or words ([`words`], quicker
//! for [`ascii`]); source code is cut into tokens ([`code`]) instead. Every k consecutive
//! units are a **shingle**, hashed to 64 bits ([`shingle`], [`hash`]); the document is the set, or the bag, of its
//! shingles. The similarity of two documents is the **Jaccard** similarity of their sets ([`jaccard`]).
//!
//! To find similar documents without comparing all pairs, the collection is read twice. In the first read
//! ([`intake`]) each document gets a **signature** of a few hundred numbers ([`sketch`], or classic MinHash with one of
//! the [`families`]); the share of equal numbers estimates Jaccard. What is kept of it are the keys of its **bands**
//! ([`bands`]) and one byte of each number ([`sign`]); the text is released. Two documents that are equal in some band
//! are a **candidate pair** ([`candidates`]). In the second read ([`verify`]) the [`texts`] of candidates are requested
//! again and compared exactly, so that every reported **pair** is exact ([`confirm`]). For a small collection, an
//! [`exact`] join by [`prefix`] filter finds all pairs, with certainty; [`containment`] does so for a document
//! inside another ([`join`] chooses). In very large clusters, documents are compared with representatives only ([`stars`]).
//! A [`strategy`] has the settings of a search, and [`search`] runs its stages.
//!
//! Verified [`pairs`] are columns of numbers. They form **clusters** ([`groups`]); shared **passages** ([`passages`]) show a
//! reader what two documents have in common.
//!
//! Within documents, [`parts`] and passages that occurred before are **repeats** ([`repeats`]), which can be cut out.
//!
//! In an index, [`postings`] say which stored documents have a key in common.
//!
//! [`control`] is the only place with threads, [`simd`] the only one with `unsafe`. `docs/format.md` fixes every number.

#![deny(unsafe_code)]

pub mod ascii;
pub mod bands;
pub mod candidates;
pub mod code;
pub mod common;
pub mod confirm;
pub mod containment;
pub mod control;
pub mod copies;
pub mod error;
pub mod exact;
pub mod families;
pub mod groups;
pub mod hash;
pub mod hot;
pub mod intake;
pub mod jaccard;
pub mod join;
pub mod normalize;
pub mod pairs;
pub mod parts;
pub mod passages;
pub mod postings;
pub mod prefix;
pub mod quality;
pub mod recipe;
pub mod repeated;
pub mod repeats;
pub mod runs;
pub mod search;
pub mod shingle;
pub mod short;
pub mod sign;
#[allow(unsafe_code)]
pub mod simd;
pub mod sketch;
pub mod sort;
pub mod stars;
pub mod strategy;
pub mod texts;
pub mod unicode;
pub mod unseen;
pub mod verify;
pub mod words;

pub use error::{Error, Result};
pub use recipe::Recipe;
