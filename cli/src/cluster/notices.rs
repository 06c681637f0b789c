//! Warnings of the library about a configuration, such as certificates that it skipped.

use crate::output::warn;
use std::fmt::{Debug, Write};
use std::sync::Once;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Prints the warnings on the standard error from now on.
pub(super) fn print() {
    static INSTALLED: Once = Once::new();
    // It fails if there is another subscriber, which then has the warnings.
    INSTALLED.call_once(|| drop(tracing::subscriber::set_global_default(Notices)));
}

struct Notices;

impl Subscriber for Notices {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "k8s_flowcontrol::config" && *metadata.level() == Level::WARN
    }

    fn event(&self, event: &Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        // If the standard error is closed, warnings are lost.
        let _ = warn(&message.0);
    }

    // The warnings are not spans.

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            // Writing to a string cannot fail.
            let _ = write!(self.0, "{value:?}");
        }
    }
}
