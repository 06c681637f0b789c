//! The JSON form of totals, for results of several runs.

use super::coverage::CoverageTally;
use super::sample::{Cell, Class, Deprecated, Load};
use super::seats_in_use::{LevelSeats, SeatsInUse};
use super::tally::{Flow, Minute, Tally};
use super::totals::{MAX_OPEN_REQUESTS, Open, Traffic};
use crate::metrics::StoredObjects;
use crate::saved::bounded;
use crate::saved::numbers::{self, Count};
use crate::saved::{WrongValue, is_other, read};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;

/// The name that tells a partial result from other JSON.
const KIND: &str = "TrafficPartial";
const SCHEMA_VERSION: u32 = 5;

/// The form in a file: lists, because JSON has only texts as keys.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    kind: String,
    schema_version: u32,
    events: Count,
    requests: Count,
    broken: Count,
    #[serde(default)]
    incomplete: Count,
    #[serde(default, deserialize_with = "numbers::period")]
    period: Option<(i64, i64)>,
    classes: Vec<Class>,
    proposed: Option<Vec<Class>>,
    cells: Vec<(Cell, Load)>,
    flows: Vec<(Flow, Load)>,
    minutes: Vec<(Minute, Load)>,
    deprecated: Vec<(Deprecated, Count)>,
    open: VecDeque<Open>,
    #[serde(deserialize_with = "ended")]
    ended: Vec<String>,
    in_use: Vec<(String, SeatsInUse)>,
    at_most: Vec<(String, SeatsInUse)>,
    waits: Count,
    limits: Option<BTreeMap<String, LevelSeats>>,
    stored_objects: Option<StoredObjects>,
    #[serde(default)]
    coverage: CoverageTally,
}

/// The most requests of [`File::ended`] that are read: as many as 16 runs have.
const MOST_ENDED: usize = 16 * MAX_OPEN_REQUESTS;

fn ended<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    bounded::list(deserializer, MOST_ENDED, "requests")
}

/// The error of [`Traffic::from_json`].
#[derive(Debug)]
#[non_exhaustive]
pub enum PartialError {
    /// The text is not a partial result, or has a number that no run writes.
    Json {
        /// The field, such as `cells[0][1].requests`; empty for the whole text.
        path: String,
        /// The problem, and the expected value.
        problem: serde_json::Error,
    },
    /// The text is another JSON document, or a partial result of another version.
    Version,
}

impl fmt::Display for PartialError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json { path, problem } if path.is_empty() => problem.fmt(f),
            Self::Json { path, problem } => write!(f, "{path}: {problem}"),
            Self::Version => f.write_str("the text is not a partial result of this version"),
        }
    }
}

impl std::error::Error for PartialError {}

impl Traffic {
    /// The totals as JSON, for [`from_json`](Self::from_json) in another run.
    ///
    /// # Errors
    /// Serialization fails, which it does not for totals of this crate.
    pub fn to_json(mut self) -> Result<Vec<u8>, serde_json::Error> {
        self.finish();
        let tally = self.tally;
        let mut ended: Vec<_> = self.ended.into_iter().collect();
        ended.sort();
        serde_json::to_vec(&File {
            kind: KIND.to_owned(),
            schema_version: SCHEMA_VERSION,
            events: tally.events,
            requests: tally.requests,
            broken: tally.broken,
            incomplete: tally.incomplete,
            period: tally.period,
            classes: self.classes,
            proposed: self.proposed,
            cells: tally.cells.into_iter().collect(),
            flows: tally.flows.into_iter().collect(),
            minutes: tally.minutes.into_iter().collect(),
            deprecated: tally.deprecated.into_iter().collect(),
            open: self.open,
            ended,
            in_use: tally.in_use.into_iter().collect(),
            at_most: tally.at_most.into_iter().collect(),
            waits: tally.waits,
            limits: self.limits,
            stored_objects: self.stored,
            coverage: tally.coverage,
        })
    }

    /// Reads the totals of another run.
    ///
    /// # Errors
    /// The text is not a partial result, or its version is different.
    pub fn from_json(text: &[u8]) -> Result<Self, PartialError> {
        if is_other(text, KIND, SCHEMA_VERSION) {
            return Err(PartialError::Version);
        }
        let file: File = read(text)
            .map_err(|WrongValue { path, problem }| PartialError::Json { path, problem })?;
        Ok(Self {
            tally: Tally {
                events: file.events,
                requests: file.requests,
                incomplete: file.incomplete,
                broken: file.broken,
                period: file.period,
                cells: file.cells.into_iter().collect(),
                flows: file.flows.into_iter().collect(),
                minutes: file.minutes.into_iter().collect(),
                deprecated: file.deprecated.into_iter().collect(),
                in_use: file.in_use.into_iter().collect(),
                at_most: file.at_most.into_iter().collect(),
                waits: file.waits,
                coverage: file.coverage,
            },
            limits: file.limits,
            stored: file.stored_objects,
            is_of_run: true,
            classes: file.classes,
            proposed: file.proposed,
            is_partial: true,
            open: file.open,
            ended: file.ended.into_iter().collect(),
            ..Self::default()
        })
    }
}
