//! The dump of queues. Its rows are copied while no request arrives or ends, and become text afterwards: there can be many.

use super::{Tables, tab_writer};
use k8s_flowcontrol_rules::queueing::SeatSeconds;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most queues that a dump lists.
const MAX_QUEUES: usize = 100_000;

const TITLES: [&str; 9] = [
    "PriorityLevelName",
    "Index",
    "PendingRequests",
    "ExecutingRequests",
    "SeatsInUse",
    "NextDispatchR",
    "InitialSeatsSum",
    "MaxSeatsSum",
    "TotalWorkSum",
];

#[derive(Default)]
pub(super) struct Queues {
    rows: Vec<Row>,
    left_out: usize,
}

enum Row {
    Level(Vec<String>),
    Queue(Queue),
}

struct Queue {
    level: Arc<str>,
    index: u32,
    waiting: u32,
    executing: usize,
    seats_in_use: u64,
    next_dispatch_r: SeatSeconds,
    initial_seats_waiting: u64,
    seats_waiting: u64,
    waiting_work: SeatSeconds,
}

impl Queues {
    pub(super) fn of(tables: &Tables<'_>) -> Self {
        let mut queues = Self::default();
        for (level, queuing) in &tables.levels {
            let untold = tables.untold(level, TITLES.len());
            queues.rows.extend(untold.map(Row::Level));
            if tables.queue_set(level).is_some() {
                queues.add_throttled(tables, level);
            } else if let Some(queuing) = queuing {
                queues.add_unthrottled(tables, level, queuing.queues.unwrap_or_default());
            }
        }
        queues
    }

    /// How many of `count` queues the dump lists; the others are left out.
    fn shown(&mut self, count: usize) -> u32 {
        let shown = count.min(MAX_QUEUES.saturating_sub(self.rows.len()));
        self.left_out += count - shown;
        u32::try_from(shown).unwrap_or(u32::MAX)
    }

    fn add_throttled(&mut self, tables: &Tables<'_>, level: &str) {
        let Some(queues) = tables.queue_set(level) else {
            return;
        };
        let level: Arc<str> = level.into();
        let states = (0..self.shown(queues.queue_count()))
            .filter_map(|index| Some((index, queues.queue_state(index)?)));
        self.rows.extend(states.map(|(index, queue)| {
            Row::Queue(Queue {
                level: level.clone(),
                index,
                waiting: queue.waiting,
                executing: queue.executing as usize,
                seats_in_use: queue.seats_in_use,
                next_dispatch_r: queue.next_dispatch_r,
                initial_seats_waiting: queue.initial_seats_waiting,
                seats_waiting: queue.seats_waiting,
                waiting_work: queue.waiting_work,
            })
        }));
    }

    /// Adds the queues of a level in which no request waits, because the server does not throttle.
    fn add_unthrottled(&mut self, tables: &Tables<'_>, level: &str, count: i32) {
        let mut used: BTreeMap<i64, usize> = BTreeMap::new();
        for request in tables.requests_of(level) {
            *used.entry(tables.queue(request)).or_default() += 1;
        }
        let level: Arc<str> = level.into();
        let shown = self.shown(usize::try_from(count).unwrap_or(0));
        self.rows.extend((0..shown).map(|index| {
            let executing = used.get(&index.into()).copied().unwrap_or(0);
            Row::Queue(Queue {
                level: level.clone(),
                index,
                waiting: 0,
                executing,
                seats_in_use: executing as u64,
                next_dispatch_r: SeatSeconds::default(),
                initial_seats_waiting: 0,
                seats_waiting: 0,
                waiting_work: SeatSeconds::default(),
            })
        }));
    }

    pub(super) fn text(&self) -> String {
        let mut text = tab_writer::write(&TITLES, &self.rows, Row::cells);
        if self.left_out > 0 {
            text.push_str(&format!(
                "{} more queues are left out: this server lists {MAX_QUEUES}.\n",
                self.left_out
            ));
        }
        text
    }
}

impl Row {
    fn cells(&self) -> Vec<String> {
        match self {
            Self::Level(cells) => cells.clone(),
            Self::Queue(queue) => vec![
                queue.level.to_string(),
                queue.index.to_string(),
                queue.waiting.to_string(),
                queue.executing.to_string(),
                queue.seats_in_use.to_string(),
                queue.next_dispatch_r.to_string(),
                queue.initial_seats_waiting.to_string(),
                queue.seats_waiting.to_string(),
                queue.waiting_work.to_string(),
            ],
        }
    }
}
