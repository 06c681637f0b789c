//! A release as Helm stores it: JSON, compressed, in base64; a Secret's values are in base64 once more.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::read::GzDecoder;
use serde::Deserialize;
use std::io::Read;

/// More than this is no release: an API server takes less than 2 MiB compressed.
const MAX: u64 = 256 << 20;

/// A release, with what is of interest of it. It has no `Debug`: its manifest may hold secrets.
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

/// The release in a Secret's value; none when it is not in Helm's form.
pub(super) fn in_secret(value: &str) -> Option<Stored> {
    let inner = BASE64_STANDARD.decode(value).ok()?;
    in_config_map(std::str::from_utf8(&inner).ok()?)
}

/// The release in a ConfigMap's value; none when it is not in Helm's form.
pub(super) fn in_config_map(value: &str) -> Option<Stored> {
    let bytes = BASE64_STANDARD.decode(value.trim_ascii_end()).ok()?;
    // The first releases of Helm did not compress.
    if !bytes.starts_with(b"\x1f\x8b\x08") {
        return serde_json::from_slice(&bytes).ok();
    }
    let mut json = Vec::new();
    let read = GzDecoder::new(bytes.as_slice())
        .take(MAX)
        .read_to_end(&mut json);
    read.ok()?;
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
    fn helms_forms() {
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
    fn what_is_no_release() {
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
