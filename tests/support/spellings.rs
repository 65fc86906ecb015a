//! Formulas in the syntax of each language, with variations.

use super::questions::{NumberTree, RandomFormula};
use fastrand::Rng;

/// A formula language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    Xml,
    Typed,
    Lola,
    /// The texts in the descriptions of the contest's XML files.
    Contest,
    /// The contest's grammar of 2011.
    Early,
}

/// Returns the contents of a file with one formula.
pub(crate) fn file(spelling: Spelling, form: &RandomFormula, rng: &mut Rng) -> String {
    match spelling {
        Spelling::Xml => format!(
            "<?xml version=\"1.0\"?>\n<property-set xmlns=\"http://mcc.lip6.fr/\"><property><id>q</id>\
             <description>d</description><formula>{}</formula></property></property-set>",
            xml(form, rng)
        ),
        Spelling::Typed => typed(form, rng),
        Spelling::Lola => format!("FORMULA {}", lola(form, rng)),
        Spelling::Contest => {
            format!("Property q\n  \"a remark\"\n  is:\n    {}\n  end.\n", contest(form, rng))
        }
        Spelling::Early => early(form),
    }
}

/// Returns a random alternative.
fn one<'t>(rng: &mut Rng, spellings: &[&'t str]) -> &'t str {
    spellings[rng.usize(..spellings.len())]
}

/// Returns the texts of all parts, joined with `between`.
fn all<T>(parts: &[T], mut each: impl FnMut(&T) -> String, between: &str) -> String {
    parts.iter().map(&mut each).collect::<Vec<_>>().join(between)
}

fn element(name: &str, inside: &str) -> String {
    format!("<{name}>{inside}</{name}>")
}

fn listed(kind: &str, names: &[String]) -> String {
    all(names, |name| element(kind, name), "")
}

fn xml(form: &RandomFormula, rng: &mut Rng) -> String {
    // The grammar of 2011 writes a quantifier together with its operator.
    let early = |form: &RandomFormula| match form {
        RandomFormula::All(path) => match &**path {
            RandomFormula::Globally(body) => Some(("invariant", (**body).clone())),
            _ => None,
        },
        RandomFormula::Exists(path) => match &**path {
            RandomFormula::Finally(body) => Some(("possibility", (**body).clone())),
            _ => None,
        },
        _ => None,
    };
    match form {
        RandomFormula::Not(inner) if rng.u8(..4) == 0 => {
            if let Some(("possibility", body)) = early(inner) {
                return element("impossibility", &xml(&body, rng));
            }
        }
        form if rng.u8(..6) == 0 => {
            if let Some((name, body)) = early(form) {
                return element(name, &xml(&body, rng));
            }
        }
        _ => {}
    }
    let two = |names: &[&str], parts: &[RandomFormula; 2], rng: &mut Rng| {
        let inside = xml(&parts[0], rng) + &xml(&parts[1], rng);
        element(one(rng, names), &inside)
    };
    match form {
        RandomFormula::True => "<true/>".to_owned(),
        RandomFormula::False => "<false/>".to_owned(),
        RandomFormula::Deadlock => format!("<{}/>", one(rng, &["deadlock", "is-deadlock"])),
        RandomFormula::Compare(left, relation, right) => {
            let name = match *relation {
                "<=" => "integer-le",
                ">=" => "integer-ge",
                "<" => "integer-lt",
                ">" => "integer-gt",
                "=" => "integer-eq",
                _ => "integer-ne",
            };
            element(name, &(xml_number(left, rng) + &xml_number(right, rng)))
        }
        RandomFormula::Fireable(any) => element("is-fireable", &listed("transition", any)),
        RandomFormula::Fires(any) => element("fires", &listed("transition", any)),
        RandomFormula::Not(part) => {
            let inside = xml(part, rng);
            element(one(rng, &["negation", "not"]), &inside)
        }
        RandomFormula::And(parts) => {
            let inside = all(parts, |part| xml(part, rng), "");
            element(one(rng, &["conjunction", "and"]), &inside)
        }
        RandomFormula::Or(parts) => {
            let inside = all(parts, |part| xml(part, rng), "");
            element(one(rng, &["disjunction", "or"]), &inside)
        }
        RandomFormula::Implies(parts) => two(&["implication"], parts, rng),
        RandomFormula::Alike(true, parts) => two(&["equivalence"], parts, rng),
        RandomFormula::Alike(false, parts) => two(&["exclusive-disjunction", "xor"], parts, rng),
        RandomFormula::All(path) => element("all-paths", &xml(path, rng)),
        RandomFormula::Exists(path) => element("exists-path", &xml(path, rng)),
        RandomFormula::Globally(part) => element("globally", &xml(part, rng)),
        RandomFormula::Finally(part) => element("finally", &xml(part, rng)),
        RandomFormula::Next(part) => element("next", &xml(part, rng)),
        RandomFormula::Until(parts) => {
            let before = element("before", &xml(&parts[0], rng));
            element("until", &(before + &element("reach", &xml(&parts[1], rng))))
        }
        RandomFormula::Bound(places) => element("place-bound", &listed("place", places)),
        RandomFormula::Constraint(name, _) => panic!("{name} is typed only"),
    }
}

