//! The warnings of this crate.

use std::cell::RefCell;
use std::fmt::{Debug, Write};
use std::sync::Once;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// The warnings about configurations and leases in this thread.
///
/// One subscriber serves all tests, because `tracing` remembers for all threads which events are of interest.
pub(crate) struct Notices;

thread_local! {
    static REPORTED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

impl Notices {
    pub(crate) fn collect() -> Self {
        static INSTALLED: Once = Once::new();
        INSTALLED.call_once(|| tracing::subscriber::set_global_default(Self).unwrap());
        Self
    }

    pub(crate) fn take(&self) -> Vec<String> {
        REPORTED.take()
    }
}

struct Message<'a>(&'a mut String);

impl Visit for Message<'_> {
    fn record_debug(&mut self, _: &Field, value: &dyn Debug) {
        write!(self.0, "{value:?}").unwrap();
    }
}

impl Subscriber for Notices {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let targets = ["k8s_flowcontrol::config", "k8s_flowcontrol::controller"];
        let is_wanted = |target: &str| metadata.target().starts_with(target);
        targets.into_iter().any(is_wanted) && *metadata.level() == Level::WARN
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = String::new();
        event.record(&mut Message(&mut text));
        REPORTED.with_borrow_mut(|reported| reported.push(text));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
