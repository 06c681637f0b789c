//! Hooks and transports: observers, headers, layers, and custom transports.

use super::client::Client;
use super::layer::Next;
use super::observe::Attempt;
use super::options::Options;
use super::request_head;
use super::request_head::RequestHead;
use super::session::Session;
use crate::config::Config;
use crate::error::Error;
use crate::response::warnings::Warning;
use crate::transport;
use bytes::Bytes;
use std::error::Error as StdError;
use std::future::Future;
use std::sync::Arc;

/// # Observers, headers and layers
///
/// Each method returns the same client with one more handler; the handlers of other clones do not change. For every
/// attempt at a request:
///
/// 1. The client sets the headers of [`with_header`](Self::with_header) and its own headers, such as `Accept` and
///    `User-Agent`.
/// 2. [`before_request`](Self::before_request) changes them, in the order in which the hooks were added.
/// 3. The credentials of the configuration are added: `Authorization` and `Impersonate-*`.
/// 4. The layers of [`layer`](Self::layer) run, the last added one first, and then the transport.
/// 5. [`on_warning`](Self::on_warning) and [`on_request`](Self::on_request) report the outcome, in the order in which the
///    handlers were added.
///
/// After a 401 with new credentials, the steps 1 to 4 run once more within the same attempt.
impl Client {
    /// Adds a handler for the server's warnings.
    ///
    /// Warnings are also in [`Response::warnings`](crate::client::Response::warnings) and
    /// [`Error::warnings`].
    #[must_use]
    pub fn on_warning(mut self, handler: impl Fn(&Warning) + Send + Sync + 'static) -> Self {
        self.options.on_warning.push(Arc::new(handler));
        self
    }

