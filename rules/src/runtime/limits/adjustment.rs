//! Borrowing: the adjustment of seat limits to demand.

use super::allocation::{Class, allocate};
use super::{LevelLimits, SeatDemand, ServerLimits};
use k8s_flowcontrol_types::Fact;

/// The seat limits of all levels after an adjustment to demand.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Adjustment {
    /// How the server computed the limits.
    pub method: AdjustmentMethod,
    /// The ratio of limit to target for levels that no bound limits (metric `seat_fair_frac`); 0 when the server
    /// computed no such ratio.
    pub fair_fraction: f64,
    /// The levels in the adjustment, sorted by name: all levels since 1.28, the limited levels before.
    pub levels: Vec<AdjustedLevel>,
}

impl Adjustment {
    /// The level named `name`.
    pub fn level(&self, name: &str) -> Option<&AdjustedLevel> {
        self.levels.iter().find(|level| level.name == name)
    }
}

/// How a server computed the limits of an adjustment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AdjustmentMethod {
    /// The release does not support borrowing: limits are nominal limits.
    Fixed,
    /// All seats are divided in proportion to the targets, within each level's bounds.
    Proportional,
    /// Exempt levels leave so few seats that every other level gets its minimum.
    Minimum,
    /// Exempt levels leave more seats than the sum of all minimums, but fewer than the others used.
    Reduced,
    /// No division fits the levels' bounds: every level keeps its current limit.
    Unchanged,
}

/// A priority level after an adjustment.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AdjustedLevel {
    /// The level's name.
    pub name: String,
    /// The current limit in seats (metric `current_limit_seats`).
    ///
    /// It does not limit the requests of an exempt level, and only counts in the division of seats.
    pub current: i64,
    /// The target of the adjustment in seats (metric `target_seats`). `None` for an exempt level since 1.31, and for
    /// all levels before 1.26. (Servers since 1.31 export another level's target for exempt levels.)
    pub target: Option<f64>,
}

impl ServerLimits {
    /// Computes the limits after an adjustment to each level's demand.
    ///
    /// A server adjusts every ten seconds and after each configuration change. If the adjustment cannot be solved, it
    /// keeps its current limits: `current` returns them, or `None` for a level that still has its
    /// [initial](LevelLimits::initial) limit.
    ///
    /// If a level's share of the division is within rounding error of half a seat, a server's own result varies between
    /// runs, because it adds in random order.
    ///
    /// ```
    /// use k8s_flowcontrol_types::{Fact, Release};
    /// use k8s_flowcontrol_rules::limits::{SeatDemand, ServerLimits};
    ///
    /// let limits = ServerLimits::new(&[], 600, Release::NEWEST);
    /// let busy = limits.adjust(|_| SeatDemand::steady(40), |_| None);
    /// assert_eq!(busy.level("exempt").unwrap().current, 40);
    /// assert_eq!(busy.level("catch-all").unwrap().current, 600);
    /// ```
    pub fn adjust(
        &self,
        demand: impl Fn(&str) -> SeatDemand,
        current: impl Fn(&str) -> Option<i64>,
    ) -> Adjustment {
        let release = self.release();
        let lends = release.has(Fact::Lending);
        let inputs: Vec<Input<'_>> = self
            .levels()
            .iter()
            .filter(|level| level.takes_part(self.release()))
            .map(|level| {
                Input::new(
                    level,
                    demand(&level.name),
                    release.has(Fact::ExemptServedFirst),
                )
            })
            .collect();
        let (method, fair_fraction, currents) = if !lends {
            let nominal = inputs.iter().map(|input| input.level.nominal).collect();
            (AdjustmentMethod::Fixed, 0.0, nominal)
        } else {
            divide(self.nominal_sum(), &inputs, |level| {
                current(&level.name).unwrap_or(level.initial())
            })
        };
        let adjusted = |(input, current): (&Input<'_>, i64)| AdjustedLevel {
            name: input.level.name.clone(),
            current,
            target: (lends && !input.served_first).then_some(input.class.target),
        };
        Adjustment {
            method,
            fair_fraction,
            levels: inputs.iter().zip(currents).map(adjusted).collect(),
        }
    }
}

struct Input<'a> {
    level: &'a LevelLimits,
    /// The seats that the level used and should keep.
    used: i64,
    class: Class,
    /// Whether the level gets the seats that it used before the rest is divided.
    served_first: bool,
}

impl<'a> Input<'a> {
    fn new(level: &'a LevelLimits, demand: SeatDemand, exempt_first: bool) -> Self {
        let served_first = level.exempt && exempt_first;
        let claim = if served_first {
            demand.high_watermark
        } else {
            demand.high_watermark.min(level.nominal)
        };
        let used = claim.max(level.minimum);
        let lower = used as f64;
        let class = Class {
            lower,
            upper: level.maximum as f64,
            target: lower.max(demand.smoothed),
        };
        Self {
            level,
            used,
            class,
            served_first,
        }
    }
}

fn divide(
    nominal_sum: i64,
    inputs: &[Input<'_>],
    previous: impl Fn(&LevelLimits) -> i64,
) -> (AdjustmentMethod, f64, Vec<i64>) {
    let others = || inputs.iter().filter(|input| !input.served_first);
    // Demand comes from the caller and can be any number.
    let served_first = inputs
        .iter()
        .filter(|input| input.served_first)
        .fold(0_i64, |sum, input| sum.saturating_add(input.used));
    let remaining = nominal_sum.saturating_sub(served_first);
    let minimum_sum: i64 = others().map(|input| input.level.minimum).sum();
    let used_sum: i64 = others().map(|input| input.used).sum();
    let with = |part: &mut dyn FnMut(&Input<'_>) -> i64| {
        inputs
            .iter()
            .map(|input| {
                if input.served_first {
                    input.used
                } else {
                    part(input)
                }
            })
            .collect()
    };
    // Before 1.31 exempt levels take part in the division, so the two cases below do not exist.
    if inputs.iter().any(|input| input.served_first) {
        if remaining <= minimum_sum {
            return (
                AdjustmentMethod::Minimum,
                0.0,
                with(&mut |input| input.level.minimum),
            );
        }
        if remaining <= used_sum {
            let fraction = (remaining - minimum_sum) as f64 / (used_sum - minimum_sum) as f64;
            let part = &mut |input: &Input<'_>| {
                let minimum = input.level.minimum;
                minimum + ((input.used - minimum) as f64 * fraction).round() as i64
            };
            return (AdjustmentMethod::Reduced, 0.0, with(part));
        }
    }
    let classes: Vec<Class> = others().map(|input| input.class).collect();
    // Servers divide the nominal sum here, not the seats left by exempt levels.
    match allocate(nominal_sum, &classes) {
        Some(allocation) => {
            let mut parts = allocation.parts.into_iter();
            // `parts` has one element for each of the other levels.
            let currents = with(&mut |_| parts.next().unwrap_or_default().round() as i64);
            (
                AdjustmentMethod::Proportional,
                allocation.fair_fraction,
                currents,
            )
        }
        None => (
            AdjustmentMethod::Unchanged,
            0.0,
            with(&mut |input| previous(input.level)),
        ),
    }
}
