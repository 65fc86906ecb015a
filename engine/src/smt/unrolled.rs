//! An unrolling, that is, the markings and firings of several consecutive steps as terms, with its
//! SMT solver.
//!
//! All goals of a net share the unrolling: the transition relation is asserted once per step, and a
//! goal is assumed only for a query. Nothing is retracted when the unrolling grows, so the solver
//! keeps what it has learnt.

use crate::Assignment;
use parikh_encodings::unrolling::{MarkingSequence, StepKind};
use parikh_encodings::variables::Variables;
use parikh_encodings::{EncodeError, Numbers, bounds, flows, traps};
use parikh_net::{FiringSequence, PlaceId, Predicate, TransitionId};
use parikh_solvers::dump::{Dump, recorded_smt};
use parikh_solvers::model::SolverModel;
use parikh_solvers::smt::{SmtAnswer, SmtError, SmtSolver};
use parikh_solvers::smt_chosen::smt_solver;
use parikh_solvers::term::Term;
use parikh_solvers::{Budget, NoAnswer};
use std::fmt;
use std::time::Instant;

/// Limit on the number of variables. Beyond it, no solver answers in reasonable time.
const MAX_VARIABLES: usize = 4_000_000;

/// Limit on the tokens of a place in a witness, unless the place has more tokens initially. It
/// keeps intermediate markings of a step below 2⁶³ tokens.
const MAX_TOKENS: u64 = (1 << 62) - 1;

/// An unrolling together with its SMT solver.
pub(super) struct SmtUnrolling<'g> {
    /// The engine's name, for messages.
    name: &'static str,
    /// The solver's variables for markings and firings.
    variables: Variables<'g>,
    /// The markings and firings of the steps so far, as terms.
    markings: MarkingSequence,
    /// The kind of a step: exactly one firing, at most one firing, or any number of firings.
    step_kind: StepKind,
    solver: Box<dyn SmtSolver>,
    /// Directory for dumping solver queries, if any.
    dump: Option<Dump>,
    /// For each place, the upper bound of its tokens that is asserted after each step. `None` if no
    /// bound is asserted.
    bounds: Vec<Option<u64>>,
    /// Number of queries.
    query_count: u64,
    /// Number of queries at which the solver failed, and the last error message.
    failures: (u64, String),
}

/// Result of a query to the solver.
pub(super) enum SmtQueryResult {
    /// Satisfiable, with the given model.
    Satisfiable(SolverModel),
    /// Unsatisfiable, according to the solver.
    Unsatisfiable,
    /// The budget is exhausted.
    Unfinished,
    /// The solver does not know, and more time would not help.
    Unknown(String),
}

/// Result of extending an unrolling.
pub(super) enum SmtExtensionResult {
    /// The unrolling has the requested number of steps.
    Complete,
    /// The budget ended first.
    Partial,
    /// The unrolling would exceed the limit on variables, beyond which no solver answers in
    /// reasonable time. Also returned if the solver refuses an assertion.
    TooLong,
}

/// Formats the result without the model's values.
impl fmt::Debug for SmtQueryResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SmtQueryResult::Satisfiable(_) => f.write_str("possible"),
            SmtQueryResult::Unsatisfiable => f.write_str("impossible"),
            SmtQueryResult::Unfinished => f.write_str("no answer in time"),
            SmtQueryResult::Unknown(why) => write!(f, "no answer: {why}"),
        }
    }
}

impl<'g> SmtUnrolling<'g> {
    /// Creates an unrolling that begins with the initial marking. Returns an error message if no
    /// SMT solver can be started.
    pub(super) fn initial(
        work: &Assignment<'g>,
        name: &'static str,
        kind: StepKind,
    ) -> Result<Self, String> {
        let mut unrolling = Self::new(work, name, kind, MarkingSequence::initial)?;
        for (bound, &tokens) in
            unrolling.bounds.iter_mut().zip(work.working_net.net().initial().tokens())
        {
            *bound = Some(bound.map_or(MAX_TOKENS, |bound| bound.min(MAX_TOKENS)).max(tokens));
        }
        Ok(unrolling)
    }

    /// Creates an unrolling that begins with any marking that the known facts allow. Returns an
    /// error message if no SMT solver can be started, or if a fact cannot be encoded.
    pub(super) fn from_any_marking(
        work: &Assignment<'g>,
        name: &'static str,
        kind: StepKind,
    ) -> Result<Self, String> {
        let mut unrolling = Self::new(work, name, kind, MarkingSequence::from_any_marking)?;
        let facts = work.working_net.facts();
        let variables = &mut unrolling.variables;
        let mut terms = variables.domain(false);
        let to_text = |error: EncodeError| error.to_string();
        terms.extend(flows::constraints(variables, &facts.flows).map_err(to_text)?);
        terms.extend(bounds::constraints(variables, facts));
        terms.extend(traps::listed(variables, &facts.traps, false).map_err(to_text)?);
        unrolling.assert(&terms).map_err(|error| error.to_string())?;
        Ok(unrolling)
    }

