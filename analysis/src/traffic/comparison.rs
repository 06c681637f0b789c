//! The effect of a proposed configuration on the requests of logs.

use super::sample::Class;
use super::sums::{Levels, Named, Sorts, Sums, named};
use super::tally::Tally;
use crate::saved::numbers::sum;
use serde::Serialize;
use std::collections::BTreeMap;

/// The effect of the proposed configuration.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Comparison {
    /// The requests with another flow schema or priority level.
    pub moved_requests: u64,
    /// The moves, the largest first.
    pub moves: Vec<Move>,
    /// The priority levels, by name.
    pub priority_levels: Vec<LevelChange>,
}

/// Requests with another classification in the proposed configuration.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Move {
    /// The class in the current configuration.
    pub from: Class,
    /// The class in the proposed configuration.
    pub to: Class,
    /// The requests and their work.
    #[serde(flatten)]
    pub sums: Sums,
    /// The users, the busiest first.
    pub users: Vec<Named>,
}

/// A priority level in the current and in the proposed configuration.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct LevelChange {
    /// The name.
    pub name: String,
    /// In the current configuration.
    pub before: Sums,
    /// In the proposed configuration.
    pub after: Sums,
}

impl Comparison {
    pub(super) fn new(tally: &Tally, works: &Levels) -> Self {
        let mut moves = BTreeMap::<(&Class, &Class), Sorts>::new();
        let mut levels = BTreeMap::<&str, (Sums, Sums)>::new();
        let mut moved_requests = 0;
        for (cell, load) in &tally.cells {
            let (Some(from), Some(to)) = (&cell.class, &cell.proposed) else {
                continue;
            };
            // In another level the requests wait for another time; their execution is the same.
            let sums = Sums::new(load, &from.priority_level, works);
            levels.entry(&from.priority_level).or_default().0.add(sums);
            levels.entry(&to.priority_level).or_default().1.add(sums);
            if from != to {
                moved_requests = sum(moved_requests, load.requests);
                moves
                    .entry((from, to))
                    .or_default()
                    .add(&cell.user, &cell.verb, *load);
            }
        }
        let mut moves: Vec<_> = moves
            .into_iter()
            .map(|((from, to), sorts)| Move {
                from: from.clone(),
                to: to.clone(),
                sums: Sums::new(&sorts.all, &from.priority_level, works),
                users: named(sorts.users),
            })
            .collect();
        moves.sort_by_key(|moved| std::cmp::Reverse(moved.sums.requests));
        Self {
            moved_requests,
            moves,
            priority_levels: levels
                .into_iter()
                .map(|(name, (before, after))| LevelChange {
                    name: name.to_owned(),
                    before,
                    after,
                })
                .collect(),
        }
    }
}
