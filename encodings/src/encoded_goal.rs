//! An encoded goal, as terms or as a linear program, to be written to a file or solved.

use crate::encoding::{EncodeError, Encoding, EncodingPart};
use crate::unrolling::StepKind;
use crate::variables::Variables;
use crate::{
    bounds, causal_order, flows, predecessor, predicate, read_feed, state_equation, traps, units,
    unrolling,
};
use parikh_net::{Atom, Facts, Goal, Net, PlaceId};
use parikh_solvers::linear_expression::LinearExpression;
use parikh_solvers::linear_program::Column;
use parikh_solvers::linear_terms::{Linear, NotLinear};
use parikh_solvers::lp_format::write_comment;
use parikh_solvers::smt_lib::{self, ExpectedAnswer, Section};
use parikh_solvers::symbols;
use parikh_solvers::term::{Term, Terms};
use std::io;

/// A goal together with its encoding as constraints.
#[derive(Debug)]
pub struct EncodedGoal<'n> {
    /// The variables of the encoding, with the arena of all terms.
    pub(crate) variables: Variables<'n>,
    /// The requested encoding.
    pub(crate) encoding: Encoding,
    /// The constraints m ≥ 0 on the tokens of all places. If the encoding has the state equation,
    /// also the constraints x ≥ 0 on the firing counts. Empty for the bounded encodings, which
    /// start from the initial marking.
    domain: Vec<Term>,
    /// The constraints, grouped by part of the encoding.
    constraints_by_part: Vec<(EncodingPart, Vec<Term>)>,
    /// The goal as a term, or `None` for a maximum.
    goal: Option<Term>,
    /// The maximised sum, or `None` for a reachability goal.
    pub(crate) objective: Option<LinearExpression>,
}

impl<'n> EncodedGoal<'n> {
    /// Encodes a goal of `net`. Of `facts`, the encoding uses proved bounds, and flows and traps
    /// that it checks itself. A part omits constraints whose facts are missing. The part `units`
    /// uses the model's claim that its units are safe.
    ///
    /// # Errors
    /// Returns an error if the goal is neither a reachability goal nor a maximum. Returns an error
    /// if the goal is a maximum and a part describes the path to a goal marking. Also returns an
    /// error if a firing changes a given flow, or if a given trap is no trap.
    pub fn new(
        net: &'n Net,
        goal: &Goal,
        encoding: &Encoding,
        facts: &Facts,
    ) -> Result<Self, EncodeError> {
        let mut variables = Variables::new(net, encoding.numbers, facts);
        let with_firings = encoding.has(EncodingPart::StateEquation);
        let domain = match encoding.is_bounded() {
            // Bounded encodings have separate variables for each firing or step and for the marking
            // after it, so they do not use m and x.
            true => Vec::new(),
            false => variables.domain(with_firings),
        };
        let mut goal_term = None;
        let mut parts = Vec::with_capacity(encoding.parts().len());
        for &part in encoding.parts() {
            let reach = match goal {
                Goal::Reach(predicate) => Ok(predicate),
                Goal::Maximise(_) => Err(EncodeError::NoFirst(part)),
                _ => Err(EncodeError::NotOneMarking),
            };
            let constraints = match part {
                EncodingPart::StateEquation => state_equation::constraints(&mut variables),
                EncodingPart::Flows => flows::constraints(&mut variables, &facts.flows)?,
                EncodingPart::Bounds => bounds::constraints(&mut variables, facts),
                EncodingPart::Units => units::constraints(&mut variables),
                EncodingPart::Traps => traps::all_constraints(&mut variables),
                EncodingPart::ListedTraps => {
                    traps::listed(&mut variables, &facts.traps, with_firings)?
                }
                EncodingPart::ReadFeed => read_feed::constraints(&mut variables),
                EncodingPart::CausalOrder => causal_order::constraints(&mut variables),
                EncodingPart::Predecessor => predecessor::constraints(&mut variables, reach?),
                EncodingPart::Unrolling | EncodingPart::Steps => {
                    let step_kind = match part {
                        EncodingPart::Steps => StepKind::Step,
                        _ => StepKind::FiringOrPause,
                    };
                    let (part_constraints, last_goal) =
                        unrolling::bounded(&mut variables, reach?, encoding.steps, step_kind);
                    goal_term = Some(last_goal);
                    part_constraints
                }
                EncodingPart::Induction => {
                    let (part_constraints, last_goal) =
                        unrolling::induction(&mut variables, reach?, encoding.steps);
                    goal_term = Some(last_goal);
                    part_constraints
                }
            };
            parts.push((part, constraints));
        }
        let (goal_term, objective) = match goal {
            Goal::Maximise(sum) => (None, Some(variables.sum(sum))),
            Goal::Reach(reach) => {
                let marking: Vec<_> = net.places().map(|place| variables.tokens(place)).collect();
                let tokens_at = |place: PlaceId| marking[place.index()].into();
                let holds = goal_term.unwrap_or_else(|| {
                    predicate::predicate_term(&mut variables.terms, net, reach, &tokens_at)
                });
                (Some(holds), None)
            }
            _ => return Err(EncodeError::NotOneMarking),
        };
        let encoding = encoding.clone();
        Ok(EncodedGoal {
            variables,
            encoding,
            domain,
            constraints_by_part: parts,
            goal: goal_term,
            objective,
        })
    }

