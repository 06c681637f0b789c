//! A busy server that writes an audit log, and counts what it does.
//!
//! The server and its clients share a processor. Clients wait for each response. The program is independent of the
//! simulation that it checks, but for the rules of flow control.

use k8s_flowcontrol_rules::controller::{Admission, FlowController, Ticket, wait_limit};
use k8s_flowcontrol_rules::matching::{RequestAttributes, User};
use k8s_flowcontrol_rules::queueing::Work;
use serde_json::json;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::time::Duration;

/// Connections of a user.
#[derive(Clone, Copy)]
pub(crate) struct Client {
    pub(crate) user: &'static str,
    pub(crate) group: &'static str,
    pub(crate) connections: u32,
    /// The mean pause after a response, in seconds.
    pub(crate) pause: f64,
    /// The share of lists. Of the other requests, two of three are reads of one object, and one is a patch.
    pub(crate) lists: f64,
}

/// The machine that the server and the clients run on.
#[derive(Clone, Copy)]
pub(crate) struct Machine {
    pub(crate) cores: f64,
    /// The mean processor time of a list, in seconds.
    pub(crate) list: f64,
    /// The time in which the store answers a write, in seconds.
    pub(crate) store: f64,
    /// The processor time of a request before its queue and after its execution.
    pub(crate) overhead: f64,
    /// The processor time until a request executes that has waited.
    pub(crate) wake: f64,
    /// The processor time of a client for each response.
    pub(crate) client: f64,
    /// How much of the processor other programs take from time to time.
    pub(crate) others: f64,
}

pub(crate) struct Run {
    pub(crate) clients: Vec<Client>,
    pub(crate) machine: Machine,
    pub(crate) seconds: f64,
    /// The seconds before clients begin.
    pub(crate) quiet: f64,
    /// The pause after a rejection; as after any response if there is none.
    pub(crate) retry: Option<f64>,
    pub(crate) seed: u64,
}

/// What the server counted of a flow or a level.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counted {
    pub(crate) rejected: u64,
    pub(crate) waits: Vec<f64>,
    /// The waits of the requests that took more than half a second.
    pub(crate) long: Vec<f64>,
    pub(crate) executed: f64,
}

