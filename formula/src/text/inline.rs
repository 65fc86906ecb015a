//! The inline language of Parikh, for the command line and for formula files.
//!
//! ```text
//! EF (p1 >= 2 && !fireable(t3))
//! mutex:   AG not (critical1 >= 1 and critical2 >= 1)
//! balance: AG p1 + 2*"odd name" <= tokens(q, r) - 1
//! most:    bound(p1 + p2)
//! ends:    EF deadlock          # a comment
//! long:    AG (p1 >= 1
//!             -> AF p2 >= 1)    # an indented line continues the one before
//! ```
//!
//! | operators, tightest first | |
//! |---|---|
//! | `*` | |
//! | `+` `-` | |
//! | `<=` `>=` `<` `>` `=` `==` `!=` | do not chain |
//! | `!` `not` `A` `E` `G` `F` `X` `AG` `AF` `AX` `EG` `EF` `EX` | |
//! | `U` | `a U b U c` is `a U (b U c)` |
//! | `&&` `&` `and` | |
//! | `xor` | |
//! | `\|\|` `\|` `or` | |
//! | `->` `implies` | `a -> b -> c` is `a -> (b -> c)` |
//! | `<->` `iff` | |
//!
//! `fireable(t, …)` or `enabled(t, …)` means that at least one of the listed transitions is
//! enabled. `fires(t, …)` means that one of the listed transitions fires next. Such an atom is
//! about runs, so the formula is in LTL. `deadlock` means that no transition is enabled. `bound(p +
//! q)` or `max(p + q)` asks for the largest sum of tokens on the listed places. Constraints of
//! Declare are written by name, such as `response(ask, answer)`, over names of transitions
//! (`declare`). Brackets may be square: `A [p >= 1 U q >= 1]`.
//!
//! A node has an id and a name, which is its label, or its id if there is no label. A word of
//! letters, digits, `_` and `.` is the id of a node, or else the name of exactly one node. `"pay
//! invoice"` in quotes means all nodes with this name, or else the node with this id. `id "p-1"` is
//! always an id. Reserved words have to be quoted to be used as ids or names.

use super::TextFailure;
use super::lexer::{Lexeme, LexemeKind, Lexis, TokenCursor};
use super::operands::{self, NameResolver, OperandValue};
use super::precedence::{FormulaOperator, Grammar, SpannedValue, expression};
use crate::{Expression, Formula, FormulaProblem, NumberRelation, declare};
use parikh_net::PlaceId;
use std::borrow::Cow;
use std::ops::Range;

pub(super) static LEXIS: Lexis = Lexis {
    word_characters: &['.'],
    symbols: &[
        "<->", "<=>", "&&", "||", "->", "=>", "<=", ">=", "==", "!=", "=<", "<>", "<", ">", "=",
        "+", "-", "*", "&", "|", "!", "(", ")", "[", "]", ",", ":", ";",
    ],
    has_comments: true,
    has_line_tokens: false,
    has_escapes: true,
};

/// The prefix operators written as words.
const PREFIX_WORDS: [(&str, &[FormulaOperator]); 12] = {
    use FormulaOperator as O;
    [
        ("not", &[O::Not]),
        ("A", &[O::AllPaths]),
        ("E", &[O::ExistsPath]),
        ("G", &[O::Globally]),
        ("F", &[O::Finally]),
        ("X", &[O::Next]),
        ("AG", &[O::AllPaths, O::Globally]),
        ("AF", &[O::AllPaths, O::Finally]),
        ("AX", &[O::AllPaths, O::Next]),
        ("EG", &[O::ExistsPath, O::Globally]),
        ("EF", &[O::ExistsPath, O::Finally]),
        ("EX", &[O::ExistsPath, O::Next]),
    ]
};

