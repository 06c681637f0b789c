//! The state of a candidate of a lease, and its decisions. Without I/O.

use super::coordination_v1::{Lease, LeaseSpec};
use crate::meta::MicroTime;
use std::time::{Duration, SystemTime};
use tokio::time::Instant;

/// The lease as it was last seen.
///
/// The times in a lease are of its holder's clock, which may differ from ours. So they are not compared with our clock: a lease is
/// expired when it has not changed for its duration, measured from the moment at which we saw it first.
#[derive(Clone, Debug)]
pub(super) struct Observed {
    pub(super) lease: Option<Lease>,
    since: Instant,
}

impl Observed {
    pub(super) fn nothing() -> Self {
        Self {
            lease: None,
            since: Instant::now(),
        }
    }

    /// Takes note of the lease on the server.
    pub(super) fn see(&mut self, lease: Lease, now: Instant) {
        let spec = |lease: &Lease| lease.spec.clone();
        let is_same = self.lease.as_ref().map(spec) == Some(spec(&lease));
        if !is_same {
            self.since = now;
        }
        self.lease = Some(lease);
    }

    /// The holder of the lease; `None` while nobody holds it.
    pub(super) fn holder(&self) -> Option<&str> {
        let holder = self.spec()?.holder_identity.as_deref()?;
        Some(holder).filter(|holder| !holder.is_empty())
    }

    /// Until when the holder's lease is valid.
    pub(super) fn valid_until(&self) -> Instant {
        let seconds = self.spec().and_then(|spec| spec.lease_duration_seconds);
        let seconds = u32::try_from(seconds.unwrap_or_default()).unwrap_or_default();
        self.since + Duration::from_secs(seconds.into())
    }

    /// Whether a candidate may take the lease.
    pub(super) fn is_free_for(&self, identity: &str, now: Instant) -> bool {
        match self.holder() {
            None => true,
            Some(holder) => holder == identity || self.valid_until() <= now,
        }
    }

    /// The lease with a new holder, or renewed by the same one.
    pub(super) fn claimed(&self, name: &str, identity: &str, duration: Duration) -> Lease {
        let mut lease = self.lease.clone().unwrap_or_else(|| {
            let mut lease = Lease::default();
            lease.metadata.name = Some(name.to_owned());
            lease
        });
        let is_new = self.lease.is_none();
        let is_renewed = self.holder() == Some(identity);
        let now = MicroTime::from(SystemTime::now());
        let spec = lease.spec.get_or_insert_default();
        if !is_renewed {
            spec.acquire_time = Some(now.clone());
            let before = spec.lease_transitions.unwrap_or_default();
            spec.lease_transitions = Some(before.saturating_add(i32::from(!is_new)));
        }
        spec.holder_identity = Some(identity.to_owned());
        spec.lease_duration_seconds = Some(seconds(duration));
        spec.renew_time = Some(now);
        lease
    }

    /// The lease without a holder. It has a short duration, as other candidates expect it; `None` if somebody else holds it.
    pub(super) fn released(&self, identity: &str) -> Option<Lease> {
        let mut lease = self
            .lease
            .clone()
            .filter(|_| self.holder() == Some(identity))?;
        let now = MicroTime::from(SystemTime::now());
        let spec = lease.spec.get_or_insert_default();
        spec.holder_identity = Some(String::new());
        spec.lease_duration_seconds = Some(1);
        spec.acquire_time = Some(now.clone());
        spec.renew_time = Some(now);
        Some(lease)
    }

    fn spec(&self) -> Option<&LeaseSpec> {
        self.lease.as_ref()?.spec.as_ref()
    }
}

/// Whole seconds, at least 1, rounded up, so that others do not take the lease early.
fn seconds(duration: Duration) -> i32 {
    let whole = duration.as_secs() + u64::from(duration.subsec_nanos() > 0);
    i32::try_from(whole.max(1)).unwrap_or(i32::MAX)
}
