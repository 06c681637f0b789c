//! Whether one rule or subject matches every request that another rule or subject matches.
//!
//! `true` is certain, `false` may be wrong. Every user is assumed to be in `system:authenticated` or
//! `system:unauthenticated`, and every service account in its token's groups.

use super::{
    AUTHENTICATED, Names, NonResourceRule, PolicyRule, ResourceRule, SERVICE_ACCOUNT_PREFIX,
    SERVICE_ACCOUNTS, Subject, UNAUTHENTICATED, Url,
};

/// Maximum number of combinations of single names into which a rule is split.
const MOST_PIECES: usize = 512;

/// Whether the `earlier` rules together match every request that `rule` matches.
pub fn is_covered(rule: &PolicyRule, earlier: &[&PolicyRule]) -> bool {
    single_subjects(&rule.subjects).iter().all(|subject| {
        let mut resource_rules: Vec<&ResourceRule> = Vec::new();
        let mut non_resource_rules: Vec<&NonResourceRule> = Vec::new();
        for other in earlier {
            if other.subjects.iter().any(|wide| covers(wide, subject)) {
                resource_rules.extend(&other.resource_rules);
                non_resource_rules.extend(&other.non_resource_rules);
            }
        }
        rule.resource_rules
            .iter()
            .all(|policy| policy.is_covered(&resource_rules))
            && rule
                .non_resource_rules
                .iter()
                .all(|policy| policy.is_covered(&non_resource_rules))
    })
}

/// The subjects, with "every user" split into the two groups of all users.
fn single_subjects(subjects: &[Subject]) -> Vec<Subject> {
    let mut single = Vec::new();
    for subject in subjects {
        match subject {
            Subject::Everybody => {
                single.push(Subject::Group(AUTHENTICATED.to_owned()));
                single.push(Subject::Group(UNAUTHENTICATED.to_owned()));
            }
            Subject::Nobody => {}
            subject => single.push(subject.clone()),
        }
    }
    single
}

/// Whether `wide` matches every user that `narrow` matches.
fn covers(wide: &Subject, narrow: &Subject) -> bool {
    if *wide == Subject::Everybody || wide == narrow {
        return true;
    }
    match (wide, narrow) {
        (Subject::Group(wide), narrow) => match wide.as_str() {
            AUTHENTICATED => !narrow.is_unauthenticated(),
            UNAUTHENTICATED => narrow.is_unauthenticated(),
            wide => accounts_group(wide).is_some_and(|wide| {
                namespace_of(narrow)
                    .is_some_and(|namespace| wide.is_none_or(|wide| wide == namespace))
            }),
        },
        (Subject::ServiceAccount { namespace, name }, narrow) => match narrow.service_account() {
            Some((other, account)) => {
                other == namespace
                    && name
                        .as_deref()
                        .is_none_or(|name| account.is_some_and(|account| account == name))
            }
            None => false,
        },
        (Subject::User(user), narrow) => {
            narrow
                .service_account()
                .is_some_and(|(namespace, account)| {
                    account.is_some_and(|account| {
                        *user == format!("{SERVICE_ACCOUNT_PREFIX}{namespace}:{account}")
                    })
                })
        }
        _ => false,
    }
}

/// The namespace of a group of service accounts; `Some(None)` for the group of all service accounts.
fn accounts_group(group: &str) -> Option<Option<&str>> {
    let rest = group.strip_prefix(SERVICE_ACCOUNTS)?;
    if rest.is_empty() {
        Some(None)
    } else {
        rest.strip_prefix(':').map(Some)
    }
}

/// The namespace, for a subject that matches only service accounts of one namespace.
fn namespace_of(subject: &Subject) -> Option<&str> {
    match subject {
        Subject::Group(group) => accounts_group(group)?,
        subject => subject.service_account().map(|(namespace, _)| namespace),
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
        wide.iter().any(|wide| wide.covers(self)) || self.is_covered_in_pieces(wide)
    }

    /// Whether each combination of single names is covered; `false` if there are too many.
    fn is_covered_in_pieces(&self, wide: &[&Self]) -> bool {
        let [verbs, groups, resources, namespaces] = [
            &self.verbs,
            &self.api_groups,
            &self.resources,
            &self.namespaces,
        ]
        .map(Names::pieces);
        // Requests without a namespace are a separate combination.
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
            .fold(1, usize::saturating_mul);
        if count > MOST_PIECES {
            return false;
        }
        let mut piece = self.clone();
        for verbs in verbs {
            piece.verbs = verbs;
            for api_groups in &groups {
                piece.api_groups = api_groups.clone();
                for resources in &resources {
                    piece.resources = resources.clone();
                    for (namespaces, cluster_scope) in &places {
                        piece.namespaces = namespaces.clone();
                        piece.cluster_scope = *cluster_scope;
                        if !wide.iter().any(|wide| wide.covers(&piece)) {
                            return false;
                        }
                    }
                }
            }
        }
        true
    }
}

impl NonResourceRule {
    fn is_covered(&self, wide: &[&Self]) -> bool {
        // Verb by verb and URL by URL, because different rules may match them.
        self.verbs.is_empty()
            || self.verbs.pieces().iter().all(|verb| {
                self.urls.iter().all(|url| {
                    wide.iter().any(|wide| {
                        wide.verbs.covers(verb) && wide.urls.iter().any(|wide| wide.covers(url))
                    })
                })
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
