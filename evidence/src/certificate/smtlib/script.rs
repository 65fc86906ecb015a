//! Scripts of SMT-LIB about the tokens on places.

use super::super::derivation::{Formula, Inequality};
use super::symbols::{sum_symbol, symbol};
use parikh_net::printable::Quoted;
use parikh_net::{Net, PlaceId};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::rc::Rc;

/// A script under construction. It declares an integer for each place that occurs, and for each sum
/// of several places.
pub(super) struct Script<'n> {
    net: &'n Net,
    /// The symbols of all places, by index.
    places: Vec<String>,
    /// The indices of the places that occur.
    used: BTreeSet<usize>,
    /// The numbers of the sums that occur, from 1. The first coefficient of each is positive.
    sums: HashMap<Rc<[(usize, i128)]>, usize>,
    /// The sums in the order of their numbers.
    listed_sums: Vec<Rc<[(usize, i128)]>>,
    /// The assertions, with comments.
    assertions: String,
}

/// The changes of places by a firing, by index.
pub(super) type Changes = [i64];

impl<'n> Script<'n> {
    pub(super) fn new(net: &'n Net) -> Self {
        Script {
            net,
            places: net.places().map(|place| symbol(net.place_name(place))).collect(),
            used: BTreeSet::new(),
            sums: HashMap::new(),
            listed_sums: Vec::new(),
            assertions: String::new(),
        }
    }

    /// Returns the symbol of a place, which the script then declares.
    pub(super) fn place(&mut self, place: usize) -> &str {
        self.used.insert(place);
        &self.places[place]
    }

    /// Asserts the initial tokens of the places that occur so far.
    pub(super) fn assert_initial_tokens(&mut self) {
        for &place in &self.used {
            let tokens = self.net.initial()[PlaceId::new(place)];
            let _ = writeln!(self.assertions, "(assert (= {} {tokens}))", self.places[place]);
        }
    }

    /// Adds a line of a comment.
    pub(super) fn comment(&mut self, text: &str) {
        let _ = writeln!(self.assertions, "; {text}");
    }

    /// Adds an assertion.
    pub(super) fn assert(&mut self, term: &str) {
        let _ = writeln!(self.assertions, "(assert {term})");
    }

    /// Adds an assertion of the disjunction of terms. Each term has a comment, which may be empty.
    pub(super) fn assert_any(&mut self, terms: &[(String, String)]) {
        if terms.is_empty() {
            return self.assert("false");
        }
        // Some readers refuse a disjunction of one term.
        self.assertions.push_str("(assert (or false");
        for (term, comment) in terms {
            let _ = write!(self.assertions, "\n  {term}");
            if !comment.is_empty() {
                let _ = write!(self.assertions, " ; {comment}");
            }
        }
        self.assertions.push_str("\n))\n");
    }

    /// Returns a formula, or its negation, as a term. With `changes`, the term is about the marking
    /// after the firing that makes these changes.
    pub(super) fn formula(
        &mut self,
        formula: &Formula,
        negated: bool,
        changes: Option<&Changes>,
    ) -> String {
        let (is_all, parts) = match formula {
            Formula::AtMost(inequality) => return self.comparison(inequality, negated, changes),
            Formula::All(parts) => (!negated, parts),
            Formula::Any(parts) => (negated, parts),
        };
        let parts = parts.iter().map(|part| self.formula(part, negated, changes)).collect();
        connective(is_all, parts)
    }

