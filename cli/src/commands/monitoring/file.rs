//! The files that this command wrote before, which it may replace.

use crate::failure::Failure;
use crate::input::{self, ReadError, read_named};
use crate::output::Streams;
use serde_json::Value;
use std::io;
use std::path::Path;

/// The beginning of every YAML file of this command.
pub(super) const FIRST_LINE: &str = "# Written by `kubectl flowcontrol monitoring` for Kubernetes ";
/// The beginning of the `uid` of every dashboard.
const UID: &str = "k8s-flowcontrol-";

/// The owner of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Own {
    /// The file does not exist, or this command wrote it.
    Yes,
    /// The file was not written by this command.
    No,
}

impl Own {
    pub(super) fn of(path: &Path) -> Result<Self, Failure> {
        let bytes = match read_named(path) {
            Ok(bytes) => bytes,
            Err(ReadError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self::Yes);
            }
            Err(error) => {
                let message = format!("cannot read {}: {error}", path.display());
                return Err(Failure::input(message));
            }
        };
        let is_dashboard = || {
            let value: Value = serde_json::from_slice(&bytes).unwrap_or_default();
            value["uid"]
                .as_str()
                .is_some_and(|uid| uid.starts_with(UID))
        };
        Ok(
            match bytes.starts_with(FIRST_LINE.as_bytes()) || is_dashboard() {
                true => Self::Yes,
                false => Self::No,
            },
        )
    }
}

/// Asks on a terminal whether to replace a file.
pub(super) fn confirm(path: &Path, yes: bool, streams: &mut Streams) -> Result<bool, Failure> {
    if yes {
        return Ok(true);
    }
    let name = path.display();
    if !input::is_interactive() {
        let message = format!("{name} exists, and this command did not write it");
        return Err(Failure::usage(message).hint("use `--force` to replace it without a question"));
    }
    input::confirm(&format!("Replace {name}?"), streams)
}
