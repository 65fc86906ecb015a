//! Uploads and requests that want to do harm. Each is refused with a reason, or it is harmless; and
//! the server goes on.

use super::client::{TOKEN, TestServer};
use super::mutex;
use crate::support::binary::TestDirectory;
use flate2::{Compression, write::GzEncoder};
use std::io::Write as _;
use std::net::TcpStream;
use std::time::{Duration, Instant};

const TYPES: &str = "http://www.pnml.org/version-2009/grammar";

fn pnml(kind: &str, inside: &str) -> String {
    format!(
        "<?xml version='1.0'?><pnml xmlns='{TYPES}/pnml'><net id='n' type='{TYPES}/{kind}'>\
         <page id='g'>{inside}</page></net></pnml>"
    )
}

fn gzipped(pieces: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    pieces.for_each(|piece| gzip.write_all(&piece).expect("in memory"));
    gzip.finish().expect("in memory")
}

/// Returns an archive with one entry, whose path is written as it is.
fn archive(path: &str, kind: tar::EntryType, content: &[u8]) -> Vec<u8> {
    let mut header = tar::Header::new_ustar();
    header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
    header.set_entry_type(kind);
    header.set_mode(0o644);
    header.set_size(content.len() as u64);
    if kind == tar::EntryType::Symlink {
        header.as_old_mut().linkname[..11].copy_from_slice(b"/etc/passwd");
    }
    header.set_cksum();
    let mut archive = tar::Builder::new(Vec::new());
    archive.append(&header, content).expect("in memory");
    gzipped([archive.into_inner().expect("in memory")].into_iter())
}

