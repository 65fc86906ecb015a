//! Formats in a language of their own that Parikh does not read.

use super::sample::{ForeignFormat, FormatSign, Sample, SampleLine};

/// The advice for nets in the language of a tool that has no export to PNML.
const WRITE_PNML: &str = "write its net as PNML";

/// The advice for models written as programs, in the input languages of model checkers.
const PROGRAM: &str = "it is a program; if it has a net, write the net as PNML";

/// The formats, in the order in which they are tried.
pub(super) const FORMATS: &[ForeignFormat] = &[
    ForeignFormat {
        name: "a drawing of Renew (.rnw)",
        advice: "export it as PNML; only nets without references and synchronous channels are \
                 place/transition nets",
        find_sign: |sample| {
            // The class of the drawing, in newer versions behind a version number.
            let mut words = sample.words().skip_while(|word| word.parse::<u32>().is_ok());
            let class = words.next()?;
            let is_one = ["de.renew.", "CH.ifa.draw."].iter().any(|it| class.starts_with(it));
            is_one.then(|| sample.first().map(SampleLine::sign)).flatten()
        },
    },
    ForeignFormat {
        name: "a net of GreatSPN (.net, .def)",
        advice: "open it in GreatSPN's editor and export it as PNML",
        find_sign: |sample| {
            let line = sample.first()?;
            let number = line.text.strip_prefix('|')?.trim_end_matches(['|', ' ']);
            let is_number = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
            is_number.then(|| line.sign())
        },
    },
    ForeignFormat {
        name: "a net of PEP (.ll_net)",
        advice: "write it as PNML or in LoLA's language",
        find_sign: |sample| begins_with(sample, &["PEP"]),
    },
    ForeignFormat {
        name: "a net in APNN",
        advice: WRITE_PNML,
        find_sign: |sample| {
            let line = sample.first()?;
            line.text.starts_with("\\beginnet").then(|| line.sign())
        },
    },
    ForeignFormat {
        name: "a net of INA (.pnt)",
        advice: WRITE_PNML,
        find_sign: |sample| {
            let line = sample.first()?;
            line.text.to_uppercase().replace(' ', "").contains("PRE,POST").then(|| line.sign())
        },
    },
    ForeignFormat {
        name: "a model in the language of NuSMV",
        advice: PROGRAM,
        find_sign: |sample| begins_with(sample, &["MODULE"]),
    },
    ForeignFormat {
        name: "a model in GAL, of ITS-Tools",
        advice: PROGRAM,
        find_sign: |sample| begins_with(sample, &["gal", "GAL"]),
    },
    ForeignFormat {
        name: "a model in the language of DiVinE",
        advice: PROGRAM,
        find_sign: |sample| {
            begins_with(sample, &["dve"]).or_else(|| {
                sample.line(&["system"]).and_then(|line| {
                    let kind = line.text.split_whitespace().nth(1)?.trim_end_matches(';');
                    let has_process = sample.line(&["process"]).is_some();
                    (matches!(kind, "async" | "sync") && has_process).then(|| line.sign())
                })
            })
        },
    },
    ForeignFormat { name: "a net of PROD", advice: WRITE_PNML, find_sign: prod },
    ForeignFormat {
        name: "a model of PRISM",
        advice: PROGRAM,
        find_sign: |sample| {
            let kinds =
                ["dtmc", "ctmc", "mdp", "pta", "probabilistic", "stochastic", "nondeterministic"];
            let module = sample.line(&["module"])?;
            // The kind may be missing, or follow constants. Verilog also has modules, with a list
            // of ports in parentheses.
            let is_one =
                || !module.text.contains(['(', ';']) && sample.line(&["endmodule"]).is_some();
            begins_with(sample, &kinds).or_else(|| is_one().then(|| module.sign()))
        },
    },
    ForeignFormat {
        name: "a model of SMART",
        advice: WRITE_PNML,
        find_sign: |sample| {
            let kinds = ["pn", "spn", "ctmc", "dtmc"];
            let is_sign =
                |line: &&SampleLine<'_>| kinds.contains(&line.first()) && line.text.contains(":=");
            sample.lines.iter().find(is_sign).map(SampleLine::sign)
        },
    },
    ForeignFormat {
        name: "an open net of Fiona or LoLA's service tools",
        advice: "write its inner net as PNML, or as PLACE, MARKING and TRANSITION",
        find_sign: open_net,
    },
    ForeignFormat {
        name: "a net of Woflan (.tpn)",
        advice: "write it as PNML, or as text with one line per node: `place p 1` and `transition \
                 t: p -> q`",
        find_sign: woflan,
    },
    ForeignFormat {
        name: "a net in ANDL, of Charlie and Marcie",
        advice: "export it as PNML from Snoopy",
        find_sign: |sample| {
            let kinds = ["pn", "spn", "xpn", "cpn", "gspn", "hpn", "colspn", "colpn", "colxpn"];
            let first = sample.first()?;
            let (word, _) = first.text.split_once('[')?;
            (kinds.contains(&word.trim_end()) && sample.containing("{").is_some())
                .then(|| first.sign())
        },
    },
    ForeignFormat {
        name: "a drawn net of TINA (.ndr)",
        advice: "save it as .net: ndrio FILE.ndr FILE.net",
        find_sign: drawn_by_tina,
    },
    ForeignFormat {
        name: "a circuit in BLIF",
        advice: "it is not a Petri net; write a model of it as PNML",
        find_sign: |sample| {
            begins_with(sample, &[".model", ".inputs", ".outputs"])?;
            sample.line(&[".names", ".latch", ".gate", ".subckt"]).map(SampleLine::sign)
        },
    },
    ForeignFormat {
        name: "a signal transition graph (.g) of petrify or Workcraft",
        advice: "export it as PNML",
        find_sign: |sample| by_keywords(sample, SIGNAL_GRAPH, APT),
    },
    ForeignFormat {
        name: "a net of I love Petri nets (.pn, .run, .ts)",
        advice: WRITE_PNML,
        find_sign: |sample| {
            let of_type = |line: &SampleLine<'_>| {
                matches!(line.text.split_whitespace().nth(1), Some("pn" | "run" | "ts" | "log"))
            };
            let kind = sample.line(&[".type"]).filter(|line| of_type(line));
            // Files of APT have `.arcs` only beside `.states`.
            let is_net = || sample.line(&[".places", ".conditions"]).and(sample.line(&[".arcs"]));
            let is_first = sample.first()?.first().starts_with('.');
            kind.or_else(is_net).filter(|_| is_first).map(SampleLine::sign)
        },
    },
    ForeignFormat {
        name: "a net of APT",
        advice: "write it as PNML: apt PNML_export",
        find_sign: |sample| by_keywords(sample, APT, SIGNAL_GRAPH),
    },
    ForeignFormat {
        name: "a net of Synet",
        advice: WRITE_PNML,
        find_sign: |sample| {
            let is_arc = |line: &&SampleLine<'_>| {
                line.first() == "flow" && (line.text.contains("->") || line.text.contains("<-"))
            };
            sample.lines.iter().find(is_arc).map(SampleLine::sign)
        },
    },
    ForeignFormat {
        name: "a net of Petrinizer (.pnet)",
        advice: WRITE_PNML,
        find_sign: |sample| {
            let first = sample.first()?;
            first.text.starts_with("petri net \"").then(|| first.sign())
        },
    },
    ForeignFormat {
        name: "a net of CPN-AMI (.cami)",
        advice: WRITE_PNML,
        find_sign: |sample| {
            let is_node = |line: &&SampleLine<'_>| line.text.starts_with("CN(");
            begins_with(sample, &["DB()"])
                .or_else(|| sample.lines.iter().find(is_node).map(SampleLine::sign))
        },
    },
    ForeignFormat {
        name: "a model of Romeo (.cts)",
        advice: "export its net without time as PNML, or in TINA's language",
        find_sign: |sample| {
            let is_transition = |line: &&SampleLine<'_>| {
                line.first() == "transition" && line.text.contains(['[', ']'])
            };
            begins_with(sample, &["initially"])?;
            sample.lines.iter().find(is_transition).map(SampleLine::sign)
        },
    },
    ForeignFormat {
        name: "a high-level net of Maria",
        advice: "unfold it, and write the unfolded net as PNML",
        find_sign: |sample| {
            let type_line = begins_with(sample, &["typedef"])?;
            sample.line(&["place"]).and(sample.line(&["trans"])).map(|_| type_line)
        },
    },
    ForeignFormat {
        name: "a high-level net of Helena (.lna)",
        advice: "unfold it, and write the unfolded net as PNML",
        find_sign: |sample| {
            let has = |word: &str| sample.line(&[word]).is_some_and(|it| it.text.contains('{'));
            let is_one = has("place") && has("transition") && sample.containing("dom").is_some();
            is_one.then(|| sample.first().map(SampleLine::sign)).flatten()
        },
    },
    ForeignFormat {
        name: "a specification of mCRL2",
        advice: "make its transition system: mcrl22lps FILE FILE.lps, then lps2lts FILE.lps \
                 FILE.aut",
        find_sign: |sample| {
            let sections = ["sort", "act", "proc", "map", "cons", "glob"];
            let is_end = |line: &SampleLine<'_>| line.text.ends_with(';');
            (sample.lines.iter().any(is_end) && sample.line(&["place", "transition"]).is_none())
                .then(|| begins_with(sample, &sections))
                .flatten()
        },
    },
    ForeignFormat {
        name: "a specification in LNT, of CADP",
        advice: "make its transition system in Aldebaran's format (.aut)",
        find_sign: |sample| {
            let line = sample.line(&["module"])?;
            (line.text.ends_with(" is") && sample.line(&["process"]).is_some()).then(|| line.sign())
        },
    },
    ForeignFormat {
        name: "a system of UPPAAL (.xta)",
        advice: "it has clocks and is not a Petri net",
        find_sign: |sample| {
            let process = sample.line(&["process"])?;
            let is_one =
                sample.line(&["system"]).is_some() && sample.words().any(|it| it == "state");
            is_one.then(|| process.sign())
        },
    },
    ForeignFormat {
        name: "a drawing of Graphviz",
        advice: "export the net itself as PNML; a parallel system of RERS has its components in \
                 `subgraph NAME {`",
        find_sign: |sample| {
            let is_component = |line: &SampleLine<'_>| line.first() == "subgraph";
            (!sample.lines.iter().any(is_component))
                .then(|| begins_with(sample, &["digraph", "graph", "strict"]))
                .flatten()
        },
    },
];

