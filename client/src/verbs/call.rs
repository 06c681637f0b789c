//! The core of every request builder: the request, its settings, and how it is sent.

use crate::Resource;
use crate::error::{Error, ErrorKind};
use crate::negotiate::call::NegotiatedCall;
use crate::negotiate::codec::{Codec, Codecs, Encoded};
use crate::negotiate::negotiation::Agreed;
use crate::request::http_request::{HttpRequest, Verb};
use crate::request::path::Target;
use crate::request::representation::check_writable;
use crate::response::decode::{Decoder, Response};
use crate::send::client::Client;
use serde::Serialize;
use serde_json::Error as JsonError;
use std::future::Future;
use std::pin::Pin;

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The media type of objects.
pub(crate) const JSON: &str = "application/json";
/// The media types of patches.
pub(crate) const JSON_PATCH: &str = "application/json-patch+json";
pub(crate) const MERGE_PATCH: &str = "application/merge-patch+json";
pub(crate) const STRATEGIC_MERGE_PATCH: &str = "application/strategic-merge-patch+json";
/// The media type of server-side apply. The body is JSON, which is YAML too.
pub(crate) const APPLY: &str = "application/apply-patch+yaml";

/// A request that is being put together, or the first error in its arguments.
pub(crate) struct Call {
    pub(crate) client: Client,
    pub(crate) request: Result<HttpRequest, Error>,
    /// The losses of a body in another version; an error unless the caller allows them.
    losses: Option<Error>,
    negotiated: Option<NegotiatedCall>,
}

impl Call {
    pub(crate) fn new(client: &Client, verb: Verb, target: Result<Target, Error>) -> Self {
        Self::resume(client, target.map(|target| HttpRequest::new(verb, target)))
    }

    /// Continues with a request that was built before.
    pub(crate) fn resume(client: &Client, request: Result<HttpRequest, Error>) -> Self {
        Self {
            client: client.clone(),
            request,
            losses: None,
            negotiated: None,
        }
    }

    /// Makes the request one in a negotiated version, which may change before it is sent.
    pub(crate) fn negotiated(mut self, negotiated: NegotiatedCall) -> Self {
        self.change(|request| request.is_negotiated = true);
        self.negotiated = Some(negotiated);
        self
    }

    /// Changes the request, unless there is an error in its arguments.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut HttpRequest)) {
        if let Ok(request) = &mut self.request {
            change(request);
        }
    }

    /// Changes the request; an error makes it fail when it is sent.
    pub(crate) fn try_change(
        mut self,
        change: impl FnOnce(&mut HttpRequest) -> Result<(), Error>,
    ) -> Self {
        if let Ok(request) = &mut self.request
            && let Err(error) = change(request)
        {
            self.request = Err(error);
        }
        self
    }

    /// Sets a query parameter.
    pub(crate) fn set(&mut self, name: &'static str, value: impl Into<String>) {
        self.change(|request| request.set(name, value));
    }

    /// Sends an object as the body.
    pub(crate) fn object<K: Resource>(
        mut self,
        media_type: &'static str,
        codecs: &Codecs<K>,
        object: &K,
    ) -> Self {
        if let Err(error) = check_writable::<K>() {
            self.request = self.request.and(Err(error));
            return self;
        }
        let agreed = self.negotiated.as_ref().map(NegotiatedCall::agreed);
        match encode(codecs, agreed, object) {
            Ok((body, losses)) => {
                self.losses = losses;
                self.change(|request| request.set_body(media_type, body));
            }
            Err(error) => self.request = self.request.and(Err(error)),
        }
        if let Some(negotiated) = &mut self.negotiated {
            let (codecs, object) = (codecs.clone(), object.clone());
            negotiated.encode_with(move |agreed| encode(&codecs, Some(agreed), &object));
        }
        self
    }

    /// Sends a value as the body.
    pub(crate) fn value<T: Serialize + ?Sized>(self, media_type: &'static str, value: &T) -> Self {
        self.try_change(|request| {
            let body = serde_json::to_vec(value).map_err(|error| unencodable("body", error))?;
            request.set_body(media_type, body);
            Ok(())
        })
    }

    /// Sends the object even if the version on the wire cannot express all of it.
    pub(crate) fn allow_loss(&mut self) {
        self.losses = None;
        if let Some(negotiated) = &mut self.negotiated {
            negotiated.allow_loss();
        }
    }

    /// The complete request, or the first error in its arguments.
    pub(crate) fn checked(self) -> Result<CheckedCall, Error> {
        let request = self.request?;
        match self.losses {
            None => Ok(CheckedCall {
                client: self.client,
                request,
                negotiated: self.negotiated,
            }),
            Some(error) => Err(error.at(&request.line())),
        }
    }

    /// Sends the request and reads the response.
    pub(crate) async fn send<T>(self, decoder: Decoder<T>) -> Result<Response<T>, Error> {
        let CheckedCall {
            client, request, ..
        } = self.checked()?;
        client.send(request, decoder).await
    }

    /// Sends the request about objects and reads the response, which has the version of the request.
    pub(crate) async fn send_in<K: Resource, T>(
        self,
        codecs: &Codecs<K>,
        decoder: impl Fn(Codec<K>) -> Decoder<T>,
    ) -> Result<Response<T>, Error> {
        self.checked()?.send_in(codecs, decoder).await
    }
}

