//! Advice that is simulated over an audit log before it is given.

use super::checks::machine::{Limit, is_known_now};
use super::context::Context;
use super::evidence::{Evidence, Scope};
use super::finding::{Finding, Severity};
use super::observation::Observation;
use crate::simulation::{Compared, Counts, FlowReport, LevelReport, Prediction, Report, Waits};
use k8s_flowcontrol_rules::limits::ServerLimits;
use k8s_flowcontrol_rules::objects::levels_in_use;
use k8s_flowcontrol_types::Resource;
use k8s_flowcontrol_types::api::v1::PriorityLevelConfiguration;
use std::time::Duration;

/// The id of findings about simulated changes.
const CHECK: &str = "simulated-change";
const SHARES: &str = "spec.limited.nominalConcurrencyShares";
/// Shorter waits do not need a change.
const SHORT: Duration = Duration::from_millis(100);
/// A time or a number of rejections that changes by less is the same, in percent.
const SAME_PERCENT: u32 = 25;
/// Effects are compared by this percentile of response times: chance decides more about higher ones.
const PERCENT: f64 = 90.0;
/// A shorter difference does not count.
const SAME: Duration = Duration::from_millis(10);
/// Fewer rejections more or less are the same.
const REJECTIONS: u64 = 10;
/// The most doublings of shares: few shares among many give no seat more.
const DOUBLINGS: u32 = 10;
/// A longer execution with twice as many requests shows that the seats do not limit the server.
const SLOWDOWN: f64 = 1.5;

/// A change of the priority level whose requests wait longest: twice its shares, or as often twice as it takes for half as many seats
/// again.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Change {
    /// The name of the priority level.
    pub priority_level: String,
    /// Its `nominalConcurrencyShares`, now and after the change.
    pub shares: Compared<i32>,
    /// All priority levels after the change.
    pub priority_levels: Vec<PriorityLevelConfiguration>,
}

impl Change {
    /// The change for the limited level of the scope whose requests wait longest in a simulated log; none if no such level has
    /// long waits or rejections.
    pub fn new(
        evidence: &Evidence,
        scope: &Scope<'_>,
        seats: u32,
        report: &Report,
    ) -> Option<Self> {
        let levels = levels_in_use(&evidence.priority_levels, evidence.release);
        let context = Context::new(evidence, scope, &levels);
        let lost = |level: &LevelReport| {
            let waited = level.waits.average().as_secs_f64() * level.waits.count() as f64;
            let rejected = level.counts.rejected + level.counts.timed_out;
            (rejected as f64 + waited, rejected)
        };
        let is_slow = |level: &&LevelReport| {
            let is_slow = lost(level).1 > REJECTIONS || level.waits.percentile(99.0) > SHORT;
            is_slow && context.includes(&level.name)
        };
        let slow = report.levels.iter().filter(is_slow);
        let worst = slow.max_by(|left, right| lost(left).0.total_cmp(&lost(right).0))?;
        let mut priority_levels = evidence.priority_levels.clone();
        let index = priority_levels
            .iter()
            .position(|level| level.name() == worst.name)?;
        let seats_of = |levels: &[PriorityLevelConfiguration]| {
            let limits = ServerLimits::new(levels, seats, evidence.release);
            limits.level(&worst.name).map(|level| level.nominal)
        };
        let least = (seats_of(&priority_levels)?.saturating_mul(3) + 1) / 2;
        let limited = priority_levels[index].spec.limited.as_ref()?;
        let before = limited.nominal_concurrency_shares.unwrap_or(30);
        let mut after = before.max(1);
        for _ in 0..DOUBLINGS {
            after = after.saturating_mul(2);
            let limited = priority_levels[index].spec.limited.as_mut()?;
            limited.nominal_concurrency_shares = Some(after);
            if seats_of(&priority_levels)? >= least.max(1) {
                break;
            }
        }
        Some(Self {
            priority_level: worst.name.clone(),
            shares: Compared {
                observed: before,
                predicted: after,
            },
            priority_levels,
        })
    }

