//! The verdicts as text and as JSON.

use super::answer::Answer;
use super::old::is_alpha;
use crate::documents::{Document, FileArgs, Found, Skipped};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Diagnostic, Streams, one_line, plural, write_line};
use k8s_flowcontrol::meta::Status;
use k8s_flowcontrol::{ApiVersion, Release};
use serde::Serialize;
use std::io::Write;

/// Prints verdicts immediately, and counts them.
#[derive(Default)]
pub(super) struct Report {
    json: bool,
    strips: bool,
    release: Release,
    served: Vec<ApiVersion>,
    /// The name of the server in sentences.
    name_of_server: String,
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
    status: Option<&'a Status>,
}

impl Report {
    /// A report in JSON or as text. With stripped server fields they are not mentioned.
    pub(super) fn new(json: bool, strips: bool, release: Release) -> Self {
        Self {
            json,
            strips,
            release,
            served: release.served().collect(),
            name_of_server: format!("Kubernetes {release}"),
            ..Self::default()
        }
    }

    /// The report about a cluster, which serves these versions.
    pub(super) fn of_cluster(mut self, served: &[ApiVersion]) -> Self {
        self.served = served.to_vec();
        self.name_of_server = "the cluster".to_owned();
        self
    }

    /// Prints the answers to the documents of a file, or the error of a file that cannot be read.
    pub(super) fn file(
        &mut self,
        file: Result<Found, Failure>,
        mut answer: impl FnMut(&Document) -> Answer,
        streams: &mut Streams,
    ) -> Result<(), Failure> {
        match file {
            Ok(found) => {
                for document in &found.documents {
                    self.answer(document, &answer(document), streams)?;
                }
                self.skipped.add(&found, streams)?;
            }
            Err(failure) => {
                // The other files are still validated.
                failure.report(streams);
                self.unreadable_files += 1;
            }
        }
        Ok(())
    }

    fn answer(
        &mut self,
        document: &Document,
        answer: &Answer,
        streams: &mut Streams,
    ) -> Result<(), Failure> {
        let valid = answer.failure.is_none();
        match valid {
            true => self.valid += 1,
            false => self.invalid += 1,
        }
        self.existing += usize::from(answer.has_reason("AlreadyExists"));
        if !self.strips {
            self.carries_server_fields += usize::from(document.has_resource_version());
        }
        for warning in &answer.warnings {
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
                status: answer.failure.as_ref(),
            };
            write_line(&mut streams.out, &line)?;
        } else if valid {
            let start = document.source.position(document.start().start);
            let (source, title) = (&document.source.name, document.title());
            let line = format!("{source}:{}: {title} is valid", start.line);
            writeln!(streams.out, "{}", one_line(&line))?;
        } else {
            for diagnostic in self.diagnostics(document, answer) {
                diagnostic.write(&mut streams.out)?;
            }
        }
        Ok(())
    }

    fn diagnostics(&self, document: &Document, answer: &Answer) -> Vec<Diagnostic> {
        let title = document.title();
        let source = &document.source;
        let Some(failure) = &answer.failure else {
            return Vec::new();
        };
        let reason = failure.reason.as_deref().unwrap_or("InternalError");
        let message = failure.message.as_deref().unwrap_or_default();
        let details = failure.details.as_ref();
        let causes = details.map_or(&[][..], |details| &details.causes);
        if !causes.is_empty() {
            let causes = causes.iter().map(|cause| {
                let field = cause.field.as_deref().unwrap_or_default();
                let message = cause.message.as_deref().unwrap_or_default();
                Diagnostic::error(format!("{title}: {field}: {message}"))
                    .id(cause.reason.as_deref().unwrap_or(reason))
                    .at(source, document.locate(field))
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
        if answer.code == 404
            && !self.serves(document)
            && let Err(error) = document.decode(self.release)
        {
            // The error of a server that serves the version, which the text has as well.
            let help = document.decode_help();
            let diagnostic = Diagnostic::error(document.decode_message(&error))
                .id("BadRequest")
                .at(source, error.span)
                .help_if(help.or_else(|| self.help(document, answer, message)));
            return vec![diagnostic];
        }
        let span = answer.place.and_then(|place| document.in_text(place));
        let span = span.unwrap_or_else(|| match answer.code {
            404 if !self.serves(document) => document.locate("apiVersion"),
            404 => document.locate("metadata.name"),
            409 if answer.has_reason("Conflict") => document.locate("metadata"),
            409 => document.locate("metadata.name"),
            _ => document.start(),
        });
        let diagnostic = Diagnostic::error(message).id(reason).at(source, span);
        vec![diagnostic.help_if(self.help(document, answer, message))]
    }

    fn serves(&self, document: &Document) -> bool {
        self.served.contains(&document.version(self.release))
    }

    fn help(&self, document: &Document, answer: &Answer, message: &str) -> Option<String> {
        let version = document.version(self.release);
        match answer.code {
            404 if !self.serves(document) => {
                let served: Vec<_> = self.served.iter().map(|version| version.as_str()).collect();
                let (name, served) = (&self.name_of_server, served.join(" and "));
                Some(format!(
                    "{name} serves {served}, not {version}; use `kubectl flowcontrol convert` or `migrate` to change the version"
                ))
            }
            409 if answer.has_reason("AlreadyExists") => Some(
                "this is a built-in object; use `--update-of` to validate an update, or `--only-these` to assume that it \
                 does not exist"
                    .into(),
            ),
            409 if document.has_resource_version() => Some(
                "the object has changed since it was exported; `--strip-server-fields` ignores its resourceVersion and its uid"
                    .into(),
            ),
            400 if message.contains("ConcurrencyShares\"") => Some(
                "the field is assuredConcurrencyShares up to v1beta2 and nominalConcurrencyShares since v1beta3"
                    .into(),
            ),
            400 => document.decode_help(),
            _ => None,
        }
    }

    /// Prints the summary and returns the exit code.
    pub(super) fn finish(self, files: &FileArgs, streams: &mut Streams) -> Result<Exit, Failure> {
        streams.out.flush()?;
        let total = self.valid + self.invalid;
        let mut summary = format!(
            "{} for {}: {} valid, {} invalid",
            plural(total, "object"),
            self.name_of_server,
            self.valid,
            self.invalid
        );
        if self.existing > 0 {
            summary.push_str(&format!(
                " ({} of them because the object exists)",
                self.existing
            ));
        }
        writeln!(streams.err, "{summary}")?;
        self.skipped.summarize(streams)?;
        if total == 0 && self.unreadable_files == 0 {
            return Err(Failure::no_objects(files));
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
        Ok(Exit::of_findings(self.invalid > 0))
    }
}
