//! The text of an error: the request, the reason, a remedy.

use super::{Error, ErrorKind, NotServed};
use crate::GROUP;
use crate::meta::Status;
use std::error::Error as StdError;
use std::fmt;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_reason(f)?;
        if self.may_have_taken_effect() {
            f.write_str("; the request may have taken effect")?;
        }
        if self.0.is_budget_empty {
            f.write_str("; it was not sent again because the client's retry budget is used up")?;
        }
        match self.attempts() {
            0 | 1 => Ok(()),
            attempts => write!(f, " (after {attempts} attempts)"),
        }
    }
}

impl Error {
    fn write_reason(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = &self.0.line {
            write!(f, "{} {}: ", line.method, line.path)?;
        }
        match &self.0.kind {
            ErrorKind::Argument(message) => write!(f, "{message}; nothing was sent"),
            ErrorKind::Setup => {
                f.write_str("the client could not be created: ")?;
                // The outermost error is a ConfigError, which names the file.
                match self.source() {
                    Some(source) => write!(f, "{source}"),
                    None => f.write_str("unknown reason"),
                }
            }
            ErrorKind::Send { fatal: true, .. } => {
                f.write_str("there is no response: ")?;
                self.innermost(f)
            }
            ErrorKind::Send { server, timeout: true, .. } => {
                write!(f, "{server} did not respond in time")
            }
            ErrorKind::Send { server, tls: true, .. } => {
                write!(f, "the TLS connection to {server} failed: ")?;
                self.innermost(f)?;
                f.write_str(
                    "; check the server's name and the certificate authority in the configuration",
                )
            }
            ErrorKind::Send { server, .. } => {
                write!(f, "{server} could not be reached or did not respond: ")?;
                self.innermost(f)
            }
            ErrorKind::TimedOut { what, limit } => {
                write!(f, "{what} did not finish within {limit:?}; set a longer timeout")
            }
            ErrorKind::Body { timeout: true } => f.write_str("the response did not end in time"),
            ErrorKind::Body { .. } => {
                f.write_str("the response ended early: ")?;
                self.innermost(f)
            }
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
                Ok(())
            }
            ErrorKind::CutOff => {
                f.write_str("the watch ended in the middle of an event; watch again from the last resource version")
            }
            ErrorKind::Silent(limit) => write!(f, "the watch was silent for {limit:?} and was closed"),
            ErrorKind::ShortWatch => f.write_str("the server ended the watch within a second, without an event"),
            ErrorKind::NoDriver => f.write_str(
                "the store is no longer kept up to date: its driver was dropped, or the task that polled it has ended",
            ),
            ErrorKind::WentBack { from, to } => write!(
                f,
                "the watch went back from resource version {from} to {to}; was the server restored from a backup?"
            ),
            ErrorKind::NotServed(message) => f.write_str(message),
            ErrorKind::VersionChanged { from, to } => write!(
                f,
                "the server no longer serves {from} and further requests use {to}; list again"
            ),
            ErrorKind::Lossy { version, losses } => {
                write!(f, "{version}, the version of the server, would lose or change ")?;
                for (index, loss) in losses.iter().enumerate() {
                    if index > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{loss}")?;
                }
                f.write_str("; nothing was sent (call allow_loss to send it nevertheless)")
            }
        }
    }

    fn write_status(&self, f: &mut fmt::Formatter<'_>, status: &Status) -> fmt::Result {
        match self.code() {
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
        let content_type = match content_type {
            "" => "no content type",
            content_type => content_type,
        };
        write!(
            f,
            "the server answered {code} with a body that is not a Kubernetes Status ({content_type})"
        )?;
        if !excerpt.is_empty() {
            write!(f, ": `{excerpt}`")?;
        }
        self.write_advice(f)
    }

    fn write_advice(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(not_served) = &self.0.not_served {
            return write!(f, "; {not_served}");
        }
        if let Some(wait) = self.retry_after() {
            return write!(f, "; try again in {} s", wait.as_secs());
        }
        if self.is_unauthorized() {
            f.write_str("; check the credentials in the configuration")?;
        } else if self.is_expired() {
            f.write_str("; list again")?;
        }
        Ok(())
    }

    /// The text of the last source, which is the actual cause.
    fn innermost(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut source: Option<&(dyn StdError + 'static)> = self.source();
        let mut last = None;
        while let Some(error) = source {
            last = Some(error);
            source = error.source();
        }
        match last {
            Some(error) => write!(f, "{error}"),
            None => f.write_str("unknown cause"),
        }
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
