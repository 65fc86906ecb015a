//! All that is printed: stdout carries answers, stderr logs and what is said of a run.
//!
//! Names, ids, paths and messages come from files and may hold anything, so nothing is printed as
//! it is: [`line`], [`lines`] and [`note!`] show what a terminal would obey by [`Printable`], line
//! breaks too, and [`object`] prints JSON that says the same in escapes. Only [`whole`] prints a
//! text as it is: a format that has a writer of its own, such as a picture. `tests/house/walls.rs`
//! keeps other ways to print away, and `tests/cli/harmful.rs` asks every command about names that
//! want to break out.

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

static PRINTED: AtomicUsize = AtomicUsize::new(0);

/// How many lines were printed so far.
pub(super) fn printed() -> usize {
    PRINTED.load(Ordering::Relaxed)
}

/// Prints a line and flushes it: whatever ends the process, what was printed counts. A closed pipe
/// ends the process quietly: nobody reads on.
pub(super) fn line(text: &str) {
    print(&format!("{}\n", Printable(text)));
}

/// The version of what objects hold, as `docs/parikh.schema.json` has it: another one where a
/// reader of this one would go wrong, not where there is more.
const JSON_VERSION: u32 = 1;

/// Prints a JSON object as a line with its version, as [`line`] does.
pub(super) fn object(object: Value) {
    print(&in_json(object));
}

/// A JSON object as a line with its version.
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

/// Prints lines that are no answers. Who does not read on (`| head`) has what was wanted: that is
/// no error.
pub(super) fn lines(lines: &[String]) -> anyhow::Result<()> {
    whole(&lines.iter().map(|line| format!("{}\n", Printable(line))).collect::<String>())
}

/// Prints a text that is no answer as it is: a format such as a picture, a page or JSON from
/// [`json`]. As with [`lines`], nobody has to read on.
pub(super) fn whole(text: &str) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context("stdout"),
        _ => Ok(()),
    }
}

/// A line on stderr. [`note!`] formats it.
pub(super) fn print_note(words: fmt::Arguments<'_>) {
    let text = format!("{}\n", Printable(words));
    // Where stderr is closed there is nobody to tell.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Prints a line on stderr, formatted as by `format!`.
macro_rules! note {
    ($($words:tt)*) => { $crate::cli::terminal::print_note(format_args!($($words)*)) };
}
pub(super) use note;

/// Lines on stderr for what engines and the rest of the library log: the level, and what is said.
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
    // Targets and levels (`parikh::engine=debug,info`). The crate's `EnvFilter` also knows spans
    // and fields, of which there are none, and brings regular expressions for them: 20 s of
    // compiling.
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

/// How a line of the log is written.
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
        let mut said = String::new();
        context.format_fields(Writer::new(&mut said), event)?;
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
        writeln!(out, "{}", Printable(said))
    }
}

/// A panic as a line, with where it was; set once at the start.
pub(super) fn tell_of_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let words = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("panic");
        let place = panic.location().map_or(String::new(), |place| format!(" at {place}"));
        note!("parikh: internal error, please report it: panicked{place}: {words}");
        let trace = std::backtrace::Backtrace::capture();
        if trace.status() == std::backtrace::BacktraceStatus::Captured {
            trace.to_string().lines().for_each(|line| note!("{line}"));
        }
    }));
}
