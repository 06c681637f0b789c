//! Conditions to wait for.

use crate::Resource;
use crate::rt::json;
use serde_json::Value;

/// The object exists.
pub fn exists<K: Resource>() -> impl FnMut(Option<&K>) -> bool + Send + 'static {
    |object| object.is_some()
}

/// The object is gone, or another one of its name has taken its place.
///
/// Being marked for deletion is not enough: an object with finalizers goes when they are removed.
pub fn is_deleted<K: Resource>() -> impl FnMut(Option<&K>) -> bool + Send + 'static {
    let mut first = None;
    move |object: Option<&K>| {
        let Some(object) = object else {
            return true;
        };
        let uid = object.metadata().uid.clone();
        *first.get_or_insert_with(|| uid.clone()) != uid
    }
}

/// The object's status has the condition `kind` with this status: `True`, `False` or `Unknown`.
///
/// Holds for no object whose status nobody has written yet.
pub fn has_condition<K: Resource>(
    kind: impl Into<String>,
    status: impl Into<String>,
) -> impl FnMut(Option<&K>) -> bool + Send + 'static {
    let (kind, status) = (kind.into(), status.into());
    move |object: Option<&K>| {
        // As JSON, all kinds have their conditions in the same place.
        let tree = object.and_then(|object| json::to_tree(object).ok());
        let conditions = tree
            .as_ref()
            .and_then(|tree| tree.pointer("/status/conditions"));
        let mut conditions = conditions.and_then(Value::as_array).into_iter().flatten();
        conditions.any(|condition| condition["type"] == *kind && condition["status"] == *status)
    }
}

/// The server has found the priority level that the FlowSchema names: its condition
/// [`Dangling`](https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#troubleshooting) is `False`.
pub fn is_not_dangling<K: Resource>() -> impl FnMut(Option<&K>) -> bool + Send + 'static {
    has_condition("Dangling", "False")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{v1, v1beta1};
    use serde_json::json;

    fn schema<K: Resource>(uid: &str, dangling: &str) -> K {
        let conditions =
            json!([{"type": "Other", "status": "True"}, {"type": "Dangling", "status": dangling}]);
        let tree =
            json!({"metadata": {"uid": uid}, "spec": {}, "status": {"conditions": conditions}});
        serde_json::from_value(tree).unwrap()
    }

    #[test]
    fn conditions_of_the_status() {
        assert!(is_not_dangling()(Some(&schema::<v1::FlowSchema>(
            "a", "False"
        ))));
        assert!(is_not_dangling()(Some(&schema::<v1beta1::FlowSchema>(
            "a", "False"
        ))));
        assert!(!is_not_dangling()(Some(&schema::<v1::FlowSchema>(
            "a", "True"
        ))));
        assert!(!is_not_dangling()(Some(&v1::FlowSchema::default())));
        assert!(!is_not_dangling::<v1::FlowSchema>()(None));
        assert!(has_condition("Other", "True")(Some(&schema::<
            v1::FlowSchema,
        >("a", "x"))));
    }

    #[test]
    fn gone_or_replaced() {
        let (first, second): (v1::FlowSchema, _) = (schema("a", ""), schema("b", ""));
        let mut gone = is_deleted();
        assert!(!gone(Some(&first)) && !gone(Some(&first)));
        assert!(gone(Some(&second)));
        assert!(gone(None));
        assert!(exists()(Some(&first)) && !exists::<v1::FlowSchema>()(None));
    }
}