/// Keywords that occur in files of signal transition graphs and state graphs of circuits, and not
/// in files of APT.
const SIGNAL_GRAPH: &[&str] = &[
    ".graph",
    ".state",
    ".inputs",
    ".outputs",
    ".internal",
    ".dummy",
    ".marking",
    ".model",
    ".end",
    ".capacity",
    ".slowenv",
    ".initial",
    ".coords",
];

/// Keywords that occur in files of APT, and not in files of signal transition graphs and state
/// graphs of circuits.
const APT: &[&str] = &[
    ".type",
    ".description",
    ".places",
    ".transitions",
    ".flows",
    ".initial_marking",
    ".final_markings",
    ".options",
    ".states",
    ".labels",
    ".arcs",
];

/// Returns the first line if its first word is one of `words`.
fn begins_with(sample: &Sample<'_>, words: &[&str]) -> Option<FormatSign> {
    let line = sample.first()?;
    words.contains(&line.first()).then(|| line.sign())
}

/// Distinguishes two formats that share keywords such as `.name`. Returns `None` if the first line
/// does not begin with a dot. Returns the first line with a keyword of `own` if more lines begin
/// with keywords of `own` than with keywords of `others`. For APT, a file without keywords of
/// either list also counts if it has a line `.name`, which is returned.
fn by_keywords(sample: &Sample<'_>, own: &[&str], others: &[&str]) -> Option<FormatSign> {
    sample.first().filter(|line| line.first().starts_with('.'))?;
    let keyword = |line: &SampleLine<'_>| {
        let word = line.first();
        word[..word.find('{').unwrap_or(word.len())].to_owned()
    };
    let count = |words: &[&str]| {
        sample.lines.iter().filter(|line| words.contains(&&*keyword(line))).count()
    };
    let line = sample.lines.iter().find(|line| own.contains(&&*keyword(line)));
    match line {
        Some(line) if count(own) > count(others) => Some(line.sign()),
        // APT begins with `.name`, so a `.name` without any other keyword counts as APT.
        None if own == APT && count(others) == 0 => sample.line(&[".name"]).map(SampleLine::sign),
        _ => None,
    }
}

