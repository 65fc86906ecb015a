//! Operands of the languages whose trees are [`Formula`]s: formulas, numbers and names. Resolves
//! names of places and transitions, and applies operators to operands.

use super::TextFailure;
use super::lexer::{Lexeme, LexemeKind, TokenCursor};
use super::precedence::{FormulaOperator, SpannedValue};
use crate::error::shortened;
use crate::named::NamedNodes;
use crate::{Expression, Formula, FormulaProblem};
use parikh_net::{Mention, NameIndex, Net, NodeKind, PlaceId, TransitionId};
use std::cell::OnceCell;
use std::ops::Range;

/// A parsed operand.
pub(super) enum OperandValue {
    /// A property of a marking or a run.
    Formula(Formula),
    /// An integer expression.
    Number(Expression),
}

/// The texts that can refer to nodes in a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeTexts {
    /// Ids only, as in the contest's languages.
    Ids,
    /// Words, each the id or the name of one node.
    Words,
    /// Words, and names in quotes, which may refer to several nodes.
    WordsAndQuotedNames,
}

/// Resolves names of a net.
pub(super) struct NameResolver<'n> {
    net: &'n Net,
    texts: NodeTexts,
    /// First the name index of the places, second that of the transitions, each built at its first
    /// use. `None` if no node of the kind has a label.
    indexes: [OnceCell<Option<NameIndex<'n>>>; 2],
    /// The nodes of names that are not just ids, for explanations.
    named: Vec<NamedNodes>,
    /// The number of unknown names that still get a suggestion. Each suggestion searches the whole
    /// net.
    suggestions_left: usize,
}

impl<'n> NameResolver<'n> {
    pub(super) fn new(net: &'n Net, texts: NodeTexts) -> Self {
        NameResolver {
            net,
            texts,
            indexes: Default::default(),
            named: Vec::new(),
            suggestions_left: 50,
        }
    }

    /// Returns the nodes of the names resolved since the last call. Names that are just ids are
    /// left out.
    pub(super) fn take_named(&mut self) -> Vec<NamedNodes> {
        std::mem::take(&mut self.named)
    }

