//! Parses formulas over labels by recursive descent.
//!
//! From loose to tight: `=>` and `<=>` (right-associative), `|`, `xor`, `&`, then `U R W M`
//! (right-associative) in LTL, then prefix operators. In LTL `[]` is G and `<>` is F. In CTL
//! they mean "all successors" and "some successor"; `[a]` and `<a>` mean the successors by label a.

use super::branching::LabelCtl;
use super::dot::quoted;
use parikh_temporal::{AtomId, Formula, Linear as OnePath, Ltl};

/// An LTL formula with the label of each atom.
#[derive(Clone, Debug)]
pub struct LabelLtl {
    pub(super) formulas: Ltl,
    pub(super) formula: Formula<OnePath>,
    /// The labels of the atoms, by atom id.
    pub(super) labels: Vec<String>,
}

/// A token of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LabelToken {
    /// An operator or a parenthesis.
    Sign(&'static str),
    /// A word: a label, or an operator made of letters.
    Word(String),
    /// A label in quotes.
    Quoted(String),
    /// The CTL operator `[label]`, or `<label>` if `all` is false.
    Modal { all: bool, label: String },
    /// `A` or `E` before a parenthesis.
    Path { all: bool },
    /// `AG`, `EF`, …: the path quantifier and the operator.
    Branching { all: bool, operator: char },
}

impl LabelToken {
    /// Returns true if only CTL has this token.
    pub(super) fn is_branching(&self) -> bool {
        matches!(
            self,
            LabelToken::Modal { .. } | LabelToken::Path { .. } | LabelToken::Branching { .. }
        )
    }
}

/// The signs of formulas. A longer sign precedes the signs that it begins with.
const SIGNS: [&str; 17] =
    ["<->", "<=>", "->", "=>", "<>", "[]", "&&", "&", "||", "|", "^", "!", "~", "(", ")", "[", "<"];

/// The maximum nesting depth of parentheses, implications and equivalences, which bounds the
/// recursion of the parser.
const MAX_DEPTH: usize = 500;

/// Splits the text of a formula into tokens.
pub(super) fn tokens(text: &str) -> Result<Vec<LabelToken>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let length;
        if let Some(inside) = rest.strip_prefix('"') {
            let end = inside.find('"').ok_or("an unclosed quote")?;
            tokens.push(LabelToken::Quoted(inside[..end].to_owned()));
            length = end + 2;
        } else if let Some(&sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            if let "[" | "<" = sign {
                let (close, is_all) = if sign == "[" { (']', true) } else { ('>', false) };
                let not_closed = || format!("`{sign}` is not closed");
                let inside = rest[1..].trim_start();
                let (label, after_label) = if inside.starts_with('"') {
                    let (label, length) = quoted(inside).ok_or("an unclosed quote")?;
                    (label, &inside[length..])
                } else {
                    let end = inside.find(close).ok_or_else(not_closed)?;
                    (inside[..end].trim_end().to_owned(), &inside[end..])
                };
                let after_bracket =
                    after_label.trim_start().strip_prefix(close).ok_or_else(not_closed)?;
                tokens.push(LabelToken::Modal { all: is_all, label });
                length = rest.len() - after_bracket.len();
            } else {
                tokens.push(LabelToken::Sign(sign));
                length = sign.len();
            }
        } else if is_word(first) {
            length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            split_word(&rest[..length], &rest[length..], &mut tokens);
        } else {
            return Err(format!("`{first}` is not allowed in a formula"));
        }
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

/// Splits a word into tokens and appends them to `tokens`. Prefix operators made of letters may be
/// joined to their operand, as in `GFa`. `after` is the text after the word.
fn split_word(mut word: &str, after: &str, tokens: &mut Vec<LabelToken>) {
    loop {
        let mut letters = word.chars();
        let (first, second) = (letters.next(), letters.next());
        let is_quantifier = matches!(first, Some('A' | 'E'));
        let for_all = first == Some('A');
        if is_quantifier && second.is_none() && after.trim_start().starts_with('(') {
            return tokens.push(LabelToken::Path { all: for_all });
        }
        if let (true, Some(operator @ ('F' | 'G' | 'X'))) = (is_quantifier, second) {
            tokens.push(LabelToken::Branching { all: for_all, operator });
            word = &word[2..];
        } else if matches!(first, Some('F' | 'G' | 'X'))
            && !second.is_some_and(|c| c.is_ascii_digit() || c == '_')
        {
            tokens.push(LabelToken::Sign(match first {
                Some('F') => "<>",
                Some('G') => "[]",
                _ => "X",
            }));
            word = &word[1..];
        } else {
            return tokens.push(LabelToken::Word(word.to_owned()));
        }
        if word.is_empty() {
            return;
        }
    }
}

