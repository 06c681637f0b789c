//! The set of queues in which requests wait.

/// A set of indexes of queues, as bits.
#[derive(Clone, Debug, Default)]
pub(super) struct Occupied {
    words: Vec<u64>,
}

impl Occupied {
    pub(super) fn insert(&mut self, index: usize) {
        let word = index / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (index % 64);
    }

    pub(super) fn remove(&mut self, index: usize) {
        if let Some(word) = self.words.get_mut(index / 64) {
            *word &= !(1 << (index % 64));
        }
    }

    /// The indexes from `first` on, followed by those before it, each part in ascending order.
    pub(super) fn from(&self, first: usize) -> impl Iterator<Item = usize> {
        let (word, mask) = (first / 64, u64::MAX << (first % 64));
        let part = |index: usize, mask: u64| {
            let bits = self.words.get(index).map_or(0, |word| word & mask);
            Bits { index, bits }
        };
        let rest = (word + 1).min(self.words.len())..self.words.len();
        std::iter::once(part(word, mask))
            .chain(rest.map(move |index| part(index, u64::MAX)))
            .chain((0..word).map(move |index| part(index, u64::MAX)))
            .chain(std::iter::once(part(word, !mask)))
            .flatten()
    }
}

/// The bits that are set in one word.
struct Bits {
    index: usize,
    bits: u64,
}

impl Iterator for Bits {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.bits == 0 {
            return None;
        }
        let bit = self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(self.index * 64 + bit)
    }
}

#[cfg(test)]
mod tests {
    use super::Occupied;

    #[test]
    fn indexes_start_anywhere() {
        let mut occupied = Occupied::default();
        for index in [0, 5, 63, 64, 200] {
            occupied.insert(index);
        }
        occupied.remove(5);
        occupied.remove(500);
        let from = |first| occupied.from(first).collect::<Vec<_>>();
        assert_eq!(from(0), [0, 63, 64, 200]);
        assert_eq!(from(63), [63, 64, 200, 0]);
        assert_eq!(from(65), [200, 0, 63, 64]);
        assert_eq!(from(201), [0, 63, 64, 200]);
        assert_eq!(from(999), [0, 63, 64, 200]);
    }
}
