//! The protocol of MCC-server, as PetriVizu uses it.

use super::client::{Answer, TestServer};
use super::mutex;
use crate::support::binary::TestDirectory;

const NAMED: &str = "Origin: http://localhost:1665";

fn server(directory: &TestDirectory) -> TestServer {
    TestServer::start(directory.path(), &["--allow-origin", "http://localhost:1665"])
}

/// Asks an examination by a form like PetriVizu's.
fn ask(server: &TestServer, path: &str, logic: Option<&str>) -> Answer {
    let form = form(logic);
    let kind = "Content-Type: multipart/form-data; boundary=B";
    server.without_token("POST", path, &[NAMED, kind], &form)
}

fn form(logic: Option<&str>) -> Vec<u8> {
    let mut form = Vec::new();
    let mut part = |head: &str, content: &[u8]| {
        let head = format!("--B\r\nContent-Disposition: form-data; {head}\r\n\r\n");
        form.extend([head.as_bytes(), content, b"\r\n"].concat());
    };
    part("name=\"model.pnml\"; filename=\"../../model.pnml\"", &mutex());
    if let Some(logic) = logic {
        part("name=\"model.logic\"; filename=\"model.logic\"", logic.as_bytes());
    }
    part("name=\"timeout\"", b"20");
    form.extend(b"--B--\r\n");
    form
}

#[test]
fn the_tools_are_described() {
    let directory = TestDirectory::new();
    let server = server(&directory);
    let answer = server.without_token("GET", "/tools/descriptions", &[NAMED], b"").json();
    assert_eq!(answer["tools_info"][0]["tool"], "parikh");
    let examinations = answer["tools_info"][0]["PTexaminations"].as_array().expect("a list");
    assert_eq!(examinations.len(), 13);
    let path = "/tools/parikh/examinations";
    let one = server.without_token("GET", path, &[NAMED], b"").json();
    assert_eq!(one["PTexaminations"], answer["tools_info"][0]["PTexaminations"]);
}

#[test]
fn examinations_are_answered_in_the_lines_of_the_contest() {
    let directory = TestDirectory::new();
    let server = server(&directory);
    let answer = ask(&server, "/mcc/PT/ReachabilityDeadlock/parikh", None);
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(answer.head.contains("text/event-stream"));
    let text = answer.text();
    assert!(text.starts_with("data:FORMULA ReachabilityDeadlock FALSE TECHNIQUES "), "{text}");
    assert!(text.ends_with("data:Process finished with exit code 0\n\n"), "{text}");
    let states = ask(&server, "/mcc/PT/StateSpace/parikhxred", None).text();
    assert!(states.contains("data:STATE_SPACE STATES 8 TECHNIQUES "), "{states}");
    let logic = "property \"never both\" [reach] : AG critical_1 + critical_2 <= 1;\n\
                 property most [bounds] : critical_1 + critical_2;\n\
                 property again [ltl] : G F (idle_1 >= 1);";
    let formulas = ask(&server, "/mcc/PT/ReachabilityCardinality/parikh", Some(logic)).text();
    assert!(formulas.contains("data:FORMULA never_both TRUE TECHNIQUES "), "{formulas}");
    assert!(!formulas.contains("most"), "{formulas}");
    let bounds = ask(&server, "/mcc/PT/UpperBounds/parikh", Some(logic)).text();
    assert!(bounds.contains("data:FORMULA most 1 TECHNIQUES "), "{bounds}");
    let runs = ask(&server, "/mcc/PT/LTLCardinality/parikh", Some(logic)).text();
    assert!(runs.contains("data:FORMULA again FALSE TECHNIQUES "), "{runs}");
    // Nothing is kept.
    assert_eq!(std::fs::read_dir(directory.at("nets")).expect("readable").count(), 0);
}

#[test]
fn wrong_requests_are_refused_with_a_reason() {
    let directory = TestDirectory::new();
    let server = server(&directory);
    for (path, logic, status, reason) in [
        ("/mcc/PT/OneSafe/lola", None, 404, "expected `parikh`"),
        ("/mcc/PT/Nonsense/parikh", None, 404, "this examination does not exist"),
        ("/mcc/XX/OneSafe/parikh", None, 404, "expected PT or COL"),
        ("/mcc/PT/UpperBounds/parikh", None, 400, "needs properties"),
        ("/mcc/PT/UpperBounds/parikh", Some("property a [reach] : EF p"), 400, "line 1"),
    ] {
        let answer = ask(&server, path, logic);
        assert_eq!(answer.status, status, "{path}");
        assert!(answer.reason().contains(reason), "{path}: {}", answer.reason());
    }
    let kind = "Content-Type: application/json";
    let answer = server.without_token("POST", "/mcc/PT/OneSafe/parikh", &[NAMED, kind], b"{}");
    assert_eq!(answer.status, 400);
    let logic = "property a [reach] : EF nowhere >= 1;";
    let missing = ask(&server, "/mcc/PT/ReachabilityCardinality/parikh", Some(logic)).text();
    assert!(missing.contains("no place `nowhere`"), "{missing}");
    assert!(missing.contains("data:CANNOT_COMPUTE"), "{missing}");
}

#[test]
fn long_properties_are_refused_at_once_while_others_are_served() {
    let directory = TestDirectory::new();
    let server = server(&directory);
    let long =
        |count: usize| format!("property q [reach] : EF p >= 1{};", " && p >= 1".repeat(count));
    let wide = format!("property a [atom] : p >= 1{};", " && p >= 1".repeat(3000));
    let cases = [
        (long(400_000), 413, "model.logic is larger than 1048576 bytes"),
        (long(100_000), 400, "a formula of at most 65536 bytes"),
        (wide.clone() + &"property q [reach] : EF @a || @a;".repeat(20_000), 400, "65536 bytes"),
        (wide + &"property q [reach] : EF @a;".repeat(20_000), 400, "at most 1048576 bytes"),
    ];
    let begin = std::time::Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            for (logic, status, reason) in &cases {
                let server = &server;
                scope.spawn(move || {
                    let path = "/mcc/PT/ReachabilityCardinality/parikh";
                    let answer = ask(server, path, Some(logic));
                    assert_eq!(answer.status, *status, "{}", answer.text());
                    assert!(answer.reason().contains(reason), "{}", answer.reason());
                });
            }
        }
        assert!(server.is_up());
    });
    assert!(begin.elapsed().as_secs() < 20, "{:?}", begin.elapsed());
    let twice = "property \"a b\" [bounds] : idle_1; property a_b [bounds] : idle_2;";
    let answer = ask(&server, "/mcc/PT/UpperBounds/parikh", Some(twice));
    assert_eq!(answer.status, 400);
    assert!(answer.reason().contains("two properties have the name a_b"), "{}", answer.reason());
    assert_eq!(server.end(), Some(0));
}
