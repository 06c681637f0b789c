//! The code fences of Markdown with manifests in them.

use super::edit::apply;
use super::findings::{Rule, Severity};
use super::result::Migration;
use super::settings::Settings;
use super::whole_text::migrate;
use crate::documents::Form;
use std::ops::Range;

/// Migrates the manifests in the code fences of a Markdown text that are marked as YAML or JSON. Everything else stays.
///
/// An error in a fence leaves that fence unchanged, and is a place to change by hand: documentation may show wrong manifests.
pub fn migrate_fences(text: &str, settings: Settings) -> Migration {
    let mut result = Migration::default();
    for (form, range) in fences(text) {
        let mut inner = migrate(&text[range.clone()], form, settings);
        inner.shift(range.start);
        for finding in &mut inner.findings {
            finding.severity = finding.severity.min(Severity::Manual);
        }
        // An example without a mention need not be complete.
        inner
            .findings
            .retain(|finding| finding.rule != Rule::NotChecked);
        result.objects.extend(inner.objects);
        result.findings.extend(inner.findings);
        result.skipped += inner.skipped;
        result.edits.extend(inner.edits);
    }
    if !result.edits.is_empty() {
        result.text = Some(apply(text, &result.edits));
    }
    result
}

/// The contents of the fences that are marked as YAML or JSON.
fn fences(text: &str) -> Vec<(Form, Range<usize>)> {
    let mut fences = Vec::new();
    let mut open: Option<(char, usize, Option<Form>, usize)> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let begin = start;
        start += line.len();
        let content = line.trim();
        let Some(mark) = content
            .chars()
            .next()
            .filter(|mark| matches!(mark, '`' | '~'))
        else {
            continue;
        };
        let info = content.trim_start_matches(mark);
        let length = content.len() - info.len();
        match open {
            None if length >= 3 => open = Some((mark, length, form(info), start)),
            Some((by, least, form, from)) if mark == by && length >= least && info.is_empty() => {
                fences.extend(form.map(|form| (form, from..begin)));
                open = None;
            }
            _ => {}
        }
    }
    fences
}

/// The form that the words after the mark name.
fn form(info: &str) -> Option<Form> {
    let is_end = |character: char| !character.is_ascii_alphanumeric();
    let word = info.trim().trim_start_matches(['{', '.']);
    let word = word.split(is_end).next().unwrap_or_default();
    match word.to_ascii_lowercase().as_str() {
        "yaml" | "yml" => Some(Form::Yaml),
        "json" => Some(Form::Json),
        _ => None,
    }
}
