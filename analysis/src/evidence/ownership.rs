//! The owner of an object: the API server, a tool, a controller or a vendor, which may undo a change of the object.
//!
//! ```
//! use k8s_flowcontrol_analysis::ownership::owner;
//! use k8s_flowcontrol_types::Kind;
//! use serde_json::json;
//!
//! let object = json!({"metadata": {"name": "batch", "labels": {"helm.sh/chart": "batch-1.0"}}});
//! let owner = owner(Kind::FlowSchema, &object).unwrap();
//! assert_eq!(owner.to_string(), "Helm (helm.sh/chart: batch-1.0)");
//! assert_eq!(owner.consequence(&object).unwrap(), "the next upgrade of its Helm release can undo the change");
//! ```

use k8s_flowcontrol_rules::bootstrap::{self, AUTO_UPDATE_ANNOTATION};
use k8s_flowcontrol_types::{Kind, Release};
use serde_json::Value;
use std::fmt;

/// The owner of an object, and the evidence for it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Owner {
    /// The program that may undo a change of the object.
    pub name: String,
    /// The evidence, such as a label.
    pub sign: String,
    upkeep: Upkeep,
}

/// The treatment by a server of an object that is built in, or has the annotation of built-in objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Upkeep {
    /// It leaves the object alone.
    Nothing,
    /// Every release has the object and resets its spec.
    Resets,
    /// No release has the object: a server deletes it.
    Deletes,
    /// Some releases have it.
    ResetsOrDeletes,
}

impl Owner {
    /// The action of the owner after another client has changed the object; `None` if it keeps the change.
    pub fn consequence(&self, object: &Value) -> Option<String> {
        let metadata = &object["metadata"];
        Some(match self.name.as_str() {
            // An exempt level keeps the operator's settings.
            SERVER if object["spec"]["exempt"].is_object() => return None,
            SERVER => match self.upkeep {
                Upkeep::Nothing => return None,
                Upkeep::Resets => "the API server resets its spec within a minute".to_owned(),
                Upkeep::Deletes => "the API server deletes it within a minute: it has the annotation of built-in objects, but is not one".to_owned(),
                Upkeep::ResetsOrDeletes => "the API server resets its spec within a minute, or deletes it if its release does not have this object".to_owned(),
            },
            "Helm" => "the next upgrade of its Helm release can undo the change".to_owned(),
            AKS if metadata["labels"][AKS_SKIPS] == "true" => return None,
            AKS => format!("Azure AKS resets it unless it has the label {AKS_SKIPS}=true"),
            OPENSHIFT => "an operator of OpenShift resets it".to_owned(),
            "Argo CD" | "Flux" | "Operator Lifecycle Manager" | "the addon manager" => {
                format!("{} resets it at its next synchronization", self.name)
            }
            other => format!("{other} can undo the change at any time"),
        })
    }

    /// Whether the owner is the vendor of the cluster, or of a distribution or add-on.
    pub fn is_vendor(&self) -> bool {
        VENDORS.iter().any(|(_, vendor)| *vendor == self.name)
    }

    /// Whether the owner is the API server itself.
    pub fn is_server(&self) -> bool {
        self.name == SERVER
    }
}

/// The owner of built-in objects that nobody has taken over.
const SERVER: &str = "the API server";
const AKS: &str = "Azure AKS";
const OPENSHIFT: &str = "OpenShift";
/// The label with which AKS keeps the changes of users.
const AKS_SKIPS: &str = "aks-managed-skip-update-operation";

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.sign)
    }
}

/// The owner of an object, which is given as in JSON of any version; `None` without evidence of one.
pub fn owner(kind: Kind, object: &Value) -> Option<Owner> {
    let metadata = &object["metadata"];
    let name = metadata["name"].as_str().unwrap_or_default();
    built_in(kind, name, metadata)
        .or_else(|| controller(metadata))
        .or_else(|| by_marks(metadata))
        .or_else(|| vendor(name))
}

