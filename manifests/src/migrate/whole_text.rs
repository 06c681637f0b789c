//! The migration of a text: its documents, their edits, the check of the result, and the remaining mentions.

use super::decide::{
    Surroundings, Template, VersionChains, classify, computed_versions, twice, version_chains,
};
use super::edit::{Edit, Refusal, apply};
use super::findings::{Finding, Rule, Severity};
use super::metrics::{Metrics, NameForm, removed};
use super::read::{Kept, Mention, Text, find, mentions};
use super::result::{Change, MigratedObject, Migration};
use super::settings::Settings;
use super::state::State;
use super::values::add_values;
use super::verify::{DocumentEdits, Expected, Part, checked_edits};
use crate::documents::{Action, Blocks, Form, Parsed, actions, blocks, parse_all, parse_as};
use k8s_flowcontrol_text::{Node, Span, to_value};
use k8s_flowcontrol_types::GROUP;
use serde_json::Value;
use std::collections::HashSet;

/// Migrates a text to another API version.
///
/// `likely` is the form to try first. After a syntax error, YAML is read as a template, and JSON as YAML.
///
/// A text that cannot be read is not an error: the findings tell why nothing changes.
///
/// ```
/// use k8s_flowcontrol_manifests::{Form, Severity, Settings, migrate};
/// use k8s_flowcontrol_types::ApiVersion;
///
/// let text = "\
/// apiVersion: flowcontrol.apiserver.k8s.io/v1
/// kind: PriorityLevelConfiguration
/// metadata: {name: idle}
/// spec:
///   type: Limited
///   limited: {nominalConcurrencyShares: 0, limitResponse: {type: Reject}}  # paused
/// ";
/// // v1beta2 cannot express 0 shares.
/// let mut settings = Settings::to(ApiVersion::V1Beta2);
/// let rejected = migrate(text, Form::Yaml, settings);
/// assert_eq!((rejected.text, rejected.findings[0].severity), (None, Severity::Error));
///
/// settings.allow_loss = true;
/// let accepted = migrate(text, Form::Yaml, settings);
/// assert_eq!(accepted.findings[0].message, "0 shares become 30: v1beta2 cannot express 0");
/// assert!(accepted.text.unwrap().contains("assuredConcurrencyShares: 0, limitResponse"));
/// ```
pub fn migrate(text: &str, likely: Form, settings: Settings) -> Migration {
    let source = Text::new(text);
    let mut result = run(&source, likely, settings, 0);
    if settings.metrics != Metrics::Ignore {
        rename_metrics(&source, settings.metrics, &mut result);
    }
    add_values(&source, likely, settings, &mut result);
    if result.worst() == Some(Severity::Error) {
        result.edits.clear();
    }
    if !result.edits.is_empty() {
        let mark = &text[..source.mark];
        result.text = Some(format!("{mark}{}", apply(source.text, &result.edits)));
    }
    result.findings.sort_by_key(|finding| finding.offset);
    result.shift(source.mark);
    result
}

/// Renames removed metrics outside of other edits, or lists them.
fn rename_metrics(source: &Text<'_>, metrics: Metrics, result: &mut Migration) {
    let kept = Kept::of(source);
    let mut edited: Vec<_> = result.edits.iter().map(|edit| edit.span).collect();
    edited.sort_by_key(|span| span.start);
    for metric in removed(source.text) {
        let Span { start, end } = metric.span;
        if kept.contains(start) {
            continue;
        }
        let next = edited.partition_point(|span| span.end <= start);
        let is_edited = edited.get(next).is_some_and(|span| span.start < end);
        if metrics != Metrics::Rename || metric.form != NameForm::Whole || is_edited {
            result.findings.push(metric.finding(true, metrics));
            continue;
        }
        result.edits.push(Edit {
            span: metric.span,
            text: metric.new.to_owned(),
        });
        let change = Change {
            offset: start,
            what: format!("{} becomes {}", metric.old, metric.new),
            why: None,
        };
        result.objects.push(MigratedObject {
            offset: start,
            kind: "metric".to_owned(),
            name: Some(metric.old.to_owned()),
            from: None,
            changes: vec![change],
            server: None,
        });
    }
    result.edits.sort_by_key(|edit| edit.span.start);
}

fn run(source: &Text<'_>, likely: Form, settings: Settings, depth: usize) -> Migration {
    let mut state = State {
        source,
        settings,
        depth,
        inner: |source, settings, depth| run(source, Form::Yaml, settings, depth),
        chains: VersionChains::default(),
        kept: Kept::of(source),
        result: Migration::default(),
    };
    match parse_all(source.text, likely) {
        Ok(parsed) => state.documents(&parsed),
        Err(error) => state.unreadable(likely, &error.to_string(), error.offset()),
    }
    let State {
        kept,
        chains,
        mut result,
        ..
    } = state;
    let choices = chains.all.iter().filter(|chain| chain.is_choice);
    let choices: HashSet<_> = choices.map(|chain| source.line(chain.span.start)).collect();
    let is_chosen = |finding: &Finding| {
        finding.rule == Rule::Template && choices.contains(&source.line(finding.offset))
    };
    let is_open =
        |finding: &Finding| finding.severity != Severity::Manual || !kept.contains(finding.offset);
    result
        .findings
        .retain(|finding| is_open(finding) && !is_chosen(finding));
    result
}

