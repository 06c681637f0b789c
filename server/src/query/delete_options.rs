//! The options of deletions, from the body or the query.

use super::parameters::Query;
use super::write_options::{dry_run_problem, dry_run_values_problem, options_invalid};
use crate::patch::go_kind;
use crate::registry::DeleteOptions;
use crate::status::{Cause, Failure, bad_request, internal};
use k8s_flowcontrol_rules::decode::{DecodeAs, Format, decode};
use k8s_flowcontrol_text::go::quote;
use k8s_flowcontrol_text::{self as text, parse_json, parse_yaml};
use k8s_flowcontrol_types::schema::{FieldSchema, ListKind, Shape, TypeSchema};
use k8s_flowcontrol_types::{Fact, Release};
use serde_json::Value;

static DELETE_OPTIONS: TypeSchema = TypeSchema::new("DeleteOptions", || FIELDS);
static PRECONDITIONS: TypeSchema = TypeSchema::new("Preconditions", || CONDITIONS);

const OPTIONAL: bool = false;
const FIELDS: &[FieldSchema] = &[
    FieldSchema::new("kind", Shape::String, OPTIONAL),
    FieldSchema::new("apiVersion", Shape::String, OPTIONAL),
    FieldSchema::new("gracePeriodSeconds", Shape::Int64, OPTIONAL),
    FieldSchema::new("preconditions", Shape::Object(&PRECONDITIONS), OPTIONAL),
    FieldSchema::new("orphanDependents", Shape::Boolean, OPTIONAL),
    FieldSchema::new("propagationPolicy", Shape::String, OPTIONAL).go("v1.DeletionPropagation"),
    FieldSchema::new("dryRun", DRY_RUN, OPTIONAL),
];
const DRY_RUN: Shape = Shape::List {
    element: &Shape::String,
    kind: ListKind::Atomic,
};
const CONDITIONS: &[FieldSchema] = &[
    FieldSchema::new("uid", Shape::String, OPTIONAL).go("types.UID"),
    FieldSchema::new("resourceVersion", Shape::String, OPTIONAL),
];

/// The beginning of the message about a body whose type cannot be read.
const UNREADABLE_TYPE: &str = "couldn't get version/kind; json parse error: ";

/// The options, and whether it is a dry run. A body replaces the query.
/// Errors: as from a real server, 400 for a body that is not `DeleteOptions`, 500 before 1.35; 422 for invalid options.
pub(crate) fn delete_options(
    query: &Query,
    body: &[u8],
    format: Format,
    release: Release,
) -> Result<(DeleteOptions, bool), Failure> {
    let (options, dry_run, problem) = if body.is_empty() {
        from_query(query, release)?
    } else {
        from_body(body, format, release)?
    };
    let mut causes = Vec::new();
    let policy = options.propagation_policy.as_deref();
    if let (Some(policy), true) = (policy, options.orphan_dependents.is_some()) {
        causes.push(Cause::invalid(
            "propagationPolicy",
            &quote(policy),
            "orphanDependents and deletionPropagation cannot be both set",
        ));
    }
    if let Some(policy) =
        policy.filter(|policy| !matches!(*policy, "Foreground" | "Background" | "Orphan"))
    {
        causes.push(Cause::unsupported(
            "propagationPolicy",
            &quote(policy),
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

fn from_query(
    query: &Query,
    release: Release,
) -> Result<(DeleteOptions, bool, Option<Cause>), Failure> {
    query.integer("gracePeriodSeconds")?;
    let owned = |name: &str| query.get(name).map(str::to_owned);
    // An empty parameter is not a precondition, unlike an empty field of a body.
    let precondition = |name: &str| owned(name).filter(|value| !value.is_empty());
    let options = DeleteOptions {
        uid: precondition("uid"),
        resource_version: precondition("resourceVersion"),
        propagation_policy: owned("propagationPolicy"),
        orphan_dependents: query.flag("orphanDependents"),
    };
    let dry_run = query.get("dryRun").is_some();
    Ok((options, dry_run, dry_run_problem(query, release)))
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
    let tree = match format {
        Format::Json => {
            parse_json(body).map_err(|error| format!("{UNREADABLE_TYPE}{}", error.message()))
        }
        Format::Yaml => parse_yaml(body)
            .map(|yaml| yaml.tree)
            .map_err(|error| error.message().to_owned()),
    };
    let tree = tree.map_err(unreadable)?;
    let target = DecodeAs {
        schema: &DELETE_OPTIONS,
        package: "v1",
        release,
        sorted: format == Format::Yaml,
    };
    let found = text::to_value(tree.root()).map_err(|error| unreadable(error.to_string()))?;
    check_type(&found).map_err(unreadable)?;
    let decoded = decode(tree.root(), target).map_err(|error| unreadable(error.message))?;
    let options = &decoded.value;
    let text = |pointer: &str| {
        let value = options.pointer(pointer).and_then(Value::as_str);
        value.map(str::to_owned)
    };
    let dry_run = options["dryRun"].as_array().into_iter().flatten();
    let dry_run: Vec<_> = dry_run.filter_map(Value::as_str).collect();
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
    if !options.is_object() && !options.is_null() {
        return Err(format!(
            "{UNREADABLE_TYPE}json: cannot unmarshal {} into Go value of type struct {{ APIVersion string \
             \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}",
            go_kind(options)
        ));
    }
    let text = |name: &str| options[name].as_str().unwrap_or_default();
    let (kind, version) = (text("kind"), text("apiVersion"));
    if version.split('/').count() > 2 {
        return Err(format!("unexpected GroupVersion string: {version}"));
    }
    // The kind belongs to all versions.
    if matches!(kind, "" | "DeleteOptions") {
        return Ok(());
    }
    let version = match version {
        "" | "/" => "meta.k8s.io/v1",
        version => version,
    };
    Err(format!(
        "no kind {} is registered for version {} in scheme \
         \"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27\"",
        quote(kind),
        quote(version),
    ))
}
