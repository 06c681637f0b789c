//! Singular and short names of resources, which match no request.

use super::{Context, Report, Rule, Severity};
use k8s_flowcontrol_types::api::v1::ResourcePolicyRule;

pub(super) const RULE: Rule = Rule {
    id: "singular-resource",
    severity: Severity::Warning,
    summary: "An entry in resources is the singular or short name of a built-in resource, for which no request has this name.",
    check,
};

/// Built-in resources whose plural is the singular with an `s`.
const REGULAR: &[&str] = &[
    "apiservice",
    "certificatesigningrequest",
    "clusterrole",
    "clusterrolebinding",
    "configmap",
    "controllerrevision",
    "cronjob",
    "csidriver",
    "csinode",
    "customresourcedefinition",
    "daemonset",
    "deployment",
    "endpointslice",
    "event",
    "flowschema",
    "horizontalpodautoscaler",
    "job",
    "lease",
    "limitrange",
    "mutatingwebhookconfiguration",
    "namespace",
    "node",
    "persistentvolume",
    "persistentvolumeclaim",
    "pod",
    "poddisruptionbudget",
    "podtemplate",
    "prioritylevelconfiguration",
    "replicaset",
    "replicationcontroller",
    "resourcequota",
    "role",
    "rolebinding",
    "secret",
    "selfsubjectaccessreview",
    "service",
    "serviceaccount",
    "statefulset",
    "subjectaccessreview",
    "tokenreview",
    "validatingwebhookconfiguration",
    "volumeattachment",
];

/// Other singulars, and kubectl's short names.
const OTHERS: &[(&str, &str)] = &[
    ("cj", "cronjobs"),
    ("cm", "configmaps"),
    ("crd", "customresourcedefinitions"),
    ("crds", "customresourcedefinitions"),
    ("deploy", "deployments"),
    ("ds", "daemonsets"),
    ("endpoint", "endpoints"),
    ("ep", "endpoints"),
    ("hpa", "horizontalpodautoscalers"),
    ("ing", "ingresses"),
    ("ingress", "ingresses"),
    ("ingressclass", "ingressclasses"),
    ("netpol", "networkpolicies"),
    ("networkpolicy", "networkpolicies"),
    ("no", "nodes"),
    ("ns", "namespaces"),
    ("pdb", "poddisruptionbudgets"),
    ("po", "pods"),
    ("priorityclass", "priorityclasses"),
    ("pv", "persistentvolumes"),
    ("pvc", "persistentvolumeclaims"),
    ("rs", "replicasets"),
    ("runtimeclass", "runtimeclasses"),
    ("sa", "serviceaccounts"),
    ("storageclass", "storageclasses"),
    ("sts", "statefulsets"),
    ("svc", "services"),
];

fn check(context: &Context, report: &mut Report) {
    for schema in context.user_schemas() {
        let policies = schema.resource_policies();
        for (path, policy) in policies.filter(|(_, policy)| has_built_in_group(policy)) {
            for (index, resource) in policy.resources.iter().enumerate() {
                let (name, rest) = match resource.find('/') {
                    Some(slash) => resource.split_at(slash),
                    None => (resource.as_str(), ""),
                };
                if let Some(plural) = plural(name) {
                    let message = format!(
                        "no request for the built-in resource {plural} has the name `{name}`"
                    );
                    let help = format!("use the plural name {plural}{rest}");
                    report.schema(schema, format!("{path}.resources[{index}]"), message, &help);
                }
            }
        }
    }
}

/// Whether the rule is for a group that can be Kubernetes' own: groups of custom resources and extensions have other domains, and any names of resources.
fn has_built_in_group(policy: &ResourcePolicyRule) -> bool {
    let mut groups = policy.api_groups.iter();
    groups.any(|group| !group.contains('.') || group.ends_with(".k8s.io"))
}

fn plural(name: &str) -> Option<String> {
    if REGULAR.contains(&name) {
        return Some(format!("{name}s"));
    }
    let other = OTHERS.iter().find(|(short, _)| *short == name);
    other.map(|(_, plural)| (*plural).to_owned())
}
