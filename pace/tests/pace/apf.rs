//! A server with one level. Its queues follow the rules; its clock is tokio's.

use http::{Request, Response};
use k8s_flowcontrol_rules::controller::{Admission, FlowController, Ticket, wait_limit};
use k8s_flowcontrol_rules::matching::{RequestAttributes, User};
use k8s_flowcontrol_rules::queueing::Work;
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use serde_json::json;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout};

/// The time on the network, in each direction.
const NETWORK: Duration = Duration::from_micros(500);
const SERVER_SEATS: u32 = 40;

#[derive(Clone)]
pub(crate) struct Server {
    inner: Arc<Mutex<Inner>>,
}

struct Inner {
    controller: FlowController,
    started: Instant,
    waiting: BTreeMap<Ticket, oneshot::Sender<()>>,
    service: Duration,
    rejects: bool,
    /// For service times that vary.
    random: u64,
    rejected: u64,
}

impl Server {
    /// A level with this number of seats, whose requests take this time.
    pub(crate) fn new(seats: u32, service: Duration, rejects: bool) -> Self {
        let (schemas, levels) = objects(seats, rejects);
        let controller = FlowController::new(
            &schemas,
            &levels,
            SERVER_SEATS,
            Release::NEWEST,
            Duration::ZERO,
        );
        let inner = Inner {
            controller: controller.unwrap(),
            started: Instant::now(),
            waiting: BTreeMap::new(),
            service,
            rejects,
            random: 1,
            rejected: 0,
        };
        Self {
            inner: Arc::new(Mutex::new(inner)),
        }
    }

    pub(crate) fn set_seats(&self, seats: u32) {
        let mut inner = self.inner.lock().unwrap();
        let (schemas, levels) = objects(seats, inner.rejects);
        let now = inner.now();
        inner.controller.configure(now, &schemas, &levels).unwrap();
        inner.tell();
    }

    pub(crate) fn set_service(&self, service: Duration) {
        self.inner.lock().unwrap().service = service;
    }

    pub(crate) fn rejected(&self) -> u64 {
        self.inner.lock().unwrap().rejected
    }

    /// Serves a request of a user.
    pub(crate) async fn serve(
        self,
        user: String,
        request: Request<()>,
    ) -> Result<Response<()>, Infallible> {
        sleep(NETWORK).await;
        let response = match self.admit(&user, &request).await {
            None => Response::builder().status(429).header("retry-after", "1"),
            Some(running) => {
                let service = self.inner.lock().unwrap().service_time();
                sleep(service).await;
                drop(running);
                Response::builder()
            }
        };
        sleep(NETWORK).await;
        let response = response.header("x-kubernetes-pf-prioritylevel-uid", "ten-seats");
        Ok(response.body(()).unwrap())
    }

    async fn admit(&self, user: &str, request: &Request<()>) -> Option<Running> {
        let url = request.uri().to_string();
        let attributes =
            RequestAttributes::from_http(request.method().as_str(), &url, User::named(user));
        let (admission, told) = {
            let mut inner = self.inner.lock().unwrap();
            let now = inner.now();
            inner.controller.advance(now);
            let level = inner.controller.level("ten-seats").unwrap();
            let hash = inner
                .controller
                .classify(&attributes.unwrap())
                .unwrap()
                .flow_hash();
            let admission = inner.controller.arrive(now, level, hash, Work::seats(1));
            let (tell, told) = oneshot::channel();
            if let Admission::Queued(ticket) = admission {
                inner.waiting.insert(ticket, tell);
            }
            inner.tell();
            (admission, told)
        };
        let server = self.clone();
        match admission {
            Admission::Dispatched(ticket) => Some(Running { server, ticket }),
            Admission::Queued(ticket) => {
                let running = Running { server, ticket };
                let longest = wait_limit(Duration::from_secs(60));
                match timeout(longest, told).await {
                    Ok(_) => Some(running),
                    Err(_) => {
                        self.inner.lock().unwrap().rejected += 1;
                        None
                    }
                }
            }
            Admission::Rejected(_) => {
                self.inner.lock().unwrap().rejected += 1;
                None
            }
        }
    }
}

impl Inner {
    fn now(&self) -> Duration {
        self.started.elapsed()
    }

    /// Between nine and eleven tenths of the mean.
    fn service_time(&mut self) -> Duration {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        self.service
            .mul_f64(0.9 + 0.2 * (self.random >> 40) as f64 / f64::from(1 << 24))
    }

    fn tell(&mut self) {
        let dispatched: Vec<_> = self.controller.dispatched().collect();
        for ticket in dispatched {
            if let Some(tell) = self.waiting.remove(&ticket) {
                let _ = tell.send(());
            }
        }
    }
}

/// A request at the server, until it ends or its client leaves.
struct Running {
    server: Server,
    ticket: Ticket,
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut inner = self.server.inner.lock().unwrap();
        let now = inner.now();
        match inner.controller.cancel(now, self.ticket) {
            true => drop(inner.waiting.remove(&self.ticket)),
            false => inner.controller.finish(now, self.ticket),
        }
        inner.tell();
    }
}

fn objects(seats: u32, rejects: bool) -> (Vec<FlowSchema>, Vec<PriorityLevelConfiguration>) {
    let response = match rejects {
        true => json!({"type": "Reject"}),
        false => {
            json!({"type": "Queue", "queuing": {"queues": 64, "handSize": 6, "queueLengthLimit": 50}})
        }
    };
    // With 5 shares of catch-all, a share is a seat.
    let level = |name: &str, shares: u32, response: &serde_json::Value| {
        let level = json!({
            "metadata": {"name": name},
            "spec": {"type": "Limited", "limited": {
                "nominalConcurrencyShares": shares, "borrowingLimitPercent": 0, "limitResponse": response,
            }},
        });
        serde_json::from_value(level).unwrap()
    };
    let schema = json!({
        "metadata": {"name": "all"},
        "spec": {
            "matchingPrecedence": 100,
            "priorityLevelConfiguration": {"name": "ten-seats"},
            "distinguisherMethod": {"type": "ByUser"},
            "rules": [{
                "subjects": [{"kind": "User", "user": {"name": "*"}}],
                "resourceRules": [{
                    "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"], "clusterScope": true,
                }],
            }],
        },
    });
    let rest = level("rest", SERVER_SEATS - 5 - seats, &json!({"type": "Reject"}));
    (
        vec![serde_json::from_value(schema).unwrap()],
        vec![level("ten-seats", seats, &response), rest],
    )
}
