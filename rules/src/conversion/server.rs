//! Server conversion of JSON trees.

use super::prune::{prune, prune_reporting, prune_to};
use crate::defaults;
use k8s_flowcontrol_types::convert::parts::{
    self, LevelForm, Said, Shares, TreeLevel, each_item, place, set_version,
};
use k8s_flowcontrol_types::convert::{Loss, Lossy, annotation_counts, shares_name};
use k8s_flowcontrol_types::meta::schema::LIST_META;
use k8s_flowcontrol_types::{ApiVersion, Release};
use serde_json::Value;

/// What a server of `release` shows in version `to` after it has read `object`, a `kind` in version `from`.
///
/// The server's defaults are filled in, members that it does not know are gone, and the annotation for zero shares is
/// there when it has to be; see the [module](super) for the rules. `to` may be `from`: what a server shows
/// is not always what it was sent. `kind` may be a list, such as `FlowSchemaList`. The object is not validated,
/// and a value of a wrong type stays as it is.
///
/// # Errors
/// [`Lossy`] when something is lost or is shown as something else.
///
/// ```
/// use k8s_flowcontrol_rules::conversion;
/// use k8s_flowcontrol_types::ApiVersion;
/// use serde_json::json;
///
/// let level = json!({"spec": {"type": "Limited", "limited": {"assuredConcurrencyShares": 0}}});
/// let (from, to) = (ApiVersion::V1Beta2, ApiVersion::V1Beta3);
/// let shown = conversion::server_tree(level, "PriorityLevelConfiguration", from, to, "1.28".parse()?)?;
/// assert_eq!(shown["spec"]["limited"], json!({"nominalConcurrencyShares": 30, "lendablePercent": 0}));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn server_tree(
    mut object: Value,
    kind: &str,
    from: ApiVersion,
    to: ApiVersion,
    release: Release,
) -> Result<Value, Lossy<Value>> {
    let mut losses = Vec::new();
    each_item(&mut object, kind, |object, kind, item| {
        let lost = through_server(object, kind, from, to, release);
        losses.extend(lost.into_iter().map(|loss| place(loss, item)));
    });
    if let Some(kind) = kind.strip_suffix("List")
        && parts::schema(kind, from).is_some()
    {
        set_version(&mut object, kind, to);
        losses.extend(prune_list(&mut object, release));
    }
    Lossy::outcome(object, losses)
}

fn through_server(
    object: &mut Value,
    kind: &str,
    from: ApiVersion,
    to: ApiVersion,
    release: Release,
) -> Vec<Loss> {
    let mut losses = Vec::new();
    let is_level = kind == parts::KIND;
    if is_level {
        parts::drop_meaningless(&mut TreeLevel { object, from, to }, from, release);
    }
    prune_reporting(object, kind, from, release, &mut losses);
    defaults::apply(object, kind, from, release);
    if is_level {
        losses.extend(zero_losses(&TreeLevel { object, from, to }, release));
        to_hub(object, from, release);
        from_hub(object, to, release);
        parts::drop_meaningless(&mut TreeLevel { object, from, to }, to, release);
    }
    set_version(object, kind, to);
    prune_reporting(object, kind, to, release, &mut losses);
    losses
}

/// A zero that the target cannot show, and an annotation that the server takes away without having used it.
fn zero_losses(level: &TreeLevel<'_>, release: Release) -> Vec<Loss> {
    let said = Said {
        shares: level.shares(),
        annotated: level.is_annotated(),
        version: level.from,
        release,
    };
    let counts = annotation_counts(release);
    let mut losses = Vec::new();
    if said.means_zero()
        && (level.to < ApiVersion::V1Beta3 || level.to == ApiVersion::V1Beta3 && !counts)
    {
        losses.push(parts::no_zero(said, level.to));
    }
    if said.annotated && level.from == ApiVersion::V1Beta3 && counts && !said.means_zero() {
        let why = "removed: it only keeps zero shares, and these are none";
        losses.push(parts::annotation_loss(why));
    }
    losses
}

/// The step of server conversion between decoding and encoding: no defaults, no report.
///
/// The defaults of `from` are expected to be applied already, as a server applies them before it
/// converts. v1 is the hub: what it holds is what a server holds in memory. Members that `to` does not
/// know, in this release, are dropped. A server that keeps objects in memory takes this step; to learn what
/// becomes of an object use [`server_tree`].
///
/// ```
/// use k8s_flowcontrol_rules::conversion;
/// use k8s_flowcontrol_types::{ApiVersion, convert};
/// use serde_json::json;
///
/// let level = json!({"spec": {"type": "Limited", "limited": {"nominalConcurrencyShares": 0}}});
/// let old = conversion::server_step(
///     level, "PriorityLevelConfiguration", ApiVersion::V1, ApiVersion::V1Beta3, "1.30".parse()?,
/// );
/// assert_eq!(old["metadata"]["annotations"][convert::PRESERVE_ZERO_ANNOTATION], "");
/// # Ok::<(), k8s_flowcontrol_types::release::UnknownRelease>(())
/// ```
pub fn server_step(
    mut object: Value,
    kind: &str,
    from: ApiVersion,
    to: ApiVersion,
    release: Release,
) -> Value {
    if kind == parts::KIND && from != to {
        to_hub(&mut object, from, release);
        from_hub(&mut object, to, release);
    }
    set_version(&mut object, kind, to);
    prune(&mut object, kind, to, release);
    object
}

fn to_hub(object: &mut Value, from: ApiVersion, release: Release) {
    let to = ApiVersion::V1;
    let mut level = TreeLevel { object, from, to };
    rename(&mut level);
    if from == ApiVersion::V1Beta3 && annotation_counts(release) {
        level.unannotate();
    }
    // The hub holds a plain integer: what defaulting left out is zero.
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
        // A member of the target's name is unknown in the source.
        level.drop_foreign();
        level.rename_shares();
    }
}

/// Drops what no list has.
pub(super) fn prune_list(list: &mut Value, release: Release) -> Vec<Loss> {
    let mut losses = Vec::new();
    let Some(members) = list.as_object_mut() else {
        return losses;
    };
    let why = "dropped: a server does not know it";
    members.retain(|name, value| {
        let is_known = matches!(name.as_str(), "apiVersion" | "kind" | "metadata" | "items");
        if !is_known && !value.is_null() {
            losses.push(Loss::new(name.as_str(), why));
        }
        is_known
    });
    if let Some(metadata) = members.get_mut("metadata") {
        prune_to(&LIST_META, metadata, release, &mut |path, value| {
            if !value.is_null() {
                losses.push(Loss::new(format!("metadata.{path}"), why));
            }
        });
    }
    losses
}
