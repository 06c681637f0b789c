//! Which priority levels a server works with.

use crate::api::v1::{LimitResponseType, PriorityLevelConfiguration, PriorityLevelType};
use crate::{Release, Resource, bootstrap};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The name of the mandatory level and of the mandatory schema for requests that are never held back.
pub(super) const EXEMPT: &str = "exempt";
/// The name of the mandatory level and of the mandatory schema for requests that nothing else takes.
pub(super) const CATCH_ALL: &str = "catch-all";

/// The shares of a limited level that names none.
pub(super) const DEFAULT_SHARES: i32 = 30;
/// The queues of a queuing level that names no number.
pub(super) const DEFAULT_QUEUES: i32 = 64;
/// The hand size of a queuing level that names none.
pub(super) const DEFAULT_HAND_SIZE: i32 = 8;

/// A priority level that a server works with.
pub(super) struct LevelInUse<'a> {
    pub(super) object: Cow<'a, PriorityLevelConfiguration>,
    /// Whether the level is mandatory, missing and so taken at its built-in values.
    pub(super) imagined: bool,
}

/// The levels that a server of `release` works with, by name.
///
/// A level whose parts contradict each other is left out, as if it were not there. Missing mandatory
/// levels are imagined. Of several levels with one name the last counts.
pub(super) fn in_use(
    levels: &[PriorityLevelConfiguration],
    release: Release,
) -> BTreeMap<Cow<'_, str>, LevelInUse<'_>> {
    let mut in_use: BTreeMap<_, _> = levels
        .iter()
        .filter(|level| is_usable(level, release))
        .map(|level| {
            let object = Cow::Borrowed(level);
            (
                Cow::Borrowed(level.name()),
                LevelInUse {
                    object,
                    imagined: false,
                },
            )
        })
        .collect();
    for level in mandatory::<PriorityLevelConfiguration>(release) {
        in_use
            .entry(Cow::Owned(level.name().to_owned()))
            .or_insert(LevelInUse {
                object: Cow::Owned(level),
                imagined: true,
            });
    }
    in_use
}

/// The built-in mandatory objects of a kind.
pub(super) fn mandatory<K: Resource>(release: Release) -> impl Iterator<Item = K> {
    built_in(release).filter_map(|(mandatory, object)| mandatory.then_some(object))
}

/// The built-in objects of a kind, and whether each is mandatory.
pub(super) fn built_in<K: Resource>(release: Release) -> impl Iterator<Item = (bool, K)> {
    bootstrap::objects(release)
        .into_iter()
        .filter(|object| object.kind == K::KIND)
        .filter_map(
            // The built-in trees are written in v1 and fit its types.
            |object| {
                Some((
                    object.mandatory,
                    serde_json::from_value(object.tree()).ok()?,
                ))
            },
        )
}

/// Whether the parts of a level fit together, so that a server does not ignore it.
fn is_usable(level: &PriorityLevelConfiguration, release: Release) -> bool {
    let spec = &level.spec;
    // Older releases do not know the stanza.
    let knows_exempt = release.minor() >= 28;
    match &spec.r#type {
        PriorityLevelType::Exempt => {
            spec.limited.is_none() && (spec.exempt.is_some() || !knows_exempt)
        }
        PriorityLevelType::Limited => spec.limited.as_ref().is_some_and(|limited| {
            let response = &limited.limit_response;
            (spec.exempt.is_none() || !knows_exempt)
                && (response.r#type == LimitResponseType::Queue) == response.queuing.is_some()
        }),
        _ => false,
    }
}

/// The number of queues and the hand size of a level, when it queues.
pub(super) fn queuing(level: &PriorityLevelConfiguration) -> Option<(i32, i32)> {
    let limited = level.spec.limited.as_ref()?;
    if limited.limit_response.r#type != LimitResponseType::Queue {
        return None;
    }
    let queuing = limited.limit_response.queuing.as_ref()?;
    // A server reads 0 as absent.
    let or = |value: Option<i32>, default| value.filter(|value| *value != 0).unwrap_or(default);
    Some((
        or(queuing.queues, DEFAULT_QUEUES),
        or(queuing.hand_size, DEFAULT_HAND_SIZE),
    ))
}
