//! Reads query files of the Model Checking Contest in XML, and returns their questions about a net.
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
//! - `exists-path` of `finally` φ (EF φ) holds if φ holds in some reachable marking, including the
//!   initial one. `all-paths` of `globally` φ (AG φ) holds if φ holds in all reachable markings,
//!   that is, if ¬φ holds in none. A negation around either operator gives the dual question. A
//!   formula without either operator is about the initial marking.
//! - `place-bound` asks for the largest value of the sum of the tokens on its places. It is the
//!   maximum of the sum, not the sum of the maxima. A place listed twice counts twice.
//! - `tokens-count` is the sum of the tokens on its places. `is-fireable` holds if at least one of
//!   its transitions is enabled, and `deadlock` if no transition of the net is enabled. A place of
//!   a coloured net represents all its colours, and a transition all its bindings.
//! - Nested path quantifiers make formulas of CTL (`trees`). For some of them, there is a simpler
//!   question: `all-paths` of `globally` of `exists-path` of `finally` φ (AG EF φ) holds if φ is
//!   reachable from every reachable marking. EF AG φ is its negation with ¬φ.
//! - Combinations of these by `negation`, `conjunction`, `disjunction` and `implication` are
//!   Boolean formulas over questions.
//! - Other formulas with temporal operators below one path quantifier are about runs: LTL (`ltl`).
//! - A formula that mixes the two logics is an error, and does not affect the others of its file.
//!
//! # Method
//! A list holds the open operators, each with a flag for negation, which is pushed down to the
//! leaves. So no nesting depth needs recursion. The predicates have at most [`MAX_DEPTH`] nested
//! operators.

mod logic;
mod ltl;
mod numbers;
mod paths;
mod quantifiers;
mod timed;
mod trees;
pub mod typed;

use super::{
    Unreadable, child, decode, elements, name, only_element, optional_attribute, parse_xml, text,
};
use crate::question::Question;
use logic::{fold_junctions, read_predicate};
use numbers::{compare, token_terms};
use parikh_net::printable::Quoted;
use parikh_net::{LinearSum, Marking, Net, PlaceId, Predicate};
use paths::{case_question, marking_question, path_question};
use quantifiers::{is_path_formula, is_path_quantifier, join_questions};
use roxmltree::Node;
use std::collections::HashSet;

/// The maximum nesting depth of operators. Recursion over predicates works for many times this
/// depth.
pub const MAX_DEPTH: usize = 2_000;

/// A property of a query file.
#[derive(Debug)]
pub struct AuditedProperty {
    /// The id in the file. If a query file repeats an id, the repetitions get numbers. The id of a
    /// textual formula may be repeated or empty until `name_unnamed` is called.
    pub id: String,
    /// The question, or the reason why it is not supported.
    pub question: Result<Question, Unreadable>,
}

/// Reads a query file about `net`.
///
/// # Errors
/// When the file cannot be decoded, is not well-formed XML, or is not a list of properties. An
/// error in a property is reported in its own [`AuditedProperty`].
pub fn read(net: &Net, bytes: &[u8]) -> Result<Vec<AuditedProperty>, Unreadable> {
    read_properties(net, None, bytes)
}

/// Reads a query file about the *cases* of `net`: firing sequences that end in a final marking. A
/// run that reaches a final marking stays there, so a case is a run that reaches a final marking.
/// No marking follows the final one, so `next` of any formula is false where no transition is
/// enabled. Path quantifiers range over cases.
///
/// # Errors
/// The errors of [`read`]. Also when the net has no final marking, when a transition is enabled in
/// one, or when one has 2^63 tokens or more.
pub fn read_of_cases(net: &Net, bytes: &[u8]) -> Result<Vec<AuditedProperty>, Unreadable> {
    let refuse = |what: &str| Err(Unreadable { line: 0, what: what.to_owned() });
    let finals = net.final_markings();
    if finals.is_empty() {
        return refuse("the model has no final marking");
    }
    // The model cannot reach a final marking that exceeds a known bound of a place, so such a
    // marking need not be dead.
    let has_successor = |final_marking: &Marking| {
        net.marking_of_model(final_marking).is_some_and(|it| !net.is_dead(&it))
    };
    if finals.iter().any(has_successor) {
        return refuse("a transition is enabled in a final marking, so cases do not end there");
    }
    let mut predicates = Vec::new();
    for final_marking in finals {
        let lower_bounds =
            final_marking.marked().map(|(place, tokens)| Predicate::at_least(place, tokens));
        let token_sum = LinearSum::new(net.model_places().map(|place| (place, 1)));
        let (Ok(token_sum), Ok(max_tokens)) = (token_sum, i64::try_from(final_marking.total()))
        else {
            return refuse("a final marking has 2^63 tokens or more");
        };
        predicates
            .push(Predicate::and(lower_bounds.chain([Predicate::at_most(token_sum, max_tokens)])));
    }
    read_properties(net, Some(&Predicate::or(predicates).sorted()), bytes)
}

