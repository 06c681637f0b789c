//! Changes as events, with the changed fields.

use super::{Args, Output, show};
use crate::cluster::{Follow, Followed, Live, name, title};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Streams, write_line};
use k8s_flowcontrol::Kind;
use serde_json::{Value, json};
use std::io::Write;

/// Prints changes until Ctrl-C ends the process: as events, or as the objects after them. The `listed` objects were printed before.
pub(super) async fn follow(
    args: &Args,
    live: &Live,
    listed: &[(Kind, Value)],
    streams: &mut Streams,
) -> Result<Exit, Failure> {
    let version = |object: &Value| object["metadata"]["resourceVersion"].clone();
    let is_listed = |change: &Followed| {
        let (kind, object) = (change.kind, &change.object);
        change.event == "ADDED"
            && listed.iter().any(|(other, listed)| {
                (*other, name(listed), version(listed)) == (kind, name(object), version(object))
            })
    };
    let targets = args.target.targets()?;
    let mut follow = Follow::begin(live, targets, args.target.selector());
    let mut printed = 0;
    while let Some(change) = follow.next(streams).await? {
        if change.is_beginning && args.watch_only || is_listed(&change) {
            continue;
        }
        match args.output_watch_events {
            true => print(&change, args.output, streams)?,
            false => show(args, live, change.kind, change.object, streams).await?,
        }
        printed += 1;
        if args.count.is_some_and(|count| printed >= count) {
            break;
        }
    }
    Ok(Exit::Success)
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
        Output::Table | Output::Wide => {
            write!(streams.out, "{event:<8} {}", title(*kind, name(object)))?;
            if let Some(old) = old {
                let mut paths = Vec::new();
                differences(old, object, "", &mut paths);
                write!(streams.out, ": {}", paths.join(", "))?;
            }
            writeln!(streams.out)?;
        }
        Output::Yaml | Output::Name => {
            return Err(Failure::usage(
                "`--output-watch-events` prints a table or json",
            ));
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
