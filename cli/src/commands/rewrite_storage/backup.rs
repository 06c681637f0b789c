//! The backup of all objects in a file.

use crate::failure::Failure;
use k8s_flowcontrol_manifests::strip_server_fields;
use k8s_flowcontrol_text::to_yaml;
use serde_json::Value;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

/// Saves objects as YAML documents that can be applied.
pub(super) fn write(file: &Path, objects: Vec<Value>) -> Result<(), Failure> {
    let mut text = String::new();
    for mut object in objects {
        strip_server_fields(&mut object);
        text.push_str("---\n");
        text.push_str(&to_yaml(&object));
    }
    save(file, &text).map_err(|error| {
        let failure = Failure::input(format!(
            "cannot write the backup {}: {error}",
            file.display()
        ));
        match error.kind() {
            io::ErrorKind::AlreadyExists => {
                failure.hint("name another file: existing backups are not overwritten")
            }
            io::ErrorKind::NotFound => failure.hint("create the folder of the backup first"),
            _ => failure,
        }
    })
}

fn save(file: &Path, text: &str) -> io::Result<()> {
    let mut output = OpenOptions::new().write(true).create_new(true).open(file)?;
    output.write_all(text.as_bytes())?;
    // The backup is on the disk before any object changes.
    output.sync_all()
}
