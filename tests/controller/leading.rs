//! Leader election, on a paused clock: the server responds in the process, so that no time passes on the way.

mod silence;

use crate::config::support::Notices;
use http_body_util::Full;
use k8s_flowcontrol::Client;
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol::controller::lease::{Lease, LeaseSpec, coordination_v1};
use k8s_flowcontrol::controller::{Election, Leadership};
use k8s_flowcontrol_server::{ApiServer, Fault};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// A server, and the network of one candidate.
#[derive(Clone)]
pub(crate) struct Candidate {
    pub(crate) client: Client,
    is_cut_off: Arc<AtomicBool>,
    name: &'static str,
}

impl Candidate {
    pub(crate) fn new(server: &Arc<ApiServer>, name: &'static str) -> Self {
        let (server, is_cut_off) = (server.clone(), Arc::new(AtomicBool::new(false)));
        let is_down = is_cut_off.clone();
        let config = Config::new("http://127.0.0.1").unwrap();
        let client = Client::with_transport(config, move |request| {
            let (server, is_down) = (server.clone(), is_down.clone());
            async move {
                if is_down.load(Ordering::Relaxed) {
                    return Err(io::Error::from(io::ErrorKind::ConnectionReset));
                }
                Ok(server.respond(request).await.map(Full::new))
            }
        });
        Self {
            client,
            is_cut_off,
            name,
        }
    }

    pub(crate) fn election(&self) -> Election {
        Election::new(&self.client, "system", "tenants", self.name)
    }

    pub(crate) fn cut_off(&self) {
        self.is_cut_off.store(true, Ordering::Relaxed);
    }

    async fn lease(&self) -> LeaseSpec {
        let lease = self.client.namespaced_api::<Lease>("system");
        lease.get("tenants").await.unwrap().spec.unwrap()
    }

    async fn leads_within(&self, seconds: u64) -> Option<Leadership> {
        let won = timeout(Duration::from_secs(seconds), self.election().acquire()).await;
        won.ok().map(Result::unwrap)
    }
}

pub(crate) async fn server() -> Arc<ApiServer> {
    let builder = ApiServer::builder().bootstrap(false);
    let server = builder.serve(coordination_v1::RESOURCES).start().await;
    Arc::new(server.unwrap())
}

async fn two() -> (Arc<ApiServer>, Candidate, Candidate) {
    let server = server().await;
    let one = Candidate::new(&server, "one");
    let two = Candidate::new(&server, "two");
    (server, one, two)
}

