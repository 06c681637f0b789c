//! Resource and non-resource rules.

use super::mismatch::{NonResourceMismatch, ResourceMismatch};
use super::request::RequestAttributes;
use super::subject::Subject;
use k8s_flowcontrol_types::api::v1;

/// A list in which a single `*` matches everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Names {
    /// `*` alone: every name.
    Any,
    /// These names only.
    OneOf(Box<[Box<str>]>),
}

impl Names {
    /// The names of a list in a rule.
    pub fn new<S: AsRef<str>>(names: &[S]) -> Self {
        match names {
            // In a list of several entries, `*` is a plain name, which nothing has.
            [name] if name.as_ref() == "*" => Self::Any,
            names => Self::OneOf(names.iter().map(|name| name.as_ref().into()).collect()),
        }
    }

    fn contain(&self, name: &str) -> bool {
        match self {
            Self::Any => true,
            Self::OneOf(names) => names.iter().any(|known| **known == *name),
        }
    }

    /// Whether the list contains `resource`, or `resource/subresource` if there is a subresource.
    fn contain_resource(&self, resource: &str, subresource: &str) -> bool {
        let is_it = |known: &str| {
            known
                .strip_prefix(resource)
                .and_then(|rest| rest.strip_prefix('/'))
                .is_some_and(|rest| rest == subresource)
        };
        match self {
            Self::Any => true,
            Self::OneOf(names) if !subresource.is_empty() => names.iter().any(|known| is_it(known)),
            Self::OneOf(_) => self.contain(resource),
        }
    }
}

/// A rule of a flow schema, prepared for matching.
#[derive(Clone, Debug)]
pub struct PolicyRule {
    /// The users that the rule is for.
    pub subjects: Vec<Subject>,
    /// Rules for resource requests.
    pub resource_rules: Vec<ResourceRule>,
    /// Rules for other requests.
    pub non_resource_rules: Vec<NonResourceRule>,
}

impl PolicyRule {
    /// Prepares the rule of an object.
    pub fn new(rule: &v1::PolicyRulesWithSubjects) -> Self {
        Self {
            subjects: rule.subjects.iter().map(Subject::new).collect(),
            resource_rules: rule.resource_rules.iter().map(ResourceRule::new).collect(),
            non_resource_rules: rule
                .non_resource_rules
                .iter()
                .map(NonResourceRule::new)
                .collect(),
        }
    }

    /// Whether a resource or non-resource rule matches the request; subjects are not checked.
    pub fn matches_request(&self, request: &RequestAttributes) -> bool {
        if request.is_resource_request {
            self.resource_rules
                .iter()
                .any(|rule| rule.mismatch(request).is_none())
        } else {
            self.non_resource_rules
                .iter()
                .any(|rule| rule.mismatch(request).is_none())
        }
    }
}

/// A rule for resource requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceRule {
    /// The verbs.
    pub verbs: Names,
    /// The API groups; the core group is the empty name.
    pub api_groups: Names,
    /// The resources, and subresources as `resource/subresource`.
    pub resources: Names,
    /// The namespaces.
    pub namespaces: Names,
    /// Whether requests without a namespace match.
    pub cluster_scope: bool,
}

impl ResourceRule {
    /// Prepares the rule of an object.
    pub fn new(rule: &v1::ResourcePolicyRule) -> Self {
        Self {
            verbs: Names::new(&rule.verbs),
            api_groups: Names::new(&rule.api_groups),
            resources: Names::new(&rule.resources),
            namespaces: Names::new(&rule.namespaces),
            cluster_scope: rule.cluster_scope.unwrap_or(false),
        }
    }

    /// The first mismatch, in the server's order of checks; `None` if the rule matches.
    pub(super) fn mismatch(&self, request: &RequestAttributes) -> Option<ResourceMismatch> {
        if !self.verbs.contain(&request.verb) {
            Some(ResourceMismatch::Verb)
        } else if !self
            .resources
            .contain_resource(&request.resource, &request.subresource)
        {
            Some(ResourceMismatch::Resource)
        } else if !self.api_groups.contain(&request.api_group) {
            Some(ResourceMismatch::ApiGroup)
        } else if request.namespace.is_empty() {
            (!self.cluster_scope).then_some(ResourceMismatch::ClusterScope)
        } else {
            (!self.namespaces.contain(&request.namespace)).then_some(ResourceMismatch::Namespace)
        }
    }
}

/// A rule for non-resource requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NonResourceRule {
    /// The verbs.
    pub verbs: Names,
    /// The paths.
    pub urls: Box<[Url]>,
}

impl NonResourceRule {
    /// Prepares the rule of an object.
    pub fn new(rule: &v1::NonResourcePolicyRule) -> Self {
        Self {
            verbs: Names::new(&rule.verbs),
            urls: rule
                .non_resource_urls
                .iter()
                .map(|url| Url::new(url))
                .collect(),
        }
    }

    /// The first mismatch; `None` if the rule matches.
    pub(super) fn mismatch(&self, request: &RequestAttributes) -> Option<NonResourceMismatch> {
        if !self.verbs.contain(&request.verb) {
            Some(NonResourceMismatch::Verb)
        } else {
            let matches = self.urls.iter().any(|url| url.matches(&request.path));
            (!matches).then_some(NonResourceMismatch::Url)
        }
    }
}

/// A path, or a path with everything below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Url {
    /// `*`: every path.
    Any,
    /// One path, and those below it.
    Path {
        /// The unchanged entry, which matches the same path.
        exact: Box<str>,
        /// The entry without its trailing `*` and with a trailing `/`, which matches all paths with this prefix.
        below: Box<str>,
    },
}

impl Url {
    /// Prepares an entry of `nonResourceURLs`.
    pub fn new(entry: &str) -> Self {
        if entry == "*" {
            return Self::Any;
        }
        let trunk = entry.strip_suffix('*').unwrap_or(entry);
        let slash = if trunk.ends_with('/') { "" } else { "/" };
        Self::Path {
            exact: entry.into(),
            below: format!("{trunk}{slash}").into(),
        }
    }

    fn matches(&self, path: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Path { exact, below } => path == &**exact || path.starts_with(&**below),
        }
    }
}
