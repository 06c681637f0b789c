//! The rules, one per file; each file declares its rule.

mod api_group_spelling;
mod auto_update_annotation;
mod closed_level;
mod cluster_scope_missing;
mod conversion_loss;
mod dangling_reference;
mod duplicate_field;
mod duplicate_object;
mod equal_precedence;
mod exempts_everybody;
mod hand_collision;
mod idle_distinguisher;
mod invalid_object;
mod lends_everything;
mod no_rules;
mod non_resource_verb;
mod one_flow;
mod path_without_slash;
mod pattern_resource;
mod pattern_subject;
mod reverted_edit;
mod root_url;
mod singular_resource;
mod takes_system_traffic;
mod unknown_field;
mod unknown_verb;
mod unreachable_schema;
mod unused_level;
mod wildcard_misses_parent;
mod zero_shares_borrow;
mod zero_shares_lend;

use super::context::{Context, Level, Schema};
use super::fault::{Fault, FaultKind};
use super::finding::{Finding, Severity};
use k8s_flowcontrol_types::Kind;

/// All rules, sorted by id.
pub fn rules() -> &'static [Rule] {
    &[
        api_group_spelling::RULE,
        auto_update_annotation::RULE,
        closed_level::RULE,
        cluster_scope_missing::RULE,
        conversion_loss::RULE,
        dangling_reference::RULE,
        duplicate_field::RULE,
        duplicate_object::RULE,
        equal_precedence::RULE,
        exempts_everybody::RULE,
        hand_collision::RULE,
        idle_distinguisher::RULE,
        invalid_object::RULE,
        lends_everything::RULE,
        no_rules::RULE,
        non_resource_verb::RULE,
        one_flow::RULE,
        path_without_slash::RULE,
        pattern_resource::RULE,
        pattern_subject::RULE,
        reverted_edit::RULE,
        root_url::RULE,
        singular_resource::RULE,
        takes_system_traffic::RULE,
        unknown_field::RULE,
        unknown_verb::RULE,
        unreachable_schema::RULE,
        unused_level::RULE,
        wildcard_misses_parent::RULE,
        zero_shares_borrow::RULE,
        zero_shares_lend::RULE,
    ]
}

/// A lint rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    id: &'static str,
    severity: Severity,
    summary: &'static str,
    check: fn(&Context, &mut Report),
}

impl Rule {
    /// The id, such as `dangling-reference`.
    pub const fn id(&self) -> &'static str {
        self.id
    }

    /// The severity of the rule's findings in a complete configuration.
    pub const fn severity(&self) -> Severity {
        self.severity
    }

    /// The least severity of the rule's findings in [files](super::Configuration::files): a note if objects that are missing
    /// from the files could solve the problem, or else the same as [`severity`](Self::severity).
    pub fn severity_in_files(&self) -> Severity {
        match self.id == dangling_reference::RULE.id || self.id == unused_level::RULE.id {
            true => Severity::Note,
            false => self.severity,
        }
    }

    /// The problem that the rule finds, in one sentence.
    pub const fn summary(&self) -> &'static str {
        self.summary
    }

    pub(super) fn findings(&self, context: &Context) -> Vec<Finding> {
        let mut report = Report {
            rule: self.id,
            severity: self.severity,
            findings: Vec::new(),
        };
        (self.check)(context, &mut report);
        report.findings
    }
}

/// The findings of a rule.
struct Report {
    rule: &'static str,
    severity: Severity,
    findings: Vec<Finding>,
}

impl Report {
    fn schema(&mut self, schema: &Schema, path: impl Into<String>, message: String, help: &str) {
        self.push(Kind::FlowSchema, schema.name(), path.into(), message, help);
    }

    fn level(&mut self, level: &Level, path: impl Into<String>, message: String, help: &str) {
        self.push(
            Kind::PriorityLevelConfiguration,
            level.name(),
            path.into(),
            message,
            help,
        );
    }

    fn fault(&mut self, fault: &Fault, message: String, help: &str) {
        self.push(fault.kind, &fault.name, fault.path.clone(), message, help);
    }

    fn push(&mut self, kind: Kind, name: &str, path: String, message: String, help: &str) {
        let (rule, severity) = (self.rule, self.severity);
        let (name, help) = (name.to_owned(), help.to_owned());
        self.findings.push(Finding {
            rule,
            severity,
            kind,
            name,
            path,
            message,
            help,
        });
    }

    /// The severity of further findings.
    fn set_severity(&mut self, severity: Severity) {
        self.severity = severity;
    }
}
