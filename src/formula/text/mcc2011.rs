//! The contest's first formula language, of 2011.
//!
//! ```text
//! f1 = reachable not (p1 contains {1*[1]})
//! f2 = invariant (p1 contains {1*[.]}) and (p2 equals {1*[1, 2], 3*[2, 1]})
//! ```
//!
//! A formula is a quantifier, `reachable` (EF) or `invariant` (AG), and a body. A body consists of
//! `and`, `or`, `not` and atoms that compare the tokens of one place with a multiset. `[.]` is a
//! token without colour, and `[2, red]` a token whose colour is a tuple.
//!
//! The published grammar is stricter than its description. This parser accepts more: an atom needs
//! no parentheses, `not` may precede anything, and `and` and `or` may mix (`and` binds tighter).
//! The last line may lack a line end, a line may end inside parentheses, and unusual names may be
//! quoted. On request, remarks show deviations from the grammar.
//!
//! The parser returns [`Definition`]s, which do not depend on a net. The function `resolve`
//! converts definitions to formulas.

use super::Failure;
use super::lexer::{Cursor, Kind, Lexis, Token};
use super::operands::{self, Names};
use super::precedence::{Grammar, Operator, Part, expression};
use crate::formula::{Expression, Formula, FormulaProblem, Relation};
use parikh_net::PlaceId;
use std::collections::BTreeMap;
use std::ops::Range;

static LEXIS: Lexis = Lexis {
    inside_words: &[],
    symbols: &["=", "*", ",", ".", "(", ")", "[", "]", "{", "}"],
    comments: false,
    lines: false,
    escapes: true,
};
static LEXIS_OF_LINES: Lexis = Lexis { lines: true, ..LEXIS };

const KEYWORDS: [&str; 7] = ["reachable", "invariant", "and", "or", "not", "contains", "equals"];

/// A formula of the text, with unresolved names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The name of the formula.
    pub name: String,
    /// The quantifier of the formula.
    pub quantifier: Quantifier,
    /// The condition on a marking.
    pub body: Tree,
}

/// The quantifier over reachable markings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// Some reachable marking satisfies the body.
    Reachable,
    /// All reachable markings satisfy the body.
    Invariant,
}

/// The body of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// A comparison.
    Atom(Atom),
    /// A negation.
    Not(Box<Tree>),
    /// A conjunction of at least two operands.
    And(Vec<Tree>),
    /// A disjunction of at least two operands.
    Or(Vec<Tree>),
}

/// A comparison of the tokens of one place with a multiset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    /// The place.
    pub place: String,
    /// The position of the place's name, in bytes of the text.
    pub at: Range<usize>,
    /// The kind of comparison.
    pub comparison: Comparison,
    /// The multiset as written. If a colour occurs several times, the counts are added.
    pub tokens: Vec<Tokens>,
}

/// The kind of comparison with a multiset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The place has at least the given tokens.
    Contains,
    /// The place has exactly the given tokens.
    Equals,
}

/// A number of tokens of one colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tokens {
    /// The number of tokens.
    pub count: i64,
    /// The components of the colour; empty for black tokens, `[.]`.
    pub colour: Vec<Component>,
    /// The position of the entry, in bytes of the text.
    pub at: Range<usize>,
}

/// A component of a colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Component {
    /// The digits of an element of a range.
    Number(String),
    /// The name of an element of an enumeration.
    Name(String),
}

/// A definition or its error, with remarks.
pub(super) struct Read {
    /// The name, as far as it was read.
    pub(super) name: String,
    pub(super) at: Range<usize>,
    pub(super) definition: Result<Definition, Failure>,
    /// Deviations from the grammar of 2011.
    pub(super) remarks: Vec<Failure>,
}

/// Reads all definitions of a text. An error in a definition does not affect the others.
pub(super) fn definitions(text: &str) -> Vec<Read> {
    pieces(text).into_iter().map(|piece| definition(text, piece)).collect()
}

