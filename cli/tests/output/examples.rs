//! The examples of the help: lines to copy, with flags and values that exist.

use super::commands::all;
use crate::common::{code, program, run, stderr, stdout};

const OWN: [&str; 2] = ["kubectl flowcontrol ", "kubectl-flowcontrol "];

/// A line that is longer than the help is wide continues without the sign for it.
#[test]
fn examples_can_be_copied() {
    const BEGINS: [&str; 8] = [
        "#",
        "kubectl",
        "kubectl-flowcontrol",
        "source",
        "chmod",
        "duckdb",
        "helm",
        "",
    ];
    for name in all().into_keys() {
        let help = stdout(&run(&name.split(' ').chain(["--help"]).collect::<Vec<_>>()));
        let Some((_, examples)) = help.split_once("\nExamples:\n") else {
            continue;
        };
        let lines = examples.lines();
        let lines = lines.take_while(|line| line.is_empty() || line.starts_with("  "));
        let text = lines.collect::<Vec<_>>().join("\n");
        let text = text.replace("\\\n    ", "").replace("|\n    ", "| ");
        for line in text.lines() {
            let begin = line.split(' ').nth(2).unwrap_or_default();
            assert!(BEGINS.contains(&begin), "{name}: {line}");
            for command in OWN {
                for (at, _) in line.match_indices(command) {
                    let words = words(&line[at + command.len()..]);
                    let words = words.iter().map(String::as_str).chain(["--help"]);
                    let output = program().args(words).output().unwrap();
                    assert_eq!(code(&output), 0, "{line}\n{}", stderr(&output));
                }
            }
        }
    }
}

/// The words of a command, up to the next command or file of the shell.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for char in command.chars() {
        match char {
            '\'' => is_quoted = !is_quoted,
            '|' | '>' | '&' | ';' | ')' if !is_quoted => break,
            ' ' if !is_quoted => words.push(String::new()),
            _ => words.last_mut().unwrap().push(char),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
