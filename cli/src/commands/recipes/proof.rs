//! The proof of a recipe: the requests it takes, the seats of every level, and lint.

use super::base::Base;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Streams, Table, write_objects};
use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol::convert::{Lossy, shape_tree};
use k8s_flowcontrol::kind::VersionedKind;
use k8s_flowcontrol::rules::limits::ServerLimits;
use k8s_flowcontrol::rules::matching::{Classifier, RequestAttributes, User};
use k8s_flowcontrol::rules::validate;
use k8s_flowcontrol::{ApiVersion, Kind, Resource};
use k8s_flowcontrol_analysis::lint::{Configuration, lint};
use serde_json::Value;
use std::io::Write;

/// A request, and its description.
pub(super) type Example = (String, RequestAttributes);

/// Requests of several sorts.
pub(super) fn requests_of(user: &str) -> Vec<Example> {
    let sorts = [
        ("GET", "/api/v1/namespaces/default/pods"),
        ("GET", "/api/v1/pods?watch=1"),
        ("PATCH", "/apis/apps/v1/namespaces/default/deployments/web"),
        (
            "PUT",
            "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/x",
        ),
        ("GET", "/api/v1/nodes/n"),
        ("GET", "/metrics"),
        ("GET", "/healthz"),
    ];
    let sorts = sorts
        .iter()
        .map(|(method, url)| (*method, (*url).to_owned()));
    examples(user, sorts)
}

/// Health checks.
pub(super) fn probes_of(user: &str, paths: &[String]) -> Vec<Example> {
    examples(user, paths.iter().map(|path| ("GET", path.clone())))
}

fn examples(user: &str, sorts: impl Iterator<Item = (&'static str, String)>) -> Vec<Example> {
    sorts
        .filter_map(|(method, url)| {
            let request = RequestAttributes::from_http(method, &url, User::named(user)).ok()?;
            Some((format!("{method} {url}"), request))
        })
        .collect()
}

/// Proves the objects, and prints them.
pub(super) fn print(
    base: &Base,
    objects: &[Value],
    examples: &[Example],
    streams: &mut Streams,
) -> Result<Exit, Failure> {
    let (mut schemas, mut levels) = (base.flow_schemas.clone(), base.levels.clone());
    let mut names = Vec::new();
    for object in objects {
        match object["kind"] == "FlowSchema" {
            true => {
                let schema: FlowSchema = own(object)?;
                check(&validate::create_typed(&schema, base.release))?;
                names.push(schema.name().to_owned());
                schemas.retain(|other| other.name() != schema.name());
                schemas.push(schema);
            }
            false => {
                let level: PriorityLevelConfiguration = own(object)?;
                check(&validate::create_typed(&level, base.release))?;
                names.push(level.name().to_owned());
                levels.retain(|other| other.name() != level.name());
                levels.push(level);
            }
        }
    }
    let (before, after) = (
        base.classifier(),
        Classifier::new(&schemas, &levels, base.release),
    );
    let mut table = Table::new(["REQUEST", "BEFORE", "AFTER"]);
    let mut takes = false;
    for (title, request) in examples {
        let taken = after.classify(request).map(|taken| taken.flow_schema);
        takes |= taken.is_some_and(|schema| names.iter().any(|name| name == schema));
        table.row([
            title.clone(),
            shown(&before, request),
            shown(&after, request),
        ]);
    }
    table.write(&mut streams.err)?;
    let changed = ServerLimits::new(&levels, base.seats.seats, base.release);
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
    }
    let findings = lint(&Configuration::files(&schemas, &levels, base.release));
    for finding in findings
        .iter()
        .filter(|finding| names.contains(&finding.name))
    {
        writeln!(streams.err, "{}: {}", finding.severity, finding.message)?;
    }
    if !takes {
        return Err(
            Failure::input("the flow schema would take none of these requests")
                .hint("other flow schemas with a lower matchingPrecedence take them already"),
        );
    }
    let converted: Result<Vec<_>, _> = objects
        .iter()
        .map(|object| in_version(object, base))
        .collect();
    write_objects(base.output, &converted?, streams)?;
    Ok(Exit::Success)
}

fn shown(classifier: &Classifier, request: &RequestAttributes) -> String {
    match classifier.classify(request) {
        Some(taken) => format!("{} ({})", taken.flow_schema, taken.priority_level),
        None => "not subject to flow control".to_owned(),
    }
}

/// Reads an object of a recipe.
fn own<K: serde::de::DeserializeOwned>(object: &Value) -> Result<K, Failure> {
    serde_json::from_value(object.clone())
        .map_err(|error| Failure::input(format!("cannot read the object: {error}")))
}

fn check(violations: &[validate::Violation]) -> Result<(), Failure> {
    match violations.first() {
        Some(violation) => Err(Failure::input(format!(
            "the object would be invalid: {violation}"
        ))),
        None => Ok(()),
    }
}

/// An object in the wanted version.
fn in_version(object: &Value, base: &Base) -> Result<Value, Failure> {
    let kind = match object["kind"] == "FlowSchema" {
        true => Kind::FlowSchema,
        false => Kind::PriorityLevelConfiguration,
    };
    let versioned = VersionedKind::new(kind, ApiVersion::V1, base.release);
    let (mut value, losses) = Lossy::parts(shape_tree(object.clone(), versioned, base.to));
    if let Some(loss) = losses.first() {
        return Err(Failure::new(
            Exit::Loss,
            format!("{} cannot hold the object: {loss}", base.to),
        ));
    }
    value["apiVersion"] = base.to.api_version().into();
    Ok(value)
}
