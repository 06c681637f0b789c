//! CustomResourceDefinitions as documents: YAML and JSON, several versions, several files.

#![allow(clippy::panic, clippy::unwrap_used)]

use crate::plain::check;
use k8s_flowcontrol_codegen::{Error, Generator};

const BRUSHES: &str = include_str!("../fixtures/brushes.yaml");

fn generate(documents: &[(&str, &str)]) -> Result<Vec<(String, String)>, Error> {
    documents
        .iter()
        .try_fold(Generator::new(), |generator, (name, text)| {
            generator.document(name, text)
        })
        .and_then(|generator| generator.generate())
        .map(|generated| generated.files)
}

fn text_of<'a>(files: &'a [(String, String)], name: &str) -> &'a str {
    let file = files.iter().find(|(file, _)| file == name);
    file.map_or_else(|| panic!("no {name} in {files:?}"), |(_, text)| text)
}

#[test]
fn a_manifest_has_the_facts_of_a_kind() {
    let files = generate(&[("brushes.yaml", BRUSHES)]).unwrap();
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["paints_v1.rs", "paints_v1beta1.rs", "mod.rs"],
        "a version that is not served"
    );
    check(
        text_of(&files, "paints_v1.rs"),
        &[
            "/// A brush.\n",
            "pub metadata: ::k8s_flowcontrol_types::meta::ObjectMeta,",
            "pub spec: BrushSpec,",
            "pub handle: Option<Handle>,",
            "        group: \"paints.example.com\",\n        version: \"v1\",\n        kind: \"Brush\",\n        \
             list_kind: \"BrushSet\",\n        plural: \"brushes\",\n        namespaced: true,\n        \
             subresources: [\"status\", \"scale\"],",
            "column(\"Width\", \"integer\", \".spec.width\").description(\"The width in mm.\").priority(1),",
            "column(\"Age\", \"date\", \".metadata.creationTimestamp\").format(\"date-time\"),",
            "pub type BrushSet = ::k8s_flowcontrol_types::List<Brush>;",
        ],
    );
    check(
        text_of(&files, "paints_v1beta1.rs"),
        &["version: \"v1beta1\"", "subresources: [],"],
    );
}

/// A server that owns a free-form object as a whole learns it from the schema.
#[test]
fn free_form_objects_can_be_atomic() {
    let open = "x-kubernetes-preserve-unknown-fields: true";
    let atomic = "x-kubernetes-map-type: atomic";
    let fields = format!(
        "width: {{ type: integer }}
                preserved: {{ type: object, {open}, {atomic} }}
                any: {{ type: object, additionalProperties: true, {atomic} }}
                empty: {{ type: object, additionalProperties: {{}}, {atomic} }}
                free: {{ type: object, {atomic}, nullable: true }}
                items: {{ type: array, items: {{ type: object, {open}, {atomic} }} }}
                granular: {{ type: object, {open}, x-kubernetes-map-type: granular }}"
    );
    let text = BRUSHES.replacen(
        "width: { type: integer }\n                handle",
        &format!("{fields}\n                handle"),
        1,
    );
    let files = generate(&[("brushes.yaml", &text)]).unwrap();
    check(
        text_of(&files, "paints_v1.rs"),
        &[
            "\"preserved\" => preserved: atomic,",
            "\"any\" => any: atomic,",
            "\"empty\" => empty: atomic,",
            "\"free\" => free: nullable atomic,",
            "::schema::Shape::Map { value: const { &<::k8s_flowcontrol_types::meta::RawJson as ::k8s_flowcontrol_types::rt::v1::Field>::SHAPE }, atomic: true }",
            "\"granular\" => granular,",
            "pub preserved: ::std::collections::BTreeMap<\n        String,\n        ::k8s_flowcontrol_types::meta::RawJson,\n    >,",
            "pub granular: Option<::k8s_flowcontrol_types::meta::RawJson>,",
        ],
    );
}

#[test]
fn lists_of_definitions_and_json_are_manifests() {
    let as_json = |kind: &str| {
        format!(
            r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{{
                "group":"paints.example.com","scope":"Cluster","names":{{"kind":"{kind}","plural":"{kind}s"}},
                "versions":[{{"name":"v1","served":true,"storage":true}}]}}}}"#
        )
    };
    let list = format!(
        r#"{{"apiVersion":"v1","kind":"List","items":[{},{}]}}"#,
        as_json("Roller"),
        as_json("Tray")
    );
    // Two files of one version go to one module.
    let files = generate(&[("list.json", &list), ("brushes.yaml", BRUSHES)]).unwrap();
    check(
        text_of(&files, "paints_v1.rs"),
        &[
            "pub struct Roller {",
            "pub type TrayList",
            "pub struct Brush {",
            "namespaced: false",
        ],
    );
}

