//! The shares that give a new level a number of seats.

use super::base::Base;
use crate::failure::Failure;
use k8s_flowcontrol::Resource;
use k8s_flowcontrol::rules::limits::ServerLimits;

/// The most shares that are tried: more than any server has seats.
const MOST: i32 = 1 << 20;

/// The fewest shares with a nominal limit of at least `seats`.
pub(super) fn at_least(seats: i64, name: &str, base: &Base) -> Result<i32, Failure> {
    if nominal(MOST, name, base) < seats {
        return Err(Failure::input(format!(
            "a server of {} seats cannot guarantee {seats} seats",
            base.seats.seats
        )));
    }
    // The nominal limit grows with the shares.
    let (mut fewer, mut enough) = (0, MOST);
    while enough - fewer > 1 {
        let middle = i32::midpoint(fewer, enough);
        match nominal(middle, name, base) >= seats {
            true => enough = middle,
            false => fewer = middle,
        }
    }
    Ok(enough)
}

/// The most shares with a nominal limit of at most `seats`.
pub(super) fn at_most(seats: i64, name: &str, base: &Base) -> Result<i32, Failure> {
    let least = nominal(1, name, base);
    if least > seats {
        return Err(Failure::input(format!(
            "the smallest level of this configuration has {least} seats, more than {seats}"
        ))
        .hint("every level gets at least its part of the seats, rounded up"));
    }
    match nominal(MOST, name, base) <= seats {
        true => Ok(MOST),
        false => Ok(at_least(seats + 1, name, base)? - 1),
    }
}

fn nominal(shares: i32, name: &str, base: &Base) -> i64 {
    let level = super::level(name, shares, serde_json::json!({}));
    let mut levels = base.levels.clone();
    levels.retain(|other| other.name() != name);
    // The recipe's own level is a v1 object, so reading it cannot fail.
    levels.extend(serde_json::from_value(level).ok());
    let limits = ServerLimits::new(&levels, base.seats.seats, base.release);
    limits.level(name).map_or(0, |level| level.nominal)
}
