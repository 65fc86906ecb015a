//! The formula language of the command line: meaning, error messages, and printing.

use crate::support::scale::cases;
use parikh::formula::text::{TextLanguage, detect, read, read_one};
use parikh::formula::{Expression, Formula, NumberRelation};
use parikh::net::{Net, NetBuilder, PlaceId, TransitionId};
use proptest::prelude::*;

const PLACES: [&str; 8] =
    ["p1", "p2", "waiting_room", "slot.T", "odd-name", "a \"q\" \\ b", "EF", "2p"];
const TRANSITIONS: [&str; 4] = ["t1", "t2", "P-start_1", "and"];

fn net() -> Net {
    let mut builder = NetBuilder::new("n");
    for place in PLACES {
        builder.place(place, 1).unwrap();
    }
    for transition in TRANSITIONS {
        builder.transition(transition).unwrap();
    }
    builder.build().unwrap()
}

/// Asserts that the text is parsed as the expected formula, printed with the necessary parentheses.
#[track_caller]
fn means(text: &str, expected: &str) {
    let net = net();
    let read = read_one(text, "f", &net);
    match &read.formula {
        Ok(formula) => assert_eq!(formula.print(&net).to_string(), expected, "{text}"),
        Err(error) => panic!("{text}: {error:#}"),
    }
}

#[track_caller]
fn wrong(text: &str, expected: &str) {
    let read = read_one(text, "f", &net());
    assert_eq!(format!("{:#}", read.formula.unwrap_err()), expected, "{text}");
}

#[test]
fn operators_have_the_documented_precedence() {
    means("EF (p1 >= 2 && !fireable(t2))", "EF (p1 >= 2 && !fireable(t2))");
    means("!p1 >= 2 && deadlock", "!(p1 >= 2) && deadlock");
    means("p1 = 1 or p2 = 1 and p1 = 2", "p1 = 1 || (p2 = 1 && p1 = 2)");
    means("p1 = 1 || p2 = 1 xor p1 = 2", "p1 = 1 || (p2 = 1 xor p1 = 2)");
    means("true -> false -> true", "true -> (false -> true)");
    means("true <-> false <-> true", "(true <-> false) <-> true");
    means("true && false && true", "true && false && true");
    means("(true && false) && true", "(true && false) && true");
    means("A (p1 >= 1 U p2 >= 1 U deadlock)", "A ((p1 >= 1) U ((p2 >= 1) U deadlock))");
    means("A [not deadlock U p1 < 1]", "A (!deadlock U (p1 < 1))");
    means("A G F fireable(t1, t2)", "AG F fireable(t1, t2)");
    means("AG EF enabled(t1)", "AG EF fireable(t1)");
    means("A G fires(t1) -> F fires(t1, t2)", "AG fires(t1) -> F fires(t1, t2)");
    means(
        "E F (fires(t1) && X !fires(t2)) && EF AG p1 = 1",
        "EF (fires(t1) && X !fires(t2)) && EF AG (p1 = 1)",
    );
    means("AG not EX true iff EG AX false", "AG !EX true <-> EG AX false");
}

#[test]
fn numbers_are_sums_and_products() {
    means("AG p1 + 2*p2 <= 3", "AG (p1 + 2*p2 <= 3)");
    means("p1 - p2 - 1 > -5", "p1 - p2 - 1 > -5");
    means("p1 - (p2 - 1) != 0 - -5", "p1 - (p2 - 1) != 0 - -5");
    means("2*(p1 + p2)*3 == tokens(p1, p2)", "2*(p1 + p2)*3 = tokens(p1, p2)");
    means("(p1) <= (2)", "p1 <= 2");
    means("bound(p1 + p2)", "bound(p1 + p2)");
    means("max(p1, tokens(p2, slot.T))", "bound(p1 + p2 + slot.T)");
    means("p1 >= -9223372036854775808", "p1 >= -9223372036854775808");
}

#[test]
fn unusual_names_are_quoted() {
    means("\"odd-name\" = 1 && \"EF\" = 1", "\"odd-name\" = 1 && \"EF\" = 1");
    means("\"a \\\"q\\\" \\\\ b\" = \"2p\"", "\"a \\\"q\\\" \\\\ b\" = \"2p\"");
    means("fireable(\"and\", \"P-start_1\", t1)", "fireable(\"and\", \"P-start_1\", t1)");
}

