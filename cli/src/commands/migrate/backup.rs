//! The backup folder of `migrate --write`.

use crate::failure::Failure;
use crate::output::clear_progress;
use k8s_flowcontrol_manifests::files::{Backups, Examined, conflict, without_links};
use std::path::{Path, PathBuf};

/// Returns an error if the backup folder contains a folder to migrate: its files would be taken for backups.
pub(super) fn check_folder(paths: &[PathBuf], backup: Option<&Path>) -> Result<(), Failure> {
    let Some(backup) = backup else {
        return Ok(());
    };
    let real = without_links(backup);
    let is_inside = |path: &&PathBuf| {
        path.is_dir()
            && path
                .canonicalize()
                .is_ok_and(|path| path.starts_with(&real))
    };
    match paths.iter().find(is_inside) {
        Some(path) => Err(unfit(
            backup,
            &format!("contains the folder {}", path.display()),
        )),
        None => Ok(()),
    }
}

/// The backup folder, if every backup in it is its own file.
pub(super) fn backups(
    folder: Option<&Path>,
    files: &[Examined],
) -> Result<Option<Backups>, Failure> {
    let Some(folder) = folder else {
        return Ok(None);
    };
    let backups = Backups {
        folder: folder.to_owned(),
        working_directory: working_directory()?,
    };
    match conflict(files, &backups) {
        Some(file) => {
            clear_progress();
            let why = format!("makes a file to change the backup of {}", file.display());
            Err(unfit(folder, &why))
        }
        None => Ok(Some(backups)),
    }
}

fn unfit(backup: &Path, why: &str) -> Failure {
    let message = format!(
        "the backup folder {} {why}; nothing was written",
        backup.display()
    );
    Failure::usage(message).hint("name another folder with `--backup DIR`")
}

pub(super) fn working_directory() -> Result<PathBuf, Failure> {
    std::env::current_dir()
        .and_then(std::fs::canonicalize)
        .map_err(|error| Failure::input(format!("cannot find the working directory: {error}")))
}
