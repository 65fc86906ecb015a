//! Who may use the server.

use super::client::{TOKEN, TestServer};
use super::mutex;
use crate::support::binary::TestDirectory;
use crate::support::outside::skipped;

const DATA: [(&str, &str); 9] = [
    ("GET", "/api/about"),
    ("GET", "/api/nets"),
    ("POST", "/api/nets?name=x"),
    ("GET", "/api/nets/0123456789abcdef"),
    ("GET", "/api/nets/0123456789abcdef/events"),
    ("POST", "/api/nets/0123456789abcdef/jobs"),
    ("DELETE", "/api/nets/0123456789abcdef"),
    ("GET", "/tools/descriptions"),
    ("POST", "/mcc/PT/OneSafe/parikh"),
];

#[test]
fn without_the_token_no_data_is_read_or_changed() {
    let directory = TestDirectory::new();
    let server = TestServer::start(directory.path(), &[]);
    for (method, path) in DATA {
        for header in ["x: y", "authorization: Bearer wrong", "cookie: token=a-token-for-tests"] {
            let answer = server.without_token(method, path, &[header], b"");
            assert_eq!(answer.status, 401, "{method} {path} {header}");
            assert!(answer.reason().contains("Authorization: Bearer TOKEN"));
        }
    }
}

#[test]
fn other_hosts_and_origins_are_refused_even_with_the_token() {
    let directory = TestDirectory::new();
    let server = TestServer::start(directory.path(), &[]);
    let port = server.address.port();
    for host in ["evil.example", &format!("evil.example:{port}"), "10.0.0.1:1", ""] {
        let answer = server.request("GET", "/api/nets", &[&format!("Host: {host}")], b"");
        assert_eq!(answer.status, 421, "{host}");
        assert!(answer.reason().contains("a Host header that names this server"));
    }
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1", "https://localhost"] {
        for (method, path) in DATA.into_iter().chain([("OPTIONS", "/api/nets"), ("GET", "/")]) {
            let answer = server.request(method, path, &[&format!("Origin: {origin}")], b"");
            assert_eq!(answer.status, 403, "{method} {path} {origin}");
            assert!(!answer.head.to_lowercase().contains("access-control-allow"));
        }
    }
    let own = format!("Origin: http://{}", server.address);
    assert_eq!(server.request("GET", "/api/nets", &[&own], b"").status, 200);
    // A port may be forwarded.
    for host in [&format!("localhost:{port}"), "localhost:9000", "127.0.0.1:9000"] {
        let local = [&format!("Host: {host}")[..], &format!("Origin: http://{host}")[..]];
        assert_eq!(server.request("GET", "/api/nets", &local, b"").status, 200, "{host}");
    }
}

#[test]
fn a_named_origin_may_use_the_contest_only() {
    let directory = TestDirectory::new();
    let options = ["--allow-origin", "http://localhost:1665"];
    let server = TestServer::start(directory.path(), &options);
    let named = "Origin: http://localhost:1665";
    for (method, path) in DATA {
        let answer = server.request(method, path, &[named], b"");
        let is_contest = path.starts_with("/tools") || path.starts_with("/mcc");
        assert_eq!(answer.status == 403, !is_contest, "{method} {path}: {}", answer.status);
    }
    // Without a token it is open to this user's own processes.
    let answer = server.without_token("GET", "/tools/descriptions", &[named], b"");
    assert_eq!(answer.status, 200);
    let allowed = "access-control-allow-origin: http://localhost:1665";
    assert!(answer.head.to_lowercase().contains(allowed), "{}", answer.head);
    assert_eq!(server.without_token("GET", "/tools/descriptions", &[], b"").status, 401);
    let other = server.without_token("GET", "/tools/descriptions", &["Origin: http://x"], b"");
    assert_eq!(other.status, 403);
    let preflight = server.without_token("OPTIONS", "/mcc/PT/OneSafe/parikh", &[named], b"");
    assert_eq!(preflight.status, 200);
    assert!(preflight.head.to_lowercase().contains("access-control-allow-methods: get, post"));
}

/// Runs a request as the user `nobody`, which takes root and `setpriv`. Returns the status, or
/// `None` where the test cannot change its user.
fn as_another_user(server: &TestServer, headers: &str) -> Option<String> {
    let script = format!(
        "exec 3<>/dev/tcp/127.0.0.1/{port}; printf 'GET /tools/descriptions HTTP/1.1\\r\\nHost: \
         127.0.0.1:{port}\\r\\nConnection: close\\r\\n{headers}\\r\\n' >&3; head -1 <&3",
        port = server.address.port()
    );
    let mut command = std::process::Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "bash", "-c", &script]);
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn another_user_of_the_machine_is_refused_even_with_a_named_origin() {
    let directory = TestDirectory::new();
    let options = ["--allow-origin", "http://localhost:1665"];
    let server = TestServer::start(directory.path(), &options);
    let token = format!("Authorization: Bearer {TOKEN}\\r\\n");
    let Some(with_token) = as_another_user(&server, &token) else {
        return skipped("requests of another user take root and setpriv");
    };
    assert!(with_token.contains("200"), "{with_token}");
    for headers in ["", "Origin: http://localhost:1665\\r\\n"] {
        let answer = as_another_user(&server, headers).expect("it runs");
        assert!(answer.contains("401"), "{headers}: {answer}");
    }
    // The files are private, too.
    let net = server.net("mutex.pnml", &mutex());
    let mode = |path: &str| {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::metadata(directory.at(path)).expect("it is there").permissions().mode() & 0o777
    };
    assert_eq!(mode("nets"), 0o700);
    assert_eq!(mode(&format!("nets/{net}")), 0o700);
}

#[test]
fn weak_tokens_and_wrong_origins_are_refused_at_the_start() {
    let directory = TestDirectory::new();
    let message = directory.fails_with(1, &["serve", "--port", "0", "--token", "short"]);
    assert!(message.contains("fewer than 16 characters"), "{message}");
    let message = directory.fails_with(2, &["serve", "--allow-origin", "*"]);
    assert!(message.contains("expected an origin such as"), "{message}");
    let message = directory.fails_with(2, &["serve", "--timeout", "5000000000000000h"]);
    assert!(message.contains("at most 30 days"), "{message}");
}
