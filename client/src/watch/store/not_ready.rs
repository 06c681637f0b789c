//! The error of a store that is not ready.

use crate::Error;
use std::fmt;
use std::sync::Arc;

/// The error of [`Store::wait_ready`](super::Store::wait_ready): the copy of the server's objects is not complete.
#[derive(Clone, Debug)]
pub struct StoreNotReady(Option<Arc<Error>>);

impl StoreNotReady {
    /// With the failure of the list, or `None` when the driver was dropped.
    pub(super) fn new(error: Option<Arc<Error>>) -> Self {
        Self(error)
    }

    /// The failure of the list; `None` when the store's driver was dropped.
    pub fn error(&self) -> Option<&Error> {
        self.0.as_deref()
    }
}

impl fmt::Display for StoreNotReady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the copy of the server's objects is not complete: ")?;
        match self.error() {
            Some(error) => write!(f, "{error}; the store tries again"),
            None => f.write_str("the driver was dropped; keep it and poll it, or use Store::start"),
        }
    }
}

impl std::error::Error for StoreNotReady {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error().map(|error| error as _)
    }
}
