//! The result of an apply, as a dry run by the server.
//!
//! Taking over fields and applying are two requests, and the second one depends on the stored result of the first one. A
//! dry run stores nothing, so it computes the same result differently.

use super::fields::name;
use super::live::Live;
use super::write::WriteArgs;
use k8s_flowcontrol::ownership::{CLIENT_SIDE_APPLY, Takeover};
use k8s_flowcontrol::{Error, Kind};
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
    let version = live.version.api_version();
    let takeover = before.and_then(|before| Takeover::of(before, manager, version));
    // Fields of client-side apply are taken over first, so they are not a conflict.
    let taken = takeover.iter().flat_map(Takeover::client_side_managers);
    let own: Vec<&str> = taken.chain([manager]).collect();
    let mut after = apply_despite(live, kind, tree, write, force, &own).await?;
    let Some(takeover) = takeover else {
        return Ok(after);
    };
    takeover.remove_omitted(&mut after, tree);
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
    let own = [CLIENT_SIDE_APPLY, &write.field_manager];
    apply_despite(live, kind, tree, write, force, &own).await
}

/// Applies an object. Conflicts with the managers `own` do not count.
async fn apply_despite(
    live: &Live,
    kind: Kind,
    tree: &Value,
    write: &WriteArgs,
    force: bool,
    own: &[&str],
) -> Result<Value, Error> {
    match live.apply(kind, tree, write, force).await {
        Err(error) if is_with_only(&error, own) => live.apply(kind, tree, write, true).await,
        applied => applied,
    }
}

fn is_with_only(error: &Error, own: &[&str]) -> bool {
    let is_with = |message: &str, name: &str| {
        let rest = message.strip_prefix("conflict with \"");
        rest.and_then(|rest| rest.strip_prefix(name))
            .is_some_and(|rest| rest.starts_with('"'))
    };
    let is_own = |message: &str| own.iter().any(|name| is_with(message, name));
    let causes = error.causes();
    error.is_conflict()
        && !causes.is_empty()
        && causes
            .iter()
            .all(|cause| cause.message.as_deref().is_some_and(is_own))
}
