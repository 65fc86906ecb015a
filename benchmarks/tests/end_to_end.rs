//! Black-box tests of the harness, with shell scripts that replace the prover.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory with a contest of one instance.
struct ContestDirectory(tempfile::TempDir);

impl ContestDirectory {
    fn new() -> ContestDirectory {
        let place = ContestDirectory(tempfile::tempdir().unwrap());
        let file = std::fs::File::create(place.at("Toy-PT-1.tgz")).unwrap();
        let zipped = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        let mut archive = tar::Builder::new(zipped);
        let queries = "<property-set>\
             <property><id>Toy-PT-1-ReachabilityCardinality-2025-00</id></property>\
             <property><id>Toy-PT-1-ReachabilityCardinality-2023-07</id></property>\
             </property-set>";
        let files = [("model.pnml", "<pnml/>"), ("ReachabilityCardinality.xml", queries)];
        for (path, text) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            header.set_mode(0o644);
            archive.append_data(&mut header, format!("Toy-PT-1/{path}"), text.as_bytes()).unwrap();
        }
        archive.into_inner().unwrap().finish().unwrap();
        // The oracle's 00 is the formula with the first id in sorted order, that of 2023.
        place.write(
            "Toy-PT-1-RC.out",
            "Toy-PT-1 ReachabilityCardinality\n\
             FORMULA Toy-PT-1-ReachabilityCardinality-00 TRUE TECHNIQUES ORACLE2025\n\
             FORMULA Toy-PT-1-ReachabilityCardinality-01 ? TECHNIQUES ORACLE2025\n",
        );
        place.write(
            "Toy-PT-1-OS.out",
            "Toy-PT-1 OneSafe\nFORMULA OneSafe FALSE TECHNIQUES ORACLE2025\n",
        );
        place.write("list", "Toy-PT-1\n");
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.at(name), text).unwrap();
    }

    fn contest(&self, script: &str, more: &[&str]) -> Output {
        let here = self.0.path();
        bench()
            .arg("contest")
            .args([Path::new("--inputs"), here, Path::new("--oracle"), here])
            .args([Path::new("--list"), &self.at("list"), Path::new("--out"), &self.at("out.csv")])
            .args(["--command", script])
            .args(if more.contains(&"--exams") { &[][..] } else { &["--exams", "RC,OS"] })
            .args(more)
            .output()
            .unwrap()
    }

    fn csv(&self) -> String {
        std::fs::read_to_string(self.at("out.csv")).unwrap()
    }
}

fn bench() -> Command {
    Command::new(env!("CARGO_BIN_EXE_parikh-bench"))
}

const RIGHT: &str = "
    test -f model.pnml || exit 1
    echo $BK_INPUT $BK_EXAMINATION $BK_TOOL $BK_TIME_CONFINEMENT $BK_MEMORY_CONFINEMENT >&2
    case $BK_EXAMINATION in
    OneSafe) echo FORMULA OneSafe FALSE TECHNIQUES A B ;;
    *) echo FORMULA Toy-PT-1-ReachabilityCardinality-2023-07 TRUE TECHNIQUES C ;;
    esac";

#[test]
fn right_answers_are_scored_logged_and_summed_up() {
    let place = ContestDirectory::new();
    let logs = place.at("logs");
    let more = ["--timeout", "300", "--jobs", "2", "--logs", logs.to_str().unwrap()];
    let output = place.contest(RIGHT, &more);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let csv = place.csv();
    let mut lines: Vec<&str> = csv.lines().collect();
    lines[1..].sort_unstable();
    assert!(lines[0].starts_with("instance,exam,id,expected,got,verdict,seconds,wall,memory"));
    assert!(lines[1].starts_with("Toy-PT-1,OS,OneSafe,FALSE,FALSE,ok,"), "{csv}");
    assert!(lines[1].ends_with(",exit 0,1,A B"), "{csv}");
    assert!(lines[2].contains("-2023-07,TRUE,TRUE,ok,"), "{csv}");
    assert!(lines[3].contains("-2025-00,?,,unknown,,"), "{csv}");
    let told = std::fs::read_to_string(logs.join("Toy-PT-1-OS.err")).unwrap();
    assert_eq!(told, "Toy-PT-1 OneSafe parikh 300 16384\n");
    let table = String::from_utf8(output.stdout).unwrap();
    let all: Vec<&str> = table.lines().last().unwrap().split_whitespace().collect();
    assert_eq!(all[..8], ["all", "2", "3", "2", "2", "0", "0", "0"], "{table}");
}

