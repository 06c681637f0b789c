//! Lists, and conversions through the standard library's traits.

use super::kinds;
use ApiVersion::{V1, V1Beta2};
use k8s_flowcontrol_rules::conversion;
use k8s_flowcontrol_rules::conversion::ConvertAsServer;
use k8s_flowcontrol_types::api::{v1, v1beta1, v1beta2, v1beta3};
use k8s_flowcontrol_types::convert::Lossy;
use k8s_flowcontrol_types::{ApiVersion, List, Release, convert};
use serde_json::json;

fn levels() -> serde_json::Value {
    json!({
        "kind": "PriorityLevelConfigurationList",
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
        "metadata": {"resourceVersion": "7", "future": 1},
        "items": [
            {"metadata": {"name": "a"}, "spec": {"type": "Limited", "limited": {"nominalConcurrencyShares": 5}}},
            {"metadata": {"name": "b"}, "spec": {"type": "Limited", "limited": {"nominalConcurrencyShares": 0}}},
        ],
        "future": [1.50],
    })
}

#[test]
fn losses_name_the_item() {
    let list: List<v1::PriorityLevelConfiguration> =
        serde_json::from_str(&levels().to_string()).unwrap();
    let lossy = List::<v1beta2::PriorityLevelConfiguration>::try_from(list.clone()).unwrap_err();
    assert_eq!(lossy.losses.len(), 1);
    let path = "items[1].spec.limited.nominalConcurrencyShares";
    assert_eq!(lossy.losses[0].path, path);
    let (index, mut of_item) = lossy.losses[0].split_item().unwrap();
    assert_eq!(of_item.path, "spec.limited.nominalConcurrencyShares");
    of_item.takes_effect = true;
    let (again, split) = of_item.clone().of_item(index).split_item().unwrap();
    assert_eq!((again, split), (1, of_item));
    let old = lossy.into_object();
    assert_eq!(old.items.len(), 2);
    assert!(old.unknown.get("future").is_some());

    let kind = kinds::levels(V1, Release::NEWEST);
    let (tree, losses) = Lossy::parts(convert::shape_list(levels(), kind, V1Beta2));
    assert_eq!(losses[0].path, path);
    assert_eq!(tree["apiVersion"], "flowcontrol.apiserver.k8s.io/v1beta2");
    assert_eq!(tree["items"][0].get("apiVersion"), None);
    assert_eq!(
        serde_json::to_value(&old).unwrap()["items"][0]["spec"]["limited"],
        json!({"assuredConcurrencyShares": 5})
    );

    let server = conversion::server_list(levels(), kind, V1Beta2).unwrap_err();
    let shown: Result<List<v1beta2::PriorityLevelConfiguration>, _> =
        list.convert_as_server(Release::NEWEST);
    let shown = shown.unwrap_err();
    assert_eq!(shown.losses, server.losses);
    let paths: Vec<_> = shown.losses.iter().map(|loss| loss.path.as_str()).collect();
    assert_eq!(paths, [path, "future", "metadata.future"]);
    assert!(shown.object.unknown.is_empty() && shown.object.metadata.unknown.is_empty());
    assert_eq!(server.object["metadata"], json!({"resourceVersion": "7"}));
}

#[test]
fn flow_schemas_lose_nothing() {
    let mut schema = v1beta1::FlowSchema::default();
    schema.metadata.name = Some("a".into());
    let list = List {
        items: vec![schema.clone()],
        ..List::default()
    };
    let list: List<v1beta3::FlowSchema> = List::<v1::FlowSchema>::from(list).into();
    assert_eq!(list.items, [schema.into()]);
}
