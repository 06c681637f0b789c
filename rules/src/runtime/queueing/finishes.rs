//! The search for the queue that goes first.

use super::seat_seconds::SeatSeconds;

/// A queue in which nothing waits.
const NONE: u64 = u64::MAX;

/// For each queue the virtual time at which its oldest waiting request would finish, as a tree of minimums: a change and
/// a search take logarithmic time.
#[derive(Clone, Debug, Default)]
pub(super) struct Finishes {
    /// The root has the index 1, the children of `n` have `2n` and `2n + 1`, and the queues are the last `width` nodes.
    nodes: Vec<u64>,
    width: usize,
}

impl Finishes {
    /// Builds the tree of all queues.
    pub(super) fn new(finishes: impl ExactSizeIterator<Item = Option<SeatSeconds>>) -> Self {
        let width = finishes.len().next_power_of_two();
        let mut nodes = vec![NONE; 2 * width];
        for (leaf, finish) in nodes[width..].iter_mut().zip(finishes) {
            *leaf = value(finish);
        }
        for node in (1..width).rev() {
            nodes[node] = nodes[2 * node].min(nodes[2 * node + 1]);
        }
        Self { nodes, width }
    }

    /// Changes the time of a queue; none if nothing waits in it.
    pub(super) fn set(&mut self, queue: usize, finish: Option<SeatSeconds>) {
        let mut node = self.width + queue;
        let mut minimum = value(finish);
        while self.nodes[node] != minimum {
            self.nodes[node] = minimum;
            if node == 1 {
                break;
            }
            minimum = minimum.min(self.nodes[node ^ 1]);
            node /= 2;
        }
    }

    /// The queue with the earliest time. Of several, the first one from `first` on, or else the first one of all.
    pub(super) fn earliest(&self, first: usize) -> Option<usize> {
        let earliest = self.nodes.get(1).copied().filter(|root| *root != NONE)?;
        self.find(earliest, first)
            .or_else(|| self.find(earliest, 0))
    }

    /// The first queue from `first` on whose time is the minimum of all.
    fn find(&self, minimum: u64, first: usize) -> Option<usize> {
        if first >= self.width {
            return None;
        }
        let mut node = self.width + first;
        // Up, until a subtree at or to the right of the start has the minimum.
        while self.nodes[node] != minimum {
            while node & 1 == 1 {
                node /= 2;
            }
            if node == 0 {
                return None;
            }
            node += 1;
        }
        // Down to its first leaf with the minimum.
        while node < self.width {
            node *= 2;
            if self.nodes[node] != minimum {
                node += 1;
            }
        }
        Some(node - self.width)
    }
}

fn value(finish: Option<SeatSeconds>) -> u64 {
    finish.map_or(NONE, |finish| finish.0.min(NONE - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_starts_anywhere_and_goes_around() {
        for count in 0..20 {
            let mut finishes = Finishes::new((0..count).map(|_| None));
            assert_eq!(finishes.earliest(0), None);
            let mut expected = vec![None; count];
            for step in 0..200_usize {
                let queue = (step * 7 + step / 5) % count.max(1);
                if count > 0 {
                    let finish = (step % 3 > 0).then_some(SeatSeconds((step * 5 % 4) as u64));
                    expected[queue] = finish;
                    finishes.set(queue, finish);
                }
                let first = step % (count + 2);
                let order = (first..count).chain(0..first.min(count));
                let found = order
                    .filter(|queue| expected[*queue].is_some())
                    .min_by_key(|queue| expected[*queue]);
                assert_eq!(finishes.earliest(first), found, "{expected:?} from {first}");
            }
        }
    }
}
