//! The command line of the generator.

mod arguments;
mod input;

use arguments::Arguments;
use k8s_flowcontrol_codegen::{Error, Generator, Outcome, Unexpressed};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

const SUMMARY: &str = "Generate Rust types from Kubernetes documents: OpenAPI v3, Swagger 2, JSON Schema and \
                       CustomResourceDefinitions.";

const USAGE: &str = "\
Usage:
  k8s-flowcontrol-codegen generate --spec FILE [--spec FILE...] --out DIR [options]
  k8s-flowcontrol-codegen types --from FILE [--from FILE...] --out DIR [options]
  k8s-flowcontrol-codegen explain FILE...
  k8s-flowcontrol-codegen operations --spec FILE [--spec FILE...]
";

const DETAILS: &str = "\
Commands:
  generate    write one Rust module per API version or package into DIR, and a mod.rs
  types       write plain types from any OpenAPI or JSON Schema document; what has no Rust type is any JSON and has a note
  explain     list what the types do not express, such as bounds and rules, with what becomes of it
  operations  print a table of the operations in the documents

Options:
  --spec FILE        a document as JSON or YAML, or `-` for standard input; of several versions the first owns shared types
  --from FILE        the same for `types`
  --out DIR          the folder of the modules; changed files are written after all documents are read
  --group GROUP      select one API group, such as `apps` or `core`, from documents that describe several
  --version V        select one version of the group
  --kinds KIND,…     generate only these kinds, or schemas of `types`, and the types that they need
  --fields PATH,…    generate only these fields of a kind, such as `Pod.status.phase`; objects keep all others in `unknown`
  --rename OLD=NEW   give a type another name; `generate` and `types` report long and numbered names
  --validate         give types `validate()`, which checks bounds, patterns, list keys and CEL rules; they need the feature
                     `validate` of the types crate
  --missing-as-json  read values as any JSON where a document lacks the schema to which it refers
  --runtime PATH     the Rust path of the types crate [default: ::k8s_flowcontrol_types]
  --shared FILE      the checked-in list of types that versions share; an error if the documents differ
  -h, --help         print this help
  -V, --version      print the version

Examples:
  kubectl get --raw /openapi/v3/apis/apps/v1 | k8s-flowcontrol-codegen generate --spec - --out src/generated
  k8s-flowcontrol-codegen generate --spec certificates-crd.yaml --spec issuers-crd.yaml --out src/generated

Exit codes: 0 success, 1 a document or file cannot be used, 2 wrong arguments.
";

/// An error, which decides the exit code.
enum Failure {
    Usage(String),
    Documents(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Documents(error.to_string())
    }
}

fn main() -> ExitCode {
    let arguments = std::env::args_os().skip(1).map(|argument| {
        argument.into_string().map_err(|argument| {
            Failure::Usage(format!("`{}` is not text in UTF-8", argument.display()))
        })
    });
    let arguments: Result<Vec<String>, Failure> = arguments.collect();
    match arguments.and_then(|arguments| print(&run(&arguments)?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Documents(message)) => {
            eprintln!("error: {message}");
            ExitCode::from(1)
        }
        Err(Failure::Usage(message)) => {
            eprintln!("error: {message}\n\n{USAGE}\nAll options: k8s-flowcontrol-codegen --help");
            ExitCode::from(2)
        }
    }
}

/// Prints the text to its end, or to the end of a pipe that its reader closes, such as `head`.
fn print(text: &str) -> Result<(), Failure> {
    let mut output = std::io::stdout().lock();
    match output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush())
    {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::Documents(format!(
            "standard output: cannot be written: {error}\n  help: check the disk, and where the output goes"
        ))),
        _ => Ok(()),
    }
}

