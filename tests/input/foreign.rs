//! Files of other tools are recognised by their content, independently of leading comments, the
//! order of keywords, and the namespace's address.

use parikh::input::read_model;

/// Returns the error message for a file, without its directory.
fn refusal(file: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("m");
    std::fs::write(&path, file).unwrap();
    let shown = format!("{}/", directory.path().display());
    match read_model(&path) {
        Ok(_) => panic!("read:\n{file}"),
        Err(error) => error.to_string().replace(&shown, ""),
    }
}

/// Asserts that each file is refused as this kind.
fn are(kind: &str, files: &[&str]) {
    for file in files {
        let problem = refusal(file);
        assert!(problem.contains(&format!("this is {kind} (found `")), "{problem}\n{file}");
        let line = problem.strip_prefix("m:").and_then(|rest| rest.split(':').next());
        assert!(line.is_some_and(|line| line.parse::<u64>().is_ok()), "{problem}");
        assert!(problem.contains("which Parikh does not read: "), "{problem}");
    }
}

const GRAPH: &str = ".graph\na+ b+\nb+ a-\na- b-\nb- a+\n.marking { <b-,a+> }\n.end\n";

#[test]
fn signal_transition_graphs_with_any_beginning_are_recognised() {
    let files: Vec<String> = [
        ".name ring\n.inputs a\n.outputs b\n",
        ".model ring\n.inputs a\n.outputs b\n",
        "# made by petrify\n.name ring\n.outputs a b\n",
        "\n\n  .name ring\n",
        ".outputs b\n.inputs a\n",
        ".dummy d\n",
        ".internal x\n",
        "",
        "# one\n# two\n.coords x\n",
        ".name ring\n.type x\n.inputs a\n",
    ]
    .iter()
    .map(|head| format!("{head}{GRAPH}"))
    .collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    are("a signal transition graph (.g) of petrify or Workcraft", &files);
    let state_graph = ".model x\n.inputs a\n.state graph\ns0 a+ s1\n.marking {s0}\n.end\n";
    are("a signal transition graph (.g) of petrify or Workcraft", &[state_graph]);
    are("a circuit in BLIF", &[".model x\n.inputs a\n.outputs b\n.names a b\n1 1\n.end\n"]);
}

#[test]
fn nets_of_apt_are_recognised_after_remarks_and_in_any_order() {
    let rest = ".places\np\n.transitions\nt\n.flows\nt: {p} -> {p}\n.initial_marking {p}\n";
    let files: Vec<String> = [
        ".name \"x\"\n.type LPN\n",
        "// a remark\n.name \"x\"\n.type LPN\n",
        "/* a remark\n of two lines */\n.name \"x\"\n.type PN\n",
        "/* a */ // b\n\n.type LPN\n",
        "// .graph\n.type PN\n",
        ".description \"a net\"\n.name \"x\"\n.type LPN\n",
        ".type LPN // last\n.name \"x\"\n",
        "",
        ".options f=\"x\"\n",
        "\u{feff}.name \"x\"\n.type LPN\n",
    ]
    .iter()
    .map(|head| format!("{head}{rest}"))
    .collect();
    let mut files: Vec<&str> = files.iter().map(String::as_str).collect();
    files.push(".name \"x\"\n.type LTS\n.states\ns0[initial]\n.labels\na\n.arcs\ns0 a s0\n");
    files.push(".name \"x\"\n");
    are("a net of APT", &files);
}

#[test]
fn nets_of_woflan_are_recognised_after_remarks() {
    are(
        "a net of Woflan (.tpn)",
        &[
            "place p init 1;\ntrans t in p out q;",
            "-- written by ProM\nplace p init 1;\nplace q;\ntrans t in p out q;",
            "// a remark\nplace \"p 1\" init 1;\ntrans \"t\"~\"x\" in \"p 1\";",
            "/* a\n b */ place p;\ntrans t in p out p;",
            "# a remark\n\nplace p;\n\ntrans t\n  in p\n  out p\n;",
            "place p init 1; place q; trans t in p out q;",
            "trans t in p out q;\nplace p init 1;\nplace q;",
            "PLACE p INIT 1;\nTRANS t IN p OUT q;",
            "(* a remark *)\nplace p init 2;\ntrans t in p;",
            "% a remark\nplace p;\ntrans t;",
        ],
    );
}

