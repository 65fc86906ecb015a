//! Command line of the contest harness: each command, from its options to its exit code.

mod arguments;

use arguments::*;
use clap::{CommandFactory as _, Parser};
use parikh::reduction::rules;
use parikh_benchmarks::backends::Backend;
use parikh_benchmarks::benchexec::{self, Tasks};
use parikh_benchmarks::contest::{Contest, read_list};
use parikh_benchmarks::coverage::Checkers;
use parikh_benchmarks::encodings::Encodings;
use parikh_benchmarks::encodings_table::Settlement;
use parikh_benchmarks::evidence::{self, Audits};
use parikh_benchmarks::exam::Exam;
use parikh_benchmarks::glance::{self, Glance};
use parikh_benchmarks::glance_page::{self, Sources};
use parikh_benchmarks::instance::{
    Instance, NetKind, instances, place_transition_instances, plain_net,
};
use parikh_benchmarks::reasons::Reasons;
use parikh_benchmarks::shard;
use parikh_benchmarks::teams::{self, RequestedGoals, Team, Teams};
use parikh_benchmarks::verdict::Score;
use parikh_benchmarks::{
    Error, cactus, compare, encodings_table, note, oracle, orders, peers, readers, row, say,
    signals, summary, table,
};
use parikh_encodings::Encoding;
use parikh_net::printable::counted;
use parikh_solvers::guest;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        BenchCommand::Contest(args) => contest(*args),
        BenchCommand::Summary(args) => summarise(args),
        BenchCommand::Merge { files, list, exams, out } => {
            merge_parts(&files, list.as_deref(), &exams, &out)
        }
        BenchCommand::Tasks(args) => tasks(args),
        BenchCommand::Collect { results, inputs, oracle, out } => {
            collect(&results, &inputs, &oracle, &out)
        }
        BenchCommand::Compare { a, b, at, no_list } => compare_files([a, b], at, !no_list),
        BenchCommand::Glance(args) => glance_page(args),
        BenchCommand::Evidence(args) => audit(args),
        BenchCommand::Hard(args) => hard(args),
        BenchCommand::Ablate(args) => ablate(args),
        BenchCommand::Encodings(args) => encodings(args),
        BenchCommand::Completions { shell } => completions(shell),
        BenchCommand::Man { directory } => man(&directory),
        BenchCommand::Readers { inputs, list } => compare_readers(&inputs, list.as_deref()),
        BenchCommand::Orders { inputs, list, timeout, out } => {
            compare_orders(&inputs, list.as_deref(), timeout, &out)
        }
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            note!("error: {error}");
            ExitCode::from(1)
        }
    }
}

/// Returns the absolute path of the given program, or of the `parikh` in the directory of this
/// program.
fn parikh_program(given: Option<PathBuf>) -> Result<PathBuf, Error> {
    let beside_this = || {
        let own_path = std::env::current_exe().map_err(Error::at("/proc/self/exe"))?;
        Ok(own_path.with_file_name("parikh"))
    };
    // The tool runs in another directory, so the path must be absolute.
    let path = given.map_or_else(beside_this, Ok)?;
    path.canonicalize().map_err(Error::at(&path))
}

/// Prints the completion script of a shell.
fn completions(shell: clap_complete::Shell) -> Result<u8, Error> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "parikh-bench", &mut script);
    say!("{}", String::from_utf8_lossy(&script).trim_end());
    Ok(0)
}

/// Writes the manual pages.
fn man(directory: &Path) -> Result<u8, Error> {
    std::fs::create_dir_all(directory).map_err(Error::at(directory))?;
    clap_mangen::generate_to(Cli::command(), directory).map_err(Error::at(directory))?;
    Ok(0)
}

/// Runs all engines together, and each selected engine alone. Every engine is selected if
/// `--engines` is not given.
fn hard(args: TeamArgs) -> Result<u8, Error> {
    let chosen = match args.engines.is_empty() {
        false => args.engines.clone(),
        true => parikh::run::engine_names().concat(),
    };
    let team = |engine: String| Team {
        name: engine.clone(),
        engines: vec![engine],
        without_rules: Vec::new(),
    };
    run_teams(args, chosen.into_iter().map(team).collect(), false)
}

