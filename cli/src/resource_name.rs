//! Resources on the command line: `pods`, `deployments.apps` or `pods/log`.

use crate::failure::Failure;
use crate::similar_name;
use k8s_flowcontrol::rules::matching::RequestAttributes;
use k8s_flowcontrol_analysis::api_resources::{
    CORE_RESOURCES, GROUPED_RESOURCES, PATH_VERBS, RESOURCE_VERBS, can_exist,
};

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

    /// As [`of`](Self::of), for a resource that can exist, and a verb of requests for resources.
    ///
    /// # Errors
    /// A misspelt word, with the nearest known one.
    pub(crate) fn checked(text: &'a str, verb: &str) -> Result<Self, Failure> {
        check_verb(verb, &RESOURCE_VERBS)?;
        let name = Self::of(text);
        if can_exist(name.resource, name.group) {
            return Ok(name);
        }
        let grouped = GROUPED_RESOURCES.iter().copied();
        let same = grouped.clone().find(|known| {
            known
                .split_once('.')
                .is_some_and(|(resource, _)| resource == name.resource)
        });
        let hint = match same {
            Some(same) => Some(format!("did you mean `{same}`?")),
            None => {
                let all: Vec<_> = CORE_RESOURCES.iter().copied().chain(grouped).collect();
                let (wanted, _) = text.split_once('/').unwrap_or((text, ""));
                similar_name::hint(wanted, &all)
            }
        };
        let message = format!("there is no resource `{text}`");
        Err(Failure::usage(message).hint(hint.unwrap_or_else(|| {
            "resources of a group have the form RESOURCE.GROUP, such as deployments.apps".to_owned()
        })))
    }

    /// Makes a request one for this resource.
    pub(crate) fn fill(self, request: &mut RequestAttributes) {
        request.is_resource_request = true;
        request.api_group = self.group.to_owned();
        request.resource = self.resource.to_owned();
        request.subresource = self.subresource.to_owned();
    }
}

/// Checks a path, and the verb of a request for it.
///
/// # Errors
/// A path without a slash at its beginning, or an unknown verb.
pub(crate) fn check_path(path: &str, verb: &str) -> Result<(), Failure> {
    check_verb(verb, &PATH_VERBS)?;
    match path.starts_with('/') {
        true => Ok(()),
        false => Err(Failure::usage(format!("`{path}` is not a path"))
            .hint(format!("did you mean `/{path}`?"))),
    }
}

fn check_verb(verb: &str, known: &[&str]) -> Result<(), Failure> {
    match known.contains(&verb) {
        true => Ok(()),
        false => Err(Failure::usage(format!("there is no verb `{verb}`"))
            .hint_if(similar_name::hint(verb, known))),
    }
}
