//! Objects as text.

use super::Streams;
use crate::failure::Failure;
use clap::ValueEnum;
use serde_json::{Value, json};
use std::io::Write;

/// How objects are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ObjectFormat {
    Yaml,
    Json,
}

/// Writes objects to the standard output: several are several YAML documents, or one JSON List.
pub(crate) fn write_objects(
    format: ObjectFormat,
    objects: &[Value],
    streams: &mut Streams,
) -> Result<(), Failure> {
    match (format, objects) {
        (ObjectFormat::Yaml, objects) => {
            for (index, object) in objects.iter().enumerate() {
                if index > 0 {
                    writeln!(streams.out, "---")?;
                }
                write!(streams.out, "{}", k8s_flowcontrol_server::to_yaml(object))?;
            }
        }
        (ObjectFormat::Json, [object]) => writeln!(streams.out, "{object:#}")?,
        (ObjectFormat::Json, objects) => {
            let list =
                json!({"apiVersion": "v1", "kind": "List", "metadata": {}, "items": objects});
            writeln!(streams.out, "{list:#}")?;
        }
    }
    Ok(())
}
