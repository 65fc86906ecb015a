//! From the tokens of a formula to the contest's XML.
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
//! Operators that wait for their operands are kept in a `Vec`, so that deep formulas cannot
//! overflow the stack of calls.

use super::constraints;
use super::words::{Token, escaped, tokens};
use super::{LONGEST, words};
use crate::reader::queries::DEEPEST;
use parikh_net::Net;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// An operator between two operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Infix {
    /// By the contest's name.
    Junction(&'static str),
    /// Both or neither, or its negation.
    Alike(bool),
    Until,
    /// By the contest's name.
    Compare(&'static str),
    Plus,
    Minus,
    Times,
}

impl Infix {
    fn is_to_the_right(self) -> bool {
        matches!(self, Infix::Until | Infix::Junction("implication"))
    }

    /// Whether operands of a row of them are operands of one.
    fn is_chain(self) -> bool {
        matches!(self, Infix::Junction("conjunction" | "disjunction"))
    }
}

/// The infix operators with how tightly they bind.
const INFIX: [(&str, Infix, u8); 26] = [
    ("<->", Infix::Alike(true), 1),
    ("<=>", Infix::Alike(true), 1),
    ("iff", Infix::Alike(true), 1),
    ("->", Infix::Junction("implication"), 2),
    ("=>", Infix::Junction("implication"), 2),
    ("implies", Infix::Junction("implication"), 2),
    ("||", Infix::Junction("disjunction"), 3),
    ("|", Infix::Junction("disjunction"), 3),
    ("or", Infix::Junction("disjunction"), 3),
    ("xor", Infix::Alike(false), 4),
    ("&&", Infix::Junction("conjunction"), 5),
    ("&", Infix::Junction("conjunction"), 5),
    ("and", Infix::Junction("conjunction"), 5),
    ("U", Infix::Until, 6),
    ("<=", Infix::Compare("integer-le"), 8),
    ("=<", Infix::Compare("integer-le"), 8),
    (">=", Infix::Compare("integer-ge"), 8),
    ("<", Infix::Compare("integer-lt"), 8),
    (">", Infix::Compare("integer-gt"), 8),
    ("=", Infix::Compare("integer-eq"), 8),
    ("==", Infix::Compare("integer-eq"), 8),
    ("!=", Infix::Compare("integer-ne"), 8),
    ("<>", Infix::Compare("integer-ne"), 8),
    ("+", Infix::Plus, 9),
    ("-", Infix::Minus, 9),
    ("*", Infix::Times, 10),
];

/// The prefix operators, as the contest's from the outside in.
const PREFIX: [(&str, &[&str]); 13] = [
    ("!", &["negation"]),
    ("not", &["negation"]),
    ("A", &["all-paths"]),
    ("E", &["exists-path"]),
    ("G", &["globally"]),
    ("F", &["finally"]),
    ("X", &["next"]),
    ("AG", &["all-paths", "globally"]),
    ("AF", &["all-paths", "finally"]),
    ("AX", &["all-paths", "next"]),
    ("EG", &["exists-path", "globally"]),
    ("EF", &["exists-path", "finally"]),
    ("EX", &["exists-path", "next"]),
];

/// Binds tighter than `U`, looser than comparisons.
const PREFIX_LEVEL: u8 = 7;

/// The most that is open at a time: brackets alone make a formula no deeper.
const MOST_OPEN: usize = 10 * DEEPEST;

/// A formula in XML.
struct Formula {
    /// Without the element of `by` around it.
    xml: String,
    /// The name of the junction that it is, if it is one and more operands may join it.
    by: Option<&'static str>,
    /// Whether something of time stands in it outside of every path quantifier.
    is_of_a_run: bool,
}

impl Formula {
    fn closed(self) -> String {
        match self.by {
            Some(by) => format!("<{by}>{}</{by}>", self.xml),
            None => self.xml,
        }
    }
}

/// A number: how often each place, and a constant.
#[derive(Default)]
struct Sum {
    terms: BTreeMap<String, i128>,
    constant: i128,
}

/// An operand, or what became of some.
enum Part {
    Formula(Formula),
    Number(Sum),
    /// The most that places hold together, which stands in no other formula.
    Bound(String),
}

enum Open {
    /// What closes it.
    Group(&'static str),
    Prefix(&'static [&'static str]),
    Infix {
        left: Part,
        operator: Infix,
        level: u8,
    },
}

/// A formula that is being read.
pub(super) struct Reading<'n> {
    net: &'n Net,
    tokens: std::vec::IntoIter<Token>,
    next: Token,
    /// While the formula of a constraint is read: the XML that stands for `a` and `b`.
    activities: Vec<String>,
}

