//! The generator's output for everything that documents of Kubernetes groups contain: subresources of
//! every form, recursive schemas, maps of quantities, values and fields whose names are not Rust names, types
//! named like Rust's, kinds without a spec, rules of CustomResourceDefinitions.
//!
//! `tests/generated/zoo` holds the document of an invented group and its generated module, which is compiled here
//! with every warning an error, compared as text, and used.
//! `UPDATE_GOLDEN=1 cargo test --test workspace zoo` rewrites it.

use crate::generation::generated_random::random_v1;
use crate::generation::generated_zoo::zoo_v1::{
    Keeper, KeeperLevel, RESOURCES, Review, Shape, Signal,
};
use k8s_flowcontrol::client::ResourceKind;
use k8s_flowcontrol::{Client, DynamicObject, Resource, from_value_strict, ownership};
use k8s_flowcontrol_codegen::Generator;
use k8s_flowcontrol_server::ApiServer;
use serde_json::{Value, json};
use std::path::Path;

#[test]
fn the_checked_in_modules_are_what_is_generated() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/generated/zoo");
    let generated = Generator::new()
        .file(&folder.join("zoo.json"))
        .and_then(|generator| generator.generate())
        .unwrap();
    assert_eq!(generated.kinds, 3);
    for (name, text) in generated.files {
        let path = folder.join(&name);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&path, text).unwrap();
        } else {
            let golden = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(
                golden == text,
                "{name} is not what is generated; see what UPDATE_GOLDEN=1 changes"
            );
        }
    }
}

/// Reads and writes an object.
fn there_and_back<K: Resource>(object: &Value) -> (K, Value) {
    let kind: K = serde_json::from_str(&object.to_string()).unwrap();
    let written = serde_json::from_str(&serde_json::to_string(&kind).unwrap()).unwrap();
    (kind, written)
}

#[test]
fn names_values_and_maps_come_back() {
    let object = json!({
        "apiVersion": "zoo.example.com/v1",
        "kind": "Keeper",
        "metadata": { "name": "ann", "namespace": "north" },
        "spec": {
            "signal": "SIGRTMIN-1", "level": "DEBUG", "port": "http", "food": { "hay": "1500m", "milk": 2 },
            "shifts": [{ "day": "mon", "part": "am", "hours": 0, "grid": [[{ "x": 1 }], []] },
                       { "day": "tue", "part": "night", "hours": 1.0 }],
            "extra": { "a": ["b", "c"] }, "self": "s", "Self": "S", "fooBar": "1", "foo_bar": "2",
            "3scale": "3", "@type": "t", "with-dash": "w", "async": true, "bool": false, "int": -9,
            "index": "i", "map": { "k": "v" }, "anything": [1, { "b": null }],
            "object": { "apiVersion": "v1", "kind": "Pod", "spec": {} },
            "source": { "git": "https://example.com", "branch": "main" }
        },
        "status": { "phase": "Unknown" }
    });
    let (keeper, written) = there_and_back::<Keeper>(&object);
    assert_eq!(written, object);
    assert_eq!(
        keeper.spec.as_ref().unwrap().signal,
        Some(Signal::SigrtminDash1)
    );
    assert_eq!(
        keeper.spec.as_ref().unwrap().level,
        Some(KeeperLevel::Debug2)
    );
    assert_eq!(keeper.spec.unwrap().source.unwrap().unknown.len(), 1);
}

