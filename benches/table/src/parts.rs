//! The parts of the tables.

use crate::programs::Programs;
use crate::{Outcome, builds, comparison, growth};

/// The rows of all tables.
const ROWS: &str = include_str!("rows.txt");

/// A table of `README.md`.
pub(crate) struct Part {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) rounds: usize,
}

impl Part {
    /// The figures that are shown of all runs.
    pub(crate) fn runs(&self) -> String {
        match (self.name, self.rounds) {
            ("growth", rounds) => format!(
                "the fastest of {rounds} runs, and of up to {} for a row above the limit",
                rounds + growth::MORE_ROUNDS
            ),
            (_, 1) => "one run each".to_owned(),
            (_, rounds) => format!("medians of {rounds} runs in turns"),
        }
    }

    pub(crate) fn table(&self, programs: &mut Programs) -> Outcome<String> {
        let rows = rows(self.name);
        match self.name {
            "builds" => builds::table(programs),
            "growth" => growth::table(&rows, self.rounds, programs),
            _ => comparison::table(&rows, self.rounds, programs),
        }
    }
}

/// The fields of the rows of a part.
fn rows(part: &str) -> Vec<Vec<&'static str>> {
    let title = format!("[{part}]");
    let lines = ROWS.lines().skip_while(|line| *line != title).skip(1);
    let lines = lines.take_while(|line| !line.is_empty());
    lines
        .map(|line| line.split('|').map(str::trim).collect())
        .collect()
}

/// The cold builds are last, as they take the time that is left.
pub(crate) const PARTS: &[Part] = &[
    Part {
        name: "decode",
        about: "decoding and encoding of lists, directly and by serde_json",
        rounds: 5,
    },
    Part {
        name: "mimalloc",
        about: "the same and more with another allocator, on both sides",
        rounds: 5,
    },
    Part {
        name: "allocations",
        about: "allocations and bytes of each object and event",
        rounds: 1,
    },
    Part {
        name: "watch",
        about: "CPU time of each event, by HTTP/1.1 and HTTP/2",
        rounds: 3,
    },
    Part {
        name: "store",
        about: "stores of 100,000 objects",
        rounds: 3,
    },
    Part {
        name: "server",
        about: "the embedded server",
        rounds: 3,
    },
    Part {
        name: "rules",
        about: "classification, queues, simulation, validation, audit logs, the generator and migration",
        rounds: 1,
    },
    Part {
        name: "growth",
        about: "CPU time and memory for n, 2n and 4n objects, events and watches",
        rounds: 2,
    },
    Part {
        name: "builds",
        about: "cold release builds of minimal programs",
        rounds: 1,
    },
];
