//! Short texts of values that would take far more memory than their length.

use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol_types::{List, json};
use std::collections::BTreeMap;

fn repeated(before: &str, element: &str, count: usize, after: &str) -> String {
    let elements = vec![element; count].join(",");
    format!("{before}{elements}{after}")
}

#[test]
fn the_memory_of_elements_is_bounded_by_their_text() {
    let items = repeated(r#"{"items":["#, "{}", 300_000, "]}");
    let error = json::from_str::<List<FlowSchema>>(&items).map(drop);
    let error = error.unwrap_err().to_string();
    let message = "the elements of 900011 bytes of JSON take more than 74308952 bytes of memory";
    assert!(error.contains(message), "{error}");
    assert!(serde_json::from_str::<List<FlowSchema>>(&items).is_err());

    let rules = repeated(r#"{"spec":{"rules":["#, "{}", 2_000_000, "]}}");
    assert!(json::from_str::<FlowSchema>(&rules).is_err());
    let nulls = repeated(r#"{"metadata":{"finalizers":["#, "null", 3_500_000, "]}}");
    assert!(json::from_str::<FlowSchema>(&nulls).is_ok());

    // Of a map each entry counts, whatever its value.
    let entries = |count: usize| {
        let names = (0..count).map(|number| format!("\"{number:x}\":{{}}"));
        let names = names.collect::<Vec<_>>().join(",");
        format!("{{{names}}}")
    };
    type Schemas = BTreeMap<String, FlowSchema>;
    let error = json::from_str::<Schemas>(&entries(300_000)).map(drop);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("the elements of "), "{error}");
    assert_eq!(json::from_str::<Schemas>(&entries(10)).unwrap().len(), 10);

    // Real objects, however many, are far from it.
    let level = r#"{"metadata":{"name":"a"},"spec":{"type":"Limited","limited":{"limitResponse":{"type":"Reject"}}}}"#;
    let levels = repeated(r#"{"items":["#, level, 160_000, "]}");
    let list = json::from_str::<List<PriorityLevelConfiguration>>(&levels).unwrap();
    assert_eq!(list.items.len(), 160_000);
}
