//! The ways to solve the problems that a migration finds.

use k8s_flowcontrol_types::ApiVersion;
use std::fmt;

/// The way to solve a problem. The `Display` names the settings of this library; a program can word its own options instead.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Remedy {
    /// A change by hand, in words.
    Change(String),
    /// The client of a version, from a library that has it.
    UseClient {
        /// The version.
        to: ApiVersion,
        /// The library of the program, with its place, and the update if it is too old for the version; none if it is not known.
        library: Option<String>,
    },
    /// [`Settings::allow_loss`](super::Settings::allow_loss), or a change of the file.
    AcceptLoss {
        /// The change of the file, in words.
        instead: String,
        /// The effect of accepting the loss.
        effect: Option<String>,
    },
    /// [`Settings::allow_loss`](super::Settings::allow_loss), after a check in words.
    CheckAndAcceptLoss(String),
    /// [`Settings::foreign_fields`](super::Settings::foreign_fields), or a change of the file.
    ForeignField {
        /// The change of the file, in words.
        instead: Option<String>,
        /// The effect of [`ForeignFieldPolicy::Live`](super::ForeignFieldPolicy::Live), such as `removes the field`.
        live: String,
        /// The effect of [`ForeignFieldPolicy::File`](super::ForeignFieldPolicy::File); `None` if it has none.
        file: Option<String>,
    },
    /// A check of the rendered template.
    CheckRendered,
    /// A commit of the changes to the version control, or writing the file all the same.
    Commit,
    /// [`Metrics::Rename`](super::Metrics::Rename), or the new name of the metric, in words.
    RenameMetric(String),
}

impl From<&str> for Remedy {
    fn from(change: &str) -> Self {
        Self::Change(change.to_owned())
    }
}

impl From<String> for Remedy {
    fn from(change: String) -> Self {
        Self::Change(change)
    }
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Change(change) => f.write_str(change),
            Self::UseClient { to, library } => match library {
                Some(library) => write!(f, "use the client of {to}: {library}"),
                None => write!(
                    f,
                    "use the client of {to}, with a library version that has it"
                ),
            },
            Self::AcceptLoss { instead, effect } => {
                write!(f, "{instead}, or accept the loss with allow_loss")?;
                effect.iter().try_for_each(|effect| write!(f, "; {effect}"))
            }
            Self::CheckAndAcceptLoss(check) => {
                write!(f, "{check}, then accept the loss with allow_loss")
            }
            Self::ForeignField {
                instead,
                live,
                file,
            } => {
                instead
                    .iter()
                    .try_for_each(|change| write!(f, "{change}, or "))?;
                write!(f, "set foreign_fields: Live {live}")?;
                file.iter().try_for_each(|file| write!(f, "; File {file}"))
            }
            Self::CheckRendered => f.write_str("check the rendered template"),
            Self::Commit => f.write_str("commit or stash the changes"),
            Self::RenameMetric(change) => write!(f, "{change}; Metrics::Rename does so"),
        }
    }
}
