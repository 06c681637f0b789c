//! The proof of a recipe: the requests it takes, the seats of every level, and lint.

use super::base::Base;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Streams, Table, write_objects};
use k8s_flowcontrol::convert::{Lossy, shape_tree};
use k8s_flowcontrol::kind::VersionedKind;
use k8s_flowcontrol::rules::decode::tree_of;
use k8s_flowcontrol::rules::limits::{LevelChange, ServerLimits};
use k8s_flowcontrol::rules::matching::{ANONYMOUS, service_account_of};
use k8s_flowcontrol::rules::seats::{Estimator, LevelBounds, Request, Stored};
use k8s_flowcontrol::{ApiVersion, Kind, Resource};
use k8s_flowcontrol_analysis::lint::{Configuration, lint};
use k8s_flowcontrol_analysis::recipes::{ProvenRequest, Recipe, Taken, TakenByGroup};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Write;

/// Prints the proof of a recipe, and its objects.
pub(super) fn print(
    base: &Base,
    recipe: &Recipe,
    at_most: Option<i64>,
    streams: &mut Streams,
) -> Result<Exit, Failure> {
    let by_user = |one: &ProvenRequest, next: &ProvenRequest| one.request.user == next.request.user;
    for (number, requests) in recipe.proof.chunk_by(by_user).enumerate() {
        if number > 0 {
            writeln!(streams.err)?;
        }
        table_of(recipe, requests, streams)?;
    }
    let by_group = |of: fn(&ProvenRequest) -> &[TakenByGroup]| -> BTreeSet<String> {
        let others = recipe.proof.iter().flat_map(of);
        others
            .map(|other| format!("{} in group {}", shown(Some(&other.taken)), other.group))
            .collect()
    };
    let others = [
        ("before", by_group(|request| &request.before_by_group)),
        ("after", by_group(|request| &request.after_by_group)),
    ];
    if others.iter().any(|(_, others)| !others.is_empty()) {
        streams.err.paragraph(
            "* The groups are not all known, and some requests of a user in one of these groups get:",
        )?;
        for (when, others) in others {
            let none = || vec!["no other flow schema".to_owned()];
            let others = if others.is_empty() {
                none()
            } else {
                others.into_iter().collect()
            };
            for other in others {
                writeln!(streams.err, "  {when}: {other}")?;
            }
        }
    }
    let (schemas, levels) = (&recipe.flow_schemas, &recipe.priority_levels);
    let changed = ServerLimits::new(levels, base.seats.seats, base.release);
    let changes = base.limits().changes_to(&changed);
    if !changes.is_empty() {
        writeln!(streams.err)?;
        let mut table = Table::new(["PRIORITYLEVEL", "NOMINAL", "MINIMUM", "MAXIMUM"]);
        for change in &changes {
            let seats = change.seats();
            let level = changed.level(change.name());
            let shown = |seats: Option<i64>, change: i64| {
                format!("{} ({change:+})", seats.unwrap_or_default())
            };
            table.row([
                change.name().to_owned(),
                shown(level.map(|level| level.nominal), seats.nominal),
                shown(level.map(|level| level.minimum), seats.minimum),
                shown(level.map(|level| level.maximum), seats.maximum),
            ]);
        }
        table.write(&mut streams.err)?;
        let legend = format!("{}, Kubernetes {}", base.seats, base.release);
        streams.err.paragraph(&legend)?;
        let others = changes
            .iter()
            .filter(|change| !is_own(recipe, change.name()));
        if let Some(warning) = squeezed(others) {
            streams.err.warning(&warning)?;
        }
    }
    let too_wide = at_most.and_then(|seats| wider_list(base, recipe, seats));
    for warning in too_wide.into_iter().chain(replaced(base, recipe)) {
        streams.err.warning(&warning)?;
    }
    // These are all objects of the server: the built-in ones are among them, unless the user leaves them out.
    let findings = lint(&Configuration::cluster(schemas, levels, base.release));
    for finding in findings
        .iter()
        .filter(|finding| is_own(recipe, &finding.name))
    {
        writeln!(streams.err, "{}: {}", finding.severity, finding.message)?;
    }
    let level = recipe.priority_level.as_ref().map(tree_of);
    let objects = level.into_iter().chain([tree_of(&recipe.flow_schema)]);
    let converted: Result<Vec<_>, _> = objects.map(|object| in_version(object, base)).collect();
    write_objects(base.output, &converted?, streams)?;
    Ok(Exit::Success)
}

/// Prints the requests of a user.
fn table_of(
    recipe: &Recipe,
    requests: &[ProvenRequest],
    streams: &mut Streams,
) -> Result<(), Failure> {
    if let Some(first) = requests.first() {
        let heading = format!("Requests of {}:", requester(recipe, first));
        streams.err.paragraph(&heading)?;
    }
    let mut table = Table::new(["REQUEST", "BEFORE", "AFTER"]);
    for request in requests {
        let marked = |taken: Option<&Taken>, by_group: &[TakenByGroup]| {
            let mark = if by_group.is_empty() { "" } else { " *" };
            format!("{}{mark}", shown(taken))
        };
        table.row([
            request.title.clone(),
            marked(request.before.as_ref(), &request.before_by_group),
            marked(request.after.as_ref(), &request.after_by_group),
        ]);
    }
    table.write(&mut streams.err)?;
    Ok(())
}

