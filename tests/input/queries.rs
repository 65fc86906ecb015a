//! The query reader on the files of all years, and its error messages.

use parikh::formula::{Expression, Formula, MAX_DEPTH, NumberRelation, Proposition, Query, lower};
use parikh::input::{InputError, QueryFile, read_queries_from};
use parikh_net::{Goal, Net, text};

fn net() -> Net {
    let net = "net n\nplace p 1\nplace queue\ntransition t: p -> queue\ntransition u: queue -> p";
    text::parse(net).unwrap()
}

fn read(file: &str) -> Result<QueryFile, InputError> {
    read_queries_from(file.as_bytes(), "q.xml", &net())
}

fn property(id: &str, formula: &str) -> String {
    format!("<property><id>{id}</id><formula>{formula}</formula></property>\n")
}

fn set(properties: &str) -> String {
    format!("<property-set xmlns='http://mcc.lip6.fr/'>\n{properties}</property-set>")
}

/// Reads the formula with this content, which is in line 2.
fn formula(content: &str) -> Result<Formula, String> {
    let mut file = read(&set(&property("f", content))).unwrap();
    assert!(file.cut_short.is_none());
    file.queries.remove(0).formula.map_err(|error| error.to_string())
}

const TRUE: &str = "<true/>";
const DEADLOCK: &str = "<deadlock/>";

fn boxed(formula: Formula) -> Box<Formula> {
    Box::new(formula)
}

#[test]
fn a_file_of_the_contest_is_read_as_it_stands() {
    let file = r#"<?xml version="1.0"?>
<property-set xmlns="http://mcc.lip6.fr/">
   <property>
      <id> M-PT-1-ReachabilityCardinality-2023-00 </id>
      <description>Automatically generated</description>
      <tags><is-ctl>true</is-ctl></tags>
      <formula>
         <all-paths><globally><disjunction>
            <negation><integer-le>
               <integer-constant>47</integer-constant>
               <tokens-count><place>queue</place><place> p </place><place>p</place></tokens-count>
            </integer-le></negation>
            <is-fireable><transition>u</transition><transition>t</transition></is-fireable>
            <deadlock/>
         </disjunction></globally></all-paths>
      </formula>
   </property>
</property-set>"#;
    let net = net();
    let [p, queue] = ["p", "queue"].map(|name| net.place_named(name).unwrap());
    let [t, u] = ["t", "u"].map(|name| net.transition_named(name).unwrap());
    let file = read(file).unwrap();
    assert!(file.cut_short.is_none());
    let [query] = &file.queries[..] else { panic!("one property") };
    assert_eq!(query.id, "M-PT-1-ReachabilityCardinality-2023-00");
    assert_eq!(query.description.as_deref(), Some("Automatically generated"));
    let expected = Formula::AllPaths(boxed(Formula::Globally(boxed(Formula::Or(vec![
        Formula::Not(boxed(Formula::Compare {
            left: Expression::Constant(47),
            relation: NumberRelation::AtMost,
            right: Expression::Tokens(vec![queue, p, p]),
        })),
        Formula::Fireable(vec![u, t]),
        Formula::Deadlock,
    ])))));
    assert_eq!(query.formula.as_ref(), Ok(&expected));
}

#[test]
fn every_operator_of_every_year_has_its_place_in_the_tree() {
    let (t, d) = (|| boxed(Formula::True), || boxed(Formula::Deadlock));
    for (operator, expected) in [
        ("all-paths", Formula::AllPaths(d())),
        ("exists-path", Formula::ExistsPath(d())),
        ("globally", Formula::Globally(d())),
        ("finally", Formula::Finally(d())),
        ("next", Formula::Next(d())),
        ("negation", Formula::Not(d())),
        ("not", Formula::Not(d())),
        ("invariant", Formula::AllPaths(boxed(Formula::Globally(d())))),
        ("possibility", Formula::ExistsPath(boxed(Formula::Finally(d())))),
        ("impossibility", Formula::Not(boxed(Formula::ExistsPath(boxed(Formula::Finally(d())))))),
    ] {
        let content = format!("<{operator}>{DEADLOCK}</{operator}>");
        assert_eq!(formula(&content), Ok(expected), "{operator}");
    }
    let both = || vec![Formula::True, Formula::Deadlock];
    for (operator, expected) in [
        ("conjunction", Formula::And(both())),
        ("and", Formula::And(both())),
        ("disjunction", Formula::Or(both())),
        ("or", Formula::Or(both())),
        ("implication", Formula::Implies(t(), d())),
        ("equivalence", Formula::Equivalent(t(), d())),
        ("exclusive-disjunction", Formula::Xor(t(), d())),
    ] {
        let content = format!("<{operator}>{TRUE}{DEADLOCK}</{operator}>");
        assert_eq!(formula(&content), Ok(expected), "{operator}");
    }
    let until = format!("<until><reach>{DEADLOCK}</reach><before>{TRUE}</before></until>");
    assert_eq!(formula(&until), Ok(Formula::Until { before: t(), reach: d() }));
    assert_eq!(formula("<false/>"), Ok(Formula::False));
}