#[test]
fn a_wrong_answer_has_its_own_exit_code() {
    let place = ContestDirectory::new();
    let output = place.contest("echo FORMULA OneSafe TRUE TECHNIQUES A", &[]);
    assert_eq!(output.status.code(), Some(3));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(stderr, "WRONG Toy-PT-1 OS OneSafe: expected FALSE, got TRUE\n");
}

#[test]
fn finished_runs_are_not_made_again_and_half_written_ones_are() {
    let place = ContestDirectory::new();
    assert_eq!(place.contest(RIGHT, &[]).status.code(), Some(0));
    let whole = place.csv();
    // Finished runs are not repeated, so a tool with a wrong answer is not started.
    let again = place.contest("echo FORMULA OneSafe TRUE; touch ../../started", &[]);
    assert_eq!((again.status.code(), place.csv()), (Some(0), whole.clone()));

    // The file is truncated within the rows of the last run, OneSafe. The run is repeated, now with
    // another answer.
    place.write("out.csv", &whole[..whole.len() - 10]);
    let again = place.contest("echo FORMULA OneSafe TRUE", &[]);
    assert_eq!(again.status.code(), Some(3));
    assert_eq!(place.csv().lines().count(), whole.lines().count());
    assert!(place.csv().contains("OneSafe,FALSE,TRUE,wrong"));
}

#[test]
fn a_tool_out_of_time_keeps_the_answers_it_gave() {
    let place = ContestDirectory::new();
    let script = format!("{RIGHT}\nsleep 1000");
    let output = place.contest(&script, &["--timeout", "3", "--grace", "1", "--jobs", "2"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(place.csv().matches(",ok,").count(), 2);
    assert_eq!(place.csv().matches(",terminated,").count(), 3);
}

#[test]
fn what_the_harness_cannot_use_is_an_error_of_its_own() {
    let place = ContestDirectory::new();
    place.write("list", "Toy-PT-1\nMissing-PT-2\n");
    let output = place.contest("true", &[]);
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("Missing-PT-2.tgz"), "{stderr}");
    assert!(!place.at("out.csv").exists());
    assert_eq!(place.contest("true", &["--timeout", "-1"]).status.code(), Some(2));
}

#[test]
fn an_oracle_that_knows_nothing_of_the_list_is_refused_by_whoever_asks_it() {
    let place = ContestDirectory::new();
    let of = |list: &str| place.write("list", list);
    let refused = |arguments: &[&str], why: &str| {
        let here = place.0.path();
        let mut command = bench();
        command.args(arguments).args([Path::new("--inputs"), here]);
        command.args([Path::new("--list"), &place.at("list")]);
        let output = command.args([Path::new("--out"), &place.at("out")]).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {stderr}");
        assert!(stderr.contains(why), "{arguments:?}: {stderr}");
    };
    let (other, absent) = (place.at("other"), place.at("absent"));
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("Toy-PT-1-OS.out"), "").unwrap();
    let known = "Else-PT-1 OneSafe\nFORMULA OneSafe FALSE TECHNIQUES ORACLE2025\n";
    std::fs::write(other.join("Else-PT-1-OS.out"), known).unwrap();
    let [other, absent] = [&other, &absent].map(|path| path.to_str().unwrap());
    let this = env!("CARGO_BIN_EXE_parikh-bench");
    for command in ["contest", "tasks", "hard", "ablate", "encodings"] {
        let parikh = match command {
            "contest" | "hard" | "ablate" | "encodings" => &["--parikh", this][..],
            _ => &[],
        };
        let asked = |oracle| [&[command, "--oracle", oracle], parikh].concat();
        refused(&asked(other), "the known answers cover no question of the list");
        refused(&asked(absent), "No such file");
    }
    of("# nothing\n");
    let here = place.0.path().to_str().unwrap();
    refused(&["contest", "--oracle", here, "--command", "true"], "the list is empty");
}

#[test]
fn a_coloured_instance_is_passed_over() {
    let coloured = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/philosophers-coloured.pnml"),
    );
    let place = ContestDirectory::new();
    let file = std::fs::File::create(place.at("Phil-COL-5.tgz")).unwrap();
    let zipped = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    let mut archive = tar::Builder::new(zipped);
    let (text, mut header) = (coloured.unwrap(), tar::Header::new_gnu());
    header.set_size(text.len() as u64);
    header.set_mode(0o644);
    archive.append_data(&mut header, "Phil-COL-5/model.pnml", text.as_bytes()).unwrap();
    archive.into_inner().unwrap().finish().unwrap();
    place.write("list", "Phil-COL-5\n");
    let output = bench()
        .args([Path::new("readers"), Path::new("--inputs"), place.0.path()])
        .args([Path::new("--list"), &place.at("list")])
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(stderr.contains("Phil-COL-5: skipped: the model is coloured"), "{stderr}");
}

