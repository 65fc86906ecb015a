//! A row of markings as terms, and the solver that knows it.
//!
//! All goals of a ground share it: what a marking and the next have to do with each other is said
//! once, and a goal is assumed for the time of a question. Nothing is ever taken back when the row
//! grows, so that the solver keeps what it has learnt.

use crate::engine::Assignment;
use parikh_encodings::unrolling::{MarkingSequence, StepKind};
use parikh_encodings::variables::Variables;
use parikh_encodings::{EncodeError, Numbers, bounds, flows, traps};
use parikh_net::{FiringSequence, PlaceId, Predicate, TransitionId};
use parikh_solvers::dump::{Dump, recorded_smt};
use parikh_solvers::model::Model;
use parikh_solvers::smt::{SmtAnswer, SmtError, SmtSolver};
use parikh_solvers::smt_chosen::smt_solver;
use parikh_solvers::term::Term;
use parikh_solvers::{Budget, NoAnswer};
use std::fmt;
use std::time::Instant;

/// A row has no more variables: beyond, no solver has an answer in our time.
const MOST_VARIABLES: usize = 4_000_000;

/// A place holds no more in a witness: what is put before anything is taken adds up to less than
/// 2⁶³ then, beyond which nobody counts.
const MOST_TOKENS: u64 = (1 << 62) - 1;

/// Markings in a row, and who is asked about them.
pub(super) struct Unrolled<'g> {
    name: &'static str,
    variables: Variables<'g>,
    row: MarkingSequence,
    between: StepKind,
    solver: Box<dyn SmtSolver>,
    dump: Option<Dump>,
    /// By place what it holds at most in markings that are of use.
    bounds: Vec<Option<u64>>,
    /// So many were asked.
    questions: u64,
    /// So many the solver failed at, and how at the last of them.
    failures: (u64, String),
}

/// What came of a question.
pub(super) enum Said {
    /// It is so in this model.
    Possible(Model),
    /// It cannot be, says the solver.
    Impossible,
    /// There was no time.
    Unfinished,
    /// The solver does not know, and never will.
    Unknown(String),
}

/// How far a row was made longer.
pub(super) enum Extended {
    ToTheEnd,
    /// The budget ended first.
    InPart,
    /// No solver has an answer about a row of that length.
    TooLong,
}

/// Without the values.
impl fmt::Debug for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Said::Possible(_) => f.write_str("possible"),
            Said::Impossible => f.write_str("impossible"),
            Said::Unfinished => f.write_str("no answer in time"),
            Said::Unknown(why) => write!(f, "no answer: {why}"),
        }
    }
}

impl<'g> Unrolled<'g> {
    /// A row that begins with the initial marking.
    pub(super) fn initial(
        work: &Assignment<'g>,
        name: &'static str,
        between: StepKind,
    ) -> Result<Self, String> {
        let mut this = Self::new(work, name, between, MarkingSequence::initial)?;
        for (bound, &tokens) in this.bounds.iter_mut().zip(work.ground.net().initial().tokens()) {
            *bound = Some(bound.map_or(MOST_TOKENS, |bound| bound.min(MOST_TOKENS)).max(tokens));
        }
        Ok(this)
    }

    /// A row that begins with any marking that the known facts allow.
    pub(super) fn any(
        work: &Assignment<'g>,
        name: &'static str,
        between: StepKind,
    ) -> Result<Self, String> {
        let mut this = Self::new(work, name, between, MarkingSequence::any)?;
        let facts = work.ground.facts();
        let variables = &mut this.variables;
        let mut said = variables.domain(false);
        let wrong = |error: EncodeError| error.to_string();
        said.extend(flows::constraints(variables, &facts.flows).map_err(wrong)?);
        said.extend(bounds::constraints(variables, facts));
        said.extend(traps::listed(variables, &facts.traps, false).map_err(wrong)?);
        this.assert(&said).map_err(|error| error.to_string())?;
        Ok(this)
    }

