//! The seats of one priority level.

use crate::objects::LevelInUse;
use k8s_flowcontrol_types::api::v1::PriorityLevelConfiguration;
use k8s_flowcontrol_types::{Fact, Release};

/// The seats that a priority level has, can lend and can borrow, independent of demand.
///
/// All numbers are seats of one server, 0 or more.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LevelLimits {
    /// The level's name.
    pub name: String,
    /// Whether the level is exempt: its requests are counted, but never queued or rejected.
    pub exempt: bool,
    /// Whether the level is a missing mandatory level, for which a server uses the built-in values.
    pub built_in_fallback: bool,
    /// The effective shares; 0 for an exempt level before 1.28.
    pub shares: i64,
    /// The nominal limit: the level's part of the concurrency limit, rounded up (metric `nominal_limit_seats`).
    pub nominal: i64,
    /// The part of `nominal` that other levels may borrow; always 0 before 1.26.
    pub lendable: i64,
    /// The seats that the level may borrow beyond `nominal`; `None` if unlimited. 0 for limited levels before 1.26.
    pub borrowing: Option<i64>,
    /// The minimum after lending: `nominal` minus `lendable` (metric `lower_limit_seats`).
    pub minimum: i64,
    /// The maximum after borrowing: `nominal` plus `borrowing` (metric `upper_limit_seats`).
    ///
    /// Without a borrowing limit a server uses its whole concurrency limit as `borrowing`, so that this exceeds all
    /// seats.
    pub maximum: i64,
}

impl LevelLimits {
    pub(super) fn new(
        level: &LevelInUse,
        all_shares: f64,
        concurrency_limit: u32,
        release: Release,
    ) -> Self {
        let object = &level.object;
        let shares = shares(object, release);
        let nominal = if shares == 0 {
            0
        } else {
            // At most 2³², as the level's shares are part of the sum.
            (f64::from(concurrency_limit) * shares as f64 / all_shares).ceil() as i64
        };
        let lendable = percent_of(nominal, lendable_percent(object, release).min(100));
        let borrowing =
            borrowing_percent(object, release).map(|percent| percent_of(nominal, percent));
        Self {
            name: object.metadata.name.clone().unwrap_or_default(),
            exempt: object.spec.limited.is_none(),
            built_in_fallback: level.built_in_fallback,
            shares,
            nominal,
            lendable,
            borrowing,
            minimum: nominal - lendable,
            maximum: nominal + borrowing.unwrap_or(i64::from(concurrency_limit)),
        }
    }

    /// The limit of a new level, in seats, until the first adjustment.
    pub const fn initial(&self) -> i64 {
        self.nominal - self.lendable / 2
    }

    /// Whether no queued request of this level can ever get a seat.
    pub const fn is_closed(&self) -> bool {
        !self.exempt && self.maximum == 0
    }

    /// Whether the level is in the adjustment: limited levels always, exempt levels since 1.28.
    pub(super) fn takes_part(&self, release: Release) -> bool {
        !self.exempt || release.has(Fact::ExemptField)
    }
}

/// The effective shares.
pub(super) fn shares(level: &PriorityLevelConfiguration, release: Release) -> i64 {
    let shares = match (&level.spec.limited, &level.spec.exempt) {
        (Some(limited), _) => limited.nominal_concurrency_shares.unwrap_or(0),
        (None, Some(exempt)) if release.has(Fact::ExemptField) => {
            exempt.nominal_concurrency_shares.unwrap_or(0)
        }
        _ => 0,
    };
    i64::from(shares.max(0))
}

fn lendable_percent(level: &PriorityLevelConfiguration, release: Release) -> i32 {
    let percent = match (&level.spec.limited, &level.spec.exempt) {
        (Some(limited), _) => limited.lendable_percent,
        (None, Some(exempt)) => exempt.lendable_percent,
        (None, None) => None,
    };
    percent.filter(|_| release.has(Fact::Lending)).unwrap_or(0)
}

fn borrowing_percent(level: &PriorityLevelConfiguration, release: Release) -> Option<i32> {
    match &level.spec.limited {
        None => None,
        Some(_) if !release.has(Fact::Lending) => Some(0),
        Some(limited) => limited.borrowing_limit_percent,
    }
}

/// A percentage of seats; half a seat rounds up.
fn percent_of(seats: i64, percent: i32) -> i64 {
    // The same order of operations as the server, so that halves round alike.
    (seats as f64 * f64::from(percent.max(0)) / 100.0).round() as i64
}
