//! The values of a column until they are written.

use super::row::{Kind, Value};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedColumnWriter;

/// The values of a column, with Parquet's levels: 1 is the definition level of a value and 0 that of its absence, and 1 is the
/// repetition level of every element of a list but the first.
pub(super) enum Buffer {
    Texts {
        values: Vec<ByteArray>,
        definition: Vec<i16>,
        repetition: Vec<i16>,
    },
    Integers {
        values: Vec<i64>,
        definition: Vec<i16>,
    },
    Flags {
        values: Vec<bool>,
        definition: Vec<i16>,
    },
}

impl Buffer {
    pub(super) fn new(kind: Kind) -> Self {
        match kind {
            Kind::Text | Kind::Texts => Self::Texts {
                values: Vec::new(),
                definition: Vec::new(),
                repetition: Vec::new(),
            },
            Kind::Integer | Kind::Time => Self::Integers {
                values: Vec::new(),
                definition: Vec::new(),
            },
            Kind::Flag => Self::Flags {
                values: Vec::new(),
                definition: Vec::new(),
            },
        }
    }

    /// Adds the value of a row, and returns about the bytes that it takes. A value of another kind is absent.
    pub(super) fn push(&mut self, value: Value) -> usize {
        match (self, value) {
            (
                Self::Texts {
                    values,
                    definition,
                    repetition,
                },
                value,
            ) => {
                let texts = match value {
                    Value::Text(text) => text.into_iter().collect(),
                    Value::Texts(texts) => texts,
                    Value::Integer(_) | Value::Flag(_) => Vec::new(),
                };
                if texts.is_empty() {
                    definition.push(0);
                    repetition.push(0);
                }
                let mut bytes = 0;
                for (index, text) in texts.into_iter().enumerate() {
                    definition.push(1);
                    repetition.push(i16::from(index > 0));
                    bytes += size_of::<ByteArray>() + text.len();
                    values.push(ByteArray::from(text.into_bytes()));
                }
                bytes
            }
            (Self::Integers { values, definition }, value) => {
                let value = match value {
                    Value::Integer(value) => value,
                    _ => None,
                };
                definition.push(i16::from(value.is_some()));
                values.extend(value);
                size_of::<i64>()
            }
            (Self::Flags { values, definition }, value) => {
                let value = match value {
                    Value::Flag(value) => value,
                    _ => None,
                };
                definition.push(i16::from(value.is_some()));
                values.extend(value);
                size_of::<bool>()
            }
        }
    }

    /// Writes all values, and forgets them.
    pub(super) fn write(
        &mut self,
        column: &mut SerializedColumnWriter<'_>,
    ) -> Result<(), ParquetError> {
        match self {
            Self::Texts {
                values,
                definition,
                repetition,
            } => {
                let writer = column.typed::<ByteArrayType>();
                writer.write_batch(values, Some(definition), Some(repetition))?;
                values.clear();
                definition.clear();
                repetition.clear();
            }
            Self::Integers { values, definition } => {
                let writer = column.typed::<Int64Type>();
                writer.write_batch(values, Some(definition), None)?;
                values.clear();
                definition.clear();
            }
            Self::Flags { values, definition } => {
                let writer = column.typed::<BoolType>();
                writer.write_batch(values, Some(definition), None)?;
                values.clear();
                definition.clear();
            }
        }
        Ok(())
    }
}
