//! The objects of an answer as manifests, with the reasons as comments.

use super::answer::{Change, Reason, Sizing};
use k8s_flowcontrol_rules::strip_server_fields;
use k8s_flowcontrol_text::to_yaml;
use k8s_flowcontrol_types::Resource;
use serde_json::{Value, json};

impl Sizing {
    /// The added and changed objects as YAML documents in v1: each number has its reason as a comment above it. Empty without
    /// changes.
    pub fn manifests(&self) -> String {
        let documents = self.changes.iter().flat_map(Change::documents);
        documents.collect::<Vec<_>>().join("---\n")
    }
}

impl Change {
    /// The objects, without comments, and without the fields that servers fill in.
    pub fn objects(&self) -> Vec<Value> {
        let level = with_type(json!(self.priority_level), "PriorityLevelConfiguration");
        let schema = self.flow_schema.as_ref();
        let schema = schema.map(|schema| with_type(json!(schema), "FlowSchema"));
        [level].into_iter().chain(schema).collect()
    }

    fn documents(&self) -> Vec<String> {
        let head = format!(
            "# {} for {}",
            self.priority_level.name(),
            self.intents.join(", ")
        );
        let objects = self.objects().into_iter().enumerate();
        let document = |(index, object): (usize, Value)| {
            let of_schema = index == 1;
            let reasons = self.reasons.iter();
            let reasons = reasons.filter(|reason| reason.is_of_flow_schema == of_schema);
            let text = commented(&to_yaml(&object), &reasons.collect::<Vec<_>>());
            format!("{}\n{text}", one_line(&head))
        };
        objects.map(document).collect()
    }
}

fn with_type(mut object: Value, kind: &str) -> Value {
    object["apiVersion"] = "flowcontrol.apiserver.k8s.io/v1".into();
    object["kind"] = kind.into();
    strip_server_fields(&mut object);
    object
}

/// Puts each reason above the line of its field.
fn commented(yaml: &str, reasons: &[&Reason]) -> String {
    let mut text = String::new();
    for line in yaml.lines() {
        let field = line.trim_start();
        let indent = &line[..line.len() - field.len()];
        let name = field.split(':').next().unwrap_or_default();
        for reason in reasons.iter().filter(|reason| reason.field == name) {
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
