//! Kubernetes objects as YAML or JSON.

use super::Streams;
use clap::ValueEnum;
use k8s_flowcontrol_text::to_yaml;
use serde_json::{Value, json};
use std::io::{self, Write};

/// The format of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ObjectFormat {
    Yaml,
    Json,
}

/// Writes objects to the standard output: as YAML documents, or as one JSON object, which is a List for several objects.
/// They are manifests, so nothing is added to their fields.
pub(crate) fn write_objects(
    format: ObjectFormat,
    objects: &[Value],
    streams: &mut Streams,
) -> io::Result<()> {
    let mut out = streams.out.data();
    match (format, objects) {
        (ObjectFormat::Yaml, objects) => {
            for (index, object) in objects.iter().enumerate() {
                if index > 0 {
                    writeln!(out, "---")?;
                }
                write!(out, "{}", to_yaml(object))?;
            }
        }
        (ObjectFormat::Json, [object]) => writeln!(out, "{object:#}")?,
        (ObjectFormat::Json, objects) => {
            let list =
                json!({"apiVersion": "v1", "kind": "List", "metadata": {}, "items": objects});
            writeln!(out, "{list:#}")?;
        }
    }
    Ok(())
}