/// The infix operators with their precedences; higher numbers bind tighter.
const INFIX: [(&str, FormulaOperator, u8); 24] = {
    use FormulaOperator as O;
    [
        ("<->", O::Equivalent, 1),
        ("<=>", O::Equivalent, 1),
        ("iff", O::Equivalent, 1),
        ("->", O::Implies, 2),
        ("=>", O::Implies, 2),
        ("implies", O::Implies, 2),
        ("||", O::Or, 3),
        ("|", O::Or, 3),
        ("or", O::Or, 3),
        ("xor", O::Xor, 4),
        ("&&", O::And, 5),
        ("&", O::And, 5),
        ("and", O::And, 5),
        ("U", O::Until, 6),
        ("<=", O::Compare(NumberRelation::AtMost), 8),
        (">=", O::Compare(NumberRelation::AtLeast), 8),
        ("<", O::Compare(NumberRelation::Less), 8),
        (">", O::Compare(NumberRelation::Greater), 8),
        ("=", O::Compare(NumberRelation::Equal), 8),
        ("==", O::Compare(NumberRelation::Equal), 8),
        ("!=", O::Compare(NumberRelation::Unequal), 8),
        ("+", O::Plus, 9),
        ("-", O::Minus, 9),
        ("*", O::Times, 10),
    ]
};

/// The precedence of prefix operators, between `U` and comparisons.
const PREFIX_PRECEDENCE: u8 = 7;

/// The words that begin a function, followed by a list of names.
const FUNCTIONS: [&str; 6] = ["fireable", "enabled", "fires", "tokens", "bound", "max"];
/// The words that are formulas by themselves.
const CONSTANTS: [&str; 3] = ["deadlock", "true", "false"];

/// Returns true if a bare word is reserved, and so cannot be a name.
pub(crate) fn is_reserved(word: &str) -> bool {
    FUNCTIONS.contains(&word)
        || CONSTANTS.contains(&word)
        || PREFIX_WORDS.iter().any(|(prefix, _)| *prefix == word)
        || INFIX.iter().any(|(infix, ..)| *infix == word)
}

/// Returns true if a name can be written without quotes.
pub(crate) fn is_bare(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && letters.all(|c| c.is_alphanumeric() || c == '_' || c == '.')
        && !is_reserved(name)
}

/// Reads the formula in `cursor`, to the end of its text. Adds a remark to `remarks` where the
/// meaning may surprise the author.
pub(super) fn formula<'t>(
    cursor: &mut TokenCursor<'t>,
    names: &mut NameResolver<'_>,
    remarks: &mut Vec<TextFailure>,
) -> Result<Formula, TextFailure> {
    let mut inline = Inline { names, remarks, firing: None };
    let part = expression(cursor, &mut inline)?;
    let firing = inline.firing;
    match cursor.peek().kind {
        LexemeKind::End => {
            let formula = operands::whole_formula(part)?;
            match firing.filter(|_| formula.nests_quantifiers_around_firings()) {
                Some(span) => Err(TextFailure { span, problem: FormulaProblem::FiringInBranching }),
                None => Ok(formula),
            }
        }
        _ => Err(cursor.peek().instead_of("an operator or the end of the formula")),
    }
}

/// The grammar of the inline language.
struct Inline<'a, 'n> {
    names: &'a mut NameResolver<'n>,
    remarks: &'a mut Vec<TextFailure>,
    /// The position of the first atom about firings; `None` if there is no such atom so far.
    firing: Option<Range<usize>>,
}

impl<'t> Grammar<'t> for Inline<'_, '_> {
    type Value = OperandValue;

