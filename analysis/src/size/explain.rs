//! The reason of each number.

use super::answer::{Change, Reason};
use super::check::Check;
use super::search::Found;
use super::setting::{Borrowing, Setting};
use super::sizer::{Outcome, Sizer};
use crate::nouns::count;
use crate::simulation::Peak;
use k8s_flowcontrol_rules::limits::ServerLimits;
use k8s_flowcontrol_types::Resource;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use std::time::Duration;

/// The changes of a configuration, with their reasons.
pub(super) fn changes(sizer: &Sizer<'_>, found: &Found, outcomes: &[&Outcome]) -> Vec<Change> {
    let limits = ServerLimits::new(&found.objects.levels, found.seats, sizer.release);
    let settings = found.settings.iter().enumerate();
    let changes = settings.filter_map(|(index, setting)| {
        let level = found.objects.levels.iter().rev();
        let level = level.clone().find(|level| level.name() == setting.level)?;
        let schema = found.objects.flow_schemas.iter().rev();
        let schema = schema.clone().find(|schema| schema.name() == setting.level);
        let schema = schema.filter(|_| setting.client.is_some());
        let nominal = limits.level(&setting.level)?.nominal;
        let peak = peak(outcomes, &setting.level);
        let of = Explained {
            sizer,
            setting,
            level,
            nominal,
            seats: found.seats,
            peak,
            with_less: found.with_less.get(index).map_or(&[], Vec::as_slice),
        };
        Some(Change {
            priority_level: level.clone(),
            flow_schema: schema.cloned(),
            intents: names(sizer, setting),
            nominal,
            peak_seats: peak.seats,
            peak_at: peak.at,
            reasons: of.reasons(schema),
        })
    });
    changes.collect()
}

/// The nominal seats of each level of a configuration, with its intents.
pub(super) fn needs(sizer: &Sizer<'_>, found: &Found) -> Vec<(Vec<String>, i64)> {
    let limits = ServerLimits::new(&found.objects.levels, found.seats, sizer.release);
    let settings = found.settings.iter();
    settings
        .filter_map(|setting| {
            let nominal = limits.level(&setting.level)?.nominal;
            Some((names(sizer, setting), nominal))
        })
        .collect()
}

fn names(sizer: &Sizer<'_>, setting: &Setting) -> Vec<String> {
    let intents = setting.intents.iter();
    intents
        .filter_map(|index| Some(sizer.intents.intents.get(*index)?.name.clone()))
        .collect()
}

/// The highest use of a level in several runs.
fn peak(outcomes: &[&Outcome], level: &str) -> Peak {
    let mut highest = Peak::default();
    let peaks = outcomes.iter().flat_map(|outcome| &outcome.measured.peaks);
    for (_, peak) in peaks.filter(|(name, _)| name == level) {
        let waiting = highest.waiting.max(peak.waiting);
        if peak.seats > highest.seats {
            highest = *peak;
        }
        highest.waiting = waiting;
    }
    highest
}

/// A level whose numbers are explained.
struct Explained<'a> {
    sizer: &'a Sizer<'a>,
    setting: &'a Setting,
    level: &'a PriorityLevelConfiguration,
    nominal: i64,
    seats: u32,
    peak: Peak,
    with_less: &'a [Check],
}

