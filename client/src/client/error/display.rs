//! An error's text: the request, what was wrong, what to do.

use super::{Error, Kind};
use crate::meta::Status;
use std::error::Error as StdError;
use std::fmt;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_what(f)?;
        match self.attempts() {
            0 | 1 => Ok(()),
            attempts => write!(f, " (tried {attempts} times)"),
        }
    }
}

impl Error {
    fn write_what(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = &self.0.line {
            write!(f, "{} {}: ", line.method, line.path)?;
        }
        match &self.0.kind {
            Kind::Argument(message) => write!(f, "{message}; nothing was sent"),
            Kind::Setup => {
                f.write_str("the client could not be set up: ")?;
                // What is wrong with a configuration says the outermost error; it names the file.
                match self.source() {
                    Some(source) => write!(f, "{source}"),
                    None => f.write_str("no reason was given"),
                }
            }
            Kind::Send { server, timeout: true, .. } => {
                write!(f, "no answer came from {server} in time")
            }
            Kind::Send { server, tls: true, .. } => {
                write!(f, "no secure connection to {server}: ")?;
                self.innermost(f)?;
                f.write_str(
                    "; check the server's name and the certificate authority in the configuration",
                )
            }
            Kind::Send { server, .. } => {
                write!(f, "{server} was not reached, or did not answer: ")?;
                self.innermost(f)
            }
            Kind::TimedOut { what, limit } => {
                write!(f, "{what} was not over after {limit:?}; a longer time is set with timeout")
            }
            Kind::Body { timeout: true } => f.write_str("the answer did not end in time"),
            Kind::Body { .. } => {
                f.write_str("the answer broke off: ")?;
                self.innermost(f)
            }
            Kind::TooLong { what, limit, setting } => {
                write!(f, "{what} is longer than {limit} bytes; raise the limit with {setting}")
            }
            Kind::Status(status) => self.write_status(f, status),
            Kind::NotStatus { content_type, excerpt } => self.write_foreign(f, content_type, excerpt),
            Kind::Decode { what, message, excerpt } => {
                write!(f, "expected {what} in the answer: {message}")?;
                if !excerpt.is_empty() {
                    write!(f, "; it begins with `{excerpt}`")?;
                }
                Ok(())
            }
            Kind::CutOff => {
                f.write_str("the watch ended in the middle of an event; watch again from the last resource version")
            }
            Kind::Silent(limit) => write!(f, "nothing came for {limit:?}; the connection was given up"),
            Kind::NotServed(message) => f.write_str(message),
            Kind::Lossy { version, losses } => {
                write!(f, "{version} on the wire would lose or change ")?;
                for (index, loss) in losses.iter().enumerate() {
                    if index > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{loss}")?;
                }
                f.write_str("; nothing was sent (allow_loss sends it all the same)")
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

    fn write_foreign(
        &self,
        f: &mut fmt::Formatter<'_>,
        content_type: &str,
        excerpt: &str,
    ) -> fmt::Result {
        write!(f, "{}", self.code().unwrap_or_default())?;
        if self.is_rejected_by_flow_control() {
            f.write_str(": turned away by API Priority and Fairness")?;
        } else {
            let content_type = if content_type.is_empty() {
                "no content type"
            } else {
                content_type
            };
            write!(f, ", and no Kubernetes Status but {content_type}")?;
            if !excerpt.is_empty() {
                write!(f, ": `{excerpt}`")?;
            }
        }
        self.write_advice(f)
    }

    fn write_advice(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(wait) = self.retry_after() {
            return write!(f, "; try again after {} s", wait.as_secs());
        }
        if self.is_unauthorized() {
            f.write_str("; check the credentials in the configuration")?;
        } else if self.is_expired() {
            f.write_str("; list again")?;
        }
        Ok(())
    }

    /// The text of the last source, which is the one that says what really happened.
    fn innermost(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut source: Option<&(dyn StdError + 'static)> = self.source();
        let mut last = None;
        while let Some(error) = source {
            last = Some(error);
            source = error.source();
        }
        match last {
            Some(error) => write!(f, "{error}"),
            None => f.write_str("no more is known"),
        }
    }
}
