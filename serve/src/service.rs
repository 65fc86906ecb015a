//! The connections of a running server, and its routes.

use super::access::{Refusal, RequestOrigin};
use super::connections::{ConnectionSlot, Connections, WriteLimit};
use super::contest;
use super::formulas;
use super::handlers;
use super::http::{self, HttpError, ServerResponse};
use super::owner;
use super::server::Server;
use hyper::body::Incoming;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, ALLOW,
    CONTENT_TYPE, HeaderName, HeaderValue,
};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};

/// The time in which the headers of a request have to arrive.
const HEADER_TIME: Duration = Duration::from_secs(15);

/// The time that jobs have to end after the server was asked to end.
const END_TIME: Duration = Duration::from_millis(2500);

/// The connections of a server.
#[derive(Clone)]
pub(super) struct Service(pub(super) Arc<Server>);

impl Service {
    /// Accepts connections until `end` becomes ready. Then cancels all jobs, and returns when they
    /// have ended.
    pub(super) async fn run(self, listener: TcpListener, end: impl Future<Output = ()>) {
        let connections = Arc::new(Connections::default());
        let mut end = std::pin::pin!(end);
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = &mut end => break,
            };
            match accepted {
                Ok((stream, peer)) => {
                    let connection = connections.open();
                    tokio::spawn(self.clone().serve(stream, peer, connection));
                }
                Err(error) => {
                    // For example too many open files. Some will be closed soon.
                    tracing::warn!(%error, "a connection cannot be accepted");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
        self.0.ending.send_replace(true);
        let nets = self.0.store.list();
        nets.iter().for_each(|net| net.cancel_all());
        let all_ended = async {
            while nets.iter().any(|net| net.unfinished() > 0) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let _ = tokio::time::timeout(END_TIME, all_ended).await;
        // The last lines of open streams.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }

    /// Answers the requests of a connection until the client or the server ends it.
    async fn serve(self, stream: TcpStream, peer: SocketAddr, slot: ConnectionSlot) {
        let Ok(local) = stream.local_addr() else { return };
        let slot = Arc::new(slot);
        let of_requests = slot.clone();
        let service = hyper::service::service_fn(move |request| {
            let (service, slot) = (self.clone(), of_requests.clone());
            async move { Ok::<_, Infallible>(service.answer(request, [peer, local], &slot).await) }
        });
        let connection = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADER_TIME)
            .max_buf_size(64 << 10)
            .serve_connection(TokioIo::new(WriteLimit::new(stream)), service);
        tokio::select! {
            end = connection => {
                if let Err(error) = end {
                    // A client that goes away is no fault of the server.
                    tracing::debug!(%error, "a connection ended");
                }
            }
            () = slot.displaced() => tracing::debug!("a connection made room for a newer one"),
        }
    }

    /// Answers a request. `addresses` are the addresses of the client and of the server.
    async fn answer(
        &self,
        request: Request<Incoming>,
        addresses: [SocketAddr; 2],
        slot: &ConnectionSlot,
    ) -> ServerResponse {
        let origin = match self.0.policy.origin(request.headers()) {
            Ok(origin) => origin,
            Err(refusal) => return http::refused(&refusal.into()),
        };
        let mut response = match self.route(request, &origin, addresses, slot).await {
            Ok(response) => response,
            Err(error) => http::refused(&error),
        };
        if let RequestOrigin::Named(origin) = &origin
            && let Ok(value) = HeaderValue::from_str(origin)
        {
            let headers = response.headers_mut();
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, value);
            let policy = HeaderName::from_static("cross-origin-resource-policy");
            headers.insert(policy, HeaderValue::from_static("cross-origin"));
        }
        response
    }

    async fn route(
        &self,
        request: Request<Incoming>,
        origin: &RequestOrigin,
        [peer, local]: [SocketAddr; 2],
        slot: &ConnectionSlot,
    ) -> Result<ServerResponse, HttpError> {
        let server = &self.0;
        let (head, body) = request.into_parts();
        let path = head.uri.path().to_owned();
        let segments: Vec<&str> = path.split('/').skip(1).collect();
        let is_contest = matches!(segments[0], "tools" | "mcc");
        if let RequestOrigin::Named(origin) = origin
            && !is_contest
        {
            return Err(Refusal::OnlyContest(origin.clone()).into());
        }
        let method = &head.method;
        if method == Method::OPTIONS && is_contest {
            return Ok(preflight());
        }
        // The pages contain no data: their scripts ask for it, with the token.
        if let Some(page) = server.page.find(&segments) {
            return match *method == Method::GET || *method == Method::HEAD {
                true => Ok(page),
                false => Err(wrong_method(method, "GET")),
            };
        }
        let is_open = is_contest
            && matches!(origin, RequestOrigin::Named(_))
            && server.policy.opens_contest()
            && owner::is_own_connection(peer, local);
        if !is_open && !server.policy.has_token(&head.headers) {
            return Err(Refusal::Token.into());
        }
        slot.admit();
        let kind = head.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.unwrap_or_default().to_owned();
        let upload = server.config.limits.upload;
        match (method.as_str(), &segments[..]) {
            ("GET", ["tools", "descriptions"]) => Ok(contest::descriptions()),
            ("GET", ["tools", "list"]) => Ok(contest::tools()),
            ("GET", ["tools", tool, "examinations"]) => contest::examinations_of(tool),
            ("POST", ["mcc", net, examination, tool]) => {
                let slot = server.jobs.enter().map_err(handlers::busy)?;
                let form = http::read_body(body, upload).await?;
                let server = server.clone();
                let names = [net, examination, tool].map(|&name| name.to_owned());
                let ask = move || contest::ask(&server, &names, &kind, &form, slot);
                tokio::task::spawn_blocking(ask).await.unwrap_or_else(|error| {
                    tracing::error!(%error, "a form cannot be read");
                    Err(HttpError::new(StatusCode::INTERNAL_SERVER_ERROR, "an internal error"))
                })
            }
            ("GET", ["api", "about"]) => Ok(handlers::about(server)),
            ("GET", ["api", "nets"]) => Ok(handlers::list(server)),
            ("POST", ["api", "nets"]) => {
                expect_kind(&kind, "application/octet-stream")?;
                handlers::upload(server, head.uri.query().unwrap_or_default(), body).await
            }
            ("GET", ["api", "nets", id]) => blocking(|| handlers::show(server, id)),
            ("DELETE", ["api", "nets", id]) => handlers::remove(server, id),
            ("GET", ["api", "nets", id, "model"]) => handlers::model(server, id),
            ("GET", ["api", "nets", id, "events"]) => {
                blocking(|| handlers::events(server, id, head.uri.query()))
            }
            ("DELETE", ["api", "nets", id, "events"]) => {
                handlers::close_page(server, id, head.uri.query())
            }
            ("POST", ["api", "nets", id, "jobs"]) => {
                expect_kind(&kind, "application/json")?;
                let request = http::read_body(body, MOST_REQUEST).await?;
                handlers::ask(server, id, &request)
            }
            ("POST", ["api", "nets", id, "formulas"]) => {
                expect_kind(&kind, "application/json")?;
                let request = http::read_body(body, MOST_REQUEST).await?;
                formulas::read(server, id, &request).await
            }
            ("POST", ["api", "nets", id, "jobs", number, "cancel"]) => {
                handlers::cancel(server, id, number)
            }
            ("GET", ["api", "nets", id, "jobs", number]) => handlers::job(server, id, number),
            ("GET", ["api", "nets", id, "jobs", number, file]) => {
                blocking(|| handlers::job_file(server, id, number, file))
            }
            (_, ["tools" | "mcc" | "api", ..]) => Err(HttpError::new(
                StatusCode::NOT_FOUND,
                format!("no {method} request has this path; docs/serve.md lists all"),
            )),
            _ => Err(HttpError::not_found("this page")),
        }
    }
}

/// Runs a function that reads large files, so that no other request waits for it.
fn blocking<T>(read: impl FnOnce() -> T) -> T {
    tokio::task::block_in_place(read)
}

/// The largest request of a job in bytes.
const MOST_REQUEST: usize = 256 << 10;

/// Returns an error if a body is not of the expected type. Other pages cannot send these types
/// without a preflight request, which is refused.
fn expect_kind(kind: &str, expected: &str) -> Result<(), HttpError> {
    let bare = kind.split(';').next().unwrap_or_default().trim();
    match bare.eq_ignore_ascii_case(expected) {
        true => Ok(()),
        false => Err(HttpError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            format!("expected the content type {expected}, got `{bare}`"),
        )),
    }
}

fn wrong_method(method: &Method, expected: &str) -> HttpError {
    HttpError::new(
        StatusCode::METHOD_NOT_ALLOWED,
        format!("expected a {expected} request, got {method}"),
    )
}

/// Answers the question of a browser whether a page of a named origin may send a request.
fn preflight() -> ServerResponse {
    let mut response = http::text("text/plain; charset=utf-8", "");
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST"));
    headers.insert(
        ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static("authorization, content-type"),
    );
    headers.insert(ALLOW, HeaderValue::from_static("GET, POST, OPTIONS"));
    let private = HeaderName::from_static("access-control-allow-private-network");
    headers.insert(private, HeaderValue::from_static("true"));
    response
}

impl From<Refusal> for HttpError {
    fn from(refusal: Refusal) -> Self {
        let status = match &refusal {
            Refusal::Host(_) => StatusCode::MISDIRECTED_REQUEST,
            Refusal::Origin(_) | Refusal::OnlyContest(_) => StatusCode::FORBIDDEN,
            Refusal::Token => StatusCode::UNAUTHORIZED,
        };
        HttpError::new(status, refusal.to_string())
    }
}
