//! The memory of lists and watches, beside other results of audit logs.

use crate::failure::Failure;
use crate::objects::Objects;
use crate::output::warn;
use k8s_flowcontrol::Release;
use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol::rules::matching::Classifier;
use k8s_flowcontrol_analysis::audit::Event;
use k8s_flowcontrol_analysis::memory::{ASSUMPTION, MemoryEstimate, MemoryTally};
use k8s_flowcontrol_analysis::metrics::StoredObjects;

/// Sums up the lists and watches of audit logs.
pub(crate) struct Memory<'a> {
    classifier: Classifier,
    stored: &'a StoredObjects,
    tally: MemoryTally,
}

impl<'a> Memory<'a> {
    pub(crate) fn new(
        flow_schemas: &[FlowSchema],
        levels: &[PriorityLevelConfiguration],
        release: Release,
        stored: &'a StoredObjects,
    ) -> Self {
        Self {
            classifier: Classifier::new(flow_schemas, levels, release),
            stored,
            tally: MemoryTally::default(),
        }
    }

    pub(crate) fn of(objects: &Objects, release: Release, stored: &'a StoredObjects) -> Self {
        Self::new(&objects.flow_schemas, &objects.levels, release, stored)
    }

    /// Adds a request; `rename` changes the name of its user.
    pub(crate) fn add(&mut self, event: &Event<'_>, rename: impl Fn(&str) -> String) {
        if !MemoryTally::counts(event) {
            return;
        }
        let attributes = event.attributes();
        let stored = self.stored.of(&attributes.api_group, &attributes.resource);
        if let Some(found) = self.classifier.classify(&attributes) {
            let user = rename(&attributes.user.name);
            self.tally.add(event, found.priority_level, &user, stored);
        }
    }

    pub(crate) fn estimate(self) -> MemoryEstimate {
        self.tally.estimate()
    }
}

/// Warns of the priority levels whose lists and watches need much memory.
pub(crate) fn warn_of(memory: &MemoryEstimate) -> Result<(), Failure> {
    let mut large = memory.large().peekable();
    if large.peek().is_none() {
        return Ok(());
    }
    for level in large {
        warn(&format!("{level}: seats do not limit this memory"))?;
    }
    Ok(warn(ASSUMPTION)?)
}
