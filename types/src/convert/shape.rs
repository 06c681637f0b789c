//! Shape conversion of JSON trees.

use super::level;
use super::tree_level::TreeLevel;
use super::{Loss, Lossy};
use crate::{ApiVersion, Release};
use serde_json::Value;

/// Turns `object`, a `kind` in version `from`, into version `to` as a tool does it: without defaults.
///
/// What is absent stays absent and unknown members travel along; see the [module](super) for the rules.
/// `release` is that of the servers which are to read the object. `kind` may be a list, such as
/// `FlowSchemaList`. An `apiVersion` that is there is changed, and none is added. A value of a wrong type stays as
/// it is; a kind that is not of this API group is left alone.
///
/// # Errors
/// [`Lossy`] when something is lost or comes to mean something else.
///
/// ```
/// use k8s_flowcontrol_types::{convert, ApiVersion, Release};
/// use serde_json::json;
///
/// let level = |shares: &str| json!({"spec": {"type": "Limited", "limited": {shares: 20}}});
/// let (old, new) = (level("assuredConcurrencyShares"), level("nominalConcurrencyShares"));
/// let (from, to) = (ApiVersion::V1Beta2, ApiVersion::V1);
/// let converted = convert::shape_tree(old, "PriorityLevelConfiguration", from, to, Release::NEWEST)?;
/// assert_eq!(converted, new);
/// # Ok::<(), convert::Lossy<serde_json::Value>>(())
/// ```
pub fn shape_tree(
    mut object: Value,
    kind: &str,
    from: ApiVersion,
    to: ApiVersion,
    release: Release,
) -> Result<Value, Lossy<Value>> {
    let mut losses = Vec::new();
    each_item(&mut object, kind, |object, kind, item| {
        let lost = shape(object, kind, from, to, release);
        losses.extend(lost.into_iter().map(|loss| place(loss, item)));
    });
    set_version(&mut object, kind, to);
    Lossy::outcome(object, losses)
}

fn shape(
    object: &mut Value,
    kind: &str,
    from: ApiVersion,
    to: ApiVersion,
    release: Release,
) -> Vec<Loss> {
    set_version(object, kind, to);
    if kind != level::KIND {
        return Vec::new();
    }
    level::convert(&mut TreeLevel { object, from, to }, from, to, release)
}

/// Calls `convert` for the object, or for each item of a list with its index.
pub fn each_item(
    object: &mut Value,
    kind: &str,
    mut convert: impl FnMut(&mut Value, &str, Option<usize>),
) {
    let Some(kind) = kind.strip_suffix("List") else {
        return convert(object, kind, None);
    };
    let items = object.get_mut("items").and_then(Value::as_array_mut);
    for (index, item) in items.into_iter().flatten().enumerate() {
        convert(item, kind, Some(index));
    }
}

/// The loss, named by the item of the list that has it.
pub fn place(loss: Loss, item: Option<usize>) -> Loss {
    match item {
        Some(index) => loss.of_item(index),
        None => loss,
    }
}

/// Changes the `apiVersion` that is there.
pub fn set_version(object: &mut Value, kind: &str, to: ApiVersion) {
    let kind = kind.strip_suffix("List").unwrap_or(kind);
    if super::known::schema(kind, to).is_some()
        && let Some(version) = object.get_mut("apiVersion")
        && !version.is_null()
    {
        *version = to.api_version().into();
    }
}
