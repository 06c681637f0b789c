//! OpenAPI documents of the Kubernetes API group `flowcontrol.apiserver.k8s.io`.
//!
//! There is one document for each version that servers have offered by default, and one for the schemas, parameters
//! and responses that the versions share. They are written by hand and describe the behaviour of real servers: the
//! defaults, bounds and allowed values, and the release that introduced each field. The README of this crate explains their
//! conventions.
//!
//! The crate holds only the texts, so that a code generator does not need a file system:
//!
//! ```
//! use k8s_flowcontrol_specs::{ALL, META, V1};
//!
//! assert!(V1.contains("io.k8s.api.flowcontrol.v1.FlowSchema"));
//!
//! // References between the documents go by file name.
//! assert!(V1.contains("meta.json#/components/schemas/"));
//! let shared = ALL.iter().find(|document| document.file_name == "meta.json").unwrap();
//! assert_eq!(shared.text, META);
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

/// Version `v1`, served by Kubernetes 1.29 and later.
pub const V1: &str = include_str!("../v1.json");

/// Version `v1beta3`, served by Kubernetes 1.26 to 1.31.
pub const V1BETA3: &str = include_str!("../v1beta3.json");

/// Version `v1beta2`, served by Kubernetes 1.23 to 1.28.
pub const V1BETA2: &str = include_str!("../v1beta2.json");

/// Version `v1beta1`, served by Kubernetes 1.20 to 1.25.
pub const V1BETA1: &str = include_str!("../v1beta1.json");

/// The schemas, parameters and responses that the versions share. They refer to it as `meta.json`.
pub const META: &str = include_str!("../meta.json");

/// The documents: the versions, newest first, and then the shared one.
pub const ALL: [Document; 5] = [
    Document {
        version: "v1",
        file_name: "v1.json",
        text: V1,
    },
    Document {
        version: "v1beta3",
        file_name: "v1beta3.json",
        text: V1BETA3,
    },
    Document {
        version: "v1beta2",
        file_name: "v1beta2.json",
        text: V1BETA2,
    },
    Document {
        version: "v1beta1",
        file_name: "v1beta1.json",
        text: V1BETA1,
    },
    Document {
        version: "meta",
        file_name: "meta.json",
        text: META,
    },
];

/// One document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Document {
    /// The API version that the document describes, such as `v1`, or `meta` for the shared one.
    pub version: &'static str,
    /// Name by which the other documents refer to it, such as `v1.json`.
    pub file_name: &'static str,
    /// The OpenAPI document, as JSON.
    pub text: &'static str,
}
