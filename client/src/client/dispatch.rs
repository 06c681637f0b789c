//! From a request to its answer.

use super::body::collect;
use super::connection::Client;
use super::error::{Error, Place};
use super::request::HttpRequest;
use super::response::{self, Decoded, Decoder, Head, Response};
use super::transport::Body;

impl Client {
    /// Sends a request and reads the whole answer.
    pub(crate) async fn send<T, F>(
        &self,
        request: HttpRequest,
        decoder: Decoder<F>,
    ) -> Result<Response<T>, Error>
    where
        F: FnOnce(&[u8]) -> Result<Decoded<T>, serde_json::Error>,
    {
        let (place, head, body) = self.open(request).await?;
        let body = collect(body, self.config().max_response_size())
            .await
            .map_err(|error| error.at(&place).with_head(head.clone()))?;
        response::read(&place, head, &body, decoder)
    }

    /// Sends a request and returns when the answer begins; an answer other than 2xx is an error.
    pub(crate) async fn open_stream(
        &self,
        request: HttpRequest,
    ) -> Result<(Place, Head, Body), Error> {
        let (place, head, body) = self.open(request).await?;
        if head.is_success() {
            return Ok((place, head, body));
        }
        let body = collect(body, self.config().max_response_size())
            .await
            .map_err(|error| error.at(&place).with_head(head.clone()))?;
        Err(response::failure(head, &body).at(&place))
    }

    async fn open(&self, request: HttpRequest) -> Result<(Place, Head, Body), Error> {
        let place = Place {
            method: request.method.clone(),
            path: request.path.clone(),
        };
        let answer = self
            .execute(&request)
            .await
            .map_err(|error| error.at(&place))?;
        let (parts, body) = answer.into_parts();
        let head = Head::read(parts.status, &parts.headers);
        if let Some(handler) = &self.options.on_warning {
            head.warnings.iter().for_each(|warning| handler(warning));
        }
        Ok((place, head, body))
    }
}
