//! Models are read by what a file holds, whatever it is called.

use parikh::Model;
use parikh::input::{FORMATS, read_model};

/// A model written to a file called so.
fn read(name: &str, file: impl AsRef<[u8]>) -> Result<Model, String> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    std::fs::write(&path, file).unwrap();
    let shown = format!("{}/", directory.path().display());
    read_model(&path).map_err(|error| error.to_string().replace(&shown, ""))
}

const PLAIN: &str = "# two places\nplace p 1\nplace q\ntransition t: p -> q\n";
const COLOURED: &str =
    "net c\nsort A = 1..3\nvar x: A\nplace p: A = {all}\nplace q: A\ntransition t: p{x} -> q{x}\n";

/// The same net in PNML, with the colours only where its places are.
const SYMMETRIC: &str = "<pnml><net id='c'>
    <place id='p'><type><structure><usersort declaration='A'/></structure></type></place>
    <declaration><structure><declarations><namedsort id='A' name='A'>
        <finiteintrange start='1' end='3'/></namedsort></declarations></structure></declaration>
    </net></pnml>";

#[test]
fn a_file_is_of_the_format_that_its_content_has() {
    let pnml = parikh_net::pnml::pnml(&parikh_net::text::parse(PLAIN).unwrap());
    for name in ["model.pnml", "model.txt", "model"] {
        for file in [PLAIN, &pnml, &format!("\u{feff}{PLAIN}")] {
            let model = read(name, file).unwrap();
            assert!(model.colours().is_none(), "{file}");
            assert_eq!(model.sizes(), "2 places, 1 transition, 2 arcs", "{file}");
        }
        let model = read(name, COLOURED).unwrap();
        assert_eq!((model.name(), model.colours().is_some()), ("c", true));
        assert_eq!(model.sizes(), "2 coloured places, 1 coloured transition");
        let model = read(name, SYMMETRIC).unwrap();
        assert_eq!(model.sizes(), "1 coloured place, 0 coloured transitions");
    }
    let wide: Vec<u8> = "\u{feff}<?xml version='1.0' encoding='UTF-16'?><pnml><net id='n'/></pnml>"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(read("m", wide).unwrap().name(), "n");
}

#[test]
fn what_no_format_begins_with_is_told_with_all_that_there_are() {
    let problem = read("m.txt", "VERSION 1\nplace p").unwrap_err();
    let expected = "m.txt: the file begins with `VERSION 1`, expected one of:\n  PNML";
    assert!(problem.starts_with(expected), "{problem}");
    assert_eq!(FORMATS.len(), 10);
    for format in FORMATS {
        assert!(problem.contains(format.name), "{problem}");
    }
}

/// Of each a file, and what it is called.
#[test]
fn files_of_other_tools_are_refused_by_name() {
    let woped =
        "<?xml version='1.0'?>\n<pnml>\n<net type='http://x/top/pntd/ptNetb' id='n'/></pnml>";
    assert_eq!(read("w.pnml", woped).unwrap().name(), "n");
    let tapaal =
        "<pnml xmlns='http://www.informatik.hu-berlin.de/top/pnml/ptNetb'><net id='n'/></pnml>";
    for (file, expected) in [
        (tapaal, "a timed-arc net of TAPAAL"),
        ("<pnml><net id='n'><inputArc x='y'/></net></pnml>", "a net of TAPAAL"),
        ("11 de.renew.gui.CPNDrawing 1 2", "a drawing of Renew"),
        ("|0|\n|\nf 0 1", "a net of GreatSPN"),
        ("PEP\nPTNet\nFORMAT_N", "a net of PEP"),
        ("<TPN name='x'/>", "a net with time"),
        ("<?xml version='1.0'?>\n<bpmn:definitions/>", "a process in BPMN"),
        ("<sbml/>", "a model in SBML"),
        ("|256|\n%\n|", "a net of GreatSPN"),
        ("<nta/>", "a system of UPPAAL"),
        ("<log xes.version='1.0'/>", "a log of events"),
        ("\\beginnet{n}", "a net in APNN"),
        ("P   M   PRE,POST  NETZ 0:n", "a net of INA"),
        ("MODULE main", "a model in the language of NuSMV"),
        ("// a\ncolspn [n] {\n", "a net in ANDL"),
        ("pn x := {\n};", "a model of SMART"),
        (".inputs a b\n.graph", "a signal transition graph"),
        ("PLACE INTERNAL p; INPUT q;", "an open net"),
        ("place p init 1;\ntrans t in p out q;", "a net of Woflan"),
    ] {
        let problem = read("m", file).unwrap_err();
        assert!(problem.contains(expected), "{problem}");
    }
}

#[test]
fn systems_of_mcrl2_are_nets() {
    let fsm = "b(2) Bool \"F\" \"T\"\n---\n0\n1\n---\n1 2 \"go\"\n2 1 \"back\"\n";
    let model = read("m.fsm", fsm).unwrap();
    assert_eq!(model.sizes(), "2 places, 2 transitions, 4 arcs");
}

#[test]
fn what_is_wrong_is_told_by_the_format_that_the_file_is_of() {
    let problems = [
        ("place p\nplace p", "m:2: "),
        ("sort A = 1..3\nplace p: B", "m:2: "),
        ("place p\n\nplaec q", "m:3: found `plaec`, expected "),
        ("<pnml><net id='n'>\n<place/></net></pnml>", "m:2:1: `<place>` has no attribute `id`"),
        ("", "m: the file has no content, expected a model"),
        (" \n", "m: the file has no content, expected a model"),
        ("<html/>", "m:1:1: found `<html>`, expected `<pnml>`; is this the right file?"),
        ("\x1f\u{8b}", "m: the file begins with `\x1f\u{8b}`, expected one of:\n"),
    ];
    for (file, expected) in problems {
        let problem = read("m", file).unwrap_err();
        assert!(problem.starts_with(expected), "{problem}");
    }
    // A compressed file is read as what it holds; this one breaks off.
    let packed = read("m", b"\x1f\x8b\x08").unwrap_err();
    assert_eq!(packed, "m: cannot be read: unexpected end of file");
}
