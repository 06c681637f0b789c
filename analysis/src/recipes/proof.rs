//! The proof of a recipe: the flow schemas and levels of requests before and after.

use super::{Client, Recipes};
use k8s_flowcontrol_rules::bootstrap;
use k8s_flowcontrol_rules::matching::{
    Classifier, PolicyRule, RequestAttributes, Subject, UNAUTHENTICATED,
};
use k8s_flowcontrol_types::Resource;
use std::collections::BTreeSet;

/// A method and a URL.
pub(super) type Sort = (&'static str, String);

/// A request of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProvenRequest {
    /// The method and the URL.
    pub title: String,
    /// The request, with the user and the groups.
    pub request: RequestAttributes,
    /// The schema and level without the recipe; `None` if flow control does not apply to the request. Where groups are unknown,
    /// those of a user without further groups.
    pub before: Option<Taken>,
    /// The schemas that take the request without the recipe if the user is in a further group, where groups are unknown.
    pub before_by_group: Vec<TakenByGroup>,
    /// The schema and level with the recipe.
    pub after: Option<Taken>,
    /// The same with the recipe, such as `exempt` for `system:masters`.
    pub after_by_group: Vec<TakenByGroup>,
}

/// The objects that take a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Taken {
    /// The name of the flow schema.
    pub flow_schema: String,
    /// The name of the priority level.
    pub priority_level: String,
}

/// The objects that take a request of a user who is in a group.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TakenByGroup {
    /// The name of the group.
    pub group: String,
    /// The schema and the level.
    pub taken: Taken,
}

impl ProvenRequest {
    pub(super) fn is_taken_by(&self, schema: &str) -> bool {
        let after = self.after.as_ref();
        after.is_some_and(|taken| taken.flow_schema == schema)
    }

    /// The flow schema that exempts the request.
    pub(super) fn exempt(&self) -> Option<String> {
        let after = self.after.as_ref();
        let exempt = after.filter(|taken| taken.priority_level == "exempt");
        exempt.map(|taken| taken.flow_schema.clone())
    }
}

impl Recipes {
    pub(super) fn prove(
        &self,
        after: &Self,
        client: &Client,
        sorts: &[Sort],
    ) -> Vec<ProvenRequest> {
        let classifier =
            |of: &Self| Classifier::new(&of.flow_schemas, &of.priority_levels, of.release);
        let (before, after) = (classifier(self), classifier(after));
        let requests = sorts.iter().filter_map(|(method, url)| {
            let request = RequestAttributes::from_http(method, url, client.user()).ok()?;
            Some(ProvenRequest {
                title: format!("{method} {url}"),
                before: taken(&before, &request),
                before_by_group: self.by_group(&before, client, &request),
                after: taken(&after, &request),
                after_by_group: self.by_group(&after, client, &request),
                request,
            })
        });
        requests.collect()
    }

    /// The other schemas that take a request if the user is in a further group.
    fn by_group(
        &self,
        classifier: &Classifier,
        client: &Client,
        request: &RequestAttributes,
    ) -> Vec<TakenByGroup> {
        if client.groups().is_some() {
            return Vec::new();
        }
        let without = taken(classifier, request);
        // A server has the mandatory ones, whether they are given or not.
        let built_in = bootstrap::flow_schemas(self.release);
        let mandatory = built_in
            .iter()
            .filter(|schema| bootstrap::is_mandatory(schema.name()));
        let rules = self
            .flow_schemas
            .iter()
            .chain(mandatory)
            .flat_map(|schema| {
                let rules = schema.spec.rules.iter().map(PolicyRule::new);
                rules.flat_map(|rule| rule.subjects)
            });
        let groups: BTreeSet<String> = rules
            .filter_map(|subject| match subject {
                Subject::Group(group) if group != UNAUTHENTICATED => Some(group),
                _ => None,
            })
            .collect();
        let by_group = groups.into_iter().filter_map(|group| {
            let mut request = request.clone();
            request.user.groups.push(group.clone());
            let taken = taken(classifier, &request)?;
            (Some(&taken) != without.as_ref()).then_some(TakenByGroup { group, taken })
        });
        by_group.collect()
    }
}

fn taken(classifier: &Classifier, request: &RequestAttributes) -> Option<Taken> {
    let taken = classifier.classify(request)?;
    Some(Taken {
        flow_schema: taken.flow_schema.to_owned(),
        priority_level: taken.priority_level.to_owned(),
    })
}

/// Requests of several sorts.
pub(super) fn sorts() -> Vec<Sort> {
    [
        ("GET", "/api/v1/namespaces/default/pods"),
        ("GET", "/api/v1/pods?watch=1"),
        ("PATCH", "/apis/apps/v1/namespaces/default/deployments/web"),
        (
            "PUT",
            "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/x",
        ),
        ("GET", "/api/v1/nodes/n"),
        ("GET", "/metrics"),
        ("GET", "/healthz"),
    ]
    .map(|(method, url)| (method, url.to_owned()))
    .into()
}
