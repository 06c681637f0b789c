//! Reading and writing objects of every type with one loop each, compiled once.

use super::defaults::{Defaults, Spelling, TypeMetaAbsence};
use super::{Field, Fields, Object, Table, Unknown};
use crate::json::{Fault, RawJson, Reader, WriteJson, Writer};
use std::borrow::Cow;
use std::fmt;

/// How many names are compared with the next one before all are.
const AHEAD: usize = 6;

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a JSON object ({})", self.schema.name)
    }
}

/// Reads a struct: known fields in any order, unknown ones kept, `null` as the default. The spelling of a default is
/// remembered: `[]`, `{}`, and `null` in a nullable field.
///
/// # Errors
/// The text is not JSON, or does not fit the type.
pub fn read_object<T: Object>(object: &mut T, reader: &mut Reader<'_>) -> Result<(), Fault> {
    read(object, const { &T::TABLE }, reader)
}

fn read(
    object: &mut dyn Fields,
    table: &'static Table,
    reader: &mut Reader<'_>,
) -> Result<(), Fault> {
    let mut seen = 0u128;
    let mut explicit = Explicit::default();
    let mut absent_meta = TypeMetaAbsence::expected(table, reader);
    let is_item = std::mem::take(&mut reader.is_item);
    // Of an element before this one.
    let keeps_text = std::mem::take(&mut reader.keeps_text);
    // Servers write fields in the table's order and leave some out.
    let mut next = 0;
    let mut more = reader.object(table)?;
    while more {
        let end = table.names.len().min(next + AHEAD);
        let index = match reader.name_of(&table.names[next..end]) {
            Some(ahead) => Some(next + ahead),
            None => {
                let name = reader.name()?;
                let index = table.names.iter().position(|known| **known == *name);
                if index.is_none() {
                    read_other(object, table, name, reader, &mut absent_meta)?;
                }
                index
            }
        };
        if let Some(index) = index {
            let bit = 1 << index;
            if seen & bit != 0 {
                let (field, of) = (table.names[index], table.schema.name);
                return Err(reader.fault(format!("duplicate field `{field}` in {of}")));
            }
            seen |= bit;
            let start = reader.position();
            object
                .read_field(index, reader)
                .map_err(|fault| fault.in_field(table.names[index]))?;
            if reader.was_default() {
                explicit.note(bit, reader);
            }
            if std::mem::take(&mut reader.keeps_text) {
                keep(object, index, reader.since(start))?;
            }
            next = index + 1;
        }
        more = reader.more_fields()?;
    }
    // A field that is `null` without being nullable is absent, as on a server.
    let absent = table.required & (!seen | explicit.null & !table.nullable);
    let null = explicit.null & table.nullable;
    let defaults = Defaults::new(absent, null, explicit.empty & table.collections);
    if !defaults.is_empty() {
        object.unknown_mut().set_defaults(defaults);
    }
    if absent_meta != TypeMetaAbsence::default() {
        object.unknown_mut().set_absent_meta(absent_meta);
    }
    object.unknown_mut().fit();
    reader.is_item = is_item;
    reader.keeps_text = keeps_text;
    Ok(())
}

/// The bits of the fields with an explicit default.
#[derive(Default)]
struct Explicit {
    null: u128,
    empty: u128,
}

impl Explicit {
    /// Most objects have none.
    #[cold]
    #[inline(never)]
    fn note(&mut self, bit: u128, reader: &Reader<'_>) {
        match reader.was_null() {
            true => self.null |= bit,
            false => self.empty |= bit,
        }
    }
}

/// Keeps the text of a field that has a `null` among elements that cannot be `null`.
#[cold]
#[inline(never)]
fn keep(object: &mut dyn Fields, index: usize, text: &str) -> Result<(), Fault> {
    let text = Reader::new(text).raw_json()?;
    object.unknown_mut().keep(index, text);
    Ok(())
}

