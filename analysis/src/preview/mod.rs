//! The observable changes between two releases, in general and for certain objects, limits, rules and dashboards.
//!
//! ```
//! use k8s_flowcontrol_analysis::preview::{Area, Preview};
//! use k8s_flowcontrol_analysis::upgrade::Plan;
//!
//! let plan = Plan::new("1.36".parse()?, "1.37".parse()?);
//! let mut preview = Preview::new(plan);
//! preview.add_text("alerts.yaml", "apiserver_flowcontrol_request_concurrency_limit > 0");
//! assert!(preview.changes().iter().any(|change| change.area == Area::Server));
//! # Ok::<(), k8s_flowcontrol_types::release::UnknownRelease>(())
//! ```

mod maintained;
mod requests;

pub use requests::Requests;

use maintained::maintained_levels;

use crate::metrics::catalog::{self, Stability};
use crate::upgrade::Plan;
use k8s_flowcontrol_rules::bootstrap::{self, AUTO_UPDATE_ANNOTATION, BootstrapObject};
use k8s_flowcontrol_rules::limits::{LevelChange, ServerLimits};
use k8s_flowcontrol_rules::{defaults, validate};
use k8s_flowcontrol_types::__named as named;
use k8s_flowcontrol_types::api::v1::PriorityLevelConfiguration;
use k8s_flowcontrol_types::kind::VersionedKind;
use k8s_flowcontrol_types::{ApiVersion, Fact, Kind, Release, convert};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;

const DEPRECATIONS: &str = "https://kubernetes.io/docs/reference/using-api/deprecation-guide/";
const METRICS: &str = "https://kubernetes.io/docs/reference/instrumentation/metrics/";

/// The changes of an upgrade. More are found as objects, levels and texts are added.
#[derive(Clone, Debug)]
pub struct Preview {
    plan: Plan,
    changes: Vec<Change>,
}

/// A change between the two releases.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The part of the server or of the configuration that changes.
    pub area: Area,
    /// The name of the changed version, object, level or metric; for [`Area::Server`] the name of the fact.
    pub subject: String,
    /// The change, in a sentence.
    pub summary: String,
    /// The place that the change is known from.
    pub source: String,
}

/// The change on one line, without the source. The name of a fact says less than its sentence, and is left out.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.area == Area::Server || self.summary.contains(&self.subject) {
            true => f.write_str(&self.summary),
            false => write!(f, "{}: {}", self.subject, self.summary),
        }
    }
}

named! {
    /// The subject of a change.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Area {
        /// The versions of the API that the server serves.
        Versions = "versions",
        /// The verdict about an object that was added with [`Preview::add_object`].
        Validation = "validation",
        /// The built-in objects.
        BuiltIn = "built-in",
        /// The seats of levels that were added with [`Preview::add_levels`], and of requests that were added with
        /// [`Preview::add_requests`].
        Seats = "seats",
        /// The encodings that clients may not read.
        Encodings = "encodings",
        /// The metrics of flow control.
        Metrics = "metrics",
        /// Any other behaviour of the server.
        Server = "server",
    }
    /// The word of reports, such as `built-in`.
    pub fn as_str;
}

impl Preview {
    /// The changes that concern every user: versions, built-in objects, metrics and the behaviour of the server.
    pub fn new(plan: Plan) -> Self {
        let mut preview = Self {
            plan,
            changes: Vec::new(),
        };
        preview.add_versions();
        preview.add_built_in();
        preview.add_metrics();
        preview.add_facts();
        preview
    }

    /// The changes found so far, in the order in which they were found.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The releases before and after the changes.
    pub const fn plan(&self) -> Plan {
        self.plan
    }

    fn push(&mut self, area: Area, subject: &str, summary: String, source: &str) {
        self.changes.push(Change {
            area,
            subject: subject.to_owned(),
            summary,
            source: source.to_owned(),
        });
    }

