use super::*;

fn ltl(text: &str) -> String {
    let (mut formulas, mut names) = (Ltl::default(), AtomNames::default());
    // Names in alphabetic order, so that operands are sorted, too.
    for name in ["a", "b", "c", "d"] {
        let atom = names.atom(name);
        formulas.atom(atom);
    }
    match parse_ltl(text, &mut formulas, &mut names) {
        Ok(formula) => formulas.text(formula, &names),
        Err(error) => error.to_string(),
    }
}

fn ctl(text: &str) -> String {
    let (mut formulas, mut names) = (Ctl::default(), AtomNames::default());
    for name in ["a", "b", "c", "d"] {
        let atom = names.atom(name);
        formulas.atom(atom);
    }
    match parse_ctl(text, &mut formulas, &mut names) {
        Ok(formula) => formulas.text(formula, &names),
        Err(error) => error.to_string(),
    }
}

#[test]
fn operators_bind_as_in_spot() {
    for (text, same) in [
        ("Fa U b", "(Fa) U b"),
        ("a U b U c", "a U (b U c)"),
        ("a U b & c", "(a U b) & c"),
        ("a & b | c", "(a & b) | c"),
        ("a | b & c", "a | (b & c)"),
        ("a xor b & c", "a xor (b & c)"),
        ("a | b xor c", "a | (b xor c)"),
        ("a -> b -> c", "a -> (b -> c)"),
        ("a -> b <-> c", "a -> (b <-> c)"),
        ("! a U b", "(!a) U b"),
        ("X a U b", "(X a) U b"),
        ("! F a U b", "(!(F a)) U b"),
        ("GFa & FGb", "(G(F a)) & (F(G b))"),
        ("a W b R c M d", "a W (b R (c M d))"),
        ("[]<>a && ~b || c", "(G(F(a)) & !b) | c"),
        ("a V b", "a R b"),
        ("a ^ b", "(a & !b) | (!a & b)"),
        ("a M b", "b U (a & b)"),
        ("a W b", "b R (a | b)"),
        ("a => b", "!a | b"),
        ("a <=> 1", "a"),
    ] {
        assert_eq!(ltl(text), ltl(same), "{text}");
    }
}

#[test]
fn what_is_printed_is_read_again() {
    for (text, printed) in [
        ("GFa", "GFa"),
        ("G(a -> X F b)", "G(!a | XFb)"),
        ("!(a U (b R c))", "!a R (!b U !c)"),
        ("a & (b | c) & Xd", "a & (b | c) & Xd"),
        ("(a U b) & c", "c & (a U b)"),
        ("\"x > 3\" U \"F\"", "\"x > 3\" U \"F\""),
        ("X (a U b)", "X(a U b)"),
    ] {
        assert_eq!(ltl(text), printed);
        assert_eq!(ltl(printed), printed);
    }
    for (text, printed) in [
        ("AG(a -> EF b)", "AG(!a | EFb)"),
        ("A(a U E(b R c)) & EX EG d", "A(a U E(b R c)) & EXEGd"),
        ("!E(a U b)", "A(!a R !b)"),
        ("!AX a", "EX!a"),
    ] {
        assert_eq!(ctl(text), printed);
        assert_eq!(ctl(printed), printed);
    }
}

#[test]
fn names_and_operators_are_told_apart() {
    let names_in = |text: &str| {
        let (mut formulas, mut names) = (Ltl::default(), AtomNames::default());
        parse_ltl(text, &mut formulas, &mut names).expect(text);
        names.names
    };
    assert_eq!(names_in("GFa & F1 & X_2 & aUb & Ux & p.q"), ["a", "F1", "X_2", "aUb", "Ux", "p.q"]);
    assert_eq!(ctl("Alpha & A & E"), "\"Alpha\" & \"A\" & \"E\"");
}

#[test]
fn errors_tell_the_column() {
    for (text, column) in [
        ("a &", 4),
        ("", 1),
        ("a b", 3),
        ("a U & b", 5),
        ("(a | b", 7),
        ("a | b)", 6),
        ("a # b", 3),
        ("é \"abc", 7),
        ("a X b", 3),
        ("()", 2),
    ] {
        let begin = format!("column {column}: expected ");
        assert!(ltl(text).starts_with(&begin), "{text}: {}", ltl(text));
    }
    assert_eq!(
        ctl("a & (b U c)"),
        "column 8: expected `E` or `A` directly before a temporal operator, as in `E(a U b)`, \
         found `U` alone"
    );
    assert!(ctl("E(a & b)").starts_with("column 1: expected a temporal operator"));
}

#[test]
fn a_formula_may_be_as_deep_as_it_likes() {
    let depth = 100_000;
    let (mut formulas, mut names) = (Ltl::default(), AtomNames::default());
    let nested = format!("{}a{}", "X(b U (".repeat(depth), "))".repeat(depth));
    let formula = parse_ltl(&nested, &mut formulas, &mut names).expect("deep");
    let negation = formulas.negate(formula);
    assert_eq!(formulas.negate(negation), formula);
    assert_eq!(formulas.subformulas(formula).len(), 2 * depth + 2);
    let text = formulas.text(formula, &names);
    assert_eq!(parse_ltl(&text, &mut formulas, &mut names), Ok(formula));
    let long = vec!["a"; depth].join(" & X");
    let formula = parse_ltl(&long, &mut formulas, &mut names).expect("long");
    assert_eq!(formulas.text(formula, &names), "a & Xa");
    let wide: Vec<String> = (0..depth).map(|at| format!("p{at}")).collect();
    let formula = parse_ltl(&wide.join(" | "), &mut formulas, &mut names).expect("wide");
    assert_eq!(formulas.atoms(formula).len(), depth);
}
