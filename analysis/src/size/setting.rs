//! The changes of a configuration that size makes, and the objects with them.

use super::error::SizeError;
use super::intents::Intent;
use crate::recipes::{self, Client, Recipes};
use k8s_flowcontrol_rules::limits::ServerLimits;
use k8s_flowcontrol_types::Resource;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol_types::{Fact, Release};

/// The queue length while the seats are searched: longer than any queue becomes.
const LONGEST_QUEUE: i32 = 10_000;
/// The passes in which shares are adapted to each other. Each pass adds a share at least.
const PASSES: usize = 2000;

#[derive(Clone, Debug, Default)]
pub(super) struct Objects {
    pub(super) flow_schemas: Vec<FlowSchema>,
    pub(super) levels: Vec<PriorityLevelConfiguration>,
}

impl Objects {
    pub(super) fn of(
        flow_schemas: &[FlowSchema],
        priority_levels: &[PriorityLevelConfiguration],
    ) -> Self {
        Self {
            flow_schemas: flow_schemas.to_vec(),
            levels: priority_levels.to_vec(),
        }
    }
}

/// A level that size makes or changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Setting {
    /// The name of the level.
    pub(super) level: String,
    /// The client of a separate level; none for a present level.
    pub(super) client: Option<Client>,
    /// The intents that it is for.
    pub(super) intents: Vec<usize>,
    /// The seats that it must have at least, without borrowing.
    pub(super) at_least: Option<i64>,
    /// The seats that it must not exceed.
    pub(super) at_most: Option<i64>,
    /// The length of its queues; none to leave it.
    pub(super) queue_length: Option<i32>,
    /// The number of its queues and the size of hands; none to leave them.
    pub(super) queues: Option<(i32, i32)>,
    /// The part of its seats that it lends at least, in percent; none to leave it.
    pub(super) lendable: Option<i32>,
    /// How much it may borrow; none to leave it.
    pub(super) borrowing: Option<Borrowing>,
}

/// How much a level may borrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Borrowing {
    /// So many percent of its nominal seats.
    Percent(i32),
    /// All seats that others lend.
    Unlimited,
}

impl Setting {
    /// A separate level of a client, before its seats are known.
    pub(super) fn own(client: &Client, intent: usize, lendable: i32) -> Self {
        Self {
            level: format!("size-{}", client.slug()),
            client: Some(client.clone()),
            intents: vec![intent],
            queue_length: Some(LONGEST_QUEUE),
            lendable: Some(lendable),
            ..Self::default()
        }
    }

    /// A present level, which lends at least so many percent of its seats.
    pub(super) fn present(level: &str, intent: usize, lendable: i32) -> Self {
        Self {
            level: level.to_owned(),
            intents: vec![intent],
            lendable: Some(lendable).filter(|lendable| *lendable > 0),
            ..Self::default()
        }
    }
}

/// Adds the levels and flow schemas of clients with separate levels, without their seats. Clients that are part of others come
/// later, so that their flow schemas come first.
pub(super) fn structure(
    present: &Objects,
    settings: &[Setting],
    intents: &[Intent],
    seats: u32,
    release: Release,
) -> Result<Objects, SizeError> {
    let mut objects = present.clone();
    let own = settings.iter().filter_map(|setting| {
        let client = setting.client.as_ref()?;
        Some((setting, client))
    });
    let mut own: Vec<_> = own.collect();
    own.sort_by_key(|(_, client)| match client {
        Client::Group(_) => 0,
        client if client.is_several() => 1,
        _ => 2,
    });
    for (setting, client) in own {
        let recipes = Recipes::new(&objects.flow_schemas, &objects.levels, seats, release);
        let mut level = recipes::own_level(&setting.level, client);
        let limited = level.spec.limited.get_or_insert_default();
        limited.nominal_concurrency_shares = Some(1);
        limited.lendable_percent = Some(0);
        let named = client.object_name("size");
        let recipe = named.and_then(|_| recipes.own_level(level, client));
        let recipe = recipe.map_err(|error| {
            let intent = setting
                .intents
                .first()
                .and_then(|index| intents.get(*index));
            SizeError::Recipe {
                intent: intent.map(|intent| intent.name.clone()).unwrap_or_default(),
                line: intent.map_or(0, |intent| intent.line),
                error,
            }
        })?;
        objects.flow_schemas = recipe.flow_schemas;
        objects.levels = recipe.priority_levels;
    }
    Ok(objects)
}

