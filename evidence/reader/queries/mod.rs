//! Query files of the Model Checking Contest: from the XML to what is asked of the reachable
//! markings.
//!
//! ```xml
//! <property-set xmlns="http://mcc.lip6.fr/">
//!   <property><id>Mutex-PT-02-ReachabilityCardinality-2025-00</id>
//!     <formula><all-paths><globally>
//!       <integer-le><tokens-count><place>in1</place><place>in2</place></tokens-count>
//!                   <integer-constant>1</integer-constant></integer-le>
//!     </globally></all-paths></formula></property>
//! ```
//!
//! # Meaning
//! - `exists-path` of `finally` φ (EF φ) holds if φ holds in a reachable marking, of which the
//!   initial one is one. `all-paths` of `globally` φ (AG φ) holds if φ holds in all of them, that
//!   is, if ¬φ in none. A negation around either is turned round. A formula without either is about
//!   the initial marking.
//! - `place-bound` asks for the largest value of the sum of the tokens of its places. It is the
//!   maximum of the sum, not the sum of the maxima. A place listed twice counts twice.
//! - `tokens-count` is the sum of the tokens of its places, `is-fireable` holds if at least one of
//!   its transitions is enabled, `deadlock` if none of the net's is. A place of a coloured net
//!   stands for all its colours, a transition for all its bindings.
//! - Path quantifiers below each other are formulas of CTL (`trees`). Some are more than that:
//!   `all-paths` of `globally` of `exists-path` of `finally` φ (AG EF φ) holds if φ can be reached
//!   from every reachable marking; EF AG φ is its negation with ¬φ.
//! - Formulas of these by `negation`, `conjunction`, `disjunction` and `implication` are formulas
//!   over questions.
//! - Other formulas with operators of time below one path quantifier are about runs: LTL (`runs`).
//! - What mixes the two logics is an error by itself, and the others of its file are not.
//!
//! # How
//! A predicate is made with a list of the operators still open, each with a flag for whether its
//! inside is negated, so that negation ends at the leaves and no depth of the file costs stack.
//! What comes out may be [`DEEPEST`] operators deep.

mod logic;
mod numbers;
mod paths;
mod quantifiers;
mod runs;
mod timed;
mod trees;
pub mod typed;

use super::{Unreadable, child, decode, elements, name, only, optional, text, tree};
use crate::question::Question;
use logic::{junctions, predicate};
use numbers::{compare, tokens};
use parikh_net::printable::Quoted;
use parikh_net::{LinearSum, Marking, Net, PlaceId, Predicate};
use paths::{of_cases, of_marking, on_paths};
use quantifiers::{is_path, joined, speaks_of_its_path};
use roxmltree::Node;
use std::collections::HashSet;

/// The deepest nesting of operators. Predicates are walked over by recursion, which is good for
/// many times this.
pub const DEEPEST: usize = 2_000;

/// One property of a query file.
#[derive(Debug)]
pub struct Property {
    /// Its id, as it stands in the file.
    pub id: String,
    /// What it asks, or why it asks for more than is known here.
    pub question: Result<Question, Unreadable>,
}

/// Reads a query file about `net`.
///
/// # Errors
/// When the file is no list of properties. A formula that cannot be read is an error in its own
/// [`Property`].
pub fn read(net: &Net, bytes: &[u8]) -> Result<Vec<Property>, Unreadable> {
    properties(net, None, bytes)
}

/// Reads a query file whose formulas are about the *cases* of `net`: firing sequences that end in
/// one of its final markings. A run that comes there stays there, so a case is a run that meets a
/// final marking. Nothing comes next after it: `next` of anything does not hold where nothing is
/// enabled. All runs, and some, are all cases and some.
///
/// # Errors
/// As [`read`]; when the net has no final marking, or something is enabled in one.
pub fn read_of_cases(net: &Net, bytes: &[u8]) -> Result<Vec<Property>, Unreadable> {
    let refuse = |what: &str| Err(Unreadable { line: 0, what: what.to_owned() });
    let finals = net.final_markings();
    if finals.is_empty() {
        return refuse("the model has no final marking");
    }
    // A marking beyond the bounds of the model's places is not reached.
    let goes_on = |last: &Marking| net.marking_of_model(last).is_some_and(|it| !net.is_dead(&it));
    if finals.iter().any(goes_on) {
        return refuse("something is enabled in a final marking, so that cases do not end there");
    }
    let mut each = Vec::new();
    for last in finals {
        let done = last.marked().map(|(place, tokens)| Predicate::at_least(place, tokens));
        let all = LinearSum::new(net.model_places().map(|place| (place, 1)));
        let (Ok(all), Ok(most)) = (all, i64::try_from(last.total())) else {
            return refuse("a final marking has 2^63 tokens or more");
        };
        each.push(Predicate::and(done.chain([Predicate::at_most(all, most)])));
    }
    properties(net, Some(&Predicate::or(each).sorted()), bytes)
}

fn properties(
    net: &Net,
    done: Option<&Predicate>,
    bytes: &[u8],
) -> Result<Vec<Property>, Unreadable> {
    let text = decode(bytes)?;
    let tree = tree(&text)?;
    let root = tree.root_element();
    if name(root) != "property-set" {
        let what = format!("expected `property-set`, found `{}`", name(root));
        return Err(Unreadable::at(root, what));
    }
    let (mut properties, mut unreadable): (Vec<Property>, usize) = (Vec::new(), 0);
    for node in elements(root) {
        let property = property(net, done, node, unreadable < MOST_UNREADABLE)?;
        unreadable += usize::from(property.question.is_err());
        properties.push(property);
    }
    number_equal_ids(&mut properties);
    Ok(properties)
}

