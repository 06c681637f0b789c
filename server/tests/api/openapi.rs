//! `/openapi/v3`: the documents equal the documents of real servers, except for descriptions and the patch in `info`.

use crate::api::support::{Api, GROUP};
use k8s_flowcontrol_types::{ApiVersion, Release};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// SHA-256 of the documents that real servers published: without titles and descriptions, and without the version in `info`; the
/// fields sorted by name.
const RECORDED: [(&str, &str, &str); 11] = [
    (
        "v1",
        "1.29",
        "9ffb623c838b74b891f136f6048ee50c3bb27f231356802f4e3908c9a22543a8",
    ),
    (
        "v1",
        "1.31",
        "0480ff32a52e941996b0e4eac96fb7eac13395d2ad23166667d8add0721968c1",
    ),
    (
        "v1",
        "1.36",
        "01d8cbe722dace4632b04b2c72835634e8343c645c94a9c7a91b5a416bb25ed6",
    ),
    (
        "v1beta1",
        "1.25",
        "576fa1c5ebc5dcf444ffc46fd65f82dd5b87638e46748c2235a7e01e18fd5628",
    ),
    (
        "v1beta2",
        "1.25",
        "f8edf76e8fefcf2aef6d9bfad52826858468742e3598d3262c6075d32eebf499",
    ),
    (
        "v1beta2",
        "1.27",
        "96017a531961db428c3a2eb5c1e540f43d7e836982ba434116ec62729802e04e",
    ),
    (
        "v1beta2",
        "1.28",
        "9f0cb1635051398d871f42055cc6cf3e9b585253dc85803a66136aee3bc53190",
    ),
    (
        "v1beta3",
        "1.27",
        "d9971c24b05e9d239aac451927ff6c18983a9029be52af77d9c2ee5647f508e4",
    ),
    (
        "v1beta3",
        "1.28",
        "e3cd4bf76d0b5a12ee98ceb2a42111404949e6d712a9e11ea156e98140d41eda",
    ),
    (
        "v1beta3",
        "1.29",
        "6563c7d0cadabdc6703c5d50c828b361e3c38dfc4f7db32c8279ede0ece2d415",
    ),
    (
        "v1beta3",
        "1.31",
        "509d385319d63ca765aca83c6573dcde09ea1a4a72fba88a05b1f0961e8256f4",
    ),
];

#[tokio::test]
async fn documents_equal_the_recorded_ones() {
    for (version, release, recorded) in RECORDED {
        let api = Api::with(|builder| builder.kubernetes(release)).await;
        let mut document = document(&api, version).await;
        document["info"]["version"] = Value::Null;
        let mut canonical = String::new();
        write_canonical(&document, &mut canonical);
        let hash = Sha256::digest(canonical.as_bytes());
        let hash = hash.iter().fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").unwrap();
            text
        });
        assert_eq!(hash, recorded, "{version} of {release}");
    }
}

fn write_canonical(value: &Value, text: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| *name);
            text.push('{');
            for (name, value) in fields {
                if ["description", "title"].contains(&name.as_str()) && value.is_string() {
                    continue;
                }
                write!(text, "{name:?}:").unwrap();
                write_canonical(value, text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(elements) => {
            text.push('[');
            for element in elements {
                write_canonical(element, text);
                text.push(',');
            }
            text.push(']');
        }
        scalar => write!(text, "{scalar}").unwrap(),
    }
}

async fn document(api: &Api, version: &str) -> Value {
    let path = format!("/openapi/v3/apis/{GROUP}/{version}");
    let text = api.request("GET", &path).send().await.text().await;
    serde_json::from_str(&text).unwrap()
}

#[tokio::test]
async fn every_reference_leads_to_a_schema_of_the_document() {
    fn check(value: &Value, document: &Value) {
        match value {
            Value::Object(fields) => {
                if let Some(reference) = fields.get("$ref") {
                    let pointer = reference.as_str().unwrap().trim_start_matches('#');
                    assert!(
                        document.pointer(pointer).is_some_and(Value::is_object),
                        "{reference}"
                    );
                }
                fields.values().for_each(|value| check(value, document));
            }
            Value::Array(elements) => elements.iter().for_each(|it| check(it, document)),
            _ => {}
        }
    }
    // The oldest, the newest and some between in a quick run.
    let each = match std::env::var_os("FLOWCONTROL_TEST_ALL") {
        Some(_) => 1,
        None => 4,
    };
    for release in Release::all().step_by(each) {
        let api = Api::with(|builder| builder.release(release).all_versions()).await;
        for version in ApiVersion::ALL {
            let document = document(&api, version.as_str()).await;
            assert_eq!(
                document["paths"].as_object().unwrap().len(),
                11,
                "{version} {release}"
            );
            let schemas = document["components"]["schemas"].as_object().unwrap();
            assert!(
                schemas.values().all(Value::is_object),
                "{version} {release}"
            );
            check(&document, &document);
        }
    }
}

#[tokio::test]
async fn a_release_publishes_what_it_has() {
    let flow = |rest: &str| format!("/components/schemas/io.k8s.api.flowcontrol.{rest}");
    let list = format!("/paths/~1apis~1{GROUP}~1v1~1flowschemas/get/parameters");
    let finalizers =
        "/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta/properties/finalizers";
    let required = |owner: &str| flow(&format!("v1.{owner}/required"));
    for (version, pointer, text, first) in [
        (
            "v1beta2",
            flow("v1beta2.LimitedPriorityLevelConfiguration/properties"),
            "lendablePercent",
            26,
        ),
        (
            "v1beta2",
            flow("v1beta2.PriorityLevelConfigurationSpec/properties"),
            "\"exempt\":{",
            28,
        ),
        (
            "v1beta2",
            "/components/schemas".to_owned(),
            "v1beta2.ExemptPriorityLevelConfiguration\":",
            28,
        ),
        (
            "v1",
            finalizers.to_owned(),
            "\"x-kubernetes-list-type\":\"set\"",
            30,
        ),
        ("v1", list, "shardSelector", 36),
        ("v1", required("FlowSchema"), "[\"spec\"]", 37),
        ("v1", required("FlowSchemaCondition"), "[\"type\"]", 37),
        (
            "v1",
            required("LimitedPriorityLevelConfiguration"),
            "[\"limitResponse\"]",
            37,
        ),
        (
            "v1",
            required("PriorityLevelConfiguration"),
            "[\"spec\"]",
            37,
        ),
        (
            "v1",
            required("PriorityLevelConfigurationCondition"),
            "[\"type\"]",
            37,
        ),
    ] {
        for minor in [first - 1, first] {
            let release = Release::new(minor).unwrap();
            let api = Api::with(|builder| builder.release(release).all_versions()).await;
            let document = document(&api, version).await;
            let found = document.pointer(&pointer).map(Value::to_string);
            let has = found.is_some_and(|found| found.contains(text));
            assert_eq!(
                has,
                minor == first,
                "{version} {pointer} {text} of 1.{minor}"
            );
        }
    }
}
