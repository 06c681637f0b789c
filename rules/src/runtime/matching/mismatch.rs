//! The reasons why a rule does not match a request.

use std::fmt;

/// The reason why a rule does not match.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleMismatch {
    /// No subject matches the user.
    Subjects,
    /// The request is a resource request and none of `resourceRules` matches; has the mismatch of each.
    ResourceRules(Vec<ResourceMismatch>),
    /// The request is a non-resource request and none of `nonResourceRules` matches; has the mismatch of each.
    NonResourceRules(Vec<NonResourceMismatch>),
}

/// The first part of a resource request that does not match a resource rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResourceMismatch {
    /// The verb.
    Verb,
    /// The resource, or the resource with its subresource.
    Resource,
    /// The API group.
    ApiGroup,
    /// The request is without a namespace and the rule is without `clusterScope`.
    ClusterScope,
    /// The namespace.
    Namespace,
}

/// The first part of a non-resource request that does not match a non-resource rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NonResourceMismatch {
    /// The verb.
    Verb,
    /// The path.
    Url,
}

impl fmt::Display for RuleMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (list, whys): (_, Vec<&str>) = match self {
            Self::Subjects => return f.write_str("is for other subjects"),
            Self::ResourceRules(whys) => (
                "resourceRules",
                whys.iter().map(|why| why.as_str()).collect(),
            ),
            Self::NonResourceRules(whys) => (
                "nonResourceRules",
                whys.iter().map(|why| why.as_str()).collect(),
            ),
        };
        if whys.is_empty() {
            return write!(f, "has no {list}");
        }
        for (number, why) in whys.iter().enumerate() {
            let comma = if number == 0 { "" } else { ", " };
            write!(f, "{comma}{list}[{number}] {why}")?;
        }
        Ok(())
    }
}

impl ResourceMismatch {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Verb => "is for other verbs",
            Self::Resource => "is for other resources",
            Self::ApiGroup => "is for other API groups",
            Self::ClusterScope => "has no clusterScope",
            Self::Namespace => "is for other namespaces",
        }
    }
}

impl NonResourceMismatch {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Verb => "is for other verbs",
            Self::Url => "is for other URLs",
        }
    }
}