/// Reads the properties of a query file. If `case_end` is given, formulas about paths are about
/// cases, which end in a marking that satisfies this predicate.
fn read_properties(
    net: &Net,
    case_end: Option<&Predicate>,
    bytes: &[u8],
) -> Result<Vec<AuditedProperty>, Unreadable> {
    let text = decode(bytes)?;
    let tree = parse_xml(&text)?;
    let root = tree.root_element();
    if name(root) != "property-set" {
        let what = format!("expected `property-set`, found `{}`", name(root));
        return Err(Unreadable::at(root, what));
    }
    let (mut properties, mut unreadable): (Vec<AuditedProperty>, usize) = (Vec::new(), 0);
    for node in elements(root) {
        let property = read_property(net, case_end, node, unreadable < MAX_UNREADABLE)?;
        unreadable += usize::from(property.question.is_err());
        properties.push(property);
    }
    number_equal_ids(&mut properties);
    Ok(properties)
}

/// Makes equal ids of properties different. The first keeps the id, and the others become `ID-2`,
/// `ID-3` and so on, in order, without collisions with existing ids. Empty ids stay empty.
fn number_equal_ids(properties: &mut [AuditedProperty]) {
    let mut used_ids: HashSet<String> = properties.iter().map(|it| it.id.clone()).collect();
    let mut seen_ids = HashSet::new();
    for property in properties.iter_mut().filter(|it| !it.id.is_empty()) {
        if seen_ids.insert(property.id.clone()) {
            continue;
        }
        let mut numbered_ids = (2u64..).map(|number| format!("{}-{number}", property.id));
        property.id = numbered_ids.find(|id| !used_ids.contains(id)).unwrap_or_default();
        used_ids.insert(property.id.clone());
        seen_ids.insert(property.id.clone());
    }
}

/// The maximum number of unreadable formulas in a file. After these, the reader skips the other
/// formulas. The reason is time: to find the line of an error, the reader scans the file from its
/// beginning.
const MAX_UNREADABLE: usize = 1000;

/// Reads a property. Reads its formula only if `is_read` is true, and otherwise gives an error as
/// the question. A property without exactly one id and one formula does not affect the others.
/// Without one id, its id is empty.
fn read_property(
    net: &Net,
    case_end: Option<&Predicate>,
    node: Node<'_, '_>,
    is_read: bool,
) -> Result<AuditedProperty, Unreadable> {
    if name(node) != "property" {
        let what = format!("expected `property`, found `{}`", name(node));
        return Err(Unreadable::at(node, what));
    }
    let id = child(node, "id").and_then(text);
    let question = match (&id, is_read) {
        (Err(error), _) => Err(error.clone()),
        (Ok(id), _) if id.is_empty() => Err(Unreadable::at(node, "the id of a property is empty")),
        (Ok(_), true) => {
            child(node, "formula").and_then(|formula| read_question(net, case_end, formula))
        }
        (Ok(_), false) => {
            let what = format!(
                "this formula was not read, because {MAX_UNREADABLE} earlier formulas are \
                 unreadable"
            );
            Err(Unreadable { line: 0, what })
        }
    };
    Ok(AuditedProperty { id: id.unwrap_or_default(), question })
}