/// Runs all engines and rules together, and then leaves out one engine or one family of rules at a
/// time.
fn ablate(AblateArgs { of, rules }: AblateArgs) -> Result<u8, Error> {
    let [by_default, _] = parikh::run::engine_names();
    let (engines, rules) = match (of.engines.is_empty(), rules.is_empty()) {
        (true, true) => {
            let families = rules::FAMILIES.iter().map(|(family, _)| *family).chain(["all"]);
            (by_default.clone(), families.map(str::to_owned).collect())
        }
        _ => (of.engines.clone(), rules),
    };
    let mut teams = Vec::new();
    for engine in engines {
        let others = by_default.iter().filter(|other| **other != engine).cloned();
        let name = format!("without-{engine}");
        teams.push(Team { name, engines: others.collect(), without_rules: Vec::new() });
    }
    for family in rules {
        let name = format!("without-rules-{family}");
        teams.push(Team { name, engines: Vec::new(), without_rules: vec![family] });
    }
    run_teams(of, teams, true)
}

/// Runs all engines and rules together, and each of the given teams. `excludes_engines` is true if
/// a team is all engines and rules without one of them, and false if it is a single engine.
fn run_teams(args: TeamArgs, teams: Vec<Team>, excludes_engines: bool) -> Result<u8, Error> {
    let goal_requests = match (&args.goals, &args.list) {
        (Some(goals), _) => teams::read_goals(goals)?,
        (None, list) => {
            let instances = list.as_deref().map(read_list).transpose()?.unwrap_or_default();
            let requests_of = |instance: String| {
                args.exams
                    .iter()
                    .map(move |&exam| RequestedGoals::all_goals(instance.clone(), exam))
            };
            instances.into_iter().flat_map(requests_of).collect()
        }
    };
    let runs = goal_requests.iter().map(|asked| (&*asked.instance, asked.exam));
    oracle::check_for(&args.oracle, runs)?;
    let team = Team { name: "all".to_owned(), engines: Vec::new(), without_rules: Vec::new() };
    let all_teams = [vec![team], teams].concat();
    let parikh = parikh_program(args.parikh.clone())?;
    let TeamArgs { inputs, oracle, timeout, jobs, out, .. } = args;
    let run = Teams {
        inputs,
        oracle,
        requests: goal_requests,
        teams: all_teams,
        parikh,
        timeout,
        jobs,
        output_directory: out,
    };
    signals::catch();
    let results = run.run()?;
    say!("{}", run.table(&results, !excludes_engines));
    let title = if excludes_engines {
        "With each engine or family of rules excluded"
    } else {
        "Each engine alone"
    };
    let plot = run.output_directory.join("engines.svg");
    let svg = cactus::plot(title, "goals settled", &teams::curves(&results));
    std::fs::write(&plot, svg).map_err(Error::at(&plot))?;
    if signals::interrupted() {
        return Ok(4);
    }
    let mut rows = results.iter().flat_map(|(_, rows)| rows);
    Ok(if rows.any(|row| row.verdict == Score::Wrong) { 3 } else { 0 })
}

/// Counts the grades of evidence and the auditor's verdicts for all instances and examinations.
/// Returns the exit code: 3 if a measurement has a problem, 4 after an interruption.
fn audit(args: EvidenceArgs) -> Result<u8, Error> {
    let instances = match &args.list {
        Some(list) => read_list(list)?,
        None => place_transition_instances(&args.inputs)?,
    };
    let parikh = parikh_program(args.parikh)?;
    let checkers = Checkers::new(args.proved, args.smt_solver.as_deref(), args.smt_timeout);
    let run = Audits { inputs: args.inputs, parikh, timeout: args.timeout, checkers };
    let csv_error = |error: csv::Error| Error::at(&args.out)(error.into());
    let mut file = csv::Writer::from_path(&args.out).map_err(csv_error)?;
    file.write_record(evidence::columns(&run.checkers)).map_err(csv_error)?;
    signals::catch();
    let mut measurements = Vec::new();
    'instances: for name in &instances {
        for &exam in &args.exams {
            if signals::interrupted() {
                break 'instances;
            }
            let measurement = run.measure(name, exam)?;
            let fields = evidence::fields(&measurement, &run.checkers);
            file.write_record(&fields).map_err(csv_error)?;
            file.flush().map_err(Error::at(&args.out))?;
            if measurement.is_wrong() {
                note!("WRONG {}", fields.join(" "));
            }
            measurements.push(measurement);
        }
        note!("{name}");
    }
    say!("{}", evidence::print(&measurements, &run.checkers));
    if signals::interrupted() {
        return Ok(4);
    }
    Ok(if measurements.iter().any(evidence::AuditMeasurement::is_wrong) { 3 } else { 0 })
}

