//! Matching: the flow schema and priority level of a request, and the reason.
//!
//! A server tries its flow schemas in order of `matchingPrecedence`, then of their names, and uses the first schema with a
//! rule that matches. Flow schemas that refer to a missing level are skipped. A [`Classifier`] is built once from a
//! configuration and then classifies millions of requests per second; [`Classifier::explain`] also returns the schemas
//! tried.
//!
//! ```
//! use k8s_flowcontrol_types::Release;
//! use k8s_flowcontrol_rules::matching::{Classifier, RequestAttributes, User};
//!
//! // Without any given object, only the mandatory ones exist.
//! let classifier = Classifier::new(&[], &[], Release::NEWEST);
//! let user = User::authenticated("alice", ["dev"]);
//! let request = RequestAttributes::from_http("GET", "/api/v1/namespaces/team-a/pods?watch=1", user)?;
//! assert_eq!((request.verb.as_str(), request.resource.as_str()), ("watch", "pods"));
//!
//! let taken = classifier.classify(&request).unwrap();
//! assert_eq!((taken.flow_schema, taken.priority_level), ("catch-all", "catch-all"));
//! # Ok::<(), k8s_flowcontrol_rules::matching::InvalidRequest>(())
//! ```

mod classifier;
mod cover;
mod explanation;
mod http;
mod index;
mod mismatch;
mod overlap;
mod percent;
mod policy;
mod query;
mod request;
mod subject;
mod user;

pub use classifier::{Classification, Classifier};
pub use cover::is_covered;
pub use explanation::{Considered, Explanation, RuleMatch, Verdict};
pub use http::InvalidRequest;
pub use mismatch::{NonResourceMismatch, ResourceMismatch, RuleMismatch};
pub use overlap::may_overlap;
pub use percent::decode as decode_percent;
pub use policy::{Names, NonResourceRule, PolicyRule, ResourceRule, Url};
pub use query::Query;
pub use request::RequestAttributes;
pub use subject::Subject;
pub use user::{
    ANONYMOUS, AUTHENTICATED, NODE_PREFIX, NODES, SERVICE_ACCOUNT_PREFIX, SERVICE_ACCOUNTS,
    UNAUTHENTICATED, User, service_account_of,
};

use super::objects;
