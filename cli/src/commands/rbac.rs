//! `rbac`: the role that a command or an extension API server needs.

use crate::command::{BOTH, Command, Declared, Group, HELM, Needs, Rule, all, on};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{ObjectFormat, Streams, write_objects};
use serde_json::{Value, json};

/// Print the minimal ClusterRole for a command, or for an extension API server
///
/// Bind the role to the user or service account that runs the command. The role includes discovery and the release, which every
/// authenticated user may read by default, for clusters that restrict them.
///
/// An extension API server built with k8s.io/apiserver, such as a webhook of cert-manager or the server of Pinniped, watches the objects of
/// flow control. Without permission its log has "cannot list resource" and its readiness check can fail: bind the role `extension-server`
/// to its service account.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The command that needs the role, or `extension-server`
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
  kubectl create clusterrolebinding flowcontrol-scan --clusterrole=flowcontrol-scan \\
    --serviceaccount=ops:scan

  # The same without access to Secrets, for `scan --no-helm`
  kubectl flowcontrol rbac scan --no-helm | kubectl apply -f -

  # Allow an extension API server to watch the objects of flow control
  kubectl flowcontrol rbac extension-server | kubectl apply -f -
  kubectl create clusterrolebinding webhook-flowcontrol --serviceaccount=cert-manager:webhook \\
    --clusterrole=flowcontrol-extension-server";

/// The permissions of an extension API server: its informers list and watch both kinds.
const EXTENSION_SERVER: (&str, Needs) = (
    "extension-server",
    Needs::new(&[], &[on(BOTH, &["list", "watch"])]),
);

/// The permissions of the commands that use a cluster, and of extension API servers, by name.
fn users() -> impl Iterator<Item = (&'static str, Needs)> {
    let named = |command: &Declared| (command.name, command.needs);
    let commands = all().iter().copied().map(named).chain([EXTENSION_SERVER]);
    commands.filter(|(_, needs)| !needs.is_nothing())
}

fn names() -> Vec<&'static str> {
    users().map(|(name, _)| name).collect()
}

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "rbac";
    const GROUP: Group = Group::Other;
    const PLACE: u8 = 1;

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        if self.no_helm && self.command != "scan" {
            return Err(Failure::usage("`--no-helm` is for `rbac scan`"));
        }
        let wanted = users().filter(|(name, _)| *name == self.command);
        let roles: Vec<_> = wanted
            .map(|(name, needs)| role(name, needs, !self.no_helm))
            .collect();
        write_objects(self.output, &roles, streams)?;
        Ok(Exit::Success)
    }
}

fn role(name: &str, needs: Needs, has_helm: bool) -> Value {
    let rule = |rule: &Rule| json!({"apiGroups": [rule.group], "resources": rule.resources, "verbs": rule.verbs});
    let wanted = needs.rules.iter().filter(|rule| has_helm || **rule != HELM);
    let mut rules: Vec<_> = wanted.map(rule).collect();
    if !needs.paths.is_empty() {
        rules.push(json!({"nonResourceURLs": needs.paths, "verbs": ["get"]}));
    }
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": format!("flowcontrol-{name}")},
        "rules": rules,
    })
}
