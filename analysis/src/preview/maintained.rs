//! The objects of a cluster after its server has maintained the built-in ones.

use k8s_flowcontrol_rules::bootstrap::{self, AUTO_UPDATE_ANNOTATION};
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol_types::{Release, Resource};

/// The levels of a server of release `of`. The exempt level keeps the shares and the lending that it has.
pub(super) fn maintained_levels(
    levels: &[PriorityLevelConfiguration],
    of: Release,
) -> Vec<PriorityLevelConfiguration> {
    maintained(levels, bootstrap::priority_levels(of), |old, new| {
        let exempt = old.spec.exempt.clone();
        new.spec.exempt = exempt
            .filter(|_| new.spec.exempt.is_some())
            .or_else(|| new.spec.exempt.take());
    })
}

/// The flow schemas of a server of release `of`.
pub(super) fn maintained_schemas(schemas: &[FlowSchema], of: Release) -> Vec<FlowSchema> {
    maintained(schemas, bootstrap::flow_schemas(of), |_, _| {})
}

/// A server resets the built-in objects that nobody has taken over, creates the missing ones, and deletes objects that have the annotation
/// of built-in objects and do not belong to its release.
fn maintained<K: Resource + Clone>(
    objects: &[K],
    built_in: Vec<K>,
    keep: impl Fn(&K, &mut K),
) -> Vec<K> {
    let annotation = |object: &K| {
        let annotations = &object.metadata().annotations;
        annotations.get(AUTO_UPDATE_ANNOTATION).cloned()
    };
    let is_built_in = |object: &K| built_in.iter().any(|new| new.name() == object.name());
    let others = objects.iter().filter(|object| !is_built_in(object));
    let mut after: Vec<K> = others
        .filter(|object| {
            annotation(object)
                .as_deref()
                .and_then(bootstrap::auto_update)
                != Some(true)
        })
        .cloned()
        .collect();
    for new in &built_in {
        let mut new = new.clone();
        let old = objects.iter().rfind(|object| object.name() == new.name());
        if let Some(old) = old {
            let generation = old.metadata().generation;
            if bootstrap::is_updated(old.name(), annotation(old).as_deref(), generation) {
                keep(old, &mut new);
            } else {
                new = old.clone();
            }
        }
        after.push(new);
    }
    after
}
