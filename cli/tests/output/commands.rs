//! The help of all commands, against the README and the schema of the output.

use crate::common::schema::definitions;
use crate::common::{code, run, stdout};
use std::collections::{BTreeMap, BTreeSet};

const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

/// A command, as its help shows it.
pub(super) struct Command {
    about: String,
    /// The flags with their values, such as `-o, --output FORMAT`.
    flags: Vec<String>,
    /// The values of `-o`.
    outputs: Vec<String>,
    /// The exit codes that not every command has.
    exits: Vec<String>,
    pub(super) nested: Vec<String>,
}

impl Command {
    /// The command with a name, or the program.
    pub(super) fn read(name: &str) -> Self {
        let words = ["help"].into_iter().chain(name.split_whitespace());
        let help = run(&words.collect::<Vec<_>>());
        // The library for command lines checks its definition in programs for development.
        assert_eq!(code(&help), 0, "{help:?}");
        let help = stdout(&help);
        let (about, _) = help.split_once("\n\n").unwrap();
        let part = |heading: &'static str| {
            let lines = help.lines().skip_while(move |line| *line != heading);
            let lines = lines.skip(1);
            lines.take_while(|line| line.is_empty() || line.starts_with(' '))
        };
        let words = |line: &str| line.split_whitespace().next().map(str::to_owned);
        let options = options(part("Options:"));
        let outputs = options.iter().find(|(flag, _)| flag.contains("--output "));
        let outputs = outputs.map_or(Vec::new(), |(_, text)| values(text));
        Self {
            about: about.replace('\n', " "),
            flags: options.into_iter().map(|(flag, _)| flag).collect(),
            outputs,
            exits: part("Exit codes besides the common exit codes:")
                .filter_map(words)
                .collect(),
            nested: part("Commands:")
                .filter_map(words)
                .filter(|name| name != "help")
                .collect(),
        }
    }

    pub(super) fn prints_json(&self) -> bool {
        self.outputs.iter().any(|output| output == "json")
    }
}

/// The options of a help text, each with its description.
fn options<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<(String, String)> {
    let mut options: Vec<(String, String)> = Vec::new();
    for line in lines {
        let indent = line.len() - line.trim_start().len();
        if indent <= 6 && line.trim_start().starts_with('-') {
            let flag = line.trim_start().split("  ").next().unwrap_or_default();
            let flag = flag.replace("...", "");
            // The first of several values.
            let flag = flag
                .split_inclusive('>')
                .next()
                .unwrap_or_default()
                .to_owned()
                + if flag.contains("[=") { "]" } else { "" };
            options.push((flag.replace(['<', '>'], ""), String::new()));
        } else if let Some((_, text)) = options.last_mut() {
            text.push_str(&format!("{}\n", line.trim_start()));
        }
    }
    options
}

/// The possible values in the description of an option.
fn values(text: &str) -> Vec<String> {
    let line = text.replace('\n', " ");
    if let Some((_, values)) = line.split_once("[possible values: ") {
        let values = values.split(']').next().unwrap_or_default();
        return values.split(", ").map(str::to_owned).collect();
    }
    let (_, values) = text.split_once("Possible values:\n").unwrap_or_default();
    let values = values.lines().filter_map(|line| line.strip_prefix("- "));
    let names = values.map(|value| value.split(':').next().unwrap_or_default());
    names.map(str::to_owned).collect()
}

/// The headings of the help, with the names of their commands.
fn groups() -> Vec<(String, Vec<String>)> {
    let help = stdout(&run(&["--help"]));
    let (groups, _) = help.split_once("\nOptions:\n").unwrap();
    let groups = groups.split("\n\n").filter_map(|group| {
        let (heading, commands) = group.split_once(":\n  ")?;
        let name = |line: &str| {
            line.split_whitespace()
                .next()
                .unwrap_or_default()
                .to_owned()
        };
        Some((heading.to_owned(), commands.lines().map(name).collect()))
    });
    groups.collect()
}

/// All commands and commands of commands, by name.
pub(super) fn all() -> BTreeMap<String, Command> {
    let mut all = BTreeMap::new();
    for name in groups().into_iter().flat_map(|(_, names)| names) {
        let command = Command::read(&name);
        for nested in &command.nested {
            let name = format!("{name} {nested}");
            assert!(
                all.insert(name.clone(), Command::read(&name)).is_none(),
                "{name}"
            );
        }
        assert!(all.insert(name.clone(), command).is_none(), "{name}");
    }
    assert!(all.len() > 30);
    all
}

fn readme() -> String {
    std::fs::read_to_string(format!("{FOLDER}/README.md")).unwrap()
}

