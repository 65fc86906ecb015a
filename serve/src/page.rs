//! The pages: HTML, scripts and styles. They contain no data of users.

use super::config::PageParts;
use super::files::is_id;
use super::http::{self, ServerResponse};
use hyper::body::Bytes;

const START_BODY: &str = include_str!("../web/start.html");
const NET_BODY: &str = include_str!("../web/net.html");
const STYLE: &str = include_str!("../web/serve.css");

/// The script of both pages: the token, and requests.
const REQUESTS: &str = include_str!("../web/requests.js");
const START_SCRIPT: &str = include_str!("../web/start.js");
/// Loads the data of a net, then the scripts that draw it.
const LOADING_SCRIPT: &str = include_str!("../web/loading.js");

/// Asks for the events of a net, in a thread of its own.
const POLLING_SCRIPT: &str = include_str!("../web/polling.js");

/// The scripts of the page of a net, after the report's.
const NET_SCRIPTS: [&str; 6] = [
    include_str!("../web/completion.js"),
    include_str!("../web/errors.js"),
    include_str!("../web/questions.js"),
    include_str!("../web/answers.js"),
    include_str!("../web/facts.js"),
    include_str!("../web/net.js"),
];

/// The place of the drawing in the page of a net.
const FIGURE: &str = "<!--figure-->";

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The HTML pages with their scripts and style sheet, as responses to requests.
pub(super) struct Page {
    start: Bytes,
    net: Bytes,
    start_script: Bytes,
    loading_script: Bytes,
    net_script: Bytes,
    polling_script: Bytes,
    style: Bytes,
}

impl Page {
    /// Assembles the pages.
    pub(super) fn new(parts: &PageParts) -> Self {
        let net_scripts = NET_SCRIPTS.join("\n");
        Page {
            start: document("Parikh", START_BODY, "start.js").into(),
            net: document("Net – Parikh", &NET_BODY.replace(FIGURE, &parts.figure), "loading.js")
                .into(),
            start_script: function(&format!("{}\n{REQUESTS}\n{START_SCRIPT}", parts.common)).into(),
            loading_script: function(&format!("{REQUESTS}\n{LOADING_SCRIPT}")).into(),
            net_script: function(&format!("{}\n{REQUESTS}\n{net_scripts}", parts.scripts)).into(),
            polling_script: function(POLLING_SCRIPT).into(),
            style: format!("{}\n{STYLE}", parts.style).into(),
        }
    }

    /// Returns the page or the part of a page with a path.
    pub(super) fn find(&self, segments: &[&str]) -> Option<ServerResponse> {
        let (kind, text) = match segments {
            [""] => (HTML, &self.start),
            ["nets", id] if is_id(id) => (HTML, &self.net),
            ["assets", "start.js"] => (SCRIPT, &self.start_script),
            ["assets", "loading.js"] => (SCRIPT, &self.loading_script),
            ["assets", "net.js"] => (SCRIPT, &self.net_script),
            ["assets", "polling.js"] => (SCRIPT, &self.polling_script),
            ["assets", "page.css"] => ("text/css; charset=utf-8", &self.style),
            _ => return None,
        };
        Some(http::text(kind, text.clone()))
    }
}

/// Returns a script that leaves no names in the page.
fn function(script: &str) -> String {
    format!("\"use strict\";\n(() => {{\n{script}\n}})();\n")
}

fn document(title: &str, body: &str, script: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n\
         <link rel=\"stylesheet\" href=\"/assets/page.css\">\n</head>\n<body>\n{body}\
         <script src=\"/assets/{script}\"></script>\n</body>\n</html>\n"
    )
}
