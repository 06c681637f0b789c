//! Reading and writing objects of every type with one loop each, compiled once.

use super::defaults::{Defaults, Spelling, TypeMetaAbsence};
use super::unknown::Kept;
use super::{Fields, Object, Table, Unknown, Value};
use crate::json::{Fault, Reader, Writer, to_string};
use std::borrow::Cow;
use std::fmt;

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
    // Shifting a `u128` would take a tenth of the instructions of a field.
    let mut seen = [0u64; 2];
    let mut explicit = Explicit::default();
    let mut has_unknown = false;
    let mut absent_meta = TypeMetaAbsence::expected(table, reader);
    let is_item = std::mem::take(&mut reader.mark.is_item);
    // Of an element before this one.
    let keeps_text = std::mem::take(&mut reader.mark.keeps_text);
    let mut last = BEFORE;
    let mut more = reader.object(table)?;
    if more
        && let Some(meta) = table.type_meta
        && reader.skip_type_meta(meta.kind, meta.api_version)
    {
        absent_meta = TypeMetaAbsence::default();
        more = reader.more_fields()?;
    }
    while more {
        let index = match reader.known_name(table.names, table.hash ^ last) {
            Some(index) => Some(index),
            None => {
                let name = reader.name()?;
                let index = table.names.iter().position(|known| known.text == name);
                if index.is_none() {
                    has_unknown = true;
                    read_other(object, table, name, reader, &mut absent_meta)?;
                }
                index
            }
        };
        if let Some(index) = index {
            let (word, bit) = (index / 64 % 2, 1 << (index % 64));
            if seen[word] & bit != 0 {
                let (field, of) = (table.names[index].text, table.schema.name);
                return Err(reader.fault(format!("duplicate field `{field}` in {of}")));
            }
            seen[word] |= bit;
            last = index as u64;
            reader.mark.field = table.hash ^ last;
            let start = reader.position();
            if !reader.null()
                && let Err(fault) = object.read_field(index, reader)
            {
                return Err(fault.in_field(table.names[index].text));
            }
            if reader.was_default() {
                explicit.note(1 << index, reader);
            }
            if reader.mark.keeps_text {
                reader.mark.keeps_text = false;
                keep(object, index, reader.since(start))?;
            }
        }
        more = reader.more_fields()?;
    }
    let seen = u128::from(seen[1]) << 64 | u128::from(seen[0]);
    if table.required & !seen != 0 || explicit.any {
        remember(object, table, seen, &explicit);
    }
    if reader.partial {
        write_always(object, seen & table.required & !explicit.null);
    }
    if absent_meta != TypeMetaAbsence::default() {
        object.unknown_mut().set_absent_meta(absent_meta);
    }
    if has_unknown {
        object.unknown_mut().fit();
    }
    reader.mark.is_item = is_item;
    reader.mark.keeps_text = keeps_text;
    Ok(())
}

/// Stands for the place before the first field.
const BEFORE: u64 = u64::MAX;

/// Remembers the spellings of fields that have their default.
#[inline(never)]
fn remember(object: &mut dyn Fields, table: &Table, seen: u128, explicit: &Explicit) {
    // A field that is `null` without being nullable is absent, as on a server.
    let absent = table.required & (!seen | explicit.null & !table.nullable);
    let null = explicit.null & table.nullable;
    let defaults = Defaults::new(absent, null, explicit.empty & table.collections);
    if !defaults.is_empty() {
        object.unknown_mut().set_defaults(defaults);
    }
}

/// A partial object sends those defaults of `fields` that are present in its text.
#[cold]
#[inline(never)]
fn write_always(object: &mut dyn Fields, fields: u128) {
    let mut always = Vec::new();
    object.values(&mut |values, _| {
        let has_default = |index: &usize| fields & (1 << index) != 0 && values[*index].is_default();
        always = (0..values.len()).filter(has_default).collect();
    });
    for index in always {
        object.unknown_mut().write_always(index);
    }
}

/// An object that is borrowed for [`always_send!`](crate::always_send): a value or a reference.
pub trait Reborrow {
    /// The object itself.
    fn reborrow(&mut self) -> &mut Self;
}

impl<T: Fields> Reborrow for T {
    fn reborrow(&mut self) -> &mut Self {
        self
    }
}

