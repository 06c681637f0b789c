//! Which documents are flow control objects, and how a server would be asked to create them.

use k8s_flowcontrol::Kind;
use k8s_flowcontrol::{ApiVersion, GROUP};
use k8s_flowcontrol_text::{Content, Node};

/// What a document says that it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    /// `apiVersion`, when it is a string.
    pub(crate) api_version: Option<String>,
    /// `kind`, when it is a string.
    pub(crate) kind: Option<String>,
    /// `metadata.name`, when it is a string.
    pub(crate) name: Option<String>,
    /// Whether it has a `metadata.resourceVersion`, as objects exported from a cluster have.
    pub(crate) has_resource_version: bool,
}

/// As what a document is sent to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Posted {
    /// The kind, which the path says.
    pub(crate) kind: Kind,
    /// The version that the document is written in. A missing one, or one that never was, is sent as the
    /// preferred version of the server: the answer is the same everywhere.
    pub(crate) version: Option<ApiVersion>,
}

/// What a document turns out to be.
pub(crate) enum Recognized {
    /// A flow control object.
    Ours(Posted),
    /// A list of objects that say themselves what they are, unless the list says it for all.
    List(Option<Posted>),
    /// Something else.
    Other,
}

impl Said {
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

    /// The version in whose shape the document is written: v1alpha1 had v1beta1's.
    pub(crate) fn shape(&self) -> Option<ApiVersion> {
        let alpha = self.api_version().strip_prefix(GROUP) == Some("/v1alpha1");
        self.version().or(alpha.then_some(ApiVersion::V1Beta1))
    }

    fn api_version(&self) -> &str {
        self.api_version.as_deref().unwrap_or_default()
    }

    fn kind(&self) -> &str {
        self.kind.as_deref().unwrap_or_default()
    }

    /// The version of ours that the document names.
    fn version(&self) -> Option<ApiVersion> {
        self.api_version()
            .strip_prefix(GROUP)?
            .strip_prefix('/')?
            .parse()
            .ok()
    }
}

/// Recognizes a document. One that a person named is taken for ours where nothing speaks against it.
pub(crate) fn recognize(root: Node<'_>, said: &Said, is_named: bool) -> Recognized {
    let has_items = matches!(
        root.get("items").map(Node::content),
        Some(Content::Array(_) | Content::Null)
    );
    let element = said.kind().strip_suffix("List");
    if let Some(element) = element
        && (has_items || root.get("spec").is_none())
    {
        if element.is_empty() {
            return Recognized::List(None);
        }
        let kind = Kind::named(element).filter(|_| is_ours(said.api_version()));
        return kind.map_or(Recognized::Other, |kind| {
            Recognized::List(Some(Posted {
                kind,
                version: said.version(),
            }))
        });
    }
    let looks_like = kind_by_content(root);
    let is_ours = match (said.kind(), said.api_version()) {
        (_, version) if in_our_group(version) => true,
        ("", "") => looks_like.is_some() || is_named,
        (kind, version) => Kind::named(kind).is_some() && is_ours(version),
    };
    if !is_ours {
        return Recognized::Other;
    }
    let named = Kind::ALL.into_iter().find(|kind| {
        let said = said.kind().trim();
        let said = said.strip_suffix("List").unwrap_or(said);
        said.eq_ignore_ascii_case(kind.as_str())
    });
    Recognized::Ours(Posted {
        kind: named.or(looks_like).unwrap_or(Kind::FlowSchema),
        version: said.version(),
    })
}

/// What a text that does not parse is taken for: what it names anywhere.
pub(crate) fn recognize_text(text: &[u8], is_named: bool) -> Option<Posted> {
    let text = String::from_utf8_lossy(text);
    let kind = Kind::ALL
        .into_iter()
        .rev()
        .find(|kind| text.contains(kind.as_str()));
    let version = text.split(GROUP).nth(1).and_then(|rest| {
        let rest = rest.strip_prefix('/')?;
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric());
        rest[..end.unwrap_or(rest.len())].parse().ok()
    });
    let mentions_us = kind.is_some() || text.contains(GROUP);
    let names_a_kind = text.lines().any(|line| line.starts_with("kind:"));
    let is_ours = mentions_us || is_named && !names_a_kind;
    is_ours.then_some(Posted {
        kind: kind.unwrap_or(Kind::FlowSchema),
        version,
    })
}

/// Whether an `apiVersion` next to a kind of ours can mean us: our group, none at all, none that could be, or
/// another group of Kubernetes, none of which has our kinds.
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

/// The kind that has the members which the document has.
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
