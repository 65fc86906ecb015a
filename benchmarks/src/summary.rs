//! A page made of result files: scores per examination, changes since an earlier run, plots against
//! other tools, and each open question with its reason.

use crate::cactus::{self, Curve};
use crate::compare::{self, Difference};
use crate::error::Error;
use crate::exam::Exam;
use crate::html::{Cell, details, page, table};
use crate::reasons::Reasons;
use crate::row::ResultRow;
use crate::scatter::{self, ScatterPoint};
use crate::table::{TableLine, sum_up};
use crate::verdict::Score;
use parikh_net::printable::{EscapedXml, counted};
use std::collections::HashMap;
use std::fmt::Write;

/// The rows of a result file with the name that the page uses.
#[derive(Clone, Debug)]
pub struct SummaryRun {
    /// The name, unique on the page.
    pub name: String,
    /// The rows.
    pub rows: Vec<ResultRow>,
}

/// Returns the page about the first of `runs`, compared with the others. `last` is an earlier run:
/// the page lists the changes since then.
///
/// # Errors
/// If a log exists and cannot be read.
pub fn html(
    runs: &[SummaryRun],
    last: Option<&SummaryRun>,
    reasons: &mut Reasons,
) -> Result<String, Error> {
    let Some((run, others)) = runs.split_first() else {
        return Ok(page("Runs", "<p>No run was given.</p>\n"));
    };
    let mut body = String::new();
    body.push_str("<h2>Scores</h2>\n");
    body.push_str(&scores(runs));
    body.push_str(&wrong_answers(runs));
    if let Some(last) = last {
        let _ = writeln!(body, "<h2>Since {}</h2>", EscapedXml(&last.name));
        body.push_str(&changes(run, last));
    }
    body.push_str("<h2>Answers in time</h2>\n<div class=\"plots\">\n");
    body.push_str(&cactus_of(runs, None));
    body.push_str("</div>\n");
    let by_exam: String = exams(run).into_iter().map(|exam| cactus_of(runs, Some(exam))).collect();
    let by_exam = format!("<div class=\"plots\">\n{by_exam}</div>\n");
    body.push_str(&details("For each examination", false, &by_exam));
    if !others.is_empty() {
        body.push_str(
            "<h2>Question by question</h2>\n<p>Seconds to each answer. Below the diagonal ",
        );
        let _ = writeln!(
            body,
            "{} is faster; the dashed lines show questions that one of the two did not answer.</p>",
            EscapedXml(&run.name)
        );
        body.push_str("<div class=\"plots small\">\n");
        others.iter().for_each(|other| body.push_str(&scatter_of(run, other)));
        body.push_str("</div>\n");
    }
    body.push_str("<h2>Left open</h2>\n");
    body.push_str(&open_questions(run, others, reasons)?);
    let names: Vec<&str> = runs.iter().map(|run| &*run.name).collect();
    Ok(page(&names.join(", "), &body))
}

/// Returns the examinations of a run, in the contest's order.
fn exams(run: &SummaryRun) -> Vec<Exam> {
    let mut exams: Vec<Exam> = run.rows.iter().map(|row| row.exam).collect();
    exams.sort_unstable();
    exams.dedup();
    exams
}

/// Returns a table with one line per examination and run, and a total per run.
fn scores(runs: &[SummaryRun]) -> String {
    let header = [
        "examination",
        "run",
        "runs made",
        "asked",
        "known",
        "right",
        "wrong",
        "missing",
        "new",
        "cut",
        "median s",
        "total s",
        "peak MB",
    ];
    let sums: Vec<_> = runs.iter().map(|run| sum_up(&run.rows)).collect();
    let cells_of = |name: &str, run: &SummaryRun, line: &TableLine| {
        let total: f64 = line.walls.iter().sum();
        let mut cells = vec![Cell::text(name), Cell::text(&run.name)];
        cells.extend(
            [line.walls.len(), line.question_count, line.known_answers, line.right_answers]
                .map(Cell::number),
        );
        cells.push(Cell::none_expected(line.wrong_answers));
        cells.extend([line.missing_answers, line.new_answers, line.cut].map(Cell::number));
        let median = line.median_wall();
        cells.extend([format!("{median:.2}"), format!("{total:.1}")].map(Cell::number));
        cells.push(Cell::number(line.memory));
        cells
    };
    let mut rows = Vec::new();
    for &exam in Exam::ALL {
        for (run, (lines, _)) in runs.iter().zip(&sums) {
            rows.extend(lines.get(&exam).map(|line| cells_of(exam.long(), run, line)));
        }
    }
    rows.extend(runs.iter().zip(&sums).map(|(run, (_, total))| cells_of("all", run, total)));
    table(&header, &rows)
        + "<p>“Cut” counts aborted runs and runs with an exit status other than 0; “new” counts \
           answers to questions without a known answer.</p>\n"
}