    /// The effect of the change: who gains, who pays, and whether the simulation can tell. `before` simulates the configuration of
    /// the log.
    pub fn finding(
        &self,
        evidence: &Evidence,
        scope: &Scope<'_>,
        [before, after]: [&Report; 2],
    ) -> Finding {
        let levels = levels_in_use(&evidence.priority_levels, evidence.release);
        let context = Context::new(evidence, scope, &levels);
        let predictions = before.predictions();
        let level = &self.priority_level;
        let own = |found: &&Prediction| found.priority_level == *level;
        let wrong = predictions.iter().find(|found| !found.is_within_limits());
        let finding = |message, evidence, action: &str| Finding {
            check: CHECK,
            severity: Severity::Note,
            server: None,
            priority_level: Some(level.clone()),
            message,
            evidence,
            action: action.to_owned(),
        };
        let what = format!(
            "{} shares instead of {}",
            self.shares.predicted, self.shares.observed
        );
        if let Some(wrong) = wrong {
            let message = format!(
                "whether {what} help priority level {level} is unknown: the simulation does not agree with the log"
            );
            return finding(message, vec![error_of(&context, wrong)], &try_it(&context));
        }
        let effects = effects(before, after);
        let gains: Vec<_> = effects.iter().filter(|effect| effect.sign < 0).collect();
        let pays: Vec<_> = effects.iter().filter(|effect| effect.sign > 0).collect();
        let helps = gains.iter().any(|effect| effect.level == *level);
        let mut evidence = vec![Observation::level_field(
            level,
            SHARES,
            self.shares.observed,
        )];
        evidence.extend(
            gains
                .iter()
                .map(|effect| effect.observation(&context, "gains")),
        );
        evidence.extend(
            pays.iter()
                .map(|effect| effect.observation(&context, "pays")),
        );
        evidence.extend(
            predictions
                .iter()
                .find(own)
                .map(|own| error_of(&context, own)),
        );
        if helps && !before.is_slowdown_known && !has_idle_machine(&context) {
            let message = format!(
                "whether {what} help priority level {level} is unknown: the log does not show whether requests slow each other down"
            );
            evidence.push(Observation::computed(
                "about as many requests execute all the time in the log. In the simulation they do not slow each other down; on a busy processor, more seats for one level make the requests of all slower".to_owned(),
            ));
            return finding(message, evidence, &try_it(&context));
        }
        let slowdown = before.slowdown.filter(|factor| *factor >= SLOWDOWN);
        evidence.extend(slowdown.map(|factor| {
            Observation::computed(format!(
                "in the log, requests take {factor:.1} times as long while twice as many execute: the processor, etcd or the memory limits the server"
            ))
        }));
        let (verb, more, action) = match (helps, pays.is_empty()) {
            (true, true) => ("help", "", "give the level the shares"),
            (true, false) => (
                "help",
                ", and others pay",
                "give the level the shares only if the others may be slower",
            ),
            (false, _) => (
                "do not help",
                "",
                "keep the configuration, and reduce the requests of the level",
            ),
        };
        let kept = limit(&context).map(|limit| limit.keep());
        let action = kept.as_deref().unwrap_or(action);
        let message = format!("simulated over the log, {what} {verb} priority level {level}{more}");
        finding(message, evidence, action)
    }
}

/// Whether the metrics show that nothing but seats limits the servers, so that requests do not slow each other down.
fn has_idle_machine(context: &Context<'_>) -> bool {
    let servers = &context.evidence.servers;
    let mut idle = servers
        .iter()
        .map(|server| is_known_now(server) && Limit::of(server).is_none());
    !servers.is_empty() && idle.all(|is_idle| is_idle)
}

/// The action if the effect of a change is unknown.
fn try_it(context: &Context<'_>) -> String {
    match limit(context) {
        None => "keep the configuration, or try the change for a short time and measure".to_owned(),
        Some(limit) => limit.keep(),
    }
}

/// What limits a server whose requests wait or are rejected, besides its seats.
fn limit(context: &Context<'_>) -> Option<Limit> {
    let mut busy = context.loads().filter(|load| load.is_in_trouble_now());
    busy.find_map(|load| Limit::of(load.server))
}

