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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_falls_at_once_and_rises_in_slowdowns() {
        let mut floor = Floor::new(0.5);
        let mut add = |seconds: f64, is_slowed| {
            (0..BLOCK).for_each(|_| floor.add(seconds, is_slowed));
            floor.seconds()
        };
        assert!(
            (add(0.2, false) - 0.25).abs() < 1e-9,
            "with the first sample"
        );
        // One sample is left from the first block.
        add(0.2, false);
        assert!((add(0.2, false) - 0.2).abs() < 1e-9);
        assert!((add(1.0, false) - 0.2).abs() < 1e-9, "congestion");
        assert!((add(1.0, true) - 0.22).abs() < 1e-9, "slowly");
        assert!((add(0.21, true) - 0.21).abs() < 1e-9);
        assert!((add(0.1, false) - 0.1).abs() < 1e-9);
    }
}
