//! A server's validation of objects: the violations of an object, or the verdict on a whole request.
//!
//! [`create`], [`update`] and [`update_status`] return the causes of the server's 422 for JSON trees, with the server's
//! paths, reasons and messages, in the server's order. The `_typed` functions do the same for typed objects.
//! [`verdict`] also covers decoding (400) and conflicts (409), and returns the server's Status.
//!
//! The rules depend on kind, version and release, which form a [`VersionedKind`]. Servers up to 1.33 print invalid
//! values as Go source with memory addresses; here all addresses are equal.
//!
//! ```
//! use k8s_flowcontrol_rules::validate;
//! use k8s_flowcontrol_types::kind::VersionedKind;
//! use k8s_flowcontrol_types::{ApiVersion, Kind, Release};
//! use serde_json::json;
//!
//! let schema = json!({"metadata": {"name": "mine"}, "spec": {
//!     "matchingPrecedence": 1,
//!     "priorityLevelConfiguration": {"name": "workload-low"},
//! }});
//! let kind = VersionedKind::new(Kind::FlowSchema, ApiVersion::V1, Release::NEWEST);
//! let violations = validate::create(&schema, kind);
//! assert_eq!(
//!     violations[0].to_string(),
//!     "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have \
//!      matchingPrecedence 1",
//! );
//! ```

mod conditions;
mod declarative;
mod described;
mod flow_schema;
mod go_value;
mod internal;
mod managed_fields;
mod mandatory;
mod metadata;
mod names;
mod owner_references;
mod policy_rules;
mod priority_level;
mod queuing;
mod repeated;
mod status;
mod subjects;
pub mod verdict;
mod violation;
mod wording;

use crate::decode::{decode, tree_of};
use crate::{conversion, defaults};
use internal::{FlowSchemaSpec, LevelSpec};
use k8s_flowcontrol_text as text;
use k8s_flowcontrol_types::convert::shares_name;
use k8s_flowcontrol_types::json;
use k8s_flowcontrol_types::kind::{Versioned, VersionedKind};
use k8s_flowcontrol_types::{ApiVersion, Fact, Kind, Release};
use metadata::{Metadata, NameRule};
use priority_level::{LevelRules, ShareRule};
use serde_json::Value;
use std::borrow::Cow;
use violation::{Path, Report};
use wording::Wording;

pub use owner_references::dedup_owner_references;
pub use violation::{Reason, Violation};

/// The rules for objects of one kind, in one version, on servers of one release.
///
/// A [`VersionedKind`] converts to the rules of servers with default feature gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    kind: VersionedKind,
    zero_shares: bool,
}

impl From<VersionedKind> for Rules {
    fn from(kind: VersionedKind) -> Self {
        let zero_shares = kind.release.has(Fact::ZeroShares);
        Self { kind, zero_shares }
    }
}

impl Rules {
    /// Sets the feature gate `ZeroLimitedNominalConcurrencyShares`, which only 1.29 has.
    ///
    /// It has no effect in other releases.
    #[must_use]
    pub fn with_zero_limited_shares(mut self, open: bool) -> Self {
        if self.kind.release.has(Fact::ZeroSharesGate) {
            self.zero_shares = open;
        }
        self
    }

    /// The kind, the version and the release.
    pub fn kind(self) -> VersionedKind {
        self.kind
    }
}

