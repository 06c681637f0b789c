//! Fields: the owner of their values, and fields for which a struct has no place.

use crate::groups::{done, file, generate, schemas};
use crate::plain::check;

/// As a server that reads `x-kubernetes-map-type` beside a reference; a PersistentVolume's `claimRef` is such a field.
#[test]
fn a_field_overrides_the_owner_of_its_type() {
    let object = r##""x-kubernetes-map-type": "atomic", "type": "object", "properties": { "name": { "type": "string" } }"##;
    let reference = r##"[{ "$ref": "#/components/schemas/io.a.v1.Ref" }]"##;
    let map = r##"[{ "$ref": "#/components/schemas/io.a.v1.Map" }]"##;
    let document = format!(
        r##"{{ "openapi": "3.0.0", "components": {{ "schemas": {{
            "io.a.v1.Ref": {{ {object} }},
            "io.a.v1.Map": {{ "type": "object", "additionalProperties": {{ "type": "string" }} }},
            "io.a.v1.Claim": {{ "type": "object", "properties": {{
                "own": {{ "allOf": {reference}, "x-kubernetes-map-type": "granular" }},
                "same": {{ "allOf": {reference}, "x-kubernetes-map-type": "atomic" }},
                "plain": {{ "allOf": {reference} }},
                "map": {{ "allOf": {map}, "x-kubernetes-map-type": "atomic" }} }} }} }} }} }}"##
    );
    let generated = done(generate(&[("a.json", &document)]));
    check(
        file(&generated, "a_v1.rs"),
        &[
            "\"own\" => own: object(const { &<Ref as ::k8s_flowcontrol_types::rt::v1::Field>::SHAPE.owned_as_a_whole(false) }),",
            "\"same\" => same,",
            "\"plain\" => plain,",
            "\"map\" => map: atomic,",
        ],
    );
}

#[test]
fn fields_beyond_the_maximum_are_kept_in_unknown() {
    let fields: Vec<String> = (0..130)
        .map(|n| format!(r#""m{n}": {{ "type": "string" }}"#))
        .collect();
    let document = schemas(&format!(
        r#"{{ "a.v1.Foo": {{ "type": "object", "required": ["m129"], "properties": {{ {} }} }} }}"#,
        fields.join(",")
    ));
    let generated = done(generate(&[("x.json", &document)]));
    let text = file(&generated, "a_v1.rs");
    check(
        text,
        &[
            "`unknown` also holds fields of the document: `m127`, `m128`.",
            "pub m126: Option<String>,",
            "pub m129: String,",
            // The schema at run time has all of them.
            "    unknown {\n        \"m127\": String,\n        \"m128\": String,\n    }",
        ],
    );
    assert!(!text.contains("pub m127:"), "{text}");
}

#[test]
fn fields_with_names_that_json_escapes_are_kept_in_unknown() {
    let document = schemas(
        r#"{ "a.v1.Foo": { "type": "object", "properties": {
            "a\"b": { "type": "string" }, "a\\b": { "type": "integer" }, "a\nb": { "type": "boolean" },
            "größe": { "type": "string" } } } }"#,
    );
    let generated = done(generate(&[("x.json", &document)]));
    check(
        file(&generated, "a_v1.rs"),
        &[
            r#"`unknown` also holds fields of the document: `a"b`, `a\b`, another one."#,
            "    Foo {\n        \"größe\" => größe,\n    }\n    unknown {\n",
            r#"        "a\"b": String,"#,
        ],
    );
}
