//! The contest's grammar of 2011: the ten examples of the research page, the page's own examples,
//! and errors.

use parikh::formula::text::mcc2011::{
    ColourComponent, ColourTokens, Definition, DefinitionBody, MultisetComparison, Quantifier,
};
use parikh::formula::text::{TextFormula, TextLanguage, read, read_definitions};
use parikh::formula::{Proposition, Query, lower};
use parikh::net::{Goal, LinearSum, Net, Predicate, text};

fn possible(predicate: Predicate) -> Proposition<Goal> {
    Proposition::Atom(Goal::Reach(predicate))
}

/// Returns a net of black places, because coloured places are not supported here.
fn net() -> Net {
    text::parse("net n\nplace p1\nplace p2\nplace q").unwrap()
}

fn formulas(source: &str) -> Vec<TextFormula> {
    read(source, "f", TextLanguage::Mcc2011, &net(), true)
}

/// Returns the only formula, printed in the language of the command line.
fn printed(source: &str) -> String {
    let formulas = formulas(source);
    let [formula] = &formulas[..] else { panic!("{formulas:?}") };
    match &formula.formula {
        Ok(formula) => formula.print(&net()).to_string(),
        Err(error) => panic!("{error:#}"),
    }
}

fn remarks(source: &str) -> Vec<String> {
    let formulas = formulas(source);
    formulas.iter().flat_map(|formula| &formula.remarks).map(ToString::to_string).collect()
}

fn error(source: &str) -> String {
    let formulas = formulas(source);
    let errors = formulas.iter().filter_map(|formula| formula.formula.as_ref().err());
    errors.map(|error| format!("{error:#}")).collect::<Vec<_>>().join("\n")
}

fn definition(source: &str) -> Definition {
    let mut read = read_definitions(source, "f");
    assert_eq!(read.len(), 1);
    read.remove(0).0.unwrap()
}

#[test]
fn examples_1_and_2_a_bare_atom_and_an_empty_multiset() {
    let first = "a = reachable p1 contains {2*[.]}\n";
    assert_eq!(printed(first), "EF (p1 >= 2)");
    assert_eq!(remarks(first), Vec::<String>::new());
    let second = "b = invariant (p1 equals {})\n";
    assert_eq!(printed(second), "AG (p1 = 0)");
    assert_eq!(remarks(second), Vec::<String>::new());
}

#[test]
fn example_3_and_binds_tighter_than_or() {
    let source =
        "c1 = reachable (p1 contains {1*[.]}) and (p2 contains {1*[.]}) or (q equals {})\n";
    assert_eq!(printed(source), "EF ((p1 >= 1 && p2 >= 1) || q = 0)");
    assert_eq!(
        remarks(source),
        ["f:1:64: not in the grammar of 2011: `and` and `or` mixed without parentheses; `and` \
             has the higher precedence"]
    );
}

#[test]
fn examples_4_and_5_not_binds_the_next_parenthesis_only() {
    let fourth = "d1 = reachable not (p1 contains {1*[.]}) and (p2 equals {3*[.]})\n";
    assert_eq!(printed(fourth), "EF (!(p1 >= 1) && p2 = 3)");
    let fifth = "e1 = invariant not ((p1 contains {1*[.]}) or (p2 contains {1*[.]}))\n";
    assert_eq!(printed(fifth), "AG !(p1 >= 1 || p2 >= 1)");
    assert_eq!(remarks(fourth).len() + remarks(fifth).len(), 0);
    let formulas = formulas(fifth);
    let [p1, p2] = ["p1", "p2"].map(|name| net().place_named(name).unwrap());
    let violated = Predicate::or([Predicate::at_least(p1, 1), Predicate::at_least(p2, 1)]);
    let lowered = lower(formulas[0].formula.as_ref().unwrap(), &net());
    assert_eq!(lowered, Ok(Query::Truth(possible(violated).negated())));
}

