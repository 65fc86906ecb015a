//! Comparison of sets of engines (teams) on the same questions: what each team settles, what no
//! other team settles, and what is lost without an engine.
//!
//! A team is a choice of engines (`parikh check --engines`). Its result file has the usual format,
//! so it can be compared, summed up, and continued after an interruption. The questions are those
//! of a list of goals (`benchmarks/hard.txt`: instance, examination, goal, and `aside` for goals
//! kept for validation), or whole examinations of a list of instances.

use crate::cactus::Curve;
use crate::contest::score;
use crate::error::Error;
use crate::exam::Exam;
use crate::instance::Instance;
use crate::oracle;
use crate::row::ResultRow;
use crate::run::{Job, RunEnd, run};
use crate::signals;
use crate::store::ResultStore;
use crate::verdict::{Score, UNKNOWN_ANSWER};
use parikh_solvers::locked;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A configuration of the prover to compare: a set of engines, and the reduction rules that are
/// switched off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Team {
    /// The team's name; its result file is `NAME.csv`.
    pub name: String,
    /// The engines, as `--engines` takes them; the default set if empty.
    pub engines: Vec<String>,
    /// The rules switched off, as `--without-rules` takes them.
    pub without_rules: Vec<String>,
}

/// The requested goals of one examination of one instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestedGoals {
    /// The instance.
    pub instance: String,
    /// The examination.
    pub exam: Exam,
    /// The ids of the requested goals. If empty, all goals of the examination are requested.
    pub goals: BTreeSet<String>,
    /// The ids of the requested goals that the table also counts separately (`aside` in the list).
    /// They are kept for validation.
    pub validation_goals: BTreeSet<String>,
}

impl RequestedGoals {
    /// Makes a request for all goals of an examination.
    pub fn all_goals(instance: String, exam: Exam) -> RequestedGoals {
        RequestedGoals { instance, exam, goals: BTreeSet::new(), validation_goals: BTreeSet::new() }
    }
}

/// The teams to compare, their questions, and the limits of each run.
#[derive(Clone, Debug)]
pub struct Teams {
    /// Directory with the archives `NAME.tgz`.
    pub inputs: PathBuf,
    /// Directory with the known answers `NAME-XX.out`.
    pub oracle: PathBuf,
    /// The questions.
    pub requests: Vec<RequestedGoals>,
    /// The teams, in order.
    pub teams: Vec<Team>,
    /// The `parikh` to run.
    pub parikh: PathBuf,
    /// Time limit of an examination.
    pub timeout: Duration,
    /// Number of runs at a time.
    pub jobs: usize,
    /// Directory of the result files.
    pub output_directory: PathBuf,
}

/// Reads a list of goals, grouped by instance and examination.
///
/// # Errors
/// If the file cannot be read, a line has fewer than three words, the second word is no
/// examination, or the list is empty.
pub fn read_goals(path: &Path) -> Result<Vec<RequestedGoals>, Error> {
    let text = std::fs::read_to_string(path).map_err(Error::at(path))?;
    let mut requests: Vec<RequestedGoals> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let words: Vec<&str> =
            line.split('#').next().unwrap_or_default().split_whitespace().collect();
        let (instance, exam, goal) = match *words {
            [] => continue,
            [instance, exam, goal, ..] => (instance, exam.parse::<Exam>(), goal),
            // One or two words: the empty text is no examination, so the check below fails.
            _ => (line, "".parse(), ""),
        };
        let Ok(exam) = exam else {
            let problem =
                format!("found `{line}`, expected an instance, an examination and a goal");
            return Err(Error::Oracle { path: path.to_owned(), line: number + 1, problem });
        };
        let known = requests
            .iter()
            .position(|request| request.instance == instance && request.exam == exam);
        let index = known.unwrap_or_else(|| {
            let (goals, aside) = (BTreeSet::new(), BTreeSet::new());
            requests.push(RequestedGoals {
                instance: instance.to_owned(),
                exam,
                goals,
                validation_goals: aside,
            });
            requests.len() - 1
        });
        requests[index].goals.insert(goal.to_owned());
        if words.contains(&"aside") {
            requests[index].validation_goals.insert(goal.to_owned());
        }
    }
    match requests.is_empty() {
        true => Err(Error::at(path)(std::io::Error::other("the list is empty"))),
        false => Ok(requests),
    }
}

