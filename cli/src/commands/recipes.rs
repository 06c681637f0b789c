//! `protect`, `isolate` and `exempt-probes`: objects for common needs, with a proof of their effect.

mod base;
mod proof;
mod shares;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Streams;
use base::{Base, RecipeArgs};
use clap::ValueEnum;
use serde_json::{Value, json};

/// Print objects that guarantee seats to a client
///
/// The client gets a priority level of its own, which lends no seats. The objects go to the standard output, and their effect to the
/// standard error: the requests they take, and the seats of every level.
#[derive(Debug, clap::Args)]
#[command(after_help = PROTECT_EXAMPLES)]
pub(crate) struct ProtectArgs {
    #[command(flatten)]
    subject: SubjectArgs,

    /// The seats that each server guarantees
    #[arg(long, value_name = "SEATS", value_parser = clap::value_parser!(i64).range(1..))]
    seats: i64,

    #[command(flatten)]
    recipe: RecipeArgs,
}

const PROTECT_EXAMPLES: &str = "\
Examples:
  # 20 seats for a controller, in a new cluster and in an existing one
  kubectl flowcontrol protect serviceaccount flux-system/kustomize-controller --seats 20
  kubectl flowcontrol protect serviceaccount flux-system/kustomize-controller --seats 20 --live | kubectl apply -f -";

/// Print objects that limit the seats of a client
///
/// The client gets a priority level of its own, which borrows no seats. Its requests wait in one queue. The objects go to the standard
/// output, and their effect to the standard error.
#[derive(Debug, clap::Args)]
#[command(after_help = ISOLATE_EXAMPLES)]
pub(crate) struct IsolateArgs {
    #[command(flatten)]
    subject: SubjectArgs,

    /// The most seats that the client uses at the same time in each server
    #[arg(long, value_name = "SEATS", value_parser = clap::value_parser!(i64).range(1..))]
    at_most: i64,

    #[command(flatten)]
    recipe: RecipeArgs,
}

const ISOLATE_EXAMPLES: &str = "\
Examples:
  # A scanner that floods the server
  kubectl flowcontrol isolate user scanner --at-most 5 --live";

/// Print a flow schema that exempts health checks from flow control
///
/// The built-in flow schema `probes` exempts /healthz, /livez and /readyz for everybody. This command prints a flow schema for other
/// paths, or for one client.
#[derive(Debug, clap::Args)]
#[command(after_help = PROBES_EXAMPLES)]
pub(crate) struct ProbesArgs {
    /// A path of the health checks; can be repeated
    #[arg(long = "path", value_name = "PATH", default_values = ["/healthz", "/livez", "/readyz"])]
    paths: Vec<String>,

    /// The user who checks; defaults to everybody
    #[arg(long, value_name = "USER")]
    user: Option<String>,

    #[command(flatten)]
    recipe: RecipeArgs,
}

const PROBES_EXAMPLES: &str = "\
Examples:
  kubectl flowcontrol exempt-probes --path /version --user system:serviceaccount:monitoring:blackbox";

/// The client.
#[derive(Debug, clap::Args)]
struct SubjectArgs {
    /// The kind of the client
    #[arg(value_name = "KIND")]
    kind: SubjectKind,

