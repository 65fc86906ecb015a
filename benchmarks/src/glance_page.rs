//! The page of [results at a glance](crate::glance), in Markdown, with a plot for each kind of net.

use crate::exam::Exam;
use crate::glance::{Glance, Share};
use crate::instance::NetKind;
use crate::peers::ALL_TOOLS;
use crate::row::ResultRow;
use crate::share_plot::{self, ShareRow};
use parikh_net::printable::counted;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The files of a page, as they were given.
#[derive(Clone, Debug)]
pub struct Sources {
    /// Date, build and machine of the runs.
    pub measured: String,
    /// The directory of instances.
    pub inputs: PathBuf,
    /// The directory of known answers.
    pub oracle: PathBuf,
    /// The file with the totals of the contest's tools.
    pub contest: PathBuf,
    /// The result files with their rows.
    pub files: Vec<(PathBuf, Vec<ResultRow>)>,
}

/// Runs with open questions that end before this part of the longest limit are remarked on.
const SHORT_RUN: f64 = 0.8;

/// Returns the path of the plot of one kind of net, beside the page.
pub fn plot_path(page: &Path, kind: NetKind) -> PathBuf {
    let stem = page.file_stem().unwrap_or_default().to_string_lossy();
    page.with_file_name(format!("{stem}-{}.svg", kind.short().to_lowercase()))
}

/// Returns the plot of one kind of net.
pub fn plot(glance: &Glance, kind: NetKind) -> String {
    let names: Vec<String> = glance.limits.iter().map(|limit| limit_name(*limit)).collect();
    let longest = names.last().map_or("", |name| name);
    let rows: Vec<ShareRow> = Exam::ALL
        .iter()
        .map(|&exam| {
            let run = glance.shares_of_run(kind, exam);
            let share = |tool: &str| glance.share_of_tool(kind, exam, tool).map(Share::fraction);
            let tools = glance.peers.of_exam(kind, exam);
            let run_label = run.last().map(|share| format!("{} % in {longest}", share.percent()));
            let best = best_tool(glance, kind, exam).map(|(share, _)| share);
            ShareRow {
                name: exam.short().to_owned(),
                run: run.iter().map(|share| share.fraction()).collect(),
                tools: tools.iter().filter_map(|(tool, _)| share(tool)).collect(),
                all_tools: share(ALL_TOOLS),
                run_label: run_label.unwrap_or_else(|| "not run".to_owned()),
                tool_label: best.map_or_else(
                    || "no figures".to_owned(),
                    |share| format!("best {} %", share.percent()),
                ),
            }
        })
        .collect();
    share_plot::plot(&format!("{}: share of the known answers", heading(kind)), &names, &rows)
}

/// Returns the page. `path` is its file, beside which the plots are.
pub fn page(glance: &Glance, sources: &Sources, path: &Path) -> String {
    let limits: Vec<String> = glance.limits.iter().map(|limit| limit_name(*limit)).collect();
    let mut text = format!(
        "# Results at a glance\n\n\
         Parikh within {} on two cores, beside what each tool of the Model Checking Contest\n\
         answered in an hour on four cores (half an hour for RD, OS, QL, SM and L).\n\n\
         {}\n\
         Measured: {}.\n\n",
        limits.join(", "),
        commands(glance, sources, path),
        sources.measured
    );
    for kind in NetKind::ALL {
        let instance_count = glance.instance_counts.get(&kind).copied().unwrap_or(0);
        let plot = plot_path(path, kind);
        let plot = plot.file_name().unwrap_or_default().to_string_lossy();
        let _ = writeln!(
            text,
            "## {0}\n\n{1}. Each number is a share of the known answers in per cent, rounded down. A \
             dash: no figures.\n\n![{0}: shares of the known answers by examination]({plot})\n\n{2}",
            heading(kind),
            counted(instance_count, "instance"),
            shares(glance, kind, &limits)
        );
    }
    text.push_str(&counts(glance, &limits));
    text.push_str(&missing(glance));
    text.push_str(COUNTING);
    text
}

/// The rules of counting, which do not depend on the figures.
const COUNTING: &str = "
## How answers are counted

