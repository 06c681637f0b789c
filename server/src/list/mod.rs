//! Lists: the objects of a kind, at a revision, in pages.

mod continue_token;
mod options;

pub(crate) use continue_token::Token;
pub(crate) use options::{At, ListOptions, WatchOptions, revision};

use crate::kinds::Kind;
use crate::status::{Failure, expired, expired_continue, internal};
use crate::store::{Object, Store, Stored};
use crate::upgrade::unreadable;
use std::ops::Bound;

/// A list, or a page of it.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) items: Vec<Object>,
    pub(crate) revision: u64,
    /// The `continue` token of the next page.
    pub(crate) token: Option<String>,
    pub(crate) remaining: Option<usize>,
}

/// Lists the objects of a kind.
/// Errors: for an exact revision that is expired or in the future, and for an object on the page that cannot be decoded.
pub(crate) fn list(store: &Store, kind: &Kind, options: &ListOptions) -> Result<Page, Failure> {
    let now = store.revision();
    let start = options.start.as_deref().unwrap_or_default();
    let unread = Unread {
        kind,
        objects: store
            .unreadable(kind.index)
            .filter(|(name, _)| name.as_str() >= start)
            .collect(),
    };
    if let At::Exactly(revision) = options.at {
        if revision > now {
            return Err(internal(
                "etcdserver: mvcc: required revision is a future revision",
            ));
        }
        let objects = store
            .objects_at(kind.index, revision)
            .map_err(|_| too_old(options))?;
        let objects = objects.range::<str, _>(from(options));
        return page(objects, &unread, revision, options);
    }
    let objects = store
        .objects(kind.index)
        .filter(|(name, _)| name.as_str() >= start);
    page(objects, &unread, now, options)
}

/// The objects of a list that cannot be decoded. A page with such an object fails.
struct Unread<'a> {
    kind: &'a Kind,
    objects: Vec<(&'a String, &'a Stored)>,
}

impl Unread<'_> {
    /// Errors: a failure if any of them precedes `next`, or exists at all without a next object.
    fn check(&self, next: Option<&String>) -> Result<(), Failure> {
        match self.objects.first() {
            Some((name, stored)) if next.is_none_or(|next| next > *name) => {
                Err(unreadable(self.kind, stored))
            }
            _ => Ok(()),
        }
    }
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
        // The new token continues at the same name, but at the present revision.
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
    unread: &Unread<'_>,
    revision: u64,
    options: &ListOptions,
) -> Result<Page, Failure> {
    let mut page = Page {
        items: Vec::new(),
        revision,
        token: None,
        remaining: None,
    };
    let mut objects = objects.peekable();
    loop {
        unread.check(objects.peek().map(|(name, _)| *name))?;
        let Some((name, object)) = objects.next() else {
            break;
        };
        if options.selector.matches(object) {
            page.items.push(object.clone());
        }
        let goes_on = objects.peek().is_some() || !unread.objects.is_empty();
        if goes_on && options.limit.is_some_and(|limit| page.items.len() >= limit) {
            let start = format!("{name}\0");
            let revision = i64::try_from(revision).unwrap_or(i64::MAX);
            page.token = Some(Token { revision, start }.to_text());
            // The rest of a filtered list is not counted.
            page.remaining = options
                .selector
                .is_everything()
                .then(|| objects.count() + unread.objects.len());
            break;
        }
    }
    Ok(page)
}
