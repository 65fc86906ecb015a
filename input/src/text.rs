//! Nets in Parikh's own textual formats: [place/transition nets](parikh_net::text) and
//! [coloured ones](parikh_net::coloured::text).

use super::error::InputError;
use super::format::ModelFormat;
use super::script::read_text;
use parikh_net::coloured;
use parikh_net::text;

/// Place/transition nets in Parikh's text format.
pub(super) const PLAIN: ModelFormat = ModelFormat {
    name: "a net as text, in lines such as `place p 1` and `transition t: p -> q`",
    begins: |beginning| first_words(beginning).next().is_some_and(|first| NODES.contains(&first)),
    read: |reader, name| {
        let text = read_text(reader, name)?;
        let net = text::parse(&text).map_err(|it| problem(name, it.line, it.problem))?;
        Ok(net.into())
    },
};

/// Coloured nets in Parikh's text format.
pub(super) const COLOURED: ModelFormat = ModelFormat {
    name: "a coloured net as text, which also has lines such as `sort A = 1..3`",
    begins: |beginning| {
        let known = |word: &str| NODES.contains(&word) || COLOURS.contains(&word);
        let first = first_words(beginning).next().is_some_and(known);
        first && first_words(beginning).any(|word| COLOURS.contains(&word))
    },
    read: |reader, name| {
        let text = read_text(reader, name)?;
        let net = coloured::text::parse(&text).map_err(|it| problem(name, it.line, it.problem))?;
        Ok(net.into())
    },
};

/// The first words of lines in both formats.
const NODES: [&str; 3] = ["net", "place", "transition"];

/// The first words of lines in the coloured format only.
const COLOURS: [&str; 2] = ["sort", "var"];

/// Returns the first word of each line, except blank lines and comments.
fn first_words(beginning: &[u8]) -> impl Iterator<Item = &str> {
    let beginning = beginning.strip_prefix(b"\xef\xbb\xbf").unwrap_or(beginning);
    let lines = beginning.split(|&byte| byte == b'\n');
    let words = lines.filter_map(|line| {
        let first = line.split(u8::is_ascii_whitespace).find(|word| !word.is_empty());
        str::from_utf8(first?).ok()
    });
    words.filter(|word| !word.starts_with('#'))
}

fn problem(file: &str, line: usize, problem: String) -> InputError {
    InputError::Text { file: file.into(), line, problem }
}
