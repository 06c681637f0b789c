//! The report of a run.

use super::rule::Rule;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// How often each of several things happened.
type Counts = BTreeMap<String, u64>;

/// The actions of the clients of a [`TortureServer`](crate::TortureServer), and the rules that they broke.
///
/// `Display` writes it as text, `Serialize` as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Report {
    /// The modes.
    pub modes: Vec<String>,
    /// The seed.
    pub seed: u64,
    /// The requests.
    pub requests: u64,
    /// The requests that repeated one whose response was missing, broken, or 429 or 503 with `Retry-After`.
    pub retries: u64,
    /// The creates that took effect twice.
    pub duplicates: u64,
    /// The connections, by protocol.
    pub connections: Counts,
    /// The connections whose TLS handshake failed.
    pub failed_handshakes: u64,
    /// The requests by verb; `other` for paths outside of resources.
    pub verbs: Counts,
    /// The responses by code; `none` for missing and broken ones.
    pub codes: Counts,
    /// The requests by `User-Agent`.
    pub agents: Counts,
    /// The faults by mode.
    pub faults: Counts,
    /// The broken rules.
    pub findings: Vec<Finding>,
}

/// A rule that a client broke.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// Whether it is a [violation](Rule::is_violation).
    pub is_violation: bool,
    /// How often it was broken.
    pub count: u64,
    /// The first request that broke it.
    pub example: String,
}

impl Finding {
    pub(super) fn new(rule: Rule, example: String) -> Self {
        Self {
            rule,
            is_violation: rule.is_violation(),
            count: 1,
            example,
        }
    }
}

impl Report {
    /// Whether no violation was found.
    pub fn passes(&self) -> bool {
        !self.findings.iter().any(|finding| finding.is_violation)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "modes: {} (seed {})", self.modes.join(", "), self.seed)?;
        writeln!(
            f,
            "{} requests, {} of them retries; creates that took effect twice: {}",
            self.requests, self.retries, self.duplicates
        )?;
        for (title, counts) in [
            ("connections", &self.connections),
            ("verbs", &self.verbs),
            ("responses", &self.codes),
            ("faults", &self.faults),
            ("clients", &self.agents),
        ] {
            let counts = counts.iter();
            let counts: Vec<_> = counts
                .map(|(name, count)| format!("{name} {count}"))
                .collect();
            // A user agent is text of the client.
            writeln!(f, "{title}: {}", counts.join(", ").escape_debug())?;
        }
        if self.failed_handshakes > 0 {
            writeln!(f, "failed TLS handshakes: {}", self.failed_handshakes)?;
        }
        for finding in &self.findings {
            let kind = if finding.is_violation {
                "violation"
            } else {
                "note"
            };
            let Finding {
                rule,
                count,
                example,
                ..
            } = finding;
            writeln!(
                f,
                "{kind}: the client {rule} ({count} times; first: {})",
                example.escape_debug()
            )?;
        }
        if self.passes() {
            writeln!(f, "no violation")?;
        }
        Ok(())
    }
}
