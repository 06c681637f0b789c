//! A priority level as a JSON tree.

use super::level::{LevelField, LevelForm, UnknownShares};
use super::shares::Shares;
use super::{PRESERVE_ZERO_ANNOTATION, is_zero, shares_name};
use crate::ApiVersion;
use serde_json::{Map, Value};

/// A level as a tree.
#[derive(Debug)]
pub struct TreeLevel<'a> {
    /// The object.
    pub object: &'a mut Value,
    /// The version it is in.
    pub from: ApiVersion,
    /// The version it is converted to.
    pub to: ApiVersion,
}

impl TreeLevel<'_> {
    fn limited(&self) -> Option<&Map<String, Value>> {
        self.object.pointer("/spec/limited")?.as_object()
    }

    fn limited_mut(&mut self) -> Option<&mut Map<String, Value>> {
        self.object.pointer_mut("/spec/limited")?.as_object_mut()
    }

    fn annotations(&mut self) -> Option<&mut Map<String, Value>> {
        self.object
            .pointer_mut("/metadata/annotations")?
            .as_object_mut()
    }
}

impl LevelForm for TreeLevel<'_> {
    fn shares(&self) -> Shares {
        let Some(limited) = self.limited() else {
            return Shares::NoStanza;
        };
        match limited.get(shares_name(self.from)) {
            None | Some(Value::Null) => Shares::Absent,
            Some(value) if is_zero(value) => Shares::Zero,
            Some(_) => Shares::Other,
        }
    }

    fn write_shares(&mut self, shares: i32) {
        let name = shares_name(self.to);
        if let Some(limited) = self.limited_mut() {
            limited.insert(name.into(), shares.into());
        }
    }

    fn unknown_shares(&self) -> UnknownShares {
        match self
            .limited()
            .and_then(|limited| limited.get(shares_name(self.to)))
        {
            None => UnknownShares::Absent,
            Some(Value::Null) => UnknownShares::Null,
            Some(value) if is_zero(value) => UnknownShares::Number(0),
            Some(value) => value
                .as_i64()
                .filter(|number| i32::try_from(*number).is_ok())
                .map_or(UnknownShares::WrongType, UnknownShares::Number),
        }
    }

    fn remove_unknown_shares(&mut self) {
        let name = shares_name(self.to);
        if let Some(limited) = self.limited_mut() {
            limited.remove(name);
        }
    }

    fn rename_shares(&mut self) {
        let (from, to) = (shares_name(self.from), shares_name(self.to));
        if let Some(limited) = self.limited_mut()
            && let Some(shares) = limited.remove(from)
        {
            limited.entry(to).or_insert(shares);
        }
    }

    fn is_annotated(&self) -> bool {
        self.object
            .pointer("/metadata/annotations")
            .is_some_and(|annotations| annotations.get(PRESERVE_ZERO_ANNOTATION).is_some())
    }

    fn annotate(&mut self) {
        let annotations = self
            .object
            .as_object_mut()
            .and_then(|object| stanza(object, "metadata"))
            .and_then(|metadata| stanza(metadata, "annotations"));
        if let Some(annotations) = annotations {
            annotations
                .entry(PRESERVE_ZERO_ANNOTATION)
                .or_insert_with(|| "".into());
        }
    }

    fn unannotate(&mut self) {
        let Some(annotations) = self.annotations() else {
            return;
        };
        annotations.remove(PRESERVE_ZERO_ANNOTATION);
        if annotations.is_empty()
            && let Some(metadata) = self.object.get_mut("metadata")
            && let Some(metadata) = metadata.as_object_mut()
        {
            metadata.remove("annotations");
        }
    }

    fn is_set(&self, field: LevelField) -> bool {
        let value = match field {
            LevelField::Exempt => self.object.pointer("/spec/exempt"),
            LevelField::LendablePercent => self.limited().and_then(|l| l.get("lendablePercent")),
            LevelField::BorrowingLimitPercent => {
                self.limited().and_then(|l| l.get("borrowingLimitPercent"))
            }
        };
        let is_default = match (field, value) {
            (_, None | Some(Value::Null)) => true,
            (LevelField::BorrowingLimitPercent, _) => false,
            (LevelField::LendablePercent, Some(value)) => is_zero(value),
            (LevelField::Exempt, Some(value)) => {
                let is_exempt = self.object.pointer("/spec/type") == Some(&"Exempt".into());
                is_exempt && value.as_object().is_some_and(is_default_exempt)
            }
        };
        !is_default
    }

    fn remove(&mut self, field: LevelField) {
        let stanza = match field {
            LevelField::Exempt => self.object.get_mut("spec").and_then(Value::as_object_mut),
            LevelField::LendablePercent | LevelField::BorrowingLimitPercent => self.limited_mut(),
        };
        if let (Some(stanza), Some(name)) = (stanza, field.path().last()) {
            stanza.remove(*name);
        }
    }
}

fn is_default_exempt(exempt: &Map<String, Value>) -> bool {
    exempt.iter().all(|(name, value)| {
        matches!(
            name.as_str(),
            "nominalConcurrencyShares" | "lendablePercent"
        ) && (value.is_null() || is_zero(value))
    })
}

/// The object in a field, which is created if it is absent.
fn stanza<'a>(
    parent: &'a mut Map<String, Value>,
    name: &str,
) -> Option<&'a mut Map<String, Value>> {
    let value = parent.entry(name).or_insert(Value::Null);
    if value.is_null() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut()
}
