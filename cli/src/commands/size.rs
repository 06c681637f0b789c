//! `size`: from intents to a configuration, with proof.

mod compared;
mod drift;
mod inputs;
mod page;
mod report;

use crate::cluster::{seats, timeout};
use crate::command::{BOTH, Command, Declared, Group, METRICS, Needs, RELEASE, SERVED, on};
use crate::configuration::ConfigurationArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::force::ForceArg;
use crate::objects::{Objects, note_dangling};
use crate::output::{
    Comment, CommentArg, Streams, clear_progress, outputs_are_not_inputs, show_progress, write_file,
};
use clap::ValueEnum;
use k8s_flowcontrol_analysis::size::{Answer, Progress, SizeError, Sizer};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Print the objects that satisfy intents, such as the longest waits of a client, with a proof
///
/// A file says what must hold under which load, in YAML or JSON. The answer is the fewest seats of the server, if they are unknown, and the
/// fewest and smallest changes of the present objects, or the reason why none were found. The objects go to the standard output, with
/// the reason of each number as a comment, and the proof to the standard error: the simulation of the whole load, with another seed, and 1.5
/// times the load. The same input gives the same answer, unless the time of `--budget` ends the search.
///
/// `--compare` also checks a configuration that somebody proposed. `--watch-drift` compares later logs with an earlier answer: the intents that
/// still hold, those whose margin is gone, and the numbers to change.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{INTENTS}\n\n{EXAMPLES}"))]
pub(crate) struct Args {
    /// The file with the intents, or - for the standard input
    #[arg(value_name = "INTENTS")]
    intents: PathBuf,

    #[command(flatten)]
    configuration: ConfigurationArgs,

    /// The load: the requests of these audit logs of one API server, compressed with gzip or zstd or not, the oldest first, or - for the
    /// standard input. The policy level Metadata is sufficient
    #[arg(long, value_name = "LOG", num_args = 1..)]
    audit_log: Vec<PathBuf>,

    /// A file with the metrics of a server (`kubectl get --raw /metrics`), for the number and size of the objects that the
    /// requests of audit logs list, and for the seats of their server without `--log-server-seats`
    #[arg(long, value_name = "FILE", requires = "audit_log")]
    metrics: Option<PathBuf>,

    /// The seats of each server, --max-requests-inflight plus --max-mutating-requests-inflight, as `server: {seats: SEATS}` in the
    /// file; without either, the command finds the fewest seats
    #[arg(long, value_name = "SEATS", value_parser = seats)]
    server_seats: Option<u32>,

    /// The seats of the server that wrote the audit logs; defaults to the seats in `--metrics`, or to `--server-seats`, or to the seats of the API server
    /// that responds, or without a cluster to the seats in the file, or else to 600
    #[arg(long, value_name = "SEATS", value_parser = seats, requires = "audit_log")]
    log_server_seats: Option<u32>,

    /// The maximum time of the search, such as 5m
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = budget)]
    budget: Duration,

    /// Also check the configuration after the objects of this file or folder are applied; can be repeated
    #[arg(long, value_name = "FILE", conflicts_with = "watch_drift")]
    compare: Vec<PathBuf>,

    /// Check whether the answer in this report (`-o json`) still holds under the given load. Without `-f` and `--live`, the objects of the
    /// report are added to the built-in objects
    #[arg(long, value_name = "REPORT")]
    watch_drift: Option<PathBuf>,

    /// Also write the outcome as a web page with charts
    #[arg(long, value_name = "FILE", conflicts_with = "watch_drift")]
    html: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArg,

    #[command(flatten)]
    comment: CommentArg,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "yaml")]
    output: Output,
}

const INTENTS: &str = "\
The intents file (times such as 250ms, 1.5s or 2m):
  server: {seats: 600}           # {seats: unknown} finds the fewest seats; or tiers:
  # server: {tiers: [{name: XL, seats: 1200, price: 15}, {name: 4XL, seats: 4000, price: 60}]}
  duration: 60s                  # how long generated requests arrive
  keep: built-in                 # objects that stay: built-in, all, nothing, or names of levels
  intents:
  - name: flux
    client: {serviceAccount: flux-system/kustomize-controller}
                                 # or {user: U, groups: [G]}, {group: G}, {namespace: N};
                                 # or level: NAME instead of client
    waits: {p99: 1s, max: 5s}    # p50, p90, p95, p99, p99.9, max
    neverMoreThan: {seats: 50}
    neverStarvedBy: [{group: ci}]
    atLoad: {concurrent: 300, meanSeconds: 0.2}
                                 # or {perSecond: 50, meanSeconds: 0.2}, or the requests
                                 # of audit logs: {fromLog: true, times: 2}";

