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

use super::TextFailure;
use super::lexer::{Lexeme, LexemeKind, Lexis, TokenCursor};
use super::operands::{self, NameResolver};
use super::precedence::{FormulaOperator, Grammar, SpannedValue, expression};
use crate::{Expression, Formula, FormulaProblem, NumberRelation};
use parikh_net::PlaceId;
use std::collections::BTreeMap;
use std::ops::Range;

/// The lexical rules inside a formula, where ends of lines are blanks.
static LEXIS: Lexis = Lexis {
    word_characters: &[],
    symbols: &["=", "*", ",", ".", "(", ")", "[", "]", "{", "}"],
    has_comments: false,
    has_line_tokens: false,
    has_escapes: true,
};
/// The lexical rules for splitting a text into definitions, where ends of lines are tokens.
static LEXIS_OF_LINES: Lexis = Lexis { has_line_tokens: true, ..LEXIS };

const KEYWORDS: [&str; 7] = ["reachable", "invariant", "and", "or", "not", "contains", "equals"];

/// A formula of the text, with unresolved names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The name of the formula.
    pub name: String,
    /// The quantifier of the formula.
    pub quantifier: Quantifier,
    /// The condition on a marking.
    pub body: DefinitionBody,
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
pub enum DefinitionBody {
    /// A comparison.
    Atom(MultisetAtom),
    /// A negation.
    Not(Box<DefinitionBody>),
    /// A conjunction of at least two operands.
    And(Vec<DefinitionBody>),
    /// A disjunction of at least two operands.
    Or(Vec<DefinitionBody>),
}

/// A comparison of the tokens of one place with a multiset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MultisetAtom {
    /// The name of the place.
    pub place: String,
    /// The position of the place's name, in bytes of the text.
    pub span: Range<usize>,
    /// The kind of comparison.
    pub comparison: MultisetComparison,
    /// The multiset as written. If a colour occurs several times, the counts are added.
    pub tokens: Vec<ColourTokens>,
}

/// The kind of comparison with a multiset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisetComparison {
    /// The place has at least the given tokens.
    Contains,
    /// The place has exactly the given tokens.
    Equals,
}

/// A number of tokens of one colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColourTokens {
    /// The number of tokens.
    pub count: i64,
    /// The components of the colour; empty for black tokens, `[.]`.
    pub colour: Vec<ColourComponent>,
    /// The position of the entry, in bytes of the text.
    pub span: Range<usize>,
}

/// A component of a colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColourComponent {
    /// The digits of an element of a range.
    Number(String),
    /// The name of an element of an enumeration.
    Name(String),
}

/// A definition or its error, with remarks.
pub(super) struct ReadDefinition {
    /// The name of the definition; empty if the text does not begin with a name.
    pub(super) name: String,
    pub(super) definition: Result<Definition, TextFailure>,
    /// Deviations from the grammar of 2011.
    pub(super) remarks: Vec<TextFailure>,
}

/// Reads all definitions of a text. An error in a definition does not affect the others.
pub(super) fn definitions(text: &str) -> Vec<ReadDefinition> {
    definition_ranges(text).into_iter().map(|piece| definition(text, piece)).collect()
}

/// Returns the byte ranges of the definitions. A definition ends with the first line that ends
/// outside of parentheses, braces and brackets. A line that begins with `name =` always begins a
/// new definition.
fn definition_ranges(text: &str) -> Vec<Range<usize>> {
    let mut cursor = TokenCursor::new(text, 0..text.len(), &LEXIS_OF_LINES);
    let mut pieces = Vec::new();
    let (mut start, mut open_groups) = (None, 0usize);
    let mut at_line_start = true;
    loop {
        let begins_definition =
            operands::name(cursor.peek_at(0)).is_some() && cursor.peek_at(1).is("=");
        let token = cursor.take();
        if at_line_start && begins_definition {
            pieces.extend(start.take().map(|start| start..token.span.start));
            open_groups = 0;
        }
        at_line_start = token.kind == LexemeKind::LineEnd;
        match token.kind {
            LexemeKind::Symbol("(" | "{" | "[") => open_groups += 1,
            LexemeKind::Symbol(")" | "}" | "]") => open_groups = open_groups.saturating_sub(1),
            LexemeKind::LineEnd if open_groups == 0 => {
                pieces.extend(start.take().map(|start| start..token.span.start));
                continue;
            }
            LexemeKind::End => {
                pieces.extend(start.take().map(|start| start..token.span.end));
                return pieces;
            }
            _ => {}
        }
        if start.is_none() && token.kind != LexemeKind::LineEnd {
            start = Some(token.span.start);
        }
    }
}

