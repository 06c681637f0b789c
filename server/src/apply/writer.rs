//! A write, as server-side apply sees it.

use crate::kinds::{Kind, Version};

/// A write by a manager, in a version, to an object or its subresource.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Writer<'a> {
    pub(crate) kind: &'a Kind,
    pub(crate) version: Version,
    pub(crate) manager: &'a str,
    pub(crate) subresource: &'a str,
    pub(crate) now: &'a str,
}
