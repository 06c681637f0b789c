//! What lies in storage in another form than the present release would write.

use super::Object;
use k8s_flowcontrol_types::Release;

/// An object as a release wrote it: in hub form, by that release's rules.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) release: Release,
    pub(crate) object: Object,
}

/// What a release makes of a stored object.
#[derive(Debug)]
pub(crate) enum Found {
    /// It would write it the same way.
    Current(Object),
    /// It reads it, but would write it in another form.
    Older(Object),
    /// It does not know the version in which the object is stored.
    Unreadable,
}
