//! Documents that were made to do harm: their types compile, or an error names the place. The generated code of hostile names is compiled by the
//! tests of `k8s-flowcontrol-constraints`.
//!
//! `DEFINITIONS=100000 cargo test --release -p k8s-flowcontrol-codegen --test codegen hostile` has as many definitions.

#![allow(clippy::panic, clippy::unwrap_used)]

use crate::plain::{check, plain, read};
use k8s_flowcontrol_codegen::Generator;
use std::fmt::Write;

fn reference(name: &str) -> String {
    format!(r##"{{ "$ref": "#/components/schemas/{name}" }}"##)
}

/// Schemas `A0` to the last one, each with the next one in it.
fn chain(count: usize, schema: impl Fn(String) -> String) -> String {
    let mut schemas = String::from("{");
    for number in 0..count {
        let next = reference(&format!("A{}", number + 1));
        write!(schemas, r#""A{number}": {},"#, schema(next)).unwrap();
    }
    schemas + &format!(r#""A{count}": {{ "type": "string" }} }}"#)
}

/// Ten thousand where all cases are tried, else more than any limit.
fn many() -> usize {
    match std::env::var_os("FLOWCONTROL_TEST_ALL") {
        Some(_) => 10_000,
        None => 1_100,
    }
}

fn error_of(schemas: &str) -> String {
    plain(schemas).err().unwrap().to_string()
}

#[test]
fn ten_thousand_levels_are_errors_with_their_place() {
    let forms: [(&str, &str); 5] = [
        ("{}", "A63/$ref"),
        (r#"{ "type": "array", "items": {} }"#, "A63/items/$ref"),
        (r#"{ "allOf": [{}] }"#, "A63/allOf/0/$ref"),
        (r#"{ "anyOf": [{}] }"#, "A63/anyOf/0/$ref"),
        (
            r#"{ "additionalProperties": {} }"#,
            "A63/additionalProperties/$ref",
        ),
    ];
    for (form, place) in forms {
        let error = error_of(&chain(many(), |next| form.replace("{}", &next)));
        check(
            &error,
            &[
                &format!("api.json#/components/schemas/{place}: "),
                "more than 64 other schemas",
            ],
        );
    }
    for required in ["", r#""required": ["a"], "#] {
        let schemas = chain(many(), |next| {
            format!(r#"{{ "type": "object", {required}"properties": {{ "a": {next} }} }}"#)
        });
        check(
            &error_of(&schemas),
            &["api.json#/components/schemas/A0: the types in it are more than 1000 levels deep"],
        );
    }
    let (open, close) = (r#"{"items":"#.repeat(10_000), "}".repeat(10_000));
    check(
        &error_of(&format!(r#"{{ "A": {open}{{}}{close} }}"#)),
        &["nested too deeply", "line 1"],
    );
    let deep = (0..10_000)
        .map(|level| format!("{}items:\n", " ".repeat(level)))
        .collect::<String>();
    let error = Generator::new()
        .document("deep.yaml", &deep)
        .err()
        .unwrap()
        .to_string();
    check(&error, &["deep.yaml#: nested too deeply"]);
}

/// The compiler follows 128 levels, and more if a crate allows them: `#![recursion_limit]`.
#[test]
fn many_levels_of_types_have_a_note() {
    let list = |next: String| {
        format!(
            r#"{{ "type": "object", "properties": {{ "a": {{ "type": "array", "items": {next} }} }} }}"#
        )
    };
    let (_, notes) = read(&chain(25, list));
    assert_eq!(notes, [""; 0]);
    let (_, notes) = read(&chain(40, list));
    let note = "api.json#/components/schemas/A0: the types in it are 156 levels deep: the crate needs `#![recursion_limit = \"256\"]`";
    assert_eq!(notes, [note]);
    // Circles too: each type is in all others, but only through many.
    let ring = |count: usize| {
        let schema = |number: usize| {
            let next = reference(&format!("A{}", (number + 1) % count));
            format!(r#""A{number}": {{ "type": "object", "properties": {{ "a": {next} }} }}"#)
        };
        let schemas: Vec<String> = (0..count).map(schema).collect();
        format!("{{ {} }}", schemas.join(", "))
    };
    assert_eq!(read(&ring(20)).1, [""; 0]);
    check(&read(&ring(100)).1[0], &["396 levels deep"]);
    check(&error_of(&ring(400)), &["more than 1000 levels deep"]);
}

#[test]
fn circles_through_aliases_are_errors_with_their_place() {
    let (a, b, c) = (reference("A"), reference("B"), reference("C"));
    for (schemas, place) in [
        (format!(r#"{{ "A": {a} }}"#), "A/$ref"),
        (format!(r#"{{ "A": {b}, "B": {c}, "C": {a} }}"#), "A/$ref"),
        (
            format!(r#"{{ "A": {b}, "B": {{ "type": "array", "items": {a} }} }}"#),
            "B/items/$ref",
        ),
        (
            format!(r#"{{ "A": {b}, "B": {{ "type": "object", "additionalProperties": {a} }} }}"#),
            "B/additionalProperties/$ref",
        ),
    ] {
        let error = error_of(&schemas);
        check(
            &error,
            &[
                &format!("api.json#/components/schemas/{place}: the schema `"),
                "refers to itself",
            ],
        );
    }
    let required = format!(
        r#"{{ "A": {b}, "B": {{ "type": "object", "required": ["a"], "properties": {{ "a": {c} }} }}, "C": {a} }}"#
    );
    check(
        &error_of(&required),
        &["B/properties/a: the object requires itself"],
    );
    // Optional fields end: these types compile.
    let optional = format!(
        r#"{{ "A": {b}, "B": {{ "type": "object", "properties": {{ "a": {c} }} }}, "C": {a} }}"#
    );
    check(&read(&optional).0, &["pub a: Option<Box<B>>,"]);
    let yaml = "A: &a { type: object, properties: { a: *a } }\n";
    let error = Generator::new()
        .document("a.yaml", yaml)
        .err()
        .unwrap()
        .to_string();
    check(&error, &["a.yaml#: ", "anchor 'a' value contains itself"]);
    let doubling: String = (0..40)
        .map(|n| format!("b{n}: &a{} [*a{n}, *a{n}]\n", n + 1))
        .collect();
    let error = Generator::new()
        .document("a.yaml", &format!("a: &a0 {{}}\n{doubling}"))
        .err()
        .unwrap();
    check(&error.to_string(), &["excessive aliasing"]);
}

#[test]
fn as_many_definitions_as_there_are_become_types() {
    // More than typify reads at once.
    let count: usize = std::env::var("DEFINITIONS").map_or(600, |count| count.parse().unwrap());
    let mut schemas = String::from("{");
    for number in 0..count {
        let (near, far) = (number * 2 + 1, number * 7 + 3);
        let [near, far] = [near, far].map(|other| reference(&format!("A{}", other % count)));
        let comma = if number == 0 { "" } else { "," };
        write!(
            schemas,
            r#"{comma}"A{number}": {{ "type": "object", "required": ["name"], "properties": {{ "name": {{ "type": "string" }},
                "near": {near}, "far": {{ "type": "array", "items": {far} }}, "count": {{ "type": "integer", "minimum": 0 }} }} }}"#
        )
        .unwrap();
    }
    let (text, notes) = read(&(schemas + "}"));
    // The compiler goes through nearly all of them before it comes back.
    check(
        &notes[0],
        &["levels deep: the crate needs `#![recursion_limit"],
    );
    assert_eq!(text.matches("\npub struct ").count(), count);
    assert_eq!(text.matches("    pub near: Option<").count(), count);
    assert_eq!(text.matches("    pub far: Vec<A").count(), count);
}

/// Names of groups, versions and documents become names of files.
#[test]
fn paths_in_names_stay_in_the_folder() {
    for (group, version, document) in [
        ("../../etc/passwd", "v1", "a.yaml"),
        ("a.example.com", "../../v1", "a.yaml"),
        ("a.example.com", "v1", "../../../a.yaml"),
        ("/etc", "/v1", "/etc/passwd"),
        ("C:\\\\x", "v1", "..\\\\a.yaml"),
    ] {
        let definition = format!(
            r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{{
                "group":"{group}","scope":"Cluster","names":{{"kind":"Tray","plural":"trays"}},
                "versions":[{{"name":"{version}","served":true,"storage":true,"schema":{{"openAPIV3Schema":{{"type":"object"}}}}}}]}}}}"#
        );
        let Ok(generated) = Generator::new()
            .document(document, &definition)
            .and_then(|one| one.generate())
        else {
            continue;
        };
        for (name, _) in &generated.files {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let stem = name.strip_suffix(".rs").unwrap();
            assert!(
                !stem.is_empty() && stem.chars().all(is_plain),
                "{group} {version} {document}: {name}"
            );
        }
    }
}

/// They are in comments, too.
#[test]
fn names_of_groups_and_documents_end_no_comment() {
    let definition = r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{
        "group":"a\n\nfn x() {}\r//","scope":"Cluster","names":{"kind":"Tray","plural":"trays"},
        "versions":[{"name":"v1\nfn y() {}","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}"#;
    let generated = Generator::new().document("a\nfn z() {}.yaml", definition);
    let files = generated.and_then(|one| one.generate()).unwrap().files;
    assert_eq!(files.len(), 2);
    for (name, text) in files {
        let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut items = file.items.iter();
        assert!(
            !items.any(|item| matches!(item, syn::Item::Fn(_))),
            "{text}"
        );
    }
}

/// Names and texts that end comments, look like others, turn the direction of text, or are Rust's own.
#[test]
fn hostile_names_and_texts_stay_names_and_texts() {
    let names = [
        "*/ fn main() {}",
        "#[derive(X)]",
        "```rust\nfn x() {}\n```",
        "a\u{202e}b",
        "Self",
        "crate",
        "r#type",
        "../../etc/passwd",
        "é",
        "æ",
        "Ａ",
        "А",
        "A",
        "__",
        "1",
        "fn",
        "Vec",
        "String",
        "Option",
        "Default",
        "Unknown",
        "RawJson",
        "Clone",
        "\"",
        "\\",
        "\n",
        "a b",
        "a-b",
        "a_b",
        "aB",
        "std",
        "k8s_flowcontrol_types",
        "</code><script>alert(1)</script>",
    ];
    let mut properties = serde_json::Map::new();
    for name in names {
        let field = serde_json::json!({ "type": "string", "description": format!("{name} */ ```"), "enum": ["*/", name] });
        properties.insert(name.to_owned(), field);
    }
    let mut schemas = serde_json::Map::new();
    for name in names {
        let schema =
            serde_json::json!({ "type": "object", "description": name, "properties": properties });
        schemas.insert(name.to_owned(), schema);
    }
    let (text, _) = read(&serde_json::Value::Object(schemas).to_string());
    let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{error}"));
    let structs = file
        .items
        .iter()
        .filter(|item| matches!(item, syn::Item::Struct(_)));
    assert_eq!(structs.count(), names.len());
    assert!(
        !file
            .items
            .iter()
            .any(|item| matches!(item, syn::Item::Fn(_)))
    );
    let odd = |c: char| !c.is_ascii() && !matches!(c, 'é' | 'É' | 'æ' | 'Ａ' | 'А');
    assert!(!text.contains(odd), "{:?}", text.find(odd));
    for identifier in ["uff21", "u0410", "u00e6"] {
        check(&text, &[&format!("pub {identifier}: ")]);
    }
}

#[test]
fn schemas_that_contain_others_twice_take_no_exponential_time() {
    let mut schemas: Vec<String> = (0..40)
        .map(|number| {
            let next = format!(r##"{{ "$ref": "#/components/schemas/A{}" }}"##, number + 1);
            format!(r#""A{number}": {{ "allOf": [{next}, {next}] }}"#)
        })
        .collect();
    schemas.push(
        r#""A40": { "type": "object", "properties": { "x": { "type": "string" } } }"#.to_owned(),
    );
    let error = plain(&format!("{{ {} }}", schemas.join(", ")))
        .err()
        .unwrap()
        .to_string();
    assert!(
        error.contains("the schemas of `allOf` contain more than 10000 others"),
        "{error}"
    );
}

/// What took minutes when each name was compared with each: it ends while a test waits.
#[test]
fn many_fields_with_one_name_get_numbers() {
    let count = match std::env::var_os("FLOWCONTROL_TEST_ALL") {
        Some(_) => 2000,
        None => 600,
    };
    let fields =
        (0..count).map(|number| format!(r#""a{}": {{ "type": "string" }}"#, "_".repeat(number)));
    let fields: Vec<String> = fields.collect();
    let (text, _) = read(&format!(
        r#"{{ "A": {{ "type": "object", "properties": {{ {} }} }} }}"#,
        fields.join(", ")
    ));
    check(&text, &["pub a: ", "pub a_2: ", "pub a_100: "]);
}

#[test]
fn a_line_of_brackets_is_documentation() {
    let brackets = "[a](b <http:// ".repeat(20_000);
    let (text, _) = read(&format!(
        r#"{{ "A": {{ "type": "object", "properties": {{ "a": {{ "type": "string", "description": "{brackets}" }} }} }} }}"#
    ));
    check(&text, &[r"\[a\](b"]);
}
