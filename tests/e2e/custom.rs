//! Custom resources that begin as Rust types.

use crate::e2e::support::{Cluster, unique};
use k8s_flowcontrol::client::ResourceKind;
use k8s_flowcontrol::json::to_value;
use k8s_flowcontrol::meta::{RawJson, Time};
use k8s_flowcontrol::schema::ResourceSchema;
use k8s_flowcontrol::watch::Store;
use k8s_flowcontrol::{
    Client, DynamicObject, Resource, always_send, custom, from_value_strict, ownership,
};
use k8s_flowcontrol_codegen::Generator;
use k8s_flowcontrol_server::ApiServer;
use serde_json::{Value, json};
use std::collections::BTreeMap;

k8s_flowcontrol::custom_resource! {
    /// A lamp of a street.
    pub struct Lamp {
        group: "street.example.com",
        version: "v1alpha1",
        kind: "Lamp",
        plural: "lamps",
        namespaced: true,
        spec: LampSpec,
        status: LampStatus,
    }
}

k8s_flowcontrol::custom_object! {
    /// The light to give.
    pub struct LampSpec {
        /// The colour of the light.
        "colour" => pub colour: Colour,
        /// The brightness in percent.
        /// Zero is dark.
        "brightness" => pub brightness: Option<i32>: minimum("0") maximum("100") default("80"),
        "tags" => pub tags: Vec<String>: set,
        "plans" => pub plans: Vec<Plan>: map(&["day"]),
        "labels" => pub labels: BTreeMap<String, String>: atomic,
        "note" => pub note: Option<String>: nullable,
        "extra" => pub extra: Option<RawJson>,
    }
}

k8s_flowcontrol::custom_object! {
    /// The light of a day.
    pub struct Plan {
        "day" => pub day: String,
        "from" => pub from: Option<Time>,
    }
}

k8s_flowcontrol::custom_object! {
    /// The light that there is.
    pub struct LampStatus {
        "lit" => pub lit: bool,
    }
}

k8s_flowcontrol::custom_enum! {
    /// A colour.
    pub enum Colour {
        /// White.
        White = "White",
        /// Amber.
        Amber = "Amber",
    }
}

k8s_flowcontrol::custom_resource! {
    /// A kind without status.
    pub struct Street {
        group: "street.example.com",
        version: "v1alpha1",
        kind: "Street",
        plural: "streets",
        namespaced: false,
        spec: StreetSpec,
    }
}

k8s_flowcontrol::custom_object! {
    /// Contains itself.
    pub struct StreetSpec {
        "sides" => pub sides: Vec<StreetSpec>,
        "others" => pub others: BTreeMap<String, StreetSpec>,
    }
}

static RESOURCES: &[ResourceSchema] = &[k8s_flowcontrol::resource::resource_schema::<Lamp>()];

#[test]
fn the_definition_of_a_type() {
    let definition = custom::definition::<Lamp>().unwrap();
    let schema = json!({
        "type": "object",
        "required": ["spec"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": {"type": "object", "required": ["colour"], "properties": {
                "colour": {"type": "string", "enum": ["White", "Amber"], "description": "The colour of the light."},
                "brightness": {"type": "integer", "format": "int32", "minimum": 0, "maximum": 100, "default": 80,
                    "description": "The brightness in percent.\nZero is dark."},
                "tags": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
                "plans": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["day"],
                    "items": {"type": "object", "required": ["day"], "properties": {
                        "day": {"type": "string"}, "from": {"type": "string", "format": "date-time"}}}},
                "labels": {"type": "object", "additionalProperties": {"type": "string"},
                    "x-kubernetes-map-type": "atomic"},
                "note": {"type": "string", "nullable": true},
                "extra": {"x-kubernetes-preserve-unknown-fields": true},
            }},
            "status": {"type": "object", "required": ["lit"], "properties": {"lit": {"type": "boolean"}}},
        },
    });
    assert_eq!(
        definition,
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "lamps.street.example.com"},
            "spec": {
                "group": "street.example.com",
                "names": {"kind": "Lamp", "listKind": "LampList", "plural": "lamps", "singular": "lamp"},
                "scope": "Namespaced",
                "versions": [{
                    "name": "v1alpha1", "served": true, "storage": true, "subresources": {"status": {}},
                    "schema": {"openAPIV3Schema": schema},
                }],
            },
        })
    );
    let error = custom::definition::<Street>().unwrap_err().to_string();
    assert!(error.starts_with("StreetSpec contains itself"), "{error}");
}

