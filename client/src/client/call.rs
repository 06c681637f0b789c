//! What every request builder is made of.

use super::Client;
use super::error::{Error, Kind};
use super::request::HttpRequest;
use super::response::{Decoded, Decoder, Response};
use super::wire::{Encoded, Wire};
use crate::Resource;
use crate::config::RetryPolicy;
use crate::convert::Loss;
use http::Method;
use serde::Serialize;
use serde_json::Error as JsonError;
use std::time::Duration;

/// A request being put together, or the first error in its arguments.
pub(crate) struct Call<K: Resource> {
    pub(crate) client: Client,
    pub(crate) wire: Wire<K>,
    pub(crate) request: Result<HttpRequest, Error>,
    /// What the body lacks of the object that it was made from.
    losses: Vec<Loss>,
    pub(crate) allow_loss: bool,
}

impl<K: Resource> Call<K> {
    pub(crate) fn new(
        client: Client,
        wire: Wire<K>,
        method: Method,
        path: Result<String, Error>,
    ) -> Self {
        let request = path.map(|path| HttpRequest::new(method, path));
        Self {
            client,
            wire,
            request,
            losses: Vec::new(),
            allow_loss: false,
        }
    }

    pub(crate) fn with_request(client: Client, wire: Wire<K>, request: HttpRequest) -> Self {
        Self {
            client,
            wire,
            request: Ok(request),
            losses: Vec::new(),
            allow_loss: false,
        }
    }

    /// Sets a query parameter.
    pub(crate) fn set(&mut self, name: &'static str, value: impl Into<String>) {
        if let Ok(request) = &mut self.request {
            request.set(name, value);
        }
    }

    /// Notes that a server refuses the request when it has been carried out already.
    pub(crate) fn guard(&mut self) {
        if let Ok(request) = &mut self.request {
            request.guarded = true;
        }
    }

    /// Limits the time that the request may take.
    pub(crate) fn timeout(&mut self, timeout: Option<Duration>) {
        if let Ok(request) = &mut self.request {
            request.timeout = Some(timeout);
        }
    }

    /// Sets what becomes of the request when it fails.
    pub(crate) fn retry_policy(&mut self, policy: RetryPolicy) {
        if let Ok(request) = &mut self.request {
            request.retry = Some(policy);
        }
    }

    /// Makes the request fail when it is sent, unless something before already does.
    pub(crate) fn refuse(&mut self, error: Error) {
        if self.request.is_ok() {
            self.request = Err(error);
        }
    }

    /// Takes an object as the body.
    pub(crate) fn object(mut self, content_type: &'static str, object: &K) -> Self {
        match (self.wire.encode)(object, self.wire.abilities) {
            Ok(Encoded { body, losses }) => {
                self.losses = losses;
                self.request = self.request.map(|request| request.body(content_type, body));
            }
            Err(error) => self.refuse(unencodable(K::KIND, error)),
        }
        self
    }

    /// Takes any value as the body.
    pub(crate) fn value<T: Serialize + ?Sized>(
        mut self,
        content_type: &'static str,
        value: &T,
    ) -> Self {
        match serde_json::to_vec(value) {
            Ok(body) => self.request = self.request.map(|request| request.body(content_type, body)),
            Err(error) => self.refuse(unencodable("body", error)),
        }
        self
    }

    /// The request as it goes over the wire; refuses to lose anything silently.
    pub(crate) fn checked(self) -> Result<(Client, Wire<K>, HttpRequest), Error> {
        let request = self.request?;
        if self.losses.is_empty() || self.allow_loss {
            return Ok((self.client, self.wire, request));
        }
        let kind = Kind::Lossy {
            version: self.wire.version,
            losses: self.losses,
        };
        Err(Error::new(kind).at(&request.line()))
    }

    /// Sends the request and decodes the answer.
    pub(crate) async fn send<T>(
        self,
        what: String,
        decode: impl FnOnce(&Wire<K>, &[u8]) -> Result<Decoded<T>, JsonError>,
    ) -> Result<Response<T>, Error> {
        let (client, wire, request) = self.checked()?;
        let decoder = Decoder {
            what,
            decode: |body: &[u8]| decode(&wire, body),
        };
        client
            .send(request, decoder)
            .await
            .map_err(|error| wire.map_error(error))
    }

    /// Sends the request; the answer is an object.
    pub(crate) async fn send_for_object(self) -> Result<Response<K>, Error> {
        let what = format!("{} ({})", K::KIND, self.wire.version);
        self.send(what, |wire, body| (wire.decode)(body)).await
    }
}

fn unencodable(what: &str, error: JsonError) -> Error {
    Error::argument(format!("the {what} cannot be written as JSON: {error}")).with_source(error)
}

/// Declares how a builder is sent: `.send()` for everything, `.await` for the value alone.
macro_rules! sendable {
    ($builder:ident => $output:ty, |$call:ident| $send:expr) => {
        impl<K: $crate::Resource> $builder<K> {
            /// Sends the request; the answer comes with its status code, warnings and other headers.
            ///
            /// # Errors
            /// See [`Error`](crate::Error): an argument that cannot be sent, a connection that fails, an answer that is
            /// an error or does not decode.
            pub async fn send(self) -> Result<$crate::client::Response<$output>, $crate::Error> {
                let $call = self.call;
                $send
            }
        }

        $crate::client::call::sendable!(@await $builder => $output);
    };
    (@await $builder:ident => $output:ty) => {
        /// Sends the request and gives the value alone.
        impl<K: $crate::Resource> ::std::future::IntoFuture for $builder<K> {
            type Output = Result<$output, $crate::Error>;
            type IntoFuture = $crate::client::BoxFuture<Self::Output>;

            fn into_future(self) -> Self::IntoFuture {
                Box::pin(async move { self.send().await.map($crate::client::Response::into_inner) })
            }
        }
    };
}

/// Declares a builder: its documentation, name, and how it is sent.
macro_rules! builder {
    ($(#[$attribute:meta])* $builder:ident => $output:ty, |$call:ident| $send:expr) => {
        $(#[$attribute])*
        #[must_use = "a request does nothing until it is awaited or sent"]
        pub struct $builder<K: $crate::Resource> {
            pub(crate) call: $crate::client::call::Call<K>,
        }

        impl<K: $crate::Resource> ::std::fmt::Debug for $builder<K> {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.debug_tuple(stringify!($builder)).field(&self.call.request).finish()
            }
        }

        $crate::client::params::common_setters!($builder);
        $crate::client::call::sendable!($builder => $output, |$call| $send);
    };
}

pub(crate) use {builder, sendable};
