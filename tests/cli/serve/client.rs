//! A server under test, and a client of HTTP/1.1 over plain sockets, which can also send what no
//! browser sends.

use crate::support::binary::parikh;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

pub(super) const TOKEN: &str = "a-token-for-tests";

/// A running server. It is killed when it is dropped.
pub(super) struct TestServer {
    process: Child,
    pub(super) address: SocketAddr,
}

/// A response.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: Vec<u8>,
}

impl Answer {
    #[track_caller]
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns the reason of a refusal.
    #[track_caller]
    pub(super) fn reason(&self) -> String {
        self.json()["error"].as_str().expect("a reason").to_owned()
    }
}

impl TestServer {
    /// Starts a server on a free port, with further options.
    pub(super) fn start(directory: &Path, options: &[&str]) -> TestServer {
        let mut process = parikh()
            .args(["serve", "--port", "0", "--dir"])
            .arg(directory)
            .args(options)
            .env("PARIKH_SERVE_TOKEN", TOKEN)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let mut line = String::new();
        let stdout = process.stdout.as_mut().expect("piped");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("http://").expect("an address");
        let (address, token) = address.split_once("/#token=").expect("a token");
        assert_eq!(token, TOKEN);
        TestServer { process, address: address.parse().expect("an address") }
    }

    /// Ends the server by SIGTERM, and waits for its end. Returns the exit code.
    pub(super) fn end(self) -> Option<i32> {
        self.end_by("TERM")
    }

    /// Ends the server by a signal, and waits for its end. Returns the exit code.
    pub(super) fn end_by(mut self, signal: &str) -> Option<i32> {
        let pid = self.process.id().to_string();
        std::process::Command::new("kill").args(["-s", signal, &pid]).status().expect("kill runs");
        self.process.wait().expect("it ends").code()
    }

    /// Returns the process ids of the server's running commands.
    pub(super) fn commands(&self) -> Vec<String> {
        let own = self.process.id().to_string();
        let output = std::process::Command::new("pgrep").args(["-P", &own]).output();
        let text = String::from_utf8(output.expect("pgrep runs").stdout).expect("numbers");
        text.lines().map(str::to_owned).collect()
    }

