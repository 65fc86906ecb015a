//! Contests by BenchExec (Beyer, Löwe, Wendler: *Reliable benchmarking*, STTT 2019), which limits
//! and measures processes with the kernel's control groups. This module writes the tasks and reads
//! the results.
//!
//! The directory of tasks has a task definition `NAME-XX.yml` for each instance and examination,
//! with the model and the known answers. It also has a property file for each examination, the
//! tool-info module in `contest/`, and the benchmark definition `parikh.xml` with a run definition
//! for each examination.

use crate::answer::ToolAnswer;
use crate::contest::score;
use crate::error::Error;
use crate::exam::Exam;
use crate::instance::{Instance, unpack_to};
use crate::oracle;
use crate::row::ResultRow;
use crate::run::{RunEnd, RunOutcome};
use quick_xml::events::{BytesStart, Event};
use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The tool-info module, which tells BenchExec how to run the tool.
const TOOL_INFO: &str = include_str!("../benchexec/parikh.py");

/// The inputs and limits of a contest that is written as a benchmark for BenchExec.
#[derive(Clone, Debug)]
pub struct Tasks {
    /// Directory with the archives `NAME.tgz`.
    pub inputs: PathBuf,
    /// Directory with the known answers `NAME-XX.out`.
    pub oracle: PathBuf,
    /// The instances.
    pub instances: Vec<String>,
    /// The examinations.
    pub exams: Vec<Exam>,
    /// The wall time of a run.
    pub timeout: Duration,
    /// The memory of a run, in MB.
    pub memory: u64,
    /// The processor cores of a run.
    pub cores: u16,
    /// The output directory.
    pub output_directory: PathBuf,
}

impl Tasks {
    /// Writes the definitions, instances and tool-info module of the benchmark. Returns the number
    /// of tasks, that is, of pairs of an instance and an examination.
    ///
    /// # Errors
    /// If an archive or an oracle cannot be read, or a file cannot be written.
    pub fn write(&self) -> Result<usize, Error> {
        let models = self.output_directory.join("instances");
        std::fs::create_dir_all(&models).map_err(Error::at(&models))?;
        let tool = self.output_directory.join("contest");
        std::fs::create_dir_all(&tool).map_err(Error::at(&tool))?;
        let write =
            |path: PathBuf, text: &str| std::fs::write(&path, text).map_err(Error::at(&path));
        write(tool.join("parikh.py"), TOOL_INFO)?;
        write(self.output_directory.join("parikh.xml"), &self.definition())?;
        for exam in &self.exams {
            let property = format!("The contest's examination {}.\n", exam.long());
            write(self.output_directory.join(format!("{}.prp", exam.long())), &property)?;
        }
        for name in &self.instances {
            unpack_to(&self.inputs, name, &models)?;
            for &exam in &self.exams {
                let known = oracle::read(&self.oracle, name, exam)?.unwrap_or_default();
                let text = definition_of(name, exam, &known);
                write(self.output_directory.join(format!("{name}-{exam}.yml")), &text)?;
            }
        }
        Ok(self.instances.len() * self.exams.len())
    }

    /// Returns the benchmark definition as XML.
    fn definition(&self) -> String {
        let seconds = self.timeout.as_secs_f64();
        let mut xml = format!(
            "<?xml version=\"1.0\"?>\n\
             <!DOCTYPE benchmark PUBLIC \"+//IDN sosy-lab.org//DTD BenchExec benchmark 1.18//EN\" \
             \"https://www.sosy-lab.org/benchexec/benchmark-1.18.dtd\">\n\
             <!-- Written by `parikh-bench tasks`, which says how it is run. -->\n\
             <benchmark tool=\"contest.parikh\" displayName=\"Parikh\" walltimelimit=\"{seconds} s\" \
             hardtimelimit=\"{} s\" memlimit=\"{} MB\" cpuCores=\"{}\">\n",
            // The limit of processor time is larger than the processor time of a run that uses all
            // its cores until the limit of wall time. So the limit of wall time ends each run
            // first.
            (seconds * f64::from(self.cores)).ceil() + 60.0,
            self.memory,
            self.cores
        );
        for exam in &self.exams {
            let long = exam.long();
            // Writing to a String does not fail.
            let _ = writeln!(
                xml,
                "  <rundefinition name=\"{exam}\">\n    <propertyfile>{long}.prp</propertyfile>\n    \
                 <tasks><include>*-{exam}.yml</include></tasks>\n  </rundefinition>"
            );
        }
        xml + "  <columns><column title=\"answered\">answered</column></columns>\n</benchmark>\n"
    }
}

