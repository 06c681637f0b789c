//! Server conversion of JSON trees.

use super::prune::{prune, prune_reporting, prune_to};
use crate::defaults;
use k8s_flowcontrol_types::convert::parts::{
    self, LevelForm, ShareState, Shares, TreeLevel, each_item, set_version,
};
use k8s_flowcontrol_types::convert::{Loss, Lossy, annotation_counts, shares_name};
use k8s_flowcontrol_types::kind::VersionedKind;
use k8s_flowcontrol_types::meta::ListMeta;
use k8s_flowcontrol_types::rt::v1::Object;
use k8s_flowcontrol_types::{ApiVersion, Kind, Release};
use serde_json::Value;

/// Returns the object that a server shows in version `to` after it has read `object`, which is of `kind`.
///
/// The server's defaults are filled in, fields that it does not know are dropped, and the annotation for zero shares
/// is added where it is needed; the [module](super) has the rules. `to` may be the version of `kind`: a server does
/// not always show the object it was sent. The object is not validated, and a value of a wrong type is not changed.
///
/// # Errors
/// [`Lossy`] when something is lost or changes its meaning.
///
/// ```
/// use k8s_flowcontrol_rules::conversion;
/// use k8s_flowcontrol_types::kind::VersionedKind;
/// use k8s_flowcontrol_types::{ApiVersion, Kind};
/// use serde_json::json;
///
/// let level = json!({"spec": {"type": "Limited", "limited": {"assuredConcurrencyShares": 0}}});
/// let kind = VersionedKind::new(Kind::PriorityLevelConfiguration, ApiVersion::V1Beta2, "1.28".parse()?);
/// let shown = conversion::server_tree(level, kind, ApiVersion::V1Beta3)?;
/// assert_eq!(shown["spec"]["limited"], json!({"nominalConcurrencyShares": 30, "lendablePercent": 0}));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn server_tree(
    mut object: Value,
    kind: VersionedKind,
    to: ApiVersion,
) -> Result<Value, Lossy<Value>> {
    let losses = through_server(&mut object, kind, to);
    Lossy::outcome(object, losses)
}

/// [`server_tree`] for a list whose items are of `kind`, such as a `FlowSchemaList`. Losses name the item.
///
/// # Errors
/// [`Lossy`] when an item or the list loses something.
pub fn server_list(
    mut list: Value,
    kind: VersionedKind,
    to: ApiVersion,
) -> Result<Value, Lossy<Value>> {
    let mut losses = each_item(&mut list, |item| through_server(item, kind, to));
    set_version(&mut list, to);
    losses.extend(prune_list(&mut list, kind.release));
    Lossy::outcome(list, losses)
}

fn through_server(object: &mut Value, kind: VersionedKind, to: ApiVersion) -> Vec<Loss> {
    let mut losses = Vec::new();
    let (from, release) = (kind.version, kind.release);
    let is_level = kind.kind == Kind::PriorityLevelConfiguration;
    if is_level {
        parts::drop_unknown_defaults(&mut TreeLevel { object, from, to }, from, release);
    }
    prune_reporting(object, kind, &mut losses);
    defaults::apply(object, kind);
    if is_level {
        losses.extend(zero_losses(&TreeLevel { object, from, to }, release));
        to_hub(object, from, release);
        from_hub(object, to, release);
        parts::drop_unknown_defaults(&mut TreeLevel { object, from, to }, to, release);
    }
    set_version(object, to);
    prune_reporting(object, kind.in_version(to), &mut losses);
    losses
}

/// The losses of zero shares that the target cannot show, and of an annotation that the server removes without effect.
fn zero_losses(level: &TreeLevel<'_>, release: Release) -> Vec<Loss> {
    let state = ShareState {
        shares: level.shares(),
        annotated: level.is_annotated(),
        version: level.from,
        release,
    };
    let counts = annotation_counts(release);
    let mut losses = Vec::new();
    if state.means_zero()
        && (level.to < ApiVersion::V1Beta3 || level.to == ApiVersion::V1Beta3 && !counts)
    {
        losses.push(parts::zero_loss(state, level.to));
    }
    if state.annotated && level.from == ApiVersion::V1Beta3 && counts && !state.means_zero() {
        let why = "removed: it only keeps zero shares, and these are not zero";
        losses.push(parts::annotation_loss(why));
    }
    losses
}