impl Counted {
    pub(crate) fn percentile(times: &[f64], percent: f64) -> f64 {
        let mut times = times.to_vec();
        times.sort_by(f64::total_cmp);
        let rank = (times.len() as f64 * percent / 100.0).ceil().max(1.0) as usize;
        times.get(rank - 1).copied().unwrap_or_default()
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Before,
    Wakes,
    Executes,
    Stores,
    After,
    Client,
}

struct Request {
    connection: usize,
    received: f64,
    dispatched: f64,
    ended: f64,
    phase: Phase,
    kind: usize,
    ticket: Option<Ticket>,
    is_rejected: bool,
    queued: bool,
    name: u32,
}

/// Times in seconds.
struct World<'a> {
    run: &'a Run,
    server: FlowController,
    random: u64,
    now: f64,
    /// The progress of every job on the processor.
    progress: f64,
    jobs: BinaryHeap<Reverse<(u64, usize)>>,
    timers: BinaryHeap<Reverse<(u64, u64, Timer)>>,
    planned: u64,
    cores: f64,
    requests: Vec<Request>,
    /// The client of each connection.
    connections: Vec<usize>,
    by_ticket: HashMap<Ticket, usize>,
    log: String,
    /// The level, the flow and its hash, by client and kind of request.
    classes: HashMap<(usize, usize), (String, String, u64)>,
    annotates: bool,
    pub(crate) counted: BTreeMap<(String, String), Counted>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Timer {
    Send(usize),
    Stored(usize),
    Patience(usize),
    Machine,
}

const NANO: f64 = 1e9;

impl World<'_> {
    fn uniform(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.random;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((word ^ (word >> 31)) >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    fn exponential(&mut self, mean: f64) -> f64 {
        -self.uniform().ln() * mean
    }

    /// A time with some spread: the mean of three exponential times.
    fn spread(&mut self, mean: f64) -> f64 {
        (0..3).map(|_| self.exponential(mean / 3.0)).sum()
    }

    fn at(&self) -> Duration {
        Duration::from_secs_f64(self.now)
    }

    fn timer(&mut self, after: f64, timer: Timer) {
        self.planned += 1;
        let at = ((self.now + after) * NANO) as u64;
        self.timers.push(Reverse((at, self.planned, timer)));
    }

    fn job(&mut self, time: f64, request: usize, phase: Phase) {
        self.requests[request].phase = phase;
        let end = ((self.progress + time) * NANO) as u64;
        self.jobs.push(Reverse((end, request)));
    }

    fn speed(&self) -> f64 {
        (self.cores / self.jobs.len().max(1) as f64).min(1.0)
    }

    fn step(&mut self) -> bool {
        let job = self.jobs.peek().map(|Reverse((end, _))| {
            self.now + (*end as f64 / NANO - self.progress).max(0.0) / self.speed()
        });
        let timer = self
            .timers
            .peek()
            .map(|Reverse((at, ..))| *at as f64 / NANO);
        let next = job.into_iter().chain(timer).fold(f64::MAX, f64::min);
        if next == f64::MAX {
            return false;
        }
        let own = self.server.next_event().as_secs_f64();
        let now = next.min(own).max(self.now);
        self.progress += (now - self.now) * self.speed();
        self.now = now;
        if own < next {
            self.server.advance(self.server.next_event());
        } else if job.is_some_and(|job| timer.is_none_or(|timer| job <= timer)) {
            let Some(Reverse((_, request))) = self.jobs.pop() else {
                return false;
            };
            self.job_ended(request);
        } else if let Some(Reverse((.., timer))) = self.timers.pop() {
            self.timed(timer);
        }
        self.note_dispatched();
        true
    }

    fn note_dispatched(&mut self) {
        let dispatched: Vec<_> = self.server.dispatched().collect();
        for ticket in dispatched {
            let request = self.by_ticket[&ticket];
            let waited = self.requests[request].queued;
            self.requests[request].dispatched = self.now;
            let machine = self.run.machine;
            if waited && machine.wake > 0.0 {
                let time = self.spread(machine.wake);
                self.job(time, request, Phase::Wakes);
                continue;
            }
            self.execute(request);
        }
    }

    fn execute(&mut self, request: usize) {
        self.requests[request].dispatched = self.now;
        let machine = self.run.machine;
        let time = match self.requests[request].kind {
            0 => self.spread(machine.list),
            1 => self.spread(0.004),
            _ => self.spread(0.008),
        };
        self.job(time, request, Phase::Executes);
    }

    fn timed(&mut self, timer: Timer) {
        match timer {
            Timer::Send(connection) => self.send(connection),
            Timer::Stored(request) => self.executed(request),
            Timer::Patience(request) => {
                let Some(ticket) = self.requests[request].ticket else {
                    return;
                };
                let at = self.at();
                if self.by_ticket.get(&ticket) == Some(&request) && self.server.cancel(at, ticket) {
                    self.requests[request].dispatched = self.now;
                    self.reject(request);
                }
            }
            Timer::Machine => {
                self.cores =
                    self.run.machine.cores * (1.0 - self.run.machine.others * self.uniform());
                if self.now < self.run.quiet + self.run.seconds {
                    let after = self.exponential(1.5);
                    self.timer(after, Timer::Machine);
                }
            }
        }
    }

    fn send(&mut self, connection: usize) {
        if self.now > self.run.quiet + self.run.seconds {
            return;
        }
        let client = self.run.clients[self.connections[connection]];
        let kind = match self.uniform() < client.lists {
            true => 0,
            false if self.uniform() < 0.67 => 1,
            false => 2,
        };
        let name = (self.uniform() * 2000.0) as u32;
        self.requests.push(Request {
            connection,
            received: self.now,
            dispatched: self.now,
            ended: 0.0,
            phase: Phase::Before,
            kind,
            ticket: None,
            is_rejected: false,
            queued: false,
            name,
        });
        let time = self.spread(self.run.machine.overhead / 2.0);
        self.job(time, self.requests.len() - 1, Phase::Before);
    }

    fn job_ended(&mut self, request: usize) {
        match self.requests[request].phase {
            Phase::Before => self.arrive(request),
            Phase::Wakes => self.execute(request),
            Phase::Executes if self.requests[request].kind == 2 => {
                let time = self.spread(self.run.machine.store);
                self.requests[request].phase = Phase::Stores;
                self.timer(time, Timer::Stored(request));
            }
            Phase::Executes | Phase::Stores => self.executed(request),
            Phase::After => self.respond(request),
            Phase::Client => {
                let connection = self.requests[request].connection;
                let client = self.run.clients[self.connections[connection]];
                let pause = match self
                    .run
                    .retry
                    .filter(|_| self.requests[request].is_rejected)
                {
                    Some(retry) => retry,
                    None => self.exponential(client.pause),
                };
                if connection + 1 < self.connections.len() {
                    self.timer(pause, Timer::Send(connection));
                }
            }
        }
    }

    fn arrive(&mut self, request: usize) {
        let (level, _, hash) = self.class(request);
        let level = self.server.level(&level).unwrap();
        let at = self.at();
        self.requests[request].dispatched = self.now;
        self.requests[request].ended = self.now;
        let admission = self.server.arrive(at, level, hash, Work::seats(1));
        match admission {
            Admission::Dispatched(ticket) | Admission::Queued(ticket) => {
                self.by_ticket.insert(ticket, request);
                self.requests[request].ticket = Some(ticket);
                self.requests[request].queued = matches!(admission, Admission::Queued(_));
                let patience = wait_limit(Duration::from_secs(60)).as_secs_f64();
                self.timer(patience, Timer::Patience(request));
            }
            Admission::Rejected(_) => self.reject(request),
        }
    }

    fn reject(&mut self, request: usize) {
        self.requests[request].is_rejected = true;
        let time = self.spread(self.run.machine.overhead / 2.0);
        self.job(time, request, Phase::After);
    }

    fn executed(&mut self, request: usize) {
        let at = self.at();
        if let Some(ticket) = self.requests[request].ticket.take() {
            self.by_ticket.remove(&ticket);
            self.server.finish(at, ticket);
        }
        let wait = self.requests[request].dispatched - self.requests[request].ended;
        let executed = self.now - self.requests[request].dispatched;
        self.count(request, |counted| {
            counted.waits.push(wait);
            counted.executed += executed;
        });
        let time = self.spread(self.run.machine.overhead / 2.0);
        self.job(time, request, Phase::After);
    }

    fn count(&mut self, request: usize, mut count: impl FnMut(&mut Counted)) {
        let (level, flow, _) = self.class(request);
        for key in [(level.clone(), String::new()), (level, flow)] {
            count(self.counted.entry(key).or_default());
        }
    }

    fn class(&mut self, request: usize) -> (String, String, u64) {
        let found = &self.requests[request];
        let key = (self.connections[found.connection], found.kind);
        if let Some(known) = self.classes.get(&key) {
            return known.clone();
        }
        let attributes = self.attributes(request);
        let found = self.server.classify(&attributes).unwrap();
        let flow = format!("{}/{}", found.flow_schema, found.flow_distinguisher);
        let class = (found.priority_level.to_owned(), flow, found.flow_hash());
        self.classes.insert(key, class.clone());
        class
    }

    fn attributes(&self, request: usize) -> RequestAttributes {
        let request = &self.requests[request];
        let client = self.run.clients[self.connections[request.connection]];
        let mut groups = vec!["system:authenticated"];
        groups.extend((!client.group.is_empty()).then_some(client.group));
        let user = User::new(client.user, groups);
        let (method, path) = path(request);
        RequestAttributes::from_http(method, &path, user).unwrap()
    }

    fn respond(&mut self, request: usize) {
        let wait = self.requests[request].dispatched - self.requests[request].ended;
        let took = self.now - self.requests[request].received;
        let is_rejected = self.requests[request].is_rejected;
        self.count(request, |counted| match is_rejected {
            true => counted.rejected += 1,
            false if took > 0.5 => counted.long.push(wait),
            false => {}
        });
        self.write(request, wait, took);
        let time = self.spread(self.run.machine.client);
        self.job(time, request, Phase::Client);
    }

    fn write(&mut self, number: usize, wait: f64, took: f64) {
        let attributes = self.attributes(number);
        let request = &self.requests[number];
        let client = self.run.clients[self.connections[request.connection]];
        let mut annotations = BTreeMap::new();
        if !request.is_rejected {
            annotations.insert("authorization.k8s.io/decision", "allow".to_owned());
        }
        if self.annotates && took > 0.5 && request.ended > 0.0 {
            let wait = format!("{:.6}ms", wait * 1000.0);
            annotations.insert("apiserver.latency.k8s.io/apf-queue-wait", wait);
        }
        let (_, path) = path(request);
        let mut object =
            json!({"resource": "configmaps", "namespace": "default", "apiVersion": "v1"});
        if !attributes.name.is_empty() {
            object["name"] = attributes.name.clone().into();
        }
        let mut groups = vec!["system:authenticated"];
        groups.extend((!client.group.is_empty()).then_some(client.group));
        let event = json!({
            "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": number.to_string(),
            "stage": "ResponseComplete", "requestURI": path, "verb": attributes.verb,
            "user": {"username": client.user, "groups": groups},
            "objectRef": object,
            "responseStatus": {"code": if request.is_rejected { 429 } else { 200 }},
            "requestReceivedTimestamp": time(request.received),
            "stageTimestamp": time(self.now),
            "annotations": annotations,
        });
        self.log += &event.to_string();
        self.log.push('\n');
    }
}

fn path(request: &Request) -> (&'static str, String) {
    let all = "/api/v1/namespaces/default/configmaps";
    match request.kind {
        0 => ("GET", format!("{all}?resourceVersion=0")),
        1 => ("GET", format!("{all}/c{}", request.name)),
        _ => ("PATCH", format!("{all}/c{}", request.name)),
    }
}

fn time(at: f64) -> String {
    let at = at + 7.0;
    let (minutes, seconds) = ((at / 60.0).floor(), at % 60.0);
    format!("2026-01-02T03:{minutes:02}:{seconds:09.6}Z")
}

/// The log, which annotates waits or not, and the counts by level and by flow.
pub(crate) fn run(
    run: &Run,
    server: FlowController,
    annotates: bool,
) -> (String, BTreeMap<(String, String), Counted>) {
    let connections = run
        .clients
        .iter()
        .enumerate()
        .flat_map(|(index, client)| std::iter::repeat_n(index, client.connections as usize));
    let mut world = World {
        run,
        server,
        random: run.seed,
        now: 0.0,
        progress: 0.0,
        jobs: BinaryHeap::new(),
        timers: BinaryHeap::new(),
        planned: 0,
        cores: run.machine.cores,
        requests: Vec::new(),
        connections: connections.collect(),
        by_ticket: HashMap::new(),
        log: String::new(),
        classes: HashMap::new(),
        annotates,
        counted: BTreeMap::new(),
    };
    world.connections.push(run.clients.len() - 1);
    let last = world.connections.len() - 1;
    world.timer(0.3, Timer::Send(last));
    for connection in 0..last {
        let after = run.quiet + world.uniform() * 0.05;
        world.timer(after, Timer::Send(connection));
    }
    world.timer(0.0, Timer::Machine);
    while world.step() {
        if world.now > run.quiet + run.seconds + 120.0 {
            break;
        }
    }
    (world.log, world.counted)
}
