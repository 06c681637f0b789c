//! Custom resources that begin as Rust types.

use k8s_flowcontrol::meta::{RawJson, Time};
use k8s_flowcontrol::schema::ResourceSchema;
use k8s_flowcontrol::watch::Store;
use k8s_flowcontrol::{Client, Resource, custom, from_value_strict};
use k8s_flowcontrol_codegen::Generator;
use k8s_flowcontrol_server::ApiServer;
use serde_json::json;
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

/// What the generator reads is what the type is: the definition says the same about the fields.
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

#[tokio::test]
async fn a_declared_kind_is_a_kind() {
    let builder = ApiServer::builder().serve(RESOURCES);
    let server = builder.start().await.unwrap();
    let client = Client::from_url(server.url()).unwrap();
    let lamps = client.namespaced_api::<Lamp>("north");
    let store = Store::start(lamps.watcher());
    store.wait_ready().await.unwrap();

    let mut lamp = Lamp::partial("a");
    lamp.spec.colour = Colour::Amber;
    lamp.spec.plans = vec![Plan {
        day: "mon".to_owned(),
        ..Plan::default()
    }];
    let lamp = lamps.apply(&lamp).field_manager("me").await.unwrap();
    let mut other = Lamp::partial("a");
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
    lamps.wait_for("a", same).await.unwrap();

    let wrong = json!({"spec": {"color": "White"}});
    assert!(from_value_strict::<Lamp>(&wrong).is_err());
}
