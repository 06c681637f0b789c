//! Extension API servers without permission to watch the objects of flow control, from the bindings and roles of a cluster.

use k8s_flowcontrol_rules::matching::{SERVICE_ACCOUNT_PREFIX, User};
use k8s_flowcontrol_types::{GROUP, Kind};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The Role in `kube-system` that every extension API server needs, to read the certificates of its callers.
const READER: &str = "extension-apiserver-authentication-reader";

/// A service account of an extension API server that may not list and watch the objects of flow control.
///
/// Servers built with k8s.io/apiserver 0.20 or later do that, unless they run with `--enable-priority-and-fairness=false`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UnboundServer {
    /// The user name of the service account.
    pub user: String,
    /// The RoleBinding in `kube-system` that makes it an extension API server.
    pub binding: String,
    /// The resources that it may not list or not watch.
    pub resources: BTreeSet<String>,
}

/// The service accounts of extension API servers, by user name, with the name of their binding, from the list of RoleBindings in
/// `kube-system`.
pub fn extension_servers(role_bindings: &Value) -> BTreeMap<String, String> {
    let readers = items(role_bindings).filter(|binding| binding["roleRef"]["name"] == READER);
    let accounts = readers.flat_map(|binding| {
        let name = text(&binding["metadata"]["name"]);
        let accounts = elements(&binding["subjects"]).filter_map(account);
        accounts.map(move |user| (user, name.to_owned()))
    });
    accounts.collect()
}

/// The [`extension_servers`] that no ClusterRoleBinding allows to list and watch the objects of flow control.
pub fn unbound_servers(
    servers: &BTreeMap<String, String>,
    cluster_role_bindings: &Value,
    cluster_roles: &Value,
) -> Vec<UnboundServer> {
    let roles: BTreeMap<&str, &Value> = items(cluster_roles)
        .map(|role| (text(&role["metadata"]["name"]), &role["rules"]))
        .collect();
    let unbound = servers.iter().map(|(user, binding)| {
        let bound = items(cluster_role_bindings).filter(|binding| {
            elements(&binding["subjects"]).any(|subject| includes(subject, user))
        });
        let rules: Vec<_> = bound
            .filter_map(|binding| roles.get(text(&binding["roleRef"]["name"])))
            .flat_map(|rules| elements(rules))
            .collect();
        let is_allowed =
            |resource: &str, verb: &str| rules.iter().any(|rule| allows(rule, resource, verb));
        let lacks = |resource: &&str| {
            !["list", "watch"]
                .iter()
                .all(|verb| is_allowed(resource, verb))
        };
        let resources = Kind::ALL.iter().map(|kind| kind.plural()).filter(lacks);
        UnboundServer {
            user: user.clone(),
            binding: binding.clone(),
            resources: resources.map(str::to_owned).collect(),
        }
    });
    unbound
        .filter(|server| !server.resources.is_empty())
        .collect()
}

/// The user name of a subject that is a service account.
fn account(subject: &Value) -> Option<String> {
    let name = subject["name"].as_str()?;
    let namespace = subject["namespace"].as_str()?;
    (subject["kind"] == "ServiceAccount")
        .then(|| format!("{SERVICE_ACCOUNT_PREFIX}{namespace}:{name}"))
}

/// Whether a subject of a binding includes a service account.
fn includes(subject: &Value, user: &str) -> bool {
    let name = text(&subject["name"]);
    match text(&subject["kind"]) {
        "User" => name == user,
        "Group" => User::named(user).groups.iter().any(|group| group == name),
        _ => account(subject).as_deref() == Some(user),
    }
}

/// Whether a rule of a role allows a verb for all objects of a resource of the group.
fn allows(rule: &Value, resource: &str, verb: &str) -> bool {
    let has = |field: &str, wanted: &str| {
        elements(&rule[field]).any(|value| value == "*" || value == wanted)
    };
    let is_for_some_names = elements(&rule["resourceNames"]).next().is_some();
    has("apiGroups", GROUP)
        && has("resources", resource)
        && has("verbs", verb)
        && !is_for_some_names
}

pub(super) fn items(list: &Value) -> impl Iterator<Item = &Value> {
    elements(&list["items"])
}

fn elements(array: &Value) -> impl Iterator<Item = &Value> {
    array.as_array().into_iter().flatten()
}

pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
