//! Black-box tests of batches: interrupted and continued, as job arrays, and for BenchExec. Shell
//! scripts replace the prover and Slurm.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// A directory with a contest of one instance without queries.
struct BatchDirectory(tempfile::TempDir);

/// Examinations whose only answer is named after the examination.
const EXAMS: &str = "RD,OS,QL,SM,L,UB,RC,RF";

/// A prover that answers every examination.
const ANSWER: &str = "echo FORMULA $BK_EXAMINATION TRUE TECHNIQUES A";

impl BatchDirectory {
    fn new() -> BatchDirectory {
        let place = BatchDirectory(tempfile::tempdir().unwrap());
        let file = std::fs::File::create(place.at("Toy-PT-1.tgz")).unwrap();
        let zipped = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        let mut archive = tar::Builder::new(zipped);
        let mut header = tar::Header::new_gnu();
        header.set_size(7);
        header.set_mode(0o644);
        archive.append_data(&mut header, "Toy-PT-1/model.pnml", &b"<pnml/>"[..]).unwrap();
        archive.into_inner().unwrap().finish().unwrap();
        place.write("list", "Toy-PT-1\n");
        place.write(
            "Toy-PT-1-RD.out",
            "Toy-PT-1 ReachabilityDeadlock\nFORMULA ReachabilityDeadlock TRUE TECHNIQUES ORACLE\n",
        );
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.at(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.at(name)).unwrap_or_default()
    }

    /// Returns the arguments for `contest`.
    fn asked(&self, script: &str) -> Vec<String> {
        let here = self.0.path().display();
        let list = self.at("list");
        let words =
            ["--inputs", "{here}", "--oracle", "{here}", "--list", "{list}", "--exams", EXAMS];
        let mut words: Vec<String> = words
            .iter()
            .map(|word| {
                word.replace("{here}", &here.to_string()).replace("{list}", &list.to_string_lossy())
            })
            .collect();
        words.extend(["--command".to_owned(), script.to_owned()]);
        words
    }

    fn contest(&self, script: &str, out: &str) -> Command {
        let mut command = bench();
        command.arg("contest").args(self.asked(script)).arg("--out").arg(self.at(out));
        command
    }
}

