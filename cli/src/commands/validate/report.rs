//! The verdicts as text and as JSON.

use super::old::is_alpha;
use crate::documents::{Document, Found, Skipped};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Diagnostic, Streams, one_line, plural, write_line};
use k8s_flowcontrol::Release;
use k8s_flowcontrol::rules::validate::verdict::{Failure as Refused, Verdict};
use serde::Serialize;
use serde_json::Value;
use std::io::{self, Write};

/// Prints verdicts immediately, and counts them.
pub(super) struct Report {
    json: bool,
    strips: bool,
    release: Release,
    valid: usize,
    invalid: usize,
    existing: usize,
    carries_server_fields: usize,
    skipped: Skipped,
    unreadable_files: usize,
}

/// A line of `-o json`.
#[derive(Serialize)]
struct Line<'a> {
    source: &'a str,
    kind: &'a str,
    name: Option<&'a str>,
    #[serde(rename = "apiVersion")]
    api_version: &'a str,
    valid: bool,
    status: Option<Value>,
}

impl Report {
    /// A report in JSON or as text. With stripped server fields they are not mentioned.
    pub(super) fn new(json: bool, strips: bool, release: Release) -> Self {
        Self {
            json,
            strips,
            release,
            valid: 0,
            invalid: 0,
            existing: 0,
            carries_server_fields: 0,
            skipped: Skipped::default(),
            unreadable_files: 0,
        }
    }

    pub(super) fn verdict(
        &mut self,
        document: &Document,
        verdict: &Verdict,
        streams: &mut Streams,
    ) -> Result<(), Failure> {
        let valid = verdict.failure.is_none();
        match valid {
            true => self.valid += 1,
            false => self.invalid += 1,
        }
        self.existing += usize::from(verdict.code == 409);
        if !self.strips {
            self.carries_server_fields += usize::from(document.has_resource_version());
        }
        for warning in &verdict.warnings {
            let diagnostic =
                Diagnostic::warning(warning.as_str()).at(&document.source, document.start());
            diagnostic.write(&mut streams.err)?;
        }
        if self.json {
            let version = document.version(self.release);
            let written = document.api_version().filter(|version| !version.is_empty());
            let line = Line {
                source: &document.source.name,
                kind: document.written_kind(),
                name: document.name(),
                api_version: written.unwrap_or(version.api_version()),
                valid,
                status: verdict.failure.as_ref().map(Refused::status),
            };
            write_line(&mut streams.out, &line)?;
        } else if valid {
            let start = document.source.position(document.start().start);
            let (source, title) = (&document.source.name, document.title());
            let line = format!("{source}:{}: {title} is valid", start.line);
            writeln!(streams.out, "{}", one_line(&line))?;
        } else {
            for diagnostic in self.diagnostics(document, verdict) {
                diagnostic.write(&mut streams.out)?;
            }
        }
        Ok(())
    }

    fn diagnostics(&self, document: &Document, verdict: &Verdict) -> Vec<Diagnostic> {
        let title = document.title();
        let source = &document.source;
        let Some(failure) = &verdict.failure else {
            return Vec::new();
        };
        let reason = failure.reason.unwrap_or("InternalError");
        let causes = failure.details.as_ref().map(|details| &details.causes);
        if let Some(causes) = causes.filter(|causes| !causes.is_empty()) {
            let causes = causes.iter().map(|cause| {
                Diagnostic::error(format!("{title}: {cause}"))
                    .id(cause.reason.as_str())
                    .at(source, document.locate(&cause.field))
            });
            return causes.collect();
        }
        if is_alpha(document) {
            // The server's message names a file of its source.
            let message = format!("{title}: no release since 1.25 serves or converts v1alpha1");
            let diagnostic = Diagnostic::error(message)
                .id(reason)
                .at(source, document.locate("apiVersion"));
            return vec![diagnostic.help(
                "use `kubectl flowcontrol migrate`, which takes it to v1 by the rules of v1beta1",
            )];
        }
        let span = verdict
            .body_error
            .as_ref()
            .and_then(|error| document.in_text(error.span?));
        let span = span.unwrap_or_else(|| match verdict.code {
            404 if !document.version(self.release).is_served_by(self.release) => {
                document.locate("apiVersion")
            }
            404 | 409 => document.locate("metadata.name"),
            _ => document.start(),
        });
        let diagnostic = Diagnostic::error(failure.message.as_str())
            .id(reason)
            .at(source, span);
        vec![match self.help(document, failure) {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }]
    }

    fn help(&self, document: &Document, failure: &Refused) -> Option<String> {
        let (release, version) = (self.release, document.version(self.release));
        match failure.code {
            404 if !version.is_served_by(release) => {
                let served: Vec<_> = release.served().map(|version| version.as_str()).collect();
                Some(format!(
                    "Kubernetes {release} serves {}, not {version}; use `kubectl flowcontrol convert` or `migrate` to change the \
                     version",
                    served.join(" and ")
                ))
            }
            409 if failure.reason == Some("AlreadyExists") => Some(
                "this is a built-in object; use `--update-of` to validate an update, or `--no-bootstrap` to assume that it \
                 does not exist"
                    .into(),
            ),
            400 if failure.message.contains("ConcurrencyShares\"") => Some(
                "the field is assuredConcurrencyShares up to v1beta2 and nominalConcurrencyShares since v1beta3"
                    .into(),
            ),
            _ => None,
        }
    }

    pub(super) fn unreadable_file(&mut self) {
        self.unreadable_files += 1;
    }

    pub(super) fn skip(&mut self, found: &Found, streams: &mut Streams) -> io::Result<()> {
        self.skipped.add(found, streams)
    }

    /// Prints the summary and returns the exit code.
    pub(super) fn finish(self, streams: &mut Streams) -> Result<Exit, Failure> {
        streams.out.flush()?;
        let total = self.valid + self.invalid;
        let (release, objects) = (self.release, plural(total, "object"));
        let mut summary = format!(
            "{objects} for Kubernetes {release}: {} valid, {} invalid",
            self.valid, self.invalid
        );
        if self.existing > 0 {
            summary.push_str(&format!(
                " ({} of them because the object exists)",
                self.existing
            ));
        }
        writeln!(streams.err, "{summary}")?;
        self.skipped.summarize(streams)?;
        if total == 0 && self.unreadable_files == 0 && self.skipped.is_empty() {
            return Err(Failure::input("the files contain no objects"));
        }
        if self.carries_server_fields > 0 {
            writeln!(
                streams.err,
                "{} exported from a cluster with a resourceVersion, which `kubectl create` rejects; use \
                 `--strip-server-fields` to remove it",
                plural(self.carries_server_fields, "object")
            )?;
        }
        if self.unreadable_files > 0 {
            return Err(Failure::input(format!(
                "{} could not be read",
                plural(self.unreadable_files, "file")
            )));
        }
        Ok(match self.invalid {
            0 => Exit::Success,
            _ => Exit::Findings,
        })
    }
}
