//! A page of a list, whose items are reported one by one.

use crate::convert::Loss;
use crate::meta::ListMeta;
use crate::response::decode::Response;
use crate::{InvalidObject, List, Resource};
use std::collections::HashMap;

pub(super) struct Page<K> {
    items: std::iter::Enumerate<std::vec::IntoIter<K>>,
    invalid: std::vec::IntoIter<InvalidObject>,
    /// By the index of the item.
    losses: HashMap<usize, Vec<Loss>>,
    pub(super) is_last: bool,
}

impl<K: Resource> Page<K> {
    pub(super) fn new(response: Response<List<K>>) -> (Self, ListMeta) {
        let mut losses: HashMap<usize, Vec<Loss>> = HashMap::new();
        for (index, loss) in response.losses().iter().filter_map(Loss::split_item) {
            losses.entry(index).or_default().push(loss);
        }
        let list = response.into_inner();
        let page = Self {
            items: list.items.into_iter().enumerate(),
            invalid: list.invalid.into_iter(),
            losses,
            is_last: false,
        };
        (page, list.metadata)
    }

    /// The number of its items.
    pub(super) fn len(&self) -> usize {
        self.items.len() + self.invalid.len()
    }

    /// The next item that does not fit the type.
    pub(super) fn next_invalid(&mut self) -> Option<InvalidObject> {
        self.invalid.next()
    }

    pub(super) fn next(&mut self) -> Option<(K, Vec<Loss>)> {
        let (index, object) = self.items.next()?;
        let losses = if self.losses.is_empty() {
            Vec::new()
        } else {
            self.losses.remove(&index).unwrap_or_default()
        };
        Some((object, losses))
    }
}
