//! A busy server that writes an audit log, and counts what it does.
//!
//! The server and its clients share a processor. Clients wait for each response. The program is independent of the
//! simulation that it checks, but for the rules of flow control.

mod log;
mod requests;

use k8s_flowcontrol_analysis::metrics::Histograms;
use k8s_flowcontrol_analysis::metrics::catalog::REQUEST_WAIT_DURATION_SECONDS;
use k8s_flowcontrol_rules::controller::{FlowController, Ticket};
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
    /// The time that the store needs for a write, in seconds.
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

/// By level and flow; the whole level without a flow.
pub(crate) type Counts = BTreeMap<(String, String), Counted>;

pub(crate) struct Run {
    pub(crate) clients: Vec<Client>,
    pub(crate) machine: Machine,
    pub(crate) seconds: f64,
    /// The seconds before clients begin.
    pub(crate) quiet: f64,
    /// The seconds after which the log and the counts begin, as after a rotation.
    pub(crate) rotated: f64,
    /// Whether clients wait for the end of `Retry-After`; they pause as after any response if not.
    pub(crate) waits_after_rejection: bool,
    pub(crate) seed: u64,
}

/// The server's counts of a flow or a level.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counted {
    pub(crate) rejected: u64,
    pub(crate) waits: Vec<f64>,
    /// The times until the responses of requests that were not rejected.
    pub(crate) responses: Vec<f64>,
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
    retry_after: Option<Duration>,
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
    /// The log with the waits, and the same log without them.
    logs: [String; 2],
    /// The level, the flow and its hash, by client and kind of request.
    classes: HashMap<(usize, usize), (String, String, u64)>,
    counted: Counts,
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
}

/// The log, with the waits of requests that took more than half a second and without them, and the counts by level and by flow.
pub(crate) fn run(run: &Run, server: FlowController) -> ([String; 2], Counts) {
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
        logs: [const { String::new() }; 2],
        classes: HashMap::new(),
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
    (world.logs, world.counted)
}

/// The waits in the metrics of the server.
pub(crate) fn counted_waits(counts: &Counts) -> Histograms {
    let metric = REQUEST_WAIT_DURATION_SECONDS.name();
    let mut text = String::new();
    for ((level, flow), counted) in counts {
        // The flows of the level together.
        if flow.is_empty() {
            let labels = format!("execute=\"true\",priority_level=\"{level}\"");
            let (count, sum) = (counted.waits.len(), counted.waits.iter().sum::<f64>());
            text += &format!("{metric}_bucket{{{labels},le=\"+Inf\"}} {count}\n");
            text += &format!("{metric}_sum{{{labels}}} {sum}\n");
        }
    }
    Histograms::parse(&text, &REQUEST_WAIT_DURATION_SECONDS)
}
