//! The headers of a Parquet file, gone through before they are decoded. They are structs in Thrift's compact protocol.
//!
//! The decoder passes over fields that it does not know, element by element, and a few bytes can claim billions of
//! elements that take no bytes. And it reads a field that it knows without asking for its type: so what is between two
//! fields depends on who reads. Here every field that the decoder knows must have the type that it expects, and a list
//! must fit into the bytes that follow. Then both see the same fields, and the decoder is done in the time that it takes
//! to read them.

/// What a field must be.
#[derive(Clone, Copy)]
enum Kind {
    /// Not known to the decoder, which passes over it.
    Any,
    Flag,
    Byte,
    /// A whole number of 16, 32 or 64 bits: all are written alike.
    Number,
    Float,
    Bytes,
    Struct(Fields),
    List(&'static Kind),
}

/// The known fields of a struct by their numbers.
type Fields = &'static [(u64, Kind)];

use Kind::{Any, Byte, Bytes, Flag, Float, List, Number, Struct};

/// The header of a page.
const PAGE: Fields = &[
    (1, Number),
    (2, Number),
    (3, Number),
    (4, Number),
    (5, Struct(&[(1, Number), (2, Number), (3, Number), (4, Number), (5, Struct(STATISTICS))])),
    (6, Struct(&[])),
    (7, Struct(&[(1, Number), (2, Number), (3, Flag)])),
    (
        8,
        Struct(&[
            (1, Number),
            (2, Number),
            (3, Number),
            (4, Number),
            (5, Number),
            (6, Number),
            (7, Flag),
            (8, Struct(STATISTICS)),
        ]),
    ),
];

/// What the end of the file says of it.
const FILE: Fields = &[
    (1, Number),
    (2, List(&Struct(SCHEMA))),
    (3, Number),
    (4, List(&Struct(ROW_GROUP))),
    (5, List(&Struct(PAIR))),
    (6, Bytes),
    (7, List(&Struct(&[(1, Struct(&[])), (2, Struct(&[])), (3, Struct(&[]))]))),
];

const SCHEMA: Fields = &[
    (1, Number),
    (2, Number),
    (3, Number),
    (4, Bytes),
    (5, Number),
    (6, Number),
    (7, Number),
    (8, Number),
    (9, Number),
    (10, Struct(TYPE)),
];

const TYPE: Fields = &[
    (1, Struct(&[])),
    (2, Struct(&[])),
    (3, Struct(&[])),
    (4, Struct(&[])),
    (5, Struct(&[(1, Number), (2, Number)])),
    (6, Struct(&[])),
    (7, Struct(TIME)),
    (8, Struct(TIME)),
    (10, Struct(&[(1, Byte), (2, Flag)])),
    (11, Struct(&[])),
    (12, Struct(&[])),
    (13, Struct(&[])),
    (14, Struct(&[])),
    (15, Struct(&[])),
    (16, Struct(&[(1, Byte)])),
    (17, Struct(&[(1, Bytes)])),
    (18, Struct(&[(1, Bytes), (2, Number)])),
];

const TIME: Fields = &[(1, Flag), (2, Struct(&[(1, Struct(&[])), (2, Struct(&[])), (3, Struct(&[]))]))];

const ROW_GROUP: Fields = &[
    (1, List(&Struct(COLUMN))),
    (2, Number),
    (3, Number),
    (4, List(&Struct(&[(1, Number), (2, Flag), (3, Flag)]))),
    (5, Number),
    (6, Number),
    (7, Number),
];

const COLUMN: Fields =
    &[(1, Bytes), (2, Number), (3, Struct(COLUMN_DATA)), (4, Number), (5, Number), (6, Number), (7, Number)];

const COLUMN_DATA: Fields = &[
    (1, Number),
    (2, List(&Number)),
    (3, List(&Bytes)),
    (4, Number),
    (5, Number),
    (6, Number),
    (7, Number),
    (8, List(&Struct(PAIR))),
    (9, Number),
    (10, Number),
    (11, Number),
    (12, Struct(STATISTICS)),
    (13, List(&Struct(&[(1, Number), (2, Number), (3, Number)]))),
    (14, Number),
    (15, Number),
    (16, Struct(&[(1, Number), (2, List(&Number)), (3, List(&Number))])),
    (17, Struct(&[(1, Struct(BOX)), (2, List(&Number))])),
];

const BOX: Fields = &[(1, Float), (2, Float), (3, Float), (4, Float), (5, Float), (6, Float), (7, Float), (8, Float)];

const STATISTICS: Fields =
    &[(1, Bytes), (2, Bytes), (3, Number), (4, Number), (5, Bytes), (6, Bytes), (7, Flag), (8, Flag)];

const PAIR: Fields = &[(1, Bytes), (2, Bytes)];

/// The largest number of a field. It is far below what the decoder counts to.
const MOST_FIELDS: u64 = 1000;
/// Structs and lists inside each other, at most.
const DEEPEST: usize = 32;

/// Why a header is not gone through to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// There are not enough bytes.
    CutOff,
    /// No program writes such a header.
    Wrong,
}

type Step<T> = Result<T, Stop>;

/// The sizes that the header of a page tells.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct PageSizes {
    /// Its bytes when it is unpacked.
    pub bytes: u64,
    /// Its bytes in the file.
    pub packed: u64,
}

/// Go through the header of a page, with which the data begin.
pub(crate) fn page(data: &[u8]) -> Step<PageSizes> {
    let mut sizes = PageSizes::default();
    Walk { data }.fields(PAGE, DEEPEST, &mut |number, value| match number {
        2 => sizes.bytes = value,
        3 => sizes.packed = value,
        _ => {}
    })?;
    Ok(sizes)
}

