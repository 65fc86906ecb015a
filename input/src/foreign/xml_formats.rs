//! Formats in XML that Parikh does not read.

use super::sample::{ForeignFormat, FormatSign, Sample, SampleTag};

/// The advice for process models in formats that PM4Py converts to Petri nets.
const BY_PM4PY: &str = "turn it into a Petri net, for instance with PM4Py, and export that as PNML";

/// The advice for process models in formats that ProM converts to Petri nets.
const BY_PROM: &str = "turn it into a Petri net, for instance with ProM, and export that as PNML";

/// The advice for timed nets of TAPAAL.
const UNTIMED: &str = "export the untimed net as PNML (File, Export)";

/// The formats, in the order in which they are tried.
pub(super) const FORMATS: &[ForeignFormat] = &[
    ForeignFormat {
        name: "a GreatSPN project (.PNPRO)",
        advice: "export the net from its editor as PNML",
        find_sign: |sample| sample.root("project").and(sample.tag(&["gspn"])).map(SampleTag::sign),
    },
    ForeignFormat {
        name: "a GreatSPN project (.PNPRO) without a net",
        advice: "draw or import a net in its editor, and export that as PNML",
        find_sign: greatspn_without_net,
    },
    ForeignFormat {
        name: "a net of CPN Tools (.cpn)",
        advice: "its colours use a programming language, which PNML cannot express; model it as a \
                 symmetric net",
        find_sign: |sample| {
            sample.root("workspaceElements").or(sample.root("cpnet")).map(SampleTag::sign)
        },
    },
    ForeignFormat {
        name: "a net of Snoopy (.spn, .spped)",
        advice: "export it as PNML or ANDL, and convert the exported file",
        find_sign: |sample| sample.root("Snoopy").map(SampleTag::sign),
    },
    ForeignFormat {
        name: "a timed-arc net of TAPAAL (.tapn)",
        advice: UNTIMED,
        find_sign: timed_tapaal,
    },
    ForeignFormat {
        name: "a net of TAPAAL in its own language",
        advice: UNTIMED,
        find_sign: |sample| {
            let arcs = ["inputArc", "outputArc", "transportArc"];
            sample.root("pnml").and(sample.tag(&arcs)).map(SampleTag::sign)
        },
    },
    ForeignFormat {
        name: "a net with time, of Romeo or Oris",
        advice: "export it without time as PNML, or in TINA's language",
        find_sign: |sample| sample.root("TPN").or(sample.root("tpn-entities")).map(SampleTag::sign),
    },
    ForeignFormat {
        name: "a process in BPMN",
        advice: BY_PM4PY,
        find_sign: |sample| {
            let root = sample.root("definitions")?;
            let is_said =
                root.qualified_name.starts_with("bpmn") || attributes_contain(root, "/bpmn/");
            (is_said || sample.tag(&["process", "collaboration"]).is_some()).then(|| root.sign())
        },
    },
    ForeignFormat {
        name: "a model in SBML",
        advice: "export its reactions as a Petri net in PNML",
        find_sign: |sample| sample.root("sbml").map(SampleTag::sign),
    },
    ForeignFormat {
        name: "a net of Pnet",
        advice: "export it as PNML",
        find_sign: |sample| sample.root("pnx").map(SampleTag::sign),
    },
    ForeignFormat {
        name: "a net of PNEditor (.pflow)",
        advice: "export it as PNML",
        find_sign: |sample| {
            sample.root("document").and(sample.tag(&["subnet"])).map(SampleTag::sign)
        },
    },
    ForeignFormat {
        name: "a model in GrML, of CosyVerif",
        advice: "export it as PNML",
        find_sign: |sample| {
            sample
                .root("model")
                .filter(|root| root.attribute("formalismUrl").is_some())
                .map(SampleTag::sign)
        },
    },
    ForeignFormat {
        name: "a net of TimeNET",
        advice: "it has times; write the net without them as PNML",
        find_sign: |sample| {
            sample
                .root("net")
                .filter(|root| root.attribute("netclass").is_some())
                .map(SampleTag::sign)
        },
    },
    ForeignFormat {
        name: "a process in Petriflow, of Netgrif",
        advice: "write its net as PNML",
        find_sign: |sample| {
            let is_one = |root: &&SampleTag<'_>| attributes_contain(root, "petriflow");
            sample.root("document").filter(is_one).map(SampleTag::sign)
        },
    },
    ForeignFormat {
        name: "a causal net of ProM (.cnet)",
        advice: BY_PROM,
        find_sign: |sample| sample.root("cnet").map(SampleTag::sign),
    },
    ForeignFormat {
        name: "a system of UPPAAL",
        advice: "it has clocks and is not a Petri net",
        find_sign: |sample| sample.root("nta").or(sample.root("uppaal")).map(SampleTag::sign),
    },
    ForeignFormat {
        name: "a log of events in XES",
        advice: "discover a process from it, for instance with PM4Py, and export its net as PNML",
        find_sign: |sample| {
            let root = sample.root("log")?;
            (attributes_contain(root, "xes") || sample.tag(&["trace"]).is_some())
                .then(|| root.sign())
        },
    },
    ForeignFormat {
        name: "a log of events in MXML",
        advice: "discover a process from it, for instance with ProM, and export its net as PNML",
        find_sign: |sample| sample.root("WorkflowLog").map(SampleTag::sign),
    },
    ForeignFormat {
        name: "a process tree (.ptml)",
        advice: BY_PM4PY,
        find_sign: |sample| sample.root("ptml").map(SampleTag::sign),
    },
    ForeignFormat {
        name: "a process of YAWL, in EPML or in XPDL",
        advice: BY_PROM,
        find_sign: |sample| {
            let roots = ["specificationSet", "epml", "Package"];
            roots.iter().find_map(|name| sample.root(name)).map(SampleTag::sign)
        },
    },
    ForeignFormat {
        name: "a queueing Petri net of QPME",
        advice: "it has queues; write the net without queues as PNML",
        find_sign: |sample| {
            let root = sample.root("net")?;
            let is_sign = |tag: &&SampleTag<'_>| {
                tag.name().starts_with("queue") || attributes_contain(tag, "qp")
            };
            sample.tags.iter().find(is_sign).map(|_| root.sign())
        },
    },
];

