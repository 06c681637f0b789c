//! The objects that a server uses: the given objects with defaults, and missing mandatory objects.

use crate::bootstrap;
use crate::defaults::Defaulted;
use k8s_flowcontrol_types::api::v1::{
    LimitResponseType, PriorityLevelConfiguration, PriorityLevelType,
};
use k8s_flowcontrol_types::{Fact, Release, Resource, order};

/// The name of the mandatory level and schema for requests without limits.
pub const EXEMPT: &str = "exempt";
/// The name of the mandatory level and schema for requests that match no other schema.
pub const CATCH_ALL: &str = "catch-all";

/// The objects sorted by name, with the server's defaults. Of several objects with the same name the last one counts.
pub fn by_name<'a, K: Resource + Defaulted>(
    objects: impl IntoIterator<Item = &'a K>,
    release: Release,
) -> Vec<K> {
    let mut sorted: Vec<&K> = objects.into_iter().collect();
    sorted.reverse();
    order::sort_by(&mut sorted, |left, right| left.name().cmp(right.name()));
    sorted.dedup_by(|later, kept| later.name() == kept.name());
    sorted
        .into_iter()
        .map(|object| defaulted(object, release))
        .collect()
}

/// Copies an object with the server's defaults and without managed fields.
fn defaulted<K: Resource + Defaulted>(object: &K, release: Release) -> K {
    let mut copy = object.clone();
    copy.metadata_mut().managed_fields.clear();
    copy.defaulted(release)
}

/// A priority level that a server uses.
#[derive(Clone, Debug)]
pub struct LevelInUse {
    /// With defaults.
    pub object: PriorityLevelConfiguration,
    /// Whether the level is mandatory but missing, so that the server uses its built-in value.
    pub built_in_fallback: bool,
}

impl LevelInUse {
    /// The name of the level.
    pub fn name(&self) -> &str {
        self.object.name()
    }
}

/// The levels that a server of `release` uses, sorted by name.
///
/// Inconsistent levels are skipped, as a server ignores them. Missing mandatory levels are added.
pub fn levels_in_use<'a>(
    levels: impl IntoIterator<Item = &'a PriorityLevelConfiguration>,
    release: Release,
) -> Vec<LevelInUse> {
    let mut in_use = Vec::new();
    for object in by_name(levels, release) {
        if is_usable(&object, release) {
            let built_in_fallback = false;
            in_use.push(LevelInUse {
                object,
                built_in_fallback,
            });
        }
    }
    let has = |name| in_use.iter().any(|level| level.name() == name);
    if has(EXEMPT) && has(CATCH_ALL) {
        return in_use;
    }
    for object in bootstrap::priority_levels(release) {
        let is_mandatory = bootstrap::is_mandatory(object.name());
        if is_mandatory && in_use.iter().all(|level| level.name() != object.name()) {
            let built_in_fallback = true;
            in_use.push(LevelInUse {
                object,
                built_in_fallback,
            });
        }
    }
    order::sort_by(&mut in_use, |left, right| left.name().cmp(right.name()));
    in_use
}

/// Finds the level `name` in levels sorted by name.
pub fn level_named<'a>(levels: &'a [LevelInUse], name: &str) -> Option<&'a LevelInUse> {
    let index = levels.binary_search_by(|level| level.name().cmp(name));
    index.ok().and_then(|index| levels.get(index))
}

/// Whether a server uses the level: its type fits its name, and its `limited` and `exempt` fields.
fn is_usable(level: &PriorityLevelConfiguration, release: Release) -> bool {
    let spec = &level.spec;
    if (spec.r#type == PriorityLevelType::Exempt) != (level.name() == EXEMPT) {
        return false;
    }
    // Older releases do not have the field `exempt`.
    let knows_exempt = release.has(Fact::ExemptField);
    match &spec.r#type {
        PriorityLevelType::Exempt => {
            spec.limited.is_none() && (spec.exempt.is_some() || !knows_exempt)
        }
        PriorityLevelType::Limited => spec.limited.as_ref().is_some_and(|limited| {
            let response = &limited.limit_response;
            (spec.exempt.is_none() || !knows_exempt)
                && match response.r#type {
                    LimitResponseType::Queue => response.queuing.is_some(),
                    LimitResponseType::Reject => response.queuing.is_none(),
                    _ => false,
                }
        }),
        _ => false,
    }
}

/// The number of queues and the hand size of a level with defaults; `None` if it does not queue.
pub fn queuing(level: &PriorityLevelConfiguration) -> Option<(i32, i32)> {
    let response = &level.spec.limited.as_ref()?.limit_response;
    let queuing = response
        .queuing
        .as_ref()
        .filter(|_| response.r#type == LimitResponseType::Queue)?;
    Some((queuing.queues?, queuing.hand_size?))
}
