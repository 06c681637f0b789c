//! The formats of records, and the fields that they read.

use super::content::Content;
use super::format::Format;
use super::record::Record;
use super::{
    aks_audit, azure, cloud_logging, cloudwatch, container, elasticsearch, journald, log_analytics,
    loki, records, splunk,
};
use std::sync::LazyLock;

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

/// The format and the content of a record, if a format knows it.
pub(super) fn open<'r>(record: &'r Record<'_>) -> Option<(Format, Content<'r>)> {
    if record.is_empty() {
        return None;
    }
    let mut found = FORMATS.iter().map(|(format, open)| (*format, open(record)));
    found.find_map(|(format, content)| Some((format, content?)))
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