#[test]
fn every_comparison_and_expression_has_its_place_in_the_tree() {
    let number = |n: i64| format!("<integer-constant> {n} </integer-constant>");
    for (element, relation) in [
        ("integer-le", NumberRelation::AtMost),
        ("integer-ge", NumberRelation::AtLeast),
        ("integer-lt", NumberRelation::Less),
        ("integer-gt", NumberRelation::Greater),
        ("integer-eq", NumberRelation::Equal),
        ("integer-ne", NumberRelation::Unequal),
    ] {
        let [one, two, three] = [-1, 2, 3].map(number);
        let content = format!(
            "<{element}><integer-sum>{one}{two}{three}</integer-sum><integer-difference>\
             <integer-product>{two}{three}</integer-product>{one}</integer-difference></{element}>"
        );
        let [one, two, three] = [-1, 2, 3].map(Expression::Constant);
        let left = Expression::Sum(vec![one.clone(), two.clone(), three.clone()]);
        let product = Expression::Product(vec![two, three]);
        let right = Expression::Difference(Box::new(product), Box::new(one));
        assert_eq!(formula(&content), Ok(Formula::Compare { left, relation, right }));
    }
}

#[test]
fn an_invalid_formula_does_not_affect_the_others() {
    let file = set(&[
        property("a", "<true/>"),
        property("b", "<is-fireable><transition>x</transition><x><y/></x></is-fireable>"),
        property("c", "<negation><k-safe/><conjunction/></negation>"),
        property("d", "<false/>"),
    ]
    .concat());
    let queries = read(&file).unwrap().queries;
    let shown: Vec<String> = queries
        .iter()
        .map(|query| match &query.formula {
            Ok(formula) => format!("{}: {formula:?}", query.id),
            Err(error) => format!("{}: {error}", query.id),
        })
        .collect();
    assert_eq!(
        shown,
        [
            "a: True",
            "b: line 3: the net has no transition `x`",
            "c: line 4: the operator `k-safe` is not supported",
            "d: False"
        ]
    );
}

#[test]
fn errors_in_formulas_are_reported() {
    let problem = |content: &str| formula(content).unwrap_err();
    let tokens = |place: &str| format!("<tokens-count><place>{place}</place></tokens-count>");
    let compare = |parts: &str| format!("<integer-le>{parts}</integer-le>");
    for (content, expected) in [
        (compare(&tokens("queu")), "the net has no place `queu`; did you mean `queue`?"),
        (compare(&tokens("t")), "the net has no place `t`; it is a transition"),
        (compare(&tokens("p")), "`integer-le` has 1 operands, expected 2"),
        (
            compare("<integer-constant>x</integer-constant>"),
            "found `x`, expected a whole number from -2^63 to 2^63 - 1",
        ),
        (
            compare("<integer-constant>9223372036854775808</integer-constant>"),
            "found `9223372036854775808`, expected a whole number from -2^63 to 2^63 - 1",
        ),
        (compare(TRUE), "found `a formula` inside `integer-le`, expected numbers"),
        ("<negation/>".into(), "`negation` has 0 operands, expected 1"),
        ("<conjunction/>".into(), "`conjunction` has 0 operands, expected at least 1"),
        ("<is-fireable/>".into(), "`is-fireable` has 0 operands, expected at least 1"),
        (
            "<is-fireable><place>p</place></is-fireable>".into(),
            "found `place` inside `is-fireable`, expected transitions",
        ),
        (
            "<negation><place-bound><place>p</place></place-bound></negation>".into(),
            "found `place-bound` inside `negation`, expected formulas",
        ),
        (
            format!("<until><before>{TRUE}</before><before>{TRUE}</before></until>"),
            "`until` has 2 operands, expected 2, one before and one reach",
        ),
        (
            format!("<negation><before>{TRUE}</before></negation>"),
            "found `before` inside `negation`, expected formulas",
        ),
        (tokens("p"), "found `a number` inside `formula`, expected a formula"),
        (String::new(), "`formula` has 0 operands, expected 1"),
        (TRUE.repeat(2), "`formula` has 2 operands, expected 1"),
    ] {
        assert_eq!(problem(&content), format!("line 2: {expected}"), "{content}");
    }
}

