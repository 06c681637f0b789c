//! The version in which a server stores objects, as its discovery document shows it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac_sha256::Hash;
use k8s_flowcontrol_types::{ApiVersion, Kind};

/// Returns the `storageVersionHash` in the discovery document of a server that stores `kind` in `version`.
///
/// ```
/// use k8s_flowcontrol_rules::storage::version_hash;
/// use k8s_flowcontrol_types::{ApiVersion, Kind};
///
/// assert_eq!(version_hash(Kind::FlowSchema, ApiVersion::V1), "GJVAJZSZBIw=");
/// ```
pub fn version_hash(kind: Kind, version: ApiVersion) -> String {
    let name = format!("{}/{kind}", version.api_version());
    STANDARD.encode(&Hash::hash(name.as_bytes())[..8])
}
