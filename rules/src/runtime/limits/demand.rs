//! The seat demand of a priority level.

use std::time::Duration;

/// The smoothing coefficient per period: how slowly the smoothed demand follows a falling demand.
const SMOOTHING: f64 = 0.977;
/// The weight of the new period. Not `1.0 - SMOOTHING`, which is a different float.
const SMOOTHING_REST: f64 = 0.023;

/// A level's seat demand, as a server tracks it from period to period.
///
/// Demand is the seats in use plus the seats that queued requests need. The default is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeatDemand {
    /// The highest demand in the last period, in seats (metric `demand_seats_high_watermark`).
    pub high_watermark: i64,
    /// The time-weighted average of the last period, in seats (metric `demand_seats_average`).
    pub average: f64,
    /// The time-weighted standard deviation of the last period (metric `demand_seats_stdev`).
    pub deviation: f64,
    /// The demand used as target by adjustments, in seats (metric `demand_seats_smoothed`).
    ///
    /// It follows a rise immediately and a fall slowly.
    pub smoothed: f64,
}

impl SeatDemand {
    /// A constant demand of `seats`.
    pub fn steady(seats: u32) -> Self {
        let seats_now = f64::from(seats);
        Self {
            high_watermark: seats.into(),
            average: seats_now,
            deviation: 0.0,
            smoothed: seats_now,
        }
    }

    /// Adds a period. A server's periods last ten seconds, or end early with a configuration change.
    ///
    /// A period without duration changes only the high watermark.
    pub fn update(&mut self, period: &DemandPeriod) {
        self.high_watermark = period.maximum.round() as i64;
        if period.duration.is_zero() {
            return;
        }
        self.average = period.average;
        self.deviation = if period.deviation.is_nan() {
            0.0
        } else {
            period.deviation
        };
        let envelope = self.average + self.deviation;
        self.smoothed = envelope.max(SMOOTHING * self.smoothed + SMOOTHING_REST * envelope);
    }
}

/// A level's demand over one period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DemandPeriod {
    /// The length of the period.
    pub duration: Duration,
    /// The time-weighted average in seats.
    pub average: f64,
    /// The time-weighted standard deviation in seats; NaN counts as 0.
    pub deviation: f64,
    /// The highest demand in seats.
    pub maximum: f64,
}

/// Records a changing demand and returns it as [`DemandPeriod`]s.
///
/// Times are durations since any fixed moment. A time before the last one counts as the last one.
///
/// ```
/// use k8s_flowcontrol_rules::limits::{DemandRecorder, SeatDemand};
/// use std::time::Duration;
///
/// let mut recorder = DemandRecorder::new(Duration::ZERO);
/// recorder.set(Duration::from_secs(4), 10.0);
/// recorder.set(Duration::from_secs(6), 0.0);
/// let mut demand = SeatDemand::default();
/// demand.update(&recorder.finish_period(Duration::from_secs(10)));
/// assert_eq!((demand.high_watermark, demand.average, demand.deviation), (10, 2.0, 4.0));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DemandRecorder {
    now: Duration,
    seats: f64,
    maximum: f64,
    duration: Duration,
    integral: f64,
    integral_of_squares: f64,
}

impl DemandRecorder {
    /// Creates a recorder that starts at `start` with no demand.
    pub const fn new(start: Duration) -> Self {
        Self {
            now: start,
            seats: 0.0,
            maximum: 0.0,
            duration: Duration::ZERO,
            integral: 0.0,
            integral_of_squares: 0.0,
        }
    }

    /// Sets the demand to `seats` from `now` on.
    pub fn set(&mut self, now: Duration, seats: f64) {
        self.advance(now);
        self.seats = seats;
        self.maximum = self.maximum.max(seats);
    }

    /// Ends the period at `now` and starts the next one with the current demand.
    pub fn finish_period(&mut self, now: Duration) -> DemandPeriod {
        self.advance(now);
        let seconds = self.duration.as_secs_f64();
        let average = self.integral / seconds;
        let variance = self.integral_of_squares / seconds - average * average;
        let period = DemandPeriod {
            duration: self.duration,
            average,
            deviation: variance.sqrt(),
            maximum: self.maximum,
        };
        *self = Self {
            now: self.now,
            seats: self.seats,
            maximum: self.seats,
            ..Self::new(self.now)
        };
        period
    }

    fn advance(&mut self, now: Duration) {
        let passed = now.saturating_sub(self.now);
        self.now += passed;
        self.duration += passed;
        let seconds = passed.as_secs_f64();
        self.integral += seconds * self.seats;
        self.integral_of_squares += seconds * self.seats * self.seats;
    }
}
