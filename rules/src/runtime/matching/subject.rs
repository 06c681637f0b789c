//! Subjects of rules.

use super::{
    ANONYMOUS, AUTHENTICATED, SERVICE_ACCOUNT_PREFIX, SERVICE_ACCOUNTS, UNAUTHENTICATED,
    service_account_of,
};
use k8s_flowcontrol_types::api::v1;

/// A subject of a rule, prepared for matching.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Every user.
    Everybody,
    /// The user with this name.
    User(String),
    /// All users in the group with this name.
    Group(String),
    /// A service account.
    ServiceAccount {
        /// The namespace.
        namespace: String,
        /// The name; `None` for all service accounts of the namespace.
        name: Option<String>,
    },
    /// Matches no user: an inconsistent subject, which validation rejects.
    Nobody,
}

impl Subject {
    /// Prepares the subject of an object.
    pub fn new(subject: &v1::Subject) -> Self {
        let everybody_or = |name: &str, make: fn(String) -> Self| {
            if name == "*" {
                Self::Everybody
            } else {
                make(name.to_owned())
            }
        };
        match &subject.kind {
            v1::SubjectKind::User => subject
                .user
                .as_ref()
                .map(|user| everybody_or(&user.name, Self::User)),
            v1::SubjectKind::Group => subject
                .group
                .as_ref()
                .map(|group| everybody_or(&group.name, Self::Group)),
            v1::SubjectKind::ServiceAccount => {
                subject
                    .service_account
                    .as_ref()
                    .map(|account| Self::ServiceAccount {
                        namespace: account.namespace.clone(),
                        name: (account.name != "*").then(|| account.name.clone()),
                    })
            }
            _ => None,
        }
        .unwrap_or(Self::Nobody)
    }

    /// Whether the subject includes all users.
    pub fn is_everybody(&self) -> bool {
        match self {
            Self::Everybody => true,
            Self::Group(group) => matches!(group.as_str(), AUTHENTICATED | UNAUTHENTICATED),
            _ => false,
        }
    }

    /// Whether the subject includes most users or all service accounts.
    pub fn is_wide(&self) -> bool {
        self.is_everybody() || matches!(self, Self::Group(group) if group == SERVICE_ACCOUNTS)
    }

    /// Whether the subject includes only users without credentials.
    pub fn is_unauthenticated(&self) -> bool {
        match self {
            Self::User(name) => name == ANONYMOUS,
            Self::Group(name) => name == UNAUTHENTICATED,
            _ => false,
        }
    }

    /// Namespace and name of a service account, which can also be named as a user. The name is `None` for all service
    /// accounts of the namespace.
    pub fn service_account(&self) -> Option<(&str, Option<&str>)> {
        match self {
            Self::ServiceAccount { namespace, name } => Some((namespace, name.as_deref())),
            Self::User(user) => {
                service_account_of(user).map(|(namespace, name)| (namespace, Some(name)))
            }
            _ => None,
        }
    }

    /// Whether the subject includes the user.
    pub fn matches(&self, user: &super::User) -> bool {
        match self {
            Self::Everybody => true,
            Self::User(name) => user.name == *name,
            Self::Group(name) => user.groups.contains(name),
            Self::ServiceAccount { namespace, name } => user
                .name
                .strip_prefix(SERVICE_ACCOUNT_PREFIX)
                .and_then(|rest| rest.strip_prefix(namespace.as_str()))
                .and_then(|rest| rest.strip_prefix(':'))
                .is_some_and(|rest| name.as_ref().is_none_or(|name| rest == name)),
            Self::Nobody => false,
        }
    }
}