/// Parses the definition in a byte range of the text.
fn definition(text: &str, range: Range<usize>) -> ReadDefinition {
    let mut cursor = TokenCursor::new(text, range.clone(), &LEXIS);
    let name = operands::name(cursor.peek()).unwrap_or_default().to_owned();
    let mut remarks = Vec::new();
    let definition = parse(&mut cursor, &mut remarks);
    if definition.is_ok() {
        remark_on_tokens(text, range.clone(), &mut remarks);
    }
    if definition.is_ok() && range.end == text.len() {
        remarks.push(grammar_remark(range.end..range.end, "a last line without a line break"));
    }
    ReadDefinition { name, definition, remarks }
}

/// Adds remarks on tokens that the grammar of 2011 does not allow.
fn remark_on_tokens(text: &str, range: Range<usize>, remarks: &mut Vec<TextFailure>) {
    let mut cursor = TokenCursor::new(text, range, &LEXIS_OF_LINES);
    loop {
        let token = cursor.take();
        let found = match token.kind {
            LexemeKind::End => break,
            LexemeKind::Quoted(_) => "a name in quotes",
            LexemeKind::Word(name) if !name.is_ascii() => "a name with letters beyond A to Z",
            LexemeKind::LineEnd if cursor.peek().kind != LexemeKind::End => {
                "a line that ends inside a formula"
            }
            _ => continue,
        };
        remarks.push(grammar_remark(token.span, found));
    }
    // `remarks` has the remarks of the parser, too. All are put in the order of the text.
    remarks.sort_by_key(|remark| remark.span.start);
}

/// Returns a remark that the text at `span` is not in the grammar of 2011.
fn grammar_remark(span: Range<usize>, text: &'static str) -> TextFailure {
    TextFailure { span, problem: FormulaProblem::Not2011(text) }
}

/// Parses `name = quantifier body`.
fn parse(
    cursor: &mut TokenCursor<'_>,
    remarks: &mut Vec<TextFailure>,
) -> Result<Definition, TextFailure> {
    let token = cursor.take();
    let name = match operands::name(&token) {
        Some(name) if !is_keyword(&token) => name.to_owned(),
        _ => return Err(token.instead_of("a formula like `name = reachable …`")),
    };
    cursor.expect("=")?;
    let token = cursor.take();
    let quantifier = match token.kind {
        LexemeKind::Word("reachable") => Quantifier::Reachable,
        LexemeKind::Word("invariant") => Quantifier::Invariant,
        _ => return Err(token.instead_of("`reachable` or `invariant`")),
    };
    let body = expression(cursor, &mut Grammar2011 { remarks })?;
    match cursor.peek().kind {
        LexemeKind::End => Ok(Definition { name, quantifier, body: body.value }),
        _ => Err(cursor.peek().instead_of("`and`, `or` or the end of the line")),
    }
}

/// Returns true if the token is a reserved word.
fn is_keyword(token: &Lexeme<'_>) -> bool {
    matches!(token.kind, LexemeKind::Word(word) if KEYWORDS.contains(&word))
}

/// The operator grammar of a body. It collects remarks on deviations.
struct Grammar2011<'r> {
    remarks: &'r mut Vec<TextFailure>,
}

