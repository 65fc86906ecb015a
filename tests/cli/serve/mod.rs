//! `parikh serve`, with a client over plain sockets: jobs, limits, access, and the protocol of
//! MCC-server.

mod access;
mod client;
mod contest;
mod hostile;
mod load;

use crate::support::binary::{TestDirectory, example};
use client::{TestServer, counter};
use std::io::BufRead as _;

fn mutex() -> Vec<u8> {
    std::fs::read(example("mutex.pnml")).expect("readable")
}

const LONG: &str = r#"{"examinations": ["ReachabilityDeadlock"], "seconds": 60}"#;

#[test]
fn questions_are_answered_and_their_files_downloaded() {
    let directory = TestDirectory::new();
    let server = TestServer::start(directory.path(), &[]);
    let net = server.net("my%20net.pnml", &mutex());
    let page = server.get(&format!("/api/nets/{net}")).json();
    assert_eq!(page["net"]["name"], "my net.pnml");
    assert_eq!(page["page"]["net"]["places"].as_array().expect("a list").len(), 7);
    let request =
        r#"{"examinations": ["OneSafe"], "formulas": "x: EF critical_1 >= 1\n# c\nbound(lock)"}"#;
    let job = server.job(&net, request);
    assert_eq!(server.ended(&net, job), "done");
    let answers = server.answers(&net, job);
    let expected = [("OneSafe", "TRUE".into()), ("x", "TRUE".into()), ("formula-2", 1.into())];
    for (id, value) in expected {
        assert!(answers.contains(&(id.to_owned(), value)), "{id}: {answers:?}");
    }
    let job_page = server.get(&format!("/api/nets/{net}/jobs/{job}")).json();
    let command = "parikh check 'my net.pnml' --examination=OneSafe '--formula=x: EF critical_1 >= 1' \
                   '--formula=bound(lock)' --timeout 60s";
    assert_eq!(job_page["job"]["command"], command);
    let evidence = server.get(&format!("/api/nets/{net}/jobs/{job}/evidence.tar.gz"));
    assert!(evidence.head.contains("attachment; filename=\"evidence.tar.gz\""));
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(&evidence.body[..]));
    let files = archive
        .entries()
        .expect("an archive")
        .map(|file| file.expect("a file").path().expect("a path").to_string_lossy().into_owned());
    assert_eq!(
        files.collect::<Vec<_>>(),
        ["model.pnml", "evidence/Formulas.jsonl", "evidence/OneSafe.jsonl"]
    );
    let report = server.job(&net, r#"{"kind": "report", "seconds": 5}"#);
    assert!(matches!(server.ended(&net, report).as_str(), "done" | "incomplete"));
    let html = server.get(&format!("/api/nets/{net}/jobs/{report}/report.html"));
    assert!(html.text().contains("<title>"), "{}", html.head);
    assert_eq!(server.get(&format!("/api/nets/{net}/model")).body, mutex());
    let removed = server.request("DELETE", &format!("/api/nets/{net}"), &[], b"");
    assert_eq!(removed.status, 200);
    assert_eq!(server.get(&format!("/api/nets/{net}")).status, 404);
    assert_eq!(server.get("/api/nets").json()["nets"].as_array().map(Vec::len), Some(0));
}

