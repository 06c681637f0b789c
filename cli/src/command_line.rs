//! The command line before it is parsed: flags of a cluster that precede the command, as in `kubectl flowcontrol --context x get`, and several contexts, for\neach of which a command for one cluster runs once.

use crate::failure::Failure;
use crate::output::{Streams, set_context};
use k8s_flowcontrol::config::Config;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

/// The flags of [`ClusterArgs`](crate::cluster::ClusterArgs), all of which take a value.
const FLAGS: [&str; 9] = [
    "--as",
    "--as-group",
    "--as-uid",
    "--context",
    "--kubeconfig",
    "--request-timeout",
    "--server",
    "-s",
    "--token",
];
/// The global flag with a value.
const COLOR: &str = "--color";

/// Moves these flags behind the command, which defines them: a command that uses no cluster then rejects them.
pub(crate) fn behind_the_command(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments = arguments.peekable();
    let mut start: Vec<_> = arguments.next().into_iter().collect();
    let mut moved = Vec::new();
    while let Some(argument) = arguments.peek() {
        let text = argument.to_string_lossy();
        let (flag, value) = match text.split_once('=') {
            Some((flag, _)) => (flag, true),
            None => (&*text, false),
        };
        let into = match flag {
            COLOR => &mut start,
            flag if FLAGS.contains(&flag) => &mut moved,
            _ => break,
        };
        into.extend(arguments.by_ref().take(if value { 1 } else { 2 }));
    }
    // After all words, because a command can have subcommands. Without a command they do not move, and the
    // error names the first of them.
    let mut rest: Vec<_> = arguments.collect();
    let end = rest.iter().position(|word| word == "--");
    let after = rest.split_off(end.unwrap_or(rest.len()));
    start.extend(rest);
    start.extend(moved);
    start.extend(after);
    start
}

/// The flag and the value of a word such as `--watch=true`, with the values that kubectl knows.
pub(crate) fn switch(word: &OsString) -> Option<(&str, bool)> {
    let (flag, value) = word.to_str()?.strip_prefix("--")?.split_once('=')?;
    match value {
        "1" | "t" | "T" | "true" | "True" | "TRUE" => Some((flag, true)),
        "0" | "f" | "F" | "false" | "False" | "FALSE" => Some((flag, false)),
        _ => None,
    }
}

/// Replaces the flags with a value by flags alone if the value is true, and removes them if it is false.
pub(crate) fn without_switches(arguments: Vec<OsString>, flags: &[String]) -> Vec<OsString> {
    let end = arguments.iter().position(|word| word == "--");
    let end = end.unwrap_or(arguments.len());
    let plain = |(place, word): (usize, OsString)| match switch(&word) {
        Some((flag, value)) if place < end && flags.iter().any(|other| other == flag) => {
            value.then(|| format!("--{flag}").into())
        }
        _ => Some(word),
    };
    arguments
        .into_iter()
        .enumerate()
        .filter_map(plain)
        .collect()
}

/// The names of contexts, with the command line of each.
pub(crate) type Lines = Vec<(String, Vec<OsString>)>;

const ALL: &str = "--all-contexts";

/// The command lines of the contexts, or none if there are not several.
/// Errors: if all contexts are wanted and cannot be read.
pub(crate) fn split(arguments: &[OsString]) -> Result<Option<Lines>, Failure> {
    let (mut rest, mut names) = (Vec::new(), Vec::new());
    let (mut all, mut kubeconfig) = (false, None);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        if text == "--" {
            rest.push(word.clone());
            rest.extend(words.by_ref().cloned());
        } else if text == ALL {
            all = true;
        } else if text == "--context" {
            names.extend(words.next().map(|name| name.to_string_lossy().into_owned()));
        } else if let Some(name) = text.strip_prefix("--context=") {
            names.push(name.to_owned());
        } else if text == "--kubeconfig" {
            let file = words.next();
            kubeconfig = file.map(PathBuf::from);
            rest.push(word.clone());
            rest.extend(file.cloned());
        } else {
            kubeconfig = text
                .strip_prefix("--kubeconfig=")
                .map(PathBuf::from)
                .or(kubeconfig);
            rest.push(word.clone());
        }
    }
    if all {
        let (known, _) = Config::builder().files(&kubeconfig).contexts()?;
        if known.is_empty() {
            return Err(Failure::input("the kubeconfig file contains no contexts"));
        }
        names = known;
    }
    names.dedup();
    if names.len() < 2 && !all {
        return Ok(None);
    }
    let end = rest.iter().position(|word| word == "--");
    let line = |name: String| {
        let mut line = rest.clone();
        let end = end.unwrap_or(line.len());
        line.splice(end..end, ["--context".into(), name.clone().into()]);
        (name, line)
    };
    Ok(Some(names.into_iter().map(line).collect()))
}

/// Marks the output of a context.
pub(crate) fn begin(name: &str, is_json: bool) -> Result<(), Failure> {
    set_context(name);
    if !is_json {
        let mut streams = Streams::new();
        writeln!(streams.out, "context {name}:")?;
        streams.out.flush()?;
    }
    Ok(())
}
