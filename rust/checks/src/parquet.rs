//! Any bytes as a Parquet file.

use lookalike_files::open_parquet;

use crate::table::{LIMITS, Refused, Temporary, content, wanted};

/// Any bytes as a Parquet file: documents or an error, and the same on several threads and when they are read again.
pub fn parquet(data: &[u8]) {
    let file = Temporary::new(data);
    let table = match open_parquet(file.path(), LIMITS) {
        Ok(table) => table,
        Err(error) => return drop(Refused::from(error)),
    };
    for wanted in wanted(&*table) {
        if let Ok(content) = content(&*table, &wanted) {
            assert_eq!(Some(content.rows()), table.rows());
        }
    }
}
