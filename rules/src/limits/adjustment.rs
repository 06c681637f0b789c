//! Moving seats to the levels that ask for them.

use super::allocation::{Class, allocate};
use super::{LevelLimits, SeatDemand, ServerLimits};

/// The first minor release with lending and borrowing.
const SINCE: u32 = 26;
/// The first minor release that serves exempt levels before it divides the rest.
const EXEMPT_FIRST_SINCE: u32 = 31;

/// What a server sets the levels' limits to, given how many seats they ask for.
#[derive(Clone, Debug, PartialEq)]
pub struct Adjustment {
    /// How the limits came about.
    pub method: AdjustmentMethod,
    /// What each level that is not cut by its bounds gets, in proportion to its target (metric
    /// `seat_fair_frac`); 0 when no such proportion was sought.
    pub fair_fraction: f64,
    /// The levels that take part, sorted by name: all since 1.28, before that those that are not exempt.
    pub levels: Vec<AdjustedLevel>,
}

impl Adjustment {
    /// The level named `name`.
    pub fn level(&self, name: &str) -> Option<&AdjustedLevel> {
        self.levels.iter().find(|level| level.name == name)
    }
}

/// How an adjustment came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AdjustmentMethod {
    /// The release has no borrowing: limits are nominal.
    Fixed,
    /// All seats are divided in proportion to the targets, within the levels' bounds.
    Proportional,
    /// Exempt levels leave so little that every other level is at its minimum.
    Minimum,
    /// Exempt levels leave more than all minimums, but less than what the others used.
    Reduced,
    /// The levels' bounds allow no division: every level keeps the limit that it had.
    Unchanged,
}

/// A priority level after an adjustment.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AdjustedLevel {
    /// The level's name.
    pub name: String,
    /// The limit that is in force, in seats (metric `current_limit_seats`).
    ///
    /// For an exempt level it is what the level is counted with, not a limit to its requests.
    pub current: i64,
    /// The seats that the adjustment aims for (metric `target_seats`). Absent where no aim is defined: for an
    /// exempt level since 1.31 and before 1.26. (Servers since 1.31 export some other level's target for
    /// exempt levels.)
    pub target: Option<f64>,
}

impl ServerLimits {
    /// The limits after an adjustment, given each level's demand.
    ///
    /// Servers adjust every ten seconds and whenever the configuration changes. Where the adjustment has
    /// no solution a server keeps the limits that it had: `current` answers them, and the
    /// [initial](LevelLimits::initial) ones count where it answers `None`.
    ///
    /// Where a part of the division lies within rounding error of half a seat a server's own result varies
    /// from run to run, because it sums in random order.
    ///
    /// ```
    /// use k8s_flowcontrol_types::Release;
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
        let release = self.release().minor();
        let inputs: Vec<Input<'_>> = self
            .levels()
            .iter()
            .filter(|level| level.takes_part(self.release()))
            .map(|level| Input::new(level, demand(&level.name), release >= EXEMPT_FIRST_SINCE))
            .collect();
        let (method, fair_fraction, currents) = if release < SINCE {
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
            target: (release >= SINCE && !input.served_first).then_some(input.class.target),
        };
        Adjustment {
            method,
            fair_fraction,
            levels: inputs.iter().zip(currents).map(adjusted).collect(),
        }
    }
}

/// A level with what the adjustment has to know of it.
struct Input<'a> {
    level: &'a LevelLimits,
    /// What the level has used and so should keep, in seats.
    used: i64,
    class: Class,
    /// Whether the level gets what it used before the rest is divided.
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
    // Demand comes from outside and may be any number.
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
    // Before 1.31 nothing is served first, and the two cases below do not exist.
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
    // Servers divide the whole sum here, not what exempt levels leave.
    match allocate(nominal_sum, &classes) {
        Some(allocation) => {
            let mut parts = allocation.parts.into_iter();
            // There is a part for each of the others.
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
