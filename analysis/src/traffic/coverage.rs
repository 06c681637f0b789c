//! The parts of the traffic that logs do not have: times without events, stages, fields, and requests that the audit policy or a
//! pipeline leaves out.

use super::leases::Leases;
use super::repeated::Repeated;
use super::sample::Sample;
use super::signs::{SIGNS, Sign, Traits};
use super::writes::Writes;
use crate::audit::{Counts, Event, Format, Level, Stage};
use crate::redact::Redactor;
use crate::saved::numbers::{Count, Time, sum};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where the events of a report come from, and what is missing.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Coverage {
    /// The events by format.
    pub formats: BTreeMap<String, u64>,
    /// The events by stage.
    pub stages: BTreeMap<&'static str, u64>,
    /// The minutes from the first to the last event.
    pub minutes: u64,
    /// The minutes without an event.
    pub empty_minutes: u64,
    /// The longest time without an event: its begin and its end, in RFC 3339. `None` if every minute has an event.
    pub longest_gap: Option<(String, String)>,
    /// The most that the logs can have of the lease renewals of kubelets and API servers, in percent: about 100 unless events are sampled. Of a sample
    /// that has few renewals of each lease it is more than the sampled part. `None` if the times between the renewals add up to less than two minutes:
    /// whether the logs are a sample is then not known.
    pub sampled_percent: Option<f64>,
    /// The gaps, as sentences. Empty for complete logs.
    pub notes: Vec<String>,
}

/// The sums behind a [`Coverage`], which add up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CoverageTally {
    formats: BTreeMap<Format, Count>,
    stages: [Count; 4],
    levels: [Count; 4],
    other: Count,
    /// The minutes of each hour that have an event, as bits.
    hours: BTreeMap<Time<HOUR>, u64>,
    /// The requests of each kind that every cluster has.
    signs: [Count; SIGNS.len()],
    /// The requests without a user or a verb.
    bare: Count,
    /// The lease renewals of nodes.
    leases: Leases<10_000>,
    /// The lease renewals of API servers.
    servers: Leases<100>,
    /// Whether these are the sums of several runs.
    is_merged: bool,
    /// The most API servers whose logs were mixed in any of the merged runs; 0 without mixing.
    mixed: Count,
    writes: Writes,
    repeated: Repeated,
}

/// An hour, in microseconds.
const HOUR: i64 = 3_600_000_000;
/// A kubelet renews its lease in this time by default: a quarter of `nodeLeaseDurationSeconds`. An API server always does.
const RENEWAL: i64 = 10_000_000;
/// The time for which renewals must be known: the sum over the leases of the times between their renewals.
const LEAST: i64 = 120_000_000;
/// Less than this part of the renewals is a sample, in percent.
const SAMPLED: f64 = 80.0;
/// The requests and minutes from which on missing kinds of requests mean something.
const ENOUGH_REQUESTS: u64 = 500;
const ENOUGH_MINUTES: u64 = 5;

impl CoverageTally {
    /// Adds a request, from its last event.
    pub fn add_event(&mut self, event: &Event<'_>) {
        let traits = Traits::of(event, &event.attributes(), &Redactor::default());
        self.add_traits(&traits, event.received_us());
    }

    /// Adds a request.
    pub(super) fn add(&mut self, sample: &Sample) {
        self.add_traits(&sample.traits, sample.received_us);
    }

    fn add_traits(&mut self, traits: &Traits, received_us: Option<i64>) {
        for (sign, _) in SIGNS {
            let bit = 1 << sign as u8;
            self.signs[sign as usize] += u64::from(traits.signs & bit != 0);
        }
        self.bare += u64::from(traits.is_bare);
        if let Some(hash) = traits.hash {
            self.repeated.add(hash);
        }
        let Some(time) = received_us else {
            return;
        };
        if traits.writes {
            self.writes.add(time);
        }
        if let Some(server) = &traits.renewed_server {
            self.servers.add(server, time);
        }
        if let Some(node) = &traits.renewed_node {
            self.leases.add(node, time);
        }
    }