- An answer of Parikh is *right* if it is the known answer, and *new* if no answer is known. Shares have right answers
  only. *Wrong* answers differ from the known answer, which may itself be wrong: see [hard.md](hard.md).
- The known answers are those on which tools agreed. They can outnumber the answers of all tools in the contest's hour,
  whose share is then below 100. For StateSpace they are the figures of one tool, and only of some nets; each net has
  four figures.
- An answer of a tool is what the contest counted as its answer. Errors are answers against the other tools. The file
  of the totals does not say whether answers include errors.
- A tool's share is of the known answers of all instances. If all tools together gave more answers than are known
  (StateSpace), their number is the whole. Parikh's share is of the known answers of the instances that were run.
- The shorter limits come from the same runs as the longest: each answer has its time. A run with a limit of a second
  may answer a little more or less within that second ([early-answers.md](early-answers.md)).
- The tools ran on the contest's machines, and Parikh on the one named above, so times are not comparable exactly.
  Parikh is developed on these instances and formulas. *NAME+red* and *2022-gold* are names of
  entries of the contest.
";

/// Returns the name of a time limit.
fn limit_name(seconds: f64) -> String {
    format!("{seconds} s")
}

/// Returns the heading of a kind of net.
fn heading(kind: NetKind) -> &'static str {
    match kind {
        NetKind::PlaceTransition => "Place/transition nets",
        NetKind::Coloured => "Coloured nets",
    }
}

/// Returns the share of the single tool with the most answers, and its name. If several tools have
/// equally many, returns the first in alphabetical order.
fn best_tool(glance: &Glance, kind: NetKind, exam: Exam) -> Option<(Share, &str)> {
    let tools = glance.peers.of_exam(kind, exam);
    let most = tools.iter().map(|(_, count)| count.answers).max()?;
    let (name, _) = tools.into_iter().find(|(_, count)| count.answers == most)?;
    Some((glance.share_of_tool(kind, exam, name)?, name))
}

/// Returns the commands that make the page, as an indented block.
fn commands(glance: &Glance, sources: &Sources, path: &Path) -> String {
    let Sources { inputs, oracle, contest, files, .. } = sources;
    let base = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (inputs, oracle) = (inputs.display(), oracle.display());
    let mut text = String::new();
    for (file, rows) in files {
        let exams: BTreeSet<Exam> = rows.iter().map(|row| row.exam).collect();
        let exams: Vec<&str> = exams.into_iter().map(Exam::short).collect();
        let instances: BTreeSet<&str> = rows.iter().map(|row| &*row.instance).collect();
        // The rows do not have the time limit, but a run without all answers lasts nearly as long.
        let longest = rows.iter().map(|row| row.wall).fold(0.0, f64::max);
        // Writing to a String does not fail.
        let _ = writeln!(
            text,
            "    parikh-bench contest --inputs {inputs} --oracle {oracle} --list LIST --timeout LIMIT \\\n      \
             --exams {} --out {}   # {}, longest run {longest:.1} s",
            exams.join(","),
            base(file),
            counted(instances.len(), "instance")
        );
    }
    let files: Vec<String> = files.iter().map(|(file, _)| base(file)).collect();
    let limits: Vec<String> = glance.limits.iter().map(f64::to_string).collect();
    let _ = writeln!(
        text,
        "    parikh-bench glance --inputs {inputs} --oracle {oracle} --contest {} \\\n      \
         --at {} --measured '…' -o {} {}",
        contest.display(),
        limits.join(","),
        base(path),
        files.join(" ")
    );
    text
}

