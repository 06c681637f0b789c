//! A plan as tables and as JSON.

use super::commands::commands;
use crate::commands::preview::json_change;
use crate::output::{Stream, Table, plural};
use k8s_flowcontrol::ApiVersion;
use k8s_flowcontrol::rules::upgrade::{Move, Plan, moves};
use k8s_flowcontrol_analysis::preview::Preview;
use k8s_flowcontrol_analysis::scan::{ClusterScan, Evidence, Stamp};
use k8s_flowcontrol_manifests::files::FileUpgrade;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;

/// Writes a plan as tables and commands.
pub(crate) fn table(
    plan: Plan,
    files: &[FileUpgrade],
    roots: &[PathBuf],
    clusters: &[(ClusterScan, Option<Plan>)],
    out: &mut Stream,
) -> io::Result<()> {
    let mut stages = Table::new(["RELEASE", "SERVES", "STORES", "APPLY", "TO DO"]);
    for release in plan.releases() {
        let served: Vec<_> = release.served().map(ApiVersion::as_str).collect();
        let work: Vec<_> = all_moves(files)
            .into_iter()
            .filter(|step| step.on == release)
            .map(|step| {
                let count = files
                    .iter()
                    .filter(|file| file.moves.contains(&step))
                    .count();
                format!("{}: {}", plural(count, "file"), describe(step))
            })
            .collect();
        stages.row([
            release.to_string(),
            served.join(", "),
            release.stored().to_string(),
            release.preferred().to_string(),
            work.join("; "),
        ]);
    }
    stages.write(out)?;
    if !files.is_empty() {
        writeln!(out)?;
        let mut table = Table::new(["FILE", "OBJECTS", "NOW", "STEPS"]);
        for file in files {
            let now: Vec<_> = file
                .versions
                .iter()
                .map(|(version, count)| match file.versions.len() {
                    1 => version.to_string(),
                    _ => format!("{version} ({count})"),
                })
                .collect();
            table.row([
                file.path.clone(),
                file.objects.to_string(),
                now.join(", "),
                steps(file).join("; "),
            ]);
        }
        table.write(out)?;
    }
    for step in all_moves(files) {
        writeln!(out)?;
        if step.is_overdue() {
            writeln!(
                out,
                "# now: Kubernetes {} does not serve {}",
                step.on, step.from
            )?;
        } else {
            writeln!(out, "# on Kubernetes {}, before 1.{}", step.on, step.before)?;
        }
        for line in commands(step, files, roots) {
            writeln!(out, "{line}")?;
        }
    }
    if !clusters.is_empty() {
        writeln!(out)?;
        write_clusters(clusters, out)?;
    }
    Ok(())
}

fn write_clusters(clusters: &[(ClusterScan, Option<Plan>)], out: &mut Stream) -> io::Result<()> {
    let mut table = Table::new(["CONTEXT", "RELEASE", "SERVES", "OBJECTS", "TO DO"]);
    for (state, plan) in clusters {
        let release = state.release.clone().unwrap_or("<unknown>".to_owned());
        let todo = match (&state.error, plan) {
            (Some(error), _) => error.clone(),
            (None, None) => "nothing: its release is newer than the target".to_owned(),
            (None, Some(plan)) => cluster_steps(*plan).join("; "),
        };
        table.row([
            state.title().to_owned(),
            release,
            state.served.join(", "),
            state.objects.to_string(),
            todo,
        ]);
    }
    table.write(out)?;
    if clusters
        .iter()
        .all(|(state, _)| writers(state).next().is_none())
    {
        return Ok(());
    }
    writeln!(out)?;
    let mut table = Table::new(["CONTEXT", "LAST WRITTEN BY", "IN", "OBJECTS", "TIME"]);
    for (state, _) in clusters {
        for writer in writers(state) {
            table.row([
                state.title().to_owned(),
                writer.manager.clone(),
                writer.version.clone(),
                writer.objects.to_string(),
                writer.last.clone().unwrap_or_default(),
            ]);
        }
    }
    table.write(out)
}