/// Runs the command and returns the text to print.
fn run(arguments: &[String]) -> Result<String, Failure> {
    let wants_help = |argument: &String| argument == "-h" || argument == "--help";
    if arguments.iter().any(wants_help) || arguments.first().is_some_and(|first| first == "help") {
        return Ok(format!("{SUMMARY}\n\n{USAGE}\n{DETAILS}"));
    }
    // After a command `--version` is an API version.
    let first = arguments.first().map(String::as_str);
    if first == Some("--version") || arguments.iter().any(|a| a == "-V") {
        return Ok(
            concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"), "\n").to_owned(),
        );
    }
    let (command, rest) = match arguments {
        [command, rest @ ..]
            if matches!(
                command.as_str(),
                "generate" | "types" | "explain" | "operations"
            ) =>
        {
            (command, rest)
        }
        [other, ..] if !other.starts_with('-') => {
            return Err(Failure::Usage(format!("unknown command `{other}`")));
        }
        _ => {
            return Err(Failure::Usage(
                "begin with a command: `generate`, `types`, `explain` or `operations`".to_owned(),
            ));
        }
    };
    let options = arguments::parse(command, rest).map_err(Failure::Usage)?;
    let generator = documents(command == "types", &options)?;
    match command.as_str() {
        "explain" => Ok(explanation(&generator.explain()?)),
        "operations" => Ok(generator.operations()?),
        _ => generate(command, generator, &options),
    }
}

fn documents(is_plain: bool, options: &Arguments) -> Result<Generator, Failure> {
    let mut generator = Generator::new();
    if is_plain {
        generator = generator.plain();
    }
    if options.missing_as_json {
        generator = generator.missing_as_json();
    }
    for spec in &options.specs {
        generator = if spec == "-" {
            let text = input::read(std::io::stdin().lock());
            let text = text.map_err(|error| unreadable("standard input", &error))?;
            generator.document("-", &text)?
        } else {
            generator.file(Path::new(spec))?
        };
    }
    if let Some(group) = &options.group {
        generator = generator.select(group, options.version.as_deref());
    }
    Ok(generator)
}

/// Writes the modules. Returns the list of files, and notes.
fn generate(
    command: &str,
    mut generator: Generator,
    options: &Arguments,
) -> Result<String, Failure> {
    let Some(out) = &options.out else {
        return Err(Failure::Usage(format!("`{command}` needs --out DIR")));
    };
    if options.validate {
        generator = generator.validate();
    }
    if let Some(path) = &options.runtime {
        generator = generator.runtime(path);
    }
    if let Some(path) = &options.shared {
        let text = input::read_file(path);
        let name = path.display().to_string();
        generator = generator.shared(&text.map_err(|error| unreadable(&name, &error))?);
    }
    generator = generator.kinds(&options.kinds);
    for path in &options.fields {
        let Some((kind, path)) = path.split_once('.') else {
            let message = format!("`--fields {path}`: begin with the kind, such as `Pod.{path}`");
            return Err(Failure::Usage(message));
        };
        generator = generator.fields(kind, [path]);
    }
    for (from, to) in &options.renames {
        generator = generator.rename(from, to);
    }
    let generated = generator.generate()?;
    let written = generated.write(out);
    let written = written.map_err(|error| Failure::Documents(error.to_string()))?;
    let files = written.into_iter().map(|(path, changed)| {
        let state = if changed { "written" } else { "unchanged" };
        format!("{state}  {}\n", path.display())
    });
    let notes = generated.notes.iter().map(|note| format!("note: {note}\n"));
    Ok(files.chain(notes).collect())
}

/// The list of `explain`, by the outcome for each keyword.
fn explanation(found: &[Unexpressed]) -> String {
    let mut text = String::new();
    for outcome in Outcome::ALL {
        let of_outcome: Vec<&Unexpressed> =
            found.iter().filter(|one| one.outcome == *outcome).collect();
        if of_outcome.is_empty() {
            continue;
        }
        text.push_str(&format!("{outcome}: {}\n", of_outcome.len()));
        for one in of_outcome {
            let reason = one.reason.as_deref();
            let reason = reason.map_or(String::new(), |reason| format!(": {reason}"));
            text.push_str(&format!("  {}{reason}\n", one.place));
        }
    }
    if text.is_empty() {
        text.push_str("the types express everything\n");
    }
    text
}

fn unreadable(name: &str, error: &std::io::Error) -> Failure {
    let (message, help) = input::describe(error);
    Failure::Documents(format!("{name}: {message}\n  help: {help}"))
}
