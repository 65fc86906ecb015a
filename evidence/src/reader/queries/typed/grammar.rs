//! The parser of textual formulas: from tokens to the contest's XML.
//!
//! | operators, tightest first | |
//! |---|---|
//! | `*` | |
//! | `+` `-` | |
//! | `<=` `>=` `<` `>` `=` `==` `!=` `=<` `<>` | do not chain |
//! | `!` `not` `A` `E` `G` `F` `X` `AG` `AF` `AX` `EG` `EF` `EX` | |
//! | `U` | to the right |
//! | `&&` `&` `and` | |
//! | `xor` | |
//! | `\|\|` `\|` `or` | |
//! | `->` `=>` `implies` | to the right |
//! | `<->` `<=>` `iff` | |
//!
//! The open operators are in a `Vec`, so deeply nested formulas do not overflow the call stack.

use super::MAX_XML_BYTES;
use super::constraints;
use super::lexer::{TypedToken, split_formula};
use super::operators::{
    INFIX, Infix, PREFIX, PREFIX_LEVEL, ParsedOperand, PlaceSum, XmlFormula, add, apply_infix,
    apply_prefix, constant, into_formula, node_elements, path_formula, without_chaining,
};
use crate::reader::names::{NameNotation, NamedNodeKind, ids_of_name};
use crate::reader::queries::MAX_DEPTH;
use parikh_net::Net;
use parikh_net::printable::Quoted;

/// The maximum number of open operators and brackets. Brackets alone do not add nesting depth.
const MAX_OPEN_OPERATORS: usize = 10 * MAX_DEPTH;

/// An operator or a bracket whose operand or content is still to be parsed.
enum OpenOperator {
    /// An open group, with the closing bracket.
    Group(&'static str),
    /// A prefix operator, as its XML elements from the outside in.
    Prefix(&'static [&'static str]),
    /// An infix operator, its parsed left operand, and its precedence.
    Infix { left: ParsedOperand, operator: Infix, level: u8 },
}

/// A parser of one formula, with the tokens that it has not taken yet.
pub(super) struct FormulaParser<'n> {
    net: &'n Net,
    tokens: std::vec::IntoIter<TypedToken>,
    /// The next token; the iterator holds the tokens after it.
    next: TypedToken,
    /// The XML of the operands `a` and `b` while the parser reads the formula of a constraint of
    /// Declare. Otherwise empty.
    activities: Vec<String>,
    /// True if `U` has the lowest precedence.
    has_loosest_until: bool,
    /// True if quoted names follow the rules of words without quotes, as in LoLA's formulas.
    treats_names_as_words: bool,
    /// True if names are always ids, as in the contest's languages.
    has_ids_only: bool,
}

impl<'n> FormulaParser<'n> {
    pub(super) fn new(net: &'n Net, tokens: Vec<TypedToken>) -> Self {
        let mut tokens = tokens.into_iter();
        let next = tokens.next().unwrap_or(TypedToken::End);
        FormulaParser {
            net,
            tokens,
            next,
            activities: Vec::new(),
            has_loosest_until: false,
            treats_names_as_words: false,
            has_ids_only: false,
        }
    }

    /// Returns the parser in a mode where names are always ids.
    pub(super) fn with_ids_only(self) -> Self {
        FormulaParser { has_ids_only: true, ..self }
    }

    /// Returns the parser in a mode where `U` has the lowest precedence.
    pub(super) fn with_loosest_until(self) -> Self {
        FormulaParser { has_loosest_until: true, ..self }
    }

