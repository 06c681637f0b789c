//! The answer as text and as JSON.

use super::compared::{Compared, print_proposed, proposed_json};
use crate::commands::simulate::outcome::seconds;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Streams, Table, plural, write_report};
use k8s_flowcontrol::convert::Lossy;
use k8s_flowcontrol::{Release, Resource};
use k8s_flowcontrol_analysis::size::{
    Change, Check, Examination, Examined, Impossible, Intents, LongerWaits, Measured, Proof,
    Sizing, Tier,
};
use serde_json::{Value, json};
use std::io::Write;

/// Prints the proof to the standard error, and the objects.
pub(super) fn print(
    sizing: &Sizing,
    proposed: Option<&Examination>,
    release: Release,
    streams: &mut Streams,
) -> Result<(), Failure> {
    for examined in &sizing.proof.examined {
        let what = if examined.is_required {
            ""
        } else {
            " (margin)"
        };
        let title = format!("{}{what}", examined.title);
        let count = plural(examined.requests, "request");
        writeln!(streams.err, "{title}: {count}")?;
        let mut table = Table::new(["INTENT", "HOLDS", "REQUESTS", "FOUND", "MARGIN"]);
        for check in &examined.checks {
            let margin = check.margin_percent();
            let margin = margin.map_or_else(|| "-".to_owned(), |margin| format!("{margin:.0}%"));
            let holds = if check.is_met() { "yes" } else { "no" };
            let found = check.to_string();
            table.row([
                check.name.clone(),
                holds.to_owned(),
                requests(check),
                found,
                margin,
            ]);
        }
        table.write(&mut streams.err)?;
        writeln!(streams.err)?;
    }
    if proposed.is_some() || !sizing.changes.is_empty() {
        Compared::new(sizing, proposed).print(sizing.seats, streams)?;
    }
    for (tier, fits) in &sizing.tiers {
        let fits = if *fits { "is enough" } else { "is too small" };
        let Tier {
            name, seats, price, ..
        } = tier;
        writeln!(streams.err, "{name} ({seats} seats, price {price}) {fits}")?;
    }
    let seats = sizing.seats;
    streams.err.paragraph(&verdict(sizing))?;
    if let Some(proposed) = proposed {
        print_proposed(proposed, streams)?;
    }
    for warning in warnings(sizing) {
        streams.err.paragraph(&warning)?;
    }
    streams.err.paragraph(&Proof::LEFT_OUT.join(" "))?;
    streams.fact("Seats of each server", seats);
    streams.fact("Changed levels", sizing.changes.len());
    let manifests = sizing
        .manifests_for(release)
        .map_err(|lossy| unserved(&lossy, release))?;
    streams.out.data().write_all(manifests.as_bytes())?;
    Ok(())
}

/// The number of requests that a check of waits rests on.
pub(super) fn requests(check: &Check) -> String {
    match check.measured {
        Measured::Wait { .. } => check.requests.to_string(),
        _ => "-".to_owned(),
    }
}

/// Whether the objects satisfy the intents.
pub(super) fn verdict(sizing: &Sizing) -> String {
    let objects = match sizing.changes.is_empty() {
        true => "the present objects",
        false => "these objects",
    };
    let more = match sizing.is_complete {
        true => "",
        false => "; fewer may be enough: the search did not try them all",
    };
    let seats = plural(sizing.seats, "seat");
    format!("in the simulation, with {seats}, {objects} satisfy all intents{more}")
}

/// The intents whose recorded waits are longer than the simulated ones, and the changed levels that use more seats than their nominal limits.
pub(super) fn warnings(sizing: &Sizing) -> Vec<String> {
    let longer = sizing.longer_waits.iter().map(unproven);
    let changes = sizing.changes.iter().filter_map(|change| {
        let nominal = u64::try_from(change.nominal).unwrap_or_default();
        let (name, peak) = (change.priority_level.name(), change.peak_seats);
        (peak > nominal).then(|| format!(
            "{name} has a nominal limit of {nominal} and uses up to {peak} seats: the answer holds only while other levels leave their seats idle"
        ))
    });
    longer.chain(changes).collect()
}

/// The warning about recorded waits that are longer than the simulated ones.
pub(super) fn unproven(longer: &LongerWaits) -> String {
    let intent = &longer.intent;
    format!(
        "{intent}: {longer}: do not rely on the answer before `kubectl flowcontrol simulate --audit-log` agrees with the logs"
    )
}

/// The added and changed objects in the newest version that the release serves.
pub(super) fn objects(sizing: &Sizing, release: Release) -> Result<Vec<Value>, Failure> {
    let changes = sizing.changes.iter();
    let objects = changes.map(|change| change.objects_for(release));
    let objects: Result<Vec<_>, _> = objects.collect();
    Ok(objects.map_err(|lossy| unserved(&lossy, release))?.concat())
}

/// The error of objects that the versions of a release cannot express.
pub(super) fn unserved(lossy: &Lossy<Value>, release: Release) -> Failure {
    let losses: Vec<_> = lossy.losses.iter().map(ToString::to_string).collect();
    let (version, losses) = (release.preferred(), losses.join("; "));
    let message = format!("{version} cannot hold the objects of the answer: {losses}");
    Failure::new(Exit::Loss, message)
}

/// Prints the contradiction of intents. Returns the printed line, if there is a contradiction.
pub(super) fn print_contradiction(
    intents: &Intents,
    streams: &mut Streams,
) -> Result<Option<String>, Failure> {
    let Some(contradiction) = intents.contradiction() else {
        return Ok(None);
    };
    let line = contradiction.to_string();
    writeln!(streams.err, "{line}")?;
    Ok(Some(line))
}

