//! The verbs and the built-in resources of requests, to find misspelt ones.

use k8s_flowcontrol_rules::matching::RequestAttributes;

/// The verbs of requests for resources.
pub const RESOURCE_VERBS: [&str; 8] = [
    "create",
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "update",
    "watch",
];

/// The verbs of requests for other paths: the HTTP methods in lower case.
pub const PATH_VERBS: [&str; 7] = ["delete", "get", "head", "options", "patch", "post", "put"];

/// The resources of the core group.
pub const CORE_RESOURCES: [&str; 17] = [
    "bindings",
    "componentstatuses",
    "configmaps",
    "endpoints",
    "events",
    "limitranges",
    "namespaces",
    "nodes",
    "persistentvolumeclaims",
    "persistentvolumes",
    "pods",
    "podtemplates",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "serviceaccounts",
    "services",
];

/// Resources of other built-in groups, as `RESOURCE.GROUP`.
pub const GROUPED_RESOURCES: [&str; 38] = [
    "apiservices.apiregistration.k8s.io",
    "certificatesigningrequests.certificates.k8s.io",
    "clusterrolebindings.rbac.authorization.k8s.io",
    "clusterroles.rbac.authorization.k8s.io",
    "controllerrevisions.apps",
    "cronjobs.batch",
    "csidrivers.storage.k8s.io",
    "csinodes.storage.k8s.io",
    "customresourcedefinitions.apiextensions.k8s.io",
    "daemonsets.apps",
    "deployments.apps",
    "deviceclasses.resource.k8s.io",
    "endpointslices.discovery.k8s.io",
    "flowschemas.flowcontrol.apiserver.k8s.io",
    "horizontalpodautoscalers.autoscaling",
    "ingressclasses.networking.k8s.io",
    "ingresses.networking.k8s.io",
    "jobs.batch",
    "leases.coordination.k8s.io",
    "localsubjectaccessreviews.authorization.k8s.io",
    "mutatingwebhookconfigurations.admissionregistration.k8s.io",
    "networkpolicies.networking.k8s.io",
    "poddisruptionbudgets.policy",
    "priorityclasses.scheduling.k8s.io",
    "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
    "replicasets.apps",
    "resourceclaims.resource.k8s.io",
    "resourceslices.resource.k8s.io",
    "rolebindings.rbac.authorization.k8s.io",
    "roles.rbac.authorization.k8s.io",
    "selfsubjectaccessreviews.authorization.k8s.io",
    "statefulsets.apps",
    "storageclasses.storage.k8s.io",
    "subjectaccessreviews.authorization.k8s.io",
    "tokenreviews.authentication.k8s.io",
    "validatingadmissionpolicies.admissionregistration.k8s.io",
    "validatingwebhookconfigurations.admissionregistration.k8s.io",
    "volumeattachments.storage.k8s.io",
];

/// Whether a resource can exist. Resources of groups that are not built in always can.
///
/// `group` is empty for the core group.
pub fn can_exist(resource: &str, group: &str) -> bool {
    if group.is_empty() {
        return CORE_RESOURCES.contains(&resource);
    }
    let mut known = GROUPED_RESOURCES
        .iter()
        .filter_map(|known| known.split_once('.'));
    // Only small groups are complete here: a server may have more resources in a group with a domain.
    let is_complete = ["apps", "batch"].contains(&group);
    !is_complete || known.any(|(name, of)| (name, of) == (resource, group))
}

/// A resource, and perhaps a subresource, as people write it: `pods`, `deployments.apps` or `pods/log`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResourceName<'a> {
    /// The resource, in plural.
    pub resource: &'a str,
    /// The API group; empty for the core group.
    pub group: &'a str,
    /// The subresource; empty for the resource itself.
    pub subresource: &'a str,
}

impl<'a> ResourceName<'a> {
    /// Reads `RESOURCE[.GROUP][/SUBRESOURCE]`. Every text is a name; see [`can_exist`].
    ///
    /// ```
    /// use k8s_flowcontrol_analysis::api_resources::ResourceName;
    ///
    /// let name = ResourceName::of("deployments.apps/scale");
    /// assert_eq!((name.resource, name.group, name.subresource), ("deployments", "apps", "scale"));
    /// ```
    pub fn of(text: &'a str) -> Self {
        let (resource, subresource) = text.split_once('/').unwrap_or((text, ""));
        let (resource, group) = resource.split_once('.').unwrap_or((resource, ""));
        Self {
            resource,
            group,
            subresource,
        }
    }

    /// Makes a request one for an object of this resource. Without a namespace or a name, these are empty; a request for a
    /// namespace is in it, as on a server.
    ///
    /// ```
    /// use k8s_flowcontrol_analysis::api_resources::ResourceName;
    /// use k8s_flowcontrol_rules::matching::RequestAttributes;
    ///
    /// let mut request = RequestAttributes::default();
    /// ResourceName::of("namespaces/status").fill("", "team-a", &mut request);
    /// assert_eq!(request.namespace, "team-a");
    /// ```
    pub fn fill(self, namespace: &str, name: &str, request: &mut RequestAttributes) {
        let is_namespace = (self.group, self.resource) == ("", "namespaces");
        request.namespace = if is_namespace { name } else { namespace }.to_owned();
        request.name = name.to_owned();
        request.is_resource_request = true;
        request.api_group = self.group.to_owned();
        request.resource = self.resource.to_owned();
        request.subresource = self.subresource.to_owned();
    }
}

/// The name of a resource with its group, such as `deployments.apps`.
pub(crate) fn with_group(resource: &str, group: &str) -> String {
    match group {
        "" => resource.to_owned(),
        group => format!("{resource}.{group}"),
    }
}

/// The name of a resource with its subresource, such as `pods/status`.
pub(crate) fn with_subresource(resource: &str, subresource: &str) -> String {
    match subresource {
        "" => resource.to_owned(),
        subresource => format!("{resource}/{subresource}"),
    }
}
