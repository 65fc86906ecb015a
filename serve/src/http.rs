//! Requests and responses: bodies, headers, and errors as JSON.

use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use serde::Serialize;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc;

/// A body that is sent at once or piece by piece.
pub(super) enum ResponseBody {
    Whole(Option<Bytes>),
    Pieces(mpsc::Receiver<Bytes>),
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = match self.get_mut() {
            ResponseBody::Whole(bytes) => Poll::Ready(bytes.take()),
            ResponseBody::Pieces(pieces) => pieces.poll_recv(context),
        };
        piece.map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, ResponseBody::Whole(None))
    }
}

/// A response of the server.
pub(super) type ServerResponse = Response<ResponseBody>;

/// A request that is refused or failed, with the reason in words.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(super) struct HttpError {
    pub(super) status: StatusCode,
    pub(super) message: String,
}

impl HttpError {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        HttpError { status, message: message.into() }
    }

    pub(super) fn not_found(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("{what} does not exist"))
    }

    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }
}

impl From<std::io::Error> for HttpError {
    fn from(error: std::io::Error) -> Self {
        tracing::error!(%error, "a file of the server");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, format!("a file of the server: {error}"))
    }
}

/// Pages may load scripts and styles of this server only, and connect to this server only. Nobody
/// may show them inside another page.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
     connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'";

/// Headers of every response.
const HEADERS: [(&str, &str); 6] = [
    ("content-security-policy", CONTENT_SECURITY_POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("vary", "Origin"),
];

/// Returns a response with the headers that every response has.
pub(super) fn response(status: StatusCode, kind: &str, body: ResponseBody) -> ServerResponse {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(kind) = HeaderValue::from_str(kind) {
        headers.insert(CONTENT_TYPE, kind);
    }
    response
}

/// Returns a response with a text of some type.
pub(super) fn text(kind: &str, text: impl Into<Bytes>) -> ServerResponse {
    response(StatusCode::OK, kind, ResponseBody::Whole(Some(text.into())))
}

/// Returns a response with data as JSON.
pub(super) fn json(status: StatusCode, data: &impl Serialize) -> ServerResponse {
    match serde_json::to_vec(data) {
        Ok(bytes) => response(status, "application/json", ResponseBody::Whole(Some(bytes.into()))),
        Err(error) => refused(&HttpError::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            format!("an answer cannot be written as JSON: {error}"),
        )),
    }
}

/// Returns a response to download under a name. The name has to be plain ASCII.
pub(super) fn download(kind: &str, name: &str, bytes: Vec<u8>) -> ServerResponse {
    let mut response = text(kind, bytes);
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        response.headers_mut().insert(CONTENT_DISPOSITION, value);
    }
    response
}

/// Returns the response to a refused request: `{"error": "…"}`.
pub(super) fn refused(error: &HttpError) -> ServerResponse {
    let mut response = json(error.status, &serde_json::json!({ "error": error.message }));
    if error.status == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(hyper::header::RETRY_AFTER, HeaderValue::from_static("5"));
    }
    response
}

/// The time in which a request's body has to arrive.
const BODY_TIME: Duration = Duration::from_secs(60);

/// Reads the body of a request, and passes its pieces on.
///
/// # Errors
/// The body has more than `most` bytes, takes longer than a minute, or breaks off; or `on_piece`
/// fails.
pub(super) async fn read_pieces(
    body: Incoming,
    most: usize,
    on_piece: &mut (dyn FnMut(&[u8]) -> std::io::Result<()> + Send),
) -> Result<usize, HttpError> {
    let too_long = || {
        let message = format!(
            "the upload is larger than {most} bytes: compress the file with gzip, or start the \
             server with a larger --upload"
        );
        HttpError::new(StatusCode::PAYLOAD_TOO_LARGE, message)
    };
    if body.size_hint().lower() > most as u64 {
        return Err(too_long());
    }
    let read = async {
        let mut body = std::pin::pin!(body);
        let mut length = 0;
        while let Some(frame) =
            std::future::poll_fn(|context| body.as_mut().poll_frame(context)).await
        {
            let frame = frame.map_err(|error| {
                HttpError::bad_request(format!("the upload broke off: {error}"))
            })?;
            if let Ok(data) = frame.into_data() {
                length += data.len();
                if length > most {
                    return Err(too_long());
                }
                on_piece(&data)?;
            }
        }
        Ok(length)
    };
    tokio::time::timeout(BODY_TIME, read).await.unwrap_or_else(|_| {
        Err(HttpError::new(StatusCode::REQUEST_TIMEOUT, "the upload took longer than 60 s"))
    })
}

/// Reads the body of a request into memory. Errors are those of [`read_pieces`].
pub(super) async fn read_body(body: Incoming, most: usize) -> Result<Vec<u8>, HttpError> {
    let mut all = Vec::new();
    let mut append = |piece: &[u8]| {
        all.extend_from_slice(piece);
        Ok(())
    };
    read_pieces(body, most, &mut append).await?;
    Ok(all)
}