impl State<'_> {
    fn unreadable(&mut self, likely: Form, error: &str, offset: usize) {
        let mentions = mentions(self.source.text, self.settings.to);
        let actions = actions(self.source.text).unwrap_or_default();
        let is_template =
            likely == Form::Template || !actions.is_empty() || self.source.text.contains("{{");
        let computed = self.template(&actions, &mentions);
        if mentions.is_empty() && !computed {
            let message = format!("this file was not checked: {error}");
            let finding = Finding::new(Severity::Note, Rule::NotChecked, offset, message);
            self.result.findings.push(finding);
        } else if is_template {
            let why = "this template can only be read once it is rendered";
            let is_outside = |mention: &&Mention| !self.chains.contain(mention.span);
            let findings = mentions
                .iter()
                .filter(is_outside)
                .map(|mention| mention.finding(why, Severity::Manual, Rule::Template));
            let findings: Vec<_> = findings.collect();
            self.result.findings.extend(findings);
        } else {
            let finding = Finding::new(Severity::Error, Rule::Unreadable, offset, error)
                .help("correct the file: a server cannot read it either");
            self.result.findings.push(finding);
        }
    }

    /// Reports the branches that select a version, and the objects whose version is computed. Returns whether there are any.
    fn template(&mut self, actions: &[Action], mentions: &[Mention]) -> bool {
        if actions.is_empty() {
            return false;
        }
        let Blocks {
            chains,
            definitions,
        } = blocks(self.source.text, actions);
        self.chains = version_chains(self.source, &chains, mentions, self.settings.to);
        let template = Template {
            source: self.source,
            actions,
            definitions: &definitions,
            chains: &self.chains,
        };
        let mut findings = computed_versions(template);
        findings.extend(self.chains.all.iter().map(|chain| chain.finding.clone()));
        let is_any = !findings.is_empty();
        self.result.findings.extend(findings);
        is_any
    }

    fn documents(&mut self, parsed: &Parsed) {
        let all_mentions = mentions(self.source.text, self.settings.to);
        self.template(&parsed.actions, &all_mentions);
        let asks_cluster = parsed.actions.iter().any(|action| {
            self.source.slice(action.span).contains(GROUP) && !self.chains.contain(action.span)
        });
        let mut places = Vec::new();
        for (index, (document, part)) in parsed.documents.iter().zip(&parsed.parts).enumerate() {
            let root = document.tree.root();
            let next = parsed.documents.get(index + 1);
            let end = next.map_or(self.source.text.len(), |next| next.span.start);
            let original = match to_value(root) {
                Ok(value) => value,
                Err(error) => {
                    let offset = document.span.start;
                    let finding = Finding::new(Severity::Error, Rule::Unreadable, offset, error);
                    self.result.findings.push(finding);
                    self.result.edits.clear();
                    return;
                }
            };
            let around = Surroundings {
                source: self.source,
                form: parsed.form,
                actions: &parsed.actions,
                twice: &twice(document),
                end,
                settings: self.settings,
                asks_cluster,
            };
            let work = self.document(around, root, original, &mut places);
            let part = Part {
                source: self.source,
                form: parsed.form,
                range: part.clone(),
                actions_before: parsed
                    .actions
                    .partition_point(|action| action.span.start < part.start),
            };
            self.check(&part, &work);
        }
        self.check_whole(parsed);
        places.extend(self.result.edits.iter().map(|edit| edit.span));
        places.sort_by_key(|place| place.start);
        let is_selected = |mention: &Mention| self.chains.contain(mention.span);
        let rest: Vec<Mention> = all_mentions
            .into_iter()
            .filter(|mention| !mention.is_within(&places) && !is_selected(mention))
            .collect();
        let findings = classify(self.source, parsed, &rest, self.settings.to);
        self.result.findings.extend(findings);
    }

    fn document(
        &mut self,
        around: Surroundings<'_>,
        root: Node<'_>,
        original: Value,
        places: &mut Vec<Span>,
    ) -> DocumentEdits {
        let found = find(root);
        let mut work = DocumentEdits {
            objects: Vec::new(),
            changes: Vec::new(),
            expected: Expected {
                offset: root.span().start,
                value: original.clone(),
                objects: found.iter().map(|found| found.pointer.clone()).collect(),
            },
            original,
            renames: false,
        };
        if found.is_empty() {
            self.result.skipped += 1;
        }
        for object in &found {
            self.object(around, object, &mut work, places);
        }
        if !found.iter().any(|found| found.pointer.is_empty()) {
            self.references(around, root, &mut work, places);
        }
        work
    }

    /// Takes over the edits of a document if they give the intended result, and else reports that it stays unchanged.
    fn check(&mut self, part: &Part<'_>, work: &DocumentEdits) {
        match checked_edits(part, self.settings.to, work) {
            Ok(edits) => self.result.edits.extend(edits),
            Err(refusal) => {
                for object in &work.objects {
                    self.result.objects[*object].changes.clear();
                }
                self.refuse(refusal);
            }
        }
    }

    /// The parts have been read one by one. Together they must be as many documents as before.
    fn check_whole(&mut self, parsed: &Parsed) {
        let Some(first) = self.result.edits.first() else {
            return;
        };
        let offset = first.span.start;
        let new = apply(self.source.text, &self.result.edits);
        let documents = parse_as(&new, parsed.form).map(|parsed| parsed.documents.len());
        if documents.is_ok_and(|documents| documents == parsed.documents.len()) {
            return;
        }
        self.result.edits.clear();
        for object in &mut self.result.objects {
            object.changes.clear();
        }
        let why = "the result has another number of documents";
        self.refuse(Refusal::new(offset, why));
    }

    fn refuse(&mut self, refusal: Refusal) {
        let Refusal { offset, why } = refusal;
        let finding = Finding::new(Severity::Manual, Rule::CannotEdit, offset, why);
        self.result.findings.push(finding.help("change it by hand"));
    }
}