    fn new(
        work: &Assignment<'g>,
        name: &'static str,
        kind: StepKind,
        sequence_from: impl FnOnce(&Variables<'g>) -> MarkingSequence,
    ) -> Result<Self, String> {
        let solver = smt_solver(work.smt_solver.as_ref()).map_err(|error| error.to_string())?;
        tracing::info!("{name}: {}", solver.name());
        let dump = work.dump.as_ref().map(Dump::with_own_label);
        let solver = recorded_smt(solver, dump.as_ref());
        let (net, facts) = (work.working_net.net(), work.working_net.facts());
        let variables = Variables::new(net, Numbers::Integers, facts);
        Ok(SmtUnrolling {
            name,
            markings: sequence_from(&variables),
            bounds: variables.bounds().to_vec(),
            variables,
            step_kind: kind,
            solver,
            dump,
            query_count: 0,
            failures: (0, String::new()),
        })
    }

    /// Returns the number of steps.
    pub(super) fn steps(&self) -> usize {
        self.markings.steps()
    }

    /// Extends the unrolling to this number of steps, as far as the budget permits.
    pub(super) fn extend_to(&mut self, steps: usize, budget: &Budget) -> SmtExtensionResult {
        let net = self.variables.net;
        let variables_per_step = net.place_count() + net.transition_count();
        if variables_per_step.saturating_mul(steps) > MAX_VARIABLES {
            tracing::info!("{}: {steps} steps need too many variables", self.name);
            return SmtExtensionResult::TooLong;
        }
        while self.markings.steps() < steps {
            if budget.is_exhausted() {
                return SmtExtensionResult::Partial;
            }
            let previous = self.markings.last().to_vec();
            let mut assertions = self.markings.extend(&mut self.variables, self.step_kind);
            for (place, previous) in net.places().zip(previous) {
                let tokens = self.markings.last()[place.index()];
                if let Some(variable) = tokens.variable
                    && tokens != previous
                    && let Some(max_tokens) = self.bounds[PlaceId::index(place)]
                {
                    assertions.push(self.variables.terms.at_most(variable, max_tokens));
                }
            }
            // All terms belong to the same arena, so the assertion cannot fail.
            if self.assert(&assertions).is_err() {
                return SmtExtensionResult::TooLong;
            }
        }
        SmtExtensionResult::Complete
    }

    /// Asserts terms in the solver.
    fn assert(&mut self, assertions: &[Term]) -> Result<(), SmtError> {
        assertions.iter().try_for_each(|&term| self.solver.assert(&self.variables.terms, term))
    }

    /// Returns the term "the marking after `step` steps satisfies the predicate".
    pub(super) fn holds(&mut self, predicate: &Predicate, step: usize) -> Term {
        self.markings.predicate_term(&mut self.variables, predicate, step)
    }

    /// Asks if the unrolling is satisfiable under these assumptions. `subject` names the query in
    /// the log.
    pub(super) fn ask(
        &mut self,
        subject: &str,
        assumptions: &[Term],
        budget: &Budget,
    ) -> SmtQueryResult {
        if let Some(dump) = &self.dump {
            let steps = self.markings.steps();
            let header = format!("{} on net {}: {subject}", self.name, self.variables.net.name());
            dump.describe(&format!("{}-{steps}-{subject}", self.name), &header);
        }
        self.query_count += 1;
        let start = Instant::now();
        let result = match self.solver.check(&self.variables.terms, assumptions, budget) {
            Ok(SmtAnswer::Satisfiable(model)) => SmtQueryResult::Satisfiable(model),
            Ok(SmtAnswer::Unsatisfiable { .. }) => SmtQueryResult::Unsatisfiable,
            Ok(SmtAnswer::NoAnswer(NoAnswer::Exhausted(_))) => SmtQueryResult::Unfinished,
            Ok(SmtAnswer::NoAnswer(NoAnswer::Failed(reason))) => {
                self.record_failure(&reason);
                if budget.is_exhausted() {
                    SmtQueryResult::Unfinished
                } else {
                    SmtQueryResult::Unknown(reason)
                }
            }
            Ok(SmtAnswer::NoAnswer(_)) if budget.is_exhausted() => SmtQueryResult::Unfinished,
            Ok(SmtAnswer::NoAnswer(reason)) => SmtQueryResult::Unknown(reason.to_string()),
            Err(error) => SmtQueryResult::Unknown(error.to_string()),
        };
        let (name, steps) = (self.name, self.markings.steps());
        tracing::debug!("{name}, {subject}, {steps} steps: {result:?} {:.2?}", start.elapsed());
        result
    }

    /// Counts a failure of the solver. The first one is logged as a warning.
    fn record_failure(&mut self, reason: &str) {
        let (count, last) = &mut self.failures;
        if *count == 0 {
            let (name, solver) = (self.name, self.solver.name());
            tracing::warn!("{name}: {solver} failed on a query: {reason}");
        }
        *count += 1;
        reason.clone_into(last);
    }

    /// Returns a short summary of the queries.
    pub(super) fn statistics(&self) -> String {
        let text = format!("{} questions", self.query_count);
        match &self.failures {
            (0, _) => text,
            (failures, why) => {
                format!("{text}, the solver failed on {failures} of them, last with: {why}")
            }
        }
    }

    /// Returns the firing sequence of a model, where a variable without a value counts as 0.
    /// Returns `None` if a number of firings is negative or exceeds 64 bits.
    pub(super) fn sequence(&self, model: &SolverModel) -> Option<FiringSequence> {
        let mut sequence = FiringSequence::new();
        for step in self.markings.fired() {
            for &(t, fire) in step {
                let t: TransitionId = t;
                let count = model.integer(fire).unwrap_or_default();
                sequence.push(t, u64::try_from(count).ok()?);
            }
        }
        Some(sequence)
    }
}