    /// Returns the name index of places or of transitions, built at the first call. Returns `None`
    /// if no such node has a label.
    fn index(&self, kind: NodeKind) -> Option<&NameIndex<'n>> {
        let index = self.indexes[usize::from(kind == NodeKind::Transition)]
            .get_or_init(|| self.net.has_labels(kind).then(|| NameIndex::new(self.net, kind)));
        index.as_ref()
    }

    /// Returns the ids of the nodes that a text refers to. Returns the text itself if the index
    /// finds no node, or if no node of this kind has a label. Returns an error if the text must
    /// refer to one node, but is the id of none and the name of several.
    fn ids(
        &mut self,
        kind: NodeKind,
        text: &str,
        mention: Mention,
        span: &Range<usize>,
    ) -> Result<Vec<String>, TextFailure> {
        let Some(index) = self.index(kind) else { return Ok(vec![text.to_owned()]) };
        let ids = match index.find(text, mention) {
            Ok(ids) => ids.into_iter().map(str::to_owned).collect(),
            Err(none) if none.is_empty() => vec![text.to_owned()],
            Err(several) => {
                let candidates = several.into_iter().map(str::to_owned).collect();
                let name = text.to_owned();
                let has_quotes = self.texts == NodeTexts::WordsAndQuotedNames;
                let problem = FormulaProblem::AmbiguousName { name, kind, candidates, has_quotes };
                return Err(TextFailure { span: span.clone(), problem });
            }
        };
        let is_plain = mention == Mention::Id || ids[..] == [text] && !index.names_another(text);
        let named = NamedNodes::new(text, kind, ids, mention);
        let ids = named.ids.clone();
        if !is_plain && !self.named.contains(&named) {
            self.named.push(named);
        }
        Ok(ids)
    }

    /// Returns the ids of the nodes that `token` refers to, with the byte range of the token. In
    /// the mode `WordsAndQuotedNames`, the word `id` and a quoted id behind it count as one token.
    /// In this mode, a quoted name refers to all nodes with this name. So does every operand of a
    /// constraint of Declare (`is_activity`).
    fn resolve_nodes(
        &mut self,
        kind: NodeKind,
        cursor: &mut TokenCursor<'_>,
        token: &Lexeme<'_>,
        is_activity: bool,
    ) -> Result<(Vec<String>, Range<usize>), TextFailure> {
        let is_exact = self.texts == NodeTexts::WordsAndQuotedNames
            && token.is_word("id")
            && matches!(cursor.peek().kind, LexemeKind::Quoted(_));
        let exact_id = is_exact.then(|| cursor.take());
        let span = token.span.start..exact_id.as_ref().unwrap_or(token).span.end;
        let mention = match (self.texts, &token.kind) {
            _ if is_exact => Mention::Id,
            (NodeTexts::Ids, _) => Mention::Id,
            (NodeTexts::Words, _) => Mention::Word,
            (NodeTexts::WordsAndQuotedNames, LexemeKind::Quoted(_)) => Mention::Name,
            (NodeTexts::WordsAndQuotedNames, _) if is_activity => Mention::Name,
            (NodeTexts::WordsAndQuotedNames, _) => Mention::Word,
        };
        let text = name(exact_id.as_ref().unwrap_or(token));
        let text = text.ok_or_else(|| {
            let article_and_kind =
                if is_activity { "an activity" } else { kind.word_with_article() };
            token.instead_of(format!("the name of {article_and_kind}"))
        })?;
        let ids = self.ids(kind, text, mention, &span)?;
        Ok((ids, span))
    }

    /// Returns true if a text is the id or the name of a place.
    pub(super) fn is_place(&self, text: &str) -> bool {
        self.net.places_named(text).is_some()
            || self.index(NodeKind::Place).is_some_and(|index| !index.ids(text).is_empty())
    }

    /// Returns the id or name of a place that begins with the word at `token` and continues
    /// directly behind the word with an operator, such as `p-1`. Returns `None` if there is no such
    /// place. At most four such texts are tried.
    pub(super) fn place_with_operators<'t>(
        &self,
        cursor: &TokenCursor<'t>,
        token: &Lexeme<'_>,
    ) -> Option<&'t str> {
        const MAX_OPERATORS: usize = 4;
        let text = cursor.text_from(token.span.start);
        let is_end = |c: char| c.is_whitespace() || "()[],:;<>=!&|\"#".contains(c);
        let run = &text[..text.find(is_end).unwrap_or(text.len())];
        let operators = run.char_indices().filter(|(_, c)| "+-*".contains(*c));
        let ends =
            operators.map(|(at, _)| at).chain([run.len()]).filter(|&at| at > token.span.len());
        let mut longer_texts = ends.take(MAX_OPERATORS).map(|end| &run[..end]);
        longer_texts.find(|longer| self.is_place(longer))
    }

    /// Adds a hint to the error that a word is no node, if the text at the word begins with the id
    /// or name of a node.
    fn with_longer_name(
        &self,
        failure: TextFailure,
        cursor: &TokenCursor<'_>,
        token: &Lexeme<'_>,
    ) -> TextFailure {
        let (LexemeKind::Word(word), NodeTexts::WordsAndQuotedNames) = (&token.kind, self.texts)
        else {
            return failure;
        };
        let TextFailure { span, mut problem } = failure;
        let (kind, hint) = match &mut problem {
            FormulaProblem::UnknownPlace { hint, .. } => (NodeKind::Place, hint),
            FormulaProblem::UnknownTransition { hint, .. } => (NodeKind::Transition, hint),
            _ => return TextFailure { span, problem },
        };
        let text = cursor.text_from(token.span.start);
        let is_longer = |name: &&str| {
            let rest = text.strip_prefix(*name).unwrap_or("_");
            name.len() > word.len() && !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        };
        let names = self.net.named_nodes(kind).flat_map(|(id, name)| [id, name]);
        if let Some(name) = names.filter(is_longer).max_by_key(|name| name.len()) {
            *hint = format!("; to name `{}`, write it in quotes", shortened(name));
        }
        TextFailure { span, problem }
    }

    /// Returns true if the next unknown name may still get a suggestion, and counts this
    /// suggestion.
    fn may_suggest(&mut self) -> bool {
        let may_guess = self.suggestions_left > 0;
        self.suggestions_left = self.suggestions_left.saturating_sub(1);
        may_guess
    }

    /// Returns the places that `token` refers to. A coloured place gives the places of all its
    /// colours, or of the colour that follows, as in `p(red,2)`. The result is empty if tokens of
    /// this colour never occur.
    pub(super) fn place(
        &mut self,
        cursor: &mut TokenCursor<'_>,
        token: &Lexeme<'_>,
    ) -> Result<Vec<PlaceId>, TextFailure> {
        let (ids, span) = self.resolve_nodes(NodeKind::Place, cursor, token, false)?;
        let has_colour = cursor.peek().is("(");
        if let Some(id) = ids.iter().find(|id| has_colour && self.is_erased(id)) {
            return Err(erased(id, &span));
        }
        let mut places = Vec::new();
        if has_colour && ids.iter().any(|id| self.is_coloured(id)) {
            let start = cursor.position();
            let colour = colour(cursor)?;
            for id in &ids {
                places.extend(self.colour(id, &colour, &(start..cursor.last_end()))?);
            }
        } else {
            for id in &ids {
                let found = self.place_at(id, &span);
                places.extend(found.map_err(|it| self.with_longer_name(it, cursor, token))?);
            }
        }
        Ok(places)
    }

    /// Returns true if a word is the id or the name of a coloured place, whether the names of its
    /// colours are known or not.
    pub(super) fn may_have_colour(&self, word: &str) -> bool {
        let is_coloured_or_erased = |id: &str| self.is_coloured(id) || self.is_erased(id);
        let found = self.index(NodeKind::Place).map(|index| index.find(word, Mention::Word));
        match found {
            Some(Ok(ids)) => ids.into_iter().any(is_coloured_or_erased),
            _ => is_coloured_or_erased(word),
        }
    }

    /// Returns true if `place` is the name of a coloured place, and this net contains the coloured
    /// net with the names of its colours. So a formula may ask about single colours of the place.
    pub(super) fn is_coloured(&self, place: &str) -> bool {
        let folding = self.net.folding();
        folding.is_some_and(|it| it.coloured().is_some() && it.place_named(place).is_some())
    }

    /// Returns true if `place` is the name of a coloured place, but this net does not contain the
    /// coloured net. So the names of the colours are unknown.
    pub(super) fn is_erased(&self, place: &str) -> bool {
        let folding = self.net.folding();
        folding.is_some_and(|it| it.coloured().is_none() && it.place_named(place).is_some())
    }

    /// Returns the place of one colour of a coloured place. The text of the colour is at `span`.
    /// Returns `None` if tokens of this colour never occur.
    pub(super) fn colour(
        &mut self,
        place: &str,
        colour: &str,
        span: &Range<usize>,
    ) -> Result<Option<PlaceId>, TextFailure> {
        let coloured_place = self.net.folding().and_then(|it| it.place_named(place));
        let place_of_colour =
            coloured_place.and_then(|coloured_place| self.net.colour_named(coloured_place, colour));
        place_of_colour.ok_or_else(|| {
            let coloured = self.net.folding().and_then(|it| it.coloured());
            let sort = coloured
                .zip(coloured_place)
                .map(|(net, coloured_place)| net.sort(net.places()[coloured_place].sort).name());
            let problem = FormulaProblem::UnknownColour {
                place: place.to_owned(),
                colour: colour.to_owned(),
                sort: sort.unwrap_or_default().to_owned(),
            };
            TextFailure { span: span.clone(), problem }
        })
    }

    /// Returns the places with this name, which is at `span`.
    pub(super) fn place_at(
        &mut self,
        name: &str,
        span: &Range<usize>,
    ) -> Result<Vec<PlaceId>, TextFailure> {
        match self.net.places_named(name) {
            Some(places) => Ok(places),
            None => {
                let guess = self.may_suggest();
                let problem = FormulaProblem::unknown_place(name, self.net, guess);
                Err(TextFailure { span: span.clone(), problem })
            }
        }
    }

    /// Returns the transitions that `token` refers to. A coloured transition gives all its
    /// bindings, of which there may be none.
    pub(super) fn transition(
        &mut self,
        cursor: &mut TokenCursor<'_>,
        token: &Lexeme<'_>,
    ) -> Result<Vec<TransitionId>, TextFailure> {
        let (ids, span) = self.resolve_nodes(NodeKind::Transition, cursor, token, false)?;
        let found = self.transitions_at(&ids, &span);
        found.map_err(|it| self.with_longer_name(it, cursor, token))
    }

    /// Returns the transitions of an operand of Declare: all with this name, or else the one with
    /// this id.
    pub(super) fn activity(
        &mut self,
        cursor: &mut TokenCursor<'_>,
        token: &Lexeme<'_>,
    ) -> Result<Vec<TransitionId>, TextFailure> {
        let (ids, span) = self.resolve_nodes(NodeKind::Transition, cursor, token, true)?;
        let found = self.transitions_at(&ids, &span);
        found.map_err(|it| self.with_longer_name(it, cursor, token))
    }

    /// Returns the transitions with these ids. The text is at `span`.
    fn transitions_at(
        &mut self,
        ids: &[String],
        span: &Range<usize>,
    ) -> Result<Vec<TransitionId>, TextFailure> {
        let mut transitions = Vec::new();
        for id in ids {
            transitions.extend(self.net.transitions_named(id).ok_or_else(|| {
                let guess = self.may_suggest();
                let problem = FormulaProblem::unknown_transition(id, self.net, guess);
                TextFailure { span: span.clone(), problem }
            })?);
        }
        Ok(transitions)
    }
}

