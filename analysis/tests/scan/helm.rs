//! The releases that Helm stores.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use k8s_flowcontrol_analysis::scan::{Fails, HelmRevision, StoredRelease, find_current};
use std::io::Write;

const RELEASE: &[u8] =
    br#"{"name":"x","version":3,"info":{"status":"deployed"},"manifest":"---\n","config":{}}"#;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn helms_formats_are_read() {
    let inner = BASE64_STANDARD.encode(gzip(RELEASE));
    for stored in [
        StoredRelease::in_secret(&BASE64_STANDARD.encode(&inner)),
        StoredRelease::in_config_map(&inner),
        StoredRelease::in_config_map(&BASE64_STANDARD.encode(RELEASE)),
    ] {
        let stored = stored.unwrap();
        assert_eq!((stored.name.as_str(), stored.revision), ("x", 3));
        assert_eq!(stored.status, "deployed");
        assert_eq!(stored.manifest, "---\n");
    }
    let cut = BASE64_STANDARD.encode(&gzip(RELEASE)[..40]);
    for value in ["", "%", "AAAA", &cut] {
        assert_eq!(StoredRelease::in_config_map(value), None, "{value}");
        let of_secret = StoredRelease::in_secret(&BASE64_STANDARD.encode(value));
        assert_eq!(of_secret, None, "{value}");
    }
}

#[test]
fn an_upgrade_starts_from_the_last_deployed_revision() {
    let kept = |name: &str, revision, status: &str| {
        let mut stored = StoredRelease::default();
        (stored.name, stored.revision, stored.status) = (name.into(), revision, status.into());
        HelmRevision::new("a", "Secret", &stored)
    };
    let mut revisions = [
        kept("x", 9, "superseded"),
        kept("x", 10, "deployed"),
        kept("x", 11, "failed"),
        kept("y", 2, "failed"),
        kept("y", 1, "failed"),
        kept("z", 3, "uninstalled"),
    ];
    find_current(&mut revisions);
    let current: Vec<_> = revisions
        .iter()
        .filter(|revision| revision.fails == Fails::Upgrade)
        .map(|revision| (revision.release.as_str(), revision.revision))
        .collect();
    assert_eq!(current, [("x", 10), ("y", 2)]);
}
