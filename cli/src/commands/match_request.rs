//! `match`: the flow schema and priority level of a request.

mod requests;

use crate::command::{BOTH, Command, Declared, Group, Needs, RELEASE, SERVED, on};
use crate::configuration::ConfigurationArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Streams, write_report};
use crate::resource_name::{check_path, resource_name};
use clap::{ArgGroup, ValueEnum};
use k8s_flowcontrol::rules::matching::{Classifier, Explanation, RequestAttributes, User};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

/// Show which flow schema and priority level a request gets, and why
///
/// The objects of files count together with the built-in objects, which every server has; with `--live` they count as if they were applied
/// to the cluster.
#[derive(Debug, clap::Args)]
#[command(
    group = ArgGroup::new("request").args(["resource", "path", "requests"]).required(true).multiple(true),
    after_help = EXAMPLES
)]
pub(crate) struct Args {
    #[command(flatten)]
    configuration: ConfigurationArgs,

    /// The user name; a service account is system:serviceaccount:NAMESPACE:NAME
    #[arg(long, value_name = "USER", required_unless_present = "requests")]
    user: Option<String>,

    /// A group of the user; can be repeated. Groups that a server adds by itself, such as system:authenticated, are implied
    #[arg(long, value_name = "GROUP")]
    group: Vec<String>,

    /// The verb, such as get, list, watch or create; with `--path` the HTTP method in lower case
    #[arg(long, value_name = "VERB", default_value = "get")]
    verb: String,

    /// The resource, such as pods, deployments.apps or pods/log
    #[arg(long, value_name = "RESOURCE[.GROUP][/SUB]", conflicts_with = "path")]
    resource: Option<String>,

    /// The namespace; defaults to a request for the whole cluster
    #[arg(short, long, value_name = "NS", requires = "resource")]
    namespace: Option<String>,

    /// The name of the object
    #[arg(long, value_name = "NAME", requires = "resource")]
    name: Option<String>,

    /// The path or the URL of a request, such as /healthz or /api/v1/pods?limit=500
    #[arg(long, value_name = "PATH")]
    path: Option<String>,

    /// Classify the requests in this file, or in the standard input with -: one JSON object per line, with the fields user,
    /// groups, verb (defaults to get), isResourceRequest (defaults to true with a resource), apiGroup, resource, subresource, namespace, name and
    /// path. Groups that a server adds by itself are implied. Prints {"flowSchema", "priorityLevel", "schemaVersion": 1} for each; the first two are null for a
    /// request without flow control
    #[arg(long, value_name = "FILE", conflicts_with_all = ["user", "group", "resource", "path"])]
    requests: Option<PathBuf>,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  # Classify the requests of a controller
  kubectl flowcontrol match --live --user system:serviceaccount:flux-system:kustomize-controller \\
    --verb list --resource deployments.apps

  # Classify a request as if this manifest were applied
  kubectl flowcontrol match -f new-schema.yaml --user alice --group dev --resource pods -n team-a

  # Classify a probe
  kubectl flowcontrol match --live --user system:anonymous --path /healthz

  # Classify a request of a log
  kubectl flowcontrol match --live --user system:node:a --verb patch \\
    --path /api/v1/nodes/a/status?timeout=10s

