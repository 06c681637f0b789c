//! What a Kubernetes API server says of an object: every violation at once, or the whole verdict.
//!
//! [`create`], [`update`] and [`update_status`] take trees and return the causes of the server's 422, with the
//! server's paths, reasons and messages, in the server's order. The `_typed` functions do the same for the
//! crate's types. [`verdict`] goes further: from the text of a request, or a tree, to the Status that answers
//! it, with 400 for what does not decode and 409 for conflicts.
//!
//! The rules differ per release and version, which a [`Context`] names. Up to 1.33 servers print refused values
//! as Go source, addresses included; here every address is the same.
//!
//! ```
//! use k8s_flowcontrol_rules::validate;
//! use k8s_flowcontrol_rules::validate::{Context, Kind};
//! use k8s_flowcontrol_types::{ApiVersion, Release};
//! use serde_json::json;
//!
//! let schema = json!({"metadata": {"name": "mine"}, "spec": {
//!     "matchingPrecedence": 1,
//!     "priorityLevelConfiguration": {"name": "workload-low"},
//! }});
//! let context = Context::new(Release::NEWEST, ApiVersion::V1);
//! let violations = validate::create(Kind::FlowSchema, &schema, context);
//! assert_eq!(
//!     violations[0].to_string(),
//!     "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have \
//!      matchingPrecedence 1",
//! );
//! ```

mod conditions;
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

use crate::decode::resource;
use internal::{FlowSchemaSpec, LevelSpec};
use k8s_flowcontrol_types::rt::json;
use k8s_flowcontrol_types::{ApiVersion, Release, Resource};
use metadata::{Metadata, NameRule};
use priority_level::ShareRule;
use serde_json::Value;
use violation::{Path, Report};

pub use owner_references::dedup_owner_references;
pub use violation::{Reason, Violation};

pub use crate::decode::Kind;

/// Which server judges, and in which version the object is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    release: Release,
    version: ApiVersion,
    zero_shares: bool,
}

impl Context {
    /// A server of `release` with its default feature gates, and objects in `version`.
    pub fn new(release: Release, version: ApiVersion) -> Self {
        // Before 1.29 zero cannot be said; 1.29 has a gate, closed by default; then it is open for good.
        Self {
            release,
            version,
            zero_shares: release.minor() >= 30,
        }
    }

    /// Opens or closes the feature gate `ZeroLimitedNominalConcurrencyShares`, which 1.29 has.
    ///
    /// Other releases have no such gate; for them this changes nothing.
    #[must_use]
    pub fn with_zero_limited_shares(mut self, open: bool) -> Self {
        if self.release.minor() == 29 {
            self.zero_shares = open;
        }
        self
    }

    /// The server's release.
    pub fn release(self) -> Release {
        self.release
    }

    /// The version in which objects are written.
    pub fn version(self) -> ApiVersion {
        self.version
    }
}

/// What a server says against creating `object`.
///
/// The object is taken as decoded: members of a wrong type count as absent ([`verdict`] finds those).
/// An object without a name whose `generateName` is set is judged under a generated name, made with the
/// suffix `xxxxx`; a server that generates names sets the name first.
pub fn create(kind: Kind, object: &Value, context: Context) -> Vec<Violation> {
    let mut report = Report::new(context.release);
    let mut metadata = read_metadata(kind, object, context);
    if metadata.name.is_empty() && !metadata.generate_name.is_empty() {
        metadata.name = generated_name(&metadata.generate_name);
    }
    check_object(
        kind,
        &metadata,
        object,
        context,
        context.zero_shares,
        &mut report,
    );
    report.finish()
}

/// What a server says against replacing `old` by `new`, both in the context's version.
///
/// `status` of the new object does not count: a server keeps the old one.
pub fn update(kind: Kind, old: &Value, new: &Value, context: Context) -> Vec<Violation> {
    let mut report = Report::new(context.release);
    let old_metadata = Metadata::read(old);
    let metadata = read_metadata(kind, new, context);
    let path = Path::new("metadata");
    metadata::check(&metadata, NameRule::PathSegment, &path, &mut report);
    metadata::check_update(&old_metadata, &metadata, &path, &mut report);
    // Where zero shares are not allowed, an object that has them may keep them.
    let zero_shares =
        context.zero_shares || (context.release.minor() >= 29 && has_zero_shares(old));
    check_object(kind, &metadata, new, context, zero_shares, &mut report);
    report.finish()
}

/// What a server says against replacing the `status` of `old` by the one of `new`.
///
/// Everything else of the new object does not count: a server keeps what is there, and judges that again.
pub fn update_status(old: &Value, new: &Value, context: Context) -> Vec<Violation> {
    let mut report = Report::new(context.release);
    let metadata = Metadata::read(old);
    let path = Path::new("metadata");
    metadata::check(&metadata, NameRule::PathSegment, &path, &mut report);
    metadata::check_update(&metadata, &metadata, &path, &mut report);
    conditions::check(new, &mut report);
    report.finish()
}

