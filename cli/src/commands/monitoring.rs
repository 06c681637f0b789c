//! `monitoring`: Prometheus rules and a Grafana dashboard.

mod live;

use crate::cluster::ClusterArgs;
use crate::command::{
    API_SERVERS, BOTH, Command, Declared, Group, METRICS, Needs, RELEASE, SERVED, on,
};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::force::ForceArg;
use crate::kubernetes_arg::KubernetesArg;
use crate::number::number;
use crate::output::{Streams, write_file};
use clap::{ArgGroup, ValueEnum};
use k8s_flowcontrol::Release;
use k8s_flowcontrol_analysis::monitoring::{Monitoring, Selector};
use k8s_flowcontrol_text::to_yaml;
use live::Live;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Write Prometheus rules and a Grafana dashboard for flow control
///
/// The rules record rates, waits and seats, and alert about rejected requests, long waits, idle and exhausted seats, exempt traffic and
/// requests that no flow schema expects. The dashboard shows the same per priority level and flow schema, and works without the
/// rules. Both use the metrics of one release; rules and panels that need alpha metrics are marked.
///
/// With `--live` the rules are compared with the metrics of every API server of a cluster that is reachable by its own address: metrics and labels that a
/// rule uses and a server lacks, levels that were deleted, and whether the condition of each alert holds now. Exits with 1 if a server lacks a metric or a label.
#[derive(Debug, clap::Args)]
#[command(
    group = ArgGroup::new("purpose").args(["out", "live"]).required(true).multiple(true),
    after_help = EXAMPLES
)]
pub(crate) struct Args {
    /// The file to write: rules to NAME.yaml, the dashboard to NAME.json, or both to a folder; - for the standard output; can be
    /// repeated
    #[arg(long, value_name = "FILE")]
    out: Vec<PathBuf>,

    /// The form of the file; by default the end of its name decides
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,

    #[command(flatten)]
    kubernetes: KubernetesArg,

    /// Label matchers of PromQL for all queries, such as job="apiserver" or cluster=~"prod-.*". Aggregated API servers have metrics of the same names
    #[arg(
        long,
        value_name = "MATCHERS",
        default_value = "",
        hide_default_value = true
    )]
    matchers: Selector,

    /// Compare the rules with the metrics of a cluster; naming one, as with `--context`, is not enough
    #[arg(long)]
    live: bool,

    #[command(flatten)]
    cluster: ClusterArgs,

    /// The seconds between two samples of the counters; with 0 rates are unknown
    #[arg(long, value_name = "SECONDS", default_value_t = 10, requires = "live", value_parser = number::<u64>(0..=600))]
    interval: u64,

    /// The output format of `--live`
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    output: Output,

    #[command(flatten)]
    force: ForceArg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// Problems, seats, and a table of the alerts; below it the texts of those whose condition holds
    Text,
    /// {"schemaVersion": 1, "release", "intervalSeconds", "servers": [{"address", "seats", "sumOfLimits"}], "problems", "metrics",
    /// "metricsWithoutSeries", "deletedLevels", "alerts": [{"name", "severity", "minutes", "state", "why", "cases": [{"labels", "value",
    /// "summary", "description"}]}]}
    Json,
}

/// The beginning of every YAML file of this command.
const FIRST_LINE: &str = "# Written by `kubectl flowcontrol monitoring` for Kubernetes ";

const EXAMPLES: &str = "\
Examples:
  # A rule file for Prometheus, and a dashboard to import in Grafana
  kubectl flowcontrol monitoring --out flowcontrol.yaml --out flowcontrol.json --kubernetes 1.33

  # The same for the Prometheus Operator and the sidecar of Grafana
  kubectl flowcontrol monitoring --out - --format prometheus-rule | kubectl apply -n monitoring -f -
  kubectl flowcontrol monitoring --out - --format config-map | kubectl apply -n monitoring -f -

  # Does the cluster have the metrics of the rules, and what would the alerts say now?
  kubectl flowcontrol monitoring --live";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A rule file of Prometheus
    Rules,
    /// The rules as an object of the Prometheus Operator
    PrometheusRule,
    /// A dashboard of Grafana
    Dashboard,
    /// The dashboard in a ConfigMap with the label grafana_dashboard
    ConfigMap,
}

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "monitoring";
    const GROUP: Group = Group::Run;
    const PLACE: u8 = 2;
    const NEEDS: Needs = Needs::new(
        &[SERVED, RELEASE, METRICS],
        &[on(BOTH, &["list"]), API_SERVERS],
    );
    const EXITS: &'static [(Exit, &'static str)] = &[(
        Exit::Findings,
        "an API server lacks a metric or a label of the rules",
    )];

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        let live = match self.live {
            true => {
                let interval = Duration::from_secs(self.interval);
                Some(Live::read(
                    &self.cluster,
                    self.kubernetes.given(),
                    interval,
                )?)
            }
            false => None,
        };
        let release = self
            .kubernetes
            .release_or(live.as_ref().map(|live| live.release));
        let monitoring = Monitoring::new(release).with_selector(self.matchers.clone());
        // All texts come before the first file, so that an error leaves no half of them.
        let mut files = Vec::new();
        for to in &self.out {
            for (path, format) in files_of(to, self.format)? {
                files.push((path, text(&monitoring, format, release)?));
            }
        }
        self.force
            .replace(files.iter().map(|(path, _)| path), streams)?;
        for (path, text) in files {
            if path.as_os_str() == "-" {
                streams.out.data().write_all(text.as_bytes())?;
                continue;
            }
            write_file(&path, text.as_bytes())?;
            writeln!(streams.err, "wrote {}", path.display())?;
        }
        let Some(live) = live else {
            return Ok(Exit::Success);
        };
        let check = live.check(&monitoring);
        match self.output {
            Output::Text => live.text(&check, streams)?,
            Output::Json => live.json(&check, streams)?,
        }
        Ok(Exit::of_findings(!check.problems.is_empty()))
    }
}

