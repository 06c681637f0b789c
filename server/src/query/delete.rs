//! The options of deletions, from the body or else from the parameters.

use super::Query;
use super::write::{dry_run_problem, dry_run_values_problem, options_invalid};
use crate::decode::{self, Node};
use crate::registry::DeleteOptions;
use crate::status::{Cause, Failure, internal};
use k8s_flowcontrol::ApiVersion;

/// The options and whether nothing is to be deleted. A body that is there counts alone.
///
/// # Errors
/// 500, as the server has it, for a body that is no `DeleteOptions`; 422 for options that are no good.
pub(crate) fn delete_options(query: &Query, body: &[u8]) -> Result<(DeleteOptions, bool), Failure> {
    let (options, dry_run, problem) = if body.is_empty() {
        from_query(query)
    } else {
        from_body(body)?
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

fn from_query(query: &Query) -> (DeleteOptions, bool, Option<Cause>) {
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
        dry_run_problem(query),
    )
}

fn from_body(body: &[u8]) -> Result<(DeleteOptions, bool, Option<Cause>), Failure> {
    let node = decode::parse(body).map_err(|error| {
        internal(format!(
            "couldn't get version/kind; json parse error: {error}"
        ))
    })?;
    check_type(&node)?;
    let text = |node: Option<&Node>| node.and_then(Node::as_str).map(str::to_owned);
    let preconditions = node.get("preconditions");
    let options = DeleteOptions {
        uid: text(preconditions.and_then(|node| node.get("uid"))),
        resource_version: text(preconditions.and_then(|node| node.get("resourceVersion"))),
        propagation_policy: text(node.get("propagationPolicy")),
        orphan_dependents: match node.get("orphanDependents") {
            Some(Node::Bool(orphan)) => Some(*orphan),
            _ => None,
        },
    };
    let dry_run: Vec<_> = match node.get("dryRun") {
        Some(Node::Array(values)) => values.iter().filter_map(Node::as_str).collect(),
        _ => Vec::new(),
    };
    Ok((
        options,
        !dry_run.is_empty(),
        dry_run_values_problem(&dry_run),
    ))
}

fn check_type(node: &Node) -> Result<(), Failure> {
    let text = |name: &str| node.get(name).and_then(Node::as_str).unwrap_or_default();
    let (kind, version) = (text("kind"), text("apiVersion"));
    let known_version = matches!(version, "" | "v1" | "meta.k8s.io/v1")
        || ApiVersion::ALL
            .iter()
            .any(|known| known.api_version() == version);
    if matches!(kind, "" | "DeleteOptions") && known_version {
        return Ok(());
    }
    Err(internal(format!(
        "no kind {kind:?} is registered for version {version:?} in scheme \
         \"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27\""
    )))
}
