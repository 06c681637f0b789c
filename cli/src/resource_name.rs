//! Resources on the command line: `pods`, `deployments.apps` or `pods/log`.

use crate::failure::Failure;
use crate::similar_name;
use k8s_flowcontrol_analysis::api_resources::{
    CORE_RESOURCES, GROUPED_RESOURCES, PATH_VERBS, RESOURCE_VERBS, ResourceName, can_exist,
};

/// Reads `RESOURCE[.GROUP][/SUBRESOURCE]`: a resource that can exist, with a verb of requests for resources.
/// Errors: a misspelt word, with the nearest known one.
pub(crate) fn resource_name<'a>(text: &'a str, verb: &str) -> Result<ResourceName<'a>, Failure> {
    check_verb(verb, &RESOURCE_VERBS)?;
    let name = ResourceName::of(text);
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

/// Checks a path or a URL, and the verb of a request for it.
/// Errors: a path without a slash at its beginning, or an unknown verb.
pub(crate) fn check_path(path: &str, verb: &str) -> Result<(), Failure> {
    check_verb(verb, &PATH_VERBS)?;
    match path.starts_with('/') || path.contains("://") {
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
