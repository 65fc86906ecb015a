//! Formulas in the syntax of each language, with variations.

use super::questions::{Form, Number};
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
pub(crate) fn file(spelling: Spelling, form: &Form, rng: &mut Rng) -> String {
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

fn all<T>(parts: &[T], mut each: impl FnMut(&T) -> String, between: &str) -> String {
    parts.iter().map(&mut each).collect::<Vec<_>>().join(between)
}

fn element(name: &str, inside: &str) -> String {
    format!("<{name}>{inside}</{name}>")
}

fn listed(kind: &str, names: &[String]) -> String {
    all(names, |name| element(kind, name), "")
}

fn xml(form: &Form, rng: &mut Rng) -> String {
    // The grammar of 2011 writes a quantifier together with its operator.
    let early = |form: &Form| match form {
        Form::All(path) => match &**path {
            Form::Globally(body) => Some(("invariant", (**body).clone())),
            _ => None,
        },
        Form::Exists(path) => match &**path {
            Form::Finally(body) => Some(("possibility", (**body).clone())),
            _ => None,
        },
        _ => None,
    };
    match form {
        Form::Not(inner) if rng.u8(..4) == 0 => {
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
    let two = |names: &[&str], parts: &[Form; 2], rng: &mut Rng| {
        let inside = xml(&parts[0], rng) + &xml(&parts[1], rng);
        element(one(rng, names), &inside)
    };
    match form {
        Form::True => "<true/>".to_owned(),
        Form::False => "<false/>".to_owned(),
        Form::Deadlock => format!("<{}/>", one(rng, &["deadlock", "is-deadlock"])),
        Form::Compare(left, relation, right) => {
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
        Form::Fireable(any) => element("is-fireable", &listed("transition", any)),
        Form::Fires(any) => element("fires", &listed("transition", any)),
        Form::Not(part) => {
            let inside = xml(part, rng);
            element(one(rng, &["negation", "not"]), &inside)
        }
        Form::And(parts) => {
            let inside = all(parts, |part| xml(part, rng), "");
            element(one(rng, &["conjunction", "and"]), &inside)
        }
        Form::Or(parts) => {
            let inside = all(parts, |part| xml(part, rng), "");
            element(one(rng, &["disjunction", "or"]), &inside)
        }
        Form::Implies(parts) => two(&["implication"], parts, rng),
        Form::Alike(true, parts) => two(&["equivalence"], parts, rng),
        Form::Alike(false, parts) => two(&["exclusive-disjunction", "xor"], parts, rng),
        Form::All(path) => element("all-paths", &xml(path, rng)),
        Form::Exists(path) => element("exists-path", &xml(path, rng)),
        Form::Globally(part) => element("globally", &xml(part, rng)),
        Form::Finally(part) => element("finally", &xml(part, rng)),
        Form::Next(part) => element("next", &xml(part, rng)),
        Form::Until(parts) => {
            let before = element("before", &xml(&parts[0], rng));
            element("until", &(before + &element("reach", &xml(&parts[1], rng))))
        }
        Form::Bound(places) => element("place-bound", &listed("place", places)),
        Form::Constraint(name, _) => panic!("{name} is typed only"),
    }
}

fn xml_number(number: &Number, rng: &mut Rng) -> String {
    match number {
        Number::Constant(it) => element("integer-constant", &it.to_string()),
        Number::Tokens(places) => element("tokens-count", &listed("place", places)),
        Number::Sum(parts) => element("integer-sum", &all(parts, |it| xml_number(it, rng), "")),
        Number::Difference(both) => {
            element("integer-difference", &all(&both[..], |it| xml_number(it, rng), ""))
        }
        Number::Times(times, of) => {
            let factors = [xml_number(&Number::Constant(*times), rng), xml_number(of, rng)];
            let order = if rng.bool() { [0, 1] } else { [1, 0] };
            element("integer-product", &order.map(|at| factors[at].clone()).concat())
        }
    }
}

fn typed(form: &Form, rng: &mut Rng) -> String {
    let around = |operator: &str, parts: &[Form; 2], rng: &mut Rng| {
        format!("({} {operator} {})", typed(&parts[0], rng), typed(&parts[1], rng))
    };
    match form {
        Form::True => "true".to_owned(),
        Form::False => "false".to_owned(),
        Form::Deadlock => "deadlock".to_owned(),
        Form::Compare(left, relation, right) => {
            let relation = match *relation {
                "=" => one(rng, &["=", "=="]),
                relation => relation,
            };
            format!("({} {relation} {})", typed_number(left), typed_number(right))
        }
        Form::Fireable(any) => {
            format!("{}({})", one(rng, &["fireable", "enabled"]), any.join(", "))
        }
        Form::Fires(any) => format!("fires({})", any.join(", ")),
        Form::Not(part) => format!("{} {}", one(rng, &["!", "not"]), typed(part, rng)),
        Form::And(parts) => {
            let operator = one(rng, &[" && ", " and ", " & "]);
            format!("({})", all(parts, |part| typed(part, rng), operator))
        }
        Form::Or(parts) => {
            let operator = one(rng, &[" || ", " or ", " | "]);
            format!("[{}]", all(parts, |part| typed(part, rng), operator))
        }
        Form::Implies(parts) => around(one(rng, &["->", "=>", "implies"]), parts, rng),
        Form::Alike(true, parts) => around(one(rng, &["<->", "<=>", "iff"]), parts, rng),
        Form::Alike(false, parts) => around("xor", parts, rng),
        Form::All(path) => format!("A {}", typed(path, rng)),
        Form::Exists(path) => format!("E {}", typed(path, rng)),
        Form::Globally(part) => format!("G {}", typed(part, rng)),
        Form::Finally(part) => format!("F {}", typed(part, rng)),
        Form::Next(part) => format!("X {}", typed(part, rng)),
        Form::Until(parts) => around("U", parts, rng),
        Form::Bound(places) => format!("{}({})", one(rng, &["bound", "max"]), places.join(" + ")),
        Form::Constraint(name, activities) => format!("{name}({})", activities.join(", ")),
    }
}

fn typed_number(number: &Number) -> String {
    match number {
        Number::Constant(it) => it.to_string(),
        Number::Tokens(places) => format!("tokens({})", places.join(", ")),
        Number::Sum(parts) => format!("({})", all(parts, typed_number, " + ")),
        Number::Difference(both) => {
            format!("({} - {})", typed_number(&both[0]), typed_number(&both[1]))
        }
        Number::Times(times, of) => format!("{times}*{}", typed_number(of)),
    }
}

fn lola(form: &Form, rng: &mut Rng) -> String {
    let around = |operator: &str, parts: &[Form; 2], rng: &mut Rng| {
        format!("({} {operator} {})", lola(&parts[0], rng), lola(&parts[1], rng))
    };
    match form {
        Form::True => "TRUE".to_owned(),
        Form::False => "FALSE".to_owned(),
        Form::Deadlock => "DEADLOCK".to_owned(),
        Form::Compare(left, relation, right) => {
            format!("({} {relation} {})", lola_number(left), lola_number(right))
        }
        Form::Fireable(any) => {
            format!("({})", all(any, |it| format!("FIREABLE({it})"), " OR "))
        }
        Form::Not(part) => format!("NOT ({})", lola(part, rng)),
        Form::And(parts) => format!("({})", all(parts, |part| lola(part, rng), " AND ")),
        Form::Or(parts) => format!("({})", all(parts, |part| lola(part, rng), " OR ")),
        Form::Implies(parts) => around("->", parts, rng),
        Form::Alike(true, parts) => around("<->", parts, rng),
        Form::Alike(false, parts) => around("XOR", parts, rng),
        Form::All(path) => format!("{} ({})", one(rng, &["A", "ALLPATH"]), lola(path, rng)),
        Form::Exists(path) => format!("{} ({})", one(rng, &["E", "EXPATH"]), lola(path, rng)),
        Form::Globally(part) => format!("{} ({})", one(rng, &["G", "ALWAYS"]), lola(part, rng)),
        Form::Finally(part) => {
            format!("{} ({})", one(rng, &["F", "EVENTUALLY"]), lola(part, rng))
        }
        Form::Next(part) => format!("{} ({})", one(rng, &["X", "NEXTSTATE"]), lola(part, rng)),
        Form::Until(parts) => around(one(rng, &["U", "UNTIL"]), parts, rng),
        other => panic!("{other:?} is nothing of LoLA"),
    }
}

fn lola_number(number: &Number) -> String {
    match number {
        Number::Constant(it) => it.to_string(),
        Number::Tokens(places) => format!("({})", places.join(" + ")),
        Number::Sum(parts) => format!("({})", all(parts, lola_number, " + ")),
        Number::Difference(both) => {
            format!("({} - {})", lola_number(&both[0]), lola_number(&both[1]))
        }
        Number::Times(times, of) => format!("{times} * {}", lola_number(of)),
    }
}

fn contest(form: &Form, rng: &mut Rng) -> String {
    let quoted = |names: &[String]| all(names, |name| format!("\"{name}\""), ", ");
    let around = |operator: &str, parts: &[Form; 2], rng: &mut Rng| {
        format!("({} {operator} {})", contest(&parts[0], rng), contest(&parts[1], rng))
    };
    match form {
        Form::True => "true".to_owned(),
        Form::False => "false".to_owned(),
        Form::Deadlock => "deadlock".to_owned(),
        Form::Compare(left, relation, right) => {
            format!("({} {relation} {})", contest_number(left, rng), contest_number(right, rng))
        }
        Form::Fireable(any) => match (rng.u8(..3), any.len()) {
            (0, _) => format!("is-fireable({})", quoted(any)),
            (1, 1) => format!("\"{}\"?", any[0]),
            _ => format!("({})?", quoted(any)),
        },
        Form::Not(part) => format!("!({})", contest(part, rng)),
        Form::And(parts) => format!("({})", all(parts, |part| contest(part, rng), " & ")),
        Form::Or(parts) => format!("({})", all(parts, |part| contest(part, rng), " | ")),
        Form::Implies(parts) => around("->", parts, rng),
        Form::Alike(true, parts) => around("<->", parts, rng),
        Form::Alike(false, parts) => format!("!{}", around("<->", parts, rng)),
        Form::All(path) => format!("A ({})", contest(path, rng)),
        Form::Exists(path) => format!("E ({})", contest(path, rng)),
        Form::Globally(part) => format!("G ({})", contest(part, rng)),
        Form::Finally(part) => format!("F ({})", contest(part, rng)),
        Form::Next(part) => format!("X ({})", contest(part, rng)),
        // Until binds more loosely than all other operators.
        Form::Until(parts) => around("U", parts, rng),
        Form::Bound(places) => {
            format!("{}({})", one(rng, &["bound", "place-bound"]), quoted(places))
        }
        other => panic!("{other:?} is nothing of the contest's texts"),
    }
}

fn contest_number(number: &Number, rng: &mut Rng) -> String {
    match number {
        Number::Constant(it) => it.to_string(),
        Number::Tokens(places) => {
            let quoted = all(places, |name| format!("\"{name}\""), ", ");
            format!("{}({quoted})", one(rng, &["tokens-count", "#tokens"]))
        }
        Number::Sum(parts) => format!("({})", all(parts, |it| contest_number(it, rng), " + ")),
        Number::Difference(both) => {
            format!("({} - {})", contest_number(&both[0], rng), contest_number(&both[1], rng))
        }
        Number::Times(times, of) => format!("{times} * {}", contest_number(of, rng)),
    }
}

/// Returns AG or EF of comparisons of one place, in the grammar of 2011.
fn early(form: &Form) -> String {
    let body = |form: &Form| match form {
        Form::Globally(body) | Form::Finally(body) => early_body(body),
        other => panic!("{other:?} is nothing of 2011"),
    };
    match form {
        Form::All(path) => format!("q = invariant {}\n", body(path)),
        Form::Exists(path) => format!("q = reachable {}\n", body(path)),
        other => panic!("{other:?} is nothing of 2011"),
    }
}

fn early_body(form: &Form) -> String {
    match form {
        Form::Not(part) => format!("not ({})", early_body(part)),
        Form::And(parts) => format!("({})", all(parts, early_body, " and ")),
        Form::Or(parts) => format!("({})", all(parts, early_body, " or ")),
        Form::Compare(Number::Tokens(places), relation, Number::Constant(count)) => {
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
