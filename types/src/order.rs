//! Sorting that is compiled once.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_of_some_items_is_sorted() {
        for mut number in 0..7_usize.pow(5) {
            let items: Vec<(usize, usize)> = (0..5)
                .map(|index| {
                    let item = number % 7;
                    number /= 7;
                    (item, index)
                })
                .collect();
            let (mut ours, mut theirs) = (items.clone(), items);
            sort_by(&mut ours, |left, right| left.0.cmp(&right.0));
            theirs.sort_by_key(|item| item.0);
            assert_eq!(ours, theirs);
        }
    }
}