impl Teams {
    /// Makes all runs that the result files lack. Returns the rows of each team, for the requested
    /// goals. After an interruption, the runs not yet made have no rows.
    ///
    /// # Errors
    /// If an instance, an oracle, the program, the output directory or a result file cannot be
    /// used. Also if a result file has the run of a request without a row for some requested goal.
    pub fn run(&self) -> Result<Vec<(Team, Vec<ResultRow>)>, Error> {
        std::fs::create_dir_all(&self.output_directory)
            .map_err(Error::at(&self.output_directory))?;
        let mut stores = Vec::new();
        for team in &self.teams {
            stores.push(ResultStore::open(
                &self.output_directory.join(format!("{}.csv", team.name)),
            )?);
        }
        let mut pending: VecDeque<(usize, &RequestedGoals)> = VecDeque::new();
        for request in &self.requests {
            for (index, store) in stores.iter().enumerate() {
                if !store.holds(&request.instance, request.exam) {
                    pending.push_back((index, request));
                } else if let Some(goal) =
                    request.goals.iter().find(|goal| !has_goal(store, request, goal))
                {
                    let path =
                        self.output_directory.join(format!("{}.csv", self.teams[index].name));
                    let problem = format!(
                        "found the examination, but not {goal}: the file belongs to other goals, \
                         or no goal has this name; use another --out, or delete the file"
                    );
                    return Err(Error::Rows { path, problem });
                }
            }
        }
        // The result file of each team, the pending runs as index of the team and request, and the
        // first failure.
        let shared = Mutex::new((stores, pending, None));
        let lock = || locked(&shared);
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.max(1) {
                scope.spawn(|| {
                    loop {
                        let next = {
                            let (_, pending, failure) = &mut *lock();
                            if failure.is_some() || signals::interrupted() {
                                return;
                            }
                            pending.pop_front()
                        };
                        let Some((team, request)) = next else { return };
                        let rows = self.examine(&self.teams[team], request);
                        let (stores, _, failure) = &mut *lock();
                        let stored = rows.and_then(|rows| match rows {
                            Some(rows) => stores[team].append(rows),
                            None => Ok(()),
                        });
                        if let Err(error) = stored {
                            failure.get_or_insert(error);
                        }
                    }
                });
            }
        });
        let (stores, _, failure) = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(failure) = failure {
            return Err(failure);
        }
        let counted_rows = |store: &ResultStore| {
            store.rows().iter().filter(|row| self.is_requested(row)).cloned().collect()
        };
        Ok(self.teams.iter().cloned().zip(stores.iter().map(counted_rows)).collect())
    }

    /// Returns the request for the instance and the examination of a row. Returns `None` if no
    /// request has this instance and this examination.
    fn request_of(&self, row: &ResultRow) -> Option<&RequestedGoals> {
        self.requests
            .iter()
            .find(|request| request.instance == row.instance && request.exam == row.exam)
    }

    /// Returns true if a row is about a requested goal.
    fn is_requested(&self, row: &ResultRow) -> bool {
        let request = self.request_of(row);
        request.is_some_and(|requested| {
            requested.goals.is_empty() || requested.goals.contains(&row.id)
        })
    }

    /// Returns true if a row is about a goal that the table also counts separately (`aside` in the
    /// list).
    fn is_aside(&self, row: &ResultRow) -> bool {
        self.request_of(row).is_some_and(|request| request.validation_goals.contains(&row.id))
    }

    /// Makes one run. Returns the rows of the requested goals, or `None` if the harness was
    /// interrupted.
    fn examine(
        &self,
        team: &Team,
        request: &RequestedGoals,
    ) -> Result<Option<Vec<ResultRow>>, Error> {
        let RequestedGoals { instance: name, exam, goals, .. } = request;
        let known = oracle::read(&self.oracle, name, *exam)?;
        let instance = Instance::unpack(&self.inputs, name)?;
        let formulas = instance.formulas(*exam)?;
        let mut command: Vec<OsString> = vec![self.parikh.clone().into()];
        let timeout = format!("{}ms", self.timeout.as_millis());
        let words = ["check", ".", "-e", exam.long(), "-f", "mcc", "-q", "-t", &timeout];
        command.extend(words.map(OsString::from));
        if !team.engines.is_empty() {
            command.extend(["--engines".into(), team.engines.join(",").into()]);
        }
        if !team.without_rules.is_empty() {
            command.extend(["--without-rules".into(), team.without_rules.join(",").into()]);
        }
        // Ids select formulas of a query file. A global property is a single question, so it needs
        // no id.
        if formulas.is_some() {
            for goal in goals {
                command.extend(["--id".into(), goal.into()]);
            }
        }
        let questions = oracle::questions(formulas, known);
        let outcome = run(&Job {
            command: &command,
            directory: &instance.path(),
            variables: vec![],
            // The tool keeps its own time limit; this limit is for a tool that does not.
            timeout: self.timeout + Duration::from_secs(5),
            grace: Duration::from_secs(2),
            memory: None,
            logs: None,
        })?;
        let mut rows = score(name, *exam, &questions, &outcome);
        rows.retain(|row| goals.is_empty() || goals.contains(&row.id));
        Ok((outcome.end != RunEnd::Interrupted).then_some(rows))
    }

    /// Returns a table with one line per team. A line counts the goals, the settled goals, and the
    /// right and wrong answers. It also counts the goals with a known answer, the answers to other
    /// goals, and the right answers and known answers among goals kept aside. Goals lost and gained
    /// are counted in comparison with the first team. The line also has the total wall time of the
    /// runs. With `alone`, a line also counts the goals that this team settles and no other team
    /// except the first does. The line of the first team lacks this count.
    pub fn table(&self, results: &[(Team, Vec<ResultRow>)], alone: bool) -> String {
        let (title, rule) = if alone { (" by no other |", "---|") } else { ("", "") };
        let mut text = format!(
            "| engines | goals | settled | right | of known | wrong | aside right | of known | of unknown | \
             lost against the first | gained | seconds |{title}\n\
             |---|---|---|---|---|---|---|---|---|---|---|---|{rule}\n",
        );
        let settled: Vec<BTreeSet<GoalKey<'_>>> = results
            .iter()
            .map(|(_, rows)| rows.iter().filter(is_settled).map(goal_key).collect())
            .collect();
        // For each goal, the number of teams that settle it, without the first team, the baseline.
        let mut teams_settling: BTreeMap<GoalKey<'_>, usize> = BTreeMap::new();
        settled
            .iter()
            .skip(1)
            .flatten()
            .for_each(|goal| *teams_settling.entry(*goal).or_default() += 1);
        for (index, (team, rows)) in results.iter().enumerate() {
            let count = |is_counted: &dyn Fn(&ResultRow) -> bool| {
                rows.iter().filter(|row| is_counted(row)).count()
            };
            let is_known =
                |row: &ResultRow| !row.expected.is_empty() && row.expected != UNKNOWN_ANSWER;
            let is_right = |row: &ResultRow| row.verdict == Score::Ok;
            let unique_count =
                settled[index].iter().filter(|goal| teams_settling.get(*goal) == Some(&1)).count();
            let unique_cell = match (alone, index) {
                (false, _) => String::new(),
                (true, 0) => "  |".to_owned(),
                (true, _) => format!(" {unique_count} |"),
            };
            let lost = settled[0].difference(&settled[index]).count();
            let gained = settled[index].difference(&settled[0]).count();
            // A run has a row per question, all with the same wall time. So the sum takes one row
            // of each run.
            let run_seconds: BTreeMap<(&str, Exam), f64> =
                rows.iter().map(|row| ((&*row.instance, row.exam), row.wall)).collect();
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {lost} | {gained} | {:.0} |{unique_cell}",
                team.name,
                rows.len(),
                settled[index].len(),
                count(&is_right),
                count(&is_known),
                count(&|row| row.verdict == Score::Wrong),
                count(&|row| is_right(row) && self.is_aside(row)),
                count(&|row| is_known(row) && self.is_aside(row)),
                count(&|row| row.verdict == Score::New),
                run_seconds.values().sum::<f64>(),
            );
        }
        text
    }
}

