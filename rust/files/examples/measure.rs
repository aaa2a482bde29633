//! How fast a table is read: `cargo run --release --example measure FILE [TEXT [ID]]`, on one thread and on two.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use lookalike_files::{Compression, Limits, Result, Wanted, open_json_lines, open_parquet};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, rest @ ..] = &arguments[..] else { panic!("name a file") };
    let wanted = Wanted { text: rest.first().map_or("text".into(), Clone::clone), id: rest.get(1).cloned() };
    let table = match path.rsplit('.').next() {
        Some("parquet") => open_parquet(Path::new(path), Limits::NONE)?,
        Some("gz") => open_json_lines(Path::new(path), Compression::Gzip, Limits::NONE)?,
        Some("zst") => open_json_lines(Path::new(path), Compression::Zstd, Limits::NONE)?,
        _ => open_json_lines(Path::new(path), Compression::None, Limits::NONE)?,
    };
    for threads in [1, 2, 1, 2] {
        let (texts, bytes) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let start = Instant::now();
        table.read(&wanted, threads, &|| false, &|chunk| {
            texts.fetch_add(chunk.texts.len(), Ordering::Relaxed);
            bytes.fetch_add(chunk.texts.iter().map(|text| text.len()).sum(), Ordering::Relaxed);
        })?;
        let (seconds, bytes) = (start.elapsed().as_secs_f64(), bytes.into_inner());
        let speed = bytes as f64 / seconds / 1e6;
        println!("{threads} threads: {} texts, {bytes} bytes, {seconds:.3} s, {speed:.0} MB/s", texts.into_inner());
    }
    Ok(())
}
