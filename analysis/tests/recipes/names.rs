//! The names of clients, in the names and the text of objects.

use k8s_flowcontrol_analysis::recipes::{Client, RecipeError, Recipes};
use k8s_flowcontrol_text::{to_yaml, yaml_to_json};
use k8s_flowcontrol_types::Release;
use serde_json::json;

/// Objects are named after their client.
#[test]
fn a_client_has_a_name_for_its_objects() {
    let recipes = Recipes::built_in(600, Release::NEWEST);
    for name in ["*", "\u{3a9}\u{3bc}"] {
        let client = Client::User {
            name: name.into(),
            groups: None,
        };
        let expected = RecipeError::NoName {
            client: name.into(),
        };
        assert!(!expected.is_unfulfillable());
        assert_eq!(recipes.isolate(&client, 5).unwrap_err(), expected);
        assert_eq!(recipes.protect(&client, 5).unwrap_err(), expected);
        let probes = recipes.exempt_probes(Some(name), &["/version".to_owned()]);
        assert_eq!(probes.unwrap_err(), expected);
    }
}

/// Names that are YAML, Markdown or a template are text in the YAML of a recipe.
#[test]
fn hostile_names_are_text_in_yaml() {
    for name in [
        "a: b",
        "x\n- kind: Group",
        "x\n---\nkind: Pod",
        "{{ .Values.x }}",
        "!!binary |",
        "*alias",
        "&anchor x",
        "# comment",
        "' \" `",
        "yes",
        "0x1F",
        "~",
        "\u{2028}\u{85}\u{feff}\u{7f}\u{1b}[31m",
        "",
        " ",
        "<script>",
    ] {
        let client = Client::User {
            name: name.to_owned(),
            groups: None,
        };
        let Ok(recipe) = Recipes::built_in(600, Release::NEWEST).isolate(&client, 5) else {
            // A name of which no object can be made is an error.
            continue;
        };
        let schema = serde_json::to_value(&recipe.flow_schema).unwrap();
        let level = serde_json::to_value(&recipe.priority_level).unwrap();
        assert!(
            schema.to_string().contains(&json!(name).to_string()),
            "{schema}"
        );
        for object in [schema, level] {
            let read = yaml_to_json(to_yaml(&object).as_bytes()).unwrap();
            let read: serde_json::Value = serde_json::from_str(&read).unwrap();
            assert_eq!(read, object, "{name:?}");
        }
    }
}