#[test]
fn errors_show_a_caret_and_the_expected_text() {
    wrong(
        "EF (wating_room >= 1)",
        "f:1:5: the net has no place `wating_room`; did you mean `waiting_room`?\n  \
         EF (wating_room >= 1)\n      ^^^^^^^^^^^",
    );
    wrong(
        "EF fireable(t1, p1)",
        "f:1:17: the net has no transition `p1`; it is a place\n  \
         EF fireable(t1, p1)\n                  ^^",
    );
    wrong(
        "EF (p1 >= 1\n  && p2 => 2",
        "f:2:9: found `=>`, expected a comparison after a number: `>=`, or `p >= 1 -> q >= 1` for \
         an implication\n    \
         && p2 => 2\n          \
         ^^",
    );
    wrong(
        "EF (p1 >= 1",
        "f:1:12: found the end of the formula, expected `)`\n  EF (p1 >= 1\n             ^",
    );
    wrong(
        "EF p1 >= 1)",
        "f:1:11: found `)`, expected an operator or the end of the formula\n  EF p1 >= 1)\n            ^",
    );
    wrong(
        "EF (p1 >= 1]",
        "f:1:12: found `]`, expected an operator or `)`\n  EF (p1 >= 1]\n             ^",
    );
    wrong(
        "EF && p1",
        "f:1:4: found `&&`, expected a formula or a number: a place, a whole number, `fireable(t)`, \
         `deadlock`, `(`, or an operator such as EF, AG, `!`\n  EF && p1\n     ^^",
    );
    wrong(
        "1 <= p1 <= 2",
        "f:1:1: comparisons do not chain; write `a <= b && b <= c`\n  1 <= p1 <= 2\n  ^^^^^^^",
    );
    wrong(
        "EF p1",
        "f:1:4: this is a number, expected a property; compare it, as in `p >= 1`\n  EF p1\n     ^^",
    );
    wrong(
        "deadlock + 1 > 0",
        "f:1:1: this is a property, expected a number of tokens\n  deadlock + 1 > 0\n  ^^^^^^^^",
    );
    wrong(
        "EF bound(p1)",
        "f:1:4: `bound` asks for a number, so it cannot be part of a formula\n  \
         EF bound(p1)\n     \
         ^^^^^^^^^",
    );
    wrong(
        "bound(2*p1)",
        "f:1:7: found `2`, expected the name of a place\n  bound(2*p1)\n        ^",
    );
    wrong(
        "AG (fires(t1) -> AF p1 >= 1)",
        "f:1:5: `fires` applies to runs, so an LTL formula is expected: no path quantifier inside \
         another path quantifier or a temporal operator\n  \
         AG (fires(t1) -> AF p1 >= 1)\n      \
         ^^^^^",
    );
    wrong(
        "EF enable(t1)",
        "f:1:4: found `enable(`, expected `fireable(`, `fires(`, `tokens(`, `bound(`, or a \
         constraint of Declare such as `response(`; `parikh check --help` lists them\n  \
         EF enable(t1)\n     \
         ^^^^^^",
    );
    wrong(
        "EF \"p1 >= 1",
        "f:1:4: found an unclosed quote, expected a formula or a number: a place, a whole number, \
         `fireable(t)`, `deadlock`, `(`, or an operator such as EF, AG, `!`\n  \
         EF \"p1 >= 1\n     \
         ^",
    );
    wrong(
        "p1 >= 9223372036854775808",
        "f:1:7: found `9223372036854775808`, expected a whole number from -2^63 to 2^63 - 1\n  \
         p1 >= 9223372036854775808\n        ^^^^^^^^^^^^^^^^^^^",
    );
    wrong("", "f:1:1: the property has no formula\n  \n  ^");
    wrong("name:", "f:1:6: the property has no formula\n  name:\n       ^");
}

