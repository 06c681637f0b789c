//! Selections of the objects of a collection.

use crate::Resource;
use crate::verbs::{ListRequest, WatchRequest};

/// The objects that match a label selector and a field selector, each of which is optional.
///
/// [`Watcher::any_of`](super::Watcher::any_of) takes several.
///
/// ```
/// use k8s_flowcontrol::watch::Selection;
///
/// let mine = Selection::labels("team=a,tier in (x,y)").and_fields("metadata.name!=exempt");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    labels: Option<String>,
    fields: Option<String>,
}

impl Selection {
    /// All objects.
    pub fn all() -> Self {
        Self::default()
    }

    /// The objects whose labels match, in kubectl's notation: `team=a,tier in (x,y),!old`.
    pub fn labels(selector: impl Into<String>) -> Self {
        Self::all().and_labels(selector)
    }

    /// The objects whose fields have these values, such as `metadata.name=exempt`.
    pub fn fields(selector: impl Into<String>) -> Self {
        Self::all().and_fields(selector)
    }

    /// The objects of this selection whose labels also match `selector`.
    #[must_use]
    pub fn and_labels(mut self, selector: impl Into<String>) -> Self {
        join(&mut self.labels, selector.into());
        self
    }

    /// The objects of this selection whose fields also match `selector`.
    #[must_use]
    pub fn and_fields(mut self, selector: impl Into<String>) -> Self {
        join(&mut self.fields, selector.into());
        self
    }

    /// The objects in both selections.
    pub(super) fn and(&self, other: &Self) -> Self {
        let mut both = self.clone();
        if let Some(labels) = &other.labels {
            both = both.and_labels(labels);
        }
        if let Some(fields) = &other.fields {
            both = both.and_fields(fields);
        }
        both
    }

    pub(super) fn of_list<K: Resource>(&self, mut request: ListRequest<K>) -> ListRequest<K> {
        if let Some(labels) = &self.labels {
            request = request.label_selector(labels);
        }
        if let Some(fields) = &self.fields {
            request = request.field_selector(fields);
        }
        request
    }

    pub(super) fn of_watch<K: Resource>(&self, mut request: WatchRequest<K>) -> WatchRequest<K> {
        if let Some(labels) = &self.labels {
            request = request.label_selector(labels);
        }
        if let Some(fields) = &self.fields {
            request = request.field_selector(fields);
        }
        request
    }
}

/// In both kinds of selectors a comma means "and".
fn join(selector: &mut Option<String>, more: String) {
    match selector {
        Some(selector) if !selector.trim().is_empty() && !more.trim().is_empty() => {
            selector.push(',');
            selector.push_str(&more);
        }
        Some(selector) if !selector.trim().is_empty() => {}
        _ => *selector = Some(more),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_are_joined() {
        let selection = Selection::labels("a=b").and_labels("").and_labels("c");
        assert_eq!(selection.labels.as_deref(), Some("a=b,c"));
        assert_eq!(
            Selection::labels(" ").and_labels("c"),
            Selection::labels("c")
        );
        assert_eq!(selection.fields, None);
    }
}
