//! The options of a deletion: the builder's methods and the caller's [`DeleteOptions`] together.

use super::call::{Call, JSON, unencodable};
use crate::error::Error;
use crate::meta::{DeleteOptions, Preconditions};
use crate::request::http_request::HttpRequest;

/// The value of `dryRun`.
const ALL: &str = "All";

/// The options of a deletion.
#[derive(Default)]
pub(crate) struct Options {
    /// Set by the builder's methods.
    set: DeleteOptions,
    /// Passed to the builder's method `options`.
    passed: Option<DeleteOptions>,
}

impl Options {
    pub(crate) fn set(&mut self, change: impl FnOnce(&mut DeleteOptions)) {
        change(&mut self.set);
    }

    pub(crate) fn pass(&mut self, options: DeleteOptions) {
        self.passed = Some(options);
    }

    /// Completes the request.
    ///
    /// A server that gets a body ignores the query, so that the body contains all options. The query contains them too:
    /// a proxy that drops the body of a DELETE does not turn a dry run into a deletion.
    pub(crate) fn add_to(self, call: Call) -> Call {
        call.try_change(|request| {
            let has_body = self.passed.is_some() || self.set.preconditions.is_some();
            let options = merge(self.set, self.passed.unwrap_or_default())?;
            set_query(request, &options);
            if has_body {
                set_body(request, options)?;
            }
            Ok(())
        })
    }
}

/// One set of options; an error if both contain different values of a field.
fn merge(set: DeleteOptions, passed: DeleteOptions) -> Result<DeleteOptions, Error> {
    let (ours, theirs) = (
        set.preconditions.unwrap_or_default(),
        passed.preconditions.unwrap_or_default(),
    );
    let preconditions = Preconditions {
        uid: one_of("the UID precondition", ours.uid, theirs.uid)?,
        resource_version: one_of(
            "the resource version precondition",
            ours.resource_version,
            theirs.resource_version,
        )?,
        ..theirs
    };
    let dry_run = |values: Vec<String>| (!values.is_empty()).then_some(values);
    Ok(DeleteOptions {
        dry_run: one_of("dryRun", dry_run(set.dry_run), dry_run(passed.dry_run))?
            .unwrap_or_default(),
        preconditions: (preconditions != Preconditions::default()).then_some(preconditions),
        grace_period_seconds: one_of(
            "gracePeriodSeconds",
            set.grace_period_seconds,
            passed.grace_period_seconds,
        )?,
        orphan_dependents: one_of(
            "orphanDependents",
            set.orphan_dependents,
            passed.orphan_dependents,
        )?,
        propagation_policy: one_of(
            "propagationPolicy",
            set.propagation_policy,
            passed.propagation_policy,
        )?,
        ignore_store_read_error_with_cluster_breaking_potential: one_of(
            "ignoreStoreReadErrorWithClusterBreakingPotential",
            set.ignore_store_read_error_with_cluster_breaking_potential,
            passed.ignore_store_read_error_with_cluster_breaking_potential,
        )?,
        ..passed
    })
}

fn one_of<T: PartialEq>(
    field: &str,
    set: Option<T>,
    passed: Option<T>,
) -> Result<Option<T>, Error> {
    if set.is_some() && passed.is_some() && set != passed {
        return Err(Error::argument(format!(
            "a method of the delete request and the DeleteOptions passed to `options` set {field} to different values; set it in one place"
        )));
    }
    Ok(set.or(passed))
}

fn set_query(request: &mut HttpRequest, options: &DeleteOptions) {
    if options.dry_run == [ALL] {
        request.set("dryRun", ALL);
    }
    let mut set = |name, value: Option<String>| {
        if let Some(value) = value {
            request.set(name, value);
        }
    };
    let text = |flag: Option<bool>| flag.map(|flag| flag.to_string());
    let grace_period = options.grace_period_seconds;
    set("gracePeriodSeconds", grace_period.map(|s| s.to_string()));
    let policy = options.propagation_policy.as_ref();
    set("propagationPolicy", policy.map(|p| p.as_str().to_owned()));
    set("orphanDependents", text(options.orphan_dependents));
    set(
        "ignoreStoreReadErrorWithClusterBreakingPotential",
        text(options.ignore_store_read_error_with_cluster_breaking_potential),
    );
}

fn set_body(request: &mut HttpRequest, mut options: DeleteOptions) -> Result<(), Error> {
    let is_set = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.is_empty());
    let conditions = options.preconditions.as_ref();
    request.guarded =
        conditions.is_some_and(|only| is_set(&only.uid) || is_set(&only.resource_version));
    options.api_version.get_or_insert_with(|| "v1".to_owned());
    options
        .kind
        .get_or_insert_with(|| "DeleteOptions".to_owned());
    let body = serde_json::to_vec(&options).map_err(|error| unencodable("options", error))?;
    request.set_body(JSON, body);
    Ok(())
}