#[test]
fn wrong_questions_are_refused_with_a_reason() {
    let directory = TestDirectory::new();
    let server = TestServer::start(directory.path(), &["--timeout", "10s"]);
    let net = server.net("mutex.pnml", &mutex());
    for (request, reason) in [
        ("{}", "asks nothing"),
        ("nonsense", "not the expected JSON"),
        (r#"{"examinations": ["--all"]}"#, "is no examination"),
        (r#"{"examinations": ["OneSafe"], "seconds": 11}"#, "at most 10 s"),
        (r#"{"examinations": ["OneSafe"], "program": "/bin/sh"}"#, "unknown field"),
    ] {
        let answer = server.ask(&net, request);
        assert_eq!(answer.status, 422, "{request}");
        assert!(answer.reason().contains(reason), "{request}: {}", answer.reason());
    }
    // The page asks for errors while a formula is written. No job is started.
    let formulas = r##"{"formulas": "# c\nEF (critical_1 = 1)\nmine: EF nowhere >= 1"}"##;
    let read = server.read_formulas(&net, formulas);
    let expected =
        "parikh: --formula:1:10: the net has no place `nowhere`\n  mine: EF nowhere >= 1\n";
    let notes = read.json()["notes"].as_str().unwrap_or_default().to_owned();
    assert!(notes.starts_with(expected), "{notes}");
    let read = server.read_formulas(&net, r#"{"formulas": "EF deadlock"}"#);
    assert_eq!(read.status, 200);
    assert!(!read.text().contains("--formula"), "{}", read.text());
    let job = server.job(&net, r#"{"formulas": "EF (critical_1 = )", "seconds": 5}"#);
    assert_eq!(server.ended(&net, job), "failed");
    let notes = server.get(&format!("/api/nets/{net}/jobs/{job}/notes.txt")).text();
    assert!(notes.contains("EF (critical_1 = )\n") && notes.contains("  ^"), "{notes}");
}

#[test]
fn a_job_is_cancelled_and_the_queue_is_limited() {
    let directory = TestDirectory::new();
    let server = TestServer::start(directory.path(), &["--jobs", "1", "--waiting", "2"]);
    let net = server.net("counter.net", counter(60).as_bytes());
    let jobs: Vec<u64> = (0..3).map(|_| server.job(&net, LONG)).collect();
    let refused = server.ask(&net, LONG);
    assert_eq!(refused.status, 503);
    assert!(refused.reason().contains("3 jobs are waiting already"), "{}", refused.reason());
    assert!(refused.head.to_lowercase().contains("retry-after"));
    for &job in &jobs {
        let path = format!("/api/nets/{net}/jobs/{job}/cancel");
        assert_eq!(server.request("POST", &path, &[], b"").status, 202);
        assert_eq!(server.ended(&net, job), "cancelled");
    }
    let job = server.job(&net, r#"{"examinations": ["OneSafe"], "seconds": 30}"#);
    assert_eq!(server.ended(&net, job), "done");
}

#[test]
fn answers_arrive_one_by_one_and_jobs_end_with_their_page() {
    let directory = TestDirectory::new();
    let server = TestServer::start(directory.path(), &["--jobs", "2"]);
    let net = server.net("counter.net", counter(60).as_bytes());
    let mut page = server.events(&net).lines();
    let mut until = |wanted: &str| {
        page.by_ref().map(|line| line.expect("a line")).find(|line| line.contains(wanted))
    };
    until("\"current\":true").expect("the beginning");
    let request = r#"{"examinations": ["OneSafe", "ReachabilityDeadlock"], "seconds": 60}"#;
    let job = server.job(&net, request);
    let kept = server.job(&net, &LONG.replace('}', ", \"keep\": true}"));
    until("\"state\":\"running\"").expect("a state");
    let answer = until("\"answer\":{").expect("an answer");
    assert!(answer.contains("OneSafe"), "{answer}");
    assert_eq!(server.state(&net, job), "running");
    drop(page);
    assert_eq!(server.ended(&net, job), "cancelled");
    assert_eq!(server.state(&net, kept), "running");
    // The answer that was found stays.
    assert_eq!(server.answers(&net, job).len(), 1);
}

#[test]
fn a_restart_loses_nothing_that_was_finished() {
    let directory = TestDirectory::new();
    let server = TestServer::start(directory.path(), &[]);
    let net = server.net("counter.net", counter(60).as_bytes());
    let done = server.job(&net, r#"{"examinations": ["OneSafe"], "seconds": 30}"#);
    assert_eq!(server.ended(&net, done), "done");
    let running = server.job(&net, LONG);
    let found = server.answers(&net, done);
    assert_eq!(server.end_by("HUP"), Some(0));
    let server = TestServer::start(directory.path(), &[]);
    assert_eq!(server.state(&net, done), "done");
    assert_eq!(server.answers(&net, done), found);
    assert!(matches!(server.state(&net, running).as_str(), "cancelled" | "interrupted"));
    // A new job gets a new number, also after a kill.
    let next = server.job(&net, LONG);
    assert!(next > running);
    // Its command ends, too.
    let commands = std::iter::repeat_with(|| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        server.commands()
    });
    let commands = commands.take(200).find(|it| !it.is_empty()).expect("a command");
    std::thread::sleep(std::time::Duration::from_millis(500));
    drop(server);
    let is_running = |pid: &String| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        !status.is_empty() && !status.contains("State:\tZ")
    };
    for _ in 0..100 {
        if !commands.iter().any(is_running) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(!commands.iter().any(is_running));
    let server = TestServer::start(directory.path(), &[]);
    assert_eq!(server.state(&net, next), "interrupted");
}

#[test]
fn a_second_server_does_not_use_the_same_directory() {
    let directory = TestDirectory::new();
    let _server = TestServer::start(directory.path(), &[]);
    let arguments = ["serve", "--port", "0", "--dir", directory.name()];
    let message = TestDirectory::new().fails_with(1, &arguments);
    assert!(message.contains("another `parikh serve` uses this directory"), "{message}");
}

#[test]
fn pages_need_no_token_and_have_no_data() {
    let directory = TestDirectory::new();
    let server = TestServer::start(directory.path(), &[]);
    server.net("secretname.pnml", &mutex());
    for path in ["/", "/nets/0123456789abcdef", "/assets/net.js", "/assets/page.css"] {
        let answer = server.without_token("GET", path, &[], b"");
        assert_eq!(answer.status, 200, "{path}");
        assert!(!answer.text().contains("secretname"), "{path}");
        let head = answer.head.to_lowercase();
        assert!(head.contains("content-security-policy: default-src 'none'"), "{path}");
        assert!(!answer.text().contains("https://"), "{path} refers to another server");
    }
}

/// The scripts of a page are one function, which a browser refuses as a whole if it declares a name
/// twice.
#[test]
fn the_scripts_of_a_page_declare_each_name_once() {
    let directory = TestDirectory::new();
    let server = TestServer::start(directory.path(), &[]);
    for (path, at_least) in [("/assets/start.js", 10), ("/assets/net.js", 100)] {
        let script = server.without_token("GET", path, &[], b"").text();
        let declared = script.lines().filter_map(|line| {
            let line = line.strip_prefix("async ").unwrap_or(line);
            let (word, rest) = line.split_once(' ')?;
            let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            let name = rest.split(|c| !is_name(c)).next().filter(|name| !name.is_empty());
            name.filter(|_| matches!(word, "const" | "let" | "class" | "function"))
        });
        let mut seen = std::collections::HashSet::new();
        let twice: Vec<&str> = declared.filter(|name| !seen.insert(*name)).collect();
        assert!(twice.is_empty(), "{path} declares twice: {twice:?}");
        assert!(seen.len() >= at_least, "{path}: only {} names were found", seen.len());
    }
}

#[test]
fn each_answer_has_the_text_of_its_formula() {
    let directory = TestDirectory::new();
    let server = TestServer::start(directory.path(), &[]);
    // Names that look like those of other formulas, and the name of a place.
    let net =
        server.net("names.net", b"pl mutex (1)\npl {formula-1} (1)\ntr t {formula-1} -> mutex\n");
    let request = r#"{"formulas": "formula-2: EF mutex >= 1\n# c\nAG mutex <= 0\nmutex: EF mutex >= 2",
        "examinations": ["UpperBoundsAll"]}"#;
    let job = server.job(&net, request);
    assert_eq!(server.ended(&net, job), "done");
    let text = server.get(&format!("/api/nets/{net}/jobs/{job}/answers.jsonl")).text();
    let answers =
        text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
    let mut found: Vec<[String; 3]> = answers
        .filter(|answer| answer["type"] == "answer")
        .map(|answer| {
            ["formula", "id", "value"].map(|key| answer[key].to_string().replace('"', ""))
        })
        .collect();
    found.sort();
    let expected = [
        ["AG mutex <= 0", "formula-3", "FALSE"],
        ["EF mutex >= 1", "formula-2", "TRUE"],
        ["EF mutex >= 2", "mutex", "TRUE"],
        ["null", "formula-1", "1"],
        ["null", "mutex", "2"],
    ];
    assert_eq!(found, expected.map(|answer| answer.map(str::to_owned)));
}

#[test]
fn pages_poll_over_short_requests_and_their_jobs_end_with_them() {
    let directory = TestDirectory::new();
    let server = TestServer::start(directory.path(), &["--jobs", "1"]);
    let net = server.net("counter.net", counter(60).as_bytes());
    let poll = |page: &str| server.get(&format!("/api/nets/{net}/events?page={page}"));
    let [first, second] = ["0123456789abcdef", "fedcba9876543210"];
    assert_eq!(poll("../x").status, 400);
    assert_eq!(poll(first).text(), "{\"begin\":true}\n{\"current\":true}\n");
    assert_eq!(poll(first).text(), "");
    assert!(poll(second).text().contains("begin"));
    // The first job ends when it has no memory left. Then the second one begins.
    let [_, job] = [(); 2].map(|()| server.job(&net, LONG));
    let mut seen = String::new();
    for _ in 0..400 {
        seen += &poll(first).text();
        if seen.contains("\"state\":\"running\"") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(25));
    }
    assert!(seen.contains("\"state\":\"running\""), "{seen}");
    // Nothing comes twice.
    assert_eq!(seen.matches("\"state\":\"running\"").count(), 1, "{seen}");
    // One page is closed; the other one goes on, and then it is silent.
    let path = format!("/api/nets/{net}/events?page={first}");
    assert_eq!(server.request("DELETE", &path, &[], b"").status, 200);
    for _ in 0..12 {
        std::thread::sleep(std::time::Duration::from_millis(500));
        assert_eq!(poll(second).status, 200);
    }
    assert!(matches!(server.state(&net, job).as_str(), "waiting" | "running"));
    assert_eq!(server.ended(&net, job), "cancelled");
}

#[test]
fn a_stream_ends_when_its_net_is_removed() {
    let directory = TestDirectory::new();
    let server = TestServer::start(directory.path(), &[]);
    let net = server.net("mutex.pnml", &mutex());
    let mut page = server.events(&net).lines();
    page.by_ref().map(|line| line.expect("a line")).find(|line| line.contains("current"));
    assert_eq!(server.request("DELETE", &format!("/api/nets/{net}"), &[], b"").status, 200);
    // The last piece of a body in pieces has the length 0.
    let last = page.by_ref().map(|line| line.expect("a line")).find(|line| line.trim() == "0");
    assert!(last.is_some());
}