/// The generator reads the definition of the same type: both agree about the fields.
#[test]
fn the_generator_reads_the_definition() {
    let definition = custom::definition::<Lamp>().unwrap().to_string();
    let generated = Generator::new()
        .document("lamps.json", &definition)
        .and_then(|generator| generator.generate())
        .unwrap();
    let text = &generated.files[0].1;
    for part in [
        "pub brightness: Option<i32>,",
        "Defaults to `80`. From 0 to 100.",
        "pub tags: Vec<String>,",
        "\"plans\" => plans: map(&[\"day\"])",
        "\"note\" => note: nullable",
        "White = \"White\",",
    ] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
}

/// A server that serves lamps: the cluster of FLOWCONTROL_TEST_KUBECONFIG after it has their definition, or an embedded one.
async fn street() -> (Client, Option<ApiServer>) {
    if std::env::var_os("FLOWCONTROL_TEST_KUBECONFIG").is_none() {
        let server = ApiServer::builder().serve(RESOURCES).start().await.unwrap();
        return (Client::from_url(server.url()).unwrap(), Some(server));
    }
    let client = Cluster::each().await.remove(0).client;
    let (kind, plural) = ("CustomResourceDefinition", "customresourcedefinitions");
    let kind = ResourceKind::new("apiextensions.k8s.io", "v1", kind, plural, false);
    let definitions = client.dynamic(kind, None);
    let definition = DynamicObject::from_tree(custom::definition::<Lamp>().unwrap()).unwrap();
    let apply = definitions.apply(&definition).field_manager("e2e").force();
    let applied = apply.await.unwrap();
    let established = |found: Option<&DynamicObject>| {
        let tree = found.map(DynamicObject::tree).unwrap_or_default();
        let conditions = tree["status"]["conditions"].as_array();
        conditions.is_some_and(|all| {
            all.iter()
                .any(|one| one["type"] == "Established" && one["status"] == "True")
        })
    };
    definitions
        .wait_for(applied.name(), established)
        .await
        .unwrap();
    (client, None)
}

/// A lamp with free-form JSON in `extra`, of which a manager sends a part.
fn lamp_with(name: &str, extra: &Value) -> Lamp {
    let spec = json!({"colour": "White", "extra": extra});
    Lamp::partial_from(&json!({"metadata": {"name": name}, "spec": spec})).unwrap()
}

