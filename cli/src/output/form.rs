//! The option `-o` of commands that read or write objects, as in kubectl.

use super::jsonpath::JsonPath;
use super::objects::{ObjectFormat, write_objects};
use super::streams::Streams;
use k8s_flowcontrol::Kind;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::str::FromStr;

/// The option `-o` of commands that write objects.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct OutputArg {
    /// Print the written objects instead of messages: json, yaml, name, or jsonpath=TEMPLATE
    #[arg(short, long, value_name = "FORMAT")]
    pub(crate) output: Option<ObjectForm>,

    /// Also print managedFields
    #[arg(long)]
    pub(crate) show_managed_fields: bool,
}

impl OutputArg {
    /// Removes managedFields, unless the user wants them.
    pub(crate) fn prepare(&self, objects: &mut [(Kind, Value)]) {
        if !self.show_managed_fields {
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
#[derive(Clone, Debug)]
pub(crate) enum ObjectForm {
    Json,
    Yaml,
    /// `KIND/NAME`, one object per line.
    Name,
    JsonPath(JsonPath),
}

impl FromStr for ObjectForm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some(("jsonpath", template)) => Ok(Self::JsonPath(template.parse()?)),
            None if text == "json" => Ok(Self::Json),
            None if text == "yaml" => Ok(Self::Yaml),
            None if text == "name" => Ok(Self::Name),
            _ => Err("expected json, yaml, name, or jsonpath=TEMPLATE".to_owned()),
        }
    }
}

impl ObjectForm {
    /// Writes objects. A single object is a list too, unless the user named it.
    pub(crate) fn write(
        &self,
        objects: &[(Kind, Value)],
        is_named: bool,
        streams: &mut Streams,
    ) -> io::Result<()> {
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
            Self::JsonPath(path) => {
                let root = match objects {
                    [(_, object)] if is_named => object.clone(),
                    _ => {
                        json!({"apiVersion": "v1", "kind": "List", "metadata": {}, "items": trees()})
                    }
                };
                let text = path.apply(&root);
                streams.out.data().write_all(text.as_bytes())
            }
        }
    }
}
