//! Singular and short names of resources, which match no request.

use super::{Context, Report, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    id: "singular-resource",
    severity: Severity::Warning,
    summary: "An entry in resources is the singular or short name of a resource and matches no request.",
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
        for (path, policy) in schema.resource_policies() {
            for (index, resource) in policy.resources.iter().enumerate() {
                let (name, rest) = match resource.find('/') {
                    Some(slash) => resource.split_at(slash),
                    None => (resource.as_str(), ""),
                };
                if let Some(plural) = plural(name) {
                    let message = format!("no request is for the resource `{resource}`");
                    let help = format!("use the plural name {plural}{rest}");
                    report.schema(schema, format!("{path}.resources[{index}]"), message, &help);
                }
            }
        }
    }
}

fn plural(name: &str) -> Option<String> {
    if REGULAR.contains(&name) {
        return Some(format!("{name}s"));
    }
    let other = OTHERS.iter().find(|(short, _)| *short == name);
    other.map(|(_, plural)| (*plural).to_owned())
}
