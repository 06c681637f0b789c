//! Members that a type does not know.

use crate::json::RawJson;
use crate::order;
use std::fmt;

/// The members of a JSON object that its type does not know, kept as they came and written back.
///
/// A newer server may send members that this crate has no field for; they survive reading, changing
/// and writing an object. Takes 8 bytes when there are none.
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
    members: Vec<(Box<str>, RawJson)>,
    /// Required members that the text did not have, so that writing adds nothing.
    absent: u128,
}

impl Unknown {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |inner| inner.members.len())
    }

    /// The members in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawJson)> {
        self.0
            .iter()
            .flat_map(|inner| &inner.members)
            .map(|(name, value)| (&**name, value))
    }

    /// The value of the member named `name`; of several the last one.
    pub fn get(&self, name: &str) -> Option<&RawJson> {
        let inner = self.0.as_ref()?;
        inner
            .members
            .iter()
            .rev()
            .find(|(n, _)| **n == *name)
            .map(|(_, value)| value)
    }

    /// Sets the member named `name`.
    ///
    /// A name that the type does know makes a JSON object with that member twice: set the field instead.
    pub fn insert(&mut self, name: &str, value: RawJson) {
        self.remove(name);
        self.push(name.into(), value);
    }

    /// Removes the member named `name` and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<RawJson> {
        let inner = self.0.as_mut()?;
        let value = inner
            .members
            .iter()
            .rev()
            .find(|(n, _)| **n == *name)
            .map(|(_, v)| v.clone());
        inner.members.retain(|(n, _)| **n != *name);
        if inner.members.is_empty() && inner.absent == 0 {
            self.0 = None;
        }
        value
    }

    /// Removes all of them.
    pub fn clear(&mut self) {
        self.0 = None;
    }

    pub(crate) fn push(&mut self, name: Box<str>, value: RawJson) {
        self.0.get_or_insert_default().members.push((name, value));
    }

    pub(crate) fn fit(&mut self) {
        if let Some(inner) = &mut self.0 {
            inner.members.shrink_to_fit();
        }
    }

    pub(crate) fn set_absent(&mut self, absent: u128) {
        self.0.get_or_insert_default().absent = absent;
    }

    pub(crate) fn is_absent(&self, index: usize) -> bool {
        self.0
            .as_ref()
            .is_some_and(|inner| inner.absent & (1 << index) != 0)
    }
}

/// By name and value, whatever the order. That a required member was absent when read does not count.
impl PartialEq for Unknown {
    fn eq(&self, other: &Self) -> bool {
        fn sorted(unknown: &Unknown) -> Vec<(&str, &RawJson)> {
            let mut members: Vec<_> = unknown.iter().collect();
            order::sort_by(&mut members, |left, right| left.0.cmp(right.0));
            members
        }
        self.len() == other.len() && (self.is_empty() || sorted(self) == sorted(other))
    }
}

impl fmt::Debug for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
