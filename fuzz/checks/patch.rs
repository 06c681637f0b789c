//! Patch bodies of all four types: a patch changes an object to another valid object, or changes nothing.

use bytes::Bytes;
use http::{Method, Request};
use k8s_flowcontrol_server::ApiServer;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

const GROUP: &str = "flowcontrol.apiserver.k8s.io";

const TYPES: [&str; 4] = [
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
];

thread_local! {
    static SERVER: Server = Server::start();
}

/// The first byte chooses the type of the patch, the kind and the version.
pub(crate) fn check(input: &[u8]) {
    if let Some((choice, patch)) = input.split_first() {
        SERVER.with(|server| server.check(*choice, &expanded(patch)));
    }
}

/// Control bytes, which JSON does not allow, stand for long paths and deep values, which no fuzzer writes byte by byte.
fn expanded(patch: &[u8]) -> Vec<u8> {
    const LONG: [(&str, usize); 5] = [
        ("/", 2_900_000),
        ("[", 9_000),
        ("]", 9_000),
        ("{\"a\":", 9_000),
        ("}", 9_000),
    ];
    let mut text = Vec::with_capacity(patch.len());
    let mut most = 4;
    for byte in patch {
        match LONG.get(usize::from(*byte).wrapping_sub(1)) {
            Some((part, times)) if most > 0 => {
                most -= 1;
                text.extend(part.repeat(*times).bytes());
            }
            _ => text.push(*byte),
        }
    }
    text
}

struct Server {
    runtime: Runtime,
    server: ApiServer,
}

/// A response: the code and the body.
type Answer = (u16, Value);

impl Server {
    fn start() -> Self {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let builder = ApiServer::builder().kubernetes("1.30").bootstrap(false);
        let server = runtime
            .block_on(builder.start())
            .expect("the server starts");
        Self { runtime, server }
    }

    fn check(&self, choice: u8, patch: &[u8]) {
        let kind = TYPES[usize::from(choice) % 4];
        let (resource, object) = match choice & 4 {
            0 => ("prioritylevelconfigurations", level()),
            _ => ("flowschemas", schema()),
        };
        let version = ["v1", "v1beta3"][usize::from(choice & 8 != 0)];
        let collection = format!("/apis/{GROUP}/v1/{resource}");
        let (code, _) = self.send(
            Method::POST,
            &format!("{collection}?fieldManager=creator"),
            "application/json",
            object.to_string().into(),
        );
        assert_eq!(code, 201);
        let path = format!("{collection}/fuzzed");
        let before = self.get(&path);

        let target = format!("/apis/{GROUP}/{version}/{resource}/fuzzed?fieldManager=fuzzer");
        let target = match kind {
            "application/apply-patch+yaml" => format!("{target}&force=true"),
            _ => target,
        };
        let send = |query: &str| {
            self.send(
                Method::PATCH,
                &format!("{target}{query}"),
                kind,
                patch.to_vec().into(),
            )
        };
        let dry = send("&dryRun=All");
        assert_eq!(self.get(&path), before, "a dry run changes the object");
        let (code, answer) = send("");
        let after = self.get(&path);
        assert_eq!(dry.0, code, "a dry run ends differently: {dry:?} {answer}");
        match code {
            200 => {
                assert_eq!(without_times(&dry.1), without_times(&answer));
                self.changed(&path, &before, &answer, &after);
                // Operations of a JSON patch may add up; all other patches describe a state.
                if kind != TYPES[0] {
                    let (code, _) = send("");
                    if code == 200 {
                        assert_eq!(self.get(&path), after, "the second patch changes something");
                    }
                }
            }
            400..=500 => {
                assert_eq!(
                    (&answer["kind"], &answer["code"]),
                    (&json!("Status"), &json!(code))
                );
                assert_eq!(after, before, "a rejected patch changes the object");
            }
            _ => panic!("{code}: {answer}"),
        }
        let (code, _) = self.send(Method::DELETE, &path, "application/json", Bytes::new());
        assert_eq!(code, 200);
        // Finalizers keep the object until they are removed.
        if self.code(&path) == 200 {
            let none = json!({"metadata": {"finalizers": null}}).to_string();
            self.send(Method::PATCH, &path, TYPES[1], none.into());
        }
        assert_eq!(self.code(&path), 404);
    }

    /// The object after a patch is the response, keeps its identity, and is an object that the server accepts unchanged.
    fn changed(&self, path: &str, before: &Value, answer: &Value, after: &Value) {
        let metadata = |object: &Value, name: &str| object["metadata"][name].clone();
        for name in ["name", "uid", "creationTimestamp"] {
            assert_eq!(metadata(before, name), metadata(after, name), "{name}");
        }
        assert_eq!(
            metadata(answer, "resourceVersion"),
            metadata(after, "resourceVersion")
        );
        let is_same = metadata(before, "resourceVersion") == metadata(after, "resourceVersion");
        assert_eq!(is_same, before == after);
        let (code, replaced) = self.send(
            Method::PUT,
            path,
            "application/json",
            after.to_string().into(),
        );
        assert_eq!(code, 200, "the object is not valid: {replaced}\n{after}");
        assert_eq!(replaced["spec"], after["spec"]);
    }

    fn get(&self, path: &str) -> Value {
        let (code, object) = self.send(Method::GET, path, "application/json", Bytes::new());
        assert_eq!(code, 200);
        object
    }

    fn code(&self, path: &str) -> u16 {
        self.send(Method::GET, path, "application/json", Bytes::new())
            .0
    }

    fn send(&self, method: Method, target: &str, content_type: &str, body: Bytes) -> Answer {
        let request = Request::builder()
            .method(method)
            .uri(target)
            .header("host", "localhost")
            .header("content-type", content_type)
            .body(body)
            .expect("a valid request");
        let response = self.runtime.block_on(self.server.respond(request));
        let body = serde_json::from_slice(response.body()).expect("a response is JSON");
        (response.status().as_u16(), body)
    }
}

/// An object without the times and versions that two equal writes do not share.
fn without_times(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("resourceVersion");
        metadata.remove("generation");
        for entry in metadata
            .get_mut("managedFields")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            entry["time"].take();
        }
    }
    object
}

fn level() -> Value {
    json!({
        "apiVersion": format!("{GROUP}/v1"),
        "kind": "PriorityLevelConfiguration",
        "metadata": {"name": "fuzzed", "labels": {"team": "a"}, "finalizers": ["example.com/one"]},
        "spec": {"type": "Limited", "limited": {
            "nominalConcurrencyShares": 30,
            "limitResponse": {"type": "Queue", "queuing": {"queues": 64, "handSize": 6, "queueLengthLimit": 50}},
        }},
        "status": {"conditions": [{"type": "Custom", "status": "True"}]},
    })
}

fn schema() -> Value {
    json!({
        "apiVersion": format!("{GROUP}/v1"),
        "kind": "FlowSchema",
        "metadata": {"name": "fuzzed", "annotations": {"note": "b"}},
        "spec": {
            "matchingPrecedence": 500,
            "priorityLevelConfiguration": {"name": "fuzzed"},
            "distinguisherMethod": {"type": "ByUser"},
            "rules": [{
                "subjects": [{"kind": "Group", "group": {"name": "g"}}, {"kind": "User", "user": {"name": "u"}}],
                "resourceRules": [{"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods"], "namespaces": ["*"]}],
                "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/healthz"]}],
            }],
        },
    })
}