    /// Returns a comparison, or its negation, as a term. The solver does the arithmetic: with
    /// `changes`, a place p stands for (+ p change).
    fn comparison(
        &mut self,
        inequality: &Inequality,
        negated: bool,
        changes: Option<&Changes>,
    ) -> String {
        // The first coefficient becomes positive, so that a sum and its negation are one symbol.
        let is_flipped = inequality.sum.first().is_some_and(|&(_, a)| a < 0);
        let operator = match (is_flipped, negated) {
            (false, false) => "<=",
            (false, true) => ">",
            (true, false) => ">=",
            (true, true) => "<",
        };
        let bound = number(inequality.bound, is_flipped);
        let change_of = |place: usize| changes.map_or(0, |changes| changes[place]);
        let left = match &*inequality.sum {
            [] => "0".to_owned(),
            &[(place, a)] => {
                let symbol = self.place(place);
                let tokens = match change_of(place) {
                    0 => symbol.to_owned(),
                    change => format!("(+ {symbol} {})", number(change.into(), false)),
                };
                scaled(&tokens, a, is_flipped)
            }
            terms => {
                let symbol = self.sum(&inequality.sum, is_flipped);
                let changed = terms.iter().filter(|&&(place, _)| change_of(place) != 0);
                let gains: Vec<String> = changed
                    .map(|&(place, a)| {
                        scaled(&number(change_of(place).into(), false), a, is_flipped)
                    })
                    .collect();
                match gains.is_empty() {
                    true => symbol,
                    false => format!("(+ {symbol} {})", gains.join(" ")),
                }
            }
        };
        format!("({operator} {left} {bound})")
    }

    /// Returns the symbol of a sum of several places.
    fn sum(&mut self, sum: &Rc<[(usize, i128)]>, is_flipped: bool) -> String {
        let sum: Rc<[(usize, i128)]> = match is_flipped {
            true => sum.iter().map(|&(place, a)| (place, -a)).collect(),
            false => Rc::clone(sum),
        };
        if let Some(&number) = self.sums.get(&sum) {
            return sum_symbol(number);
        }
        self.used.extend(sum.iter().map(|&(place, _)| place));
        self.listed_sums.push(Rc::clone(&sum));
        self.sums.insert(sum, self.listed_sums.len());
        sum_symbol(self.listed_sums.len())
    }

    /// Returns the whole script: the head, declarations, the facts that hold in every marking, the
    /// assertions, and the question whether they have a solution.
    pub(super) fn finish(self, head: &str) -> String {
        let mut out = head.to_owned();
        let is_escaped = |place: &&usize| {
            let name = self.net.place_name(PlaceId::new(**place));
            self.places[**place] != format!("|{name}|")
        };
        for &place in self.used.iter().filter(is_escaped) {
            let name = Quoted(self.net.place_name(PlaceId::new(place)));
            let _ = writeln!(out, "; symbol {} is place {name}", self.places[place]);
        }
        out.push_str(
            "(set-info :smt-lib-version 2.6)\n(set-logic QF_LIA)\n(set-info :status unsat)\n",
        );
        if !self.used.is_empty() {
            out.push_str("; the tokens on places\n");
        }
        for &place in &self.used {
            let symbol = &self.places[place];
            let _ = writeln!(out, "(declare-fun {symbol} () Int)\n(assert (>= {symbol} 0))");
        }
        for (number, sum) in (1..).zip(&self.listed_sums) {
            let symbol = sum_symbol(number);
            let terms = sum.iter().map(|&(place, a)| scaled(&self.places[place], a, false));
            let terms: Vec<String> = terms.collect();
            let _ = writeln!(
                out,
                "(declare-fun {symbol} () Int)\n(assert (= {symbol} (+ {})))",
                terms.join(" ")
            );
        }
        out.push_str(&self.assertions);
        out.push_str("(check-sat)\n");
        out
    }
}

/// Returns the conjunction of terms if `is_all`, and otherwise their disjunction.
pub(super) fn connective(is_all: bool, mut terms: Vec<String>) -> String {
    match terms.len() {
        0 => if is_all { "true" } else { "false" }.to_owned(),
        1 => terms.remove(0),
        _ => format!("({} {})", if is_all { "and" } else { "or" }, terms.join(" ")),
    }
}

/// Returns a number, or its negation, as a term.
pub(super) fn number(value: i128, is_negated: bool) -> String {
    let magnitude = value.unsigned_abs();
    match value != 0 && (value < 0) != is_negated {
        true => format!("(- {magnitude})"),
        false => magnitude.to_string(),
    }
}

/// Returns a term times a factor, or times its negation.
fn scaled(term: &str, factor: i128, is_negated: bool) -> String {
    match number(factor, is_negated) {
        one if one == "1" => term.to_owned(),
        factor => format!("(* {factor} {term})"),
    }
}