/// Reads all instances with the prover's reader and with the auditor's reader, and prints the
/// differences.
fn compare_readers(inputs: &Path, list: Option<&Path>) -> Result<u8, Error> {
    let instances = match list {
        Some(list) => read_list(list)?,
        None => place_transition_instances(inputs)?,
    };
    signals::catch();
    let (mut nets, mut formulas, mut different, mut seconds) = (0, 0, 0, [0.0; 2]);
    for name in &instances {
        if signals::interrupted() {
            return Ok(4);
        }
        let Some(measurement) = readers::compare(inputs, name)? else { continue };
        for difference in &measurement.differences {
            say!("{name}: {difference}");
        }
        nets += 1;
        formulas += measurement.formulas;
        different += usize::from(!measurement.differences.is_empty());
        seconds.iter_mut().zip(measurement.seconds).for_each(|(sum, time)| *sum += time);
        note!("{name} {:?} {:.2?} s", measurement.size, measurement.seconds);
    }
    say!(
        "{} and {} read twice, {different} differ; {:.1} s by the prover's reader, {:.1} s by the \
         auditor's reader",
        counted(nets, "model"),
        counted(formulas, "formula"),
        seconds[0],
        seconds[1]
    );
    Ok(if different > 0 { 3 } else { 0 })
}

/// Measures each order of places on all instances, and prints the orders by what each adds.
fn compare_orders(
    inputs: &Path,
    list: Option<&Path>,
    timeout: Duration,
    out: &Path,
) -> Result<u8, Error> {
    let instances = match list {
        Some(list) => read_list(list)?,
        None => place_transition_instances(inputs)?,
    };
    signals::catch();
    let mut measurements = orders::OrderFile::open(out)?;
    for name in &instances {
        if signals::interrupted() {
            return Ok(4);
        }
        if !measurements.has(name) {
            note!("{name}");
            let instance = Instance::unpack(inputs, name)?;
            if let Some(net) = plain_net(&instance)? {
                measurements.add(name, orders::measure(&net, timeout))?;
            }
        }
    }
    say!("{}", orders::table(&measurements.rows));
    Ok(0)
}

/// Makes the runs of a contest and prints their table.
fn contest(args: ContestArgs) -> Result<u8, Error> {
    let command = match args.command {
        Some(command) => vec!["sh".into(), "-c".into(), command],
        None => {
            vec![parikh_program(args.parikh)?.into(), "mcc".into()]
        }
    };
    let instances = read_list(&args.of.list)?;
    oracle::check_for(&args.of.oracle, oracle::instance_exam_pairs(&instances, &args.of.exams))?;
    signals::catch();
    let rows = Contest {
        inputs: args.of.inputs,
        oracle: args.of.oracle,
        instances,
        exams: args.of.exams,
        shard: args.shard,
        command,
        tool: args.tool,
        timeout: args.timeout,
        grace: args.grace,
        memory: args.memory,
        jobs: args.jobs,
        result_file: args.out,
        logs: args.logs,
    }
    .run()?;
    say!("{}", table::print(&rows));
    if signals::interrupted() {
        note!("interrupted; run the same command again to continue");
        return Ok(4);
    }
    Ok(exit_code(&rows))
}

/// Merges the parts of a contest.
fn merge_parts(
    files: &[PathBuf],
    list: Option<&Path>,
    exams: &[Exam],
    out: &Path,
) -> Result<u8, Error> {
    let rows = shard::merge(files)?;
    std::fs::write(out, row::print(&rows, true)).map_err(Error::at(out))?;
    say!("{}", table::print(&rows));
    let instances = list.map(read_list).transpose()?.unwrap_or_default();
    let lacking = shard::missing_runs(&rows, &instances, exams);
    if let Some((name, exam)) = lacking.first() {
        note!("no part has {} of the runs, the first is {name} {exam}", lacking.len());
        return Ok(4);
    }
    Ok(exit_code(&rows))
}

/// Writes the tasks for BenchExec.
fn tasks(args: TaskArgs) -> Result<u8, Error> {
    let instances = read_list(&args.of.list)?;
    oracle::check_for(&args.of.oracle, oracle::instance_exam_pairs(&instances, &args.of.exams))?;
    let count = Tasks {
        inputs: args.of.inputs,
        oracle: args.of.oracle,
        instances,
        exams: args.of.exams,
        timeout: args.timeout,
        memory: args.memory,
        cores: args.cores,
        output_directory: args.out,
    }
    .write()?;
    note!("{}", counted(count, "task"));
    Ok(0)
}