/// Returns the name in a word or quoted token, and `None` for other tokens.
pub(super) fn name<'a>(token: &'a Lexeme<'_>) -> Option<&'a str> {
    match &token.kind {
        LexemeKind::Word(name) => Some(name),
        LexemeKind::Quoted(name) => Some(name),
        _ => None,
    }
}

/// Returns the error for a colour in a formula about a net that does not distinguish the colours of
/// the place.
pub(super) fn erased(place: &str, span: &Range<usize>) -> TextFailure {
    let problem = FormulaProblem::ErasedColours { place: place.to_owned() };
    TextFailure { span: span.clone(), problem }
}

/// Takes a colour in parentheses, and returns it without the outer parentheses.
fn colour(cursor: &mut TokenCursor<'_>) -> Result<String, TextFailure> {
    let (mut text, mut open_groups) = (String::new(), 0);
    loop {
        let token = cursor.take();
        match &token.kind {
            LexemeKind::Symbol("(") => open_groups += 1,
            LexemeKind::Symbol(")") => open_groups -= 1,
            LexemeKind::Symbol("," | "-" | ".")
            | LexemeKind::Word(_)
            | LexemeKind::Integer(_)
            | LexemeKind::Quoted(_) => {}
            _ => return Err(token.instead_of("a colour like `(red,2)`")),
        }
        match &token.kind {
            LexemeKind::Symbol(symbol) => text.push_str(symbol),
            LexemeKind::Word(word) => text.push_str(word),
            LexemeKind::Integer(digits) => text.push_str(digits),
            LexemeKind::Quoted(name) => text.push_str(name),
            _ => {}
        }
        if open_groups == 0 {
            return Ok(text[1..text.len() - 1].to_owned());
        }
    }
}

