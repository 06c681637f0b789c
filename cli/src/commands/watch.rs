//! `watch`: the changes of objects of a cluster.

use crate::cluster::block_on;
use crate::cluster::{Live, LiveArgs, Target, TargetArgs, tree, with_api};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Streams, write_line};
use clap::ValueEnum;
use k8s_flowcontrol::Kind;
use k8s_flowcontrol::api::{v1, v1beta1, v1beta2, v1beta3};
use k8s_flowcontrol::watch::WatcherEvent;
use k8s_flowcontrol::{ApiVersion, Error};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use tokio::sync::mpsc;

/// Watch objects of a cluster and show their changes
///
/// The watch survives lost connections and expired resource versions: changes during an interruption are shown when the cluster
/// responds again. Ctrl-C ends it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    target: TargetArgs,

    #[command(flatten)]
    live: LiveArgs,

    /// Show only changes, without the existing objects first
    #[arg(long)]
    watch_only: bool,

    /// Exit after this number of lines
    #[arg(long, value_name = "COUNT")]
    count: Option<u64>,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  # Watch changes of priority levels
  kubectl flowcontrol watch plc --watch-only

  # For a script: one JSON object per line
  kubectl flowcontrol watch fs/mine -o json";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// The event, the object, and the changed fields
    Table,
    /// {"schemaVersion": 1, "event", "old", "object"}, one per line; event is ADDED, MODIFIED or DELETED
    Json,
}

/// A change of an object.
enum Change {
    /// All existing objects were received.
    Ready,
    /// An object exists, with this content.
    Is(Kind, Value),
    /// An object was deleted.
    Gone(Kind, String),
    /// An error, after which the watch continues.
    Trouble(Error),
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    let targets = args.target.targets()?;
    block_on(async {
        let live = args.live.connect().await?;
        if args.target.has_names()? {
            // A misspelt name would be watched forever.
            args.target.find(&live).await?;
        }
        let (sender, mut changes) = mpsc::channel(64);
        let mut sources = targets.len();
        for target in targets {
            follow(&live, target, args.target.selector.clone(), sender.clone());
        }
        drop(sender);
        let mut seen = BTreeMap::new();
        let mut printed = 0;
        let mut permanent = None;
        while let Some(change) = changes.recv().await {
            let line = match change {
                Change::Ready => {
                    sources = sources.saturating_sub(1);
                    None
                }
                Change::Is(kind, object) => changed(kind, object, &mut seen),
                Change::Gone(kind, name) => {
                    let old = seen.remove(&(kind, name));
                    old.map(|old| Line {
                        event: "DELETED",
                        kind,
                        old: None,
                        object: old,
                    })
                }
                Change::Trouble(error) if is_permanent(&error) => {
                    permanent = Some(error);
                    break;
                }
                Change::Trouble(error) => {
                    writeln!(streams.err, "{error}; trying again")?;
                    None
                }
            };
            // Each kind has its own list of existing objects.
            let is_beginning = sources > 0 && args.watch_only;
            if let Some(line) = line.filter(|_| !is_beginning) {
                line.print(args.output, streams)?;
                printed += 1;
                if args.count.is_some_and(|count| printed >= count) {
                    break;
                }
            }
        }
        match permanent {
            Some(error) => Err(error.into()),
            None => Ok(Exit::Success),
        }
    })
}

/// Whether an error persists without a change by the user.
fn is_permanent(error: &Error) -> bool {
    error.is_forbidden()
        || error.is_unauthorized()
        || error.is_not_found()
        || error.is_version_not_served()
        || error.is_bad_request()
}

/// Watches objects of a kind in a task, which ends with the receiver.
fn follow(live: &Live, target: Target, labels: Option<String>, sender: mpsc::Sender<Change>) {
    let kind = target.kind;
    with_api!(live, kind, api => {
        let mut watcher = api.watcher();
        if let Some(labels) = labels {
            watcher = watcher.label_selector(labels);
        }
        if let Some(name) = target.name {
            watcher = watcher.field_selector(format!("metadata.name={name}"));
        }
        tokio::spawn(async move {
            loop {
                let changes = match watcher.next().await {
                    Ok(WatcherEvent::ListItem { object, .. } | WatcherEvent::Applied { object, .. }) => {
                        vec![Change::Is(kind, tree(&object))]
                    }
                    Ok(WatcherEvent::Deleted { object, .. }) => {
                        vec![Change::Gone(kind, crate::cluster::name(&tree(&object)).to_owned())]
                    }
                    Ok(WatcherEvent::ListEnd { disappeared, .. }) => {
                        let gone = disappeared.iter().map(|key| Change::Gone(kind, key.name().to_owned()));
                        gone.chain([Change::Ready]).collect()
                    }
                    Ok(_) => Vec::new(),
                    Err(error) => vec![Change::Trouble(error)],
                };
                for change in changes {
                    if sender.send(change).await.is_err() {
                        return;
                    }
                }
            }
        });
    });
}

/// A change to print.
struct Line {
    event: &'static str,
    kind: Kind,
    old: Option<Value>,
    object: Value,
}

/// The change of an object since its last state; none if it is equal.
fn changed(kind: Kind, object: Value, seen: &mut BTreeMap<(Kind, String), Value>) -> Option<Line> {
    let key = (kind, crate::cluster::name(&object).to_owned());
    let old = seen.insert(key, object.clone());
    let event = match &old {
        None => "ADDED",
        Some(old) if *old == object => return None,
        Some(_) => "MODIFIED",
    };
    Some(Line {
        event,
        kind,
        old,
        object,
    })
}

impl Line {
    fn print(&self, output: Output, streams: &mut Streams) -> Result<(), Failure> {
        let Self {
            event,
            kind,
            old,
            object,
        } = self;
        match output {
            Output::Json => {
                let line = json!({"event": event, "old": old, "object": object});
                write_line(&mut streams.out, line)?;
            }
            Output::Table => {
                let kind = kind.as_str().to_ascii_lowercase();
                write!(
                    streams.out,
                    "{event:<8} {kind}/{}",
                    crate::cluster::name(object)
                )?;
                if let Some(old) = old {
                    let mut paths = Vec::new();
                    differences(old, object, "", &mut paths);
                    write!(streams.out, ": {}", paths.join(", "))?;
                }
                writeln!(streams.out)?;
            }
        }
        // A reader of a pipe waits for the line.
        streams.out.flush()?;
        Ok(())
    }
}

/// Collects the fields that differ, except fields that every write changes.
fn differences(old: &Value, new: &Value, path: &str, found: &mut Vec<String>) {
    if matches!(
        path,
        "metadata.resourceVersion" | "metadata.managedFields" | "metadata.generation"
    ) || old == new
    {
        return;
    }
    let (Value::Object(before), Value::Object(after)) = (old, new) else {
        let short = |value: &Value| match value {
            Value::Object(_) | Value::Array(_) => None,
            Value::Null => Some("none".to_owned()),
            value => Some(value.to_string()),
        };
        found.push(match (short(old), short(new)) {
            (Some(old), Some(new)) => format!("{path} {old} -> {new}"),
            _ => path.to_owned(),
        });
        return;
    };
    let added = after.keys().filter(|key| !before.contains_key(*key));
    for key in before.keys().chain(added) {
        let path = if path.is_empty() {
            key.clone()
        } else {
            format!("{path}.{key}")
        };
        differences(&old[key], &new[key], &path, found);
    }
}
