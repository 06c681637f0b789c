//! Checking the rendered objects of a chart.

use super::chart::Chart;
use super::helm::Helm;
use k8s_flowcontrol_manifests::files::Examined;
use k8s_flowcontrol_manifests::{Finding, Form, Rule, Settings, Severity, migrate, read};
use serde_json::Value;
use std::collections::BTreeMap;

/// Adds the findings about the objects that a chart renders, before and after its migration.
pub(super) fn check(
    chart: &Chart,
    files: &mut [Examined],
    (old, new): (&str, &str),
    helm: &Helm,
    settings: Settings,
) {
    if !is_converted(old, new, helm, settings) {
        let message = "with the migrated templates, Helm renders objects that differ from the converted objects of the old templates";
        let finding = Finding::new(Severity::Error, Rule::Rendered, 0, message);
        let help = "change the templates by hand, and compare the results of `helm template`";
        for file in files.iter_mut() {
            if file.candidate.real.starts_with(&chart.root) && file.outcome.text.is_some() {
                file.outcome.findings.push(finding.clone().help(help));
            }
        }
    }
    let result = migrate(new, Form::Yaml, settings);
    // The number of objects of each file, and the number of its objects in another version.
    let mut counts: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for object in &result.objects {
        let file = chart
            .file(files, source(new, object.offset))
            .unwrap_or(chart.anchor);
        let count = counts.entry(file).or_default();
        count.0 += 1;
        let mut reasons = result
            .findings
            .iter()
            .filter(|finding| finding.severity == Severity::Error);
        let is_refused =
            reasons.any(|finding| source(new, finding.offset) == source(new, object.offset));
        if object.changes.is_empty() && !is_refused {
            continue;
        }
        count.1 += 1;
        let name = object.name.as_deref().unwrap_or_default();
        let version = object.from.as_deref().unwrap_or_default();
        let version = version.rsplit('/').next().unwrap_or_default();
        let message = format!(
            "Helm renders {} \"{name}\" in {version} for Kubernetes {}",
            object.kind, helm.release
        );
        let outcome = &mut files[file].outcome;
        let place = outcome
            .findings
            .iter()
            .find(|finding| finding.rule == Rule::Template);
        let offset = place.map_or(0, |finding| finding.offset);
        let finding = Finding::new(Severity::Manual, Rule::Rendered, offset, message);
        let help = format!(
            "change the template or the values, so that Helm renders {}",
            settings.to
        );
        outcome.findings.push(finding.help(help));
    }
    for (file, (_, old)) in counts {
        if old > 0 {
            continue;
        }
        for finding in &mut files[file].outcome.findings {
            if finding.rule == Rule::Template && finding.severity == Severity::Manual {
                finding.severity = Severity::Note;
                finding.help = None;
                let result = format!(
                    "; rendered for Kubernetes {}, it is in {}",
                    helm.release, settings.to
                );
                finding.message.push_str(&result);
            }
        }
    }
}

/// Whether the new objects are the converted old ones. Objects that cannot be converted are reported by their findings.
fn is_converted(old: &str, new: &str, helm: &Helm, settings: Settings) -> bool {
    if old == new {
        return true;
    }
    let converted = migrate(old, Form::Yaml, settings);
    if converted.worst() == Some(Severity::Error) {
        return true;
    }
    let objects = |text: &str| -> Option<Vec<Value>> {
        let found = read(text.as_bytes()).documents;
        let decoded = found.iter().map(|document| document.decode(helm.release));
        let trees = decoded.map(|object| object.ok().map(|object| object.tree));
        trees.collect()
    };
    // Objects that the migration of the templates did not change differ only in their version.
    let again = migrate(new, Form::Yaml, settings);
    let (expected, found) = (
        converted.text.as_deref().unwrap_or(old),
        again.text.as_deref().unwrap_or(new),
    );
    objects(expected) == objects(found)
}

/// The path in the `# Source:` comment before a place of a rendered text.
fn source(text: &str, offset: usize) -> &str {
    const COMMENT: &str = "# Source: ";
    let before = &text[..offset.min(text.len())];
    let Some(at) = before.rfind(COMMENT) else {
        return "";
    };
    before[at + COMMENT.len()..]
        .lines()
        .next()
        .unwrap_or_default()
}
