//! The parameters of lists and watches, and their valid combinations.

use super::Token;
use crate::query::Query;
use crate::selector::{ParsedSelector, Selector};
use crate::status::{Cause, Failure, bad_request, internal, invalid};
use k8s_flowcontrol_text::go::{parse_uint, quote};
use k8s_flowcontrol_types::{Fact, Release};
use std::time::Duration;

/// Longer timeouts are shortened to this.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The revision of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    Now,
    NotOlderThan(u64),
    Exactly(u64),
}

#[derive(Clone, Debug)]
pub(crate) struct ListOptions {
    pub(crate) selector: Selector,
    pub(crate) at: At,
    pub(crate) limit: Option<usize>,
    /// The smallest name to list, from a `continue` token.
    pub(crate) start: Option<String>,
    /// Whether an exact revision in the future is an internal error, as before 1.30.
    pub(crate) future_is_internal: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct WatchOptions {
    pub(crate) selector: Selector,
    /// The resource version after which events are sent; when absent or 0, the present objects come first.
    pub(crate) after: Option<u64>,
    /// The least resource version of the initial events; 0 without one.
    pub(crate) at_least: u64,
    /// Whether the present objects come first.
    pub(crate) initial_events: bool,
    /// Whether a bookmark ends the initial events.
    pub(crate) initial_bookmark: bool,
    pub(crate) bookmarks: bool,
    pub(crate) timeout: Option<Duration>,
}

impl ListOptions {
    /// Errors: 400 for malformed values, 422 for invalid combinations.
    pub(crate) fn parse(query: &Query, release: Release) -> Result<Self, Failure> {
        Self::read(query, release, false)
    }

    /// The parameters of the list that a deletion of a collection makes. Since 1.28 a server lists in pages, also without a limit.
    /// Errors: as of [`Self::parse`].
    pub(crate) fn of_deletion(query: &Query, release: Release) -> Result<Self, Failure> {
        Self::read(query, release, release.has(Fact::DeletesInPages))
    }

