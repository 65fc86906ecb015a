//! `parikh serve`: a local web page for nets, questions and answers.

use super::ProgramOutcome;
use super::limits;
use super::terminal::{line, note};
use crate::report::{NetPageParts, net_page_parts};
use anyhow::{Context, Result};
use parikh_serve::{PageParts, ServeConfig, ServeLimits};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ServeArguments {
    /// The directory of the nets and their answers. Finished answers are there again after a
    /// restart. By default a directory that is removed at the end.
    #[arg(short, long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// The TCP port to listen on. 0 takes a free port.
    #[arg(short, long, default_value_t = 8417)]
    port: u16,
    /// The address to listen on. Other machines can reach the server only if it is not a loopback
    /// address. Requests are not encrypted.
    #[arg(long, value_name = "ADDRESS", default_value_t = Ipv4Addr::LOCALHOST.into())]
    address: IpAddr,
    /// The token that requests have to present, at least 16 letters and digits. By default a random
    /// one, which is part of the printed address. PARIKH_SERVE_TOKEN sets it without showing it to
    /// other users of the machine.
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// An origin whose pages may use the MCC-server protocol without a token, such as
    /// http://localhost:1665 for PetriVizu. Repeatable.
    #[arg(long, value_name = "ORIGIN", value_parser = origin)]
    allow_origin: Vec<String>,
    /// A name under which browsers may address this server, besides addresses and localhost: NAME
    /// or NAME:PORT. Repeatable.
    #[arg(long, value_name = "NAME")]
    host_name: Vec<String>,
    /// The number of jobs that run at the same time. They share the processors.
    #[arg(long, value_name = "NUMBER", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=64))]
    jobs: u16,
    /// The number of jobs that may wait. Further ones are refused.
    #[arg(long, value_name = "NUMBER", default_value_t = 32)]
    waiting: u16,
    /// The largest time limit of a job, at most 30 days: 90s, 5m, 1h.
    #[arg(short, long, value_parser = time_limit, default_value = "10m")]
    timeout: Duration,
    /// The memory limit of a job: 4G, 500M.
    #[arg(short, long, value_parser = limits::memory, default_value = "2G")]
    memory: u64,
    /// The largest upload: 32M, 1G.
    #[arg(long, value_name = "SIZE", value_parser = limits::memory, default_value = "32M")]
    upload: u64,
}

const EXAMPLES: &str = "\
Open the printed address in a browser on this machine. The page works without other network access. \
Control-C ends the server and its jobs.

Examples:
  parikh serve
  parikh serve --dir nets --timeout 1h --memory 8G
  parikh serve --port 1664 --allow-origin http://localhost:1665    # an engine for PetriVizu";

/// The environment variable of the token.
const TOKEN_VARIABLE: &str = "PARIKH_SERVE_TOKEN";

/// The longest time limit of jobs.
const LONGEST_TIME: Duration = Duration::from_secs(30 * 24 * 3600);

/// Parses a time limit of at most 30 days.
fn time_limit(text: &str) -> Result<Duration, String> {
    let time = limits::duration(text)?;
    match time <= LONGEST_TIME {
        true => Ok(time),
        false => Err("expected at most 30 days (720h)".to_owned()),
    }
}

/// Parses an origin: a scheme, a host, and a port if it is not the usual one.
fn origin(text: &str) -> Result<String, String> {
    let expected = || "expected an origin such as http://localhost:1665".to_owned();
    let (scheme, host) = text.split_once("://").ok_or_else(expected)?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-.:[]".contains(c);
    match matches!(scheme, "http" | "https") && !host.is_empty() && host.chars().all(is_plain) {
        true => Ok(text.to_owned()),
        false => Err(expected()),
    }
}

pub(super) fn run(arguments: &ServeArguments) -> Result<ProgramOutcome> {
    let temporary = match arguments.dir {
        Some(_) => None,
        None => Some(TemporaryDirectory::new()?),
    };
    let given = arguments.dir.as_ref().or(temporary.as_ref().map(|it| &it.0));
    let directory = given.cloned().unwrap_or_default();
    let NetPageParts { common, scripts, style, figure } = net_page_parts();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let parallel_jobs = usize::from(arguments.jobs);
    let config = ServeConfig {
        address: SocketAddr::new(arguments.address, arguments.port),
        directory,
        token: arguments.token.clone().or_else(|| std::env::var(TOKEN_VARIABLE).ok()),
        allowed_origins: arguments.allow_origin.clone(),
        host_names: arguments.host_name.clone(),
        limits: ServeLimits {
            parallel_jobs,
            waiting: usize::from(arguments.waiting),
            time: arguments.timeout,
            memory: arguments.memory,
            upload: usize::try_from(arguments.upload).unwrap_or(usize::MAX),
            threads: (processors / parallel_jobs).max(1),
        },
        program: own_program()?,
        version: env!("CARGO_PKG_VERSION"),
        page: PageParts { common, scripts, style: style.to_owned(), figure },
    };
    let is_open = !arguments.address.is_loopback();
    parikh_serve::run(config, &mut |address| {
        line(address);
        match &arguments.dir {
            Some(dir) => note!("parikh: the nets and answers are in {}", dir.display()),
            None => note!("parikh: the nets and answers are removed at the end; --dir keeps them"),
        }
        if is_open {
            note!(
                "parikh: other machines can reach this server, and requests are not encrypted: \
                 whoever reads the token can use it"
            );
        }
    })?;
    Ok(ProgramOutcome::Complete)
}

/// Returns the path of the running program. On Linux it stays valid if the file is replaced.
fn own_program() -> Result<PathBuf> {
    let link = PathBuf::from("/proc/self/exe");
    if link.exists() {
        return Ok(link);
    }
    std::env::current_exe().context("the path of this program is unknown")
}

/// A directory that is removed at the end.
struct TemporaryDirectory(PathBuf);

impl TemporaryDirectory {
    fn new() -> Result<Self> {
        use std::os::unix::fs::DirBuilderExt as _;
        let name = format!("parikh-serve-{}-{:08x}", std::process::id(), fastrand::u32(..));
        let path = std::env::temp_dir().join(name);
        // Fails if the directory exists, so nobody else can have made it.
        std::fs::DirBuilder::new()
            .mode(0o700)
            .create(&path)
            .with_context(|| format!("cannot make the directory {}", path.display()))?;
        Ok(TemporaryDirectory(path))
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            note!("parikh: cannot remove {}: {error}", self.0.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_have_a_scheme_and_a_host_only() {
        assert!(origin("http://localhost:1665").is_ok());
        assert!(origin("https://yanntm.github.io").is_ok());
        for wrong in ["localhost:1665", "*", "http://", "http://a/b", "null", "ftp://a"] {
            assert!(origin(wrong).is_err(), "{wrong}");
        }
    }
}
