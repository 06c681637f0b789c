//! The arithmetic of an estimate.

use super::request::Estimate;
use std::fmt;

/// An estimate with its arithmetic. The display form has one line for each step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// The estimate.
    pub estimate: Estimate,
    /// The rule that led to it.
    pub reason: Reason,
    /// Whether the request gives its seats back when it is initialized and not when it ends, as a watch does.
    pub until_initialized: bool,
}

impl Explanation {
    pub(super) fn new(estimate: Estimate, reason: Reason) -> Self {
        Self {
            estimate,
            reason,
            until_initialized: false,
        }
    }

    pub(super) fn seats(initial_seats: u64, reason: Reason) -> Self {
        let estimate = Estimate {
            initial_seats,
            ..Estimate::default()
        };
        Self::new(estimate, reason)
    }
}

/// The rule that led to an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// Every request with this verb takes one seat.
    Verb,
    /// A list of one object takes one seat, before 1.34.
    OneObject,
    /// The server cannot decode the query, and takes the bound.
    UnreadableQuery {
        /// The bound in seats.
        bound: u64,
    },
    /// A watch without initial events takes one seat.
    NoInitialEvents,
    /// The count is stale, and the server takes the bound, before 1.34.
    StaleCount {
        /// The bound in seats.
        bound: u64,
    },
    /// The server does not count the objects of this resource.
    NotCounted,
    /// A list, or a watch with initial events.
    List {
        /// The stored objects.
        stored: u64,
        /// The stored objects, at most `limit`.
        limited: u64,
        /// Whether the watch cache serves the request, and not etcd.
        from_cache: bool,
        /// The rule that counts the objects.
        scan: Scan,
        /// The work.
        measure: Measure,
        /// The seats before the bound.
        seats: u64,
        /// The bound in seats.
        bound: u64,
    },
    /// A write of a token, which no watch sees.
    NoEvents,
    /// A write that fewer than ten watches see.
    FewWatches {
        /// The watches.
        watches: u64,
    },
    /// A write that many watches see.
    Watches {
        /// The watches.
        watches: u64,
        /// The final seats before the bound.
        seats: u64,
        /// The bound in seats.
        bound: u64,
    },
}

/// The rule that counts the objects of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scan {
    /// The field selector names one object.
    OneObject,
    /// All objects of the watch cache.
    Cache,
    /// Objects of etcd, of which a selector takes some.
    StorageWithSelector,
    /// Objects of etcd.
    Storage,
}

/// The work of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Measure {
    /// The objects that the server processes. One seat for every 100.
    Objects(u64),
    /// The bytes that the server loads at once. One seat for every 100,000.
    Bytes {
        /// The objects that the server loads.
        objects: u64,
        /// The bytes of each of them, on average.
        average_bytes: u64,
        /// The bytes, cut to 1,000,000 for the watch cache.
        bytes: u64,
    },
}

impl Measure {
    /// Writes how the work is measured, and the fraction that becomes seats.
    fn write(
        self,
        f: &mut fmt::Formatter<'_>,
        scan: Scan,
        stored: u64,
        limited: u64,
    ) -> fmt::Result {
        match self {
            Self::Objects(objects) => {
                f.write_str("processed objects: ")?;
                match scan {
                    Scan::OneObject => writeln!(f, "1, named by the field selector")?,
                    Scan::Cache => writeln!(f, "{objects}, all that are stored")?,
                    Scan::StorageWithSelector => {
                        writeln!(
                            f,
                            "{stored} stored + {limited} returned at most = {objects}"
                        )?;
                    }
                    Scan::Storage => writeln!(f, "2 × {limited} = {objects}")?,
                }
                write!(f, "seats: ⌈{objects} / 100⌉")
            }
            Self::Bytes {
                objects,
                average_bytes,
                bytes,
            } => {
                f.write_str("loaded objects: ")?;
                match scan {
                    Scan::OneObject => writeln!(f, "1, named by the field selector")?,
                    Scan::StorageWithSelector => {
                        writeln!(
                            f,
                            "the larger of {limited} and half of {stored} = {objects}"
                        )?;
                    }
                    Scan::Cache | Scan::Storage => writeln!(f, "{objects}")?,
                }
                let loaded = objects.saturating_mul(average_bytes);
                write!(f, "loaded bytes: {objects} × {average_bytes} = {loaded}")?;
                if bytes < loaded {
                    write!(f, ", at most {bytes} at once from the watch cache")?;
                }
                write!(f, "\nseats: ⌈{bytes} / 100000⌉")
            }
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_reason(f)?;
        match self.until_initialized {
            true => f.write_str("\na watch occupies its seats until its initial events are sent"),
            false => Ok(()),
        }
    }
}

impl Explanation {
    /// Writes the steps that lead to the seats.
    fn write_reason(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seats = self.estimate.initial_seats;
        match self.reason {
            Reason::Verb => write!(f, "a request with this verb takes 1 seat"),
            Reason::OneObject => write!(f, "a list of one object takes 1 seat"),
            Reason::UnreadableQuery { bound } => {
                write!(
                    f,
                    "the server cannot decode the query, and takes the bound: {bound}"
                )
            }
            Reason::NoInitialEvents => write!(f, "a watch without initial events takes 1 seat"),
            Reason::StaleCount { bound } => {
                write!(
                    f,
                    "the count of objects is stale, and the server takes the bound: {bound}"
                )
            }
            Reason::NotCounted => write!(
                f,
                "the server does not count the objects of this resource: 1 seat"
            ),
            Reason::List {
                stored,
                limited,
                from_cache,
                scan,
                measure,
                seats: unbounded,
                bound,
            } => {
                writeln!(f, "stored objects: {stored}")?;
                let source = if from_cache {
                    "the watch cache"
                } else {
                    "etcd"
                };
                writeln!(f, "served from {source}")?;
                measure.write(f, scan, stored, limited)?;
                writeln!(f, " = {unbounded}")?;
                write!(f, "bounds: at least 1, at most {bound}: {seats}")
            }
            Reason::NoEvents => write!(f, "a token has no events: 1 seat"),
            Reason::FewWatches { watches } => write!(
                f,
                "a write takes 1 seat\nwatches: {watches}, fewer than 10: no final seats"
            ),
            Reason::Watches {
                watches,
                seats,
                bound,
            } => {
                writeln!(f, "a write takes 1 seat")?;
                writeln!(f, "final seats: ⌈{watches} watches / 10⌉ = {seats}")?;
                let last = self.estimate.final_seats;
                writeln!(f, "bound: at most {bound}: {last}")?;
                write!(
                    f,
                    "additional latency: {seats} × 5 ms / {last} = {:?}",
                    self.estimate.additional_latency
                )
            }
        }
    }
}
