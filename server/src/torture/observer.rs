//! Watching the client: counts, and the rules that it breaks.

use super::call::Call;
use super::mode::Mode;
use super::report::{Finding, Report};
use super::rule::Rule;
use crate::locks::lock;
use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;
use std::time::Duration;
use tokio::time::Instant;

/// The most requests whose repetition is recognized. Older ones are forgotten together.
const MAX_KNOWN: usize = 20_000;
/// A request that was on its way when the client could read the previous response.
const ON_ITS_WAY: Duration = Duration::from_millis(50);
/// A request that comes so long after the end of `Retry-After` is the one that waited for it.
const IN_TIME: Duration = Duration::from_secs(1);
const MANY: usize = 20;
const WINDOW: Duration = Duration::from_secs(1);

/// How the exchange of a request ended, as far as the client can know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// A response with this code, whole.
    Code(u16),
    /// 429 or 503, with the end of `Retry-After`, which counts from the headers: a body may take longer, and need not be read.
    RetryAfter(u16, Instant),
    /// No response, or a broken one.
    Unknown,
}

#[derive(Debug, Default)]
pub(super) struct Observer(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    report: Report,
    known: HashMap<String, Known>,
    /// The highest version that a client has seen, by its name, and the collection with its selectors.
    seen: HashMap<[String; 3], u64>,
    rejected_tokens: usize,
    /// The first request that came before the time in `Retry-After`.
    early: Option<String>,
    retry_after: u64,
}

/// The known facts of a request, by its signature.
#[derive(Debug, Default)]
struct Known {
    times: VecDeque<Instant>,
    is_unknown: bool,
    /// Since the last request, the client has read the collection or the object.
    has_looked: bool,
    /// Ends of `Retry-After` whose requests have not been sent again, and whether another request came before the end. Callers of one client
    /// that send equal requests do not know of each other: the rule is only broken if none comes in time.
    waiting: Vec<(Instant, bool)>,
    /// The requests that only came too early.
    early: u64,
    is_expired: bool,
    rejected_watch_lists: usize,
    has_created: bool,
}

impl Known {
    /// A request has come: the request that waited, or another too early.
    fn is_early(&mut self, now: Instant) -> bool {
        let early = &mut self.early;
        self.waiting.retain(|(end, is_early)| {
            let is_open = now < *end + IN_TIME;
            *early += u64::from(!is_open && *is_early);
            is_open
        });
        if let Some(waited) = self.waiting.iter().position(|(end, _)| *end <= now) {
            self.waiting.remove(waited);
            return false;
        }
        let next = self.waiting.iter_mut().find(|(_, is_early)| !is_early);
        next.is_some_and(|(_, is_early)| {
            *is_early = true;
            true
        })
    }

    fn early(&self) -> u64 {
        let open = self.waiting.iter().filter(|(_, is_early)| *is_early);
        self.early + open.count() as u64
    }
}

impl Observer {
    pub(super) fn connected(&self, protocol: &'static str) {
        *lock(&self.0)
            .report
            .connections
            .entry(protocol.to_owned())
            .or_default() += 1;
    }

    pub(super) fn handshake_failed(&self) {
        lock(&self.0).report.failed_handshakes += 1;
    }

    /// Counts a fault of a mode.
    pub(super) fn struck(&self, mode: Mode) {
        *lock(&self.0)
            .report
            .faults
            .entry(mode.as_str().to_owned())
            .or_default() += 1;
    }

    pub(super) fn request(&self, call: &Call) {
        let now = Instant::now();
        let state = &mut *lock(&self.0);
        if state.known.len() >= MAX_KNOWN {
            state.known.clear();
        }
        let report = &mut state.report;
        report.requests += 1;
        let verb = match call.attributes.is_resource_request {
            true => &*call.attributes.verb,
            false => "other",
        };
        *report.verbs.entry(verb.to_owned()).or_default() += 1;
        *report.agents.entry(call.agent.clone()).or_default() += 1;
        let mut broken = Vec::new();
        let known = state.known.entry(call.signature.clone()).or_default();
        let is_retry = known.is_unknown || !known.waiting.is_empty();
        // The end of a broken exchange may be noticed here only after the client's next read.
        let has_looked = std::mem::take(&mut known.has_looked);
        if known.is_unknown && call.is_create() && !has_looked {
            broken.push(Rule::RepeatedCreate);
        }
        let is_early = known.is_early(now);
        known.is_unknown = false;
        if std::mem::take(&mut known.is_expired) {
            broken.push(Rule::ReusedExpired);
        }
        if known.rejected_watch_lists > 3 {
            known.rejected_watch_lists = 0;
            broken.push(Rule::RepeatedWatchList);
        }
        known.times.push_back(now);
        if known.times.len() > MANY {
            let first = known.times.pop_front();
            if first.is_some_and(|first| now - first < WINDOW) {
                known.times.clear();
                broken.push(Rule::Hammering);
            }
        }
        if let Some(version) = call.resource_version().filter(|_| call.is_watch())
            && state
                .seen
                .get(&scope(call))
                .is_some_and(|seen| version < *seen)
        {
            broken.push(Rule::WentBack);
        }
        if !call.is_write() && !call.is_watch() && call.query.text("continue").is_empty() {
            // The client has looked: it knows whether creates took effect, and has new versions and tokens, equal or not.
            let collection = call.collection();
            let of_collection = state.known.iter_mut().filter(|(signature, _)| {
                let path = signature.split([' ', '?']).nth(1);
                path == Some(collection)
            });
            for (_, known) in of_collection {
                (known.has_looked, known.is_expired) = (true, false);
            }
        }
        state.report.retries += u64::from(is_retry);
        if is_early {
            state.early.get_or_insert_with(|| call.title());
        }
        broken.into_iter().for_each(|rule| state.find(rule, call));
    }

