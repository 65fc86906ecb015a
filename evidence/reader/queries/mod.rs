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

mod runs;
mod timed;
mod trees;
pub mod typed;

use super::{Unreadable, child, decode, elements, name, number, only, optional, text, tree};
use crate::question::Question;
use parikh_net::printable::Quoted;
use parikh_net::{LinearSum, Marking, Net, PlaceId, Predicate};
use roxmltree::Node;

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
    Ok(properties)
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
    while name(node) == "negation" {
        node = inside(node)?;
        negated = !negated;
    }
    if name(node) == "place-bound" && !negated {
        return Ok(Question::Largest(sum(node, tokens(net, node)?)?));
    }
    // A path quantifier within a leaf is found where that is read.
    if !node.descendants().any(is_path) {
        return Ok(Question::Initially(predicate(net, node, negated)?));
    }
    let part = |node, negated| match is_path(node) {
        true if done.is_some() => runs::of_runs(net, done, node, negated),
        true => of_paths(net, node, negated),
        false => Ok(Question::Initially(predicate(net, node, negated)?)),
    };
    junctions(node, negated, &part, &|any, mut parts: Vec<Question>| match parts.len() {
        1 => parts.remove(0),
        _ => Question::Junction { all: !any, parts },
    })
}

fn is_path(node: Node<'_, '_>) -> bool {
    matches!(name(node), "exists-path" | "all-paths")
}

/// A question with path quantifiers, or its negation.
fn of_paths(net: &Net, node: Node<'_, '_>, negated: bool) -> Result<Question, Unreadable> {
    // EF φ can be reached; AG φ = ¬EF ¬φ.
    let exists = name(node) == "exists-path";
    let operator = if exists { "finally" } else { "globally" };
    let around = inside(node)?;
    let is_nested = || around.descendants().any(is_path);
    if (name(around) != operator || runs::speaks_of_time(inside(around)?)) && !is_nested() {
        return runs::of_runs(net, None, node, negated);
    }
    if is_nested() {
        return trees::of_tree(net, node, negated);
    }
    let goals = vec![predicate(net, path(node, operator)?, !exists)?];
    Ok(Question::Reach { goals, all: true, then: exists != negated })
}

/// The only formula inside `node`.
fn inside<'a, 'input>(node: Node<'a, 'input>) -> Result<Node<'a, 'input>, Unreadable> {
    only(node, elements(node), "formula")
}

/// The state formula below a path quantifier and the one path operator that goes with it.
fn path<'a, 'input>(
    quantifier: Node<'a, 'input>,
    operator: &str,
) -> Result<Node<'a, 'input>, Unreadable> {
    let path = inside(quantifier)?;
    if name(path) != operator {
        let (around, inside) = (name(quantifier), name(path));
        let what = format!("`{inside}` inside `{around}` is more than a question of reachability");
        return Err(Unreadable::at(path, what));
    }
    inside(path)
}

/// A junction that is being put together.
struct Open<'a, 'input, T> {
    /// Whether one part is enough.
    any: bool,
    /// The operands still to be looked at, the last one first, each with whether it is negated.
    left: Vec<(Node<'a, 'input>, bool)>,
    /// Those that are done.
    done: Vec<T>,
}

/// A state formula, or its negation, as a predicate in sorted form: formulas that differ in no more
/// than the order of their operands are equal.
fn predicate(net: &Net, node: Node<'_, '_>, negated: bool) -> Result<Predicate, Unreadable> {
    let part = |node, negated| {
        let leaf = leaf(net, node)?;
        Ok(if negated { leaf.negated() } else { leaf })
    };
    let join = |any, parts| if any { Predicate::or(parts) } else { Predicate::and(parts) };
    Ok(junctions(node, negated, &part, &join)?.sorted())
}

/// A formula, or its negation, from what is made of its leaves, each with whether it is negated, by
/// joining them: one part is enough, or all are wanted.
fn junctions<'a, 'input, T>(
    node: Node<'a, 'input>,
    negated: bool,
    leaf: &dyn Fn(Node<'a, 'input>, bool) -> Result<T, Unreadable>,
    join: &dyn Fn(bool, Vec<T>) -> T,
) -> Result<T, Unreadable> {
    let mut open: Vec<Open<'a, 'input, T>> = Vec::new();
    let mut next = (node, negated);
    loop {
        let mut made = match operands(next.0, next.1)? {
            Some((any, left)) => {
                open.push(Open { any, left, done: Vec::new() });
                if open.len() > DEEPEST {
                    let what = format!("formulas nested deeper than {DEEPEST} are not read");
                    return Err(Unreadable::at(next.0, what));
                }
                None
            }
            None => Some(leaf(next.0, next.1)?),
        };
        // Closes what is complete, and goes on with what is not.
        loop {
            let Some(junction) = open.last_mut() else {
                match made {
                    // Nothing is open: what was made is the whole.
                    Some(made) => return Ok(made),
                    None => break,
                }
            };
            junction.done.extend(made.take());
            if let Some(operand) = junction.left.pop() {
                next = operand;
                break;
            }
            made = Some(join(junction.any, std::mem::take(&mut junction.done)));
            open.pop();
        }
    }
}

/// Whether one operand is enough, and the operands, the last one first, each with whether it is
/// negated.
type Operands<'a, 'input> = (bool, Vec<(Node<'a, 'input>, bool)>);

