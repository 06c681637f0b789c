//! Scalars and collections.

use super::{Fault, ReadJson, Reader, WriteJson, Writer};
use std::collections::BTreeMap;

macro_rules! integers {
    ($($integer:ident)*) => {$(
        impl ReadJson for $integer {
            fn read_json(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault> {
                let start = reader.clone();
                match reader.integer().and_then(|value| value.try_into().ok()) {
                    Some(value) => *self = value,
                    None => {
                        *reader = start;
                        *self = reader.by_serde_json()?;
                    }
                }
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
        reader.keeps_text |= spelling(*self) != text;
        Ok(())
    }
}

impl WriteJson for f64 {
    fn write_json(&self, writer: &mut Writer) {
        writer.raw(&spelling(*self));
    }
}

/// A number as JSON, without a fraction where it has none, as Go writes it. JSON has no infinity.
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
        *self = reader.string(&"a string")?.into_owned();
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
        match reader.null() {
            true => Ok(()),
            false => self.insert(T::default()).read_json(reader),
        }
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

/// How many bytes of a vector may stay unused: an allocator gives no less back.
const SLACK: usize = 32;

impl<T: ReadJson> ReadJson for Vec<T> {
    fn read_json(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault> {
        if !reader.elements()? {
            return Ok(());
        }
        let mut first = T::default();
        let in_element = |index: usize| move |fault: Fault| fault.in_element(index);
        reader.element(&mut first).map_err(in_element(0))?;
        let mut more = reader.more_elements()?;
        // Most lists have one element.
        self.reserve_exact(if more { 4 } else { 1 });
        self.push(first);
        while more {
            let index = self.len();
            self.push(T::default());
            // In its place, since moving a large element takes longer than reading it.
            if let Some(element) = self.last_mut() {
                reader.element(element).map_err(in_element(index))?;
            }
            more = reader.more_elements()?;
        }
        if (self.capacity() - self.len()) * size_of::<T>() > SLACK {
            self.shrink_to_fit();
        }
        Ok(())
    }
}

impl<T: WriteJson> WriteJson for Vec<T> {
    fn write_json(&self, writer: &mut Writer) {
        self.as_slice().write_json(writer);
    }
}

impl<T: WriteJson> WriteJson for [T] {
    fn write_json(&self, writer: &mut Writer) {
        writer.array(self.iter());
    }
}

impl<T: ReadJson> ReadJson for BTreeMap<String, T> {
    fn read_json(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault> {
        reader.fields(&"a JSON object", &mut |name, reader| {
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
