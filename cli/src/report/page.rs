//! The HTML page: one file that contains the data as JSON and loads nothing from the network.
//!
//! Names from the model are arbitrary text and never become markup. They occur only in the JSON,
//! where `<`, `>`, `&` and the characters of [`printable`](parikh_net::printable) are escaped. The
//! scripts insert names as text. A content security policy forbids network access and foreign
//! scripts.

use super::{NetReport, SystemReport};
use parikh_net::printable::{EscapedXml, Printable, json};
use parikh_pictures::draw::system::SystemPicture;
use serde::Serialize;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The scripts of the page, in the order of their dependencies. The last one starts the page of a
/// report.
const SCRIPTS: [&str; 10] = [
    include_str!("web/page.js"),
    include_str!("web/net.js"),
    include_str!("web/words.js"),
    include_str!("web/route.js"),
    include_str!("web/drawing.js"),
    include_str!("web/player.js"),
    include_str!("web/nodes.js"),
    include_str!("web/sections.js"),
    include_str!("web/main.js"),
    include_str!("web/report.js"),
];

const STYLE: &str = include_str!("web/page.css");

const BODY: &str = include_str!("web/body.html");

/// The scripts for a page about a parallel system.
const SYSTEM_SCRIPTS: [&str; 3] =
    [include_str!("web/page.js"), include_str!("web/words.js"), include_str!("web/system.js")];

const SYSTEM_STYLE: &str = include_str!("web/system.css");

const SYSTEM_BODY: &str = include_str!("web/system.html");

/// The placeholder for the buttons of the player, and the buttons as HTML. The bodies of both kinds
/// of pages contain the placeholder.
const CONTROLS: (&str, &str) = ("<!--controls-->\n", include_str!("web/controls.html"));

/// The placeholder for the drawing with its player in [`BODY`], and the HTML for it.
const FIGURE: (&str, &str) = ("<!--figure-->\n", include_str!("web/figure.html"));

/// The placeholder for the drawing in [`SYSTEM_BODY`].
const DRAWING: &str = "<!--drawing-->";

/// The parts of the page of a net, for pages that show a net without a report.
#[derive(Clone, Debug)]
pub struct NetPageParts {
    /// The scripts that need no net: elements, and themes.
    pub common: String,
    /// The scripts that draw and play a net. They read the net from the element `data`, and end
    /// with a function `assemble` that shows sections beside the drawing.
    pub scripts: String,
    /// The style sheet.
    pub style: &'static str,
    /// The HTML of the drawing with its player.
    pub figure: String,
}

/// Returns the parts of the page of a net.
pub fn net_page_parts() -> NetPageParts {
    NetPageParts {
        common: [include_str!("web/page.js"), include_str!("web/words.js")].join("\n"),
        scripts: SCRIPTS[..SCRIPTS.len() - 1].join("\n"),
        style: STYLE,
        figure: FIGURE.1.replace(CONTROLS.0, CONTROLS.1),
    }
}

/// Returns the data of a page about a net, as JSON. Only [`page()`] escapes it for HTML.
pub fn page_data(report: &NetReport) -> String {
    // Serialisation cannot fail, as in `assemble_page`.
    json(serde_json::to_string(report).unwrap_or_default())
}

/// Returns the page for a report about a net.
pub fn page(report: &NetReport) -> String {
    assemble_page(&report.model, report, STYLE, BODY, &SCRIPTS)
}

/// Returns the page for a report about a parallel system.
pub fn system_page(report: &SystemReport) -> String {
    let SystemPicture { body, width, height, .. } = &report.picture;
    // The drawing already escapes names.
    let drawing = format!(
        "<svg viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
         role=\"img\" aria-label=\"The components\">\n{body}</svg>"
    );
    let body = SYSTEM_BODY.replace(DRAWING, &drawing);
    let style = format!("{STYLE}{SYSTEM_STYLE}");
    assemble_page(&report.model, report, &style, &body, &SYSTEM_SCRIPTS)
}

/// Assembles a page from the data, the style sheet, the body and the scripts.
fn assemble_page<T: Serialize>(
    model: &str,
    report: &T,
    style: &str,
    body: &str,
    scripts: &[&str],
) -> String {
    // Serialisation cannot fail: the data contains only numbers, text, lists, and maps whose keys
    // are numbers or text.
    let data = escaped(&json(serde_json::to_string(report).unwrap_or_default()));
    let body = body.replace(FIGURE.0, FIGURE.1).replace(CONTROLS.0, CONTROLS.1);
    // The drawing in the body also contains names of the model, so the nonce depends on the body,
    // too.
    let nonce = nonce(&format!("{data}{body}"));
    let title = format!("{} – Parikh", Printable(&model));
    let title = EscapedXml(&title);
    let scripts = scripts.join("\n");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src data:; base-uri 'none'; \
         form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n\
         <style nonce=\"{nonce}\">\n{style}</style>\n</head>\n<body>\n{body}\
         <script type=\"application/json\" id=\"data\">{data}</script>\n\
         <script nonce=\"{nonce}\">\n\"use strict\";\n(() => {{\n{scripts}\n}})();\n</script>\n\
         </body>\n</html>\n"
    )
}

/// Escapes JSON so that it can stand inside HTML and inside a script element.
fn escaped(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' => {
                escaped.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => escaped.push(c),
        }
    }
    escaped
}

/// Returns the nonce that marks the page's own scripts and styles. The nonce is a hash of all data,
/// so the author of a model cannot put it into a name: a changed name changes the nonce.
fn nonce(data: &str) -> String {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, data).hash(&mut hasher);
        hasher.finish()
    };
    format!("{:016x}{:016x}", half(1), half(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_in_a_page_cannot_end_a_script() {
        let written = serde_json::to_string("</script><!--\u{2028}&\"").unwrap();
        let safe = escaped(&super::json(written));
        assert!(!safe.contains(['<', '>', '&', '\u{2028}']), "{safe}");
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), "</script><!--\u{2028}&\"");
    }

    #[test]
    fn scripts_and_styles_do_not_end_themselves() {
        let mut scripts = SCRIPTS.iter().chain(&SYSTEM_SCRIPTS);
        assert!(scripts.all(|script| !script.contains("</script")));
        assert!([STYLE, SYSTEM_STYLE].iter().all(|style| !style.contains("</style")));
    }
}
