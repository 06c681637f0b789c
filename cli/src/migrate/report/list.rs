//! The findings as lines, grouped by file, with the advice for each kind of place at the end.

use super::advice;
use crate::output::{Diagnostic, ERROR, HINT, Level, Stream, WARNING, one_line, plural};
use k8s_flowcontrol_manifests::Source;
use k8s_flowcontrol_manifests::files::{Examined, Skipped};
use k8s_flowcontrol_manifests::{Finding, Severity};
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
}

impl Advice {
    /// Writes a line for each finding.
    pub(crate) fn write_lines(
        &mut self,
        file: &Examined,
        findings: &[&Finding],
        err: &mut Stream,
    ) -> io::Result<()> {
        for finding in findings {
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
            self.add(finding);
        }
        Ok(())
    }

    fn add(&mut self, finding: &Finding) {
        let Some(help) = finding.help.as_ref().map(advice) else {
            return;
        };
        let rule = finding.rule.as_str();
        let known = self
            .kinds
            .iter_mut()
            .find(|(of, advice, _)| *of == rule && *advice == help);
        match known {
            Some((_, _, count)) => *count += 1,
            None => self.kinds.push((rule, help, 1)),
        }
    }

    /// Writes the advice, once for each kind of place.
    pub(crate) fn write(&self, err: &mut Stream) -> io::Result<()> {
        for (rule, help, count) in &self.kinds {
            err.label(HINT, &format!("help[{rule}]:"))?;
            let places = plural(*count, "place");
            writeln!(err, " {} ({places})", one_line(help))?;
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