    fn new(
        work: &Assignment<'g>,
        name: &'static str,
        between: StepKind,
        row: impl FnOnce(&Variables<'g>) -> MarkingSequence,
    ) -> Result<Self, String> {
        let solver = smt_solver(work.smt_solver.as_ref()).map_err(|error| error.to_string())?;
        tracing::info!("{name}: {}", solver.name());
        let dump = work.dump.as_ref().map(Dump::apart);
        let solver = recorded_smt(solver, dump.as_ref());
        let (net, facts) = (work.ground.net(), work.ground.facts());
        let variables = Variables::new(net, Numbers::Integers, facts);
        Ok(Unrolled {
            name,
            row: row(&variables),
            bounds: variables.bounds().to_vec(),
            variables,
            between,
            solver,
            dump,
            questions: 0,
            failures: (0, String::new()),
        })
    }

    /// How many steps lead to the last marking.
    pub(super) fn steps(&self) -> usize {
        self.row.steps()
    }

    /// Makes the row so long, as far as the budget lasts.
    pub(super) fn extend_to(&mut self, steps: usize, budget: &Budget) -> Extended {
        let net = self.variables.net;
        let each = net.place_count() + net.transition_count();
        if each.saturating_mul(steps) > MOST_VARIABLES {
            tracing::info!("{}: {steps} steps would be too many to write down", self.name);
            return Extended::TooLong;
        }
        while self.row.steps() < steps {
            if budget.is_exhausted() {
                return Extended::InPart;
            }
            let before = self.row.last().to_vec();
            let mut said = self.row.extend(&mut self.variables, self.between);
            for (place, before) in net.places().zip(before) {
                let tokens = self.row.last()[place.index()];
                if let Some(variable) = tokens.variable
                    && tokens != before
                    && let Some(most) = self.bounds[PlaceId::index(place)]
                {
                    said.push(self.variables.terms.at_most(variable, most));
                }
            }
            // All terms are of one arena.
            if self.assert(&said).is_err() {
                return Extended::TooLong;
            }
        }
        Extended::ToTheEnd
    }

    fn assert(&mut self, said: &[Term]) -> Result<(), SmtError> {
        said.iter().try_for_each(|&term| self.solver.assert(&self.variables.terms, term))
    }

    /// That the marking after so many steps satisfies a predicate.
    pub(super) fn holds(&mut self, predicate: &Predicate, step: usize) -> Term {
        self.row.holds(&mut self.variables, predicate, step)
    }

    /// Whether all of these can be true of a row.
    pub(super) fn ask(&mut self, subject: &str, assumed: &[Term], budget: &Budget) -> Said {
        if let Some(dump) = &self.dump {
            let steps = self.row.steps();
            let header = format!("{} on net {}: {subject}", self.name, self.variables.net.name());
            dump.describe(&format!("{}-{steps}-{subject}", self.name), &header);
        }
        self.questions += 1;
        let begun = Instant::now();
        let said = match self.solver.check(&self.variables.terms, assumed, budget) {
            Ok(SmtAnswer::Satisfiable(model)) => Said::Possible(model),
            Ok(SmtAnswer::Unsatisfiable { .. }) => Said::Impossible,
            Ok(SmtAnswer::NoAnswer(NoAnswer::Exhausted(_))) => Said::Unfinished,
            Ok(SmtAnswer::NoAnswer(NoAnswer::Failed(why))) => {
                self.failed(&why);
                if budget.is_exhausted() { Said::Unfinished } else { Said::Unknown(why) }
            }
            Ok(SmtAnswer::NoAnswer(_)) if budget.is_exhausted() => Said::Unfinished,
            Ok(SmtAnswer::NoAnswer(why)) => Said::Unknown(why.to_string()),
            Err(error) => Said::Unknown(error.to_string()),
        };
        let (name, steps) = (self.name, self.row.steps());
        tracing::debug!("{name}, {subject}, {steps} steps: {said:?} {:.2?}", begun.elapsed());
        said
    }

    /// The first time is worth a word to whoever wonders why there are no answers.
    fn failed(&mut self, why: &str) {
        let (count, last) = &mut self.failures;
        if *count == 0 {
            let (name, solver) = (self.name, self.solver.name());
            tracing::warn!("{name}: {solver} failed at a question: {why}");
        }
        *count += 1;
        why.clone_into(last);
    }

    /// What became of questions, in a few words.
    pub(super) fn statistics(&self) -> String {
        let text = format!("{} questions", self.questions);
        match &self.failures {
            (0, _) => text,
            (failures, why) => {
                format!(
                    "{text}, {failures} of which the solver failed at, at the last one so: {why}"
                )
            }
        }
    }

    /// What fires in a model; `None` where a number is none that we count with.
    pub(super) fn sequence(&self, model: &Model) -> Option<FiringSequence> {
        let mut sequence = FiringSequence::new();
        for step in self.row.fired() {
            for &(t, fire) in step {
                let t: TransitionId = t;
                let count = model.integer(fire).unwrap_or_default();
                sequence.push(t, u64::try_from(count).ok()?);
            }
        }
        Some(sequence)
    }
}
