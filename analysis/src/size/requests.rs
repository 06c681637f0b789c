//! The requests of audit logs in few bytes each, apart from any configuration.

use super::error::SizeError;
use super::shapes::{Shapes, relevant};
use crate::audit::Event;
use crate::simulation::{
    Before, DEADLINE, Habit, Recorded, Recording, Shape, overhead_of_rejection,
};
use k8s_flowcontrol_rules::controller::wait_limit;
use k8s_flowcontrol_rules::matching::RequestAttributes;
use k8s_flowcontrol_rules::seats::Stored;
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use std::cell::Cell;
use std::time::Duration;

const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;
const MOST_DAYS: i64 = 31;

/// Reads the requests of audit logs; 24 bytes for each request, 8 for each recorded wait, and more for each sort of request.
#[derive(Clone, Debug)]
pub struct Collector {
    recording: Recording,
    seats: u32,
    shapes: Shapes,
    packed: Vec<Packed>,
    backwards: u64,
    first_backwards: String,
}

/// The requests of audit logs.
#[derive(Clone, Debug)]
pub struct Requests {
    pub(super) shapes: Vec<Shape>,
    pub(super) packed: Vec<Packed>,
    /// When each client sends its next request.
    pub(super) habits: Vec<Habit>,
    /// The times of the first and of the last request, in microseconds since 1970.
    pub(super) period: (i64, i64),
    /// The seats of the server of the logs.
    pub(super) seats: u32,
    /// The state of the server before the logs.
    pub(super) before: Before,
    /// How many times as long a request executes if twice as many execute.
    pub(super) slowdown: Option<f64>,
    pub(super) is_slowdown_known: bool,
    /// The recorded waits of executed requests, by shape.
    pub(super) waits: Vec<(u32, Short)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Packed {
    pub(super) received_us: i64,
    pub(super) shape: u32,
    /// Twice the client, and 1 more if the server rejected the request.
    client: u32,
    /// The wait that the server recorded, until the waits are separated; then the execution.
    time: Short,
    took: Short,
}

impl Collector {
    /// For logs of a server with these objects and seats.
    ///
    /// # Errors
    /// [`SizeError::InvalidLevel`].
    pub fn new(
        flow_schemas: &[FlowSchema],
        priority_levels: &[PriorityLevelConfiguration],
        seats: u32,
        release: Release,
    ) -> Result<Self, SizeError> {
        let recording = Recording::of_objects(flow_schemas, priority_levels, seats, release)
            .map_err(|error| SizeError::InvalidLevel(error.to_string()))?;
        Ok(Self {
            recording,
            seats,
            shapes: Shapes::default(),
            packed: Vec::new(),
            backwards: 0,
            first_backwards: String::new(),
        })
    }

    /// Adds a request, given by its last event and the stored objects of its resource. Requests that flow control does not see
    /// are ignored.
    pub fn add(&mut self, event: &Event<'_>, attributes: &RequestAttributes, stored: Stored) {
        let query = relevant(attributes, event.query());
        let known = self.shapes.find(attributes, &query);
        let recorded = match known {
            Some(shape) => self.recording.add_of_class(event, self.shapes.class(shape)),
            None => self.recording.add(event, attributes, stored),
        };
        let Some(recorded) = recorded else {
            return;
        };
        if event.is_last()
            && event
                .stage_us()
                .is_some_and(|end| end < recorded.received_us)
        {
            if self.backwards == 0 {
                self.first_backwards = event.audit_id.to_string();
            }
            self.backwards += 1;
        }
        let new = || (attributes.clone(), query, stored);
        let shape = known.unwrap_or_else(|| self.shapes.add(new(), recorded.class));
        self.packed.push(Packed {
            received_us: recorded.received_us,
            shape,
            client: recorded.client * 2 + u32::from(recorded.rejected),
            time: Short::of(recorded.observed),
            took: Short::of(recorded.took),
        });
    }