const EXAMPLES: &str = "\
Examples:
  # A level for a controller that must not wait, in a new cluster
  kubectl flowcontrol size intents.yaml

  # The requests of a day, and the objects of the cluster
  kubectl flowcontrol size intents.yaml --live --audit-log audit-*.log.gz audit.log |
    kubectl apply -f -

  # A proposal beside the answer, as a web page with the headroom of each level
  kubectl flowcontrol size intents.yaml --audit-log audit.log \\
    --compare proposal.yaml --html size.html

  # Whether the answer of last month holds today
  kubectl flowcontrol size intents.yaml --audit-log audit-march.log -o json > size.json
  kubectl flowcontrol size intents.yaml --audit-log audit-april.log --live --watch-drift size.json";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// The added and changed objects, with comments
    Yaml,
    /// {"schemaVersion": 1, "isPossible", "seats", "tier", "objects", "reasons", "examined", "trials", …}; with `--watch-drift`
    /// {"schemaVersion": 1, "seats", "hasDrifted", "intents", "changes", "objects", "longerWaits", "examined"}
    Json,
}

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "size";
    const GROUP: Group = Group::Create;
    const PLACE: u8 = 2;
    const NEEDS: Needs = Needs::new(&[SERVED, RELEASE, METRICS], &[on(BOTH, &["list"])]);
    const EXITS: &'static [(Exit, &'static str)] = &[
        (
            Exit::Findings,
            "no configuration was found that satisfies the intents, or they have drifted",
        ),
        (Exit::Loss, "the API version cannot hold the objects"),
    ];

    fn comment(&self) -> Option<Comment> {
        self.comment.of("Sizes for intents", "yaml")
    }

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        let inputs = [&self.intents].into_iter().chain(&self.audit_log);
        let inputs = inputs.chain(&self.metrics).chain(&self.compare);
        outputs_are_not_inputs(&self.html, inputs.chain(self.configuration.files()))?;
        self.force.replace(&self.html, streams)?;
        let earlier = self.watch_drift.as_deref().map(drift::Earlier::read);
        let earlier = earlier.transpose()?;
        let earlier = earlier.as_ref();
        let (name, intents) = self.read_intents(earlier)?;
        let is_json = self.output == Output::Json;
        // Reading the logs and the search for ways out take longer.
        let printed = match earlier.is_none() && !is_json {
            true => report::print_contradiction(&intents, streams)?,
            false => None,
        };
        let mut configuration = self.configuration.read(streams)?;
        if let Some(earlier) = earlier
            && configuration.cluster.is_none()
            && self.configuration.files().is_empty()
        {
            configuration.objects.apply(earlier.objects.clone());
        }
        let wrong = |error: SizeError| {
            let exit = match &error {
                SizeError::Recipe { error, .. } if error.is_unfulfillable() => Exit::Findings,
                _ => Exit::Input,
            };
            Failure::new(exit, format!("{name}: {error}"))
        };
        let proposed = configuration
            .objects
            .with(&self.compare, configuration.release, streams)?;
        let names = ["before", "compared"];
        let (objects, release) = (&configuration.objects, configuration.release);
        note_dangling(objects, proposed.as_ref(), names, release, streams)?;
        let requests = self.read_load(&intents, earlier, &configuration, wrong, streams)?;
        let (schemas, levels) = (&objects.flow_schemas, &objects.levels);
        let sizer =
            Sizer::new(&intents, schemas, levels, release, requests.as_ref()).map_err(wrong)?;
        let end = Instant::now() + self.budget;
        let progress = |progress: Progress| {
            let Progress { trials, seats, .. } = progress;
            show_progress(format_args!("{trials} simulations, {seats} seats"));
            match Instant::now() < end {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        };
        if let Some(earlier) = earlier {
            let drift = sizer.drift(earlier.seats, &earlier.baseline, progress);
            clear_progress();
            let drift = drift.map_err(wrong)?;
            return drift::write(&drift, earlier.seats, release, is_json, streams);
        }
        let answer = sizer.size(progress);
        clear_progress();
        let answer = answer.map_err(wrong)?;
        let seats = match &answer {
            Answer::Sized(sizing) => sizing.seats,
            Answer::Impossible(impossible) => impossible.seats,
            _ => {
                let message = format!("no answer within {:?}", self.budget);
                return Err(Failure::new(Exit::Findings, message).hint(
                    "`--budget` gives the search more time; fewer intents or a part of the log need less",
                ));
            }
        };
        let examine = |objects: &Objects| {
            let (schemas, levels) = (&objects.flow_schemas, &objects.levels);
            sizer.examine(schemas, levels, seats).map_err(wrong)
        };
        let proposed = proposed.as_ref().map(examine).transpose()?;
        let proposed = proposed.as_ref();
        if let Some(file) = &self.html {
            write_file(file, page::page(&answer, proposed, release).as_bytes())?;
        }
        match answer {
            Answer::Sized(sizing) => {
                match self.output {
                    Output::Yaml => report::print(&sizing, proposed, release, streams)?,
                    Output::Json => report::write_json(&sizing, proposed, release, streams)?,
                }
                Ok(Exit::Success)
            }
            Answer::Impossible(impossible) => {
                match self.output {
                    Output::Yaml => {
                        report::print_impossible(&impossible, printed.as_ref(), proposed, streams)?
                    }
                    Output::Json => report::write_impossible(&impossible, proposed, streams)?,
                }
                Ok(Exit::Findings)
            }
            _ => Ok(Exit::Success),
        }
    }
}

/// A time from one second to a day.
fn budget(text: &str) -> Result<Duration, String> {
    let time = timeout(text)?;
    match (Duration::from_secs(1)..=Duration::from_secs(86_400)).contains(&time) {
        true => Ok(time),
        false => Err(format!("the time must be between 1s and 24h, not {text}")),
    }
}