    /// Adds the counts of logs.
    pub fn add_counts(&mut self, counts: &Counts) {
        let formats = counts.formats.iter();
        let hours = counts.minutes.hours.iter();
        self.add_sums(Self {
            formats: formats
                .map(|(format, events)| (*format, Count(*events)))
                .collect(),
            stages: counts.stages.map(Count),
            levels: counts.levels.map(Count),
            other: Count(counts.other),
            hours: hours.map(|(hour, bits)| (Time(*hour), *bits)).collect(),
            ..Self::default()
        });
    }

    /// Adds the sums of another run.
    pub(super) fn merge(&mut self, other: Self) {
        let mixed = self.mixed().max(other.mixed());
        self.add_sums(other);
        self.is_merged = true;
        self.mixed = Count(mixed);
    }

    /// The API servers whose logs were mixed in one run; 0 for none. The runs for the logs of different servers are separate.
    fn mixed(&self) -> u64 {
        match self.is_merged {
            true => self.mixed.0,
            false => self.servers.overlapping().unwrap_or_default() as u64,
        }
    }

    fn add_sums(&mut self, other: Self) {
        for (format, events) in other.formats {
            *self.formats.entry(format).or_default() += events;
        }
        let own = self.stages.iter_mut().chain(&mut self.levels);
        let own = own.chain(&mut self.signs);
        let others = other.stages.into_iter().chain(other.levels);
        for (own, more) in own.zip(others.chain(other.signs)) {
            *own += more;
        }
        self.other += other.other;
        self.bare += other.bare;
        self.servers.merge(other.servers);
        self.writes.merge(other.writes);
        self.repeated.merge(other.repeated);
        self.leases.merge(other.leases);
        for (hour, minutes) in other.hours {
            *self.hours.entry(hour).or_default() |= minutes;
        }
    }

    /// The coverage of `requests` requests.
    pub fn report(&self, requests: u64) -> Coverage {
        let gaps = Gaps::of(&self.hours);
        let stages = Stage::ALL.iter().zip(self.stages);
        let mut coverage = Coverage {
            formats: self
                .formats
                .iter()
                .map(|(format, events)| (format.name().to_owned(), events.0))
                .collect(),
            stages: stages
                .map(|(stage, events)| (stage.name(), events.0))
                .collect(),
            minutes: gaps.minutes,
            empty_minutes: gaps.empty,
            longest_gap: gaps.longest.map(|(from, to)| (shown(from), shown(to))),
            sampled_percent: self.sampled_percent(&gaps),
            notes: Vec::new(),
        };
        coverage.notes = self.notes(&coverage, requests);
        coverage
    }