impl<'n> Reading<'n> {
    pub(super) fn new(net: &'n Net, tokens: Vec<Token>) -> Self {
        let mut tokens = tokens.into_iter();
        let next = tokens.next().unwrap_or(Token::End);
        Reading { net, tokens, next, activities: Vec::new() }
    }

    /// The whole formula in XML.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn whole(mut self) -> Result<String, String> {
        Ok(match self.expression()? {
            Part::Bound(xml) => xml,
            part => {
                let formula = formula(part)?;
                match formula.is_of_a_run {
                    true => format!("<all-paths>{}</all-paths>", formula.closed()),
                    false => formula.closed(),
                }
            }
        })
    }

    fn take(&mut self) -> Token {
        std::mem::replace(&mut self.next, self.tokens.next().unwrap_or(Token::End))
    }

    fn take_if(&mut self, text: &str) -> bool {
        let found = self.next.is(text);
        if found {
            self.take();
        }
        found
    }

    fn must(&mut self, text: &str) -> Result<(), String> {
        match self.take_if(text) {
            true => Ok(()),
            false => Err(instead_of(&self.next, &format!("`{text}`"))),
        }
    }

    /// Everything up to the end.
    fn expression(&mut self) -> Result<Part, String> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            if open.len() > MOST_OPEN {
                return Err(format!("more than {MOST_OPEN} operators and brackets are open"));
            }
            if let Some((_, names)) = PREFIX.iter().find(|(text, _)| self.next.is(text)) {
                self.take();
                open.push(Open::Prefix(names));
                continue;
            }
            let opening = [("(", ")"), ("[", "]")].into_iter().find(|(it, _)| self.next.is(it));
            if let Some((_, closing)) = opening {
                self.take();
                open.push(Open::Group(closing));
                continue;
            }
            let mut part = self.operand()?;
            loop {
                if let Some(&(_, operator, level)) = INFIX.iter().find(|it| self.next.is(it.0)) {
                    self.take();
                    let left = applied(&mut open, part, level, operator.is_to_the_right())?;
                    open.push(Open::Infix { left, operator, level });
                    break;
                }
                part = applied(&mut open, part, 0, false)?;
                match open.pop() {
                    Some(Open::Group(closing)) => {
                        self.must(closing)?;
                        part = closed(part);
                    }
                    _ if self.next == Token::End => return Ok(part),
                    _ => {
                        let expected = "an operator or the end of the formula";
                        return Err(instead_of(&self.next, expected));
                    }
                }
            }
        }
    }

    /// Takes a condition, a place, or a number.
    fn operand(&mut self) -> Result<Part, String> {
        let token = self.take();
        let plain = |xml: String| Ok(Part::Formula(Formula { xml, by: None, is_of_a_run: false }));
        match &token {
            Token::Word(word) => match (word.as_str(), self.next.is("(")) {
                ("true" | "false" | "deadlock", _) => plain(format!("<{word}/>")),
                ("fireable" | "enabled", true) => {
                    let names = self.names()?;
                    plain(format!("<is-fireable>{}</is-fireable>", listed("transition", &names)))
                }
                ("fires", true) => {
                    let names = self.names()?;
                    Ok(of_a_run(format!("<fires>{}</fires>", listed("transition", &names))))
                }
                ("tokens", true) => {
                    let mut sum = Sum::default();
                    self.must("(")?;
                    loop {
                        let token = self.take();
                        add(&mut sum, self.place(&token)?, 1)?;
                        if !self.take_if(",") {
                            break;
                        }
                    }
                    self.must(")")?;
                    Ok(Part::Number(sum))
                }
                ("bound" | "max", true) => self.bound(),
                (name, true) if constraints::named(name).is_some() => self.constraint(name),
                (name, _) => {
                    let at = ["a", "b"].iter().position(|it| *it == name);
                    match at.and_then(|at| self.activities.get(at)) {
                        Some(xml) => Ok(of_a_run(xml.clone())),
                        None => self.place(&token).map(Part::Number),
                    }
                }
            },
            Token::Name(_) => self.place(&token).map(Part::Number),
            Token::Number(digits) => constant(digits, 1),
            Token::Sign("-") => match self.take() {
                Token::Number(digits) => constant(&digits, -1),
                other => Err(instead_of(&other, "a whole number")),
            },
            _ => Err(instead_of(&token, "a formula, a place or a number")),
        }
    }

    /// The tokens of a place; of a coloured one of all colours, or of the one that follows.
    fn place(&mut self, token: &Token) -> Result<Sum, String> {
        let name = token.name().ok_or_else(|| instead_of(token, "the name of a place"))?;
        let coloured = self.net.folding().and_then(|folding| folding.place_named(name));
        let id = match coloured.filter(|_| self.next.is("(")) {
            None => Some(name.to_owned()),
            Some(place) => {
                let colour = self.colour()?;
                self.unfolded(place, &format!("{name}({colour})"))?
            }
        };
        Ok(Sum { terms: id.into_iter().map(|id| (id, 1)).collect(), constant: 0 })
    }

    /// The place of this name, which a coloured place unfolds to.
    fn unfolded(&self, place: usize, name: &str) -> Result<Option<String>, String> {
        let found = self.net.place_named(name);
        let of = |found| self.net.folding().map(|folding| folding.place_of(found));
        match found.filter(|&found| of(found) == Some(place)) {
            Some(_) => Ok(Some(name.to_owned())),
            // It may be no colour, or one that never has a token.
            None => Err(format!("the unfolding has no place `{name}`")),
        }
    }

    /// Takes a colour, without the brackets around it.
    fn colour(&mut self) -> Result<String, String> {
        let (mut text, mut open) = (String::new(), 0u32);
        loop {
            let token = self.take();
            match &token {
                Token::Sign("(") => open += 1,
                Token::Sign(")") => open -= 1,
                Token::Sign("," | "-") | Token::Word(_) | Token::Name(_) | Token::Number(_) => {}
                _ => return Err(instead_of(&token, "a colour such as `(red,2)`")),
            }
            match &token {
                Token::Sign(sign) => text.push_str(sign),
                Token::Word(part) | Token::Name(part) | Token::Number(part) => text.push_str(part),
                Token::End => {}
            }
            if open == 0 {
                return Ok(text[1..text.len() - 1].to_owned());
            }
        }
    }

    /// Takes names in brackets, with commas between.
    fn names(&mut self) -> Result<Vec<String>, String> {
        self.must("(")?;
        let mut names = Vec::new();
        loop {
            let token = self.take();
            let name = token.name().ok_or_else(|| instead_of(&token, "a name"))?;
            names.push(name.to_owned());
            if !self.take_if(",") {
                self.must(")")?;
                return Ok(names);
            }
        }
    }

    /// Takes the places of a bound: a sum in brackets, also with commas.
    fn bound(&mut self) -> Result<Part, String> {
        self.must("(")?;
        let mut places = String::new();
        loop {
            let token = self.take();
            let names = match token.is("tokens") && self.next.is("(") {
                true => self.names()?,
                false => self.place(&token)?.terms.into_keys().collect(),
            };
            places.push_str(&listed("place", &names));
            if !self.take_if("+") && !self.take_if(",") {
                self.must(")")?;
                return Ok(Part::Bound(format!("<place-bound>{places}</place-bound>")));
            }
        }
    }

    /// Takes the activities of a constraint; the formula that it stands for.
    fn constraint(&mut self, name: &str) -> Result<Part, String> {
        let (wanted, text) = constraints::named(name).unwrap_or((0, ""));
        let names = self.names()?;
        if names.len() != wanted {
            return Err(format!("`{name}` is about {wanted} activities, not {}", names.len()));
        }
        let mut inner = Reading::new(self.net, tokens(text)?);
        inner.activities = names.iter().map(|name| self.activity(name)).collect();
        Ok(closed(inner.expression()?))
    }

    /// That an activity fires next: one of the transitions that people call so, or else the
    /// transition of this id.
    fn activity(&self, name: &str) -> String {
        let at = ["a", "b"].iter().position(|it| *it == name);
        if let Some(known) = at.and_then(|at| self.activities.get(at)) {
            return known.clone();
        }
        let is_called = |&t: &_| self.net.transition_label(t) == Some(name);
        let called = self.net.transitions().filter(is_called);
        let mut ids: Vec<_> = called.map(|t| self.net.transition_name(t).to_owned()).collect();
        if ids.is_empty() {
            ids.push(name.to_owned());
        }
        format!("<fires>{}</fires>", listed("transition", &ids))
    }
}

