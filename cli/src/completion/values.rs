//! The values of options and positional arguments.

use super::cursor::Cursor;
use super::objects;
use super::{Completion, Fallback};
use clap::Arg;
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol::{ApiVersion, Kind, Release};
use std::path::PathBuf;

pub(super) fn of(cursor: &Cursor<'_>, option: &Arg) -> Completion {
    if option.get_long() == Some("context") {
        return Completion::words(contexts(cursor));
    }
    by_definition(option)
}

/// The values of the next positional argument.
pub(super) fn of_positional(cursor: &Cursor<'_>, value: &str) -> Completion {
    let count = cursor.positional.len();
    let mut arguments: Vec<_> = cursor.command.get_positionals().collect();
    arguments.sort_by_key(|argument| argument.get_index());
    let next = arguments.get(count).or_else(|| {
        // The last argument may take all further words.
        let repeats = |last: &&&Arg| {
            last.get_num_args()
                .is_some_and(|range| range.max_values() > 1)
        };
        arguments.last().filter(repeats)
    });
    let Some(argument) = next else {
        return Completion::default();
    };
    match name_of(argument) {
        name if name.starts_with("KIND[/NAME]") => objects::references(cursor, value),
        "LEVEL" => objects::names(cursor, Kind::PriorityLevelConfiguration),
        _ => by_definition(argument),
    }
}

/// The values that the definition of an argument tells: its possible values, or the kind of value by its name in the help.
fn by_definition(argument: &Arg) -> Completion {
    let possible = argument.get_possible_values();
    if !possible.is_empty() {
        let visible = possible.iter().filter(|value| !value.is_hide_set());
        let word = |value: &clap::builder::PossibleValue| {
            let help = value.get_help().map(ToString::to_string);
            (value.get_name().to_owned(), help.unwrap_or_default())
        };
        return Completion::words(visible.map(word).collect());
    }
    let plain = |text: String| (text, String::new());
    match name_of(argument) {
        "FILE" | "PATH" | "MANIFESTS" | "OBJECTS" => Completion::fallback(Fallback::Files),
        "DIR" | "FOLDER" => Completion::fallback(Fallback::Folders),
        "RELEASE" => {
            let releases = Release::all().map(|release| plain(release.to_string()));
            Completion::words(releases.collect())
        }
        "VERSION" => {
            let versions = ApiVersion::ALL
                .iter()
                .map(|version| plain(version.to_string()));
            Completion::words(versions.collect())
        }
        _ => Completion::default(),
    }
}

fn name_of(argument: &Arg) -> &str {
    let names = argument.get_value_names().unwrap_or_default();
    names.first().map_or("", |name| name.as_str())
}

/// The contexts of the kubeconfig files that the command line selects.
fn contexts(cursor: &Cursor<'_>) -> Vec<(String, String)> {
    let mut options = cursor.options.iter();
    let kubeconfig = options.find(|(option, _)| option.get_long() == Some("kubeconfig"));
    let kubeconfig = kubeconfig.and_then(|(_, value)| value.map(PathBuf::from));
    let contexts = Config::builder().files(&kubeconfig).contexts();
    let (names, _) = contexts.unwrap_or_default();
    names
        .into_iter()
        .map(|name| (name, String::new()))
        .collect()
}
