//! The requests of the load, and what became of them.

use crate::cluster::{Answer, Cluster};
use crate::support::Failure;
use k8s_flowcontrol_analysis::audit::{AuditLog, Event};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// The time in which the requests of the load without a log are sent.
const DURATION: Duration = Duration::from_secs(6);
/// The pauses of the two users between requests, which do not depend on responses.
const PAUSES: [Duration; 2] = [Duration::from_millis(36), Duration::from_millis(180)];

/// The most requests of a load, and its longest time: a cluster gets no more.
const MOST: usize = 2000;
const LONGEST: Duration = Duration::from_secs(60);

/// The users and times of requests, sorted by time.
pub(crate) struct Load {
    pub(crate) requests: Vec<(usize, Duration)>,
}

/// A request that was answered.
pub(crate) struct Sent {
    /// The index of its user.
    pub(crate) user: usize,
    /// When the load has the request, from the start.
    planned: Duration,
    /// When it was sent, from the start.
    pub(crate) at: Duration,
    /// How long the response took.
    pub(crate) took: Duration,
    pub(crate) is_rejected: bool,
}

impl Sent {
    /// How long after its time the request was sent.
    pub(crate) fn late(&self) -> Duration {
        self.at.saturating_sub(self.planned)
    }
}

impl Load {
    /// The requests of the users in an audit log, at its times.
    pub(crate) fn of_log(log: &[u8], users: &[String]) -> Result<Self, Failure> {
        let mut found = Vec::new();
        let mut audit_log = AuditLog::new();
        let mut add = |event: &Event<'_>| {
            let user = event.attributes().user.name;
            let user = users.iter().position(|name| *name == user);
            if let (Some(user), Some(at)) = (user, event.received_us()) {
                found.push((user, at));
            }
            Ok::<(), std::io::Error>(())
        };
        audit_log.read(log, &mut add)?;
        audit_log.finish(&mut add)?;
        let Some(first) = found.iter().map(|(_, at)| *at).min() else {
            return Err(format!("the audit log has no request of {}", users.join(" or ")).into());
        };
        let at = |at: i64| Duration::from_micros(at.abs_diff(first));
        let mut requests: Vec<_> = found.iter().map(|(user, us)| (*user, at(*us))).collect();
        requests.sort_by_key(|(_, time)| *time);
        let last = requests.last().map(|(_, time)| *time).unwrap_or_default();
        if requests.len() > MOST || last > LONGEST {
            return Err(format!(
                "the audit log has {} requests in {} s; at most {MOST} in {} s are sent",
                requests.len(),
                last.as_secs(),
                LONGEST.as_secs()
            )
            .into());
        }
        Ok(Self { requests })
    }

    pub(crate) fn new() -> Self {
        let mut requests = Vec::new();
        for (user, pause) in PAUSES.into_iter().enumerate() {
            let times = (1..).map(|number| pause * number);
            requests.extend(
                times
                    .take_while(|time| *time < DURATION)
                    .map(|time| (user, time)),
            );
        }
        requests.sort_by_key(|(_, time)| *time);
        Self { requests }
    }

    /// Sends each request at its time, without waiting for responses and without retries, and returns them in the order in which they were sent.
    pub(crate) async fn send(self, cluster: &Cluster) -> Result<Vec<Sent>, Failure> {
        let start = Instant::now();
        let mut running = JoinSet::new();
        for (user, planned) in self.requests {
            let request = cluster.request(user);
            running.spawn(async move {
                tokio::time::sleep_until(start + planned).await;
                let at = start.elapsed();
                let answer = request.await?;
                let sent = Sent {
                    user,
                    planned,
                    at,
                    took: start.elapsed() - at,
                    is_rejected: matches!(answer, Answer::Rejected),
                };
                Ok::<_, Failure>(sent)
            });
        }
        let mut sent = Vec::new();
        while let Some(request) = running.join_next().await {
            sent.push(request??);
        }
        sent.sort_by_key(|request| request.at);
        Ok(sent)
    }
}
