//! The query to write, in the requested logic and language.

use super::EncodeGoal;
use crate::UsageError;
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use parikh_encodings::propositional::{PropositionalGoal, TokenEncoding};
use parikh_encodings::{EncodedGoal, Encoding, EncodingPart, Notation, Numbers};
use parikh_net::Net;
use parikh_net::printable::counted;
use parikh_solvers::Budget;
use parikh_solvers::lp_format::write_comment;
use parikh_solvers::smt_lib::ExpectedAnswer;
use parikh_structure::facts::facts_for;
use std::io::{self, Write};
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum EncodeLogic {
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
pub(super) enum BitEncoding {
    /// One variable for each place and number n: "the place has at least n tokens".
    Order,
    /// The variables of `order`, with constraints for components. Exactly one place of a place
    /// invariant with one token is marked, and at most one place of a safe unit.
    OneOfN,
    /// For each component, that is, places that together hold at most one token: the index of its
    /// marked place as a binary number. For other places as in `order`.
    Log,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SolverFormat {
    /// SMT-LIB 2. A maximum becomes `(maximize …)`, which Z3 and OptiMathSAT support.
    Smt2,
    /// CPLEX LP format, for goals and encodings without disjunctions.
    Lp,
    /// DIMACS, for SAT.
    Cnf,
}

impl SolverFormat {
    /// Returns the format for the ending of a file name. Returns `None` for other endings.
    fn of_name(file: &Path) -> Option<SolverFormat> {
        match file.extension()?.to_str()? {
            "smt2" => Some(SolverFormat::Smt2),
            "lp" => Some(SolverFormat::Lp),
            "cnf" | "dimacs" => Some(SolverFormat::Cnf),
            _ => None,
        }
    }
}

/// The requested form of the query.
pub(super) struct QueryForm {
    pub(super) encoding: Encoding,
    pub(super) logic: EncodeLogic,
    /// The encoding of tokens in propositional logic. `None` means the default,
    /// [`BitEncoding::Order`].
    pub(super) values: Option<BitEncoding>,
    pub(super) format: SolverFormat,
    /// The largest number of traps that the part listed-traps of the encoding lists.
    pub(super) traps: usize,
}

/// The largest number of traps that are listed, if `--traps` does not say.
const DEFAULT_TRAPS: usize = 100;

impl QueryForm {
    /// Returns the form that the arguments request.
    ///
    /// # Errors
    /// The options contradict each other, or one of them has no effect on the encoding.
    pub(super) fn new(arguments: &super::EncodeArguments) -> Result<QueryForm> {
        let super::EncodeArguments { logic, values, traps, steps, .. } = *arguments;
        let mut encoding = arguments.encoding.clone().with_steps(steps.unwrap_or(1));
        if steps.is_some() && !encoding.unrolls() {
            bail!(UsageError(format!(
                "-k has no effect on {encoding}: it bounds bmc, bmc-steps and k-induction"
            )));
        }
        if traps.is_some() && !encoding.has(EncodingPart::ListedTraps) {
            let other = match encoding.has(EncodingPart::Traps) {
                true => "; the part traps is about all traps",
                false => "",
            };
            bail!(UsageError(format!(
                "--traps has no effect on {encoding}: it limits the part listed-traps{other}"
            )));
        }
        let default_format =
            if logic == EncodeLogic::Propositions { SolverFormat::Cnf } else { SolverFormat::Smt2 };
        let of_name = arguments.output.as_deref().and_then(SolverFormat::of_name);
        let format = arguments.format.or(of_name).unwrap_or(default_format);
        match (logic, format) {
            (EncodeLogic::Propositions, SolverFormat::Cnf) => {}
            (EncodeLogic::Propositions, _) => {
                bail!(
                    "--logic SAT is written as DIMACS: use a file name that ends in .cnf, or \
                     --format cnf"
                )
            }
            (_, SolverFormat::Cnf) => {
                bail!("DIMACS requires --logic SAT; for other logics use --format smt2")
            }
            (EncodeLogic::Bits, SolverFormat::Lp) => {
                bail!(
                    "linear programs have no bit-vectors: use --format smt2, or --logic LRA or \
                       LIA"
                )
            }
            _ => {}
        }
        if values.is_some() && logic != EncodeLogic::Propositions {
            bail!("--values requires --logic SAT");
        }
        encoding.numbers = match logic {
            EncodeLogic::Reals => Numbers::Reals,
            EncodeLogic::Integers => Numbers::Integers,
            // The widths of bit-vectors follow from bounds of places, and so do the propositional
            // variables. [`Numbers::Bits`] makes `facts_for` compute these bounds.
            EncodeLogic::Bits | EncodeLogic::Propositions => Numbers::Bits,
        };
        Ok(QueryForm { encoding, logic, values, format, traps: traps.unwrap_or(DEFAULT_TRAPS) })
    }
}

/// A goal encoded in the requested logic.
pub(super) enum EncodedQuery<'n> {
    /// Constraints over numbers or bit-vectors.
    Terms(EncodedGoal<'n>),
    /// Clauses for SAT solvers.
    Clauses(PropositionalGoal<'n>),
}

impl<'n> EncodedQuery<'n> {
    pub(super) fn new(
        net: &'n Net,
        subject: &EncodeGoal,
        form: &QueryForm,
        budget: &Budget,
    ) -> Result<Self> {
        let QueryForm { encoding, format, .. } = form;
        let mut facts = facts_for(net, encoding, form.traps, budget).with_context(|| {
            format!(
                "the encoding {encoding} needs place invariants, and \
                                      computing them"
            )
        })?;
        if form.logic == EncodeLogic::Propositions {
            let values = match form.values {
                None | Some(BitEncoding::Order) => TokenEncoding::Order,
                Some(BitEncoding::OneOfN) => TokenEncoding::OneOfN,
                Some(BitEncoding::Log) => TokenEncoding::Log,
            };
            let question = PropositionalGoal::new(net, &subject.goal, encoding, values, &facts)?;
            return Ok(EncodedQuery::Clauses(question));
        }
        if *format == SolverFormat::Lp {
            // The constraint of an initially empty trap is a disjunction: the trap stays empty, or
            // it is marked.
            facts.traps.retain(|trap| trap.iter().any(|&place| net.initial()[place] > 0));
        }
        let question = EncodedGoal::new(net, &subject.goal, encoding, &facts)?;
        if *format == SolverFormat::Lp {
            question.linear().context("not expressible as a linear program: use --format smt2")?;
        }
        Ok(EncodedQuery::Terms(question))
    }

    /// Describes the logic and the size of the query.
    pub(super) fn shape(&self, encoding: &Encoding) -> String {
        let k =
            if encoding.unrolls() { format!(", k = {}", encoding.steps) } else { String::new() };
        match self {
            EncodedQuery::Terms(question) => {
                let constraints = counted(question.constraint_count(), "constraint");
                format!("{}{k}, {constraints}", encoding.numbers)
            }
            EncodedQuery::Clauses(question) => {
                let (cnf, values) = (question.cnf(), question.token_encoding());
                let variables = counted(cnf.variables(), "variable");
                let clauses = counted(cnf.clauses().len(), "clause");
                format!("SAT, {values}{k}, {variables}, {clauses}")
            }
        }
    }

    /// Explains the possible results of a solver.
    pub(super) fn meaning(&self) -> String {
        match self {
            EncodedQuery::Terms(question) => question.meaning(),
            EncodedQuery::Clauses(question) => question.meaning(),
        }
    }

    /// Explains the variables in the format of the file.
    pub(super) fn legend(&self, format: SolverFormat) -> String {
        match (self, format) {
            (EncodedQuery::Clauses(question), _) => question.legend(),
            (EncodedQuery::Terms(question), SolverFormat::Lp) => question.legend(Notation::Lp),
            (EncodedQuery::Terms(question), _) => question.legend(Notation::SmtLib),
        }
    }

    /// Writes the query below the comment `head`.
    pub(super) fn write(
        &self,
        format: SolverFormat,
        head: &str,
        status: ExpectedAnswer,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        for line in head.lines() {
            match format {
                SolverFormat::Smt2 => writeln!(out, "; {line}")?,
                SolverFormat::Lp => write_comment(line, out)?,
                SolverFormat::Cnf => writeln!(out, "c {line}")?,
            }
        }
        match self {
            EncodedQuery::Clauses(question) => question.write_dimacs(out),
            EncodedQuery::Terms(question) if format == SolverFormat::Lp => question.write_lp(out),
            EncodedQuery::Terms(question) => question.write_smt2(status, out),
        }
    }
}