fn instead_of(found: &Token, expected: &str) -> String {
    format!("found {}, expected {expected}", found.shown())
}

fn listed(kind: &str, names: &[String]) -> String {
    names.iter().map(|name| format!("<{kind} name=\"{}\"/>", words::escaped(name))).collect()
}

fn of_a_run(xml: String) -> Part {
    Part::Formula(Formula { xml, by: None, is_of_a_run: true })
}

fn constant(digits: &str, sign: i128) -> Result<Part, String> {
    let number: i64 = digits.parse().map_err(|_| format!("{digits} is no number below 2^63"))?;
    Ok(Part::Number(Sum { constant: sign * i128::from(number), ..Sum::default() }))
}

/// What stands in brackets: nothing is added to its operands.
fn closed(part: Part) -> Part {
    match part {
        Part::Formula(formula) => {
            let is_of_a_run = formula.is_of_a_run;
            Part::Formula(Formula { xml: formula.closed(), by: None, is_of_a_run })
        }
        other => other,
    }
}

fn formula(part: Part) -> Result<Formula, String> {
    match part {
        Part::Formula(formula) => Ok(formula),
        Part::Number(_) => Err("a number stands where a formula is expected".to_owned()),
        Part::Bound(_) => Err("a bound is no part of another formula".to_owned()),
    }
}

