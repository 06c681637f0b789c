//! Resources on the command line: `pods`, `deployments.apps` or `pods/log`.

use k8s_flowcontrol::rules::matching::RequestAttributes;

/// A resource, and perhaps a subresource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ResourceName<'a> {
    pub(crate) resource: &'a str,
    /// Empty for the core group.
    pub(crate) group: &'a str,
    /// Empty for the resource itself.
    pub(crate) subresource: &'a str,
}

impl<'a> ResourceName<'a> {
    /// Reads `RESOURCE[.GROUP][/SUBRESOURCE]`.
    pub(crate) fn of(text: &'a str) -> Self {
        let (resource, subresource) = text.split_once('/').unwrap_or((text, ""));
        let (resource, group) = resource.split_once('.').unwrap_or((resource, ""));
        Self {
            resource,
            group,
            subresource,
        }
    }

    /// Makes a request one for this resource.
    pub(crate) fn fill(self, request: &mut RequestAttributes) {
        request.is_resource_request = true;
        request.api_group = self.group.to_owned();
        request.resource = self.resource.to_owned();
        request.subresource = self.subresource.to_owned();
    }
}
