//! The body of a watch, read by a task ahead of the events.

use crate::transport::{Body, TransportError};
use bytes::Bytes;
use http_body::Body as _;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::AbortHandle;

/// The bytes that may wait for the reader; then the task stops reading. No chunk is empty, so this bounds their number
/// too.
const ROOM: usize = 256 * 1024;

type Chunk = Result<Bytes, TransportError>;

/// The chunks of a body, in order, read from the connection by a separate task.
///
/// Polling the body directly would cost two task switches per chunk.
pub(crate) struct ReadAhead {
    chunks: UnboundedReceiver<Chunk>,
    /// Bytes of `ROOM` that no waiting chunk takes.
    room: Arc<Semaphore>,
    task: AbortHandle,
}

impl ReadAhead {
    /// Starts reading.
    ///
    /// # Panics
    /// Outside a tokio runtime; a body only exists inside one.
    pub(crate) fn new(body: Body) -> Self {
        let room = Arc::new(Semaphore::new(ROOM));
        let (sender, chunks) = unbounded_channel();
        let task = tokio::spawn(read(body, sender, Arc::clone(&room))).abort_handle();
        Self { chunks, room, task }
    }

    /// The next chunk; `None` at the end, and after an error.
    pub(crate) fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Chunk>> {
        let chunk = ready!(self.chunks.poll_recv(cx));
        self.room
            .add_permits(chunk.as_ref().map_or(0, size) as usize);
        Poll::Ready(chunk)
    }
}

/// Stops reading, which closes the connection or returns it to the pool.
impl Drop for ReadAhead {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn read(mut body: Body, chunks: UnboundedSender<Chunk>, room: Arc<Semaphore>) {
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let chunk = match frame.map(http_body::Frame::into_data) {
            // Empty chunks do not count against the limit, so their number would be unbounded.
            Ok(Ok(data)) if data.is_empty() => continue,
            Ok(Ok(data)) => Ok(data),
            // Trailers.
            Ok(Err(_)) => continue,
            Err(error) => Err(error),
        };
        // The reader releases the permits.
        match room.acquire_many(size(&chunk)).await {
            Ok(taken) => taken.forget(),
            Err(_) => return,
        }
        if chunks.send(chunk).is_err() {
            return;
        }
    }
}

/// The room that a chunk takes. A chunk larger than `ROOM` takes all of it.
fn size(chunk: &Chunk) -> u32 {
    let bytes = chunk.as_ref().map_or(0, Bytes::len);
    // ROOM is less than `u32::MAX`.
    bytes.min(ROOM) as u32
}
