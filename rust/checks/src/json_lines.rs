//! Any bytes as a file of JSON Lines, plain or compressed.

use std::io::Write;

use lookalike_files::{Compression, JsonLines, Wanted, bad_lines};

use crate::table::{Content, LIMITS, Refused, Temporary, content, wanted};

/// Bytes of a block: most inputs are one block.
const LARGE: usize = 1 << 12;
/// Other sizes: some that cut lines anywhere, and the usual one, which is slow when memory is checked.
const OTHERS: [usize; 5] = [16, 61, 16, 61, 1 << 20];

/// Any bytes as JSON Lines: documents or an error, the same whatever the blocks are, on several threads and when they are
/// read again. The first byte says how the rest is stored (as it is, as what is said to be compressed, or compressed), and
/// what the other size of blocks is.
pub fn json_lines(data: &[u8]) {
    let Some((&head, rest)) = data.split_first() else { return };
    let (bytes, compression) = match head % 5 {
        0 => (rest.to_vec(), Compression::None),
        1 => (rest.to_vec(), Compression::Gzip),
        2 => (rest.to_vec(), Compression::Zstd),
        3 => (gzip(rest), Compression::Gzip),
        _ => (zstd::encode_all(rest, 1).expect("memory is enough"), Compression::Zstd),
    };
    let file = Temporary::new(&bytes);
    let open = |file: &Temporary, compression, block| {
        JsonLines::open(file.path(), compression, LIMITS).expect("the file is there").with_blocks(block)
    };
    let table = open(&file, compression, LARGE);
    let other = open(&file, compression, OTHERS[usize::from(head / 5) % OTHERS.len()]);
    for wanted in wanted(&table) {
        let usual = content(&table, &wanted);
        same(&usual, &content(&other, &wanted), &wanted);
        match (usual, head % 5) {
            (Ok(usual), 0) => skips_what_is_bad(&usual, rest),
            (Ok(usual), 3..) => {
                let plain = Temporary::new(rest);
                let plain = content(&open(&plain, Compression::None, LARGE), &wanted);
                same(&Ok(usual), &plain, &wanted);
            }
            _ => {}
        }
    }
}

/// In blocks of another size, or compressed, a table is the same. Where ids are wanted, two errors may differ: ids of both kinds are told
/// only when they are in one block.
fn same(usual: &Result<Content, Refused>, other: &Result<Content, Refused>, wanted: &Wanted) {
    match (usual, other) {
        (Err(Refused::Enough), _) | (_, Err(Refused::Enough)) => {}
        (Ok(usual), Ok(other)) => {
            assert_eq!(usual.rows(), other.rows());
            assert_eq!(usual.outcomes(), other.outcomes());
        }
        (Err(usual), Err(other)) => {
            assert!(usual == other || both_damaged(usual, other) || wanted.id.is_some(), "{usual:?} {other:?}");
        }
        (Ok(content), Err(said)) | (Err(said), Ok(content)) => assert!(content.has_mixed_ids(), "{said:?}"),
    }
}

/// Both say that compressed data is damaged. What the decoder says of it, in brackets, depends on how much room it has.
fn both_damaged(usual: &Refused, other: &Refused) -> bool {
    let damaged = |refused: &Refused| match refused {
        Refused::Said(said) => said.split_once(" data is damaged (").map(|(codec, _)| codec.to_owned()),
        Refused::Enough => None,
    };
    damaged(usual).is_some() && damaged(usual) == damaged(other)
}

/// The lines that the reader skips as bad are those that it tells the Python reader to skip; long ones it does not read.
fn skips_what_is_bad(content: &Content, lines: &[u8]) {
    let outcomes = content.outcomes();
    let skipped = outcomes.iter().filter_map(|(row, outcome, _)| Some((*row, outcome.as_ref().err()?.clone())));
    let (bad, others): (Vec<_>, Vec<_>) = skipped.partition(|(_, reason)| reason.starts_with("Line("));
    let long = |row: u64| others.iter().any(|(other, reason)| *other == row && reason == "TooLarge");
    let told = bad_lines(lines).into_iter().map(|(row, fault)| (u64::from(row), format!("Line({fault:?})")));
    assert_eq!(told.filter(|(row, _)| !long(*row)).collect::<Vec<_>>(), bad);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory is enough");
    encoder.finish().expect("memory is enough")
}