#[test]
fn every_flag_comes_from_the_table_of_the_readme() {
    /// kubectl's flag, which changes nothing and is in no help.
    const HIDDEN: &str = "--server-side[=BOOL]";
    let readme = readme();
    let (_, table) = readme.split_once("## Flags").unwrap();
    let (table, _) = table.split_once("\n## ").unwrap();
    let rows = table
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let known: Vec<_> = rows.map(|(flag, _)| flag).collect();
    let program = Command::read("");
    let cluster = stdout(&run(&["options"]));
    let cluster = options(cluster.lines()).into_iter().map(|(flag, _)| flag);
    let mut used: BTreeSet<_> = cluster.chain(program.flags).collect();
    used.insert(HIDDEN.to_owned());
    for (name, command) in all() {
        for flag in command.flags {
            assert!(
                known.contains(&flag.as_str()),
                "{name}: {flag} is not in the table"
            );
            used.insert(flag);
        }
    }
    assert!(
        used.iter().all(|flag| known.contains(&flag.as_str())),
        "{used:?}"
    );
    let name = |flag: &&str| {
        let (_, name) = flag.split_once("--").unwrap();
        name.split([' ', '[']).next().unwrap().to_owned()
    };
    let names: BTreeSet<_> = known.iter().map(name).collect();
    assert_eq!(names.len(), known.len(), "a flag has one row");
    let unused: Vec<_> = known.iter().filter(|flag| !used.contains(**flag)).collect();
    assert!(unused.is_empty(), "no command has {unused:?}");
}

#[test]
fn the_commands_of_the_readme_are_those_of_the_help() {
    const BEGIN: &str = "<!-- commands: written by this table's test with UPDATE_GOLDEN=1 -->\n";
    const END: &str = "<!-- end of commands -->";
    let readme = readme();
    let (before, rest) = readme.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let expected = format!("{before}{BEGIN}{}{END}{after}", table());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(format!("{FOLDER}/README.md"), &expected).unwrap();
    } else {
        assert!(readme == expected, "UPDATE_GOLDEN=1 writes the table");
    }
}

/// The table of the commands: what each does, the values of its option `-o`, and the exit codes that not every command has.
fn table() -> String {
    let mut text = "| command | purpose | `-o` | exit codes |\n|---|---|---|---|\n".to_owned();
    let all = all();
    for (heading, names) in groups() {
        text.push_str(&format!("| **{heading}** | | | |\n"));
        for name in names {
            let parent = &all[&name];
            let nested = parent
                .nested
                .iter()
                .map(|nested| format!("{name} {nested}"));
            for name in [name.clone()].into_iter().chain(nested) {
                let command = &all[&name];
                let outputs = command.outputs.iter().map(|value| format!("`{value}`"));
                text.push_str(&format!(
                    "| `{name}` | {} | {} | {} |\n",
                    command.about.replace('|', "\\|"),
                    outputs.collect::<Vec<_>>().join(", "),
                    command.exits.join(", ")
                ));
            }
        }
    }
    text
}

/// Every file of a command is named once, in one line: a declaration does not need a list.
#[test]
fn a_new_command_is_its_file_and_one_line() {
    let folder = format!("{FOLDER}/src");
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
    let files = files.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let files: Vec<_> = files.filter(|name| name.ends_with(".rs")).collect();
    let mut places = BTreeSet::new();
    for name in &files {
        let text = std::fs::read_to_string(format!("{folder}/commands/{name}")).unwrap();
        assert_eq!(text.matches("inventory::submit!").count(), 1, "{name}");
        let line = |begin: &str| {
            let mut lines = text
                .lines()
                .filter(|line| line.trim_start().starts_with(begin));
            lines.next().expect(name).trim().to_owned()
        };
        let place = (line("const GROUP: Group ="), line("const PLACE: u8 ="));
        assert!(
            places.insert(place),
            "{name}: another command has its place"
        );
    }
    let mut files: Vec<_> = files
        .iter()
        .filter_map(|name| name.strip_suffix(".rs"))
        .collect();
    modules.sort_unstable();
    files.sort_unstable();
    assert_eq!(modules, files);
}

#[test]
fn every_command_that_prints_json_has_a_definition_and_no_other_has_one() {
    let all = all();
    let with_json = all.iter().filter(|(_, command)| command.prints_json());
    let with_json: Vec<_> = with_json.map(|(name, _)| name).collect();
    assert!(with_json.len() > 20, "{with_json:?}");
    for name in with_json {
        assert!(definitions().contains_key(name), "{name}");
    }
    for (name, definition) in definitions() {
        if name == "object" || definition.get("title").is_none() {
            continue;
        }
        let (command, option) = name.split_once(" --").unwrap_or((name, ""));
        let command = all.get(command).expect(name);
        let has_option = |flag: &String| {
            let words = flag.split([' ', ',', '[']);
            words
                .map(|word| word.trim_start_matches('-'))
                .any(|word| word == option)
        };
        assert!(
            option.is_empty() || command.flags.iter().any(has_option),
            "{name}"
        );
    }
}
