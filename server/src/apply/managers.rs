//! `metadata.managedFields`: one set of fields per field manager.

use super::field_set::FieldSet;
use k8s_flowcontrol_text::go::{json_quote, quote};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The number of updating managers with their own entry.
const MOST_UPDATERS: usize = 10;

/// The operation of a manager, in the order of the entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Operation {
    Apply,
    Update,
}

/// The identity of a manager.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Manager {
    pub(crate) operation: Operation,
    pub(crate) name: String,
    pub(crate) subresource: String,
    /// The `apiVersion` of an updating manager. Empty for an applying manager, which is the same in all versions.
    pub(crate) version: String,
}

/// The fields that a manager owns.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Owned {
    /// The version that names the fields.
    pub(crate) version: String,
    pub(crate) fields: FieldSet,
    pub(crate) time: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Managers(pub(crate) BTreeMap<Manager, Owned>);

impl Managers {
    /// Reads the entries; `None` with any invalid entry.
    pub(crate) fn read(entries: &[Value]) -> Option<Self> {
        let mut managers = BTreeMap::new();
        for entry in entries {
            let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
            let operation = match text("operation") {
                "Apply" => Operation::Apply,
                "Update" => Operation::Update,
                _ => return None,
            };
            let version = text("apiVersion");
            if version.is_empty() || text("fieldsType") != "FieldsV1" {
                return None;
            }
            let manager = Manager::new(operation, text("manager"), text("subresource"), version);
            let owned = Owned {
                version: version.into(),
                fields: FieldSet::from_fields_v1(entry.get("fieldsV1").unwrap_or(&Value::Null))?,
                time: Some(text("time"))
                    .filter(|time| !time.is_empty())
                    .map(str::to_owned),
            };
            managers.insert(manager, owned);
        }
        Some(Self(managers))
    }

    /// The entries in the server's order.
    pub(crate) fn entries(&self) -> Vec<Value> {
        let mut managers: Vec<_> = self.0.iter().collect();
        managers.sort_unstable_by(|(a, owned_a), (b, owned_b)| {
            let key = |manager: &Manager, owned: &Owned| {
                (
                    manager.operation,
                    owned.time.clone(),
                    manager.name.clone(),
                    owned.version.clone(),
                )
            };
            key(a, owned_a)
                .cmp(&key(b, owned_b))
                .then(a.subresource.cmp(&b.subresource))
        });
        managers
            .into_iter()
            .map(|(manager, owned)| entry(manager, owned))
            .collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Replaces the fields of a manager, and removes a manager without fields.
    pub(crate) fn set(&mut self, manager: &Manager, owned: Owned) {
        if owned.fields.is_empty() {
            self.0.remove(manager);
        } else {
            self.0.insert(manager.clone(), owned);
        }
    }

    /// Limits the number of updating managers: the oldest share one entry per version.
    pub(crate) fn cap(&mut self) {
        let mut updaters: Vec<_> = self
            .0
            .iter()
            .filter(|(manager, _)| manager.operation == Operation::Update)
            .map(|(manager, owned)| (owned.time.clone(), manager.clone()))
            .collect();
        updaters.sort_unstable();
        let mut count = updaters.len();
        let mut first_of_version: BTreeMap<String, Manager> = BTreeMap::new();
        for (_, manager) in updaters {
            if count <= MOST_UPDATERS {
                break;
            }
            match first_of_version.entry(manager.version.clone()) {
                Entry::Vacant(entry) => {
                    entry.insert(manager);
                }
                Entry::Occupied(entry) => {
                    let bucket =
                        Manager::new(Operation::Update, "ancient-changes", "", &manager.version);
                    let first = self.0.remove(entry.get()).unwrap_or_default();
                    let merged = self.0.remove(&manager).unwrap_or_default();
                    let mut fields = self.0.remove(&bucket).unwrap_or_default().fields;
                    fields.absorb(&first.fields);
                    fields.absorb(&merged.fields);
                    self.0.insert(bucket, Owned { fields, ..merged });
                    count -= 1;
                }
            }
        }
    }
}

impl Manager {
    pub(crate) fn new(operation: Operation, name: &str, subresource: &str, version: &str) -> Self {
        let version = match operation {
            Operation::Apply => "",
            Operation::Update => version,
        };
        Self {
            operation,
            name: name.into(),
            subresource: subresource.into(),
            version: version.into(),
        }
    }

    /// The text by which the server sorts managers.
    pub(crate) fn identifier(&self) -> String {
        let mut text = format!(
            "{{\"manager\":{},\"operation\":\"{:?}\"",
            json_quote(&self.name),
            self.operation
        );
        for (name, value) in [
            ("apiVersion", &self.version),
            ("subresource", &self.subresource),
        ] {
            if !value.is_empty() {
                text += &format!(",\"{name}\":{}", json_quote(value));
            }
        }
        text + "}"
    }

    /// The manager's description in conflicts.
    pub(crate) fn described(&self) -> String {
        let mut text = quote(&self.name);
        if !self.subresource.is_empty() {
            text += &format!(" with subresource {}", quote(&self.subresource));
        }
        if self.operation == Operation::Update {
            text += &format!(" using {}", self.version);
        }
        text
    }
}

fn entry(manager: &Manager, owned: &Owned) -> Value {
    let mut entry = json!({
        "manager": manager.name,
        "operation": match manager.operation {
            Operation::Apply => "Apply",
            Operation::Update => "Update",
        },
        "apiVersion": owned.version,
        "fieldsType": "FieldsV1",
        "fieldsV1": owned.fields.to_fields_v1(),
    });
    if let Some(time) = &owned.time {
        entry["time"] = time.as_str().into();
    }
    if !manager.subresource.is_empty() {
        entry["subresource"] = manager.subresource.as_str().into();
    }
    entry
}