    fn add_versions(&mut self) {
        let Plan { from, to, .. } = self.plan;
        for version in ApiVersion::ALL.iter().copied() {
            let summary = match (version.is_served_by(from), version.is_served_by(to)) {
                (true, false) => format!("{version} is not served any more"),
                (false, true) => format!("{version} is served"),
                _ => continue,
            };
            self.push(Area::Versions, version.as_str(), summary, DEPRECATIONS);
        }
    }

    fn add_built_in(&mut self) {
        let Plan { from, to, .. } = self.plan;
        let (before, after) = (bootstrap::objects(from), bootstrap::objects(to));
        let source = "the built-in objects of both releases";
        for old in &before {
            let title = format!("{} {}", old.kind, old.name);
            let new = after
                .iter()
                .find(|new| (new.kind, new.name) == (old.kind, old.name));
            let summary = match new {
                None => {
                    format!(
                        "is not created any more, and an existing one is deleted if its annotation {AUTO_UPDATE_ANNOTATION} is \"true\""
                    )
                }
                // The same spec with the defaults of the new release is not a change.
                Some(new) if with_defaults(new, to) != with_defaults(old, to) => {
                    "has another spec".to_owned()
                }
                Some(_) => continue,
            };
            let summary = format!("the built-in {title} {summary}");
            self.push(Area::BuiltIn, &title, summary, source);
        }
        for new in &after {
            let is_new = !before
                .iter()
                .any(|old| (old.kind, old.name) == (new.kind, new.name));
            if is_new {
                let title = format!("{} {}", new.kind, new.name);
                let summary = format!("the built-in {title} is created");
                self.push(Area::BuiltIn, &title, summary, source);
            }
        }
    }

    fn add_metrics(&mut self) {
        for metric in catalog::ALL {
            if let Some(summary) = self.metric_change(metric) {
                self.push(Area::Metrics, metric.name(), summary, METRICS);
            }
        }
    }

    fn metric_change(&self, metric: &catalog::Metric) -> Option<String> {
        let (before, after) = (
            metric.stability(self.plan.from),
            metric.stability(self.plan.to),
        );
        if before == after {
            return None;
        }
        Some(match (before, after) {
            (_, None) => "is gone".to_owned(),
            (None, Some(stability)) => format!("is new, and {}", stability_word(stability)),
            (_, Some(stability)) => format!("is {} now", stability_word(stability)),
        })
    }

    fn add_facts(&mut self) {
        let Plan { from, to, .. } = self.plan;
        for fact in Fact::ALL {
            let summary = match (from.has(*fact), to.has(*fact)) {
                (false, true) => fact.summary().to_owned(),
                (true, false) => format!("No longer: {}", fact.summary()),
                _ => continue,
            };
            self.push(Area::Server, &format!("{fact:?}"), summary, fact.source());
        }
    }

    /// Adds the changes of a server's verdict about creating an object, which is written in `version`; and that the object cannot be created
    /// on either release, if neither serves the version.
    ///
    /// `title` names the object in the result, such as `level.yaml: FlowSchema "mine"`.
    pub fn add_object(&mut self, title: &str, kind: Kind, version: ApiVersion, object: &Value) {
        let Plan { from, to, .. } = self.plan;
        let unserved = match (version.is_served_by(from), version.is_served_by(to)) {
            (true, true) => None,
            (true, false) => Some(format!("{to} does not serve {version}: migrate it first")),
            (false, true) => Some(format!("{from} does not serve {version}, and {to} does")),
            (false, false) => Some(format!(
                "neither {from} nor {to} serves {version}: migrate it first"
            )),
        };
        if let Some(summary) = unserved {
            self.push(Area::Validation, title, summary, DEPRECATIONS);
            return;
        }
        let verdict = |release| messages(object, VersionedKind::new(kind, version, release));
        self.add_verdicts(title, &verdict(from), &verdict(to));
    }

