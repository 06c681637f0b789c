//! Kinds inside other objects, such as the claim templates of a StatefulSet.

use k8s_flowcontrol_types::api::v1::FlowSchema;
use k8s_flowcontrol_types::meta::Unknown;
use k8s_flowcontrol_types::{List, json, rt};
use serde_json::{Value, json};

#[derive(Clone, Debug, Default, PartialEq)]
struct Holder {
    templates: Vec<FlowSchema>,
    unknown: Unknown,
}

rt::v1::fields! {
    Holder {
        "templates" => templates,
    }
}

#[test]
fn an_embedded_kind_is_written_with_the_type_meta_that_it_had() {
    let text = json!({"templates": [
        {"metadata": {"name": "bare"}},
        {"kind": "FlowSchema", "metadata": {"name": "half"}},
        {"kind": "FlowSchema", "apiVersion": "flowcontrol.apiserver.k8s.io/v1", "metadata": {"name": "whole"}},
    ]});
    let mut holder: Holder = json::from_str(&text.to_string()).unwrap();
    let tree = |text: String| serde_json::from_str::<Value>(&text).unwrap();
    let written = tree(json::to_string(&holder));
    for (index, template) in written["templates"].as_array().unwrap().iter().enumerate() {
        for field in ["kind", "apiVersion"] {
            assert_eq!(template.get(field), text["templates"][index].get(field));
        }
    }
    // On its own it always has it.
    let bare = tree(json::to_string(&holder.templates[0]));
    assert_eq!(bare["kind"], "FlowSchema");
    assert_eq!(bare["apiVersion"], "flowcontrol.apiserver.k8s.io/v1");
    // So does a new template, and a template that was read, after `clear`.
    holder.templates[0].unknown.clear();
    holder.templates.push(FlowSchema::default());
    let written = tree(json::to_string(&holder));
    assert_eq!(written["templates"][0]["kind"], "FlowSchema");
    assert_eq!(written["templates"][3]["kind"], "FlowSchema");
}

#[test]
fn an_item_of_a_list_needs_no_memory_of_it() {
    let list = r#"{"items":[{"metadata":{"name":"a"},"spec":{"priorityLevelConfiguration":{"name":"b"}}}]}"#;
    let list: List<FlowSchema> = json::from_str(list).unwrap();
    let holder = Holder {
        templates: list.items,
        ..Holder::default()
    };
    assert!(json::to_string(&holder).contains(r#""kind":"FlowSchema""#));
}