#[test]
fn recursive_schemas_come_back() {
    let object = json!({
        "apiVersion": "zoo.example.com/v1",
        "kind": "Shape",
        "metadata": { "name": "a" },
        "schema": {
            "$ref": "#/x", "$schema": "y", "type": "object", "minimum": 0, "default": { "a": [null] },
            "enum": [1, "a", null, {}], "nonResourceURLs": ["/x"], "unknown": true,
            "not": { "allOf": [{ "type": "string" }, { "not": { "minimum": 1e3 } }] },
            "items": [{ "type": "any" }], "properties": { "a": { "properties": { "b": {} } } },
            "x-kubernetes-list-type": "atomic"
        }
    });
    let (shape, written) = there_and_back::<Shape>(&object);
    assert_eq!(written, object);
    let schema = shape.schema.unwrap();
    assert_eq!(schema.r#ref.as_deref(), Some("#/x"));
    assert_eq!(schema.minimum, Some(0.0));
    assert_eq!(schema.not.unwrap().all_of.len(), 2);
}

#[test]
fn kinds_without_a_spec_are_kinds() {
    fn parts<K: Resource<Spec = ()>>() -> (&'static str, bool) {
        (K::PLURAL, K::NAMESPACED)
    }
    assert_eq!(parts::<Review>(), ("reviews", false));
    assert_eq!(parts::<Shape>(), ("shapes", false));
    assert_eq!(RESOURCES.len(), 3);
    let object = json!({
        "apiVersion": "zoo.example.com/v1", "kind": "Review", "metadata": {},
        "status": { "must": "a", "all": ["x"], "counts": { "n": 1 }, "next": { "must": "b", "next": { "must": "" } } }
    });
    assert_eq!(there_and_back::<Review>(&object).1, object);
}

/// A `null` in a list or map is its own value.
#[tokio::test]
async fn nullable_elements_and_values_are_optional() {
    let object = json!({
        "apiVersion": "zoo.example.com/v1", "kind": "Keeper", "metadata": { "name": "ann", "namespace": "north" },
        "spec": { "readings": { "mon": 1, "tue": null }, "names": ["a", null, ""], "rooms": [null, { "floor": 3 }] }
    });
    let (keeper, written) = there_and_back::<Keeper>(&object);
    assert_eq!(written, object);
    let spec = keeper.spec.clone().unwrap();
    assert_eq!(
        (spec.readings["mon"], spec.readings["tue"]),
        (Some(1), None)
    );
    let names = [Some("a".to_owned()), None, Some(String::new())];
    assert_eq!(spec.names, names);
    assert_eq!(spec.rooms[0], None);
    assert_eq!(spec.rooms[1].as_ref().unwrap().floor, Some(3));

    let server = ApiServer::builder().serve(RESOURCES).start().await.unwrap();
    let client = Client::from_url(server.url()).unwrap();
    let keepers = client.namespaced_api::<Keeper>("north");
    let created = keepers.create(&keeper).await.unwrap();
    assert_eq!(created.spec, keeper.spec);
}

/// A default, bounds and values that a description does not mention follow it.
#[test]
fn the_documentation_has_the_limits_of_a_field() {
    let text = include_str!("../generated/zoo/zoo_v1.rs");
    let text: Vec<&str> = text.lines().map(str::trim).collect();
    let lines_before = |field: &str| {
        let end = text.iter().position(|line| line.starts_with(field));
        let before = text[..end.unwrap()].iter().rev();
        let mut lines: Vec<_> = before
            .map_while(|line| line.strip_prefix("///"))
            .map(str::trim)
            .collect();
        lines.reverse();
        lines.join(" ")
    };
    for (field, documentation) in [
        (
            "pub age:",
            "The age in years. Defaults to 40.  From 1 to 120. May be `null`.",
        ),
        (
            "pub ratio:",
            "The field `ratio` of `KeeperSpec`.  Defaults to `0.75`. Greater than 0.5. A multiple of 0.25.",
        ),
        (
            "pub code:",
            "The field `code` of `KeeperSpec`.  Defaults to `\"a\\\"b\"`. At least 2 characters. Matches `` ^[a-z`]{2}$ ``.",
        ),
        (
            "pub size:",
            "The field `size` of `KeeperSpec`.  One of `1`, `2`, `4`.",
        ),
        (
            "pub names:",
            "The field `names` of `KeeperSpec`.  Each element: at most 9 characters. Each element: may be `null`.",
        ),
        (
            "pub readings:",
            "The field `readings` of `KeeperSpec`.  Each value: may be `null`.",
        ),
        (
            "pub floor:",
            "The field `floor` of `Room`.  Defaults to `2`. From -1 to 9.",
        ),
    ] {
        assert_eq!(lines_before(field), documentation, "{field}");
    }
}

#[test]
fn subresources_are_listed() {
    assert_eq!(
        Keeper::schema().subresources,
        ["status", "scale", "relocation", "log", "proxy"]
    );
    // Bodies that are kinds elsewhere have types too.
    let relocation: crate::generation::generated_zoo::moves_v1::Relocation = serde_json::from_value(json!({
        "apiVersion": "moves.example.com/v1", "kind": "Relocation", "metadata": { "name": "ann" }, "to": "south"
    }))
    .unwrap();
    assert_eq!(relocation.to.as_deref(), Some("south"));
}

#[tokio::test]
async fn fields_that_a_server_preserves_are_not_unknown() {
    let server = ApiServer::builder().serve(RESOURCES).start().await.unwrap();
    let client = Client::from_url(server.url()).unwrap();
    let keepers = client.namespaced_api::<Keeper>("north");
    let mut tree = json!({ "metadata": { "name": "ann" },
        "spec": { "open": { "known": 1, "new": { "a": [1] } } } });
    let keeper: Keeper = from_value_strict(&tree).unwrap();
    let created = keepers.create(&keeper).await.unwrap();
    assert_eq!(created.spec, keeper.spec);
    tree["spec"]["open"]["new"] = json!({ "b": null });
    let wanted = Keeper::partial_from(&tree).unwrap();
    let apply = keepers.apply(&wanted).field_manager("m").force();
    let open = apply.await.unwrap().spec.unwrap().open.unwrap();
    // The fields of free-form JSON have separate owners.
    let new = open.unknown.get("new").unwrap();
    assert_eq!(new.as_str(), r#"{"a":[1],"b":null}"#);
    tree["spec"]["closed"] = json!(1);
    assert!(from_value_strict::<Keeper>(&tree).is_err());
}

/// As if a client had sent them to a namespace.
#[tokio::test]
async fn objects_that_a_server_starts_with_have_a_namespace() {
    let keeper = json!({ "apiVersion": "zoo.example.com/v1", "kind": "Keeper", "metadata": { "name": "ann" }, "spec": {} });
    let mut north = keeper.clone();
    north["metadata"]["namespace"] = "north".into();
    let builder = ApiServer::builder().serve(RESOURCES);
    let server = builder.objects([keeper, north]).start().await.unwrap();
    let client = Client::from_url(server.url()).unwrap();
    for namespace in ["default", "north"] {
        let keepers = client.namespaced_api::<Keeper>(namespace);
        let ann = keepers.get("ann").await.unwrap();
        assert_eq!(ann.metadata.namespace.as_deref(), Some(namespace));
    }
}

/// Free-form JSON and objects have an owner for each field, or one for all of them.
#[tokio::test]
async fn an_atomic_object_has_one_owner() {
    let server = ApiServer::builder().serve(RESOURCES).start().await.unwrap();
    let client = Client::from_url(server.url()).unwrap();
    let keepers = client.namespaced_api::<Keeper>("north");
    let wanted = |spec: Value| {
        Keeper::partial_from(&json!({ "metadata": { "name": "ann" }, "spec": spec })).unwrap()
    };
    let first = wanted(json!({
        "anything": { "a": { "b": 1 } }, "bundle": { "a": { "b": 1 } }, "first": { "day": "mon", "part": "am" },
    }));
    let applied = keepers.apply(&first).field_manager("one").await.unwrap();
    let extracted = ownership::extract(&applied, "one").unwrap().unwrap();
    assert_eq!(extracted.spec, first.spec);

    let granular = wanted(json!({ "anything": { "a": { "c": 2 } } }));
    keepers.apply(&granular).field_manager("two").await.unwrap();
    let shift = json!({ "day": "mon", "part": "am", "hours": 5 });
    let atomic =
        wanted(json!({ "anything": { "a": { "c": 2 } }, "bundle": { "c": 2 }, "first": shift }));
    let error = keepers.apply(&atomic).field_manager("two").await;
    let error = error.unwrap_err();
    assert!(error.is_conflict(), "{error}");
    for field in [".spec.bundle", ".spec.first"] {
        assert!(error.to_string().contains(field), "{error}");
    }
    let forced = keepers.apply(&atomic).field_manager("two").force();
    let tree = k8s_flowcontrol::json::to_value(&forced.await.unwrap()).unwrap();
    let expected =
        json!({ "anything": { "a": { "b": 1, "c": 2 } }, "bundle": { "c": 2 }, "first": shift });
    assert_eq!(tree["spec"], expected);
}

/// A custom resource keeps empty values, and `null` where it is nullable; `1` and `1.0` are one number.
#[tokio::test]
async fn a_server_keeps_what_a_custom_resource_has() {
    let resources = random_v1::RESOURCES;
    let server = ApiServer::builder().serve(resources).start().await.unwrap();
    let client = Client::from_url(server.url()).unwrap();
    let kind = ResourceKind::of::<random_v1::Kind0>();
    let objects = client.dynamic(kind, Some("north"));
    let mut tree = json!({
        "metadata": { "name": "ann" }, "URLs3": null, "URLs4": null, "x0": [1, ""], "x2": 1,
        "URLs5": { "URLs1": "", "long_name3": null, "fooBar0": "" },
    });
    let object = DynamicObject::from_tree(tree.clone()).unwrap();
    let created = objects.create(&object).await.unwrap();
    let shown = created.tree();
    assert_eq!(shown["URLs3"], Value::Null);
    assert!(shown.as_object().unwrap().contains_key("URLs3"), "{shown}");
    assert!(!shown.as_object().unwrap().contains_key("URLs4"), "{shown}");
    assert_eq!(shown["x0"], json!([1, ""]));
    let empty = json!({ "URLs1": "", "long_name3": null, "fooBar0": "" });
    assert_eq!(shown["URLs5"], empty);

    tree["x0"] = json!([1.0, ""]);
    let object = DynamicObject::from_tree(tree).unwrap();
    let replaced = objects.replace(&object).await.unwrap();
    assert_eq!(replaced.metadata, created.metadata);
}
