//! The migrations that a file needs during an upgrade.

use super::batch::{examine_all, in_parallel};
use super::candidates::Candidate;
use super::examine::examine_file;
use super::examined::Examined;
use super::input::ReadError;
use super::skipped::{SkipReason, Skipped};
use crate::{
    Edit, Finding, ForeignFieldPolicy, Metrics, MigratedObject, Rule, Settings, Severity, Source,
};
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
        let is_reference = |object: &MigratedObject| object.from.is_none();
        if outcome.text.is_some() && outcome.objects.iter().any(is_reference) {
            upgrade.moves = moves_of_references(candidate, plan, &upgrade.moves);
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

/// The moves of the references to objects in a file, such as the target of a patch, beside those of its objects. A place is in the newest
/// version whose migration does not change it, and needs the moves that change its text.
fn moves_of_references(
    candidate: &Candidate,
    plan: Plan,
    of_objects: &BTreeSet<Move>,
) -> BTreeSet<Move> {
    let texts = |version: ApiVersion| {
        let examined = examine_file(candidate, Settings::to(version), false);
        let edits = examined.map_or_else(|_| Vec::new(), |examined| examined.outcome.edits);
        let mut texts: BTreeMap<_, String> = BTreeMap::new();
        for Edit { span, text, .. } in edits {
            *texts.entry((span.start, span.end)).or_default() += &text;
        }
        texts
    };
    let migrations: BTreeMap<ApiVersion, _> = ApiVersion::ALL
        .iter()
        .map(|version| (*version, texts(*version)))
        .collect();
    let places: BTreeSet<_> = migrations.values().flat_map(BTreeMap::keys).collect();
    let mut moves_of_versions = of_objects.clone();
    let mut moves_of_fields = Vec::new();
    for place in places {
        let text = |version: ApiVersion| migrations[&version].get(place).map(String::as_str);
        let unchanged = || {
            migrations
                .keys()
                .filter(|version| text(**version).is_none())
        };
        let written = unchanged()
            .max()
            .map_or(Written::Alpha, |version| Written::from(*version));
        let before = |step: &Move| match step.from {
            Written::Version(version) => text(version),
            _ => None,
        };
        let steps = moves(written, plan).into_iter();
        let steps = steps.filter(|step| before(step) != text(step.to));
        match unchanged().count() {
            0 | 1 => moves_of_versions.extend(steps),
            // Several versions have the field.
            _ => moves_of_fields.extend(steps),
        }
    }
    for step in moves_of_fields {
        let mut known = moves_of_versions.iter();
        if !known.any(|known| (known.on, known.to) == (step.on, step.to)) {
            moves_of_versions.insert(step);
        }
    }
    moves_of_versions
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
