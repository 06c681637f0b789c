//! The latency of a shape of requests without congestion.

/// The samples of a block.
const BLOCK: usize = 6;
/// A single block raises the floor by at most this factor.
const LARGEST_RISE: f64 = 1.1;

/// The lowest mean of a block of samples, in seconds. Blocks of a slowdown raise it too, to follow a server that becomes slower.
///
/// A mean is compared with means, so that requests of different duration by nature do not look like congestion.
#[derive(Debug)]
pub(crate) struct Floor {
    seconds: f64,
    block: Vec<f64>,
    is_slowed: bool,
    /// Whether a block is complete.
    is_settled: bool,
}

impl Floor {
    pub(crate) fn new(first: f64) -> Self {
        Self {
            seconds: first,
            block: vec![first],
            is_slowed: false,
            is_settled: false,
        }
    }

    /// Adds a latency, which may belong to a slowdown.
    pub(crate) fn add(&mut self, seconds: f64, is_slowed: bool) {
        if is_slowed && !self.is_slowed {
            self.block.clear();
        }
        self.is_slowed = is_slowed;
        self.block.push(seconds);
        if !self.is_settled {
            self.seconds = self.seconds.min(seconds);
        }
        if self.block.len() < BLOCK {
            return;
        }
        let mean = mean(&self.block);
        self.block.clear();
        self.seconds = match (self.is_settled, is_slowed) {
            (false, _) => mean,
            (true, true) => mean.min(self.seconds * LARGEST_RISE),
            (true, false) => mean.min(self.seconds),
        };
        self.is_settled = true;
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.seconds
    }
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