    /// Returns the term arena.
    pub fn terms(&self) -> &Terms {
        &self.variables.terms
    }

    /// Returns every assertion, with the goal last. For a maximum, no assertion states the goal,
    /// because the maximised sum is no condition.
    pub fn assertions(&self) -> Vec<Term> {
        let mut result = self.constraints();
        result.extend(self.goal);
        result
    }

    /// Returns every assertion except the goal.
    pub fn constraints(&self) -> Vec<Term> {
        let parts = self.constraints_by_part.iter().flat_map(|(_, constraints)| constraints);
        self.domain.iter().chain(parts).copied().collect()
    }

    /// Returns the number of constraints. The constraints m ≥ 0 on tokens, x ≥ 0 on firing counts,
    /// and the goal are not counted.
    pub fn constraint_count(&self) -> usize {
        self.constraints_by_part.iter().map(|(_, constraints)| constraints.len()).sum()
    }

    /// Returns the constraints without the goal as a linear program. If the goal is a maximum, the
    /// program has its sum as the objective.
    ///
    /// # Errors
    /// Returns an error if a part has disjunctions or numbers are too large.
    pub fn linear_constraints(&self) -> Result<Linear, NotLinear> {
        Linear::new(self.terms(), &self.constraints(), self.objective.as_ref())
    }

    /// Returns constraints and goal as a linear program. For an encoding over the integers, the
    /// program is its relaxation to the reals.
    ///
    /// # Errors
    /// Returns an error if a part or the goal has disjunctions, or numbers are too large.
    pub fn linear(&self) -> Result<Linear, NotLinear> {
        Linear::new(self.terms(), &self.assertions(), self.objective.as_ref())
    }

    /// Returns the constraints without disjunctions as a linear program, without the goal. If the
    /// program together with the goal is infeasible, so is the encoding.
    ///
    /// # Errors
    /// Returns an error if the program is too large.
    pub fn linear_part(&self) -> Result<Linear, NotLinear> {
        let is_linear = |term: &Term| Linear::new(self.terms(), &[*term], None).is_ok();
        let constraints = self.constraints().into_iter().filter(is_linear);
        Linear::new(self.terms(), &constraints.collect::<Vec<_>>(), None)
    }

    /// Returns one term for each comparison of a conjunction (see [`predicate::cubes`]). The term
    /// states the comparison for the variables m(p), that is, for the goal marking if the encoding
    /// unrolls no firings.
    pub fn comparisons(&mut self, atoms: &[Atom]) -> Vec<Term> {
        let mut stated = Vec::with_capacity(atoms.len());
        for atom in atoms {
            let sum = self.variables.sum(&atom.sum);
            stated.push(self.variables.terms.at_most(sum, atom.bound));
        }
        stated
    }

