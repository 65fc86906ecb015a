//! The connections of a server, limited so that no client keeps others out.
//!
//! A connection is *new* until a request on it has shown the token. If there are too many new
//! connections, the oldest one is ended. So a client without the token cannot fill the server.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::Sleep;

/// The largest number of connections without a token. A page loads its parts over at most six.
const MOST_NEW: usize = 128;

/// The largest number of connections with the token.
const MOST_ADMITTED: usize = 384;

/// The time in which a client has to take some bytes.
const WRITE_TIME: Duration = Duration::from_secs(30);

/// The connections of a server.
pub(super) struct Connections {
    /// The connections without a token, the oldest first.
    new: Mutex<VecDeque<Arc<Notify>>>,
    admitted: Arc<Semaphore>,
}

impl Default for Connections {
    fn default() -> Self {
        Connections { new: Mutex::default(), admitted: Arc::new(Semaphore::new(MOST_ADMITTED)) }
    }
}

/// A connection that is counted until it is dropped.
pub(super) struct ConnectionSlot {
    connections: Arc<Connections>,
    /// Notified when the connection has to end.
    displaced: Arc<Notify>,
    permit: Mutex<Option<OwnedSemaphorePermit>>,
}

impl Connections {
    /// Counts a new connection. Ends the oldest new connection if there are too many.
    pub(super) fn open(self: &Arc<Self>) -> ConnectionSlot {
        let displaced = Arc::new(Notify::new());
        self.edit(|new| {
            new.push_back(displaced.clone());
            if new.len() > MOST_NEW
                && let Some(oldest) = new.pop_front()
            {
                oldest.notify_one();
            }
        });
        ConnectionSlot { connections: self.clone(), displaced, permit: Mutex::default() }
    }

    fn edit(&self, change: impl FnOnce(&mut VecDeque<Arc<Notify>>)) {
        change(&mut self.new.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl ConnectionSlot {
    /// Protects the connection from newer ones, because it has shown the token. Has no effect if
    /// too many connections are protected already.
    pub(super) fn admit(&self) {
        let mut permit = self.permit.lock().unwrap_or_else(PoisonError::into_inner);
        if permit.is_none() {
            *permit = self.connections.admitted.clone().try_acquire_owned().ok();
            if permit.is_some() {
                self.leave_new();
            }
        }
    }

    /// Waits until the connection has to end, because there are too many newer ones.
    pub(super) async fn displaced(&self) {
        self.displaced.notified().await;
    }

    fn leave_new(&self) {
        self.connections.edit(|new| new.retain(|other| !Arc::ptr_eq(other, &self.displaced)));
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.leave_new();
    }
}

/// A stream on which writing fails if the other side takes no bytes for [`WRITE_TIME`].
pub(super) struct WriteLimit {
    stream: TcpStream,
    /// The timer of a write that waits.
    timer: Option<Pin<Box<Sleep>>>,
}

impl WriteLimit {
    pub(super) fn new(stream: TcpStream) -> Self {
        WriteLimit { stream, timer: None }
    }

    /// Calls `write`, and fails if it has waited for too long.
    fn limited<T>(
        &mut self,
        context: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut TcpStream>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if let Poll::Ready(result) = write(Pin::new(&mut self.stream), context) {
            self.timer = None;
            return Poll::Ready(result);
        }
        let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep(WRITE_TIME)));
        ready!(timer.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for WriteLimit {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for WriteLimit {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.limited(context, |stream, context| stream.poll_write(context, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.limited(context, |stream, context| stream.poll_write_vectored(context, pieces))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.limited(context, |stream, context| stream.poll_flush(context))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.limited(context, |stream, context| stream.poll_shutdown(context))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_connections_displace_the_oldest_but_none_with_the_token() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let connections = Arc::new(Connections::default());
            let admitted = connections.open();
            admitted.admit();
            let all: Vec<ConnectionSlot> = (0..=MOST_NEW).map(|_| connections.open()).collect();
            let soon = Duration::from_millis(20);
            let is_displaced =
                async |slot: &ConnectionSlot| tokio::time::timeout(soon, slot.displaced()).await;
            assert!(is_displaced(&admitted).await.is_err());
            assert!(is_displaced(&all[0]).await.is_ok());
            assert!(is_displaced(&all[1]).await.is_err());
            drop(all);
            assert!(connections.new.lock().unwrap().is_empty());
        });
    }
}
