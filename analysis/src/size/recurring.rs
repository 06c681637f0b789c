//! The requests of logs in a variation of the load.

use super::requests::Requests;
use super::variation::{FIRST_SEED, Variation};
use crate::simulation::{Habit, MOVED_US, Recorded, Stretches, moved_us};
use crate::times::after;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// A second instance of a client comes up to so much later.
const LATER_US: u64 = 10_000_000;
/// The length of a stretch whose sums are known, and how many stretches there are at most.
const STRETCH_US: i64 = 60_000_000;
const MOST_STRETCHES: i64 = 1 << 12;
/// The most numbers that all positions of the requests have together.
const MOST_NUMBERS: i64 = 1 << 21;

/// The requests of logs in a variation, sorted by time: each request of a shape as often as `factors` says, on average.
pub(super) struct Recurring<'a> {
    requests: &'a Requests,
    /// By shape.
    factors: &'a [f64],
    variation: Variation,
    position: Position,
    sums: Option<Arc<Sums>>,
}

/// How far the requests are read.
#[derive(Clone, Debug)]
struct Position {
    next: usize,
    /// The requests of each client so far, times their factors; empty if all factors are whole numbers.
    sent: Vec<f64>,
    /// Requests that come later, by time and number.
    later: BinaryHeap<Reverse<(i64, u64, u32, u32)>>,
    number: u64,
}

/// The sums of stretches of requests.
#[derive(Debug)]
pub(super) struct Sums {
    first_us: i64,
    length_us: i64,
    stretches: Vec<Stretch>,
}

#[derive(Debug)]
struct Stretch {
    /// Before its first request.
    position: Position,
    /// The number of requests of each shape that has any.
    counts: Box<[(u32, u32)]>,
    /// The last end of an execution.
    end_us: i64,
}

impl<'a> Recurring<'a> {
    pub(super) fn new(requests: &'a Requests, factors: &'a [f64], variation: Variation) -> Self {
        let is_whole = |factor: &f64| (factor * variation.times).fract() == 0.0;
        let counted = match factors.iter().all(is_whole) {
            true => 0,
            false => requests.habits.len(),
        };
        Self {
            position: Position {
                next: 0,
                sent: vec![0.0; counted],
                later: BinaryHeap::new(),
                number: 0,
            },
            requests,
            factors,
            variation,
            sums: None,
        }
    }

    /// The same requests, of which whole stretches can be passed.
    pub(super) fn with_sums(mut self, sums: Arc<Sums>) -> Self {
        self.sums = Some(sums);
        self
    }

    /// How many instances of a client there can be.
    pub(super) fn most_instances(factors: &[f64], variation: Variation) -> u32 {
        let most = factors.iter().copied().fold(1.0, f64::max);
        (most * variation.times).ceil() as u32
    }

    /// When each client sends its next request, all instances included.
    pub(super) fn habits(
        requests: &Requests,
        instances: u32,
    ) -> impl Iterator<Item = (u32, Habit)> + '_ {
        let clients = requests.habits.len() as u32;
        (0..instances.max(1)).flat_map(move |instance| {
            let of = move |(client, habit): (usize, &Habit)| {
                (client as u32 + instance * clients, *habit)
            };
            requests.habits.iter().enumerate().map(of)
        })
    }

    /// How much later the instance of a client comes.
    fn delay(&self, client: u32, instance: u32) -> u64 {
        let most = match (instance, self.variation.seed) {
            (0, FIRST_SEED) => return 0,
            (0, _) => MOVED_US,
            _ => LATER_US,
        };
        moved_us(self.variation.seed, (client, instance), most)
    }

    /// Adds the instances of the next request.
    fn read(&mut self) {
        let position = &mut self.position;
        let index = position.next;
        position.next += 1;
        let Some(request) = self.requests.packed.get(index) else {
            return;
        };
        let factor = self.factors[request.shape as usize] * self.variation.times;
        let instances = match position.sent.get_mut(request.client() as usize) {
            None => factor as u32,
            Some(sent) => {
                let before = sent.floor();
                *sent += factor;
                (sent.floor() - before) as u32
            }
        };
        for instance in 0..instances {
            let delay = self.delay(request.client(), instance);
            let at = request.received_us.saturating_add_unsigned(delay);
            let client = request.client() + instance * self.requests.habits.len() as u32;
            self.position.number += 1;
            let number = self.position.number;
            let later = &mut self.position.later;
            later.push(Reverse((at, number, index as u32, client)));
        }
    }

    /// The time of the next request.
    fn next_us(&mut self) -> Option<i64> {
        loop {
            let unread = self.requests.packed.get(self.position.next);
            let unread = unread.map(|request| request.received_us);
            match (self.position.later.peek(), unread) {
                (Some(Reverse((at, ..))), unread) if unread.is_none_or(|unread| *at < unread) => {
                    return Some(*at);
                }
                (_, Some(_)) => self.read(),
                (_, None) => return None,
            }
        }
    }
}