impl<'t> Grammar<'t> for Grammar2011<'_> {
    type Value = DefinitionBody;

    fn prefixes(&self, token: &Lexeme<'t>) -> &'static [FormulaOperator] {
        if token.is_word("not") { &[FormulaOperator::Not] } else { &[] }
    }

    fn infix(&self, token: &Lexeme<'t>) -> Option<(FormulaOperator, u8)> {
        match token.kind {
            LexemeKind::Word("or") => Some((FormulaOperator::Or, 1)),
            LexemeKind::Word("and") => Some((FormulaOperator::And, 2)),
            _ => None,
        }
    }

    fn prefix_level(&self) -> u8 {
        3
    }

    fn operand(&mut self, cursor: &mut TokenCursor<'t>) -> Result<DefinitionBody, TextFailure> {
        let token = cursor.take();
        let place = match operands::name(&token) {
            Some(name) if !is_keyword(&token) => name.to_owned(),
            _ => return Err(token.instead_of("a place, `not` or `(`")),
        };
        let verb = cursor.take();
        let comparison = match verb.kind {
            LexemeKind::Word("contains") => MultisetComparison::Contains,
            LexemeKind::Word("equals") => MultisetComparison::Equals,
            _ => return Err(verb.instead_of("`contains` or `equals`")),
        };
        let tokens = self.multiset(cursor)?;
        Ok(DefinitionBody::Atom(MultisetAtom { place, span: token.span, comparison, tokens }))
    }

    fn apply_prefix(
        &mut self,
        _: FormulaOperator,
        at: Range<usize>,
        operand: SpannedValue<DefinitionBody>,
    ) -> Result<DefinitionBody, TextFailure> {
        if !operand.parenthesised {
            self.remarks.push(grammar_remark(at, "`not` before anything except a parenthesis"));
        }
        Ok(DefinitionBody::Not(Box::new(operand.value)))
    }

    fn apply_infix(
        &mut self,
        operator: FormulaOperator,
        at: Range<usize>,
        left: SpannedValue<DefinitionBody>,
        right: SpannedValue<DefinitionBody>,
    ) -> Result<DefinitionBody, TextFailure> {
        let mut mixes_operators = false;
        for part in [&left, &right] {
            if part.operator.is_none() && !part.parenthesised {
                let text = "operands of `and` and `or` without parentheses";
                self.remarks.push(grammar_remark(part.span.clone(), text));
            }
            mixes_operators |=
                part.operator.is_some_and(|by| by != operator && by != FormulaOperator::Not);
        }
        if mixes_operators {
            let text = "`and` and `or` mixed without parentheses; `and` has the higher precedence";
            self.remarks.push(grammar_remark(at, text));
        }
        let extends_chain = left.operator == Some(operator);
        Ok(match (operator, left.value, right.value) {
            (FormulaOperator::And, DefinitionBody::And(mut parts), right) if extends_chain => {
                parts.push(right);
                DefinitionBody::And(parts)
            }
            (FormulaOperator::Or, DefinitionBody::Or(mut parts), right) if extends_chain => {
                parts.push(right);
                DefinitionBody::Or(parts)
            }
            (FormulaOperator::And, left, right) => DefinitionBody::And(vec![left, right]),
            (_, left, right) => DefinitionBody::Or(vec![left, right]),
        })
    }
}

impl Grammar2011<'_> {
    /// Takes `{ 1*[.], … }`, which may be empty.
    fn multiset(&mut self, cursor: &mut TokenCursor<'_>) -> Result<Vec<ColourTokens>, TextFailure> {
        cursor.expect("{")?;
        let mut entries = Vec::new();
        if cursor.take_if("}").is_some() {
            return Ok(entries);
        }
        loop {
            let start = cursor.position();
            let token = cursor.take();
            let LexemeKind::Integer(_) = token.kind else {
                return Err(token.instead_of("tokens like `2*[.]`, or `}`"));
            };
            let count = operands::integer(&token, false)?;
            cursor.expect("*")?;
            let colour = self.colour(cursor)?;
            entries.push(ColourTokens { count, colour, span: start..cursor.last_end() });
            let token = cursor.take();
            if token.is("}") {
                return Ok(entries);
            } else if !token.is(",") {
                return Err(token.instead_of("`,` or `}`"));
            }
        }
    }

    /// Takes `[.]` or `[1, red, …]`.
    fn colour(
        &mut self,
        cursor: &mut TokenCursor<'_>,
    ) -> Result<Vec<ColourComponent>, TextFailure> {
        let start = cursor.expect("[")?.span.start;
        let mut components = Vec::new();
        if cursor.take_if(".").is_some() {
            cursor.expect("]")?;
            return Ok(components);
        }
        loop {
            let token = cursor.take();
            components.push(match &token.kind {
                LexemeKind::Integer(digits) => ColourComponent::Number((*digits).to_owned()),
                LexemeKind::Word(name) => ColourComponent::Name((*name).to_owned()),
                LexemeKind::Quoted(name) => ColourComponent::Name(name.to_string()),
                _ => return Err(token.instead_of("`.`, a number or a name")),
            });
            if cursor.take_if(",").is_none() {
                cursor.expect("]")?;
                break;
            }
        }
        let is_number =
            |component: &ColourComponent| matches!(component, ColourComponent::Number(_));
        if components.iter().any(is_number) && !components.iter().all(is_number) {
            let text = "the components of a colour are all numbers or all names";
            self.remarks.push(grammar_remark(start..cursor.last_end(), text));
        }
        Ok(components)
    }
}

/// Converts a definition to a formula about a net.
pub(super) fn resolve(
    definition: &Definition,
    names: &mut NameResolver<'_>,
) -> Result<Formula, TextFailure> {
    let body = Box::new(body_formula(&definition.body, names)?);
    Ok(match definition.quantifier {
        Quantifier::Reachable => Formula::ExistsPath(Box::new(Formula::Finally(body))),
        Quantifier::Invariant => Formula::AllPaths(Box::new(Formula::Globally(body))),
    })
}