impl Explained<'_> {
    fn reasons(&self, schema: Option<&FlowSchema>) -> Vec<Reason> {
        let mut reasons = Vec::new();
        let mut of_level = |field, text| {
            reasons.push(Reason {
                field,
                is_of_flow_schema: false,
                text,
            });
        };
        let limited = self.level.spec.limited.clone().unwrap_or_default();
        let shares = limited.nominal_concurrency_shares.unwrap_or_default();
        of_level("nominalConcurrencyShares", self.shares(shares));
        match self.setting.lendable {
            None => {}
            Some(0) => {
                let text = "0 % lendable: no other level uses its seats";
                of_level("lendablePercent", text.to_owned());
            }
            Some(percent) => {
                let text = format!(
                    "{percent} % lendable: if it lent less, {} would not be enough for all intents",
                    count(self.seats, "seat")
                );
                of_level("lendablePercent", text);
            }
        }
        match (self.setting.at_most, self.setting.borrowing) {
            (Some(most), _) => {
                let text = format!("0 % borrowing: never more than {most} seats");
                of_level("borrowingLimitPercent", text);
            }
            (None, Some(Borrowing::Percent(percent))) => {
                let text = format!(
                    "{percent} % borrowing: beside its nominal limit of {} it uses up to {} that others leave idle in the logs; less is not enough, and more shares would take seats from others",
                    count(self.nominal, "seat"),
                    self.peak
                        .seats
                        .saturating_sub(u64::try_from(self.nominal).unwrap_or_default()),
                );
                of_level("borrowingLimitPercent", text);
            }
            (None, Some(Borrowing::Unlimited) | None) => {}
        }
        if let Some(queuing) = &limited.limit_response.queuing {
            let (queues, hand) = (queuing.queues.unwrap_or(1), queuing.hand_size.unwrap_or(1));
            if self.setting.client.is_some() {
                let text = match queues {
                    1 => "1 queue: the requests of one client are one flow".to_owned(),
                    queues => format!(
                        "{queues} queues, hands of {hand}: each user is a flow, and a few busy users rarely share all queues with another"
                    ),
                };
                of_level("queues", text);
            }
            if self.setting.queues.is_some() {
                let text = format!(
                    "{queues} queues, hands of {hand}: busy flows share fewer queues with others, so that these hold their place without more seats"
                );
                of_level("queues", text);
            }
            if self.setting.queue_length.is_some() {
                let length = queuing.queue_length_limit.unwrap_or_default();
                let text = match self.peak.waiting {
                    0 => format!("queues of {length}: no request waited"),
                    waiting => {
                        format!("queues of {length}: up to {waiting} requests waited at a time")
                    }
                };
                of_level("queueLengthLimit", text);
            }
        }
        if let Some(schema) = schema {
            let precedence = schema.spec.matching_precedence.unwrap_or_default();
            reasons.push(Reason {
                field: "matchingPrecedence",
                is_of_flow_schema: true,
                text: format!(
                    "precedence {precedence}: before every other flow schema that can take requests of the client, except those of health checks and administrators"
                ),
            });
        }
        reasons
    }

    /// `shares 37: 41 seats of 600, needed at 2026-01-02T14:03:10Z when 39 requests of alice run`.
    fn shares(&self, shares: i32) -> String {
        let seats = count(self.nominal, "seat");
        let mut text = format!("shares {shares}: {seats} of {}", self.seats);
        let Peak { at, executing, .. } = self.peak;
        let who = match &self.setting.client {
            Some(client) => super::intents::client_name(client),
            None => "all clients of the level".to_owned(),
        };
        if executing > 0 {
            let verb = if executing == 1 { "runs" } else { "run" };
            let requests = count(executing, "request");
            text.push_str(&format!(
                ", needed {} when {requests} of {who} {verb}",
                self.moment(at)
            ));
        }
        let most = i64::try_from(self.peak.seats).unwrap_or(i64::MAX);
        if most > self.nominal {
            text.push_str(&format!(" in {most} seats, the others borrowed"));
        }
        if let Some(check) = self.with_less.first() {
            text.push_str(&format!("; with one seat less: {}: {check}", check.name));
        }
        text
    }

    /// A moment of the load: the time of the log, or the time since the start.
    fn moment(&self, at: Duration) -> String {
        let time = self.sizer.requests.and_then(|requests| {
            let us = requests
                .period
                .0
                .checked_add_unsigned(at.as_micros() as u64)?;
            jiff::Timestamp::from_microsecond(us).ok()
        });
        match time {
            Some(time) => format!("at {}", time.strftime("%Y-%m-%dT%H:%M:%SZ")),
            None => format!("{:.1} s after the start", at.as_secs_f64()),
        }
    }
}
