//! The group of a request.

use super::identity::Identity;
use super::tally::By;
use crate::audit::Event;
use crate::redact::Redactor;

impl By {
    /// The group of a request, with names replaced as `redactor` does.
    pub(crate) fn group(
        self,
        event: &Event<'_>,
        identity: &Identity,
        redactor: &Redactor,
    ) -> String {
        let attributes = || event.attributes();
        match self {
            By::Caller => identity.caller.clone(),
            By::User => redactor.user(&event.effective_user().name),
            By::Agent => redactor.user_agent(&event.user_agent),
            By::Verb => event.verb.to_string(),
            By::Namespace => redactor.namespace(&attributes().namespace),
            By::Resource => {
                let request = attributes();
                if !request.is_resource_request {
                    return redactor.path(&request.path);
                }
                let mut name = request.resource;
                if !request.api_group.is_empty() {
                    name = format!("{name}.{}", request.api_group);
                }
                match request.subresource.is_empty() {
                    true => name,
                    false => format!("{name}/{}", request.subresource),
                }
            }
        }
    }
}
