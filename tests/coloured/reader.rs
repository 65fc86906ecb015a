//! The reader of symmetric nets in PNML: every sort and term of the contest's models and of the
//! standard.

pub(crate) use crate::support::coloured::document as pnml;
use parikh::input::read_coloured_from;
use parikh_net::coloured::{ColouredNet, text};

pub(crate) fn read(text: &str) -> Result<ColouredNet, String> {
    read_coloured_from(text.as_bytes(), "f").map_err(|error| error.to_string())
}

pub(crate) const SORTS: &str = r#"
<namedsort id="dot" name="dot"><dot/></namedsort>
<namedsort id="pair" name="Pair"><productsort><usersort declaration="ring"/><usersort declaration="level"/></productsort></namedsort>
<namedsort id="ring" name="Ring"><cyclicenumeration><feconstant id="ra" name="a"/><feconstant id="rb" name="b"/><feconstant id="rc" name="c"/></cyclicenumeration></namedsort>
<namedsort id="plain" name="Plain"><finiteenumeration><feconstant id="red" name="red"/><feconstant id="green" name="green"/></finiteenumeration></namedsort>
<namedsort id="level" name="Level"><finiteintrange start="1" end="3"/></namedsort>
<namedsort id="alias" name="Alias"><usersort declaration="ring"/></namedsort>
<partition id="half" name="Half"><usersort declaration="ring"/><partitionelement id="h1" name="h1"><useroperator declaration="ra"/><useroperator declaration="rb"/></partitionelement><partitionelement id="h2" name="h2"><useroperator declaration="rc"/></partitionelement></partition>
<variabledecl id="vx" name="x"><usersort declaration="ring"/></variabledecl>
<variabledecl id="vy" name="y"><usersort declaration="alias"/></variabledecl>
<variabledecl id="vl" name="l"><usersort declaration="level"/></variabledecl>
<variabledecl id="vp" name="p"><usersort declaration="plain"/></variabledecl>
"#;

pub(crate) fn place(id: &str, sort: &str, initial: &str) -> String {
    let marking = match initial {
        "" => String::new(),
        term => format!(
            "<hlinitialMarking><text>decoration</text><structure>{term}</structure></hlinitialMarking>"
        ),
    };
    format!(
        "<place id=\"{id}\"><name><text>{id}</text></name><type><text>t</text><structure>\
         <usersort declaration=\"{sort}\"/></structure></type>{marking}</place>\n"
    )
}

pub(crate) fn arc(source: &str, target: &str, term: &str) -> String {
    format!(
        "<arc id=\"{source}-{target}\" source=\"{source}\" target=\"{target}\"><hlinscription>\
         <text>t</text><structure>{term}</structure></hlinscription></arc>\n"
    )
}

pub(crate) fn guarded(id: &str, term: &str) -> String {
    format!(
        "<transition id=\"{id}\"><condition><structure>{term}</structure></condition></transition>\n"
    )
}

fn sub(terms: &[&str]) -> String {
    terms.iter().map(|term| format!("<subterm>{term}</subterm>")).collect()
}

fn op(name: &str, terms: &[&str]) -> String {
    format!("<{name}>{}</{name}>", sub(terms))
}

fn times(count: u64, term: &str) -> String {
    op(
        "numberof",
        &[&format!("<numberconstant value=\"{count}\"><positive/></numberconstant>"), term],
    )
}

const X: &str = "<variable refvariable=\"vx\"/>";
const Y: &str = "<variable refvariable=\"vy\"/>";
const L: &str = "<variable refvariable=\"vl\"/>";
const P: &str = "<variable refvariable=\"vp\"/>";
const A: &str = "<useroperator declaration=\"ra\"/>";
const TWO: &str = "<finiteintrangeconstant value=\"2\"><finiteintrange start=\"1\" end=\"3\"/></finiteintrangeconstant>";
const ALL_RING: &str = "<all><usersort declaration=\"ring\"/></all>";
const ALL_LEVEL: &str = "<all><usersort declaration=\"level\"/></all>";

/// Returns an initial marking or inscription of a sort as text.
fn inscription(sort: &str, term: &str) -> String {
    let page = place("q", sort, "") + "<transition id=\"t\"/>" + &arc("q", "t", term);
    let text = text::print(&read(&pnml(SORTS, &page)).unwrap());
    text.split("q{").nth(1).unwrap().split('}').next().unwrap().to_owned()
}

