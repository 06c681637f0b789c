//! Faults of objects in files, which the typed objects no longer show.

use super::object::Object;
use crate::output::Diagnostic;
use k8s_flowcontrol::rules::decode::Problem;
use k8s_flowcontrol::{ApiVersion, FieldValidation, Release};
use k8s_flowcontrol_analysis::lint::{Fault, FaultKind};
use k8s_flowcontrol_manifests::Validator;

/// How many unknown and duplicate fields of one object are named at most; the number at which a server ends, too.
const MAX_PROBLEMS: usize = 100;

/// Finds the faults of objects, as a server of a release does.
#[derive(Debug)]
pub(crate) struct Judge(Vec<(ApiVersion, Validator)>);

impl Judge {
    /// Objects of a version that `release` does not serve are judged as by the last release that serves it.
    pub(crate) fn new(release: Release) -> Self {
        let validator = |version: ApiVersion| {
            let release = match version.is_served_by(release) {
                true => release,
                false => {
                    let serves = |release: &Release| version.is_served_by(*release);
                    Release::all().filter(serves).last()?
                }
            };
            let validator = Validator::new(release)
                .without_built_in_objects()
                .field_validation(FieldValidation::Ignore);
            Some((version, validator))
        };
        Self(
            ApiVersion::ALL
                .iter()
                .copied()
                .filter_map(validator)
                .collect(),
        )
    }

    /// The faults of an object, each with its warning.
    pub(crate) fn faults(&self, object: &Object) -> Vec<(Fault, Diagnostic)> {
        let document = &object.document;
        let title = document.title();
        let fault = |path: String, what| Fault::new(object.kind, object.name().into(), path, what);
        let problems = object.problems.iter().chain(document.duplicates());
        let problems: Vec<_> = problems.take(MAX_PROBLEMS).collect();
        let places: Vec<_> = problems.iter().map(|problem| problem.span.start).collect();
        let paths = match places.is_empty() {
            true => vec![],
            false => document.paths_at(&places),
        };
        let mut faults: Vec<_> = problems
            .into_iter()
            .zip(paths)
            .map(|(problem, path)| {
                let what = match problem.message.starts_with("unknown") {
                    true => FaultKind::UnknownField,
                    false => FaultKind::DuplicateField,
                };
                let path = field(problem).or(path);
                let warning = Diagnostic::warning(format!("{title}: {}", problem.message))
                    .at(&document.source, problem.span);
                (fault(path.unwrap_or_default(), what), warning)
            })
            .collect();
        if let Some((path, reason)) = self.rejection(object) {
            let message = format!("{title}: a server rejects this object: {reason}");
            let warning = Diagnostic::warning(message)
                .at(&document.source, document.locate(&path))
                .help("`kubectl flowcontrol validate` lists all its errors");
            faults.push((fault(path, FaultKind::Invalid(reason)), warning));
        }
        faults
    }

    /// The first field for which a server rejects an object, and the reason.
    fn rejection(&self, object: &Object) -> Option<(String, String)> {
        let mut validators = self.0.iter();
        let (_, validator) = validators.find(|(version, _)| *version == object.version)?;
        let failure = validator.verdict(&object.document).failure?;
        // Other failures are about the request.
        let causes = failure.details.filter(|_| failure.code == 422)?.causes;
        let first = causes.first()?;
        Some((first.field.clone(), first.to_string()))
    }
}

/// The path in the message of a server: `unknown field "spec.bogus"`.
fn field(problem: &Problem) -> Option<String> {
    let (_, quoted) = problem.message.split_once(" field ")?;
    serde_json::from_str(quoted).ok()
}
