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
    for (program, of, goals) in PROGRAMS {
        for ((unit, title), goal) in FIGURES.into_iter().zip(goals) {
            let (ours, peer) = (get(program, unit), get("minimal-peer", unit));
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
    for name in ["k8s-flowcontrol-types", "k8s-flowcontrol-rules"] {
        for (unit, title) in &FIGURES[..2] {
            let ours = show(get(name, unit));
            text.push_str(&format!("| `{name}` alone: {title} | {ours} | | | |\n"));
        }
    }
    Ok(text)
}
