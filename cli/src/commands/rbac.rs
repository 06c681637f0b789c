//! `rbac`: the role that a command needs.

use crate::command::{Command, Declared, Group, HELM, Rule};
use crate::commands::ALL;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{ObjectFormat, Streams, write_objects};
use serde_json::{Value, json};

/// Print the minimal ClusterRole for a command
///
/// Bind the role to the user or service account that runs the command. The role includes discovery and the release, which every
/// authenticated user may read by default, for clusters that restrict them.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The command that needs the role
    #[arg(value_name = "COMMAND", value_parser = names())]
    command: String,

    /// Without the Secrets and ConfigMaps of Helm, for `scan --no-helm`
    #[arg(long)]
    no_helm: bool,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "yaml")]
    output: ObjectFormat,
}

const EXAMPLES: &str = "\
Examples:
  # Allow a service account to scan the cluster
  kubectl flowcontrol rbac scan | kubectl apply -f -
  kubectl create clusterrolebinding flowcontrol-scan --clusterrole=flowcontrol-scan --serviceaccount=ops:scan

  # The same without access to Secrets, for `scan --no-helm`
  kubectl flowcontrol rbac scan --no-helm | kubectl apply -f -";

/// The names of the commands that use a cluster.
fn names() -> Vec<&'static str> {
    let users = ALL.iter().filter(|command| !command.needs.is_nothing());
    users.map(|command| command.name).collect()
}

impl Command for Args {
    const NAME: &'static str = "rbac";
    const GROUP: Group = Group::Other;

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        run(self, streams)
    }
}

fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    let needs = ALL.iter().find(|command| command.name == args.command);
    if args.no_helm && args.command != "scan" {
        return Err(Failure::usage("`--no-helm` is for `rbac scan`"));
    }
    let roles: Vec<_> = needs
        .map(|command| role(command, !args.no_helm))
        .into_iter()
        .collect();
    write_objects(args.output, &roles, streams)?;
    Ok(Exit::Success)
}

fn role(command: &Declared, has_helm: bool) -> Value {
    let rule = |rule: &Rule| json!({"apiGroups": [rule.group], "resources": rule.resources, "verbs": rule.verbs});
    let needs = command.needs;
    let wanted = needs.rules.iter().filter(|rule| has_helm || **rule != HELM);
    let mut rules: Vec<_> = wanted.map(rule).collect();
    rules.push(json!({"nonResourceURLs": needs.paths, "verbs": ["get"]}));
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": format!("flowcontrol-{}", command.name)},
        "rules": rules,
    })
}
