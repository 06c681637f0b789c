//! What all connections of a torture server share.

use super::dice::{Dice, hash};
use super::gate::Gate;
use super::observer::Observer;
use super::upstream::Upstream;
use crate::http::Hosts;
use crate::locks::lock;
use hyper::body::Bytes;
use hyper::http::response::Parts;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::Instant;

/// The most earlier responses that are kept for stale reads.
const MAX_KEPT: usize = 100;
/// The most requests of a storm of rejections, and its longest time.
const STORM_REQUESTS: u64 = 20;
const STORM_TIME: Duration = Duration::from_millis(1500);

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) upstream: Upstream,
    pub(super) dice: Dice,
    pub(super) gate: Gate,
    pub(super) observer: Observer,
    pub(super) hosts: Hosts,
    /// The maximum time between two parts of a request's body.
    pub(super) patience: Duration,
    requests: AtomicU64,
    /// The present storm of rejections, with its beginning.
    storm: Mutex<Option<(u64, Instant)>>,
    pub(super) connections: AtomicU64,
    /// The newest version of each group that has several, which the older server does not serve.
    pub(super) hidden: OnceCell<HashMap<String, String>>,
    /// `apiVersion` and kind by collection, as events have them.
    kinds: Mutex<HashMap<String, (String, String)>>,
    /// Earlier responses to reads that allow old data.
    kept: Mutex<HashMap<String, (Parts, Bytes)>>,
}

impl Shared {
    pub(super) fn new(
        upstream: Upstream,
        dice: Dice,
        gate: Gate,
        hosts: Hosts,
        patience: Duration,
    ) -> Self {
        Self {
            upstream,
            dice,
            gate,
            observer: Observer::default(),
            hosts,
            patience,
            requests: AtomicU64::new(0),
            storm: Mutex::default(),
            connections: AtomicU64::new(0),
            hidden: OnceCell::new(),
            kinds: Mutex::default(),
            kept: Mutex::default(),
        }
    }

    /// Counts a request, and returns whether it is in a storm: the seed chooses where in each hundred requests one begins. It ends after
    /// [`STORM_REQUESTS`], or after [`STORM_TIME`] for a client with few requests.
    pub(super) fn is_in_storm(&self) -> bool {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let hundred = number / 100;
        let begin = hash(self.dice.seed, &hundred.to_le_bytes()) % (100 - STORM_REQUESTS);
        if !(begin..begin + STORM_REQUESTS).contains(&(number % 100)) {
            return false;
        }
        let mut storm = lock(&self.storm);
        match *storm {
            Some((known, begun)) if known == hundred => begun.elapsed() < STORM_TIME,
            _ => {
                *storm = Some((hundred, Instant::now()));
                true
            }
        }
    }

    pub(super) fn kind_of(&self, collection: &str) -> Option<(String, String)> {
        lock(&self.kinds).get(collection).cloned()
    }

    pub(super) fn learn_kind(&self, collection: &str, api_version: &str, kind: &str) {
        let kind = (api_version.to_owned(), kind.to_owned());
        lock(&self.kinds)
            .entry(collection.to_owned())
            .or_insert(kind);
    }

    /// An earlier response to the same request.
    pub(super) fn kept(&self, signature: &str) -> Option<(Parts, Bytes)> {
        lock(&self.kept).get(signature).cloned()
    }

    /// Keeps the first response to a request.
    pub(super) fn keep(&self, signature: &str, parts: &Parts, body: &Bytes) {
        let mut kept = lock(&self.kept);
        if kept.len() < MAX_KEPT {
            let response = || (parts.clone(), body.clone());
            kept.entry(signature.to_owned()).or_insert_with(response);
        }
    }
}
