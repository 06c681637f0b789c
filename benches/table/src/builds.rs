//! The costs of a user's build, from `build-costs.sh`.

use crate::Outcome;
use crate::comparison::figure;
use crate::programs::Programs;
use std::collections::BTreeMap;
use std::process::Command;

/// The figures of `build-costs.sh`.
const FIGURES: [(&str, &str); 3] = [
    ("CPU seconds", "cold build, CPU seconds"),
    ("crates", "crates"),
    ("bytes stripped", "stripped binary, bytes"),
];
/// The programs beside the peer's, with the goals of their ratios.
const PROGRAMS: [(&str, &str, [&str; 3]); 2] = [
    (
        "minimal-ours",
        "minimal program",
        ["at most 0.55", "", "at most 0.70"],
    ),
    (
        "minimal-smallest",
        "the same with the fewest features",
        ["at most 0.40", "", ""],
    ),
];
/// The libraries beside `k8s-openapi` with one release, with the goals of their ratios.
const LIBRARIES: [(&str, &str, &str); 2] = [
    (
        "k8s-flowcontrol-types",
        "the types alone, beside k8s-openapi with one release",
        "at most 0.30",
    ),
    (
        "k8s-flowcontrol-rules",
        "the rules with the types, beside the same",
        "at most 0.60",
    ),
];

pub(crate) fn table(programs: &Programs) -> Outcome<String> {
    let mut command = Command::new("timeout");
    // With 0 there would be no limit.
    command.arg(programs.time_left().as_secs().max(1).to_string());
    let output = command.arg("./build-costs.sh").output()?;
    let output = String::from_utf8(output.stdout)?;
    // Each line: the name, a colon, and figures with commas between them.
    let mut builds = BTreeMap::new();
    for (name, figures) in output.lines().filter_map(|line| line.split_once(": ")) {
        for (number, unit) in figures.split(", ").filter_map(|part| part.split_once(' ')) {
            builds.insert((name, unit), number.parse::<f64>()?);
        }
    }
    let get = |name, unit| builds.get(&(name, unit)).copied();
    let show = |value: Option<f64>| value.map_or("not measured".to_owned(), figure);
    let mut text = "| build | ours | peer | ratio | goal |\n|---|---:|---:|---:|---|\n".to_owned();
    let programs = PROGRAMS.map(|(name, of, goals)| (name, of, "minimal-peer", goals));
    let libraries = LIBRARIES.map(|(name, of, goal)| (name, of, "k8s-openapi", [goal, "", ""]));
    for (name, of, beside, goals) in programs.into_iter().chain(libraries) {
        for ((unit, title), goal) in FIGURES.into_iter().zip(goals) {
            let (ours, peer) = (get(name, unit), get(beside, unit));
            if beside == "k8s-openapi" && unit == "bytes stripped" {
                continue;
            }
            let ratio = ours
                .zip(peer)
                .map(|(ours, peer)| format!("{:.2}", ours / peer));
            text.push_str(&format!(
                "| {of}: {title} | {} | {} | {} | {goal} |\n",
                show(ours),
                show(peer),
                ratio.unwrap_or_default(),
            ));
        }
    }
    Ok(text)
}
