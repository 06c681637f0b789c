//! `limits --diff`: the changes that another configuration makes.

use super::Level;
use crate::failure::Failure;
use crate::output::{Streams, Table, write_report};
use k8s_flowcontrol::rules::limits::{LevelChange, LevelLimits, ServerLimits};
use serde_json::json;
use std::io::Write;

pub(super) fn print(
    before: &ServerLimits,
    after: &ServerLimits,
    as_json: bool,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let changes = before.changes_to(after);
    if as_json {
        let changes: Vec<_> = changes
            .iter()
            .map(|change| {
                let (before, after) = sides(change);
                json!({
                    "name": change.name(),
                    "before": before.map(|level| Level::new(level, None)),
                    "after": after.map(|level| Level::new(level, None)),
                })
            })
            .collect();
        let report = json!({
            "serverSeats": after.concurrency_limit(),
            "changes": changes,
        });
        write_report(&mut streams.out, report)?;
        return Ok(());
    }
    let mut table = Table::new(["NAME", "CHANGE", "NOMINAL", "MINIMUM", "MAXIMUM"]);
    for change in &changes {
        let what = match change {
            LevelChange::Added(_) => "added",
            LevelChange::Removed(_) => "removed",
            _ => "changed",
        };
        let (before, after) = sides(change);
        let step = |of: fn(&LevelLimits) -> i64| {
            let (before, after) = (before.map_or(0, of), after.map_or(0, of));
            match after - before {
                0 => after.to_string(),
                difference => format!("{before} → {after} ({difference:+})"),
            }
        };
        streams.fact(
            change.name(),
            format!("{what}, nominal limit {}", step(|level| level.nominal)),
        );
        table.row([
            change.name().to_owned(),
            what.into(),
            step(|level| level.nominal),
            step(|level| level.minimum),
            step(|level| level.maximum),
        ]);
    }
    if changes.is_empty() {
        writeln!(streams.err, "no changes")?;
        return Ok(());
    }
    table.write(&mut streams.out)?;
    Ok(())
}

fn sides(change: &LevelChange) -> (Option<&LevelLimits>, Option<&LevelLimits>) {
    match change {
        LevelChange::Added(after) => (None, Some(after)),
        LevelChange::Removed(before) => (Some(before), None),
        LevelChange::Changed { before, after } => (Some(before), Some(after)),
        _ => (None, None),
    }
}
