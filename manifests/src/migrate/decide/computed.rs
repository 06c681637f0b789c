//! Objects of a template whose version the template computes.

use super::chains::VersionChains;
use crate::documents::{Action, Definition, touches, touching};
use crate::migrate::findings::{About, Finding, Rule, Severity};
use crate::migrate::read::Text;
use crate::migrate::remedy::Remedy;
use k8s_flowcontrol_text::Span;
use k8s_flowcontrol_types::{GROUP, Kind};
use std::ops::Range;

#[derive(Clone, Copy)]
pub(in crate::migrate) struct Template<'a> {
    pub(in crate::migrate) source: &'a Text<'a>,
    pub(in crate::migrate) actions: &'a [Action],
    pub(in crate::migrate) definitions: &'a [Definition],
    pub(in crate::migrate) chains: &'a VersionChains,
}

/// The maximum number of lines of an object above and below its kind.
const MAX_OBJECT: usize = 500;

/// A line of a text: a key with its value, or something else.
struct Line<'a> {
    /// The place of the key without indentation and dashes.
    start: usize,
    /// The column of the key.
    indent: usize,
    has_dash: bool,
    content: &'a str,
}

/// A finding for each object with a plain kind of the group and a computed version. The lines tell as much where a template
/// does not read as YAML.
pub(in crate::migrate) fn computed_versions(template: Template<'_>) -> Vec<Finding> {
    if template.actions.is_empty() {
        return Vec::new();
    }
    let lines = lines(template);
    let mut findings = Vec::new();
    for index in 0..lines.len() {
        let Some(kind) = lines[index].value("kind").and_then(Kind::named) else {
            continue;
        };
        let object = siblings(template, &lines, index);
        let has = |key: &str| {
            object
                .clone()
                .any(|at| lines[at].is_key(key, &lines[index]))
        };
        if !(has("metadata") || has("spec")) {
            continue;
        }
        let versions: Vec<_> = object
            .clone()
            .filter(|at| lines[*at].is_key("apiVersion", &lines[index]))
            .collect();
        let computed = match versions.as_slice() {
            [] => included(template, &lines, index, &object),
            [version] => {
                let line = &lines[*version];
                let value = Span::new(line.start, line.start + line.content.len());
                let is_other = line.content.contains(GROUP) || template.chains.contain(value);
                let writes = touching(template.actions, value).find(|action| action.writes);
                writes.filter(|_| !is_other).copied()
            }
            // Branches with a version each are a chain.
            _ => None,
        };
        if let Some(action) = computed {
            findings.push(finding(template, kind, action));
        }
    }
    findings
}

fn finding(template: Template<'_>, kind: Kind, action: Action) -> Finding {
    let text = template.source.slice(action.span);
    let offset = action.span.start;
    if let Some(name) = helper(text) {
        return computed_by(kind.as_str(), name, offset);
    }
    let by = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = format!("the version of this {kind} is computed by {by}");
    Finding::new(Severity::Manual, Rule::Template, offset, message)
        .about(About::ComputedVersion)
        .help(Remedy::CheckRendered)
}

/// The finding about an object whose version a named template computes.
pub(super) fn computed_by(kind: &str, name: &str, offset: usize) -> Finding {
    let message = format!("the version of this {kind} is computed by the named template {name}");
    let finding = Finding::new(Severity::Manual, Rule::Template, offset, message)
        .about(About::ComputedVersion);
    Finding {
        computed_by: Some(name.to_owned()),
        ..finding.help(Remedy::CheckRendered)
    }
}

/// The name of the template that an action includes.
pub(super) fn helper(action: &str) -> Option<&str> {
    let call = ["include \"", "template \""]
        .iter()
        .find_map(|call| Some(action.find(call)? + call.len()))?;
    action[call..].split('"').next()
}

/// The action before the kind that stands for the line with the version.
fn included(
    template: Template<'_>,
    lines: &[Line<'_>],
    kind: usize,
    object: &Range<usize>,
) -> Option<Action> {
    let start = lines.get(object.start)?.start;
    let before = Span::new(start, lines[kind].start);
    let mut actions = touching(template.actions, before);
    // Labels are written below a key; only an action before every key can be the version.
    let first_key = object
        .clone()
        .map(|at| &lines[at])
        .find(|line| !line.content.starts_with("{{") && line.content.contains(':'))?;
    let found = actions.find(|action| action.writes)?;
    (found.span.end <= first_key.start).then_some(*found)
}

/// The lines of the object that has a key in line `at`: up to lines with less indentation, document markers, the end of the
/// named template and the next item.
fn siblings(template: Template<'_>, lines: &[Line<'_>], at: usize) -> Range<usize> {
    let line = &lines[at];
    // Definitions are not in each other.
    let definitions = template.definitions;
    let next = definitions.partition_point(|definition| definition.span.end <= line.start);
    let inside = |definition: &&Definition| definition.span.range().contains(&line.start);
    let bounds = definitions.get(next).filter(inside);
    let bounds = bounds.map_or(0..template.source.text.len(), |found| found.span.range());
    let is_end = |other: &Line<'_>| {
        other.content.starts_with("---")
            || !bounds.contains(&other.start)
            || other.indent < line.indent && !other.content.starts_with('{')
    };
    let mut start = at;
    let first = at.saturating_sub(MAX_OBJECT);
    while start > first && !lines[start].has_dash && !is_end(&lines[start - 1]) {
        start -= 1;
    }
    let is_next = |other: &Line<'_>| other.has_dash && other.indent <= line.indent;
    let mut end = at + 1;
    let last = lines.len().min(end + MAX_OBJECT);
    while end < last && !is_end(&lines[end]) && !is_next(&lines[end]) {
        end += 1;
    }
    start..end
}

/// The lines with content, without lines within an action.
fn lines<'a>(template: Template<'a>) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    let mut start = 0;
    for text in template.source.text.split_inclusive('\n') {
        let begin = start;
        start += text.len();
        let content = text.trim_start_matches(' ');
        let mut indent = text.len() - content.len();
        let mut content = content;
        let mut has_dash = false;
        while let Some(rest) = content.strip_prefix("- ") {
            let rest = rest.trim_start_matches(' ');
            indent += content.len() - rest.len();
            (content, has_dash) = (rest, true);
        }
        let content = content.trim_end();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let key = begin + indent;
        if !touches(template.actions, Span::new(key.saturating_sub(1), key)) {
            lines.push(Line {
                start: key,
                indent,
                has_dash,
                content,
            });
        }
    }
    lines
}

impl Line<'_> {
    /// The plain value of a key, without quotes and comments.
    fn value(&self, key: &str) -> Option<&str> {
        let value = self.after(key)?;
        let value = value.split(" #").next().unwrap_or(value);
        Some(value.trim().trim_matches(['"', '\'']))
    }

    fn is_key(&self, key: &str, sibling: &Line<'_>) -> bool {
        self.indent == sibling.indent && self.after(key).is_some()
    }

    fn after(&self, key: &str) -> Option<&str> {
        let content = self.content.trim_start_matches(['"', '\'']);
        let rest = content.strip_prefix(key)?;
        let rest = rest.trim_start_matches(['"', '\'']).trim_start();
        rest.strip_prefix(':')
    }
}
