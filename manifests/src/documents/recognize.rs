//! Recognizing flow-control objects, and the kind and version under which they are sent to a server.

use crate::cut::leading_word;
use k8s_flowcontrol_text::{Content, Node};
use k8s_flowcontrol_types::Kind;
use k8s_flowcontrol_types::{ApiVersion, GROUP};

/// The fields that identify an object, as written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identity {
    /// `apiVersion`, if it is a string.
    pub(crate) api_version: Option<String>,
    /// `kind`, if it is a string.
    pub(crate) kind: Option<String>,
    /// `metadata.name`, if it is a string.
    pub(crate) name: Option<String>,
    /// Whether it has a `metadata.resourceVersion`, as objects exported from a cluster have.
    pub(crate) has_resource_version: bool,
}

/// The kind and version under which a document is sent to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Posted {
    /// The kind, which selects the path of the request.
    pub(crate) kind: Kind,
    /// The version of the document. None for a missing or unknown version: the object is then sent to the preferred
    /// version of the server, and every version responds in the same way.
    pub(crate) version: Option<ApiVersion>,
}

pub(crate) enum Recognized {
    /// A flow-control object.
    Ours(Posted),
    /// A list; the kind and version of its items if it is a typed list.
    List(Option<Posted>),
    /// An object of another kind.
    Other,
}

impl Identity {
    pub(crate) fn of(root: Node<'_>) -> Self {
        let text = |node: Option<Node<'_>>| node.and_then(Node::as_str).map(str::to_owned);
        let metadata = |name| root.get("metadata").and_then(|metadata| metadata.get(name));
        Self {
            api_version: text(root.get("apiVersion")),
            kind: text(root.get("kind")),
            name: text(metadata("name")),
            has_resource_version: metadata("resourceVersion").is_some(),
        }
    }

    /// The version whose fields the document has: v1alpha1 had the fields of v1beta1.
    pub(crate) fn shape(&self) -> Option<ApiVersion> {
        version_of(self.api_version())
    }

    fn api_version(&self) -> &str {
        self.api_version.as_deref().unwrap_or_default()
    }

    fn kind(&self) -> &str {
        self.kind.as_deref().unwrap_or_default()
    }

    /// The version of the group that the document names.
    fn version(&self) -> Option<ApiVersion> {
        self.api_version()
            .strip_prefix(GROUP)?
            .strip_prefix('/')?
            .parse()
            .ok()
    }
}

/// Recognizes a document. In a file that the user named, a document without kind and version counts as flow control.
pub(crate) fn recognize(root: Node<'_>, identity: &Identity, is_named: bool) -> Recognized {
    let has_items = matches!(
        root.get("items").map(Node::content),
        Some(Content::Array(_) | Content::Null)
    );
    let element = identity.kind().strip_suffix("List");
    if let Some(element) = element
        && (has_items || root.get("spec").is_none())
    {
        if element.is_empty() {
            return Recognized::List(None);
        }
        let kind = Kind::named(element).filter(|_| is_ours(identity.api_version()));
        return kind.map_or(Recognized::Other, |kind| {
            Recognized::List(Some(Posted {
                kind,
                version: identity.version(),
            }))
        });
    }
    let looks_like = kind_by_content(root);
    let is_ours = match (identity.kind(), identity.api_version()) {
        (_, version) if in_our_group(version) => true,
        ("", "") => looks_like.is_some() || is_named,
        (kind, version) => Kind::named(kind).is_some() && is_ours(version),
    };
    if !is_ours {
        return Recognized::Other;
    }
    let named = Kind::ALL.iter().copied().find(|kind| {
        let identity = identity.kind().trim();
        let identity = identity.strip_suffix("List").unwrap_or(identity);
        identity.eq_ignore_ascii_case(kind.as_str())
    });
    Recognized::Ours(Posted {
        kind: named.or(looks_like).unwrap_or(Kind::FlowSchema),
        version: identity.version(),
    })
}

/// The kind and version that a text with syntax errors mentions; none for a text about something else.
pub(crate) fn recognize_text(text: &[u8], is_named: bool) -> Option<Posted> {
    let text = String::from_utf8_lossy(text);
    let kind = Kind::ALL
        .iter()
        .copied()
        .rev()
        .find(|kind| text.contains(kind.as_str()));
    let version = text
        .split(GROUP)
        .nth(1)
        .and_then(|rest| leading_word(rest.strip_prefix('/')?).parse().ok());
    let mentions_us = kind.is_some() || text.contains(GROUP);
    let names_a_kind = text.lines().any(|line| line.starts_with("kind:"));
    let is_ours = mentions_us || is_named && !names_a_kind;
    is_ours.then_some(Posted {
        kind: kind.unwrap_or(Kind::FlowSchema),
        version,
    })
}

/// Whether an `apiVersion` next to a flow-control kind can mean our group. This is true if it names the group, does not
/// name a group, names something that is not a group, or names another group of Kubernetes: other groups do not have
/// these kinds.
fn is_ours(api_version: &str) -> bool {
    match api_version.split('/').collect::<Vec<_>>().as_slice() {
        [_] => true,
        [group, _] => *group == GROUP || !group.contains('.') || group.ends_with(".k8s.io"),
        _ => true,
    }
}

fn in_our_group(api_version: &str) -> bool {
    api_version.split('/').next() == Some(GROUP)
}

/// The version of an `apiVersion` of the group, such as `flowcontrol.apiserver.k8s.io/v1beta2`; none for another text. v1alpha1
/// counts as v1beta1, whose fields it had.
pub fn version_of(api_version: &str) -> Option<ApiVersion> {
    match api_version.strip_prefix(GROUP)?.strip_prefix('/')? {
        "v1alpha1" => Some(ApiVersion::V1Beta1),
        version => version.parse().ok(),
    }
}

/// The kind whose fields the document has.
fn kind_by_content(root: Node<'_>) -> Option<Kind> {
    let spec = root.get("spec")?;
    let has = |name| spec.get(name).is_some();
    if has("priorityLevelConfiguration") || has("matchingPrecedence") {
        Some(Kind::FlowSchema)
    } else if has("limited") || has("exempt") {
        Some(Kind::PriorityLevelConfiguration)
    } else {
        None
    }
}