/// Prints why the intents cannot be satisfied, without the line that was printed before.
pub(super) fn print_impossible(
    impossible: &Impossible,
    printed: Option<&String>,
    proposed: Option<&Examination>,
    streams: &mut Streams,
) -> Result<(), Failure> {
    for line in lines(impossible) {
        if printed != Some(&line) {
            writeln!(streams.err, "{line}")?;
        }
        streams.fact("Not possible", line);
    }
    proposed.map_or(Ok(()), |proposed| print_proposed(proposed, streams))
}

pub(super) fn lines(impossible: &Impossible) -> Vec<String> {
    let seats = plural(impossible.seats, "seat");
    let mut lines = Vec::new();
    match &impossible.contradiction {
        Some(contradiction) => {
            lines.push(format!("{seats} cannot satisfy all intents"));
            lines.push(contradiction.to_string());
        }
        // The search does not try all configurations.
        None => lines.push(format!(
            "no configuration with {seats} was found that satisfies all intents"
        )),
    }
    for check in &impossible.failing {
        lines.push(format!(
            "{}: {check}, in the last configuration that was tried",
            check.name
        ));
    }
    if let Some(needed) = impossible.needed {
        let needed = plural(needed, "seat");
        lines.push(format!("{needed} satisfy all intents"));
    }
    for (intents, nominal) in &impossible.needs {
        let nominal = plural(*nominal, "seat");
        lines.push(format!(
            "{}: a level with a nominal limit of {nominal} then",
            intents.join(", ")
        ));
    }
    for intent in &impossible.give_up {
        lines.push(format!(
            "without the intent {intent} the others can be satisfied"
        ));
    }
    if !impossible.not_tried.is_empty() {
        let names = impossible.not_tried.join(", ");
        lines.push(format!(
            "unknown, as the search is bounded: whether the others can be satisfied without {names}"
        ));
    }
    if !impossible.is_complete {
        lines.push("the time of the search ended before all ways out were tried".to_owned());
    }
    lines
}

pub(super) fn write_json(
    sizing: &Sizing,
    proposed: Option<&Examination>,
    release: Release,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let reasons = |change: &Change| {
        let reason = |reason: &k8s_flowcontrol_analysis::size::Reason| json!({"field": reason.field_for(release), "reason": reason.text});
        json!({
            "priorityLevel": change.priority_level.name(),
            "intents": change.intents,
            "nominalSeats": change.nominal,
            "peakSeatsInUse": change.peak_seats,
            "reasons": change.reasons.iter().map(reason).collect::<Vec<_>>(),
        })
    };
    let tried = sizing.tiers.iter();
    let tried = tried.map(|(tier, fits)| json!({"tier": tier_json(tier), "isEnough": fits}));
    let report = json!({
        "isPossible": true,
        "seats": sizing.seats,
        "tier": sizing.tier.as_ref().map(tier_json),
        "tiers": tried.collect::<Vec<_>>(),
        "objects": objects(sizing, release)?,
        "changes": sizing.changes.iter().map(reasons).collect::<Vec<_>>(),
        "longerWaits": sizing.longer_waits.iter().map(longer_json).collect::<Vec<_>>(),
        "before": sizing.before.iter().map(check_json).collect::<Vec<_>>(),
        "examined": sizing.proof.examined.iter().map(examined_json).collect::<Vec<_>>(),
        "levels": Compared::new(sizing, proposed).json(),
        "compared": proposed_json(proposed),
        "leftOut": Proof::LEFT_OUT,
        "isComplete": sizing.is_complete,
        "trials": sizing.trials,
    });
    Ok(write_report(&mut streams.out, report)?)
}

pub(super) fn write_impossible(
    impossible: &Impossible,
    proposed: Option<&Examination>,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let needs = impossible.needs.iter();
    let needs = needs.map(|(intents, seats)| json!({"intents": intents, "seats": seats}));
    let report = json!({
        "isPossible": false,
        "seats": impossible.seats,
        "reasons": lines(impossible),
        "failing": impossible.failing.iter().map(check_json).collect::<Vec<_>>(),
        "neededSeats": impossible.needed,
        "needs": needs.collect::<Vec<_>>(),
        "giveUp": impossible.give_up,
        "notTried": impossible.not_tried,
        "compared": proposed_json(proposed),
        "isComplete": impossible.is_complete,
        "trials": impossible.trials,
    });
    Ok(write_report(&mut streams.out, report)?)
}

pub(super) fn longer_json(longer: &LongerWaits) -> Value {
    json!({
        "intent": longer.intent,
        "requests": longer.requests,
        "recordedSeconds": seconds(longer.recorded),
        "simulatedSeconds": seconds(longer.simulated),
    })
}

fn tier_json(tier: &Tier) -> Value {
    json!({"name": tier.name, "seats": tier.seats, "price": tier.price})
}

pub(super) fn examined_json(examined: &Examined) -> Value {
    json!({
        "load": examined.title,
        "isRequired": examined.is_required,
        "requests": examined.requests,
        "checks": examined.checks.iter().map(check_json).collect::<Vec<_>>(),
    })
}

pub(super) fn check_json(check: &Check) -> Value {
    json!({
        "intent": check.name,
        "isMet": check.is_met(),
        "requests": check.requests,
        "found": check.to_string(),
        "marginPercent": check.margin_percent(),
    })
}