/// Returns the byte ranges of the definitions. A definition ends with the first line that ends
/// outside of parentheses and braces. A line that begins with `name =` always begins a new
/// definition.
fn pieces(text: &str) -> Vec<Range<usize>> {
    let mut cursor = Cursor::new(text, 0..text.len(), &LEXIS_OF_LINES);
    let mut pieces = Vec::new();
    let (mut start, mut open) = (None, 0usize);
    let mut new_line = true;
    loop {
        let named = operands::name(cursor.look(0)).is_some() && cursor.look(1).is("=");
        let token = cursor.take();
        if new_line && named {
            pieces.extend(start.take().map(|start| start..token.span.start));
            open = 0;
        }
        new_line = token.kind == Kind::Line;
        match token.kind {
            Kind::Symbol("(" | "{" | "[") => open += 1,
            Kind::Symbol(")" | "}" | "]") => open = open.saturating_sub(1),
            Kind::Line if open == 0 => {
                pieces.extend(start.take().map(|start| start..token.span.start));
                continue;
            }
            Kind::End => {
                pieces.extend(start.take().map(|start| start..token.span.end));
                return pieces;
            }
            _ => {}
        }
        if start.is_none() && token.kind != Kind::Line {
            start = Some(token.span.start);
        }
    }
}

fn definition(text: &str, range: Range<usize>) -> Read {
    let mut cursor = Cursor::new(text, range.clone(), &LEXIS);
    let name = operands::name(cursor.peek()).unwrap_or_default().to_owned();
    let at = cursor.peek().span.clone();
    let mut remarks = Vec::new();
    let definition = parse(&mut cursor, &mut remarks);
    if definition.is_ok() {
        remark_on_tokens(text, range.clone(), &mut remarks);
    }
    if definition.is_ok() && range.end == text.len() {
        remarks.push(remark(range.end..range.end, "a last line without a line break"));
    }
    Read { name, at, definition, remarks }
}

/// Adds remarks on tokens that the grammar of 2011 does not allow.
fn remark_on_tokens(text: &str, range: Range<usize>, remarks: &mut Vec<Failure>) {
    let mut cursor = Cursor::new(text, range, &LEXIS_OF_LINES);
    loop {
        let token = cursor.take();
        let found = match token.kind {
            Kind::End => break,
            Kind::Quoted(_) => "a name in quotes",
            Kind::Word(name) if !name.is_ascii() => "a name with letters beyond A to Z",
            Kind::Line if cursor.peek().kind != Kind::End => "a line that ends inside a formula",
            _ => continue,
        };
        remarks.push(remark(token.span, found));
    }
    // The remarks of the parser and of the tokens, in the order of the text.
    remarks.sort_by_key(|remark| remark.span.start);
}

fn remark(span: Range<usize>, text: &'static str) -> Failure {
    Failure { span, problem: FormulaProblem::Not2011(text) }
}

fn parse(cursor: &mut Cursor<'_>, remarks: &mut Vec<Failure>) -> Result<Definition, Failure> {
    let token = cursor.take();
    let name = match operands::name(&token) {
        Some(name) if !is_keyword(&token) => name.to_owned(),
        _ => return Err(token.instead_of("a formula like `name = reachable …`")),
    };
    cursor.expect("=")?;
    let token = cursor.take();
    let quantifier = match token.kind {
        Kind::Word("reachable") => Quantifier::Reachable,
        Kind::Word("invariant") => Quantifier::Invariant,
        _ => return Err(token.instead_of("`reachable` or `invariant`")),
    };
    let body = expression(cursor, &mut Grammar2011 { remarks })?;
    match cursor.peek().kind {
        Kind::End => Ok(Definition { name, quantifier, body: body.value }),
        _ => Err(cursor.peek().instead_of("`and`, `or` or the end of the line")),
    }
}

fn is_keyword(token: &Token<'_>) -> bool {
    matches!(token.kind, Kind::Word(word) if KEYWORDS.contains(&word))
}

struct Grammar2011<'r> {
    remarks: &'r mut Vec<Failure>,
}

