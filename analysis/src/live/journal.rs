//! The requests since the state was written: one line for each batch, which is on the disk before the batch is acknowledged.

use super::request::Request;
use super::state::Live;
use crate::saved::numbers::count;
use crate::saved::{WrongValue, read};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A batch that is a part of no written state yet.
#[derive(Debug, Serialize, Deserialize)]
struct Record<R> {
    #[serde(deserialize_with = "count")]
    sequence: u64,
    #[serde(deserialize_with = "count")]
    events: u64,
    requests: R,
}

/// A record that is damaged, or that has a number that no run writes.
#[derive(Debug)]
pub struct DamagedRecord {
    /// The number of its line, from 1.
    pub line: usize,
    cause: WrongValue,
}

impl fmt::Display for DamagedRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, cause } = self;
        // A record is one line.
        let problem = cause.problem.to_string();
        let problem = problem.replace(" at line 1 column ", " at column ");
        write!(f, "line {line} is not a record of a batch: ")?;
        match cause.path.as_str() {
            "" => f.write_str(&problem),
            path => write!(f, "{path}: {problem}"),
        }
    }
}

impl std::error::Error for DamagedRecord {}

/// The line of a batch with its end, which is to be appended. `sequence` is one more than that of the record before.
///
/// # Errors
/// Serialization fails, which it does not for requests of this crate.
pub fn line(
    sequence: u64,
    events: u64,
    requests: &[Request],
) -> Result<Vec<u8>, serde_json::Error> {
    let mut line = serde_json::to_vec(&Record {
        sequence,
        events,
        requests,
    })?;
    line.push(b'\n');
    Ok(line)
}

/// Adds the records that are not a part of the state, and returns the bytes of the whole records. A record that is cut at the end was never
/// acknowledged: the text after those bytes is to be removed.
///
/// # Errors
/// A record before the last one is damaged, or one has a number that no run writes.
pub fn replay(text: &[u8], live: &mut Live, now_us: i64) -> Result<usize, DamagedRecord> {
    let mut at = 0;
    for (index, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let is_last = at + line.len() == text.len();
        let is_cut = !line.ends_with(b"\n");
        let record = match read::<Record<Vec<Request>>>(line) {
            Ok(record) if !is_cut => record,
            Ok(_) => break,
            Err(cause) if is_last && (is_cut || !cause.problem.is_data()) => break,
            Err(cause) => {
                return Err(DamagedRecord {
                    line: index + 1,
                    cause,
                });
            }
        };
        at += line.len();
        if record.sequence > live.sequence() {
            for request in &record.requests {
                live.add(request, now_us);
            }
            live.add_batch(record.events, record.sequence);
        }
    }
    Ok(at)
}