/// Returns the violations that make a server reject the creation of `object`.
///
/// The object is expected as decoded: a field of a wrong type counts as absent ([`verdict`] reports it). An object with
/// `generateName` and without a name is validated under a generated name that ends in `xxxxx`; a server that generates
/// names sets the name first.
///
/// ```
/// use k8s_flowcontrol_rules::validate;
/// use k8s_flowcontrol_types::kind::VersionedKind;
/// use k8s_flowcontrol_types::{ApiVersion, Kind, Release};
/// use serde_json::json;
///
/// let kind = VersionedKind::new(Kind::PriorityLevelConfiguration, ApiVersion::V1, Release::NEWEST);
/// let level = json!({"metadata": {"name": "batch"}, "spec": {"type": "Exempt", "exempt": {"lendablePercent": 101}}});
/// let paths: Vec<_> = validate::create(&level, kind).into_iter().map(|violation| violation.field).collect();
/// // Only the level named `exempt` may be exempt, and 101 is not a percentage.
/// assert_eq!(paths, ["spec.type", "spec.exempt.lendablePercent"]);
/// ```
pub fn create(object: &Value, rules: impl Into<Rules>) -> Vec<Violation> {
    let rules = rules.into();
    let mut report = Report::new(rules.kind.release);
    let mut metadata = read_metadata(object, rules.kind);
    if metadata.name.is_empty() && !metadata.generate_name.is_empty() {
        metadata.name = generated_name(&metadata.generate_name);
    }
    check_object(&metadata, object, rules, &mut report);
    report.finish()
}

/// Returns the violations that make a server reject the replacement of `old` by `new`, both in the version of the
/// rules.
///
/// The `status` of the new object is ignored: a server keeps the old one.
pub fn update(old: &Value, new: &Value, rules: impl Into<Rules>) -> Vec<Violation> {
    let mut rules = rules.into();
    let release = rules.kind.release;
    let mut report = Report::new(release);
    let old_metadata = Metadata::read(old);
    let metadata = read_metadata(new, rules.kind);
    let path = Path::new("metadata");
    metadata::check(&metadata, NameRule::PathSegment, &path, &mut report);
    metadata::check_update(&old_metadata, &metadata, &path, &mut report);
    // Where zero shares are invalid, an object that already has them can keep them.
    rules.zero_shares |= release.has(Fact::PreserveZeroAnnotation) && has_zero_shares(old);
    check_object(&metadata, new, rules, &mut report);
    report.finish()
}

/// Returns the violations that make a server reject the `status` of `new` for the object `old`.
///
/// The rest of the new object is ignored: a server keeps and validates the rest of `old`.
pub fn update_status(old: &Value, new: &Value, release: Release) -> Vec<Violation> {
    let mut report = Report::new(release);
    let metadata = Metadata::read(old);
    let path = Path::new("metadata");
    metadata::check(&metadata, NameRule::PathSegment, &path, &mut report);
    metadata::check_update(&metadata, &metadata, &path, &mut report);
    conditions::check(new, &mut report);
    report.finish()
}

/// Returns the violations in the metadata of an object of any kind, also of other API groups: a new object, or a
/// replacement of `old`. The rules of the object's own kind are not included.
///
/// The name must be a DNS subdomain, as for most kinds.
pub fn metadata(object: &Value, old: Option<&Value>, release: Release) -> Vec<Violation> {
    let mut report = Report::new(release);
    let mut metadata = Metadata::read(object);
    if metadata.name.is_empty() && !metadata.generate_name.is_empty() {
        metadata.name = generated_name(&metadata.generate_name);
    }
    let path = Path::new("metadata");
    metadata::check(&metadata, NameRule::Subdomain, &path, &mut report);
    metadata::check_own_finalizers(&metadata, &path, &mut report);
    if let Some(old) = old {
        metadata::check_update(&Metadata::read(old), &metadata, &path, &mut report);
    }
    report.finish()
}

/// The messages of a server of `release` for a label key; empty for a valid one.
pub fn label_key(key: &str, release: Release) -> Vec<String> {
    let messages = names::qualified_name(key, Wording::of(release));
    let reworded = messages.iter().map(|message| release.reworded(message));
    reworded.map(Cow::into_owned).collect()
}

/// The messages of a server of `release` for a label value; empty for a valid one.
pub fn label_value(value: &str, release: Release) -> Vec<String> {
    names::label_value(value, Wording::of(release))
}

/// [`create`] for a typed object; the type determines kind and version.
///
/// Fields that a server of `release` does not know come first, with [`Reason::UnknownField`]: most often they are
/// misspelt.
pub fn create_typed<K: Versioned>(object: &K, release: Release) -> Vec<Violation> {
    let kind = VersionedKind::of::<K>(release);
    let mut violations = unknown_fields(object, kind);
    violations.extend(create(&tree_of(object), kind));
    violations
}

