//! The eight kinds by version and name, and the recordings for their tests.

use k8s_flowcontrol_types::api::{v1, v1beta1, v1beta2, v1beta3};
use k8s_flowcontrol_types::schema::TypeSchema;
use k8s_flowcontrol_types::{List, Resource};
use serde_json::{Error, Value};

/// An object that was sent to a server.
pub(crate) struct Record {
    pub(crate) version: String,
    pub(crate) kind: String,
    pub(crate) object: Value,
}

pub(crate) fn records(lines: &str) -> Vec<Record> {
    let read = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let text = |field: &Value| field.as_str().unwrap().to_owned();
        Record {
            version: text(&line["version"]),
            kind: text(&line["kind"]),
            object: line["object"].take(),
        }
    };
    lines.lines().map(read).collect()
}

/// Recorded lists: file, version, kind, text.
pub(crate) fn lists() -> Vec<(&'static str, &'static str, &'static str, &'static str)> {
    macro_rules! list {
        ($file:literal, $version:literal, $kind:literal) => {
            (
                $file,
                $version,
                $kind,
                include_str!(concat!("../fixtures/types/", $file, ".json")),
            )
        };
    }
    vec![
        list!("flowschemas-v1-1.36", "v1", "FlowSchema"),
        list!(
            "prioritylevelconfigurations-v1-1.36",
            "v1",
            "PriorityLevelConfiguration"
        ),
        list!(
            "prioritylevelconfigurations-v1beta3-1.28",
            "v1beta3",
            "PriorityLevelConfiguration"
        ),
        list!(
            "prioritylevelconfigurations-v1beta2-1.27",
            "v1beta2",
            "PriorityLevelConfiguration"
        ),
        list!(
            "prioritylevelconfigurations-v1beta1-1.25",
            "v1beta1",
            "PriorityLevelConfiguration"
        ),
    ]
}

macro_rules! for_kind {
    ($version:expr, $kind:expr, $function:ident($($argument:expr),*)) => {
        match ($version, $kind) {
            ("v1", "FlowSchema") => $function::<v1::FlowSchema>($($argument),*),
            ("v1beta3", "FlowSchema") => $function::<v1beta3::FlowSchema>($($argument),*),
            ("v1beta2", "FlowSchema") => $function::<v1beta2::FlowSchema>($($argument),*),
            ("v1beta1", "FlowSchema") => $function::<v1beta1::FlowSchema>($($argument),*),
            ("v1", _) => $function::<v1::PriorityLevelConfiguration>($($argument),*),
            ("v1beta3", _) => $function::<v1beta3::PriorityLevelConfiguration>($($argument),*),
            ("v1beta2", _) => $function::<v1beta2::PriorityLevelConfiguration>($($argument),*),
            (_, _) => $function::<v1beta1::PriorityLevelConfiguration>($($argument),*),
        }
    };
}

/// Parses and writes an object.
pub(crate) fn round_trip(version: &str, kind: &str, text: &str) -> Result<String, Error> {
    fn read_and_write<K: Resource>(text: &str) -> Result<String, Error> {
        let object: K = serde_json::from_str(text)?;
        assert_eq!(object, object.clone());
        serde_json::to_string(&object)
    }
    for_kind!(version, kind, read_and_write(text))
}

/// Parses and writes a list.
pub(crate) fn round_trip_list(version: &str, kind: &str, text: &str) -> Result<String, Error> {
    fn read_and_write<K: Resource>(text: &str) -> Result<String, Error> {
        serde_json::to_string(&serde_json::from_str::<List<K>>(text)?)
    }
    for_kind!(version, kind, read_and_write(text))
}

/// The shape of a kind.
pub(crate) fn schema_of(version: &str, kind: &str) -> &'static TypeSchema {
    fn schema<K: Resource>() -> &'static TypeSchema {
        K::schema().schema
    }
    for_kind!(version, kind, schema())
}
