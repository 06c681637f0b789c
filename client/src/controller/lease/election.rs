//! A candidate that waits for the lease.

use super::candidate::Observed;
use super::coordination_v1::Lease;
use crate::request::http_request::remaining;
use crate::{Api, Client, Error};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// How much later than their deadline requests may end.
const GRACE: Duration = Duration::from_millis(50);

/// A candidate for the leadership, which is a Lease of `coordination.k8s.io/v1`.
///
/// It works with candidates that use client-go or other libraries: it takes a Lease that does not have a holder, or whose holder has not
/// renewed it for the Lease's duration. Clocks may differ as far as they like, since a candidate measures that time by its own clock, from
/// the moment at which it sees a change. They must not run at very different speeds: a holder stops after the renew deadline, before
/// others wait no longer.
///
/// The service account needs `get`, `create` and `update` for `leases`.
///
/// ```no_run
/// use k8s_flowcontrol::controller::Election;
///
/// # async fn work() {}
/// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
/// let pod = std::env::var("HOSTNAME").unwrap_or_default();
/// let leadership = Election::new(&client, "my-system", "my-controller", pod).acquire().await?;
/// // Others may lead from the moment at which `lost` is ready.
/// tokio::select! {
///     lost = leadership.lost() => eprintln!("{lost}"),
///     () = work() => leadership.release().await?,
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Election {
    leases: Api<Lease>,
    name: String,
    identity: String,
    pub(super) lease_duration: Duration,
    pub(super) renew_deadline: Duration,
    pub(super) retry_period: Duration,
}

impl Election {
    /// A candidate for the Lease `name` in a namespace. The identity must be different for each candidate, such as the name of the pod;
    /// with an empty one, [`acquire`](Self::acquire) is an error.
    ///
    /// Others take the Lease 15 s after it was last renewed. The leader renews it every 2 s, and gives up 10 s after the last success.
    pub fn new(
        client: &Client,
        namespace: &str,
        name: impl Into<String>,
        identity: impl Into<String>,
    ) -> Self {
        Self {
            leases: client.namespaced_api(namespace),
            name: name.into(),
            identity: identity.into(),
            lease_duration: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry_period: Duration::from_secs(2),
        }
    }

    /// Other times: the duration of the Lease in whole seconds (rounded up), the time after which a leader without success gives up,
    /// and the pause between two attempts.
    ///
    /// Each is made shorter, if necessary, so that a leader gives up before others take the Lease: the deadline is at most nine tenths of
    /// the duration, and the pause at most half of the deadline. A request takes at most half of the deadline, too.
    #[must_use]
    pub fn with_times(
        mut self,
        lease_duration: Duration,
        renew_deadline: Duration,
        retry_period: Duration,
    ) -> Self {
        let shortest = Duration::from_millis(1);
        // The number of seconds in a Lease has 32 bits.
        let longest = Duration::from_secs(i32::MAX as u64);
        self.lease_duration = lease_duration.clamp(Duration::from_secs(1), longest);
        self.renew_deadline = renew_deadline.min(self.lease_duration.mul_f64(0.9));
        self.renew_deadline = self.renew_deadline.max(2 * shortest);
        self.retry_period = retry_period.min(self.renew_deadline / 2).max(shortest);
        self
    }

    /// The identity of this candidate.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Takes or renews the Lease until the deadline. Returns whether this candidate holds it now; `None` if it was not done by then.
    pub(super) async fn attempt(
        &self,
        observed: &mut Observed,
        deadline: Instant,
    ) -> Option<Result<bool, Error>> {
        // The requests end at the deadline with the failure before it; a plugin that asks a person does not.
        let attempt = self.take_or_renew(observed, deadline);
        timeout_at(deadline + GRACE, attempt).await.ok()
    }

    async fn take_or_renew(
        &self,
        observed: &mut Observed,
        deadline: Instant,
    ) -> Result<bool, Error> {
        if self.identity.is_empty() {
            let lease = &self.name;
            let problem =
                "the identity of a candidate is empty, as that of a lease without a holder";
            let message = format!("lease `{lease}`: {problem}; use the name of the pod");
            return Err(Error::argument(message));
        }
        // The leader knows the Lease: it is written without being read.
        if observed.holder() == Some(&*self.identity) {
            match self.write(observed, deadline).await {
                Err(error) if error.is_conflict() || error.is_not_found() => {}
                written => return written.map(|()| true),
            }
        }
        let limit = self.within(deadline);
        match self.leases.get_opt(&self.name).timeout(limit).await? {
            Some(lease) => observed.see(lease, Instant::now()),
            None => *observed = Observed::nothing(),
        }
        if !observed.is_free_for(&self.identity, Instant::now()) {
            return Ok(false);
        }
        match self.write(observed, deadline).await {
            Ok(()) => Ok(true),
            // Another candidate was faster.
            Err(error) if error.is_conflict() || error.is_already_exists() => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn write(&self, observed: &mut Observed, deadline: Instant) -> Result<(), Error> {
        let lease = observed.claimed(&self.name, &self.identity, self.lease_duration);
        let limit = self.within(deadline);
        let written = match &observed.lease {
            None => self.leases.create(&lease).timeout(limit).await?,
            Some(_) => self.leases.replace(&lease).timeout(limit).await?,
        };
        observed.see(written, Instant::now());
        Ok(())
    }

    /// Writes that nobody holds the Lease, unless somebody else holds it. Later than after the renew deadline it would be of no use.
    pub(super) async fn give_up(&self, observed: &mut Observed) -> Result<(), Error> {
        let deadline = Instant::now() + self.renew_deadline;
        let mut repetitions = 0..2;
        while let Some(lease) = observed.released(&self.identity) {
            let limit = self.within(deadline);
            match self.leases.replace(&lease).timeout(limit).await {
                // An abandoned renewal may have reached the server.
                Err(error) if error.is_conflict() && repetitions.next().is_some() => {
                    let limit = self.within(deadline);
                    match self.leases.get_opt(&self.name).timeout(limit).await? {
                        Some(lease) => observed.see(lease, Instant::now()),
                        None => break,
                    }
                }
                Err(error) if error.is_not_found() => break,
                written => return written.map(drop),
            }
        }
        Ok(())
    }

    /// The time for a request: that of the client, but not longer than to the deadline, and half of the renew deadline, so that a dead
    /// connection leaves time for another one, as in client-go.
    fn within(&self, deadline: Instant) -> Duration {
        let half = self.renew_deadline / 2;
        let of_client = self.leases.client().timeout().unwrap_or(half);
        of_client.min(half).min(remaining(deadline))
    }

    pub(super) fn lease_name(&self) -> &str {
        &self.name
    }
}
