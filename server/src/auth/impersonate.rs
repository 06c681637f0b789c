//! Impersonation: the user that a request acts as.

use super::authorize::{Action, authorize, authorize_action};
use super::user::User;
use crate::status::{Failure, bad_request};
use k8s_flowcontrol_rules::matching::{
    ANONYMOUS, AUTHENTICATED, NODE_PREFIX, NODES, RequestAttributes, SERVICE_ACCOUNT_PREFIX,
    SERVICE_ACCOUNTS, UNAUTHENTICATED, service_account_of,
};
use k8s_flowcontrol_text::go::quote;
use k8s_flowcontrol_types::{Fact, Release};
use std::fmt::Write as _;

const USER: &str = "impersonate-user";
const GROUP: &str = "impersonate-group";
const UID: &str = "impersonate-uid";
const EXTRA: &str = "impersonate-extra-";
const AUTHENTICATION: &str = "authentication.k8s.io";

#[derive(Debug, PartialEq)]
pub(crate) enum ImpersonationError {
    /// The user may not impersonate, or since 1.36 the headers name no user.
    Failed(Failure),
    /// Before, headers without a user: the end of the message of an internal error.
    NoUser(String),
}

/// One attribute of the impersonated user: a name, a group, a UID or an extra field.
struct Claim {
    kind: &'static str,
    namespace: String,
    name: String,
    /// The key of an extra field.
    key: String,
}

impl Claim {
    fn new(kind: &'static str, name: &str) -> Self {
        Self {
            kind,
            namespace: String::new(),
            name: name.into(),
            key: String::new(),
        }
    }

    fn is_of_authentication(&self) -> bool {
        matches!(self.kind, "UserExtra" | "UID")
    }

    fn action(&self) -> Action<'_> {
        let resource = match self.kind {
            "ServiceAccount" => "serviceaccounts",
            "User" => "users",
            "Group" => "groups",
            "UserExtra" => "userextras",
            _ => "uids",
        };
        Action {
            verb: "impersonate",
            group: if self.is_of_authentication() {
                AUTHENTICATION
            } else {
                ""
            },
            resource,
            subresource: &self.key,
            namespace: &self.namespace,
            name: &self.name,
        }
    }

    /// The object reference as Go prints it.
    fn write(&self, text: &mut String) {
        let version = if self.is_of_authentication() {
            "authentication.k8s.io/v1"
        } else {
            ""
        };
        let Self {
            kind,
            namespace,
            name,
            key,
        } = self;
        // Writing to a string cannot fail.
        let _ok = write!(text, "{{{kind} {namespace} {name}  {version}  {key}}}");
    }
}

/// The user that a request acts as: the user named in its headers (names in lower case), or else its own. `request`
/// returns the attributes of the request.
/// Errors: when the user may not impersonate, or the headers name no user.
pub(crate) fn impersonate<'a>(
    user: User,
    headers: impl Iterator<Item = (&'a str, &'a str)> + Clone,
    request: impl FnOnce(&User) -> RequestAttributes,
    release: Release,
) -> Result<User, ImpersonationError> {
    let claims = claims(headers);
    if claims.is_empty() {
        return Ok(user);
    }
    let is_constrained = release.has(Fact::ConstrainedImpersonation);
    let is_user = |claim: &&Claim| matches!(claim.kind, "User" | "ServiceAccount");
    let Some(named) = claims.iter().find(is_user) else {
        if is_constrained {
            return Err(ImpersonationError::Failed(bad_request(format!(
                "requested {} without impersonating a user name",
                go_user(&claims)
            ))));
        }
        let mut text = String::from("requested [");
        for (index, claim) in claims.iter().enumerate() {
            if index > 0 {
                text.push(' ');
            }
            claim.write(&mut text);
        }
        text.push_str("] without impersonating a user");
        return Err(ImpersonationError::NoUser(text));
    };
    let mode = mode(named, claims.len() == 1).filter(|_| is_constrained);
    if let Some(mode) = mode {
        // The first error of a real server is about the request.
        let mut request = request(&user);
        request.verb = format!("impersonate-on:{mode}:{}", request.verb);
        authorize(&user, &request).map_err(ImpersonationError::Failed)?;
    }
    let mut other = User::default();
    for claim in &claims {
        authorize_action(&user, &claim.action()).map_err(ImpersonationError::Failed)?;
        let name = claim.name.clone();
        match claim.kind {
            "User" => other.name = name,
            "ServiceAccount" => {
                other.name = format!("{SERVICE_ACCOUNT_PREFIX}{}:{name}", claim.namespace);
            }
            "Group" => other.groups.push(name),
            "UserExtra" => other.extra.entry(claim.key.clone()).or_default().push(name),
            _ => other.uid = name,
        }
    }
    if other.groups.is_empty()
        && let Some(account) = claims.iter().find(|claim| claim.kind == "ServiceAccount")
    {
        other.groups = vec![
            SERVICE_ACCOUNTS.into(),
            format!("{SERVICE_ACCOUNTS}:{}", account.namespace),
        ];
    }
    if mode == Some(ARBITRARY_NODE) {
        other.groups.push(NODES.into());
    }
    let implied = if other.name == ANONYMOUS {
        UNAUTHENTICATED
    } else {
        AUTHENTICATED
    };
    if !other.is_in(implied) && !other.is_in(UNAUTHENTICATED) {
        other.groups.push(implied.into());
    }
    Ok(other)
}