/// Scores the results of BenchExec.
fn collect(results: &[PathBuf], inputs: &Path, oracle: &Path, out: &Path) -> Result<u8, Error> {
    oracle::check(oracle)?;
    let mut rows = Vec::new();
    for file in results {
        rows.extend(benchexec::collect(file, inputs, oracle)?);
    }
    std::fs::write(out, row::print(&rows, true)).map_err(Error::at(out))?;
    say!("{}", table::print(&rows));
    Ok(exit_code(&rows))
}

/// Returns the exit code: 3 if an answer is wrong, and 0 otherwise.
fn exit_code(rows: &[row::ResultRow]) -> u8 {
    if table::sum_up(rows).1.wrong_answers > 0 { 3 } else { 0 }
}

/// Reads a result file. If a time is given, returns the rows as if every run had this time limit.
fn read(path: &Path, at: Option<Duration>) -> Result<Vec<row::ResultRow>, Error> {
    let rows = row::read(path)?;
    Ok(match at {
        Some(limit) => compare::truncated_at(&rows, limit.as_secs_f64()),
        None => rows,
    })
}

/// Prints the table of each result file, and writes the page if `--html` is given. The exit code
/// depends on the first file only.
fn summarise(args: SummaryArgs) -> Result<u8, Error> {
    // A run is named by its file's stem, or by its path if two files have the same stem.
    let all_files: Vec<&PathBuf> = args.files.iter().chain(&args.last).collect();
    let name = |path: &PathBuf| match path.file_stem() {
        Some(stem) if all_files.iter().filter(|it| it.file_stem() == Some(stem)).count() == 1 => {
            stem.to_string_lossy().into_owned()
        }
        _ => path.display().to_string(),
    };
    let run = |path: &PathBuf| -> Result<summary::SummaryRun, Error> {
        Ok(summary::SummaryRun { name: name(path), rows: read(path, args.at)? })
    };
    let runs = args.files.iter().map(run).collect::<Result<Vec<_>, _>>()?;
    for run in &runs {
        if runs.len() > 1 {
            say!("{}", run.name);
        }
        say!("{}", table::print(&run.rows));
    }
    if let Some(page) = &args.html {
        let last = args.last.as_ref().map(run).transpose()?;
        let mut reasons = Reasons::of(args.logs.as_deref());
        let html = summary::html(&runs, last.as_ref(), &mut reasons)?;
        std::fs::write(page, html).map_err(Error::at(page))?;
    }
    Ok(exit_code(&runs[0].rows))
}

/// Compares two result files.
fn compare_files(
    files: [PathBuf; 2],
    at: Option<Duration>,
    prints_differences: bool,
) -> Result<u8, Error> {
    let [a, b] = &files;
    let rows = [read(a, at)?, read(b, at)?];
    let comparison = compare::compare(&rows[0], &rows[1]);
    say!("A = {}\nB = {}", a.display(), b.display());
    say!("{}", comparison.print_table());
    if prints_differences {
        say!("{}", comparison.print_differences());
    }
    Ok(if comparison.contradicts() { 3 } else { 0 })
}

/// Writes the page that compares runs with the contest's tools, and its plots.
fn glance_page(args: GlanceArgs) -> Result<u8, Error> {
    let mut limits: Vec<f64> = args.at.iter().map(Duration::as_secs_f64).collect();
    limits.sort_unstable_by(f64::total_cmp);
    limits.dedup();
    let rows = shard::merge(&args.files)?;
    let instances = instances(&args.inputs)?;
    let known_answers = glance::known_answers(&args.oracle, &instances)?;
    let peers = peers::read(&args.contest)?;
    let glance = Glance::new(limits, &instances, known_answers, &rows, peers);
    let sources = Sources {
        measured: args.measured,
        inputs: args.inputs,
        oracle: args.oracle,
        contest: args.contest,
        files: args
            .files
            .iter()
            .map(|file| Ok((file.clone(), row::read(file)?)))
            .collect::<Result<_, Error>>()?,
    };
    for kind in NetKind::ALL {
        let plot = glance_page::plot_path(&args.out, kind);
        std::fs::write(&plot, glance_page::plot(&glance, kind)).map_err(Error::at(&plot))?;
    }
    let page = glance_page::page(&glance, &sources, &args.out);
    std::fs::write(&args.out, page).map_err(Error::at(&args.out))?;
    Ok(exit_code(&compare::truncated_at(&rows, *glance.limits.last().unwrap_or(&f64::MAX))))
}

