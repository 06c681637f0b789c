//! Acting as somebody else since servers ask more precisely who may: first for what is to be done and as
//! what kind of user, and only then as ever.
//!
//! Nobody but masters may either, so what differs is the refusal.

use super::authorize::authorize;
use super::impersonate::{self, EXTRA, GROUP, Refusal, UID, USER};
use super::user::User;
use crate::status::bad_request;
use k8s_flowcontrol_rules::matching::RequestAttributes;
use k8s_flowcontrol_types::Release;
use std::collections::BTreeMap;

/// The first minor release that asks more precisely.
const SINCE: u32 = 36;

/// As [`impersonate::impersonate`], with the refusals of `release`.
///
/// # Errors
/// When that may not be, or nobody is named.
pub(crate) fn impersonate<'a>(
    user: User,
    headers: impl Iterator<Item = (&'a str, &'a str)> + Clone,
    request: &RequestAttributes,
    release: Release,
) -> Result<User, Refusal> {
    if release.minor() < SINCE {
        return impersonate::impersonate(user, headers);
    }
    let wanted = Wanted::new(headers.clone());
    let mode = wanted.mode();
    let asker = user.clone();
    impersonate::impersonate(user, headers).map_err(|refusal| match (refusal, mode) {
        (Refusal::Senseless(_), _) => {
            let wanted = wanted.as_go();
            let why = format!("requested {wanted} without impersonating a user name");
            Refusal::Refused(bad_request(why))
        }
        (refusal, Some(mode)) => {
            let verb = format!("impersonate-on:{mode}:{}", request.verb);
            let request = RequestAttributes {
                verb,
                ..request.clone()
            };
            authorize(&asker, &request).map_or_else(Refusal::Refused, |()| refusal)
        }
        (refusal, None) => refusal,
    })
}

/// Whom a request names.
#[derive(Default)]
struct Wanted<'a> {
    name: &'a str,
    uid: &'a str,
    groups: Vec<&'a str>,
    extra: BTreeMap<String, Vec<&'a str>>,
}

impl<'a> Wanted<'a> {
    fn new(headers: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut wanted = Self::default();
        for (header, value) in headers {
            match header {
                USER if wanted.name.is_empty() => wanted.name = value,
                UID if wanted.uid.is_empty() => wanted.uid = value,
                GROUP => wanted.groups.push(value),
                _ => {
                    if let Some(key) = header.strip_prefix(EXTRA) {
                        let key = crate::query::decode(key);
                        wanted.extra.entry(key).or_default().push(value);
                    }
                }
            }
        }
        wanted
    }

    /// The kind of user; of nodes and service accounts nothing but the name may be wanted.
    fn mode(&self) -> Option<&'static str> {
        let special = if self.name.starts_with("system:node:") {
            "arbitrary-node"
        } else if impersonate::service_account(self.name).is_some() {
            "serviceaccount"
        } else {
            return Some("user-info");
        };
        let bare = self.uid.is_empty() && self.groups.is_empty() && self.extra.is_empty();
        bare.then_some(special)
    }

    /// As Go writes it in a program.
    fn as_go(&self) -> String {
        let list = |values: &[&str]| {
            let values: Vec<_> = values.iter().map(|value| format!("{value:?}")).collect();
            format!("[]string{{{}}}", values.join(", "))
        };
        let groups = match self.groups.as_slice() {
            [] => "[]string(nil)".to_owned(),
            groups => list(groups),
        };
        let extra = if self.extra.is_empty() {
            "map[string][]string(nil)".to_owned()
        } else {
            let entries = self.extra.iter();
            let entries = entries.map(|(key, values)| format!("{key:?}:{}", list(values)));
            let entries: Vec<_> = entries.collect();
            format!("map[string][]string{{{}}}", entries.join(", "))
        };
        format!(
            "&user.DefaultInfo{{Name:{:?}, UID:{:?}, Groups:{groups}, Extra:{extra}}}",
            self.name, self.uid
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(user: User, headers: &[(&str, &str)], minor: u32) -> String {
        let release = Release::new(minor).unwrap();
        let path = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
        let request = user.attributes("GET", path);
        match impersonate(user, headers.iter().copied(), &request, release).unwrap_err() {
            Refusal::Refused(failure) => format!("{} {}", failure.code(), failure.message()),
            Refusal::Senseless(why) => format!("500 {why}"),
        }
    }

    #[test]
    fn who_may_not_is_told_what_was_asked_first() {
        let bob = User {
            name: "bob".into(),
            ..User::default()
        };
        let cannot = |headers: &[_], minor| {
            let refusal = refusal(bob.clone(), headers, minor);
            let (_, rest) = refusal.split_once("cannot ").unwrap();
            rest.split(" in ").next().unwrap().to_owned()
        };
        let alice = [("impersonate-user", "alice")];
        assert_eq!(cannot(&alice, 35), "impersonate resource \"users\"");
        assert_eq!(
            cannot(&alice, 36),
            "impersonate-on:user-info:list resource \"flowschemas\""
        );
        let account = ("impersonate-user", "system:serviceaccount:a:b");
        let expected = "impersonate-on:serviceaccount:list resource \"flowschemas\"";
        assert_eq!(cannot(&[account], 36), expected);
        let group = ("impersonate-group", "g");
        let expected = "impersonate resource \"serviceaccounts\"";
        assert_eq!(cannot(&[account, group], 36), expected);
    }

    #[test]
    fn a_group_needs_a_user() {
        let headers = [("impersonate-group", "g"), ("impersonate-extra-a", "b")];
        assert_eq!(
            refusal(User::master(), &headers, 36),
            "400 requested &user.DefaultInfo{Name:\"\", UID:\"\", Groups:[]string{\"g\"}, \
             Extra:map[string][]string{\"a\":[]string{\"b\"}}} without impersonating a user name"
        );
    }
}