fn xml_number(number: &NumberTree, rng: &mut Rng) -> String {
    match number {
        NumberTree::Constant(it) => element("integer-constant", &it.to_string()),
        NumberTree::Tokens(places) => element("tokens-count", &listed("place", places)),
        NumberTree::Sum(parts) => element("integer-sum", &all(parts, |it| xml_number(it, rng), "")),
        NumberTree::Difference(both) => {
            element("integer-difference", &all(&both[..], |it| xml_number(it, rng), ""))
        }
        NumberTree::Times(times, of) => {
            let factors = [xml_number(&NumberTree::Constant(*times), rng), xml_number(of, rng)];
            let order = if rng.bool() { [0, 1] } else { [1, 0] };
            element("integer-product", &order.map(|at| factors[at].clone()).concat())
        }
    }
}

fn typed(form: &RandomFormula, rng: &mut Rng) -> String {
    let around = |operator: &str, parts: &[RandomFormula; 2], rng: &mut Rng| {
        format!("({} {operator} {})", typed(&parts[0], rng), typed(&parts[1], rng))
    };
    match form {
        RandomFormula::True => "true".to_owned(),
        RandomFormula::False => "false".to_owned(),
        RandomFormula::Deadlock => "deadlock".to_owned(),
        RandomFormula::Compare(left, relation, right) => {
            let relation = match *relation {
                "=" => one(rng, &["=", "=="]),
                relation => relation,
            };
            format!("({} {relation} {})", typed_number(left), typed_number(right))
        }
        RandomFormula::Fireable(any) => {
            format!("{}({})", one(rng, &["fireable", "enabled"]), any.join(", "))
        }
        RandomFormula::Fires(any) => format!("fires({})", any.join(", ")),
        RandomFormula::Not(part) => format!("{} {}", one(rng, &["!", "not"]), typed(part, rng)),
        RandomFormula::And(parts) => {
            let operator = one(rng, &[" && ", " and ", " & "]);
            format!("({})", all(parts, |part| typed(part, rng), operator))
        }
        RandomFormula::Or(parts) => {
            let operator = one(rng, &[" || ", " or ", " | "]);
            format!("[{}]", all(parts, |part| typed(part, rng), operator))
        }
        RandomFormula::Implies(parts) => around(one(rng, &["->", "=>", "implies"]), parts, rng),
        RandomFormula::Alike(true, parts) => around(one(rng, &["<->", "<=>", "iff"]), parts, rng),
        RandomFormula::Alike(false, parts) => around("xor", parts, rng),
        RandomFormula::All(path) => format!("A {}", typed(path, rng)),
        RandomFormula::Exists(path) => format!("E {}", typed(path, rng)),
        RandomFormula::Globally(part) => format!("G {}", typed(part, rng)),
        RandomFormula::Finally(part) => format!("F {}", typed(part, rng)),
        RandomFormula::Next(part) => format!("X {}", typed(part, rng)),
        RandomFormula::Until(parts) => around("U", parts, rng),
        RandomFormula::Bound(places) => {
            format!("{}({})", one(rng, &["bound", "max"]), places.join(" + "))
        }
        RandomFormula::Constraint(name, activities) => format!("{name}({})", activities.join(", ")),
    }
}

