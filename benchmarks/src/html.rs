//! Helpers that write the HTML of result pages.

use parikh_net::printable::EscapedXml;
use std::fmt::{Display, Write};

/// A table cell.
#[derive(Clone, Debug)]
pub enum Cell {
    /// Text, aligned left.
    Text(String),
    /// A number, aligned right.
    Number(String),
    /// A value that needs attention, such as a number or an answer, aligned right.
    Alarm(String),
}

impl Cell {
    /// Makes a text cell.
    pub fn text(text: impl Display) -> Cell {
        Cell::Text(text.to_string())
    }

    /// Makes a number cell.
    pub fn number(number: impl Display) -> Cell {
        Cell::Number(number.to_string())
    }

    /// Makes a cell for a number that should be 0, and marks any other number.
    pub fn none_expected(number: usize) -> Cell {
        if number == 0 { Cell::number(0) } else { Cell::Alarm(number.to_string()) }
    }
}

/// Returns a table that scrolls horizontally if it is too wide.
pub fn table(header: &[&str], rows: &[Vec<Cell>]) -> String {
    // Writing to a String does not fail.
    let mut html = "<div class=\"wide\"><table>\n<thead><tr>".to_owned();
    for name in header {
        let _ = write!(html, "<th scope=\"col\">{}</th>", EscapedXml(name));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        html.push_str("<tr>");
        for cell in row {
            let _ = match cell {
                Cell::Text(text) => write!(html, "<td>{}</td>", EscapedXml(text)),
                Cell::Number(text) => write!(html, "<td class=\"n\">{}</td>", EscapedXml(text)),
                Cell::Alarm(text) => write!(html, "<td class=\"n bad\">{}</td>", EscapedXml(text)),
            };
        }
        html.push_str("</tr>\n");
    }
    html + "</tbody></table></div>\n"
}

/// Returns a section that the reader can open and close. `summary` is its heading, `content` its
/// HTML.
pub fn details(summary: &str, is_open: bool, content: &str) -> String {
    let attribute = if is_open { " open" } else { "" };
    format!("<details{attribute}><summary>{}</summary>\n{content}</details>\n", EscapedXml(summary))
}

/// Returns a complete page without scripts or references to other files.
pub fn page(title: &str, body: &str) -> String {
    let title = EscapedXml(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}</body>\n\
         </html>\n"
    )
}

/// The style sheet of a page.
const STYLE: &str = "\
:root { color-scheme: light dark; --line: #8884; --bad: #c22; }
@media (prefers-color-scheme: dark) { :root { --bad: #f77; } }
h1, h2 { overflow-wrap: anywhere; }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 75rem; margin: 1.5rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-size: 0.9em; margin: 0.5rem 0 1rem; }
th, td { padding: 0.15rem 0.6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.bad { color: var(--bad); font-weight: bold; }
.wide { overflow-x: auto; }
.plots { display: flex; flex-wrap: wrap; gap: 1rem; }
.plots svg { flex: 1 1 22rem; max-width: 60rem; min-width: 0; }
.small svg { max-width: 32rem; }
summary { cursor: pointer; padding: 0.2rem 0; }
@media print { details { display: block; } .wide { overflow: visible; } }
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_becomes_a_tag() {
        let name = "<script>alert(\"1\" & '2')</script>";
        let html = table(&[name], &[vec![Cell::text(name), Cell::Alarm(name.to_owned())]])
            + &details(name, true, "")
            + &page(name, "");
        assert!(!html.contains("<script"), "{html}");
        assert_eq!(html.matches("&lt;script&gt;alert(&quot;1&quot; &amp; '2')").count(), 6);
    }
}
