//! The auditor's reader of typed formulas against the prover's reader: sequences of random words
//! with few brackets, to test operator precedence.

use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::formula::text::read_one;
use parikh::formula::{Expression, Formula, NumberRelation};
use parikh::net::{Net, Predicate, text};
use parikh_evidence::question::Question;
use parikh_evidence::reader::queries::{self, typed};
use std::fmt::Write as _;

fn net() -> Net {
    text::parse("net n\nplace \"odd one\" 2\nplace q\nplace A.1 1\ntransition t: q -> A.1\ntransition \"no < & >\": \"odd one\" -> q")
        .unwrap_or_else(|error| panic!("{error}"))
}

const PLACES: [&str; 3] = ["\"odd one\"", "q", "A.1"];

/// Returns a random numeric expression.
fn number(rng: &mut Rng) -> String {
    let place = PLACES[rng.usize(..3)];
    match rng.u8(..6) {
        0 => rng.u8(..4).to_string(),
        1 => format!("{}*{place}", rng.u8(..3)),
        2 => format!("{place} - {}", number(rng)),
        3 => format!("tokens({place}, q) + -1"),
        4 => format!("2*({place} + {})", number(rng)),
        _ => place.to_owned(),
    }
}

/// Returns a random sequence of words that resembles a formula.
fn words(rng: &mut Rng, length: usize) -> String {
    let atom = |rng: &mut Rng| match rng.u8(..8) {
        0 => "deadlock".to_owned(),
        1 => "fireable(t, \"no < & >\")".to_owned(),
        2 => "fires(t)".to_owned(),
        3 => "response(t, \"no < & >\")".to_owned(),
        4 => "true".to_owned(),
        _ => {
            let relations = ["<=", ">=", "<", ">", "=", "==", "!=", "<>", "=<"];
            format!("{} {} {}", number(rng), relations[rng.usize(..9)], number(rng))
        }
    };
    let mut text = String::new();
    for at in 0..length {
        if at > 0 {
            let infix = ["&&", "||", "->", "<->", "xor", "U", "and", "or", "|", "implies"];
            let _ = write!(text, " {} ", infix[rng.usize(..infix.len())]);
        }
        for _ in 0..rng.usize(..3) {
            let prefix = ["!", "not", "AG", "EF", "A", "E", "G", "F", "X", "AX", "EG", "AF"];
            let _ = write!(text, "{} ", prefix[rng.usize(..prefix.len())]);
        }
        match rng.u8(..4) {
            0 if length > 1 => {
                let inner = words(rng, length - 1);
                let _ = write!(text, "({inner})");
            }
            _ => text.push_str(&atom(rng)),
        }
    }
    text
}

/// Returns the formula in the contest's XML, in which precedence does not matter.
fn xml(formula: &Formula, net: &Net) -> String {
    let one = |name: &str, part: &Formula| format!("<{name}>{}</{name}>", xml(part, net));
    let all = |name: &str, parts: &[&Formula]| {
        let parts: String = parts.iter().map(|part| xml(part, net)).collect();
        format!("<{name}>{parts}</{name}>")
    };
    let name = |name: &str| name.replace('&', "&amp;").replace('<', "&lt;");
    let transitions = |all: &[_]| -> String {
        let names = all.iter().map(|&t| name(net.transition_name(t)));
        names.map(|name| format!("<transition>{name}</transition>")).collect()
    };
    match formula {
        Formula::AllPaths(it) => one("all-paths", it),
        Formula::ExistsPath(it) => one("exists-path", it),
        Formula::Globally(it) => one("globally", it),
        Formula::Finally(it) => one("finally", it),
        Formula::Next(it) => one("next", it),
        Formula::Not(it) => one("negation", it),
        Formula::And(parts) => all("conjunction", &parts.iter().collect::<Vec<_>>()),
        Formula::Or(parts) => all("disjunction", &parts.iter().collect::<Vec<_>>()),
        Formula::Implies(a, b) => all("implication", &[&**a, &**b]),
        Formula::Until { before, reach } => {
            format!("<until>{}{}</until>", one("before", before), one("reach", reach))
        }
        Formula::Equivalent(a, b) => all("equivalence", &[&**a, &**b]),
        Formula::Xor(a, b) => all("exclusive-disjunction", &[&**a, &**b]),
        Formula::Fireable(any) => format!("<is-fireable>{}</is-fireable>", transitions(any)),
        Formula::Fires(any) => format!("<fires>{}</fires>", transitions(any)),
        Formula::Deadlock => "<deadlock/>".to_owned(),
        Formula::True => "<true/>".to_owned(),
        Formula::False => "<false/>".to_owned(),
        Formula::PlaceBound(_) => panic!("no bound is written"),
        Formula::Compare { left, relation, right } => {
            let name = match relation {
                NumberRelation::AtMost => "integer-le",
                NumberRelation::AtLeast => "integer-ge",
                NumberRelation::Less => "integer-lt",
                NumberRelation::Greater => "integer-gt",
                NumberRelation::Equal => "integer-eq",
                NumberRelation::Unequal => "integer-ne",
            };
            // Each place is moved to the side where its coefficient is positive.
            let mut counts = vec![0i64; net.place_count()];
            let mut constant = 0;
            count(left, 1, &mut counts, &mut constant);
            count(right, -1, &mut counts, &mut constant);
            let side = |sign: i64| {
                let listed = net.places().flat_map(|p| {
                    let times = usize::try_from(sign * counts[p.index()]).unwrap_or(0);
                    vec![format!("<place>{}</place>", net.place_name(p)); times]
                });
                let listed: String = listed.collect();
                let constant = (sign * constant).max(0);
                let tokens = match listed.is_empty() {
                    true => String::new(),
                    false => format!("<tokens-count>{listed}</tokens-count>"),
                };
                let constant = format!("<integer-constant>{constant}</integer-constant>");
                format!("<integer-sum>{tokens}{constant}</integer-sum>")
            };
            format!("<{name}>{}{}</{name}>", side(1), side(-1))
        }
    }
}

