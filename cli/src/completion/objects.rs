//! The names of the objects in the cluster that the command line selects.

use super::cursor::Cursor;
use super::{Completion, Fallback};
use crate::cluster::{ClusterArgs, Live, block_on, kinds_named};
use crate::failure::Failure;
use clap::{CommandFactory, Parser};
use k8s_flowcontrol::{Client, Kind};
use std::time::Duration;

/// The maximum time to read the names: the user is waiting for them.
const TIMEOUT: Duration = Duration::from_secs(3);

/// The kinds, or the names of objects after a kind or in `KIND/NAME`.
pub(super) fn references(cursor: &Cursor<'_>, value: &str) -> Completion {
    if let Some((written, _)) = value.split_once('/') {
        let mut found = match kinds_named(written) {
            Ok([kind]) => names(cursor, *kind),
            _ => Completion::default(),
        };
        for (word, _) in &mut found.words {
            *word = format!("{written}/{word}");
        }
        return found;
    }
    let kinds = |end: &str| {
        let word = |kind: Kind| (format!("{}{end}", kind.plural()), String::new());
        Kind::ALL.iter().copied().map(word).collect()
    };
    match cursor.positional.first() {
        None => Completion::words(kinds("")),
        Some(first) if first.contains('/') => Completion {
            words: kinds("/"),
            fallback: Fallback::NothingUnfinished,
        },
        Some(first) => match kinds_named(first) {
            Ok([kind]) => {
                let mut found = names(cursor, *kind);
                let is_new = |word: &String| !cursor.positional.contains(&word.as_str());
                found.words.retain(|(word, _)| is_new(word));
                found
            }
            _ => Completion::default(),
        },
    }
}

/// The names of the objects of a kind; none if the cluster cannot be read.
pub(super) fn names(cursor: &Cursor<'_>, kind: Kind) -> Completion {
    let names = block_on(async {
        let cluster = cluster(cursor)?;
        Ok(tokio::time::timeout(TIMEOUT, read(&cluster, kind)).await)
    });
    let names = names.ok().and_then(Result::ok).and_then(Result::ok);
    let words = names.unwrap_or_default().into_iter();
    Completion::words(words.map(|name| (name, String::new())).collect())
}

async fn read(cluster: &ClusterArgs, kind: Kind) -> Result<Vec<String>, Failure> {
    let config = cluster.config()?.with_connect_timeout(TIMEOUT);
    let live = Live::connect(Client::new(config.with_timeout(TIMEOUT))?, None).await?;
    let objects = live.list(kind, None).await?;
    let names = objects
        .iter()
        .filter_map(|object| object["metadata"]["name"].as_str());
    Ok(names.map(str::to_owned).collect())
}

/// The options of a command line that select a cluster.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct Selection {
    #[command(flatten)]
    cluster: ClusterArgs,
}

fn cluster(cursor: &Cursor<'_>) -> Result<ClusterArgs, Failure> {
    let definition = Selection::command();
    let mut words = Vec::new();
    for (option, value) in &cursor.options {
        let is_ours = |other: &clap::Arg| other.get_long() == option.get_long();
        if let (Some(long), Some(value)) = (option.get_long(), value)
            && definition.get_arguments().any(is_ours)
        {
            words.push(format!("--{long}={value}"));
        }
    }
    let selection = Selection::try_parse_from(words);
    Ok(selection
        .map_err(|error| Failure::usage(error.to_string()))?
        .cluster)
}
