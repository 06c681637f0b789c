//! Reading the log of a container.

use super::api::Api;
use super::call::builder;
use super::raw::ANY;
use crate::Resource;
use crate::meta::Time;
use crate::request::http_request::Verb;
use crate::response::decode::Response;
use crate::stream::LogStream;

/// The default maximum length of a line: 1 MiB.
const DEFAULT_MAX_LINE: usize = 1024 * 1024;

impl<K: Resource> Api<K> {
    /// Reads the log of a pod's container as a stream of lines.
    ///
    /// ```no_run
    /// # use k8s_flowcontrol::{Error, Resource, client::Api};
    /// # async fn example<Pod: Resource>(pods: Api<Pod>) -> Result<(), Error> {
    /// let mut log = pods.log("web-0").container("app").tail_lines(10).follow().await?;
    /// while let Some(line) = log.next().await {
    ///     println!("{}", line?);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn log(&self, name: &str) -> LogRequest {
        let mut call = self.object_call(Verb::Get, name, Some("log"));
        call.change(|request| {
            request.accept = ANY;
            request.is_streamed = true;
        });
        LogRequest {
            call,
            max_line: DEFAULT_MAX_LINE,
        }
    }
}

builder! {
    /// Reads the log of a pod's container, made by [`Api::log`](crate::Api::log).
    ///
    /// `.await` returns the open stream. The [`timeout`](Self::timeout) ends when the stream is open.
    LogRequest { max_line: usize } => LogStream, |this| {
        let call = this.call.checked()?;
        let (line, head, body) = call.client.open_stream(call.request).await?;
        Ok(Response::new(LogStream::new(line, body, this.max_line), head))
    }
}

impl LogRequest {
    /// The container. Needed when the pod has several.
    pub fn container(self, name: impl Into<String>) -> Self {
        self.with("container", name)
    }

    /// Keeps the stream open, with new lines as the container writes them, until the container ends.
    pub fn follow(self) -> Self {
        self.with("follow", "true")
    }

    /// Reads the log of the container before its last restart.
    pub fn previous(self) -> Self {
        self.with("previous", "true")
    }

    /// Reads the lines of the last `seconds` seconds, at least 1.
    pub fn since_seconds(self, seconds: u32) -> Self {
        self.with("sinceSeconds", seconds.to_string())
    }

    /// Reads the lines since a point in time. The server allows either this or [`since_seconds`](Self::since_seconds).
    pub fn since_time(self, time: &Time) -> Self {
        self.with("sinceTime", time.as_str())
    }

    /// Begins with the last `count` lines. Defaults to all lines.
    pub fn tail_lines(self, count: u32) -> Self {
        self.with("tailLines", count.to_string())
    }

    /// Ends the stream after about this number of bytes, at least 1; the last line may be incomplete.
    pub fn limit_bytes(self, bytes: u64) -> Self {
        self.with("limitBytes", bytes.to_string())
    }

    /// Begins each line with its time (RFC 3339, with nanoseconds) and a blank.
    pub fn timestamps(self) -> Self {
        self.with("timestamps", "true")
    }

    /// The maximum length of a line, in bytes. Defaults to 1 MiB. A longer line ends the stream with an error.
    pub fn max_line_size(mut self, bytes: usize) -> Self {
        self.max_line = bytes;
        self
    }

    fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.call.set(name, value);
        self
    }
}