/// The files that a value of `--out` stands for.
fn files_of(to: &Path, format: Option<Format>) -> Result<Vec<(PathBuf, Format)>, Failure> {
    let is_folder = to.is_dir() || to.as_os_str().as_encoded_bytes().ends_with(b"/");
    if is_folder {
        let both = match format {
            None => vec![Format::Rules, Format::Dashboard],
            Some(format) => vec![format],
        };
        std::fs::create_dir_all(to)
            .map_err(|error| Failure::input(format!("cannot make {}: {error}", to.display())))?;
        let named = both
            .into_iter()
            .map(|format| (to.join(format.file_name()), format));
        return Ok(named.collect());
    }
    let by_name = || match to.extension().and_then(|end| end.to_str()) {
        Some("yaml" | "yml") => Some(Format::Rules),
        Some("json") => Some(Format::Dashboard),
        _ => None,
    };
    match format.or_else(by_name) {
        Some(format) => Ok(vec![(to.to_owned(), format)]),
        None => Err(Failure::usage(format!(
            "the name {} says neither rules nor dashboard",
            to.display()
        ))
        .hint("end the name in .yaml for rules or in .json for the dashboard, or use --format")),
    }
}

impl Format {
    fn file_name(self) -> &'static str {
        match self {
            Self::Rules => "flowcontrol-rules.yaml",
            Self::PrometheusRule => "flowcontrol-prometheus-rule.yaml",
            Self::Dashboard => "flowcontrol-dashboard.json",
            Self::ConfigMap => "flowcontrol-config-map.yaml",
        }
    }
}

fn text(monitoring: &Monitoring, format: Format, release: Release) -> Result<String, Failure> {
    let labels = json!({"app.kubernetes.io/name": "kubectl-flowcontrol"});
    let yaml = |value: &Value| format!("{}{release}.\n{}", FIRST_LINE, to_yaml(value));
    let rules_yaml = |value: &Value| {
        let (first, needs) = (FIRST_LINE, requirements(monitoring));
        format!("{first}{release}.\n{needs}{}", to_yaml(value))
    };
    match format {
        Format::Rules => Ok(rules_yaml(&monitoring.rules())),
        Format::PrometheusRule => Ok(rules_yaml(&json!({
            "apiVersion": "monitoring.coreos.com/v1",
            "kind": "PrometheusRule",
            "metadata": {"name": "k8s-flowcontrol", "labels": labels},
            "spec": monitoring.rules(),
        }))),
        Format::Dashboard => dashboard(monitoring),
        Format::ConfigMap => {
            let mut labels = labels;
            labels["grafana_dashboard"] = "1".into();
            Ok(yaml(&json!({
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": "k8s-flowcontrol-dashboard", "labels": labels},
                "data": {"k8s-flowcontrol.json": dashboard(monitoring)?},
            })))
        }
    }
}

/// Comments with the rules by the releases that have their metrics.
fn requirements(monitoring: &Monitoring) -> String {
    let mut rules: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for rule in monitoring.requirements() {
        let releases = (rule.first, rule.last);
        rules.entry(releases).or_default().push(rule.name);
    }
    let mut text = String::new();
    for ((first, last), names) in rules {
        let releases = match (first == Release::OLDEST, last == Release::NEWEST) {
            (true, true) => "every known release".to_owned(),
            (false, true) => format!("Kubernetes {first} or later"),
            (true, false) => format!("Kubernetes {last} or earlier"),
            (false, false) => format!("Kubernetes {first} to {last}"),
        };
        text += &format!("# For {releases}: {}.\n", names.join(", "));
    }
    text
}

fn dashboard(monitoring: &Monitoring) -> Result<String, Failure> {
    serde_json::to_string_pretty(&monitoring.dashboard())
        .map(|text| text + "\n")
        .map_err(|error| Failure::input(format!("cannot write the dashboard: {error}")))
}
