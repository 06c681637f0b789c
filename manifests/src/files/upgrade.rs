//! The migrations that a file needs during an upgrade.

use super::candidates::Candidate;
use super::examine::examine_file;
use super::input::ReadError;
use super::skipped::{SkipReason, Skipped};
use crate::{Finding, ForeignFieldPolicy, Metrics, Settings, Severity, Source};
use k8s_flowcontrol_rules::upgrade::{Move, Plan, Written, moves, not_before};
use k8s_flowcontrol_types::Fact;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The migrations that a file needs during an upgrade; see [`of`](Self::of).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FileUpgrade {
    /// The path as shown.
    pub path: String,
    /// The number of objects of the group.
    pub objects: usize,
    /// The number of objects in each version.
    pub versions: BTreeMap<Written, usize>,
    /// The moves of the objects from version to version, in the order of the releases.
    pub moves: BTreeSet<Move>,
    /// The first minor release that accepts the unchanged file, if it is later than the first release of the upgrade.
    pub not_before: Option<u32>,
    /// The errors, and the places that must be changed by hand.
    pub findings: Vec<Finding>,
    /// The text of the file; empty without findings.
    pub source: Arc<Source>,
    /// Whether the file has a field of another version, so that a migration needs a [`ForeignFieldPolicy`].
    pub needs_foreign_fields: bool,
    /// Whether a migration does not write the file, because something would be lost.
    pub is_refused: bool,
    /// The error that prevented reading the file.
    pub error: Option<String>,
}

impl FileUpgrade {
    /// Reads a file; `None` if it contains nothing of the group. The file does not change.
    ///
    /// # Errors
    /// A file of a folder that is too long is skipped. The error of a file that cannot be read is a field of the result.
    ///
    /// # Examples
    /// ```no_run
    /// use k8s_flowcontrol_manifests::files::{FileUpgrade, Selection, collect};
    /// use k8s_flowcontrol_rules::upgrade::Plan;
    ///
    /// let plan = Plan::new("1.27".parse()?, "1.32".parse()?);
    /// for file in collect(&["manifests".into()], None, &Selection::new(&[], false)?)?.files {
    ///     if let Ok(Some(upgrade)) = FileUpgrade::of(&file, plan) {
    ///         for step in &upgrade.moves {
    ///             println!("{}: {step}", upgrade.path);
    ///         }
    ///     }
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(candidate: &Candidate, plan: Plan) -> Result<Option<Self>, Skipped> {
        let mut settings = Settings::to(plan.to.preferred());
        if plan.to.has(Fact::MetricsRemoved) {
            settings.metrics = Metrics::List;
        }
        let mut upgrade = Self::empty(candidate);
        let (bytes, outcome) = match examine_file(candidate, settings, false) {
            Ok(examination) => (examination.bytes, examination.outcome),
            Err(error @ ReadError::TooLong(_)) if !candidate.is_named => {
                let why = format!("the file was skipped: {error}");
                return Err(Skipped::new(&candidate.path, SkipReason::TooLong, why));
            }
            Err(error) => {
                upgrade.error = Some(error.to_string());
                return Ok(Some(upgrade));
            }
        };
        let findings = outcome.findings.iter();
        let findings = findings.filter(|finding| finding.severity > Severity::Note);
        upgrade.findings = findings.cloned().collect();
        if !upgrade.findings.is_empty() {
            upgrade.source = source(candidate, bytes);
        }
        let versions = outcome.objects.iter();
        for version in versions.filter_map(|object| Written::of(object.from.as_deref()?)) {
            upgrade.objects += 1;
            *upgrade.versions.entry(version).or_default() += 1;
            upgrade.moves.extend(moves(version, plan));
            upgrade.not_before = upgrade.not_before.max(not_before(version, plan));
        }
        if let Some(first) = upgrade.moves.first().copied() {
            let fails = |policy| first_move_fails(candidate, first, policy);
            if fails(None) {
                upgrade.is_refused = fails(Some(ForeignFieldPolicy::Live));
                upgrade.needs_foreign_fields = !upgrade.is_refused;
            }
        }
        let is_empty = upgrade.objects == 0 && upgrade.findings.is_empty();
        Ok((!is_empty).then_some(upgrade))
    }

    fn empty(candidate: &Candidate) -> Self {
        Self {
            path: candidate.path.display().to_string(),
            objects: 0,
            versions: BTreeMap::new(),
            moves: BTreeSet::new(),
            not_before: None,
            findings: Vec::new(),
            source: source(candidate, Vec::new()),
            needs_foreign_fields: false,
            is_refused: false,
            error: None,
        }
    }
}

fn source(candidate: &Candidate, bytes: Vec<u8>) -> Arc<Source> {
    let name = candidate.path.display().to_string();
    Arc::new(Source::new(name, bytes, candidate.is_named))
}

fn first_move_fails(
    candidate: &Candidate,
    first: Move,
    foreign_fields: Option<ForeignFieldPolicy>,
) -> bool {
    let settings = Settings {
        release: Some(first.on),
        foreign_fields,
        ..Settings::to(first.to)
    };
    let examined = examine_file(candidate, settings, false);
    examined.is_ok_and(|examined| examined.outcome.worst() == Some(Severity::Error))
}
