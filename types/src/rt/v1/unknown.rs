//! Fields that a type does not know.

use super::defaults::{Defaults, Spelling, TypeMetaAbsence};
use crate::json::RawJson;
use crate::order;
use std::fmt;
use std::hash::{Hash, Hasher};

/// The fields of a JSON object that its type does not know, kept unchanged and written back.
///
/// A newer server may send fields that the type lacks; they survive reading, changing and writing an object. The value also
/// remembers which known fields were `[]`, `{}` or, if they are nullable, `null` in the text, and which required fields were
/// absent, so that writing repeats them while they keep their default. A value without fields and memory takes 8 bytes.
///
/// ```
/// use k8s_flowcontrol_types::api::v1::QueuingConfiguration;
///
/// let text = r#"{"queues":64,"fromTheFuture":{"b":1.50,"a":null}}"#;
/// let queuing: QueuingConfiguration = serde_json::from_str(text)?;
/// assert_eq!(queuing.unknown.get("fromTheFuture").unwrap().as_str(), r#"{"b":1.50,"a":null}"#);
/// assert_eq!(serde_json::to_string(&queuing)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Unknown(Option<Box<Inner>>);

#[derive(Clone, Default)]
struct Inner {
    fields: Vec<(Box<str>, RawJson)>,
    /// How the text spelled fields that have their default.
    defaults: Defaults,
    absent_meta: TypeMetaAbsence,
    /// The texts of fields whose values are not written again as they were read, by their places in the table: lists with
    /// a `null` among elements that cannot be `null`, and numbers with another spelling than their own.
    kept: Vec<(usize, Kept)>,
    /// The object is written without required fields that have their default, at every depth.
    partial: bool,
    /// The bits of the fields that are written anyway.
    always: u128,
}

/// The text of a field whose value would be written differently.
#[derive(Clone)]
pub(crate) struct Kept {
    pub(crate) text: RawJson,
    /// The text as which the value that was read is written.
    pub(crate) own: String,
}

impl Unknown {
    /// Whether the type knows every field of the object.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of unknown fields.
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |inner| inner.fields.len())
    }

    /// The fields in the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawJson)> {
        self.0
            .iter()
            .flat_map(|inner| &inner.fields)
            .map(|(name, value)| (&**name, value))
    }

    /// The value of the field `name`; the last one if the text repeats it.
    pub fn get(&self, name: &str) -> Option<&RawJson> {
        let inner = self.0.as_ref()?;
        inner
            .fields
            .iter()
            .rev()
            .find(|(n, _)| **n == *name)
            .map(|(_, value)| value)
    }

    /// Sets the field `name`.
    ///
    /// For a field that the type knows, set the struct's field instead: otherwise the JSON object would contain it twice.
    pub fn insert(&mut self, name: &str, value: RawJson) {
        self.remove(name);
        self.push(name.into(), value);
    }

    /// Removes the field `name` and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<RawJson> {
        let inner = self.0.as_mut()?;
        let removed = inner.fields.extract_if(.., |(n, _)| **n == *name).last();
        let value = removed.map(|(_, value)| value);
        let remembers = !inner.defaults.is_empty()
            || !inner.kept.is_empty()
            || inner.absent_meta != TypeMetaAbsence::default()
            || inner.always != 0;
        if inner.fields.is_empty() && !remembers && !inner.partial {
            self.0 = None;
        }
        value
    }

    /// Removes all fields, and the memory of absent required fields and type meta and of explicit `null`, `[]` and `{}`.
    pub fn clear(&mut self) {
        self.0 = None;
    }

    fn sorted(&self) -> Vec<(&str, &RawJson)> {
        let mut fields: Vec<_> = self.iter().collect();
        order::sort_by(&mut fields, |left, right| left.0.cmp(right.0));
        fields
    }

    pub(crate) fn push(&mut self, name: Box<str>, value: RawJson) {
        self.0.get_or_insert_default().fields.push((name, value));
    }

    pub(crate) fn fit(&mut self) {
        if let Some(inner) = &mut self.0 {
            inner.fields.shrink_to_fit();
        }
    }

    pub(crate) fn set_defaults(&mut self, defaults: Defaults) {
        self.0.get_or_insert_default().defaults = defaults;
    }

    pub(crate) fn set_absent_meta(&mut self, absent: TypeMetaAbsence) {
        self.0.get_or_insert_default().absent_meta = absent;
    }

    pub(crate) fn absent_meta(&self) -> TypeMetaAbsence {
        self.0
            .as_ref()
            .map_or_else(TypeMetaAbsence::default, |inner| inner.absent_meta)
    }

    pub(crate) fn keep(&mut self, index: usize, kept: Kept) {
        self.0.get_or_insert_default().kept.push((index, kept));
    }

    /// The text of the field at `index`, if it was kept.
    pub(crate) fn kept(&self, index: usize) -> Option<&Kept> {
        let mut kept = self.0.as_ref()?.kept.iter();
        kept.find(|(at, _)| *at == index).map(|(_, kept)| kept)
    }

    pub(crate) fn set_partial(&mut self) {
        self.0.get_or_insert_default().partial = true;
    }

    pub(crate) fn is_partial(&self) -> bool {
        self.0.as_ref().is_some_and(|inner| inner.partial)
    }

    /// Writes the field at `index` also while it has its default.
    pub(crate) fn write_always(&mut self, index: usize) {
        self.0.get_or_insert_default().always |= 1 << index;
    }

    pub(crate) fn is_always_written(&self, index: usize) -> bool {
        self.always() & (1 << index) != 0
    }

    /// Whether a field is written although it has its default.
    pub(crate) fn sends_defaults(&self) -> bool {
        self.always() != 0
    }

    fn always(&self) -> u128 {
        self.0.as_ref().map_or(0, |inner| inner.always)
    }

    /// Whether there may be spellings.
    pub(crate) fn remembers(&self) -> bool {
        self.0.is_some()
    }

    /// The spelling of the field at `index` in the text, if the field had its default there.
    pub(crate) fn default_of(&self, index: usize) -> Option<Spelling> {
        self.0.as_ref()?.defaults.of(index)
    }
}

/// Compares names and values in any order, and which fields of a partial object are sent. Ignores how the text spelled fields
/// that have their default.
impl PartialEq for Unknown {
    fn eq(&self, other: &Self) -> bool {
        self.is_partial() == other.is_partial()
            && self.always() == other.always()
            && self.len() == other.len()
            && (self.is_empty() || self.sorted() == other.sorted())
    }
}

impl Eq for Unknown {}

impl Hash for Unknown {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.sorted().hash(state);
    }
}

impl fmt::Debug for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
