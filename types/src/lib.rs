//! Lossless types of the Kubernetes API group `flowcontrol.apiserver.k8s.io` in all four versions, and the
//! runtime of generated code.
//!
//! | module | content |
//! |---|---|
//! | [`api`] | the kinds, one module per version; versions share a type where their schemas agree |
//! | [`meta`] | the types every Kubernetes API shares: metadata, `Status`, times, JSON that is kept as text |
//! | [`resource`] | [`Resource`], the trait of all kinds; [`List`] is a list of them, [`PartialObjectMetadata`] is the metadata alone |
//! | [`json`] | types from JSON text and back |
//! | [`convert`] | conversion of manifests between versions, with the losses |
//! | [`kind`] | the two kinds of the group, by name and in a version |
//! | [`ownership`] | the fields of an object that a field manager has applied |
//! | [`release`] | Kubernetes releases, and the versions that each serves |
//! | [`custom`] | custom resources that begin as Rust types, and their CustomResourceDefinitions |
//! | [`schema`] | the documents' facts at run time: fields, list types, merge keys |
//!
//! [`unknown_fields`] and [`from_value_strict`] find misspelt fields.
//!
//! This crate does not do I/O and does not contain the rules of a server, which are in `k8s-flowcontrol-rules`.
//! Applications depend on `k8s-flowcontrol`, which re-exports this crate.
//!
//! ```
//! use k8s_flowcontrol_types::api::{v1, v1beta2};
//!
//! let text = r#"{"metadata": {"name": "batch"}, "spec": {"type": "Limited", "limited": {
//!     "assuredConcurrencyShares": 15, "limitResponse": {"type": "Reject"}}}}"#;
//! let old: v1beta2::PriorityLevelConfiguration = serde_json::from_str(text)?;
//!
//! // A conversion that could lose something is a `TryFrom`; its error has the object and the losses.
//! let level = v1::PriorityLevelConfiguration::try_from(old).unwrap();
//! assert_eq!(level.spec.limited.unwrap().nominal_concurrency_shares, Some(15));
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! # Features
//!
//! All are off by default. `jiff` interprets times. `validate` gives types that are generated with constraints a
//! `validate()`. `generate` builds the types from the documents with the generator
//! instead of the checked-in copies, for work on the generator.

#![cfg_attr(docsrs, feature(doc_cfg))]

/// The generated module of a name: the checked-in one, or the build script's.
#[cfg(not(feature = "generate"))]
macro_rules! generated {
    ($name:literal) => {
        include!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/src/generated/",
            $name,
            ".rs"
        ));
    };
}
#[cfg(feature = "generate")]
macro_rules! generated {
    ($name:literal) => {
        include!(concat!(env!("OUT_DIR"), "/", $name, ".rs"));
    };
}

/// Includes the modules that `k8s_flowcontrol_codegen::Build::write_to_out_dir` wrote in the package's build script.
///
/// ```ignore
/// mod generated {
///     k8s_flowcontrol_types::include_generated!();
/// }
/// ```
#[macro_export]
macro_rules! include_generated {
    () => {
        include!(concat!(env!("OUT_DIR"), "/k8s-flowcontrol/mod.rs"));
    };
}

/// Sends fields of a [partial](Resource::partial) object also while they have their default: 0, `false`, an empty string, list,
/// map or object, and `null` for an absent one. For an object at any depth, such as an element of a list.
///
/// ```
/// use k8s_flowcontrol_types::api::v1::FlowSchema;
/// use k8s_flowcontrol_types::{Resource, always_send};
/// use serde_json::json;
///
/// let mut schema = FlowSchema::partial("a");
/// always_send!(schema.spec.priority_level_configuration, name);
/// let sent = json!({"priorityLevelConfiguration": {"name": ""}});
/// assert_eq!(serde_json::to_value(&schema)?["spec"], sent);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[macro_export]
macro_rules! always_send {
    ($object:expr, $($field:ident),+ $(,)?) => {{
        use $crate::rt::v1::Reborrow as _;
        let object = $object.reborrow();
        $($crate::rt::v1::always_send(object, |object| &object.$field);)+
    }};
}

pub mod api;
pub mod convert;
pub mod custom;
mod dynamic_object;
mod facts;
mod field_validation;
mod invalid_object;
pub mod json;
pub mod kind;
mod list;
pub mod meta;
mod named;
#[doc(hidden)]
pub mod order;
pub mod ownership;
mod partial_object_metadata;
pub mod release;
pub mod resource;
#[doc(hidden)]
pub mod rt;
pub mod schema;
mod strict;
#[cfg(feature = "validate")]
pub mod validate;

pub use dynamic_object::DynamicObject;
pub use facts::{Fact, MetricReleases};
pub use field_validation::FieldValidation;
pub use invalid_object::InvalidObject;
pub use kind::{Kind, Versioned};
pub use list::List;
pub use partial_object_metadata::PartialObjectMetadata;
pub use release::{ApiVersion, Release};
pub use resource::Resource;
pub use strict::{from_value_strict, unknown_fields};

/// The API group of the types.
pub const GROUP: &str = "flowcontrol.apiserver.k8s.io";

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
