//! The migrations that files need.

use crate::input::ReadError;
use k8s_flowcontrol::Fact;
use k8s_flowcontrol_analysis::upgrade::{Move, Plan, Written, moves, not_before};
use k8s_flowcontrol_manifests::Source;
use k8s_flowcontrol_manifests::files::{Candidate, SkipReason, Skipped, examine_file};
use k8s_flowcontrol_manifests::{Finding, ForeignFieldPolicy, Metrics, Settings, Severity};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A file with objects of the group.
#[derive(Clone, Debug)]
pub(crate) struct FileNeeds {
    pub(crate) path: String,
    pub(crate) objects: usize,
    /// The number of objects in each version.
    pub(crate) versions: BTreeMap<Written, usize>,
    pub(crate) moves: BTreeSet<Move>,
    /// The first release that accepts the unchanged file, if it is later than the current release.
    pub(crate) not_before: Option<u32>,
    /// The errors, and the places that must be changed by hand.
    pub(crate) findings: Vec<Finding>,
    /// The text of the file, kept if there are findings.
    pub(crate) source: Arc<Source>,
    /// Whether the file has a field of another version, which a migration must resolve.
    pub(crate) needs_foreign_fields: bool,
    /// Whether a migration does not write the file, because something would be lost.
    pub(crate) is_refused: bool,
    /// The error that prevented reading the file.
    pub(crate) error: Option<String>,
}

impl FileNeeds {
    /// The number of errors, and of places that must be changed by hand.
    pub(crate) fn manual(&self) -> usize {
        self.findings.len()
    }
}

/// Reads a file; none if it contains nothing of the group.
///
/// # Errors
/// A file of a folder that is too long.
pub(crate) fn read(candidate: &Candidate, plan: Plan) -> Result<Option<FileNeeds>, Skipped> {
    let source = |bytes| {
        let name = candidate.path.display().to_string();
        Source::new(name, bytes, candidate.is_named)
    };
    let mut needs = FileNeeds {
        path: candidate.path.display().to_string(),
        objects: 0,
        versions: BTreeMap::new(),
        moves: BTreeSet::new(),
        not_before: None,
        findings: Vec::new(),
        source: Arc::new(source(Vec::new())),
        needs_foreign_fields: false,
        is_refused: false,
        error: None,
    };
    let mut settings = Settings::to(plan.to.preferred());
    if plan.to.has(Fact::MetricsRemoved) {
        settings.metrics = Metrics::List;
    }
    let (bytes, outcome) = match examine_file(candidate, settings, false) {
        Ok(examination) => (examination.bytes, examination.outcome),
        Err(error @ ReadError::TooLong(_)) if !candidate.is_named => {
            let why = format!("the file was skipped: {error}");
            return Err(Skipped::new(&candidate.path, SkipReason::TooLong, why));
        }
        Err(error) => {
            needs.error = Some(error.to_string());
            return Ok(Some(needs));
        }
    };
    let findings = outcome.findings.iter();
    let findings = findings.filter(|finding| finding.severity > Severity::Note);
    needs.findings = findings.cloned().collect();
    if !needs.findings.is_empty() {
        needs.source = Arc::new(source(bytes));
    }
    for document in &outcome.objects {
        let Some(version) = document.from.as_deref().and_then(Written::of) else {
            continue;
        };
        needs.objects += 1;
        *needs.versions.entry(version).or_default() += 1;
        needs.moves.extend(moves(version, plan));
        needs.not_before = needs.not_before.max(not_before(version, plan));
    }
    if let Some(first) = needs.moves.iter().next() {
        let settings = |foreign_fields| Settings {
            release: Some(first.on),
            foreign_fields,
            ..Settings::to(first.to)
        };
        let fails = |foreign_fields| {
            let examined = examine_file(candidate, settings(foreign_fields), false);
            examined.is_ok_and(|examined| examined.outcome.worst() == Some(Severity::Error))
        };
        let fails_now = outcome.worst() == Some(Severity::Error) || fails(None);
        if fails_now && fails(None) {
            needs.is_refused = fails(Some(ForeignFieldPolicy::Live));
            needs.needs_foreign_fields = !needs.is_refused;
        }
    }
    Ok((needs.objects > 0 || needs.manual() > 0).then_some(needs))
}