    /// Adds a handler for every finished attempt at a request, for instance for metrics.
    ///
    /// ```no_run
    /// use k8s_flowcontrol::Client;
    ///
    /// # async fn example() -> Result<(), k8s_flowcontrol::Error> {
    /// let client = Client::try_default().await?.on_request(|attempt| {
    ///     let code = attempt.code().map_or("none".to_owned(), |code| code.to_string());
    ///     println!(
    ///         "request_seconds{{verb={:?},resource={:?},code={code:?}}} {}",
    ///         attempt.verb(),
    ///         attempt.resource(),
    ///         attempt.duration().as_secs_f64(),
    ///     );
    /// });
    /// # drop(client);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn on_request(mut self, handler: impl Fn(&Attempt<'_>) + Send + Sync + 'static) -> Self {
        self.options.on_request.push(Arc::new(handler));
        self
    }

    /// Adds a header to all requests, replacing an earlier value.
    ///
    /// ```no_run
    /// use k8s_flowcontrol::Client;
    ///
    /// let client = Client::from_url("http://127.0.0.1:8080")?;
    /// let tenant = client.clone().with_header("x-tenant", "team-a")?; // shares the connections
    /// # Ok::<(), k8s_flowcontrol::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the name or value is not valid, the header belongs to the credentials, which the [configuration](crate::config)
    /// sets, or the client sets it for each request, such as `Accept`; the error says where it is changed.
    pub fn with_header(
        mut self,
        name: impl AsRef<str>,
        value: impl AsRef<str>,
    ) -> Result<Self, Error> {
        let (name, value) = request_head::default_header(name.as_ref(), value.as_ref())?;
        Arc::make_mut(&mut self.options.headers).insert(name, value);
        Ok(self)
    }

    /// Adds a hook that may change the headers of every attempt at a request.
    ///
    /// It runs before authentication, so it neither sees the credentials of the configuration nor changes them. An
    /// `Authorization` header that it sets is sent only if the configuration has neither a token nor a password, and is
    /// hidden from `Debug` output.
    ///
    /// The hook runs within the `tracing` span of the request, so that a trace context can be passed on. The example
    /// [`opentelemetry`](https://github.com/k8s-flowcontrol/k8s-flowcontrol/tree/main/interop/examples/opentelemetry) is a
    /// complete recipe for spans and metrics. In short:
    ///
    /// ```no_run
    /// use k8s_flowcontrol::Client;
    /// use k8s_flowcontrol::client::http::HeaderValue;
    ///
    /// # fn traceparent() -> String { String::new() }
    /// let client = Client::from_url("http://127.0.0.1:8080")?.before_request(|request| {
    ///     if let Ok(context) = HeaderValue::try_from(traceparent()) {
    ///         request.headers_mut().insert("traceparent", context);
    ///     }
    /// });
    /// # Ok::<(), k8s_flowcontrol::Error>(())
    /// ```
    #[must_use]
    pub fn before_request(
        mut self,
        hook: impl Fn(&mut RequestHead<'_>) + Send + Sync + 'static,
    ) -> Self {
        self.options.before_request.push(Arc::new(hook));
        self
    }

    /// Adds a layer around every exchange with the server. It may change the request, the response and its body, measure
    /// them, or respond itself. It is also around all layers that were added before it. The types come from the crates
    /// `http` 1 (also [`client::http`](http)), `http-body` 1 and `bytes` 1.
    ///
    /// A custom error of the layer ends the request. If the client may send the request again, return
    /// [`TransportError::new`](crate::client::TransportError::new) or [`unsent`](crate::client::TransportError::unsent).
    /// Errors of [`Next::run`] keep their meaning, also as the source of another error.
    ///
    /// The layer sees each attempt at a request and each part of its response, watches included. The request has the
    /// credentials: the `Debug` form of its headers hides `Authorization`.
    ///
    /// ```no_run
    /// use k8s_flowcontrol::Client;
    /// use std::sync::Arc;
    /// use tokio::sync::Semaphore;
    ///
    /// // At most 10 requests at a time wait for a response.
    /// let permits = Arc::new(Semaphore::new(10));
    /// let client = Client::from_url("http://127.0.0.1:8080")?.layer(move |request, next| {
    ///     let permits = permits.clone();
    ///     async move {
    ///         let _permit = permits.acquire().await;
    ///         next.run(request).await
    ///     }
    /// });
    /// # Ok::<(), k8s_flowcontrol::Error>(())
    /// ```
    #[must_use]
    pub fn layer<L, F, B, E>(mut self, layer: L) -> Self
    where
        L: Fn(http::Request<Bytes>, Next) -> F + Send + Sync + 'static,
        F: Future<Output = Result<http::Response<B>, E>> + Send + 'static,
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn StdError + Send + Sync>>,
        E: Into<Box<dyn StdError + Send + Sync>> + 'static,
    {
        self.options.layers.push(Arc::new(move |request, next| {
            Box::pin(transport::exchange(layer(request, next)))
        }));
        self
    }

    /// A client that sends its requests through a custom transport, such as a `reqwest::Client` with other
    /// settings, or a `tower::Service`.
    ///
    /// The transport receives complete requests: the URL of the server, all headers and the body. Certificates, proxy,
    /// `tls-server-name`, keep-alive and connect timeout of the configuration have no effect. Credentials, retries,
    /// time limits and all other settings take effect. It must neither follow redirects nor send a request again.
    ///
    /// Errors of reqwest 0.13, hyper 1 and `std::io` are recognized, also as sources of other errors, so that the
    /// client knows which requests it may send again. Any other error ends the request. A transport with other error
    /// types returns
    /// [`TransportError`](crate::client::TransportError).
    ///
    /// ```no_run
    /// use k8s_flowcontrol::Client;
    /// use k8s_flowcontrol::client::http;
    /// use k8s_flowcontrol::config::Config;
    /// use std::error::Error;
    ///
    /// # fn main() -> Result<(), Box<dyn Error>> {
    /// # #[cfg(feature = "ring")] let _ = rustls::crypto::ring::default_provider().install_default();
    /// let own = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build()?;
    /// let config = Config::new("https://10.0.0.1:6443")?;
    /// let client = Client::with_transport(config, move |request| {
    ///     let own = own.clone();
    ///     async move {
    ///         let response = own.execute(request.try_into()?).await?;
    ///         Ok::<_, Box<dyn Error + Send + Sync>>(http::Response::<reqwest::Body>::from(response))
    ///     }
    /// });
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A `tower::Service` with the error type `tower::BoxError` is a transport too:
    /// `Client::with_transport(config, move |request| service.clone().oneshot(request))`, with `tower::ServiceExt`.
    pub fn with_transport<T, F, B, E>(config: Config, transport: T) -> Self
    where
        T: Fn(http::Request<Bytes>) -> F + Send + Sync + 'static,
        F: Future<Output = Result<http::Response<B>, E>> + Send + 'static,
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn StdError + Send + Sync>>,
        E: Into<Box<dyn StdError + Send + Sync>> + 'static,
    {
        let transport = move |request| -> super::layer::Exchange {
            Box::pin(transport::exchange(transport(request)))
        };
        Self {
            session: Arc::new(Session::with_transport(config, Arc::new(transport))),
            options: Options::default(),
        }
    }
}
