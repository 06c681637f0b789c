//! The evidence of a finding.

use k8s_flowcontrol_types::Kind;
use std::fmt;
use std::time::Duration;

/// A piece of evidence. Its `Display` form is one line.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Observation {
    /// The value of a metric.
    Metric {
        /// The API server.
        server: String,
        /// The name and the labels, as in a query.
        series: String,
        /// The value, or the increase of a counter.
        value: i64,
        /// The time since the server started, or between two samples, in which a counter increased; `None` for a gauge.
        period: Option<Period>,
    },
    /// A value in a debug dump.
    Dump {
        /// The API server.
        server: String,
        /// The dump, such as `dump_requests`.
        dump: &'static str,
        /// The column or the rows.
        what: String,
        /// The value.
        value: i64,
    },
    /// A field of an object.
    Field {
        /// The object's kind.
        kind: Kind,
        /// The object's name.
        name: String,
        /// The path of the field.
        path: String,
        /// The value.
        value: String,
    },
    /// A number of requests in audit logs.
    Log {
        /// The requests.
        what: String,
        /// The number.
        requests: u64,
    },
    /// A number that follows from other evidence.
    Computed {
        /// The number, with its arithmetic.
        text: String,
    },
}

/// The time in which a counter increased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Period {
    /// Since the server started.
    SinceStart,
    /// Between two samples.
    Interval(Duration),
}

impl Period {
    pub(super) fn is_interval(self) -> bool {
        matches!(self, Self::Interval(_))
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SinceStart => f.write_str("since the server started"),
            Self::Interval(interval) => write!(f, "in {:.1} s", interval.as_secs_f64()),
        }
    }
}

impl Observation {
    pub(super) fn metric(
        server: &str,
        series: impl fmt::Display,
        value: i64,
        period: Option<Period>,
    ) -> Self {
        Self::Metric {
            server: server.to_owned(),
            series: series.to_string(),
            value,
            period,
        }
    }

    pub(super) fn dump(
        server: &str,
        dump: &'static str,
        what: impl Into<String>,
        value: i64,
    ) -> Self {
        Self::Dump {
            server: server.to_owned(),
            dump,
            what: what.into(),
            value,
        }
    }

    pub(super) fn level_field(name: &str, path: &str, value: impl fmt::Display) -> Self {
        Self::field(Kind::PriorityLevelConfiguration, name, path, value)
    }

    pub(super) fn field(kind: Kind, name: &str, path: &str, value: impl fmt::Display) -> Self {
        Self::Field {
            kind,
            name: name.to_owned(),
            path: path.to_owned(),
            value: value.to_string(),
        }
    }

    pub(super) fn log(what: impl Into<String>, requests: u64) -> Self {
        Self::Log {
            what: what.into(),
            requests,
        }
    }

    pub(super) fn computed(text: impl Into<String>) -> Self {
        Self::Computed { text: text.into() }
    }
}

impl fmt::Display for Observation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Metric {
                server,
                series,
                value,
                period,
            } => match period {
                None => write!(f, "{server}: {series} is {value}"),
                Some(Period::SinceStart) => {
                    write!(f, "{server}: {series} is {value} {}", Period::SinceStart)
                }
                Some(period) => write!(f, "{server}: {series} increased by {value} {period}"),
            },
            Self::Dump {
                server,
                dump,
                what,
                value,
            } => write!(f, "{server}: {dump}: {what}: {value}"),
            Self::Field {
                kind,
                name,
                path,
                value,
            } => write!(f, "{kind} {name}: {path} is {value}"),
            Self::Log { what, requests } => write!(f, "audit log: {what}: {requests}"),
            Self::Computed { text } => f.write_str(text),
        }
    }
}