/// Returns a task definition. If the oracle has a single question, and its answer is TRUE or FALSE,
/// the answer is the expected verdict.
fn definition_of(name: &str, exam: Exam, known: &[oracle::OracleQuestion]) -> String {
    let verdict = match known {
        [only] if only.expected == "TRUE" => "\n    expected_verdict: true",
        [only] if only.expected == "FALSE" => "\n    expected_verdict: false",
        _ => "",
    };
    let long = exam.long();
    format!(
        "format_version: '2.0'\ninput_files: 'instances/{name}/model.pnml'\nproperties:\n  \
         - property_file: {long}.prp{verdict}\noptions:\n  examination: {long}\n"
    )
}

/// Reads a result file of BenchExec with the logs in the directory beside it, and scores the
/// answers. BenchExec does not record when an answer came, so each answer counts at the end of its
/// run.
///
/// # Errors
/// If the file is not a result file, a log is missing, or an instance or oracle cannot be read.
pub fn collect(results: &Path, inputs: &Path, oracles: &Path) -> Result<Vec<ResultRow>, Error> {
    let fail = |problem: String| Error::Rows { path: results.to_owned(), problem };
    let text = std::fs::read_to_string(results).map_err(Error::at(results))?;
    let logs = logs_of(results).ok_or_else(|| {
        fail(
            "its name should be BENCHMARK.DATE.results.NAME.xml, uncompressed: run benchexec with \
              --no-compress-results"
                .to_owned(),
        )
    })?;
    let (definition, runs) = read(&text).map_err(fail)?;
    let mut rows = Vec::new();
    for run in runs {
        let file = run.task.rsplit('/').next().unwrap_or_default();
        let name_and_exam = file.strip_suffix(".yml").and_then(|task| task.rsplit_once('-'));
        let (name, exam) = name_and_exam
            .and_then(|(name, exam)| Some((name, exam.parse::<Exam>().ok()?)))
            .ok_or_else(|| fail(format!("found the task `{}`, expected NAME-XX.yml", run.task)))?;
        let log = logs.join(format!("{definition}.{file}.log"));
        let log_text = std::fs::read(&log).map_err(Error::at(&log))?;
        let log_text = String::from_utf8_lossy(&log_text);
        let answers =
            log_text.lines().filter_map(ToolAnswer::on_line).map(|answer| (answer, run.wall));
        let known = oracle::read(oracles, name, exam)?;
        let instance = Instance::unpack(inputs, name)?;
        let questions = oracle::questions(instance.formulas(exam)?, known);
        let outcome = RunOutcome {
            answers: answers.collect(),
            wall: run.wall,
            memory: run.memory,
            end: run.end,
        };
        let mut scored = score(name, exam, &questions, &outcome);
        let count = scored.len();
        scored.iter_mut().for_each(|row| row.rows = Some(count));
        rows.extend(scored);
    }
    Ok(rows)
}

/// Returns the directory of the logs of a result file: `b.DATE.logfiles` for
/// `b.DATE.results.RD.xml`. Returns `None` if the name has another form.
fn logs_of(results: &Path) -> Option<PathBuf> {
    let name = results.file_name()?.to_str()?;
    let (prefix, _) = name.strip_suffix(".xml")?.split_once(".results")?;
    Some(results.with_file_name(format!("{prefix}.logfiles")))
}

/// A run in a result file of BenchExec.
#[derive(Debug)]
struct ReportedRun {
    /// The path of the task definition.
    task: String,
    /// The wall time in seconds.
    wall: f64,
    /// The peak memory in MB.
    memory: u64,
    /// The end of the run.
    end: RunEnd,
}

