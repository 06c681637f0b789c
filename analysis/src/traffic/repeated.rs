//! Requests that logs have twice: logs that overlap, or a log that is given twice.
//!
//! A run recognizes the events of the last requests. For all others a sample is kept: the requests with the smallest hashes, which are the same in every
//! run.

use crate::audit::Event;
use crate::saved::bounded;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeSet;

/// The most requests of the sample.
const MOST: usize = 256;

/// A sample of the requests, by their hashes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Repeated {
    sample: Hashes,
    /// The hashes of the sample that came twice.
    twice: Hashes,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
struct Hashes(BTreeSet<u64>);

impl<'de> Deserialize<'de> for Hashes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let hashes = bounded::list(deserializer, MOST, "hashes")?;
        Ok(Self(hashes.into_iter().collect()))
    }
}

impl Repeated {
    /// The hash of a request; none without an audit id. A client may use an audit id for many requests.
    pub(super) fn hash(event: &Event<'_>) -> Option<u64> {
        let is_known = !event.audit_id.is_empty() && !event.received.is_empty();
        let bytes = event
            .audit_id
            .bytes()
            .chain([0])
            .chain(event.received.bytes());
        // FNV-1a, and the last step of MurmurHash3, which spreads the bits.
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        let hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        is_known.then_some(hash ^ (hash >> 33))
    }

    /// Adds a request.
    pub(super) fn add(&mut self, hash: u64) {
        let sample = &mut self.sample.0;
        if sample.len() == MOST && sample.last().is_some_and(|last| hash > *last) {
            return;
        }
        if !sample.insert(hash) {
            self.twice.0.insert(hash);
        }
        if sample.len() > MOST
            && let Some(last) = sample.pop_last()
        {
            self.twice.0.remove(&last);
        }
    }

    /// Adds the requests of other logs.
    pub(super) fn merge(&mut self, other: Self) {
        for hash in other.sample.0 {
            self.add(hash);
        }
        let sample = &self.sample.0;
        let twice = other.twice.0.into_iter();
        self.twice
            .0
            .extend(twice.filter(|hash| sample.contains(hash)));
    }

    /// A sentence about requests that logs have twice.
    pub(super) fn note(&self) -> Option<String> {
        let (twice, all) = (self.twice.0.len(), self.sample.0.len());
        if twice == 0 {
            return None;
        }
        let percent = (twice * 100).div_ceil(all);
        Some(format!(
            "about {percent} % of the requests are in the logs twice, and count twice: logs overlap, or one is given twice"
        ))
    }
}
