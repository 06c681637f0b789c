//! The costs of a user's build, from `build-costs.sh`.

use crate::Outcome;
use crate::comparison::figure;
use crate::programs::Programs;
use std::collections::BTreeMap;
use std::process::Command;

/// The figures of `build-costs.sh`, with the goal of their ratio.
const FIGURES: [(&str, &str, &str); 3] = [
    ("CPU seconds", "cold build", "at most 0.55"),
    ("crates", "crates", ""),
    ("bytes stripped", "stripped binary, bytes", "at most 0.70"),
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
    for (unit, title, goal) in FIGURES {
        let (ours, peer) = (get("minimal-ours", unit), get("minimal-peer", unit));
        let ratio = ours
            .zip(peer)
            .map(|(ours, peer)| format!("{:.2}", ours / peer));
        text.push_str(&format!(
            "| minimal program: {title} | {} | {} | {} | {goal} |\n",
            show(ours),
            show(peer),
            ratio.unwrap_or_default(),
        ));
    }
    for name in ["k8s-flowcontrol-types", "k8s-flowcontrol-rules"] {
        for (unit, title, _) in &FIGURES[..2] {
            let ours = show(get(name, unit));
            text.push_str(&format!("| `{name}` alone: {title} | {ours} | | | |\n"));
        }
    }
    Ok(text)
}
