//! What to do about intents that cannot be satisfied together.

use super::answer::{Answer, Impossible};
use super::bounds;
use super::explain;
use super::fewest::MOST_SEATS;
use super::intents::Intents;
use super::search::{Search, Stop};
use super::sizer::Sizer;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The most requests that are simulated for each intent that is given up, and for all of them.
const MOST_OF_EACH: u64 = 20_000_000;
const MOST_OF_ALL: u64 = 80_000_000;

impl Sizer<'_> {
    /// Finds the seats that would be enough, and the intents that can be given up.
    pub(super) fn impossible(
        &self,
        search: &mut Search<'_, '_>,
        mut impossible: Impossible,
    ) -> Result<Answer, Stop> {
        let all = &self.intents.intents;
        let mut give_up = BTreeSet::new();
        // Of a single intent nothing is left.
        let mut not_tried = match all.len() {
            1 => BTreeSet::new(),
            many => (0..many).collect(),
        };
        let found = self
            .more_seats(search, &mut impossible)
            .and_then(|()| self.fewer_intents(search, &impossible, &mut give_up, &mut not_tried));
        match found {
            Ok(()) => {}
            Err(Stop::Stopped | Stop::TooMany) => impossible.is_complete = false,
            Err(error) => return Err(error),
        }
        let names = |indices: BTreeSet<usize>| -> Vec<_> {
            let names = indices.into_iter().map(|index| all[index].name.clone());
            names.collect()
        };
        (impossible.give_up, impossible.not_tried) = (names(give_up), names(not_tried));
        impossible.trials = search.trials;
        Ok(Answer::Impossible(Box::new(impossible)))
    }

    fn more_seats(
        &self,
        search: &mut Search<'_, '_>,
        impossible: &mut Impossible,
    ) -> Result<(), Stop> {
        let is_absolute = bounds::contradiction(self.intents, None).is_some();
        if is_absolute || impossible.seats >= MOST_SEATS {
            return Ok(());
        }
        let (found, is_complete) = self.fewest(search, impossible.seats.saturating_add(1))?;
        impossible.is_complete &= is_complete;
        if let Some(found) = found {
            impossible.needed = Some(found.seats);
            impossible.needs = explain::needs(self, &found);
        }
        Ok(())
    }

    /// Gives up one intent after the other, the most promising ones first, and removes those from `not_tried` of which it is known then
    /// whether the others hold.
    fn fewer_intents(
        &self,
        search: &mut Search<'_, '_>,
        impossible: &Impossible,
        give_up: &mut BTreeSet<usize>,
        not_tried: &mut BTreeSet<usize>,
    ) -> Result<(), Stop> {
        let most = search.simulated.saturating_add(MOST_OF_ALL);
        let mut promising: Vec<_> = not_tried.iter().copied().collect();
        promising.sort_by_cached_key(|index| self.promise(impossible, *index));
        for index in promising {
            let mut intents = Intents::clone(self.intents);
            intents.intents.remove(index);
            let is_out = match bounds::contradiction(&intents, Some(impossible.seats)) {
                Some(_) => Some(false),
                None => {
                    let left = most.saturating_sub(search.simulated);
                    let sizer = self.with_intents(&intents)?;
                    search.of_other(&sizer, impossible.seats, left.min(MOST_OF_EACH))?
                }
            };
            let Some(is_out) = is_out else { continue };
            not_tried.remove(&index);
            if is_out {
                give_up.insert(index);
            }
        }
        Ok(())
    }

    /// The smallest first: the intents that exclude each other, those that need the most seats, and those that fail.
    fn promise(&self, impossible: &Impossible, index: usize) -> impl Ord + use<> {
        let name = &self.intents.intents[index].name;
        let excluded = impossible.contradiction.iter();
        let mut excluded = excluded.flat_map(|contradiction| &contradiction.needs);
        let is_excluded = excluded.any(|(excluded, _)| excluded == name);
        let needs = impossible.needs.iter();
        let needs = needs.filter(|(names, _)| names.contains(name));
        let needed = needs.map(|(_, seats)| *seats).max();
        let fails = impossible.failing.iter().any(|check| check.intent == index);
        (Reverse(is_excluded), Reverse(needed), Reverse(fails), index)
    }
}
