//! Watches, line by line.

use super::bodies::broken;
use super::call::Call;
use super::mode::Mode;
use super::shared::Shared;
use crate::http::payload::{self, Body};
use futures_util::{Stream, StreamExt, stream};
use http_body_util::BodyExt;
use hyper::body::Bytes;
use serde::Deserialize;
use serde_json::json;
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// The time for which events are held back behind bookmarks.
const HELD_BACK: Duration = Duration::from_millis(100);
/// The largest line that is looked into. Larger ones are passed on.
const MAX_LINE: usize = 8 << 20;

/// What happens to one watch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Plan {
    /// Bookmarks surround the events, and the watch ends after this number of events.
    pub(super) bookmarks: Option<usize>,
    /// The watch ends before the bookmark that completes the initial events.
    pub(super) without_initial_end: bool,
    /// The connection breaks in the middle of the line after this number of lines.
    pub(super) cut: Option<usize>,
}

/// The parts of a line that the plan needs.
#[derive(Deserialize)]
struct Line {
    r#type: String,
    object: Object,
}

#[derive(Deserialize)]
struct Object {
    #[serde(default)]
    kind: String,
    #[serde(default, rename = "apiVersion")]
    api_version: String,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(default, rename = "resourceVersion")]
    resource_version: String,
    #[serde(default)]
    annotations: Option<std::collections::BTreeMap<String, String>>,
}

struct Watch {
    pieces: Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>,
    begun: Vec<u8>,
    output: VecDeque<io::Result<Bytes>>,
    is_ended: bool,
    /// Whether the initial events have not ended. They are not in the order of their versions.
    is_initial: bool,
    lines: usize,
    events: usize,
    plan: Plan,
    call: Arc<Call>,
    shared: Arc<Shared>,
}

pub(super) fn changed(body: Body, plan: Plan, call: Arc<Call>, shared: Arc<Shared>) -> Body {
    let mut watch = Watch {
        pieces: body.into_data_stream().boxed(),
        begun: Vec::new(),
        output: VecDeque::new(),
        is_ended: false,
        is_initial: call.query.is_set("sendInitialEvents"),
        lines: 0,
        events: 0,
        plan,
        call,
        shared,
    };
    watch.begin();
    payload::streamed(stream::unfold(watch, |mut watch| async move {
        loop {
            if let Some(piece) = watch.output.pop_front() {
                return Some((piece, watch));
            }
            if watch.is_ended {
                return None;
            }
            watch.read().await;
        }
    }))
}

impl Watch {
    fn begin(&mut self) {
        let version = self.call.resource_version();
        if let (Some(_), Some(version)) = (self.plan.bookmarks, version)
            && let Some((api_version, kind)) = self.shared.kind_of(self.call.collection())
        {
            self.bookmarks(&api_version, &kind, version);
        }
    }

    async fn read(&mut self) {
        match self.pieces.next().await {
            None => {
                self.is_ended = true;
                let rest = std::mem::take(&mut self.begun);
                if !rest.is_empty() {
                    self.output.push_back(Ok(rest.into()));
                }
            }
            Some(Err(error)) => {
                self.is_ended = true;
                self.output.push_back(Err(error));
            }
            Some(Ok(piece)) => {
                self.begun.extend_from_slice(&piece);
                while let Some(end) = self.begun.iter().position(|byte| *byte == b'\n') {
                    let rest = self.begun.split_off(end + 1);
                    let line = std::mem::replace(&mut self.begun, rest);
                    self.line(line.into()).await;
                    if self.is_ended {
                        return;
                    }
                }
                if self.begun.len() > MAX_LINE {
                    let begun = std::mem::take(&mut self.begun);
                    self.output.push_back(Ok(begun.into()));
                }
            }
        }
    }

    async fn line(&mut self, text: Bytes) {
        if self.plan.cut == Some(self.lines) {
            self.shared.observer.struck(Mode::Resets);
            self.is_ended = true;
            self.output.push_back(Ok(text.slice(..text.len() / 2)));
            self.output.push_back(Err(broken()));
            return;
        }
        self.lines += 1;
        let Ok(line) = serde_json::from_slice::<Line>(&text) else {
            self.output.push_back(Ok(text));
            return;
        };
        let annotations = line.object.metadata.annotations.unwrap_or_default();
        let is_initial_end = annotations.contains_key("k8s.io/initial-events-end");
        if is_initial_end && self.plan.without_initial_end {
            self.shared.observer.struck(Mode::WatchLists);
            self.is_ended = true;
            return;
        }
        self.is_initial &= !is_initial_end;
        let version = line.object.metadata.resource_version.parse().ok();
        let is_change = ["ADDED", "MODIFIED", "DELETED"].contains(&&*line.r#type);
        if is_change && self.plan.bookmarks.is_some() && !self.is_initial {
            sleep(HELD_BACK).await;
        }
        self.output.push_back(Ok(text));
        if let Some(version) = version.filter(|_| !self.is_initial) {
            self.shared.observer.saw(&self.call, version);
        }
        if !is_change {
            return;
        }
        let Object {
            kind, api_version, ..
        } = line.object;
        self.shared
            .learn_kind(self.call.collection(), &api_version, &kind);
        if let (Some(most), Some(version)) = (self.plan.bookmarks, version)
            && !self.is_initial
        {
            self.events += 1;
            self.bookmarks(&api_version, &kind, version);
            self.is_ended = self.events >= most;
        }
    }

    fn bookmarks(&mut self, api_version: &str, kind: &str, version: u64) {
        self.shared.observer.struck(Mode::Bookmarks);
        let bookmark = json!({"type": "BOOKMARK", "object": {
            "kind": kind, "apiVersion": api_version,
            "metadata": {"resourceVersion": version.to_string(), "creationTimestamp": null},
        }});
        let line = Bytes::from(format!("{bookmark}\n"));
        self.output
            .extend([Ok(line.clone()), Ok(line.clone()), Ok(line)]);
        self.shared.observer.saw(&self.call, version);
    }
}