/// Takes `( name, … )` with at least one name, and converts each name to ids.
pub(super) fn list<Id>(
    cursor: &mut TokenCursor<'_>,
    mut resolve: impl FnMut(&mut TokenCursor<'_>, &Lexeme<'_>) -> Result<Vec<Id>, TextFailure>,
) -> Result<Vec<Id>, TextFailure> {
    cursor.expect("(")?;
    let mut ids = Vec::new();
    loop {
        let token = cursor.take();
        ids.extend(resolve(cursor, &token)?);
        if cursor.take_if(",").is_some() {
            continue;
        }
        match cursor.take_if(")") {
            Some(_) => return Ok(ids),
            None => return Err(cursor.peek().instead_of("`,` or `)`")),
        }
    }
}

/// Returns the whole number in a token, negated if `is_negated`.
pub(super) fn integer(token: &Lexeme<'_>, is_negated: bool) -> Result<i64, TextFailure> {
    let LexemeKind::Integer(digits) = token.kind else {
        return Err(token.instead_of("a whole number"));
    };
    let text = if is_negated { format!("-{digits}") } else { digits.to_owned() };
    let bad = |_| TextFailure {
        span: token.span.clone(),
        problem: FormulaProblem::BadNumber(text.clone()),
    };
    text.parse().map_err(bad)
}

