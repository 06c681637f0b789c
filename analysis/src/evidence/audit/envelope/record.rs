//! A JSON object that may carry events: the fields that a format knows.

use super::content::Content;
use super::format::Format;
use super::{
    aks_audit, azure, cloud_logging, cloudwatch, container, elasticsearch, journald, log_analytics,
    loki, records, splunk,
};
use k8s_flowcontrol_types::json::{Fault, Reader};
use std::borrow::Cow;
use std::sync::LazyLock;

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

/// A way to open a record.
type Open = for<'r, 'a> fn(&'r Record<'a>) -> Option<Content<'r>>;

/// The formats, the most distinctive first.
const FORMATS: [(Format, Open); 11] = [
    (Format::CloudLogging, cloud_logging::open),
    (Format::AksAudit, aks_audit::open),
    (Format::AzureDiagnostics, azure::open),
    (Format::AzureDiagnostics, log_analytics::open),
    (Format::CloudWatch, cloudwatch::open),
    (Format::Elasticsearch, elasticsearch::open),
    (Format::Loki, loki::open),
    (Format::Splunk, splunk::open),
    (Format::Journald, journald::open),
    (Format::ContainerLog, container::open),
    (Format::Records, records::open),
];

/// The fields that the formats read. All others are skipped.
const KNOWN: [&[&str]; 11] = [
    cloud_logging::FIELDS,
    aks_audit::FIELDS,
    azure::FIELDS,
    log_analytics::FIELDS,
    cloudwatch::FIELDS,
    elasticsearch::FIELDS,
    loki::FIELDS,
    splunk::FIELDS,
    journald::FIELDS,
    container::FIELDS,
    records::FIELDS,
];

impl<'a> Record<'a> {
    /// Reads an object.
    pub(super) fn read(reader: &mut Reader<'a>) -> Result<Self, Fault> {
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

    /// The format and the content, if a format knows the record.
    pub(super) fn open(&self) -> Option<(Format, Content<'_>)> {
        if self.fields.is_empty() {
            return None;
        }
        let mut found = FORMATS.iter().map(|(format, open)| (*format, open(self)));
        found.find_map(|(format, content)| Some((format, content?)))
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

/// The name of a known field.
pub(super) fn known(name: &str) -> Option<&'static str> {
    let first = usize::from(*name.as_bytes().first()?);
    let names = BY_FIRST_BYTE.get(first)?.iter();
    names.copied().find(|known| *known == name)
}

/// The known fields by their first byte.
static BY_FIRST_BYTE: LazyLock<[Vec<&'static str>; 128]> = LazyLock::new(|| {
    let mut table = std::array::from_fn(|_| Vec::new());
    for name in KNOWN.iter().flat_map(|names| names.iter().copied()) {
        let names: Option<&mut Vec<_>> = table.get_mut(usize::from(name.as_bytes()[0]));
        if let Some(names) = names
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    table
});
