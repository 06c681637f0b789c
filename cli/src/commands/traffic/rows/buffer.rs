//! The values of a column until they are written.

use super::row::{Kind, Value};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedColumnWriter;

/// The values of a column, with Parquet's levels: 1 is the definition level of a value and 0 that of its absence, and 1 is the
/// repetition level of every element of a list but the first.
pub(super) struct Buffer {
    values: Values,
    definition: Vec<i16>,
    /// Of texts alone.
    repetition: Vec<i16>,
}

enum Values {
    Texts(Vec<ByteArray>),
    Integers(Vec<i64>),
    Flags(Vec<bool>),
}

impl Buffer {
    pub(super) fn new(kind: Kind) -> Self {
        Self {
            values: match kind {
                Kind::Text | Kind::Texts => Values::Texts(Vec::new()),
                Kind::Integer | Kind::Time => Values::Integers(Vec::new()),
                Kind::Flag => Values::Flags(Vec::new()),
            },
            definition: Vec::new(),
            repetition: Vec::new(),
        }
    }

    /// Adds the value of a row, and returns about the bytes that it takes. A value of another kind is absent.
    pub(super) fn push(&mut self, value: Value) -> usize {
        match &mut self.values {
            Values::Texts(values) => {
                let texts = match value {
                    Value::Text(text) => text.into_iter().collect(),
                    Value::Texts(texts) => texts,
                    Value::Integer(_) | Value::Flag(_) => Vec::new(),
                };
                if texts.is_empty() {
                    self.definition.push(0);
                    self.repetition.push(0);
                }
                let mut bytes = 0;
                for (index, text) in texts.into_iter().enumerate() {
                    self.definition.push(1);
                    self.repetition.push(i16::from(index > 0));
                    bytes += size_of::<ByteArray>() + text.len();
                    values.push(ByteArray::from(text.into_bytes()));
                }
                bytes
            }
            Values::Integers(values) => {
                let value = match value {
                    Value::Integer(value) => value,
                    _ => None,
                };
                self.definition.push(i16::from(value.is_some()));
                values.extend(value);
                size_of::<i64>()
            }
            Values::Flags(values) => {
                let value = match value {
                    Value::Flag(value) => value,
                    _ => None,
                };
                self.definition.push(i16::from(value.is_some()));
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
        let definition = Some(&self.definition[..]);
        match &mut self.values {
            Values::Texts(values) => {
                let writer = column.typed::<ByteArrayType>();
                writer.write_batch(values, definition, Some(&self.repetition))?;
                values.clear();
            }
            Values::Integers(values) => {
                let writer = column.typed::<Int64Type>();
                writer.write_batch(values, definition, None)?;
                values.clear();
            }
            Values::Flags(values) => {
                let writer = column.typed::<BoolType>();
                writer.write_batch(values, definition, None)?;
                values.clear();
            }
        }
        self.definition.clear();
        self.repetition.clear();
        Ok(())
    }
}
