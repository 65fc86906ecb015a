//! Writes terms as text, batch by batch. Declarations and definitions are written once and remain
//! valid.

use std::collections::HashSet;
use std::io;

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, Zero};

use crate::bits::{self, BitSum, Sides};
use crate::symbols::smt_symbol;
use crate::term::{Node, Sort, Term, Terms, Variable};

/// Conjunctions and disjunctions over terms of this depth get a name, so that writing does not
/// recurse deeply.
const MAX_DEPTH: u32 = 16;

/// A writer for the terms of one arena.
#[derive(Debug)]
pub(crate) struct Writer {
    /// The symbol of each variable of the arena; empty if the variable never occurred.
    symbols: Vec<String>,
    /// The symbols in use.
    used_symbols: HashSet<String>,
    /// One flag per variable: true if the variable is declared.
    is_declared: Vec<bool>,
    /// One flag per term: true if the term has a name, defined with `define-fun`.
    is_named: Vec<bool>,
    /// One flag per term: true if a guard of the term is declared, that is, a Boolean constant that
    /// implies the term.
    is_guarded: Vec<bool>,
    /// The declared variables, in order.
    variables: Vec<Variable>,
    /// True if an integer variable was declared.
    has_integers: bool,
    /// True if a real variable was declared.
    has_reals: bool,
    /// True if a bit-vector variable was declared.
    has_bits: bool,
}

/// The declarations and definitions needed before a batch of terms.
#[derive(Debug)]
pub(super) struct Preparation {
    /// The variables to declare.
    declare: Vec<Variable>,
    /// The terms to define, children first.
    define: Vec<Term>,
}

impl Writer {
    /// Creates a writer without declarations.
    pub(crate) fn new() -> Self {
        Writer {
            symbols: Vec::new(),
            used_symbols: HashSet::new(),
            is_declared: Vec::new(),
            is_named: Vec::new(),
            is_guarded: Vec::new(),
            variables: Vec::new(),
            has_integers: false,
            has_reals: false,
            has_bits: false,
        }
    }