fn typed_number(number: &NumberTree) -> String {
    match number {
        NumberTree::Constant(it) => it.to_string(),
        NumberTree::Tokens(places) => format!("tokens({})", places.join(", ")),
        NumberTree::Sum(parts) => format!("({})", all(parts, typed_number, " + ")),
        NumberTree::Difference(both) => {
            format!("({} - {})", typed_number(&both[0]), typed_number(&both[1]))
        }
        NumberTree::Times(times, of) => format!("{times}*{}", typed_number(of)),
    }
}

fn lola(form: &RandomFormula, rng: &mut Rng) -> String {
    let around = |operator: &str, parts: &[RandomFormula; 2], rng: &mut Rng| {
        format!("({} {operator} {})", lola(&parts[0], rng), lola(&parts[1], rng))
    };
    match form {
        RandomFormula::True => "TRUE".to_owned(),
        RandomFormula::False => "FALSE".to_owned(),
        RandomFormula::Deadlock => "DEADLOCK".to_owned(),
        RandomFormula::Compare(left, relation, right) => {
            format!("({} {relation} {})", lola_number(left), lola_number(right))
        }
        RandomFormula::Fireable(any) => {
            format!("({})", all(any, |it| format!("FIREABLE({it})"), " OR "))
        }
        RandomFormula::Not(part) => format!("NOT ({})", lola(part, rng)),
        RandomFormula::And(parts) => format!("({})", all(parts, |part| lola(part, rng), " AND ")),
        RandomFormula::Or(parts) => format!("({})", all(parts, |part| lola(part, rng), " OR ")),
        RandomFormula::Implies(parts) => around("->", parts, rng),
        RandomFormula::Alike(true, parts) => around("<->", parts, rng),
        RandomFormula::Alike(false, parts) => around("XOR", parts, rng),
        RandomFormula::All(path) => {
            format!("{} ({})", one(rng, &["A", "ALLPATH"]), lola(path, rng))
        }
        RandomFormula::Exists(path) => {
            format!("{} ({})", one(rng, &["E", "EXPATH"]), lola(path, rng))
        }
        RandomFormula::Globally(part) => {
            format!("{} ({})", one(rng, &["G", "ALWAYS"]), lola(part, rng))
        }
        RandomFormula::Finally(part) => {
            format!("{} ({})", one(rng, &["F", "EVENTUALLY"]), lola(part, rng))
        }
        RandomFormula::Next(part) => {
            format!("{} ({})", one(rng, &["X", "NEXTSTATE"]), lola(part, rng))
        }
        RandomFormula::Until(parts) => around(one(rng, &["U", "UNTIL"]), parts, rng),
        other => panic!("{other:?} is nothing of LoLA"),
    }
}

fn lola_number(number: &NumberTree) -> String {
    match number {
        NumberTree::Constant(it) => it.to_string(),
        NumberTree::Tokens(places) => format!("({})", places.join(" + ")),
        NumberTree::Sum(parts) => format!("({})", all(parts, lola_number, " + ")),
        NumberTree::Difference(both) => {
            format!("({} - {})", lola_number(&both[0]), lola_number(&both[1]))
        }
        NumberTree::Times(times, of) => format!("{times} * {}", lola_number(of)),
    }
}

