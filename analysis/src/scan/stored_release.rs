//! The storage format of Helm releases: JSON, gzip, base64; the values of a Secret are base64 again.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::read::GzDecoder;
use serde::Deserialize;
use std::fmt;
use std::io::Read;

/// The largest release in bytes: an API server accepts less than 2 MiB of compressed data.
const MAX: u64 = 256 << 20;

/// A release that Helm stores. Its `Debug` form lacks the manifest, which may contain secrets.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredRelease {
    /// The name of the release.
    pub name: String,
    /// The number of the revision.
    pub revision: u64,
    /// The status, such as `deployed`.
    pub status: String,
    /// The rendered objects, in YAML.
    pub manifest: String,
}

impl fmt::Debug for StoredRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            revision,
            status,
            ..
        } = self;
        f.debug_struct("StoredRelease")
            .field("name", name)
            .field("revision", revision)
            .field("status", status)
            .finish_non_exhaustive()
    }
}

impl StoredRelease {
    /// The release in the field `data.release` of a Secret; `None` if it is not in Helm's format.
    pub fn in_secret(value: &str) -> Option<Self> {
        let inner = BASE64_STANDARD.decode(value).ok()?;
        Self::in_config_map(std::str::from_utf8(&inner).ok()?)
    }

    /// The release in the field `data.release` of a ConfigMap; `None` if it is not in Helm's format, or larger than 256 MiB.
    pub fn in_config_map(value: &str) -> Option<Self> {
        let bytes = BASE64_STANDARD.decode(value.trim_ascii_end()).ok()?;
        // Early versions of Helm did not compress.
        if !bytes.starts_with(b"\x1f\x8b\x08") {
            return Self::of_json(&bytes);
        }
        let mut json = Vec::new();
        let mut input = GzDecoder::new(bytes.as_slice()).take(MAX + 1);
        let length = input.read_to_end(&mut json).ok()?;
        match length as u64 <= MAX {
            true => Self::of_json(&json),
            false => None,
        }
    }

    fn of_json(json: &[u8]) -> Option<Self> {
        let stored: Stored = serde_json::from_slice(json).ok()?;
        Some(Self {
            name: stored.name,
            revision: stored.version,
            status: stored.info.status,
            manifest: stored.manifest,
        })
    }
}

/// The relevant parts of a release.
#[derive(Deserialize)]
struct Stored {
    #[serde(default)]
    name: String,
    #[serde(default)]
    version: u64,
    #[serde(default)]
    info: Info,
    #[serde(default)]
    manifest: String,
}

#[derive(Default, Deserialize)]
struct Info {
    #[serde(default)]
    status: String,
}
