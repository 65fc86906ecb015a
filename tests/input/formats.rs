//! The format of a model is detected from the content, not from the file name.

use parikh::Model;
use parikh::input::{FORMATS, read_model};

/// Writes a file of this name and reads it as a model.
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

/// A net in PNML whose colours only occur in the types of places.
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
fn unknown_formats_are_refused_with_a_list_of_all_formats() {
    let problem = read("m.txt", "VERSION 1\nplace p").unwrap_err();
    let expected = "m.txt:1: the file begins with `VERSION 1`, expected one of: PNML";
    assert!(problem.starts_with(expected), "{problem}");
    assert!(FORMATS.len() >= 10, "{}", FORMATS.len());
    for format in FORMATS {
        assert!(problem.contains(format.name), "{problem}");
    }
}

#[test]
fn systems_of_mcrl2_are_nets() {
    let fsm = "b(2) Bool \"F\" \"T\"\n---\n0\n1\n---\n1 2 \"go\"\n2 1 \"back\"\n";
    let model = read("m.fsm", fsm).unwrap();
    assert_eq!(model.sizes(), "2 places, 2 transitions, 4 arcs");
}

#[test]
fn states_of_mcrl2_without_a_line_of_their_own_are_those_of_the_transitions() {
    for (file, places, transitions) in [
        ("---\n---\n1 2 \"go\"\n2 3 \"on\"\n", 3, 2),
        ("\n---\n\n---\n\n3 1 go\n", 3, 1),
        ("b(2) Bool \"F\" \"T\"\n---\n0\n---\n1 4 \"go\"\n", 4, 1),
        ("---\n0\n1\n2\n---\n1 2 \"go\"\n", 3, 1),
        ("---\n---\n1\t2\t\"go\"\r\n2 2 \"stay, \\\"so\\\"\"\r\n", 2, 2),
        ("\u{feff}---\n---\n1 2 \"go\"\n---\n2\n", 2, 1),
        ("---\n---\n7 7 \"go\"\n", 7, 1),
        ("---\n---\n1 1 \"go\"\n1 1 \"go\"\n", 1, 1),
    ] {
        let net = crate::languages::read("m.fsm", file).unwrap();
        let found = (net.core().place_count(), net.core().transition_count());
        assert_eq!(found, (places, transitions), "{file}");
    }
    let net = crate::languages::read("m.fsm", "---\n---\n1 2 \"go\"\n---\n2\n").unwrap();
    assert!(parikh_net::text::print(net.core()).contains("place p0_1 1"));
}

#[test]
fn systems_of_aldebaran_and_their_nets_are_the_same_for_both_readers() {
    for file in [
        "des (0, 2, 2)\n(0, \"a\", 1)\n(1, b c, 0)\n",
        "des(1,3,2)\r\n(0,\"a\",1)\r\n(0,\"a\",1)\r\n(1,\"x, \\\"y\\\"\",1)\r\n",
        "\ndes ( 0 , 0 , 3 )\n",
        "des (0, 2, 1)\n(0, \"p0_0\", 0)\n(0, \"i\", 0)\n",
    ] {
        crate::languages::read("m.aut", file).unwrap();
    }
    // A line of a comment is no separator of the `.fsm` format.
    let lola = "{ a\n---\n} PLACE p; MARKING p; TRANSITION t CONSUME p; PRODUCE;";
    assert_eq!(crate::languages::read("m", lola).unwrap().core().place_count(), 1);
    assert!(parikh::evidence::reader::transition_system(lola.as_bytes()).unwrap().is_none());
}

#[test]
fn errors_in_transition_systems_have_line_column_and_the_line() {
    let refused = read("m.aut", "des (0, 1, 2)\n(0, \"a\", 7)\n").unwrap_err();
    assert!(refused.starts_with("m.aut:2:1: expected `(FROM, \"LABEL\", TO)`"), "{refused}");
    let refused = read("m.fsm", "---\n---\n1 2 \"a\"\n1 x \"b\"\n").unwrap_err();
    assert!(refused.starts_with("m.fsm:4:"), "{refused}");
}

