//! The arguments of the command line.

use std::path::PathBuf;

/// The options, each with the commands that have it.
const OPTIONS: &[(&str, &[&str])] = &[
    ("--spec", &["generate", "operations"]),
    ("--from", &["types"]),
    ("--out", &["generate", "types"]),
    ("--group", &["generate", "operations"]),
    ("--version", &["generate", "operations"]),
    ("--kinds", &["generate", "types"]),
    ("--fields", &["generate"]),
    ("--rename", &["generate", "types"]),
    ("--validate", &["generate", "types"]),
    (
        "--missing-as-json",
        &["generate", "types", "explain", "operations"],
    ),
    ("--runtime", &["generate", "types"]),
    ("--shared", &["generate"]),
];

/// The options without a value.
const SWITCHES: &[&str] = &["--validate", "--missing-as-json"];

/// The options that may be given several times.
const REPEATED: &[&str] = &["--spec", "--from", "--kinds", "--fields", "--rename"];

/// The options of a call.
#[derive(Default)]
pub(crate) struct Arguments {
    pub(crate) specs: Vec<String>,
    pub(crate) out: Option<PathBuf>,
    pub(crate) runtime: Option<String>,
    pub(crate) shared: Option<PathBuf>,
    pub(crate) group: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) missing_as_json: bool,
    pub(crate) validate: bool,
    pub(crate) kinds: Vec<String>,
    pub(crate) fields: Vec<String>,
    pub(crate) renames: Vec<(String, String)>,
}

/// The options of a command. Each is given once, except for the repeated ones.
pub(crate) fn parse(command: &str, arguments: &[String]) -> Result<Arguments, String> {
    let takes_files = command == "explain";
    let documents = match command {
        "types" => "--from",
        _ => "--spec",
    };
    let mut options = Arguments::default();
    let mut given: Vec<&str> = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if takes_files && (argument == "-" || !argument.starts_with('-')) {
            options.add_document(argument)?;
            continue;
        }
        let (name, value) = match argument.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (argument.as_str(), None),
        };
        let Some((_, commands)) = OPTIONS.iter().find(|(option, _)| *option == name) else {
            return Err(match argument.starts_with('-') {
                true => unknown(argument),
                false => format!("`{argument}`: give documents with `{documents} {argument}`"),
            });
        };
        if !commands.contains(&command) {
            return Err(format!("`{command}` has no option `{name}`"));
        }
        if given.contains(&name) && !REPEATED.contains(&name) {
            return Err(format!("`{name}` is given twice"));
        }
        given.push(name);
        if SWITCHES.contains(&name) {
            if value.is_some() {
                return Err(format!("`{name}` takes no value"));
            }
            match name {
                "--validate" => options.validate = true,
                "--missing-as-json" => options.missing_as_json = true,
                _ => return Err(unknown(name)),
            }
            continue;
        }
        // The next option is not a value.
        let mut next = || rest.next().filter(|next| !next.starts_with("--"));
        let value = value.or_else(|| next().map(String::as_str));
        let value = value.filter(|value| !value.is_empty() || name == "--group");
        let Some(value) = value else {
            return Err(format!("`{name}` needs a value"));
        };
        options.set(name, value)?;
    }
    if options.version.is_some() && options.group.is_none() {
        return Err("`--version` needs --group GROUP".to_owned());
    }
    if options.specs.is_empty() {
        return Err(match takes_files {
            true => "give at least one FILE".to_owned(),
            false => format!("give at least one {documents} FILE"),
        });
    }
    Ok(options)
}

impl Arguments {
    fn add_document(&mut self, path: &str) -> Result<(), String> {
        if path == "-" && self.specs.iter().any(|given| given == "-") {
            let message = "standard input (`-`) is given twice: it can be read only once";
            return Err(message.to_owned());
        }
        self.specs.push(path.to_owned());
        Ok(())
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let list = || {
            let values = value.split(',').map(str::to_owned).collect::<Vec<_>>();
            match values.iter().any(String::is_empty) {
                true => Err(format!(
                    "`{name} {value}`: a name between the commas is empty"
                )),
                false => Ok(values),
            }
        };
        match name {
            "--spec" | "--from" => self.add_document(value)?,
            "--group" => self.group = Some(value.to_owned()),
            "--version" => self.version = Some(value.to_owned()),
            "--out" => self.out = Some(value.into()),
            "--runtime" => self.runtime = Some(value.to_owned()),
            "--rename" => match value.split_once('=') {
                Some((from, _)) if self.renames.iter().any(|(other, _)| other == from) => {
                    return Err(format!("`{from}` is renamed twice"));
                }
                Some((from, to)) => self.renames.push((from.to_owned(), to.to_owned())),
                None => {
                    let message = format!("`--rename {value}`: write `--rename OLD=NEW`");
                    return Err(message);
                }
            },
            "--kinds" => self.kinds.extend(list()?),
            "--fields" => self.fields.extend(list()?),
            "--shared" => self.shared = Some(value.into()),
            _ => return Err(unknown(name)),
        }
        Ok(())
    }
}

fn unknown(option: &str) -> String {
    format!("unknown option `{option}`")
}
