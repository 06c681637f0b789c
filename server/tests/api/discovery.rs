//! Discovery, OpenAPI and health.

use crate::api::http::Response;
use crate::api::support::{Api, GROUP};
use serde_json::{Value, json};

const V2: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const V2BETA1: &str = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";

async fn api(release: &str) -> Api {
    Api::with(|builder| builder.kubernetes(release)).await
}

async fn get(api: &Api, path: &str, headers: &[(&str, &str)]) -> Response {
    let mut request = api.request("GET", path);
    for (name, value) in headers {
        request = request.header(name, value);
    }
    request.send().await
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    let value = response.headers().get(name);
    value.map_or("", |value| value.to_str().unwrap())
}

async fn json_of(response: Response) -> Value {
    serde_json::from_str(&response.text().await).unwrap()
}

#[tokio::test]
async fn aggregated_discovery_depends_on_the_release() {
    let both = format!("{V2},{V2BETA1},application/json");
    for (release, expected) in [
        ("1.25", None),
        ("1.26", None),
        ("1.27", Some("v2beta1")),
        ("1.29", Some("v2beta1")),
        ("1.30", Some("v2")),
        ("1.36", Some("v2")),
    ] {
        let api = api(release).await;
        for path in ["/apis", "/api"] {
            let response = get(&api, path, &[("accept", &both)]).await;
            assert_eq!(response.code(), 200);
            let content_type = header(&response, "content-type").to_owned();
            let caching = header(&response, "cache-control").to_owned();
            let body = json_of(response).await;
            let Some(version) = expected else {
                assert_eq!(content_type, "application/json", "{release}");
                assert_ne!(body["kind"], "APIGroupDiscoveryList", "{release}");
                continue;
            };
            let exact = format!(
                "application/json;g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList"
            );
            assert_eq!(
                (content_type, caching.as_str()),
                (exact, "public"),
                "{release}"
            );
            let api_version = format!("apidiscovery.k8s.io/{version}");
            assert_eq!(body["apiVersion"], api_version, "{release}");
        }
    }
}

#[tokio::test]
async fn aggregated_discovery_has_every_resource_once() {
    let api = api("1.29").await;
    let body = json_of(get(&api, "/apis", &[("accept", V2BETA1)]).await).await;
    let group = &body["items"][0];
    assert_eq!(
        group["metadata"],
        json!({"name": GROUP, "creationTimestamp": null})
    );
    let versions = [&group["versions"][0], &group["versions"][1]].map(|v| &v["version"]);
    assert_eq!(versions, ["v1", "v1beta3"]);
    let schema = &group["versions"][0]["resources"][0];
    assert_eq!(
        schema,
        &json!({
            "resource": "flowschemas",
            "responseKind": {"group": "", "version": "", "kind": "FlowSchema"},
            "scope": "Cluster",
            "singularResource": "flowschema",
            "verbs": ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
            "subresources": [{
                "subresource": "status",
                "responseKind": {"group": "", "version": "", "kind": "FlowSchema"},
                "verbs": ["get", "patch", "update"],
            }],
        })
    );
}

#[tokio::test]
async fn the_core_group_without_kinds_has_a_version_where_clients_expect_no_resources() {
    let api = api("1.31").await;
    let body = json_of(get(&api, "/api", &[("accept", V2)]).await).await;
    let versions = json!([{"version": "v1", "resources": [], "freshness": "Current"}]);
    assert_eq!(body["items"][0]["metadata"]["name"], "");
    assert_eq!(body["items"][0]["versions"], versions);
    let body = json_of(get(&api, "/api", &[]).await).await;
    assert_eq!(body["versions"], json!([]));
}

#[tokio::test]
async fn aggregated_discovery_is_cached_by_its_etag() {
    let api = api("1.36").await;
    let first = get(&api, "/apis", &[("accept", V2)]).await;
    let tag = header(&first, "etag").to_owned();
    assert_eq!(header(&first, "vary"), "Accept");
    let again = get(&api, "/apis", &[("accept", V2), ("if-none-match", &tag)]).await;
    assert_eq!((again.code(), header(&again, "etag")), (304, tag.as_str()));
    assert_eq!(again.text().await, "");
    let other = get(&api, "/apis", &[("accept", V2), ("if-none-match", "\"X\"")]).await;
    assert_eq!(other.code(), 200);
}

#[tokio::test]
async fn an_unknown_form_of_discovery_is_not_acceptable() {
    let api = api("1.29").await;
    assert_eq!(get(&api, "/apis", &[("accept", V2)]).await.code(), 406);
    // Other documents are never aggregated.
    let path = format!("/apis/{GROUP}");
    assert_eq!(get(&api, &path, &[("accept", V2BETA1)]).await.code(), 406);
    // The beta was removed.
    for (release, code) in [("1.32", 200), ("1.33", 406)] {
        let response = get(&self::api(release).await, "/apis", &[("accept", V2BETA1)]).await;
        assert_eq!(response.code(), code, "{release}");
    }
}

