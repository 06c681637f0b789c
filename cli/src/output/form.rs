//! Kubernetes objects as YAML, JSON or names, and the option `-o` of commands that read or write them.

use super::streams::Streams;
use clap::ValueEnum;
use k8s_flowcontrol::{GROUP, Kind};
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
    /// KIND.GROUP/NAME, one object per line
    Name,
}

impl ObjectForm {
    /// Writes objects one by one: as YAML documents, JSON objects or names.
    pub(crate) fn write_each(
        self,
        objects: &[(Kind, Value)],
        streams: &mut Streams,
    ) -> io::Result<()> {
        for (index, (kind, object)) in objects.iter().enumerate() {
            let format = match self {
                Self::Json => ObjectFormat::Json,
                Self::Yaml => {
                    if index > 0 {
                        writeln!(streams.out, "---")?;
                    }
                    ObjectFormat::Yaml
                }
                Self::Name => {
                    let name = object["metadata"]["name"].as_str().unwrap_or_default();
                    writeln!(streams.out, "{}", full_name(*kind, name))?;
                    continue;
                }
            };
            write_objects(format, std::slice::from_ref(object), streams)?;
        }
        Ok(())
    }

    /// Writes objects as one List, or their names.
    pub(crate) fn write_list(
        self,
        objects: &[(Kind, Value)],
        streams: &mut Streams,
    ) -> io::Result<()> {
        let format = match self {
            Self::Json => ObjectFormat::Json,
            Self::Yaml => ObjectFormat::Yaml,
            Self::Name => return self.write_each(objects, streams),
        };
        let items: Vec<_> = objects.iter().map(|(_, object)| object).collect();
        let metadata = json!({"resourceVersion": ""});
        let list =
            json!({"apiVersion": "v1", "items": items, "kind": "List", "metadata": metadata});
        write_objects(format, &[list], streams)
    }
}

/// The name of an object in `-o name`, as kubectl prints it: `KIND.GROUP/NAME`.
pub(crate) fn full_name(kind: Kind, name: &str) -> String {
    format!("{}.{GROUP}/{name}", kind.as_str().to_ascii_lowercase())
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