/// The objects with the seats of all settings; none if the server has too few.
pub(super) fn with_seats(
    structure: &Objects,
    settings: &[Setting],
    seats: u32,
    release: Release,
) -> Option<Objects> {
    let mut objects = structure.clone();
    for setting in settings {
        let level = level_mut(&mut objects.levels, &setting.level)?;
        let limited = level.spec.limited.get_or_insert_default();
        match setting.borrowing {
            _ if setting.at_most.is_some() => {
                // A level of an older release does not borrow, and has no such field.
                limited.borrowing_limit_percent = release.has(Fact::Lending).then_some(0);
            }
            Some(Borrowing::Percent(percent)) => limited.borrowing_limit_percent = Some(percent),
            Some(Borrowing::Unlimited) => limited.borrowing_limit_percent = None,
            None => {}
        }
        if let Some(lendable) = setting.lendable {
            let present = limited
                .lendable_percent
                .filter(|_| setting.client.is_none());
            limited.lendable_percent = Some(present.unwrap_or(0).max(lendable));
        }
        if setting.client.is_some() {
            // The search begins with one share; a present level keeps what it has.
            limited.nominal_concurrency_shares = Some(1);
        }
        if let Some(queuing) = &mut limited.limit_response.queuing {
            queuing.queue_length_limit = setting.queue_length.or(queuing.queue_length_limit);
            if let Some((queues, hand_size)) = setting.queues {
                (queuing.queues, queuing.hand_size) = (Some(queues), Some(hand_size));
            }
        }
    }
    let limits = ServerLimits::new(&objects.levels, seats, release);
    let place = |setting: &Setting| {
        let mut levels = limits.levels().iter();
        levels.position(|level| level.name == setting.level)
    };
    let places: Vec<_> = settings.iter().map(place).collect::<Option<_>>()?;
    let shares = limits.levels().iter().map(|level| level.shares);
    let shares = shares_of(shares.collect(), &places, settings, seats)?;
    for (level, shares) in limits.levels().iter().zip(shares) {
        if level.shares != shares {
            let level = level_mut(&mut objects.levels, &level.name)?;
            let limited = level.spec.limited.get_or_insert_default();
            limited.nominal_concurrency_shares = Some(i32::try_from(shares).ok()?);
        }
    }
    fits(&objects, settings, seats, release).then_some(objects)
}

/// The shares of all levels with which the settings, whose levels are at `places`, have their seats.
fn shares_of(
    mut shares: Vec<i64>,
    places: &[usize],
    settings: &[Setting],
    seats: u32,
) -> Option<Vec<i64>> {
    for _ in 0..PASSES {
        let before = shares.clone();
        let all: i64 = before.iter().sum();
        for (setting, place) in settings.iter().zip(places) {
            let others = all - before[*place];
            shares[*place] = match (setting.at_least, setting.at_most) {
                (Some(least), _) => shares_for_at_least(least, seats, others)?.max(before[*place]),
                (None, Some(most)) => shares_for_at_most(most, seats, others),
                (None, None) => continue,
            };
        }
        if shares == before {
            return Some(shares);
        }
    }
    None
}

/// Whether every level has the seats of its setting.
fn fits(objects: &Objects, settings: &[Setting], seats: u32, release: Release) -> bool {
    let limits = ServerLimits::new(&objects.levels, seats, release);
    settings.iter().all(|setting| {
        limits.level(&setting.level).is_some_and(|level| {
            setting.at_least.is_none_or(|least| level.nominal >= least)
                && setting.at_most.is_none_or(|most| level.maximum <= most)
        })
    })
}

fn level_mut<'a>(
    levels: &'a mut [PriorityLevelConfiguration],
    name: &str,
) -> Option<&'a mut PriorityLevelConfiguration> {
    // Of several objects with the same name the last one counts.
    levels.iter_mut().rev().find(|level| level.name() == name)
}

/// The fewest shares with a nominal limit of at least `least`, beside `others`: nominal is the part of all seats, rounded up.
fn shares_for_at_least(least: i64, seats: u32, others: i64) -> Option<i64> {
    let seats = i64::from(seats);
    if least > seats {
        return None;
    }
    // seats × shares / (others + shares) > least - 1
    let shares = (least - 1).checked_mul(others)? / (seats - least + 1) + 1;
    (shares <= i64::from(i32::MAX)).then_some(shares)
}

/// The most shares with a nominal limit of at most `most`, at least 1.
fn shares_for_at_most(most: i64, seats: u32, others: i64) -> i64 {
    let seats = i64::from(seats);
    match seats > most {
        true => (most.saturating_mul(others) / (seats - most)).clamp(1, i64::from(i32::MAX)),
        false => others.max(1),
    }
}