#[test]
fn properties_without_an_id_or_with_no_or_two_formulas_are_wrong() {
    let file = set("<property><formula><true/></formula></property>
         <property><id>b</id></property>
         <property><id>c</id><formula><true/></formula><formula><true/></formula></property>");
    let queries = read(&file).unwrap().queries;
    let shown: Vec<String> =
        queries.into_iter().map(|query| query.formula.unwrap_err().to_string()).collect();
    assert_eq!(
        shown,
        [
            "line 2: the property has no id",
            "line 3: the property has no formula",
            "line 4: the property has a second formula"
        ]
    );
}

#[test]
fn an_element_beside_properties_is_refused() {
    let problem = read(&set("<proprety/>")).unwrap_err().to_string();
    assert_eq!(
        problem,
        "q.xml:2:1: an element `proprety` beside properties is not supported; expected `<property>`"
    );
}

#[test]
fn the_query_file_of_another_model_is_recognised() {
    let wrong = |place: &str| format!("<place-bound><place>{place}</place></place-bound>");
    let file = set(&(property("a", &wrong("x")) + &property("b", &wrong("y"))));
    assert_eq!(
        read(&file).unwrap_err().to_string(),
        "q.xml: all 2 formulas name places or transitions that the net does not have; is this the \
         query file of another model? The first error: line 2: the net has no place `x`"
    );
    let file = set(&(property("a", &wrong("x")) + &property("b", &wrong("p"))));
    assert_eq!(read(&file).unwrap().queries.len(), 2);
}

#[test]
fn a_truncated_file_gives_the_queries_before_the_end() {
    let whole = set(&(property("a", TRUE) + &property("b", DEADLOCK)));
    let cut = &whole[..whole.find("<deadlock").unwrap()];
    let file = read(cut).unwrap();
    assert_eq!(file.queries.len(), 1);
    assert_eq!(
        file.cut_short.unwrap().to_string(),
        "q.xml:3:30: malformed XML: the file ends, but 3 elements are still open; was it cut off?"
    );
    let cut = &whole[..whole.find("<true").unwrap()];
    assert!(matches!(read(cut), Err(InputError::Malformed { .. })));
}

#[test]
fn files_without_queries_are_refused_with_the_reason() {
    assert_eq!(
        read("<toolspecific/>").unwrap_err().to_string(),
        "q.xml:1:1: found `<toolspecific>`, expected `<property-set>`; is this the right file?"
    );
    assert_eq!(
        read(" ").unwrap_err().to_string(),
        "q.xml: the file has no content, expected an element `<property-set>`"
    );
    assert!(read("<property-set/>").unwrap().queries.is_empty());
}

#[test]
fn nesting_is_followed_to_the_limit_and_no_further() {
    let deep =
        |levels: usize| "<negation>".repeat(levels) + "<deadlock/>" + &"</negation>".repeat(levels);
    // The innermost operator is a level of its own.
    let formula_at_the_limit = formula(&deep(MAX_DEPTH - 1)).unwrap();
    let lowered = lower(&formula_at_the_limit, &net());
    assert!(matches!(lowered, Ok(Query::Truth(Proposition::Constant(_)))));
    assert_eq!(formula_at_the_limit.clone(), formula_at_the_limit);
    // The depth limit holds for all operators, and on the stack of a thread, which is smaller than
    // the main thread's.
    let nested = |open: &str, inner: &str, close: &str, levels: usize| {
        open.repeat(levels) + inner + &close.repeat(levels)
    };
    let junctions = nested(
        "<conjunction><deadlock/><disjunction><deadlock/>",
        "<deadlock/>",
        "</disjunction></conjunction>",
        MAX_DEPTH / 2 - 2,
    );
    let question = format!("<exists-path><finally>{junctions}</finally></exists-path>");
    assert!(matches!(
        lower(&formula(&question).unwrap(), &net()),
        Ok(Query::Truth(Proposition::Atom(Goal::Reach(_))))
    ));
    assert!(lower(&formula(&junctions).unwrap(), &net()).is_ok());
    let one = "<integer-constant>1</integer-constant>";
    let open = format!("<integer-sum>{one}");
    let sums = nested(&open, one, "</integer-sum>", MAX_DEPTH - 1);
    let compare = format!("<integer-le>{sums}{one}</integer-le>");
    assert_eq!(
        lower(&formula(&compare).unwrap(), &net()),
        Ok(Query::Truth(Proposition::Constant(false)))
    );
    for levels in [MAX_DEPTH, 200_000] {
        let file = set(&(property("a", &deep(levels)) + &property("b", TRUE)));
        let queries = read(&file).unwrap().queries;
        assert_eq!(
            queries[0].formula.as_ref().unwrap_err().to_string(),
            "line 2: the formula is nested more than 2000 levels deep, which is not supported"
        );
        assert_eq!(queries[1].formula, Ok(Formula::True));
    }
}