/// Tells properties of one id apart: the first keeps it, and the others are called `ID-2`, `ID-3`
/// and so on, after their order, with numbers that make no id that is there.
fn number_equal_ids(properties: &mut [Property]) {
    let mut taken: HashSet<String> = properties.iter().map(|it| it.id.clone()).collect();
    let mut met = HashSet::new();
    for property in properties.iter_mut().filter(|it| !it.id.is_empty()) {
        if met.insert(property.id.clone()) {
            continue;
        }
        let mut others = (2u64..).map(|number| format!("{}-{number}", property.id));
        property.id = others.find(|id| !taken.contains(id)).unwrap_or_default();
        taken.insert(property.id.clone());
        met.insert(property.id.clone());
    }
}

/// So many formulas of a file that cannot be read are looked at: to find the line of each, the file
/// is gone through from its beginning.
const MOST_UNREADABLE: usize = 1000;

/// A property; its formula is only looked at where that is wanted.
fn property(
    net: &Net,
    done: Option<&Predicate>,
    node: Node<'_, '_>,
    is_read: bool,
) -> Result<Property, Unreadable> {
    if name(node) != "property" {
        let what = format!("expected `property`, found `{}`", name(node));
        return Err(Unreadable::at(node, what));
    }
    let question = match is_read {
        true => question(net, done, child(node, "formula")?),
        false => {
            let what = format!("this formula was not read: {MOST_UNREADABLE} before it cannot be");
            Err(Unreadable { line: 0, what })
        }
    };
    Ok(Property { id: text(child(node, "id")?)?, question })
}

/// What a `formula` asks; of cases, if they are done in a marking with `done`.
fn question(
    net: &Net,
    done: Option<&Predicate>,
    formula: Node<'_, '_>,
) -> Result<Question, Unreadable> {
    let (mut node, mut negated) = (inside(formula)?, false);
    while matches!(name(node), "negation" | "not") {
        node = inside(node)?;
        negated = !negated;
    }
    if name(node) == "place-bound" && !negated {
        return Ok(Question::Largest(sum(node, tokens(net, node)?)?));
    }
    // Without a quantifier around it, what speaks of a path is said of all.
    if speaks_of_its_path(node) {
        return match done {
            None => on_paths(net, true, (node, negated)),
            Some(_) => runs::of_runs(net, done, true, (node, negated)),
        };
    }
    // A path quantifier within a leaf is found where that is read.
    if !node.descendants().any(is_path) {
        return Ok(Question::Initially(predicate(net, node, negated)?));
    }
    match done {
        None => of_marking(net, node, negated),
        Some(done) => {
            let part = |node, negated| match is_path(node) {
                true => of_cases(net, done, node, negated),
                false => Ok(Question::Initially(predicate(net, node, negated)?)),
            };
            junctions(node, negated, &part, &joined)
        }
    }
}

/// The only formula inside `node`.
fn inside<'a, 'input>(node: Node<'a, 'input>) -> Result<Node<'a, 'input>, Unreadable> {
    only(node, elements(node), "formula")
}

/// A formula without operators of logic.
fn leaf(net: &Net, node: Node<'_, '_>) -> Result<Predicate, Unreadable> {
    // left ≤ right, left + 1 ≤ right, and the same the other way round.
    let (swapped, less) = match name(node) {
        "true" => return Ok(Predicate::True),
        "false" => return Ok(Predicate::False),
        "deadlock" | "is-deadlock" => return Ok(Predicate::Dead),
        "is-fireable" => {
            let enabled =
                listed(node, "transition", |id| net.transitions_named(id))?.into_iter().flatten();
            return Ok(Predicate::or(enabled.map(Predicate::Enabled)));
        }
        "integer-le" => (false, 0),
        "integer-lt" => (false, 1),
        "integer-ge" => (true, 0),
        "integer-gt" => (true, 1),
        "integer-eq" => {
            let sides = [compare(net, node, false, 0)?, compare(net, node, true, 0)?];
            return Ok(Predicate::and(sides));
        }
        "integer-ne" => {
            let sides = [compare(net, node, false, 1)?, compare(net, node, true, 1)?];
            return Ok(Predicate::or(sides));
        }
        other => {
            return Err(Unreadable::at(node, format!("expected a state formula, found `{other}`")));
        }
    };
    compare(net, node, swapped, less)
}

/// The nodes listed inside `node`, at least one; all are of this `kind`.
fn listed<T>(
    node: Node<'_, '_>,
    kind: &str,
    named: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, Unreadable> {
    let (mut nodes, mut has_none) = (Vec::new(), false);
    for listed in elements(node) {
        // What a typed formula lists, and the net does not have: a colour without tokens.
        if name(listed) == "none" {
            has_none = true;
            continue;
        }
        // A typed name stands in an attribute, where no blank of it is lost.
        let id = match (optional(listed, "name"), text(listed)?) {
            (Some(name), inside) if inside.is_empty() => name.to_owned(),
            (None, inside) => inside,
            (Some(_), _) => return Err(Unreadable::at(listed, "a name twice")),
        };
        let known = named(&id).filter(|_| name(listed) == kind);
        nodes.push(known.ok_or_else(|| {
            Unreadable::at(listed, format!("the net has no {kind} {}", Quoted(&id)))
        })?);
    }
    match nodes.is_empty() && !has_none {
        true => Err(Unreadable::at(node, format!("expected at least one {kind}"))),
        false => Ok(nodes),
    }
}

fn sum(node: Node<'_, '_>, terms: Vec<(PlaceId, i64)>) -> Result<LinearSum, Unreadable> {
    LinearSum::new(terms).map_err(|error| Unreadable::at(node, error.to_string()))
}
