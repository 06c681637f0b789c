//! Requests in slots, and the lists of waiting requests through them.

use super::queue::Queue;
use super::request::{Phase, Request, RequestId};

/// The requests of a queue set. Slots of past requests are used again.
#[derive(Clone, Debug, Default)]
pub(super) struct Requests {
    slots: Vec<Request>,
    free: Vec<u32>,
}

impl Requests {
    /// Stores a request. Its generation is set here.
    pub(super) fn insert(&mut self, mut request: Request) -> RequestId {
        if let Some(slot) = self.free.pop() {
            let past = &mut self.slots[slot as usize];
            request.generation = past.generation.wrapping_add(1);
            *past = request;
            let generation = request.generation;
            return RequestId { generation, slot };
        }
        // 2³² requests at the same time do not fit into memory.
        let slot = self.slots.len() as u32;
        request.generation = 0;
        self.slots.push(request);
        RequestId {
            generation: 0,
            slot,
        }
    }

    pub(super) fn remove(&mut self, slot: u32) {
        self.slots[slot as usize].phase = Phase::Over;
        self.free.push(slot);
    }

    /// Frees the slots of all requests.
    pub(super) fn forget_all(&mut self) {
        for request in &mut self.slots {
            request.phase = Phase::Over;
        }
        self.free = (0..self.slots.len() as u32).collect();
    }

    /// The slot of a request in the given phase.
    pub(super) fn find(&self, id: RequestId, phase: Phase) -> Option<u32> {
        let request = self.slots.get(id.slot())?;
        (request.generation == id.generation && request.phase == phase).then_some(id.slot)
    }

    pub(super) fn id(&self, slot: u32) -> RequestId {
        RequestId {
            generation: self.get(slot).generation,
            slot,
        }
    }

    pub(super) fn get(&self, slot: u32) -> &Request {
        &self.slots[slot as usize]
    }

    pub(super) fn get_mut(&mut self, slot: u32) -> &mut Request {
        &mut self.slots[slot as usize]
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut Request> {
        self.slots.iter_mut()
    }

    /// The number of requests ahead of a waiting one.
    pub(super) fn ahead(&self, slot: u32) -> u32 {
        let before = |slot: &u32| self.get(*slot).before;
        let ahead = std::iter::successors(self.get(slot).before, before);
        ahead.count() as u32
    }

    pub(super) fn push_back(&mut self, queue: &mut Queue, slot: u32) {
        let last = queue.last.replace(slot);
        match last {
            Some(last) => self.get_mut(last).after = Some(slot),
            None => {
                queue.first = Some(slot);
                queue.first_work = self.get(slot).total_work;
            }
        }
        let request = self.get_mut(slot);
        request.before = last;
        request.after = None;
        queue.waiting += 1;
        queue.waiting_work = queue.waiting_work.plus(request.total_work);
        queue.waiting_seats += request.seats();
        queue.waiting_initial_seats += u64::from(request.initial_seats);
    }

    /// Takes a request out of a queue.
    pub(super) fn unlink(&mut self, queue: &mut Queue, slot: u32) {
        let request = *self.get(slot);
        match request.before {
            Some(before) => self.get_mut(before).after = request.after,
            None => {
                queue.first = request.after;
                let work = request.after.map(|after| self.get(after).total_work);
                queue.first_work = work.unwrap_or_default();
            }
        }
        match request.after {
            Some(after) => self.get_mut(after).before = request.before,
            None => queue.last = request.before,
        }
        queue.waiting -= 1;
        queue.waiting_work = queue.waiting_work.minus(request.total_work);
        queue.waiting_seats -= request.seats();
        queue.waiting_initial_seats -= u64::from(request.initial_seats);
    }
}
