//! Bodies that do not match their request.

use crate::api::support::{Answer, Api, GROUP, SCHEMAS, answer, schema};
use serde_json::{Value, json};

/// Sends a text, and returns the code and message of the error.
async fn error_of(
    api: &Api,
    (method, path): (&str, &str),
    media_type: &str,
    body: &str,
) -> (u16, String) {
    let request = api
        .request(method, &format!("/apis/{GROUP}/{path}"))
        .header("content-type", media_type)
        .body(body.to_owned());
    let Answer { code, body, .. } = answer(request).await;
    assert_eq!(body["kind"], "Status", "{body}");
    (code, body["message"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn a_body_must_be_of_the_kind_version_and_name_of_its_request() {
    let api = Api::with(|builder| builder.kubernetes("1.29")).await;
    api.send("POST", SCHEMAS, Some(schema("a"))).await;
    let other = |field: &str, value: Value| {
        let mut object = schema("a");
        object[field] = value;
        object.to_string()
    };
    let create = ("POST", SCHEMAS);
    let replace = ("PUT", "v1/flowschemas/a");
    for (request, body, message) in [
        (
            create,
            other("kind", json!("PriorityLevelConfiguration")),
            "PriorityLevelConfiguration in version \"v1\" cannot be handled as a FlowSchema: converting \
             (v1.PriorityLevelConfiguration) to (flowcontrol.FlowSchema): unknown conversion",
        ),
        (
            create,
            other("apiVersion", json!(format!("{GROUP}/v1beta3"))),
            "the API version in the data (flowcontrol.apiserver.k8s.io/v1beta3) does not match the \
             expected API version (flowcontrol.apiserver.k8s.io/v1)",
        ),
        (
            replace,
            other("metadata", json!({"name": "b"})),
            "the name of the object (b) does not match the name on the URL (a)",
        ),
        (
            replace,
            other("metadata", json!({})),
            "the name of the object (a based on URL) was undeterminable: name must be provided",
        ),
        (
            create,
            "{\"apiVersion\": \"x\", ".to_owned(),
            "the object provided is unrecognized (must be of type FlowSchema): couldn't get version/kind; \
             json parse error: unexpected end of JSON input ({\"apiVersion\": \"x\", )",
        ),
    ] {
        let error = error_of(&api, request, "application/json", &body).await;
        assert_eq!(error, (400, message.to_owned()));
    }
}

#[tokio::test]
async fn a_body_must_be_json_or_yaml() {
    let api = Api::start().await;
    let text = schema("a").to_string();
    for media_type in ["text/plain", "application/merge-patch+json"] {
        let (code, message) = error_of(&api, ("POST", SCHEMAS), media_type, &text).await;
        assert_eq!(code, 415);
        assert!(
            message.starts_with("the body of the request was in an unknown format"),
            "{message}"
        );
    }
}

#[tokio::test]
async fn duplicate_fields_are_reported_in_json_and_yaml() {
    let api = Api::start().await;
    let strict = format!("{SCHEMAS}?fieldValidation=Strict");
    let text = schema("a").to_string();
    let twice = text.replacen('{', "{\"metadata\":{\"name\":\"b\"},", 1);
    let error = error_of(&api, ("POST", &strict), "application/json", &twice).await;
    let problem =
        "FlowSchema in version \"v1\" cannot be handled as a FlowSchema: strict decoding error: ";
    assert_eq!(
        error,
        (400, format!("{problem}duplicate field \"metadata\""))
    );
    let twice = "metadata:\n  name: a\n  name: b\nzzz: 1\n";
    let error = error_of(&api, ("POST", &strict), "application/yaml", twice).await;
    assert_eq!(
        error,
        (
            400,
            format!(
                "{problem}yaml: unmarshal errors:\n  line 3: key \"name\" already set in map, \
                 unknown field \"zzz\""
            )
        )
    );
    assert_eq!(api.get("v1/flowschemas/a").await.code, 404);
}

/// Warnings are sent once, and cut if they are long together.
#[tokio::test]
async fn long_warnings_are_cut() {
    let api = Api::start().await;
    let path = format!("{SCHEMAS}?dryRun=All");
    let warnings = async |fields: &[String]| -> Vec<String> {
        let mut object = schema("a");
        for field in fields {
            object["spec"][field] = 1.into();
        }
        api.send("POST", &path, Some(object)).await.warnings
    };
    let message = |field: &str| format!("unknown field \"spec.{field}\"");
    let header = |text: &str| format!("299 - \"{}\"", text.replace('"', "\\\""));
    let fields: Vec<_> = (0..60).map(|n| format!("{n:0100}")).collect();
    let sent = 4096 / message(&fields[0]).len() + 1;
    let expected: Vec<_> = fields[..sent]
        .iter()
        .map(|field| header(&message(field)))
        .collect();
    assert_eq!(warnings(&fields).await, expected);
    let long = "x".repeat(5000);
    let cut = &message(&long)[..256];
    assert_eq!(
        warnings(&[long.clone(), "y".into()]).await,
        [header(cut), header(&message("y"))]
    );
    let control = ["a\tb".to_owned(), "c".to_owned()];
    let quoted = "unknown field \"spec.a\\tb\"".replace('\\', "\\\\");
    assert_eq!(
        warnings(&control).await,
        [header(&quoted), header(&message("c"))]
    );
}
