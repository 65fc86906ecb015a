//! Nets in the languages of LoLA, TINA and mist: every construct, written and read back by both
//! readers. Errors are reported with file, line and column.

use crate::support::extended::NetTable;
use parikh::evidence::reader;
use parikh::input::{SourceModel, read_model, read_source};
use parikh::net::pnml::write_extended;
use parikh::net::written::{write_lola, write_tina};
use parikh::net::{ExtendedNet, text};
use parikh_generate::{self as generate, Shape};
use std::path::Path;

/// Reads a file of this name with both readers.
pub(crate) fn read(name: &str, file: impl AsRef<[u8]>) -> Result<ExtendedNet, String> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    std::fs::write(&path, &file).unwrap();
    let second = reader::read_model(file.as_ref());
    match read_source(&path) {
        Ok(SourceModel::Net(net)) => {
            let second = second.unwrap_or_else(|why| {
                panic!("the auditor: {why}\n{}", String::from_utf8_lossy(file.as_ref()))
            });
            // A transition system is named after its file, which the auditor does not know.
            let name = match second.net.core().name() {
                "" => format!(": net {}\n", net.core().name()),
                _ => String::new(),
            };
            assert_eq!(shown(&second.net), shown(&net).replacen(&name, "", 1));
            Ok(*net)
        }
        Ok(SourceModel::Coloured(_)) => panic!("no file here is coloured"),
        Err(error) => {
            assert!(second.is_err(), "the auditor reads what is refused: {error}");
            Err(error.to_string().replace(&format!("{}/", directory.path().display()), ""))
        }
    }
}

/// Returns the complete net as text, in a canonical order.
pub(crate) fn shown(net: &ExtendedNet) -> String {
    let mut lines: Vec<String> = text::print(net.core()).lines().map(str::to_owned).collect();
    for t in net.core().transitions() {
        for arc in net.inhibitors(t) {
            let place = net.core().place_name(arc.place);
            lines.push(format!(
                "{} inhibited by {place} {}",
                net.core().transition_name(t),
                arc.weight
            ));
        }
        for &p in net.resets(t) {
            lines.push(format!(
                "{} empties {}",
                net.core().transition_name(t),
                net.core().place_name(p)
            ));
        }
    }
    // Places at arcs are listed in the order of places, which may differ between languages.
    for line in &mut lines {
        let sides: Vec<String> = line
            .split(" -> ")
            .map(|side| {
                let (head, sum) = side.split_once(": ").unwrap_or(("", side));
                let mut terms: Vec<&str> = sum.split(" + ").collect();
                terms.sort_unstable();
                format!("{head}: {}", terms.join(" + "))
            })
            .collect();
        *line = sides.join(" -> ");
    }
    lines.sort();
    lines.join("\n")
}

fn lola(net: &ExtendedNet) -> String {
    let mut out = String::new();
    write_lola(net, &mut out).unwrap();
    out
}

fn tina(net: &ExtendedNet) -> String {
    let mut out = String::new();
    write_tina(net, &mut out).unwrap();
    out
}

fn pnml(net: &ExtendedNet) -> String {
    let mut out = String::new();
    write_extended(net, &mut out).unwrap();
    out
}

/// Parses a net in Parikh's textual format.
fn plain(text: &str) -> ExtendedNet {
    text::parse(text).unwrap().into()
}

/// Asserts that the net read from `file` equals the expected net, with the inhibitor and reset arcs
/// in `beside`.
pub(crate) fn is(name: &str, file: &str, expected: &str, beside: &[&str]) {
    let found = shown(&read(name, file).unwrap());
    let mut lines: Vec<String> = shown(&plain(expected)).lines().map(str::to_owned).collect();
    // The function `shown` writes a colon before lines without a head.
    lines.extend(beside.iter().map(|line| format!(": {line}")));
    lines.sort();
    assert_eq!(found, lines.join("\n"), "{file}");
}

#[test]
fn a_net_as_text_may_have_only_a_name() {
    for file in ["net e", "# nothing else\nnet e\n# a remark\n"] {
        is("n", file, "net e", &[]);
    }
}

