//! Many clients at once.

use super::client::{TestServer, counter};
use crate::support::binary::TestDirectory;
use crate::support::scale::scale;
use std::sync::Mutex;

/// The number of clients.
const CLIENTS: usize = 50;

#[test]
fn fifty_clients_at_once_are_answered_or_refused_with_a_reason() {
    let directory = TestDirectory::new();
    let server = TestServer::start(directory.path(), &["--memory", "1G"]);
    // PARIKH_SCALE gives each question the 2 s of a long run.
    let seconds = if scale() > 1 { 2.0 } else { 0.3 };
    let request = format!(
        "{{\"examinations\": [\"OneSafe\", \"ReachabilityDeadlock\"], \"seconds\": {seconds}, \"keep\": true}}"
    );
    let ends = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (server, request, ends) = (&server, &request, &ends);
            scope.spawn(move || {
                let end = one_client(server, client, request);
                ends.lock().expect("no panic").push(end);
            });
        }
    });
    let ends = ends.into_inner().expect("no panic");
    let count = |wanted: &str| ends.iter().filter(|end| end.as_str() == wanted).count();
    assert_eq!(count("answered") + count("refused"), CLIENTS, "{ends:?}");
    assert!(count("answered") >= 30, "{ends:?}");
    assert!(server.is_up());
    let peak = server.peak_memory() >> 20;
    eprintln!("{} answered, {} refused, {peak} MB", count("answered"), count("refused"));
    assert!(peak < 200, "{peak} MB");
}

/// Uploads a net, asks a question and waits for the answers. Every fifth client opens a page and
/// leaves it at once; its answers must be there all the same, because its job is kept.
fn one_client(server: &TestServer, client: usize, request: &str) -> String {
    let upload = server.upload("counter.net", counter(30).as_bytes());
    if upload.status == 503 {
        assert!(upload.reason().contains("are waiting already"));
        return "refused".to_owned();
    }
    let net = upload.json()["id"].as_str().expect("an id").to_owned();
    let page = client.is_multiple_of(5).then(|| server.events(&net));
    let answer = server.ask(&net, request);
    drop(page);
    if answer.status == 503 {
        assert!(answer.reason().contains("are waiting already"));
        return "refused".to_owned();
    }
    let job = answer.json()["job"]["number"].as_u64().expect("a number");
    let end = server.ended(&net, job);
    // On a slow machine both questions may stay open. Each has a line all the same.
    let text = server.get(&format!("/api/nets/{net}/jobs/{job}/answers.jsonl")).text();
    let has_line = |id: &str| text.contains(&format!("\"id\":\"{id}\""));
    match has_line("OneSafe") && has_line("ReachabilityDeadlock") {
        true if end == "incomplete" || end == "done" => "answered".to_owned(),
        _ => format!("{end}: {text}"),
    }
}