    /// Returns the net of the formula.
    pub(super) fn net(&self) -> &'n Net {
        self.net
    }

    /// Returns a parser for a formula of LoLA, where quoted names follow the rules of words without
    /// quotes.
    pub(super) fn of_words(net: &'n Net, tokens: Vec<TypedToken>) -> Self {
        FormulaParser { treats_names_as_words: true, ..FormulaParser::new(net, tokens) }
    }

    /// Parses the whole formula, and returns it in the contest's XML. A formula with a temporal
    /// operator or `fires` outside of all path quantifiers is enclosed in `all-paths`.
    ///
    /// # Errors
    /// A description of the first error, such as a syntax error or an unknown colour.
    pub(super) fn parse(mut self) -> Result<String, String> {
        Ok(match self.parse_expression()? {
            ParsedOperand::Bound(xml) => xml,
            part => {
                let formula = into_formula(part)?;
                match formula.is_path_formula {
                    true => format!("<all-paths>{}</all-paths>", formula.with_junction_element()),
                    false => formula.with_junction_element(),
                }
            }
        })
    }

    fn take(&mut self) -> TypedToken {
        std::mem::replace(&mut self.next, self.tokens.next().unwrap_or(TypedToken::End))
    }

    fn take_if(&mut self, text: &str) -> bool {
        let found = self.next.is(text);
        if found {
            self.take();
        }
        found
    }

    fn expect(&mut self, text: &str) -> Result<(), String> {
        match self.take_if(text) {
            true => Ok(()),
            false => Err(unexpected_token(&self.next, &format!("`{text}`"))),
        }
    }

    /// Parses an expression up to the end of the tokens.
    fn parse_expression(&mut self) -> Result<ParsedOperand, String> {
        let mut open_operators: Vec<OpenOperator> = Vec::new();
        loop {
            if open_operators.len() > MAX_OPEN_OPERATORS {
                return Err(format!(
                    "more than {MAX_OPEN_OPERATORS} operators and brackets are nested"
                ));
            }
            if let Some((_, names)) = PREFIX.iter().find(|(text, _)| self.next.is(text)) {
                self.take();
                open_operators.push(OpenOperator::Prefix(names));
                continue;
            }
            let opening = [("(", ")"), ("[", "]")].into_iter().find(|(it, _)| self.next.is(it));
            if let Some((_, closing)) = opening {
                self.take();
                open_operators.push(OpenOperator::Group(closing));
                continue;
            }
            // After the operand, closing brackets may follow, and then an infix operator or the
            // end.
            let mut part = self.parse_operand()?;
            loop {
                if let Some(&(_, operator, level)) = INFIX.iter().find(|it| self.next.is(it.0)) {
                    self.take();
                    let is_loosest = self.has_loosest_until && operator == Infix::Until;
                    let level = if is_loosest { 0 } else { level };
                    let left = apply_open_operators(
                        &mut open_operators,
                        part,
                        level,
                        operator.is_right_associative(),
                    )?;
                    open_operators.push(OpenOperator::Infix { left, operator, level });
                    break;
                }
                part = apply_open_operators(&mut open_operators, part, 0, false)?;
                match open_operators.pop() {
                    Some(OpenOperator::Group(closing)) => {
                        self.expect(closing)?;
                        part = without_chaining(part);
                    }
                    _ if self.next == TypedToken::End => return Ok(part),
                    _ => {
                        let expected = "an operator or the end of the formula";
                        return Err(unexpected_token(&self.next, expected));
                    }
                }
            }
        }
    }

    /// Takes an operand: an atom, a place, a number, a bound or a constraint.
    fn parse_operand(&mut self) -> Result<ParsedOperand, String> {
        let token = self.take();
        let state_formula = |xml: String| {
            Ok(ParsedOperand::Formula(XmlFormula { xml, connective: None, is_path_formula: false }))
        };
        match &token {
            TypedToken::Word(word) => match (word.as_str(), self.next.is("(")) {
                ("true" | "false" | "deadlock", _) => state_formula(format!("<{word}/>")),
                ("fireable" | "enabled", true) => {
                    let names = self.nodes(NamedNodeKind::Transitions)?;
                    state_formula(format!(
                        "<is-fireable>{}</is-fireable>",
                        node_elements("transition", &names)
                    ))
                }
                ("fires", true) => {
                    let names = self.nodes(NamedNodeKind::Transitions)?;
                    Ok(path_formula(format!(
                        "<fires>{}</fires>",
                        node_elements("transition", &names)
                    )))
                }
                ("tokens", true) => {
                    let mut sum = PlaceSum::default();
                    self.expect("(")?;
                    loop {
                        let token = self.take();
                        add(&mut sum, self.place(&token)?, 1)?;
                        if !self.take_if(",") {
                            break;
                        }
                    }
                    self.expect(")")?;
                    Ok(ParsedOperand::Number(sum))
                }
                ("bound" | "max", true) => self.bound(),
                (name, true) if constraints::constraint_named(name).is_some() => {
                    self.constraint(name)
                }
                (name, _) => {
                    let activity_index = ["a", "b"].iter().position(|it| *it == name);
                    match activity_index
                        .and_then(|activity_index| self.activities.get(activity_index))
                    {
                        Some(xml) => Ok(path_formula(xml.clone())),
                        None => self.place(&token).map(ParsedOperand::Number),
                    }
                }
            },
            TypedToken::Name(_) => self.place(&token).map(ParsedOperand::Number),
            TypedToken::Number(digits) => constant(digits, 1),
            TypedToken::Sign("-") => match self.take() {
                TypedToken::Number(digits) => constant(&digits, -1),
                other => Err(unexpected_token(&other, "a whole number")),
            },
            _ => Err(unexpected_token(&token, "a formula, a place or a number")),
        }
    }

    /// Returns the sum of the tokens on the places that `token` refers to. A coloured place stands
    /// for the sum of all its colours, or only for the colour in parentheses that follows.
    fn place(&mut self, token: &TypedToken) -> Result<PlaceSum, String> {
        let mut ids = self.node(token, NamedNodeKind::Places)?;
        let coloured_places = |id: &String| self.net.folding().and_then(|it| it.place_named(id));
        let coloured_places: Vec<Option<usize>> = ids.iter().map(coloured_places).collect();
        if self.next.is("(") && coloured_places.iter().any(Option::is_some) {
            let colour = self.colour()?;
            let mut unfolded = Vec::new();
            for (id, place) in ids.iter().zip(coloured_places) {
                let place = place.ok_or_else(|| format!("`{id}` is not a coloured place"))?;
                unfolded.extend(self.unfolded_place(place, &colour)?);
            }
            ids = unfolded;
        }
        Ok(PlaceSum { terms: ids.into_iter().map(|id| (id, 1)).collect(), constant: 0 })
    }

    /// Returns the ids of the nodes that a token refers to. The word `id` and the quoted id behind
    /// it count as one token.
    fn node(&mut self, token: &TypedToken, kind: NamedNodeKind) -> Result<Vec<String>, String> {
        if token.is("id") && matches!(self.next, TypedToken::Name(_)) {
            let exact = self.take();
            return ids_of_name(self.net, kind, exact.name().unwrap_or_default(), NameNotation::Id);
        }
        let notation = match token {
            _ if self.has_ids_only => NameNotation::Id,
            TypedToken::Name(_) if !self.treats_names_as_words => NameNotation::Quoted,
            _ => NameNotation::Bare,
        };
        let name = token.name().ok_or_else(|| unexpected_token(token, "a name"))?;
        ids_of_name(self.net, kind, name, notation)
    }

    /// Returns the id of the unfolded place for a colour of the coloured place with the index
    /// `place`. Returns `None` if tokens of this colour never occur, so that the unfolding has no
    /// such place. Returns an error if the place has no such colour.
    fn unfolded_place(&self, place: usize, colour: &str) -> Result<Option<String>, String> {
        let folding = self.net.folding();
        let id = folding.and_then(|folding| folding.colour_names()?.unfolded(place, colour));
        let id = id.ok_or_else(|| {
            let place = folding.map_or("", |folding| folding.place_name(place));
            format!("{} is not a colour of place {}", Quoted(colour), Quoted(place))
        })?;
        let found = self.net.place_named(&id);
        let coloured_place_of = |found| folding.map(|folding| folding.place_of(found));
        match found {
            Some(found) if coloured_place_of(found) == Some(place) => Ok(Some(id)),
            Some(_) => Err(format!("{} is another place of the unfolding", Quoted(&id))),
            None => Ok(None),
        }
    }

    /// Takes a colour in parentheses, and returns its text without the parentheses.
    fn colour(&mut self) -> Result<String, String> {
        let (mut text, mut open_parentheses) = (String::new(), 0u32);
        loop {
            let token = self.take();
            match &token {
                TypedToken::Sign("(") => open_parentheses += 1,
                TypedToken::Sign(")") => open_parentheses -= 1,
                TypedToken::Sign("," | "-")
                | TypedToken::Word(_)
                | TypedToken::Name(_)
                | TypedToken::Number(_) => {}
                _ => return Err(unexpected_token(&token, "a colour such as `(red,2)`")),
            }
            match &token {
                TypedToken::Sign(sign) => text.push_str(sign),
                TypedToken::Word(part) | TypedToken::Name(part) | TypedToken::Number(part) => {
                    text.push_str(part)
                }
                TypedToken::End => {}
            }
            if open_parentheses == 0 {
                return Ok(text[1..text.len() - 1].to_owned());
            }
        }
    }

    /// Takes nodes in parentheses, separated by commas, and returns the ids of the nodes.
    fn nodes(&mut self, kind: NamedNodeKind) -> Result<Vec<String>, String> {
        self.expect("(")?;
        let mut ids = Vec::new();
        loop {
            let token = self.take();
            ids.extend(self.node(&token, kind)?);
            if !self.take_if(",") {
                self.expect(")")?;
                return Ok(ids);
            }
        }
    }

    /// Takes the places of `bound`, a sum in parentheses, where commas may replace plus signs.
    /// Returns the XML of the bound.
    fn bound(&mut self) -> Result<ParsedOperand, String> {
        self.expect("(")?;
        let mut places = String::new();
        loop {
            let token = self.take();
            let names = match token.is("tokens") && self.next.is("(") {
                true => self.nodes(NamedNodeKind::Places)?,
                false => self.place(&token)?.terms.into_keys().collect(),
            };
            places.push_str(&node_elements("place", &names));
            if names.is_empty() {
                // Tokens of this colour never occur, so the unfolding has no place for it.
                places.push_str("<none/>");
            }
            if !self.take_if("+") && !self.take_if(",") {
                self.expect(")")?;
                return Ok(ParsedOperand::Bound(format!("<place-bound>{places}</place-bound>")));
            }
        }
    }

    /// Takes the operands of a constraint of Declare, and returns the formula of the constraint.
    fn constraint(&mut self, name: &str) -> Result<ParsedOperand, String> {
        let (operand_count, text) = constraints::constraint_named(name).unwrap_or((0, ""));
        self.expect("(")?;
        let mut activities = Vec::new();
        loop {
            let token = self.take();
            activities.push(self.activity(&token)?);
            if !self.take_if(",") {
                break;
            }
        }
        self.expect(")")?;
        if activities.len() != operand_count {
            return Err(format!(
                "`{name}` takes {operand_count} activities, not {}",
                activities.len()
            ));
        }
        let mut inner = FormulaParser::new(self.net, split_formula(text)?);
        inner.activities = activities;
        Ok(without_chaining(inner.parse_expression()?))
    }

    /// Reads an activity, that is, an operand of a constraint of Declare. Returns the XML for "one
    /// of the transitions with this name fires next". If no transition has the name, the transition
    /// with this id is meant. Inside the formula of a constraint, `a` and `b` give the XML of its
    /// operands.
    fn activity(&mut self, token: &TypedToken) -> Result<String, String> {
        let name = token.name().ok_or_else(|| unexpected_token(token, "an activity"))?;
        // Inside the formula of a constraint, the words `a` and `b` stand for its operands.
        let activity_index = ["a", "b"].iter().position(|it| *it == name);
        if let Some(xml) =
            activity_index.and_then(|activity_index| self.activities.get(activity_index))
        {
            return Ok(xml.clone());
        }
        let ids = match token.is("id") && matches!(self.next, TypedToken::Name(_)) {
            true => self.node(token, NamedNodeKind::Transitions)?,
            false => ids_of_name(self.net, NamedNodeKind::Transitions, name, NameNotation::Quoted)?,
        };
        Ok(format!("<fires>{}</fires>", node_elements("transition", &ids)))
    }
}