/// Returns uploads that are no models, each with its name.
fn uploads() -> Vec<(&'static str, Vec<u8>)> {
    use tar::EntryType::{Regular, Symlink};
    let entities =
        (1..30).map(|at| format!("<!ENTITY e{at} '{}'>", format!("&e{};", at - 1).repeat(10)));
    let laughs = format!(
        "<!DOCTYPE pnml [<!ENTITY e0 'ha'>{}]><pnml>&e29;</pnml>",
        entities.collect::<String>()
    );
    let place = "<place id='p'/>";
    let huge = "9".repeat(4000);
    let bomb = || (0..64).map(|_| vec![b' '; 1 << 20]);
    let xml_bomb = std::iter::once(b"<pnml>".to_vec()).chain(bomb());
    let mut utf16: Vec<u8> =
        pnml("ptnet", place).encode_utf16().flat_map(u16::to_le_bytes).collect();
    utf16.truncate(301);
    let sort = |id: &str, of: &str| {
        format!(
            "<namedsort id='{id}' name='{id}'><productsort>{}</productsort></namedsort>",
            format!("<usersort declaration='{of}'/>").repeat(60)
        )
    };
    let coloured = format!(
        "<declaration><structure><declarations><namedsort id='a' name='a'><finiteintrange start='0' \
         end='4000000000'/></namedsort>{}</declarations></structure></declaration>",
        sort("b", "a")
    );
    vec![
        ("empty.pnml", Vec::new()),
        ("zeros.pnml", vec![0; 1 << 20]),
        (
            "noise.pnml",
            (0..100_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect(),
        ),
        ("bomb.pnml.gz", gzipped(bomb())),
        ("bomb-in-xml.pnml.gz", gzipped(xml_bomb)),
        ("bomb-twice.pnml.gz", gzipped([gzipped(bomb())].into_iter())),
        ("laughs.pnml", laughs.into_bytes()),
        (
            "external.pnml",
            b"<!DOCTYPE p [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><pnml>&x;</pnml>".to_vec(),
        ),
        ("deep.pnml", "<a>".repeat(2_000_000).into_bytes()),
        ("deep-pages.pnml", pnml("ptnet", &"<page id='x'>".repeat(300_000)).into_bytes()),
        ("cut.pnml", mutex()[..900].to_vec()),
        ("latin1.pnml", b"<pnml><net id='\xe9\xff\xfe'".to_vec()),
        ("utf16-cut.pnml", utf16),
        ("encoding.pnml", b"<?xml version='1.0' encoding='no-such'?><pnml/>".to_vec()),
        ("traversal.tgz", archive("../../model.pnml", Regular, b"x")),
        ("absolute.tgz", archive("/tmp/parikh-hostile/model.pnml", Regular, b"x")),
        ("link.tgz", archive("x/model.pnml", Symlink, b"")),
        ("tar-cut.tgz", archive("x/model.pnml", Regular, &mutex())[..60].to_vec()),
        ("page.html", b"<html><script>alert(1)</script></html>".to_vec()),
        ("program.sh", b"#!/bin/sh\nrm -rf /\n".to_vec()),
        ("picture.svg", b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>".to_vec()),
        ("archive.zip", b"PK\x03\x04\x14\0\0\0\x08\0".to_vec()),
        (
            "tokens.pnml",
            pnml(
                "ptnet",
                &format!(
                    "<place id='p'><initialMarking><text>{huge}</text></initialMarking></place>"
                ),
            )
            .into_bytes(),
        ),
        (
            "negative.pnml",
            pnml("ptnet", "<place id='p'><initialMarking><text>-1</text></initialMarking></place>")
                .into_bytes(),
        ),
        ("twice.pnml", pnml("ptnet", &place.repeat(2)).into_bytes()),
        ("dangling.pnml", pnml("ptnet", "<arc id='a' source='x' target='y'/>").into_bytes()),
        ("colours.pnml", pnml("symmetricnet", &coloured).into_bytes()),
        ("long-line.net", vec![b'a'; 20 << 20]),
        ("brackets.dot", [&b"digraph G "[..], &b"{".repeat(1_000_000)].concat()),
        ("des.aut", b"des (0, 99999999999999999999, 4294967296)\n".to_vec()),
    ]
}

#[test]
fn hostile_uploads_are_refused_with_a_reason() {
    let directory = TestDirectory::new();
    let server = TestServer::start(directory.path(), &["--memory", "500M"]);
    let uploads = uploads();
    assert!(uploads.len() >= 30);
    for (name, content) in uploads {
        let answer = server.upload(name, &content);
        assert!(matches!(answer.status, 400 | 422), "{name}: {} {}", answer.status, answer.text());
        let reason = answer.reason();
        assert!(!reason.trim().is_empty() && !reason.contains("/nets/"), "{name}: {reason}");
        assert!(!reason.contains("root:"), "{name}: {reason}");
        assert!(server.is_up(), "{name}");
    }
    // Nothing is left of them.
    assert_eq!(std::fs::read_dir(directory.at("nets")).expect("readable").count(), 0);
    assert!(!std::path::Path::new("/tmp/parikh-hostile").exists());
    assert!(server.peak_memory() < 200 << 20, "{} MB", server.peak_memory() >> 20);
}

#[test]
fn too_large_uploads_are_refused_before_they_are_stored() {
    let directory = TestDirectory::new();
    let server = TestServer::start(directory.path(), &["--upload", "1M"]);
    let binary = "content-type: application/octet-stream";
    let head = |more: &str| {
        format!(
            "POST /api/nets?name=x HTTP/1.1\r\nhost: {}\r\nconnection: close\r\nauthorization: \
             Bearer {TOKEN}\r\n{binary}\r\n{more}\r\n\r\n",
            server.address
        )
    };
    // A size that is announced, and one that is not.
    let announced = server.raw(head("content-length: 100000000").as_bytes());
    assert_eq!(announced.status, 413);
    assert!(announced.reason().contains("larger than 1048576 bytes"));
    let mut chunks = head("transfer-encoding: chunked").into_bytes();
    for _ in 0..100 {
        chunks.extend([&b"10000\r\n"[..], &[b'x'; 0x10000], b"\r\n"].concat());
    }
    assert_eq!(server.raw(&chunks).status, 413);
    // More jobs text than a request may have.
    let net = server.net("mutex.pnml", &mutex());
    let formulas = format!("{{\"formulas\": \"{}\"}}", "x".repeat(300 << 10));
    assert_eq!(server.ask(&net, &formulas).status, 413);
    assert!(server.is_up());
}

#[test]
fn names_and_paths_of_requests_touch_no_files() {
    let directory = TestDirectory::new();
    let server = TestServer::start(directory.path(), &[]);
    for name in
        ["../../../etc/cron.d/x", "%2e%2e%2f%2e%2e%2fx", "%00", "a%0d%0aSet-Cookie:x", "~root"]
    {
        let answer = server.upload(name, &mutex());
        assert_eq!(answer.status, 201, "{name}");
        let shown = answer.json()["name"].as_str().expect("a name").to_owned();
        assert!(!shown.contains(['/', '\\', '\0', '\n', '\r']) && shown != "..", "{shown}");
    }
    let long = server.upload(&"x".repeat(5000), &mutex());
    assert!(long.json()["name"].as_str().expect("a name").len() <= 100);
    let net = server.net("mutex.pnml", &mutex());
    let job = server.job(&net, r#"{"examinations": ["OneSafe"]}"#);
    for path in [
        "/../../etc/passwd",
        "/api/nets/../../../etc/passwd",
        "/api/nets/%2e%2e/model",
        "/assets/../../lib.rs",
        "/nets/../../etc",
        &format!("/api/nets/{net}/jobs/{job}/..%2frequest.json"),
        &format!("/api/nets/{net}/jobs/{job}/request.json"),
        &format!("/api/nets/{net}/jobs/-1"),
        &format!("/api/nets/{net}/jobs/99999999999999999999"),
    ] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
    let stored: Vec<String> = std::fs::read_dir(directory.path())
        .expect("readable")
        .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
        .collect();
    assert!(stored.iter().all(|name| name == "nets" || name == ".parikh-serve.lock"), "{stored:?}");
}

#[test]
fn malformed_requests_are_refused() {
    let directory = TestDirectory::new();
    let server = TestServer::start(directory.path(), &[]);
    let host = format!("host: {}\r\nconnection: close\r\n", server.address);
    let one_host = format!("host: {}\r\n", server.address);
    let token = format!("authorization: Bearer {TOKEN}\r\n");
    for text in [
        "nonsense\r\n\r\n".to_owned(),
        "GET http://evil.example/ HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n"
            .to_owned(),
        format!("GET / HTTP/1.1\r\n{host}{one_host}\r\n"),
        "GET / HTTP/1.1\r\nconnection: close\r\n\r\n".to_owned(),
        format!("GET / HTTP/1.1\r\n{host}x: {}\r\n\r\n", "y".repeat(200_000)),
        format!("POST /api/nets HTTP/1.1\r\n{host}{token}content-length: -1\r\n\r\n"),
        format!(
            "POST /api/nets HTTP/1.1\r\n{host}{token}content-length: 1\r\ncontent-length: 2\r\n\r\nxx"
        ),
        format!("DELETE / HTTP/1.1\r\n{host}\r\n"),
    ] {
        let answer = server.raw(text.as_bytes());
        assert!((400..500).contains(&answer.status), "{}: {text:.80}", answer.status);
    }
    let kind = server.request("POST", "/api/nets?name=x", &["content-type: text/plain"], &mutex());
    assert_eq!(kind.status, 415);
    assert!(kind.reason().contains("expected the content type application/octet-stream"));
    assert!(server.is_up());
}

#[test]
fn clients_without_the_token_cannot_fill_the_server() {
    let directory = TestDirectory::new();
    let server = TestServer::start(directory.path(), &[]);
    let request = format!("GET /assets/net.js HTTP/1.1\r\nhost: {}\r\n\r\n", server.address);
    let requests = request.repeat(200);
    // More connections than the server accepts, each with requests whose answers are never read.
    let connections: Vec<TcpStream> = (0..600)
        .filter_map(|_| {
            let mut stream = TcpStream::connect_timeout(&server.address, SOON).ok()?;
            stream.set_write_timeout(Some(SOON)).expect("a time limit");
            // An error means that the server has ended the connection already.
            let _ = stream.write_all(requests.as_bytes());
            Some(stream)
        })
        .collect();
    assert!(connections.len() > 500, "{}", connections.len());
    let begin = Instant::now();
    assert!(server.is_up());
    assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
    assert_eq!(server.end(), Some(0));
    assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
}

/// A time in which an idle server answers, also on a busy machine.
const SOON: Duration = Duration::from_secs(10);
