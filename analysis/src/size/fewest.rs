//! The fewest seats of a server.

use super::search::{Feasible, Found, Search, Stop};
use super::setting::Setting;
use super::sizer::Sizer;

/// The most seats that are tried if the number is unknown.
pub(super) const MOST_SEATS: u32 = 1 << 17;
/// How many servers are tried below one that has too few seats: those with the next fewer seats, and those on which requests take fewer
/// seats.
const NEXT: usize = 2;
const NARROWER: usize = 2;
/// How many servers are looked at for those on which requests take fewer seats.
const LOOKED_AT: usize = 4096;

/// A server that has enough seats.
struct Enough {
    seats: u32,
    settings: Vec<Setting>,
}

impl Sizer<'_> {
    /// The fewest seats from `from` on, and whether the search ended by itself.
    pub(super) fn fewest(
        &self,
        search: &mut Search<'_, '_>,
        from: u32,
    ) -> Result<(Option<Box<Found>>, bool), Stop> {
        let (mut too_few, mut seats) = (from.saturating_sub(1), from.max(search.likely_seats()));
        let mut step = seats;
        loop {
            let mut enough = loop {
                match search.feasible_first(seats)? {
                    Feasible::Settings(settings) => break Enough { seats, settings },
                    Feasible::TooFew(..) if seats >= MOST_SEATS => return Ok((None, true)),
                    Feasible::TooFew(..) => {
                        too_few = seats;
                        seats = seats.saturating_add(step).min(MOST_SEATS);
                        step = step.saturating_mul(2);
                    }
                }
            };
            let found = descend(search, (too_few, from), &mut enough);
            let found = found.and_then(|()| self.look_below(search, from, &mut enough));
            let found = found.and_then(|()| search.finish(enough.settings.clone(), enough.seats));
            match found {
                Ok(Some(found)) => return Ok((Some(found), true)),
                // More of the load is simulated now, and needs a few seats more.
                Ok(None) => (seats, step) = (enough.seats, 1),
                Err(Stop::Stopped) => {
                    let found = search.unfinished(enough.settings, enough.seats)?;
                    return Ok((found, false));
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Finds fewer seats that are enough although a number between is not.
    ///
    /// Fewer seats are not always worse: a request takes at most a part of the seats of its level, so that lists take fewer seats on a
    /// smaller server, and more of them run. So the search goes on below a server with too few seats, where requests take
    /// fewer seats, and at the next numbers, as what levels get is rounded.
    fn look_below(
        &self,
        search: &mut Search<'_, '_>,
        from: u32,
        enough: &mut Enough,
    ) -> Result<(), Stop> {
        loop {
            lower(search, from.saturating_sub(1), enough, Search::below)?;
            let too_few = enough.seats.saturating_sub(1);
            let mut candidates = self.narrower(too_few, from)?;
            candidates.extend((from..too_few).rev().take(NEXT));
            let mut is_less = false;
            for seats in candidates {
                if let Some(settings) = search.below(seats)? {
                    *enough = Enough { seats, settings };
                    is_less = true;
                    break;
                }
            }
            if !is_less {
                return Ok(());
            }
        }
    }

    /// The next servers with fewer seats, but at least `from`, on which a request of the logs takes fewer seats with the present objects.
    fn narrower(&self, seats: u32, from: u32) -> Result<Vec<u32>, Stop> {
        let mut found = Vec::new();
        if self.requests.is_none() {
            return Ok(found);
        }
        let mut bounds = self.bounds(seats);
        for fewer in (from..seats).rev().take(LOOKED_AT) {
            let narrower = self.bounds(fewer);
            if narrower == bounds {
                continue;
            }
            bounds = narrower;
            if self.has_narrower(fewer)? {
                found.push(fewer);
                if found.len() == NARROWER {
                    break;
                }
            }
        }
        Ok(found)
    }
}

/// Finds the fewest seats that are enough: more than too few, and at least `from`.
fn descend(
    search: &mut Search<'_, '_>,
    (mut too_few, from): (u32, u32),
    enough: &mut Enough,
) -> Result<(), Stop> {
    while enough.seats - too_few > 1 {
        let seats = too_few + (enough.seats - too_few) / 2;
        match search.feasible_first(seats)? {
            Feasible::Settings(settings) => *enough = Enough { seats, settings },
            Feasible::TooFew(..) => too_few = seats,
        }
    }
    if !search.tries_lending_last() {
        return Ok(());
    }
    // Another beginning, and lending more, save few seats, if any.
    search.forget_likely();
    lower(search, from.saturating_sub(1), enough, |search, seats| {
        Ok(match search.feasible(seats)? {
            Feasible::Settings(settings) => Some(settings),
            Feasible::TooFew(..) => None,
        })
    })
}

/// Lowers the seats in growing steps as long as they are enough, and then looks between the last two.
fn lower<'s, 'a>(
    search: &mut Search<'s, 'a>,
    mut too_few: u32,
    enough: &mut Enough,
    mut settings_at: impl FnMut(&mut Search<'s, 'a>, u32) -> Result<Option<Vec<Setting>>, Stop>,
) -> Result<(), Stop> {
    let mut step = 1;
    while enough.seats - too_few > 1 {
        let seats = match step {
            0 => too_few + (enough.seats - too_few) / 2,
            step => enough.seats.saturating_sub(step).max(too_few + 1),
        };
        match settings_at(search, seats)? {
            Some(settings) => {
                *enough = Enough { seats, settings };
                step *= 2;
            }
            None => (too_few, step) = (seats, 0),
        }
    }
    Ok(())
}
