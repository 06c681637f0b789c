//! The place of a request in flow control, from its arrival to its end.

use super::State;
use crate::flow_control::Arrival;
use crate::kinds::Kind;
use crate::locks::lock;
use k8s_flowcontrol_rules::matching::RequestAttributes;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// The outcome of flow control for a request.
#[derive(Debug)]
pub(crate) enum Admitted {
    NotSubject,
    Executes(Ticket),
    Rejected {
        /// The UIDs of the FlowSchema and the level.
        uids: [String; 2],
        retry_after: Duration,
    },
}

#[derive(Debug)]
pub(crate) struct Ticket {
    state: Arc<State>,
    number: u64,
    /// The UIDs of the FlowSchema and the level; empty for objects that are not in the store.
    pub(crate) uids: [String; 2],
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut flow = lock(&self.state.flow);
        flow.end(self.number);
    }
}

impl State {
    /// Classifies a request, and waits for a part of its deadline until it may execute. It ends when the ticket is dropped.
    pub(crate) async fn admit(
        self: &Arc<Self>,
        request: RequestAttributes,
        query: &str,
        deadline: Duration,
    ) -> Admitted {
        let begun = self.with_flow(|store, flow| {
            let watches = match flow.throttled() {
                Some(_) => self.watches_of(&request),
                None => 0,
            };
            flow.begin(store, &self.kinds, request, query, watches)
        });
        let Some(Arrival {
            number,
            uids,
            dispatched,
        }) = begun
        else {
            return Admitted::NotSubject;
        };
        let number = match number {
            Ok(number) => number,
            Err(retry_after) => return Admitted::Rejected { uids, retry_after },
        };
        let ticket = Ticket {
            state: self.clone(),
            number,
            uids,
        };
        let Some(dispatched) = dispatched else {
            return Admitted::Executes(ticket);
        };
        match self.wait(number, dispatched, deadline).await {
            Ok(()) => Admitted::Executes(ticket),
            Err(retry_after) => Admitted::Rejected {
                uids: ticket.uids.clone(),
                retry_after,
            },
        }
    }

    /// The open watches of a request's kind.
    fn watches_of(&self, request: &RequestAttributes) -> u64 {
        let is_kind =
            |kind: &&Kind| kind.plural() == request.resource && kind.group() == request.api_group;
        let kind = self.kinds.all.iter().find(is_kind);
        kind.map_or(0, |kind| self.watches[kind.index].load(Ordering::Relaxed))
    }

    /// Waits in a queue until the request executes, or returns the `Retry-After` of its rejection.
    async fn wait(
        &self,
        number: u64,
        mut dispatched: oneshot::Receiver<()>,
        deadline: Duration,
    ) -> Result<(), Duration> {
        let limit = self.with_flow(|_, flow| flow.throttled().map(|it| it.wait_limit(deadline)));
        let deadline = Instant::now() + limit.unwrap_or(deadline);
        loop {
            // Every waiting request looks after the events that no request causes, so no task does when none waits.
            let next = self.with_flow(|_, flow| flow.advance());
            let until = next.map_or(deadline, |next| deadline.min(next));
            tokio::select! {
                biased;
                _ = &mut dispatched => break,
                () = tokio::time::sleep_until(until.into()) => {}
            }
            if Instant::now() >= deadline
                && let Some(retry_after) = self.with_flow(|_, flow| flow.time_out(number))
            {
                return Err(retry_after);
            }
        }
        self.with_flow(|_, flow| flow.start(number));
        Ok(())
    }
}
