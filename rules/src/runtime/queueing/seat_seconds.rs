//! Amounts of work in fixed point.

use std::fmt;

/// An amount of work, or a reading of virtual time, in units of 10⁻⁸ seat-seconds.
///
/// It is displayed as in the server's debug dumps, for example `0.00300000ss`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeatSeconds(pub(super) u64);

/// Units in one seat-second.
const SCALE: u64 = 100_000_000;
/// Nanoseconds in one unit of one seat.
const NANOSECONDS: f64 = 10.0;
/// The amount by which virtual time is set back before it overflows.
pub(super) const EPOCH: u64 = u64::MAX / 2;
/// The reading of virtual time from which it is set back.
const EPOCH_END: u64 = EPOCH + EPOCH / 2;

impl SeatSeconds {
    /// The work of `seats` seats for some nanoseconds, rounded to the nearest unit.
    pub(super) fn of(seats: f64, nanoseconds: u64) -> Self {
        // The same order of operations as the server, so that halves round alike. The cast saturates.
        Self((seats * nanoseconds as f64 / NANOSECONDS).round() as u64)
    }

    /// The amount in seat-seconds.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / SCALE as f64
    }

    /// The nanoseconds for which `seats` seats are busy with this work.
    pub(super) fn nanoseconds_of(self, seats: u32) -> u64 {
        (self.0 as f64 / f64::from(seats) * NANOSECONDS) as u64
    }

    pub(super) const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    pub(super) const fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Whether virtual time has to be set back.
    pub(super) const fn ends_epoch(self) -> bool {
        self.0 >= EPOCH_END
    }

    /// The reading after virtual time was set back.
    pub(super) const fn in_next_epoch(self) -> Self {
        Self(self.0.saturating_sub(EPOCH))
    }
}

impl fmt::Display for SeatSeconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:08}ss", self.0 / SCALE, self.0 % SCALE)
    }
}
