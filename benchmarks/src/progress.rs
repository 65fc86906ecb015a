//! Progress of a contest on the terminal.

use crate::exam::Exam;
use crate::row::ResultRow;
use crate::verdict::Score;
use parikh_net::printable::Printable;
use std::collections::HashMap;
use std::io::{IsTerminal, Write};

/// The progress line on stderr: rewritten in place on a terminal, absent elsewhere. Wrong answers
/// are reported immediately in either case.
pub(crate) struct BenchProgress {
    /// True if stderr is a terminal.
    terminal: bool,
    /// The number of runs.
    all: usize,
    /// The number of finished runs, including earlier sessions.
    done: usize,
    /// The number of questions by score, in this session.
    counts: HashMap<Score, usize>,
}

impl BenchProgress {
    /// Starts the line for `all` runs, of which `done` were made in earlier sessions.
    pub(crate) fn new(all: usize, done: usize) -> Self {
        BenchProgress {
            terminal: std::io::stderr().is_terminal(),
            all,
            done,
            counts: HashMap::new(),
        }
    }

    /// Reports a finished run.
    pub(crate) fn ran(&mut self, name: &str, exam: Exam, rows: &[ResultRow]) {
        self.done += 1;
        let clear = if self.terminal { "\r\x1b[K" } else { "" };
        // Errors are ignored: if stderr is closed, the runs continue.
        let mut stderr = std::io::stderr().lock();
        for row in rows {
            *self.counts.entry(row.verdict).or_default() += 1;
            if row.verdict == Score::Wrong {
                let (id, expected, got) = (&row.id, &row.expected, &row.got);
                let _ = writeln!(
                    stderr,
                    "{clear}WRONG {}",
                    Printable(format_args!("{name} {exam} {id}: expected {expected}, got {got}"))
                );
            }
        }
        if self.terminal {
            let count = |verdict| self.counts.get(&verdict).copied().unwrap_or(0);
            let _ = write!(
                stderr,
                "{clear}{}/{} {} {exam}  ok {}  missing {}  new {}  wrong {}",
                self.done,
                self.all,
                Printable(name),
                count(Score::Ok),
                count(Score::Missing),
                count(Score::New),
                count(Score::Wrong),
            );
            let _ = stderr.flush();
        }
    }

    /// Ends the progress line.
    pub(crate) fn finish(&self) {
        if self.terminal {
            eprintln!();
        }
    }
}