/// Returns the operand as a formula inside another formula. A number or a bound is an error.
pub(super) fn formula(part: SpannedValue<OperandValue>) -> Result<Formula, TextFailure> {
    match part.value {
        OperandValue::Formula(Formula::PlaceBound(_)) => {
            Err(TextFailure { span: part.span, problem: FormulaProblem::BoundInside })
        }
        OperandValue::Formula(formula) => Ok(formula),
        OperandValue::Number(_) => {
            Err(TextFailure { span: part.span, problem: FormulaProblem::NoProperty })
        }
    }
}

/// Returns the operand as a whole formula, which may be the query for a bound. A number is an
/// error.
pub(super) fn whole_formula(part: SpannedValue<OperandValue>) -> Result<Formula, TextFailure> {
    match part.value {
        OperandValue::Formula(formula) => Ok(formula),
        OperandValue::Number(_) => formula(part),
    }
}

/// Returns the operand as an integer expression. A formula is an error.
fn number(part: SpannedValue<OperandValue>) -> Result<Expression, TextFailure> {
    match part.value {
        OperandValue::Number(number) => Ok(number),
        OperandValue::Formula(_) => {
            let is_comparison = matches!(part.operator, Some(FormulaOperator::Compare(_)));
            let problem = match is_comparison {
                true => FormulaProblem::ChainedComparison,
                false => FormulaProblem::NoNumber,
            };
            Err(TextFailure { span: part.span, problem })
        }
    }
}

/// Applies a prefix operator.
pub(super) fn prefix(
    operator: FormulaOperator,
    at: Range<usize>,
    operand: SpannedValue<OperandValue>,
) -> Result<OperandValue, TextFailure> {
    let operand = Box::new(formula(operand)?);
    Ok(OperandValue::Formula(match operator {
        FormulaOperator::Not => Formula::Not(operand),
        FormulaOperator::AllPaths => Formula::AllPaths(operand),
        FormulaOperator::ExistsPath => Formula::ExistsPath(operand),
        FormulaOperator::Globally => Formula::Globally(operand),
        FormulaOperator::Finally => Formula::Finally(operand),
        FormulaOperator::Next => Formula::Next(operand),
        _ => return Err(TextFailure { span: at, problem: FormulaProblem::NoProperty }),
    }))
}

/// Applies an infix operator. For `&&`, `||`, `+` and `*`, the right operand is added to a left
/// operand that the same operator made without parentheses.
pub(super) fn infix(
    operator: FormulaOperator,
    left: SpannedValue<OperandValue>,
    right: SpannedValue<OperandValue>,
) -> Result<OperandValue, TextFailure> {
    use FormulaOperator as O;
    let extends_chain = operator.is_chain() && left.operator == Some(operator);
    match operator {
        O::Plus | O::Minus | O::Times => {
            let (left, right) = (number(left)?, number(right)?);
            let numbers = match (operator, left, extends_chain) {
                (O::Plus, Expression::Sum(mut parts), true) => {
                    parts.push(right);
                    Expression::Sum(parts)
                }
                (O::Times, Expression::Product(mut parts), true) => {
                    parts.push(right);
                    Expression::Product(parts)
                }
                (O::Plus, left, _) => Expression::Sum(vec![left, right]),
                (O::Times, left, _) => Expression::Product(vec![left, right]),
                (_, left, _) => Expression::Difference(Box::new(left), Box::new(right)),
            };
            return Ok(OperandValue::Number(numbers));
        }
        O::Compare(relation) => {
            let (left, right) = (number(left)?, number(right)?);
            return Ok(OperandValue::Formula(Formula::Compare { left, relation, right }));
        }
        _ => {}
    }
    let (left, right) = (formula(left)?, formula(right)?);
    Ok(OperandValue::Formula(match (operator, left, extends_chain) {
        (O::And, Formula::And(mut parts), true) => {
            parts.push(right);
            Formula::And(parts)
        }
        (O::Or, Formula::Or(mut parts), true) => {
            parts.push(right);
            Formula::Or(parts)
        }
        (O::And, left, _) => Formula::And(vec![left, right]),
        (O::Or, left, _) => Formula::Or(vec![left, right]),
        (O::Xor, left, _) => Formula::Xor(Box::new(left), Box::new(right)),
        (O::Implies, left, _) => Formula::Implies(Box::new(left), Box::new(right)),
        (O::Equivalent, left, _) => Formula::Equivalent(Box::new(left), Box::new(right)),
        (_, left, _) => Formula::Until { before: Box::new(left), reach: Box::new(right) },
    }))
}
