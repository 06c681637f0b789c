//! The objects of a text.

use k8s_flowcontrol_manifests::read;
use k8s_flowcontrol_types::Release;

/// Decoding does not guess: a server rejects these, too.
#[test]
fn a_misspelt_kind_or_version_is_not_decoded() {
    for (api_version, kind, place, expected) in [
        (
            "v1",
            "FlowScheme",
            "FlowScheme",
            "`FlowScheme` is not a kind of",
        ),
        (
            "v1",
            "flowschema",
            "flowschema",
            "`flowschema` is not a kind of",
        ),
        ("v3", "FlowSchema", "flowcontrol", "is not a version of"),
    ] {
        let text =
            format!("apiVersion: flowcontrol.apiserver.k8s.io/{api_version}\nkind: {kind}\n");
        let found = read(text.as_bytes());
        let error = found.documents[0].decode(Release::NEWEST).unwrap_err();
        assert!(error.message.contains(expected), "{error}");
        assert!(text[error.span.start..].starts_with(place), "{error:?}");
    }
}
