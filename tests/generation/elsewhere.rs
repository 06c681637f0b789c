//! The generator's output for another API group, in another crate than its runtime.
//!
//! `tests/generated` holds an invented group's document and what is generated from it: compiled here
//! with every warning an error, compared as text, and put to use.
//! `UPDATE_GOLDEN=1 cargo test --test workspace elsewhere` rewrites it.

#[path = "../generated/mod.rs"]
mod generated;

use generated::chemistry_v1::Pigment;
use generated::paints_v1::{Coat, CoatList, CoatSpec, Finish, Palette, RESOURCES, Scratch};
use k8s_flowcontrol::schema::{ListKind, PatchStrategy, Shape};
use k8s_flowcontrol::{Client, Resource, always_send, ownership};
use k8s_flowcontrol_codegen::Generator;
use k8s_flowcontrol_server::ApiServer;
use serde_json::{Value, json};
use std::error::Error;
use std::path::Path;

#[test]
fn the_checked_in_modules_are_what_is_generated() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/generated");
    let generated = Generator::new()
        .file(&folder.join("paints.json"))
        .and_then(|generator| generator.generate())
        .unwrap();
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

#[test]
fn kinds_know_where_they_are_served() {
    assert_eq!(
        (Coat::GROUP, Coat::VERSION, Coat::KIND),
        ("paints.example.com", "v1", "Coat")
    );
    assert_eq!((Coat::PLURAL, Coat::NAMESPACED), ("coats", true));
    assert_eq!((Palette::PLURAL, Palette::NAMESPACED), ("palettes", false));
    assert_eq!(Coat::schema().subresources, ["status", "scratch"]);
    assert_eq!(RESOURCES.len(), 2);
}

#[test]
fn objects_come_back_as_they_went() {
    let text = json!({
        "apiVersion": "paints.example.com/v1",
        "kind": "Coat",
        "metadata": { "name": "hall", "labels": { "floor": "1" }, "new": 1 },
        "spec": {
            "finish": "Velvet",
            "layers": 0,
            "thickness": 0.25,
            "tags": ["a"],
            "under": { "finish": "", "layers": 1, "under": { "finish": "*", "layers": 2 } },
            "pigments": [{ "name": "ochre", "toxic": false, "new": null }],
            "byRoom": { "hall": ["red", "white"] },
            "dryUntil": "2026-11-21T06:23:00Z",
            "amount": 2.50,
            "window": "north",
            "recipe": { "stir": [1, 2, { "deep": true }] },
            "dataSheetURLs": ["https://example.com"],
            "type": "wall paint",
            "unknown": "known",
            "notYet": { "invented": [] }
        },
        "status": { "dry": true, "observedGeneration": 9007199254740993_i64 }
    });
    let coat: Coat = serde_json::from_str(&text.to_string()).unwrap();
    assert_eq!(coat.spec.finish.as_str(), "Velvet");
    assert_eq!(coat.spec.layers, 0);
    assert_eq!(coat.spec.under.as_ref().unwrap().finish, Finish::Empty);
    assert_eq!(coat.spec.unknown.len(), 1);
    assert_eq!(coat.spec.unknown_.as_deref(), Some("known"));
    assert_eq!(coat.spec.pigments[0].unknown.len(), 1);
    assert_eq!(coat.spec.data_sheet_urls, ["https://example.com"]);
    let written: Value = serde_json::from_str(&serde_json::to_string(&coat).unwrap()).unwrap();
    assert_eq!(written, text);
}

#[test]
fn lists_and_subresources_have_types() {
    let text = r#"{"apiVersion":"paints.example.com/v1","kind":"CoatList","metadata":{},"items":[{"metadata":{"name":"a"},"spec":{"finish":"Matte","layers":1,"tags":[]}}]}"#;
    let list: CoatList = serde_json::from_str(text).unwrap();
    assert_eq!(list.items[0].spec.finish, Finish::Matte);
    let scratch: Scratch = serde_json::from_str(r#"{"depth":3}"#).unwrap();
    let written: Value = serde_json::from_str(&serde_json::to_string(&scratch).unwrap()).unwrap();
    let expected = json!({ "apiVersion": "paints.example.com/v1", "kind": "Scratch", "depth": 3 });
    assert_eq!(written, expected);
    let wrong = serde_json::from_str::<Coat>(r#"{"kind":"Palette"}"#);
    assert!(
        wrong
            .unwrap_err()
            .to_string()
            .contains("expected kind `Coat`, found `Palette`")
    );
}

#[test]
fn literals_are_short() {
    let spec = CoatSpec {
        finish: Finish::UnknownFinish,
        pigments: vec![Pigment {
            name: "ochre".into(),
            ..Pigment::default()
        }],
        ..CoatSpec::default()
    };
    assert_eq!(spec.finish.as_str(), "Unknown");
    assert_eq!(Finish::from("Unknown"), Finish::UnknownFinish);
}

#[test]
fn the_runtime_schema_leads_everywhere() {
    let Some(Shape::Object(spec)) = Coat::schema()
        .schema
        .field("spec")
        .map(|field| &field.shape)
    else {
        unreachable!("a spec is an object");
    };
    let pigments = spec.field("pigments").unwrap();
    assert_eq!(pigments.patch_strategy, Some(PatchStrategy::Merge));
    assert_eq!(pigments.patch_merge_key, Some("name"));
    let Shape::List {
        element: Shape::Object(pigment),
        kind,
    } = &pigments.shape
    else {
        unreachable!("pigments are a list of objects");
    };
    assert_eq!(*kind, ListKind::Map(&["name"]));
    assert_eq!(pigment.name, "Pigment");
    // A coat below a coat: the same schema again.
    let Some(Shape::Object(under)) = spec.field("under").map(|field| &field.shape) else {
        unreachable!("a coat below is an object");
    };
    assert!(std::ptr::eq(*under, *spec));
}

#[tokio::test]
async fn an_apply_owns_zero_and_empty_values_that_it_sends() -> Result<(), Box<dyn Error>> {
    let server = ApiServer::builder().serve(RESOURCES).start().await?;
    let coats = Client::from_url(server.url())?.namespaced_api::<Coat>("hall");
    let mut coat = Coat::partial("wall");
    coat.spec.under = Some(Box::default());
    // Nothing of it is sent, but that there is a coat below.
    let applied = coats.apply(&coat).field_manager("painter").await?;
    let tree = k8s_flowcontrol::json::to_value(&applied)?;
    assert_eq!(tree["spec"], json!({ "under": {} }));

    always_send!(coat.spec, layers);
    coat.spec.finish = "Matte".into();
    if let Some(under) = &mut coat.spec.under {
        always_send!(**under, layers);
    }
    let sent = json!({ "finish": "Matte", "layers": 0, "under": { "layers": 0 } });
    let applied = coats.apply(&coat).field_manager("painter").await?;
    let tree = k8s_flowcontrol::json::to_value(&applied)?;
    assert_eq!(tree["spec"], sent);
    let fields = applied.metadata.managed_fields.entries()?[0]
        .fields_v1
        .clone();
    let fields: Value = fields.unwrap_or_default().to()?;
    let owned = json!({ "f:finish": {}, "f:layers": {}, "f:under": { "f:layers": {} } });
    assert_eq!(fields["f:spec"], owned);

    // Extracting and applying again does not give up a field.
    let Some(extracted) = ownership::extract(&applied, "painter")? else {
        unreachable!("the painter applied");
    };
    assert_eq!(extracted.spec, coat.spec);
    let again = coats.apply(&extracted).field_manager("painter").await?;
    assert_eq!(again, applied);
    Ok(())
}
