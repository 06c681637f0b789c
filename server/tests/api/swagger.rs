//! `/openapi/v2`: the Swagger 2 document in JSON and in Protocol Buffers.

use crate::api::http::Response;
use crate::api::support::{Api, GROUP};
use crate::api::swagger_protobuf::{decode, messages};
use serde_json::{Map, Value, json};

const PATH: &str = "/openapi/v2";
const PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
/// The media type in the requests of `kubectl`.
const INVALID_PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

async fn get(api: &Api, headers: &[(&str, &str)]) -> Response {
    let mut request = api.request("GET", PATH);
    for (name, value) in headers {
        request = request.header(name, value);
    }
    request.send().await
}

async fn document(release: &str) -> Value {
    let api = Api::with(|builder| builder.kubernetes(release)).await;
    serde_json::from_str(&get(&api, &[]).await.text().await).unwrap()
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    let value = response.headers().get(name);
    value.map_or("", |value| value.to_str().unwrap())
}

#[tokio::test]
async fn the_first_acceptable_encoding_wins() {
    let api = Api::start().await;
    for (accept, expected) in [
        ("", "application/json"),
        ("*/*", "application/json"),
        ("application/json", "application/json"),
        ("application/*;q=0.1", "application/json"),
        (PROTOBUF, PROTOBUF),
        (INVALID_PROTOBUF, PROTOBUF),
        (&format!("application/json;q=0.5,{PROTOBUF}"), PROTOBUF),
    ] {
        let response = get(&api, &[("accept", accept)]).await;
        assert_eq!(header(&response, "content-type"), expected, "{accept}");
        assert_eq!(header(&response, "vary"), "Accept");
        assert_eq!(header(&response, "accept-ranges"), "bytes");
    }
    for accept in ["application/yaml", "text/html", "text/json"] {
        let response = get(&api, &[("accept", accept)]).await;
        assert_eq!(
            (response.code(), header(&response, "vary")),
            (406, "Accept")
        );
        assert_eq!(response.text().await, "");
    }
}

#[tokio::test]
async fn clients_cache_the_document_by_its_tag() {
    let api = Api::start().await;
    let json = get(&api, &[]).await;
    let tag = header(&json, "etag").to_owned();
    let protobuf = get(&api, &[("accept", PROTOBUF)]).await;
    assert_eq!(header(&protobuf, "etag"), tag);
    for known in [tag.as_str(), &format!("W/{tag}, \"other\""), "*"] {
        let same = get(&api, &[("accept", PROTOBUF), ("if-none-match", known)]).await;
        assert_eq!((same.code(), header(&same, "etag")), (304, tag.as_str()));
        assert_eq!(same.text().await, "");
    }
    let other = get(&api, &[("if-none-match", "\"other\"")]).await;
    assert_eq!(other.code(), 200);
    // Another release has another document.
    api.server.upgrade("1.27").await.unwrap();
    let other = get(&api, &[("if-none-match", &tag)]).await;
    assert_eq!(other.code(), 200);
}

#[tokio::test]
async fn the_document_is_compressed_for_clients_that_accept_it() {
    let api = Api::start().await;
    for accept in ["application/json", PROTOBUF] {
        let plain = get(&api, &[("accept", accept)]).await;
        assert_eq!(header(&plain, "content-encoding"), "");
        let plain = plain.bytes().await;
        let headers = [("accept", accept), ("accept-encoding", "gzip")];
        let packed = get(&api, &headers).await;
        assert_eq!(header(&packed, "content-encoding"), "gzip");
        let packed = packed.bytes().await;
        assert!(packed.starts_with(b"\x1f\x8b") && packed.len() < plain.len() / 2);
    }
}

#[tokio::test]
async fn the_document_is_the_one_of_the_release() {
    for (release, versions) in [
        ("1.25", ["v1beta2", "v1beta1"].as_slice()),
        ("1.27", &["v1beta3", "v1beta2"]),
        ("1.36", &["v1"]),
    ] {
        let document = document(release).await;
        assert_eq!(document["swagger"], "2.0");
        assert_eq!(
            document["paths"].as_object().unwrap().len(),
            11 * versions.len()
        );
        for version in versions {
            let name = format!("io.k8s.api.flowcontrol.{version}.FlowSchema");
            let kind = json!([{"group": GROUP, "kind": "FlowSchema", "version": version}]);
            let schema = &document["definitions"][&name];
            assert_eq!(schema["x-kubernetes-group-version-kind"], kind);
            let metadata = "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
            assert_eq!(schema["properties"]["metadata"]["$ref"], metadata);
            assert!(schema["properties"]["metadata"]["description"].is_string());
        }
        let limited = "LimitedPriorityLevelConfiguration";
        let limited = format!("io.k8s.api.flowcontrol.{}.{limited}", versions[0]);
        let lendable = &document["definitions"][limited]["properties"]["lendablePercent"];
        assert_eq!(lendable.is_object(), release != "1.25");
    }
}

