//! `match --requests`: classifying the requests of a file.

use crate::failure::Failure;
use crate::input;
use crate::output::{Streams, write_line};
use k8s_flowcontrol::rules::matching::{Classifier, RequestAttributes, User};
use serde::{Deserialize, Serialize};
use std::path::Path;

const FORM: &str = "a request is a JSON object in one line with the fields user, groups, verb, isResourceRequest, apiGroup, \
    resource, subresource, namespace, name and path, all optional: verb defaults to get, and isResourceRequest to true with a resource";

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct Line {
    user: Option<String>,
    groups: Option<Vec<String>>,
    verb: Option<String>,
    is_resource_request: Option<bool>,
    api_group: Option<String>,
    resource: Option<String>,
    subresource: Option<String>,
    namespace: Option<String>,
    name: Option<String>,
    path: Option<String>,
}

/// The classification of a request.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    flow_schema: Option<&'a str>,
    priority_level: Option<&'a str>,
}

/// Prints the classification of each request of a file.
pub(super) fn classify(
    file: &Path,
    classifier: &Classifier,
    streams: &mut Streams,
) -> Result<(), Failure> {
    input::each_line(file, input::open, ("requests", FORM), |_, line: Line| {
        let request = RequestAttributes::from(line);
        let taken = classifier.classify(&request);
        let answer = Answer {
            flow_schema: taken.map(|taken| taken.flow_schema),
            priority_level: taken.map(|taken| taken.priority_level),
        };
        Ok(write_line(&mut streams.out, &answer)?)
    })
}

impl From<Line> for RequestAttributes {
    fn from(line: Line) -> Self {
        Self {
            user: match line.user {
                Some(name) => match line.groups {
                    Some(groups) => User::impersonated(name, groups),
                    None => User::named(name),
                },
                None => User::new("", line.groups.unwrap_or_default()),
            },
            verb: line.verb.unwrap_or_else(|| "get".to_owned()),
            is_resource_request: line
                .is_resource_request
                .unwrap_or_else(|| line.resource.as_ref().is_some_and(|name| !name.is_empty())),
            api_group: line.api_group.unwrap_or_default(),
            resource: line.resource.unwrap_or_default(),
            subresource: line.subresource.unwrap_or_default(),
            namespace: line.namespace.unwrap_or_default(),
            name: line.name.unwrap_or_default(),
            path: line.path.unwrap_or_default(),
        }
    }
}