/// Returns the table of shares of one kind of net: the run within each limit, then the tools.
fn shares(glance: &Glance, kind: NetKind, limits: &[String]) -> String {
    let mut text = header_row(
        [""].into_iter().chain(Exam::ALL.iter().map(|exam| exam.short())).chain(["errors"]),
    );
    let dash = || "–".to_owned();
    for (index, limit) in limits.iter().enumerate() {
        let cell = |&exam: &Exam| {
            glance.shares_of_run(kind, exam).get(index).map_or_else(dash, |share| share.percent())
        };
        let wrong: usize = glance
            .runs
            .iter()
            .filter(|((of, _), _)| *of == kind)
            .map(|(_, it)| it.wrong_answers)
            .sum();
        let is_last = index + 1 == limits.len();
        let errors = if is_last { wrong.to_string() } else { String::new() };
        let cells = Exam::ALL.iter().map(cell).chain([errors]);
        text.push_str(&row([format!("**Parikh, {limit}**")].into_iter().chain(cells)));
    }
    for tool in [ALL_TOOLS].into_iter().chain(glance.peers.tools()) {
        let cell =
            |&exam: &Exam| glance.share_of_tool(kind, exam, tool).map_or_else(dash, Share::percent);
        let counts = Exam::ALL.iter().filter_map(|&exam| glance.peers.of(kind, exam, tool));
        let errors = counts.map(|count| count.errors).sum::<usize>().to_string();
        let name = if tool == ALL_TOOLS { "all tools together" } else { tool };
        let cells = Exam::ALL.iter().map(cell).chain([errors]);
        text.push_str(&row([name.to_owned()].into_iter().chain(cells)));
    }
    text
}

/// Returns the section with the numbers behind the shares.
fn counts(glance: &Glance, limits: &[String]) -> String {
    let mut text = "## In numbers\n\n".to_owned();
    let right: Vec<String> = limits.iter().map(|limit| format!("right in {limit}")).collect();
    let columns = ["", "nets run", "known"]
        .into_iter()
        .chain(right.iter().map(String::as_str))
        .chain(["wrong", "new", "known of all nets", "all tools", "best tool"]);
    text.push_str(&header_row(columns));
    for (kind, exam) in
        NetKind::ALL.into_iter().flat_map(|kind| Exam::ALL.iter().map(move |&exam| (kind, exam)))
    {
        let counts = glance.runs.get(&(kind, exam)).cloned().unwrap_or_default();
        let known = glance.known_answers.get(&(kind, exam)).copied().unwrap_or(0);
        let right =
            limits.iter().enumerate().map(|(index, _)| counts.right_answers.get(index).copied());
        let number =
            |number: Option<usize>| number.map_or_else(|| "–".to_owned(), |n| n.to_string());
        let all_tools = glance.peers.of(kind, exam, ALL_TOOLS).map(|count| count.answers);
        let best = best_tool(glance, kind, exam)
            .map_or_else(|| "–".to_owned(), |(share, name)| format!("{} ({name})", share.part));
        let cells = [format!("{} {exam}", kind.short())]
            .into_iter()
            .chain([counts.instance_count, counts.known_answers].map(|n| n.to_string()))
            .chain(right.map(number))
            .chain([counts.wrong_answers, counts.new_answers, known].map(|n| n.to_string()))
            .chain([number(all_tools), best]);
        text.push_str(&row(cells));
    }
    text
}

/// Returns the section about what the figures do not cover.
fn missing(glance: &Glance) -> String {
    let mut text = "\n## What is missing\n\n".to_owned();
    let mut item = |sentence: String| {
        let _ = writeln!(text, "- {sentence}");
    };
    for kind in NetKind::ALL {
        let all = glance.instance_counts.get(&kind).copied().unwrap_or(0);
        // Examinations with the same number of instances share a line.
        let run_of =
            |exam| glance.runs.get(&(kind, exam)).map_or(0, |counts| counts.instance_count);
        let numbers: BTreeSet<usize> = Exam::ALL.iter().map(|&exam| run_of(exam)).collect();
        for number in numbers.into_iter().filter(|&number| number < all) {
            let exams = names(Exam::ALL.iter().copied().filter(|&exam| run_of(exam) == number));
            item(match number {
                0 => format!("{exams} of {}: Parikh was not run.", plural(kind)),
                _ => format!("{exams} of {}: Parikh was run on {number} of {all}.", plural(kind)),
            });
        }
        let lacks_tools = |exam: &Exam| glance.peers.of_exam(kind, *exam).is_empty();
        let exams = names(Exam::ALL.iter().copied().filter(lacks_tools));
        if !exams.is_empty() {
            item(format!("{exams} of {}: there are no totals of the tools.", plural(kind)));
        }
        let longest = glance.limits.last().copied().unwrap_or_default();
        for &exam in Exam::ALL {
            let open = glance.runs.get(&(kind, exam)).and_then(|counts| counts.longest_open_run);
            if let Some(seconds) = open.filter(|&seconds| seconds < SHORT_RUN * longest) {
                item(format!(
                    "{exam} of {}: the runs with open questions ended after at most {seconds:.1} s.",
                    plural(kind)
                ));
            }
        }
    }
    text
}

