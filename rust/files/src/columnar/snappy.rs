//! Snappy, decoded without branches that depend on the kind of an element. In prose, elements are short and of
//! unpredictable kinds: a decoder that branches waits for mispredicted branches (docs/decisions.md has measurements).
//!
//! The format (google/snappy, format_description.txt): the length of the output, then elements. The lowest two bits of the
//! first byte of an element say what it is: 0 is a literal, whose bytes follow; 1, 2 and 3 copy earlier output, from an
//! offset of 11, 16 or 32 bits.
//!
//! Where an element ends is known only from its first byte, so the way from one element to the next decides the speed. It
//! is one load: for every byte of a chunk of input, as if it were the first of an element, the place after that element is
//! computed in advance, in a loop that the compiler vectorises.
//!
//! Input and output share one buffer, so literals and copies have the same form: move some bytes from one place of the
//! buffer to another. Always 16 are moved, and 48 more if the element is longer; the next element overwrites what is too
//! much. Places are checked before each move, in safe code, whatever the input says.

use std::hint::select_unpredictable;

/// Bytes that may be read or written beyond the end of an area: the longest element, and the longest head.
const SLACK: usize = 72;
/// Bytes of input whose elements are found at once: what is computed from them stays in the first-level cache.
const CHUNK: usize = 1024;
/// Bytes that are loaded at once where an element begins: the first, an offset of 16 bits, and one to spare.
const HEAD: usize = 4;

/// What the first byte of an element says.
#[derive(Clone, Copy)]
#[repr(align(16))]
struct Element {
    /// The number of bytes to move; more than any place for elements with a longer head, which are long literals and
    /// copies with an offset of 32 bits.
    moved: usize,
    /// Which of the bytes after the first belong to the offset.
    offset: u32,
    /// The high bits of an offset of 11 bits.
    high: u32,
}

static ELEMENTS: [Element; 256] = {
    let mut elements = [Element { moved: usize::MAX, offset: 0, high: 0 }; 256];
    let mut first = 0;
    while first < 256 {
        let rest = first >> 2;
        let (moved, offset, high) = match first & 3 {
            0 if rest < 60 => (rest + 1, 0, 0),
            1 => ((rest & 7) + 4, 0xff, (rest >> 3) << 8),
            2 => (rest + 1, 0xffff, 0),
            _ => (usize::MAX, 0, 0),
        };
        elements[first] = Element { moved, offset, high: high as u32 };
        first += 1;
    }
    elements
};

/// The input is no Snappy data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Corrupt;

/// The length of the output, and the elements.
pub(crate) fn header(packed: &[u8]) -> Result<(usize, &[u8]), Corrupt> {
    let mut length = 0u64;
    for (place, byte) in packed.iter().take(5).enumerate() {
        length |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            let length = u32::try_from(length).map_err(|_| Corrupt)?;
            return Ok((length as usize, &packed[place + 1..]));
        }
    }
    Err(Corrupt)
}

/// How large the buffer must be.
pub(crate) fn room(length: usize, elements: &[u8]) -> usize {
    length + SLACK + elements.len() + SLACK
}

/// Decode elements into the first `length` bytes of a buffer that has [`room`] for them.
pub(crate) fn unpack(elements: &[u8], length: usize, buffer: &mut [u8]) -> Result<(), Corrupt> {
    let start = length + SLACK;
    let end = start + elements.len();
    let buffer = buffer.get_mut(..end + SLACK).ok_or(Corrupt)?;
    buffer[start..end].copy_from_slice(elements);
    decode(buffer, length, start, end).ok_or(Corrupt)
}

/// For every byte, as if it were the first of an element, the place after that element. It is wrong for elements with a
/// longer head.
#[inline(always)]
fn places_after(firsts: &[u8; CHUNK], places: &mut [u16; CHUNK]) {
    for (place, (after, &first)) in places.iter_mut().zip(firsts).enumerate() {
        let kind = first & 3;
        let size = if kind == 0 { (first >> 2) + 2 } else { kind + 1 };
        *after = place as u16 + u16::from(size);
    }
}

