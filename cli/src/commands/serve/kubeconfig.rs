//! Writing the kubeconfig file, which contains a token.

use crate::failure::Failure;
use crate::input::{ReadError, read_regular};
use k8s_flowcontrol_text::{parse_yaml, to_value, to_yaml};
use serde_json::json;
use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The first line of files that may be overwritten.
const MARK: &str = "# Written by `kubectl flowcontrol serve`\n";

/// A user of the token file.
pub(super) struct User {
    name: String,
    token: String,
}

/// The users of a token file, which is valid for the server.
pub(super) fn users(tokens: &str) -> Vec<User> {
    let lines = tokens.lines().map(|line| line.split(','));
    let users = lines.filter_map(|mut fields| {
        let mut field = || Some(fields.next()?.trim().trim_matches('"').to_owned());
        let (token, name) = (field()?, field()?);
        Some(User { name, token })
            .filter(|user| !user.name.is_empty() && !user.token.starts_with('#'))
    });
    users.collect()
}

/// The server's kubeconfig with a context for each user beside the current one.
pub(super) fn with_users(kubeconfig: &str, users: &[User]) -> Result<String, Failure> {
    let error = |error: &dyn Display| Failure::input(format!("cannot add users: {error}"));
    let parsed = parse_yaml(kubeconfig.as_bytes()).map_err(|e| error(&e))?;
    let mut kubeconfig = to_value(parsed.tree.root()).map_err(|e| error(&e))?;
    let cluster = kubeconfig["contexts"][0]["context"]["cluster"].clone();
    for User { name, token } in users {
        let user = json!({"name": name, "user": {"token": token}});
        let context = json!({"name": name, "context": {"cluster": cluster, "user": name}});
        for (list, element) in [("users", user), ("contexts", context)] {
            if let Some(list) = kubeconfig[list].as_array_mut() {
                list.retain(|known| known["name"] != element["name"]);
                list.push(element);
            }
        }
    }
    Ok(to_yaml(&kubeconfig))
}

/// Writes a kubeconfig file that only the user can read. Files of other programs are not overwritten.
pub(super) fn write(file: &Path, kubeconfig: &str) -> Result<(), Failure> {
    let is_foreign = match read_regular(file) {
        Ok((text, _)) => !text.is_empty() && !text.starts_with(MARK.as_bytes()),
        Err(ReadError::Io(error)) => error.kind() != io::ErrorKind::NotFound,
        Err(ReadError::TooLong(_)) => true,
    };
    if is_foreign {
        let message = format!(
            "{} exists and was not written by `kubectl flowcontrol serve`",
            file.display()
        );
        return Err(Failure::input(message).hint("name another file, or remove it first"));
    }
    let new = beside(file);
    let written = create(&new)
        .and_then(|mut out| {
            out.write_all(MARK.as_bytes())?;
            out.write_all(kubeconfig.as_bytes())?;
            out.sync_all()
        })
        .and_then(|()| fs::rename(&new, file));
    written.map_err(|error| {
        // The partial file is useless; the first error is the one to report.
        let _ = fs::remove_file(&new);
        Failure::input(format!("cannot write {}: {error}", file.display()))
    })
}

/// A path for a new file in the same folder.
fn beside(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    file.with_file_name(name)
}

fn create(file: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(file)
}
