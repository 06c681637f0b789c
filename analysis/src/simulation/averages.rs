//! How long requests execute whose execution the log does not have.

use super::logged::Class;
use std::collections::HashMap;
use std::time::Duration;

/// The execution time of a request if the logs have no such time of any request.
const UNKNOWN: Duration = Duration::from_millis(10);

/// Sums of the execution times of a log, by class.
#[derive(Clone, Debug, Default)]
pub(super) struct Executed(Vec<Sum>);

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    time: Duration,
    count: u32,
}

impl Sum {
    fn add(&mut self, other: Self) {
        self.time = self.time.saturating_add(other.time);
        self.count = self.count.saturating_add(other.count);
    }

    fn average(self) -> Option<Duration> {
        self.time.checked_div(self.count)
    }
}

impl Executed {
    pub(super) fn add(&mut self, class: u32, time: Duration) {
        let class = class as usize;
        if class >= self.0.len() {
            self.0.resize(class + 1, Sum::default());
        }
        self.0[class].add(Sum { time, count: 1 });
    }

    /// The average of each class; for a class without executions that of its kind, and else that of all requests.
    pub(super) fn averages(&self, classes: &[Class]) -> Vec<Duration> {
        let mut kinds = HashMap::<u32, Sum>::new();
        let mut all = Sum::default();
        for (class, sum) in classes.iter().zip(&self.0) {
            kinds.entry(class.kind).or_default().add(*sum);
            all.add(*sum);
        }
        let all = all.average().unwrap_or(UNKNOWN);
        let classes = classes.iter().enumerate();
        classes
            .map(|(index, class)| {
                let own = self.0.get(index).copied().unwrap_or_default();
                let kind = kinds.get(&class.kind).copied().unwrap_or_default();
                own.average().or(kind.average()).unwrap_or(all)
            })
            .collect()
    }
}