    /// Returns the narrowest logic for everything written or prepared so far.
    pub(crate) fn logic(&self) -> &'static str {
        match (self.has_bits, self.has_integers, self.has_reals) {
            (false, false, false) => "QF_UF",
            (false, true, false) => "QF_LIA",
            (false, false, true) => "QF_LRA",
            (false, true, true) => "QF_LIRA",
            (true, false, false) => "QF_BV",
            // No named logic combines bit-vectors with other numbers without functions or arrays.
            (true, ..) => "ALL",
        }
    }

    /// Returns the symbol of a declared variable.
    pub(crate) fn symbol(&self, variable: Variable) -> &str {
        &self.symbols[variable.index()]
    }

    /// Returns the declared variables, in order.
    pub(crate) fn variables(&self) -> impl Iterator<Item = Variable> {
        self.variables.iter().copied()
    }

    /// Writes `assertions`, with the declarations and definitions that they need.
    pub(crate) fn assert(
        &mut self,
        terms: &Terms,
        assertions: &[Term],
        out: &mut dyn io::Write,
    ) -> io::Result<()> {
        let preparation = self.prepare(terms, assertions, []);
        self.write_preparation(terms, &preparation, out)?;
        assertions.iter().try_for_each(|&term| self.write_assertion(terms, term, out))
    }

    /// Returns, for each assumption in order, a literal that implies the assumption: the assumption
    /// itself if it is a literal, otherwise its guard. Solvers can assume only literals. Writes the
    /// declarations and definitions that the literals need.
    pub(crate) fn guard(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        out: &mut dyn io::Write,
    ) -> io::Result<Vec<String>> {
        let preparation = self.prepare(terms, assumptions, []);
        self.write_preparation(terms, &preparation, out)?;
        let mut literals = Vec::with_capacity(assumptions.len());
        for &term in assumptions {
            let is_literal = match terms.node(term) {
                Node::Boolean(_) => true,
                Node::Not(part) => matches!(terms.node(*part), Node::Boolean(_)),
                _ => false,
            };
            if is_literal {
                let mut text = String::new();
                self.write_term(terms, term, &mut text);
                literals.push(text);
                continue;
            }
            let guard = format!("a!{}", term.index());
            if !std::mem::replace(&mut self.is_guarded[term.index()], true) {
                let mut text = String::new();
                self.write_term(terms, term, &mut text);
                writeln!(out, "(declare-const {guard} Bool)")?;
                writeln!(out, "(assert (or (not {guard}) {text}))")?;
            }
            literals.push(guard);
        }
        Ok(literals)
    }

    /// Determines the variables and terms to declare and define before `roots` are written. From
    /// then on they count as declared and defined.
    pub(super) fn prepare(
        &mut self,
        terms: &Terms,
        roots: &[Term],
        used_variables: impl IntoIterator<Item = Variable>,
    ) -> Preparation {
        self.is_declared.resize(terms.variables().len(), false);
        self.symbols.resize(terms.variables().len(), String::new());
        self.is_named.resize(terms.len(), false);
        self.is_guarded.resize(terms.len(), false);
        let order = self.unnamed(terms, roots);
        let mut use_counts = vec![0u32; terms.len()];
        let mut depth = vec![0u32; terms.len()];
        let children = order.iter().flat_map(|&term| terms.node(term).children());
        children.chain(roots).for_each(|part| use_counts[part.index()] += 1);
        let mut declare: Vec<Variable> = used_variables.into_iter().collect();
        let mut define = Vec::new();
        for &term in &order {
            let node = terms.node(term);
            match node {
                Node::Boolean(variable) => declare.push(*variable),
                Node::AtMost(entries, _) | Node::Equal(entries, _) => {
                    declare.extend(entries.iter().map(|&(variable, _)| variable));
                }
                _ => {}
            }
            let depth_below = node.children().iter().map(|part| depth[part.index()] + 1).max();
            let depth_below = depth_below.unwrap_or(0);
            let is_composite = matches!(node, Node::And(_) | Node::Or(_));
            if is_composite && (use_counts[term.index()] > 1 || depth_below >= MAX_DEPTH) {
                define.push(term);
                self.is_named[term.index()] = true;
            } else {
                depth[term.index()] = depth_below;
            }
        }
        declare
            .retain(|variable| !std::mem::replace(&mut self.is_declared[variable.index()], true));
        declare.sort_unstable();
        for &variable in &declare {
            match terms.sort(variable) {
                Sort::Bool => {}
                Sort::Int => self.has_integers = true,
                Sort::Real => self.has_reals = true,
                Sort::Bits(_) => self.has_bits = true,
            }
            self.find_symbol(terms, variable);
        }
        self.variables.extend_from_slice(&declare);
        Preparation { declare, define }
    }

    /// Writes the declarations and definitions.
    pub(super) fn write_preparation(
        &self,
        terms: &Terms,
        preparation: &Preparation,
        out: &mut dyn io::Write,
    ) -> io::Result<()> {
        for &variable in &preparation.declare {
            let sort = match terms.sort(variable) {
                Sort::Bool => "Bool",
                Sort::Int => "Int",
                Sort::Real => "Real",
                Sort::Bits(width) => &format!("(_ BitVec {width})"),
            };
            writeln!(out, "(declare-const {} {sort})", self.symbol(variable))?;
        }
        for &term in &preparation.define {
            let mut text = String::new();
            self.write_node(terms, term, &mut text);
            writeln!(out, "(define-fun t!{} () Bool {text})", term.index())?;
        }
        Ok(())
    }

    /// Writes an assertion whose terms were prepared.
    pub(super) fn write_assertion(
        &self,
        terms: &Terms,
        assertion: Term,
        out: &mut dyn io::Write,
    ) -> io::Result<()> {
        let mut text = String::new();
        self.write_term(terms, assertion, &mut text);
        writeln!(out, "(assert {text})")
    }

    /// Returns `roots` and their descendants without a name, down to named terms; children first.
    fn unnamed(&self, terms: &Terms, roots: &[Term]) -> Vec<Term> {
        let mut is_seen = vec![false; terms.len()];
        let mut unnamed_terms: Vec<Term> = Vec::new();
        let mut open: Vec<Term> = roots.to_vec();
        while let Some(term) = open.pop() {
            if !self.is_named[term.index()] && !std::mem::replace(&mut is_seen[term.index()], true)
            {
                unnamed_terms.push(term);
                open.extend_from_slice(terms.node(term).children());
            }
        }
        unnamed_terms.sort_unstable();
        unnamed_terms
    }

    /// Chooses a symbol for a variable.
    fn find_symbol(&mut self, terms: &Terms, variable: Variable) {
        if self.symbols[variable.index()].is_empty() {
            let mut symbol = smt_symbol(terms.name(variable));
            // Variables of different sorts may have the same name. No symbol of a name has `%!`.
            if !self.used_symbols.insert(symbol.clone()) {
                symbol = format!("|{}%!{}|", symbol.trim_matches('|'), variable.index());
                self.used_symbols.insert(symbol.clone());
            }
            self.symbols[variable.index()] = symbol;
        }
    }

    /// Writes the name of a term, or its structure if it has no name. Recurses at most two levels
    /// deeper than [`MAX_DEPTH`].
    fn write_term(&self, terms: &Terms, term: Term, out: &mut String) {
        if self.is_named[term.index()] {
            *out += &format!("t!{}", term.index());
        } else {
            self.write_node(terms, term, out);
        }
    }

    fn write_node(&self, terms: &Terms, term: Term, out: &mut String) {
        match terms.node(term) {
            Node::Truth(value) => *out += if *value { "true" } else { "false" },
            Node::Boolean(variable) => *out += self.symbol(*variable),
            Node::Not(part) => self.write_all(terms, "not", &[*part], out),
            Node::And(parts) => self.write_all(terms, "and", parts, out),
            Node::Or(parts) => self.write_all(terms, "or", parts, out),
            Node::AtMost(entries, bound) => self.write_constraint(terms, "<=", entries, bound, out),
            Node::Equal(entries, bound) => self.write_constraint(terms, "=", entries, bound, out),
        }
    }

    fn write_all(&self, terms: &Terms, operator: &str, parts: &[Term], out: &mut String) {
        *out += &format!("({operator}");
        for &part in parts {
            *out += " ";
            self.write_term(terms, part, out);
        }
        *out += ")";
    }

    /// Writes the sum of declared variables and a constant.
    pub(super) fn write_sum(
        &self,
        terms: &Terms,
        entries: &[(Variable, i128)],
        constant: &BigInt,
        out: &mut String,
    ) {
        let is_real_sum = is_real(terms, entries);
        let part_count =
            entries.len() + usize::from(*constant != BigInt::ZERO || entries.is_empty());
        if part_count > 1 {
            *out += "(+ ";
        }
        for (position, &(variable, coefficient)) in entries.iter().enumerate() {
            if position > 0 {
                *out += " ";
            }
            let symbol = self.symbol(variable);
            let symbol = match terms.sort(variable) {
                Sort::Int if is_real_sum => format!("(to_real {symbol})"),
                Sort::Bits(_) if is_real_sum => format!("(to_real (bv2nat {symbol}))"),
                Sort::Bits(_) => format!("(bv2nat {symbol})"),
                _ => symbol.to_owned(),
            };
            *out += &match coefficient {
                1 => symbol,
                _ => format!("(* {} {symbol})", number(&coefficient.into(), is_real_sum)),
            };
        }
        if part_count > entries.len() {
            let space = if part_count > 1 { " " } else { "" };
            *out += &format!("{space}{}", number(constant, is_real_sum));
        }
        if part_count > 1 {
            *out += ")";
        }
    }

    /// Returns the text of one side of a constraint over bit-vectors.
    fn bits_sum(&self, terms: &Terms, sum: &BitSum, width: u32) -> String {
        let part = |(variable, coefficient): &(Variable, BigUint)| {
            let symbol = self.symbol(*variable);
            let extended = match width - bits::width(terms, *variable) {
                0 => symbol.to_owned(),
                added_bits => format!("((_ zero_extend {added_bits}) {symbol})"),
            };
            match coefficient.is_one() {
                true => extended,
                false => format!("(bvmul (_ bv{coefficient} {width}) {extended})"),
            }
        };
        let mut parts: Vec<String> = sum.entries.iter().map(part).collect();
        if parts.is_empty() || !sum.constant.is_zero() {
            parts.push(format!("(_ bv{} {width})", sum.constant));
        }
        match &parts[..] {
            [only] => only.clone(),
            _ => format!("(bvadd {})", parts.join(" ")),
        }
    }

    /// Writes the comparison of a sum with `bound`. `relation` is `<=` or `=`.
    fn write_constraint(
        &self,
        terms: &Terms,
        relation: &str,
        entries: &[(Variable, i128)],
        bound: &BigInt,
        out: &mut String,
    ) {
        if let Some(sides) = Sides::of(terms, entries, bound) {
            let relation = if relation == "<=" { "bvule" } else { relation };
            let [left, right] =
                [&sides.left, &sides.right].map(|side| self.bits_sum(terms, side, sides.width));
            *out += &format!("({relation} {left} {right})");
            return;
        }
        *out += &format!("({relation} ");
        self.write_sum(terms, entries, &BigInt::ZERO, out);
        *out += &format!(" {})", number(bound, is_real(terms, entries)));
    }
}

fn is_real(terms: &Terms, entries: &[(Variable, i128)]) -> bool {
    entries.iter().any(|&(variable, _)| terms.sort(variable) == Sort::Real)
}

fn number(value: &BigInt, has_decimals: bool) -> String {
    let decimals = if has_decimals { ".0" } else { "" };
    if value.is_negative() {
        format!("(- {}{decimals})", value.magnitude())
    } else {
        format!("{value}{decimals}")
    }
}