#[tokio::test]
async fn operations_have_the_shape_of_swagger_2() {
    let document = document("1.27").await;
    let path = format!("/apis/{GROUP}/v1beta3/flowschemas/{{name}}");
    let patch = &document["paths"][path]["patch"];
    assert_eq!(
        patch["produces"],
        json!([
            "application/json",
            "application/vnd.kubernetes.protobuf",
            "application/yaml"
        ])
    );
    assert!(
        patch["consumes"]
            .as_array()
            .unwrap()
            .contains(&"application/apply-patch+yaml".into())
    );
    let parameters = patch["parameters"].as_array().unwrap();
    let named = |name: &str| parameters.iter().find(|it| it["name"] == name).unwrap();
    assert_eq!(named("body")["in"], "body");
    assert_eq!(
        named("body")["schema"]["$ref"],
        "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Patch"
    );
    assert_eq!(
        (&named("force")["in"], &named("force")["type"]),
        (&"query".into(), &"boolean".into())
    );
    let schema = &patch["responses"]["200"]["schema"]["$ref"];
    assert_eq!(
        schema,
        "#/definitions/io.k8s.api.flowcontrol.v1beta3.FlowSchema"
    );
    let text = document.to_string();
    for word in [
        "requestBody",
        "\"content\":{",
        "oneOf",
        "components",
        "\"default\":",
    ] {
        assert!(!text.contains(word), "{word}");
    }
}

#[tokio::test]
async fn every_reference_leads_somewhere() {
    fn check(value: &Value, document: &Value) {
        match value {
            Value::Object(fields) => {
                if let Some(reference) = fields.get("$ref") {
                    let pointer = reference.as_str().unwrap().trim_start_matches('#');
                    assert!(document.pointer(pointer).is_some(), "{reference}");
                }
                fields.values().for_each(|value| check(value, document));
            }
            Value::Array(elements) => elements.iter().for_each(|it| check(it, document)),
            _ => {}
        }
    }
    for release in ["1.25", "1.29", "1.37"] {
        let document = document(release).await;
        check(&document, &document);
    }
}

#[tokio::test]
async fn newer_releases_list_parameters_once() {
    let path = format!("/apis/{GROUP}/v1beta3/flowschemas/{{name}}");
    for (release, shares) in [("1.27", false), ("1.28", true)] {
        let document = document(release).await;
        assert_eq!(document["parameters"].is_object(), shares, "{release}");
        let operation = document["paths"][&path]["patch"]["parameters"].as_array();
        let operation = operation.unwrap();
        // Old releases of `kubectl` look for these in the operation.
        for kept in ["dryRun", "fieldValidation"] {
            assert!(operation.iter().any(|it| it["name"] == kept), "{kept}");
        }
        let is_manager = |it: &&Value| {
            let reference = it["$ref"].as_str().unwrap_or_default();
            reference.starts_with("#/parameters/fieldManager-")
        };
        assert_eq!(operation.iter().any(|it| is_manager(&it)), shares);
    }
}

#[tokio::test]
async fn both_encodings_have_the_same_content() {
    let messages = messages();
    for release in ["1.25", "1.27", "1.28", "1.31", "1.36"] {
        let api = Api::with(|builder| builder.kubernetes(release)).await;
        let json: Value = serde_json::from_str(&get(&api, &[]).await.text().await).unwrap();
        let protobuf = get(&api, &[("accept", INVALID_PROTOBUF)]).await;
        let decoded = decode(&messages, "Document", &protobuf.bytes().await);
        let [decoded, json] = [decoded, json].map(without_zeros);
        for (name, part) in json.as_object().unwrap() {
            assert_eq!(decoded[name], *part, "{release} {name}");
        }
        assert!(decoded == json, "{release}");
    }
}

/// The value without the fields that proto3 leaves out: zeros, `false` and empty texts.
fn without_zeros(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let is_zero = |it: &Value| *it == json!(0) || *it == json!(false) || *it == json!("");
            let fields = fields.into_iter().filter(|(_, value)| !is_zero(value));
            let fields = fields.map(|(name, value)| (name, without_zeros(value)));
            fields.collect::<Map<_, _>>().into()
        }
        Value::Array(elements) => elements.into_iter().map(without_zeros).collect(),
        value => value,
    }
}
