//! OpenAPI documents: the documents of `k8s-flowcontrol-specs`, as a server of the release publishes them.

mod assemble;
mod gnostic;
mod gnostic_messages;
mod groups;
mod published;
mod swagger;

use crate::kinds::Kinds;
use crate::locks::lock;
use k8s_flowcontrol_types::{ApiVersion, Release};
use published::published;
use serde_json::json;
use sha2::{Digest, Sha512};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// A document with its hash.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) text: Vec<u8>,
    pub(crate) hash: String,
}

/// `/openapi/v2`: one Swagger 2 document for all served versions.
#[derive(Debug)]
pub(crate) struct Swagger {
    pub(crate) json: Document,
    pub(crate) protobuf: Vec<u8>,
}

/// `/openapi/v3`: the index of the documents.
pub(crate) fn index(kinds: &Kinds) -> Vec<u8> {
    let paths: BTreeMap<_, _> = kinds
        .versions
        .iter()
        .map(|&version| {
            let path = path(version);
            let url = url(&path, &document(version, kinds.release).hash);
            (path, json!({"serverRelativeURL": url}))
        })
        .collect();
    json!({"paths": paths}).to_string().into_bytes()
}

/// The version whose document has this path below `/openapi/v3/`.
pub(crate) fn version(kinds: &Kinds, asked: &str) -> Option<ApiVersion> {
    let versions = kinds.versions.iter().copied();
    versions.into_iter().find(|&version| path(version) == asked)
}

pub(crate) fn url(path: &str, hash: &str) -> String {
    format!("/openapi/v3/{path}?hash={hash}")
}

pub(crate) fn path(version: ApiVersion) -> String {
    format!("apis/{}", version.api_version())
}

/// The document of `version` in `release`.
pub(crate) fn document(version: ApiVersion, release: Release) -> Arc<Document> {
    // They depend on nothing else, so all servers of the process share them.
    static KNOWN: Mutex<BTreeMap<(ApiVersion, Release), Arc<Document>>> =
        Mutex::new(BTreeMap::new());
    let mut known = lock(&KNOWN);
    let make = || {
        let text = published(version, release).to_string().into_bytes();
        let hash = hash(&text);
        Arc::new(Document { text, hash })
    };
    known.entry((version, release)).or_insert_with(make).clone()
}

/// The Swagger 2 document of the server.
pub(crate) fn swagger(kinds: &Kinds) -> Arc<Swagger> {
    type Known = BTreeMap<(Vec<ApiVersion>, Release), Arc<Swagger>>;
    static KNOWN: Mutex<Known> = Mutex::new(BTreeMap::new());
    let mut known = lock(&KNOWN);
    let key = (kinds.versions.to_vec(), kinds.release);
    let make = || {
        let document = swagger::swagger(&kinds.versions, kinds.release);
        let text = document.to_string().into_bytes();
        let hash = hash(&text);
        Arc::new(Swagger {
            json: Document { text, hash },
            protobuf: gnostic::encode(&document),
        })
    };
    known.entry(key).or_insert_with(make).clone()
}

/// The hash of a document, in the server's format.
pub(crate) fn hash(text: &[u8]) -> String {
    Sha512::digest(text)
        .iter()
        .map(|byte| format!("{byte:02X}"))
        .collect()
}
