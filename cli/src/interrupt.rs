//! Ctrl-C for work that must stop between two steps.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that Ctrl-C sets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt {
    flag: Arc<AtomicBool>,
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

    /// The flag, for workers.
    pub(crate) fn flag(&self) -> &AtomicBool {
        &self.flag
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