/// Finds an open net, that is, a net with places for messages. Its sections of places have names
/// such as `INPUT` and `OUTPUT`, unlike those of LoLA's plain nets. Sections `ROLES` or `PORTS` may
/// come first.
fn open_net(sample: &Sample<'_>) -> Option<FormatSign> {
    let kinds = ["INTERNAL", "INPUT", "OUTPUT", "SYNCHRONOUS", "ROLES", "PORTS"];
    let mut words = sample.words();
    let is_one = match words.next()? {
        "INTERFACE" => true,
        "PLACE" => {
            let kind = words.next()?;
            let is_name = words.next().is_some_and(|it| it.starts_with([',', ';', ':']));
            kinds.contains(&kind) && !is_name
        }
        _ => false,
    };
    is_one.then(|| sample.first().map(SampleLine::sign)).flatten()
}

/// Finds a net of PROD: places with markings, bounds or none, and transitions up to `#endtr`. Such
/// lines are remarks in other languages, so a line `#place` alone is no sign.
fn prod(sample: &Sample<'_>) -> Option<FormatSign> {
    let is_place = |line: &&SampleLine<'_>| {
        line.first() == "#place" && ["mk(", "lo(", "hi("].iter().any(|it| line.text.contains(it))
    };
    let place = sample.lines.iter().find(is_place);
    place.or_else(|| sample.line(&["#trans"]).and(sample.line(&["#endtr"]))).map(SampleLine::sign)
}

