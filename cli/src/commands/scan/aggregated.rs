//! API servers behind APIServices. Many embed the controller of API Priority and Fairness, which lists and watches the
//! objects of the group in the version of its library.

use k8s_flowcontrol::{Client, Error};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// An API server that a cluster aggregates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AggregatedServer {
    /// The names of its APIServices.
    pub(crate) api_services: Vec<String>,
    /// The namespace and name of its Service.
    pub(crate) service: String,
    /// The Deployments that the Service selects.
    pub(crate) deployments: Vec<Deployment>,
    /// The old versions that its service account requests, by an audit log.
    pub(crate) requests: Vec<String>,
}

/// A Deployment of an API server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Deployment {
    /// The namespace and name.
    pub(crate) name: String,
    pub(crate) images: Vec<String>,
    /// The user name of its service account.
    pub(crate) user: String,
}

/// Reads the aggregated API servers of a cluster. A Service or Deployment that cannot be read is missing in the result.
///
/// # Errors
/// If the APIServices cannot be read.
pub(super) async fn read(client: &Client) -> Result<Vec<AggregatedServer>, Error> {
    let list = match get(client, "/apis/apiregistration.k8s.io/v1/apiservices").await {
        Ok(list) => list,
        Err(error) if error.is_not_found() => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut services: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for item in items(&list) {
        let service = &item["spec"]["service"];
        if let (Some(namespace), Some(name)) =
            (service["namespace"].as_str(), service["name"].as_str())
        {
            let names = services.entry((namespace.to_owned(), name.to_owned()));
            names.or_default().push(name_of(item));
        }
    }
    let mut servers = Vec::new();
    for ((namespace, name), api_services) in services {
        servers.push(AggregatedServer {
            api_services,
            service: format!("{namespace}/{name}"),
            deployments: deployments(client, &namespace, &name).await,
            requests: Vec::new(),
        });
    }
    Ok(servers)
}

/// The characters that are encoded in a path.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.');

/// The Deployments that a Service selects.
async fn deployments(client: &Client, namespace: &str, service: &str) -> Vec<Deployment> {
    let encoded = |text| utf8_percent_encode(text, ENCODED).to_string();
    let folder = format!("namespaces/{}", encoded(namespace));
    let service = format!("/api/v1/{folder}/services/{}", encoded(service));
    let list = format!("/apis/apps/v1/{folder}/deployments");
    let (Ok(service), Ok(list)) = (get(client, &service).await, get(client, &list).await) else {
        return Vec::new();
    };
    let Some(selector) = service["spec"]["selector"].as_object() else {
        return Vec::new();
    };
    let is_selected = |item: &&Value| {
        let labels = &item["spec"]["template"]["metadata"]["labels"];
        !selector.is_empty()
            && selector
                .iter()
                .all(|(key, value)| labels.get(key) == Some(value))
    };
    let deployment = |item: &Value| {
        let pod = &item["spec"]["template"]["spec"];
        let containers = pod["containers"].as_array();
        let images = containers.into_iter().flatten();
        let images = images.filter_map(|container| container["image"].as_str());
        let account = pod["serviceAccountName"].as_str().unwrap_or("default");
        Deployment {
            name: format!("{namespace}/{}", name_of(item)),
            images: images.map(str::to_owned).collect(),
            user: format!("system:serviceaccount:{namespace}:{account}"),
        }
    };
    items(&list).filter(is_selected).map(deployment).collect()
}

/// Reads a JSON document.
async fn get(client: &Client, path: &str) -> Result<Value, Error> {
    let body = client.get_raw(path).accept("application/json").await?;
    // A response that is not JSON does not have fields.
    Ok(serde_json::from_slice(&body).unwrap_or_default())
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list["items"].as_array().into_iter().flatten()
}

fn name_of(item: &Value) -> String {
    let name = item["metadata"]["name"].as_str();
    name.unwrap_or_default().to_owned()
}

/// The versions of k8s.io/apiserver whose controller requests a version.
pub(super) fn library(version: &str) -> Option<&'static str> {
    match version {
        "v1alpha1" => Some("0.18 and 0.19"),
        "v1beta1" => Some("0.20 to 0.22"),
        "v1beta2" => Some("0.23 to 0.25"),
        "v1beta3" => Some("0.26 to 0.28"),
        _ => None,
    }
}
