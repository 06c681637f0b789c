//! Why a store is not ready.

use crate::Error;
use std::fmt;
use std::sync::Arc;

/// Why [`Store::wait_ready`](super::Store::wait_ready) did not wait any longer.
#[derive(Clone, Debug)]
pub struct Unready(Option<Arc<Error>>);

impl Unready {
    pub(super) fn stopped() -> Self {
        Self(None)
    }

    pub(super) fn refused(error: Arc<Error>) -> Self {
        Self(Some(error))
    }

    /// What the server said; `None` when the store's driver is gone.
    pub fn error(&self) -> Option<&Error> {
        self.0.as_deref()
    }
}

impl fmt::Display for Unready {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the copy of the server's objects is not complete: ")?;
        match self.error() {
            Some(error) => write!(f, "{error}; the store goes on trying"),
            None => f.write_str("its driver was dropped; keep it and poll it, or use Store::start"),
        }
    }
}

impl std::error::Error for Unready {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error().map(|error| error as _)
    }
}