fn guard(term: &str) -> String {
    let text = text::print(&read(&pnml(SORTS, &guarded("t", term))).unwrap());
    let line = text.lines().last().unwrap().to_owned();
    line.strip_prefix("transition t").unwrap().trim().to_owned()
}

#[test]
fn declarations_come_in_any_order_and_even_after_the_page() {
    let page = place("q", "pair", &times(2, &op("tuple", &[A, TWO]))) + &place("d", "dot", "");
    let net = read(&pnml(SORTS, &page)).unwrap();
    let expected = "net n
sort dot = .
sort Level = 1..3
sort Ring = cyclic {a, b, c}
sort Pair = Ring * Level
sort Plain = {red, green}
sort Half = partition Ring {h1: a b; h2: c}
var x: Ring
var y: Ring
var l: Level
var p: Plain
place q: Pair = {2'(a,2)}
place d: dot
";
    assert_eq!(text::print(&net), expected);
}

#[test]
fn partitions_of_ranges_are_read_and_foreign_colours_refused() {
    let partition = |second: &str| {
        let number = |value: &str| {
            format!(
                "<finiteintrangeconstant value=\"{value}\"><finiteintrange start=\"1\" end=\"3\"/>\
                 </finiteintrangeconstant>"
            )
        };
        let (first, second) = (number("1") + &number("3"), number(second));
        pnml(
            &format!(
                "<namedsort id=\"l\" name=\"Level\"><finiteintrange start=\"1\" end=\"3\"/></namedsort>\
                 <partition id=\"p\" name=\"Part\"><usersort declaration=\"l\"/>\
                 <partitionelement id=\"a\" name=\"a\">{first}</partitionelement>\
                 <partitionelement id=\"b\" name=\"b\">{second}</partitionelement></partition>"
            ),
            &place("q", "l", ""),
        )
    };
    let net = read(&partition("2")).unwrap();
    let printed = text::print(&net);
    assert!(printed.contains("sort Part = partition Level {a: 1 3; b: 2}"), "{printed}");
    for wrong in ["3", "4", "x"] {
        assert!(read(&partition(wrong)).is_err(), "{wrong}");
    }
}

#[test]
fn inscriptions_of_every_shape_are_read() {
    let tuple = |a, b| op("tuple", &[a, b]);
    for (sort, term, expected) in [
        ("ring", X.to_owned(), "x"),
        ("ring", times(3, X), "3'x"),
        (
            "ring",
            op("numberof", &[X, "<numberconstant value=\"2\"><natural/></numberconstant>"]),
            "2'x",
        ),
        (
            "ring",
            op("scalarproduct", &["<numberconstant value=\"2\"/>", &op("add", &[X, Y])]),
            "2'x + 2'y",
        ),
        ("ring", op("add", &[&op("add", &[X, Y]), A, X]), "x + y + a + x"),
        ("ring", op("subtract", &[ALL_RING, &times(1, X), Y]), "all - [x + y]"),
        ("ring", op("successor", &[X]), "x++"),
        ("ring", op("predecessor", &[&op("predecessor", &[X])]), "x----"),
        ("ring", op("successor", &[&op("predecessor", &[X])]), "x"),
        ("ring", op("successor", &[ALL_RING]), "all"),
        ("plain", P.to_owned(), "p"),
        ("dot", times(4, "<dotconstant/>"), "4'."),
        ("pair", tuple(X, L), "(x,l)"),
        ("pair", times(1, &tuple(&op("successor", &[X]), TWO)), "(x++,2)"),
        ("pair", tuple(ALL_RING, TWO), "(all,2)"),
        ("pair", tuple(ALL_RING, ALL_LEVEL), "(all,all)"),
        ("pair", "<all><usersort declaration=\"pair\"/></all>".to_owned(), "all"),
        ("pair", tuple(&op("add", &[X, &times(2, Y)]), L), "(x,l) + 2'(y,l)"),
        ("pair", tuple(&op("subtract", &[ALL_RING, X]), ALL_LEVEL), "(all,all) - (x,all)"),
        // An element of a partition in place of the colours of its sort.
        ("ring", times(2, "<useroperator declaration=\"h1\"/>"), "2'a + 2'b"),
        (
            "pair",
            op(
                "tuple",
                &[
                    &op(
                        "add",
                        &[
                            "<useroperator declaration=\"h1\"/>",
                            "<useroperator declaration=\"h2\"/>",
                        ],
                    ),
                    TWO,
                ],
            ),
            "(a,2) + (b,2) + (c,2)",
        ),
        ("half", "<useroperator declaration=\"h2\"/>".to_owned(), "h2"),
        (
            "half",
            format!("<partitionelementof refpartition=\"half\">{}</partitionelementof>", sub(&[X])),
            "Half(x)",
        ),
        ("ring", "<empty><usersort declaration=\"ring\"/></empty>".to_owned(), ""),
    ] {
        assert_eq!(inscription(sort, &term), expected, "{term}");
    }
}

#[test]
fn guards_of_every_shape_are_read() {
    let number = |value: i64| {
        format!(
            "<finiteintrangeconstant value=\"{value}\"><finiteintrange start=\"-9\" end=\"9\"/></finiteintrangeconstant>"
        )
    };
    for (term, expected) in [
        (op("equality", &[X, Y]), "[x = y]"),
        (op("inequality", &[X, A]), "[x != a]"),
        (op("lessthan", &[X, Y]), "[x < y]"),
        (op("lessthanorequal", &[L, TWO]), "[l <= 2]"),
        (op("greaterthan", &[X, Y]), "[x > y]"),
        (op("greaterthanorequal", &[X, Y]), "[x >= y]"),
        (
            op(
                "and",
                &[
                    &op("equality", &[X, Y]),
                    &op("or", &[&op("equality", &[L, TWO]), &op("equality", &[X, A])]),
                ],
            ),
            "[x = y and [l = 2 or x = a]]",
        ),
        (
            op("not", &[&op("and", &[&op("equality", &[X, Y]), &op("lessthan", &[X, Y])])]),
            "[x != y or x >= y]",
        ),
        (op("imply", &[&op("equality", &[X, Y]), &op("equality", &[X, A])]), "[x != y or x = a]"),
        ("<booleanconstant value=\"false\"/>".to_owned(), "[not all]"),
        ("<booleanconstant value=\"true\"/>".to_owned(), ""),
        // Numbers of another range are compared as numbers. The variable stays, because each colour
        // is a binding.
        (op("lessthan", &[L, &number(3)]), "[l < 3]"),
        (op("lessthan", &[&number(0), L]), "[l = l]"),
        (op("equality", &[L, &number(7)]), "[l != l]"),
        (op("greaterthan", &[&number(2), &number(1)]), ""),
        (
            op(
                "equality",
                &[
                    &format!(
                        "<partitionelementof refpartition=\"half\">{}</partitionelementof>",
                        sub(&[X])
                    ),
                    "<useroperator declaration=\"h1\"/>",
                ],
            ),
            "[Half(x) = h1]",
        ),
        (op("equality", &[&op("tuple", &[X, L]), &op("tuple", &[Y, TWO])]), "[(x,l) = (y,2)]"),
    ] {
        assert_eq!(guard(&term), expected, "{term}");
    }
}

#[test]
fn sums_nested_tens_of_thousands_deep_take_no_stack() {
    let mut term = A.to_owned();
    let depth = 20_000;
    let mut head = String::new();
    for _ in 0..depth {
        head.push_str("<add><subterm>");
        term.push_str(&format!("</subterm><subterm>{A}</subterm></add>"));
    }
    let page = place("q", "ring", &(head + &term));
    let net = std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(move || read(&pnml(SORTS, &page)).unwrap())
        .unwrap()
        .join()
        .unwrap();
    let marking = net.initial(10).unwrap();
    assert_eq!(marking.tokens(net.place_named("q").unwrap(), 0), depth + 1);
}

#[test]
fn black_places_need_neither_type_nor_inscription() {
    let page = "<place id=\"d\"><hlinitialMarking><structure><dotconstant/></structure></hlinitialMarking></place>
        <transition id=\"t\"/><arc id=\"a\" source=\"d\" target=\"t\"/><referencePlace id=\"r\" ref=\"d\"/>
        <arc id=\"b\" source=\"t\" target=\"r\"/>";
    let net = read(&pnml("", page)).unwrap();
    assert_eq!(
        text::print(&net),
        "net n\nsort dot = .\nplace d: dot = {.}\ntransition t: d{.} -> d{.}\n"
    );
}

#[test]
fn constants_with_equal_names_are_distinguished_by_their_ids() {
    let sorts = r#"<namedsort id="s" name="S"><cyclicenumeration><feconstant id="s1" name="1"/><feconstant id="s2" name="1"/></cyclicenumeration></namedsort>"#;
    let net = read(&pnml(sorts, "")).unwrap();
    assert_eq!(text::print(&net), "net n\nsort S = cyclic {s1, s2}\n");
}
