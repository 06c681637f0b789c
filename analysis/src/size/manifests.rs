//! The objects of an answer as manifests, with the reasons as comments.

use super::answer::{Change, Reason, Sizing};
use super::drift::FieldChange;
use k8s_flowcontrol_rules::strip_server_fields;
use k8s_flowcontrol_text::to_yaml;
use k8s_flowcontrol_types::convert::{Lossy, shape_tree, shares_name};
use k8s_flowcontrol_types::kind::VersionedKind;
use k8s_flowcontrol_types::{ApiVersion, Kind, Release, Resource};
use serde_json::{Value, json};

impl Sizing {
    /// The added and changed objects as YAML documents in v1: each number has its reason as a comment above it. Empty without
    /// changes.
    pub fn manifests(&self) -> String {
        // v1 can express all objects of v1.
        self.manifests_for(Release::NEWEST).unwrap_or_default()
    }

    /// As [`manifests`](Self::manifests), in the newest version that `release` serves.
    ///
    /// # Errors
    /// [`Lossy`] for an object that this version cannot express.
    pub fn manifests_for(&self, release: Release) -> Result<String, Lossy<Value>> {
        let documents = self.changes.iter().map(|change| change.documents(release));
        let documents = documents.collect::<Result<Vec<_>, _>>()?;
        Ok(documents.concat().join("---\n"))
    }
}

impl Change {
    /// The objects in v1, without comments, and without the fields that servers fill in.
    pub fn objects(&self) -> Vec<Value> {
        // v1 can express all objects of v1.
        self.objects_for(Release::NEWEST).unwrap_or_default()
    }

    /// As [`objects`](Self::objects), in the newest version that `release` serves.
    ///
    /// # Errors
    /// [`Lossy`] for an object that this version cannot express.
    pub fn objects_for(&self, release: Release) -> Result<Vec<Value>, Lossy<Value>> {
        let level = json!(self.priority_level);
        let mut objects = vec![served(level, Kind::PriorityLevelConfiguration, release)?];
        if let Some(schema) = &self.flow_schema {
            objects.push(served(json!(schema), Kind::FlowSchema, release)?);
        }
        Ok(objects)
    }

    fn documents(&self, release: Release) -> Result<Vec<String>, Lossy<Value>> {
        let head = format!(
            "# {} for {}",
            self.priority_level.name(),
            self.intents.join(", ")
        );
        let objects = self.objects_for(release)?.into_iter().enumerate();
        let document = |(index, object): (usize, Value)| {
            let of_schema = index == 1;
            let reasons = self.reasons.iter();
            let reasons = reasons.filter(|reason| reason.is_of_flow_schema == of_schema);
            let text = commented(&to_yaml(&object), &reasons.collect::<Vec<_>>(), release);
            format!("{}\n{text}", one_line(&head))
        };
        Ok(objects.map(document).collect())
    }
}

impl Reason {
    /// The [field](Self::field) as the newest version that `release` serves has it.
    pub fn field_for(&self, release: Release) -> &'static str {
        match self.is_of_flow_schema {
            true => self.field,
            false => field_for(self.field, release),
        }
    }
}

impl FieldChange {
    /// The [field](Self::field) as the newest version that `release` serves has it.
    pub fn field_for(&self, release: Release) -> &'static str {
        field_for(self.field, release)
    }
}

/// A field of `spec.limited` of v1 as the newest version that a release serves has it.
fn field_for(of_v1: &'static str, release: Release) -> &'static str {
    match of_v1 == shares_name(ApiVersion::V1) {
        true => shares_name(release.preferred()),
        false => of_v1,
    }
}

/// An object of v1 in the newest version that a release serves.
fn served(mut object: Value, kind: Kind, release: Release) -> Result<Value, Lossy<Value>> {
    object["apiVersion"] = ApiVersion::V1.api_version().into();
    object["kind"] = kind.as_str().into();
    strip_server_fields(&mut object);
    let of_v1 = VersionedKind::new(kind, ApiVersion::V1, release);
    shape_tree(object, of_v1, release.preferred())
}

/// Puts each reason above the line of its field.
fn commented(yaml: &str, reasons: &[&Reason], release: Release) -> String {
    let mut text = String::new();
    for line in yaml.lines() {
        let field = line.trim_start();
        let indent = &line[..line.len() - field.len()];
        let name = field.split(':').next().unwrap_or_default();
        for reason in reasons
            .iter()
            .filter(|reason| reason.field_for(release) == name)
        {
            text.push_str(&format!("{indent}# {}\n", one_line(&reason.text)));
        }
        text.push_str(&format!("{line}\n"));
    }
    text
}

/// Names come from files: a line break would end the comment.
fn one_line(text: &str) -> String {
    text.replace(
        |c: char| c.is_control() || matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}'),
        " ",
    )
}
