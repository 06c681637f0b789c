//! The findings as lines: each with its details, or one line for all places with the same advice.

use crate::output::{Diagnostic, ERROR, HINT, Stream, WARNING, one_line, plural};
use k8s_flowcontrol_manifests::files::Examined;
use k8s_flowcontrol_manifests::{Finding, Remedy, Rule, Severity, Source};
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
            diagnostic = diagnostic.help(advice(help));
        }
        diagnostic.write(err)?;
    }
    Ok(())
}

/// The findings of a migration in lines: one for each error, and one for all places of the same kind with the same advice.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    groups: Vec<Group>,
    /// The advice for generated code and lists of versions, with the number of files.
    generated: BTreeMap<String, usize>,
}

/// The places with the same advice.
#[derive(Debug)]
struct Group {
    severity: Severity,
    rule: Rule,
    advice: String,
    places: usize,
    files: usize,
    /// The number of the last file, so that each counts once.
    last: usize,
    /// The first place, and the message about it.
    first: String,
    message: String,
}

impl Groups {
    /// The groups of the findings that `is_listed` selects.
    pub(crate) fn of(files: &[Examined], is_listed: impl Fn(&Examined, &Finding) -> bool) -> Self {
        let mut found = Self::default();
        let mut known = BTreeMap::new();
        for (number, file) in files.iter().enumerate() {
            for finding in &file.outcome.findings {
                if is_listed(file, finding) {
                    found.add(&mut known, (file, number), finding);
                } else if finding.rule == Rule::Generated {
                    let help = finding.help.as_ref().map(advice);
                    *found.generated.entry(help.unwrap_or_default()).or_default() += 1;
                }
            }
        }
        found
    }

    /// Writes a line for each group.
    pub(crate) fn write(&self, err: &mut Stream) -> io::Result<()> {
        for group in &self.groups {
            write!(err, "{}: ", group.first)?;
            write_label(group.severity, group.rule, err)?;
            write!(err, " {}", group.message)?;
            if group.places > 1 {
                let places = plural(group.places, "place");
                let files = plural(group.files, "file");
                write!(err, " ({places} in {files}, --verbose lists all)")?;
            }
            write_help(&group.advice, err)?;
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

    fn add(
        &mut self,
        known: &mut BTreeMap<(Severity, Rule, String), usize>,
        (file, number): (&Examined, usize),
        finding: &Finding,
    ) {
        let Some(advice) = group_of(finding) else {
            return;
        };
        let key = (finding.severity, finding.rule, advice);
        if let Some(group) = known.get(&key).and_then(|at| self.groups.get_mut(*at)) {
            group.places += 1;
            group.files += usize::from(group.last != number);
            group.last = number;
            return;
        }
        self.groups.push(Group {
            severity: finding.severity,
            rule: finding.rule,
            advice: key.2.clone(),
            places: 1,
            files: 1,
            last: number,
            first: place(file, finding),
            message: one_line(&message(finding)).into_owned(),
        });
        known.insert(key, self.groups.len() - 1);
    }
}

/// The advice of a finding that stands in the line of a group. Each error has its own line, and so has a finding without advice.
fn group_of(finding: &Finding) -> Option<String> {
    let help = finding.help.as_ref().map(advice);
    help.filter(|_| finding.severity != Severity::Error)
}

/// Writes a line for each finding of a file that is in no group.
pub(crate) fn write_single(
    file: &Examined,
    findings: &[&Finding],
    err: &mut Stream,
) -> io::Result<()> {
    for finding in findings {
        if group_of(finding).is_some() {
            continue;
        }
        write!(err, "{}: ", place(file, finding))?;
        write_label(finding.severity, finding.rule, err)?;
        write!(err, " {}", one_line(&message(finding)))?;
        let help = finding.help.as_ref().map(advice);
        write_help(&help.unwrap_or_default(), err)?;
    }
    Ok(())
}

fn write_label(severity: Severity, rule: Rule, err: &mut Stream) -> io::Result<()> {
    let rule = rule.as_str();
    match severity {
        Severity::Error => err.label(ERROR, &format!("error[{rule}]:")),
        Severity::Manual => err.label(WARNING, &format!("warning[{rule}]:")),
        Severity::Note => err.label(HINT, &format!("note[{rule}]:")),
    }
}

/// Writes advice, if there is any, and ends the line.
fn write_help(advice: &str, err: &mut Stream) -> io::Result<()> {
    if !advice.is_empty() {
        write!(err, "; ")?;
        err.label(HINT, "help:")?;
        write!(err, " {}", one_line(advice))?;
    }
    writeln!(err)
}

/// The place of a finding: `app/main.go:3:5`.
fn place(file: &Examined, finding: &Finding) -> String {
    let at = file.source.position(finding.offset);
    format!("{}:{}:{}", one_line(&file.source.name), at.line, at.column)
}

pub(super) fn message(finding: &Finding) -> String {
    match &finding.path {
        Some(path) => format!("{path}: {}", finding.message),
        None => finding.message.clone(),
    }
}

/// A remedy with the options of `migrate`.
pub(crate) fn advice(remedy: &Remedy) -> String {
    match remedy {
        Remedy::AcceptLoss { instead, effect } => {
            let effect = effect.iter().map(|effect| format!("; {effect}"));
            format!("{instead}, or use --allow-loss{}", effect.collect::<String>())
        }
        Remedy::CheckAndAcceptLoss(check) => format!("{check}, then use --allow-loss"),
        Remedy::ForeignField {
            instead,
            live,
            file,
        } => {
            let instead = instead.iter().map(|change| format!("{change}; "));
            let options = match file {
                Some(file) if file == live => format!("--foreign-fields live or file {live}"),
                Some(file) => format!("--foreign-fields live {live}; --foreign-fields file {file}"),
                None => format!("--foreign-fields live {live}"),
            };
            instead.collect::<String>() + &options
        }
        Remedy::CheckRendered => {
            "check the rendered result: `--render` does so with Helm, or use `helm template CHART | kubectl flowcontrol validate -f - --kubernetes RELEASE`".to_owned()
        }
        Remedy::RenameMetric(change) => {
            format!("{change}; `kubectl flowcontrol migrate --rename-metrics` renames it")
        }
        Remedy::Commit => format!("{remedy}, or use --allow-dirty"),
        other => other.to_string(),
    }
}