/// The operator at `node` with its operands, negated where the whole is; `None` for a leaf.
/// ¬(a ∧ b) = ¬a ∨ ¬b, ¬(a ∨ b) = ¬a ∧ ¬b, and a → b = ¬a ∨ b.
fn operands<'a, 'input>(
    node: Node<'a, 'input>,
    negated: bool,
) -> Result<Option<Operands<'a, 'input>>, Unreadable> {
    let (any, least, most, first_negated) = match name(node) {
        "conjunction" => (negated, 1, usize::MAX, negated),
        "disjunction" => (!negated, 1, usize::MAX, negated),
        "negation" => (true, 1, 1, !negated),
        "implication" => (!negated, 2, 2, !negated),
        _ => return Ok(None),
    };
    let mut left: Vec<_> = elements(node).map(|operand| (operand, negated)).collect();
    if left.len() < least || left.len() > most {
        let what = format!("`{}` of {} operands", name(node), left.len());
        return Err(Unreadable::at(node, what));
    }
    left[0].1 = first_negated;
    left.reverse();
    Ok(Some((any, left)))
}

/// A formula without operators of logic.
fn leaf(net: &Net, node: Node<'_, '_>) -> Result<Predicate, Unreadable> {
    // left ≤ right, left + 1 ≤ right, and the same the other way round.
    let (swapped, less) = match name(node) {
        "true" => return Ok(Predicate::True),
        "false" => return Ok(Predicate::False),
        "deadlock" => return Ok(Predicate::Dead),
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
    let mut nodes = Vec::new();
    for listed in elements(node) {
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
    match nodes.is_empty() {
        true => Err(Unreadable::at(node, format!("expected at least one {kind}"))),
        false => Ok(nodes),
    }
}

/// left + `less` ≤ right of the two operands, or with these exchanged.
fn compare(
    net: &Net,
    node: Node<'_, '_>,
    swapped: bool,
    less: i128,
) -> Result<Predicate, Unreadable> {
    let mut sides = elements(node);
    let (Some(left), Some(right), None) = (sides.next(), sides.next(), sides.next()) else {
        return Err(Unreadable::at(node, "expected two operands"));
    };
    let (left, right) = if swapped { (right, left) } else { (left, right) };
    let (mut terms, left_constant) = integer(net, left)?;
    let (negative, right_constant) = integer(net, right)?;
    terms.extend(negative.into_iter().map(|(place, a)| (place, -a)));
    let sum = sum(node, terms)?;
    // Constants are below 2⁶⁴ each, and sums of them far below 2¹²⁷.
    let bound = right_constant - left_constant - less;
    // Tokens are never negative, which decides some comparisons by their signs.
    let positive = |&(_, a): &(PlaceId, i64)| a > 0;
    if bound >= 0 && !sum.terms().iter().any(positive) {
        return Ok(Predicate::True);
    }
    if bound < 0 && sum.terms().iter().all(positive) {
        return Ok(Predicate::False);
    }
    match i64::try_from(bound) {
        Ok(bound) => Ok(Predicate::at_most(sum, bound)),
        Err(_) => Err(Unreadable::at(node, "the constants of this comparison are too large")),
    }
}

/// A sum of tokens and a constant.
type Integer = (Vec<(PlaceId, i64)>, i128);

/// A number, or several together, some of them tokens times a number, which is not the contest's:
/// `2*a + 3 >= b` has no other form.
fn integer(net: &Net, node: Node<'_, '_>) -> Result<Integer, Unreadable> {
    if name(node) != "integer-sum" {
        return number_of(net, node);
    }
    let mut parts = elements(node).map(|part| number_of(net, part)).peekable();
    if parts.peek().is_none() {
        return Err(Unreadable::at(node, "expected at least one operand"));
    }
    // Constants are below 2⁶⁴, and there are fewer than 2⁶³.
    parts.try_fold((Vec::new(), 0), |(mut terms, constant), part| {
        let (more, added) = part?;
        terms.extend(more);
        Ok((terms, constant + added))
    })
}

fn number_of(net: &Net, node: Node<'_, '_>) -> Result<Integer, Unreadable> {
    match name(node) {
        "integer-product" => {
            let [factor, tokens] = elements(node).collect::<Vec<_>>()[..] else {
                return Err(Unreadable::at(node, "expected two operands"));
            };
            let ((none, factor), (terms, constant)) =
                (plain_number(net, factor)?, plain_number(net, tokens)?);
            let factor = i64::try_from(factor).ok().filter(|_| none.is_empty() && constant == 0);
            let Some(factor) = factor else {
                let what = "expected a number below 2^63, and tokens that it multiplies";
                return Err(Unreadable::at(node, what));
            };
            Ok((terms.into_iter().map(|(place, _)| (place, factor)).collect(), 0))
        }
        _ => plain_number(net, node),
    }
}

fn plain_number(net: &Net, node: Node<'_, '_>) -> Result<Integer, Unreadable> {
    match name(node) {
        "tokens-count" => Ok((tokens(net, node)?, 0)),
        "integer-constant" => {
            let digits = text(node)?;
            let (sign, digits) = match digits.strip_prefix('-') {
                Some(digits) => (-1, digits),
                None => (1, digits.as_str()),
            };
            Ok((Vec::new(), sign * i128::from(number::<u64>(node, digits)?)))
        }
        other => {
            let what = format!("expected `tokens-count` or `integer-constant`, found `{other}`");
            Err(Unreadable::at(node, what))
        }
    }
}

/// The tokens of the places listed in `node`, together.
fn tokens(net: &Net, node: Node<'_, '_>) -> Result<Vec<(PlaceId, i64)>, Unreadable> {
    let places = listed(node, "place", |id| net.places_named(id))?.into_iter().flatten();
    Ok(places.map(|place| (place, 1)).collect())
}

fn sum(node: Node<'_, '_>, terms: Vec<(PlaceId, i64)>) -> Result<LinearSum, Unreadable> {
    LinearSum::new(terms).map_err(|error| Unreadable::at(node, error.to_string()))
}
