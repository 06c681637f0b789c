//! The migrations that a file needs during an upgrade.

use super::batch::{examine_all, in_parallel};
use super::candidates::Candidate;
use super::examine::examine_file;
use super::examined::Examined;
use super::input::ReadError;
use super::skipped::{SkipReason, Skipped};
use crate::{Finding, ForeignFieldPolicy, Metrics, Rule, Settings, Severity, Source};
use k8s_flowcontrol_rules::upgrade::{Move, Plan, Written, moves, not_before};
use k8s_flowcontrol_types::{ApiVersion, Fact};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The migrations that a file needs during an upgrade; see [`of_all`](Self::of_all).
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
    /// Reads files; `None` for a file that contains nothing of the group. The files do not change. The findings of a file take
    /// the other files into account, as in [`examine_all`].
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
    /// let found = collect(&["manifests".into()], None, &Selection::new(&[], false)?)?;
    /// for upgrade in FileUpgrade::of_all(found.files, plan) {
    ///     if let Ok(Some(upgrade)) = upgrade {
    ///         for step in &upgrade.moves {
    ///             println!("{}: {step}", upgrade.path);
    ///         }
    ///     }
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_all(files: Vec<Candidate>, plan: Plan) -> Vec<Result<Option<Self>, Skipped>> {
        let mut settings = Settings::to(plan.to.preferred());
        if plan.to.has(Fact::MetricsRemoved) {
            settings.metrics = Metrics::List;
        }
        let examined = examine_all(files, settings, false, |_| ());
        in_parallel(examined, |_| (), |file| Self::of(&file, plan, settings))
    }

    fn of(file: &Examined, plan: Plan, settings: Settings) -> Result<Option<Self>, Skipped> {
        let Examined {
            candidate, outcome, ..
        } = file;
        let mut upgrade = Self::empty(candidate);
        let is_unread = |finding: &Finding| finding.rule == Rule::Unreadable;
        if file.skipped == Some(SkipReason::TooLong) || outcome.findings.iter().any(is_unread) {
            match examine_file(candidate, settings, false) {
                Err(error @ ReadError::TooLong(_)) if !candidate.is_named => {
                    let why = format!("the file was skipped: {error}");
                    return Err(Skipped::new(&candidate.path, SkipReason::TooLong, why));
                }
                Err(error) => {
                    upgrade.error = Some(error.to_string());
                    return Ok(Some(upgrade));
                }
                Ok(_) => {}
            }
        }
        let findings = outcome.findings.iter();
        let findings = findings.filter(|finding| finding.severity > Severity::Note);
        upgrade.findings = findings.cloned().collect();
        if !upgrade.findings.is_empty() {
            upgrade.source = file.source.clone();
        }
        let versions = outcome.objects.iter();
        for version in versions.filter_map(|object| Written::of(object.from.as_deref()?)) {
            upgrade.objects += 1;
            *upgrade.versions.entry(version).or_default() += 1;
            upgrade.moves.extend(moves(version, plan));
            upgrade.not_before = upgrade.not_before.max(not_before(version, plan));
        }
        if upgrade.objects == 0 && outcome.text.is_some() {
            upgrade.moves = moves_without_objects(candidate, plan);
        }
        if let Some(first) = upgrade.moves.first().copied() {
            let fails = |policy| first_move_fails(candidate, first, policy);
            if fails(None) {
                upgrade.is_refused = fails(Some(ForeignFieldPolicy::Live));
                upgrade.needs_foreign_fields = !upgrade.is_refused;
            }
        }
        let is_empty =
            upgrade.objects == 0 && upgrade.moves.is_empty() && upgrade.findings.is_empty();
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

/// The moves that change the text of a file that only refers to objects, such as the target of a patch.
fn moves_without_objects(candidate: &Candidate, plan: Plan) -> BTreeSet<Move> {
    let served = plan.from.served();
    let versions = served
        .min()
        .into_iter()
        .chain(ApiVersion::ALL.iter().copied());
    let mut all = versions.map(|version| moves(version, plan));
    let moves = all.find(|moves| !moves.is_empty()).unwrap_or_default();
    let mut text = None;
    let changes = |step: &Move| {
        let settings = Settings {
            release: Some(step.on),
            ..Settings::to(step.to)
        };
        let examined = examine_file(candidate, settings, false);
        let after = examined.ok().and_then(|examined| examined.outcome.text);
        let is_changed = after != text;
        text = after;
        is_changed
    };
    moves.into_iter().filter(changes).collect()
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