fn contest(form: &RandomFormula, rng: &mut Rng) -> String {
    let quoted = |names: &[String]| all(names, |name| format!("\"{name}\""), ", ");
    let around = |operator: &str, parts: &[RandomFormula; 2], rng: &mut Rng| {
        format!("({} {operator} {})", contest(&parts[0], rng), contest(&parts[1], rng))
    };
    match form {
        RandomFormula::True => "true".to_owned(),
        RandomFormula::False => "false".to_owned(),
        RandomFormula::Deadlock => "deadlock".to_owned(),
        RandomFormula::Compare(left, relation, right) => {
            format!("({} {relation} {})", contest_number(left, rng), contest_number(right, rng))
        }
        RandomFormula::Fireable(any) => match (rng.u8(..3), any.len()) {
            (0, _) => format!("is-fireable({})", quoted(any)),
            (1, 1) => format!("\"{}\"?", any[0]),
            _ => format!("({})?", quoted(any)),
        },
        RandomFormula::Not(part) => format!("!({})", contest(part, rng)),
        RandomFormula::And(parts) => format!("({})", all(parts, |part| contest(part, rng), " & ")),
        RandomFormula::Or(parts) => format!("({})", all(parts, |part| contest(part, rng), " | ")),
        RandomFormula::Implies(parts) => around("->", parts, rng),
        RandomFormula::Alike(true, parts) => around("<->", parts, rng),
        RandomFormula::Alike(false, parts) => format!("!{}", around("<->", parts, rng)),
        RandomFormula::All(path) => format!("A ({})", contest(path, rng)),
        RandomFormula::Exists(path) => format!("E ({})", contest(path, rng)),
        RandomFormula::Globally(part) => format!("G ({})", contest(part, rng)),
        RandomFormula::Finally(part) => format!("F ({})", contest(part, rng)),
        RandomFormula::Next(part) => format!("X ({})", contest(part, rng)),
        // Until binds more loosely than all other operators.
        RandomFormula::Until(parts) => around("U", parts, rng),
        RandomFormula::Bound(places) => {
            format!("{}({})", one(rng, &["bound", "place-bound"]), quoted(places))
        }
        other => panic!("{other:?} is nothing of the contest's texts"),
    }
}

fn contest_number(number: &NumberTree, rng: &mut Rng) -> String {
    match number {
        NumberTree::Constant(it) => it.to_string(),
        NumberTree::Tokens(places) => {
            let quoted = all(places, |name| format!("\"{name}\""), ", ");
            format!("{}({quoted})", one(rng, &["tokens-count", "#tokens"]))
        }
        NumberTree::Sum(parts) => format!("({})", all(parts, |it| contest_number(it, rng), " + ")),
        NumberTree::Difference(both) => {
            format!("({} - {})", contest_number(&both[0], rng), contest_number(&both[1], rng))
        }
        NumberTree::Times(times, of) => format!("{times} * {}", contest_number(of, rng)),
    }
}

/// Returns AG or EF of comparisons of one place, in the grammar of 2011.
fn early(form: &RandomFormula) -> String {
    let body = |form: &RandomFormula| match form {
        RandomFormula::Globally(body) | RandomFormula::Finally(body) => early_body(body),
        other => panic!("{other:?} is nothing of 2011"),
    };
    match form {
        RandomFormula::All(path) => format!("q = invariant {}\n", body(path)),
        RandomFormula::Exists(path) => format!("q = reachable {}\n", body(path)),
        other => panic!("{other:?} is nothing of 2011"),
    }
}

fn early_body(form: &RandomFormula) -> String {
    match form {
        RandomFormula::Not(part) => format!("not ({})", early_body(part)),
        RandomFormula::And(parts) => format!("({})", all(parts, early_body, " and ")),
        RandomFormula::Or(parts) => format!("({})", all(parts, early_body, " or ")),
        RandomFormula::Compare(
            NumberTree::Tokens(places),
            relation,
            NumberTree::Constant(count),
        ) => {
            let verb = if *relation == "=" { "equals" } else { "contains" };
            // A place, optionally with one of its colours.
            let (place, colour) = match places[0].split_once('(') {
                Some((place, colour)) => (place, colour.trim_end_matches(')')),
                None => (&*places[0], "."),
            };
            format!("({place} {verb} {{{count}*[{colour}]}})")
        }
        other => panic!("{other:?} is nothing of 2011"),
    }
}