#[test]
fn nets_in_utf_16_and_in_iso_8859_1_are_read() {
    for file in [
        "place größe 1\ntransition t: größe ->\n",
        "PLACE größe; MARKING größe; TRANSITION t CONSUME größe; PRODUCE ;",
        "tr t größe ->\npl größe (1)\n",
        "des (0, 1, 1)\n(0, \"größe\", 0)\n",
    ] {
        let expected = crate::languages::shown(&crate::languages::read("m", file).unwrap());
        let wide = |to_bytes: fn(u16) -> [u8; 2]| {
            format!("\u{feff}{file}").encode_utf16().flat_map(to_bytes).collect::<Vec<u8>>()
        };
        let latin: Vec<u8> = file.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
        for bytes in [wide(u16::to_le_bytes), wide(u16::to_be_bytes), latin] {
            let net = crate::languages::read("m", bytes).unwrap();
            assert_eq!(crate::languages::shown(&net), expected, "{file}");
        }
    }
    let half_a_pair = [b"\xff\xfe".as_slice(), b"p\0l\0\x00\xd8x\0"].concat();
    let refused = read("m", half_a_pair).unwrap_err();
    assert!(refused.contains("not valid UTF-16"), "{refused}");
}

#[test]
fn probabilities_of_transition_systems_are_refused_by_name() {
    let aut = |head: &str, target: &str| format!("des ({head}, 1, 3)\n(0, \"a\", {target})\n");
    let fsm = |target: &str, start: &str| format!("---\n---\n1 {target} \"a\"\n{start}");
    for (name, file, line, found) in [
        ("m.aut", aut("0", "0 1/2 1"), 2, "0 1/2 1"),
        ("m.aut", aut("0", "0 0.5 1"), 2, "0 0.5 1"),
        ("m.aut", aut("0", "0 1/3 1 1/3 2"), 2, "0 1/3 1 1/3 2"),
        ("m.aut", aut("0", " 2  .25  1 "), 2, "2  .25  1"),
        ("m.aut", aut("0", "0 5e-1 1"), 2, "0 5e-1 1"),
        ("m.aut", aut("0 1/2 1", "1"), 1, "0 1/2 1"),
        ("m.aut", aut("0 0.25 1", "1"), 1, "0 0.25 1"),
        ("m.aut", aut("0", "0 1/2 1").replace("\"a\"", "a"), 2, "0 1/2 1"),
        ("m.fsm", fsm("[1 1/2 2 1/2]", ""), 3, "[1 1/2 2 1/2]"),
        ("m.fsm", fsm("[1 0.5 2 0.5]", ""), 3, "[1 0.5 2 0.5]"),
        ("m.fsm", fsm("2", "---\n[1 1/2 2 1/2]\n"), 5, "[1 1/2 2 1/2]"),
        ("m.fsm", fsm("2", "---\n1 1/2 2 1/2\n"), 5, "1 1/2 2 1/2"),
    ] {
        let problem = crate::languages::read(name, &file).unwrap_err();
        assert!(problem.starts_with(&format!("{name}:{line}:")), "{problem}");
        let said = format!("found the probability distribution `{found}`");
        assert!(
            problem.contains(&said) && problem.contains("probabilities are not supported"),
            "{problem}"
        );
    }
}

#[test]
fn errors_come_from_the_format_of_the_file() {
    let problems = [
        ("place p\nplace p", "m:2: "),
        ("sort A = 1..3\nplace p: B", "m:2: "),
        ("place p\n\nplaec q", "m:3: found `plaec`, expected "),
        ("<pnml><net id='n'>\n<place/></net></pnml>", "m:2:1: `<place>` has no attribute `id`"),
        ("", "m: the file has no content, expected a model"),
        (" \n", "m: the file has no content, expected a model"),
        ("<html/>", "m:1:1: found `<html>`, expected `<pnml>`; is this the right file?"),
        ("\x1f\u{8b}", "m:1: the file begins with `\x1f\u{8b}`, expected one of: "),
        (" \n\n hello world", "m:3: the file begins with `hello world`, expected one of: "),
    ];
    for (file, expected) in problems {
        let problem = read("m", file).unwrap_err();
        assert!(problem.starts_with(expected), "{problem}");
    }
    // A compressed file is detected by its content; this file is truncated.
    let packed = read("m", b"\x1f\x8b\x08").unwrap_err();
    assert_eq!(packed, "m: cannot be read: unexpected end of file");
}