#[test]
fn lola_is_read_in_every_construct() {
    let net = "place p 2\nplace q 1\nplace r\ntransition t: 2*p + q -> r\ntransition u: ->";
    for file in [
        "PLACE p, q, r; MARKING p: 2, q: 1; TRANSITION t CONSUME p: 2, q: 1; PRODUCE r: 1;\n\
         TRANSITION u CONSUME ; PRODUCE ;",
        "{ a comment\n of two lines }\nPLACE\n  p,\n  q;\n  r;\nMARKING p : 2, q;\n\
         TRANSITION t CONSUME p:2,q; PRODUCE r; TRANSITION u CONSUME; PRODUCE;",
        "PLACE SAFE: p; SAFE 3: q, r; MARKING q, p:2, r:0;// rest\nTRANSITION t CONSUME q:1, p:1, p:1; \
         PRODUCE r; {x} TRANSITION u CONSUME; PRODUCE;",
        "/*/ of / * two\nlines **/PLACE p,/**/q,r;MARKING p:2,q; // /* not begun\n\
         TRANSITION t CONSUME p:2,q;PRODUCE r;{ /* } TRANSITION u CONSUME;PRODUCE;",
        "PLACE p, q, r; MARKING p, q: 0, p: 1, q; TRANSITION t CONSUME p, q, p; PRODUCE r;\n\
         TRANSITION u CONSUME ; PRODUCE ;",
        "\u{feff}PLACE p,q,r;MARKING p:2,q;TRANSITION t CONSUME p:2,q;PRODUCE r;TRANSITION u CONSUME;PRODUCE;",
    ] {
        is("n.lola", file, net, &[]);
    }
    let odd = "PLACE p.1, a-b, #x, 7, t; MARKING ; TRANSITION t CONSUME 7; PRODUCE a-b: 3; \
               TRANSITION t'' CONSUME #x; PRODUCE p.1;";
    let net = "place p.1\nplace \"a-b\"\nplace \"#x\"\nplace 7\nplace t\ntransition t': 7 -> 3*\"a-b\"\n\
               transition t'': \"#x\" -> p.1";
    is("n", odd, net, &[]);
}

#[test]
fn tina_is_read_in_every_construct() {
    let net = "net n\nplace p 2\nplace q 1\nplace r\ntransition t: 2*p + q -> r\ntransition u: ->";
    for file in [
        "net n\ntr t p*2 q -> r\ntr u -> \npl p (2)\npl q (1)\n",
        "# a comment\nnet {n}\n# another\npl p (2)\npl q : {a label} (1)\npl r\ntr t : x [0,w[ p*2 q*1 -> r*1\ntr u\n",
        "net n\npl p (2) -> t*2\npl q (1) -> t\npl r (0) t ->\ntr u ->\nlb t hello\nlb p {world}\n\
         nt note 1 {some\ntext}",
        "tr t p*2\n   q\n -> r\nnet n\ntr u\npl q (1)\npl p (2)",
    ] {
        is("n.net", file, net, &[]);
    }
    let many = "place p 3000\nplace q 2000000\nplace r\ntransition t: 1000*p -> r";
    is("n", "pl p (3K)\npl q (2M)\ntr t p*1K -> r", many, &[]);
    // Read arcs become self-loops, or increase existing ones.
    let read_arcs = "place a 1\nplace b\nplace c\ntransition t: 2*a + 3*b -> 2*a + 2*b + c";
    is("n", "pl a (1)\ntr t a?2 b*1 b?3 -> c", read_arcs, &[]);
    let inhibited = "place p\nplace q\ntransition t: -> p\ntransition u: p -> q";
    let file = "tr t p?-3 -> p\ntr u p q?-1 -> q\npl q -> u?-2";
    let refused = read("n", file).unwrap_err();
    assert!(
        refused.contains("n:3:9: the arc between `q` and `u` is given a second time"),
        "{refused}"
    );
    let file = "tr t p?-3 -> p\ntr u p q?-1 -> q";
    is("n", file, inhibited, &["t inhibited by p 3", "u inhibited by q 1"]);
    let odd = "tr {a b} {p\\}1} {net} -> {c\\\\d}\npl net (1)\ntr p x -> y\npl p (1)";
    let net = "place \"p}1\"\nplace net 1\nplace \"c\\\\d\"\nplace x\nplace y\nplace p 1\n\
               transition \"a b\": \"p}1\" + net -> \"c\\\\d\"\ntransition p': x -> y";
    is("n", odd, net, &[]);
}

