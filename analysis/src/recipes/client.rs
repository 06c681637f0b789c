//! The clients that recipes are for.

use super::RecipeError;
use k8s_flowcontrol_rules::matching::{
    ANONYMOUS, SERVICE_ACCOUNTS, UNAUTHENTICATED, User, service_account_of,
};
use k8s_flowcontrol_types::api::v1::{
    GroupSubject, ServiceAccountSubject, Subject, SubjectKind, UserSubject,
};

/// A client, or several: the subject of a recipe's flow schema.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Client {
    /// The user with this name, in these groups and in the groups that a server adds, such as `system:authenticated`; `None` if the groups are unknown.
    User {
        /// The name.
        name: String,
        /// The groups.
        groups: Option<Vec<String>>,
    },
    /// All users of a group.
    Group(String),
    /// A service account. It is in the groups of its token.
    ServiceAccount {
        /// The namespace.
        namespace: String,
        /// The name.
        name: String,
    },
    /// All service accounts of a namespace.
    Namespace(String),
}

impl Client {
    /// A name for the objects of the client.
    pub(crate) fn slug(&self) -> String {
        slug(&self.text())
    }

    /// The name of a recipe's objects, or an error if none can be made of the client's name.
    pub(crate) fn object_name(&self, recipe: &str) -> Result<String, RecipeError> {
        object_name(recipe, &self.text())
    }

    fn text(&self) -> String {
        match self {
            Self::User { name, .. } => name.clone(),
            Self::Group(name) | Self::Namespace(name) => name.clone(),
            Self::ServiceAccount { namespace, name } => format!("{namespace}-{name}"),
        }
    }

    /// Whether it stands for several users, whose requests are separate flows.
    pub(crate) fn is_several(&self) -> bool {
        matches!(self, Self::Group(_) | Self::Namespace(_))
    }

    /// The subject of a rule.
    pub(crate) fn subject(&self) -> Subject {
        let account = |namespace: &str, name: &str| Subject {
            kind: SubjectKind::ServiceAccount,
            service_account: Some(ServiceAccountSubject {
                namespace: namespace.to_owned(),
                name: name.to_owned(),
                ..Default::default()
            }),
            ..Default::default()
        };
        match self {
            Self::User { name, .. } => Subject {
                kind: SubjectKind::User,
                user: Some(UserSubject {
                    name: name.clone(),
                    ..Default::default()
                }),
                ..Default::default()
            },
            Self::Group(name) => Subject {
                kind: SubjectKind::Group,
                group: Some(GroupSubject {
                    name: name.clone(),
                    ..Default::default()
                }),
                ..Default::default()
            },
            Self::ServiceAccount { namespace, name } => account(namespace, name),
            Self::Namespace(namespace) => account(namespace, "*"),
        }
    }

    /// The groups of the client; `None` if it may be in any.
    pub(super) fn groups(&self) -> Option<Vec<String>> {
        match self {
            Self::User { name, .. } if name == ANONYMOUS => Some(User::anonymous().groups),
            Self::User { name, groups } => match groups {
                Some(groups) => Some(User::authenticated(name, groups).groups),
                None => service_account_of(name).map(|_| User::named(name).groups),
            },
            // A user is never in both this group and system:authenticated.
            Self::Group(group) if group == UNAUTHENTICATED => Some(vec![group.clone()]),
            Self::Group(group) => {
                accounts_of(group).map(|namespace| User::service_account(namespace, ANY).groups)
            }
            Self::ServiceAccount { .. } | Self::Namespace(_) => Some(self.user().groups),
        }
    }

    /// A user of the client, with the groups that it certainly has.
    pub(crate) fn user(&self) -> User {
        match self {
            Self::User { name, .. } => match self.groups() {
                Some(groups) => User::new(name, groups),
                None => User::named(name),
            },
            Self::Group(group) if group == UNAUTHENTICATED => User::anonymous(),
            Self::Group(group) => match accounts_of(group) {
                Some(namespace) => User::service_account(namespace, ANY),
                None => User::authenticated("a-user-of-the-group", [group]),
            },
            Self::ServiceAccount { namespace, name } => User::service_account(namespace, name),
            Self::Namespace(namespace) => User::service_account(namespace, ANY),
        }
    }
}

/// A service account that stands for all of its namespace.
const ANY: &str = "any";

/// The namespace, for a group of the service accounts of one namespace: a server adds it to no other user.
fn accounts_of(group: &str) -> Option<&str> {
    group.strip_prefix(SERVICE_ACCOUNTS)?.strip_prefix(':')
}

/// The name of a recipe's objects for the client of this name.
pub(super) fn object_name(recipe: &str, client: &str) -> Result<String, RecipeError> {
    match slug(client) {
        slug if slug.is_empty() => Err(RecipeError::NoName {
            client: client.to_owned(),
        }),
        slug => Ok(format!("{recipe}-{slug}")),
    }
}

/// A text as a part of an object's name.
fn slug(text: &str) -> String {
    let lower = text.to_lowercase();
    let parts = lower.split(|c: char| !c.is_ascii_alphanumeric());
    let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
    let mut slug = parts.join("-");
    slug.truncate(100);
    slug.trim_end_matches('-').to_owned()
}