    /// Returns the largest memory that the server had, in bytes.
    pub(super) fn peak_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()));
        let status = status.expect("the server runs");
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a peak");
        line.split_whitespace().nth(1).expect("kB").parse::<u64>().expect("a number") << 10
    }

    /// Returns true if the server answers.
    pub(super) fn is_up(&self) -> bool {
        self.get("/api/about").status == 200
    }

    /// Sends bytes, and returns the answer. The server may answer before it has read all.
    pub(super) fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.address).expect("it accepts");
        stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a time limit");
        // An error means that the server refused early.
        let _ = stream.write_all(bytes);
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        let end = all.windows(4).position(|it| it == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("no head: {}", String::from_utf8_lossy(&all)));
        let head = String::from_utf8_lossy(&all[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
        let mut body = all.split_off(end + 4);
        if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
            body = unchunked(&body);
        }
        Answer { status, head, body }
    }

    /// Sends a request with the token and further headers (`name: value`).
    pub(super) fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[&str],
        body: &[u8],
    ) -> Answer {
        let token = format!("authorization: Bearer {TOKEN}");
        let all: Vec<&str> = headers.iter().copied().chain([&token[..]]).collect();
        self.without_token(method, path, &all, body)
    }

    /// Sends a request without the token.
    pub(super) fn without_token(
        &self,
        method: &str,
        path: &str,
        headers: &[&str],
        body: &[u8],
    ) -> Answer {
        let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        if !headers.iter().any(|header| header.to_ascii_lowercase().starts_with("host:")) {
            head += &format!("host: {}\r\n", self.address);
        }
        for header in headers {
            head += &format!("{header}\r\n");
        }
        if !body.is_empty() || method == "POST" {
            head += &format!("content-length: {}\r\n", body.len());
        }
        head += "\r\n";
        self.raw(&[head.as_bytes(), body].concat())
    }

    pub(super) fn get(&self, path: &str) -> Answer {
        self.request("GET", path, &[], b"")
    }

    pub(super) fn upload(&self, name: &str, model: &[u8]) -> Answer {
        let path = format!("/api/nets?name={name}");
        self.request("POST", &path, &["content-type: application/octet-stream"], model)
    }

    /// Uploads a net. Returns its id.
    #[track_caller]
    pub(super) fn net(&self, name: &str, model: &[u8]) -> String {
        let answer = self.upload(name, model);
        assert_eq!(answer.status, 201, "{}", answer.text());
        answer.json()["id"].as_str().expect("an id").to_owned()
    }

    pub(super) fn ask(&self, net: &str, request: &str) -> Answer {
        let path = format!("/api/nets/{net}/jobs");
        self.request("POST", &path, &["content-type: application/json"], request.as_bytes())
    }

    /// Sends formulas to be read, not answered.
    pub(super) fn read_formulas(&self, net: &str, request: &str) -> Answer {
        let path = format!("/api/nets/{net}/formulas");
        self.request("POST", &path, &["content-type: application/json"], request.as_bytes())
    }

    /// Starts a job. Returns its number.
    #[track_caller]
    pub(super) fn job(&self, net: &str, request: &str) -> u64 {
        let answer = self.ask(net, request);
        assert_eq!(answer.status, 202, "{}", answer.text());
        answer.json()["job"]["number"].as_u64().expect("a number")
    }

    /// Returns the state of a job.
    pub(super) fn state(&self, net: &str, job: u64) -> String {
        let answer = self.get(&format!("/api/nets/{net}/jobs/{job}")).json();
        answer["job"]["status"]["state"].as_str().expect("a state").to_owned()
    }

    /// Waits until a job has ended. Returns its state.
    #[track_caller]
    pub(super) fn ended(&self, net: &str, job: u64) -> String {
        for _ in 0..1200 {
            let state = self.state(net, job);
            if !matches!(state.as_str(), "waiting" | "running") {
                return state;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("job {job} does not end");
    }

    /// Returns the answers of a job as pairs of an id and a value.
    pub(super) fn answers(&self, net: &str, job: u64) -> Vec<(String, Value)> {
        let text = self.get(&format!("/api/nets/{net}/jobs/{job}/answers.jsonl")).text();
        let objects = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let answers = objects.filter(|object| object["type"] == "answer");
        let pair =
            |it: Value| (it["id"].as_str().unwrap_or_default().to_owned(), it["value"].clone());
        answers.map(pair).collect()
    }

    /// Opens the stream of a net's events. The page is closed when the result is dropped.
    pub(super) fn events(&self, net: &str) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(self.address).expect("it accepts");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time limit");
        let head = format!(
            "GET /api/nets/{net}/events HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {TOKEN}\r\n\r\n",
            self.address
        );
        stream.write_all(head.as_bytes()).expect("it reads");
        BufReader::new(stream)
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Joins the pieces of a body that is sent in pieces.
fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|it| it == b"\r\n") {
        let size = std::str::from_utf8(&rest[..end]).ok();
        let size = size.and_then(|size| usize::from_str_radix(size.trim(), 16).ok()).unwrap_or(0);
        let Some(piece) = rest.get(end + 2..end + 2 + size).filter(|piece| !piece.is_empty())
        else {
            break;
        };
        body.extend_from_slice(piece);
        rest = rest.get(end + 4 + size..).unwrap_or_default();
    }
    body
}

/// Returns a binary counter as a net, which has two to the power of `bits` markings. With 60 bits,
/// some questions stay open.
pub(super) fn counter(bits: usize) -> String {
    let mut text = "net counter\n".to_owned();
    for bit in 0..bits {
        let lower = |letter: char| (0..bit).map(move |at| format!("{letter}{at} "));
        text += &format!("pl z{bit} (1)\n");
        let (ones, zeros): (String, String) = (lower('o').collect(), lower('z').collect());
        text += &format!("tr t{bit} z{bit} {ones}-> o{bit} {zeros}\n");
    }
    text
}
