//! The limit of a level: delay-based, as in Swift (SIGCOMM 2020), with the pauses of LEDBAT++.

use crate::floor::mean;
use crate::random::Random;
use std::time::Duration;
use tokio::time::Instant;

/// The first limit.
const FIRST: f64 = 2.0;
/// The lowest limit: a request in ten times its latency.
const LOWEST: f64 = 0.1;
/// Limits below 1 grow by this much.
const SMALL_STEP: f64 = 0.05;
/// Limits above 1 grow by 1 and this part.
const LARGE_STEP: f64 = 0.05;
/// How strongly the limit shrinks with the excess, and at most.
const DECREASE: f64 = 0.8;
const LARGEST_DECREASE: f64 = 0.5;
/// The samples of a window, at least and at most.
const WINDOW: (f64, f64) = (2.0, 16.0);
/// The limit after a rejection, and after one while it was still doubling.
const AFTER_REJECTION: f64 = 0.9;
const AFTER_FIRST_REJECTION: f64 = 0.6;
/// The limit is lower from time to time: this part of it, for this number of responses.
const SLOWED: f64 = 0.25;
const SLOWED_RESPONSES: f64 = 8.0;
const BETWEEN_SLOWDOWNS: Duration = Duration::from_secs(10);
/// A slowdown takes at most a tenth of the time.
const SLOWDOWN_SHARE: u32 = 9;
/// A limit that was rejected is exceeded only after this time, and after as many responses.
const AFTER_CEILING: (Duration, u32) = (Duration::from_secs(4), 200);

/// The settings of all limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) max: f64,
    /// The part of the floor that a request may wait.
    pub(crate) tolerance: f64,
}

#[derive(Debug)]
pub(crate) struct Limit {
    settings: Settings,
    value: f64,
    /// Whether it still doubles.
    is_starting: bool,
    /// The ratios of latency and floor since the last change.
    window: Vec<f64>,
    /// Whether the limit was reached in this window.
    was_reached: bool,
    /// The last ratio of a whole window.
    last_ratio: f64,
    /// Requests that started before this time do not change the limit.
    changed: Option<Instant>,
    /// The beginning of the present slowdown.
    slowed: Option<Instant>,
    next_slowdown: Option<Instant>,
    ceiling: Option<Ceiling>,
    random: Random,
}

/// A limit at which requests were rejected.
#[derive(Debug)]
struct Ceiling {
    value: f64,
    until: Instant,
    responses: u32,
}

impl Limit {
    pub(crate) fn new(settings: Settings, random: Random) -> Self {
        Self {
            settings,
            value: FIRST.min(settings.max),
            is_starting: true,
            window: Vec::new(),
            was_reached: false,
            last_ratio: 1.0,
            changed: None,
            slowed: None,
            next_slowdown: None,
            ceiling: None,
            random,
        }
    }

    /// The number of requests that may be in flight.
    pub(crate) fn value(&self) -> f64 {
        match self.slowed {
            Some(_) => (self.value * SLOWED).max(LOWEST),
            None => self.value,
        }
    }

    /// Whether a request that started at this time belongs to the present slowdown.
    pub(crate) fn is_slowed(&self, started: Instant) -> bool {
        self.slowed.is_some_and(|since| started >= since)
    }

    pub(crate) fn ratio(&self) -> f64 {
        self.last_ratio
    }

    /// The limit without the present slowdown.
    pub(crate) fn target(&self) -> f64 {
        self.value
    }

    /// A number from 0 to 1, for jitter.
    pub(crate) fn jitter(&mut self) -> f64 {
        self.random.unit()
    }

    /// A request has got its response: `ratio` is its latency divided by its floor, and `was_reached` whether it took the last place.
    pub(crate) fn responded(
        &mut self,
        now: Instant,
        started: Instant,
        ratio: f64,
        was_reached: bool,
    ) {
        if let Some(ceiling) = &mut self.ceiling {
            ceiling.responses = ceiling.responses.saturating_sub(1);
        }
        if self.changed.is_some_and(|changed| started < changed) {
            return;
        }
        self.window.push(ratio);
        self.was_reached |= was_reached;
        let enough = match self.slowed {
            Some(_) => SLOWED_RESPONSES,
            None => self.value.clamp(WINDOW.0, WINDOW.1).floor(),
        };
        if (self.window.len() as f64) < enough {
            return;
        }
        let ratio = mean(&self.window);
        let was_reached = self.was_reached;
        self.end_window(now);
        self.last_ratio = ratio;
        if let Some(since) = self.slowed.take() {
            self.plan_slowdown(now, now.saturating_duration_since(since));
            return;
        }
        // A small part of the seats waits longer for the same queue, and its delay is known less exactly.
        let scale = self.value.sqrt().recip().clamp(0.5, 1.5);
        let target = 1.0 + self.settings.tolerance * scale;
        if ratio > target {
            let excess = (ratio - target) / ratio;
            self.value *= (1.0 - DECREASE * excess).max(1.0 - LARGEST_DECREASE);
            if std::mem::take(&mut self.is_starting) {
                self.next_slowdown = Some(now);
            }
        } else if was_reached {
            self.grow(now);
        }
        self.value = self.value.clamp(LOWEST, self.settings.max);
        if was_reached && self.next_slowdown.is_some_and(|next| now >= next) {
            self.slowed = Some(now);
        }
    }

    /// A request was rejected.
    pub(crate) fn rejected(&mut self, now: Instant, started: Instant) {
        if self.changed.is_some_and(|changed| started < changed) {
            return;
        }
        let (time, responses) = AFTER_CEILING;
        self.ceiling = Some(Ceiling {
            value: self.value,
            until: now + time,
            responses,
        });
        self.value *= match std::mem::take(&mut self.is_starting) {
            true => AFTER_FIRST_REJECTION,
            false => AFTER_REJECTION,
        };
        self.value = self.value.max(LOWEST);
        self.slowed = None;
        self.end_window(now);
        self.plan_slowdown(now, Duration::ZERO);
    }

    fn grow(&mut self, now: Instant) {
        let grown = match self.value {
            value if self.is_starting => value * 2.0,
            value if value < 1.0 => value + SMALL_STEP,
            value => value * (1.0 + LARGE_STEP) + 1.0,
        };
        self.value = match &self.ceiling {
            Some(ceiling) if now < ceiling.until || ceiling.responses > 0 => {
                // The whole number below the rejected one.
                let below = (ceiling.value.ceil() - 1.0).max(ceiling.value * AFTER_REJECTION);
                grown.min(below.max(self.value))
            }
            _ => grown,
        };
    }

    fn end_window(&mut self, now: Instant) {
        self.window.clear();
        self.was_reached = false;
        self.changed = Some(now);
    }

    fn plan_slowdown(&mut self, now: Instant, last: Duration) {
        let pause = BETWEEN_SLOWDOWNS.mul_f64(0.8 + 0.4 * self.random.unit());
        self.next_slowdown = Some(now + pause.max(last * SLOWDOWN_SHARE));
    }
}