/// Finds a project of GreatSPN's editor that holds no net. Files of Maven and Ant have the same
/// root element with other attributes.
fn greatspn_without_net(sample: &Sample<'_>) -> Option<FormatSign> {
    let root = sample.root("project")?;
    let is_remarked = sample.text.split("<project").next()?.contains("GreatSPN");
    let own = |(name, _): (&str, &str)| matches!(name, "name" | "version");
    let others = ["target", "modelVersion", "Tasks", "component", "configuration"];
    let is_own = root.attribute("name").is_some()
        && root.attributes().all(own)
        && sample.tag(&others).is_none();
    (is_remarked || is_own).then(|| root.sign())
}

/// Finds a timed-arc net of TAPAAL. The namespace is not a sign: LoLA writes place/transition nets
/// with the same namespace.
fn timed_tapaal(sample: &Sample<'_>) -> Option<FormatSign> {
    sample.root("pnml")?;
    let is_sign = |tag: &&SampleTag<'_>| match tag.name() {
        "shared-place" | "shared-transition" | "k-bound" => true,
        "place" => tag.attribute("invariant").is_some(),
        "arc" => tag.attribute("type") == Some("timed"),
        _ => false,
    };
    sample.tags.iter().find(is_sign).map(SampleTag::sign)
}

/// Returns true if the name or value of an attribute contains `text`, in upper or lower case.
/// `text` itself must be in lower case.
fn attributes_contain(tag: &SampleTag<'_>, text: &str) -> bool {
    let contains = |it: &str| it.to_ascii_lowercase().contains(text);
    tag.attributes().any(|(name, value)| contains(name) || contains(value))
}