fn number(part: Part) -> Result<Sum, String> {
    match part {
        Part::Number(sum) => Ok(sum),
        Part::Formula(_) | Part::Bound(_) => {
            Err("a formula stands where a number is expected".to_owned())
        }
    }
}

/// Applies what is open and binds tighter than `level`, or as tightly unless `right` is set.
fn applied(open: &mut Vec<Open>, mut part: Part, level: u8, right: bool) -> Result<Part, String> {
    let binds = |own: u8| own > level || own == level && !right;
    loop {
        part = match open.pop() {
            Some(Open::Prefix(names)) if binds(PREFIX_LEVEL) => prefixed(names, part)?,
            Some(Open::Infix { left, operator, level }) if binds(level) => {
                joined(operator, left, part)?
            }
            other => {
                open.extend(other);
                return Ok(part);
            }
        };
        if let Part::Formula(formula) = &part
            && formula.xml.len() > LONGEST
        {
            return Err("the formula is too long".to_owned());
        }
    }
}

fn prefixed(names: &[&str], part: Part) -> Result<Part, String> {
    let inner = formula(part)?;
    let is_of_a_run = match names {
        ["negation"] => inner.is_of_a_run,
        [first, ..] => !matches!(*first, "all-paths" | "exists-path"),
        [] => false,
    };
    let around = |xml, name: &&str| format!("<{name}>{xml}</{name}>");
    let xml = names.iter().rev().fold(inner.closed(), around);
    Ok(Part::Formula(Formula { xml, by: None, is_of_a_run }))
}

