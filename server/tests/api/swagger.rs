//! `/openapi/v2`: the Swagger 2 document in JSON and in Protocol Buffers.

use crate::http::Response;
use crate::support::{Api, GROUP};
use k8s_flowcontrol_text::{parse_yaml, to_value};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

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

/// The messages of gnostic's `openapi.v2.Document`: number, name and type of each field. A message with the
/// name `.` stands for its only value, and a message with `*` is a map.
const MESSAGES: &str = "
Document: 1 swagger text, 2 info Info, 8 paths Paths, 9 definitions Schemas, 10 parameters Parameters
Document: 12 security Security[], 13 securityDefinitions Schemes, 16 * any
Info: 1 title text, 2 version text, 3 description text, 7 * any
Paths: 1 * any, 2 * Path
Path: 2 get Operation, 3 put Operation, 4 post Operation, 5 delete Operation, 8 patch Operation
Path: 9 parameters ParametersItem[], 10 * any
Operation: 1 tags text[], 2 summary text, 3 description text, 5 operationId text, 6 produces text[]
Operation: 7 consumes text[], 8 parameters ParametersItem[], 9 responses Responses, 10 schemes text[]
Operation: 11 deprecated switch, 13 * any
ParametersItem: 1 . Parameter, 2 . Reference
Parameters: 1 * Parameter
Parameter: 1 . Body, 2 . NonBody
NonBody: 3 . Query, 4 . InPath
Reference: 1 $ref text, 2 description text
Body: 1 description text, 2 name text, 3 in text, 4 required switch, 5 schema Schema, 6 * any
Query: 1 required switch, 2 in text, 3 description text, 4 name text, 6 type text, 7 format text
Query: 20 uniqueItems switch, 21 enum any[], 23 * any
InPath: 1 required switch, 2 in text, 3 description text, 4 name text, 5 type text, 6 format text
InPath: 19 uniqueItems switch, 20 enum any[], 22 * any
Responses: 1 * ResponseValue, 2 * any
ResponseValue: 1 . Response, 2 . Reference
Response: 1 description text, 2 schema SchemaItem, 5 * any
SchemaItem: 1 . Schema
Schemas: 1 * Schema
Schema: 1 $ref text, 2 format text, 3 title text, 4 description text, 7 maximum double, 9 minimum double
Schema: 11 maxLength number, 12 minLength number, 13 pattern text, 14 maxItems number, 15 minItems number
Schema: 16 uniqueItems switch, 19 required text[], 20 enum any[], 21 additionalProperties Additional
Schema: 22 type TypeItem, 23 items ItemsItem, 24 allOf Schema[], 25 properties Schemas, 31 * any
Additional: 1 . Schema, 2 . switch
TypeItem: 1 . text
ItemsItem: 1 . Schema
Security: 1 * Strings
Strings: 1 . text[]
Schemes: 1 * Scheme
Scheme: 2 . ApiKey
ApiKey: 1 type text, 2 name text, 3 in text, 4 description text, 5 * any
";

type Messages = BTreeMap<&'static str, BTreeMap<u64, (&'static str, &'static str)>>;

fn messages() -> Messages {
    let mut messages = Messages::new();
    for line in MESSAGES.lines().filter(|line| !line.is_empty()) {
        let (message, fields) = line.split_once(": ").unwrap();
        for field in fields.split(", ") {
            let [number, name, r#type] = field.split(' ').collect::<Vec<_>>()[..] else {
                panic!("{field}");
            };
            let fields = messages.entry(message).or_default();
            fields.insert(number.parse().unwrap(), (name, r#type));
        }
    }
    messages
}

/// A field of a message: an integer, eight bytes, or bytes with their length.
enum Wire<'a> {
    Number(u64),
    Double(f64),
    Bytes(&'a [u8]),
}

fn decode(messages: &Messages, message: &str, mut bytes: &[u8]) -> Value {
    let fields = &messages[message];
    let mut decoded = match fields.get(&1) {
        Some((".", r#type)) if r#type.ends_with("[]") => json!([]),
        _ => json!({}),
    };
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let (number, length) = (key >> 3, key & 7);
        let wire = match length {
            0 => Wire::Number(varint(&mut bytes)),
            1 => Wire::Double(f64::from_le_bytes(take(&mut bytes, 8).try_into().unwrap())),
            2 => {
                let length = varint(&mut bytes);
                Wire::Bytes(take(&mut bytes, length as usize))
            }
            other => panic!("{message} {number}: {other}"),
        };
        let Some((name, r#type)) = fields.get(&number) else {
            panic!("{message} has no field {number}");
        };
        let element = r#type.strip_suffix("[]");
        let r#type = element.unwrap_or(r#type);
        if *name == "*" {
            let Wire::Bytes(entry) = wire else {
                panic!("{message} {number}")
            };
            let (name, value) = entry_of(messages, r#type, entry);
            decoded[name] = value;
            continue;
        }
        let value = value(messages, r#type, &wire);
        let place = match *name {
            "." => &mut decoded,
            name => &mut decoded[name],
        };
        match element {
            Some(_) => match place {
                Value::Array(elements) => elements.push(value),
                place => *place = json!([value]),
            },
            None => *place = value,
        }
    }
    decoded
}

/// The name and the value of an entry of a map.
fn entry_of(messages: &Messages, r#type: &str, mut entry: &[u8]) -> (String, Value) {
    let (mut name, mut decoded) = (String::new(), Value::Null);
    while !entry.is_empty() {
        let key = varint(&mut entry);
        let length = varint(&mut entry);
        let bytes = take(&mut entry, length as usize);
        match key {
            0x0a => name = String::from_utf8(bytes.to_vec()).unwrap(),
            0x12 => decoded = value(messages, r#type, &Wire::Bytes(bytes)),
            other => panic!("{other}"),
        }
    }
    (name, decoded)
}

fn value(messages: &Messages, r#type: &str, wire: &Wire<'_>) -> Value {
    match (r#type, wire) {
        ("text", Wire::Bytes(text)) => std::str::from_utf8(text).unwrap().into(),
        ("switch", Wire::Number(number)) => (*number == 1).into(),
        ("number", Wire::Number(number)) => (*number).into(),
        // JSON has the same number as an integer.
        ("double", Wire::Double(number)) if number.fract() == 0.0 => (*number as i64).into(),
        ("double", Wire::Double(number)) => (*number).into(),
        ("any", Wire::Bytes(any)) => {
            let mut any = *any;
            assert_eq!(varint(&mut any), 0x12);
            let length = varint(&mut any);
            assert_eq!(any.len() as u64, length);
            to_value(parse_yaml(any).unwrap().tree.root()).unwrap()
        }
        (message, Wire::Bytes(bytes)) => decode(messages, message, bytes),
        _ => panic!("{}", r#type),
    }
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> &'a [u8] {
    let (taken, rest) = bytes.split_at(length);
    *bytes = rest;
    taken
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = take(bytes, 1)[0];
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    value
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