/// The construction of formulas, which differs between LTL and CTL.
trait FormulaBuilder {
    type Term;
    fn constant(&mut self, value: bool) -> Self::Term;
    fn not(&mut self, term: Self::Term) -> Self::Term;
    fn and(&mut self, left: Self::Term, right: Self::Term) -> Self::Term;
    fn or(&mut self, left: Self::Term, right: Self::Term) -> Self::Term;
    fn equivalent(&mut self, left: Self::Term, right: Self::Term) -> Self::Term;
    fn label(&mut self, label: &str) -> Result<Self::Term, String>;
    /// Returns true if the token is a prefix operator other than negation.
    fn is_prefix(&mut self, token: &LabelToken) -> bool;
    /// Applies a prefix operator to its operand.
    fn apply(&mut self, token: &LabelToken, term: Self::Term) -> Result<Self::Term, String>;
    /// Returns true if a word is a temporal infix operator outside of `A(` and `E(`.
    fn is_temporal_infix(&self, word: &str) -> bool;
    /// Applies a temporal infix operator. In CTL, `all` is the path quantifier: true for A, false
    /// for E. In LTL, `all` is `None`.
    fn temporal(
        &mut self,
        all: Option<bool>,
        operator: &str,
        left: Self::Term,
        right: Self::Term,
    ) -> Result<Self::Term, String>;
}

/// A parser of formulas, with the tokens that it has not consumed.
struct LabelParser<'t, B> {
    tokens: &'t [LabelToken],
    builder: B,
    /// The nesting depth at the current token.
    depth: usize,
}

