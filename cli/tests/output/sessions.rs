//! The output of commands word for word, in blocks of texts: after a line `$ kubectl-flowcontrol …` follow `? CODE`, unless it is 0, and the lines that
//! the command prints, with an empty line at their end.

use crate::common::program;
use similar::TextDiff;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::{env, fs, io, thread};

#[test]
fn output_is_as_written_down() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = fs::read_dir(root.join("tests/cmd")).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.push(root.join("README.md"));
    let differences = thread::scope(|scope| {
        let checks = files.iter().map(|file| scope.spawn(|| difference(file)));
        let checks: Vec<_> = checks.collect();
        checks
            .into_iter()
            .map(|check| check.join().unwrap())
            .collect::<String>()
    });
    assert!(
        differences.is_empty(),
        "{differences}`UPDATE_GOLDEN=1` writes it down"
    );
}

/// Nothing if the output in the file is that of its commands, or was written down.
fn difference(file: &PathBuf) -> String {
    let old = fs::read_to_string(file).unwrap();
    let new = renewed(&old);
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(file, new).unwrap();
        return String::new();
    }
    let name = file.display().to_string();
    let diff = TextDiff::from_lines(&old, &new);
    diff.unified_diff().header(&name, "output").to_string()
}

/// The text with the codes and the output that its commands have.
fn renewed(text: &str) -> String {
    let mut new = String::new();
    // Whether the block around the line has commands.
    let mut block = None;
    let mut is_output = false;
    for line in text.lines() {
        match (line.strip_prefix("```"), block) {
            (Some(_), Some(_)) => (block, is_output) = (None, false),
            (Some(language), None) => block = Some(["", "console"].contains(&language)),
            _ => {}
        }
        let command = line.strip_prefix("$ ").filter(|_| block == Some(true));
        if command.is_some() || !is_output {
            new.push_str(line);
            new.push('\n');
        }
        if let Some(command) = command {
            new.push_str(&output(command));
            is_output = true;
        }
    }
    new
}

/// The code and what the command writes to the standard output and the standard error, in their order.
fn output(command: &str) -> String {
    // Every second part is in quotes.
    let parts = command.split('\'').enumerate();
    let mut words: Vec<_> = parts
        .flat_map(|(index, part)| match index % 2 {
            0 => part.split_whitespace().collect(),
            _ => vec![part],
        })
        .collect();
    assert_eq!(words.remove(0), "kubectl-flowcontrol", "{command}");
    let (mut reader, writer) = io::pipe().unwrap();
    let mut program = program();
    program.args(words).env("COLUMNS", "100");
    program.stdout(writer.try_clone().unwrap()).stderr(writer);
    let mut child = program.spawn().unwrap();
    // It holds the other end of the pipe.
    drop(program);
    let mut output = String::new();
    reader.read_to_string(&mut output).unwrap();
    let code = child.wait().unwrap().code();
    let code = match code {
        Some(0) => String::new(),
        code => format!("? {}\n", code.unwrap()),
    };
    format!("{code}{output}\n")
}