#[test]
fn mist_is_read_in_every_construct() {
    let file = "# a comment\nvars x y z\nrules\nx >= 2 -> x' = x - 1, y' = y + 3;\ntrue -> ;\n\
                y >= 1, z in [1, 4] -> y' = 0, z' = z + 0;\nx = 0, y = 2 -> x' = 5, y' = 7,;\n\
                init x = 1, y = 0, z = 3\ntarget y >= 2, z >= 1\n x = 0\ninvariants x = 1, y = 1\n z = 1";
    let net = "place x 1\nplace y\nplace z 3\ntransition r1: 2*x -> x + 3*y\ntransition r2: ->\n\
               transition r3: y + z -> z\ntransition r4: 2*y -> 5*x + 7*y";
    let beside =
        ["r3 empties y", "r3 inhibited by z 5", "r4 inhibited by x 1", "r4 inhibited by y 3"];
    is("n.spec", file, net, &beside);
    let several = "vars x y z run\nrules x >= 1 -> x' = x - 1; init x >= 1, y in [2, 5], run = 0 target x >= 3";
    let net = "place x 1\nplace y 2\nplace z\nplace run\nplace init 1\nplace run'\nplace room_y 3\n\
               transition init_x: init -> init + x\ntransition init_y: init + room_y -> init + y\n\
               transition init_z: init -> init + z\ntransition start: init -> run'\n\
               transition r1: run' + x -> run'";
    is("n.spec", several, net, &[]);
    // No place holds more tokens than the limit, so the upper limit needs no arc.
    let most =
        "vars x\nrules x in [0, 9223372036854775807] -> x' = x + 1;\ninit x = 0\ntarget x >= 1";
    is("n.spec", most, "place x\ntransition r1: -> x", &[]);
    let latin = b"#\xe9\nvars x\nrules init x = 0 target x >= 1";
    assert_eq!(read("n.spec", latin).unwrap().core().place_count(), 1);
}

#[test]
fn nets_of_each_language_are_read_written_and_read_again() {
    let mut written = [0; 4];
    for seed in 0..200 {
        let net: ExtendedNet = match seed % 2 {
            0 => generate::random(seed, &Shape::small(seed)).into(),
            _ => NetTable::random(seed).net(),
        };
        let expected = shown(&net);
        let nameless: Vec<&str> =
            expected.lines().filter(|line| !line.starts_with(": net")).collect();
        if net.is_plain() {
            let again = read("n.lola", lola(&net)).unwrap();
            assert_eq!(shown(&again), nameless.join("\n"));
            assert_eq!(lola(&read("n", lola(&again)).unwrap()), lola(&again));
            written[0] += 1;
            let plain = text::print(net.core());
            let again = read("n", &plain).unwrap();
            assert_eq!((shown(&again), text::print(again.core())), (expected.clone(), plain));
            written[3] += 1;
        }
        if net.core().transitions().all(|t| net.resets(t).is_empty()) {
            let again = read("n.net", tina(&net)).unwrap();
            assert_eq!(shown(&again), expected);
            assert_eq!(tina(&again), tina(&net));
            written[1] += 1;
        }
        let again = read("n.pnml", pnml(&net)).unwrap();
        assert_eq!((shown(&again), pnml(&again)), (expected, pnml(&net)));
        written[2] += 1;
    }
    assert!(written.iter().all(|&number| number >= 50), "{written:?}");
}

#[test]
fn nets_as_text_are_read_in_every_construct() {
    let file = "# a remark\nnet \"a net\"\ntransition t: 2*\"p \\\"1\" + q -> r # and one\nplace \"p \\\"1\" 3\n\
                place q\nplace r 0\ntransition idle\ntransition none: ->\n";
    assert_eq!(read("n", file).unwrap().core().transition_count(), 3);
    for wrong in [
        "place p x",
        "place p 1 2",
        "place p\nplace p",
        "place",
        "net\nplace p",
        "plaze p\nplace q",
        "place p\ntransition t p -> p",
        "place p\ntransition t: p",
        "place p\ntransition t: p - p",
        "place p\ntransition t: q -> p",
        "place p\ntransition t: 0*p ->",
        "place \"p",
        "place p\ntransition t: p + -> p",
        "place p\ntransition t: -> -> p",
    ] {
        assert!(read("n", wrong).is_err(), "{wrong}");
    }
}

#[test]
fn nets_that_a_language_cannot_express_are_refused() {
    let net = NetTable::random(5);
    let mut inhibiting = net.clone();
    inhibiting.inhibits[0][0] = 2;
    let refused = write_lola(&inhibiting.net(), &mut String::new()).unwrap_err().to_string();
    assert!(refused.contains("`t0` has") && refused.contains("LoLA"), "{refused}");
    let mut emptying = net;
    emptying.empties[0][0] = true;
    let refused = write_tina(&emptying.net(), &mut String::new()).unwrap_err().to_string();
    assert!(refused.contains("`t0` has reset arcs"), "{refused}");
    for name in ["a b", "a;b", "PLACE", "x(1)", "//x", "/*x"] {
        let net = plain(&format!("place \"{name}\""));
        assert!(write_lola(&net, &mut String::new()).is_err(), "{name}");
        assert_eq!(shown(&read("n", tina(&net)).unwrap()), shown(&net));
    }
}

