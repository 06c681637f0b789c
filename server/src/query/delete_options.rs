//! The options of deletions, from the body or the query.

use super::parameters::Query;
use super::write_options::{dry_run_problem, dry_run_values_problem, options_invalid};
use crate::body::Document;
use crate::registry::DeleteOptions;
use crate::status::{Cause, Failure, bad_request, internal};
use k8s_flowcontrol_rules::decode::Format;
use k8s_flowcontrol_types::{ApiVersion, Fact, Release};
use serde_json::Value;

/// The options, and whether it is a dry run. A body replaces the query.
///
/// # Errors
/// As from a real server, 400 for a body that is not `DeleteOptions`, 500 before 1.35; 422 for invalid options.
pub(crate) fn delete_options(
    query: &Query,
    body: &[u8],
    format: Format,
    release: Release,
) -> Result<(DeleteOptions, bool), Failure> {
    let (options, dry_run, problem) = if body.is_empty() {
        from_query(query, release)
    } else {
        from_body(body, format, release)?
    };
    let mut causes = Vec::new();
    let policy = options.propagation_policy.as_deref();
    if let (Some(policy), true) = (policy, options.orphan_dependents.is_some()) {
        causes.push(Cause::invalid(
            "propagationPolicy",
            &format!("{policy:?}"),
            "orphanDependents and deletionPropagation cannot be both set",
        ));
    }
    if let Some(policy) =
        policy.filter(|policy| !matches!(*policy, "Foreground" | "Background" | "Orphan"))
    {
        causes.push(Cause::unsupported(
            "propagationPolicy",
            &format!("{policy:?}"),
            "\"Foreground\", \"Background\", \"Orphan\", \"nil\"",
        ));
    }
    causes.extend(problem);
    if causes.is_empty() {
        Ok((options, dry_run))
    } else {
        Err(options_invalid("DeleteOptions", causes))
    }
}

fn from_query(query: &Query, release: Release) -> (DeleteOptions, bool, Option<Cause>) {
    let owned = |name: &str| query.get(name).map(str::to_owned);
    let options = DeleteOptions {
        uid: owned("uid"),
        resource_version: owned("resourceVersion"),
        propagation_policy: owned("propagationPolicy"),
        orphan_dependents: query.flag("orphanDependents"),
    };
    (
        options,
        query.get("dryRun").is_some(),
        dry_run_problem(query, release),
    )
}

fn from_body(
    body: &[u8],
    format: Format,
    release: Release,
) -> Result<(DeleteOptions, bool, Option<Cause>), Failure> {
    let unreadable = |message: String| match release.has(Fact::DeleteErrorsAreTheClients) {
        true => bad_request(message),
        false => internal(message),
    };
    let document = match format {
        Format::Json => Document::from_json(body).map_err(|error| {
            unreadable(format!(
                "couldn't get version/kind; json parse error: {error}"
            ))
        })?,
        _ => Document::from_yaml(body).map_err(|error| unreadable(error.to_string()))?,
    };
    let options = &document.value;
    check_type(options).map_err(unreadable)?;
    let text = |pointer: &str| {
        let value = options.pointer(pointer).and_then(Value::as_str);
        value.map(str::to_owned)
    };
    let dry_run: Vec<_> = options
        .get("dryRun")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let read = DeleteOptions {
        uid: text("/preconditions/uid"),
        resource_version: text("/preconditions/resourceVersion"),
        propagation_policy: text("/propagationPolicy"),
        orphan_dependents: options.get("orphanDependents").and_then(Value::as_bool),
    };
    Ok((
        read,
        !dry_run.is_empty(),
        dry_run_values_problem(&dry_run, release),
    ))
}

fn check_type(options: &Value) -> Result<(), String> {
    let text = |name: &str| {
        options
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let (kind, version) = (text("kind"), text("apiVersion"));
    let known_version = matches!(version, "" | "v1" | "meta.k8s.io/v1")
        || ApiVersion::ALL
            .iter()
            .any(|known| known.api_version() == version);
    if matches!(kind, "" | "DeleteOptions") && known_version {
        return Ok(());
    }
    Err(format!(
        "no kind {kind:?} is registered for version {version:?} in scheme \
         \"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27\""
    ))
}