    /// Returns an explanation of the possible answers in a few lines, for the header of a file.
    pub fn meaning(&self) -> String {
        let mut text = String::new();
        let k = self.encoding.steps;
        text += &match (&self.objective, self.encoding.is_bounded()) {
            (Some(_), _) => "The optimum, rounded down, is an upper bound of the goal's value in \
                             all reachable markings.\n\
                             unbounded: no conclusion. infeasible: impossible, because the initial \
                             marking is a solution."
                .to_owned(),
            (None, true) if self.encoding.has(EncodingPart::Steps) => format!(
                "sat: a goal marking is reachable in at most {k} steps: in step i, each t fires \
                 fire(i,t) times,\n\
                 in any order. unsat: no goal marking is reachable in at most {k} steps, nor in \
                 {k} firings."
            ),
            (None, true) => format!(
                "sat: a goal marking is reachable in at most {k} firings: those with fire(i,t) = \
                 1.\n\
                 unsat: no goal marking is reachable in at most {k} firings."
            ),
            (None, false) if self.encoding.has(EncodingPart::Induction) => {
                let first = match k - 1 {
                    0 => "if the initial marking is not a goal marking".to_owned(),
                    before => format!(
                        "if no goal marking is reachable in fewer than {k} firings\n\
                         (check with `--encoding bmc --steps {before}`)"
                    ),
                };
                format!("unsat: the goal is unreachable, {first}.\nsat: no conclusion.")
            }
            (None, false) => "unsat (infeasible): no reachable marking satisfies the goal.\n\
                              sat (feasible): no conclusion; m is a candidate."
                .to_owned(),
        };
        if self.encoding.has(EncodingPart::Steps) && self.encoding.numbers == crate::Numbers::Reals
        {
            text += "\nOver the reals, firings can be fractional, so sat allows no conclusion.";
        }
        if self.encoding.numbers == crate::Numbers::Bits {
            text += "\n\
                     Bit widths follow the proved bounds. Numbers without a proved bound are \
                     integers.";
        }
        if self.encoding.has(EncodingPart::Units) {
            text += "\nThis assumes the model's claim that its units are safe.";
        }
        text
    }

    /// Writes the goal in SMT-LIB 2, with a comment before each part. `status` is the answer that
    /// the script states.
    ///
    /// # Errors
    /// Returns the errors of `out`.
    pub fn write_smt2(&self, status: ExpectedAnswer, out: &mut dyn io::Write) -> io::Result<()> {
        let title = |part: &EncodingPart| format!("{part}: {}", part.explanation());
        let titles: Vec<String> =
            self.constraints_by_part.iter().map(|(part, _)| title(part)).collect();
        let mut sections = Vec::new();
        if !self.domain.is_empty() {
            sections.push(Section { comment: "no variable is negative", assertions: &self.domain });
        }
        for ((_, assertions), comment) in self.constraints_by_part.iter().zip(&titles) {
            sections.push(Section { comment, assertions });
        }
        let goal = self.goal.as_slice();
        if !goal.is_empty() {
            sections.push(Section { comment: "the goal", assertions: goal });
        }
        let objective = self.objective.as_ref();
        smt_lib::write_script(self.terms(), &sections, objective, Some(status), out)
    }

    /// Writes the goal in CPLEX LP format.
    ///
    /// # Errors
    /// Returns the errors of `out`, and [`io::ErrorKind::InvalidInput`] if [`linear`](Self::linear)
    /// fails.
    pub fn write_lp(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let linear =
            self.linear().map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let names = linear.names(self.terms());
        for (name, &variable) in names.iter().zip(&linear.variables) {
            let term_name = self.terms().name(variable);
            // Only names that are too long for readers are shortened.
            if *name != symbols::lp_name(term_name) {
                write_comment(&format!("{name} is {}", symbols::lp_name(term_name)), out)?;
            }
        }
        if linear.constant != 0.into() {
            writeln!(out, "\\ add {} to the objective", linear.constant)?;
        }
        let integers = self.encoding.numbers != crate::Numbers::Reals;
        // An empty sum is written with the first column, even if there is none.
        let name = |column: Column| names.get(column.index()).map_or("none".into(), String::clone);
        linear.program.write_lp_with(name, integers, out)
    }
}
