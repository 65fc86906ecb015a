//! A goal unrolled for SAT, as plain data: a formula for any SAT solver.

use super::components::SafeComponent;
use super::tokens::MaybeLiteral;
use super::{StepSemantics, TokenEncoding, TokenRange, Unrolling};
use crate::encoding::{EncodeError, Encoding, EncodingPart};
use crate::legend::Notation;
use parikh_net::{Facts, FiringSequence, Goal, Net, Provenance};
use parikh_solvers::cnf::{Clauses, Cnf};
use std::io;

/// Limit on the number of literals: a larger formula would take 1 GB as text.
const MAX_LITERALS: usize = 100_000_000;

/// The question whether a goal is reached in a bounded number of firings or steps, as a formula.
#[derive(Debug)]
pub struct PropositionalGoal<'n> {
    /// The encoded steps.
    unrolling: Unrolling<'n>,
    /// The encoding that the caller requested: the part of the encoding and the number of steps.
    encoding: Encoding,
    /// The encoding of tokens as bits.
    token_encoding: TokenEncoding,
    /// True if the formula uses the model's claim of safe units.
    assumes_units: bool,
    /// The formula, including the goal.
    cnf: Cnf,
}

impl<'n> PropositionalGoal<'n> {
    /// Encodes a goal of `net`. `encoding` consists of [`EncodingPart::Unrolling`] or
    /// [`EncodingPart::Steps`], and gives the number of steps. `values` is the encoding of tokens
    /// as bits. Proved `facts` are used. The model's claim that its units are safe is used unless
    /// `values` is [`TokenEncoding::Order`].
    ///
    /// # Errors
    /// Returns an error if the goal or the encoding is not supported. Returns an error if a place
    /// has too many possible numbers of tokens after a step. Returns an error if a sum of the goal
    /// has too many places, or the sums together have too many values. Also returns an error if the
    /// steps need more than 100 million literals, by an estimate.
    pub fn new(
        net: &'n Net,
        goal: &Goal,
        encoding: &Encoding,
        values: TokenEncoding,
        facts: &Facts,
    ) -> Result<Self, EncodeError> {
        let semantics = match encoding.parts() {
            [EncodingPart::Unrolling] => StepSemantics::SingleFiring,
            [EncodingPart::Steps] => StepSemantics::Steps,
            _ => return Err(EncodeError::OnlyBounded),
        };
        let predicate = match goal {
            Goal::Reach(predicate) => predicate.to_atoms(net),
            Goal::Maximise(_) => return Err(EncodeError::NoFirst(encoding.parts()[0])),
            _ => return Err(EncodeError::NotOneMarking),
        };
        let provenance = Provenance::PROVED;
        let ranges = |p| -> TokenRange {
            (facts.lower_bound_within(p, provenance), facts.upper_bound_within(p, provenance))
        };
        let units = SafeComponent::of_units(net);
        let assumes_units = values != TokenEncoding::Order && !units.is_empty();
        let mut components = SafeComponent::of_flows(net, &facts.flows);
        components.extend(units);
        let mut cnf = Cnf::new();
        let ranges = net.places().map(ranges).collect();
        let mut unrolling = Unrolling::new(net, ranges, components, values, semantics, &mut cnf);
        let mut literals = 0;
        for _ in 0..encoding.steps {
            literals += unrolling.next_step_literals();
            if literals > MAX_LITERALS {
                return Err(EncodeError::TooLong(unrolling.steps()));
            }
            unrolling.unroll(&mut cnf)?;
        }
        match unrolling.goal(&predicate, &mut cnf)? {
            MaybeLiteral::Is(true) => {}
            MaybeLiteral::Is(false) => cnf.clause(&[]),
            MaybeLiteral::Open(goal) => cnf.clause(&[goal]),
        }
        Ok(PropositionalGoal {
            unrolling,
            encoding: encoding.clone(),
            token_encoding: values,
            assumes_units,
            cnf,
        })
    }

    /// Returns the formula, including the goal.
    pub fn cnf(&self) -> &Cnf {
        &self.cnf
    }

    /// Returns the firing sequence that a model of the formula describes. `values` has the value of
    /// each variable.
    pub fn firing_sequence(&self, values: &[bool]) -> FiringSequence {
        self.unrolling.firing_sequence(values)
    }

    /// Returns the encoding of tokens.
    pub fn token_encoding(&self) -> TokenEncoding {
        self.token_encoding
    }

    /// Returns an explanation of the possible answers in a few lines, for the header of a file.
    pub fn meaning(&self) -> String {
        let k = self.encoding.steps;
        let (limit, order) = match self.encoding.has(EncodingPart::Steps) {
            true => (format!("{k} steps"), ", within a step in the order of the\nlines below"),
            false => (format!("{k} firings"), ""),
        };
        let mut text = format!(
            "satisfiable: a goal marking is reachable in at most {limit}: the true \
             fire(i,t){order}.\n\
             unsatisfiable: no goal marking is reachable in at most {limit}."
        );
        if self.encoding.has(EncodingPart::Steps) {
            text += "\nIn a step, each transition fires at most once.";
        }
        if self.assumes_units {
            text += "\nThis assumes the model's claim that its units are safe.";
        }
        text
    }

    /// Returns true if the clauses use the model's claim that its units are safe. Clauses about a
    /// net that breaks the claim may have solutions that are no runs.
    pub fn assumes_units(&self) -> bool {
        self.assumes_units
    }

    /// Explains the variables with a line of their own, the other variables, and the names with
    /// escapes.
    pub fn legend(&self) -> String {
        let net = self.unrolling.net;
        let (step, order) = match self.encoding.has(EncodingPart::Steps) {
            true => ("step", "in step i"),
            false => ("firing", "as firing number i"),
        };
        let mut text = format!(
            "variables, with a line `c NUMBER NAME` each:\n\
             \x20 mi(p) >= n: place p has at least n tokens after {step} number i; m0 is the initial \
             marking.\n\
             \x20   Comparisons that always or never hold have no variable. A place that a {step} \
             cannot change\n\
             \x20   keeps the variables of the marking before.\n\
             \x20 fire(i,t): transition t fires {order}; it has no variable where it cannot fire\n"
        );
        let components = self
            .unrolling
            .component_legend(|place| Notation::Dimacs.escaped(net.place_name(place)));
        if !components.is_empty() {
            text += "  biti(p,b): bit b, where bit 0 is the lowest, of the number of the marked place \
                     in the\n    component of p after i steps. The components with their numbers:\n";
            text += &components;
        }
        text += "other variables are auxiliary: a place changes in a step, one of several literals \
                 is true,\na part of the goal holds\n";
        text + &Notation::Dimacs.escaped_names(net)
    }

    /// Writes the formula in DIMACS format, with a comment line for each variable with a name.
    ///
    /// # Errors
    /// Returns the errors of `out`.
    pub fn write_dimacs(&self, out: &mut dyn io::Write) -> io::Result<()> {
        for (literal, name) in self.unrolling.names() {
            writeln!(out, "c {} {name}", literal.to_dimacs())?;
        }
        self.cnf.write_dimacs(&[], out)
    }
}
