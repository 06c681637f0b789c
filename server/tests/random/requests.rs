//! Requests that are plausible enough to reach the handlers.

use crate::random::bodies;
use crate::random::generator::Generator;
use crate::random::wire::Request;

const GROUP: &str = "/apis/flowcontrol.apiserver.k8s.io";
const OF_ITEMS: &[&str] = &["GET", "PUT", "PUT", "PATCH", "PATCH", "PATCH", "DELETE"];
const OF_COLLECTIONS: &[&str] = &["GET", "GET", "POST", "POST", "POST", "POST", "DELETE"];
const ODD_METHODS: &[&str] = &["HEAD", "OPTIONS", "TRACE", "FOO", "POST", "PUT", "PATCH"];
const VERSIONS: &[&str] = &["v1", "v1beta3", "v1beta2", "v1beta1"];
const ODD_VERSIONS: &[&str] = &["v9", ""];
const RESOURCES: &[&str] = &["flowschemas", "prioritylevelconfigurations"];
pub(crate) const NAMES: &[&str] = &[
    "a",
    "b",
    "c",
    "exempt",
    "catch-all",
    "global-default",
    "missing",
];
const ODD_PATHS: &[&str] = &[
    "/",
    "/api",
    "/apis",
    "/version",
    "/openapi/v2",
    "/openapi/v3",
    "/healthz?verbose",
    "/readyz/etcd",
    "//",
    "/%",
    "/apis/flowcontrol.apiserver.k8s.io",
    "/debug/api_priority_and_fairness/dump_requests",
    "/debug/api_priority_and_fairness/dump_queues",
    "/metrics",
    "/%ff%00",
    "*",
    "/apis/apps/v1/x",
    "/openapi/v3/apis/flowcontrol.apiserver.k8s.io/v1?hash=x",
    "http://other/apis",
];
const PARAMETERS: &[(&str, &[&str])] = &[
    ("dryRun", &["All", "", "Some"]),
    (
        "fieldManager",
        &[
            "m1",
            "m2",
            "",
            "%01",
            "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm",
        ],
    ),
    ("fieldValidation", &["Strict", "Warn", "Ignore", "Sloppy"]),
    ("force", &["true", "false", "perhaps"]),
    (
        "labelSelector",
        &[
            "a=b",
            "a",
            "!a",
            "a%20in%20(b,c)",
            "=,",
            "a%3E1",
            "%FF",
            "(((",
        ],
    ),
    (
        "fieldSelector",
        &[
            "metadata.name=a",
            "metadata.name!=a",
            "spec.x=1",
            "=",
            "%5C",
            ",",
        ],
    ),
    (
        "limit",
        &["1", "2", "0", "-1", "abc", "9223372036854775808"],
    ),
    (
        "continue",
        &[
            "garbage",
            "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0",
            "%25",
        ],
    ),
    (
        "resourceVersion",
        &["0", "1", "20", "abc", "-1", "18446744073709551616"],
    ),
    ("resourceVersionMatch", &["Exact", "NotOlderThan", "Bogus"]),
    ("timeoutSeconds", &["1", "0", "-1", "x"]),
    ("watch", &["true", "0", "garbage"]),
    ("allowWatchBookmarks", &["true", "x"]),
    ("sendInitialEvents", &["true", "false"]),
    ("includeObject", &["None", "Object", "Bogus"]),
    ("gracePeriodSeconds", &["0", "-5", "x"]),
    (
        "propagationPolicy",
        &["Background", "Foreground", "Orphan", "Sideways"],
    ),
    ("orphanDependents", &["true", "maybe"]),
    ("pretty", &["true", "x"]),
    ("%FF%FE", &["%00"]),
];
const ACCEPTS: &[&str] = &[
    "application/json",
    "application/yaml",
    "*/*",
    "text/html",
    "garbage",
    ";;;,,,q=",
    "",
    "application/json;as=Table;g=meta.k8s.io;v=v1",
    "application/vnd.kubernetes.protobuf",
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1;q=0.5,*/*;q=NaN",
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
];
const HEADERS: &[&str] = &[
    "Impersonate-User: alice",
    "Impersonate-Group: g",
    "Impersonate-Extra-%zz: \u{fc}",
    "User-Agent: /",
    "If-None-Match: *",
    "Authorization: Basic Og==",
    "Authorization: Bearer x",
    "Range: bytes=0-1",
    "X-HTTP-Method-Override: DELETE",
    "Impersonate-Uid: ",
];

pub(crate) fn random(generator: &mut Generator) -> Request {
    let (mut path, is_item) = path(generator);
    let method = match (generator.once_in(12), is_item) {
        (true, _) => generator.pick(ODD_METHODS),
        (false, true) => generator.pick(OF_ITEMS),
        (false, false) => generator.pick(OF_COLLECTIONS),
    };
    let query = query(generator);
    if !query.is_empty() && !path.contains('?') {
        path = format!("{path}?{query}");
    }
    let is_watch = method == "GET" && path.contains("watch");
    let (content_type, body) = bodies::random(generator, method, &path);
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    let sends = !["GET", "HEAD", "TRACE"].contains(&method) || generator.once_in(9);
    let body = if sends { body } else { Vec::new() };
    if sends {
        head += &format!("Content-Length: {}\r\n", body.len());
    }
    if sends && !content_type.is_empty() {
        head += &format!("Content-Type: {content_type}\r\n");
    }
    if generator.once_in(5) {
        head += &format!("Accept: {}\r\n", generator.pick(ACCEPTS));
    }
    while generator.once_in(12) {
        head += &format!("{}\r\n", generator.pick(HEADERS));
    }
    Request {
        head: format!("{head}\r\n").into_bytes(),
        body,
        is_watch,
    }
}

fn path(generator: &mut Generator) -> (String, bool) {
    if generator.once_in(14) {
        return (generator.pick(ODD_PATHS).to_owned(), false);
    }
    let watch = if generator.once_in(15) { "/watch" } else { "" };
    let odd = generator.once_in(30);
    let version = generator.pick(if odd { ODD_VERSIONS } else { VERSIONS });
    let resource = if generator.once_in(25) {
        "nopes"
    } else {
        generator.pick(RESOURCES)
    };
    let mut path = format!("{GROUP}/{version}{watch}/{resource}");
    let is_item = generator.once_in(2);
    if is_item {
        path += "/";
        path += &match generator.below(25) {
            0 => "n".repeat(5000),
            1 => "%2e%2e%2f%00%ff".into(),
            _ => generator.pick(NAMES).to_owned(),
        };
        if generator.once_in(6) {
            path += generator.pick(&["/status", "/status", "/scale", "/status/x", "/"]);
        }
    }
    (path, is_item)
}

fn query(generator: &mut Generator) -> String {
    let mut pairs = Vec::new();
    while generator.once_in(3) {
        let (name, values) = generator.pick(PARAMETERS);
        pairs.push(format!("{name}={}", generator.pick(values)));
    }
    pairs.join("&")
}