/// Compares encodings and back-ends.
fn encodings(args: EncodingsArgs) -> Result<u8, Error> {
    let only = args.goals.as_deref().map(teams::read_goals).transpose()?;
    let mut instances = match (&args.list, &only) {
        (Some(list), _) => read_list(list)?,
        (None, requests) => {
            requests.iter().flatten().map(|request| request.instance.clone()).collect()
        }
    };
    // The list of goals may name an instance several times, with other instances between its lines.
    let mut seen = BTreeSet::new();
    instances.retain(|name| seen.insert(name.clone()));
    if let Some(oracle) = &args.oracle {
        oracle::check_for(oracle, oracle::instance_exam_pairs(&instances, &args.exams))?;
    }
    if args.backends.contains(&Backend::Z3Guest) {
        let arguments = vec!["solver-guest".into()];
        guest::set_worker_program(guest::Program { path: parikh_program(args.parikh)?, arguments });
    }
    args.backends.iter().try_for_each(|backend| backend.check_start())?;
    let with_steps = |encoding: Encoding| match encoding.unrolls() {
        true => args.steps.iter().map(|&k| encoding.clone().with_steps(k)).collect(),
        false => vec![encoding],
    };
    let encodings = Encodings {
        inputs: args.inputs,
        oracle: args.oracle,
        exams: args.exams,
        requests: only,
        encodings: args.encodings.into_iter().flat_map(with_steps).collect(),
        backends: args.backends,
        engines: args.engines,
        timeout: args.timeout,
        unreachable_only: args.unreachable,
        max_nodes: args.largest,
        max_goals: args.most,
        max_traps: args.traps,
    };
    let measurements =
        measure_instances(&instances, &args.out, &encodings_table::COLUMNS, |name| {
            Ok(encodings.measure(name)?.map(|measured| {
                let lines = measured.iter().map(|m| encodings_table::fields(m).to_vec()).collect();
                (measured, lines)
            }))
        })?;
    for m in measurements.iter().filter(|m| m.is_wrong) {
        note!("WRONG {}", encodings_table::fields(m).join(" "));
    }
    say!("{}", encodings_table::print(&measurements));
    let plots =
        [(&args.plot_refuted, Settlement::Refuted), (&args.plot_reached, Settlement::Reached)];
    for (path, settlement) in plots {
        let Some(path) = path else { continue };
        let plot = encodings_table::plot(&measurements, settlement);
        std::fs::write(path, plot).map_err(Error::at(path))?;
    }
    if let Some(path) = &args.scatter {
        std::fs::write(path, encodings_table::scatter(&measurements)).map_err(Error::at(path))?;
    }
    Ok(match measurements.iter().any(|m| m.is_wrong) {
        true => 3,
        false if signals::interrupted() => 4,
        false => 0,
    })
}

/// The measurements of an instance, and their lines in the result file. `None` if the instance is
/// skipped.
type InstanceMeasurements<M> = Option<(Vec<M>, Vec<Vec<String>>)>;

/// Measures the instances one after another, until an interruption. Writes the lines of an instance
/// as soon as it is measured.
fn measure_instances<M>(
    instances: &[String],
    out: &Path,
    columns: &[&str],
    measure: impl Fn(&str) -> Result<InstanceMeasurements<M>, Error>,
) -> Result<Vec<M>, Error> {
    let csv_error = |error: csv::Error| Error::at(out)(error.into());
    let mut file = csv::Writer::from_path(out).map_err(csv_error)?;
    file.write_record(columns).map_err(csv_error)?;
    signals::catch();
    let mut measurements = Vec::new();
    let mut skipped_count = 0;
    for (index, name) in instances.iter().enumerate() {
        if signals::interrupted() {
            break;
        }
        match measure(name)? {
            Some((measured, lines)) => {
                for line in lines {
                    file.write_record(line).map_err(csv_error)?;
                }
                file.flush().map_err(Error::at(out))?;
                measurements.extend(measured);
            }
            None => skipped_count += 1,
        }
        note!("{}/{} {name}", index + 1, instances.len());
    }
    note!("{skipped_count} of {} skipped", counted(instances.len(), "instance"));
    Ok(measurements)
}
