//! How far an abandoned attempt has come, for its error.

use crate::error::Reached;
use http::StatusCode;
use std::sync::atomic::{AtomicU16, Ordering};

/// 0 without credentials, 1 once the request may have been sent, and then the code of the response.
#[derive(Debug, Default)]
pub(crate) struct Progress(AtomicU16);

impl Progress {
    /// There are credentials, and the request is sent.
    pub(crate) fn sent(&self) {
        self.0.store(1, Ordering::Relaxed);
    }

    /// The head of the response has arrived.
    pub(crate) fn answered(&self, code: StatusCode) {
        self.0.store(code.as_u16(), Ordering::Relaxed);
    }

    pub(crate) fn reached(&self) -> Reached {
        match self.0.load(Ordering::Relaxed) {
            0 => Reached::Nothing,
            1 => Reached::Sent,
            code => Reached::Head(code),
        }
    }
}
