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

/// The formats, the most distinctive first, and the fields that they read. All others are skipped.
const FORMATS: [(Format, Open, &[&str]); 11] = [
    (
        Format::CloudLogging,
        cloud_logging::open,
        cloud_logging::FIELDS,
    ),
    (Format::AksAudit, aks_audit::open, aks_audit::FIELDS),
    (Format::AzureDiagnostics, azure::open, azure::FIELDS),
    (
        Format::AzureDiagnostics,
        log_analytics::open,
        log_analytics::FIELDS,
    ),
    (Format::CloudWatch, cloudwatch::open, cloudwatch::FIELDS),
    (
        Format::Elasticsearch,
        elasticsearch::open,
        elasticsearch::FIELDS,
    ),
    (Format::Loki, loki::open, loki::FIELDS),
    (Format::Splunk, splunk::open, splunk::FIELDS),
    (Format::Journald, journald::open, journald::FIELDS),
    (Format::ContainerLog, container::open, container::FIELDS),
    (Format::Records, records::open, records::FIELDS),
];

/// The format and the content of a record, if a format knows it.
pub(super) fn open<'r>(record: &'r Record<'_>) -> Option<(Format, Content<'r>)> {
    if record.is_empty() {
        return None;
    }
    let open = |(format, open, _): &(Format, Open, _)| (*format, open(record));
    let mut found = FORMATS.iter().map(open);
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
    for name in FORMATS.iter().flat_map(|(.., names)| names.iter().copied()) {
        let names: Option<&mut Vec<_>> = table.get_mut(usize::from(name.as_bytes()[0]));
        if let Some(names) = names
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    table
});