pub(crate) fn json(
    plan: Plan,
    files: &[FileUpgrade],
    clusters: &[(ClusterScan, Option<Plan>)],
) -> Value {
    let stages: Vec<_> = plan
        .releases()
        .map(|release| {
            let served: Vec<_> = release.served().map(ApiVersion::as_str).collect();
            let steps: Vec<_> = all_moves(files)
                .into_iter()
                .filter(|step| step.on == release)
                .map(|step| {
                    let files = files.iter().filter(|file| file.moves.contains(&step));
                    let paths: Vec<_> = files.map(|file| file.path.as_str()).collect();
                    let mut value = of_move(step);
                    value["files"] = json!(paths);
                    value
                })
                .collect();
            json!({
                "release": release.to_string(),
                "serves": served,
                "stores": release.stored().as_str(),
                "apply": release.preferred().as_str(),
                "steps": steps,
            })
        })
        .collect();
    json!({
        "command": "plan",
        "from": plan.from.to_string(),
        "to": plan.to.to_string(),
        "stages": stages,
        "files": files.iter().map(of_file).collect::<Vec<_>>(),
        "clusters": clusters.iter().map(of_cluster).collect::<Vec<_>>(),
        "changes": Preview::new(plan).changes().iter().map(json_change).collect::<Vec<_>>(),
    })
}

fn of_move(step: Move) -> Value {
    json!({
        "on": step.on.to_string(),
        "before": format!("1.{}", step.before),
        "from": step.from.as_str(),
        "to": step.to.as_str(),
        "overdue": step.is_overdue(),
    })
}

fn of_file(file: &FileUpgrade) -> Value {
    let versions: serde_json::Map<_, _> = file
        .versions
        .iter()
        .map(|(version, count)| (version.to_string(), json!(count)))
        .collect();
    json!({
        "path": file.path,
        "objects": file.objects,
        "versions": versions,
        "steps": file.moves.iter().map(|step| of_move(*step)).collect::<Vec<_>>(),
        "notBefore": file.not_before.map(|minor| format!("1.{minor}")),
        "byHand": file.findings.len(),
        "needsForeignFields": file.needs_foreign_fields,
        "refused": file.is_refused,
        "error": file.error,
    })
}

fn of_cluster((state, plan): &(ClusterScan, Option<Plan>)) -> Value {
    let steps = plan.map(|plan| {
        let oldest = oldest_served(plan);
        moves(oldest, plan)
            .into_iter()
            .map(of_move)
            .collect::<Vec<_>>()
    });
    let writers: Vec<_> = writers(state)
        .map(|writer| {
            json!({
                "manager": writer.manager,
                "version": writer.version,
                "objects": writer.objects,
                "last": writer.last,
            })
        })
        .collect();
    json!({
        "context": state.title(),
        "release": super::release(state).map(|release| release.to_string()),
        "gitVersion": state.release,
        "serves": state.served,
        "objects": state.objects,
        "steps": steps,
        "writers": writers,
        "error": state.error,
    })
}

/// The field managers whose last writes were in old versions. The programs may have been updated since.
fn writers(state: &ClusterScan) -> impl Iterator<Item = &Stamp> {
    let stamps = state.writers.iter().chain(&state.history);
    stamps.filter(|stamp| stamp.evidence == Evidence::ManagedFields)
}

fn all_moves(files: &[FileUpgrade]) -> BTreeSet<Move> {
    files
        .iter()
        .flat_map(|file| file.moves.iter().copied())
        .collect()
}

fn describe(step: Move) -> String {
    let Move {
        before, from, to, ..
    } = step;
    if step.is_overdue() {
        format!("{from} to {to}, now: {from} is not served since 1.{before}")
    } else {
        format!("{from} to {to}, before 1.{before}")
    }
}

fn steps(file: &FileUpgrade) -> Vec<String> {
    let mut steps: Vec<_> = file
        .moves
        .iter()
        .map(|step| format!("on {}: {}", step.on, describe(*step)))
        .collect();
    if let Some(minor) = file.not_before {
        steps.push(format!("cannot be applied before 1.{minor}"));
    }
    if file.needs_foreign_fields {
        steps.push("needs --foreign-fields live or --foreign-fields file".to_owned());
    }
    if !file.findings.is_empty() {
        steps.push(format!("{} by hand", plural(file.findings.len(), "place")));
    }
    if let Some(error) = &file.error {
        steps.push(format!("cannot be read: {error}"));
    }
    if steps.is_empty() {
        steps.push("nothing".to_owned());
    }
    steps
}

/// The migrations of a cluster before each release that removes a version.
fn cluster_steps(plan: Plan) -> Vec<String> {
    let steps: Vec<_> = moves(oldest_served(plan), plan)
        .into_iter()
        .map(|step| {
            format!(
                "on {}: apply {}, before 1.{}",
                step.on, step.to, step.before
            )
        })
        .collect();
    match steps.is_empty() {
        true => vec![format!("apply {}", plan.to.preferred())],
        false => steps,
    }
}

fn oldest_served(plan: Plan) -> ApiVersion {
    plan.from.served().min().unwrap_or(ApiVersion::V1)
}
