//! Files that other tools write and Parikh does not read, told apart by how they begin: what they
//! are, and what to do.

use super::error::InputError;
use super::script;

/// What a kind of file looks like, what it is called, and what to do with it.
type Kind = (fn(&str) -> bool, &'static str, &'static str);

/// All that are known, in the order in which they are tried.
const KINDS: [Kind; 10] = [
    (
        |text| root(text) == "project" && (text.contains("<gspn") || text.contains("pnpro")),
        "a GreatSPN project (.PNPRO)",
        "export the net from its editor as PNML",
    ),
    (
        |text| root(text) == "workspaceElements",
        "a net of CPN Tools (.cpn)",
        "its colours are a programming language's, which PNML does not have; model it as a symmetric net",
    ),
    (
        |text| root(text) == "Snoopy",
        "a net of Snoopy (.spn, .spped)",
        "export it as PNML or ANDL, and convert that",
    ),
    (
        |text| root(text) == "pnml" && (text.contains("<shared-place") || text.contains("ptNetb")),
        "a timed-arc net of TAPAAL (.tapn)",
        "export the untimed net as PNML (File, Export)",
    ),
    (|text| root(text) == "pnx", "a net of Pnet", "export it as PNML"),
    (|text| root(text) == "uppaal", "a system of UPPAAL", "it has clocks and no Petri net"),
    (
        |text| {
            words(text).next().is_some_and(|word| matches!(word, "pn" | "spn" | "xpn" | "cpn"))
                && text.contains('{')
        },
        "a net in ANDL, of Charlie and Marcie",
        "export it as PNML from Snoopy",
    ),
    (
        |text| {
            words(text).next().is_some_and(|word| matches!(word, "p" | "t"))
                && text.lines().any(|line| line.starts_with("h "))
        },
        "a drawn net of TINA (.ndr)",
        "save it as .net: ndrio FILE.ndr FILE.net",
    ),
    (
        |text| words(text).next().is_some_and(|word| word == ".name" || word == ".type"),
        "a net of APT",
        "write it as PNML: apt PNML_export",
    ),
    (
        |text| words(text).next().is_some_and(|word| word == ".model"),
        "a signal transition graph (.g) of petrify or Workcraft",
        "export it as PNML",
    ),
];

/// The refusal of a file that begins so, if it is of a kind that is known.
pub(super) fn refusal(file: &str, beginning: &[u8]) -> Option<InputError> {
    let text = script::beginning(beginning);
    let (_, kind, advice) = KINDS.iter().find(|(is, ..)| is(&text))?;
    Some(InputError::Foreign { file: file.into(), kind, advice })
}

/// The name of the root element of a text in XML.
fn root(text: &str) -> &str {
    let mut rest = text.trim_start();
    while rest.starts_with("<?") || rest.starts_with("<!") {
        let end = if rest.starts_with("<!--") { "-->" } else { ">" };
        let Some((_, behind)) = rest.split_once(end) else { return "" };
        rest = behind.trim_start();
    }
    let name = rest.strip_prefix('<').unwrap_or_default();
    let name = name.split(|c: char| c.is_whitespace() || c == '>' || c == '/').next();
    name.unwrap_or_default().rsplit(':').next().unwrap_or_default()
}

/// The words of a text, but for lines that are comments in one language or another.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with(['#', '%']));
    lines.flat_map(str::split_whitespace)
}