/// Decode the elements at `start..end` of the buffer into its first `length` bytes; None if they are corrupt.
fn decode(buffer: &mut [u8], length: usize, start: usize, end: usize) -> Option<()> {
    let (mut chunk, mut to) = (start, 0);
    let (mut heads, mut after) = ([0; CHUNK + HEAD], [0; CHUNK]);
    while chunk < end {
        let held = heads.len().min(buffer.len() - chunk);
        heads[..held].copy_from_slice(&buffer[chunk..chunk + held]);
        places_after(heads.first_chunk()?, &mut after);
        let size = CHUNK.min(end - chunk);
        let mut from = 0; // in the chunk
        while from < size {
            if to > length {
                return None;
            }
            let head = u32::from_le_bytes(*heads[from..].first_chunk()?);
            let Element { moved, offset, high } = ELEMENTS[(head & 0xff) as usize];
            let offset = ((head >> 8 & offset) + high) as usize;
            // An offset beyond the start of the output wraps around to a place that no buffer has.
            let source = select_unpredictable(head & 3 == 0, chunk + from + 1, to.wrapping_sub(offset));
            // Literals are behind the output: for them the difference wraps around too, and is large.
            if to.wrapping_sub(source) < moved {
                let next;
                (next, to) = rare(buffer, chunk + from, to, length, end)?;
                from = next - chunk;
                continue;
            }
            from = usize::from(after[from]);
            let bytes: [u8; 16] = *buffer.get(source..)?.first_chunk()?;
            *buffer.get_mut(to..)?.first_chunk_mut()? = bytes;
            if moved > 16 {
                let bytes: [u8; 48] = *buffer.get(source + 16..)?.first_chunk()?;
                *buffer.get_mut(to + 16..)?.first_chunk_mut()? = bytes;
            }
            to += moved;
        }
        chunk += from;
    }
    (to == length && chunk == end).then_some(())
}

