//! `apply --prune`: deleting objects that were applied and are no longer in the files.

use crate::cluster::{Deed, Live, Manifest, WriteArgs, name, title};
use crate::failure::Failure;
use crate::output::Streams;
use k8s_flowcontrol::Kind;
use serde_json::Value;
use std::io::Write;

/// Deletes objects that match the selector, were applied by the same field manager, and are not in the files. Returns the
/// number of managed objects that were not deleted.
pub(super) async fn prune(
    live: &Live,
    selector: &str,
    manifests: &[Manifest],
    write: &WriteArgs,
    streams: &mut Streams,
) -> Result<usize, Failure> {
    let mut left = 0;
    for kind in Kind::ALL.iter().copied() {
        for object in live.list(kind, Some(selector)).await? {
            let is_wanted = manifests
                .iter()
                .any(|manifest| manifest.kind == kind && manifest.name() == name(&object));
            if is_wanted || !was_applied(&object, &write.field_manager) {
                continue;
            }
            if let Err(failure) = write.check_owner(Deed::Delete, kind, &object) {
                failure.report(streams);
                left += 1;
                continue;
            }
            if !write.is_client_dry_run() {
                live.delete(kind, &object, write).await?;
            }
            let title = title(kind, name(&object));
            writeln!(streams.out, "{title} pruned{}", write.note())?;
        }
    }
    Ok(left)
}

fn was_applied(object: &Value, manager: &str) -> bool {
    let entries = object["metadata"]["managedFields"].as_array();
    entries.into_iter().flatten().any(|entry| {
        entry["operation"] == "Apply"
            && entry["manager"] == manager
            && entry.get("subresource").is_none()
    })
}