#[test]
fn constraints_in_other_spellings_get_a_suggestion() {
    let problem = |text: &str| read_one(text, "f", &net()).formula.unwrap_err().to_string();
    for (text, expected) in [
        ("Response(t1, t2)", "found `Response(`, expected `response(`, a constraint of Declare"),
        ("response[t1, t2]", "found `response[`, expected `response(`, a constraint of Declare"),
        ("NotCoExistence[t1, t2] | |", "found `NotCoExistence[`, expected `not_co_existence(`"),
        ("exactly(t1)", "or a constraint of Declare such as `response(`"),
        ("existence(2, t1)", "found `2`, expected the name of an activity; for a number of times"),
        ("existence(t1, 2)", "write `existence2(a)`, `existence3(a)`"),
        ("winner[t1]", "the net has no place `winner`"),
    ] {
        let problem = problem(text);
        assert!(problem.contains(expected), "{text}: {problem}");
    }
    means("not_chain_response(t1, t2)", "G (fires(t1) -> X !fires(t2))");
    means("absence3(t1)", "!F (fires(t1) && X F (fires(t1) && X F fires(t1)))");
}

#[test]
fn invalid_operators_are_reported_first() {
    let first_line = |text: &str| {
        let error = read_one(text, "f", &net()).formula.unwrap_err();
        format!("{error:#}").lines().next().unwrap().to_owned()
    };
    let end = "expected an operator or the end of the formula";
    for (text, expected) in [
        ("EF p1 ≥ 1", format!("f:1:7: found `≥`, {end}; write `>=`")),
        ("EF p1 % 2 = 0", format!("f:1:7: found `%`, {end}")),
        ("EF 2p1 >= 1", format!("f:1:5: found `p1`, {end}; write `*`")),
        ("EF p1 2", format!("f:1:7: found `2`, {end}")),
        ("EF p1 =< 2", format!("f:1:7: found `=<`, {end}; write `<=`")),
        ("EF p1 <> 2", format!("f:1:7: found `<>`, {end}; write `!=`")),
        ("EF (p1 <> 2)", "f:1:8: found `<>`, expected an operator or `)`; write `!=`".to_owned()),
        ("deadlock AND deadlock", format!("f:1:10: found `AND`, {end}; write `and`")),
        (
            "AG not p1 => p2 = 0",
            "f:1:11: found `=>`, expected a comparison after a number: `>=`, or `p >= 1 -> q >= 1` \
             for an implication"
                .to_owned(),
        ),
        (
            "AG NOT p1 >= 1",
            "f:1:4: the net has no place `NOT`; for the operator, write `not`".to_owned(),
        ),
        ("ef p1 >= 1", "f:1:1: the net has no place `ef`; for the operator, write `EF`".to_owned()),
    ] {
        assert_eq!(first_line(text), expected, "{text}");
    }
    // An implication after a comparison is accepted, with any right side.
    means("p1 >= 1 + p2 => p2 >= 1", "p1 >= 1 + p2 -> p2 >= 1");
}

#[test]
fn a_narrow_scope_gives_a_remark() {
    let net = net();
    let remark = |text: &str| read_one(text, "f", &net).remarks.len();
    assert_eq!(remark("EF p1 >= 1 && p2 >= 1"), 1);
    assert_eq!(remark("EF (p1 >= 1 && p2 >= 1)"), 0);
    assert_eq!(remark("EF p1 >= 1 && (p2 >= 1)"), 0);
    assert_eq!(remark("EF p1 >= 1 && EF p2 >= 1"), 0);
    assert_eq!(remark("p2 >= 1 && EF p1 >= 1"), 0);
}

