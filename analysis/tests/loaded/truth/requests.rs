//! The way of a request through the server.

use super::{Counted, Phase, Request, Timer, World};
use k8s_flowcontrol_rules::controller::{Admission, wait_limit};
use k8s_flowcontrol_rules::queueing::Work;
use std::time::Duration;

impl World<'_> {
    pub(super) fn note_dispatched(&mut self) {
        let dispatched: Vec<_> = self.server.dispatched().collect();
        for ticket in dispatched {
            let request = self.by_ticket[&ticket];
            let waited = self.requests[request].queued;
            self.requests[request].dispatched = self.now;
            let machine = self.run.machine;
            if waited && machine.wake > 0.0 {
                let time = self.spread(machine.wake);
                self.job(time, request, Phase::Wakes);
                continue;
            }
            self.execute(request);
        }
    }

    fn execute(&mut self, request: usize) {
        self.requests[request].dispatched = self.now;
        let machine = self.run.machine;
        let time = match self.requests[request].kind {
            0 => self.spread(machine.list),
            1 => self.spread(0.004),
            _ => self.spread(0.008),
        };
        self.job(time, request, Phase::Executes);
    }

    pub(super) fn timed(&mut self, timer: Timer) {
        match timer {
            Timer::Send(connection) => self.send(connection),
            Timer::Stored(request) => self.executed(request),
            Timer::Patience(request) => {
                let Some(ticket) = self.requests[request].ticket else {
                    return;
                };
                let at = self.at();
                if self.by_ticket.get(&ticket) == Some(&request) && self.server.cancel(at, ticket) {
                    self.requests[request].dispatched = self.now;
                    self.reject(request);
                }
            }
            Timer::Machine => {
                self.cores =
                    self.run.machine.cores * (1.0 - self.run.machine.others * self.uniform());
                if self.now < self.run.quiet + self.run.seconds {
                    let after = self.exponential(1.5);
                    self.timer(after, Timer::Machine);
                }
            }
        }
    }

    fn send(&mut self, connection: usize) {
        if self.now > self.run.quiet + self.run.seconds {
            return;
        }
        let client = self.run.clients[self.connections[connection]];
        let kind = match self.uniform() < client.lists {
            true => 0,
            false if self.uniform() < 0.67 => 1,
            false => 2,
        };
        let name = (self.uniform() * 2000.0) as u32;
        self.requests.push(Request {
            connection,
            received: self.now,
            dispatched: self.now,
            ended: 0.0,
            phase: Phase::Before,
            kind,
            ticket: None,
            retry_after: None,
            queued: false,
            name,
        });
        let time = self.spread(self.run.machine.overhead / 2.0);
        self.job(time, self.requests.len() - 1, Phase::Before);
    }

    pub(super) fn job_ended(&mut self, request: usize) {
        match self.requests[request].phase {
            Phase::Before => self.arrive(request),
            Phase::Wakes => self.execute(request),
            Phase::Executes if self.requests[request].kind == 2 => {
                let time = self.spread(self.run.machine.store);
                self.requests[request].phase = Phase::Stores;
                self.timer(time, Timer::Stored(request));
            }
            Phase::Executes | Phase::Stores => self.executed(request),
            Phase::After => self.respond(request),
            Phase::Client => {
                let connection = self.requests[request].connection;
                let client = self.run.clients[self.connections[connection]];
                let pause = match self.requests[request].retry_after {
                    Some(retry_after) if self.run.waits_after_rejection => {
                        retry_after.as_secs_f64()
                    }
                    _ => self.exponential(client.pause),
                };
                if connection + 1 < self.connections.len() {
                    self.timer(pause, Timer::Send(connection));
                }
            }
        }
    }

    fn arrive(&mut self, request: usize) {
        let (level, _, hash) = self.class(request);
        let level = self.server.level(&level).unwrap();
        let at = self.at();
        self.requests[request].dispatched = self.now;
        self.requests[request].ended = self.now;
        let admission = self.server.arrive(at, level, hash, Work::seats(1));
        match admission {
            Admission::Dispatched(ticket) | Admission::Queued(ticket) => {
                self.by_ticket.insert(ticket, request);
                self.requests[request].ticket = Some(ticket);
                self.requests[request].queued = matches!(admission, Admission::Queued(_));
                let patience = wait_limit(Duration::from_secs(60)).as_secs_f64();
                self.timer(patience, Timer::Patience(request));
            }
            Admission::Rejected(_) => self.reject(request),
        }
    }

    fn reject(&mut self, request: usize) {
        let (level, ..) = self.class(request);
        let level = self.server.level(&level).unwrap();
        let retry_after = self.server.reject(self.at(), level);
        self.requests[request].retry_after = Some(retry_after);
        let time = self.spread(self.run.machine.overhead / 2.0);
        self.job(time, request, Phase::After);
    }

    fn executed(&mut self, request: usize) {
        let at = self.at();
        if let Some(ticket) = self.requests[request].ticket.take() {
            self.by_ticket.remove(&ticket);
            self.server.finish(at, ticket);
        }
        let wait = self.requests[request].dispatched - self.requests[request].ended;
        let executed = self.now - self.requests[request].dispatched;
        self.count(request, |counted| {
            counted.waits.push(wait);
            counted.executed += executed;
        });
        let time = self.spread(self.run.machine.overhead / 2.0);
        self.job(time, request, Phase::After);
    }

    pub(super) fn count(&mut self, request: usize, mut count: impl FnMut(&mut Counted)) {
        let (level, flow, _) = self.class(request);
        if self.now < self.run.rotated {
            return;
        }
        for key in [(level.clone(), String::new()), (level, flow)] {
            count(self.counted.entry(key).or_default());
        }
    }

    pub(super) fn class(&mut self, request: usize) -> (String, String, u64) {
        let found = &self.requests[request];
        let key = (self.connections[found.connection], found.kind);
        if let Some(known) = self.classes.get(&key) {
            return known.clone();
        }
        let attributes = self.attributes(request);
        let found = self.server.classify(&attributes).unwrap();
        let flow = format!("{}/{}", found.flow_schema, found.flow_distinguisher);
        let class = (found.priority_level.to_owned(), flow, found.flow_hash());
        self.classes.insert(key, class.clone());
        class
    }
}
