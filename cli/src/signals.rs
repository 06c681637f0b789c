//! The signals that end a command: Ctrl-C and SIGTERM.

use crate::failure::Failure;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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

/// A flag that Ctrl-C sets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt {
    pub(crate) flag: Arc<AtomicBool>,
}

impl Interrupt {
    /// Starts listening. The first Ctrl-C sets the flag, the second one ends the program.
    pub(crate) fn listen() -> Self {
        let interrupt = Self::default();
        let flag = Arc::clone(&interrupt.flag);
        // If the thread cannot start, Ctrl-C ends the program at once, which also leaves no partial file.
        let _ = std::thread::Builder::new()
            .name("interrupt".into())
            .spawn(move || wait(&flag));
        interrupt
    }

    /// Whether Ctrl-C was pressed.
    pub(crate) fn came(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }
}

fn wait(flag: &AtomicBool) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let Ok(runtime) = runtime else { return };
    runtime.block_on(async {
        let mut is_first = true;
        while tokio::signal::ctrl_c().await.is_ok() {
            if !is_first {
                std::process::exit(130);
            }
            is_first = false;
            flag.store(true, Ordering::Relaxed);
        }
    });
}
