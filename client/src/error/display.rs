//! The text of an error: the request, the reason, a remedy.

use super::{Effect, Error, ErrorKind, NotServed};
use crate::GROUP;
use crate::config::RetryLimit;
use crate::meta::Status;
use crate::response::gunzip::GunzipError;
use crate::transport::{ConnectError, Properties, cause_in_words, find};
use http::header::LOCATION;
use std::time::Duration;
use std::{fmt, io};

/// The remedy for a page of a website or a proxy.
const NOT_A_SERVER: &str = "an API server does not answer in HTML: check the server's URL";

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_reason(f)?;
        match self.0.effect {
            Effect::None => {}
            Effect::Possible => f.write_str("; the request may have taken effect")?,
            Effect::PossibleBefore => f.write_str("; an earlier attempt may have taken effect")?,
        }
        match (self.0.retry_limit, self.attempts()) {
            (None | Some(RetryLimit::Attempts), 0 | 1) => Ok(()),
            (None, attempts) => write!(f, " (after {attempts} attempts)"),
            (Some(limit @ RetryLimit::Attempts), attempts) => {
                write!(f, " (after {attempts} attempts, {limit})")
            }
            (Some(limit), 0 | 1) => write!(f, "; it was not sent again because {limit}"),
            (Some(limit), attempts) => {
                write!(
                    f,
                    "; it was not sent again after {attempts} attempts because {limit}"
                )
            }
        }
    }
}

impl Error {
    fn write_reason(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = &self.0.line {
            write!(f, "{} {}: ", line.method, line.path)?;
        }
        match (&self.0.kind, self.failed_code()) {
            (_, None) | (ErrorKind::Status(_) | ErrorKind::NotStatus { .. }, _) => {}
            (ErrorKind::Decode { .. }, Some(code)) => write!(f, "the server answered {code}: ")?,
            (_, Some(code)) => write!(f, "the server answered {code}, and ")?,
        }
        match &self.0.kind {
            ErrorKind::Argument(message) => write!(f, "{message}; nothing was sent"),
            // The outermost error is a ConfigError, which names the file.
            ErrorKind::Setup if self.0.line.is_some() => {
                write!(f, "the credentials or certificates cannot be used: {}", self.outermost())
            }
            ErrorKind::Setup => write!(f, "the client could not be created: {}", self.outermost()),
            ErrorKind::Send { server, is, remedy } => self.write_send(f, server, *is, *remedy),
            ErrorKind::TimedOut { what, limit, .. } => {
                write!(f, "{what} did not finish within {limit:?}")?;
                // The source of the error is the failure before, which a longer timeout may not help.
                match self.get_ref() {
                    Some(_) => Ok(()),
                    None => f.write_str("; set a longer timeout"),
                }
            }
            ErrorKind::Body { timeout: true } => f.write_str("the response did not end in time"),
            ErrorKind::Body { .. } if self.is_damaged() => {
                write!(f, "the response cannot be decompressed: {}", self.innermost())
            }
            ErrorKind::Body { .. } => write!(f, "the response ended early: {}", self.innermost()),
            ErrorKind::TooLong { what, limit, setting } => {
                write!(f, "{what} is longer than {limit} bytes; raise the limit with {setting}")
            }
            ErrorKind::Status(status) => self.write_status(f, status),
            ErrorKind::NotStatus { content_type, excerpt } => self.write_other_body(f, content_type, excerpt),
            ErrorKind::Decode { expected, message, excerpt } => {
                write!(f, "expected {expected} in the response: {message}")?;
                if !excerpt.is_empty() {
                    write!(f, "; it begins with `{excerpt}`")?;
                }
                match self.is_html() {
                    true => write!(f, "; {NOT_A_SERVER}"),
                    false => Ok(()),
                }
            }
            ErrorKind::CutOff => {
                f.write_str("the watch ended in the middle of an event; watch again from the last resource version")
            }
            ErrorKind::Silent { limit, is_open: true } => {
                write!(f, "the watch was silent for {limit:?} and was closed")
            }
            ErrorKind::Silent { limit, is_open: false } => {
                write!(f, "the response was not complete within {limit:?}, and the request was abandoned")
            }
            ErrorKind::ShortWatch => {
                f.write_str("the server ended the watch within a second, without a new resource version")
            }
            ErrorKind::NoDriver => f.write_str(
                "the store is no longer kept up to date: its driver was dropped, or the task that polled it has ended",
            ),
            ErrorKind::WentBack { from, to } => write!(
                f,
                "the server went back from resource version {from} to {to}; was it restored from a backup?"
            ),
            ErrorKind::NotServed(message) => f.write_str(message),
            ErrorKind::VersionChanged { from, to } => write!(
                f,
                "the server no longer serves {from} and further requests use {to}; list again"
            ),
            ErrorKind::Lossy { version, losses } => {
                let losses: Vec<_> = losses.iter().map(ToString::to_string).collect();
                let losses = losses.join(", ");
                write!(
                    f,
                    "{version}, the version of the server, would lose or change {losses}; nothing was sent (call allow_loss to \
                     send it nevertheless)"
                )
            }
        }
    }

