//! Which columns a Parquet file has, and which of them can be read here.

use parquet::basic::{ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::schema::types::{SchemaDescriptor, Type};

use crate::{Column, ColumnKind, Error, Result};

/// The top-level columns.
pub(crate) fn columns(schema: &SchemaDescriptor) -> Vec<Column> {
    let fields = schema.root_schema().get_fields();
    fields.iter().map(|field| Column { name: field.name().to_owned(), kind: kind(field) }).collect()
}

/// A column to read: its place among the leaves of the schema, and what it holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf {
    pub place: usize,
    pub kind: ColumnKind,
    /// Whether numbers are to be taken without a sign; they have 32 bits at most then.
    pub unsigned: bool,
}

/// Find a top-level column by its name.
pub(crate) fn find(schema: &SchemaDescriptor, name: &str) -> Result<Leaf> {
    let fields = schema.root_schema().get_fields();
    let mut named = fields.iter().enumerate().filter(|(_, field)| field.name() == name);
    let (root, field) = named.next().ok_or_else(|| Error::MissingColumn(name.to_owned()))?;
    if named.next().is_some() {
        return Err(Error::ColumnTwice(name.to_owned()));
    }
    let place = (0..schema.num_columns()).find(|&leaf| schema.get_column_root_idx(leaf) == root);
    let place = place.ok_or(Error::NeedsFallback("a column without values"))?;
    Ok(Leaf { place, kind: kind(field), unsigned: is_unsigned(field) })
}

fn kind(field: &Type) -> ColumnKind {
    let info = field.get_basic_info();
    if !field.is_primitive() || info.repetition() == Repetition::REPEATED {
        return ColumnKind::Other;
    }
    let (logical, converted) = (info.logical_type_ref(), info.converted_type());
    if matches!(logical, Some(LogicalType::Unknown)) {
        return ColumnKind::Null;
    }
    match field.get_physical_type() {
        Physical::BYTE_ARRAY => bytes_kind(logical, converted),
        Physical::INT32 | Physical::INT64 => number_kind(field, logical, converted),
        _ => ColumnKind::Other,
    }
}

fn bytes_kind(logical: Option<&LogicalType>, converted: ConvertedType) -> ColumnKind {
    match (logical, converted) {
        (Some(LogicalType::String | LogicalType::Json), _) => ColumnKind::Text,
        (Some(LogicalType::Enum | LogicalType::Bson), _) => ColumnKind::Bytes,
        (Some(_), _) => ColumnKind::Other,
        (None, ConvertedType::UTF8 | ConvertedType::JSON) => ColumnKind::Text,
        (None, ConvertedType::NONE | ConvertedType::ENUM | ConvertedType::BSON) => ColumnKind::Bytes,
        (None, _) => ColumnKind::Other,
    }
}

fn number_kind(field: &Type, logical: Option<&LogicalType>, converted: ConvertedType) -> ColumnKind {
    use ConvertedType as C;
    let whole = match logical {
        Some(LogicalType::Integer(_)) => true,
        Some(_) => false,
        None => {
            matches!(converted, C::NONE | C::INT_8 | C::INT_16 | C::INT_32 | C::INT_64)
                || matches!(converted, C::UINT_8 | C::UINT_16 | C::UINT_32 | C::UINT_64)
        }
    };
    let large = is_unsigned(field) && field.get_physical_type() == Physical::INT64;
    if whole && !large { ColumnKind::Integer } else { ColumnKind::Other }
}

fn is_unsigned(field: &Type) -> bool {
    use ConvertedType as C;
    let info = field.get_basic_info();
    match info.logical_type_ref() {
        Some(LogicalType::Integer(number)) => !number.is_signed,
        Some(_) => false,
        None => matches!(info.converted_type(), C::UINT_8 | C::UINT_16 | C::UINT_32 | C::UINT_64),
    }
}