#[test]
fn examples_6_7_and_8_colours_are_read_and_kept() {
    let tokens = |source: &str| match definition(source).body {
        DefinitionBody::Atom(atom) => (atom.place, atom.comparison, atom.tokens),
        other => panic!("{other:?}"),
    };
    let number = |digits: &str| ColourComponent::Number(digits.to_owned());
    let (place, comparison, f) = tokens("f = reachable (c contains {1*[1], 2*[3], 1*[1]})\n");
    assert_eq!((place.as_str(), comparison), ("c", MultisetComparison::Contains));
    let counts: Vec<_> =
        f.iter().map(|ColourTokens { count, colour, .. }| (*count, &colour[0])).collect();
    assert_eq!(counts, [(1, &number("1")), (2, &number("3")), (1, &number("1"))]);
    let (_, comparison, g) = tokens("g = invariant (c equals {1*[2]})\n");
    assert_eq!((comparison, g.len()), (MultisetComparison::Equals, 1));

    let source = "h = reachable (d equals {1*[1, 2], 3*[2, 1]}) and not (e contains {1*[red]})\n";
    let h = definition(source);
    assert_eq!((h.name.as_str(), h.quantifier), ("h", Quantifier::Reachable));
    let DefinitionBody::And(parts) = &h.body else { panic!("{h:?}") };
    let [DefinitionBody::Atom(d), DefinitionBody::Not(not)] = &parts[..] else { panic!("{h:?}") };
    assert_eq!(d.tokens[1].colour, [number("2"), number("1")]);
    assert_eq!(&source[d.span.clone()], "d");
    let DefinitionBody::Atom(e) = &**not else { panic!("{h:?}") };
    assert_eq!(e.tokens[0].colour, [ColourComponent::Name("red".into())]);
    assert_eq!(&source[e.tokens[0].span.clone()], "1*[red]");
}

#[test]
fn example_9_the_last_line_need_not_end() {
    let source = "i = reachable (p1 contains {}) ";
    assert_eq!(printed(source), "EF true");
    assert_eq!(
        remarks(source),
        ["f:1:32: not in the grammar of 2011: a last line without a line break"]
    );
    let lowered = lower(formulas(source)[0].formula.as_ref().unwrap(), &net());
    assert_eq!(lowered, Ok(Query::Truth(possible(Predicate::True))));
}

#[test]
fn example_10_five_errors_with_their_places() {
    assert_eq!(
        error("j = reachable (p1 equals {1*[1]})\n"),
        "f:1:27: the tokens of place `p1` have no colours, expected `[.]`\n  \
         j = reachable (p1 equals {1*[1]})\n                            ^^^^^"
    );
    // A black token on a coloured place: the place is unknown.
    assert!(
        error("k = reachable (c contains {1*[.]})\n").contains("f:1:16: the net has no place `c`")
    );
    assert_eq!(
        error("l = reachable (zz equals {})\n"),
        "f:1:16: the net has no place `zz`\n  l = reachable (zz equals {})\n                 ^^"
    );
    assert_eq!(
        error("m = reachable p1 contains {1*.}\n"),
        "f:1:30: found `.`, expected `[`\n  m = reachable p1 contains {1*.}\n                               ^"
    );
}

#[test]
fn the_examples_of_the_page_are_strict() {
    let page = "f1 = reachable not (p1 contains {1*[1]})\n\
                f2 = invariant (p1 contains {1*[.]}) and (p2 equals {1*[1, 2], 3*[2, 1]})\n\
                f3 = reachable (p1 equals {}) and (p2 equals {3*[.]})\n";
    let read = read_definitions(page, "page");
    assert_eq!(read.len(), 3);
    for (definition, remarks) in read {
        assert!(definition.is_ok() && remarks.is_empty(), "{definition:?} {remarks:?}");
    }
}

