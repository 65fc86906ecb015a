//! Files similar to those of `styles.rs` that both readers refuse, with the line of the error, for
//! any depth of nesting.

use crate::reader::{guarded, place, pnml, read};
use crate::styles::{ALL_RING, DECLARED, DOT, X, level, number, op, spelt};

/// For any depth there is a message with the line. No stack overflows, neither that of a main
/// thread nor a small one.
#[test]
fn both_readers_refuse_what_is_nested_a_million_deep() {
    let nested = |element: &str, inside: &str| {
        let depth = 1_000_000;
        format!("<{element}>").repeat(depth) + inside + &format!("</{element}>").repeat(depth)
    };
    let user = "<usersort declaration=\"ring\"/>";
    let declared =
        |sort: &str| pnml(&format!("{DECLARED}<namedsort id=\"deep\">{sort}</namedsort>"), "");
    let marked = |term: &str| pnml(DECLARED, &place("at", "ring", term));
    let guard = |term: &str| pnml(DECLARED, &guarded("t", term));
    let wide = |element: &str, more: &str, inside: &str| {
        let close = format!("{more}</{element}>");
        format!("<{element}>").repeat(10_000) + inside + &close.repeat(10_000)
    };
    // Each sort is defined by the sort before: deep and wide sorts without deep nesting of
    // elements.
    let chained = |parts: &[&str]| {
        let mut sorts = String::from("<namedsort id=\"s0\"><dot/></namedsort>");
        for at in 1..5_000 {
            let before = format!("<usersort declaration=\"s{}\"/>", at - 1);
            let parts: String = parts.iter().map(|part| part.replace("BEFORE", &before)).collect();
            sorts += &format!(
                "\n<namedsort id=\"s{at}\"><productsort>{parts}</productsort></namedsort>"
            );
        }
        pnml(&sorts, &place("p", "s4999", "<all><usersort declaration=\"s4999\"/></all>"))
    };
    let files = [
        declared(&nested("multisetsort", user)),
        declared(&nested("productsort", user)),
        declared(&wide("productsort", "<dot/>", "<dot/>")),
        marked(&nested("subterm", ALL_RING)),
        marked(&nested("structure", ALL_RING)),
        marked(&nested("tuple", ALL_RING)),
        marked(&nested("add", ALL_RING)),
        marked(&nested("successor", ALL_RING)),
        marked(&wide("subtract", ALL_RING, ALL_RING)),
        marked(&format!("<all>{}</all>", nested("multisetsort", user))),
        guard(&nested("not", "<booleanconstant value=\"true\"/>")),
        guard(&format!("<equality>{}{X}</equality>", nested("tuple", X))),
        guard(&format!("<equality>{}{X}</equality>", wide("tuple", X, X))),
        chained(&["BEFORE", "<dot/>"]),
        chained(&["BEFORE", "BEFORE"]),
    ];
    // A tuple that fits no place is refused for its type, before its depth matters.
    assert!(read(&marked(&wide("tuple", ALL_RING, ALL_RING))).is_err());
    let read_all = move || {
        for file in files {
            let shown = &file[..file.len().min(2_000)];
            let error = read(&file).expect_err(shown);
            let line: usize = error.split(':').nth(1).unwrap().parse().unwrap();
            assert!((5..6_000).contains(&line), "{error}\n{shown}");
            assert!(error.contains("nested more than") || error.contains("components"), "{error}");
            let error = parikh::evidence::coloured::read(file.as_bytes()).expect_err(shown);
            assert!((5..6_000).contains(&error.line), "{error}\n{shown}");
            assert!(
                error.what.contains("nested deeper") || error.what.contains("components"),
                "{error}"
            );
        }
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(read_all).unwrap();
    thread.join().unwrap();
}

#[test]
fn labels_without_structure_are_refused_with_their_line() {
    let black =
        format!("<hlinscription><text>t</text><structure>{DOT}</structure></hlinscription>");
    let colour = format!("<hlinscription><text>t</text><structure>{X}</structure></hlinscription>");
    let typed =
        "<type><text>t</text><structure><usersort declaration=\"pair\"/></structure></type>";
    let file = |from: &str, to: &str| spelt(&[(from, to)]);
    for (file, first, second) in [
        (
            file(&colour, "<hlinscription><text>1`x</text></hlinscription>"),
            "expected `<structure>`",
            "text only",
        ),
        (
            file(&black, "<hlinscription><text>1</text></hlinscription>"),
            "expected `<structure>`",
            "text only",
        ),
        (file(&colour, ""), "no inscription", "no `hlinscription`"),
        (file(&colour, "<hlinscription/>"), "no inscription", "no `hlinscription`"),
        (file(typed, "<type><text>Pair</text></type>"), "expected `<structure>`", "text only"),
        (file(ALL_RING, &(ALL_RING.to_owned() + ALL_RING)), "several terms", "expected one term"),
        (file(ALL_RING, &number(1)), "expected one of `Ring`", "a number where none"),
        (file(DOT, &number(1)), "expected one of `dot`", "a number where none"),
        (file(&level(2), &number(4)), "4 is not in", "4 is not in the range"),
        (file(DOT, "<useroperator declaration=\"ring\"/>"), "no constant", "is not a constant"),
        (
            file(&format!("<structure>{X}"), &format!("<structure>{}", op("tuple", &[X, X]))),
            "expected one of",
            "a tuple where none",
        ),
        (
            file("</type><hl", "</type><capacity><text>3</text></capacity><hl"),
            "a capacity",
            "`capacity`",
        ),
        // Numbers and conditions directly inside a label, and attributes with a meaning.
        (
            file(&colour, "<hlinscription>2</hlinscription>"),
            "`2` where no text",
            "`2` right inside",
        ),
        (
            file(
                "<transition id=\"back\"/>",
                "<transition id=\"back\"><condition>false</condition></transition>",
            ),
            "`false` where no text",
            "`false` right inside",
        ),
        (
            file("<hlinitialMarking><text>", "<hlinitialMarking>3<text>"),
            "`3` where no text",
            "`3` right inside",
        ),
        (
            file("<place id=\"idle\"", "<place id=\"idle\" initialMarking=\"4\""),
            "an attribute `initialMarking`",
            "`initialMarking` of `place`",
        ),
        (
            file("<numberconstant value=\"2\"", "<numberconstant value=\"2\" declaration=\"3\""),
            "an attribute `declaration`",
            "`declaration` of `numberconstant`",
        ),
        // Unknown elements and attributes of declarations.
        (
            file("<variabledecl id=\"vl\"", "<foo><bar/></foo><variabledecl id=\"vl\""),
            "an element `foo`",
            "`foo` is unknown",
        ),
        (
            file("<variabledecl id=\"vl\"", "<inscription/><variabledecl id=\"vl\""),
            "an element `inscription`",
            "`inscription` is unknown",
        ),
        (
            file("<cyclicenumeration>", "<cyclicenumeration start=\"1\">"),
            "an attribute `start`",
            "`start` of `cyclicenumeration`",
        ),
        (
            file("<cyclicenumeration>", "<cyclicenumeration><value/>"),
            "an element `value`",
            "`value` is unknown",
        ),
    ] {
        let error = read(&file).unwrap_err();
        let line: usize = error.split(':').nth(1).unwrap().parse().unwrap();
        assert!(error.contains(first) && line > 4, "{error}");
        let error = parikh::evidence::coloured::read(file.as_bytes()).unwrap_err();
        assert!(error.what.contains(second) && error.line > 4, "{error}");
    }
}
