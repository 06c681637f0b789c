//! Scalars and collections.

use super::{Fault, ReadJson, Reader, WriteJson, Writer};
use std::collections::BTreeMap;

macro_rules! integers {
    ($($integer:ident)*) => {$(
        impl ReadJson for $integer {
            fn read_json(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault> {
                *self = match reader.small_integer() {
                    Some(value) => value,
                    None => reader.by_serde_json()?,
                };
                Ok(())
            }
        }

        impl WriteJson for $integer {
            fn write_json(&self, writer: &mut Writer) {
                writer.display(self);
            }
        }
    )*};
}

integers!(i32 i64);

/// The object around it keeps a number with another spelling than its own.
impl ReadJson for f64 {
    fn read_json(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault> {
        let text = reader.number()?;
        // JSON numbers are Rust's too.
        *self = text.parse().unwrap_or_default();
        reader.mark.keeps_text |= spelling(*self) != text;
        Ok(())
    }
}

impl WriteJson for f64 {
    fn write_json(&self, writer: &mut Writer) {
        writer.raw(&spelling(*self));
    }
}

/// A number as JSON, without the fraction of a whole number, as Go writes it. JSON cannot represent infinity.
fn spelling(value: f64) -> String {
    match value.is_finite() {
        true if value.abs() < 1e21 && (value == 0.0 || value.abs() >= 1e-6) => format!("{value}"),
        true => format!("{value:e}"),
        false => "null".to_owned(),
    }
}

impl ReadJson for bool {
    fn read_json(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault> {
        *self = reader.bool()?;
        Ok(())
    }
}

impl WriteJson for bool {
    fn write_json(&self, writer: &mut Writer) {
        writer.raw(if *self { "true" } else { "false" });
    }
}

impl ReadJson for String {
    fn read_json(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault> {
        *self = match reader.plain_string() {
            Some(text) => text.to_owned(),
            None => reader.odd_string(&"a string")?.into_owned(),
        };
        Ok(())
    }
}

impl WriteJson for String {
    fn write_json(&self, writer: &mut Writer) {
        writer.string(self);
    }
}

impl WriteJson for str {
    fn write_json(&self, writer: &mut Writer) {
        writer.string(self);
    }
}

impl<T: ReadJson> ReadJson for Box<T> {
    const HOLDS_NULL: bool = T::HOLDS_NULL;

    fn read_json(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault> {
        (**self).read_json(reader)
    }
}

impl<T: WriteJson + ?Sized> WriteJson for &T {
    fn write_json(&self, writer: &mut Writer) {
        (**self).write_json(writer);
    }
}

impl<T: WriteJson> WriteJson for Box<T> {
    fn write_json(&self, writer: &mut Writer) {
        (**self).write_json(writer);
    }
}

impl<T: ReadJson> ReadJson for Option<T> {
    const HOLDS_NULL: bool = true;

    fn read_json(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault> {
        self.insert(T::default()).read_json(reader)
    }
}

/// Absent is `null`, where it is written at all.
impl<T: WriteJson> WriteJson for Option<T> {
    fn write_json(&self, writer: &mut Writer) {
        match self {
            Some(value) => value.write_json(writer),
            None => writer.raw("null"),
        }
    }
}

/// A vector that grows while its elements are read.
pub(crate) trait Elements {
    /// Allocates space for `count` more elements.
    fn reserve(&mut self, count: usize);
    /// How many elements take as many bytes.
    fn count_in(&self, bytes: usize) -> usize;
    /// Adds the next element.
    fn read_next(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault>;
    /// Gives back unused space.
    fn fit(&mut self);
}

/// How many bytes of a vector may stay unused: an allocator gives no less back.
const SLACK: usize = 32;

impl<T: ReadJson> Elements for Vec<T> {
    fn reserve(&mut self, count: usize) {
        match self.capacity() {
            0 => *self = Self::with_capacity(count),
            _ => self.reserve_exact(count),
        }
    }

    fn count_in(&self, bytes: usize) -> usize {
        bytes / size_of::<T>().max(1)
    }

    fn read_next(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault> {
        reader.charge(size_of::<T>())?;
        self.push(T::default());
        // In its place, since moving a large element takes longer than reading it.
        match self.last_mut() {
            Some(element) => reader.element(element),
            None => Ok(()),
        }
    }

    fn fit(&mut self) {
        if (self.capacity() - self.len()) * size_of::<T>() > SLACK {
            self.shrink_to_fit();
        }
    }
}

pub(crate) fn read_elements(list: &mut dyn Elements, reader: &mut Reader<'_>) -> Result<(), Fault> {
    let field = reader.mark.field;
    if !reader.elements()? {
        return Ok(());
    }
    list.reserve(reader.predictor.length(field));
    let start = reader.position();
    let mut length = 0;
    loop {
        list.read_next(reader)
            .map_err(|fault| fault.in_element(length))?;
        length += 1;
        if length == 1 && reader.is_outermost_list() {
            // The items of a list: as many as fit into the text, in no more memory than the text has.
            let (read, left) = (reader.since(start).len(), reader.rest().len());
            list.reserve((left / read.max(1)).min(list.count_in(left)));
        }
        if !reader.more_elements()? {
            break;
        }
    }
    reader.predictor.note_length(field, length);
    list.fit();
    Ok(())
}

impl<T: ReadJson> ReadJson for Vec<T> {
    fn read_json(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault> {
        read_elements(self, reader)
    }
}

impl<T: WriteJson> WriteJson for Vec<T> {
    fn write_json(&self, writer: &mut Writer) {
        self.as_slice().write_json(writer);
    }
}

impl<T: WriteJson> WriteJson for [T] {
    fn write_json(&self, writer: &mut Writer) {
        writer.array(self.len(), &mut |index, writer| {
            self[index].write_json(writer);
        });
    }
}

impl<T: ReadJson> ReadJson for BTreeMap<String, T> {
    fn read_json(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault> {
        reader.fields(&"a JSON object", &mut |name, reader| {
            // The name, the value and their share of a node.
            reader.charge(size_of::<(String, T)>() + size_of::<usize>())?;
            let mut value = T::default();
            let read = reader.element(&mut value);
            read.map_err(|fault| fault.in_field(&name))?;
            self.insert(name.into_owned(), value);
            Ok(())
        })
    }
}

impl<T: WriteJson> WriteJson for BTreeMap<String, T> {
    fn write_json(&self, writer: &mut Writer) {
        writer.object(|writer| {
            for (name, value) in self {
                writer.field(name, value);
            }
        });
    }
}