/// Returns the question of the element `formula`. If `case_end` is given, a formula about paths is
/// about cases, which end in a marking that satisfies this predicate. A bound is always about all
/// reachable markings.
fn read_question(
    net: &Net,
    case_end: Option<&Predicate>,
    formula: Node<'_, '_>,
) -> Result<Question, Unreadable> {
    let (mut node, mut negated) = (operand(formula)?, false);
    while matches!(name(node), "negation" | "not") {
        node = operand(node)?;
        negated = !negated;
    }
    if name(node) == "place-bound" && !negated {
        return Ok(Question::Maximum(sum(node, token_terms(net, node)?)?));
    }
    // A path formula without a quantifier is about all paths.
    if is_path_formula(node) {
        return match case_end {
            None => path_question(net, true, (node, negated)),
            Some(_) => ltl::run_question(net, case_end, true, (node, negated)),
        };
    }
    // This test also finds a path quantifier inside a leaf. The reader of the leaf usually refuses
    // it.
    if !node.descendants().any(is_path_quantifier) {
        return match case_end {
            None => Ok(Question::Initially(read_predicate(net, node, negated)?)),
            // A state formula is about the beginning of all cases, too, and there may be no case.
            Some(_) => ltl::run_question(net, case_end, true, (node, negated)),
        };
    }
    match case_end {
        None => marking_question(net, node, negated),
        Some(case_end) => {
            let path_or_predicate = |node, negated| match is_path_quantifier(node) {
                true => case_question(net, case_end, node, negated),
                false => Ok(Question::Initially(read_predicate(net, node, negated)?)),
            };
            fold_junctions(node, negated, &path_or_predicate, &join_questions)
        }
    }
}

/// Returns the only formula inside `node`, or an error if there is none or a second one.
fn operand<'a, 'input>(node: Node<'a, 'input>) -> Result<Node<'a, 'input>, Unreadable> {
    only_element(node, elements(node), "formula")
}

/// Reads a state formula without logical operators, such as a comparison.
fn read_leaf(net: &Net, node: Node<'_, '_>) -> Result<Predicate, Unreadable> {
    // Every comparison is read as left + `strictness` ≤ right, with exchanged sides if
    // `is_swapped`.
    let (is_swapped, strictness) = match name(node) {
        "true" => return Ok(Predicate::True),
        "false" => return Ok(Predicate::False),
        "deadlock" | "is-deadlock" => return Ok(Predicate::Dead),
        "is-fireable" => {
            let enabled = listed_nodes(node, "transition", |id| net.transitions_named(id))?
                .into_iter()
                .flatten();
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
    compare(net, node, is_swapped, strictness)
}

/// Returns the nodes listed inside `node` by elements of the name `kind`. The list is empty only if
/// `node` contains an element `none`. `named` returns the node with an id, or `None` for an unknown
/// id.
fn listed_nodes<T>(
    node: Node<'_, '_>,
    kind: &str,
    named: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, Unreadable> {
    let (mut nodes, mut has_none) = (Vec::new(), false);
    for listed in elements(node) {
        // Textual formulas write this element for a colour that never has a token.
        if name(listed) == "none" {
            has_none = true;
            continue;
        }
        // Textual formulas write a name into an attribute, to preserve its blanks.
        let id = match (optional_attribute(listed, "name"), text(listed)?) {
            (Some(name), inside) if inside.is_empty() => name.to_owned(),
            (None, inside) => inside,
            (Some(_), _) => return Err(Unreadable::at(listed, "a name twice")),
        };
        let found = named(&id).filter(|_| name(listed) == kind);
        nodes.push(found.ok_or_else(|| {
            Unreadable::at(listed, format!("the net has no {kind} {}", Quoted(&id)))
        })?);
    }
    match nodes.is_empty() && !has_none {
        true => Err(Unreadable::at(node, format!("expected at least one {kind}"))),
        false => Ok(nodes),
    }
}

/// Returns the linear sum of the terms, or an error at `node` if it is too large.
fn sum(node: Node<'_, '_>, terms: Vec<(PlaceId, i64)>) -> Result<LinearSum, Unreadable> {
    LinearSum::new(terms).map_err(|error| Unreadable::at(node, error.to_string()))
}