/// [`update`] for typed objects; the type determines kind and version.
///
/// Fields of `new` that a server of `release` does not know come first, with [`Reason::UnknownField`].
pub fn update_typed<K: Versioned>(old: &K, new: &K, release: Release) -> Vec<Violation> {
    let kind = VersionedKind::of::<K>(release);
    let mut violations = unknown_fields(new, kind);
    violations.extend(update(&tree_of(old), &tree_of(new), kind));
    violations
}

/// [`update_status`] for typed objects.
pub fn update_status_typed<K: Versioned>(old: &K, new: &K, release: Release) -> Vec<Violation> {
    update_status(&tree_of(old), &tree_of(new), release)
}

/// The fields of a typed object that a server does not know.
fn unknown_fields<K: Versioned>(object: &K, kind: VersionedKind) -> Vec<Violation> {
    let json = json::to_string(object);
    let Ok(tree) = text::parse_json(json.as_bytes()) else {
        // The writer's output is JSON.
        return Vec::new();
    };
    // An object that does not decode is the concern of the rules.
    let decoded = decode(tree.root(), kind.into());
    let unknown = decoded
        .into_iter()
        .flat_map(|decoded| decoded.unknown_fields);
    let message = "Unknown field: a server drops it, or answers 400 under strict field validation";
    unknown
        .map(|field| Violation {
            field,
            reason: Reason::UnknownField,
            message: message.to_owned(),
        })
        .collect()
}

fn read_metadata(object: &Value, kind: VersionedKind) -> Metadata {
    let mut metadata = Metadata::read(object);
    // Servers that cannot track the owners of an object's fields drop the managed fields of the request.
    if !kind.release.has(Fact::TracksEqualElements)
        && repeated::has_repeated_elements(object, kind.schema())
    {
        metadata.forget_managed_fields();
    }
    metadata
}

/// Checks all rules of the kind: metadata, `spec`, and the built-in `spec` of mandatory objects.
fn check_object(metadata: &Metadata, object: &Value, rules: Rules, report: &mut Report) {
    let VersionedKind {
        kind,
        version,
        release,
    } = rules.kind;
    let path = Path::new("metadata");
    metadata::check(metadata, NameRule::Subdomain, &path, report);
    metadata::check_own_finalizers(metadata, &path, report);
    let hub = hub(object, rules.kind);
    let spec = Path::new("spec");
    match kind {
        Kind::FlowSchema => {
            let schema = FlowSchemaSpec::read(&hub["spec"]);
            flow_schema::check(&metadata.name, &schema, &spec, report);
            mandatory::check_schema(&metadata.name, &schema, release, &spec, report);
        }
        Kind::PriorityLevelConfiguration => {
            // In v1beta3, decoding removes the annotation.
            if release.has(Fact::PreserveZeroAnnotation) && version != ApiVersion::V1Beta3 {
                metadata::check_preserve_zero(metadata, &path, report);
            }
            let level = LevelSpec::read(&hub["spec"]);
            let shares = ShareRule {
                field: shares_name(version),
                allows_zero: rules.zero_shares,
            };
            let rules = LevelRules { shares, release };
            priority_level::check(&metadata.name, &level, rules, &spec, report);
            mandatory::check_level(&metadata.name, &level, release, &spec, report);
            if release.has(Fact::DeclarativeLevelRules) {
                declarative::check(&level, &spec, report);
            }
        }
    }
}

/// The object in the server's internal form: with defaults, in the shape of v1.
fn hub(object: &Value, kind: VersionedKind) -> Value {
    let mut object = object.clone();
    defaults::apply(&mut object, kind);
    conversion::server_step(object, kind, ApiVersion::V1)
}

fn has_zero_shares(level: &Value) -> bool {
    level["spec"]["limited"]["nominalConcurrencyShares"].as_i64() == Some(0)
}

/// A generated name, with `xxxxx` instead of five random characters.
fn generated_name(base: &str) -> String {
    const MAX_BASE: usize = 58;
    let mut end = base.len().min(MAX_BASE);
    while !base.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}xxxxx", &base[..end])
}