#[test]
fn every_relaxation_is_remarked() {
    let found = remarks(
        "a = reachable not p1 equals {} or (q equals {})\n\
         b = reachable p1 equals {} and (q equals {})\n\
         c = reachable not not (p1 equals {})\n",
    );
    assert_eq!(
        found,
        [
            "f:1:15: not in the grammar of 2011: `not` before anything except a parenthesis",
            "f:2:15: not in the grammar of 2011: operands of `and` and `or` without parentheses",
            "f:3:15: not in the grammar of 2011: `not` before anything except a parenthesis",
        ]
    );
    let mixed = read_definitions("a = reachable c contains {1*[1, red]}\n", "f");
    assert_eq!(
        mixed[0].1[0].to_string(),
        "f:1:29: not in the grammar of 2011: the components of a colour are all numbers or all names"
    );
    let names: Vec<String> = read_definitions("é = reachable (\"p1\" equals\n {})\n", "f")[0]
        .1
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        names,
        [
            "f:1:1: not in the grammar of 2011: a name with letters beyond A to Z",
            "f:1:16: not in the grammar of 2011: a name in quotes",
            "f:1:27: not in the grammar of 2011: a line that ends inside a formula",
        ]
    );
    // Without the option, there is no warning.
    let quiet = read("a = reachable p1 equals {}", "f", TextLanguage::Mcc2011, &net(), false);
    assert!(quiet[0].remarks.is_empty());
}

#[test]
fn an_invalid_formula_does_not_affect_the_others() {
    let source = "a = reachable (p1 equals {}\n  or (q equals {}\nb = invariant (p1 equals {})\n\
                  nonsense here\n\nc = reachable (p2\n  equals {2*[.],\n 3*[.]})\n";
    let formulas = formulas(source);
    let names: Vec<&str> = formulas.iter().map(|formula| formula.id.as_str()).collect();
    assert_eq!(names, ["a", "b", "nonsense", "c"]);
    let good: Vec<bool> = formulas.iter().map(|formula| formula.formula.is_ok()).collect();
    assert_eq!(good, [false, true, false, true]);
    let last = formulas[3].formula.as_ref().unwrap();
    assert_eq!(last.print(&net()).to_string(), "EF (p2 = 5)");
    assert_eq!(
        formulas[2].formula.as_ref().unwrap_err().to_string(),
        "f:4:10: found `here`, expected `=`"
    );
}

#[test]
fn odd_names_and_keywords_can_be_quoted() {
    let net = text::parse("place \"pred_on-table_0\"\nplace and").unwrap();
    let source =
        "a = reachable (\"pred_on-table_0\" equals {1*[.]}) and (\"and\" contains {1*[.]})\n";
    let formulas = read(source, "f", TextLanguage::Mcc2011, &net, true);
    let formula = formulas[0].formula.as_ref().unwrap();
    assert_eq!(formula.print(&net).to_string(), "EF (\"pred_on-table_0\" = 1 && \"and\" >= 1)");
}

#[test]
fn deep_nesting_is_refused_and_does_not_overflow() {
    for (open, close) in [("(", ")"), ("not (", ")")] {
        let (open, close) = (open.repeat(30_000), close.repeat(30_000));
        let source = format!("a = reachable {open}p1 equals {{}}{close}\n");
        let problem = formulas(&source)[0].formula.as_ref().unwrap_err().to_string();
        assert!(
            problem.contains("more than 20000 parentheses and operators are nested"),
            "{problem}"
        );
    }
    let few = format!("a = reachable {}p1 equals {{}}{}\n", "(".repeat(9_000), ")".repeat(9_000));
    assert_eq!(printed(&few), "EF (p1 = 0)");
}

#[test]
fn sums_of_tokens_are_counted_in_full() {
    let place = net().place_named("p1").unwrap();
    let huge = i64::MAX;
    let source = format!("a = reachable (p1 contains {{{huge}*[.]}})\n");
    let lowered = lower(formulas(&source)[0].formula.as_ref().unwrap(), &net());
    let most = LinearSum::place(place).negated();
    assert_eq!(lowered, Ok(Query::Truth(possible(Predicate::at_most(most, -huge)))));
    let source = format!("a = reachable (p1 contains {{{huge}*[.], 1*[.]}})\n");
    assert!(error(&source).contains("found `9223372036854775808`, expected a whole number"));
    assert!(error("a = reachable (p1 contains {9223372036854775808*[.]})\n").contains("f:1:29"));
}