/// Parses a result file of BenchExec. Returns the name of the run definition and the runs. Returns
/// a message if the XML has an error or if no element `result` has a name.
fn read(xml: &str) -> Result<(String, Vec<ReportedRun>), String> {
    let mut reader = quick_xml::Reader::from_str(xml);
    let mut definition = String::new();
    let mut runs = Vec::new();
    let mut columns: HashMap<String, String> = HashMap::new();
    let mut task = None;
    loop {
        match reader.read_event().map_err(|error| error.to_string())? {
            Event::Start(tag) if tag.name().as_ref() == "result" => {
                // The name is `RD.quick` if the tasks have a name too; the logs use the part before
                // the dot.
                let name = attribute(&tag, "name")?.unwrap_or_default();
                definition = name.split('.').next().unwrap_or_default().to_owned();
            }
            Event::Start(tag) if tag.name().as_ref() == "run" => {
                task = attribute(&tag, "name")?;
                columns.clear();
            }
            Event::Empty(tag) if tag.name().as_ref() == "column" && task.is_some() => {
                if let (Some(title), Some(value)) =
                    (attribute(&tag, "title")?, attribute(&tag, "value")?)
                {
                    columns.insert(title, value);
                }
            }
            Event::End(tag) if tag.name().as_ref() == "run" => {
                runs.extend(task.take().map(|task| reported(task, &columns)));
            }
            Event::Eof => break,
            _ => {}
        }
    }
    if definition.is_empty() {
        return Err("found no <result name=…>, expected a result file of BenchExec".to_owned());
    }
    Ok((definition, runs))
}

/// Returns the value of an attribute, trimmed. Returns `None` if the tag lacks the attribute, and a
/// message if the attributes of the tag are malformed.
fn attribute(tag: &BytesStart<'_>, name: &str) -> Result<Option<String>, String> {
    let attribute_value = tag.try_get_attribute(name).map_err(|error| error.to_string())?;
    Ok(attribute_value.map(|attribute| attribute.value.trim().to_owned()))
}

/// Makes a run from the columns that BenchExec reports for a task.
fn reported(task: String, columns: &HashMap<String, String>) -> ReportedRun {
    let number = |title: &str, unit: &str| -> Option<f64> {
        columns.get(title)?.trim_end_matches(unit).trim().parse().ok()
    };
    let status = columns.get("status").map_or("", |status| &**status);
    let signal = number("exitsignal", "").map(|signal| RunEnd::Signal(signal as i32));
    let exit = number("returnvalue", "").map(|code| RunEnd::Exit(code as i32));
    let exit_or_signal = signal.or(exit).unwrap_or(RunEnd::Terminated);
    ReportedRun {
        task,
        wall: number("walltime", "s").unwrap_or(0.0),
        memory: (number("memory", "B").unwrap_or(0.0) / f64::from(1 << 20)).ceil() as u64,
        end: if status.starts_with("TIMEOUT") { RunEnd::Terminated } else { exit_or_signal },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_of_benchexec_is_read() {
        let xml = "<?xml version='1.0'?><result benchmarkname='parikh' name='RD.RD'>\
            <run name='A-PT-1-RD.yml' files='[instances/A-PT-1/model.pnml]'>\
            <column title='status' value='true'/><column title='walltime' value='0.5s'/>\
            <column title='memory' value='3145728B'/><column title='returnvalue' value='0'/></run>\
            <run name='B-PT-2-RD.yml'><column title='status' value='TIMEOUT'/>\
            <column title='exitsignal' value='9'/></run></result>";
        let (name, runs) = read(xml).unwrap();
        assert_eq!(name, "RD");
        assert_eq!((&*runs[0].task, runs[0].wall, runs[0].memory), ("A-PT-1-RD.yml", 0.5, 3));
        assert_eq!((runs[0].end, runs[1].end), (RunEnd::Exit(0), RunEnd::Terminated));
        assert!(read("<pnml/>").unwrap_err().contains("BenchExec"));
        let logs = logs_of(Path::new("r/parikh.2026.results.RD.xml")).unwrap();
        assert_eq!(logs, Path::new("r/parikh.2026.logfiles"));
        assert_eq!(logs_of(Path::new("r/parikh.2026.results.RD.xml.bz2")), None);
    }

    #[test]
    fn a_task_says_what_is_known_of_a_single_answer() {
        let known = |expected: &[&str]| -> Vec<oracle::OracleQuestion> {
            let question = |&expected: &&str| oracle::OracleQuestion {
                id: "x".to_owned(),
                expected: expected.to_owned(),
            };
            expected.iter().map(question).collect()
        };
        let of = |expected: &[&str]| definition_of("A-PT-1", Exam::OneSafe, &known(expected));
        assert!(of(&["TRUE"]).contains("expected_verdict: true\n"));
        assert!(of(&["FALSE"]).contains("expected_verdict: false\n"));
        assert!(!of(&["?"]).contains("expected_verdict"));
        assert!(!of(&["TRUE", "FALSE"]).contains("expected_verdict"));
        assert!(of(&[]).contains("input_files: 'instances/A-PT-1/model.pnml'\n"));
    }
}
