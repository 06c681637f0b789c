//! `--watch-drift`: later logs and an earlier answer.

use super::report::{check_json, examined_json, lines, longer_json, objects, unproven, unserved};
use crate::documents::read;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::objects::Objects;
use crate::output::{Streams, Table, write_report};
use k8s_flowcontrol::Release;
use k8s_flowcontrol_analysis::size::{Answer, Baseline, Drift, FieldChange, Margin, State};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

/// An earlier answer.
pub(super) struct Earlier {
    pub(super) seats: u32,
    pub(super) baseline: Baseline,
    /// The objects of the answer.
    pub(super) objects: Objects,
}

/// Whether a report has an answer.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Possible {
    is_possible: Option<bool>,
}

#[derive(Deserialize)]
struct Report {
    seats: u32,
    objects: Vec<Value>,
}

impl Earlier {
    pub(super) fn read(file: &Path) -> Result<Self, Failure> {
        let source = read(file, true)?;
        let wrong = |error: String| {
            Failure::input(format!(
                "{} is not the report of an earlier answer: {error}",
                source.name
            ))
            .hint("`kubectl flowcontrol size INTENTS -o json` writes the report")
        };
        let possible: Possible =
            serde_json::from_slice(&source.text).map_err(|error| wrong(error.to_string()))?;
        if possible.is_possible == Some(false) {
            let message = format!(
                "{} is the report of a search that found no configuration, so that there is no answer to compare with",
                source.name
            );
            return Err(Failure::input(message)
                .hint("give the report of an answer, with `\"isPossible\": true`"));
        }
        let report: Report =
            serde_json::from_slice(&source.text).map_err(|error| wrong(error.to_string()))?;
        Ok(Self {
            seats: report.seats,
            baseline: Baseline::parse(&source.text).map_err(wrong)?,
            objects: Objects::of_values(report.objects).map_err(wrong)?,
        })
    }
}

/// Writes the states of the intents, and the numbers to change.
pub(super) fn write(
    drift: &Drift,
    seats: u32,
    release: Release,
    is_json: bool,
    streams: &mut Streams,
) -> Result<Exit, Failure> {
    let has_drifted = drift.intents.iter().any(|intent| intent.state > State::Met);
    match is_json {
        true => write_json(drift, seats, release, has_drifted, streams)?,
        false => print(drift, release, streams)?,
    }
    Ok(Exit::of_findings(has_drifted))
}

fn print(drift: &Drift, release: Release, streams: &mut Streams) -> Result<(), Failure> {
    let mut table = Table::new(["INTENT", "STATE", "MARGIN BEFORE", "MARGIN", "FOUND"]);
    for intent in &drift.intents {
        let state = match (intent.before, intent.state) {
            // The earlier answer has nothing about it.
            (None, State::Met) => "met",
            (_, state) => state.as_str(),
        };
        streams.fact(&intent.name, state);
        table.row([
            intent.name.clone(),
            state.to_owned(),
            percent(intent.before),
            percent(Some(intent.now)),
            intent.check.to_string(),
        ]);
    }
    table.write(&mut streams.err)?;
    for longer in &drift.longer_waits {
        streams.err.paragraph(&unproven(longer))?;
    }
    match &drift.answer {
        None => {}
        Some(Answer::Sized(sizing)) => {
            writeln!(streams.err)?;
            for change in &drift.changes {
                streams.err.paragraph(&in_words(change, release))?;
            }
            let manifests = sizing
                .manifests_for(release)
                .map_err(|lossy| unserved(&lossy, release))?;
            streams.out.data().write_all(manifests.as_bytes())?;
        }
        Some(Answer::Impossible(impossible)) => {
            writeln!(streams.err)?;
            for line in lines(impossible) {
                writeln!(streams.err, "{line}")?;
                streams.fact("Not possible", line);
            }
        }
        Some(_) => streams.err.paragraph(STOPPED)?,
    }
    Ok(())
}

const STOPPED: &str = "the time of the search ended before numbers were found";

fn percent(margin: Option<Margin>) -> String {
    let percent = margin.and_then(|margin| margin.percent);
    percent.map_or_else(|| "-".to_owned(), |percent| format!("{percent:.0}%"))
}

/// `size-alice: nominalConcurrencyShares 37 -> 44`.
fn in_words(change: &FieldChange, release: Release) -> String {
    let (level, field) = (&change.priority_level, change.field_for(release));
    let number =
        |value: Option<i32>| value.map_or_else(|| "unset".to_owned(), |value| value.to_string());
    match field {
        "" => format!("{level}: add this level"),
        _ => format!(
            "{level}: {field} {} -> {}",
            number(change.from),
            number(change.to)
        ),
    }
}

fn write_json(
    drift: &Drift,
    seats: u32,
    release: Release,
    has_drifted: bool,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let margin = |margin: Margin| json!({"marginPercent": margin.percent, "isMetWithMore": margin.is_met_with_more});
    let intents = drift.intents.iter().map(|intent| {
        json!({
            "intent": intent.name,
            "state": match intent.state {
                State::Met => "met",
                State::MarginGone => "marginGone",
                State::Broken => "broken",
            },
            "check": check_json(&intent.check),
            "before": intent.before.map(margin),
            "now": margin(intent.now),
        })
    });
    let changes = drift.changes.iter().map(|change| {
        let field = change.field_for(release);
        json!({
            "priorityLevel": change.priority_level,
            "field": (!field.is_empty()).then_some(field),
            "from": change.from,
            "to": change.to,
        })
    });
    let (objects, reasons) = match &drift.answer {
        Some(Answer::Sized(sizing)) => (objects(sizing, release)?, Vec::new()),
        Some(Answer::Impossible(impossible)) => (Vec::new(), lines(impossible)),
        Some(_) => (Vec::new(), vec![STOPPED.to_owned()]),
        None => (Vec::new(), Vec::new()),
    };
    let report = json!({
        "seats": seats,
        "hasDrifted": has_drifted,
        "intents": intents.collect::<Vec<_>>(),
        "changes": changes.collect::<Vec<_>>(),
        "objects": objects,
        "reasons": reasons,
        "longerWaits": drift.longer_waits.iter().map(longer_json).collect::<Vec<_>>(),
        "examined": drift.proof.examined.iter().map(examined_json).collect::<Vec<_>>(),
    });
    Ok(write_report(&mut streams.out, report)?)
}