/// The server owns the built-in objects that it updates, and the objects that it would delete, such as leftovers of older releases. A
/// built-in object whose annotation ends the updates belongs to users.
fn built_in(kind: Kind, name: &str, metadata: &Value) -> Option<Owner> {
    let is_built_in = |release| bootstrap::is_built_in(kind, name, release);
    let annotation = metadata["annotations"][AUTO_UPDATE_ANNOTATION].as_str();
    let is_updated = bootstrap::is_updated(name, annotation, metadata["generation"].as_i64());
    let has_annotation = annotation.and_then(bootstrap::auto_update) == Some(true);
    let upkeep = match (
        Release::all().any(is_built_in),
        Release::all().all(is_built_in),
    ) {
        (true, _) if !is_updated => return None,
        (true, true) => Upkeep::Resets,
        // Without the annotation a release that does not have the object leaves it alone.
        (true, false) if !has_annotation => Upkeep::Resets,
        (true, false) => Upkeep::ResetsOrDeletes,
        (false, _) if has_annotation => Upkeep::Deletes,
        (false, _) => return None,
    };
    let sign = match annotation {
        Some(value) => format!("{AUTO_UPDATE_ANNOTATION}: {value}"),
        None => "built-in object".to_owned(),
    };
    Some(Owner {
        name: SERVER.into(),
        sign,
        upkeep,
    })
}

fn controller(metadata: &Value) -> Option<Owner> {
    let owners = metadata["ownerReferences"].as_array()?;
    let is_controller = |owner: &&Value| owner["controller"] == true;
    let owner = owners.iter().find(is_controller).or(owners.first())?;
    let (kind, name) = (owner["kind"].as_str()?, owner["name"].as_str()?);
    Some(Owner {
        name: format!("{kind} \"{name}\""),
        sign: "ownerReferences".into(),
        upkeep: Upkeep::Nothing,
    })
}

/// The marks of tools: the field of metadata, the prefix of the key, the value if it matters, and the tool. Without a tool
/// the value names it.
const MARKS: &[(&str, &str, Option<&str>, &str)] = &[
    ("annotations", "meta.helm.sh/release-name", None, "Helm"),
    (
        "labels",
        "app.kubernetes.io/managed-by",
        Some("Helm"),
        "Helm",
    ),
    ("labels", "helm.sh/chart", None, "Helm"),
    ("annotations", "argocd.argoproj.io/", None, "Argo CD"),
    ("labels", "argocd.argoproj.io/", None, "Argo CD"),
    ("labels", "kustomize.toolkit.fluxcd.io/", None, "Flux"),
    ("labels", "helm.toolkit.fluxcd.io/", None, "Flux"),
    ("labels", "olm.", None, "Operator Lifecycle Manager"),
    (
        "labels",
        "operators.coreos.com/",
        None,
        "Operator Lifecycle Manager",
    ),
    ("annotations", "release.openshift.io/", None, OPENSHIFT),
    (
        "annotations",
        "include.release.openshift.io/",
        None,
        OPENSHIFT,
    ),
    (
        "labels",
        "addonmanager.kubernetes.io/",
        None,
        "the addon manager",
    ),
    (
        "labels",
        "kubernetes.io/cluster-service",
        None,
        "the addon manager",
    ),
    ("labels", "eks.amazonaws.com/", None, "Amazon EKS"),
    ("labels", "kubernetes.azure.com/managedby", None, AKS),
    ("labels", "app.kubernetes.io/managed-by", None, ""),
];

fn by_marks(metadata: &Value) -> Option<Owner> {
    MARKS.iter().find_map(|(field, prefix, wanted, tool)| {
        let marks = metadata[field].as_object()?;
        let (key, value) = marks.iter().find(|(key, value)| {
            key.starts_with(prefix) && wanted.is_none_or(|wanted| **value == *wanted)
        })?;
        let value = value.as_str().unwrap_or_default();
        let name = match *tool {
            "" => value,
            tool => tool,
        };
        Some(Owner {
            name: name.to_owned(),
            sign: format!("{key}: {value}"),
            upkeep: Upkeep::Nothing,
        })
    })
}

/// The prefixes of the names of objects that vendors create.
const VENDORS: &[(&str, &str)] = &[
    ("eks-", "Amazon EKS"),
    ("aks-", AKS),
    ("gke-", "Google GKE"),
    ("gcp-", "Google GKE"),
    ("openshift-", OPENSHIFT),
    ("rancher-", "Rancher"),
    ("cattle-", "Rancher"),
    ("cilium-", "Cilium"),
];

fn vendor(name: &str) -> Option<Owner> {
    let (prefix, vendor) = VENDORS
        .iter()
        .find(|(prefix, _)| name.starts_with(prefix))?;
    Some(Owner {
        name: (*vendor).to_owned(),
        sign: format!("the name begins with {prefix}"),
        upkeep: Upkeep::Nothing,
    })
}
