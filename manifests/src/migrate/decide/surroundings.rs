//! The context of an object in its file.

use crate::documents::{Action, Form};
use crate::migrate::read::Text;
use crate::migrate::settings::Settings;
use k8s_flowcontrol_text::Span;

/// The context of an object.
#[derive(Clone, Copy)]
pub(in crate::migrate) struct Surroundings<'a> {
    pub(in crate::migrate) source: &'a Text<'a>,
    pub(in crate::migrate) form: Form,
    pub(in crate::migrate) actions: &'a [Action],
    /// The keys that occur more than once, in order; see [`twice`](super::template::twice).
    pub(in crate::migrate) twice: &'a [Span],
    /// The start of the next document.
    pub(in crate::migrate) end: usize,
    pub(in crate::migrate) settings: Settings,
    /// Whether the template checks the versions of the cluster, so every branch must stay.
    pub(in crate::migrate) asks_cluster: bool,
}
