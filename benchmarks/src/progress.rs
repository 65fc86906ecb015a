//! Progress of a contest on the terminal.

use crate::exam::Exam;
use crate::row::ResultRow;
use crate::verdict::Score;
use parikh_net::printable::Printable;
use std::collections::HashMap;
use std::io::{IsTerminal, Write};

/// The progress line on stderr. On a terminal, the line is rewritten in place. Without a terminal,
/// no progress line is printed. In either case, wrong answers are reported as soon as their run has
/// ended.
pub(crate) struct BenchProgress {
    /// True if stderr is a terminal.
    is_terminal: bool,
    /// The number of runs.
    run_count: usize,
    /// The number of finished runs, including earlier sessions.
    done_count: usize,
    /// The number of questions with each score, in the runs of this session.
    counts: HashMap<Score, usize>,
}

impl BenchProgress {
    /// Starts the line for `run_count` runs, of which `done_count` were made in earlier sessions.
    pub(crate) fn new(run_count: usize, done_count: usize) -> Self {
        BenchProgress {
            is_terminal: std::io::stderr().is_terminal(),
            run_count,
            done_count,
            counts: HashMap::new(),
        }
    }

    /// Reports a finished run.
    pub(crate) fn report_run(&mut self, name: &str, exam: Exam, rows: &[ResultRow]) {
        self.done_count += 1;
        let clear = if self.is_terminal { "\r\x1b[K" } else { "" };
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
        if self.is_terminal {
            let count = |verdict| self.counts.get(&verdict).copied().unwrap_or(0);
            let _ = write!(
                stderr,
                "{clear}{}/{} {} {exam}  ok {}  missing {}  new {}  wrong {}",
                self.done_count,
                self.run_count,
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
        if self.is_terminal {
            eprintln!();
        }
    }
}