impl<'t> Grammar<'t> for Grammar2011<'_> {
    type Value = Tree;

    fn prefixes(&self, token: &Token<'t>) -> &'static [Operator] {
        if token.is_word("not") { &[Operator::Not] } else { &[] }
    }

    fn infix(&self, token: &Token<'t>) -> Option<(Operator, u8)> {
        match token.kind {
            Kind::Word("or") => Some((Operator::Or, 1)),
            Kind::Word("and") => Some((Operator::And, 2)),
            _ => None,
        }
    }

    fn prefix_level(&self) -> u8 {
        3
    }

    fn operand(&mut self, cursor: &mut Cursor<'t>) -> Result<Tree, Failure> {
        let token = cursor.take();
        let place = match operands::name(&token) {
            Some(name) if !is_keyword(&token) => name.to_owned(),
            _ => return Err(token.instead_of("a place, `not` or `(`")),
        };
        let verb = cursor.take();
        let comparison = match verb.kind {
            Kind::Word("contains") => Comparison::Contains,
            Kind::Word("equals") => Comparison::Equals,
            _ => return Err(verb.instead_of("`contains` or `equals`")),
        };
        let tokens = self.multiset(cursor)?;
        Ok(Tree::Atom(Atom { place, at: token.span, comparison, tokens }))
    }

    fn apply_prefix(
        &mut self,
        _: Operator,
        at: Range<usize>,
        operand: Part<Tree>,
    ) -> Result<Tree, Failure> {
        if !operand.parenthesised {
            self.remarks.push(remark(at, "`not` before anything except a parenthesis"));
        }
        Ok(Tree::Not(Box::new(operand.value)))
    }

    fn apply_infix(
        &mut self,
        operator: Operator,
        at: Range<usize>,
        left: Part<Tree>,
        right: Part<Tree>,
    ) -> Result<Tree, Failure> {
        let mut mixed = false;
        for part in [&left, &right] {
            if part.by.is_none() && !part.parenthesised {
                let text = "operands of `and` and `or` without parentheses";
                self.remarks.push(remark(part.span.clone(), text));
            }
            mixed |= part.by.is_some_and(|by| by != operator && by != Operator::Not);
        }
        if mixed {
            let text = "`and` and `or` mixed without parentheses; `and` has the higher precedence";
            self.remarks.push(remark(at, text));
        }
        let joins = left.by == Some(operator);
        Ok(match (operator, left.value, right.value) {
            (Operator::And, Tree::And(mut parts), right) if joins => {
                parts.push(right);
                Tree::And(parts)
            }
            (Operator::Or, Tree::Or(mut parts), right) if joins => {
                parts.push(right);
                Tree::Or(parts)
            }
            (Operator::And, left, right) => Tree::And(vec![left, right]),
            (_, left, right) => Tree::Or(vec![left, right]),
        })
    }
}

impl Grammar2011<'_> {
    /// Takes `{ 1*[.], … }`, which may be empty.
    fn multiset(&mut self, cursor: &mut Cursor<'_>) -> Result<Vec<Tokens>, Failure> {
        cursor.expect("{")?;
        let mut all = Vec::new();
        if cursor.take_if("}").is_some() {
            return Ok(all);
        }
        loop {
            let start = cursor.position();
            let token = cursor.take();
            let Kind::Integer(_) = token.kind else {
                return Err(token.instead_of("tokens like `2*[.]`, or `}`"));
            };
            let count = operands::integer(&token, false)?;
            cursor.expect("*")?;
            let colour = self.colour(cursor)?;
            all.push(Tokens { count, colour, at: start..cursor.end() });
            let token = cursor.take();
            if token.is("}") {
                return Ok(all);
            } else if !token.is(",") {
                return Err(token.instead_of("`,` or `}`"));
            }
        }
    }

    /// Takes `[.]` or `[1, red, …]`.
    fn colour(&mut self, cursor: &mut Cursor<'_>) -> Result<Vec<Component>, Failure> {
        let start = cursor.expect("[")?.span.start;
        let mut components = Vec::new();
        if cursor.take_if(".").is_some() {
            cursor.expect("]")?;
            return Ok(components);
        }
        loop {
            let token = cursor.take();
            components.push(match &token.kind {
                Kind::Integer(digits) => Component::Number((*digits).to_owned()),
                Kind::Word(name) => Component::Name((*name).to_owned()),
                Kind::Quoted(name) => Component::Name(name.to_string()),
                _ => return Err(token.instead_of("`.`, a number or a name")),
            });
            if cursor.take_if(",").is_none() {
                cursor.expect("]")?;
                break;
            }
        }
        let numbers = |component: &Component| matches!(component, Component::Number(_));
        if components.iter().any(numbers) && !components.iter().all(numbers) {
            let text = "the components of a colour are all numbers or all names";
            self.remarks.push(remark(start..cursor.end(), text));
        }
        Ok(components)
    }
}

