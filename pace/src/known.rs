//! The remembered levels of shapes.

use std::collections::HashMap;
use std::sync::Arc;

/// The number of shapes that are remembered. The oldest half is forgotten then.
const MOST_SHAPES: usize = 8192;

/// A map of bounded size: at the bound, entries that were not used since the last time are forgotten.
#[derive(Debug)]
pub(crate) struct Known<T> {
    recent: HashMap<Arc<str>, T>,
    older: HashMap<Arc<str>, T>,
}

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self {
            recent: HashMap::new(),
            older: HashMap::new(),
        }
    }
}

impl<T> Known<T> {
    pub(crate) fn get(&self, key: &Arc<str>) -> Option<&T> {
        self.recent.get(key).or_else(|| self.older.get(key))
    }

    pub(crate) fn get_mut(&mut self, key: &Arc<str>) -> Option<&mut T> {
        if !self.recent.contains_key(key)
            && let Some(value) = self.older.remove(key)
        {
            self.insert(key, value);
        }
        self.recent.get_mut(key)
    }

    pub(crate) fn insert(&mut self, key: &Arc<str>, value: T) {
        if self.recent.len() >= MOST_SHAPES / 2 {
            self.older = std::mem::take(&mut self.recent);
        }
        self.recent.insert(key.clone(), value);
    }
}
