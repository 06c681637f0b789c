//! Several contexts: a command for one cluster runs once for each of them.

use crate::failure::Failure;
use crate::output::{Streams, set_context};
use k8s_flowcontrol::config::Config;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

/// The names of contexts, with the command line of each.
pub(crate) type Lines = Vec<(String, Vec<OsString>)>;

const ALL: &str = "--all-contexts";

/// The command lines of the contexts, or none if there are not several.
///
/// # Errors
/// If all contexts are wanted and cannot be read.
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
