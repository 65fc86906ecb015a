//! `parikh serve`: a local web page for nets, questions and answers.
//!
//! This crate knows HTTP, queues and processes. It knows no net and no question: every upload is
//! read, and every job is run, by the program `parikh` in a process of its own. So the operating
//! system enforces the limits on time and memory, and no upload can bring the server down.
//!
//! ```text
//! browser ─▶ service (routes, `access`) ─▶ handlers ─▶ queue ─▶ process: parikh check … --format json
//!    ▲                                        │                     │ writes
//!    └────────── events ◀── files of the job ─┴─ store (DIR) ◀──────┘
//! ```
//!
//! `contest` answers the protocol of MCC-server, for the editor PetriVizu.

mod access;
mod archive;
mod config;
mod connections;
mod contest;
mod events;
mod files;
mod formulas;
mod handlers;
mod http;
mod jobs;
mod multipart;
mod net;
mod owner;
mod page;
mod process;
mod queue;
mod server;
mod service;
mod store;

pub use config::{PageParts, ServeConfig, ServeLimits};
pub use process::end_with_server;
pub use store::StoreError;

use access::AccessPolicy;
use page::Page;
use queue::JobQueue;
use server::Server;
use service::Service;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// The reason why a server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is in use, or does not belong to this machine.
    #[error("cannot listen on {address}: {error}; choose another port with --port")]
    Address {
        /// The address.
        address: SocketAddr,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The directory cannot be used.
    #[error(transparent)]
    Directory(#[from] StoreError),
    /// The token is too short to be a secret.
    #[error(
        "the token has fewer than {SHORTEST_TOKEN} characters, or other characters than letters, digits, `-` and `_`"
    )]
    Token,
    /// The operating system refuses threads, signals or random numbers.
    #[error("the operating system: {0}")]
    System(#[from] io::Error),
}

/// The number of characters of the shortest token.
const SHORTEST_TOKEN: usize = 16;

/// Returns an address that a browser on this machine can open: `0.0.0.0` and `[::]` mean all
/// addresses of the machine.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

/// Serves until the process gets SIGINT, SIGTERM or SIGHUP. `on_start` gets the address of the
/// page, with its token, when the server accepts connections.
///
/// # Errors
/// The server cannot start.
pub fn run(config: ServeConfig, on_start: &mut dyn FnMut(&str)) -> Result<(), ServeError> {
    let token = match &config.token {
        Some(token) => token.clone(),
        None => access::random_token()?,
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if token.len() < SHORTEST_TOKEN || !token.chars().all(is_plain) {
        return Err(ServeError::Token);
    }
    let store = Store::open(&config.directory)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let end = runtime.block_on(async {
        let listener = TcpListener::bind(config.address)
            .await
            .map_err(|error| ServeError::Address { address: config.address, error })?;
        let address = listener.local_addr()?;
        let policy = AccessPolicy {
            token: token.clone(),
            address: address.ip(),
            port: address.port(),
            allowed_origins: config.allowed_origins.clone(),
            host_names: config.host_names.clone(),
        };
        let server = Arc::new(Server {
            policy,
            store,
            page: Page::new(&config.page),
            pages: Arc::default(),
            jobs: JobQueue::new(config.limits.parallel_jobs, config.limits.waiting),
            uploads: JobQueue::new(config.limits.parallel_jobs, config.limits.waiting),
            ending: watch::channel(false).0,
            config,
        });
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        // The terminal was closed.
        let mut hangup = signal(SignalKind::hangup())?;
        // The token is in the fragment, which browsers do not send and servers do not log.
        on_start(&format!("http://{}/#token={token}", reachable(address)));
        let end = async {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = hangup.recv() => {}
            }
        };
        Service(server).run(listener, end).await;
        Ok(())
    });
    // Does not wait for a thread that still reads a large file.
    runtime.shutdown_timeout(Duration::from_secs(1));
    end
}
