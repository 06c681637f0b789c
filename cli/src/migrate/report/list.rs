//! The findings as lines, grouped by file, with the advice for each kind of place at the end.

use super::advice;
use crate::output::{Diagnostic, ERROR, HINT, Level, Stream, WARNING, one_line, plural};
use k8s_flowcontrol_manifests::Source;
use k8s_flowcontrol_manifests::files::{Examined, Skipped};
use k8s_flowcontrol_manifests::{Finding, Rule, Severity};
use k8s_flowcontrol_text::Span;
use std::io::{self, Write};
use std::path::PathBuf;
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

/// Writes the entries of folders that were not examined: those with an error, and with `is_verbose` all of them.
pub(crate) fn write_left_out(
    skipped: &[Skipped],
    ignored: &[PathBuf],
    is_verbose: bool,
    err: &mut Stream,
) -> io::Result<()> {
    for skipped in skipped {
        let level = match skipped.is_error {
            true => Level::Error,
            false if is_verbose => Level::Note,
            false => continue,
        };
        let message = format!("{}: {}", skipped.path.display(), skipped.why);
        Diagnostic::new(level, message).write(err)?;
    }
    for path in ignored.iter().filter(|_| is_verbose) {
        let message = format!("{}: ignored", path.display());
        Diagnostic::new(Level::Note, message).write(err)?;
    }
    Ok(())
}

/// The advice for the kinds of places that were listed.
#[derive(Debug, Default)]
pub(crate) struct Advice {
    /// A rule with its advice, and the number of places.
    kinds: Vec<(&'static str, String, usize)>,
    /// The number of files of generated code and of lists of versions.
    generated: usize,
}

/// The places of each kind that are listed; `--verbose` lists all.
const LISTED: usize = 10;

impl Advice {
    /// Writes a line for each finding.
    pub(crate) fn write_lines(
        &mut self,
        file: &Examined,
        findings: &[&Finding],
        err: &mut Stream,
    ) -> io::Result<()> {
        for finding in findings {
            let earlier = self.add(finding);
            if earlier >= LISTED && finding.severity != Severity::Error {
                continue;
            }
            let at = file.source.position(finding.offset);
            let name = one_line(&file.source.name);
            write!(err, "{name}:{}:{}: ", at.line, at.column)?;
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

    /// Counts a file whose only finding is that it is generated or lists versions.
    pub(crate) fn count_generated(&mut self, findings: &[Finding]) {
        let is_generated = |finding: &Finding| finding.rule == Rule::Generated;
        self.generated += usize::from(findings.iter().any(is_generated));
    }

    /// Counts a finding. Returns the number of earlier ones with the same advice.
    fn add(&mut self, finding: &Finding) -> usize {
        let Some(help) = finding.help.as_ref().map(advice) else {
            return 0;
        };
        let rule = finding.rule.as_str();
        let known = self
            .kinds
            .iter_mut()
            .find(|(of, advice, _)| *of == rule && *advice == help);
        match known {
            Some((_, _, count)) => {
                *count += 1;
                *count - 1
            }
            None => {
                self.kinds.push((rule, help, 1));
                0
            }
        }
    }

    /// Writes the advice, once for each kind of place.
    pub(crate) fn write(&self, err: &mut Stream) -> io::Result<()> {
        for (rule, help, count) in &self.kinds {
            err.label(HINT, &format!("help[{rule}]:"))?;
            let places = plural(*count, "place");
            let more = match *count > LISTED {
                true => format!("; the first {LISTED} are listed, --verbose lists all"),
                false => String::new(),
            };
            writeln!(err, " {} ({places}{more})", one_line(help))?;
        }
        if self.generated > 0 {
            err.label(HINT, "note[generated]:")?;
            let files = plural(self.generated, "file");
            let message = "with generated code or lists of versions; update the library or generator that wrote generated code";
            writeln!(err, " {files} {message} (--verbose lists them)")?;
        }
        Ok(())
    }
}

fn message(finding: &Finding) -> String {
    match &finding.path {
        Some(path) => format!("{path}: {}", finding.message),
        None => finding.message.clone(),
    }
}