fn bench() -> Command {
    Command::new(env!("CARGO_BIN_EXE_parikh-bench"))
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Returns the questions and answers of a result file, without times.
fn answers(csv: &str) -> Vec<String> {
    let line = |line: &str| line.split(',').take(6).collect::<Vec<_>>().join(",");
    let mut lines: Vec<String> = csv.lines().skip(1).map(line).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn a_batch_killed_twice_and_continued_loses_and_doubles_nothing() {
    let place = BatchDirectory::new();
    let started = place.at("started");
    // The third and the sixth run wait until the harness has been killed.
    let script = format!(
        "cd '{}'; echo x >>started; n=$(wc -l <started); \
         if [ $n -eq 3 ] || [ $n -eq 6 ]; then while [ ! -e killed$n ]; do sleep 0.02; done; fi; {ANSWER}",
        place.0.path().display()
    );
    for at in [3, 6] {
        let mut harness = place.contest(&script, "out.csv").spawn().unwrap();
        let begin = Instant::now();
        while std::fs::read_to_string(&started).unwrap_or_default().lines().count() < at {
            assert!(begin.elapsed() < Duration::from_secs(120), "run {at} never began");
            std::thread::sleep(Duration::from_millis(10));
        }
        harness.kill().unwrap();
        harness.wait().unwrap();
        place.write(&format!("killed{at}"), "");
    }
    let output = place.contest(&script, "out.csv").output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let undisturbed = place.contest(ANSWER, "whole.csv").output().unwrap();
    assert!(undisturbed.status.success(), "{}", said(&undisturbed));
    assert_eq!(answers(&place.read("out.csv")), answers(&place.read("whole.csv")));
    assert_eq!(answers(&place.read("out.csv")).len(), 8);
    // Eight runs, and the two interrupted runs once more: no finished run was repeated.
    assert_eq!(place.read("started").lines().count(), 10);
}

#[test]
fn a_second_contest_on_the_same_file_is_refused() {
    let place = BatchDirectory::new();
    let go_on = place.at("go-on");
    let script = format!("while [ ! -e '{}' ]; do sleep 0.02; done; {ANSWER}", go_on.display());
    let mut first = place.contest(&script, "out.csv").spawn().unwrap();
    let begin = Instant::now();
    while place.read("out.csv").is_empty() {
        assert!(begin.elapsed() < Duration::from_secs(120), "the first never began");
        std::thread::sleep(Duration::from_millis(10));
    }
    let second = place.contest(ANSWER, "out.csv").output().unwrap();
    assert_eq!(second.status.code(), Some(1));
    assert!(said(&second).contains("another contest is writing this file"), "{}", said(&second));
    std::fs::write(&go_on, "").unwrap();
    assert!(first.wait().unwrap().success());
    assert_eq!(answers(&place.read("out.csv")).len(), 8);
}

/// A replacement of `sbatch` that runs jobs at once, one after the other.
const SBATCH: &str = r#"#!/bin/bash
array= wrap=
while (($#)); do
    case "$1" in
        --array=*) array=${1#*=} ;;
        --wrap) wrap=$2; shift ;;
        --*) ;;
        *) break ;;
    esac
    shift
done
if [[ -n $wrap ]]; then
    sh -c "$wrap" >&2
else
    for ((task = ${array%-*}; task <= ${array#*-}; task++)); do
        [[ $task == "${LOST:-}" ]] || SLURM_ARRAY_TASK_ID=$task bash "$@" >&2
    done
fi
echo 17
"#;

/// Runs `contest.sh` with this `sbatch`. The part named in `lost` does not run.
fn cluster(place: &BatchDirectory, lost: &str, arguments: &[&str]) -> Output {
    use std::os::unix::fs::PermissionsExt;
    let folder = place.at("bin");
    std::fs::create_dir_all(&folder).unwrap();
    let sbatch = folder.join("sbatch");
    std::fs::write(&sbatch, SBATCH).unwrap();
    std::fs::set_permissions(&sbatch, std::fs::Permissions::from_mode(0o755)).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("slurm/contest.sh");
    let path = std::env::var("PATH").unwrap_or_default();
    Command::new("bash")
        .arg(script)
        .args(arguments)
        .current_dir(place.0.path())
        .env("PATH", format!("{}:{path}", folder.display()))
        .env("PARIKH_BENCH", env!("CARGO_BIN_EXE_parikh-bench"))
        .env("LOST", lost)
        .output()
        .unwrap()
}

#[test]
fn an_array_of_jobs_is_summed_up_and_continued_where_a_part_was_lost() {
    let place = BatchDirectory::new();
    let asked = place.asked(ANSWER);
    let mut submit = vec!["submit", "out", "3", "--time=1", "--"];
    submit.extend(asked.iter().map(|word| &**word));
    // The second part is lost, and the summary job reports it.
    let output = cluster(&place, "2", &submit);
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("no part has 3 of the runs"), "{}", said(&output));
    assert_eq!(answers(&place.read("out/run.csv")).len(), 5);

    let again = cluster(&place, "", &submit);
    assert_eq!(again.status.code(), Some(2), "a plan is not changed: {}", said(&again));
    let output = cluster(&place, "", &["submit", "out"]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(!said(&output).contains("no part has"), "{}", said(&output));
    let whole = place.contest(ANSWER, "whole.csv").output().unwrap();
    assert!(whole.status.success());
    assert_eq!(answers(&place.read("out/run.csv")), answers(&place.read("whole.csv")));
    assert!(place.read("out/run.html").contains("every question is answered"));
    let output = cluster(&place, "", &["summary", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

#[test]
fn tasks_for_benchexec_say_what_is_known() {
    let place = BatchDirectory::new();
    let output = bench()
        .arg("tasks")
        .args(&place.asked(ANSWER)[..8])
        .args(["--timeout", "7", "--cores", "1", "--out"])
        .arg(place.at("tasks"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert!(place.read("tasks/Toy-PT-1-RD.yml").contains("expected_verdict: true"));
    assert!(!place.read("tasks/Toy-PT-1-OS.yml").contains("expected_verdict"));
    assert_eq!(place.read("tasks/instances/Toy-PT-1/model.pnml"), "<pnml/>");
    let definition = place.read("tasks/parikh.xml");
    assert!(definition.contains("tool=\"contest.parikh\""), "{definition}");
    assert!(definition.contains("walltimelimit=\"7 s\""), "{definition}");
    assert_eq!(definition.matches("<rundefinition").count(), 8);
    assert!(place.read("tasks/contest/parikh.py").contains("class Tool"));
    assert!(place.at("tasks/ReachabilityDeadlock.prp").exists());
}

#[test]
fn results_of_benchexec_become_a_result_file() {
    let place = BatchDirectory::new();
    std::fs::create_dir_all(place.at("results/parikh.2026.logfiles")).unwrap();
    place.write(
        "results/parikh.2026.results.RD.xml",
        "<result benchmarkname='parikh' name='RD'><run name='../Toy-PT-1-RD.yml'>\
         <column title='walltime' value='1.5s'/><column title='returnvalue' value='0'/></run></result>",
    );
    place.write(
        "results/parikh.2026.logfiles/RD.Toy-PT-1-RD.yml.log",
        "parikh check model.pnml\n\n\n----\n\n\nFORMULA ReachabilityDeadlock TRUE TECHNIQUES A B\n",
    );
    let output = bench()
        .arg("collect")
        .arg(place.at("results/parikh.2026.results.RD.xml"))
        .args(&place.asked(ANSWER)[..4])
        .arg("--out")
        .arg(place.at("run.csv"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let csv = place.read("run.csv");
    let expected = "Toy-PT-1,RD,ReachabilityDeadlock,TRUE,TRUE,ok,1.500,1.500,0,exit 0,1,A B";
    assert_eq!(csv.lines().nth(1), Some(expected));
    let page = place.at("run.html");
    let output = bench().arg("summary").arg(place.at("run.csv")).arg("-o").arg(&page).output();
    assert!(output.unwrap().status.success());
    assert!(place.read("run.html").starts_with("<!DOCTYPE html>"));
}
