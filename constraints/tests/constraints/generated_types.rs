//! `validate()` of generated types. `tests/generated` is what the generator makes of `fixtures/gates.yaml`, `fixtures/pets.json` and `fixtures/hostile.json`;
//! `UPDATE_GOLDEN=1` writes it again.

use crate::hostile_names::All;
use crate::pets::{Cat, Pet};
use crate::town_v1::{Gate, Wing};
use k8s_flowcontrol_codegen::Generator;
use k8s_flowcontrol_types::Resource;
use k8s_flowcontrol_types::validate::{Reason, Validate};
use std::path::Path;

const GATES: &str = include_str!("../fixtures/gates.yaml");
const PETS: &str = include_str!("../fixtures/pets.json");
const HOSTILE: &str = include_str!("../fixtures/hostile.json");

fn generate() -> (Vec<(String, String)>, Vec<String>) {
    let generator = Generator::new().validate();
    let gates = generator.document("gates.yaml", GATES).unwrap();
    let gates = gates.generate().unwrap();
    let plain = |name: &str, text: &str| {
        let generator = Generator::new().validate().plain();
        generator.document(name, text).unwrap().generate().unwrap()
    };
    let pets = plain("pets.json", PETS);
    let hostile = plain("hostile.json", HOSTILE);
    let is_module = |(name, _): &(String, String)| name != "mod.rs";
    let files = gates
        .files
        .into_iter()
        .chain(pets.files)
        .chain(hostile.files);
    let files = files.filter(is_module);
    (files.collect(), gates.notes)
}

#[test]
fn the_checked_in_types_are_those_of_the_generator() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/generated");
    for (name, text) in generate().0 {
        let path = folder.join(&name);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let known = std::fs::read_to_string(&path).unwrap();
        assert_eq!(known, text, "{name}: run the test with UPDATE_GOLDEN=1");
    }
}

#[test]
fn the_generator_names_the_rules_that_are_not_checked() {
    let (_, notes) = generate();
    let of_rules: Vec<&String> = notes
        .iter()
        .filter(|note| note.contains("validate()"))
        .collect();
    assert_eq!(of_rules.len(), 1, "{notes:?}");
    assert!(
        of_rules[0].ends_with(
            "/properties/spec/x-kubernetes-validations/2: checked by the server (`validate()` does not check it: the \
             function `image` is not supported)"
        ),
        "{of_rules:?}"
    );
    let document = Generator::new().document("gates.yaml", GATES).unwrap();
    let explained: Vec<String> = document
        .explain()
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    let rules: Vec<&String> = explained
        .iter()
        .filter(|one| one.contains("x-kubernetes-validations"))
        .collect();
    assert_eq!(rules.len(), 5, "{explained:?}");
    let validated =
        |one: &&&String| one.ends_with("checked by the server and by generated `validate()`");
    assert_eq!(rules.iter().filter(validated).count(), 4, "{rules:?}");
}

fn gate() -> Gate {
    let mut gate = Gate::partial("west");
    gate.spec.width = 10;
    gate
}

#[test]
fn an_object_is_checked_with_a_servers_words() {
    assert_eq!(gate().validate().violations, []);
    let mut bad = Gate::partial("the-gate-with-a-very-long-name");
    bad.spec.width = 4;
    bad.spec.open = Some(5);
    bad.spec.motto = Some("\"".to_owned());
    bad.status.get_or_insert_default().guards = Some(-1);
    let wing = |side: &str, keys: &[&str]| {
        let mut wing = Wing::default();
        wing.side = side.to_owned();
        wing.keys = keys.iter().map(|key| (*key).to_owned()).collect();
        wing
    };
    bad.spec.wings = vec![wing("left", &["a", "a"]), wing("left", &[])];
    let found: Vec<String> = bad
        .validate()
        .violations
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        found,
        [
            "spec.motto: Invalid value: \"\\\"\": spec.motto in body should match '^[^\"]*$'",
            "status.guards: Invalid value: -1: status.guards in body should be greater than or equal to 0",
            "spec.wings[1]: Duplicate value: {\"side\":\"left\"}",
            "spec.wings[0].keys[1]: Duplicate value: \"a\"",
            "<nil>: Invalid value: a name has at most 20 letters",
            "spec: Invalid value: opened 5 of 4",
        ]
    );
}

#[test]
fn a_wrong_value_keeps_a_server_from_the_rules() {
    let mut bad = gate();
    bad.spec.open = Some(11);
    bad.spec.colour = Some("blue".to_owned().into());
    let found = bad.validate();
    assert_eq!(found.violations[0].reason, Reason::NotSupported);
    assert_eq!(
        found.violations[0].to_string(),
        "spec.colour: Unsupported value: \"blue\": supported values: \"red\", \"green\""
    );
    assert!(
        found.violations[1]
            .message
            .contains("some validation rules were not checked")
    );
    assert_eq!(found.violations.len(), 2);
}

#[test]
fn an_update_is_compared_with_the_object_before() {
    let (mut new, old) = (gate(), gate());
    assert_eq!(new.validate_update(&old).violations, []);
    new.spec.width = 11;
    let found = new.validate_update(&old);
    assert_eq!(
        found.violations[0].to_string(),
        "spec.width: Invalid value: the width cannot change"
    );
}

#[test]
fn a_rule_that_cannot_be_evaluated_is_never_passed() {
    let found = gate().validate();
    assert_eq!(found.not_checked.len(), 1);
    assert_eq!(found.not_checked, Gate::not_checked());
    assert_eq!(found.not_checked[0].field, "spec");
    assert!(!found.is_valid());
}

#[test]
fn schemas_of_other_documents_are_checked_too() {
    let mut cat = Cat::default();
    cat.name = "x".to_owned();
    cat.lives = Some(10);
    let mut friend = Pet::default();
    friend.name = "yy".to_owned();
    friend.parents = vec![Pet::default(), friend.clone(), friend.clone()];
    cat.friend = Some(friend);
    let found: Vec<String> = cat
        .validate()
        .violations
        .iter()
        .map(|one| one.field.clone())
        .collect();
    assert_eq!(
        found,
        [
            "name",
            "friend.parents[0].name",
            "friend.parents",
            "lives",
            "<nil>"
        ]
    );
}

/// The types of fences, attributes, keywords, paths and look-alikes compile, and go round.
#[test]
fn hostile_names_are_fields() {
    let document: serde_json::Value = serde_json::from_str(HOSTILE).unwrap();
    let names = document["components"]["schemas"]["All"]["properties"].as_object();
    let fields = names
        .unwrap()
        .keys()
        .map(|name| (name.clone(), name.clone().into()));
    let object = serde_json::Value::Object(fields.collect());
    let all: All = serde_json::from_value(object.clone()).unwrap();
    assert_eq!(all.validate().violations, []);
    assert_eq!(serde_json::to_value(&all).unwrap(), object);
}
