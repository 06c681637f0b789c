//! The tour of the commands for clusters, with their real output.
//!
//! The commands of `tests/tour.md` run in order against an embedded server, and their output is compared.
//! `TOUR=overwrite` writes it down. With `TOUR_KUBECONFIG=FILE` they run on that cluster instead, and only the exit codes are
//! compared: the tour creates and deletes objects named `tour`.

use crate::common::{Folder, Served, code, program};
use std::fmt::Write;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tour.md");
const BEGIN: &str = "```console\n";
const PROMPT: &str = "$ kubectl flowcontrol ";

#[test]
fn the_tour_shows_the_real_output() {
    let text = std::fs::read_to_string(FILE).unwrap();
    let folder = Folder::new();
    let own = std::env::var("TOUR_KUBECONFIG").ok();
    let kubeconfig = own.clone().unwrap_or_else(|| folder.path("kubeconfig"));
    let server = match own {
        Some(_) => None,
        None => Some(Served::start(&[
            "--kubernetes",
            "1.36",
            "--kubeconfig",
            &kubeconfig,
        ])),
    };
    let address = server.as_ref().map(|server| server.url.clone());
    let mut seen = String::new();
    let mut wrong = Vec::new();
    for part in text.split_inclusive("```\n") {
        let Some((prose, block)) = part.split_once(BEGIN) else {
            seen.push_str(part);
            continue;
        };
        let _ = write!(seen, "{prose}{BEGIN}");
        let block = block.strip_prefix(PROMPT).unwrap();
        let (command, _) = block.split_once('\n').unwrap();
        let expected = block
            .lines()
            .nth(1)
            .and_then(|line| line.strip_prefix("? "));
        let expected: i32 = expected.map_or(0, |code| code.parse().unwrap());
        let mut run = program();
        run.env("KUBECONFIG", &kubeconfig).args(words(command));
        let output = run.output().unwrap();
        let code = code(&output);
        if code != expected {
            wrong.push(format!(
                "{command}: exit code {code} instead of {expected}: {output:?}"
            ));
        }
        let _ = writeln!(seen, "{PROMPT}{command}");
        if code != 0 {
            let _ = writeln!(seen, "? {code}");
        }
        for stream in [output.stdout, output.stderr] {
            seen.push_str(&fixed(
                &String::from_utf8(stream).unwrap(),
                address.as_deref(),
            ));
        }
        seen.push_str("```\n");
    }
    if server.is_some() && std::env::var("TOUR").is_ok_and(|mode| mode == "overwrite") {
        std::fs::write(FILE, &seen).unwrap();
    } else if server.is_some() {
        assert_eq!(seen, text);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The words of a command line; single quotes hold words together.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (index, part) in command.split('\'').enumerate() {
        if index % 2 == 1 {
            words.last_mut().unwrap().push_str(part);
            continue;
        }
        let mut pieces = part.split(' ');
        words.last_mut().unwrap().push_str(pieces.next().unwrap());
        words.extend(pieces.map(str::to_owned));
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The output without the parts that differ from run to run: the address, ages, times and UIDs.
fn fixed(text: &str, address: Option<&str>) -> String {
    let text = match address {
        Some(address) => text.replace(address, "https://10.0.0.1:6443"),
        None => text.to_owned(),
    };
    let word = |word: &str| {
        let bare = word.trim_end_matches([',', ')', '"']);
        let rest = &word[bare.len()..];
        let is_age = bare.strip_suffix('s').is_some_and(|age| {
            !age.is_empty() && age.len() < 3 && age.bytes().all(|b| b.is_ascii_digit())
        });
        let is_time = bare.len() == 20 && bare.starts_with("20") && bare.ends_with('Z');
        match (is_age, is_time) {
            (true, _) => format!("1s{rest}"),
            (_, true) => format!("2026-11-22T12:00:00Z{rest}"),
            _ => word.to_owned(),
        }
    };
    let line = |line: &str| line.split(' ').map(word).collect::<Vec<_>>().join(" ");
    let mut lines: Vec<_> = text.lines().map(line).collect();
    sort_managers(&mut lines);
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Sorts the managers of an object by name: a server sorts them by their times first, which are equal or not.
fn sort_managers(lines: &mut [String]) {
    const TITLE: &str = "Managers:         ";
    let Some(first) = lines.iter().position(|line| line.starts_with(TITLE)) else {
        return;
    };
    let (_, rest) = lines.split_at_mut(first + 1);
    let more = rest.iter().take_while(|line| line.starts_with("    "));
    let end = first + 1 + more.count();
    let managers = &mut lines[first..end];
    managers.sort_by_key(|line| line[TITLE.len()..].to_owned());
    for (index, line) in managers.iter_mut().enumerate() {
        let title = if index == 0 { TITLE } else { "" };
        *line = format!("{title:18}{}", &line[TITLE.len()..]);
    }
    sort_managers(&mut lines[end..]);
}