/// Returns the message that a token was found where `expected` should stand.
fn unexpected_token(found: &TypedToken, expected: &str) -> String {
    format!("found {}, expected {expected}", found.describe())
}

/// Applies the open operators that bind tighter than `level` to their last operand `part`. If
/// `is_right_associative` is false, applies the operators of equal level, too. Returns the result,
/// which may be the operand of the operators that stay open.
fn apply_open_operators(
    open_operators: &mut Vec<OpenOperator>,
    mut part: ParsedOperand,
    level: u8,
    is_right_associative: bool,
) -> Result<ParsedOperand, String> {
    let binds_tighter =
        |own_level: u8| own_level > level || own_level == level && !is_right_associative;
    loop {
        part = match open_operators.pop() {
            Some(OpenOperator::Prefix(names)) if binds_tighter(PREFIX_LEVEL) => {
                apply_prefix(names, part)?
            }
            Some(OpenOperator::Infix { left, operator, level }) if binds_tighter(level) => {
                apply_infix(operator, left, part)?
            }
            other => {
                open_operators.extend(other);
                return Ok(part);
            }
        };
        if let ParsedOperand::Formula(formula) = &part
            && formula.xml.len() > MAX_XML_BYTES
        {
            return Err("the formula is too long".to_owned());
        }
    }
}
