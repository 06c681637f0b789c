//! `rbac`: what a command must be allowed to do.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{ObjectFormat, Streams, write_objects};
use k8s_flowcontrol::GROUP;
use serde_json::{Value, json};

/// Print the ClusterRole that a command needs, and no more
///
/// Bind it to whoever runs the command. What every authenticated user may read in a cluster (discovery and the release) is
/// part of it, for clusters that took that away.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The command
    #[arg(value_name = "COMMAND", value_parser = names())]
    command: String,

    /// How to print
    #[arg(short, long, value_name = "FORMAT", default_value = "yaml")]
    output: ObjectFormat,
}

const EXAMPLES: &str = "\
Examples:
  # Let a job scan the cluster
  kubectl flowcontrol rbac scan | kubectl apply -f -
  kubectl create clusterrolebinding flowcontrol-scan --clusterrole=flowcontrol-scan --serviceaccount=ops:scan";

/// What a command does on a cluster: verbs on the objects, paths, and other resources.
struct Needs {
    command: &'static str,
    verbs: &'static [&'static str],
    paths: &'static [&'static str],
    others: &'static [(
        &'static str,
        &'static [&'static str],
        &'static [&'static str],
    )],
}

const LOOK: &[&str] = &["get", "list"];
const DUMPS: &[&str] = &[
    "/debug/api_priority_and_fairness/dump_priority_levels",
    "/metrics",
];

/// Commands with an option `--live` need it for that.
const NEEDS: &[Needs] = &[
    needs("apply", &["create", "delete", "get", "list", "patch"]),
    needs("delete", &["delete", "get", "list"]),
    needs("describe", LOOK),
    needs("diff", &["create", "get", "list", "patch"]),
    needs("get", LOOK),
    needs("limits", &["list"]),
    needs("match", &["list"]),
    needs("plan", &["list"]),
    needs("rewrite-storage", &["get", "list", "update"]),
    Needs {
        paths: &["/metrics"],
        others: &[("", &["configmaps", "secrets"], &["list"])],
        ..needs("scan", LOOK)
    },
    needs("set-shares", &["get", "list", "patch"]),
    Needs {
        paths: DUMPS,
        ..needs("top", &["list"])
    },
    needs("validate", &["list"]),
    needs("watch", &["list", "watch"]),
    needs("whoami", &["list"]),
];

const fn needs(command: &'static str, verbs: &'static [&'static str]) -> Needs {
    Needs {
        command,
        verbs,
        paths: &[],
        others: &[],
    }
}

fn names() -> Vec<&'static str> {
    NEEDS.iter().map(|needs| needs.command).collect()
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    let needs = NEEDS.iter().find(|needs| needs.command == args.command);
    let roles: Vec<_> = needs.map(role).into_iter().collect();
    write_objects(args.output, &roles, streams)?;
    Ok(Exit::Success)
}

fn role(needs: &Needs) -> Value {
    let mut rules = vec![json!({
        "apiGroups": [GROUP],
        "resources": ["flowschemas", "prioritylevelconfigurations"],
        "verbs": needs.verbs,
    })];
    for (group, resources, verbs) in needs.others {
        rules.push(json!({"apiGroups": [group], "resources": resources, "verbs": verbs}));
    }
    let discovery = ["/version".to_owned(), format!("/apis/{GROUP}/")];
    let paths: Vec<_> = discovery
        .iter()
        .map(String::as_str)
        .chain(needs.paths.iter().copied())
        .collect();
    rules.push(json!({"nonResourceURLs": paths, "verbs": ["get"]}));
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": format!("flowcontrol-{}", needs.command)},
        "rules": rules,
    })
}
