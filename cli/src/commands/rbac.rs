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

/// What a command does on a cluster.
struct Needs {
    command: &'static str,
    /// Paths that it reads.
    paths: &'static [&'static str],
    rules: &'static [Rule],
}

/// Verbs on resources of a group.
struct Rule {
    group: &'static str,
    resources: &'static [&'static str],
    verbs: &'static [&'static str],
}

const BOTH: &[&str] = &["flowschemas", "prioritylevelconfigurations"];
const LEVELS: &[&str] = &["prioritylevelconfigurations"];

/// Which versions the group is served in.
const SERVED: &str = "/apis/flowcontrol.apiserver.k8s.io/";
/// Which release the cluster is of.
const RELEASE: &str = "/version";
const METRICS: &str = "/metrics";

/// Commands with an option `--live` need it for that.
const NEEDS: &[Needs] = &[
    needs(
        "apply",
        &[SERVED, RELEASE],
        &[on(BOTH, &["create", "delete", "get", "list", "patch"])],
    ),
    needs("delete", &[SERVED], &[on(BOTH, &["delete", "get", "list"])]),
    needs(
        "describe",
        &[SERVED, RELEASE],
        &[on(BOTH, &["get", "list"])],
    ),
    // What is tried out must be allowed.
    needs(
        "diff",
        &[SERVED, RELEASE],
        &[on(BOTH, &["create", "get", "patch"])],
    ),
    needs("get", &[SERVED], &[on(BOTH, &["get", "list"])]),
    needs("limits", &[SERVED, RELEASE], &[on(BOTH, &["list"])]),
    needs("match", &[SERVED, RELEASE], &[on(BOTH, &["list"])]),
    needs("plan", &[SERVED, RELEASE], &[on(BOTH, &["list"])]),
    needs(
        "rewrite-storage",
        &[SERVED, "/apis/flowcontrol.apiserver.k8s.io/*"],
        &[on(BOTH, &["get", "list", "update"])],
    ),
    needs(
        "scan",
        &[SERVED, RELEASE, METRICS],
        &[
            on(BOTH, &["list"]),
            Rule {
                group: "",
                resources: &["configmaps", "secrets"],
                verbs: &["list"],
            },
        ],
    ),
    needs(
        "set-shares",
        &[SERVED],
        &[on(LEVELS, &["get", "list", "patch"])],
    ),
    needs(
        "top",
        &[
            "/debug/api_priority_and_fairness/dump_priority_levels",
            METRICS,
        ],
        &[],
    ),
    needs("validate", &[SERVED, RELEASE], &[on(BOTH, &["list"])]),
    needs("watch", &[SERVED], &[on(BOTH, &["list", "watch"])]),
    needs("whoami", &[SERVED, RELEASE], &[on(BOTH, &["list"])]),
];

const fn needs(
    command: &'static str,
    paths: &'static [&'static str],
    rules: &'static [Rule],
) -> Needs {
    Needs {
        command,
        paths,
        rules,
    }
}

/// Verbs on objects of flow control.
const fn on(resources: &'static [&'static str], verbs: &'static [&'static str]) -> Rule {
    Rule {
        group: GROUP,
        resources,
        verbs,
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
    let rule = |rule: &Rule| json!({"apiGroups": [rule.group], "resources": rule.resources, "verbs": rule.verbs});
    let mut rules: Vec<_> = needs.rules.iter().map(rule).collect();
    rules.push(json!({"nonResourceURLs": needs.paths, "verbs": ["get"]}));
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": format!("flowcontrol-{}", needs.command)},
        "rules": rules,
    })
}
