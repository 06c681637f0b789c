//! The result of an apply, as a dry run by the server.
//!
//! Taking over fields and applying are two requests, and the second one depends on the stored result of the first one. A
//! dry run stores nothing, so it computes the same result differently.

use super::live::Live;
use super::takeover::{CLIENT_SIDE, Holdings, LAST_APPLIED, in_version, merge};
use super::tree::name;
use super::write::WriteArgs;
use k8s_flowcontrol::Kind;
use k8s_flowcontrol::{ApiVersion, Error};
use serde_json::{Value, json};

/// The object after an apply, without the fields that the apply removes. `write` must request a dry run.
pub(crate) async fn apply_dry_run(
    live: &Live,
    kind: Kind,
    tree: &Value,
    before: Option<&Value>,
    write: &WriteArgs,
    force: bool,
) -> Result<Value, Error> {
    let manager = write.field_manager.as_str();
    let holdings = before.and_then(|before| Holdings::of(before, manager, live.version));
    // Fields of client-side apply are taken over first, so they are no conflict.
    let mut after = apply_own(live, kind, tree, write, force).await?;
    let Some(holdings) = holdings else {
        return Ok(after);
    };
    give_up(&mut after, tree, &holdings, live.version);
    let map = |field: &str| match &after["metadata"][field] {
        Value::Null => json!({}),
        map => map.clone(),
    };
    let patch = json!([
        {"op": "add", "path": "/spec", "value": after["spec"]},
        {"op": "add", "path": "/metadata/labels", "value": map("labels")},
        {"op": "add", "path": "/metadata/annotations", "value": map("annotations")},
    ]);
    live.json_patch(kind, name(tree), &patch, true).await
}

/// Applies an object. Conflicts with other writes of the same field manager, such as `set-shares`, and with
/// client-side apply do not count.
pub(crate) async fn apply_own(
    live: &Live,
    kind: Kind,
    tree: &Value,
    write: &WriteArgs,
    force: bool,
) -> Result<Value, Error> {
    match live.apply(kind, tree, write, force).await {
        Err(error) if is_with_own_only(&error, &write.field_manager) => {
            live.apply(kind, tree, write, true).await
        }
        applied => applied,
    }
}

fn is_with_own_only(error: &Error, manager: &str) -> bool {
    let own = [CLIENT_SIDE, manager].map(|name| format!("conflict with \"{name}\""));
    let is_own = |message: &str| own.iter().any(|own| message.starts_with(own.as_str()));
    let causes = error.causes();
    error.is_conflict()
        && !causes.is_empty()
        && causes
            .iter()
            .all(|cause| cause.message.as_deref().is_some_and(is_own))
}

/// Removes the manager's own fields that the file omits and no other manager owns.
fn give_up(after: &mut Value, tree: &Value, holdings: &Holdings, version: ApiVersion) {
    let mut others = json!({});
    for entry in &holdings.rest {
        merge(&mut others, &in_version(entry, version));
    }
    remove(after, tree, &holdings.own, &others);
    let annotations = after.pointer_mut("/metadata/annotations");
    if let Some(annotations) = annotations.and_then(Value::as_object_mut) {
        annotations.remove(LAST_APPLIED);
    }
}

/// Fields are `f:NAME` in field sets; lists of these objects are owned as a whole.
fn remove(after: &mut Value, tree: &Value, own: &Value, others: &Value) {
    let (Some(fields), Some(own)) = (after.as_object_mut(), own.as_object()) else {
        return;
    };
    for (step, below) in own {
        let Some(name) = step.strip_prefix("f:") else {
            continue;
        };
        let (wanted, shared) = (&tree[name], &others[step.as_str()]);
        let has_steps = below
            .as_object()
            .is_some_and(|below| below.keys().any(|step| step.starts_with("f:")));
        if has_steps {
            if let Some(after) = fields.get_mut(name) {
                remove(after, wanted, below, shared);
            }
        } else if wanted.is_null() && shared.is_null() {
            fields.remove(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_own_field_that_the_file_omits_is_removed() {
        let mut after =
            json!({"spec": {"type": "Limited", "limited": {"a": 1, "b": 2, "c": 3, "d": 4}}});
        let limited = |fields: Value| json!({"f:spec": {"f:limited": fields}});
        let own = limited(json!({".": {}, "f:a": {}, "f:b": {}, "f:c": {}}));
        let others = limited(json!({"f:b": {}}));
        let tree = json!({"spec": {"limited": {"a": 1}}});
        remove(&mut after, &tree, &own, &others);
        assert_eq!(
            after,
            json!({"spec": {"type": "Limited", "limited": {"a": 1, "b": 2, "d": 4}}})
        );
    }
}