/// The seats of an API server, which the limits of its levels tell; none if they are unknown.
pub fn server_seats(evidence: &Evidence) -> Option<u32> {
    let levels = levels_in_use(&evidence.priority_levels, evidence.release);
    let scope = Scope::default();
    let context = Context::new(evidence, &scope, &levels);
    let seats = context.loads.iter().find_map(|load| load.server_seats())?;
    u32::try_from(seats).ok()
}

/// The error of a prediction: its rejections and times, of a wrong prediction only the values outside the limits.
fn error_of(context: &Context<'_>, found: &Prediction) -> Observation {
    let name = match &found.flow {
        None => format!("priority level {}", found.priority_level),
        Some((schema, distinguisher)) => context.flow_name(schema, distinguisher),
    };
    let is_wrong = !found.is_within_limits();
    let mut parts = Vec::new();
    if !(is_wrong && found.is_rejected_within_limits()) {
        let rejected = found.rejected;
        parts.push(format!(
            "{} rejections in the log and {} in the simulation",
            rejected.observed, rejected.predicted
        ));
    }
    let waits = found.waits.filter(|_| is_wrong);
    for (times, what) in [(waits, "wait"), (found.responses, "response")] {
        let names = [
            format!("median {what}"),
            format!("99th percentile of {what}s"),
        ];
        for (time, name) in times.into_iter().flatten().zip(names) {
            if !is_wrong || !time.is_within_limits() {
                parts.push(format!(
                    "{name} {} in the log and {} in the simulation",
                    seconds(time.observed),
                    seconds(time.predicted)
                ));
            }
        }
    }
    Observation::computed(format!(
        "error of the simulation for {name}: {}",
        parts.join(", ")
    ))
}

/// The effect of a change on a flow.
struct Effect<'a> {
    flow: &'a FlowReport,
    level: &'a str,
    rejected: [u64; 2],
    p90: [Duration; 2],
    /// Negative for less, positive for more.
    sign: i32,
}

impl Effect<'_> {
    fn observation(&self, context: &Context<'_>, verb: &str) -> Observation {
        let name = context.flow_name(&self.flow.flow_schema, &self.flow.flow_distinguisher);
        let [before, after] = self.p90.map(seconds);
        let rejected = match self.rejected {
            [0, 0] => String::new(),
            [before, after] => format!(", rejections {before} → {after}"),
        };
        Observation::computed(format!(
            "{name} {verb}: 90th percentile of response times {before} → {after}{rejected}"
        ))
    }
}

/// The effects on flows, the largest first.
fn effects<'a>(before: &'a Report, after: &Report) -> Vec<Effect<'a>> {
    let mut effects = Vec::new();
    for flow in &before.flows {
        let is_same = |new: &&FlowReport| {
            (&new.flow_schema, &new.flow_distinguisher)
                == (&flow.flow_schema, &flow.flow_distinguisher)
        };
        let Some(new) = after.flows.iter().find(is_same) else {
            continue;
        };
        let p90 = [&flow.responses, &new.responses].map(|times: &Waits| times.percentile(PERCENT));
        let rejected =
            [&flow.counts, &new.counts].map(|counts: &Counts| counts.rejected + counts.timed_out);
        let sign = match (sign_of_rejections(rejected), sign_of_times(p90)) {
            (0, times) => times,
            (rejections, _) => rejections,
        };
        if sign != 0 {
            effects.push(Effect {
                flow,
                level: &flow.priority_level,
                rejected,
                p90,
                sign,
            });
        }
    }
    effects.sort_by_key(|effect| std::cmp::Reverse(effect.p90[0].abs_diff(effect.p90[1])));
    effects
}

fn sign_of_times([before, after]: [Duration; 2]) -> i32 {
    let difference = before.abs_diff(after);
    match difference <= SAME || difference * 100 <= before.saturating_mul(SAME_PERCENT) {
        true => 0,
        false => after.cmp(&before) as i32,
    }
}

fn sign_of_rejections([before, after]: [u64; 2]) -> i32 {
    let difference = before.abs_diff(after);
    match difference <= REJECTIONS || difference * 100 <= before * u64::from(SAME_PERCENT) {
        true => 0,
        false => after.cmp(&before) as i32,
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}
