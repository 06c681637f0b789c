//! Completion scripts, manual pages and packages, with the programs that read them.

mod completion;
mod image;
mod package;
mod project;
mod release;

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// A command with the program in its PATH, before everything else.
fn command(name: &str) -> Command {
    let program = Path::new(env!("CARGO_BIN_EXE_kubectl-flowcontrol"));
    let mut command = Command::new(name);
    command.env("PATH", path(&[program.parent().unwrap()]));
    command
}

/// The PATH with further folders before it.
fn path(folders: &[&Path]) -> OsString {
    let before = folders.iter().map(|folder| folder.to_path_buf());
    let paths = std::env::var_os("PATH").unwrap();
    std::env::join_paths(before.chain(std::env::split_paths(&paths))).unwrap()
}

/// Whether a program is installed. A test of a shell that is not installed has nothing to do.
fn is_installed(name: &str) -> bool {
    let found = Command::new(name).arg("--version").output().is_ok();
    if !found {
        eprintln!("{name} is not installed, so its completion is not tested");
    }
    found
}
