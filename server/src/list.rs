//! Lists: which objects, as of when, and how many at a time.

mod options;
mod token;

pub(crate) use options::{At, ListOptions, WatchOptions, revision};
pub(crate) use token::Token;

use crate::status::{Failure, expired, expired_continue, internal};
use crate::store::{Object, Store};
use std::ops::Bound;

/// A list, or a part of one.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) items: Vec<Object>,
    pub(crate) revision: u64,
    /// Where the next page begins.
    pub(crate) token: Option<String>,
    pub(crate) remaining: Option<usize>,
}

/// Why there is no list.
#[derive(Debug)]
pub(crate) enum Unlisted {
    /// It cannot be had.
    Failed(Failure),
    /// It is of a time to come.
    NotYet(u64),
}

/// Lists the objects of a kind.
///
/// # Errors
/// [`Unlisted`], when the time that is asked for is forgotten or has not come.
pub(crate) fn list(store: &Store, kind: usize, options: &ListOptions) -> Result<Page, Unlisted> {
    let now = store.revision();
    match options.at {
        At::Now => {}
        At::NotOlderThan(revision) if revision > now => return Err(Unlisted::NotYet(revision)),
        At::NotOlderThan(_) => {}
        At::Exactly(revision) if revision > now => {
            return Err(if options.future_is_internal {
                let message = "etcdserver: mvcc: required revision is a future revision";
                Unlisted::Failed(internal(message))
            } else {
                Unlisted::NotYet(revision)
            });
        }
        At::Exactly(revision) => {
            let Ok(objects) = store.objects_at(kind, revision) else {
                return Err(Unlisted::Failed(too_old(options)));
            };
            let objects = objects.range::<str, _>(from(options));
            return Ok(page(objects, revision, options));
        }
    }
    let start = options.start.as_deref().unwrap_or_default();
    let objects = store
        .objects(kind)
        .filter(|(name, _)| name.as_str() >= start);
    Ok(page(objects, now, options))
}

fn from(options: &ListOptions) -> (Bound<&str>, Bound<&str>) {
    let start = options
        .start
        .as_deref()
        .map_or(Bound::Unbounded, Bound::Included);
    (start, Bound::Unbounded)
}

fn too_old(options: &ListOptions) -> Failure {
    match &options.start {
        // The token goes on from the same place, but in the present.
        Some(start) => expired_continue(
            Token {
                revision: -1,
                start: start.clone(),
            }
            .to_text(),
        ),
        None => expired("The resourceVersion for the provided list is too old."),
    }
}

fn page<'a>(
    objects: impl Iterator<Item = (&'a String, &'a Object)>,
    revision: u64,
    options: &ListOptions,
) -> Page {
    let mut page = Page {
        items: Vec::new(),
        revision,
        token: None,
        remaining: None,
    };
    let mut objects = objects.peekable();
    while let Some((name, object)) = objects.next() {
        if options.selector.matches(object) {
            page.items.push(object.clone());
        }
        if options.limit.is_some_and(|limit| page.items.len() >= limit) && objects.peek().is_some()
        {
            let start = format!("{name}\0");
            let revision = i64::try_from(revision).unwrap_or(i64::MAX);
            page.token = Some(Token { revision, start }.to_text());
            // What a selector leaves of the rest is not counted.
            page.remaining = options.selector.is_everything().then(|| objects.count());
            break;
        }
    }
    page
}
