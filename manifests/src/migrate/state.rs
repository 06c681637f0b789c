//! The state of the migration of a text.

use super::decide::VersionChains;
use super::read::{Kept, Text};
use super::result::{MigratedObject, Migration};
use super::settings::Settings;
use super::verify::DocumentEdits;

pub(super) struct State<'a> {
    pub(super) source: &'a Text<'a>,
    pub(super) settings: Settings,
    /// The number of texts around this one: a text in a string of another text has 1.
    pub(super) depth: usize,
    /// Migrates a text in a string of this text, at a depth.
    pub(super) inner: fn(&Text<'_>, Settings, usize) -> Migration,
    /// The branches of a template that select a version.
    pub(super) chains: VersionChains,
    /// The lines that a comment keeps, and the objects in them.
    pub(super) kept: Kept,
    pub(super) result: Migration,
}

impl State<'_> {
    pub(super) fn add(&mut self, object: MigratedObject, document: &mut DocumentEdits) {
        document.objects.push(self.result.objects.len());
        self.result.objects.push(object);
    }
}
