//! The key of an object within its kind.

use crate::Resource;
use crate::meta::ObjectMeta;
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;

/// The name of an object, and its namespace if it has one.
///
/// Its text is `name` or `namespace/name`, and its order is that of the text.
///
/// ```
/// use k8s_flowcontrol::watch::ObjectKey;
///
/// let key = ObjectKey::namespaced("team-a", "lease");
/// assert_eq!((key.namespace(), key.name()), (Some("team-a"), "lease"));
/// assert_eq!(ObjectKey::new("exempt").to_string(), "exempt");
/// ```
// One text, so that a map can be searched with a `&str`. Names contain no slash.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey(Box<str>);

impl ObjectKey {
    /// The key of an object without namespace.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into().into_boxed_str())
    }

    /// The key of an object in a namespace.
    pub fn namespaced(namespace: &str, name: &str) -> Self {
        if namespace.is_empty() {
            return Self::new(name);
        }
        Self(format!("{namespace}/{name}").into_boxed_str())
    }

    /// The key of an object.
    pub fn of<K: Resource>(object: &K) -> Self {
        Self::of_metadata(object.metadata())
    }

    /// The key of an object with this metadata.
    pub fn of_metadata(metadata: &ObjectMeta) -> Self {
        let namespace = metadata.namespace.as_deref().unwrap_or_default();
        let name = metadata.name.as_deref().unwrap_or_default();
        Self::namespaced(namespace, name)
    }

    /// The object's name.
    pub fn name(&self) -> &str {
        self.parts().1
    }

    /// The object's namespace.
    pub fn namespace(&self) -> Option<&str> {
        self.parts().0
    }

    /// The text: `name` or `namespace/name`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn parts(&self) -> (Option<&str>, &str) {
        match self.0.split_once('/') {
            Some((namespace, name)) => (Some(namespace), name),
            None => (None, &self.0),
        }
    }
}

/// Compares the keys of two objects without making them.
pub(super) fn compare_keys<K: Resource>(a: &K, b: &K) -> Ordering {
    let in_a = a.metadata().namespace.as_deref().unwrap_or_default();
    let in_b = b.metadata().namespace.as_deref().unwrap_or_default();
    if in_a == in_b {
        return a.name().cmp(b.name());
    }
    text(in_a, a.name()).cmp(text(in_b, b.name()))
}

/// The bytes of a key's text.
fn text<'a>(namespace: &'a str, name: &'a str) -> impl Iterator<Item = u8> + 'a {
    let slash = if namespace.is_empty() { "" } else { "/" };
    namespace.bytes().chain(slash.bytes()).chain(name.bytes())
}

/// Borrows the [text](Self::as_str).
impl Borrow<str> for ObjectKey {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}
