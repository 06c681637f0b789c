//! The content of the server, encoded before the first request.

use bench_data::{flow_schema, initial_events, metadata_events, page, watch_events};

/// How much goes into one chunk of a streamed answer.
pub(crate) const CHUNK: usize = 32 * 1024;

pub(crate) struct Content {
    objects: Vec<String>,
    /// The lines of a watch.
    events: String,
    /// The lines of a streaming list.
    initial: String,
    /// The same of the metadata alone.
    metadata: String,
}

/// The body of a response.
pub(crate) enum Body<'a> {
    /// A list with its length.
    Whole(String),
    /// The lines of a watch, which stays open until the client leaves.
    Lines(&'a str),
}

impl Content {
    pub(crate) fn new(objects: usize, events: usize) -> Self {
        let objects: Vec<_> = (0..objects).map(flow_schema).collect();
        Self {
            events: watch_events(events),
            initial: initial_events(&objects),
            metadata: metadata_events(&objects),
            objects,
        }
    }

    /// The response to a `GET` of a path with its query.
    pub(crate) fn body(&self, target: &str, wants_metadata: bool) -> Body<'_> {
        let query = |name: &str| {
            let (_, query) = target.split_once('?')?;
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
        };
        if query("watch").is_some() {
            return Body::Lines(match query("sendInitialEvents") {
                Some("true") if wants_metadata => &self.metadata,
                Some("true") => &self.initial,
                _ => &self.events,
            });
        }
        let number = |name| query(name).and_then(|text| text.parse().ok());
        let limit = number("limit").filter(|limit| *limit > 0);
        Body::Whole(page(
            &self.objects,
            number("continue").unwrap_or(0),
            limit.unwrap_or(usize::MAX),
        ))
    }
}
