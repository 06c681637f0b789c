//! API servers behind APIServices. Many embed the controller of API Priority and Fairness, which lists and watches the
//! objects of the group in the version of its library.

use super::extension_servers::{items, text};
use k8s_flowcontrol_rules::matching::SERVICE_ACCOUNT_PREFIX;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// An API server that a cluster aggregates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AggregatedServer {
    /// The names of its APIServices.
    pub api_services: Vec<String>,
    /// The namespace and name of its Service.
    pub service: String,
    /// The Deployments that the Service selects.
    pub deployments: Vec<Deployment>,
    /// The old versions that its service account requests, by an audit log.
    pub requests: Vec<String>,
}

/// A Deployment of an API server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Deployment {
    /// The namespace and name.
    pub name: String,
    /// The images of its containers.
    pub images: Vec<String>,
    /// The user name of its service account.
    pub user: String,
}

impl AggregatedServer {
    /// The servers of a list of APIServices, without their Deployments. APIServices of the API server itself do not have a Service and are
    /// skipped.
    pub fn all(api_services: &Value) -> Vec<Self> {
        let mut services: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for item in items(api_services) {
            let service = &item["spec"]["service"];
            if let (Some(namespace), Some(name)) =
                (service["namespace"].as_str(), service["name"].as_str())
            {
                let names = services.entry(format!("{namespace}/{name}"));
                names
                    .or_default()
                    .push(text(&item["metadata"]["name"]).to_owned());
            }
        }
        let server = |(service, api_services)| Self {
            api_services,
            service,
            deployments: Vec::new(),
            requests: Vec::new(),
        };
        services.into_iter().map(server).collect()
    }

    /// The namespace and the name of its Service.
    pub fn service_name(&self) -> (&str, &str) {
        self.service.split_once('/').unwrap_or(("", &self.service))
    }

    /// Finds its Deployments, which the Service selects, in the list of Deployments of its namespace.
    pub fn find_deployments(&mut self, service: &Value, list: &Value) {
        let Some(selector) = service["spec"]["selector"].as_object() else {
            return;
        };
        let is_selected = |item: &&Value| {
            let labels = &item["spec"]["template"]["metadata"]["labels"];
            !selector.is_empty()
                && selector
                    .iter()
                    .all(|(key, value)| labels.get(key) == Some(value))
        };
        let (namespace, _) = self.service_name();
        let deployments = items(list).filter(is_selected);
        self.deployments = deployments
            .map(|item| Deployment::of(item, namespace))
            .collect();
    }
}

impl Deployment {
    fn of(item: &Value, namespace: &str) -> Self {
        let pod = &item["spec"]["template"]["spec"];
        let containers = pod["containers"].as_array();
        let images = containers.into_iter().flatten();
        let images = images.filter_map(|container| container["image"].as_str());
        let account = pod["serviceAccountName"].as_str().unwrap_or("default");
        Self {
            name: format!("{namespace}/{}", text(&item["metadata"]["name"])),
            images: images.map(str::to_owned).collect(),
            user: format!("{SERVICE_ACCOUNT_PREFIX}{namespace}:{account}"),
        }
    }
}

/// The versions of the Go module k8s.io/apiserver whose controller requests an API version, for people; `None` for v1.
pub fn library(version: &str) -> Option<&'static str> {
    match version {
        "v1alpha1" => Some("0.18 and 0.19"),
        "v1beta1" => Some("0.20 to 0.22"),
        "v1beta2" => Some("0.23 to 0.25"),
        "v1beta3" => Some("0.26 to 0.28"),
        _ => None,
    }
}