#[test]
fn a_name_with_an_operator_inside_is_to_be_quoted() {
    let mut builder = NetBuilder::new("n");
    for place in ["p", "p-1", "q+r", "U", "bound"] {
        builder.place(place, 1).unwrap();
    }
    let t = builder.transition("t").unwrap();
    builder.label_transition(t, "A_O-SENT+COMPLETE");
    let u = builder.transition("u").unwrap();
    builder.label_transition(u, "Pay invoice");
    let net = builder.build().unwrap();
    let remarks = |text: &str| {
        let read = read_one(text, "f", &net);
        assert!(read.formula.is_ok(), "{text}");
        read.remarks.iter().map(|it| it.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(
        remarks("EF p-1 >= 0"),
        ["f:1:4: `p-1` is also a place; to ask about it, write it in quotes"]
    );
    assert!(remarks("EF (p-1+p >= 0)")[0].contains("`p-1`"));
    for text in ["EF p - 1 >= 0", "EF p-10 >= 0", "EF \"p-1\" >= 0", "EF p+p >= 0"] {
        assert_eq!(remarks(text), [""; 0], "{text}");
    }
    for (text, expected) in [
        ("EF q+r >= 1", "the net has no place `q`; to name `q+r`, write it in quotes"),
        ("existence(A_O-SENT+COMPLETE)", "to name `A_O-SENT+COMPLETE`, write it in quotes"),
        ("F fires(Pay invoice)", "to name `Pay invoice`, write it in quotes"),
        ("EF bound = 0", "found `bound`, expected `bound(`; for the place, write `\"bound\"`"),
        ("EF U = 1", "for the place, write `\"U\"`"),
    ] {
        let problem = read_one(text, "f", &net).formula.unwrap_err().to_string();
        assert!(problem.contains(expected), "{text}: {problem}");
    }
}

#[test]
fn files_have_names_comments_and_continued_lines() {
    let net = net();
    let text = "# what must hold\nmutex-1: AG (p1 >= 1\n    # at most\n  -> p2 <= 1\n)\n\n\
                EF deadlock   # unnamed\r\nbad: EF (\nmutex-1: true\nlast: bound(p1)";
    assert_eq!(detect(text), TextLanguage::Inline);
    let read = read(text, "f", TextLanguage::Inline, &net, false);
    let ids: Vec<&str> = read.iter().map(|formula| formula.id.as_str()).collect();
    assert_eq!(ids, ["mutex-1", "", "bad", "mutex-1", "last"]);
    let shown: Vec<String> = read
        .iter()
        .map(|formula| match &formula.formula {
            Ok(formula) => formula.print(&net).to_string(),
            Err(error) => error.to_string(),
        })
        .collect();
    assert_eq!(shown[0], "AG (p1 >= 1 -> p2 <= 1)");
    assert_eq!(shown[1], "EF deadlock");
    assert!(shown[2].starts_with("f:8:10: found the end of the formula, expected a formula"));
    // The command line numbers equal names.
    assert_eq!(shown[3], "true");
    assert_eq!(shown[4], "bound(p1)");
}

#[test]
fn languages_are_detected_by_their_beginning() {
    assert_eq!(detect("\n  Property x-00\n \"d\"\n is: true end.\n"), TextLanguage::Contest);
    assert_eq!(detect("f1 = reachable (p contains {})\n"), TextLanguage::Mcc2011);
    assert_eq!(detect("p = 1\n"), TextLanguage::Inline);
    assert_eq!(detect(""), TextLanguage::Inline);
}

#[test]
fn an_invalid_property_of_a_contest_text_does_not_affect_the_others() {
    let net = net();
    let text = "Property a-00\n  \"d\"\n  is:\n    A (G (1 <= tokens-count(\"p1\", \"p2\")))\n  end.\n\
                Property a-01\n  \"d\"\n  is:\n    E (F (is-fireable(\"t1\" \"t2\")))\n  end.\n\
                Property a-02\n  \"d\"\n  is:\n    A F ((\"t1\", \"t2\")? & (\"t1\"? | !\"t2\"?)) U true\n  end.\n\
                Property a-03\n  \"d\"\n  is:\n    bound(\"p1\")\n";
    let read = read(text, "f", TextLanguage::Contest, &net, false);
    let shown: Vec<String> = read
        .iter()
        .map(|formula| match &formula.formula {
            Ok(formula) => formula.print(&net).to_string(),
            Err(error) => error.to_string(),
        })
        .collect();
    assert_eq!(
        shown,
        [
            "AG (1 <= tokens(p1, p2))",
            "f:9:28: found the name \"t2\", expected `,` or `)`",
            "AF (fireable(t1, t2) && (fireable(t1) || !fireable(t2))) U true",
            "f:20:1: found the end of the formula, expected an operator or `end.`",
        ]
    );
    assert_eq!(read[0].description.as_deref(), Some("d"));
}

#[test]
fn deep_nesting_is_refused_and_does_not_overflow() {
    let problem = |text: String| match read_one(&text, "f", &net()).formula {
        Ok(formula) => formula.print(&net()).to_string(),
        Err(error) => error.to_string(),
    };
    let deep = "nested more than 2000 levels deep";
    let open = "more than 20000 parentheses and operators are nested here";
    assert!(problem("!".repeat(1_000_000)).contains(open));
    assert!(problem("(".repeat(1_000_000)).contains(open));
    assert!(problem(format!("{}true", "EF ".repeat(3000))).contains(deep));
    assert!(problem(format!("{}true", "true -> ".repeat(3000))).contains(deep));
    assert!(problem(format!("{}1 = 1", "1 - ".repeat(3000))).contains(deep));
    // A formula of maximal depth is read, printed and read again.
    let text = format!("{}true", "!".repeat(1999));
    assert_eq!(problem(text.clone()), text);
    // The number of operands does not count as depth.
    assert!(!problem(format!("{}true", "true && ".repeat(100_000))).contains(deep));
}

fn expression() -> impl Strategy<Value = Expression> {
    let places = prop::collection::vec((0..PLACES.len()).prop_map(PlaceId::new), 1..4);
    let leaf = prop_oneof![
        any::<i64>().prop_map(Expression::Constant),
        (-3i64..4).prop_map(Expression::Constant),
        places.prop_map(Expression::Tokens),
    ];
    leaf.prop_recursive(3, 12, 3, |part| {
        let parts = || prop::collection::vec(part.clone(), 2..4);
        prop_oneof![
            parts().prop_map(Expression::Sum),
            parts().prop_map(Expression::Product),
            (part.clone(), part.clone())
                .prop_map(|(a, b)| Expression::Difference(Box::new(a), Box::new(b))),
        ]
    })
}

fn formula() -> impl Strategy<Value = Formula> {
    let relation = prop::sample::select(vec![
        NumberRelation::AtMost,
        NumberRelation::AtLeast,
        NumberRelation::Less,
        NumberRelation::Greater,
        NumberRelation::Equal,
        NumberRelation::Unequal,
    ]);
    let transitions =
        prop::collection::vec((0..TRANSITIONS.len()).prop_map(TransitionId::new), 1..4);
    let leaf = prop_oneof![
        Just(Formula::Deadlock),
        Just(Formula::True),
        Just(Formula::False),
        transitions.prop_map(Formula::Fireable),
        (expression(), relation, expression())
            .prop_map(|(left, relation, right)| Formula::Compare { left, relation, right }),
    ];
    leaf.prop_recursive(5, 30, 3, |part| {
        let parts = || prop::collection::vec(part.clone(), 2..4);
        let one = || part.clone().prop_map(Box::new);
        prop_oneof![
            one().prop_map(Formula::AllPaths),
            one().prop_map(Formula::ExistsPath),
            one().prop_map(Formula::Globally),
            one().prop_map(Formula::Finally),
            one().prop_map(Formula::Next),
            one().prop_map(Formula::Not),
            (one(), one()).prop_map(|(before, reach)| Formula::Until { before, reach }),
            (one(), one()).prop_map(|(a, b)| Formula::Implies(a, b)),
            (one(), one()).prop_map(|(a, b)| Formula::Equivalent(a, b)),
            (one(), one()).prop_map(|(a, b)| Formula::Xor(a, b)),
            parts().prop_map(Formula::And),
            parts().prop_map(Formula::Or),
        ]
    })
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn printed_formulas_are_read_back_unchanged(formula in formula()) {
        let net = net();
        let print = formula.print(&net).to_string();
        let read = read_one(&print, "print", &net).formula;
        prop_assert!(read.as_ref() == Ok(&formula), "{}\n{:?}", print, read);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "([ -~]|\n|é|EF|p1|t1|fireable|\\(|\\)|>=|&&| ){0,60}") {
        let net = net();
        for language in [TextLanguage::Inline, TextLanguage::Contest, TextLanguage::Mcc2011] {
            for formula in read(&text, "f", language, &net, true) {
                if let Err(error) = formula.formula {
                    let shown = format!("{error:#}");
                    prop_assert!(shown.contains('^'), "{}", shown);
                }
            }
        }
    }
}

#[test]
fn formulas_of_lola_are_those_of_people_in_other_words() {
    let net = parikh::net::text::parse(
        "place p 1\nplace q\nplace AND\ntransition t: p -> q\ntransition EF: q -> p",
    )
    .unwrap();
    for (lola, inline) in [
        ("EF (p > 2 AND NOT FIREABLE(t))", "EF (p > 2 && !fireable(t))"),
        ("REACHABLE p = 1 AND q > 2", "EF (p = 1 && q > 2)"),
        ("FORMULA REACHABLE DEADLOCK", "EF deadlock"),
        ("INVARIANT (p + 2 * q <= 3 OR q # 0)", "AG (p + 2 * q <= 3 || q != 0)"),
        ("IMPOSSIBLE (p >= 1 XOR q >= 1)", "AG !(p >= 1 xor q >= 1)"),
        ("AGEF FIREABLE(EF)", "AG EF fireable(\"EF\")"),
        ("EF UNFIREABLE(EF, t)", "EF !fireable(\"EF\", t)"),
        ("ALLPATH ALWAYS (p = 1 -> EVENTUALLY q = 1)", "A G (p = 1 -> F q = 1)"),
        ("/*/ one remark */ AG p = 1", "AG p = 1"),
        ("{ a remark } AG [p <> 3 <-> TRUE]", "AG (p != 3 <-> true)"),
        (
            "EXPATH ((p = 1) UNTIL (q = 1)) AND ALLPATH EVENTUALLY (q = 1)",
            "E ((p = 1) U (q = 1)) && A F (q = 1)",
        ),
    ] {
        let found = read(lola, "f", TextLanguage::Lola, &net, false);
        let formula = found[0].formula.clone().unwrap_or_else(|why| panic!("{lola}: {why}"));
        assert_eq!(formula, read_one(inline, "f", &net).formula.unwrap(), "{lola}");
    }
    let several = read("EF p = 1;\nAND (q = 1) : AG p = 1", "f", TextLanguage::Lola, &net, false);
    assert_eq!(several.len(), 3);
    assert!(several[0].formula.is_ok() && several[2].formula.is_ok());
    for (wrong, expected) in [
        ("EF (p = 1 AND r = 1)", "f:1:15: the net has no place `r`"),
        ("AG p = 1 OR q = 1", "f:1:10: found `OR`, expected parentheses"),
        ("EF NOT p = 1 AND q = 1", "f:1:14: found `AND`, expected parentheses"),
        ("EF - 1 < p OR q = 1", "f:1:12: found `OR`, expected parentheses"),
        ("INITIAL", "f:1:1: found `INITIAL`, expected a keyword that Parikh supports"),
        ("EF (p = 1", "f:1:"),
        ("EF p ? 1", "f:1:6: found `?`, expected a formula of LoLA"),
    ] {
        let found = read(wrong, "f", TextLanguage::Lola, &net, false);
        let problem = found[0].formula.as_ref().unwrap_err().to_string();
        assert!(problem.starts_with(expected), "{problem}");
    }
    let mut builder = NetBuilder::new("n");
    for id in ["t1", "t2"] {
        let t = builder.transition(id).unwrap();
        builder.label_transition(t, "pay");
    }
    // LoLA's language has no quotes, so the message does not advise them.
    let net = builder.build().unwrap();
    let found = read("EF FIREABLE(pay)", "f", TextLanguage::Lola, &net, false);
    let problem = found[0].formula.as_ref().unwrap_err().to_string();
    assert!(problem.ends_with("`t1`, `t2`; write the id of one of them"), "{problem}");
    assert_eq!(detect("EF (p > 2 AND q > 1)"), TextLanguage::Lola);
    assert_eq!(detect("EF (p > 2 && q > 1)"), TextLanguage::Inline);
    assert_eq!(detect("safe: AG p <= 1  # one token; NOT two"), TextLanguage::Inline);
    assert_eq!(detect("EF p = 2; AG q = 2"), TextLanguage::Lola);
}
