//! The errors of an apply: fields that other field managers own, and fields that the schema does not have.

use crate::cluster::Manifest;
use crate::exit::Exit;
use crate::failure::Failure;
use k8s_flowcontrol::Error;

pub(super) fn explain(manifest: &Manifest, error: Error) -> Failure {
    match conflict(manifest, &error) {
        Some(conflict) => Failure::new(Exit::Findings, conflict).hint(
            "use `--force-conflicts` to take over these fields, or remove them from the file",
        ),
        None => {
            let message = format!("{}: {error}", manifest.document.title());
            let is_unknown_field = message.contains("field not declared in schema");
            let hint = "`kubectl flowcontrol validate -f FILE` shows the line of the field";
            Failure::new(Exit::Cluster, message).hint_if(is_unknown_field.then(|| hint.to_owned()))
        }
    }
}

/// The fields that other field managers own, if an apply failed because of them.
pub(crate) fn conflict(manifest: &Manifest, error: &Error) -> Option<String> {
    if !error.is_conflict() || error.causes().is_empty() {
        return None;
    }
    let mut message = format!("{}: conflict over", manifest.document.title());
    for (index, cause) in error.causes().iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let field = cause
            .field
            .as_deref()
            .unwrap_or_default()
            .trim_start_matches('.');
        let owner = cause.message.as_deref().unwrap_or_default();
        message.push_str(&format!("{comma} {field} ({owner})"));
    }
    Some(message)
}