#[test]
fn projects_of_greatspn_are_recognised_with_and_without_a_net() {
    are(
        "a GreatSPN project (.PNPRO)",
        &[
            "<project name='x' version='121'><gspn name='y'/></project>",
            "<?xml version=\"1.0\"?>\n<!-- x -->\n<project version=\"121\" name=\"x\">\n  <gspn name=\"y\"><nodes/></gspn></project>",
        ],
    );
    are(
        "a GreatSPN project (.PNPRO) without a net",
        &[
            "<project name='x' version='121'/>",
            "<project name='x' version='121'></project>",
            "<project version=\"121\" name=\"x\"/>",
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n<!-- This project file has been saved by the New GreatSPN Editor, v.100 --><project/>",
            "<project name='x' version='121'><dta name='d'/></project>",
            "<project name='x' version='121'><multipage name='m'/></project>",
            "<project name=\"gspn\" version=\"1\">\n</project>",
            "\n<project name='x'/>",
            "<!DOCTYPE project><project name='x' version='121'/>",
            "<project name='x' version='121'><!-- <gspn/> --></project>",
        ],
    );
    let maven = "<project xmlns='http://maven.apache.org/POM/4.0.0'><name>x</name></project>";
    for file in [maven, "<project name='x' default='all'><target name='all'/></project>"] {
        assert!(refusal(file).contains("found `<project>`, expected `<pnml>`"));
    }
}

#[test]
fn timed_arc_nets_are_recognised_by_their_own_attributes() {
    let net = |namespace: &str, inside: &str| {
        format!("<pnml xmlns='http://www.informatik.hu-berlin.de/{namespace}'>{inside}</pnml>")
    };
    let place = "<place id='p' name='p' invariant='&lt; inf' initialMarking='1'/>";
    let files = [
        net("top/pnml/ptNetb", &format!("<net id='n' type='P/T net'>{place}</net>")),
        net("top/pnml/ptNetb", "<shared-place name='p'/><net id='n'/>"),
        net("top/pnml/ptNetb", "<shared-transition name='t'/><net id='n'/>"),
        net("top/pnml/ptNetb", "<net id='n'/><k-bound bound='3'/>"),
        net("x", &format!("<!-- x --><net id='n'>{place}</net>")),
        net(
            "x",
            "<net id='n'><arc id='a' source='p' target='t' type='timed' inscription='[0,inf)'/></net>",
        ),
    ];
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    are("a timed-arc net of TAPAAL (.tapn)", &files);
    are(
        "a net of TAPAAL in its own language",
        &["<pnml><net id='n'><inputArc x='y'/></net></pnml>"],
    );
    // Comments and the data of other tools are not elements of the net.
    for inside in ["<!-- <shared-place/> -->", "<toolspecific><shared-place/></toolspecific>"] {
        let file = net("top/pnml/ptNetb", &format!("<net id='n'>{inside}</net>"));
        assert!(crate::languages::read("m", &file).is_ok());
    }
}