/// The step of server conversion between decoding and encoding: it fills in no defaults and reports no losses.
///
/// The defaults of the kind's version must be applied already, as a server applies them before it converts. v1 is the
/// hub: a server holds objects in its shape in memory. Fields that servers do not know in `to` are dropped. This
/// step is for servers that keep objects in memory; [`server_tree`] shows how an object comes out.
///
/// ```
/// use k8s_flowcontrol_rules::conversion;
/// use k8s_flowcontrol_types::kind::VersionedKind;
/// use k8s_flowcontrol_types::{ApiVersion, Kind, convert};
/// use serde_json::json;
///
/// let level = json!({"spec": {"type": "Limited", "limited": {"nominalConcurrencyShares": 0}}});
/// let kind = VersionedKind::new(Kind::PriorityLevelConfiguration, ApiVersion::V1, "1.30".parse()?);
/// let old = conversion::server_step(level, kind, ApiVersion::V1Beta3);
/// assert_eq!(old["metadata"]["annotations"][convert::PRESERVE_ZERO_ANNOTATION], "");
/// # Ok::<(), k8s_flowcontrol_types::release::UnknownRelease>(())
/// ```
pub fn server_step(mut object: Value, kind: VersionedKind, to: ApiVersion) -> Value {
    if kind.kind == Kind::PriorityLevelConfiguration && kind.version != to {
        to_hub(&mut object, kind.version, kind.release);
        from_hub(&mut object, to, kind.release);
    }
    set_version(&mut object, to);
    prune(&mut object, kind.in_version(to));
    object
}

fn to_hub(object: &mut Value, from: ApiVersion, release: Release) {
    let to = ApiVersion::V1;
    let mut level = TreeLevel { object, from, to };
    rename(&mut level);
    if from == ApiVersion::V1Beta3 && annotation_counts(release) {
        level.unannotate();
    }
    // The hub holds a plain integer, which is zero where no default applied.
    let mut hub = TreeLevel {
        object,
        from: to,
        to,
    };
    if hub.shares() == Shares::Absent {
        hub.write_shares(0);
    }
}

fn from_hub(object: &mut Value, to: ApiVersion, release: Release) {
    let from = ApiVersion::V1;
    let mut level = TreeLevel { object, from, to };
    let is_zero = level.shares() == Shares::Zero;
    rename(&mut level);
    if is_zero && to == ApiVersion::V1Beta3 && annotation_counts(release) {
        level.annotate();
    }
}

fn rename(level: &mut TreeLevel<'_>) {
    if shares_name(level.from) != shares_name(level.to) {
        // A field of the target's name is unknown in the source.
        level.remove_unknown_shares();
        level.rename_shares();
    }
}

/// Drops the unknown fields of a list.
pub(super) fn prune_list(list: &mut Value, release: Release) -> Vec<Loss> {
    let mut losses = Vec::new();
    let Some(fields) = list.as_object_mut() else {
        return losses;
    };
    let why = "dropped: a server does not know it";
    fields.retain(|name, value| {
        let is_known = matches!(name.as_str(), "apiVersion" | "kind" | "metadata" | "items");
        if !is_known && !value.is_null() {
            losses.push(Loss::new(name.as_str(), why));
        }
        is_known
    });
    if let Some(metadata) = fields.get_mut("metadata") {
        prune_to(
            ListMeta::TABLE.schema,
            metadata,
            release,
            &mut |path, value| {
                if !value.is_null() {
                    losses.push(Loss::new(format!("metadata.{path}"), why));
                }
            },
        );
    }
    losses
}