/// Converts a definition to a formula about a net.
pub(super) fn resolve(definition: &Definition, names: &mut Names<'_>) -> Result<Formula, Failure> {
    let body = Box::new(tree(&definition.body, names)?);
    Ok(match definition.quantifier {
        Quantifier::Reachable => Formula::ExistsPath(Box::new(Formula::Finally(body))),
        Quantifier::Invariant => Formula::AllPaths(Box::new(Formula::Globally(body))),
    })
}

/// Converts a body to a formula. The recursion is as deep as the parser allows.
fn tree(body: &Tree, names: &mut Names<'_>) -> Result<Formula, Failure> {
    let mut all = |parts: &[Tree]| -> Result<Vec<Formula>, Failure> {
        parts.iter().map(|part| tree(part, names)).collect()
    };
    Ok(match body {
        Tree::Not(part) => Formula::Not(Box::new(tree(part, names)?)),
        Tree::And(parts) => Formula::And(all(parts)?),
        Tree::Or(parts) => Formula::Or(all(parts)?),
        Tree::Atom(atom) => compare(atom, names)?,
    })
}

fn compare(atom: &Atom, names: &mut Names<'_>) -> Result<Formula, Failure> {
    if names.is_coloured(&atom.place) {
        return compare_colours(atom, names);
    }
    if names.is_erased(&atom.place) && !atom.tokens.is_empty() {
        return Err(operands::erased(&atom.place, &atom.at));
    }
    let places = names.place_at(&atom.place, &atom.at)?;
    let mut sum = 0i128;
    for tokens in &atom.tokens {
        if !tokens.colour.is_empty() {
            let problem = FormulaProblem::ColourOnBlackPlace { place: atom.place.clone() };
            return Err(Failure { span: tokens.at.clone(), problem });
        }
        // The sum cannot overflow: a text holds far fewer than 2⁶⁴ counts.
        sum += i128::from(tokens.count);
        if i64::try_from(sum).is_err() {
            let problem = FormulaProblem::BadNumber(sum.to_string());
            return Err(Failure { span: tokens.at.clone(), problem });
        }
    }
    let sum = i64::try_from(sum).unwrap_or(i64::MAX);
    let (left, right) = (Expression::Tokens(places), Expression::Constant(sum));
    Ok(match atom.comparison {
        Comparison::Contains if sum == 0 => Formula::True,
        Comparison::Contains => Formula::Compare { left, relation: Relation::AtLeast, right },
        Comparison::Equals => Formula::Compare { left, relation: Relation::Equal, right },
    })
}

/// Compares the tokens of each colour separately. For `equals`, the colours that are not listed
/// must have no tokens. A colour that never occurs in a marking has no place in the unfolding, and
/// counts as 0 tokens.
fn compare_colours(atom: &Atom, names: &mut Names<'_>) -> Result<Formula, Failure> {
    let mut counts: BTreeMap<Option<PlaceId>, i64> = BTreeMap::new();
    for tokens in &atom.tokens {
        let components: Vec<&str> = tokens
            .colour
            .iter()
            .map(|component| match component {
                Component::Number(text) | Component::Name(text) => text.as_str(),
            })
            .collect();
        let colour = if components.is_empty() { ".".to_owned() } else { components.join(",") };
        let place = names.colour(&atom.place, &colour, &tokens.at)?;
        let sum = counts.entry(place).or_insert(0);
        *sum = sum.checked_add(tokens.count).ok_or_else(|| {
            let problem = FormulaProblem::BadNumber(format!("{sum} + {}", tokens.count));
            Failure { span: tokens.at.clone(), problem }
        })?;
    }
    let relation = match atom.comparison {
        Comparison::Contains => Relation::AtLeast,
        Comparison::Equals => Relation::Equal,
    };
    let compare = |places: Vec<PlaceId>, count| Formula::Compare {
        left: Expression::Tokens(places),
        relation,
        right: Expression::Constant(count),
    };
    let mut parts: Vec<Formula> = counts
        .iter()
        .filter(|(_, count)| atom.comparison == Comparison::Equals || **count > 0)
        .map(|(place, &count)| compare(place.iter().copied().collect(), count))
        .collect();
    if atom.comparison == Comparison::Equals {
        let mut others = names.place_at(&atom.place, &atom.at)?;
        others.retain(|&place| !counts.contains_key(&Some(place)));
        parts.push(compare(others, 0));
    }
    Ok(match parts.len() {
        0 => Formula::True,
        1 => parts.swap_remove(0),
        _ => Formula::And(parts),
    })
}