/// Returns the section with the wrong answers, including answers that contradict each other.
/// Returns an empty text if there are none.
fn wrong_answers(runs: &[SummaryRun]) -> String {
    let is_wrong = |row: &&ResultRow| row.verdict == Score::Wrong;
    let rows: Vec<Vec<Cell>> = runs
        .iter()
        .flat_map(|run| run.rows.iter().filter(is_wrong).map(move |row| (run, row)))
        .map(|(run, row)| {
            let mut cells = vec![Cell::text(&run.name)];
            cells.extend(question_cells(row));
            cells.extend([Cell::text(&row.expected), Cell::Alarm(row.got.clone())]);
            cells
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    "<h2 class=\"bad\">Wrong answers</h2>\n".to_owned()
        + &table(&["run", "instance", "examination", "question", "expected", "got"], &rows)
}

/// Returns the cells that identify a question.
fn question_cells(row: &ResultRow) -> [Cell; 3] {
    [Cell::text(&row.instance), Cell::text(row.exam), Cell::text(&row.id)]
}

/// Returns the cell with the time of an answer.
fn answer_time_cell(row: &ResultRow) -> Cell {
    Cell::number(row.seconds.map_or(String::new(), |seconds| format!("{seconds:.2}")))
}

/// Returns three lists of questions: those that `run` and `last` answer with different values,
/// those that only `last` answers, and those that only `run` answers. A last line counts the
/// questions that only one of the two files has.
fn changes(run: &SummaryRun, last: &SummaryRun) -> String {
    let comparison = compare::compare(&run.rows, &last.rows);
    let header = ["instance", "examination", "question", "expected", "answer", "at s"];
    let mut html = String::new();
    for (kind, title) in [
        (Difference::Contradicting, "answered differently"),
        (Difference::OnlyB, "no longer answered"),
        (Difference::OnlyA, "answered now"),
    ] {
        let of_kind = comparison.differences.iter().filter(|&&(difference, ..)| difference == kind);
        let rows: Vec<Vec<Cell>> = of_kind
            .map(|&(_, row, last_row)| {
                let mut cells = question_cells(row).to_vec();
                cells.push(Cell::text(&row.expected));
                match kind {
                    Difference::Contradicting => {
                        cells.push(Cell::Alarm(format!("{}, before {}", row.got, last_row.got)));
                        cells.push(answer_time_cell(row));
                    }
                    Difference::OnlyA => {
                        cells.extend([Cell::text(&row.got), answer_time_cell(row)])
                    }
                    Difference::OnlyB => {
                        cells.extend([Cell::text(&last_row.got), answer_time_cell(last_row)])
                    }
                }
                cells
            })
            .collect();
        let content = if rows.is_empty() { String::new() } else { table(&header, &rows) };
        let is_open = kind != Difference::OnlyA && !rows.is_empty();
        html.push_str(&details(&format!("{} {title}", rows.len()), is_open, &content));
    }
    if comparison.unpaired != [0, 0] {
        let [run_only, last_only] = comparison.unpaired;
        let _ = writeln!(
            html,
            "<p>Not compared: {run_only} questions only in this run, {last_only} only in the earlier run.</p>"
        );
    }
    html
}

/// Returns the plot of the number of questions that each run answers within a time. Wrong answers
/// do not count. With `exam`, only questions of this examination count.
fn cactus_of(runs: &[SummaryRun], exam: Option<Exam>) -> String {
    let counts = |row: &&ResultRow| {
        matches!(row.verdict, Score::Ok | Score::New) && exam.is_none_or(|exam| row.exam == exam)
    };
    let curves: Vec<Curve> = runs
        .iter()
        .map(|run| Curve {
            name: run.name.clone(),
            style: String::new(),
            seconds: run.rows.iter().filter(counts).filter_map(|row| row.seconds).collect(),
        })
        .collect();
    let title = exam.map_or("All examinations", Exam::long);
    cactus::plot(title, "questions answered, each within", &curves)
}

/// Returns the scatter plot of the answer times of two runs.
fn scatter_of(run: &SummaryRun, other: &SummaryRun) -> String {
    let other_times: HashMap<_, Option<f64>> =
        other.rows.iter().map(|row| (key(row), answer_time(row))).collect();
    let point = |row: &ResultRow| {
        other_times.get(&key(row)).map(|&x| ScatterPoint { x, y: answer_time(row) })
    };
    let points: Vec<ScatterPoint> = run.rows.iter().filter_map(point).collect();
    scatter::plot(&other.name, &run.name, &points)
}

/// Returns the identity of a row's question.
fn key(row: &ResultRow) -> (&str, Exam, &str) {
    (&row.instance, row.exam, &row.id)
}

/// Returns the time of an answer. Returns `None` if there is no answer, or if it is wrong.
fn answer_time(row: &ResultRow) -> Option<f64> {
    row.seconds.filter(|_| matches!(row.verdict, Score::Ok | Score::New))
}

/// Returns the open questions by examination, those with a known answer first. A run whose
/// questions are not known has one line.
fn open_questions(
    run: &SummaryRun,
    others: &[SummaryRun],
    reasons: &mut Reasons,
) -> Result<String, Error> {
    let mut html = String::new();
    let answer_times: Vec<HashMap<_, f64>> = others
        .iter()
        .map(|other| {
            let answers = other.rows.iter().filter_map(|row| Some((key(row), answer_time(row)?)));
            answers.collect()
        })
        .collect();
    for exam in exams(run) {
        let mut rows: Vec<&ResultRow> = run
            .rows
            .iter()
            .filter(|row| row.exam == exam)
            .filter(|row| matches!(row.verdict, Score::Missing | Score::Unknown))
            // A run without questions and answers has a row without an id.
            .collect();
        if rows.is_empty() {
            continue;
        }
        rows.sort_by_key(|row| row.verdict);
        let missing = rows.iter().filter(|row| row.verdict == Score::Missing).count();
        // These rows are runs, not questions.
        let runs_without_questions = rows.iter().filter(|row| row.id.is_empty()).count();
        let mut lines = Vec::new();
        for row in &rows {
            let answered_by: Vec<String> = others
                .iter()
                .zip(&answer_times)
                .filter_map(|(other, times)| {
                    times.get(&key(row)).map(|seconds| format!("{} at {seconds:.2} s", other.name))
                })
                .collect();
            let reason = reasons.reason_of(&row.instance, row.exam, &row.id)?;
            let memory = row.memory.map_or(String::new(), |memory| memory.to_string());
            lines.push(vec![
                Cell::text(&row.instance),
                Cell::text(if row.id.is_empty() { "(not known)" } else { &row.id }),
                Cell::text(&row.expected),
                Cell::text(answered_by.join(", ")),
                Cell::text(&row.end),
                Cell::number(format!("{:.1}", row.wall)),
                Cell::number(memory),
                Cell::text(reason.unwrap_or_default()),
            ]);
        }
        let header = [
            "instance",
            "question",
            "known",
            "answered by",
            "the run ended",
            "after s",
            "peak MB",
            "what was tried",
        ];
        let title = format!(
            "{}: {missing} with a known answer, {} without{}",
            exam.long(),
            rows.len() - missing - runs_without_questions,
            match runs_without_questions {
                0 => String::new(),
                runs => format!(", {} whose questions are not known", counted(runs, "run")),
            }
        );
        html.push_str(&details(&title, missing > 0, &table(&header, &lines)));
    }
    if html.is_empty() {
        html.push_str("<p>None: every question is answered.</p>\n");
    }
    Ok(html)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::tests::answered as row;

    fn run(name: &str, rows: Vec<ResultRow>) -> SummaryRun {
        SummaryRun { name: name.to_owned(), rows }
    }

    #[test]
    fn the_page_has_scores_changes_plots_and_what_is_open() {
        let now = run(
            "now<1>",
            vec![
                row("A", "f", "TRUE", "TRUE", 1.0),
                row("A", "g", "TRUE", "", 0.0),
                row("A", "h", "FALSE", "TRUE", 1.0),
                row("B", "f", "?", "", 0.0),
                row("C", "", "", "", 0.0),
            ],
        );
        let peer = run("peer", vec![row("A", "g", "TRUE", "TRUE", 2.5)]);
        let last =
            run("before", vec![row("A", "f", "TRUE", "", 0.0), row("A", "g", "TRUE", "TRUE", 7.0)]);
        let logs = tempfile::tempdir().unwrap();
        std::fs::write(logs.path().join("A-RC.err"), "WARN g: unknown — out of <time>\n").unwrap();
        let mut reasons = Reasons::of(Some(logs.path()));
        let html = html(&[now, peer], Some(&last), &mut reasons).unwrap();
        for part in [
            "now&lt;1&gt;",
            "<h2 class=\"bad\">Wrong answers</h2>",
            "<summary>1 answered now</summary>",
            "<summary>1 no longer answered</summary>",
            "<summary>ReachabilityCardinality: 1 with a known answer, 1 without, 1 run whose \
             questions are not known</summary>",
            "peer at 2.50 s",
            "out of &lt;time&gt;",
        ] {
            assert!(html.contains(part), "no `{part}` in {html}");
        }
        // The plots: all answers, the answers of the only examination, and the scatter plot with
        // one point, for the only question that both runs were asked.
        assert_eq!(html.matches("<svg").count(), 3);
        assert_eq!(html.matches("<circle").count(), 1);
        assert!(!html.contains("<1>") && !html.contains("<script") && !html.contains("href"));
        assert!(!html.contains("src=") && !html.contains("url("), "it asks for nothing");
    }

    #[test]
    fn a_run_without_misses_says_so() {
        let run = run("a", vec![row("A", "f", "TRUE", "TRUE", 1.0)]);
        let html = html(&[run], None, &mut Reasons::default()).unwrap();
        assert!(html.contains("every question is answered"));
        assert!(!html.contains("Wrong answers") && !html.contains("Question by question"));
    }
}