#[test]
fn examinations_are_asked_by_alias_and_in_any_case() {
    let place = ContestDirectory::new();
    let output = place.contest("true", &["--exams", "rc, one-safe"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn an_interrupt_ends_the_tools_and_keeps_finished_runs() {
    let place = ContestDirectory::new();
    // The first run interrupts the harness, its parent process, and would otherwise continue
    // forever.
    let output = place.contest("kill -INT $PPID; sleep 1000", &[]);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    assert_eq!(place.csv().lines().count(), 1);
}

#[test]
fn files_are_compared_with_those_of_peers() {
    let place = ContestDirectory::new();
    assert_eq!(place.contest(RIGHT, &[]).status.code(), Some(0));
    let peer = "instance,exam,id,expected,got,verdict,seconds,wall\n\
                Toy-PT-1,OS,OneSafe,FALSE,,miss,,30.0\n\
                Toy-PT-1,RC,Toy-PT-1-ReachabilityCardinality-2025-00,?,TRUE,new,25.0,30.0\n";
    place.write("peer.csv", peer);
    let compare = |more: &[&str]| {
        let files = [place.at("out.csv"), place.at("peer.csv")];
        let output = bench().arg("compare").args(files).args(more).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, text) = compare(&[]);
    assert_eq!(code, Some(0));
    assert!(text.contains("only A  FALSE at "), "{text}");
    assert!(text.contains("only B  TRUE at 25.00 s, expected ?  Toy-PT-1 RC"), "{text}");
    assert!(text.contains("not compared: 1 question only in A"), "{text}");
    let (_, text) = compare(&["--at", "20"]);
    assert!(!text.contains("only B  TRUE"), "{text}");
    assert_eq!(compare(&["--no-list"]).1.matches("expected").count(), 0);
}

#[test]
fn parts_put_together_are_the_whole_and_no_run_is_taken_twice() {
    let place = ContestDirectory::new();
    place.contest(RIGHT, &[]);
    let whole = place.csv();
    let mut parts = Vec::new();
    for part in ["1/3", "2/3", "3/3"] {
        std::fs::remove_file(place.at("out.csv")).unwrap();
        assert!(place.contest(RIGHT, &["--shard", part]).status.success());
        let to = place.at(&part.replace('/', "-of-"));
        std::fs::copy(place.at("out.csv"), &to).unwrap();
        parts.push(to);
    }
    let merge = |parts: &[PathBuf]| {
        bench().arg("merge").args(parts).arg("-o").arg(place.at("all.csv")).output().unwrap()
    };
    let merged = merge(&parts);
    assert!(merged.status.success(), "{}", String::from_utf8_lossy(&merged.stderr));
    let all = std::fs::read_to_string(place.at("all.csv")).unwrap();
    // The results are compared without times.
    let questions = |csv: &str| -> Vec<String> {
        csv.lines().map(|line| line.split(',').take(6).collect::<Vec<_>>().join(",")).collect()
    };
    assert_eq!(questions(&all), questions(&whole));
    let mut repeated = parts.clone();
    repeated.push(parts[0].clone());
    let merged = merge(&repeated);
    assert!(merged.status.success(), "{}", String::from_utf8_lossy(&merged.stderr));
    assert_eq!(std::fs::read_to_string(place.at("all.csv")).unwrap(), all, "a part named twice");
    let twice = merge(&[parts[0].clone(), parts[1].clone(), place.at("all.csv")]);
    assert_eq!(twice.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&twice.stderr).contains("is also in"), "{twice:?}");
    let refused = place.contest(RIGHT, &["--shard", "4/3"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn the_version_and_the_manual_have_the_name_of_the_program() {
    let place = ContestDirectory::new();
    let said = bench().arg("--version").output().unwrap();
    assert!(String::from_utf8_lossy(&said.stdout).starts_with("parikh-bench "));
    let manual = place.at("man1");
    assert!(bench().arg("man").arg(&manual).status().unwrap().success());
    let page = std::fs::read_to_string(manual.join("parikh-bench-contest.1")).unwrap();
    assert!(page.contains("parikh\\-bench\\-contest"), "{page}");
}
