//! Typed conversions selected at run time.

use k8s_flowcontrol_rules::conversion::ConvertAsServer;
use k8s_flowcontrol_rules::defaults::Defaulted;
use k8s_flowcontrol_types::api::{v1, v1beta1, v1beta2, v1beta3};
use k8s_flowcontrol_types::convert::{Loss, Lossy};
use k8s_flowcontrol_types::kind::VersionedKind;
use k8s_flowcontrol_types::{ApiVersion, Kind, Release, Resource};
use serde_json::Value;

pub(crate) fn levels(version: ApiVersion, release: Release) -> VersionedKind {
    VersionedKind::new(Kind::PriorityLevelConfiguration, version, release)
}

/// A conversion of a typed object.
#[derive(Clone, Copy)]
pub(crate) enum Typed {
    Shape,
    Server,
}

fn convert<F: Resource + ConvertAsServer<T>, T: Resource>(
    object: &Value,
    how: Typed,
    release: Release,
) -> Result<(Value, Vec<Loss>), serde_json::Error> {
    // Parsed from text, because unknown fields keep their text.
    let object: F = serde_json::from_str(&object.to_string())?;
    let (object, losses) = Lossy::parts(match how {
        Typed::Shape => object.convert_shape(release),
        Typed::Server => object.convert_as_server(release),
    });
    Ok((serde_json::to_value(&object)?, losses))
}

fn fill<K: Resource + Defaulted>(
    object: &Value,
    release: Release,
) -> Result<Value, serde_json::Error> {
    let object: K = serde_json::from_str(&object.to_string())?;
    serde_json::to_value(object.defaulted(release))
}

macro_rules! chosen {
    ($kind:ident $from:expr, $to:expr, $args:tt) => {
        chosen!(@from $kind $from, $to, $args, V1 v1 V1Beta3 v1beta3 V1Beta2 v1beta2 V1Beta1 v1beta1)
    };
    (@from $kind:ident $from:expr, $to:expr, $args:tt, $($version:ident $module:ident)*) => {
        match $from {
            $(ApiVersion::$version => chosen!(@to $kind $module, $to, $args),)*
        }
    };
    (@to $kind:ident $from:ident, $to:expr, ($object:expr, $how:expr, $release:expr)) => {
        match $to {
            ApiVersion::V1 => convert::<$from::$kind, v1::$kind>($object, $how, $release),
            ApiVersion::V1Beta3 => convert::<$from::$kind, v1beta3::$kind>($object, $how, $release),
            ApiVersion::V1Beta2 => convert::<$from::$kind, v1beta2::$kind>($object, $how, $release),
            ApiVersion::V1Beta1 => convert::<$from::$kind, v1beta1::$kind>($object, $how, $release),
        }
    };
}

pub(crate) fn typed(
    object: &Value,
    kind: VersionedKind,
    to: ApiVersion,
    how: Typed,
) -> Result<(Value, Vec<Loss>), serde_json::Error> {
    let (from, release) = (kind.version, kind.release);
    match kind.kind {
        Kind::PriorityLevelConfiguration => {
            chosen!(PriorityLevelConfiguration from, to, (object, how, release))
        }
        Kind::FlowSchema => chosen!(FlowSchema from, to, (object, how, release)),
    }
}

pub(crate) fn typed_defaults(
    object: &Value,
    kind: VersionedKind,
) -> Result<Value, serde_json::Error> {
    let release = kind.release;
    macro_rules! versions {
        ($kind:ident) => {
            match kind.version {
                ApiVersion::V1 => fill::<v1::$kind>(object, release),
                ApiVersion::V1Beta3 => fill::<v1beta3::$kind>(object, release),
                ApiVersion::V1Beta2 => fill::<v1beta2::$kind>(object, release),
                ApiVersion::V1Beta1 => fill::<v1beta1::$kind>(object, release),
            }
        };
    }
    match kind.kind {
        Kind::PriorityLevelConfiguration => versions!(PriorityLevelConfiguration),
        Kind::FlowSchema => versions!(FlowSchema),
    }
}

/// Removes nulls and empty lists, maps and metadata, which equal absent fields.
pub(crate) fn normal(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), normal(value)))
            .filter(|(name, value)| match value {
                Value::Null => false,
                Value::Array(items) => !items.is_empty(),
                Value::Object(fields) => {
                    !fields.is_empty() || !matches!(name.as_str(), "metadata" | "annotations")
                }
                _ => true,
            })
            .collect(),
        Value::Array(items) => items.iter().map(normal).collect(),
        _ => value.clone(),
    }
}
