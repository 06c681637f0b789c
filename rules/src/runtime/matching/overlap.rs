//! Whether two rules can match the same request. `false` is certain, `true` may be wrong.

use super::{
    ANONYMOUS, Names, NonResourceRule, PolicyRule, ResourceRule, Subject, UNAUTHENTICATED, Url,
};

/// Whether a request may match both rules.
pub fn may_overlap(left: &PolicyRule, right: &PolicyRule) -> bool {
    any_pair(&left.subjects, &right.subjects, subjects_overlap)
        && (any_pair(
            &left.resource_rules,
            &right.resource_rules,
            ResourceRule::overlaps,
        ) || any_pair(
            &left.non_resource_rules,
            &right.non_resource_rules,
            NonResourceRule::overlaps,
        ))
}

fn any_pair<T>(left: &[T], right: &[T], test: impl Fn(&T, &T) -> bool) -> bool {
    left.iter()
        .any(|left| right.iter().any(|right| test(left, right)))
}

/// Any name can come with any groups, except the groups of users without credentials: in the certificate, from a proxy or through impersonation, also the
/// name of a service account.
fn subjects_overlap(left: &Subject, right: &Subject) -> bool {
    match (left, right) {
        (Subject::Nobody, _) | (_, Subject::Nobody) => false,
        (Subject::Everybody, _) | (_, Subject::Everybody) => true,
        (Subject::Group(left), Subject::Group(right)) => {
            left == right || (left != UNAUTHENTICATED && right != UNAUTHENTICATED)
        }
        (Subject::Group(group), user) | (user, Subject::Group(group)) => {
            let is_anonymous = matches!(user, Subject::User(name) if name == ANONYMOUS);
            (group == UNAUTHENTICATED) == is_anonymous
        }
        (Subject::User(left), Subject::User(right)) => left == right,
        (left, right) => match (left.service_account(), right.service_account()) {
            (Some((left, left_name)), Some((right, right_name))) => {
                left == right
                    && match (left_name, right_name) {
                        (Some(left), Some(right)) => left == right,
                        _ => true,
                    }
            }
            _ => false,
        },
    }
}

impl Names {
    fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Any, Self::Any) => true,
            (Self::Any, Self::OneOf(names)) | (Self::OneOf(names), Self::Any) => !names.is_empty(),
            (Self::OneOf(left), Self::OneOf(right)) => left.iter().any(|name| right.contains(name)),
        }
    }
}

impl ResourceRule {
    fn overlaps(&self, other: &Self) -> bool {
        self.verbs.overlaps(&other.verbs)
            && self.api_groups.overlaps(&other.api_groups)
            && self.resources.overlaps(&other.resources)
            && ((self.cluster_scope && other.cluster_scope)
                || self.namespaces.overlaps(&other.namespaces))
    }
}

impl NonResourceRule {
    fn overlaps(&self, other: &Self) -> bool {
        self.verbs.overlaps(&other.verbs)
            && any_pair(&self.urls, &other.urls, |left, right| match (left, right) {
                (Url::Any, _) | (_, Url::Any) => true,
                (
                    Url::Path {
                        exact: left,
                        below: left_below,
                    },
                    Url::Path {
                        exact: right,
                        below: right_below,
                    },
                ) => {
                    left == right
                        || left_below.starts_with(&**right_below)
                        || right_below.starts_with(&**left_below)
                }
            })
    }
}