    pub(super) fn ended(&self, call: &Call, outcome: Outcome) {
        let state = &mut *lock(&self.0);
        let code = match outcome {
            Outcome::Code(code) | Outcome::RetryAfter(code, _) => code.to_string(),
            Outcome::Unknown => "none".to_owned(),
        };
        *state.report.codes.entry(code).or_default() += 1;
        if outcome == Outcome::Code(401) {
            state.rejected_tokens += 1;
            if state.rejected_tokens > MANY {
                state.rejected_tokens = 0;
                state.find(Rule::KeptExpiredToken, call);
            }
        } else if matches!(outcome, Outcome::Code(_)) {
            state.rejected_tokens = 0;
        }
        let is_success = matches!(outcome, Outcome::Code(200..=299));
        let is_read = is_success && !call.is_watch();
        if is_success && call.is_unconditional {
            state.find(Rule::UnconditionalReplace, call);
        }
        let known = state.known.entry(call.signature.clone()).or_default();
        if is_read {
            known.times.clear();
        }
        match outcome {
            Outcome::Unknown => known.is_unknown = true,
            Outcome::RetryAfter(_, end) => {
                state.retry_after += 1;
                let end = end.checked_sub(ON_ITS_WAY).unwrap_or(end);
                known.waiting.push((end, false));
            }
            Outcome::Code(410) => known.is_expired = true,
            Outcome::Code(422) if call.query.is_set("sendInitialEvents") => {
                known.rejected_watch_lists += 1;
            }
            Outcome::Code(_) => {}
        }
    }

    /// A create has taken effect, whether the client knows it or not.
    pub(super) fn took_effect(&self, call: &Call) {
        let mut state = lock(&self.0);
        let known = state.known.entry(call.signature.clone()).or_default();
        if std::mem::replace(&mut known.has_created, true) {
            state.report.duplicates += 1;
        }
    }

    /// A client has got this version of a collection.
    pub(super) fn saw(&self, call: &Call, version: u64) {
        let mut state = lock(&self.0);
        let seen = state.seen.entry(scope(call)).or_default();
        *seen = version.max(*seen);
    }

    /// Whether a client has seen a later version.
    pub(super) fn has_seen_later(&self, call: &Call, version: u64) -> bool {
        lock(&self.0)
            .seen
            .get(&scope(call))
            .is_some_and(|seen| version < *seen)
    }

    pub(super) fn report(&self, modes: &[Mode], seed: u64) -> Report {
        let state = lock(&self.0);
        let mut report = state.report.clone();
        report.modes = modes.iter().map(|mode| mode.as_str().to_owned()).collect();
        report.seed = seed;
        let early: u64 = state.known.values().map(Known::early).sum();
        if let Some(example) = &state.early
            && early > 2
            && early * 3 > state.retry_after
        {
            let mut finding = Finding::new(Rule::IgnoredRetryAfter, example.clone());
            finding.count = early;
            report.findings.push(finding);
        }
        let closes = [
            Mode::Goaway,
            Mode::Resets,
            Mode::Certificates,
            Mode::RollingUpgrade,
            Mode::Protocols,
        ];
        let closes = closes.iter().any(|mode| modes.contains(mode));
        let connections: u64 = report.connections.values().sum();
        if !closes && connections > 10 && connections * 10 > report.requests * 9 {
            let example = format!("{connections} connections, {} requests", report.requests);
            report.findings.push(Finding::new(Rule::NoReuse, example));
        }
        report
    }
}

/// Who watches what.
fn scope(call: &Call) -> [String; 3] {
    let selectors = ["labelSelector", "fieldSelector"].map(|name| call.query.text(name));
    [call.agent.clone(), call.path.clone(), selectors.join("&")]
}

impl State {
    fn find(&mut self, rule: Rule, call: &Call) {
        let findings = &mut self.report.findings;
        match findings.iter_mut().find(|finding| finding.rule == rule) {
            Some(finding) => finding.count += 1,
            None => findings.push(Finding::new(rule, call.title())),
        }
    }
}
