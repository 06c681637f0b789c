//! The state of the full-screen view: its contents, and the effect of a key. It reads and draws nothing.

use super::flow::Flow;
use super::reading::{Level, Reading, Readings};
use std::cmp::Ordering;
use std::time::Duration;

/// The sums over the API servers at one moment.
#[derive(Clone, Debug, Default)]
pub(super) struct Snapshot {
    /// The number of servers.
    pub(super) servers: usize,
    pub(super) levels: Vec<Level>,
    /// The flows with requests, those with the most requests first.
    pub(super) flows: Vec<Flow>,
    /// Whether the flows of all servers were read, including the servers that the notes name.
    pub(super) has_flows: bool,
    /// The parts that are missing.
    pub(super) notes: Vec<String>,
}

impl Snapshot {
    /// Adds up the readings of all servers.
    pub(super) fn of(readings: &Readings) -> Self {
        let servers = &readings.servers;
        let has_flows = |reading: &Reading| reading.flows.is_some();
        Self {
            servers: servers.len(),
            levels: Reading::sum(servers),
            flows: Reading::flows_of(servers),
            has_flows: readings.notes.is_empty() && servers.iter().all(has_flows),
            notes: readings.missing().collect(),
        }
    }
}

/// The effect of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
    /// Shows the flows of the selected level.
    Open,
    /// Goes back to the levels, or quits there.
    Back,
    /// Sorts by the next column.
    Sort,
    /// Reverses the order.
    Reverse,
    Pause,
    Quit,
    /// Ctrl-C.
    Interrupt,
}

/// What follows from a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Stay,
    Quit,
    Interrupt,
}

/// The column by which levels are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Name,
    InUse,
    Waiting,
    Rejected,
    Borrowed,
}

impl Order {
    /// The orders, as the key for them goes round.
    const ALL: [Self; 5] = [
        Self::InUse,
        Self::Waiting,
        Self::Rejected,
        Self::Borrowed,
        Self::Name,
    ];

    /// The title of the column.
    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Name => "PRIORITYLEVEL",
            Self::InUse => "INUSE",
            Self::Waiting => "WAITING",
            Self::Rejected => "REJECTED/S",
            Self::Borrowed => "BORROWED",
        }
    }

    fn next(self) -> Self {
        let mut orders = Self::ALL.iter().cycle();
        orders.find(|order| **order == self);
        orders.next().copied().unwrap_or(self)
    }

    /// The order of two levels: the largest number first, names from A to Z.
    fn compare(self, left: &Level, right: &Level) -> Ordering {
        let by_number = match self {
            Self::Name => Ordering::Equal,
            Self::InUse => right.seats_in_use.cmp(&left.seats_in_use),
            Self::Waiting => right.waiting.cmp(&left.waiting),
            Self::Rejected => {
                let rate = |level: &Level| level.rejected_per_second.unwrap_or_default();
                rate(right).total_cmp(&rate(left))
            }
            Self::Borrowed => right.borrowed().cmp(&left.borrowed()),
        };
        by_number.then_with(|| left.name.cmp(&right.name))
    }
}

/// The state of the view.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) snapshot: Snapshot,
    /// The last failure to read, since the last success.
    pub(super) lost: Option<String>,
    /// The time since the last successful reading.
    pub(super) age: Duration,
    pub(super) order: Order,
    pub(super) is_reversed: bool,
    pub(super) is_paused: bool,
    /// The name of the selected level.
    selected: Option<String>,
    is_open: bool,
    /// The first flow that is shown in an open level.
    first_flow: usize,
    /// The rows of the list on the screen.
    page: usize,
}

impl View {
    /// The view of a first reading, with the levels with the most seats in use at the top.
    pub(super) fn new(snapshot: Snapshot) -> Self {
        Self {
            snapshot,
            lost: None,
            age: Duration::ZERO,
            order: Order::InUse,
            is_reversed: false,
            is_paused: false,
            selected: None,
            is_open: false,
            first_flow: 0,
            page: 1,
        }
    }