    /// Adds the changes of a server's verdict about an object that the server has, in the shape of v1.
    ///
    /// Servers return and take it in each version that they serve: the verdicts are those about the preferred version of each release.
    pub fn add_stored_object(&mut self, title: &str, kind: Kind, object: &Value) {
        let verdict = |release: Release| {
            let newest = VersionedKind::new(kind, ApiVersion::V1, release);
            let version = release.preferred();
            // Fields that the version lacks are not the server's either.
            let object = match convert::shape_tree(object.clone(), newest, version) {
                Ok(object) => object,
                Err(lossy) => lossy.into_object(),
            };
            messages(&object, newest.in_version(version))
        };
        let Plan { from, to, .. } = self.plan;
        self.add_verdicts(title, &verdict(from), &verdict(to));
    }

    fn add_verdicts(&mut self, title: &str, before: &BTreeSet<String>, after: &BTreeSet<String>) {
        let Plan { from, to, .. } = self.plan;
        let source = "validation of both releases";
        for gone in before.difference(after) {
            let summary = match after.is_empty() {
                true => format!("{to} accepts it, and {from} rejects it: {gone}"),
                false => format!("{to} no longer says: {gone}"),
            };
            self.push(Area::Validation, title, summary, source);
        }
        for new in after.difference(before) {
            let verdict = match before.is_empty() {
                true => "rejects it",
                false => "says",
            };
            let summary = format!("{to} {verdict}: {new}");
            self.push(Area::Validation, title, summary, source);
        }
    }

    /// Adds the changes of the nominal, minimum and maximum seats of all levels on a server with `seats` seats. A server resets built-in
    /// levels that nobody has taken over to the spec of its release, and creates the missing ones.
    pub fn add_levels(&mut self, levels: &[PriorityLevelConfiguration], seats: u32) {
        let Plan { from, to, .. } = self.plan;
        let limits =
            |release| ServerLimits::new(&maintained_levels(levels, release), seats, release);
        let (before, after) = (limits(from), limits(to));
        for change in before.changes_to(&after) {
            let of = |limits: &ServerLimits| {
                limits.level(change.name()).map_or_else(
                    || "none".to_owned(),
                    |level| format!("{} seats", level.nominal),
                )
            };
            let mut summary = format!(
                "nominal limit: {} before, {} after",
                of(&before),
                of(&after)
            );
            if matches!(change, LevelChange::Changed { .. }) {
                let difference = change.seats();
                summary += &format!(
                    "; minimum {:+}, maximum {:+}",
                    difference.minimum, difference.maximum
                );
            }
            let source = "limits of both releases";
            self.push(Area::Seats, change.name(), summary, source);
        }
    }

    /// Adds the metrics in a text that change: rules of Prometheus, dashboards, configurations.
    ///
    /// `name` names the text in the result.
    pub fn add_text(&mut self, name: &str, text: &str) {
        let is_part = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        let metrics: BTreeSet<&str> = text
            .split(is_part)
            .filter_map(|word| catalog::find(word).map(catalog::Metric::name))
            .collect();
        for metric in metrics.into_iter().filter_map(catalog::find) {
            if let Some(summary) = self.metric_change(metric) {
                let summary = format!("{} {summary}", metric.name());
                self.push(Area::Metrics, name, summary, METRICS);
            }
        }
    }
}

/// The spec of a built-in object as a server of `release` completes it.
fn with_defaults(object: &BootstrapObject, release: Release) -> Value {
    let mut tree = object.tree();
    let kind = VersionedKind::new(object.kind, ApiVersion::V1, release);
    defaults::apply(&mut tree, kind);
    tree["spec"].take()
}

/// The messages of a server about an object.
fn messages(object: &Value, kind: VersionedKind) -> BTreeSet<String> {
    let violations = validate::create(object, kind);
    violations.iter().map(ToString::to_string).collect()
}

const fn stability_word(stability: Stability) -> &'static str {
    match stability {
        Stability::Stable => "stable",
        Stability::Beta => "beta",
        Stability::Alpha => "alpha",
    }
}
