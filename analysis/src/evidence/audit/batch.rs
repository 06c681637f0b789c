//! The batches of an audit webhook.

use super::event::Event;
use super::parse::{Parsed, parse, parse_element};
use std::fmt;

/// The error of [`read_batch`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchError {
    /// The text is not an `EventList` of `audit.k8s.io`.
    NotABatch,
    /// An item is not an audit event. The number is its index.
    NotAnEvent(usize),
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotABatch => f.write_str(
                "the body is not a batch of audit events: expected an EventList of audit.k8s.io/v1 in JSON",
            ),
            Self::NotAnEvent(index) => write!(
                f,
                "items[{index}] is not an audit event: expected an Event of audit.k8s.io/v1"
            ),
        }
    }
}

impl std::error::Error for BatchError {}

/// Reads a batch as kube-apiserver posts it to an audit webhook: an `EventList` of `audit.k8s.io/v1` or `v1beta1` in JSON. Calls `each`
/// with every event, and returns their number.
///
/// # Errors
/// The text is not a batch, or an item is not an event. `each` may have been called with the items before it.
pub fn read_batch(text: &str, mut each: impl FnMut(&Event<'_>)) -> Result<u64, BatchError> {
    let Some(Parsed::Batch(items)) = parse(text) else {
        return Err(BatchError::NotABatch);
    };
    for (index, item) in items.iter().enumerate() {
        let event = parse_element(item).ok_or(BatchError::NotAnEvent(index))?;
        each(&event);
    }
    Ok(items.len() as u64)
}