    /// Takes the next reading, or the reason why it is missing. While paused, the numbers stay.
    pub(super) fn receive(&mut self, reading: Result<Snapshot, String>) {
        match reading {
            Ok(snapshot) => {
                self.lost = None;
                self.age = Duration::ZERO;
                if !self.is_paused {
                    self.snapshot = snapshot;
                }
            }
            Err(reason) => self.lost = Some(reason),
        }
    }

    /// Sets the rows of the list on the screen, which a page has.
    pub(super) fn set_page(&mut self, rows: usize) {
        self.page = rows.max(1);
    }

    /// Takes a key.
    pub(super) fn press(&mut self, key: Key) -> Step {
        match key {
            Key::Quit => return Step::Quit,
            Key::Interrupt => return Step::Interrupt,
            Key::Back if !self.is_open => return Step::Quit,
            Key::Back => self.is_open = false,
            Key::Open if !self.is_open => {
                self.selected = self.selected().map(|level| level.name.clone());
                self.is_open = self.selected.is_some();
                self.first_flow = 0;
            }
            Key::Open => {}
            Key::Sort => self.order = self.order.next(),
            Key::Reverse => self.is_reversed = !self.is_reversed,
            Key::Pause => self.is_paused = !self.is_paused,
            Key::Up => self.move_by(|at, _| at.saturating_sub(1)),
            Key::Down => self.move_by(|at, _| at + 1),
            Key::PageUp => self.move_by(usize::saturating_sub),
            Key::PageDown => self.move_by(|at, page| at + page),
            Key::First => self.move_by(|_, _| 0),
            Key::Last => self.move_by(|_, _| usize::MAX),
        }
        Step::Stay
    }

    /// Moves the selection, or scrolls the flows of an open level.
    fn move_by(&mut self, to: impl Fn(usize, usize) -> usize) {
        if self.is_open {
            let last = self.flows().count().saturating_sub(self.page);
            self.first_flow = to(self.first_flow.min(last), self.page).min(last);
            return;
        }
        let at = to(self.selected_row(), self.page);
        let levels = self.levels();
        let level = levels.get(at).or(levels.last());
        self.selected = level.map(|level| level.name.clone());
    }

    /// The levels in their order.
    pub(super) fn levels(&self) -> Vec<&Level> {
        let mut levels: Vec<_> = self.snapshot.levels.iter().collect();
        levels.sort_by(|left, right| self.order.compare(left, right));
        if self.is_reversed {
            levels.reverse();
        }
        levels
    }

    /// The row of the selected level, which is the first one if nothing is selected or the level is gone.
    pub(super) fn selected_row(&self) -> usize {
        let levels = self.levels();
        let mut names = levels.iter().map(|level| &level.name);
        let selected = self.selected.as_ref();
        let row = selected.and_then(|selected| names.position(|name| name == selected));
        row.unwrap_or_default()
    }

    fn selected(&self) -> Option<&Level> {
        self.levels().get(self.selected_row()).copied()
    }

    /// The name of the open level, and its numbers if it still exists.
    pub(super) fn open(&self) -> Option<(&str, Option<&Level>)> {
        let name = self.selected.as_ref().filter(|_| self.is_open)?;
        let mut levels = self.snapshot.levels.iter();
        Some((name, levels.find(|level| level.name == *name)))
    }

    /// The flows with requests, of the open level or else of all levels.
    pub(super) fn flows(&self) -> impl Iterator<Item = &Flow> {
        let level = self.open().map(|(name, _)| name);
        let flows = self.snapshot.flows.iter();
        flows.filter(move |flow| level.is_none_or(|level| flow.level == level))
    }

    /// The first flow that is shown.
    pub(super) fn first_flow(&self) -> usize {
        match self.is_open {
            true => self.first_flow,
            false => 0,
        }
    }
}