#[test]
fn mistakes_have_a_place() {
    let error = generate(&[("a.yaml", BRUSHES), ("b.yaml", BRUSHES)]).unwrap_err();
    check(
        &error.to_string(),
        &["the kind `Brush` is also defined at a.yaml"],
    );

    let broken = BRUSHES.replace("width: { type: integer }", "width: { type: int }");
    let error = generate(&[("brushes.yaml", &broken)])
        .unwrap_err()
        .to_string();
    check(
        &error,
        &[
            "brushes.yaml#/spec/versions/2/schema/openAPIV3Schema/properties/spec/properties/width/type: `int`",
        ],
    );

    let broken = BRUSHES.replace("width: { type: integer }", "width: { type: 5 }");
    let error = generate(&[("brushes.yaml", &broken)])
        .unwrap_err()
        .to_string();
    check(
        &error,
        &[
            "brushes.yaml#/spec/versions/2/schema/openAPIV3Schema/properties/spec/properties/width/type: expected the name of a type",
        ],
    );

    let unnamed = BRUSHES.replace("plural: brushes, ", "");
    let error = generate(&[("brushes.yaml", &unnamed)])
        .unwrap_err()
        .to_string();
    check(
        &error,
        &["brushes.yaml#/spec/names: the CustomResourceDefinition has no `plural`"],
    );

    let error = generate(&[("a.yaml", "a: b: c")]).unwrap_err().to_string();
    check(
        &error,
        &["a.yaml#: neither JSON nor YAML: yaml: mapping values are not allowed"],
    );
    let error = generate(&[("a.yaml", "a: 1\na: 2\n")])
        .unwrap_err()
        .to_string();
    check(&error, &["line 2: key \"a\" already set in map"]);
}

/// A server would reject these definitions.
#[test]
fn mistakes_in_a_definition_are_errors_with_their_place() {
    let definition = serde_json::json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "spec": { "group": "a.example.com", "scope": "Cluster", "names": { "kind": "Tray", "plural": "trays" },
            "versions": [{ "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object", "properties": { "spec": { "type": "array" } } } } }] }
    });
    let schema = "spec/versions/0/schema/openAPIV3Schema";
    let list = format!("{schema}/properties/spec/x-kubernetes-list-type");
    for (place, value, message) in [
        (
            "spec/scope",
            "Galaxy",
            "`Galaxy` is not a scope\n  help: the scopes are `Cluster` and `Namespaced`",
        ),
        ("spec/names/kind", "", "the `kind` is empty"),
        ("spec/group", "", "the `group` is empty"),
        (
            &format!("{schema}/type"),
            "string",
            "the schema of a kind must be of `type: object`",
        ),
        (
            &list,
            "bag",
            "`bag` is not a type of lists\n  help: the types are `atomic`, `set` and `map`",
        ),
        (
            &list,
            "map",
            "a list of the type `map` needs `x-kubernetes-list-map-keys`",
        ),
    ] {
        let mut wrong = definition.clone();
        let (parent, field) = place.rsplit_once('/').unwrap();
        wrong.pointer_mut(&format!("/{parent}")).unwrap()[field] = value.into();
        let error = generate(&[("trays.json", &wrong.to_string())]).unwrap_err();
        let place = place.trim_end_matches("/type");
        check(
            &error.to_string(),
            &[&format!("trays.json#/{place}: {message}"), "\n  help: "],
        );
    }
    generate(&[("trays.json", &definition.to_string())]).unwrap();
}

#[test]
fn a_definition_without_a_served_version_is_noted() {
    let text = r#"{ "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "spec": { "group": "a.example.com", "scope": "Cluster", "names": { "kind": "Tray", "plural": "trays" },
            "versions": [{ "name": "v1", "served": false, "storage": true }] } }"#;
    let generated = Generator::new()
        .plain()
        .document("trays.json", text)
        .and_then(|generator| generator.generate())
        .unwrap();
    assert_eq!(
        generated.notes,
        ["the documents describe no type, so that nothing is generated"]
    );
}