  # Classify many requests
  kubectl flowcontrol match -f all.yaml --requests requests.jsonl";

/// The answer for a request to which flow control does not apply.
pub(super) const NO_FLOW_CONTROL: &str =
    "none: flow control does not apply to this long-running request";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// The flow schema and level, and the flow schemas considered before
    Table,
    /// {"schemaVersion": 1, "flowSchema", "priorityLevel", "flowDistinguisher", "considered": [{"flowSchema",
    /// "priorityLevel", "why"}]}
    Json,
}

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "match";
    const GROUP: Group = Group::Requests;
    const PLACE: u8 = 1;
    const NEEDS: Needs = Needs::new(&[SERVED, RELEASE], &[on(BOTH, &["list"])]);

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        let configuration = self.configuration.read(streams)?;
        let objects = &configuration.objects;
        let release = configuration.release;
        let classifier = Classifier::new(&objects.flow_schemas, &objects.levels, release);
        if let Some(file) = &self.requests {
            requests::classify(file, &classifier, streams)?;
            return Ok(Exit::Success);
        }
        let request = request(self)?;
        match (classifier.explain(&request), self.output) {
            (Some(explanation), Output::Table) => print(&explanation, &request, streams)?,
            (Some(explanation), Output::Json) => {
                let considered: Vec<_> = explanation
                    .considered
                    .iter()
                    .map(|considered| {
                        json!({
                            "flowSchema": considered.flow_schema,
                            "priorityLevel": considered.priority_level,
                            "why": considered.to_string(),
                        })
                    })
                    .collect();
                let taken = explanation.classification;
                let report = json!({
                    "flowSchema": taken.flow_schema,
                    "priorityLevel": taken.priority_level,
                    "flowDistinguisher": taken.flow_distinguisher,
                    "considered": considered,
                });
                write_report(&mut streams.out, report)?;
            }
            (None, Output::Table) => writeln!(streams.out, "{NO_FLOW_CONTROL}")?,
            (None, Output::Json) => {
                let report = json!({"flowSchema": null, "priorityLevel": null});
                write_report(&mut streams.out, report)?;
            }
        }
        Ok(Exit::Success)
    }
}

fn print(
    explanation: &Explanation<'_>,
    request: &RequestAttributes,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let taken = explanation.classification;
    let (schema, level) = (taken.flow_schema, taken.priority_level);
    if request.is_resource_request && !request.path.is_empty() {
        writeln!(streams.out, "request:         {}", described(request))?;
    }
    let groups = request.user.groups.join(", ");
    writeln!(streams.out, "groups:          {groups}")?;
    writeln!(streams.out, "flow schema:     {schema}")?;
    writeln!(streams.out, "priority level:  {level}")?;
    if !taken.flow_distinguisher.is_empty() {
        writeln!(streams.out, "flow:            {}", taken.flow_distinguisher)?;
    }
    writeln!(streams.out, "considered, in order:")?;
    for considered in &explanation.considered {
        writeln!(streams.out, "  {considered}")?;
    }
    if explanation.matched().is_none() {
        writeln!(streams.out, "  {schema}: matches all other requests")?;
    }
    Ok(())
}

/// The attributes that a server reads from the path of a request for a resource, such as `list deployments.apps in namespace team-a`.
fn described(request: &RequestAttributes) -> String {
    let mut text = format!("{} {}", request.verb, request.resource);
    for (separator, part) in [
        (".", &request.api_group),
        ("/", &request.subresource),
        (" ", &request.name),
        (" in namespace ", &request.namespace),
    ] {
        if !part.is_empty() {
            text.push_str(separator);
            text.push_str(part);
        }
    }
    text
}

/// The request that the options describe.
fn request(args: &Args) -> Result<RequestAttributes, Failure> {
    let user = User::impersonated(args.user.as_deref().unwrap_or_default(), &args.group);
    if let Some(path) = &args.path {
        check_path(path, &args.verb)?;
        return RequestAttributes::from_http(&args.verb.to_uppercase(), path, user)
            .map_err(|error| Failure::usage(format!("a server does not classify this: {error}")));
    }
    let mut request = RequestAttributes {
        user,
        verb: args.verb.clone(),
        ..RequestAttributes::default()
    };
    if let Some(resource) = &args.resource {
        let (namespace, name) = (args.namespace.as_deref(), args.name.as_deref());
        let (namespace, name) = (namespace.unwrap_or_default(), name.unwrap_or_default());
        resource_name(resource, &args.verb)?.fill(namespace, name, &mut request);
    }
    Ok(request)
}