/// What a server says against the metadata of an object of any kind, also of other groups: one that is to
/// be created, or to replace `old`. What the kind's own rules say comes on top.
///
/// The name must be a DNS subdomain, which is what most kinds ask for.
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

/// [`create`] for a typed object: its type says the version.
pub fn create_typed<K: Resource>(object: &K, release: Release) -> Vec<Violation> {
    match typed::<K>(release) {
        Some((kind, context)) => create(kind, &tree(object), context),
        None => Vec::new(),
    }
}

/// [`update`] for typed objects: their type says the version.
pub fn update_typed<K: Resource>(old: &K, new: &K, release: Release) -> Vec<Violation> {
    match typed::<K>(release) {
        Some((kind, context)) => update(kind, &tree(old), &tree(new), context),
        None => Vec::new(),
    }
}

/// [`update_status`] for typed objects: their type says the version.
pub fn update_status_typed<K: Resource>(old: &K, new: &K, release: Release) -> Vec<Violation> {
    match typed::<K>(release) {
        Some((_, context)) => update_status(&tree(old), &tree(new), context),
        None => Vec::new(),
    }
}

/// The kind and the version of a type; nothing for types of other groups, which have no rules here.
fn typed<K: Resource>(release: Release) -> Option<(Kind, Context)> {
    let kind = Kind::ALL
        .into_iter()
        .find(|kind| kind.as_str() == K::KIND)?;
    let version = K::API_VERSION
        .parse()
        .ok()
        .filter(|_| K::GROUP == k8s_flowcontrol_types::GROUP)?;
    Some((kind, Context::new(release, version)))
}

fn tree<K: Resource>(object: &K) -> Value {
    // The crate's types have string keys and finite numbers only, so that this cannot fail.
    json::to_tree(object).unwrap_or_default()
}

fn read_metadata(kind: Kind, object: &Value, context: Context) -> Metadata {
    let mut metadata = Metadata::read(object);
    let Context {
        release, version, ..
    } = context;
    // Servers that cannot track an object's fields forget what the request says of them.
    if release.minor() <= 28
        && repeated::has_repeated_elements(object, resource(kind, version).schema)
    {
        metadata.forget_managed_fields();
    }
    metadata
}

/// The rules of a kind: metadata, `spec`, and what the mandatory objects must be.
fn check_object(
    kind: Kind,
    metadata: &Metadata,
    object: &Value,
    context: Context,
    zero_shares: bool,
    report: &mut Report,
) {
    let Context {
        release, version, ..
    } = context;
    let path = Path::new("metadata");
    metadata::check(metadata, NameRule::Subdomain, &path, report);
    metadata::check_own_finalizers(metadata, &path, report);
    let hub = hub(kind, object, context);
    let spec = Path::new("spec");
    match kind {
        Kind::FlowSchema => {
            let schema = FlowSchemaSpec::read(&hub["spec"]);
            flow_schema::check(&metadata.name, &schema, &spec, report);
            mandatory::check_schema(&metadata.name, &schema, release, &spec, report);
        }
        Kind::PriorityLevelConfiguration => {
            // v1beta3 consumes the annotation on its way to the server's memory.
            if release.minor() >= 29 && version != ApiVersion::V1Beta3 {
                metadata::check_preserve_zero(metadata, &path, report);
            }
            let level = LevelSpec::read(&hub["spec"]);
            let member = match version {
                ApiVersion::V1Beta1 | ApiVersion::V1Beta2 => "assuredConcurrencyShares",
                ApiVersion::V1Beta3 | ApiVersion::V1 => "nominalConcurrencyShares",
            };
            let shares = ShareRule {
                member,
                allows_zero: zero_shares,
            };
            priority_level::check(&metadata.name, &level, shares, &spec, report);
            mandatory::check_level(&metadata.name, &level, release, &spec, report);
        }
    }
}

/// The object as the server holds it: defaulted, and in the form that v1 has too.
fn hub(kind: Kind, object: &Value, context: Context) -> Value {
    let mut object = object.clone();
    crate::defaults::apply(&mut object, kind.as_str(), context.version, context.release);
    let (from, to) = (context.version, ApiVersion::V1);
    crate::conversion::server_step(object, kind.as_str(), from, to, context.release)
}

fn has_zero_shares(level: &Value) -> bool {
    level["spec"]["limited"]["nominalConcurrencyShares"].as_i64() == Some(0)
}

/// The name that a server generates, except for the five characters of chance at its end.
fn generated_name(base: &str) -> String {
    const MAX_BASE: usize = 58;
    let mut end = base.len().min(MAX_BASE);
    while !base.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}xxxxx", &base[..end])
}