    /// The name; for a service account NAMESPACE/NAME
    #[arg(value_name = "NAME")]
    name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SubjectKind {
    #[value(name = "serviceaccount", alias = "sa")]
    ServiceAccount,
    User,
}

/// A client of a recipe.
struct Subject {
    /// The name by which the server knows the client.
    user: String,
    /// The subject of the flow schema.
    object: Value,
    /// A name for the objects.
    slug: String,
}

impl SubjectArgs {
    fn subject(&self) -> Result<Subject, Failure> {
        if self.kind == SubjectKind::User {
            return Ok(Subject {
                user: self.name.clone(),
                object: json!({"kind": "User", "user": {"name": self.name}}),
                slug: slug(&self.name),
            });
        }
        let (namespace, name) = self
            .name
            .split_once('/')
            .filter(|(namespace, name)| !namespace.is_empty() && !name.is_empty())
            .ok_or_else(|| Failure::usage("a service account has the form NAMESPACE/NAME"))?;
        Ok(Subject {
            user: format!("system:serviceaccount:{namespace}:{name}"),
            object: json!({"kind": "ServiceAccount", "serviceAccount": {"namespace": namespace, "name": name}}),
            slug: slug(&format!("{namespace}-{name}")),
        })
    }
}

/// A text as a part of an object's name.
fn slug(text: &str) -> String {
    let lower = text.to_lowercase();
    let parts = lower.split(|c: char| !c.is_ascii_alphanumeric());
    let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
    let mut slug = parts.join("-");
    slug.truncate(100);
    slug
}

pub(crate) fn protect(args: &ProtectArgs, streams: &mut Streams) -> Result<Exit, Failure> {
    let shares = |name: &str, base: &Base| shares::at_least(args.seats, name, base);
    let limited = json!({"lendablePercent": 0});
    own_level(
        "protect",
        &args.subject,
        &args.recipe,
        shares,
        limited,
        streams,
    )
}

pub(crate) fn isolate(args: &IsolateArgs, streams: &mut Streams) -> Result<Exit, Failure> {
    let shares = |name: &str, base: &Base| shares::at_most(args.at_most, name, base);
    let limited = json!({"borrowingLimitPercent": 0});
    own_level(
        "isolate",
        &args.subject,
        &args.recipe,
        shares,
        limited,
        streams,
    )
}

/// Gives a client its own level with `shares` and the fields `limited`.
fn own_level(
    recipe: &str,
    subject: &SubjectArgs,
    args: &RecipeArgs,
    shares: impl FnOnce(&str, &Base) -> Result<i32, Failure>,
    limited: Value,
    streams: &mut Streams,
) -> Result<Exit, Failure> {
    let subject = subject.subject()?;
    let base = Base::read(args, true, streams)?;
    let name = format!("{recipe}-{}", subject.slug);
    let level = level(&name, shares(&name, &base)?, limited);
    let schema = schema(&name, &name, &subject, &base)?;
    let requests = proof::requests_of(&subject.user);
    proof::print(&base, &[level, schema], &requests, streams)
}

pub(crate) fn exempt_probes(args: &ProbesArgs, streams: &mut Streams) -> Result<Exit, Failure> {
    let base = Base::read(&args.recipe, false, streams)?;
    let subjects = match &args.user {
        Some(user) => json!([{"kind": "User", "user": {"name": user}}]),
        None => json!([
            {"kind": "Group", "group": {"name": "system:authenticated"}},
            {"kind": "Group", "group": {"name": "system:unauthenticated"}},
        ]),
    };
    let name = match &args.user {
        Some(user) => format!("exempt-probes-{}", slug(user)),
        None => "exempt-probes".to_owned(),
    };
    let schema = json!({
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
        "kind": "FlowSchema",
        "metadata": {"name": name},
        "spec": {
            "matchingPrecedence": 3,
            "priorityLevelConfiguration": {"name": "exempt"},
            "rules": [{
                "subjects": subjects,
                "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": args.paths}],
            }],
        },
    });
    let user = args.user.as_deref().unwrap_or("system:anonymous");
    proof::print(
        &base,
        &[schema],
        &proof::probes_of(user, &args.paths),
        streams,
    )
}

/// A level with one queue: its only flow needs no other.
fn level(name: &str, shares: i32, more: Value) -> Value {
    let mut limited = json!({
        "nominalConcurrencyShares": shares,
        "limitResponse": {"type": "Queue", "queuing": {"queues": 1, "handSize": 1, "queueLengthLimit": 100}},
    });
    if let (Some(limited), Some(more)) = (limited.as_object_mut(), more.as_object()) {
        limited.extend(more.clone());
    }
    json!({
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
        "kind": "PriorityLevelConfiguration",
        "metadata": {"name": name},
        "spec": {"type": "Limited", "limited": limited},
    })
}

/// A flow schema for all requests of a subject. It comes directly before the flow schema that takes them now, so that special requests,
/// such as leader election, stay where they are.
fn schema(name: &str, level: &str, subject: &Subject, base: &Base) -> Result<Value, Failure> {
    let all = json!(["*"]);
    Ok(json!({
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
        "kind": "FlowSchema",
        "metadata": {"name": name},
        "spec": {
            "matchingPrecedence": base.precedence_before(&subject.user)?,
            "priorityLevelConfiguration": {"name": level},
            "rules": [{
                "subjects": [subject.object],
                "resourceRules": [{"verbs": all, "apiGroups": all, "resources": all, "namespaces": all, "clusterScope": true}],
                "nonResourceRules": [{"verbs": all, "nonResourceURLs": all}],
            }],
        },
    }))
}
