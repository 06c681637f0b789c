//! Content types, as Go reads them.

use k8s_flowcontrol_rules::decode::Format;

#[test]
fn parameters_and_case_do_not_matter() {
    for (text, format) in [
        ("", Format::Json),
        ("application/json", Format::Json),
        ("APPLICATION/JSON; charset=utf-8", Format::Json),
        ("application/json;", Format::Json),
        ("application/json ; a=\"b;\\\"c\"", Format::Json),
        ("application/yaml;a=1", Format::Yaml),
    ] {
        assert_eq!(Format::from_media_type(text), Some(format), "{text}");
    }
}

#[test]
fn malformed_and_other_types_have_no_format() {
    for text in [
        "application/json, application/yaml",
        "application/json; charset",
        "application/json;a=1;A=2",
        "a/b/c",
        "json",
        "text/json",
    ] {
        assert_eq!(Format::from_media_type(text), None, "{text}");
    }
}