fn joined(operator: Infix, left: Part, right: Part) -> Result<Part, String> {
    let (xml, by, is_of_a_run) = match operator {
        Infix::Plus | Infix::Minus | Infix::Times => {
            return added(operator, number(left)?, number(right)?).map(Part::Number);
        }
        Infix::Compare(name) => {
            let sides = [number(left)?, number(right)?].iter().map(side).collect::<String>();
            (format!("<{name}>{sides}</{name}>"), None, false)
        }
        Infix::Junction(name) => {
            let (mut left, right) = (formula(left)?, formula(right)?);
            let is_of_a_run = left.is_of_a_run || right.is_of_a_run;
            if left.by != Some(name) || !operator.is_chain() {
                left = Formula { xml: left.closed(), by: Some(name), is_of_a_run };
            }
            left.xml.push_str(&right.closed());
            (left.xml, left.by, is_of_a_run)
        }
        Infix::Alike(wanted) => {
            let (left, right) = (formula(left)?, formula(right)?);
            let is_of_a_run = left.is_of_a_run || right.is_of_a_run;
            let (left, right) = (left.closed(), right.closed());
            let not = |xml: &str| format!("<negation>{xml}</negation>");
            let both = |a: &str, b: &str| format!("<conjunction>{a}{b}</conjunction>");
            let differ = both(&left, &not(&right)) + &both(&not(&left), &right);
            let alike = both(&left, &right) + &both(&not(&left), &not(&right));
            (if wanted { alike } else { differ }, Some("disjunction"), is_of_a_run)
        }
        Infix::Until => {
            let (before, reach) = (formula(left)?.closed(), formula(right)?.closed());
            let until = "until";
            let parts = format!("<before>{before}</before><reach>{reach}</reach>");
            (format!("<{until}>{parts}</{until}>"), None, true)
        }
    };
    let part = Part::Formula(Formula { xml, by, is_of_a_run });
    Ok(if matches!(operator, Infix::Alike(_)) { closed(part) } else { part })
}

/// Adds `factor` times a sum.
fn add(sum: &mut Sum, other: Sum, factor: i128) -> Result<(), String> {
    let large = || "a number of the formula is too large".to_owned();
    let times = |number: i128| number.checked_mul(factor).ok_or_else(large);
    for (place, number) in other.terms {
        let known = sum.terms.entry(place).or_default();
        *known = known.checked_add(times(number)?).ok_or_else(large)?;
    }
    sum.constant = sum.constant.checked_add(times(other.constant)?).ok_or_else(large)?;
    Ok(())
}

fn added(operator: Infix, mut left: Sum, mut right: Sum) -> Result<Sum, String> {
    if operator != Infix::Times {
        add(&mut left, right, if operator == Infix::Plus { 1 } else { -1 })?;
        return Ok(left);
    }
    if !left.terms.is_empty() {
        std::mem::swap(&mut left, &mut right);
    }
    if !left.terms.is_empty() {
        return Err("tokens times tokens".to_owned());
    }
    let mut product = Sum::default();
    add(&mut product, right, left.constant)?;
    Ok(product)
}

/// A side of a comparison.
fn side(sum: &Sum) -> String {
    let mut xml = String::from("<integer-sum>");
    for (place, factor) in &sum.terms {
        let _ = write!(
            xml,
            "<integer-product><integer-constant>{factor}</integer-constant>\
             <tokens-count><place name=\"{}\"/></tokens-count></integer-product>",
            escaped(place)
        );
    }
    let _ = write!(xml, "<integer-constant>{}</integer-constant></integer-sum>", sum.constant);
    xml
}