/// Adds `factor` times a numeric expression.
fn count(number: &Expression, factor: i64, counts: &mut [i64], constant: &mut i64) {
    match number {
        Expression::Constant(it) => *constant += factor * it,
        Expression::Tokens(places) => places.iter().for_each(|p| counts[p.index()] += factor),
        Expression::Sum(parts) => {
            parts.iter().for_each(|it| count(it, factor, counts, constant));
        }
        Expression::Difference(a, b) => {
            count(a, factor, counts, constant);
            count(b, -factor, counts, constant);
        }
        Expression::Product(parts) => {
            let constants = parts.iter().filter_map(|it| match it {
                Expression::Constant(it) => Some(it),
                _ => None,
            });
            let others = parts.iter().find(|it| !matches!(it, Expression::Constant(_)));
            let factor = factor * constants.product::<i64>();
            count(others.unwrap_or(&Expression::Constant(1)), factor, counts, constant);
        }
    }
}

/// Returns true if a temporal operator is outside of every path quantifier.
fn is_of_a_run(formula: &Formula) -> bool {
    match formula {
        Formula::AllPaths(_) | Formula::ExistsPath(_) => false,
        Formula::Globally(_)
        | Formula::Finally(_)
        | Formula::Next(_)
        | Formula::Until { .. }
        | Formula::Fires(_) => true,
        Formula::Not(it) => is_of_a_run(it),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(is_of_a_run),
        Formula::Implies(a, b) | Formula::Equivalent(a, b) | Formula::Xor(a, b) => {
            is_of_a_run(a) || is_of_a_run(b)
        }
        _ => false,
    }
}

#[test]
fn both_readers_of_typed_formulas_understand_the_same() {
    let net = net();
    let (mut alike, mut refused) = (0, 0);
    for seed in 0..scaled(20_000) {
        let mut rng = Rng::with_seed(seed);
        let length = rng.usize(1..4);
        let text = words(&mut rng, length);
        let typed = typed::read_one(&net, &text, &queries::read);
        let Ok(formula) = read_one(&text, "--formula", &net).formula else {
            refused += 1;
            continue;
        };
        let mut tree = xml(&formula, &net);
        if is_of_a_run(&formula) {
            tree = format!("<all-paths>{tree}</all-paths>");
        }
        let file = format!(
            "<property-set><property><id>f</id><formula>{tree}</formula></property></property-set>"
        );
        let plain = queries::read(&net, file.as_bytes()).unwrap().remove(0).question;
        match (&typed.question, &plain) {
            (Ok(typed), Ok(plain)) => {
                assert_eq!(typed, plain, "seed {seed}: {text}");
                alike += 1;
            }
            (Err(typed), Err(plain)) => assert_eq!(typed.what, plain.what, "seed {seed}: {text}"),
            other => panic!("seed {seed}: {text}: {other:?}"),
        }
    }
    assert!(alike > 2_000 && refused > 20, "{alike} {refused}");
}

