//! The gauge of requested deprecated versions.

use crate::locks::lock;
use k8s_flowcontrol_types::GROUP;
use std::collections::BTreeSet;
use std::sync::Mutex;

const NAME: &str = "apiserver_requested_deprecated_apis";
const HELP: &str = "[STABLE] Gauge of deprecated APIs that have been requested, broken out by API \
    group, version, resource, subresource, and removed_release.";

/// A resource in a deprecated version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DeprecatedApi {
    /// The first minor release without the version.
    pub(crate) removed: u32,
    pub(crate) resource: &'static str,
    pub(crate) subresource: &'static str,
    pub(crate) version: &'static str,
}

/// The deprecated versions that were requested since the server started.
#[derive(Debug, Default)]
pub(crate) struct DeprecatedApis(Mutex<BTreeSet<DeprecatedApi>>);

impl DeprecatedApis {
    pub(crate) fn note(&self, api: DeprecatedApi) {
        let mut requested = lock(&self.0);
        requested.insert(api);
    }

    /// The text of the metrics. A gauge without values is missing.
    pub(crate) fn text(&self) -> String {
        let requested = lock(&self.0);
        if requested.is_empty() {
            return String::new();
        }
        let mut text = format!("# HELP {NAME} {HELP}\n# TYPE {NAME} gauge\n");
        for DeprecatedApi {
            removed,
            resource,
            subresource,
            version,
        } in &*requested
        {
            text += &format!(
                "{NAME}{{group=\"{GROUP}\",removed_release=\"1.{removed}\",resource=\"{resource}\",\
                 subresource=\"{subresource}\",version=\"{version}\"}} 1\n"
            );
        }
        text
    }
}