/// The user of the requests, as the flow schema names it, and the groups.
fn requester(recipe: &Recipe, request: &ProvenRequest) -> String {
    let rules = &recipe.flow_schema.spec.rules;
    let subject = rules.first().and_then(|rule| rule.subjects.first());
    let user = &request.request.user;
    let who = match subject.map(|subject| (&subject.service_account, &subject.user)) {
        _ if user.name == ANONYMOUS => "a user without credentials".to_owned(),
        Some((_, Some(_))) => format!("the user {}", user.name),
        Some((Some(account), _)) if account.name != "*" => format!("the user {}", user.name),
        _ => match service_account_of(&user.name) {
            Some((namespace, _)) => {
                format!("a service account of the namespace {namespace} that no flow schema names")
            }
            None => "a user that no flow schema names".to_owned(),
        },
    };
    let groups = user.groups.join(", ");
    match user.groups.len() {
        1 => format!("{who}, in the group {groups}"),
        _ => format!("{who}, in the groups {groups}"),
    }
}

/// A sentence about a single list that takes more seats than the client should have: before the release in which levels bound the seats of a request.
fn wider_list(base: &Base, recipe: &Recipe, at_most: i64) -> Option<String> {
    let level = recipe.flow_schema.name();
    let bounds = LevelBounds::new(&recipe.priority_levels, base.seats.seats, base.release);
    let list = Request {
        verb: "list",
        // The server assumes very many objects.
        stored: Stored::Stale,
        max_seats: bounds.of(level),
        ..Default::default()
    };
    let widest = Estimator::new(base.release).estimate(&list).max_seats();
    (i64::try_from(widest).ok()? > at_most).then(|| {
        format!(
            "a single list can take up to {widest} seats in Kubernetes {}, more than {at_most}: it executes when no other request of its level does",
            base.release
        )
    })
}

/// What applying the objects changes for the clients of objects with the same name.
fn replaced(base: &Base, recipe: &Recipe) -> Vec<String> {
    let own = recipe.flow_schema.name();
    let mut warnings = Vec::new();
    let same = base.flow_schemas.iter().find(|schema| schema.name() == own);
    if same.is_some_and(|schema| schema.spec.rules != recipe.flow_schema.spec.rules) {
        warnings.push(format!(
            "there is a flow schema {own} with other rules: applying these objects replaces it"
        ));
    }
    let level = recipe.priority_level.as_ref().map(Resource::name);
    let sharing = base.flow_schemas.iter().filter(|schema| {
        schema.name() != own && level == Some(&*schema.spec.priority_level_configuration.name)
    });
    let sharing: Vec<_> = sharing.map(Resource::name).collect();
    if !sharing.is_empty() {
        warnings.push(format!(
            "other flow schemas refer to the priority level {own} too, and their requests share its seats: {}",
            sharing.join(", ")
        ));
    }
    warnings
}

/// The levels that keep less than half of their nominal limit, in one sentence.
fn squeezed<'a>(changes: impl Iterator<Item = &'a LevelChange>) -> Option<String> {
    let found = changes.filter_map(|change| match change {
        LevelChange::Changed { before, after } if after.nominal * 2 < before.nominal => {
            let (before, now) = (before.nominal, after.nominal);
            Some(format!("{} {now} of {before}", change.name()))
        }
        _ => None,
    });
    let found: Vec<_> = found.collect();
    (!found.is_empty()).then(|| {
        format!(
            "other levels keep less than half of their nominal limit: {}",
            found.join(", ")
        )
    })
}

/// Whether an object of this name belongs to the recipe: its objects share their name.
fn is_own(recipe: &Recipe, name: &str) -> bool {
    recipe.flow_schema.name() == name
}

fn shown(taken: Option<&Taken>) -> String {
    match taken {
        Some(taken) => format!("{} ({})", taken.flow_schema, taken.priority_level),
        None => "not subject to flow control".to_owned(),
    }
}

/// An object in the wanted version.
fn in_version(object: Value, base: &Base) -> Result<Value, Failure> {
    let kind = match object["kind"] == "FlowSchema" {
        true => Kind::FlowSchema,
        false => Kind::PriorityLevelConfiguration,
    };
    let versioned = VersionedKind::new(kind, ApiVersion::V1, base.release);
    let (mut value, losses) = Lossy::parts(shape_tree(object, versioned, base.to));
    if let Some(loss) = losses.first() {
        return Err(Failure::new(
            Exit::Loss,
            format!("{} cannot hold the object: {loss}", base.to),
        ));
    }
    value["apiVersion"] = base.to.api_version().into();
    Ok(value)
}
