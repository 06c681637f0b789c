//! The versions in values that a template or a program puts together.

use super::client_names::client_names;
use super::dynamic::{versions_in_context, versions_of_group};
use super::findings::{About, Finding, Rule, Severity};
use super::lesser_uses::is_beside_new;
use super::programs::{OLD_VERSIONS, other_versions};
use super::read::{Kept, Text};
use super::result::Migration;
use super::settings::Settings;
use crate::cut::leading;
use crate::documents::Form;
use k8s_flowcontrol_text::Span;
use k8s_flowcontrol_types::GROUP;
use std::collections::{BTreeSet, HashSet};

/// Adds the versions in values that a template or a program puts together, and in values with the name of flow control.
pub(super) fn add_values(
    source: &Text<'_>,
    likely: Form,
    settings: Settings,
    result: &mut Migration,
) {
    let text = source.text;
    let versions: Vec<_> = other_versions(settings.to).collect();
    let is_template = !likely.is_json();
    let (found, links) = versions_of_group(text, is_template, &BTreeSet::new(), &versions);
    let context = versions_in_context(text, &OLD_VERSIONS).into_iter();
    let context = context.filter(|(_, version)| *version != settings.to.as_str());
    let names = client_names(text, &versions).into_iter();
    let names = names.map(|(_, at, version)| (Span::new(at, at + version.len()), version));
    let kept = Kept::of(source);
    let mut lines: BTreeSet<usize> = result
        .findings
        .iter()
        .map(|finding| finding.offset)
        .chain(result.edits.iter().map(|edit| edit.span.start))
        .map(|offset| source.line(offset))
        .collect();
    let is_commented = |offset: usize| {
        let line = source.indented(offset);
        line.starts_with('#') && !line.starts_with("#@")
    };
    let mut is_any = false;
    for (span, version) in found.into_iter().chain(context).chain(names) {
        // A version behind the group in one word is a mention, which is handled.
        let is_mention = text[..span.start].ends_with(&format!("{GROUP}/"));
        let is_skipped = is_mention || kept.contains(span.start) || is_commented(span.start);
        if is_skipped || !lines.insert(source.line(span.start)) {
            continue;
        }
        is_any = true;
        let message = format!("this value is the version {version} of {GROUP}");
        let finding = Finding::new(Severity::Manual, Rule::Mention, span.start, message);
        let help = format!("use {} where all servers have it", settings.to);
        result.findings.push(finding.help(help));
    }
    let mut listed = result.findings.iter();
    let is_listed = listed.any(|finding| {
        matches!(finding.rule, Rule::Mention | Rule::CapabilityCheck)
            && finding.about == About::Version
    });
    result.links = links;
    let defined = match is_listed && !is_any {
        true => defined(text),
        false => HashSet::new(),
    };
    for finding in &mut result.findings {
        let is_computed = finding.about == About::ComputedVersion && finding.computed_by.is_none();
        if !is_computed {
            continue;
        }
        // The version that a function or a variable of the same text has.
        let action = &text[finding.offset..];
        match is_any || called(action).is_some_and(|name| defined.contains(name)) {
            // The value with the version is listed, so its uses need nothing.
            true => finding.severity = Severity::Note,
            false => result.links.versions.extend(variable(action)),
        }
    }
    for finding in &mut result.findings {
        if is_beside_new(text, finding, settings.to) {
            finding.severity = Severity::Note;
        }
    }
}

/// The functions and variables that a text defines in lines such as `#@ def version():`.
fn defined(text: &str) -> HashSet<&str> {
    let names = text.lines().flat_map(|line| {
        let mut words = line.split(|mark: char| !is_part(mark));
        let _ = words.find(|word| matches!(*word, "def" | "set" | "macro"));
        words
    });
    names.collect()
}

/// The name of the function or the variable that an action begins with: `version` of `#@ version()`.
fn called(action: &str) -> Option<&str> {
    let name = action.trim_start_matches(|mark: char| !is_part(mark));
    Some(leading(name, is_part)).filter(|name| !name.is_empty())
}

fn is_part(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// The variable whose value an action writes: `{{ flowcontrol_version }}`, `{{ .Values.flow.apiVersion | quote }}`.
fn variable(action: &str) -> Option<String> {
    let inside = action.strip_prefix("{{")?.split("}}").next()?;
    let path = inside.trim_matches(['-', ' ']).split('|').next()?.trim();
    let is_path = path
        .chars()
        .all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '.');
    let path = path.trim_start_matches('.');
    let name = match path.starts_with("Values.") {
        true => path,
        false => path.rsplit('.').next()?,
    };
    // Other objects have values of these names too.
    let is_common = matches!(
        name.to_ascii_lowercase().as_str(),
        "" | "version" | "apiversion" | "api_version" | "value"
    );
    (is_path && !is_common).then(|| name.to_owned())
}