#[test]
fn errors_have_their_position() {
    for (file, expected) in [
        ("PLACE p, q\nMARKING p;", "n:2:1: found `MARKING`, expected `,` or `;`"),
        ("PLACE p; MARKING q;", "n:1:18: found `q`, expected a declared place"),
        ("PLACE p;\nMARKING p: x;", "n:2:12: found `x`, expected a whole number from 0"),
        ("PLACE p; MARKING p: 9223372036854775807, p;", "n:1:42: "),
        ("PLACE p, p; MARKING;", "n:1:10: the id `p` is used by two nodes"),
        (
            "PLACE p; MARKING; TRANSITION t WEAK FAIR CONSUME; PRODUCE;",
            "n:1:32: found `WEAK`, expected CONSUME",
        ),
        (
            "PLACE p; MARKING; TRANSITION t CONSUME p: 0; PRODUCE;",
            "n:1:43: found `0`, expected a whole number from 1",
        ),
        (
            "PLACE p; MARKING; TRANSITION t CONSUME p;",
            "n:1:42: the file ends here, expected `PRODUCE`",
        ),
        ("{ no end\nPLACE p;", "n:1: the file begins with `{ no end`"),
        (
            "PLACE p; MARKING;\nFORMULA EF p > 0",
            "n:2:1: found `FORMULA`, expected TRANSITION: put formulas into a separate file",
        ),
        ("PLACE p; MARKING; /*/ no end", "n:1:19: this comment does not end, expected `*/`"),
        ("PLACE p; MARKING; { no end", "n:1:19: this comment does not end"),
        (
            "SORT a = [1, 2]; PLACE p: a;",
            "n:1:1: found `SORT`, expected PLACE: this is a high-level net",
        ),
        ("PLACE p : nat; MARKING;", "n:1:9: found `:`, expected `,` or `;`: places with sorts"),
        (
            "PLACE p; MARKING p: 99999999999999999999;",
            "n:1:21: found `99999999999999999999`, expected a whole",
        ),
        ("tr t [1,2] p -> q", "n:1:6: this transition has a time interval"),
        ("tr t p -> q\npr t > u", "n:2:1: priorities are not supported"),
        ("tr t p!2 -> q", "n:1:7: stopwatch arcs are not supported"),
        ("tr t p -> q?2", "n:1:12: found `?`, expected an arc from a place"),
        ("tr t p -> q\ntr t p -> r", "n:2:6: the arc between `p` and `t` is given a second time"),
        ("pl p (1)\npl p (2)", "n:2:4: place `p` is marked a second time"),
        ("tr t p*0 -> q", "n:1:8: found `0`, expected a whole number from 1"),
        ("tr t p", "n:1:7: the file ends here, expected `->`"),
        ("tr t {p -> q", "n:1:6: this name does not end, expected `}`"),
        (
            "tr t p -> q -> r",
            "n:1:13: found `->`, expected only one arrow, followed by the next declaration",
        ),
        ("pl p (1)\nlb q x", "n:2:4: found `q`, expected a place or transition of this net"),
        (
            "vars x\nrules\ninit x = 0\ntarget y >= 1",
            "n:4:8: found `y`, expected a declared variable",
        ),
        (
            "vars x y\nrules x >= 1 -> y' = y + x, x' = 0; init x = 0 target x = 1",
            "n:2:17: this adds the value of `x`",
        ),
        (
            "vars x\nrules true -> x' = x - 1; init x = 0 target x = 1",
            "n:2:15: `x` might fall below 0",
        ),
        (
            "vars x\nrules x >= 1, x >= 2 -> ; init x = 0 target x = 1",
            "n:2:15: `x` is limited a second time",
        ),
        ("vars x x", "n:1:8: the id `x` is used by two nodes"),
        ("vars x rules init x = 0", "n:1:24: the file ends here, expected `target`"),
        (
            "vars x rules init x < 3 target x = 1",
            "n:1:21: found `<`, expected a name, a number or a symbol",
        ),
        ("vars x rules init x in [3, 1] target x = 1", "n:1:28: an empty range"),
        (
            "<project name='x'><gspn name='y'/></project>",
            "n:1: this is a GreatSPN project (.PNPRO) (found `<gspn>`), which Parikh does not read: export",
        ),
        (
            "<?xml version='1.0'?>\n<!-- x --><workspaceElements/>",
            "n:2: this is a net of CPN Tools",
        ),
        (".model x\n.inputs a", "n:1: this is a signal transition graph"),
        ("p 10 20 p1 0 n\nh n", "n:1: this is a drawn net of TINA (.ndr)"),
    ] {
        let problem = read("n", file).unwrap_err();
        assert!(problem.starts_with(expected), "{file}\n{problem}\n{expected}");
    }
}