    /// Sorts the requests, finds clients that wait for responses, and separates execution from waits that the log does not have.
    ///
    /// # Errors
    /// [`SizeError::NoRequests`], [`SizeError::BackwardTimes`] or [`SizeError::TooLong`].
    pub fn finish(self) -> Result<Requests, SizeError> {
        let Self {
            mut recording,
            seats,
            shapes,
            mut packed,
            backwards,
            first_backwards,
        } = self;
        let (shapes, classes) = shapes.into_parts();
        let period = recording.period_us().ok_or(SizeError::NoRequests)?;
        if backwards > 0 {
            return Err(SizeError::BackwardTimes {
                requests: backwards,
                first: first_backwards,
            });
        }
        let days = period.1.saturating_sub(period.0) / DAY_US;
        if days > MOST_DAYS {
            let days = days.unsigned_abs();
            return Err(SizeError::TooLong { days });
        }
        packed.sort_unstable();
        packed.shrink_to_fit();
        let before = |request: Packed| Recorded {
            class: classes[request.shape as usize],
            observed: request.time.get(),
            ..request.without_time()
        };
        recording.find_loops(packed.iter().copied().map(before));
        let executed = packed.iter().filter(|request| request.client % 2 == 0);
        let waits = executed.filter(|request| request.time != Short::NONE);
        let waits = waits.map(|request| (request.shape, request.time)).collect();
        // Each request is read before its execution is written.
        let cells = Cell::from_mut(&mut packed[..]).as_slice_of_cells();
        let separated = recording.separate_waits(cells.iter().map(|request| before(request.get())));
        let execution = recording.executions();
        let mut learned = recording.clone();
        learned.find_slowdown(cells.iter().zip(separated).map(|(request, found)| {
            let time = Short::of(Some(execution(&found)));
            request.set(Packed {
                time,
                ..request.get()
            });
            found
        }));
        Ok(Requests {
            before: recording.before().clone(),
            slowdown: learned.slowdown(),
            is_slowdown_known: learned.is_slowdown_known(),
            habits: recording.habits(),
            shapes,
            packed,
            period,
            seats,
            waits,
        })
    }
}

impl Requests {
    /// The number of requests.
    pub fn count(&self) -> usize {
        self.packed.len()
    }

    /// How many times as long the requests execute if twice as many execute, which the simulations of a [`Sizer`](super::Sizer) do not have; none if the
    /// logs do not show that they slow each other down.
    pub fn slowdown(&self) -> Option<f64> {
        self.slowdown
    }

    /// Whether the logs show if requests slow each other down. They do not if about as many execute all the time.
    pub fn is_slowdown_known(&self) -> bool {
        self.is_slowdown_known
    }

    /// The times of the first and of the last request, in microseconds since 1970.
    pub fn period_us(&self) -> (i64, i64) {
        self.period
    }
}

impl Packed {
    /// The request after its wait is separated; its class is its shape.
    pub(super) fn recorded(self) -> Recorded {
        let mut recorded = self.without_time();
        recorded.execution = self.time.get();
        if recorded.rejected {
            let took = recorded.took.unwrap_or_default();
            recorded.overhead =
                overhead_of_rejection(took, wait_limit(DEADLINE)).unwrap_or_default();
        }
        recorded
    }

    fn without_time(self) -> Recorded {
        let mut recorded = Recorded::new(self.received_us, self.shape, None, None);
        recorded.client = self.client();
        recorded.took = self.took.get();
        recorded.rejected = self.client % 2 == 1;
        recorded
    }

    pub(super) fn client(self) -> u32 {
        self.client / 2
    }
}

/// A time in 32 bits: microseconds up to half an hour, then milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Short(u32);

impl Short {
    const NONE: Self = Self(u32::MAX);
    const MILLISECONDS: u32 = 1 << 31;

    fn of(time: Option<Duration>) -> Self {
        let Some(time) = time else {
            return Self::NONE;
        };
        match u32::try_from(time.as_micros()) {
            Ok(us) if us < Self::MILLISECONDS => Self(us),
            _ => {
                let most = Self::MILLISECONDS - 2;
                let ms = u32::try_from(time.as_millis()).map_or(most, |ms| ms.min(most));
                Self(Self::MILLISECONDS | ms)
            }
        }
    }

    pub(super) fn get(self) -> Option<Duration> {
        match self.0 {
            u32::MAX => None,
            us if us < Self::MILLISECONDS => Some(Duration::from_micros(us.into())),
            ms => Some(Duration::from_millis((ms & !Self::MILLISECONDS).into())),
        }
    }
}
