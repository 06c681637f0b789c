//! A running server and its connections.

use crate::connections::{Command, Listening, present};
use crate::faults::Fault;
use crate::http::Context;
use crate::kubeconfig::kubeconfig;
use crate::start_error::{Cause, StartError};
use crate::state::RecordedRequest;
use crate::tls::Tls;
use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, RwLock};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;

/// A running API server. Dropping it stops it and closes its connections.
pub struct ApiServer {
    /// What the requests see; an upgrade replaces it.
    context: Arc<RwLock<Context>>,
    address: SocketAddr,
    tls: Option<Tls>,
    commands: mpsc::Sender<Command>,
    task: JoinHandle<()>,
}

impl ApiServer {
    pub(crate) fn launch(
        context: Context,
        listener: TcpListener,
        address: SocketAddr,
        tls: Option<Tls>,
        stop: watch::Sender<bool>,
        passes: Option<Duration>,
    ) -> Self {
        if passes.is_some() {
            context.state.run_bootstrap_pass();
        }
        let context = Arc::new(RwLock::new(context));
        let (commands, received) = mpsc::channel(1);
        let listening = Listening {
            context: context.clone(),
            listener,
            tls: tls.clone(),
            stop,
            passes,
        };
        let task = tokio::spawn(listening.run(received));
        Self {
            context,
            address,
            tls,
            commands,
            task,
        }
    }

    fn context(&self) -> Context {
        present(&self.context)
    }

    /// Where the server is, such as `http://127.0.0.1:41234`; `https` with [TLS](Builder::tls).
    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// The port of 127.0.0.1 on which the server listens.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// A kubeconfig in YAML whose only context is this server: with its certificate authority, if it speaks
    /// HTTPS, and the token of the first user of `system:masters`, if it knows tokens.
    pub fn kubeconfig(&self) -> String {
        let tokens = self.context().tokens;
        let token = tokens.as_ref().and_then(|tokens| tokens.main());
        // Clients that find no credentials for HTTPS ask a person for them; without tokens any will do.
        let token = token.or(self.tls.is_some().then_some("anybody"));
        kubeconfig(&self.url(), self.ca_pem(), token)
    }

    /// The certificate of the authority that signed the server's, in PEM, if the server speaks HTTPS.
    pub fn ca_pem(&self) -> Option<&str> {
        self.tls.as_ref().map(Tls::ca_pem)
    }

    /// Lets something go wrong with the next requests, after the faults that are still to happen.
    pub fn inject(&self, fault: Fault) {
        self.context().faults.add(fault);
    }

    /// How many requests are still to meet a fault: 0 when all have happened.
    pub fn pending_faults(&self) -> usize {
        self.context().faults.pending()
    }

    /// Forgets the faults that are still to happen.
    pub fn clear_faults(&self) {
        self.context().faults.clear();
    }

    /// The requests that arrived so far, if the server [records](Builder::record_requests) them.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.context().state.recorded()
    }

    /// Forgets all past states, as a real server does after some minutes: older resource versions and
    /// `continue` tokens are expired from then on.
    pub fn expire_history(&self) {
        self.context().state.write(|store| store.expire_history());
    }

    /// Looks after the built-in objects now, as the server does by itself once a minute: makes those
    /// that are missing, mends those that it is to keep, and deletes strangers that carry the annotation.
    pub fn run_bootstrap_pass(&self) {
        self.context().state.run_bootstrap_pass();
    }

    /// Restarts the server as one of another Kubernetes release, such as `1.31`, on the same objects: what
    /// a tool meets when a cluster is upgraded, or downgraded.
    ///
    /// The address, the certificate authority, the tokens and the faults stay as they are. As with a real
    /// restart, watches and connections end, resource versions go on, and watches and lists of the past
    /// find their versions expired. When this returns the server is ready, and it has looked after its
    /// built-in objects once, if it does that at all.
    ///
    /// Objects stay in the version in which they were last written: the one in which that release
    /// [stores](k8s_flowcontrol_types::Release::stored) them. Any write stores an object anew, also one that changes nothing, and
    /// then drops from `metadata.managedFields` the entries of versions that are not served any more. A
    /// release older than the version of an object cannot read it: such an object answers with 500, every
    /// list that meets it too, and the server's controllers stand still.
    ///
    /// # Errors
    /// [`StartError`] when the release is not known; the server goes on as it was.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use k8s_flowcontrol_server::ApiServer;
    ///
    /// let server = ApiServer::builder().kubernetes("1.28").start().await?;
    /// let url = server.url();
    /// // ... the tool under test writes its objects in v1beta2 ...
    /// server.upgrade("1.29").await?;
    /// // ... and finds v1beta2 gone, its objects in v1beta3 and v1, under the same address.
    /// assert_eq!(server.url(), url);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn upgrade(&self, release: impl AsRef<str>) -> Result<(), StartError> {
        let release = release.as_ref().parse().map_err(Cause::Release)?;
        let (done, restarted) = oneshot::channel();
        let command = Command::Restart(release, done);
        if self.commands.send(command).await.is_err() || restarted.await.is_err() {
            return Err(Cause::Stopped.into());
        }
        Ok(())
    }

    /// Stops the server and waits until its connections are closed.
    pub async fn stop(mut self) {
        // Both only fail when the task is gone, and then it has stopped as well.
        let _told = self.commands.send(Command::Stop).await;
        let _ended = (&mut self.task).await;
    }
}

impl Drop for ApiServer {
    fn drop(&mut self) {
        // The connections are tasks of that task and go with it.
        self.task.abort();
    }
}

impl fmt::Debug for ApiServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiServer")
            .field("url", &self.url())
            .field("kubernetes", &self.context().state.kinds.release())
            .finish_non_exhaustive()
    }
}
