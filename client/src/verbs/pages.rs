//! Lists as streams of pages, and of objects.

use super::call::{Call, CheckedCall};
use super::list_progress::ListProgress;
use super::page_token::PageToken;
use crate::error::Error;
use crate::negotiate::codec::{Codec, Codecs};
use crate::request::http_request::HttpRequest;
use crate::response::decode::Response;
use crate::transport::BoxFuture;
use crate::{List, Resource};
use futures_core::Stream;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The default size of a page.
const PAGE: &str = "500";

/// The pages of a list, made by [`ListRequest::pages`](super::ListRequest::pages).
///
/// All pages come from the same resource version. If the server no longer has it, the stream ends with an error for which
/// [`is_expired`](Error::is_expired) is true: list again, or continue in the current state with the error's
/// [`continue_token`](Error::continue_token). See [chunking]. A list without an end ends with an error too
/// ([`ListProgress`](crate::client::ListProgress)).
///
/// The request's timeout and retries apply to each page; `tokio::time::timeout` limits the whole list. Dropping the stream
/// cancels the request for the next page.
///
/// [chunking]: https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
#[must_use = "a stream does nothing until it is polled"]
pub struct Pages<K: Resource> {
    codecs: Codecs<K>,
    /// The request for the next page; `None` after the last one, and while it is pending.
    next: Option<Result<CheckedCall, Error>>,
    pending: Option<BoxFuture<Sent<K>>>,
    token: Option<PageToken>,
    progress: ListProgress,
}

/// The request for a page, and its result.
type Sent<K> = (CheckedCall, Result<List<K>, Error>);

impl<K: Resource> Pages<K> {
    pub(crate) fn new(mut call: Call, codecs: Codecs<K>) -> Self {
        call.change(|request| {
            if request.get("limit").is_none() {
                request.set("limit", PAGE);
            }
        });
        Self {
            codecs,
            token: call.request.as_ref().ok().and_then(PageToken::of),
            next: Some(call.checked()),
            pending: None,
            progress: ListProgress::default(),
        }
    }

    /// The next page; `None` after the last page and after an error.
    ///
    /// Cancel safe: after its future was dropped, the next call waits for the same page.
    pub async fn next(&mut self) -> Option<Result<List<K>, Error>> {
        std::future::poll_fn(|cx| self.poll(cx)).await
    }

    /// The place where the next page begins, with which another process can
    /// [continue](super::ListRequest::page_token) the list. `None` before the first page and after the last.
    ///
    /// After an error it is the place of the page that failed.
    ///
    /// ```no_run
    /// use k8s_flowcontrol::client::PageToken;
    ///
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let schemas = client.flow_schemas();
    /// let mut pages = schemas.list().label_selector("team=a").limit(100).pages();
    /// let page = pages.next().await.transpose()?;
    /// let stored = pages.page_token().map(|token| token.to_string());
    ///
    /// // In another process:
    /// if let Some(stored) = stored {
    ///     let token: PageToken = stored.parse()?;
    ///     let rest = schemas.list().page_token(&token).pages();
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn page_token(&self) -> Option<PageToken> {
        self.token.clone()
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<List<K>, Error>>> {
        let pending = match &mut self.pending {
            Some(pending) => pending,
            None => match self.next.take() {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                Some(Ok(mut call)) => {
                    let codecs = self.codecs.clone();
                    self.pending.insert(Box::pin(async move {
                        let sent = call.send_in(&codecs, Codec::list).await;
                        (call, sent.map(Response::into_inner))
                    }))
                }
            },
        };
        let (mut call, page) = ready!(pending.as_mut().poll(cx));
        self.pending = None;
        let Ok(list) = &page else {
            return Poll::Ready(Some(page));
        };
        let token = list.metadata.r#continue.as_deref();
        let items = list.items.len() + list.invalid.len();
        match self
            .progress
            .limited_page(token, items, limit(&call.request))
        {
            Ok(true) => {
                follow(&mut call.request, token.unwrap_or_default().to_owned());
                self.token = PageToken::of(&call.request);
                self.next = Some(Ok(call));
            }
            Ok(false) => self.token = None,
            Err(endless_list) => {
                return Poll::Ready(Some(Err(endless::<K>(&endless_list.to_string()))));
            }
        }
        Poll::Ready(Some(page))
    }
}

/// The most items of a page. A list from the cache of a server has no limit.
fn limit(request: &HttpRequest) -> usize {
    let limit = request.get("limit").and_then(|limit| limit.parse().ok());
    match request.get("resourceVersion") {
        Some("0") => usize::MAX,
        _ => limit.unwrap_or(usize::MAX),
    }
}

fn endless<K: Resource>(message: &str) -> Error {
    Error::decode(K::LIST_KIND, message)
}

/// Turns the request for a page into the request for the next. The token implies the resource version.
fn follow(request: &mut HttpRequest, token: String) {
    request.set("continue", token);
    request.unset("resourceVersion");
    request.unset("resourceVersionMatch");
}

impl<K: Resource> Stream for Pages<K> {
    type Item = Result<List<K>, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll(cx)
    }
}

impl<K: Resource> fmt::Debug for Pages<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages")
            .field(
                "next",
                &self
                    .next
                    .as_ref()
                    .map(|next| next.as_ref().map(|call| &call.request)),
            )
            .finish_non_exhaustive()
    }
}

/// The objects of a list, made by [`ListRequest::items`](super::ListRequest::items).
///
/// Errors, timeouts and cancellation are as in [`Pages`].
#[must_use = "a stream does nothing until it is polled"]
pub struct Items<K: Resource> {
    pages: Pages<K>,
    page: std::vec::IntoIter<K>,
}

impl<K: Resource> Items<K> {
    pub(crate) fn new(pages: Pages<K>) -> Self {
        Self {
            pages,
            page: Vec::new().into_iter(),
        }
    }

    /// The next object; `None` after the last object and after an error.
    pub async fn next(&mut self) -> Option<Result<K, Error>> {
        std::future::poll_fn(|cx| self.poll(cx)).await
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<K, Error>>> {
        loop {
            if let Some(item) = self.page.next() {
                return Poll::Ready(Some(Ok(item)));
            }
            match ready!(self.pages.poll(cx)) {
                // A page may be empty even if it is not the last.
                Some(Ok(page)) => self.page = page.items.into_iter(),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }
}

// No field is pinned.
impl<K: Resource> Unpin for Items<K> {}

impl<K: Resource> Stream for Items<K> {
    type Item = Result<K, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll(cx)
    }
}

impl<K: Resource> fmt::Debug for Items<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items")
            .field("pages", &self.pages)
            .finish_non_exhaustive()
    }
}