/// Returns the plural of a kind of net in a sentence.
fn plural(kind: NetKind) -> &'static str {
    match kind {
        NetKind::PlaceTransition => "P/T nets",
        NetKind::Coloured => "coloured nets",
    }
}

/// Returns the abbreviations of examinations, separated by commas.
fn names(exams: impl Iterator<Item = Exam>) -> String {
    exams.map(Exam::short).collect::<Vec<_>>().join(", ")
}

/// Returns the first two lines of a table.
fn header_row<'c>(columns: impl Iterator<Item = &'c str>) -> String {
    let columns: Vec<String> = columns.map(str::to_owned).collect();
    let rule = format!("|{}\n", "---|".repeat(columns.len()));
    row(columns.into_iter()) + &rule
}

/// Returns a line of a table. A bar in a cell is escaped.
fn row(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glance::tests::glance;
    use crate::row::tests::answered;

    fn sources() -> Sources {
        let rows = vec![
            answered("A-PT-1", "f", "TRUE", "TRUE", 1.0),
            answered("B-PT-1", "f", "TRUE", "TRUE", 1.0),
        ];
        Sources {
            measured: "today, 2 cores".to_owned(),
            inputs: "mcc/inputs".into(),
            oracle: "mcc/oracle".into(),
            contest: "mcc/contest.csv".into(),
            files: vec![("/tmp/pt.csv".into(), rows)],
        }
    }

    #[test]
    fn the_page_has_the_shares_of_the_run_and_of_each_tool() {
        let page = page(&glance(), &sources(), Path::new("/results/glance.md"));
        let lines: Vec<&str> = page.lines().collect();
        let blank = "– | ".repeat(5);
        for line in [
            &*format!("| **Parikh, 1 s** | – | 20.0 | {blank}– | – | – | – | – | – |  |"),
            &*format!("| **Parikh, 60 s** | – | 40.0 | {blank}– | – | – | – | – | – | 1 |"),
            &*format!("| all tools together | – | 100 | {blank}– | 100 | – | – | – | – | 0 |"),
            &*format!("| one | – | 87.5 | {blank}– | 80.0 | – | – | – | – | 0 |"),
            &*format!("| two | – | 25.0 | {blank}– | – | – | – | – | – | 1 |"),
            "| PT RC | 2 | 5 | 1 | 2 | 2 | 1 | 1 | 8 | 8 | 7 (one) |",
            "| COL RC | 0 | 0 | – | – | – | 0 | 0 | 3 | – | – |",
            "- RC of P/T nets: Parikh was run on 2 of 3.",
            "![Coloured nets: shares of the known answers by examination](glance-col.svg)",
            "      --exams RC --out pt.csv   # 2 instances, longest run 9.5 s",
            "      --at 1,5,60 --measured '…' -o glance.md pt.csv",
            "Measured: today, 2 cores.",
        ] {
            assert!(lines.contains(&line), "{line} is not in\n{page}");
        }
        assert!(page.contains("L, SS, CTLC, CTLF, LTLC, LTLF of P/T nets: Parikh was not run."));
    }

    #[test]
    fn runs_with_a_shorter_limit_are_remarked_on() {
        let mut glance = glance();
        assert!(!missing(&glance).contains("ended after"));
        glance.limits.push(300.0);
        let text = missing(&glance);
        let sentence = "RC of P/T nets: the runs with open questions ended after at most 75.0 s.";
        assert!(text.contains(sentence), "{text}");
    }

    #[test]
    fn the_plot_has_the_run_at_its_limits_and_the_best_tool() {
        let svg = plot(&glance(), NetKind::PlaceTransition);
        assert!(svg.contains("Place/transition nets") && svg.contains("40.0 % in 60 s"), "{svg}");
        assert!(svg.contains("best 87.5 %") && svg.contains("no figures"), "{svg}");
        assert!(plot(&glance(), NetKind::Coloured).contains("not run"));
    }
}
