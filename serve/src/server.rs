//! The state of a running server.

use super::access::AccessPolicy;
use super::config::ServeConfig;
use super::events::PollingPages;
use super::page::Page;
use super::queue::JobQueue;
use super::store::Store;
use std::sync::Arc;
use tokio::sync::watch;

/// The state of a running server.
pub(super) struct Server {
    pub(super) config: ServeConfig,
    pub(super) policy: AccessPolicy,
    pub(super) store: Store,
    pub(super) page: Page,
    /// The open pages that poll for events.
    pub(super) pages: Arc<PollingPages>,
    /// The queue of questions and reports.
    pub(super) jobs: JobQueue,
    /// The queue of uploads. Reading a net takes little time, so it does not wait for questions.
    pub(super) uploads: JobQueue,
    pub(super) ending: watch::Sender<bool>,
}

impl Server {
    /// Waits until the server was asked to end.
    pub(super) async fn ending(&self) {
        // The sender lives as long as the server.
        let _ = self.ending.subscribe().wait_for(|&ending| ending).await;
    }
}