#[test]
fn files_of_other_tools_are_refused_by_name() {
    for (kind, file) in [
        ("a drawing of Renew (.rnw)", "11 de.renew.gui.CPNDrawing 1 2"),
        ("a net of GreatSPN (.net, .def)", "|0|\n|\nf 0 1"),
        ("a net of GreatSPN (.net, .def)", "|256|\n%\n|"),
        ("a net of PEP (.ll_net)", "PEP\nPTNet\nFORMAT_N"),
        ("a net with time, of Romeo or Oris", "<TPN name='x'/>"),
        ("a process in BPMN", "<?xml version='1.0'?>\n<bpmn:definitions/>"),
        ("a process in BPMN", "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL'/>"),
        ("a process in BPMN", "<x:definitions><x:process/></x:definitions>"),
        ("a model in SBML", "<sbml/>"),
        ("a system of UPPAAL", "<nta/>"),
        ("a log of events in XES", "<log xes.version='1.0'/>"),
        ("a log of events in XES", "<log><trace/></log>"),
        ("a log of events in MXML", "<WorkflowLog/>"),
        ("a net of PNEditor (.pflow)", "<document><subnet/></document>"),
        ("a net in APNN", "% a remark\n\\beginnet{n}"),
        ("a net of INA (.pnt)", "P   M   PRE,POST  NETZ 0:n"),
        ("a model in the language of NuSMV", "-- a remark\nMODULE main"),
        ("a model in GAL, of ITS-Tools", "// a remark\ngal x {\n}"),
        ("a model in the language of DiVinE", "byte x;\nprocess P {\n}\nsystem async;"),
        ("a net of PROD", "/* a */\n#place p mk(1)"),
        ("a model of PRISM", "// a remark\ndtmc\nmodule m\nendmodule"),
        ("a net in ANDL, of Charlie and Marcie", "// a\ncolspn [n] {\n"),
        ("a net in ANDL, of Charlie and Marcie", "/* a\nb */\npn [n]\n{\nplaces:"),
        ("a net in ANDL, of Charlie and Marcie", "pn  [x]\n{\nplaces:\n  p = 1;\n}\n"),
        ("a model of SMART", "// a\npn x := {\n};"),
        ("a model of SMART", "spn m(int n) := {\n place p;\n};"),
        ("a model of PRISM", "const int N = 3;\nmdp\nmodule m\n x : [0..1];\nendmodule"),
        ("a model of PRISM", "module m\n x : [0..1] init 0;\nendmodule"),
        ("a system of UPPAAL (.xta)", "clock x;\nprocess P() { state a; init a; }\nsystem P;"),
        ("a drawing of Renew (.rnw)", "CH.ifa.draw.standard.StandardDrawing 1"),
        ("a model in GrML, of CosyVerif", "<model formalismUrl='http://x/pt-net.fml'/>"),
        ("a net of TimeNET", "<net id='0' netclass='eDSPN'><place id='0.1'/></net>"),
        (
            "a process in Petriflow, of Netgrif",
            "<document xmlns:xsi='x' xsi:noNamespaceSchemaLocation='petriflow.schema.xsd'/>",
        ),
        ("a causal net of ProM (.cnet)", "<cnet><net/></cnet>"),
        ("a net of CPN-AMI (.cami)", "DB()\nCN(7:AMI-Net,1)\nFB()"),
        ("a net of Petrinizer (.pnet)", "petri net \"x\" {\n    places { p }\n}"),
        ("a net of Synet", "transition a\nplace x := 2\nflow x --2-> a\nflow x <--- a"),
        (
            "a high-level net of Helena (.lna)",
            "n (N := 2) {\n place p { dom : x; }\n transition t { in { } out { } }\n}",
        ),
        (
            "a high-level net of Maria",
            "typedef unsigned (1..3) id_t;\nplace p id_t: id_t a: a;\ntrans t in { place p: x; };",
        ),
        (
            "a model of Romeo (.cts)",
            "// types\ninitially {\nint P = 1;\n}\ntransition [ id 1 ] T [0, inf]\nwhen (P >= 1)\n{\n}",
        ),
        ("a specification of mCRL2", "% a remark\nact a;\nproc P = a . P;\ninit P;"),
        ("a specification of mCRL2", "sort D = struct d1 | d2;\nact r: D;\ninit r(d1);"),
        ("a specification of mCRL2", "sort S;\ncons t: S;\nmap f: S -> S;"),
        (
            "a specification in LNT, of CADP",
            "module m is\nprocess MAIN is\nend process\nend module",
        ),
        ("a drawing of Graphviz", "digraph G {\nt1 [shape=\"box\"];\np1 -> t1;\n}"),
        ("a drawing of Graphviz", "strict digraph { a -> b }"),
        ("a drawing of Graphviz", "graph G { a -- b }"),
        ("a drawn net of TINA (.ndr)", "p 10.0 20.0 p1 0 n\nt 30.0 20.0 t1 0 w n\nh n"),
        ("an open net of Fiona or LoLA's service tools", "PLACE INTERNAL p; INPUT q;"),
        (
            "an open net of Fiona or LoLA's service tools",
            "{ a remark }\nPLACE\n  INTERNAL\n    p, q;",
        ),
    ] {
        are(kind, &[file]);
    }
    for file in [
        ".type pn\n.transitions\na a\n.places\np1 1\n.arcs\np1 a\n",
        ".type run\n.events\ne1 a\n.conditions\nc1 p1\n.arcs\ne1 c1\n",
        ".type ts\n.states\ns0\n.arcs\ns0 s0 a\n",
    ] {
        are("a net of I love Petri nets (.pn, .run, .ts)", &[file]);
    }
    let roles =
        "{\n  generated by: x\n}\nPLACE\n ROLES\n  A, B;\n\n INTERNAL\n  p;\n\n INPUT\n  ;\n";
    are("an open net of Fiona or LoLA's service tools", &[roles]);
    // A single word identifies no format: such files are read, or their root element is named.
    assert!(refusal("<log/>").contains("found `<log>`, expected `<pnml>`"));
    assert!(refusal("<definitions/>").contains("found `<definitions>`, expected `<pnml>`"));
    let lola = "PLACE INPUT, OUTPUT; MARKING INPUT; TRANSITION t CONSUME INPUT; PRODUCE OUTPUT;";
    assert!(crate::languages::read("m", lola).is_ok());
}