#[tokio::test]
async fn the_fields_of_free_form_json_have_owners() {
    let (client, _server) = street().await;
    let lamps = client.namespaced_api::<Lamp>("default");
    let name = unique("lamp");
    let apply = async |manager: &str, extra: Value| {
        let lamp = lamp_with(&name, &extra);
        lamps.apply(&lamp).field_manager(manager).await
    };
    let extra = |lamp: &Lamp| {
        let text = lamp.spec.extra.as_ref().unwrap().as_str().to_owned();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let one = json!({"a": 1, "in": {"x": [1, 2]}});
    apply("one", one.clone()).await.unwrap();
    let two = json!({"b": null, "in": {"y": {}}});
    let lamp = apply("two", two.clone()).await.unwrap();
    let both = json!({"a": 1, "b": null, "in": {"x": [1, 2], "y": {}}});
    assert_eq!(extra(&lamp), both);
    for (manager, own) in [("one", &one), ("two", &two)] {
        let mine = ownership::extract(&lamp, manager).unwrap().unwrap();
        assert_eq!(extra(&mine), *own);
        assert!(ownership::is_applied(&lamp, manager, &mine), "{manager}");
        let more = lamp_with(&name, &both);
        assert!(!ownership::is_applied(&lamp, manager, &more), "{manager}");
    }

    let error = apply("two", json!({"in": {"x": [3]}})).await.unwrap_err();
    let causes = error.causes().iter();
    let fields: Vec<_> = causes.map(|cause| cause.field.as_deref()).collect();
    assert_eq!(fields, [Some(".spec.extra.in.x")]);
    // Another form of a value, and omitted fields.
    let lamp = apply("one", json!({"a": {"deep": true}})).await.unwrap();
    let left = json!({"a": {"deep": true}, "b": null, "in": {"y": {}}});
    assert_eq!(extra(&lamp), left);
    // As in a typed map, `null` keeps the fields of the others.
    let lamp = apply("three", json!({"in": null})).await.unwrap();
    assert_eq!(extra(&lamp), left);
    let lamp = apply("one", json!({"a": "text"})).await.unwrap();
    assert_eq!(extra(&lamp)["a"], "text");
    let mine = ownership::extract(&lamp, "one").unwrap().unwrap();
    assert_eq!(extra(&mine), json!({"a": "text"}));
    lamps.delete(&name).await.unwrap();
}

#[tokio::test]
async fn a_declared_kind_is_a_kind() {
    let (client, _server) = street().await;
    let lamps = client.namespaced_api::<Lamp>("default");
    let name = unique("lamp");
    let store = Store::start(
        lamps
            .watcher()
            .field_selector(format!("metadata.name={name}")),
    );
    store.wait_ready().await.unwrap();

    let mut lamp = Lamp::partial(&name);
    lamp.spec.colour = Colour::Amber;
    lamp.spec.plans = vec![Plan {
        day: "mon".to_owned(),
        ..Plan::default()
    }];
    let lamp = lamps.apply(&lamp).field_manager("me").await.unwrap();
    let mut other = Lamp::partial(&name);
    other.spec.plans = vec![Plan {
        day: "tue".to_owned(),
        ..Plan::default()
    }];
    let merged = lamps.apply(&other).field_manager("you").await.unwrap();
    assert_eq!((lamp.spec.plans.len(), merged.spec.plans.len()), (1, 2));
    let mut lit = merged.clone();
    lit.status.get_or_insert_default().lit = true;
    let lit = lamps.replace_status(&lit).await.unwrap();
    let same = |lamp: Option<&Lamp>| lamp.is_some_and(|lamp| lamp.status == lit.status);
    lamps.wait_for(&name, same).await.unwrap();
    lamps.delete(&name).await.unwrap();

    let wrong = json!({"spec": {"color": "White"}});
    assert!(from_value_strict::<Lamp>(&wrong).is_err());
}

/// Zero, empty text and `null`, at the top and in elements of lists: the server stores them, and the manager owns them.
#[tokio::test]
async fn an_apply_owns_zero_empty_and_null() {
    let (client, _server) = street().await;
    let lamps = client.namespaced_api::<Lamp>("default");
    let name = unique("lamp");
    let mut lamp = Lamp::partial(&name);
    lamp.spec.colour = Colour::White;
    lamp.spec.brightness = Some(0);
    lamp.spec.plans = vec![Plan::default()];
    always_send!(lamp.spec, tags, note);
    always_send!(lamp.spec.plans[0], day);
    let applied = lamps.apply(&lamp).field_manager("me").await.unwrap();
    let spec = json!({"colour": "White", "brightness": 0, "tags": [], "plans": [{"day": ""}], "note": null});
    assert_eq!(to_value(&applied).unwrap()["spec"], spec);
    let entries = applied.metadata.managed_fields.entries().unwrap();
    let fields: Value = entries[0].fields_v1.as_ref().unwrap().to().unwrap();
    let plan = json!({".": {}, "f:day": {}});
    // Of a set, the elements have owners; an empty one has none.
    let owned = json!({
        "f:brightness": {}, "f:colour": {}, "f:note": {}, "f:plans": {r#"k:{"day":""}"#: plan},
    });
    assert_eq!(fields["f:spec"], owned);

    let read = lamps.get(&name).await.unwrap();
    let again = ownership::extract(&read, "me").unwrap().unwrap();
    let unchanged = lamps.apply(&again).field_manager("me").await.unwrap();
    assert_eq!(unchanged, applied);

    let lit = json!({"metadata": {"name": name}, "status": {"lit": false}});
    let lit = Lamp::partial_from(&lit).unwrap();
    let lit = lamps
        .apply_status(&lit)
        .field_manager("light")
        .await
        .unwrap();
    assert_eq!(to_value(&lit).unwrap()["status"], json!({"lit": false}));
    lamps.delete(&name).await.unwrap();
}