/// Finds a net of Woflan: statements `place p init 1;` and `trans t in p out q;`. A file of LoLA,
/// which has a line `MARKING`, may have places with these names.
fn woflan(sample: &Sample<'_>) -> Option<FormatSign> {
    let first = sample.first()?;
    let is_keyword = |word: &str| ["place", "trans"].iter().any(|it| word.eq_ignore_ascii_case(it));
    let is_trans = |line: &&SampleLine<'_>| {
        line.text.split(';').any(|it| {
            it.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case("trans"))
        })
    };
    let sign = sample.lines.iter().find(is_trans)?;
    let is_lola = sample.words().any(|word| word == "MARKING");
    (is_keyword(first.first())
        && !is_lola
        && sample.lines.iter().any(|line| line.text.contains(';')))
    .then(|| sign.sign())
}

/// Finds a drawing of TINA: lines `p X Y NAME …` and `t X Y NAME …`, with positions as numbers.
fn drawn_by_tina(sample: &Sample<'_>) -> Option<FormatSign> {
    let is_node = |line: &&SampleLine<'_>| {
        let mut words = line.text.split_whitespace();
        matches!(words.next(), Some("p" | "t"))
            && words.by_ref().take(2).filter(|word| word.parse::<f64>().is_ok()).count() == 2
            && words.next().is_some()
    };
    let node = sample.lines.iter().find(is_node)?;
    let known = ["p", "t", "e", "n", "h", "a"];
    known.contains(&sample.first()?.first()).then(|| node.sign())
}
