//! Nothing is lost: random objects of random structural schemas come back with every `null`, `[]`, `{}` and number.
//!
//! `tests/generated/random` holds the types of the schemas that [`schemas::definitions`] makes.
//! `UPDATE_GOLDEN=1 cargo test --test workspace lossless` rewrites them.

mod objects;
mod same;
mod schemas;

use crate::generation::generated_random::random_v1 as v1;
use k8s_flowcontrol::{List, Resource, json};
use k8s_flowcontrol_codegen::Generator;
use objects::object;
use proptest::prelude::*;
use same::in_field_order;
use serde_json::Value;
use std::path::Path;

#[test]
fn the_checked_in_modules_are_the_output_of_the_generator() {
    let text = schemas::definitions().to_string();
    let generator = Generator::new().document("random.json", &text);
    let generated = generator.and_then(|generator| generator.generate());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/generated/random");
    for (name, text) in generated.unwrap().files {
        let path = folder.join(&name);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&path, text).unwrap();
        } else {
            let golden = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(
                golden == text,
                "see the changes of UPDATE_GOLDEN=1 in {name}"
            );
        }
    }
}

/// Checks that the text of an object comes back, alone and in a list.
fn comes_back<K: Resource>(text: &str) {
    let kind: K = json::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let written = json::to_string(&kind);
    assert_eq!(in_field_order(&written), in_field_order(text));
    assert_eq!(json::to_string(&kind.clone()), written);

    let list = format!(r#"{{"metadata":{{}},"items":[{text}]}}"#);
    let list: List<K> = json::from_str(&list).unwrap();
    assert_eq!(list.items[0], kind);
}

fn kind_comes_back(kind: &str, definitions: &Value, seed: u64) {
    let text = object(definitions, kind, seed);
    match kind {
        "Kind0" => comes_back::<v1::Kind0>(&text),
        "Kind1" => comes_back::<v1::Kind1>(&text),
        "Kind2" => comes_back::<v1::Kind2>(&text),
        _ => comes_back::<v1::Kind3>(&text),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn random_objects_come_back(seed: u64) {
        let definitions = schemas::definitions();
        for kind in schemas::KINDS {
            kind_comes_back(kind, &definitions, seed);
        }
    }
}
