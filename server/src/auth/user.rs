//! Who sends a request.

use std::collections::BTreeMap;

/// The group that may do everything.
pub(crate) const MASTERS: &str = "system:masters";
/// The group of everybody who proved who they are.
pub(crate) const AUTHENTICATED: &str = "system:authenticated";
/// The group of everybody else.
pub(crate) const UNAUTHENTICATED: &str = "system:unauthenticated";
/// The name of everybody else.
pub(crate) const ANONYMOUS: &str = "system:anonymous";

/// Whom a request counts for: after impersonation. It is an extension of every request that is served.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct User {
    pub(crate) name: String,
    pub(crate) uid: String,
    pub(crate) groups: Vec<String>,
    pub(crate) extra: BTreeMap<String, Vec<String>>,
}

impl User {
    /// Whom requests count for when the server knows no tokens.
    pub(crate) fn master() -> Self {
        Self::named("system:admin", [MASTERS, AUTHENTICATED])
    }

    /// Whom requests without a token count for.
    pub(crate) fn anonymous() -> Self {
        Self::named(ANONYMOUS, [UNAUTHENTICATED])
    }

    pub(crate) fn named<const N: usize>(name: impl Into<String>, groups: [&str; N]) -> Self {
        Self {
            name: name.into(),
            groups: groups.map(str::to_owned).into(),
            ..Self::default()
        }
    }

    pub(crate) fn is_in(&self, group: &str) -> bool {
        self.groups.iter().any(|one| one == group)
    }
}