    fn notes(&self, coverage: &Coverage, requests: u64) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some((from, to)) = &coverage.longest_gap {
            let (empty, all) = (coverage.empty_minutes, coverage.minutes);
            notes.push(format!(
                "no events in {empty} of {all} minutes, the longest time from {from} to {to}"
            ));
        }
        if let Some(percent) = coverage
            .sampled_percent
            .filter(|percent| *percent < SAMPLED)
        {
            let percent = percent.ceil();
            notes.push(format!(
                "kubelets and API servers renew their leases every 10 seconds by default, and at most {percent} % of these requests are there: events are sampled, parts of the logs are missing, or the renewals were rarer or failed"
            ));
        }
        if is_long(requests, coverage.minutes) && coverage.sampled_percent.is_none() {
            notes.push(
                "whether events are sampled is not known: there are too few lease renewals of kubelets and API servers".to_owned(),
            );
        }
        let servers = self.mixed();
        if servers > 0 {
            notes.push(format!(
                "{servers} API servers renewed their leases in the same time: the logs are of several servers, and peaks, waits and executed times \
                 are those of none; run the command for the log of each server alone"
            ));
        }
        notes.extend(self.repeated.note());
        notes.extend(self.writes.note());
        for (format, Count(events)) in &self.formats {
            if !format.lacks().is_empty() {
                let lacks = format.lacks().join(", ");
                notes.push(format!(
                    "{events} events are from {format}, which does not have {lacks}"
                ));
            }
        }
        let of = |stage: Stage| self.stages[stage as usize].0;
        let events = Stage::ALL.iter().map(|stage| of(*stage)).fold(0, sum);
        if events > 0 && of(Stage::ResponseComplete) == 0 {
            notes.push(
                "no event has the stage ResponseComplete: durations, status codes and rejected requests are unknown".to_owned(),
            );
        } else if events > 0 && of(Stage::ResponseStarted) == 0 && self.sign(Sign::Watch) > 0 {
            notes.push(
                "no event has the stage ResponseStarted: a watch is in the logs only when it ends, and the time until it began is unknown".to_owned(),
            );
        }
        if self.bare.0 > 0 {
            notes.push(format!(
                "{} of {requests} requests have no user or no verb: their events have less than the level Metadata",
                self.bare.0
            ));
        }
        let unknown = self.levels[Level::Unknown as usize].0;
        let made = self
            .formats
            .get(&Format::CloudLogging)
            .copied()
            .unwrap_or_default()
            .0;
        if unknown > made {
            notes.push(format!(
                "{} events do not have the field `level`: how much the audit policy records is unknown",
                unknown - made
            ));
        }
        let missing: Vec<_> = self.missing(requests, coverage.minutes).collect();
        if !missing.is_empty() {
            notes.push(format!(
                "there are no {}, which every cluster has: the audit policy probably excludes them (level None), or an export left them out",
                missing.join(", no ")
            ));
        }
        notes
    }

    /// The kinds of requests that every cluster has and long logs lack.
    fn missing(&self, requests: u64, minutes: u64) -> impl Iterator<Item = &'static str> {
        let missing = SIGNS
            .iter()
            .filter(move |(sign, _)| is_long(requests, minutes) && self.sign(*sign) == 0);
        missing.map(|(_, name)| *name)
    }

    fn sign(&self, sign: Sign) -> u64 {
        self.signs[sign as usize].0
    }

    /// Whether the logs of `requests` requests are known to have all of them: they have the lease renewals, and every kind of requests.
    pub(super) fn is_complete(&self, requests: u64) -> bool {
        let gaps = Gaps::of(&self.hours);
        let sampled = self.sampled_percent(&gaps);
        sampled.is_some_and(|percent| percent >= SAMPLED)
            && self.missing(requests, gaps.minutes).next().is_none()
    }

    /// The part of the lease renewals that the logs have, between the first and the last renewal of each, in percent.
    fn sampled_percent(&self, gaps: &Gaps) -> Option<f64> {
        let present = 1.0 - gaps.empty as f64 / gaps.minutes.max(1) as f64;
        let (nodes, servers) = (self.leases.totals(), self.servers.totals());
        let found = sum(nodes.0, servers.0);
        let time = nodes.1.saturating_add(servers.1);
        let expected = time as f64 / RENEWAL as f64 * present;
        (time >= LEAST && expected > 0.0).then(|| (found as f64 / expected * 1000.0).round() / 10.0)
    }
}

/// Whether missing kinds of requests mean something.
fn is_long(requests: u64, minutes: u64) -> bool {
    requests >= ENOUGH_REQUESTS && minutes >= ENOUGH_MINUTES
}

/// The minutes without an event.
#[derive(Default)]
struct Gaps {
    minutes: u64,
    empty: u64,
    /// The begin and the end of the longest gap, in minutes since 1970.
    longest: Option<(i64, i64)>,
}

impl Gaps {
    fn of(hours: &BTreeMap<Time<HOUR>, u64>) -> Self {
        let mut gaps = Self::default();
        let mut last = None::<i64>;
        for (hour, bits) in hours {
            for minute in (0..60).filter(|minute| bits & (1 << minute) != 0) {
                let minute = hour.0 * 60 + minute;
                let before = last.replace(minute).map_or(minute, |last| last + 1);
                let gap = minute.saturating_sub(before).unsigned_abs();
                gaps.minutes += gap + 1;
                gaps.empty += gap;
                let longest = gaps
                    .longest
                    .map_or(0, |(from, to)| (to - from).unsigned_abs());
                if gap > longest {
                    gaps.longest = Some((before, minute));
                }
            }
        }
        gaps
    }
}

/// A minute in RFC 3339.
fn shown(minute: i64) -> String {
    match Timestamp::from_second(minute.saturating_mul(60)) {
        Ok(time) => time.to_string(),
        Err(_) => minute.to_string(),
    }
}
