//! The details of a flow schema.

use super::{Surroundings, line};
use crate::cluster::{dangling, name};
use crate::failure::Failure;
use crate::output::{Streams, one_line};
use k8s_flowcontrol::Resource;
use k8s_flowcontrol::rules::objects::queuing;
use serde_json::Value;
use std::io::{self, Write};

pub(super) fn describe(
    object: &Value,
    around: &Surroundings,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let spec = &object["spec"];
    let level = spec["priorityLevelConfiguration"]["name"]
        .as_str()
        .unwrap_or_default();
    let missing = match around.levels.iter().any(|other| other.name() == level) {
        true => "",
        false => " (missing: the server ignores this flow schema)",
    };
    line(streams, "Priority level", &format!("{level}{missing}"))?;
    let precedence = spec["matchingPrecedence"].as_i64().unwrap_or(1000);
    let before = around.schemas.iter().filter(|other| {
        let precedes = (
            i64::from(other.spec.matching_precedence.unwrap_or(1000)),
            other.name(),
        );
        precedes < (precedence, name(object))
    });
    let (before, all) = (before.count(), around.schemas.len());
    let text = format!("{precedence}: {before} of {all} flow schemas come before it");
    line(streams, "Precedence", &text)?;
    let flows = match spec["distinguisherMethod"]["type"].as_str() {
        Some("ByUser") => "one per user",
        Some("ByNamespace") => "one per namespace",
        Some(other) => other,
        None => "one for all requests",
    };
    let level = around.levels.iter().find(|other| other.name() == level);
    let queues = level.and_then(queuing).map_or(0, |(queues, _)| queues);
    let has_flows = spec["distinguisherMethod"].is_object();
    let flows = match level {
        Some(_) if has_flows && queues <= 1 => {
            format!("{flows}; the priority level does not have several queues to separate them")
        }
        _ => flows.to_owned(),
    };
    line(streams, "Flows", &flows)?;
    if let Some(dangling) = dangling(object) {
        line(streams, "Dangling", dangling)?;
    }
    let rules = spec["rules"].as_array().map_or(&[][..], Vec::as_slice);
    if rules.is_empty() {
        line(streams, "Rules", "none: it matches no request")?;
    }
    for (index, rule) in rules.iter().enumerate() {
        line(
            streams,
            if index == 0 { "Rules" } else { "" },
            &format!("{}. requests of", index + 1),
        )?;
        for subject in elements(rule, "subjects") {
            detail(&describe_subject(subject), streams)?;
        }
        writeln!(streams.out, "{:21}for", "")?;
        for resource in elements(rule, "resourceRules") {
            detail(&describe_resources(resource), streams)?;
        }
        for paths in elements(rule, "nonResourceRules") {
            let verbs = words(paths, "verbs", "all verbs");
            let urls = match listed(paths, "nonResourceURLs") {
                None => "all paths".to_owned(),
                Some(urls) => format!("paths {urls}"),
            };
            detail(&format!("{verbs} of {urls}"), streams)?;
        }
    }
    Ok(())
}

/// Prints a part of a rule. The text cannot add lines.
fn detail(text: &str, streams: &mut Streams) -> io::Result<()> {
    writeln!(streams.out, "{:24}{}", "", one_line(text))
}

fn elements<'a>(rule: &'a Value, name: &str) -> &'a [Value] {
    rule[name].as_array().map_or(&[], Vec::as_slice)
}

fn describe_subject(subject: &Value) -> String {
    let word =
        |part: &str, field: &str| subject[part][field].as_str().unwrap_or_default().to_owned();
    match subject["kind"].as_str().unwrap_or_default() {
        "User" => format!("user {}", word("user", "name")),
        "Group" => format!("group {}", word("group", "name")),
        "ServiceAccount" => {
            format!(
                "service account {}/{}",
                word("serviceAccount", "namespace"),
                word("serviceAccount", "name")
            )
        }
        other => other.to_owned(),
    }
}

fn describe_resources(rule: &Value) -> String {
    let groups = match listed(rule, "apiGroups") {
        None => "all groups".to_owned(),
        Some(groups) if groups.contains(", ") => format!("groups {groups}"),
        Some(groups) => format!("group {groups}"),
    };
    let namespaces = match listed(rule, "namespaces") {
        None => Some("in all namespaces".to_owned()),
        Some(namespaces) if namespaces.is_empty() => None,
        Some(namespaces) => Some(format!("in namespaces {namespaces}")),
    };
    let scope = (rule["clusterScope"] == true).then(|| "cluster-scoped".to_owned());
    let places: Vec<_> = scope.into_iter().chain(namespaces).collect();
    format!(
        "{} of {} in {groups}, {}",
        words(rule, "verbs", "all verbs"),
        words(rule, "resources", "all resources"),
        places.join(" and ")
    )
}

/// The elements of a list, or the words for all of them.
fn words(rule: &Value, name: &str, all: &str) -> String {
    listed(rule, name).unwrap_or_else(|| all.to_owned())
}

/// The elements of a list; `None` if it is about all. The core group has an empty name.
fn listed(rule: &Value, name: &str) -> Option<String> {
    let words: Vec<_> = elements(rule, name)
        .iter()
        .filter_map(Value::as_str)
        .map(|word| if word.is_empty() { "\"\" (core)" } else { word })
        .collect();
    (!words.contains(&"*")).then(|| words.join(", "))
}
