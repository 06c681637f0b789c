//! Kubernetes objects as YAML, JSON or names, and the option `-o` of commands that read or write them.

use super::streams::Streams;
use clap::ValueEnum;
use k8s_flowcontrol::Kind;
use k8s_flowcontrol_text::to_yaml;
use serde_json::{Value, json};
use std::io::{self, Write};

/// The option `-o` of commands that write objects.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct OutputArg {
    /// Print the written objects instead of messages
    #[arg(short, long, value_name = "FORMAT")]
    pub(crate) output: Option<ObjectForm>,

    /// Print managedFields, which are hidden by default
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) show_managed_fields: Option<bool>,
}

impl OutputArg {
    /// Removes managedFields, unless the user wants them.
    pub(crate) fn prepare(&self, objects: &mut [(Kind, Value)]) {
        if self.show_managed_fields != Some(true) {
            objects
                .iter_mut()
                .for_each(|(_, object)| hide_managed_fields(object));
        }
    }
}

/// Removes managedFields, which are of little use to people.
pub(crate) fn hide_managed_fields(object: &mut Value) {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
}

/// A form of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ObjectForm {
    Json,
    Yaml,
    /// KIND/NAME, one object per line
    Name,
}

impl ObjectForm {
    /// Writes objects.
    pub(crate) fn write(self, objects: &[(Kind, Value)], streams: &mut Streams) -> io::Result<()> {
        let trees = || {
            objects
                .iter()
                .map(|(_, object)| object.clone())
                .collect::<Vec<_>>()
        };
        match self {
            Self::Json => write_objects(ObjectFormat::Json, &trees(), streams),
            Self::Yaml => write_objects(ObjectFormat::Yaml, &trees(), streams),
            Self::Name => {
                for (kind, object) in objects {
                    let kind = kind.as_str().to_ascii_lowercase();
                    let name = object["metadata"]["name"].as_str().unwrap_or_default();
                    writeln!(streams.out, "{kind}/{name}")?;
                }
                Ok(())
            }
        }
    }
}

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
