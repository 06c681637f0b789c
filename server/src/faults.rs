//! Faults on request, to test clients against a server in trouble.

use crate::locks::lock;
use k8s_flowcontrol_types::meta::Status;
use std::sync::Mutex;
use std::time::Duration;

/// A fault that the next requests meet, to test how a client reacts.
///
/// By default a fault meets one request, the next one; see [`times`](Self::times), [`on_method`](Self::on_method) and
/// [`on_path`](Self::on_path). Give it to [`Builder::fault`](crate::Builder::fault) or, while the server runs, to
/// [`ApiServer::inject`](crate::ApiServer::inject).
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use k8s_flowcontrol_server::{ApiServer, Fault};
///
/// let server = ApiServer::start().await?;
/// // Priority and Fairness rejects the next two replacements of FlowSchemas.
/// server.inject(Fault::rejected(1).times(2).on_method("PUT").on_path("/flowschemas"));
/// // Run the client under test against `server.url()`, then check that it retried.
/// assert_eq!(server.pending_faults(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    effect: Effect,
    times: usize,
    method: Option<String>,
    path: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Effect {
    Rejected(u32),
    TooManyRequests(u32),
    InternalError,
    Unavailable,
    Garbage,
    Status(u16, Box<Status>),
    /// The connection breaks in the middle of the response.
    Cut,
    /// A watch ends inside the line after this number of whole lines.
    CutWatch(usize),
    Delay(Duration),
    ExpireHistory,
}

impl Effect {
    /// Whether the request is served nevertheless, so that it may meet another fault.
    fn is_passing(&self) -> bool {
        matches!(self, Self::Delay(_) | Self::ExpireHistory)
    }
}

impl Fault {
    fn new(effect: Effect) -> Self {
        Self {
            effect,
            times: 1,
            method: None,
            path: None,
        }
    }

    /// Rejected by API Priority and Fairness: 429 with `Retry-After` and plain text, without a `Status`.
    pub fn rejected(retry_after_seconds: u32) -> Self {
        Self::new(Effect::Rejected(retry_after_seconds))
    }

    /// 429 with `Retry-After` and a `Status`, as from a server whose storage is starting.
    pub fn too_many_requests(retry_after_seconds: u32) -> Self {
        Self::new(Effect::TooManyRequests(retry_after_seconds))
    }

    /// 500 with a `Status` of reason `InternalError`.
    pub fn internal_error() -> Self {
        Self::new(Effect::InternalError)
    }

    /// 503 with a `Status` of reason `ServiceUnavailable`.
    pub fn unavailable() -> Self {
        Self::new(Effect::Unavailable)
    }

    /// 200 with a body that is not JSON, regardless of its `Content-Type`.
    pub fn garbage() -> Self {
        Self::new(Effect::Garbage)
    }

    /// Any other failure: this code and `Status`, and `Retry-After` if the status has
    /// [`retry_after_seconds`](k8s_flowcontrol_types::meta::StatusDetails).
    ///
    /// The status gets the code, and from 400 on the word `Failure`, if it has none. A code that is not between 200 and 999 cannot be
    /// sent as a response: it becomes 500.
    pub fn status(code: u16, mut status: Status) -> Self {
        let code = match code {
            200..=999 => code,
            _ => 500,
        };
        status.code.get_or_insert(code.into());
        if code >= 400 {
            status.status.get_or_insert_with(|| "Failure".to_owned());
        }
        Self::new(Effect::Status(code, Box::new(status)))
    }

    /// The request is carried out, and the connection breaks in the middle of the body of the response. A response without a body, such
    /// as one with 304 or that to `HEAD`, arrives whole. For watches, see [`cut_watch`](Self::cut_watch).
    pub fn cut() -> Self {
        Self::new(Effect::Cut)
    }

    /// The connection of a watch breaks in the middle of a line, after the given number of whole lines. A watch that ends before
    /// has met the fault too. Other requests do not meet it.
    pub fn cut_watch(after_lines: usize) -> Self {
        Self::new(Effect::CutWatch(after_lines))
    }

    /// The request waits before it is served, and then meets the next fault that applies to it.
    pub fn delay(delay: Duration) -> Self {
        Self::new(Effect::Delay(delay))
    }

    /// The history expires before the request is served, so that its resource version or `continue` token is too old.
    pub fn expire_history() -> Self {
        Self::new(Effect::ExpireHistory)
    }

    /// The number of requests that meet the fault. Defaults to 1.
    #[must_use]
    pub fn times(mut self, times: usize) -> Self {
        self.times = times;
        self
    }

    /// Only requests with this HTTP method, such as `PUT` or `put`, meet the fault.
    #[must_use]
    pub fn on_method(mut self, method: impl Into<String>) -> Self {
        self.method = Some(method.into());
        self
    }

    /// Only requests whose path contains this text meet the fault. The query is not a part of the path.
    #[must_use]
    pub fn on_path(mut self, part: impl Into<String>) -> Self {
        self.path = Some(part.into());
        self
    }

    fn is_for(&self, method: &str, path: &str, is_watch: bool) -> bool {
        self.times > 0
            && (is_watch || !matches!(self.effect, Effect::CutWatch(_)))
            && self
                .method
                .as_deref()
                .is_none_or(|only| only.eq_ignore_ascii_case(method))
            && self.path.as_deref().is_none_or(|part| path.contains(part))
    }
}

/// The pending faults, in order.
#[derive(Debug, Default)]
pub(crate) struct Faults(Mutex<Vec<Fault>>);

impl Faults {
    pub(crate) fn new(faults: Vec<Fault>) -> Self {
        Self(Mutex::new(faults))
    }

    pub(crate) fn add(&self, fault: Fault) {
        lock(&self.0).push(fault);
    }

    pub(crate) fn clear(&self) {
        lock(&self.0).clear();
    }

    /// The number of requests that will meet a fault.
    pub(crate) fn pending(&self) -> usize {
        lock(&self.0)
            .iter()
            .fold(0, |sum, fault| sum.saturating_add(fault.times))
    }

    /// The effects on a request: all delays and expiries before the first other fault that applies to it, and this
    /// fault.
    pub(crate) fn take(&self, method: &str, path: &str, is_watch: bool) -> Vec<Effect> {
        let mut faults = lock(&self.0);
        let mut effects = Vec::new();
        for fault in &mut *faults {
            if !fault.is_for(method, path, is_watch) {
                continue;
            }
            fault.times -= 1;
            effects.push(fault.effect.clone());
            if !fault.effect.is_passing() {
                break;
            }
        }
        faults.retain(|fault| fault.times > 0);
        effects
    }
}