#[test]
fn a_sign_far_from_the_beginning_and_in_utf_16_is_found() {
    let remarks = "# a remark\n".repeat(2_000);
    are("a net of APT", &[&format!("{remarks}.name \"x\"\n.type LPN\n.places\n")]);
    let problem = refusal(&format!("{remarks}.inputs a\n.graph\n"));
    assert!(problem.starts_with("m:2001: "), "{problem}");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("m");
    let wide = "\u{feff}<project name='x' version='1'/>".encode_utf16();
    std::fs::write(&path, wide.flat_map(u16::to_le_bytes).collect::<Vec<_>>()).unwrap();
    assert!(read_model(&path).unwrap_err().to_string().contains("a GreatSPN project"));
}

#[test]
fn remarks_and_names_like_keywords_of_other_tools_refuse_no_net() {
    let lola = "PLACE p; MARKING p; TRANSITION t CONSUME p; PRODUCE ;";
    for (file, places) in [
        (
            "# a net\n#place p mk(1) is where it starts\nplace p 1\n#trans t\n#endtr\n\
             transition t: p -> q\nplace q\n",
            2,
        ),
        ("#place p lo(1)\npl p (1)\n#trans t\ntr t p -> q\n", 2),
        ("# made by de.renew.lola\nnet de.renew.x\nplace p 1\n", 1),
        (
            "PLACE place,\ntrans ;\nMARKING place: 1,\ntrans : 1;\n\
             TRANSITION t CONSUME place; PRODUCE trans;\n",
            2,
        ),
        ("PLACE INPUT {in} , x; MARKING x; TRANSITION t CONSUME x; PRODUCE INPUT;\n", 2),
        (&format!("{{ module m\nendmodule }}\n{lola}"), 1),
    ] {
        let net = crate::languages::read("m", file).unwrap();
        assert_eq!(net.core().place_count(), places, "{file}");
    }
    // An error in such a net is the error of its own reader.
    assert!(refusal("#place p is marked\nplace p 1\nplaec q\n").starts_with("m:3: found `plaec`"));
    let broken = "PLACE place,\ntrans ;\nMARKING place: x;\n";
    assert!(refusal(broken).starts_with("m:3:16: found `x`"));
}

#[test]
fn texts_that_resemble_other_formats_are_not_recognised() {
    for file in [
        // A patch, a text with a header, a table of contents.
        "From: x\nSubject: y\n---\n a.txt | 2 +-\n",
        "---\ntitle: x\n---\n\nA text.\n",
        "Contents (1)\n---\nThe first part\n---\n",
        // A template of Java, a module of Verilog.
        "pn(name, places) ::= <<\n{places}\n>>\n",
        "module m(input a);\nendmodule\n",
    ] {
        let problem = refusal(file);
        assert!(problem.starts_with("m:1: the file begins with `"), "{problem}\n{file}");
    }
    let problem = refusal("\u{feff}hello\n");
    assert!(problem.starts_with("m:1: the file begins with `hello`"), "{problem}");
}