/// Reads a field that is not in the table.
fn read_other(
    object: &mut dyn Fields,
    table: &Table,
    name: Cow<'_, str>,
    reader: &mut Reader<'_>,
    absent: &mut TypeMetaAbsence,
) -> Result<(), Fault> {
    let expected = match (table.type_meta, &*name) {
        (Some(meta), "apiVersion") => {
            absent.api_version = false;
            meta.api_version
        }
        (Some(meta), "kind") => {
            absent.kind = false;
            meta.kind
        }
        _ => {
            let value = reader.raw_json()?;
            object.unknown_mut().push(name.into(), value);
            return Ok(());
        }
    };
    if reader.null() {
        return Ok(());
    }
    let found = reader.string(&"a string")?;
    // An empty one is an absent one.
    if found.is_empty() || found == expected {
        return Ok(());
    }
    let of = table.schema.name;
    Err(reader.fault(format!(
        "{of}: expected {name} `{expected}`, found `{found}`"
    )))
}

/// Writes a struct: the fields of its table, then the unknown ones. `type_meta` tells whether to begin with the
/// `apiVersion` and `kind` that belong to it.
pub fn write_object<T: Object>(object: &T, writer: &mut Writer, type_meta: bool) {
    write(object, const { &T::TABLE }, type_meta, writer);
}

fn write(object: &dyn Fields, table: &Table, type_meta: bool, writer: &mut Writer) {
    let outer = (writer.partial, writer.required);
    writer.partial |= object.unknown().is_partial();
    writer.required = table.required;
    let absent = match writer.is_empty() {
        true => TypeMetaAbsence::default(),
        false => object.unknown().absent_meta(),
    };
    writer.object(|writer| {
        if let (true, Some(meta)) = (type_meta, table.type_meta) {
            // In the order of a Kubernetes API server, so that its own text comes back unchanged.
            if !absent.kind {
                writer.field("kind", meta.kind);
            }
            if !absent.api_version {
                writer.field("apiVersion", meta.api_version);
            }
        }
        object.write_fields(writer);
        for (name, raw) in object.unknown().iter() {
            writer.field(name, raw);
        }
    });
    (writer.partial, writer.required) = outer;
}

/// Writes the field at `index` of an object. A field that still has its default, or elements that were `null`, is spelled as it
/// was read; without a spelling, and in a partial object, an absent value is left out, and a required one is `null`.
pub fn write_field<V>(writer: &mut Writer, unknown: &Unknown, index: usize, name: &str, value: &V)
where
    V: Field + PartialEq,
{
    if writer.partial || unknown.remembers() {
        return write_remembered(writer, unknown, index, name, value);
    }
    if !value.is_absent() {
        writer.field(name, value);
    } else if !V::IS_REQUIRED && writer.required & (1 << index) != 0 {
        writer.field(name, &None::<V>);
    }
}

#[cold]
#[inline(never)]
fn write_remembered<V>(writer: &mut Writer, unknown: &Unknown, index: usize, name: &str, value: &V)
where
    V: Field + PartialEq,
{
    if let Some(raw) = unknown.kept(index)
        && reads_as(raw, value)
    {
        return writer.field(name, raw);
    }
    let spelling = unknown.default_of(index);
    let is_default =
        || V::IS_REQUIRED && (writer.partial || spelling.is_some()) && *value == V::default();
    if !value.is_absent() && !is_default() {
        return writer.field(name, value);
    }
    let is_required = writer.required & (1 << index) != 0;
    match spelling {
        Some(Spelling::Empty) => writer.field(name, value),
        Some(Spelling::Null) => writer.field(name, &None::<V>),
        None if is_required && !writer.partial => writer.field(name, &None::<V>),
        _ => {}
    }
}

fn reads_as<V: Field + PartialEq>(raw: &RawJson, value: &V) -> bool {
    let mut read = V::default();
    Reader::new(raw.as_str()).value(&mut read).is_ok() && read == *value
}

/// A kind inside a typed list: written without `apiVersion` and `kind`.
pub struct Untyped<'a, T>(pub &'a T);

impl<T: Object> WriteJson for Untyped<'_, T> {
    fn write_json(&self, writer: &mut Writer) {
        write_object(self.0, writer, false);
    }
}
