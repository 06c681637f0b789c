//! Whether one thing takes every request that another would take.
//!
//! The answers are on the safe side: "covers" is said only when it is certain, given that every user is
//! in `system:authenticated` or `system:unauthenticated` and every service account in the groups of its
//! token.

use super::context::PolicyRule;
use crate::analysis::matching::{
    ANONYMOUS, AUTHENTICATED, Names, NonResourceRule, ResourceRule, SERVICE_ACCOUNT_PREFIX,
    SERVICE_ACCOUNTS, Subject, UNAUTHENTICATED, Url,
};

/// A rule is taken apart into single names only when that gives no more pieces than this.
const MOST_PIECES: usize = 512;

/// Whether rules that are tried earlier take everything that `rule` would take.
pub(super) fn is_covered(rule: &PolicyRule, earlier: &[&PolicyRule]) -> bool {
    single_subjects(&rule.subjects).all(|subject| {
        let fitting: Vec<&&PolicyRule> = earlier
            .iter()
            .filter(|other| other.subjects.iter().any(|wide| covers(wide, &subject)))
            .collect();
        let resource_rules: Vec<&ResourceRule> = fitting
            .iter()
            .flat_map(|other| &other.resource_rules)
            .collect();
        let non_resource_rules: Vec<&NonResourceRule> = fitting
            .iter()
            .flat_map(|other| &other.non_resource_rules)
            .collect();
        rule.resource_rules
            .iter()
            .all(|policy| policy.is_covered(&resource_rules))
            && rule
                .non_resource_rules
                .iter()
                .all(|policy| policy.is_covered(&non_resource_rules))
    })
}

/// The subjects, everybody taken apart into the two groups of all users.
fn single_subjects(subjects: &[Subject]) -> impl Iterator<Item = Subject> {
    subjects.iter().flat_map(|subject| match subject {
        Subject::Everybody => vec![
            Subject::Group(AUTHENTICATED.to_owned()),
            Subject::Group(UNAUTHENTICATED.to_owned()),
        ],
        Subject::Nobody => vec![],
        subject => vec![subject.clone()],
    })
}

/// Whether `wide` matches every user that `narrow` matches.
fn covers(wide: &Subject, narrow: &Subject) -> bool {
    if *wide == Subject::Everybody || wide == narrow {
        return true;
    }
    match (wide, narrow) {
        (Subject::Group(wide), narrow) => match wide.as_str() {
            AUTHENTICATED => !is_unauthenticated(narrow),
            UNAUTHENTICATED => is_unauthenticated(narrow),
            wide => accounts_group(wide).is_some_and(|wide| {
                namespace_of(narrow)
                    .is_some_and(|namespace| wide.is_none_or(|wide| wide == namespace))
            }),
        },
        (Subject::ServiceAccount { namespace, name }, narrow) => match account_of(narrow) {
            Some((other, account)) => {
                other == namespace
                    && name
                        .as_deref()
                        .is_none_or(|name| account.is_some_and(|account| account == name))
            }
            None => false,
        },
        (Subject::User(user), narrow) => account_of(narrow).is_some_and(|(namespace, account)| {
            account.is_some_and(|account| {
                *user == format!("{SERVICE_ACCOUNT_PREFIX}{namespace}:{account}")
            })
        }),
        _ => false,
    }
}

fn is_unauthenticated(subject: &Subject) -> bool {
    match subject {
        Subject::User(name) => name == ANONYMOUS,
        Subject::Group(name) => name == UNAUTHENTICATED,
        _ => false,
    }
}

/// For a group of service accounts: the namespace, or `None` inside for all.
fn accounts_group(group: &str) -> Option<Option<&str>> {
    let rest = group.strip_prefix(SERVICE_ACCOUNTS)?;
    if rest.is_empty() {
        Some(None)
    } else {
        rest.strip_prefix(':').map(Some)
    }
}

/// The namespace of a subject that only service accounts of one match.
fn namespace_of(subject: &Subject) -> Option<&str> {
    match subject {
        Subject::Group(group) => accounts_group(group)?,
        subject => account_of(subject).map(|(namespace, _)| namespace),
    }
}

