//! The proof of a recipe: the flow schemas and levels of requests before and after.

use super::{Client, Recipes};
use k8s_flowcontrol_rules::matching::{Classifier, RequestAttributes};

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
    /// The schema and level without the recipe; `None` if flow control does not apply to the request.
    pub before: Option<Taken>,
    /// The schema and level with the recipe.
    pub after: Option<Taken>,
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
                after: taken(&after, &request),
                request,
            })
        });
        requests.collect()
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
