//! The part of a cluster that a diagnosis is about.

use k8s_flowcontrol_rules::matching::User;
use std::fmt;

/// The part of a cluster that a diagnosis is about, and the names in its findings. Defaults to everything, with all names.
#[derive(Clone, Copy, Default)]
pub struct Scope<'a> {
    /// Only the priority levels of this user's requests, and the requests themselves.
    pub user: Option<&'a User>,
    /// Whether the user may be in groups that `user` does not contain, because they are unknown. Then every priority
    /// level counts that the user might get through a group.
    pub any_groups: bool,
    /// Only this priority level.
    pub level: Option<&'a str>,
    /// The text that replaces a name in findings; defaults to the name.
    pub rename: Option<&'a dyn Fn(PrivateName<'_>) -> String>,
}

/// A name in a request, which may be private.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PrivateName<'a> {
    /// The name of a user.
    User(&'a str),
    /// The name of a namespace.
    Namespace(&'a str),
}

impl Scope<'_> {
    /// The text for a name.
    pub(super) fn name(&self, name: PrivateName<'_>) -> String {
        match (self.rename, name) {
            (Some(rename), name) => rename(name),
            (None, PrivateName::User(name) | PrivateName::Namespace(name)) => name.to_owned(),
        }
    }
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope")
            .field("user", &self.user)
            .field("any_groups", &self.any_groups)
            .field("level", &self.level)
            .finish_non_exhaustive()
    }
}