    /// There is no response. The first fact that holds decides.
    fn write_send(
        &self,
        f: &mut fmt::Formatter<'_>,
        server: &str,
        is: Properties,
        remedy: Option<&str>,
    ) -> fmt::Result {
        let proxy = self.connecting();
        let is_late = is.timeout && !is.tls;
        if is.fatal {
            let cause = self.outermost();
            return write!(f, "a layer or the transport of the client failed: {cause}");
        }
        match proxy {
            // It may be the connection to the proxy.
            Some(_) if is.tls => write!(f, "TLS failed on the way to {server}")?,
            _ if is.tls => write!(f, "the TLS connection to {server} failed")?,
            _ if is.connect => write!(f, "{server} could not be reached")?,
            _ if is.unprocessed => write!(f, "{server} did not process the request")?,
            _ if is.timeout => write!(f, "{server} did not respond")?,
            _ => write!(f, "{server} sent no usable response")?,
        }
        match proxy {
            _ if !is_late => write!(f, ": {}", self.innermost())?,
            Some(error) => write!(f, " in time: {error}")?,
            None => f.write_str(" in time")?,
        }
        match remedy {
            Some(remedy) => write!(f, "; {remedy}"),
            None => Ok(()),
        }
    }

    fn write_status(&self, f: &mut fmt::Formatter<'_>, status: &Status) -> fmt::Result {
        match self.failed_code() {
            Some(code) => write!(f, "{code}")?,
            None => f.write_str("failure")?,
        }
        if let Some(reason) = status.reason.as_deref().filter(|reason| !reason.is_empty()) {
            write!(f, " {reason}")?;
        }
        if let Some(message) = status
            .message
            .as_deref()
            .filter(|message| !message.is_empty())
        {
            write!(f, ": {message}")?;
        }
        if let Some(head) = self.head().filter(|head| head.is_success()) {
            write!(f, " (in a response with the code {})", head.code)?;
        }
        self.write_advice(f)
    }

    fn write_other_body(
        &self,
        f: &mut fmt::Formatter<'_>,
        content_type: &str,
        excerpt: &str,
    ) -> fmt::Result {
        let code = self.code().unwrap_or_default();
        if self.is_rejected_by_flow_control() {
            write!(f, "{code}: rejected by API Priority and Fairness")?;
            return self.write_advice(f);
        }
        write!(f, "the server answered {code}")?;
        if let Some(target) = self.redirect() {
            return write!(
                f,
                ", a redirect to {target}, which the client does not follow; check the server's URL"
            );
        }
        let described = match content_type {
            "" => "no content type",
            content_type => content_type,
        };
        match excerpt {
            "" => f.write_str(" with an empty body")?,
            _ => write!(
                f,
                " with a body that is not a Kubernetes Status ({described}): `{excerpt}`"
            )?,
        }
        // The texts of servers in Go, and of nginx.
        let speaks_tls = excerpt.contains("HTTP request to an HTTPS server")
            || excerpt.contains("HTTP request was sent to HTTPS port");
        if code == 400 && speaks_tls {
            f.write_str("; the server expects TLS: use https:// in its URL")?;
        } else if code == 404 && self.is_html() {
            write!(f, "; {NOT_A_SERVER}")?;
        } else if code == 407 {
            f.write_str("; check the user and the password in the URL of the proxy")?;
        }
        self.write_advice(f)
    }

