//! Shape conversion of JSON trees.

use super::level;
use super::tree_level::TreeLevel;
use super::{Loss, Lossy};
use crate::kind::VersionedKind;
use crate::{ApiVersion, Kind};
use serde_json::Value;

/// Converts `object`, which is of `kind`, into version `to` without filling in defaults.
///
/// Absent fields stay absent and unknown fields are kept; the [module](super) has the rules. `kind` names the release
/// of the servers that are to read the object. An `apiVersion` is changed but not added, and a value of a wrong type
/// is not changed.
///
/// # Errors
/// [`Lossy`] when something is lost or changes its meaning.
///
/// ```
/// use k8s_flowcontrol_types::kind::VersionedKind;
/// use k8s_flowcontrol_types::{ApiVersion, Kind, Release, convert};
/// use serde_json::json;
///
/// let level = |shares: &str| json!({"spec": {"type": "Limited", "limited": {shares: 20}}});
/// let (old, new) = (level("assuredConcurrencyShares"), level("nominalConcurrencyShares"));
/// let kind = VersionedKind::new(Kind::PriorityLevelConfiguration, ApiVersion::V1Beta2, Release::NEWEST);
/// assert_eq!(convert::shape_tree(old, kind, ApiVersion::V1)?, new);
/// # Ok::<(), convert::Lossy<serde_json::Value>>(())
/// ```
pub fn shape_tree(
    mut object: Value,
    kind: VersionedKind,
    to: ApiVersion,
) -> Result<Value, Lossy<Value>> {
    let losses = shape(&mut object, kind, to);
    Lossy::outcome(object, losses)
}

/// [`shape_tree`] for a list whose items are of `kind`, such as a `FlowSchemaList`. Losses name the item.
///
/// # Errors
/// [`Lossy`] when an item loses something.
pub fn shape_list(
    mut list: Value,
    kind: VersionedKind,
    to: ApiVersion,
) -> Result<Value, Lossy<Value>> {
    let losses = each_item(&mut list, |item| shape(item, kind, to));
    set_version(&mut list, to);
    Lossy::outcome(list, losses)
}

fn shape(object: &mut Value, kind: VersionedKind, to: ApiVersion) -> Vec<Loss> {
    set_version(object, to);
    match kind.kind {
        Kind::FlowSchema => Vec::new(),
        Kind::PriorityLevelConfiguration => {
            let from = kind.version;
            level::convert(&mut TreeLevel { object, from, to }, from, to, kind.release)
        }
    }
}

/// Calls `convert` for each item of a list, and returns the losses of all with the items' indexes.
pub fn each_item(list: &mut Value, mut convert: impl FnMut(&mut Value) -> Vec<Loss>) -> Vec<Loss> {
    let mut losses = Vec::new();
    let items = list.get_mut("items").and_then(Value::as_array_mut);
    for (index, item) in items.into_iter().flatten().enumerate() {
        let lost = convert(item).into_iter();
        losses.extend(lost.map(|loss| loss.of_item(index)));
    }
    losses
}

/// Changes the `apiVersion`, if there is one.
pub fn set_version(object: &mut Value, to: ApiVersion) {
    if let Some(version) = object.get_mut("apiVersion")
        && !version.is_null()
    {
        *version = to.api_version().into();
    }
}
