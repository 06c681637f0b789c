//! A server, a client, and objects to send.

use crate::api::http::{Http, Request};
use k8s_flowcontrol_server::{ApiServer, Builder};
use k8s_flowcontrol_text::{parse_yaml, to_value};
use serde_json::{Value, json};

/// A server with a client that speaks one version.
pub(crate) struct Api {
    pub(crate) server: ApiServer,
    client: Http,
}

/// A response.
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) body: Value,
    pub(crate) warnings: Vec<String>,
}

impl Api {
    pub(crate) async fn start() -> Self {
        Self::with(|builder| builder).await
    }

    pub(crate) async fn with(configure: impl FnOnce(Builder) -> Builder) -> Self {
        Self::of(configure(ApiServer::builder()).start().await.unwrap())
    }

    pub(crate) fn of(server: ApiServer) -> Self {
        Self {
            server,
            client: Http::new(),
        }
    }

    pub(crate) fn request(&self, method: &str, path: &str) -> Request {
        self.client
            .request(method, format!("{}{path}", self.server.url()))
    }

    /// Sends a request for a path below the group's.
    pub(crate) async fn send(&self, method: &str, path: &str, body: Option<Value>) -> Answer {
        let mut request = self.request(method, &format!("/apis/{GROUP}/{path}"));
        if let Some(body) = body {
            request = request.json(&body);
        }
        answer(request).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, None).await
    }

    pub(crate) async fn patch(&self, path: &str, media_type: &str, body: Value) -> Answer {
        let request = self
            .request("PATCH", &format!("/apis/{GROUP}/{path}"))
            .header("content-type", media_type)
            .body(body.to_string());
        answer(request).await
    }

    pub(crate) async fn apply(&self, path: &str, body: Value) -> Answer {
        self.patch(path, "application/apply-patch+yaml", body).await
    }

    /// The names in a list.
    pub(crate) async fn names(&self, path: &str) -> Vec<String> {
        names(&self.get(path).await.body)
    }
}

pub(crate) const GROUP: &str = "flowcontrol.apiserver.k8s.io";
pub(crate) const SCHEMAS: &str = "v1/flowschemas";
pub(crate) const LEVELS: &str = "v1/prioritylevelconfigurations";

pub(crate) async fn answer(request: Request) -> Answer {
    let response = request.send().await;
    let code = response.code();
    let warnings = response
        .headers()
        .get_all("warning")
        .iter()
        .map(|value| value.to_str().unwrap().to_owned())
        .collect();
    let text = response.text().await;
    let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    Answer {
        code,
        body,
        warnings,
    }
}

pub(crate) fn names(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().unwrap();
    items
        .iter()
        .map(|item| item["metadata"]["name"].as_str().unwrap().to_owned())
        .collect()
}

pub(crate) fn schema(name: &str) -> Value {
    json!({
        "apiVersion": format!("{GROUP}/v1"),
        "kind": "FlowSchema",
        "metadata": {"name": name, "labels": {"lab": "yes"}},
        "spec": {
            "matchingPrecedence": 5000,
            "priorityLevelConfiguration": {"name": "workload-low"},
            "distinguisherMethod": {"type": "ByUser"},
            "rules": [{
                "subjects": [{"kind": "User", "user": {"name": "nobody"}}],
                "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/lab/*"]}],
            }],
        },
    })
}

pub(crate) fn level(name: &str, shares: i64) -> Value {
    json!({
        "apiVersion": format!("{GROUP}/v1"),
        "kind": "PriorityLevelConfiguration",
        "metadata": {"name": name},
        "spec": {
            "type": "Limited",
            "limited": {
                "nominalConcurrencyShares": shares,
                "limitResponse": {"type": "Queue", "queuing": {}},
            },
        },
    })
}

/// A kubeconfig as a tree.
pub(crate) fn read_kubeconfig(kubeconfig: &str) -> Value {
    let parsed = parse_yaml(kubeconfig.as_bytes()).unwrap();
    to_value(parsed.tree.root()).unwrap()
}

/// The token of the current context; the contexts of the users have others.
pub(crate) fn current_token(kubeconfig: &str) -> String {
    let kubeconfig = read_kubeconfig(kubeconfig);
    let named = |list: &str, name: &Value| {
        let all = kubeconfig[list].as_array().unwrap();
        all.iter().find(|one| one["name"] == *name).unwrap().clone()
    };
    let context = named("contexts", &kubeconfig["current-context"]);
    let user = named("users", &context["context"]["user"]);
    user["user"]["token"].as_str().unwrap().to_owned()
}