    fn write_advice(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Another attempt might carry out a write twice.
        let is_worth_another = self.is_retryable() && self.0.effect != Effect::Possible;
        let wait = self.retry_after().filter(|_| is_worth_another);
        match (&self.0.not_served, wait) {
            (Some(not_served), _) => write!(f, "; {not_served}"),
            (_, Some(Duration::ZERO)) => f.write_str("; try again"),
            (_, Some(wait)) => write!(f, "; try again in {} s", wait.as_secs_f64().ceil()),
            _ if self.is_unauthorized() => {
                f.write_str("; check the credentials in the configuration")
            }
            _ if self.is_expired() => f.write_str("; list again"),
            _ if self.is_conflict_of_managers() => {
                f.write_str("; omit these fields, or take them over with force")
            }
            _ => Ok(()),
        }
    }

    /// The code of a response, unless it reports success.
    fn failed_code(&self) -> Option<u16> {
        self.head_code().filter(|code| !(200..300).contains(code))
    }

    /// The compressed body has other faults than its end.
    fn is_damaged(&self) -> bool {
        use io::ErrorKind::{InvalidData, InvalidInput};
        let error = self.get_ref().and_then(|error| find(error));
        error.is_some_and(|GunzipError(error)| matches!(error.kind(), InvalidData | InvalidInput))
    }

    /// The target of a redirect, without its query, which may contain a token.
    fn redirect(&self) -> Option<String> {
        self.code().filter(|code| (300..400).contains(code))?;
        let target = self.headers()?.get(LOCATION)?.to_str().ok()?;
        let end = target.find(['?', '#']).unwrap_or(target.len());
        let target = target.get(..end)?;
        // A user name or password.
        let has_user = target
            .split('/')
            .nth(2)
            .is_some_and(|host| host.contains('@'));
        (!has_user && !target.is_empty()).then(|| target.escape_debug().to_string())
    }

    /// The text of the cause.
    fn outermost(&self) -> String {
        let cause = self.get_ref();
        cause.map(ToString::to_string).unwrap_or_default()
    }

    /// The text of the last source, which is the actual cause, after the name of a proxy.
    fn innermost(&self) -> String {
        let in_words = self.get_ref().and_then(|error| cause_in_words(error));
        let last = || self.causes_in_order().last().map(ToString::to_string);
        let cause = in_words.map(str::to_owned).or_else(last);
        let cause = cause.unwrap_or_default();
        match self.connecting() {
            Some(error) => format!("{error}: {cause}"),
            None => cause,
        }
    }

    /// The connection that could not be opened, if it is one to a proxy.
    fn connecting(&self) -> Option<&ConnectError> {
        self.get_ref().and_then(|error| find(error))
    }
}

impl fmt::Display for NotServed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            group,
            version,
            served,
        } = self;
        match served.as_deref() {
            None => write!(f, "the server may not serve {version} of {group}")?,
            Some([]) => return write!(f, "the server does not serve {group}"),
            Some(served) => {
                let served = served.join(", ");
                write!(
                    f,
                    "the server serves {group} in {served}, and not in {version}"
                )?;
            }
        }
        if group == GROUP {
            f.write_str("; `Client::negotiated` chooses the best version of the server")?;
        }
        Ok(())
    }
}
