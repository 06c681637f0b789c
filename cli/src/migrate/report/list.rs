//! The findings as lines, grouped by file, with the advice for each kind of place at the end.

use super::advice as advice_of;
use crate::output::{Diagnostic, ERROR, HINT, Stream, WARNING, one_line, plural};
use k8s_flowcontrol_manifests::Source;
use k8s_flowcontrol_manifests::files::Examined;
use k8s_flowcontrol_manifests::{Finding, Rule, Severity};
use k8s_flowcontrol_text::Span;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

/// Writes findings with the lines of the text and all details.
pub(crate) fn write_details(
    source: &Arc<Source>,
    findings: &[&Finding],
    err: &mut Stream,
) -> io::Result<()> {
    for finding in findings {
        let mut diagnostic = Diagnostic::new(finding.severity.into(), message(finding))
            .id(finding.rule.as_str())
            .at(source, Span::new(finding.offset, finding.offset + 1));
        if let Some(help) = &finding.help {
            diagnostic = diagnostic.help(advice_of(help));
        }
        diagnostic.write(err)?;
    }
    Ok(())
}

/// The advice for the kinds of places that were listed.
#[derive(Debug, Default)]
pub(crate) struct Advice {
    kinds: Vec<Kind>,
    /// The advice for generated code and lists of versions, with the number of files.
    generated: BTreeMap<String, usize>,
}

/// The places with the same advice.
#[derive(Debug)]
struct Kind {
    rule: &'static str,
    advice: String,
    places: usize,
    files: usize,
    /// The number of the last file, so that each counts once.
    last: usize,
    first: String,
}

/// The most places of a kind that have a line each; of more places only the first is named, and `--verbose` lists all.
const LISTED: usize = 10;

impl Advice {
    /// The kinds of the findings that `is_listed` selects.
    pub(crate) fn of(files: &[Examined], is_listed: impl Fn(&Examined, &Finding) -> bool) -> Self {
        let mut advice = Self::default();
        for (number, file) in files.iter().enumerate() {
            for finding in &file.outcome.findings {
                if is_listed(file, finding) {
                    advice.add(file, number + 1, finding);
                } else if finding.rule == Rule::Generated {
                    let help = finding.help.as_ref().map(advice_of);
                    *advice
                        .generated
                        .entry(help.unwrap_or_default())
                        .or_default() += 1;
                }
            }
        }
        advice
    }

    /// Writes a line for each finding, unless one line stands for all of its kind.
    pub(crate) fn write_lines(
        &self,
        file: &Examined,
        findings: &[&Finding],
        err: &mut Stream,
    ) -> io::Result<()> {
        for finding in findings {
            let kind = self.kind(finding);
            let is_many = kind.is_some_and(|kind| kind.places > LISTED);
            if is_many && finding.severity != Severity::Error {
                continue;
            }
            let name = place(file, finding);
            write!(err, "{name}: ")?;
            let rule = finding.rule.as_str();
            match finding.severity {
                Severity::Error => err.label(ERROR, &format!("error[{rule}]:"))?,
                Severity::Manual => err.label(WARNING, &format!("warning[{rule}]:"))?,
                Severity::Note => err.label(HINT, &format!("note[{rule}]:"))?,
            }
            writeln!(err, " {}", one_line(&message(finding)))?;
        }
        Ok(())
    }

    /// Writes the advice, once for each kind of place.
    pub(crate) fn write(&self, err: &mut Stream) -> io::Result<()> {
        for kind in &self.kinds {
            err.label(HINT, &format!("help[{}]:", kind.rule))?;
            let places = plural(kind.places, "place");
            let more = match kind.places > LISTED {
                true => {
                    let files = plural(kind.files, "file");
                    let first = &kind.first;
                    format!(" in {files}, the first is {first}; --verbose lists all")
                }
                false => String::new(),
            };
            writeln!(err, " {} ({places}{more})", one_line(&kind.advice))?;
        }
        for (help, count) in &self.generated {
            err.label(HINT, "note[generated]:")?;
            let files = plural(*count, "file");
            let what = match help.as_str() {
                "" => "with lists of versions, or documents of servers and libraries".to_owned(),
                help => format!("with generated code: {}", one_line(help)),
            };
            writeln!(err, " {files} {what} (--verbose lists them)")?;
        }
        Ok(())
    }

    fn kind(&self, finding: &Finding) -> Option<&Kind> {
        let help = finding.help.as_ref().map(advice_of)?;
        let rule = finding.rule.as_str();
        let mut kinds = self.kinds.iter();
        kinds.find(|kind| kind.rule == rule && kind.advice == help)
    }

    fn add(&mut self, file: &Examined, number: usize, finding: &Finding) {
        let Some(help) = finding.help.as_ref().map(advice_of) else {
            return;
        };
        let rule = finding.rule.as_str();
        let known = self
            .kinds
            .iter_mut()
            .find(|kind| kind.rule == rule && kind.advice == help);
        match known {
            Some(kind) => {
                kind.places += 1;
                kind.files += usize::from(kind.last != number);
                kind.last = number;
            }
            None => self.kinds.push(Kind {
                rule,
                advice: help,
                places: 1,
                files: 1,
                last: number,
                first: place(file, finding),
            }),
        }
    }
}

/// The place of a finding: `app/main.go:3:5`.
fn place(file: &Examined, finding: &Finding) -> String {
    let at = file.source.position(finding.offset);
    format!("{}:{}:{}", one_line(&file.source.name), at.line, at.column)
}

fn message(finding: &Finding) -> String {
    match &finding.path {
        Some(path) => format!("{path}: {}", finding.message),
        None => finding.message.clone(),
    }
}