/// Go through what the end of a file says of it.
pub(crate) fn file(data: &[u8]) -> Step<()> {
    Walk { data }.fields(FILE, DEEPEST, &mut |_, _| ())
}

/// What is left to go through.
struct Walk<'a> {
    data: &'a [u8],
}

impl Walk<'_> {
    fn byte(&mut self) -> Step<u8> {
        let (&byte, rest) = self.data.split_first().ok_or(Stop::CutOff)?;
        self.data = rest;
        Ok(byte)
    }

    fn pass(&mut self, count: u64) -> Step<()> {
        let count = usize::try_from(count).map_err(|_| Stop::Wrong)?;
        self.data = self.data.get(count..).ok_or(Stop::CutOff)?;
        Ok(())
    }

    /// A number without a sign, seven bits in each byte.
    fn number(&mut self) -> Step<u64> {
        let mut number = 0;
        for place in 0..10 {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Stop::Wrong)
    }

    /// A number with a sign, whose last bit is the sign. Negative ones count as none: the decoder refuses them as sizes.
    fn signed(&mut self) -> Step<u64> {
        let code = self.number()?;
        Ok(if code & 1 == 0 { code >> 1 } else { 0 })
    }

    /// The fields of a struct; `note` is called with the numbers among them.
    fn fields(&mut self, known: Fields, deep: usize, note: &mut dyn FnMut(u64, u64)) -> Step<()> {
        let mut last = 0;
        loop {
            let head = self.byte()?;
            if head & 0xf == 0 {
                return Ok(());
            }
            last = match head >> 4 {
                0 => self.signed()?,
                more => last + u64::from(more),
            };
            if !(1..=MOST_FIELDS).contains(&last) {
                return Err(Stop::Wrong);
            }
            let kind = known.iter().find(|&&(number, _)| number == last).map_or(Any, |&(_, kind)| kind);
            if matches!(kind, Number) && matches!(head & 0xf, 4..=6) {
                note(last, self.signed()?);
            } else {
                self.value(head & 0xf, kind, deep)?;
            }
        }
    }

    /// A value that is declared to be of type `told`, and must be of a kind.
    fn value(&mut self, told: u8, kind: Kind, deep: usize) -> Step<()> {
        let deeper = deep.checked_sub(1).ok_or(Stop::Wrong)?;
        match (told, kind) {
            (1 | 2, Any | Flag) => Ok(()),
            (3, Any | Byte) => self.pass(1),
            (4..=6, Any | Number) => self.number().map(drop),
            (7, Any | Float) => self.pass(8),
            (8, Any | Bytes) => {
                let length = self.number()?;
                self.pass(length)
            }
            (9, Any) => self.list(Any, deeper),
            (9, List(&inner)) => self.list(inner, deeper),
            (12, Any) => self.fields(&[], deeper, &mut |_, _| ()),
            (12, Struct(known)) => self.fields(known, deeper, &mut |_, _| ()),
            _ => Err(Stop::Wrong), // sets, maps and UUIDs are nowhere in Parquet
        }
    }

    fn list(&mut self, kind: Kind, deep: usize) -> Step<()> {
        let head = self.byte()?;
        let size = if head >> 4 == 15 { self.number()? } else { u64::from(head >> 4) };
        let told = head & 0xf;
        if matches!(told, 1 | 2) && size > 0 {
            return Err(Stop::Wrong); // for the decoder these take no bytes, for other programs one each
        }
        if size > self.data.len() as u64 {
            return Err(Stop::CutOff);
        }
        (0..size).try_for_each(|_| self.value(told, kind, deep))
    }
}

#[cfg(test)]
mod tests {
    use super::{PageSizes, Stop, file, page};

    #[test]
    fn the_sizes_of_a_page_are_read_in_any_order() {
        let sizes = |bytes, packed| Ok(PageSizes { bytes, packed });
        // kind 0, 300 bytes, 5 in the file, the header of a page of data without its fields
        assert_eq!(page(&[0x15, 0, 0x15, 0xd8, 4, 0x15, 10, 0x2c, 0, 0]), sizes(300, 5));
        // the size in the file first, with a number in full; then an unknown field; then the other
        assert_eq!(page(&[0x05, 6, 10, 0xd8, 3, b'a', b'b', b'c', 0x05, 4, 0xd8, 4, 0]), sizes(300, 5));
        // the second of two counts
        assert_eq!(page(&[0x25, 2, 0x05, 4, 0xfe, 0xff, 0xff, 0xff, 0xf, 0x15, 2, 0]), sizes(0x7fff_ffff, 1));
    }

    #[test]
    fn what_no_program_writes_is_refused() {
        let wrong: [&[u8]; 5] = [
            &[0x15, 0, 0x18, 1, b'a', 0],                // a size that is text
            &[0xd9, 0xf1, 0xff, 0xff, 0xff, 0xff, 7, 0], // billions of flags, which take no bytes
            &[0xdb, 0xff, 0xff, 0xff, 0xff, 7, 0x11, 0], // a map of as many
            &[0x15, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0],
            &[0xdc, 0x1c].repeat(40),
        ];
        for header in wrong {
            assert_eq!(page(header), Err(Stop::Wrong), "{header:?}");
        }
        let short: [&[u8]; 4] = [&[], &[0x15], &[0xd8, 9, b'a'], &[0xd9, 0xfc, 9, 0]];
        for header in short {
            assert_eq!(page(header), Err(Stop::CutOff), "{header:?}");
        }
        assert_eq!(file(&[0x15, 2, 0x19, 0x0c, 0x16, 0, 0x19, 0x0c, 0]), Ok(()));
        assert_eq!(file(&[0x15, 2, 0x16, 0, 0]), Err(Stop::Wrong)); // the schema is a number
    }
}