    fn prefixes(&self, token: &Lexeme<'t>) -> &'static [FormulaOperator] {
        match token.kind {
            LexemeKind::Symbol("!") => &[FormulaOperator::Not],
            LexemeKind::Word(word) => {
                let entry = PREFIX_WORDS.iter().find(|(prefix, _)| *prefix == word);
                entry.map_or(&[], |(_, operators)| operators)
            }
            _ => &[],
        }
    }

    fn infix(&self, token: &Lexeme<'t>) -> Option<(FormulaOperator, u8)> {
        let (LexemeKind::Symbol(text) | LexemeKind::Word(text)) = token.kind else { return None };
        let found = INFIX.iter().find(|(infix, ..)| *infix == text)?;
        Some((found.1, found.2))
    }

    fn prefix_level(&self) -> u8 {
        PREFIX_PRECEDENCE
    }

    fn closing_symbol(&self, cursor: &mut TokenCursor<'t>) -> Option<&'static str> {
        match cursor.peek().kind {
            LexemeKind::Symbol("(") => Some(")"),
            LexemeKind::Symbol("[") => Some("]"),
            _ => None,
        }
    }

    fn check_next(
        &self,
        operand: &SpannedValue<OperandValue>,
        compared: bool,
        token: &Lexeme<'t>,
        closing: Option<&'static str>,
    ) -> Result<(), TextFailure> {
        let is_number = matches!(operand.value, OperandValue::Number(_));
        if token.is("=>") && is_number && !compared {
            return Err(token.instead_of(
                "a comparison after a number: `>=`, or `p >= 1 -> q >= 1` for an implication",
            ));
        }
        if self.infix(token).is_some() || closing.is_some_and(|closing| token.is(closing)) {
            return Ok(());
        }
        let expected = match (closing, &token.kind) {
            (None, LexemeKind::End) => return Ok(()),
            (Some(closing), LexemeKind::End) => format!("`{closing}`"),
            (Some(closing), _) => format!("an operator or `{closing}`"),
            (None, _) => "an operator or the end of the formula".to_owned(),
        };
        // A word behind a number is probably a place to be multiplied: `2 p` for `2*p`.
        let suggestion = match token.kind {
            LexemeKind::Word(_)
                if matches!(operand.value, OperandValue::Number(Expression::Constant(_))) =>
            {
                inline_notation(&token.kind).or(Some("*"))
            }
            _ => inline_notation(&token.kind),
        };
        Err(token.instead_of(match suggestion {
            Some(suggestion) => format!("{expected}; write `{suggestion}`"),
            None => expected,
        }))
    }

    fn operand(&mut self, cursor: &mut TokenCursor<'t>) -> Result<OperandValue, TextFailure> {
        let token = cursor.take();
        if let LexemeKind::Word(word) = token.kind
            && FUNCTIONS.contains(&word)
            && !cursor.peek().is("(")
            && self.names.is_place(word)
        {
            let expected = format!("`{word}(`; for the place, write `\"{word}\"`");
            return Err(token.instead_of(expected));
        }
        let formula = match token.kind {
            LexemeKind::Word("true") => Formula::True,
            LexemeKind::Word("false") => Formula::False,
            LexemeKind::Word("deadlock") => Formula::Deadlock,
            LexemeKind::Word("fireable" | "enabled") => {
                Formula::Fireable(operands::list(cursor, |cursor, name| {
                    self.names.transition(cursor, name)
                })?)
            }
            LexemeKind::Word("fires") => {
                self.firing.get_or_insert(token.span.clone());
                Formula::Fires(operands::list(cursor, |cursor, name| {
                    self.names.transition(cursor, name)
                })?)
            }
            LexemeKind::Word("bound" | "max") => Formula::PlaceBound(self.sum(cursor)?),
            LexemeKind::Word("tokens") => {
                let places = operands::list(cursor, |cursor, name| self.names.place(cursor, name))?;
                return Ok(OperandValue::Number(Expression::Tokens(places)));
            }
            LexemeKind::Word(word)
                if cursor.peek().is("(") && declare::operands(word).is_some() =>
            {
                self.firing.get_or_insert(token.span.clone());
                self.constraint(word, cursor)?
            }
            LexemeKind::Word(word) if !is_reserved(word) => return self.tokens(cursor, &token),
            LexemeKind::Quoted(_) => return self.tokens(cursor, &token),
            LexemeKind::Integer(_) => {
                let number = operands::integer(&token, false)?;
                return Ok(OperandValue::Number(Expression::Constant(number)));
            }
            LexemeKind::Symbol("-") => {
                let number = operands::integer(&cursor.take(), true)?;
                return Ok(OperandValue::Number(Expression::Constant(number)));
            }
            _ => {
                if let LexemeKind::Word(word) = token.kind
                    && self.names.is_place(word)
                {
                    let expected =
                        format!("{OPERAND_DESCRIPTION}; for the place, write `\"{word}\"`");
                    return Err(token.instead_of(expected));
                }
                return Err(token.instead_of(match inline_notation(&token.kind) {
                    Some(meant) => format!("{OPERAND_DESCRIPTION}; write `{meant}`").into(),
                    None => Cow::Borrowed(OPERAND_DESCRIPTION),
                }));
            }
        };
        Ok(OperandValue::Formula(formula))
    }

    fn apply_prefix(
        &mut self,
        operator: FormulaOperator,
        at: Range<usize>,
        operand: SpannedValue<OperandValue>,
    ) -> Result<OperandValue, TextFailure> {
        operands::prefix(operator, at, operand)
    }

    fn apply_infix(
        &mut self,
        operator: FormulaOperator,
        _: Range<usize>,
        left: SpannedValue<OperandValue>,
        right: SpannedValue<OperandValue>,
    ) -> Result<OperandValue, TextFailure> {
        self.remark_on_scope(operator, &left, &right);
        operands::infix(operator, left, right)
    }
}

/// Suggests the inline notation for a sign or word of another language, or for a keyword in the
/// wrong case. Returns `None` without a suggestion.
fn inline_notation(kind: &LexemeKind<'_>) -> Option<&'static str> {
    Some(match kind {
        LexemeKind::Symbol("=<") | LexemeKind::Bad('≤') => "<=",
        LexemeKind::Bad('≥') => ">=",
        LexemeKind::Symbol("<>") | LexemeKind::Bad('≠') => "!=",
        LexemeKind::Bad('∧') => "&&",
        LexemeKind::Bad('∨') => "||",
        LexemeKind::Bad('¬' | '~') => "!",
        LexemeKind::Bad('→') => "->",
        // A single letter is more likely a name than a path quantifier.
        LexemeKind::Word(word) if word.len() > 1 => {
            let words = PREFIX_WORDS.iter().map(|(path, _)| *path);
            let words = words.chain(INFIX.iter().map(|(infix, ..)| *infix));
            let mut words = words.chain(FUNCTIONS).chain(CONSTANTS);
            words.find(|known| known != word && known.eq_ignore_ascii_case(word))?
        }
        _ => return None,
    })
}

/// The description of an operand in error messages.
const OPERAND_DESCRIPTION: &str = "a formula or a number: a place, a whole number, `fireable(t)`, `deadlock`, \
                       `(`, or an operator such as EF, AG, `!`";

impl Inline<'_, '_> {
    /// Returns the sum of the tokens on the places that `token` names.
    fn tokens(
        &mut self,
        cursor: &mut TokenCursor<'_>,
        token: &Lexeme<'_>,
    ) -> Result<OperandValue, TextFailure> {
        // A list never follows a name, so the author meant a function or a constraint.
        if let LexemeKind::Word(word) = token.kind
            && let Some(bracket) = ["(", "["].into_iter().find(|it| cursor.peek().is(it))
            && let Some(expected) = self.expected_function(word, bracket)
        {
            let problem = FormulaProblem::Syntax { found: format!("`{word}{bracket}`"), expected };
            return Err(TextFailure { span: token.span.clone(), problem });
        }
        let places = self.names.place(cursor, token).map_err(|failure| {
            match (failure.problem, inline_notation(&token.kind)) {
                (FormulaProblem::UnknownPlace { name, .. }, Some(meant)) => TextFailure {
                    problem: FormulaProblem::UnknownPlace {
                        name,
                        hint: format!("; for the operator, write `{meant}`"),
                    },
                    ..failure
                },
                (problem, _) => TextFailure { problem, ..failure },
            }
        })?;
        if let LexemeKind::Word(_) = token.kind
            && let Some(longer) = self.names.place_with_operators(cursor, token)
        {
            let span = token.span.start..token.span.start + longer.len();
            let problem = FormulaProblem::PartOfName(longer.to_owned());
            self.remarks.push(TextFailure { span, problem });
        }
        Ok(OperandValue::Number(Expression::Tokens(places)))
    }

    /// Returns the functions and constraints that an author may mean by a word with a bracket
    /// behind it. Returns `None` if the word can be a place.
    fn expected_function(&self, word: &str, bracket: &str) -> Option<Cow<'static, str>> {
        let is_constraint = declare::operands(word).is_some();
        let constraint = if is_constraint { Some(word) } else { declare::similar(word) };
        match constraint {
            _ if bracket == "(" && self.names.may_have_colour(word) => None,
            Some(name) => Some(format!("`{name}(`, a constraint of Declare").into()),
            None if bracket == "[" => None,
            None => Some(
                "`fireable(`, `fires(`, `tokens(`, `bound(`, or a constraint of Declare such as \
                 `response(`; `parikh check --help` lists them"
                    .into(),
            ),
        }
    }

    /// Takes the operands of the Declare constraint `name`, and returns the constraint as a
    /// formula.
    fn constraint(
        &mut self,
        name: &str,
        cursor: &mut TokenCursor<'_>,
    ) -> Result<Formula, TextFailure> {
        let after_name = cursor.peek().span.clone();
        let mut activities = Vec::new();
        operands::list(cursor, |cursor, name| {
            if matches!(name.kind, LexemeKind::Integer(_)) {
                return Err(name.instead_of(
                    "the name of an activity; for a number of times, write `existence2(a)`, \
                     `existence3(a)`, `absence2(a)`, `absence3(a)` or `exactly_one(a)`",
                ));
            }
            let transitions = self.names.activity(cursor, name)?;
            activities.push(Formula::Fires(transitions));
            Ok(vec![()])
        })?;
        let expected_count = declare::operands(name).unwrap_or(0);
        let (a, b) = (activities.first(), activities.last());
        let formula = a.zip(b).and_then(|(a, b)| declare::constraint(name, a, b));
        formula.filter(|_| activities.len() == expected_count).ok_or_else(|| {
            let found = match activities.len() {
                1 => "one activity".to_owned(),
                number => format!("{number} activities"),
            };
            let expected = if expected_count == 1 { "one" } else { "two" };
            let problem = FormulaProblem::Syntax { found, expected: expected.into() };
            TextFailure { span: after_name, problem }
        })
    }

    /// Takes `( p + tokens(q, r) + … )`; commas may replace plus signs.
    fn sum(&mut self, cursor: &mut TokenCursor<'_>) -> Result<Vec<PlaceId>, TextFailure> {
        cursor.expect("(")?;
        let mut places = Vec::new();
        loop {
            if cursor.peek().is_word("tokens") {
                cursor.take();
                places
                    .extend(operands::list(cursor, |cursor, name| self.names.place(cursor, name))?);
            } else {
                let token = cursor.take();
                places.extend(self.names.place(cursor, &token)?);
            }
            let token = cursor.take();
            if token.is(")") {
                return Ok(places);
            } else if !(token.is("+") || token.is(",")) {
                return Err(token.instead_of("`+` or `)`, because `bound` takes a sum of places"));
            }
        }
    }

    /// Adds a remark on `EF a && b`. The formula is read as `(EF a) && b`, where b is about the
    /// initial marking. Authors usually mean `EF (a && b)`.
    fn remark_on_scope(
        &mut self,
        operator: FormulaOperator,
        left: &SpannedValue<OperandValue>,
        right: &SpannedValue<OperandValue>,
    ) {
        use FormulaOperator as O;
        let is_junction = matches!(operator, O::And | O::Or | O::Xor | O::Implies | O::Equivalent);
        let is_path = |part: &SpannedValue<OperandValue>| {
            matches!(
                part.operator,
                Some(O::AllPaths | O::ExistsPath | O::Globally | O::Finally | O::Next)
            )
        };
        let is_atom = !right.parenthesised && matches!(right.operator, None | Some(O::Compare(_)));
        if is_junction && is_path(left) && is_atom {
            let span = left.span.start..right.span.end;
            self.remarks.push(TextFailure { span, problem: FormulaProblem::NarrowScope });
        }
    }
}
