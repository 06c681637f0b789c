//! A JSON object that may carry events: its fields that a format knows.

use k8s_flowcontrol_types::json::{Fault, Reader};
use std::borrow::Cow;

/// The value of a field.
#[derive(Debug)]
pub(super) enum Field<'a> {
    Text(Cow<'a, str>),
    /// The JSON text of anything else.
    Raw(&'a str),
}

/// The known fields of an object.
#[derive(Debug, Default)]
pub(super) struct Record<'a> {
    fields: Vec<(&'static str, Field<'a>)>,
    /// Whether the object has a field that only an audit event has.
    pub(super) is_event: bool,
}

impl<'a> Record<'a> {
    /// Reads an object. `known` returns the name of a field that a format reads; all others are skipped.
    pub(super) fn read(
        reader: &mut Reader<'a>,
        known: fn(&str) -> Option<&'static str>,
    ) -> Result<Self, Fault> {
        let mut record = Self::default();
        reader.fields(&"an object", &mut |name, reader| {
            if matches!(name.as_ref(), "auditID" | "requestReceivedTimestamp") {
                record.is_event = true;
                return reader.skip();
            }
            let Some(name) = known(&name) else {
                return reader.skip();
            };
            let field = match reader.is_string() {
                true => Field::Text(reader.string(&"a string")?),
                false => Field::Raw(reader.raw()?.get()),
            };
            record.fields.push((name, field));
            Ok(())
        })?;
        Ok(record)
    }

    /// Whether the object does not have a field of a format.
    pub(super) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    pub(super) fn field(&self, name: &str) -> Option<&Field<'a>> {
        let found = self.fields.iter().find(|(known, _)| *known == name);
        found.map(|(_, field)| field)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.field(name).is_some()
    }

    /// A field that is a text.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        match self.field(name)? {
            Field::Text(text) => Some(text),
            Field::Raw(_) => None,
        }
    }

    /// The JSON text of a field that is an object or a list.
    pub(super) fn json(&self, name: &str) -> Option<&'a str> {
        match self.field(name)? {
            Field::Raw(text) if text.starts_with(['{', '[']) => Some(text),
            _ => None,
        }
    }
}
