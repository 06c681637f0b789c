//! The migration of a text in a string of another text.

use super::decide::Surroundings;
use super::edit::{Edit, Embedded, PlannedChange, apply};
use super::findings::Severity;
use super::read::{Text, may_mention};
use super::result::{MigratedObject, Migration};
use super::settings::Settings;
use super::state::State;
use super::verify::DocumentEdits;
use crate::documents::touches;
use k8s_flowcontrol_text::{Node, Span};

/// The maximum number of texts around a text in a string.
const MAX_EMBEDDED: usize = 2;

impl State<'_> {
    /// Migrates the text in a string. A text that cannot be migrated is reported as a mention later.
    pub(super) fn embedded(
        &mut self,
        around: Surroundings<'_>,
        node: Node<'_>,
        pointer: &str,
        settings: Settings,
        work: &mut DocumentEdits,
    ) -> Option<(PlannedChange, Vec<MigratedObject>)> {
        let decoded = node.as_str().filter(|text| may_mention(text.as_bytes()))?;
        if self.depth >= MAX_EMBEDDED || touches(around.actions, node.span()) {
            return None;
        }
        let embedded = Embedded::new(self.source, node.span(), decoded)?;
        let source = Text::new(&embedded.text);
        let inner = (self.inner)(&source, settings, self.depth + 1);
        if inner.edits.is_empty() || inner.worst() >= Some(Severity::Manual) {
            return None;
        }
        let edits: Option<Vec<_>> = inner
            .edits
            .iter()
            .map(|edit| embedded.outer(edit))
            .collect();
        let blanks = &decoded[decoded.trim_end().len()..];
        let text = apply(source.text, &inner.edits);
        let change = PlannedChange::new(
            node.span().start,
            format!("{} in the text of this string", what_changes(&inner)),
            edits?,
        );
        let place = work.expected.value.pointer_mut(pointer)?;
        *place = format!("{}{blanks}", text.trim_end()).into();
        let mut objects = inner.objects;
        for object in &mut objects {
            for change in &mut object.changes {
                let here = Span::new(change.offset, change.offset);
                let place = embedded.outer(&Edit::replace(here, String::new()));
                change.offset = place.map_or(node.span().start, |edit| edit.span.start);
                change.what.push_str(" in the text of this string");
            }
            object.changes.sort_by_key(|change| change.offset);
        }
        Some((change, objects))
    }
}

fn what_changes(result: &Migration) -> String {
    let changes = result.objects.iter().flat_map(|document| &document.changes);
    let changes: Vec<_> = changes.map(|change| change.what.as_str()).collect();
    changes.join("; ")
}
