//! Objects whose stored form differs from the form that the present release would store.

use super::object::Object;
use k8s_flowcontrol_types::Release;

/// An object as a release stored it: in hub form, by the rules of that release.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) release: Release,
    pub(crate) object: Object,
}

/// A stored object, as another release decodes it.
#[derive(Debug)]
pub(crate) enum Found {
    /// The release would store it in the same form.
    Current(Object),
    /// The release decodes it, but would store it in another form.
    Older(Object),
    /// The release does not know the version in which the object is stored.
    Unreadable,
}