#[tokio::test]
async fn documents_have_the_methods_of_their_handlers() {
    let api = api("1.36").await;
    let [group, version] = [format!("/apis/{GROUP}"), format!("/apis/{GROUP}/v1")];
    for (method, path, code) in [
        ("POST", "/apis", 200),
        ("HEAD", "/apis", 200),
        ("DELETE", &group, 200),
        ("POST", &version, 405),
        ("HEAD", &version, 405),
        ("OPTIONS", "/version", 405),
        ("PUT", "/api", 405),
    ] {
        let response = api.request(method, path).send().await;
        assert_eq!(response.code(), code, "{method} {path}");
    }
    let refused = api.request("POST", "/version").send().await;
    assert_eq!(json_of(refused).await["reason"], "MethodNotAllowed");
}

#[tokio::test]
async fn a_final_slash_belongs_to_apis() {
    let api = api("1.36").await;
    let [group, list] = ["", "/v1/flowschemas"].map(|rest| format!("/apis/{GROUP}{rest}/"));
    for path in ["/", "/version/", "/api/", "/apis/", &group, &list] {
        assert_eq!(get(&api, path, &[]).await.code(), 200, "{path}");
    }
    let document = format!("/openapi/v3/apis/{GROUP}/v1/");
    for path in [
        "/healthz/",
        "/livez/ping/",
        "/metrics/",
        "/openapi/v2/",
        "/openapi/v3/",
        &document,
    ] {
        assert_eq!(get(&api, path, &[]).await.code(), 404, "{path}");
    }
    // A real server always has a core group, whose unknown resources are a `Status`.
    let unknown = json_of(get(&api, "/api/v1/pods", &[]).await).await;
    assert_eq!(unknown["reason"], "NotFound");
}

#[tokio::test]
async fn the_version_names_the_emulated_release_since_1_33() {
    for (release, fields) in [
        ("1.32", r#""major": "1", "minor": "32", "gitVersion""#),
        (
            "1.33",
            r#""major": "1", "minor": "33", "emulationMajor": "1", "emulationMinor": "33",
            "minCompatibilityMajor": "1", "minCompatibilityMinor": "32", "gitVersion""#,
        ),
    ] {
        let text = get(&api(release).await, "/version", &[]).await.text().await;
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            words(&text).starts_with(&words(&format!("{{ {fields}"))),
            "{text}"
        );
    }
}

#[tokio::test]
async fn documents_have_their_content_type() {
    let api = api("1.36").await;
    let yaml = [("accept", "application/yaml")];
    let version = get(&api, "/version", &yaml).await;
    assert_eq!(version.code(), 406);
    assert!(
        version
            .text()
            .await
            .contains("Available representations: application/json\n")
    );
    let paths = get(&api, "/", &[("accept", "text/html")]).await;
    assert_eq!(header(&paths, "content-type"), "application/json");
    let metrics = get(&api, "/metrics", &[]).await;
    let content_type = header(&metrics, "content-type");
    assert_eq!(content_type, "text/plain; version=0.0.4; charset=utf-8");
    // The router does not know this type, while the handler of a group does not have a router.
    for (path, code) in [
        (format!("/apis/{GROUP}/v1"), 406),
        (format!("/apis/{GROUP}"), 200),
    ] {
        let response = get(&api, &path, &[("accept", "application/*")]).await;
        assert_eq!(response.code(), code, "{path}");
    }
}

#[tokio::test]
async fn the_paths_have_two_addresses() {
    let api = api("1.36").await;
    let paths = json_of(get(&api, "/", &[]).await).await;
    assert!(paths["paths"].is_array());
    assert_eq!(json_of(get(&api, "/index.html", &[]).await).await, paths);
}

