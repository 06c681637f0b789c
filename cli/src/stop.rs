//! The signals that end a command which runs until it is stopped.

use crate::failure::Failure;

/// The signals that stop a server: Ctrl-C and SIGTERM.
pub(crate) struct Stop {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl Stop {
    /// Listens for the signals from now on.
    #[cfg(unix)]
    pub(crate) fn new() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        let listen = |kind| {
            signal(kind)
                .map_err(|error| Failure::input(format!("cannot listen for Ctrl-C: {error}")))
        };
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
        })
    }

    /// Returns when either comes.
    #[cfg(unix)]
    pub(crate) async fn wait(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn new() -> Result<Self, Failure> {
        Ok(Self {})
    }

    #[cfg(not(unix))]
    pub(crate) async fn wait(&mut self) {
        // If listening fails, Ctrl-C ends the process.
        let _ = tokio::signal::ctrl_c().await;
    }
}