impl Iterator for Recurring<'_> {
    type Item = Recorded;

    fn next(&mut self) -> Option<Recorded> {
        self.next_us()?;
        let Reverse((at, _, index, client)) = self.position.later.pop()?;
        let mut recorded = self.requests.packed.get(index as usize)?.recorded();
        recorded.received_us = at;
        recorded.client = client;
        Some(recorded)
    }
}

impl Stretches for Recurring<'_> {
    fn pass(&mut self, until_us: i64, mut passed: impl FnMut(u32, u64, i64)) {
        let (Some(sums), Some(at)) = (self.sums.clone(), self.next_us()) else {
            return;
        };
        let (from, to) = (sums.first_from(at), sums.last_until(until_us));
        let Some(stretches) = sums.stretches.get(from..to) else {
            return;
        };
        let Some(target) = sums.stretches.get(to) else {
            return;
        };
        while self.next_us().is_some_and(|at| at < sums.start(from))
            && let Some(request) = self.next()
        {
            passed(request.class, 1, end_us(&request));
        }
        for stretch in stretches {
            for (shape, count) in &stretch.counts {
                passed(*shape, (*count).into(), stretch.end_us);
            }
        }
        self.position.clone_from(&target.position);
    }
}

impl Sums {
    /// The sums of all requests, of which none was read.
    pub(super) fn of(mut requests: Recurring<'_>) -> Self {
        let (first_us, last_us) = requests.requests.period;
        let duration = last_us.saturating_sub(first_us).max(1);
        let clients = requests.position.sent.len().max(1) as i64;
        let most = (MOST_NUMBERS / clients).clamp(16, MOST_STRETCHES);
        let mut sums = Self {
            first_us,
            length_us: STRETCH_US.max(duration / most),
            stretches: Vec::new(),
        };
        let mut counts = vec![0_u32; requests.factors.len()];
        let mut shapes = Vec::new();
        while requests.next_us().is_some() {
            let position = requests.position.clone();
            let end = sums.start(sums.stretches.len() + 1);
            let mut last = i64::MIN;
            while requests.next_us().is_some_and(|at| at < end)
                && let Some(request) = requests.next()
            {
                let count = &mut counts[request.class as usize];
                if *count == 0 {
                    shapes.push(request.class);
                }
                *count += 1;
                last = last.max(end_us(&request));
            }
            let counted = shapes.drain(..);
            let counted = counted.map(|shape| (shape, std::mem::take(&mut counts[shape as usize])));
            sums.stretches.push(Stretch {
                position,
                counts: counted.collect(),
                end_us: last,
            });
        }
        sums
    }

    fn start(&self, stretch: usize) -> i64 {
        let after = self.length_us.saturating_mul(stretch as i64);
        self.first_us.saturating_add(after)
    }

    /// The first stretch that begins at a time or later.
    fn first_from(&self, at: i64) -> usize {
        let after = at.saturating_sub(self.first_us).max(0);
        usize::try_from(after.div_euclid(self.length_us) + i64::from(after % self.length_us > 0))
            .unwrap_or(usize::MAX)
    }

    /// The last stretch that begins at a time or before.
    fn last_until(&self, until: i64) -> usize {
        let after = until.saturating_sub(self.first_us).max(0);
        let last = self.stretches.len().saturating_sub(1);
        usize::try_from(after / self.length_us).map_or(last, |stretch| stretch.min(last))
    }
}

fn end_us(request: &Recorded) -> i64 {
    after(request.received_us, request.execution.unwrap_or_default())
}