const ARBITRARY_NODE: &str = "arbitrary-node";

/// The mode of a constrained impersonation; a node or service account with other attributes does not have one.
fn mode(named: &Claim, is_alone: bool) -> Option<&'static str> {
    let node = named.name.strip_prefix(NODE_PREFIX);
    let is_node = node.is_some_and(|name| {
        let is_valid = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.');
        !name.is_empty() && name.bytes().all(is_valid)
    });
    match named.kind {
        "ServiceAccount" => is_alone.then_some("serviceaccount"),
        _ if is_node => is_alone.then_some(ARBITRARY_NODE),
        _ => Some("user-info"),
    }
}

/// The user as Go prints it, without a name.
fn go_user(claims: &[Claim]) -> String {
    let list = |names: Vec<&Claim>| {
        let names: Vec<_> = names.iter().map(|claim| quote(&claim.name)).collect();
        format!("[]string{{{}}}", names.join(", "))
    };
    let of = |kind| claims.iter().filter(move |claim| claim.kind == kind);
    let uid = of("UID").next().map_or("", |claim| &claim.name);
    let groups = match of("Group").next() {
        Some(_) => list(of("Group").collect()),
        None => "[]string(nil)".into(),
    };
    let mut keys: Vec<_> = of("UserExtra").map(|claim| &claim.key).collect();
    keys.sort_unstable();
    keys.dedup();
    let extra = keys.iter().map(|key| {
        let values = of("UserExtra").filter(|claim| claim.key == **key);
        format!("{}:{}", quote(key), list(values.collect()))
    });
    let extra = match &extra.collect::<Vec<_>>()[..] {
        [] => "(nil)".into(),
        extra => format!("{{{}}}", extra.join(", ")),
    };
    format!(
        "&user.DefaultInfo{{Name:\"\", UID:{}, Groups:{groups}, Extra:map[string][]string{extra}}}",
        quote(uid)
    )
}

fn claims<'a>(headers: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> Vec<Claim> {
    let first = |wanted| {
        headers
            .clone()
            .find(|(name, _)| *name == wanted)
            .map(|(_, value)| value)
            .filter(|value| !value.is_empty())
    };
    let mut claims = Vec::new();
    if let Some(name) = first(USER) {
        claims.push(match service_account(name) {
            Some((namespace, account)) => Claim {
                namespace: namespace.into(),
                ..Claim::new("ServiceAccount", account)
            },
            None => Claim::new("User", name),
        });
    }
    for (header, value) in headers.clone() {
        if header == GROUP {
            claims.push(Claim::new("Group", value));
        }
    }
    for (header, value) in headers.clone() {
        if let Some(key) = header.strip_prefix(EXTRA) {
            claims.push(Claim {
                key: crate::query::decode(key),
                ..Claim::new("UserExtra", value)
            });
        }
    }
    if let Some(uid) = first(UID) {
        claims.push(Claim::new("UID", uid));
    }
    claims
}

fn service_account(name: &str) -> Option<(&str, &str)> {
    let (namespace, account) = service_account_of(name)?;
    let whole = !namespace.is_empty() && !account.is_empty() && !account.contains(':');
    whole.then_some((namespace, account))
}
