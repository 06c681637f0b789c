//! The task that accepts connections, and restarts when the release changes.

use crate::connection::Connection;
use crate::http::{Context, respond, stopped};
use crate::locks::{read, write};
use crate::tls::Tls;
use k8s_flowcontrol_types::Release;
use std::sync::{Arc, RwLock};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};

/// The time that a stopping server waits for responses.
const GRACE: Duration = Duration::from_secs(1);
pub(crate) enum Command {
    Restart(Release, oneshot::Sender<()>),
    Stop,
}

pub(crate) struct Listening {
    pub(crate) context: Arc<RwLock<Context>>,
    pub(crate) listener: TcpListener,
    pub(crate) tls: Option<Tls>,
    /// Ends the present connections.
    pub(crate) stop: watch::Sender<bool>,
    pub(crate) passes: Option<Duration>,
    pub(crate) limits: ConnectionLimits,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionLimits {
    /// The maximum time between the start of a request's headers, or the previous response, and their end.
    pub(crate) header_timeout: Duration,
    /// The maximum number at the same time. Others wait until one ends.
    pub(crate) count: usize,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            header_timeout: Duration::from_secs(32),
            count: 4096,
        }
    }
}

impl Listening {
    /// Serves until the command to stop. Between two releases new connections wait.
    pub(crate) async fn run(mut self, mut commands: mpsc::Receiver<Command>) {
        loop {
            match self.serve(&mut commands).await {
                Command::Stop => return,
                Command::Restart(release, done) => {
                    self.restart(release);
                    // The receiver is gone if the caller gave up.
                    let _heard = done.send(());
                }
            }
        }
    }

    /// Serves until the next command, and returns after all connections have ended.
    async fn serve(&self, commands: &mut mpsc::Receiver<Command>) -> Command {
        let context = present(&self.context);
        let served = context.clone();
        let connection = Connection {
            respond: Arc::new(move |request| Box::pin(respond(served.clone(), request))),
            stopping: context.stopping.clone(),
            header_timeout: self.limits.header_timeout,
        };
        let mut connections = JoinSet::new();
        // The task of the passes is among them.
        let count = self.limits.count + usize::from(self.passes.is_some());
        if let Some(every) = self.passes {
            connections.spawn(run_passes(context.clone(), every));
        }
        let command = loop {
            tokio::select! {
                accepted = self.listener.accept(), if connections.len() < count => {
                    // A connection that failed before it began affects only its client. Without free file
                    // descriptors, accepting fails until one is free.
                    let Ok((stream, _)) = accepted else {
                        tokio::time::sleep(Duration::from_millis(50)).await;
                        continue;
                    };
                    connections.spawn(connection.clone().accept(stream, self.tls.clone()));
                }
                Some(_) = connections.join_next() => {}
                // Without a handle the server is not needed any more.
                command = commands.recv() => break command.unwrap_or(Command::Stop),
            }
        };
        self.stop.send_replace(true);
        // Watches end by themselves. Clients that do not read are disconnected after the grace period.
        let finished = async { while connections.join_next().await.is_some() {} };
        let _in_time = timeout(GRACE, finished).await;
        connections.shutdown().await;
        command
    }

    fn restart(&mut self, release: Release) {
        let old = present(&self.context);
        let state = old.state.restarted(release);
        if self.passes.is_some() {
            state.run_bootstrap_pass();
        }
        let (stop, stopping) = watch::channel(false);
        self.stop = stop;
        let context = Context {
            state: Arc::new(state),
            stopping,
            ..old
        };
        *write(&self.context) = context;
    }
}

pub(crate) fn present(context: &RwLock<Context>) -> Context {
    let context = read(context);
    context.clone()
}

async fn run_passes(mut context: Context, every: Duration) {
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // The first tick fires immediately, and the first pass already ran at the start.
    ticks.tick().await;
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = stopped(&mut context.stopping) => return,
        }
        context.state.run_bootstrap_pass();
    }
}
