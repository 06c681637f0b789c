//! The command line against the tables of the README.

use super::program;
use crate::command::{Declared, Group, all};
use clap::{Arg, Command};
use std::collections::BTreeSet;

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");

#[test]
fn the_command_line_is_consistent() {
    program().debug_assert();
}

/// The commands at the ends of the tree, with their names.
fn leaves(command: &Command, path: &str) -> Vec<(String, Command)> {
    let mut all = vec![(path.to_owned(), command.clone())];
    for command in command.get_subcommands() {
        if command.get_name() != "help" {
            all.extend(leaves(command, &format!("{path} {}", command.get_name())));
        }
    }
    all
}

/// A flag and its value as in the table: `-o, --output FORMAT`.
fn row(argument: &Arg) -> Option<String> {
    let long = argument.get_long()?;
    let short = argument.get_short();
    let mut text = short.map_or_else(String::new, |short| format!("-{short}, "));
    text.push_str(&format!("--{long}"));
    if argument.get_action().takes_values() {
        let names = argument.get_value_names().unwrap_or_default();
        let name = names.first().map_or("", |name| name.as_str());
        let is_optional = argument
            .get_num_args()
            .is_some_and(|range| range.min_values() == 0);
        text.push_str(&match is_optional {
            true => format!("[={name}]"),
            false => format!(" {name}"),
        });
    }
    Some(text)
}

#[test]
fn every_flag_comes_from_the_table_of_the_readme() {
    let readme = std::fs::read_to_string(README).unwrap();
    let (_, table) = readme.split_once("## Flags").unwrap();
    let (table, _) = table.split_once("\n## ").unwrap();
    let known: Vec<_> = table
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(flag, _)| flag.to_owned())
        .collect();
    let mut used = BTreeSet::new();
    let mut wrong = Vec::new();
    let mut program = program();
    program.build();
    for (name, command) in leaves(&program, "") {
        for argument in command.get_arguments() {
            let Some(row) = row(argument) else { continue };
            if !known.contains(&row) {
                wrong.push(format!("{name}: {row}"));
            }
            used.insert(row);
        }
    }
    wrong.sort();
    assert!(wrong.is_empty(), "not in the table:\n{}", wrong.join("\n"));
    let long = |row: &str| {
        row.split("--")
            .nth(1)
            .map(|row| row.split([' ', '[']).next().unwrap_or_default().to_owned())
    };
    let names: BTreeSet<_> = known.iter().filter_map(|row| long(row)).collect();
    assert_eq!(names.len(), known.len(), "a flag has one row");
    let unused: Vec<_> = known.iter().filter(|row| !used.contains(*row)).collect();
    assert!(unused.is_empty(), "no command has {unused:?}");
}

#[test]
fn the_commands_of_the_readme_are_the_declared_ones() {
    const BEGIN: &str = "<!-- commands: written by this table's test with UPDATE_GOLDEN=1 -->\n";
    const END: &str = "<!-- end of commands -->";
    let readme = std::fs::read_to_string(README).unwrap();
    let (before, rest) = readme.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let expected = format!("{before}{BEGIN}{}{END}{after}", table());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(README, &expected).unwrap();
    }
    let readme = std::fs::read_to_string(README).unwrap();
    assert!(readme == expected, "UPDATE_GOLDEN=1 writes the table");
}

#[test]
fn names_are_unique_and_in_groups() {
    let names: BTreeSet<_> = all().iter().map(|command| command.name).collect();
    assert_eq!(names.len(), all().len());
    let place = |command: &&Declared| (command.group, command.place);
    let places: BTreeSet<_> = all().iter().map(place).collect();
    assert_eq!(places.len(), all().len(), "two commands have one place");
}

/// Every file of a command is named once, in one line: a declaration does not need a list.
#[test]
fn a_new_command_is_its_file_and_one_line() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    let list = std::fs::read_to_string(format!("{folder}/commands.rs")).unwrap();
    let mut modules: Vec<_> = list
        .lines()
        .filter_map(|line| line.split_once("mod ")?.1.strip_suffix(';'))
        .collect();
    let others = list.lines().filter(|line| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with("//") && !line.contains("mod ")
    });
    assert_eq!(others.count(), 0, "the list has nothing but modules");
    let files = std::fs::read_dir(format!("{folder}/commands")).unwrap();
    let files = files.filter_map(|entry| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        name.strip_suffix(".rs").map(str::to_owned)
    });
    let mut files: Vec<_> = files.collect();
    modules.sort_unstable();
    files.sort_unstable();
    assert_eq!(modules, files);
    assert_eq!(modules.len(), all().len(), "each file declares a command");
}

#[test]
fn every_command_with_json_has_a_definition_in_the_schema() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/schema/output.schema.json");
    let schema: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let mut program = program();
    program.build();
    let has_json = |command: &Command| {
        let mut arguments = command.get_arguments();
        let output = arguments.find(|arg| arg.get_long() == Some("output"));
        output.is_some_and(|arg| {
            let values = arg.get_possible_values();
            values.iter().any(|value| value.get_name() == "json")
        })
    };
    let mut with_json = BTreeSet::new();
    for (name, command) in leaves(&program, "") {
        if has_json(&command) {
            let name = name.trim_start().to_owned();
            assert!(schema["$defs"].get(&name).is_some(), "{name}");
            with_json.insert(name);
        }
    }
    assert!(with_json.len() >= 20, "{with_json:?}");
    // No definition is of a command that is gone.
    let outputs = schema["$defs"].as_object().unwrap().iter();
    for (name, _) in
        outputs.filter(|(name, schema)| *name != "object" && schema.get("title").is_some())
    {
        let mut command = &program;
        for word in name.split(' ') {
            match word.strip_prefix("--") {
                None => command = command.find_subcommand(word).expect(name),
                Some(option) => {
                    let mut arguments = command.get_arguments();
                    assert!(
                        arguments.any(|arg| arg.get_long() == Some(option)),
                        "{name}"
                    );
                }
            }
        }
    }
}

/// The table of the commands: what each does, the values of its option `-o`, and the exit codes that not every command has.
fn table() -> String {
    let program = super::definition();
    let mut text = "| command | purpose | `-o` | exit codes |\n|---|---|---|---|\n".to_owned();
    for group in Group::SHOWN {
        text.push_str(&format!("| **{}** | | | |\n", group.heading()));
        for declared in all().iter().filter(|declared| declared.group == group) {
            let command = program.find_subcommand(declared.name).unwrap();
            let mut lines = vec![(declared.name.to_owned(), command)];
            for nested in command.get_subcommands() {
                lines.push((format!("{} {}", declared.name, nested.get_name()), nested));
            }
            for (name, command) in lines {
                let outputs = command
                    .get_arguments()
                    .find(|arg| arg.get_long() == Some("output"));
                let outputs = outputs.map(Arg::get_possible_values).unwrap_or_default();
                let outputs: Vec<_> = outputs
                    .iter()
                    .map(|value| format!("`{}`", value.get_name()))
                    .collect();
                let exits: Vec<_> = declared
                    .exits()
                    .iter()
                    .map(|(exit, _)| (*exit as u8).to_string())
                    .collect();
                let about = command.get_about().unwrap().to_string();
                let about = about.replace('|', "\\|");
                text.push_str(&format!(
                    "| `{name}` | {about} | {} | {} |\n",
                    outputs.join(", "),
                    exits.join(", ")
                ));
            }
        }
    }
    text
}
