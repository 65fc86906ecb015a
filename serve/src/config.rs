//! Settings of the server.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Settings of the server.
#[derive(Clone, Debug)]
pub struct ServeConfig {
    /// The address and port to listen on. Port 0 lets the operating system choose a free port.
    pub address: SocketAddr,
    /// The directory of nets and answers. It is created if it does not exist.
    pub directory: PathBuf,
    /// The token that requests have to present. `None` generates a token.
    pub token: Option<String>,
    /// Origins of other pages, such as `http://localhost:1665`, that may use the MCC-server
    /// protocol.
    pub allowed_origins: Vec<String>,
    /// Names, each with an optional port, under which browsers may address the server, besides
    /// addresses and `localhost`.
    pub host_names: Vec<String>,
    /// Limits on jobs and uploads.
    pub limits: ServeLimits,
    /// The `parikh` program that runs the jobs.
    pub program: PathBuf,
    /// The version of the program.
    pub version: &'static str,
    /// The parts of the page that reports have, too.
    pub page: PageParts,
}

/// Limits on jobs and uploads.
#[derive(Clone, Debug)]
pub struct ServeLimits {
    /// The number of jobs that run at the same time, at least 1.
    pub parallel_jobs: usize,
    /// The number of jobs that may wait, and of uploads that may wait to be read. Further ones are
    /// refused.
    pub waiting: usize,
    /// The largest time limit that a job may ask for.
    pub time: Duration,
    /// The memory limit of one job, in bytes.
    pub memory: u64,
    /// The largest upload in bytes.
    pub upload: usize,
    /// The number of engines that one job runs in parallel.
    pub threads: usize,
}

/// The parts of the page that reports have, too.
#[derive(Clone, Debug)]
pub struct PageParts {
    /// The scripts for all pages, which do not read a net.
    pub common: String,
    /// The scripts that draw and play a net. They read the net from the element `data`.
    pub scripts: String,
    /// The style sheet.
    pub style: String,
    /// The HTML of the drawing with its player.
    pub figure: String,
}