#[tokio::test(start_paused = true)]
async fn a_candidate_without_an_identity_never_leads() {
    let server = server().await;
    let nobody = Candidate::new(&server, "");
    let error = nobody.election().acquire().await.unwrap_err();
    assert!(error.is_argument(), "{error}");
    assert!(error.to_string().contains("lease `tenants`"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn one_leads_and_the_other_follows_after_a_release() {
    let (_server, one, two) = two().await;
    let leadership = one.leads_within(1).await.unwrap();
    let lease = one.lease().await;
    assert_eq!(lease.holder_identity.as_deref(), Some("one"));
    assert_eq!(lease.lease_duration_seconds, Some(15));
    assert_eq!(lease.lease_transitions, Some(0));
    assert_eq!(lease.acquire_time, lease.renew_time);

    // Renewals keep it for as long as they like.
    assert!(two.leads_within(600).await.is_none());
    assert!(leadership.is_leader());
    let renewed = one.lease().await;
    assert_eq!(renewed.lease_transitions, Some(0));
    assert_eq!(renewed.acquire_time, lease.acquire_time);

    let waiting = crate::spawn(async move { two.election().acquire().await.unwrap() });
    sleep(Duration::from_secs(5)).await;
    let released = Instant::now();
    leadership.release().await.unwrap();
    let leadership = waiting.await.unwrap();
    // One pause between two attempts, instead of the lease's duration.
    assert!(released.elapsed() < Duration::from_secs(3));
    let lease = one.lease().await;
    assert_eq!(lease.holder_identity.as_deref(), Some("two"));
    assert_eq!(lease.lease_transitions, Some(1));
    drop(leadership);
}

#[tokio::test(start_paused = true)]
async fn a_leader_without_a_server_gives_up_before_another_one_leads() {
    let (_server, one, two) = two().await;
    let leadership = one.leads_within(1).await.unwrap();
    let waiting = crate::spawn(async move {
        let leadership = two.election().acquire().await.unwrap();
        (Instant::now(), leadership)
    });
    sleep(Duration::from_secs(60)).await;
    one.cut_off();
    let begin = Instant::now();
    let lost = leadership.lost().await;
    let lost_at = Instant::now();
    assert!(!leadership.is_leader());
    assert_eq!(lost.holder(), None);
    assert!(lost.to_string().contains("not renewed in time"), "{lost}");
    assert!(lost_at - begin <= Duration::from_secs(10));
    let (led_at, _leadership) = waiting.await.unwrap();
    assert!(led_at > lost_at + Duration::from_secs(3));
    assert!(led_at - begin <= Duration::from_secs(18));
}

#[tokio::test(start_paused = true)]
async fn the_clocks_of_other_holders_do_not_matter() {
    for time in ["2001-01-01T00:00:00.000000Z", "2099-01-01T00:00:00.000000Z"] {
        let (_server, one, _) = two().await;
        let leases = one.client.namespaced_api::<Lease>("system");
        let mut lease = Lease::default();
        lease.metadata.name = Some("tenants".to_owned());
        let spec = lease.spec.get_or_insert_default();
        spec.holder_identity = Some("other".to_owned());
        spec.lease_duration_seconds = Some(30);
        spec.renew_time = Some(time.into());
        let mut lease = leases.create(&lease).await.unwrap();
        let begin = Instant::now();
        let waiting = crate::spawn({
            let election = one.election();
            async move { election.acquire().await.unwrap() }
        });
        // A renewal, by a clock that is as wrong.
        sleep(Duration::from_secs(20)).await;
        let spec = lease.spec.as_mut().unwrap();
        spec.renew_time = Some(time.replace("00Z", "01Z").as_str().into());
        leases.replace(&lease).await.unwrap();
        let leadership = waiting.await.unwrap();
        let waited = begin.elapsed();
        assert!(waited >= Duration::from_secs(50), "{time}: {waited:?}");
        assert!(waited <= Duration::from_secs(56), "{time}: {waited:?}");
        drop(leadership);
    }
}

#[tokio::test(start_paused = true)]
async fn a_lease_in_other_hands_is_lost() {
    let (_server, one, _) = two().await;
    let leadership = one.leads_within(1).await.unwrap();
    let leases = one.client.namespaced_api::<Lease>("system");
    let steal = leases.update_with("tenants", |lease| {
        lease.spec.get_or_insert_default().holder_identity = Some("thief".to_owned());
    });
    steal.await.unwrap();
    let lost = leadership.lost().await;
    assert_eq!(lost.holder(), Some("thief"));
    // It does not take the lease from the thief.
    leadership.release().await.unwrap();
    assert_eq!(one.lease().await.holder_identity.as_deref(), Some("thief"));
}

#[tokio::test(start_paused = true)]
async fn some_failures_are_tried_again_and_others_are_not() {
    let (server, one, two) = two().await;
    server.inject(Fault::unavailable().times(20));
    let leadership = one.leads_within(120).await.unwrap();
    server.inject(Fault::internal_error().on_method("PUT"));
    sleep(Duration::from_secs(30)).await;
    assert_eq!(server.pending_faults(), 0);
    assert!(leadership.is_leader());

    let forbidden = serde_json::from_value(serde_json::json!({
        "status": "Failure", "reason": "Forbidden", "code": 403, "message": "no",
    }));
    leadership.release().await.unwrap();
    server.inject(Fault::status(403, forbidden.unwrap()));
    let error = two.election().acquire().await.unwrap_err();
    assert!(error.is_forbidden(), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_change_by_others_does_not_take_the_lease() {
    let (server, one, _) = two().await;
    let leadership = one.leads_within(1).await.unwrap();
    // The renewal, and the one after the lease was read.
    server.inject(conflict().times(2));
    sleep(Duration::from_secs(30)).await;
    assert_eq!(server.pending_faults(), 0);
    assert!(leadership.is_leader());
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_is_deleted_while_it_is_taken_ends_no_election() {
    let (server, one, two) = two().await;
    drop(one.leads_within(1).await.unwrap());
    let notices = Notices::collect();
    let missing = serde_json::from_value(missing());
    server.inject(
        Fault::status(404, missing.unwrap())
            .on_method("PUT")
            .times(5),
    );
    assert!(two.leads_within(60).await.unwrap().is_leader());
    assert_eq!(server.pending_faults(), 0);
    // It does not wait without a word, if that goes on.
    let reported = notices.take();
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert!(reported[0].contains("404"), "{reported:?}");
}

fn missing() -> serde_json::Value {
    serde_json::json!({
        "kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404, "message": "gone",
        "details": {"name": "tenants", "kind": "leases"},
    })
}

fn conflict() -> Fault {
    let conflict = serde_json::from_value(serde_json::json!({
        "status": "Failure", "reason": "Conflict", "code": 409, "message": "modified",
    }));
    Fault::status(409, conflict.unwrap()).on_method("PUT")
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_was_not_released_is_an_error() {
    let (server, one, _) = two().await;
    let leadership = one.leads_within(1).await.unwrap();
    // Others change its labels all the time.
    server.inject(conflict().times(usize::MAX));
    let error = leadership.release().await.unwrap_err();
    assert!(error.is_conflict(), "{error}");
}

/// Others take the lease after its duration.
#[tokio::test(start_paused = true)]
async fn a_lease_that_cannot_be_written_is_lost_before_others_take_it() {
    let (server, one, _) = two().await;
    let seconds = Duration::from_secs;
    let election = one.election();
    let election = election.with_times(seconds(10), seconds(9), seconds(4));
    let leadership = election.acquire().await.unwrap();
    let begin = Instant::now();
    server.inject(conflict().times(usize::MAX));
    let lost = leadership.lost().await;
    assert!(begin.elapsed() < seconds(10), "{:?}", begin.elapsed());
    assert_eq!(lost.holder(), None);
}

#[tokio::test(start_paused = true)]
async fn times_are_made_safe() {
    let (_server, one, _) = two().await;
    let seconds = Duration::from_secs;
    let election = one
        .election()
        .with_times(seconds(4), seconds(60), seconds(60));
    let leadership = election.acquire().await.unwrap();
    assert_eq!(one.lease().await.lease_duration_seconds, Some(4));
    // It is renewed although the pause is longer than the lease.
    sleep(seconds(60)).await;
    assert!(leadership.is_leader());
    assert_eq!(one.lease().await.lease_transitions, Some(0));
    leadership.release().await.unwrap();

    let longest = Duration::MAX;
    let election = one.election().with_times(longest, longest, longest);
    let leadership = election.acquire().await.unwrap();
    assert!(leadership.is_leader());
    let lease = one.lease().await;
    assert_eq!(lease.lease_duration_seconds, Some(i32::MAX));
}