    fn read(query: &Query, release: Release, in_pages: bool) -> Result<Self, Failure> {
        query.integer("timeoutSeconds")?;
        let limit = query.integer("limit")?.unwrap_or_default();
        let in_pages = limit > 0 || (in_pages && limit == 0);
        let limit = usize::try_from(limit).ok().filter(|limit| *limit > 0);
        let selector = ParsedSelector::of(query, release)?;
        check(list_problems(query, release))?;
        let selector = selector.checked()?;
        let mut options = Self {
            selector,
            at: At::Now,
            limit,
            start: None,
            future_is_internal: !release.has(Fact::VersionErrorsAreTheClients),
        };
        let version = query.text("resourceVersion");
        let exact = query.text("resourceVersionMatch") == "Exact";
        let token = query.text("continue");
        if !token.is_empty() {
            let token = Token::parse(token).map_err(bad_request)?;
            if !matches!(version, "" | "0") {
                return Err(bad_request(
                    "specifying resource version is not allowed when using continue",
                ));
            }
            options.at = u64::try_from(token.revision).map_or(At::Now, At::Exactly);
            options.start = Some(token.start);
        } else if version == "0" {
            // The watch cache serves this list, without pages.
            options.limit = None;
        } else if !version.is_empty() {
            let from_storage = exact || in_pages;
            let revision = revision(version).map_err(|why| {
                if from_storage || release.has(Fact::VersionErrorsAreTheClients) {
                    bad_request(format!("invalid resource version: {why}"))
                } else {
                    internal(why)
                }
            })?;
            let unmatched = query.text("resourceVersionMatch").is_empty();
            options.at = if exact || (unmatched && in_pages) {
                At::Exactly(revision)
            } else {
                At::NotOlderThan(revision)
            };
        }
        Ok(options)
    }
}

impl WatchOptions {
    /// Errors: 400 for malformed values, 422 for invalid combinations.
    pub(crate) fn parse(query: &Query, release: Release) -> Result<Self, Failure> {
        let timeout = query.integer("timeoutSeconds")?.unwrap_or_default();
        query.integer("limit")?;
        let selector = ParsedSelector::of(query, release)?;
        let streams_lists = streams_lists(release);
        // Without this parameter, a request to a deprecated `/watch/` path is checked as a list.
        let says_watch = query.is_set("watch");
        check(match says_watch {
            true => watch_problems(query, release),
            false => list_problems(query, release),
        })?;
        let selector = selector.checked()?;
        let version = query.text("resourceVersion");
        let after = match version {
            "" | "0" => None,
            version => Some(revision(version).map_err(internal)?),
        };
        let bookmarks = query.is_set("allowWatchBookmarks");
        let wanted = query.flag("sendInitialEvents");
        let wanted = wanted.filter(|_| release.has(Fact::SendInitialEvents));
        Ok(Self {
            selector,
            after: after.filter(|_| wanted != Some(true)),
            at_least: after.filter(|_| wanted == Some(true)).unwrap_or_default(),
            initial_events: wanted.unwrap_or(after.is_none()),
            initial_bookmark: bookmarks
                && streams_lists
                && wanted.unwrap_or(says_watch && after.is_none()),
            bookmarks,
            // A negative timeout has passed.
            timeout: (timeout != 0).then(|| {
                Duration::from_secs(u64::try_from(timeout).unwrap_or_default()).min(LONGEST)
            }),
        })
    }
}

/// Whether the watches of a release can begin with a list.
fn streams_lists(release: Release) -> bool {
    release.has(Fact::WatchListTrial) || release.has(Fact::WatchList)
}

/// Errors: Go's message for text that is not a resource version.
pub(crate) fn revision(text: &str) -> Result<u64, String> {
    parse_uint(text)
        .map_err(|why| format!("resourceVersion: Invalid value: {}: {why}", quote(text)))
}

fn check(causes: Vec<Cause>) -> Result<(), Failure> {
    if causes.is_empty() {
        return Ok(());
    }
    Err(invalid("ListOptions", "meta.k8s.io", "", causes))
}

const MATCH: &str = "resourceVersionMatch";

fn list_problems(query: &Query, release: Release) -> Vec<Cause> {
    let mut causes = match_problems(query);
    if query.get("sendInitialEvents").is_some() && release.has(Fact::SendInitialEvents) {
        let why = "sendInitialEvents is forbidden for list";
        causes.push(Cause::forbidden("sendInitialEvents", why));
    }
    causes
}

fn match_problems(query: &Query) -> Vec<Cause> {
    let mut causes = Vec::new();
    let how = query.text(MATCH);
    if how.is_empty() {
        return causes;
    }
    let version = query.text("resourceVersion");
    if version.is_empty() {
        causes.push(Cause::forbidden(
            MATCH,
            "resourceVersionMatch is forbidden unless resourceVersion is provided",
        ));
    }
    causes.extend(continued(query));
    match how {
        "Exact" if version == "0" => causes.push(Cause::forbidden(
            MATCH,
            "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
        )),
        "Exact" | "NotOlderThan" => {}
        other => causes.push(Cause::unsupported(
            MATCH,
            &quote(other),
            "\"Exact\", \"NotOlderThan\", \"\"",
        )),
    }
    causes
}

fn continued(query: &Query) -> Option<Cause> {
    let why = "resourceVersionMatch is forbidden when continue is provided";
    (!query.text("continue").is_empty()).then(|| Cause::forbidden(MATCH, why))
}

fn watch_problems(query: &Query, release: Release) -> Vec<Cause> {
    let how = query.text(MATCH);
    let mut causes = Vec::new();
    if !release.has(Fact::SendInitialEvents) {
        if !how.is_empty() {
            let why = "resourceVersionMatch is forbidden for watch";
            causes.push(Cause::forbidden(MATCH, why));
            causes.extend(match_problems(query));
        }
        return causes;
    }
    let asked = query.get("sendInitialEvents").is_some();
    if asked && how != "NotOlderThan" {
        causes.push(Cause::forbidden(
            MATCH,
            "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
        ));
    }
    if asked && !streams_lists(release) {
        causes.push(Cause::forbidden(
            "sendInitialEvents",
            "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled",
        ));
    }
    if how.is_empty() {
        let version = query.text("resourceVersion");
        // Servers with streaming lists turn such a watch into a request for them, with a match.
        if !asked && streams_lists(release) && matches!(version, "" | "0") {
            causes.extend(continued(query));
        }
        return causes;
    }
    if !asked {
        causes.push(Cause::forbidden(
            MATCH,
            "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
        ));
    }
    if how != "NotOlderThan" {
        causes.push(Cause::unsupported(MATCH, &quote(how), "\"NotOlderThan\""));
    }
    causes.extend(continued(query));
    causes
}