/// A request whose arguments are valid.
pub(crate) struct CheckedCall {
    pub(crate) client: Client,
    pub(crate) request: HttpRequest,
    negotiated: Option<NegotiatedCall>,
}

impl CheckedCall {
    /// Sends the request as often as the server removes its version, and reads the response.
    pub(crate) async fn send_in<K: Resource, T>(
        &mut self,
        codecs: &Codecs<K>,
        decoder: impl Fn(Codec<K>) -> Decoder<T>,
    ) -> Result<Response<T>, Error> {
        loop {
            let codec = codecs.of(self.version()?);
            let sent = self.client.send(self.request.clone(), decoder(codec));
            match sent.await {
                Ok(response) => return Ok(response),
                Err(error) => self.renew(error).await?,
            }
        }
    }

    /// Brings the request up to the negotiated version, which is returned; `None` for a fixed one.
    pub(crate) fn version(&mut self) -> Result<Option<Agreed>, Error> {
        match &mut self.negotiated {
            Some(negotiated) => negotiated.update(&self.client, &mut self.request).map(Some),
            None => Ok(None),
        }
    }

    /// Rewrites the request in another version if `error` shows that the server no longer serves its own one. Otherwise
    /// the error is returned.
    pub(crate) fn renew(&mut self, error: Error) -> BoxFuture<'_, Result<(), Error>> {
        // Boxed, so that callers do not compile the body again.
        Box::pin(async {
            match &mut self.negotiated {
                Some(negotiated) => {
                    let renewed = negotiated.renew(&self.client, &mut self.request, error);
                    renewed.await
                }
                None => Err(error),
            }
        })
    }
}

/// The body of an object in a version, and the error that its losses are.
fn encode<K: Resource>(
    codecs: &Codecs<K>,
    agreed: Option<Agreed>,
    object: &K,
) -> Result<(Vec<u8>, Option<Error>), Error> {
    let codec = codecs.of(agreed);
    match (codec.encode)(object, codec.release) {
        Ok(Encoded { body, losses }) => {
            let version = codec.version;
            let losses =
                (!losses.is_empty()).then(|| Error::new(ErrorKind::Lossy { version, losses }));
            Ok((body, losses))
        }
        Err(error) => Err(unencodable(codec.resource.kind(), error)),
    }
}

pub(crate) fn unencodable(what: &str, error: JsonError) -> Error {
    Error::argument(format!("the {what} cannot be written as JSON: {error}")).with_source(error)
}

/// Declares a request builder: a [`Call`] behind a type, and how its response is read.
macro_rules! builder {
    (
        $(#[$attribute:meta])*
        $builder:ident $(<$param:ident: $bound:ident $(+ $lifetime:lifetime)?>)? { $($field:ident: $type:ty),* $(,)? }
        => $output:ty, |$request:ident| $send:expr
    ) => {
        $(#[$attribute])*
        #[must_use = "a request does nothing until it is awaited or sent"]
        pub struct $builder $(<$param: $bound $(+ $lifetime)?>)? {
            pub(crate) call: $crate::verbs::call::Call,
            $(pub(crate) $field: $type,)*
        }

        impl $(<$param: $bound $(+ $lifetime)?>)? $builder $(<$param>)? {
            /// The maximum time of the request, including retries and the pauses between them; for a watch, until it
            /// is open. `None` means no limit.
            ///
            /// Defaults to the client's [`timeout`](crate::Client::timeout), 90 s unless configured.
            pub fn timeout(mut self, timeout: impl Into<Option<::std::time::Duration>>) -> Self {
                let timeout = timeout.into();
                self.call.change(|request| request.timeout = Some(timeout));
                self
            }

            /// When and how often a failed request is sent again.
            ///
            /// Defaults to the client's [`retry_policy`](crate::Client::retry_policy).
            pub fn retry_policy(mut self, policy: $crate::config::RetryPolicy) -> Self {
                self.call.change(|request| request.retry = Some(policy));
                self
            }

            /// Sends the request and returns the value together with status code, warnings and other headers.
            ///
            /// # Errors
            /// See [`Error`](crate::Error): an invalid argument, a failed connection, an error from the server, or a
            /// response that cannot be decoded.
            pub async fn send(self) -> Result<$crate::response::decode::Response<$output>, $crate::Error> {
                let $request = self;
                $send
            }
        }

        /// Sends the request and returns the value alone.
        impl $(<$param: $bound $(+ $lifetime)?>)? ::std::future::IntoFuture for $builder $(<$param>)? {
            type Output = Result<$output, $crate::Error>;
            type IntoFuture = $crate::client::BoxFuture<Self::Output>;

            fn into_future(self) -> Self::IntoFuture {
                Box::pin(async move { self.send().await.map($crate::response::decode::Response::into_inner) })
            }
        }

        impl $(<$param: $bound $(+ $lifetime)?>)? ::std::fmt::Debug for $builder $(<$param>)? {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.debug_tuple(stringify!($builder)).field(&self.call.request).finish()
            }
        }
    };
}

pub(crate) use builder;
