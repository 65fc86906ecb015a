//! The query to write, in the requested logic and language.

use super::Subject;
use crate::structure::facts::facts_for;
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use parikh_encodings::propositional::{PropositionalGoal, TokenEncoding};
use parikh_encodings::{EncodedGoal, Encoding, Numbers};
use parikh_net::Net;
use parikh_net::printable::counted;
use parikh_solvers::Budget;
use std::io::{self, Write};
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Logic {
    /// Linear real arithmetic.
    #[value(name = "LRA")]
    Reals,
    /// Linear integer arithmetic.
    #[value(name = "LIA")]
    Integers,
    /// Bit-vectors; their widths follow from the proved bounds of places.
    #[value(name = "BV")]
    Bits,
    /// Clauses for SAT solvers, for bmc and bmc-steps.
    #[value(name = "SAT")]
    Propositions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum AsBits {
    /// One variable for each "at least n tokens".
    Order,
    /// The same, with the constraint that exactly one place of each component is marked. A
    /// component is a place invariant or a safe unit with one token.
    OneOfN,
    /// The index of the marked place of each component, as a binary number.
    Log,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// SMT-LIB 2. A maximum becomes `(maximize …)`, which Z3 and OptiMathSAT support.
    Smt2,
    /// CPLEX LP format, for goals and encodings without disjunctions.
    Lp,
    /// DIMACS, for SAT.
    Cnf,
}

impl Format {
    /// Returns the format for the ending of a file name.
    fn of_name(file: &Path) -> Option<Format> {
        match file.extension()?.to_str()? {
            "smt2" => Some(Format::Smt2),
            "lp" => Some(Format::Lp),
            "cnf" | "dimacs" => Some(Format::Cnf),
            _ => None,
        }
    }
}

/// The requested form of the query.
pub(super) struct Wanted {
    pub(super) encoding: Encoding,
    pub(super) logic: Logic,
    pub(super) values: Option<AsBits>,
    pub(super) format: Format,
    /// The largest number of traps listed.
    pub(super) traps: usize,
}

impl Wanted {
    pub(super) fn new(arguments: &super::Arguments, mut encoding: Encoding) -> Result<Wanted> {
        let super::Arguments { logic, values, traps, .. } = *arguments;
        let usual = if logic == Logic::Propositions { Format::Cnf } else { Format::Smt2 };
        let of_name = arguments.output.as_deref().and_then(Format::of_name);
        let format = arguments.format.or(of_name).unwrap_or(usual);
        match (logic, format) {
            (Logic::Propositions, Format::Cnf) => {}
            (Logic::Propositions, _) => {
                bail!(
                    "--logic SAT is written as DIMACS: use a file name that ends in .cnf, or \
                     --format cnf"
                )
            }
            (_, Format::Cnf) => {
                bail!("DIMACS requires --logic SAT; for other logics use --format smt2")
            }
            (Logic::Bits, Format::Lp) => {
                bail!(
                    "linear programs have no bit-vectors: use --format smt2, or --logic LRA or LIA"
                )
            }
            _ => {}
        }
        if values.is_some() && logic != Logic::Propositions {
            bail!("--values requires --logic SAT");
        }
        encoding.numbers = match logic {
            Logic::Reals => Numbers::Reals,
            Logic::Integers => Numbers::Integers,
            // Both logics need bounds of places.
            Logic::Bits | Logic::Propositions => Numbers::Bits,
        };
        Ok(Wanted { encoding, logic, values, format, traps })
    }
}

/// A query in the requested logic.
pub(super) enum Question<'n> {
    Terms(EncodedGoal<'n>),
    Clauses(PropositionalGoal<'n>),
}

impl<'n> Question<'n> {
    pub(super) fn new(
        net: &'n Net,
        subject: &Subject,
        wanted: &Wanted,
        budget: &Budget,
    ) -> Result<Self> {
        let Wanted { encoding, format, .. } = wanted;
        let mut facts = facts_for(net, encoding, wanted.traps, budget).with_context(|| {
            format!("the encoding {encoding} needs place invariants, and computing them")
        })?;
        if wanted.logic == Logic::Propositions {
            let values = match wanted.values {
                None | Some(AsBits::Order) => TokenEncoding::Order,
                Some(AsBits::OneOfN) => TokenEncoding::OneOfN,
                Some(AsBits::Log) => TokenEncoding::Log,
            };
            let question = PropositionalGoal::new(net, &subject.goal, encoding, values, &facts)?;
            return Ok(Question::Clauses(question));
        }
        if *format == Format::Lp {
            // A trap that is initially empty need not stay marked, so it would add a disjunction.
            facts.traps.retain(|trap| trap.iter().any(|&place| net.initial()[place] > 0));
        }
        let question = EncodedGoal::new(net, &subject.goal, encoding, &facts)?;
        if *format == Format::Lp {
            question.linear().context("not expressible as a linear program: use --format smt2")?;
        }
        Ok(Question::Terms(question))
    }

    /// Describes the logic and the size of the query.
    pub(super) fn shape(&self, encoding: &Encoding) -> String {
        let k =
            if encoding.unrolls() { format!(", k = {}", encoding.steps) } else { String::new() };
        match self {
            Question::Terms(question) => {
                let constraints = counted(question.constraint_count(), "constraint");
                format!("{}{k}, {constraints}", encoding.numbers)
            }
            Question::Clauses(question) => {
                let (cnf, values) = (question.cnf(), question.values());
                let variables = counted(cnf.variables(), "variable");
                let clauses = counted(cnf.clauses().len(), "clause");
                format!("SAT, {values}{k}, {variables}, {clauses}")
            }
        }
    }

    /// Explains the possible results of a solver.
    pub(super) fn meaning(&self) -> String {
        match self {
            Question::Terms(question) => question.meaning(),
            Question::Clauses(question) => question.meaning(),
        }
    }

    /// Writes the query below the comment `head`.
    pub(super) fn write(&self, format: Format, head: &str, out: &mut dyn Write) -> io::Result<()> {
        let comment = match format {
            Format::Smt2 => ";",
            Format::Lp => "\\",
            Format::Cnf => "c",
        };
        for line in head.lines() {
            writeln!(out, "{comment} {line}")?;
        }
        match self {
            Question::Clauses(question) => question.write_dimacs(out),
            Question::Terms(question) if format == Format::Lp => question.write_lp(out),
            Question::Terms(question) => question.write_smt2(out),
        }
    }
}
