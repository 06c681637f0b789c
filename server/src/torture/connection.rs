//! A connection of a client.

use super::mode::Mode;
use super::shared::Shared;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::sync::Notify;

/// The requests after which a connection ends in modes that concern new connections.
const REQUESTS: u64 = 8;

#[derive(Debug)]
pub(super) struct Connection {
    number: u64,
    requests: AtomicU64,
    is_breaking: AtomicBool,
    /// Ends the connection after the requests at hand.
    pub(super) closing: Notify,
    /// Ends the connection at once.
    pub(super) breaking: Notify,
}

impl Connection {
    pub(super) fn new(number: u64) -> Self {
        Self {
            number,
            requests: AtomicU64::new(0),
            is_breaking: AtomicBool::new(false),
            closing: Notify::new(),
            breaking: Notify::new(),
        }
    }

    /// Whether it leads to the older of two servers.
    pub(super) fn is_older(&self) -> bool {
        self.number % 2 == 1
    }

    /// Whether responses may be lost.
    pub(super) fn is_breaking(&self) -> bool {
        self.is_breaking.load(Ordering::Relaxed)
    }

    /// Counts a request, and ends the connection if it is time.
    pub(super) fn count(&self, shared: &Shared) {
        let requests = self.requests.fetch_add(1, Ordering::Relaxed) + 1;
        let renewing = [Mode::Certificates, Mode::Protocols, Mode::RollingUpgrade];
        if requests >= REQUESTS && renewing.iter().any(|mode| shared.dice.has(*mode)) {
            self.closing.notify_one();
        }
        let key = format!("connection {} {requests}", self.number);
        if let Some(random) = shared.dice.strikes(Mode::Goaway, &key, 12) {
            shared.observer.struck(Mode::Goaway);
            match random % 4 {
                0 => {
                    self.is_breaking.store(true, Ordering::Relaxed);
                    self.breaking.notify_one();
                }
                _ => self.closing.notify_one(),
            }
        }
    }
}
