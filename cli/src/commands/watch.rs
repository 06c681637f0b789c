//! `watch`: the changes of objects of a cluster.

use crate::cluster::block_on;
use crate::cluster::{Follow, Followed, LiveArgs, TargetArgs, name, title};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Streams, write_line};
use clap::ValueEnum;
use serde_json::{Value, json};
use std::io::Write;

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

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    let targets = args.target.targets()?;
    block_on(async {
        let live = args.live.connect().await?;
        if args.target.has_names()? {
            // A misspelt name would be watched forever.
            args.target.find(&live).await?;
        }
        let mut follow = Follow::begin(&live, targets, args.target.selector.as_deref());
        let mut printed = 0;
        while let Some(change) = follow.next(streams).await? {
            if change.is_beginning && args.watch_only {
                continue;
            }
            print(&change, args.output, streams)?;
            printed += 1;
            if args.count.is_some_and(|count| printed >= count) {
                break;
            }
        }
        Ok(Exit::Success)
    })
}

fn print(change: &Followed, output: Output, streams: &mut Streams) -> Result<(), Failure> {
    let Followed {
        event,
        kind,
        old,
        object,
        ..
    } = change;
    match output {
        Output::Json => {
            let line = json!({"event": event, "old": old, "object": object});
            write_line(&mut streams.out, line)?;
        }
        Output::Table => {
            write!(streams.out, "{event:<8} {}", title(*kind, name(object)))?;
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
