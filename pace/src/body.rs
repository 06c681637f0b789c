//! A response body that holds the place of its request.

use crate::slot::Slot;
use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

pin_project! {
    /// The body of a response. The request is in flight until the body has ended or is dropped.
    #[derive(Debug)]
    pub struct PacedBody<C> {
        #[pin]
        body: C,
        slot: Option<Slot>,
    }
}

impl<C> PacedBody<C> {
    pub(crate) fn new(body: C, slot: Option<Slot>) -> Self {
        Self { body, slot }
    }

    /// The body alone. The request is no longer in flight.
    pub fn into_inner(self) -> C {
        self.body
    }
}

impl<C: Body> Body for PacedBody<C> {
    type Data = C::Data;
    type Error = C::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<C::Data>, C::Error>>> {
        let mut this = self.project();
        let frame = ready!(this.body.as_mut().poll_frame(cx));
        if !matches!(frame, Some(Ok(_))) || this.body.is_end_stream() {
            *this.slot = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
