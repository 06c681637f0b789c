//! The processes that a plugin starts.

use std::io::{self, IsTerminal};
use tokio::process::{Child, Command};

/// The processes of a plugin, killed when it is dropped.
pub(crate) struct Group {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

impl Group {
    /// Starts a plugin in its own group.
    ///
    /// In a terminal it stays in the program's group, so that Ctrl-C ends both; only the plugin itself is killed then.
    pub(crate) fn spawn(command: &mut Command) -> io::Result<(Child, Self)> {
        command.kill_on_drop(true);
        #[cfg(unix)]
        {
            let own = !io::stdin().is_terminal();
            if own {
                command.process_group(0);
            }
            let child = command.spawn()?;
            let id = child.id().and_then(|id| i32::try_from(id).ok());
            let leader = id.and_then(rustix::process::Pid::from_raw);
            let leader = leader.filter(|_| own);
            Ok((child, Self { leader }))
        }
        #[cfg(not(unix))]
        Ok((command.spawn()?, Self {}))
    }

    /// Leaves the processes alone, because the plugin has ended.
    #[cfg_attr(not(unix), allow(unused_mut, reason = "there is nothing to release"))]
    pub(crate) fn release(mut self) {
        #[cfg(unix)]
        {
            self.leader = None;
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(leader) = self.leader {
            // It fails if all processes have ended.
            let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }
}