impl<B: FormulaBuilder> LabelParser<'_, B> {
    /// Parses all tokens as one formula. Returns the formula and the builder.
    fn parse(mut self) -> Result<(B::Term, B), String> {
        let term = self.implication()?;
        match self.tokens.first() {
            None => Ok((term, self.builder)),
            Some(token) => Err(format!("expected the end of the formula, found {token:?}")),
        }
    }

    /// Consumes the next token if it is one of these signs, and returns the sign.
    fn take_sign(&mut self, signs: &[&str]) -> Option<&'static str> {
        let Some(LabelToken::Sign(sign)) = self.tokens.first() else { return None };
        let found = signs.contains(sign).then_some(*sign)?;
        self.tokens = &self.tokens[1..];
        Some(found)
    }

    /// Consumes the next token if it is a word that satisfies `wanted`, and returns the word.
    fn take_word(&mut self, wanted: impl Fn(&str) -> bool) -> Option<String> {
        let Some(LabelToken::Word(word)) = self.tokens.first() else { return None };
        let found = wanted(word).then(|| word.clone())?;
        self.tokens = &self.tokens[1..];
        Some(found)
    }

    /// Parses a formula whose loosest operator may be an implication or an equivalence.
    fn implication(&mut self) -> Result<B::Term, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("the formula is nested more than {MAX_DEPTH} levels deep"));
        }
        let left = self.disjunction()?;
        let term = match self.take_sign(&["->", "=>", "<->", "<=>"]) {
            None => left,
            Some(sign) => {
                let right = self.implication()?;
                if sign.starts_with('<') {
                    self.builder.equivalent(left, right)
                } else {
                    let not_left = self.builder.not(left);
                    self.builder.or(not_left, right)
                }
            }
        };
        self.depth -= 1;
        Ok(term)
    }

    fn disjunction(&mut self) -> Result<B::Term, String> {
        let mut left = self.exclusion()?;
        while self.take_sign(&["|", "||"]).is_some() {
            let right = self.exclusion()?;
            left = self.builder.or(left, right);
        }
        Ok(left)
    }

    /// Parses conjunctions joined by exclusive or, from left to right.
    fn exclusion(&mut self) -> Result<B::Term, String> {
        let mut left = self.conjunction()?;
        while self.take_sign(&["^"]).is_some() || self.take_word(|word| word == "xor").is_some() {
            let right = self.conjunction()?;
            let equivalent = self.builder.equivalent(left, right);
            left = self.builder.not(equivalent);
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Result<B::Term, String> {
        let mut left = self.until()?;
        while self.take_sign(&["&", "&&"]).is_some() {
            let right = self.until()?;
            left = self.builder.and(left, right);
        }
        Ok(left)
    }

    /// Parses operands joined by temporal infix operators, such as U in LTL.
    fn until(&mut self) -> Result<B::Term, String> {
        // Right-associative without recursion: collect the operands and the operators between them.
        let mut operands = vec![self.operand()?];
        let mut operators = Vec::new();
        while let Some(LabelToken::Word(word)) = self.tokens.first() {
            if !self.builder.is_temporal_infix(word) {
                break;
            }
            operators.push(word.clone());
            self.tokens = &self.tokens[1..];
            operands.push(self.operand()?);
        }
        let mut right = operands.pop().ok_or("an operand is missing")?;
        while let (Some(operator), Some(left)) = (operators.pop(), operands.pop()) {
            right = self.builder.temporal(None, &operator, left, right)?;
        }
        Ok(right)
    }

    /// Parses prefix operators and their operand: a label, a constant, a formula in parentheses, or
    /// a temporal operator such as `A(… U …)`.
    fn operand(&mut self) -> Result<B::Term, String> {
        let mut prefixes = Vec::new();
        while let Some(token) = self.tokens.first() {
            if !matches!(token, LabelToken::Sign("!" | "~")) && !self.builder.is_prefix(token) {
                break;
            }
            prefixes.push(token.clone());
            self.tokens = &self.tokens[1..];
        }
        let (first, rest) = self.tokens.split_first().ok_or("an operand is missing")?;
        self.tokens = rest;
        let mut term = match first {
            LabelToken::Sign("(") => {
                let term = self.implication()?;
                self.take_sign(&[")"]).ok_or("`)` is missing")?;
                term
            }
            LabelToken::Path { all } => {
                self.take_sign(&["("]).ok_or("`(` is missing")?;
                let left = self.implication()?;
                let operator = self.take_word(|word| matches!(word, "U" | "W" | "R" | "M"));
                let operator = operator.ok_or("`U` or `W` is missing")?;
                let right = self.implication()?;
                self.take_sign(&[")"]).ok_or("`)` is missing")?;
                self.builder.temporal(Some(*all), &operator, left, right)?
            }
            LabelToken::Word(word) => match word.as_str() {
                "true" | "1" => self.builder.constant(true),
                "false" | "0" => self.builder.constant(false),
                "U" | "R" | "V" | "W" | "M" | "xor" => return Err("an operand is missing".into()),
                label => self.builder.label(label)?,
            },
            LabelToken::Quoted(label) => self.builder.label(label)?,
            other => return Err(format!("{other:?} is not an operand")),
        };
        while let Some(token) = prefixes.pop() {
            term = match token {
                LabelToken::Sign("!" | "~") => self.builder.not(term),
                token => self.builder.apply(&token, term)?,
            };
        }
        Ok(term)
    }
}

/// Builds LTL formulas. `labels` has the label of each atom.
struct LinearBuilder {
    formulas: Ltl,
    labels: Vec<String>,
}

impl FormulaBuilder for LinearBuilder {
    type Term = Formula<OnePath>;

    fn constant(&mut self, value: bool) -> Self::Term {
        self.formulas.constant(value)
    }

    fn not(&mut self, term: Self::Term) -> Self::Term {
        self.formulas.negate(term)
    }

    fn and(&mut self, left: Self::Term, right: Self::Term) -> Self::Term {
        self.formulas.and([left, right])
    }

    fn or(&mut self, left: Self::Term, right: Self::Term) -> Self::Term {
        self.formulas.or([left, right])
    }

    fn equivalent(&mut self, left: Self::Term, right: Self::Term) -> Self::Term {
        let (not_left, not_right) = (self.not(left), self.not(right));
        let (forward, backward) = (self.or(not_left, right), self.or(left, not_right));
        self.and(forward, backward)
    }

    fn label(&mut self, label: &str) -> Result<Self::Term, String> {
        let index = self.labels.iter().position(|it| it == label).unwrap_or_else(|| {
            self.labels.push(label.to_owned());
            self.labels.len() - 1
        });
        Ok(self.formulas.atom(AtomId(index as u32)))
    }

    fn is_prefix(&mut self, token: &LabelToken) -> bool {
        matches!(token, LabelToken::Sign("X" | "<>" | "[]"))
    }

    fn apply(&mut self, token: &LabelToken, term: Self::Term) -> Result<Self::Term, String> {
        Ok(match token {
            LabelToken::Sign("X") => self.formulas.next(OnePath, term),
            LabelToken::Sign("<>") => self.formulas.eventually(OnePath, term),
            _ => self.formulas.always(OnePath, term),
        })
    }

    fn is_temporal_infix(&self, word: &str) -> bool {
        matches!(word, "U" | "R" | "V" | "W" | "M")
    }

    fn temporal(
        &mut self,
        _: Option<bool>,
        operator: &str,
        left: Self::Term,
        right: Self::Term,
    ) -> Result<Self::Term, String> {
        Ok(match operator {
            "U" => self.formulas.until(OnePath, left, right),
            "W" => self.formulas.weak_until(OnePath, left, right),
            "M" => self.formulas.strong_release(OnePath, left, right),
            _ => self.formulas.release(OnePath, left, right),
        })
    }
}

/// Parses the tokens of an LTL formula.
pub(super) fn parse_linear(tokens: &[LabelToken]) -> Result<LabelLtl, String> {
    let builder = LinearBuilder { formulas: Ltl::default(), labels: Vec::new() };
    let (formula, builder) = LabelParser { tokens, builder, depth: 0 }.parse()?;
    Ok(LabelLtl { formulas: builder.formulas, formula, labels: builder.labels })
}

/// Builds CTL formulas, in which labels occur only in successor operators.
struct BranchingBuilder;

impl FormulaBuilder for BranchingBuilder {
    type Term = LabelCtl;

    fn constant(&mut self, value: bool) -> LabelCtl {
        LabelCtl::Constant(value)
    }

    fn not(&mut self, term: LabelCtl) -> LabelCtl {
        LabelCtl::Not(Box::new(term))
    }

    fn and(&mut self, left: LabelCtl, right: LabelCtl) -> LabelCtl {
        LabelCtl::And(Box::new((left, right)))
    }

    fn or(&mut self, left: LabelCtl, right: LabelCtl) -> LabelCtl {
        let (left, right) = (self.not(left), self.not(right));
        let neither = self.and(left, right);
        self.not(neither)
    }

    // A node of its own: written with the other operators, a chain of equivalences would double its
    // size with each link.
    fn equivalent(&mut self, left: LabelCtl, right: LabelCtl) -> LabelCtl {
        LabelCtl::Equivalent(Box::new((left, right)))
    }

    fn label(&mut self, label: &str) -> Result<LabelCtl, String> {
        Err(format!("the label `{label}` must be inside `[…]` or `<…>` in CTL"))
    }

    fn is_prefix(&mut self, token: &LabelToken) -> bool {
        matches!(
            token,
            LabelToken::Sign("<>" | "[]") | LabelToken::Modal { .. } | LabelToken::Branching { .. }
        )
    }

    fn apply(&mut self, token: &LabelToken, term: LabelCtl) -> Result<LabelCtl, String> {
        let next = |all, label, term| LabelCtl::Next { all, label, term: Box::new(term) };
        let (yes, no) = (LabelCtl::Constant(true), LabelCtl::Constant(false));
        let until =
            |all, weak, left, right| LabelCtl::Until { all, weak, parts: Box::new((left, right)) };
        Ok(match token {
            LabelToken::Modal { all, label } => next(*all, Some(label.clone()), term),
            LabelToken::Sign(sign) => next(*sign == "[]", None, term),
            LabelToken::Branching { all, operator: 'X' } => next(*all, None, term),
            LabelToken::Branching { all, operator: 'F' } => until(*all, false, yes, term),
            LabelToken::Branching { all, .. } => until(*all, true, term, no),
            other => return Err(format!("{other:?} is not an operator of CTL")),
        })
    }

    fn is_temporal_infix(&self, _: &str) -> bool {
        false
    }

    fn temporal(
        &mut self,
        all: Option<bool>,
        operator: &str,
        left: LabelCtl,
        right: LabelCtl,
    ) -> Result<LabelCtl, String> {
        let (Some(all), "U" | "W") = (all, operator) else {
            return Err(format!("`{operator}` is not supported in CTL; expected `U` or `W`"));
        };
        Ok(LabelCtl::Until { all, weak: operator == "W", parts: Box::new((left, right)) })
    }
}

/// Parses the tokens of a CTL formula.
pub(super) fn parse_branching(tokens: &[LabelToken]) -> Result<LabelCtl, String> {
    Ok(LabelParser { tokens, builder: BranchingBuilder, depth: 0 }.parse()?.0)
}
