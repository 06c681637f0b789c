//! Objects of every type: one loop, to which a type is a table of members.

use super::{Fault, Reader, Writer};
use crate::meta::Unknown;
use crate::rt::decode::check_type_meta;
use crate::rt::{Members, Source, TypeMeta, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;

/// How many members are looked at for the one that is next.
const AHEAD: usize = 6;

/// [`Members`] of a type that is not known when this is compiled.
trait Object {
    fn facts(&self) -> &'static Facts;
    fn index(&self, name: &str) -> Option<usize>;
    fn read(&mut self, index: usize, reader: &mut Reader<'_>) -> Result<(), Fault>;
    fn write(&self, writer: &mut Writer);
    fn unknown(&self) -> &Unknown;
    fn unknown_mut(&mut self) -> &mut Unknown;
}

struct Facts {
    name: &'static str,
    names: &'static [&'static str],
    required: u128,
    type_meta: Option<TypeMeta>,
}

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a JSON object ({})", self.name)
    }
}

impl<T: Members> Object for T {
    fn facts(&self) -> &'static Facts {
        const {
            &Facts {
                name: T::NAME,
                names: T::NAMES,
                required: T::REQUIRED,
                type_meta: T::TYPE_META,
            }
        }
    }

    fn index(&self, name: &str) -> Option<usize> {
        T::index(name)
    }

    fn read(&mut self, index: usize, reader: &mut Reader<'_>) -> Result<(), Fault> {
        Members::read(self, index, reader)
    }

    fn write(&self, writer: &mut Writer) {
        match Members::write(self, writer) {
            Ok(()) => {}
            Err::<(), Infallible>(never) => match never {},
        }
    }

    fn unknown(&self) -> &Unknown {
        Members::unknown(self)
    }

    fn unknown_mut(&mut self) -> &mut Unknown {
        Members::unknown_mut(self)
    }
}

/// Reads a struct: known members by name in any order, unknown ones kept, `null` as absence.
///
/// # Errors
/// The text is no JSON or does not fit.
pub fn read_object<T: Members>(object: &mut T, reader: &mut Reader<'_>) -> Result<(), Fault> {
    read(object, reader)
}

fn read(object: &mut dyn Object, reader: &mut Reader<'_>) -> Result<(), Fault> {
    let facts = object.facts();
    let mut seen = 0u128;
    // Servers write members in document order and leave some out.
    let mut next = 0;
    let mut more = reader.object(facts)?;
    while more {
        let end = facts.names.len().min(next + AHEAD);
        let index = match reader.name_of(&facts.names[next..end]) {
            Some(ahead) => Some(next + ahead),
            None => {
                let name = reader.name()?;
                let index = object.index(&name);
                if index.is_none() {
                    read_other(object, facts, name, reader)?;
                }
                index
            }
        };
        if let Some(index) = index {
            if seen & (1 << index) != 0 {
                let (member, of) = (facts.names[index], facts.name);
                return Err(reader.fault(format!("duplicate member `{member}` in {of}")));
            }
            seen |= 1 << index;
            object.read(index, reader)?;
            next = index + 1;
        }
        more = reader.more_members()?;
    }
    let absent = facts.required & !seen;
    if absent != 0 {
        object.unknown_mut().set_absent(absent);
    }
    object.unknown_mut().fit();
    Ok(())
}

/// Reads a member that has no field.
fn read_other(
    object: &mut dyn Object,
    facts: &Facts,
    name: Cow<'_, str>,
    reader: &mut Reader<'_>,
) -> Result<(), Fault> {
    match (facts.type_meta, &*name) {
        (Some(meta), "apiVersion") => type_meta(facts, "apiVersion", meta.api_version, "", reader),
        (Some(meta), "kind") => {
            let suffix = if meta.list { "List" } else { "" };
            type_meta(facts, "kind", meta.kind, suffix, reader)
        }
        _ => {
            let value = reader.kept()?;
            object.unknown_mut().push(name.into(), value);
            Ok(())
        }
    }
}

impl Source for Reader<'_> {
    type Error = Fault;

    fn nullable<T: Value>(&mut self, member: &mut T) -> Result<(), Fault> {
        if self.null() {
            return Ok(());
        }
        member.read_json(self)
    }

    fn option<T: Value>(&mut self, member: &mut Option<T>) -> Result<(), Fault> {
        if self.null() {
            return Ok(());
        }
        member.insert(T::default()).read_json(self)
    }

    fn list<T: Value>(&mut self, member: &mut Vec<T>) -> Result<(), Fault> {
        self.nullable(member)
    }

    fn map<T: Value>(&mut self, member: &mut BTreeMap<String, T>) -> Result<(), Fault> {
        self.nullable(member)
    }
}

/// Reads `apiVersion` or `kind`.
fn type_meta(
    of: &Facts,
    member: &str,
    expected: &str,
    suffix: &str,
    reader: &mut Reader<'_>,
) -> Result<(), Fault> {
    if reader.null() {
        return Ok(());
    }
    let found = reader.string(&"a string")?;
    check_type_meta(of.name, member, (expected, suffix), &found)
        .map_err(|words| reader.fault(words))
}

/// Writes a struct: members in document order, then the unknown ones; absences stay absent. `type_meta` says whether
/// with the `apiVersion` and `kind` that belong to it.
pub fn write_object<T: Members>(object: &T, writer: &mut Writer, type_meta: bool) {
    write(object, writer, type_meta);
}

fn write(object: &dyn Object, writer: &mut Writer, type_meta: bool) {
    writer.object(|writer| {
        if let (true, Some(meta)) = (type_meta, object.facts().type_meta) {
            // In the order of a Kubernetes API server, so that what it wrote comes back letter by letter.
            if meta.list {
                writer.member("kind", &format!("{}List", meta.kind));
            } else {
                writer.member("kind", meta.kind);
            }
            writer.member("apiVersion", meta.api_version);
        }
        object.write(writer);
        for (name, raw) in object.unknown().iter() {
            writer.member(name, raw);
        }
    });
}