#[test]
fn names_and_files_are_read_as_the_prover_reads_them() {
    let net = net();
    let file = "# a remark\none: EF q >= 1 # and another\n\nAG (q <= 2\n  && A.1 >= 0)\nbound(q, \"odd one\")\n";
    let mut read = typed::read(&net, file, &queries::read);
    typed::name_unnamed(&mut read);
    let ids: Vec<&str> = read.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids, ["one", "formula-2", "formula-3"]);
    assert!(read.iter().all(|it| it.question.is_ok()), "{read:?}");

    let lola = "FORMULA EF (q > 1 AND NOT FIREABLE(t));\n{ no } /*/ no */ AGEF DEADLOCK";
    let questions = |text| -> Vec<_> {
        let read = typed::read(&net, text, &queries::read);
        read.into_iter().map(|it| it.question.unwrap()).collect()
    };
    assert_eq!(questions(lola), questions("EF (q > 1 && !fireable(t))\nAG EF deadlock"));

    let wrong = [
        ("EF (q >= 1", "found the end of the formula, expected `)`"),
        ("q", "found a number, expected a formula"),
        ("EF q >= 1 >= 2", "found a formula, expected a number"),
        ("EF nowhere >= 1", "the net has no place"),
        ("EF fireable(q)", "the net has no transition"),
        ("EF bound(q)", "`bound` cannot be part of another formula"),
        ("EF q*q >= 1", "a product of token counts"),
        ("EF q >= 99999999999999999999", "is not a number below 2^63"),
        ("EF (q >= 1) q", "found `q`, expected an operator or the end of the formula"),
        ("EF ?", "unexpected character"),
        ("EF \"q", "an unclosed quote"),
        ("response(t)", "`response` takes 2 activities, not 1"),
    ];
    for (text, expected) in wrong {
        let what = typed::read_one(&net, text, &queries::read).question.unwrap_err().what;
        assert!(what.contains(expected), "{text}: {what}");
    }
}

#[test]
fn names_keep_their_blanks_and_line_ends() {
    let net = text::parse(
        "net n\nplace p 1\nplace \" p\"\nplace \"a\\nb\"\nplace \"a\\rb\" 1\ntransition \" t \": p -> p",
    );
    let net = net.unwrap();
    for name in ["p", " p", "a\nb", "a\rb"] {
        let text =
            format!("initially: \"{}\" >= 1", name.replace('\n', "\\\n").replace('\r', "\\\r"));
        let question = typed::read_one(&net, &text, &queries::read).question;
        let place = net.place_named(name).unwrap();
        let expected = Predicate::at_least(place, 1);
        assert_eq!(question.unwrap(), Question::Initially(expected.sorted()), "{name:?}");
    }
    assert!(typed::read_one(&net, "fireable(\" t \")", &queries::read).question.is_ok());
    assert!(typed::read_one(&net, "fireable(\"t\")", &queries::read).question.is_err());
}

#[test]
fn both_readers_name_activities_by_labels() {
    let file = "<pnml><net id='n' type='http://x/ptnet'><place id='p'><initialMarking><text>1</text>\
         </initialMarking></place><transition id='t'><name><text>u</text></name></transition>\
         <transition id='u'><name><value> t </value></name></transition>\
         <arc source='p' target='t'/></net></pnml>";
    let tina = "net n\npl p (1)\ntr t : u p ->\ntr u\nlb u t\n";
    for (name, file) in [("n.pnml", file), ("n.net", tina)] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        std::fs::write(&path, file).unwrap();
        let Ok(parikh::input::SourceModel::Net(first)) = parikh::input::read_source(&path) else {
            panic!("{name} is not read")
        };
        let second = parikh_evidence::reader::read_model(file.as_bytes()).unwrap().net;
        for t in first.core().transitions() {
            let (first, second) = (first.core(), second.core());
            assert_eq!(first.transition_label(t), second.transition_label(t), "{name}");
        }
        let question = |text: &str| {
            let read = typed::read_one(second.core(), text, &queries::read);
            read.question.unwrap()
        };
        assert_eq!(question("init(t)"), question("fires(u)"), "{name}");
        assert_eq!(question("init(u)"), question("fires(t)"), "{name}");
    }
}

#[test]
fn deep_and_long_formulas_are_read_or_refused() {
    let net = net();
    let question = |text: &str| typed::read_one(&net, text, &queries::read).question;
    let chain = vec!["q >= 1"; 30_000].join(" && ");
    assert!(question(&format!("EF ({chain})")).is_ok());
    assert!(question(&format!("EF {}q >= 1{}", "(".repeat(15_000), ")".repeat(15_000))).is_ok());
    assert!(question(&format!("EF {}q >= 1", "(".repeat(30_000))).is_err());
    assert!(question(&format!("{} q >= 1", "AX ".repeat(5_000))).is_err());
    let doubled = vec!["q >= 1"; 60].join(" xor ");
    let refused = question(&format!("EF ({doubled})")).unwrap_err().what;
    assert_eq!(refused, "the formula has too many equivalences");
}
