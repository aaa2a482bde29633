//! The quality of a family of hash functions, by two tests of their designers (Appleby, SMHasher: avalanche and distribution).

use crate::control::Control;
use crate::error::Result;
use crate::families::{Family, Functions};
use crate::hash::Stream;

/// Share of random keys for which output bit `j` of one function changes when input bit `i` is flipped, for all 32 × 32 of
/// them. A perfect function has ½ everywhere.
pub fn avalanche(family: Family, samples: usize, seed: u64, control: &Control) -> Result<Vec<[f64; 32]>> {
    let functions = Functions::new(family, 1, seed);
    let mut keys = Stream::new(!seed);
    let mut flips = vec![[0u32; 32]; 32];
    for _ in 0..samples {
        control.check()?;
        let key = keys.next_u32();
        let value = functions.value(0, key);
        for (i, row) in flips.iter_mut().enumerate() {
            let changed = value ^ functions.value(0, key ^ (1 << i));
            row.iter_mut().enumerate().for_each(|(j, n)| *n += changed >> j & 1);
        }
    }
    Ok(flips.iter().map(|row| row.map(|n| f64::from(n) / samples as f64)).collect())
}

/// Number of the keys 0 … `keys` − 1 that one function puts into each of `buckets` equal parts of its range.
pub fn spread(family: Family, keys: u32, buckets: usize, seed: u64, control: &Control) -> Result<Vec<u64>> {
    let functions = Functions::new(family, 1, seed);
    let mut counts = vec![0; buckets];
    for key in 0..keys {
        if key % 4096 == 0 {
            control.check()?;
        }
        let bucket = (u64::from(functions.value(0, key)) * buckets as u64) >> 32;
        counts[bucket as usize] += 1;
    }
    Ok(counts)
}