#[tokio::test]
async fn the_index_leads_to_the_documents() {
    let api = api("1.28").await;
    let response = get(&api, "/openapi/v3", &[]).await;
    assert_eq!(
        header(&response, "content-type"),
        "text/plain; charset=utf-8"
    );
    assert_eq!(header(&response, "accept-ranges"), "bytes");
    assert!(header(&response, "last-modified").ends_with(" GMT"));
    let index = json_of(response).await;
    let paths = index["paths"].as_object().unwrap();
    let expected = ["v1beta2", "v1beta3"].map(|version| format!("apis/{GROUP}/{version}"));
    assert!(paths.keys().eq(&expected), "{paths:?}");
    for (path, entry) in paths {
        let url = entry["serverRelativeURL"].as_str().unwrap();
        assert!(url.starts_with(&format!("/openapi/v3/{path}?hash=")));
        let response = get(&api, url, &[]).await;
        assert_eq!(header(&response, "content-type"), "application/json");
        assert_eq!(header(&response, "cache-control"), "public, immutable");
        assert!(header(&response, "expires").ends_with(" UTC"));
        let hash = url.split_once("hash=").unwrap().1;
        assert_eq!(header(&response, "etag"), format!("{hash:?}"));
        let document = json_of(response).await;
        assert_eq!(document["openapi"], "3.0.0");
        assert!(document["paths"][format!("/{path}/flowschemas")].is_object());
    }
}

#[tokio::test]
async fn documents_support_hashes_and_etags() {
    let api = api("1.29").await;
    let path = format!("/openapi/v3/apis/{GROUP}/v1");
    let plain = get(&api, &path, &[]).await;
    assert_eq!((plain.code(), header(&plain, "vary")), (200, "Accept"));
    assert_eq!(header(&plain, "cache-control"), "no-cache, private");
    assert!(header(&plain, "last-modified").ends_with(" GMT"));
    let tag = header(&plain, "etag").to_owned();

    let same = get(
        &api,
        &path,
        &[("if-none-match", &format!("W/{tag}, \"x\""))],
    )
    .await;
    assert_eq!((same.code(), same.text().await.as_str()), (304, ""));

    let old = get(&api, &format!("{path}?hash=OLD"), &[]).await;
    assert_eq!(old.code(), 301);
    let hash = tag.trim_matches('"');
    assert_eq!(header(&old, "location"), format!("{path}?hash={hash}"));
    assert_eq!(header(&old, "content-type"), "application/json");
    assert_eq!(old.text().await, "");

    for (accept, code) in [
        ("application/json;q=0.8", 200),
        ("*/*", 200),
        ("text/html", 406),
        (
            "application/com.github.proto-openapi.spec.v3@v1.0+protobuf",
            406,
        ),
    ] {
        let response = get(&api, &path, &[("accept", accept)]).await;
        assert_eq!(response.code(), code, "{accept}");
    }
    let unserved = format!("/openapi/v3/apis/{GROUP}/v1beta2");
    for missing in [
        unserved.as_str(),
        "/openapi/v3/apis/apps/v1",
        "/openapi/v3/x/y",
    ] {
        let response = get(&api, missing, &[]).await;
        assert_eq!((response.code(), response.text().await.as_str()), (404, ""));
    }
}

#[tokio::test]
async fn resources_have_a_singular_name_since_1_27() {
    for (release, version, singular) in [("1.25", "v1beta2", ""), ("1.27", "v1beta3", "flowschema")]
    {
        let api = api(release).await;
        let list = api.get(version).await.body;
        assert_eq!(list["resources"][0]["singularName"], singular, "{release}");
        assert_eq!(list["resources"][1]["singularName"], "", "{release}");
    }
}

#[tokio::test]
async fn health_checks_have_parts() {
    let api = api("1.28").await;
    let text = |path: &'static str| {
        let response = get(&api, path, &[]);
        async move {
            let response = response.await;
            (response.code(), response.text().await)
        }
    };
    assert_eq!(text("/readyz").await, (200, "ok".to_owned()));
    // The presence of the parameter counts, not its value.
    let (_, report) = text("/livez?verbose=false").await;
    assert!(
        report.starts_with("[+]ping ok\n[+]log ok\n[+]etcd ok\n"),
        "{report}"
    );
    assert!(report.ends_with(" ok\nlivez check passed\n"), "{report}");
    let (code, report) =
        text("/readyz?verbose&exclude=nope&exclude=etcd&exclude=absent&exclude=nope").await;
    assert_eq!(code, 200);
    assert!(report.contains("[+]etcd excluded: ok\n"), "{report}");
    let warning =
        "warn: some health checks cannot be excluded: no matches for \"absent\",\"nope\"\n";
    assert!(report.contains(warning), "{report}");
    assert_eq!(
        text("/livez/poststarthook/rbac/bootstrap-roles").await.0,
        200
    );
    assert_eq!(text("/livez/shutdown").await.0, 404);
    assert_eq!(text("/healthz/nope").await.0, 404);

    let (_, root) = text("/").await;
    let root: Value = serde_json::from_str(&root).unwrap();
    let paths = root["paths"].as_array().unwrap();
    for path in ["/readyz/shutdown", "/openapi/v3", "/apis"] {
        assert!(paths.contains(&path.into()), "{path}");
    }
}