/// Decode a long literal, a copy with a large offset, or a copy that overlaps its source and so repeats it. Returns the
/// places after the element and after its output.
#[cold]
fn rare(buffer: &mut [u8], from: usize, to: usize, length: usize, end: usize) -> Option<(usize, usize)> {
    let first = usize::from(buffer[from]);
    let high = first >> 2;
    let number = |bytes: usize| {
        let bytes = buffer.get(from + 1..from + 1 + bytes)?.iter().rev();
        Some(bytes.fold(0, |number, &byte| number << 8 | usize::from(byte)))
    };
    if first & 3 == 0 {
        let more = high.saturating_sub(59); // bytes of a length that does not fit into the first
        let moved = if more == 0 { high } else { number(more)? }.checked_add(1)?;
        let start = from + 1 + more;
        let is_there = moved <= end.checked_sub(start)? && moved <= length.checked_sub(to)?;
        return is_there.then(|| {
            buffer.copy_within(start..start + moved, to);
            (start + moved, to + moved)
        });
    }
    let (moved, offset, size) = match first & 3 {
        1 => ((high & 7) + 4, (high >> 3) << 8 | number(1)?, 2),
        2 => (high + 1, number(2)?, 3),
        _ => (high + 1, number(4)?, 5),
    };
    if offset == 0 || offset > to || moved > length.checked_sub(to)? {
        return None;
    }
    for place in to..to + moved {
        buffer[place] = buffer[place - offset];
    }
    Some((from + size, to + moved))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Corrupt, header, room, unpack};

    fn unpacked(packed: &[u8]) -> Result<Vec<u8>, Corrupt> {
        let (length, elements) = header(packed)?;
        if length > 1 << 20 {
            return Err(Corrupt); // the reader asks its limits
        }
        let mut buffer = vec![0xaa; room(length, elements)];
        unpack(elements, length, &mut buffer)?;
        buffer.truncate(length);
        Ok(buffer)
    }

    fn by_snap(packed: &[u8]) -> Option<Vec<u8>> {
        let short = snap::raw::decompress_len(packed).is_ok_and(|length| length <= 1 << 20);
        short.then(|| snap::raw::Decoder::new().decompress_vec(packed).ok()).flatten()
    }

    #[test]
    fn elements_of_each_kind_are_decoded() {
        assert_eq!(unpacked(&[0]), Ok(vec![]));
        assert_eq!(unpacked(&[3, 8, b'a', b'b', b'c']), Ok(b"abc".to_vec()));
        // offsets of 11, 16 and 32 bits, the first two of which overlap
        assert_eq!(unpacked(&[7, 8, b'a', b'b', b'c', 1, 3]), Ok(b"abcabca".to_vec()));
        assert_eq!(unpacked(&[9, 0, b'a', 7 << 2 | 2, 1, 0]), Ok(vec![b'a'; 9]));
        assert_eq!(unpacked(&[4, 4, b'a', b'b', 1 << 2 | 3, 2, 0, 0, 0]), Ok(b"abab".to_vec()));
        // a literal whose length takes two bytes
        let long = [&[0x80 | 44, 2, 61 << 2, 43, 1][..], &[b'x'; 300]].concat();
        assert_eq!(unpacked(&long), Ok(vec![b'x'; 300]));
    }

    #[test]
    fn what_is_corrupt_is_refused() {
        let wrong: [&[u8]; 12] = [
            &[],
            &[0x80],
            &[0xff, 0xff, 0xff, 0xff, 0x7f],
            &[3],                                      // nothing there
            &[3, 8, b'a', b'b'],                       // a literal that is cut off
            &[2, 8, b'a', b'b', b'c'],                 // more than the header says
            &[4, 8, b'a', b'b', b'c'],                 // less
            &[8, 8, b'a', b'b', b'c', 5, 4],           // a copy from before the start
            &[8, 8, b'a', b'b', b'c', 5, 0],           // from nowhere
            &[8, 8, b'a', b'b', b'c', 5],              // without its offset
            &[70, 62 << 2, 1, 0],                      // a literal without all of its length
            &[70, 63 << 2, 0xff, 0xff, 0xff, 0xff, 1], // a literal of four gigabytes
        ];
        for packed in wrong {
            assert_eq!(unpacked(packed), Err(Corrupt), "{packed:?}");
            assert_eq!(by_snap(packed), None, "{packed:?}");
        }
        assert_eq!(unpack(&[8, b'a', b'b', b'c'], 3, &mut [0; 9]), Err(Corrupt)); // a buffer without room
    }

    proptest! {
        #[test]
        fn any_data_comes_back(words in prop::collection::vec("[a-z]{1,90}| |the |of ", 0..600)) {
            let text = words.concat();
            let packed = snap::raw::Encoder::new().compress_vec(text.as_bytes()).unwrap();
            prop_assert_eq!(unpacked(&packed), Ok(text.into_bytes()));
        }

        #[test]
        fn any_elements_are_taken_or_refused_as_by_snap(
            length in 0u8..128,
            elements in prop::collection::vec(prop_oneof![any::<u8>(), 0u8..24], 0..80),
        ) {
            let packed = [&[length][..], &elements].concat();
            prop_assert_eq!(unpacked(&packed).ok(), by_snap(&packed));
        }

        #[test]
        fn a_changed_byte_is_taken_or_refused_as_by_snap(
            words in prop::collection::vec("[a-z]{1,60}|[a-d]{1,9}|the |of ", 1..400),
            place: prop::sample::Index,
            byte: u8,
        ) {
            let mut packed = snap::raw::Encoder::new().compress_vec(words.concat().as_bytes()).unwrap();
            let place = place.index(packed.len());
            packed[place] = byte;
            prop_assert_eq!(unpacked(&packed).ok(), by_snap(&packed));
        }

        #[test]
        fn what_is_cut_off_is_refused(
            words in prop::collection::vec("[a-z]{1,60}|the |of ", 1..400),
            place: prop::sample::Index,
        ) {
            let packed = snap::raw::Encoder::new().compress_vec(words.concat().as_bytes()).unwrap();
            prop_assert_eq!(unpacked(&packed[..place.index(packed.len())]), Err(Corrupt));
        }

        #[test]
        fn elements_at_the_end_of_a_chunk_are_taken_or_refused_as_by_snap(
            before in 950usize..1024,
            more in 0usize..128,
            elements in prop::collection::vec(prop_oneof![any::<u8>(), 0u8..24], 0..120),
        ) {
            let literal = [&[61 << 2, (before - 1) as u8, ((before - 1) >> 8) as u8][..], &vec![b'x'; before]].concat();
            let length = before + more;
            let packed = [&[length as u8 | 0x80, (length >> 7) as u8][..], &literal, &elements].concat();
            prop_assert_eq!(unpacked(&packed).ok(), by_snap(&packed));
        }
    }
}
