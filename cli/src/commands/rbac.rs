//! `rbac`: the role that a command needs.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{ObjectFormat, Streams, write_objects};
use k8s_flowcontrol::GROUP;
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

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "yaml")]
    output: ObjectFormat,
}

const EXAMPLES: &str = "\
Examples:
  # Allow a service account to scan the cluster
  kubectl flowcontrol rbac scan | kubectl apply -f -
  kubectl create clusterrolebinding flowcontrol-scan --clusterrole=flowcontrol-scan --serviceaccount=ops:scan";

/// The permissions of a command.
struct Needs {
    command: &'static str,
    /// The paths that it reads.
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

/// The served versions of the group.
const SERVED: &str = "/apis/flowcontrol.apiserver.k8s.io/";
/// The release of the cluster.
const RELEASE: &str = "/version";
const METRICS: &str = "/metrics";

/// The addresses of the API servers: the EndpointSlices of the service `kubernetes`.
const API_SERVERS: Rule = Rule {
    group: "discovery.k8s.io",
    resources: &["endpointslices"],
    verbs: &["list"],
};

/// The permissions of each command; commands with an option `--live` need them for that option.
const NEEDS: &[Needs] = &[
    needs(
        "apply",
        &[SERVED, RELEASE],
        &[on(BOTH, &["create", "delete", "get", "list", "patch"])],
    ),
    needs("delete", &[SERVED], &[on(BOTH, &["delete", "get", "list"])]),
    needs(
        "describe",
        &[SERVED, RELEASE, METRICS],
        &[on(BOTH, &["get", "list"])],
    ),
    needs(
        "diagnose",
        &[
            SERVED,
            RELEASE,
            METRICS,
            "/debug/api_priority_and_fairness/dump_priority_levels",
            "/debug/api_priority_and_fairness/dump_queues",
            "/debug/api_priority_and_fairness/dump_requests",
        ],
        &[on(BOTH, &["list"]), API_SERVERS],
    ),
    // A dry run needs the permissions of the write.
    needs(
        "diff",
        &[SERVED, RELEASE],
        &[on(BOTH, &["create", "get", "patch"])],
    ),
    needs("exempt-probes", &[SERVED, RELEASE], &[on(BOTH, &["list"])]),
    needs(
        "get",
        &[
            SERVED,
            RELEASE,
            METRICS,
            "/debug/api_priority_and_fairness/dump_priority_levels",
        ],
        &[on(BOTH, &["get", "list", "watch"])],
    ),
    needs(
        "isolate",
        &[SERVED, RELEASE, METRICS],
        &[on(BOTH, &["list"])],
    ),
    needs("lint", &[SERVED, RELEASE, METRICS], &[on(BOTH, &["list"])]),
    needs(
        "limits",
        &[SERVED, RELEASE, METRICS],
        &[on(BOTH, &["list"]), API_SERVERS],
    ),
    needs("match", &[SERVED, RELEASE], &[on(BOTH, &["list"])]),
    needs("plan", &[SERVED, RELEASE], &[on(BOTH, &["list"])]),
    needs(
        "preview",
        &[SERVED, RELEASE, METRICS],
        &[on(BOTH, &["list"])],
    ),
    needs(
        "protect",
        &[SERVED, RELEASE, METRICS],
        &[on(BOTH, &["list"])],
    ),
    needs(
        "restore",
        &[SERVED, RELEASE],
        &[on(BOTH, &["get", "list", "patch"])],
    ),
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
            // The API servers that may be the callers.
            Rule {
                group: "apiregistration.k8s.io",
                resources: &["apiservices"],
                verbs: &["list"],
            },
            Rule {
                group: "",
                resources: &["services"],
                verbs: &["get"],
            },
            Rule {
                group: "apps",
                resources: &["deployments"],
                verbs: &["list"],
            },
        ],
    ),
    needs("seats", &[SERVED, RELEASE, METRICS], &[on(BOTH, &["list"])]),
    needs(
        "simulate",
        &[SERVED, RELEASE, METRICS],
        &[on(BOTH, &["list"])],
    ),
    needs(
        "set-shares",
        &[SERVED],
        &[on(LEVELS, &["get", "list", "patch"])],
    ),
    needs(
        "top",
        &[
            METRICS,
            "/debug/api_priority_and_fairness/dump_priority_levels",
        ],
        &[API_SERVERS],
    ),
    needs(
        "traffic",
        &[SERVED, RELEASE, METRICS],
        &[on(BOTH, &["list"])],
    ),
    needs("validate", &[SERVED, RELEASE], &[on(BOTH, &["list"])]),
    needs("watch", &[SERVED], &[on(BOTH, &["get", "list", "watch"])]),
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

/// Verbs on flow-control objects.
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
