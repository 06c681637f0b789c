//! The requests to `--listen`: batches, whose responses follow when they are on the disk, and pages.

use super::keep::Keep;
use k8s_flowcontrol_analysis::audit::{BatchError, read_batch};
use k8s_flowcontrol_analysis::live::{Counter, Live, Request, journal};
use k8s_flowcontrol_server::{Answer, Post};
use std::collections::BTreeMap;
use std::io;

const TEXT: &str = "text/plain; charset=utf-8";
/// The text format of Prometheus.
const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Batches that are written to the disk together.
#[derive(Default)]
pub(super) struct Batches {
    batches: Vec<Batch>,
    records: Vec<u8>,
}

/// The answers to requests without a body.
pub(super) struct Pages<'a> {
    pub(super) live: &'a Live,
    /// The batches that got an error, by its code.
    pub(super) rejected: &'a BTreeMap<u16, u64>,
    pub(super) is_writable: bool,
    pub(super) now_us: i64,
}

struct Batch {
    post: Post,
    sequence: u64,
    events: u64,
    requests: Vec<Request>,
}

impl Batches {
    /// Adds a batch, or responds to another request.
    pub(super) fn add(&mut self, post: Post, pages: &Pages<'_>, counter: &mut Counter) {
        let Some(body) = &post.body else {
            let page = pages.page(&post.path);
            return post.answer(page);
        };
        let sequence = pages.live.sequence() + self.batches.len() as u64 + 1;
        match read(body, counter) {
            Ok((events, requests)) => match journal::line(sequence, events, &requests) {
                Ok(record) => {
                    self.records.extend(record);
                    self.batches.push(Batch {
                        post,
                        sequence,
                        events,
                        requests,
                    });
                }
                Err(error) => post.answer(Answer::error(500, error.to_string())),
            },
            Err(error) => post.answer(Answer::error(400, error.to_string())),
        }
    }

    /// The bytes of the batches.
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    /// Writes the batches to the disk, counts them, and answers them; returns whether there were any.
    /// Errors: if they cannot be written: they are not counted, and their senders get 503.
    pub(super) fn commit(
        self,
        live: &mut Live,
        keep: Option<&mut Keep>,
        now_us: i64,
    ) -> io::Result<bool> {
        if self.batches.is_empty() {
            return Ok(false);
        }
        if let Some(keep) = keep
            && let Err(error) = keep.append(&self.records)
        {
            for batch in self.batches {
                let message = format!("the batch cannot be written: {error}; send it again");
                batch.post.answer(Answer::error(503, message));
            }
            return Err(error);
        }
        for batch in self.batches {
            for request in &batch.requests {
                live.add(request, now_us);
            }
            live.add_batch(batch.events, batch.sequence);
            batch.post.answer(Answer::new(200, TEXT, ""));
        }
        Ok(true)
    }
}

impl Pages<'_> {
    fn page(&self, path: &str) -> Answer {
        match path {
            "/metrics" => Answer::new(200, METRICS, self.live.metrics(self.now_us, self.rejected)),
            "/summary" => match serde_json::to_string(&self.live.summary(self.now_us)) {
                Ok(summary) => Answer::new(200, "application/json", summary),
                Err(error) => Answer::error(500, error.to_string()),
            },
            "/readyz" if !self.is_writable => Answer::error(503, "the state cannot be written"),
            "/livez" | "/readyz" => Answer::new(200, TEXT, "ok"),
            _ => Answer::error(404, "the pages are /metrics, /summary, /livez and /readyz"),
        }
    }
}

fn read(body: &[u8], counter: &mut Counter) -> Result<(u64, Vec<Request>), BatchError> {
    let text = String::from_utf8_lossy(body);
    let mut requests = Vec::new();
    let events = read_batch(&text, |event| requests.extend(counter.count(event)))?;
    Ok((events, requests))
}
