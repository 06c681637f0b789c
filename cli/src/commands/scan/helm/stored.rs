//! The storage format of Helm releases: JSON, gzip, base64; the values of a Secret are base64 again.

use crate::input;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::read::GzDecoder;
use serde::Deserialize;

/// The largest release in bytes: an API server accepts less than 2 MiB of compressed data.
const MAX: u64 = 256 << 20;

/// The relevant parts of a release. It has no `Debug`, because its manifest may contain secrets.
#[derive(Deserialize)]
pub(super) struct Stored {
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    pub(super) version: u64,
    #[serde(default)]
    pub(super) info: Info,
    #[serde(default)]
    pub(super) manifest: String,
}

#[derive(Default, Deserialize)]
pub(super) struct Info {
    #[serde(default)]
    pub(super) status: String,
}

/// The release in a value of a Secret; none if it is not in Helm's format.
pub(super) fn in_secret(value: &str) -> Option<Stored> {
    let inner = BASE64_STANDARD.decode(value).ok()?;
    in_config_map(std::str::from_utf8(&inner).ok()?)
}

/// The release in a value of a ConfigMap; none if it is not in Helm's format.
pub(super) fn in_config_map(value: &str) -> Option<Stored> {
    let bytes = BASE64_STANDARD.decode(value.trim_ascii_end()).ok()?;
    // Early versions of Helm did not compress.
    if !bytes.starts_with(b"\x1f\x8b\x08") {
        return serde_json::from_slice(&bytes).ok();
    }
    let json = input::up_to(MAX, GzDecoder::new(bytes.as_slice()))?;
    serde_json::from_slice(&json).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    const RELEASE: &[u8] =
        br#"{"name":"x","version":3,"info":{"status":"deployed"},"manifest":"---\n","config":{}}"#;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn helms_formats() {
        let inner = BASE64_STANDARD.encode(gzip(RELEASE));
        for stored in [
            in_secret(&BASE64_STANDARD.encode(&inner)),
            in_config_map(&inner),
            in_config_map(&BASE64_STANDARD.encode(RELEASE)),
        ] {
            let stored = stored.unwrap();
            assert_eq!((stored.name.as_str(), stored.version), ("x", 3));
            assert_eq!(stored.info.status, "deployed");
            assert_eq!(stored.manifest, "---\n");
        }
    }

    #[test]
    fn values_that_are_no_release() {
        let cut = &gzip(RELEASE)[..40];
        for value in ["", "%", "AAAA", &BASE64_STANDARD.encode(cut)] {
            assert!(in_config_map(value).is_none(), "{value}");
            assert!(
                in_secret(&BASE64_STANDARD.encode(value)).is_none(),
                "{value}"
            );
        }
    }
}