/// Returns true if a result file has a row for a goal of an examination.
fn has_goal(store: &ResultStore, request: &RequestedGoals, goal: &str) -> bool {
    let is_of_goal = |row: &ResultRow| {
        row.instance == request.instance && row.exam == request.exam && row.id == goal
    };
    store.rows().iter().any(is_of_goal)
}

/// The identity of a goal: instance, examination, id.
type GoalKey<'r> = (&'r str, Exam, &'r str);

/// Returns the goal that a row is about.
fn goal_key(row: &ResultRow) -> GoalKey<'_> {
    (&row.instance, row.exam, &row.id)
}

/// Returns true if the row has a right or a new answer.
fn is_settled(row: &&ResultRow) -> bool {
    matches!(row.verdict, Score::Ok | Score::New)
}

/// Returns, for each team, the times of the right answers and of the answers to questions without a
/// known answer.
pub fn curves(results: &[(Team, Vec<ResultRow>)]) -> Vec<Curve> {
    let curve = |(team, rows): &(Team, Vec<ResultRow>)| Curve {
        name: team.name.clone(),
        style: String::new(),
        seconds: rows.iter().filter(is_settled).filter_map(|row| row.seconds).collect(),
    };
    results.iter().map(curve).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::tests::pack;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn goals_of_one_examination_come_together() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("hard.txt");
        let text = "# hard\nA-PT-1 RC A-PT-1-ReachabilityCardinality-01 ? 10\n\
                    A-PT-1 QL QuasiLiveness TRUE 10 aside\n\
                    A-PT-1 RC A-PT-1-ReachabilityCardinality-07 TRUE 10 aside # bounds\n";
        std::fs::write(&path, text).unwrap();
        let asked = read_goals(&path).unwrap();
        assert_eq!(asked.len(), 2);
        assert_eq!((asked[0].goals.len(), asked[0].validation_goals.len()), (2, 1));
        assert_eq!((asked[1].exam, asked[1].validation_goals.len()), (Exam::QuasiLiveness, 1));
        std::fs::write(&path, "A-PT-1 RC\n").unwrap();
        let error = read_goals(&path).unwrap_err().to_string();
        assert!(error.contains("A-PT-1 RC") && error.contains('1'), "{error}");
        std::fs::write(&path, "A-PT-1 Questions x\n").unwrap();
        assert!(read_goals(&path).is_err());
    }

    /// A prover that answers by the engines it is told to use.
    fn prover(directory: &Path) -> PathBuf {
        let path = directory.join("prover");
        let script = "#!/bin/sh\ncase \"$*\" in\n\
                      *--engines\\ walk*) echo FORMULA f-1 TRUE TECHNIQUES W;;\n\
                      *--engines\\ pdr*) echo FORMULA f-1 TRUE; echo FORMULA f-2 FALSE;;\n\
                      *) echo FORMULA f-1 TRUE; echo FORMULA f-2 FALSE; echo FORMULA f-3 TRUE;;\nesac\n";
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn what_only_one_team_settles_is_counted_and_runs_are_not_made_twice() {
        let directory = tempfile::tempdir().unwrap();
        let queries = ["f-1", "f-2", "f-3"].map(|id| format!("<id>{id}</id>")).concat();
        pack(
            directory.path(),
            "A-PT-1",
            &[("model.pnml", "<pnml/>"), ("ReachabilityFireability.xml", &queries)],
        );
        let known = "A-PT-1 RF\nFORMULA f-1 TRUE\nFORMULA f-2 ?\nFORMULA f-3 TRUE\n";
        std::fs::write(directory.path().join("A-PT-1-RF.out"), known).unwrap();
        let team = |name: &str, engines: &[&str]| Team {
            name: name.to_owned(),
            engines: engines.iter().map(|&engine| engine.to_owned()).collect(),
            without_rules: Vec::new(),
        };
        let set = |goals: &[&str]| goals.iter().map(|&goal| goal.to_owned()).collect();
        let teams = Teams {
            inputs: directory.path().to_owned(),
            oracle: directory.path().to_owned(),
            requests: vec![RequestedGoals {
                instance: "A-PT-1".to_owned(),
                exam: Exam::ReachabilityFireability,
                goals: set(&["f-1", "f-2"]),
                validation_goals: set(&["f-1"]),
            }],
            teams: vec![team("all", &[]), team("walk", &["walk"]), team("pdr", &["pdr"])],
            parikh: prover(directory.path()),
            timeout: Duration::from_secs(20),
            jobs: 2,
            output_directory: directory.path().join("out"),
        };
        let results = teams.run().unwrap();
        let table = teams.table(&results, true);
        let cells = |line: usize| -> Vec<String> {
            let line = table.lines().nth(line).unwrap().trim_matches('|');
            let mut cells: Vec<String> = line.split('|').map(|it| it.trim().to_owned()).collect();
            cells.remove(11); // The time.
            cells
        };
        let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        assert_eq!(cells(2)[..11], words("all 2 2 1 1 0 1 1 1 0 0"));
        assert_eq!(cells(3), words("walk 2 1 1 1 0 1 1 0 1 0 0"));
        assert_eq!(cells(4), words("pdr 2 2 1 1 0 1 1 1 0 0 1"));
        assert!(!teams.table(&results, false).contains("no other"));
        assert_eq!(curves(&results)[2].seconds.len(), 2);
        std::fs::remove_file(&teams.parikh).unwrap();
        assert_eq!(teams.table(&teams.run().unwrap(), true), table);
        // The result file has the run without a row for `f-3`, so its use is refused.
        let mut other = teams.clone();
        other.requests[0].goals.insert("f-3".to_owned());
        let error = other.run().unwrap_err().to_string();
        assert!(error.contains("f-3") && error.contains("all.csv"), "{error}");
    }
}