/// Sends a field of a partial object also while it has its default, see [`always_send!`](crate::always_send).
pub fn always_send<T: Fields, F>(object: &mut T, field: impl FnOnce(&T) -> &F) {
    let address = std::ptr::from_ref(field(object)).cast::<()>();
    let is_it = |value: &&dyn Value| std::ptr::from_ref(*value).cast::<()>() == address;
    let mut index = None;
    object.values(&mut |values, _| index = values.iter().position(is_it));
    if let Some(index) = index {
        object.unknown_mut().write_always(index);
    }
}

/// The bits of the fields with an explicit default.
#[derive(Default)]
struct Explicit {
    any: bool,
    null: u128,
    empty: u128,
}

impl Explicit {
    /// Most objects have none.
    #[cold]
    #[inline(never)]
    fn note(&mut self, bit: u128, reader: &Reader<'_>) {
        self.any = true;
        match reader.was_null() {
            true => self.null |= bit,
            false => self.empty |= bit,
        }
    }
}

/// Keeps the text of a field whose value would be written differently.
#[cold]
#[inline(never)]
fn keep(object: &mut dyn Fields, index: usize, text: &str) -> Result<(), Fault> {
    let text = Reader::new(text).raw_json()?;
    let mut own = String::new();
    object.values(&mut |values, _| own = to_string(values[index]));
    object.unknown_mut().keep(index, Kept { text, own });
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

/// Writes a struct: the fields of its table, then the unknown ones. `type_meta` is whether to begin with the
/// `apiVersion` and `kind` that belong to it.
pub fn write_object<T: Object>(object: &T, writer: &mut Writer, type_meta: bool) {
    write(object, const { &T::TABLE }, type_meta, writer);
}

fn write(object: &dyn Fields, table: &Table, type_meta: bool, writer: &mut Writer) {
    object.values(&mut |values, unknown| write_values(values, unknown, table, type_meta, writer));
}

fn write_values(
    values: &[&dyn Value],
    unknown: &Unknown,
    table: &Table,
    type_meta: bool,
    writer: &mut Writer,
) {
    let outer = writer.partial;
    writer.partial |= unknown.is_partial();
    let remembers = writer.partial || unknown.remembers();
    let absent = match writer.is_empty() {
        true => TypeMetaAbsence::default(),
        false => unknown.absent_meta(),
    };
    writer.open_object();
    if let (true, Some(meta)) = (type_meta, table.type_meta) {
        // In the order of a Kubernetes API server, so that its own text comes back unchanged.
        if !absent.kind {
            writer.field("kind", meta.kind);
        }
        if !absent.api_version {
            writer.field("apiVersion", meta.api_version);
        }
    }
    for (index, (&value, name)) in values.iter().zip(table.names).enumerate() {
        if remembers {
            write_remembered(writer, table, unknown, index, value);
        } else if !value.is_absent() {
            writer.field(name.text, value);
        } else if table.required & (1 << index) != 0 {
            writer.null_field(name.text);
        }
    }
    for (name, raw) in unknown.iter() {
        writer.field(name, raw);
    }
    writer.close_object();
    writer.partial = outer;
}

/// Writes a field of an object with memory, or of a partial one. A field that still has its default, or elements that were
/// `null`, is spelled as it was read; without a spelling, and in a partial object, an absent value is left out, and a required one
/// is `null`.
#[cold]
#[inline(never)]
fn write_remembered(
    writer: &mut Writer,
    table: &Table,
    unknown: &Unknown,
    index: usize,
    value: &dyn Value,
) {
    let name = table.names[index].text;
    if let Some(kept) = unknown.kept(index)
        && kept.own == to_string(value)
    {
        return writer.field(name, &kept.text);
    }
    if unknown.is_always_written(index) {
        return writer.field(name, value);
    }
    let spelling = unknown.default_of(index);
    let is_left_out = (writer.partial || spelling.is_some()) && value.is_default();
    if !value.is_absent() && !is_left_out {
        return writer.field(name, value);
    }
    let is_required = table.required & (1 << index) != 0;
    match spelling {
        Some(Spelling::Empty) => writer.field(name, value),
        Some(Spelling::Null) => writer.null_field(name),
        None if is_required && !writer.partial => writer.null_field(name),
        _ => {}
    }
}

/// Whether all fields of an object have their default or are absent, and the type knows all of them.
pub fn is_default(object: &dyn Fields) -> bool {
    let mut all = false;
    object.values(&mut |values, unknown| {
        let mut values = values.iter();
        all = unknown.is_empty()
            && !unknown.sends_defaults()
            && values.all(|value| value.is_absent() || value.is_default());
    });
    all
}
