//! Divides a sum in proportion to targets, within bounds.

use k8s_flowcontrol_types::order;

/// The least target: a class with a smaller one counts with this, so that it has a proportion.
const LEAST_TARGET: f64 = 0.001;
const TOLERANCE: f64 = 1e-7;

/// The target and bounds of one class, with `0 <= lower <= target` and `lower <= upper`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Class {
    pub(super) lower: f64,
    pub(super) upper: f64,
    pub(super) target: f64,
}

/// An allocation whose parts add up to the required sum.
#[derive(Clone, Debug)]
pub(super) struct Allocation {
    /// One part per class.
    pub(super) parts: Vec<f64>,
    /// The ratio of part to target for every part that is at no bound.
    pub(super) fair_fraction: f64,
}

/// Returns the only allocation in which each part is `fair_fraction` × target, limited to the class's bounds, and all
/// parts add up to `required`; `None` if the bounds exclude every allocation.
pub(super) fn allocate(required: i64, classes: &[Class]) -> Option<Allocation> {
    let required = required as f64;
    let scaled: Vec<Scaled> = classes.iter().map(Scaled::new).collect();
    let lower_sum: f64 = classes.iter().map(|class| class.lower).sum();
    let upper_sum: f64 = classes.iter().map(|class| class.upper).sum();
    let extreme = |of: fn(&Scaled) -> f64, choose: fn(f64, f64) -> f64| {
        scaled.iter().map(of).reduce(choose).unwrap_or_default()
    };
    if lower_sum - required > TOLERANCE || required - upper_sum > TOLERANCE {
        return None;
    }
    if lower_sum - required > -TOLERANCE {
        return Some(Allocation {
            parts: classes.iter().map(|class| class.lower).collect(),
            fair_fraction: extreme(|class| class.lower, f64::min),
        });
    }
    if required - upper_sum > -TOLERANCE {
        return Some(Allocation {
            parts: classes.iter().map(|class| class.upper).collect(),
            fair_fraction: extreme(|class| class.upper, f64::max),
        });
    }
    let target_sum: f64 = scaled.iter().map(|class| class.target).sum();
    let proportional = required / target_sum;
    let bounds_matter = proportional < extreme(|class| class.lower, f64::max)
        || proportional > extreme(|class| class.upper, f64::min);
    let fair_fraction = if bounds_matter {
        sweep(required, lower_sum, &scaled)?
    } else {
        proportional
    };
    let part = |(class, scaled): (&Class, &Scaled)| {
        if fair_fraction <= scaled.lower {
            class.lower
        } else if fair_fraction >= scaled.upper {
            class.upper
        } else {
            scaled.target * fair_fraction
        }
    };
    let parts = classes.iter().zip(&scaled).map(part).collect();
    Some(Allocation {
        parts,
        fair_fraction,
    })
}

/// A class with its bounds divided by its target.
struct Scaled {
    target: f64,
    lower: f64,
    upper: f64,
}

impl Scaled {
    fn new(class: &Class) -> Self {
        let target = class.target.max(LEAST_TARGET);
        Self {
            target,
            lower: class.lower / target,
            upper: class.upper / target,
        }
    }
}

/// Raises the fraction from bound to bound until the parts add up to `required`.
fn sweep(required: f64, lower_sum: f64, classes: &[Scaled]) -> Option<f64> {
    // Beyond its lower bound a class grows with the fraction, beyond its upper bound it stops.
    let mut bounds = Vec::new();
    for class in classes {
        bounds.push((class.lower, class.target));
        bounds.push((class.upper, -class.target));
    }
    order::sort_by(&mut bounds, |left, right| left.0.total_cmp(&right.0));
    let mut sum = lower_sum;
    let mut growing = 0.0;
    let mut fraction = bounds.first()?.0;
    for (bound, change) in bounds {
        let sum_at_bound = sum + (bound - fraction) * growing;
        if sum_at_bound >= required {
            return Some(fraction + (required - sum) / growing);
        }
        (sum, fraction) = (sum_at_bound, bound);
        growing += change;
    }
    // All classes are at their upper bounds. The caller excludes a larger `required`, except for rounding.
    Some(fraction)
}
