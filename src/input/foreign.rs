//! Files that other tools write and Parikh does not read, told apart by how they begin: what they
//! are, and what to do.

use super::error::InputError;
use super::script;

/// What a kind of file looks like, what it is called, and what to do with it.
type Kind = (fn(&str) -> bool, &'static str, &'static str);

/// All that are known, in the order in which they are tried.
const KINDS: [Kind; 27] = [
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
        |text| {
            // The language of the file, which older tools have for the type of a net.
            let is_its_own = |text: &str| {
                let tag = text.split_once("<pnml").map_or("", |(_, behind)| behind);
                tag.split('>').next().unwrap_or_default().contains("top/pnml/ptNetb")
            };
            root(text) == "pnml" && (text.contains("<shared-place") || is_its_own(text))
        },
        "a timed-arc net of TAPAAL (.tapn)",
        "export the untimed net as PNML (File, Export)",
    ),
    (
        |text| text.contains("<inputArc ") && root(text) == "pnml",
        "a net of TAPAAL in its own language",
        "export the untimed net as PNML (File, Export)",
    ),
    (
        |text| {
            let mut lines = text.lines().take(3).filter(|line| !line.starts_with(['#', '/', '{']));
            lines.any(|line| line.contains("de.renew") || line.contains("CH.ifa"))
        },
        "a drawing of Renew (.rnw)",
        "export it as PNML; only nets without references and synchronous channels are place/transition nets",
    ),
    (
        |text| {
            let first = text.lines().next().unwrap_or_default();
            let number =
                first.strip_prefix('|').map(|rest| rest.trim_end_matches(['|', '\r', ' ']));
            number.is_some_and(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit()))
        },
        "a net of GreatSPN (.net, .def)",
        "open it in GreatSPN's editor and export it as PNML",
    ),
    (
        |text| text.trim_start().starts_with("PEP"),
        "a net of PEP (.ll_net)",
        "write it as PNML or in LoLA's language",
    ),
    (
        |text| root(text) == "TPN" || root(text) == "tpn-entities",
        "a net with time, of Romeo or Oris",
        "export it without time as PNML, or in TINA's language",
    ),
    (
        |text| root(text) == "definitions",
        "a process in BPMN",
        "turn it into a Petri net, for instance with PM4Py, and export that as PNML",
    ),
    (|text| root(text) == "sbml", "a model in SBML", "export its reactions as a Petri net in PNML"),
    (|text| root(text) == "pnx", "a net of Pnet", "export it as PNML"),
    (
        |text| matches!(root(text), "uppaal" | "nta"),
        "a system of UPPAAL",
        "it has clocks and no Petri net",
    ),
    (
        |text| root(text) == "log",
        "a log of events in XES",
        "discover a process from it, for instance with PM4Py, and export its net as PNML",
    ),
    (
        |text| root(text) == "ptml",
        "a process tree (.ptml)",
        "turn it into a Petri net, for instance with PM4Py, and export that as PNML",
    ),
    (
        |text| matches!(root(text), "specificationSet" | "epml" | "Package"),
        "a process of YAWL, in EPML or in XPDL",
        "turn it into a Petri net, for instance with ProM, and export that as PNML",
    ),
    (
        |text| root(text) == "net" && text.contains("qpe"),
        "a queueing Petri net of QPME",
        "it has queues; write the net without them as PNML",
    ),
    (|text| text.trim_start().starts_with("\\beginnet"), "a net in APNN", "write it as PNML"),
    (
        |text| {
            let first = text.lines().next().unwrap_or_default();
            words(first).eq(["P", "M", "PRE,POST", "NETZ"]) || first.contains("PRE,POST")
        },
        "a net of INA (.pnt)",
        "write it as PNML",
    ),
    (
        |text| matches!(words(text).next(), Some("MODULE" | "gal" | "dve" | "#place")),
        "a model in the language of NuSMV, ITS-Tools, DiVinE or PROD",
        "it is a program; write its net as PNML, if there is one",
    ),
    (
        |text| words(text).next() == Some("pn") && text.contains(":="),
        "a model of SMART",
        "write its net as PNML",
    ),
    (
        |text| text.lines().any(|line| line.trim_start().starts_with("PLACE INTERNAL")),
        "an open net of Fiona or LoLA's service tools",
        "write its inner net as PNML, or as PLACE, MARKING and TRANSITION",
    ),
    (
        |text| {
            words(text).next() == Some("place")
                && text.contains(" init ")
                && text.contains("trans ")
        },
        "a net of Woflan (.tpn)",
        "write it as PNML, or a line a node: `place p 1` and `transition t: p -> q`",
    ),
    (
        |text| {
            let first = text.lines().find(|line| !line.trim_start().starts_with("//"));
            let kinds = ["pn", "spn", "xpn", "cpn", "gspn", "hpn", "colspn", "colpn", "colxpn"];
            let first = first.and_then(|line| line.split_whitespace().next());
            first.is_some_and(|word| kinds.contains(&word))
                && text.contains('{')
                && !text.contains(":=")
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
        |text| {
            let words = [".name", ".type", ".description"];
            self::words(text).next().is_some_and(|word| words.contains(&word))
        },
        "a net of APT",
        "write it as PNML: apt PNML_export",
    ),
    (
        |text| {
            let words = [".model", ".inputs", ".outputs", ".internal", ".dummy"];
            self::words(text).next().is_some_and(|word| words.contains(&word))
        },
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
