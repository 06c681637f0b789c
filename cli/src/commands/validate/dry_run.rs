//! The verdicts of a cluster: dry runs that update objects, or create them if they do not exist.

use super::Args;
use super::answer::Answer;
use crate::cluster::{FIELD_MANAGER, Live};
use crate::documents::Document;
use crate::failure::Failure;
use k8s_flowcontrol::client::Warning;
use k8s_flowcontrol::client::http::Method;
use k8s_flowcontrol::rules::decode::Format;
use k8s_flowcontrol::rules::validate::verdict;
use k8s_flowcontrol::{Error, FieldValidation, GROUP, Release};
use k8s_flowcontrol_manifests::Validator;
use k8s_flowcontrol_text::Span;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

pub(super) struct DryRuns {
    pub(super) live: Live,
    /// The release of the cluster, or the oldest one with its API versions: for the places of errors, and for objects that cannot be
    /// sent as they are.
    pub(super) release: Release,
    field_validation: FieldValidation,
    strips_server_fields: bool,
    is_status: bool,
}

impl DryRuns {
    /// Connects to a cluster.
    pub(super) async fn connect(args: &Args) -> Result<Self, Failure> {
        // The warnings of each response are shown at the place of its object.
        let live = Live::connect(args.cluster.silent_client()?, None).await?;
        Ok(Self {
            release: live.client.release().await?,
            live,
            field_validation: args.field_validation.into(),
            strips_server_fields: args.export.strip_server_fields,
            is_status: args.subresource.is_some(),
        })
    }

    /// The verdict of the cluster on a document, in the version of the document.
    /// Errors: if the cluster does not have a verdict: it is unreachable, forbids the request, or has another problem.
    pub(super) async fn answer(&self, document: &Document) -> Result<Answer, Failure> {
        // The place of an error in the text is not in the response.
        let mut validator = Validator::new(self.release)
            .field_validation(self.field_validation)
            .without_built_in_objects();
        if self.strips_server_fields {
            validator = validator.strip_server_fields();
        }
        let offline = validator.verdict(document);
        let version = document.version(self.release);
        if !self.live.served.contains(&version) {
            let failure = verdict::Failure::not_served();
            return Ok(Answer::of(&verdict::Verdict::failed(failure)));
        }
        if !document.duplicates().is_empty() && offline.failure.is_some() {
            // The JSON that is sent for an item of a YAML list no longer has its duplicate fields.
            return Ok(Answer::of(&offline));
        }
        let kind = document.kind().plural();
        let objects = format!("/apis/{GROUP}/{version}/{kind}");
        let name = document.name().filter(|name| is_segment(name));
        let result = match name {
            Some(name) => {
                let name = utf8_percent_encode(name, NON_ALPHANUMERIC);
                let status = if self.is_status { "/status" } else { "" };
                let path = format!("{objects}/{name}{status}");
                match self.send(Method::PUT, &path, document).await {
                    Err(error) if error.is_not_found() && !self.is_status => {
                        self.send(Method::POST, &objects, document).await
                    }
                    result => result,
                }
            }
            None => self.send(Method::POST, &objects, document).await,
        };
        let place = Answer::of(&offline).place;
        match result {
            Ok((code, warnings)) => Ok(Answer {
                code,
                failure: None,
                warnings,
                place: None,
            }),
            Err(error) => failed(&error, place, self.is_status, kind),
        }
    }

    /// Sends a dry run, and returns the status code and the warnings.
    async fn send(
        &self,
        method: Method,
        path: &str,
        document: &Document,
    ) -> Result<(u16, Vec<String>), Error> {
        let mode = self.field_validation.as_str();
        let path = format!("{path}?dryRun=All&fieldManager={FIELD_MANAGER}&fieldValidation={mode}");
        let stripped = self.strips_server_fields.then(|| document.stripped());
        let (media_type, body) = match (stripped.flatten(), document.body()) {
            (Some(object), _) => ("application/json", object.to_string().into_bytes()),
            (None, (Format::Json, body)) => ("application/json", body.to_vec()),
            (None, (Format::Yaml, body)) => ("application/yaml", body.to_vec()),
        };
        let request = self.live.client.raw(method, &path);
        let response = request.body(media_type, body).send().await?;
        Ok((response.code(), texts(response.warnings())))
    }
}

/// The verdict in an error.
fn failed(
    error: &Error,
    place: Option<Span>,
    is_status: bool,
    kind: &str,
) -> Result<Answer, Failure> {
    let status = error.status().filter(|status| {
        // The other failures are about the server, the user or the network, and not about the object.
        match status.code.unwrap_or_default() {
            400 | 404 | 409 | 413 | 422 => true,
            // An admission plugin or a webhook denies the object; else the user lacks a permission.
            403 => {
                let message = status.message.as_deref().unwrap_or_default();
                !message.contains(" is forbidden: User \"")
            }
            500 => status.reason.is_none(),
            _ => false,
        }
    });
    let Some(status) = status else {
        let failure = Failure::from(error);
        return Err(match error.code() {
            _ if error.is_forbidden() && is_status => {
                failure.hint(format!("`--subresource` needs `update` on {kind}/status"))
            }
            Some(500..) => failure.hint("the request was a dry run: it changed nothing"),
            _ => failure,
        });
    };
    Ok(Answer {
        code: error.code().unwrap_or_default(),
        failure: Some(status.clone()),
        warnings: texts(error.warnings()),
        place: place.filter(|_| error.is_bad_request()),
    })
}

fn texts(warnings: &[Warning]) -> Vec<String> {
    let texts = warnings.iter().map(|warning| warning.text().to_owned());
    texts.collect()
}

/// Whether a name can be a part of a path. An object with another name does not exist.
fn is_segment(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && !name.contains(['/', '%'])
}
