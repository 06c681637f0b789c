//! Sorting that is compiled once.

use serde_json::Value;
use std::cmp::Ordering;

/// Sorts as `slice::sort_by` does; equal items stay in their order.
///
/// The standard library's sort is compiled again for every type of item and every comparison, which is
/// most of what a short caller costs. Here it sorts indexes only, with one comparison for all.
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let order = sorted_indexes(items.len(), &|left, right| {
        compare(&items[left], &items[right])
    });
    for (left, right) in swaps(order) {
        items.swap(left, right);
    }
}

/// The JSON object with these fields. Collecting them sorts them first, once for every type of iterator.
pub fn object(fields: &mut dyn Iterator<Item = (String, Value)>) -> Value {
    Value::Object(fields.collect())
}

fn sorted_indexes(length: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut indexes: Vec<usize> = (0..length).collect();
    indexes.sort_by(|&left, &right| compare(left, right));
    indexes
}

/// The swaps, one after the other, that bring to each place the item at the index that stands there.
fn swaps(mut order: Vec<usize>) -> Vec<(usize, usize)> {
    let mut swaps = Vec::new();
    for start in 0..order.len() {
        // The items of a cycle each move to the place of the one before.
        let mut place = start;
        while order[place] != start {
            let from = std::mem::replace(&mut order[place], place);
            swaps.push((place, from));
            place = from;
        }
        order[place] = place;
    }
    swaps
}
