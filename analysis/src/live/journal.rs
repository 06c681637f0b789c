//! The requests since the state was written: one line for each batch, which is on the disk before the batch is acknowledged.

use super::request::Request;
use super::state::Live;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A batch that is a part of no written state yet.
#[derive(Debug, Serialize, Deserialize)]
struct Record<R> {
    sequence: u64,
    events: u64,
    requests: R,
}

/// A record that is damaged, and not the last one.
#[derive(Debug)]
pub struct DamagedRecord {
    /// The number of its line, from 1.
    pub line: usize,
    cause: serde_json::Error,
}

impl fmt::Display for DamagedRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} is not a record of a batch", self.line)
    }
}

impl std::error::Error for DamagedRecord {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}

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
/// A record before the last one is damaged.
pub fn replay(text: &[u8], live: &mut Live, now_us: i64) -> Result<usize, DamagedRecord> {
    let mut at = 0;
    for (index, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let is_last = at + line.len() == text.len();
        let record = match serde_json::from_slice::<Record<Vec<Request>>>(line) {
            Ok(record) if line.ends_with(b"\n") => record,
            Ok(_) => break,
            Err(_) if is_last => break,
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