#[test]
fn broken_files_are_refused_with_their_line_and_never_a_panic() {
    let files = [
        "PLACE p, q;\nMARKING p: 2;\nTRANSITION t\nCONSUME p: 2;\nPRODUCE q: 1;\nTRANSITION u CONSUME q; PRODUCE p, q;",
        "net n\ntr t : l [0,w[ p*2 q?1 r?-3 -> s\npl p (3K) t -> u*2\npl q : {a b} (1)\nlb r z\n",
        "vars x y\nrules\nx >= 1, y = 0 -> x' = x - 1, y' = y + 2;\ny >= 2 -> y' = 0;\ninit x >= 1, y = 0\ntarget\ny >= 2\nx = 0",
        "<pnml><net id='n'><place id='p'/><transition id='t'/>\n<arc source='p' target='t' type='inhibitor'>\n\
         <inscription><text>2</text></inscription></arc></net></pnml>",
    ];
    let mut rng = fastrand::Rng::with_seed(1);
    let (mut refused, mut read_still) = (0, 0);
    for round in 0..120 {
        for file in files {
            let mut bytes = file.as_bytes().to_vec();
            for _ in 0..rng.usize(1..=3) {
                let at = rng.usize(0..bytes.len());
                match rng.u32(0..5) {
                    0 => drop(bytes.remove(at)),
                    1 => bytes.insert(at, *rng.choice(b";,:=-><{}[]()'*?# \n0x9\xff").unwrap()),
                    2 => bytes.truncate(at + 1),
                    3 => bytes[at] = rng.u8(..),
                    _ => {
                        let end = (at + rng.usize(1..8)).min(bytes.len());
                        let piece = bytes[at..end].to_vec();
                        let to = rng.usize(0..bytes.len());
                        bytes.splice(to..to, piece);
                    }
                }
            }
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("n");
            std::fs::write(&path, &bytes).unwrap();
            // The auditor's reader does not panic either.
            let _ = reader::read_model(&bytes);
            match read_source(&path) {
                Ok(_) => read_still += 1,
                Err(error) => {
                    let said = error.to_string();
                    let rest = said.strip_prefix(&*path.display().to_string()).unwrap();
                    let line = rest.strip_prefix(':').and_then(|rest| rest.split(':').next());
                    let has_line = line.is_some_and(|line| line.parse::<u64>().is_ok());
                    let whole = ["begins with", "no content", "no `<net>`", "this is"];
                    assert!(
                        has_line || whole.iter().any(|it| said.contains(it)),
                        "round {round}: {said}"
                    );
                    refused += 1;
                }
            }
        }
    }
    assert!(refused >= 200 && read_still > 20, "{refused} refused, {read_still} read");
}

#[test]
fn every_file_of_the_shared_collection_is_read_or_refused_by_name() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/formats");
    let (mut open, mut files) = (vec![root], 0);
    while let Some(path) = open.pop() {
        let Ok(inside) = std::fs::read_dir(&path) else { continue };
        for entry in inside.flatten() {
            let path = entry.path();
            let ending = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
            if path.is_dir() {
                open.push(path);
            } else if ["lola", "pnml", "net", "spec"].contains(&ending) {
                files += 1;
                if let Err(error) = read_model(&path) {
                    let said = error.to_string();
                    let known = [
                        "no bound on its tokens is known",
                        "transfers",
                        "second time",
                        "fall below 0",
                    ];
                    assert!(known.iter().any(|it| said.contains(it)), "{said}");
                }
                let beside = path.with_extension("pnml");
                if ending == "lola" && beside.is_file() {
                    let [one, other] =
                        [&path, &beside].map(|path| match read_source(path).unwrap() {
                            SourceModel::Net(net) => shown(&net)
                                .lines()
                                .filter(|it| !it.starts_with(": net"))
                                .collect::<Vec<_>>()
                                .join("\n"),
                            SourceModel::Coloured(_) => String::new(),
                        });
                    assert_eq!(one, other, "{}", path.display());
                }
            }
        }
    }
    // Without the collection beside the repository, nothing is tested.
    assert!(files == 0 || files > 90, "{files} files");
}