/// Namespace and name of a subject that is a service account; no name for all of a namespace.
pub(super) fn account_of(subject: &Subject) -> Option<(&str, Option<&str>)> {
    match subject {
        Subject::ServiceAccount { namespace, name } => Some((namespace, name.as_deref())),
        Subject::User(user) => {
            let (namespace, name) = user.strip_prefix(SERVICE_ACCOUNT_PREFIX)?.split_once(':')?;
            Some((namespace, Some(name)))
        }
        _ => None,
    }
}

impl Names {
    fn covers(&self, narrow: &Self) -> bool {
        match (self, narrow) {
            (Self::Any, _) => true,
            (Self::OneOf(_), Self::Any) => false,
            (Self::OneOf(wide), Self::OneOf(narrow)) => {
                narrow.iter().all(|name| wide.contains(name))
            }
        }
    }

    fn pieces(&self) -> Vec<Self> {
        match self {
            Self::Any => vec![Self::Any],
            Self::OneOf(names) => names
                .iter()
                .map(|name| Self::OneOf([name.clone()].into()))
                .collect(),
        }
    }

    fn is_empty(&self) -> bool {
        matches!(self, Self::OneOf(names) if names.is_empty())
    }
}

impl ResourceRule {
    fn covers(&self, narrow: &Self) -> bool {
        self.verbs.covers(&narrow.verbs)
            && self.api_groups.covers(&narrow.api_groups)
            && self.resources.covers(&narrow.resources)
            && self.namespaces.covers(&narrow.namespaces)
            && (self.cluster_scope || !narrow.cluster_scope)
    }

    fn is_covered(&self, wide: &[&Self]) -> bool {
        wide.iter().any(|wide| wide.covers(self))
            || self.pieces().is_some_and(|pieces| {
                pieces
                    .iter()
                    .all(|piece| wide.iter().any(|wide| wide.covers(piece)))
            })
    }

    /// The rule taken apart into rules with one name in each list; `None` when they were too many.
    fn pieces(&self) -> Option<Vec<Self>> {
        let [verbs, groups, resources, namespaces] = [
            &self.verbs,
            &self.api_groups,
            &self.resources,
            &self.namespaces,
        ]
        .map(Names::pieces);
        // Requests without a namespace are a piece of their own.
        let nowhere = Names::OneOf([].into());
        let mut places: Vec<(Names, bool)> = namespaces
            .into_iter()
            .map(|namespace| (namespace, false))
            .collect();
        if self.cluster_scope {
            places.push((nowhere, true));
        }
        let count = [verbs.len(), groups.len(), resources.len(), places.len()]
            .into_iter()
            .try_fold(1_usize, usize::checked_mul)?;
        if count > MOST_PIECES {
            return None;
        }
        let mut pieces = Vec::with_capacity(count);
        for verbs in &verbs {
            for api_groups in &groups {
                for resources in &resources {
                    for (namespaces, cluster_scope) in &places {
                        pieces.push(Self {
                            verbs: verbs.clone(),
                            api_groups: api_groups.clone(),
                            resources: resources.clone(),
                            namespaces: namespaces.clone(),
                            cluster_scope: *cluster_scope,
                        });
                    }
                }
            }
        }
        Some(pieces)
    }
}

impl NonResourceRule {
    fn is_covered(&self, wide: &[&Self]) -> bool {
        // Verb by verb and URL by URL, as different rules may take them.
        self.verbs.is_empty()
            || self.verbs.pieces().iter().all(|verb| {
                let mut fitting = wide
                    .iter()
                    .filter(|wide| wide.verbs.covers(verb))
                    .peekable();
                let urls: Vec<&Url> = match fitting.peek() {
                    Some(_) => fitting.flat_map(|wide| wide.urls.iter()).collect(),
                    None => return self.urls.is_empty(),
                };
                self.urls
                    .iter()
                    .all(|url| urls.iter().any(|wide| wide.covers(url)))
            })
    }
}

impl Url {
    fn covers(&self, narrow: &Self) -> bool {
        match (self, narrow) {
            (Self::Any, _) => true,
            (Self::Path { .. }, Self::Any) => false,
            (
                Self::Path { exact, below },
                Self::Path {
                    exact: path,
                    below: paths,
                },
            ) => (exact == path || path.starts_with(&**below)) && paths.starts_with(&**below),
        }
    }
}
