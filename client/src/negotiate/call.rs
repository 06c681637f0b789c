//! A request in a negotiated version: written again in another one when the server removes its own.

use super::negotiation::{Agreed, Negotiation, Renewed};
use crate::error::{Error, ErrorKind};
use crate::request::http_request::{HttpRequest, remaining};
use crate::request::path::in_version;
use crate::send::client::Client;
use std::sync::Arc;
use tokio::time::{Instant, timeout_at};

/// How often a request is sent again. More than once only if the servers behind one address differ, as in the middle of an
/// upgrade.
const MAX_REPEATS: u32 = 3;

/// The body in a version, and the error that its losses are.
type Encoded = (Vec<u8>, Option<Error>);
type Encode = Box<dyn Fn(Agreed) -> Result<Encoded, Error> + Send + Sync>;

/// The version of a request, and everything to write the request in another one.
pub(crate) struct NegotiatedCall {
    negotiation: Arc<Negotiation>,
    agreed: Agreed,
    /// Whether the request has a meaning in its own version only.
    is_pinned: bool,
    /// Writes the body, if that is an object.
    encode: Option<Encode>,
    allows_loss: bool,
    repeats: u32,
    /// The end of the time for the request and its repetitions. Set when it is sent first.
    deadline: Option<Option<Instant>>,
}

impl NegotiatedCall {
    /// A request in the pinned version, else in the current one.
    pub(crate) fn new(negotiation: Arc<Negotiation>, pinned: Option<Agreed>) -> Self {
        Self {
            agreed: pinned.unwrap_or_else(|| negotiation.current()),
            is_pinned: pinned.is_some(),
            negotiation,
            encode: None,
            allows_loss: false,
            repeats: 0,
            deadline: None,
        }
    }

    pub(crate) fn agreed(&self) -> Agreed {
        self.agreed
    }

    pub(crate) fn encode_with(
        &mut self,
        encode: impl Fn(Agreed) -> Result<Encoded, Error> + Send + Sync + 'static,
    ) {
        self.encode = Some(Box::new(encode));
    }

    pub(crate) fn allow_loss(&mut self) {
        self.allows_loss = true;
    }

    /// Rewrites the request, which is about to be sent, if another one has led to a new version meanwhile.
    pub(crate) fn update(
        &mut self,
        client: &Client,
        request: &mut HttpRequest,
    ) -> Result<Agreed, Error> {
        let limit = request.timeout.unwrap_or(client.timeout());
        self.deadline
            .get_or_insert_with(|| limit.and_then(|limit| Instant::now().checked_add(limit)));
        let current = self.negotiation.current();
        if !self.is_pinned && current.version != self.agreed.version {
            self.change(request, current)?;
        }
        Ok(self.agreed)
    }

    /// Prepares the request to be sent again, unless `error` has another cause than the version.
    ///
    /// A 404 that names no object comes from a server that does not know the path, so that it has had no effect.
    pub(crate) async fn renew(
        &mut self,
        client: &Client,
        request: &mut HttpRequest,
        error: Error,
    ) -> Result<(), Error> {
        if !error.lacks_path() || error.may_have_taken_effect() {
            return Err(error);
        }
        let renewal = self.negotiation.renew(client, self.agreed);
        let deadline = self.deadline.flatten();
        let renewed = match deadline {
            Some(deadline) => match timeout_at(deadline, renewal).await {
                Ok(renewed) => renewed,
                Err(_elapsed) => return Err(error),
            },
            None => renewal.await,
        };
        self.repeats += 1;
        match renewed {
            Renewed::NotServed(not_served) => return Err(error.with_not_served(not_served)),
            _ if self.repeats > MAX_REPEATS => {
                let unknown = self.negotiation.not_served(self.agreed, None);
                return Err(error.with_not_served(unknown));
            }
            Renewed::Changed(agreed) => self.change(request, agreed)?,
            Renewed::Unchanged => {}
        }
        if let Some(deadline) = deadline {
            request.timeout = Some(Some(remaining(deadline)));
        }
        Ok(())
    }

    fn change(&mut self, request: &mut HttpRequest, agreed: Agreed) -> Result<(), Error> {
        let (from, to) = (self.agreed.version.as_str(), agreed.version.as_str());
        if self.is_pinned || request.get("continue").is_some() {
            // Objects of both versions do not belong into one list or copy.
            return Err(Error::new(ErrorKind::VersionChanged { from, to }).at(&request.line()));
        }
        request.path = in_version(&request.path, to);
        self.agreed = agreed;
        if let Some(encode) = &self.encode {
            let (body, losses) = encode(agreed)?;
            if let Some(losses) = losses.filter(|_| !self.allows_loss) {
                return Err(losses.at(&request.line()));
            }
            request.body = body.into();
        }
        Ok(())
    }
}