/// Converts a body to a formula. The recursion is as deep as the parser allows.
fn body_formula(
    body: &DefinitionBody,
    names: &mut NameResolver<'_>,
) -> Result<Formula, TextFailure> {
    let mut convert_all = |parts: &[DefinitionBody]| -> Result<Vec<Formula>, TextFailure> {
        parts.iter().map(|part| body_formula(part, names)).collect()
    };
    Ok(match body {
        DefinitionBody::Not(part) => Formula::Not(Box::new(body_formula(part, names)?)),
        DefinitionBody::And(parts) => Formula::And(convert_all(parts)?),
        DefinitionBody::Or(parts) => Formula::Or(convert_all(parts)?),
        DefinitionBody::Atom(atom) => compare(atom, names)?,
    })
}

/// Converts an atom to a formula. For a place without colours, the counts of all entries are added.
/// For a coloured place, each colour is compared separately. If this net has no names of colours,
/// only a comparison with the empty multiset is allowed.
fn compare(atom: &MultisetAtom, names: &mut NameResolver<'_>) -> Result<Formula, TextFailure> {
    if names.is_coloured(&atom.place) {
        return compare_colours(atom, names);
    }
    if names.is_erased(&atom.place) && !atom.tokens.is_empty() {
        return Err(operands::erased(&atom.place, &atom.span));
    }
    let places = names.place_at(&atom.place, &atom.span)?;
    let mut sum = 0i128;
    for tokens in &atom.tokens {
        if !tokens.colour.is_empty() {
            let problem = FormulaProblem::ColourOnBlackPlace { place: atom.place.clone() };
            return Err(TextFailure { span: tokens.span.clone(), problem });
        }
        // The sum cannot overflow: a text holds far fewer than 2⁶⁴ counts.
        sum += i128::from(tokens.count);
        if i64::try_from(sum).is_err() {
            let problem = FormulaProblem::BadNumber(sum.to_string());
            return Err(TextFailure { span: tokens.span.clone(), problem });
        }
    }
    let sum = i64::try_from(sum).unwrap_or(i64::MAX);
    let (left, right) = (Expression::Tokens(places), Expression::Constant(sum));
    Ok(match atom.comparison {
        MultisetComparison::Contains if sum == 0 => Formula::True,
        MultisetComparison::Contains => {
            Formula::Compare { left, relation: NumberRelation::AtLeast, right }
        }
        MultisetComparison::Equals => {
            Formula::Compare { left, relation: NumberRelation::Equal, right }
        }
    })
}

/// Compares the tokens of each colour separately. For `equals`, the colours that are not listed
/// must have no tokens. A colour that never occurs in a marking has no place in the unfolding, and
/// counts as 0 tokens.
fn compare_colours(
    atom: &MultisetAtom,
    names: &mut NameResolver<'_>,
) -> Result<Formula, TextFailure> {
    // The number of tokens for each colour, by the colour's place. The key `None` is for colours
    // that never occur.
    let mut counts: BTreeMap<Option<PlaceId>, i64> = BTreeMap::new();
    for tokens in &atom.tokens {
        let components: Vec<&str> = tokens
            .colour
            .iter()
            .map(|component| match component {
                ColourComponent::Number(text) | ColourComponent::Name(text) => text.as_str(),
            })
            .collect();
        let colour = if components.is_empty() { ".".to_owned() } else { components.join(",") };
        let place = names.colour(&atom.place, &colour, &tokens.span)?;
        let sum = counts.entry(place).or_insert(0);
        *sum = sum.checked_add(tokens.count).ok_or_else(|| {
            let problem = FormulaProblem::BadNumber(format!("{sum} + {}", tokens.count));
            TextFailure { span: tokens.span.clone(), problem }
        })?;
    }
    let relation = match atom.comparison {
        MultisetComparison::Contains => NumberRelation::AtLeast,
        MultisetComparison::Equals => NumberRelation::Equal,
    };
    let compare = |places: Vec<PlaceId>, count| Formula::Compare {
        left: Expression::Tokens(places),
        relation,
        right: Expression::Constant(count),
    };
    let mut parts: Vec<Formula> = counts
        .iter()
        .filter(|(_, count)| atom.comparison == MultisetComparison::Equals || **count > 0)
        .map(|(place, &count)| compare(place.iter().copied().collect(), count))
        .collect();
    if atom.comparison == MultisetComparison::Equals {
        let mut others = names.place_at(&atom.place, &atom.span)?;
        others.retain(|&place| !counts.contains_key(&Some(place)));
        parts.push(compare(others, 0));
    }
    Ok(match parts.len() {
        0 => Formula::True,
        1 => parts.swap_remove(0),
        _ => Formula::And(parts),
    })
}
