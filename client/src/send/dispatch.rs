//! Sending a request, with retries.

use super::client::Client;
use super::observe::Attempt;
use super::progress::Progress;
use super::retry::{Attempts, RetryClass};
use super::session::Ready;
use super::trace;
use crate::error::{Error, RequestLine};
use crate::request::http_request::HttpRequest;
use crate::response::body;
use crate::response::body::{Content, Encoding};
use crate::response::decode as response;
use crate::response::decode::{Decoder, Response};
use crate::response::head::Head;
use crate::transport::Body;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tracing::{Instrument, Span};

/// The number of the next request of this process.
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// The request line, and the head and content of the response.
type Received<'a, B> =
    Pin<Box<dyn Future<Output = Result<(RequestLine, Head, B), Error>> + Send + 'a>>;

impl Client {
    /// Sends a request and reads the whole response.
    pub(crate) async fn send<T>(
        &self,
        request: HttpRequest,
        decoder: Decoder<T>,
    ) -> Result<Response<T>, Error> {
        let renamed = decoder.renamed;
        let is_write = request.is_write();
        let result = match self.whole_response(request).await {
            Ok((line, head, body)) => {
                let is_unclear = head.is_unclear;
                decoder.read(&line, head, &body).map_err(|error| {
                    let effect = RetryClass::effect(&error, is_write, is_unclear);
                    error.with_effect(effect)
                })
            }
            Err(error) => Err(error),
        };
        result.map_err(|error| match renamed {
            Some(renamed) => renamed.translate(error),
            None => error,
        })
    }

    // An async function is compiled in every crate that awaits it, together with everything it awaits in turn. These
    // two are boxed, so that programs do not compile the rest again.

    fn whole_response(&self, request: HttpRequest) -> Received<'_, Vec<u8>> {
        Box::pin(self.exchange(request))
    }

    /// Sends a request and returns when the response begins.
    pub(crate) fn open_stream(&self, request: HttpRequest) -> Received<'_, Body> {
        Box::pin(self.exchange(request))
    }

    /// The 2xx response to a request. Any other response is an error.
    async fn exchange<B: Content>(
        &self,
        mut request: HttpRequest,
    ) -> Result<(RequestLine, Head, B), Error> {
        request.id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        let span = trace::request_span(&request, self.config().server());
        let result = self
            .attempt_until_final(&request, &span)
            .instrument(span.clone())
            .await;
        let line = request.line();
        match result {
            Ok((head, content)) => Ok((line, head, content)),
            Err(error) if request.is_negotiated => Err(error.at(&line)),
            Err(error) => Err(self.with_served_versions(&request, error.at(&line)).await),
        }
    }

    /// Makes attempts until one succeeds or the policy allows no more.
    async fn attempt_until_final<B: Content>(
        &self,
        request: &HttpRequest,
        span: &Span,
    ) -> Result<(Head, B), Error> {
        self.prepare_interactive_plugin().await?;
        let policy = request.retry.as_ref().unwrap_or(self.retry_policy());
        let limit = request.timeout.unwrap_or(self.timeout());
        let mut attempts = Attempts::new(request, policy, self.session.retry_budget(), limit);
        loop {
            let begun = Instant::now();
            let number = attempts.count() + 1;
            let progress = Progress::default();
            let attempt = self.sent_once::<B>(request, number, &progress);
            let result = attempts.make(attempt, &progress).await;
            let pause = match &result {
                Ok(_) => None,
                Err(error) => attempts.pause(error),
            };
            if !span.is_disabled() || !self.options.on_request.as_slice().is_empty() {
                let outcome = result.as_ref().map(|(head, _)| head);
                let attempt = Attempt::new(request, outcome, number, pause, begun.elapsed());
                self.report(&attempt, span, attempts.elapsed());
            }
            match (result, pause) {
                (Ok((mut head, content)), _) => {
                    head.attempts = attempts.count();
                    head.is_unclear = attempts.is_unclear();
                    return Ok((head, content));
                }
                (Err(error), None) => return Err(attempts.final_error(error)),
                (Err(error), Some(pause)) => {
                    attempts.remember(error);
                    sleep(pause).await;
                }
            }
        }
    }

    /// Makes one attempt. A response other than 2xx is an error.
    async fn sent_once<B: Content>(
        &self,
        request: &HttpRequest,
        number: u32,
        progress: &Progress,
    ) -> Result<(Head, B), Error> {
        let layers = &self.options.layers;
        let prepare = |ready: &Ready| self.prepare(request, number, ready);
        let response = self.execute(layers, progress, prepare).await?;
        progress.answered(response.status());
        let (parts, body) = response.into_parts();
        let head = Head::read(parts.status, parts.headers);
        for warning in &head.warnings {
            let handlers = self.options.on_warning.as_slice().iter();
            handlers.for_each(|handler| handler(warning));
        }
        let limit = self.config().max_response_size();
        let content = async {
            let encoding = Encoding::read(&head.headers)?;
            if head.is_success() {
                return B::read(body, encoding, limit).await;
            }
            let body = body::collect(body, encoding, limit).await?;
            Err(response::failure(head.clone(), &body))
        };
        match content.await {
            Ok(content) => Ok((head, content)),
            Err(error) => Err(error.with_head(head)),
        }
    }

    fn report(&self, attempt: &Attempt<'_>, span: &Span, elapsed: Duration) {
        trace::attempt(span, attempt, elapsed);
        let handlers = self.options.on_request.as_slice().iter();
        handlers.for_each(|handler| handler(attempt));
    }
}
