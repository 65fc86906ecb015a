//! Output to the terminal: stdout carries answers, stderr logs and messages.
//!
//! Names, ids, paths and messages come from files and may contain control characters, so no text is
//! printed unchanged. [`line()`], [`lines`] and [`note!`] replace control characters, including
//! line breaks, with [`Printable`], and [`object`] prints JSON with escapes. Only
//! [`print_verbatim`] prints a text unchanged. It is for formats with their own escaping, such as
//! pictures. `tests/house/walls.rs` forbids other ways of printing, and `tests/cli/harmful.rs` runs
//! every command with harmful names.

use anyhow::Context;
use parikh_net::printable::{Printable, json};
use serde_json::Value;
use std::fmt;
use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::fmt::{FmtContext, layer};
use tracing_subscriber::registry::LookupSpan;

/// The number of lines printed by [`line()`] and [`object`] so far.
static PRINTED: AtomicUsize = AtomicUsize::new(0);

/// Returns the number of lines printed by [`line()`] and [`object`] so far.
pub(super) fn printed() -> usize {
    PRINTED.load(Ordering::Relaxed)
}

/// Prints a line and flushes stdout, so that the line is output even if the process is killed
/// later. A closed pipe ends the process quietly, because nobody reads on.
pub(super) fn line(text: &str) {
    print(&format!("{}\n", Printable(text)));
}

/// The version of the JSON format, as in `docs/parikh.schema.json`. The version is incremented on
/// incompatible changes, and not for additions.
const JSON_VERSION: u32 = 1;

/// Prints a JSON object as a line, with the version of the JSON format. Flushes stdout as
/// [`line()`] does.
pub(super) fn object(object: Value) {
    print(&in_json(object));
}

/// Returns a JSON object as a line, with the version of the JSON format.
pub(super) fn in_json(mut object: Value) -> String {
    object["version"] = JSON_VERSION.into();
    format!("{}\n", json(object.to_string()))
}

fn print(text: &str) {
    PRINTED.fetch_add(1, Ordering::Relaxed);
    let mut stdout = std::io::stdout().lock();
    if let Err(error) = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        if error.kind() == ErrorKind::BrokenPipe {
            super::leaving::exit(3);
        }
        note!("parikh: cannot write to stdout: {error}");
        super::leaving::exit(1);
    }
}

/// Prints lines that are no answers, so [`printed`] does not count them. A closed pipe, as in
/// `| head`, is no error.
pub(super) fn lines(lines: &[String]) -> anyhow::Result<()> {
    print_verbatim(&lines.iter().map(|line| format!("{}\n", Printable(line))).collect::<String>())
}

/// Prints a text that is no answer without changes: a format such as a picture, a page, or JSON
/// from [`json`]. A closed pipe is no error.
pub(super) fn print_verbatim(text: &str) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context("stdout"),
        _ => Ok(()),
    }
}

/// Prints a line on stderr. [`note!`] formats the line.
pub(super) fn print_note(words: fmt::Arguments<'_>) {
    let text = format!("{}\n", Printable(words));
    // If stderr is closed, the message is lost.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Prints a line on stderr, formatted as by `format!`.
macro_rules! note {
    ($($words:tt)*) => { $crate::terminal::print_note(format_args!($($words)*)) };
}
pub(super) use note;

/// Starts logging to stderr. `verbose` is the number of `-v` options. The environment variable
/// `PARIKH_LOG` overrides both arguments if it can be parsed.
pub(super) fn start_logging(verbose: u8, quiet: bool) {
    use tracing_subscriber::filter::{LevelFilter, Targets};
    use tracing_subscriber::layer::SubscriberExt;
    use tracing_subscriber::util::SubscriberInitExt;
    let level = match (quiet, verbose) {
        (true, _) => LevelFilter::ERROR,
        (_, 0) => LevelFilter::WARN,
        (_, 1) => LevelFilter::INFO,
        (_, 2) => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    // The variable holds targets and levels (`parikh_engine=debug,info`). The crate's `EnvFilter`
    // also supports spans and fields, which Parikh does not use, and requires regular expressions:
    // 20 s of compiling.
    let variable = std::env::var("PARIKH_LOG").ok();
    let filter = variable
        .and_then(|directives| directives.parse::<Targets>().ok())
        .unwrap_or_else(|| Targets::new().with_default(level));
    let lines = layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .event_format(LogLine);
    tracing_subscriber::registry().with(lines).with(filter).init();
}

/// The format of a log line.
struct LogLine;

impl<S, N> FormatEvent<S, N> for LogLine
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut out: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut message = String::new();
        context.format_fields(Writer::new(&mut message), event)?;
        let level = event.metadata().level();
        let colour = match *level {
            Level::ERROR => 31,
            Level::WARN => 33,
            Level::INFO => 32,
            Level::DEBUG => 34,
            Level::TRACE => 35,
        };
        match out.has_ansi_escapes() {
            true => write!(out, "\u{1b}[{colour}m{level:>5}\u{1b}[0m ")?,
            false => write!(out, "{level:>5} ")?,
        }
        writeln!(out, "{}", Printable(message))
    }
}

/// Prints panics as one line with their position, and the backtrace if it is enabled. Called once
/// at the start.
pub(super) fn install_panic_hook() {
    std::panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let message = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("panic");
        let place = panic.location().map_or(String::new(), |place| format!(" at {place}"));
        note!("parikh: internal error, please report it: panicked{place}: {message}");
        let trace = std::backtrace::Backtrace::capture();
        if trace.status() == std::backtrace::BacktraceStatus::Captured {
            trace.to_string().lines().for_each(|line| note!("{line}"));
        }
    }));
}
