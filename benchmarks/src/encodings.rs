//! Comparison of encodings and solvers: every goal, in every encoding, with every back-end, each
//! question from scratch and alone.
//!
//! A goal is *refuted* if its encoding has no solution. The answers of SMT solvers are trusted. For
//! a linear program, every conjunction of the goal must be infeasible with a certificate that holds
//! in exact arithmetic. The time covers encoding and solving. The flows, bounds and traps that an
//! encoding uses are computed once per instance and not counted.
//!
//! Bounded model checking is exact: with a solution the goal is *reached*, without a solution it is
//! *not within* the given number of steps. Only for bmc-steps over the reals a solution may be
//! spurious, because a step may fire half a transition. k-induction has its base case checked
//! first, by the same solver within the same time. A solver in another process is started for each
//! question (processes of Z3 are reused), and the start counts.
//!
//! Parikh itself shares programs, lemmas and traps between all goals. This comparison measures each
//! part alone.
//!
//! Engines such as PDR are measured on the same goals ([`engine_rows`]).

use crate::backends::{Backend, highs};
use crate::encoding_solvers::{outcome_by_linear_programs, outcome_by_sat, outcome_by_smt};
use crate::engine_rows;
use crate::error::Error;
use crate::exam::Exam;
use crate::goals::{ReachabilityGoal, goals};
use crate::instance::Instance;
use crate::measurement::{EncodingOutcome, Measurement};
use crate::note;
use crate::signals;
use crate::teams;
use parikh::run::engines_named;
use parikh::structure::facts::facts_for;
use parikh_encodings::{EncodedGoal, Encoding, EncodingPart, Numbers};
use parikh_net::{Facts, Goal, Net, PlaceId};
use parikh_solvers::Budget;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The goals, encodings and back-ends to compare, with the limits.
#[derive(Clone, Debug)]
pub struct Encodings {
    /// Directory with the archives `NAME.tgz`.
    pub inputs: PathBuf,
    /// Directory with the known answers `NAME-XX.out`. `None` if no answer is known.
    pub oracle: Option<PathBuf>,
    /// The examinations: RC, RF, RD, UB.
    pub exams: Vec<Exam>,
    /// The goals to ask, by instance and examination. `None` for all goals of the examinations.
    pub requests: Option<Vec<teams::RequestedGoals>>,
    /// The encodings. The kind of numbers of each encoding is replaced by that of the back-end.
    pub encodings: Vec<Encoding>,
    /// The solvers.
    pub backends: Vec<Backend>,
    /// The names of the engines to measure on the same goals.
    pub engines: Vec<String>,
    /// Time limit for each goal in each encoding with each back-end. The unfolding of an instance
    /// has the same limit. So has the computation of the flows, bounds and traps for an encoding.
    pub timeout: Duration,
    /// True if only goals that are known to be unreachable are asked.
    pub unreachable_only: bool,
    /// The largest number of places and transitions together. Larger nets are skipped.
    pub max_nodes: usize,
    /// The largest number of goals that are asked of one examination of one instance.
    pub max_goals: usize,
    /// The largest number of traps that the part listed-traps of an encoding lists.
    pub max_traps: usize,
}

impl Encodings {
    /// Measures one instance; of a coloured instance, its unfolding. Returns `None` if the net is
    /// too large or cannot be unfolded within the limits on time and size. After an interruption,
    /// returns the measurements made so far.
    ///
    /// # Errors
    /// If archive, model, queries or oracle cannot be read.
    pub fn measure(&self, name: &str) -> Result<Option<Vec<Measurement>>, Error> {
        let instance = Instance::unpack(&self.inputs, name)?;
        let path = instance.path().join("model.pnml");
        let fail = |problem: String| Error::Rows { path: path.clone(), problem };
        let model =
            parikh::input::read_model(&path).map_err(|problem| fail(problem.to_string()))?;
        let budget = Budget::lasting(self.timeout);
        let net = match model.into_net(&parikh::unfold::UnfoldingConfig::default(), &budget) {
            Ok(net) => net,
            Err(why) => {
                note!("{name}: {why}");
                return Ok(None);
            }
        };
        if net.place_count() + net.transition_count() > self.max_nodes {
            return Ok(None);
        }
        let mut requested = Vec::new();
        for &exam in &self.exams {
            let goals = goals(&instance, &net, exam, self.oracle.as_deref())?.into_iter();
            let is_wanted = |goal: &ReachabilityGoal| {
                (!self.unreachable_only || goal.reachable == Some(false))
                    && self.is_listed(name, exam, &goal.id)
            };
            requested.extend(goals.filter(is_wanted).take(self.max_goals));
        }
        let mut measurements = Vec::new();
        for encoding in &self.encodings {
            // If some back-end uses bits, the facts need bounds of places, which give the bit
            // widths.
            let mut with_bits = encoding.clone();
            if self.backends.iter().any(|backend| backend.numbers() == Numbers::Bits) {
                with_bits.numbers = Numbers::Bits;
            }
            let facts =
                facts_for(&net, &with_bits, self.max_traps, &Budget::lasting(self.timeout)).ok();
            // The constraint of an initially empty trap is a disjunction: the trap stays empty, or
            // it is marked. Linear programs have no disjunctions, so they get only initially marked
            // traps.
            let linear_facts = facts.clone().map(|mut facts| {
                let is_marked_initially =
                    |trap: &Vec<PlaceId>| trap.iter().any(|&p| net.initial()[p] > 0);
                facts.traps.retain(is_marked_initially);
                facts
            });
            for (goal, &backend) in
                requested.iter().flat_map(|goal| self.backends.iter().map(move |b| (goal, b)))
            {
                if signals::interrupted() {
                    return Ok(Some(measurements));
                }
                let mut encoding = encoding.clone();
                encoding.numbers = backend.numbers();
                let start = Instant::now();
                let facts = match backend {
                    Backend::Highs | Backend::MicroLp => &linear_facts,
                    _ => &facts,
                };
                let (outcome, constraints) = match facts {
                    Some(facts) => self.ask(&net, goal, &encoding, facts, backend),
                    None => (EncodingOutcome::NotAsked, 0),
                };
                let seconds = start.elapsed().as_secs_f64();
                let name_of_encoding = match encoding.unrolls() {
                    true => format!("{encoding} k={}", encoding.steps),
                    false => encoding.to_string(),
                };
                measurements.push(Measurement {
                    can_refute: !encoding.is_bounded(),
                    can_reach: encoding.is_bounded(),
                    constraints,
                    ..goal.measurement(name, name_of_encoding, backend, outcome, seconds)
                });
            }
        }
        self.measure_engines(name, &net, &requested, &mut measurements);
        Ok(Some(measurements))
    }

    /// Measures the engines on all goals, until an interruption.
    fn measure_engines(
        &self,
        name: &str,
        net: &Net,
        goals: &[ReachabilityGoal],
        measurements: &mut Vec<Measurement>,
    ) {
        if self.engines.is_empty() {
            return;
        }
        // The encodings use the claim about units only if they have the part `units`.
        let net = net.without_unit_claim();
        let bounds = Encoding::new([EncodingPart::Bounds], Numbers::Integers);
        let facts =
            bounds.ok().and_then(|it| facts_for(&net, &it, 0, &Budget::lasting(self.timeout)).ok());
        let facts = facts.unwrap_or_else(|| Facts::empty(&net));
        for engine in engines_named(&self.engines) {
            for goal in goals.iter().take_while(|_| !signals::interrupted()) {
                let start = Instant::now();
                let budget = Budget::lasting(self.timeout);
                let outcome = engine_rows::outcome(engine, &net, &goal.goal, &facts, &budget);
                let seconds = start.elapsed().as_secs_f64();
                let engine = engine.name.to_owned();
                measurements.push(goal.measurement(
                    name,
                    engine,
                    Backend::Engine,
                    outcome,
                    seconds,
                ));
            }
        }
    }

    /// Returns true if the goal is among the goals to ask.
    fn is_listed(&self, instance: &str, exam: Exam, id: &str) -> bool {
        let Some(only) = &self.requests else { return true };
        let mut requests =
            only.iter().filter(|request| request.instance == instance && request.exam == exam);
        requests.any(|request| request.goals.contains(id))
    }

    /// Encodes one goal and asks one back-end. Returns the outcome, and the number of constraints
    /// or clauses. The number is 0 if the goal was not encoded, or if the base case of a
    /// k-induction decided the outcome.
    fn ask(
        &self,
        net: &Net,
        target: &ReachabilityGoal,
        encoding: &Encoding,
        facts: &Facts,
        backend: Backend,
    ) -> (EncodingOutcome, usize) {
        if encoding.has(EncodingPart::Induction) && target.goal.holds(net, net.initial()) {
            // The base case of the induction fails at once, because the initial marking satisfies
            // the goal.
            return (EncodingOutcome::Candidate, 0);
        }
        let goal = Goal::Reach(target.goal.clone());
        let budget = Budget::lasting(self.timeout);
        if let Backend::Sat(values) = backend {
            return outcome_by_sat(net, &goal, encoding, values, facts, &budget);
        }
        if encoding.has(EncodingPart::Induction) && encoding.steps > 1 {
            // The base case of the induction with more than one step: the goal is not reached
            // within `encoding.steps - 1` firings.
            let unrolling = Encoding::new([EncodingPart::Unrolling], encoding.numbers);
            let unrolling = unrolling.map(|it| it.with_steps(encoding.steps - 1));
            let base = unrolling.and_then(|it| EncodedGoal::new(net, &goal, &it, facts));
            match base.map(|base| outcome_by_smt(&base, backend, &budget)) {
                Ok(EncodingOutcome::Refuted) => {}
                Ok(other) => return (other, 0),
                Err(_) => return (EncodingOutcome::NotAsked, 0),
            }
        }
        let Ok(mut question) = EncodedGoal::new(net, &goal, encoding, facts) else {
            return (EncodingOutcome::NotAsked, 0);
        };
        let constraints = question.constraint_count();
        let outcome = match backend {
            Backend::Highs => highs().map_or(EncodingOutcome::NotAsked, |mut highs| {
                outcome_by_linear_programs(net, target, &mut question, &mut *highs, &budget)
            }),
            Backend::MicroLp => {
                let mut microlp = parikh_solvers::lp_microlp::MicroLp::new();
                outcome_by_linear_programs(net, target, &mut question, &mut microlp, &budget)
            }
            _ => outcome_by_smt(&question, backend, &budget),
        };
        // Over the reals, a step of bmc-steps may fire half a transition.
        let is_exact = !encoding.has(EncodingPart::Steps) || encoding.numbers != Numbers::Reals;
        let outcome = match outcome {
            EncodingOutcome::Refuted if encoding.is_bounded() => EncodingOutcome::NotWithin,
            EncodingOutcome::Candidate if encoding.is_bounded() && is_exact => {
                EncodingOutcome::Reached
            }
            other => other,
        };
        (outcome, constraints)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::instance::tests::pack;
    use parikh_encodings::propositional::TokenEncoding;
    use parikh_net::pnml::pnml;
    use parikh_net::text;

    /// A net on which read arcs, traps and the plain state equation differ, and its questions.
    pub(crate) fn small(unreachable_only: bool) -> Encodings {
        let directory = tempfile::tempdir().unwrap();
        let net = text::parse(
            "place p 1\nplace q\nplace r\nplace s
             transition a: p -> q\ntransition b: q -> p\ntransition t: r -> r + s",
        );
        let atom = |id: &str, place: &str, least: u32, quantifier: &str| {
            format!(
                "<property><id>{id}</id><formula><exists-path><finally><{quantifier}>\
                 <integer-constant>{least}</integer-constant><tokens-count><place>{place}</place>\
                 </tokens-count></{quantifier}></finally></exists-path></formula></property>"
            )
        };
        let queries = format!(
            "<property-set>{}{}{}</property-set>",
            atom("Small-RC-0", "q", 1, "integer-le"),
            atom("Small-RC-1", "q", 2, "integer-le"),
            atom("Small-RC-2", "s", 1, "integer-le"),
        );
        let model = pnml(&net.unwrap());
        let files = [("model.pnml", &*model), ("ReachabilityCardinality.xml", &*queries)];
        pack(directory.path(), "Small", &files);
        let oracle = "Small ReachabilityCardinality\nFORMULA Small-RC-0 TRUE TECHNIQUES O\n\
                      FORMULA Small-RC-1 FALSE TECHNIQUES O\nFORMULA Small-RC-2 FALSE TECHNIQUES O\n";
        std::fs::write(directory.path().join("Small-RC.out"), oracle).unwrap();
        let encoding = |text: &str| text.parse().unwrap();
        let inputs = directory.keep();
        Encodings {
            requests: None,
            oracle: Some(inputs.clone()),
            inputs,
            exams: vec![Exam::ReachabilityCardinality, Exam::ReachabilityDeadlock],
            encodings: ["state-equation", "state-equation+read-feed", "state-equation+traps"]
                .map(encoding)
                .to_vec(),
            backends: Backend::ALL.to_vec(),
            engines: Vec::new(),
            timeout: Duration::from_secs(60),
            unreachable_only,
            max_nodes: 100,
            max_goals: 16,
            max_traps: 10,
        }
    }

    #[test]
    fn each_encoding_refutes_what_it_can_and_linear_programs_say_where_they_cannot() {
        let small = small(false);
        let measurements = small.measure("Small").unwrap().unwrap();
        std::fs::remove_dir_all(&small.inputs).unwrap();
        let outcome_of = |id: &str, encoding: &str, backend: Backend| {
            let is_asked =
                |m: &&Measurement| m.id == id && m.encoding == encoding && m.backend == backend;
            measurements.iter().find(is_asked).unwrap().outcome
        };
        assert!(measurements.iter().all(|m| !m.is_wrong));
        assert_eq!(measurements.len(), 4 * 3 * Backend::ALL.len());
        let plain = "state-equation";
        assert_eq!(outcome_of("Small-RC-0", plain, Backend::MicroLp), EncodingOutcome::Candidate);
        assert_eq!(outcome_of("Small-RC-1", plain, Backend::MicroLp), EncodingOutcome::Refuted);
        assert_eq!(outcome_of("Small-RC-2", plain, Backend::MicroLp), EncodingOutcome::Candidate);
        let fed = "state-equation+read-feed";
        // No transition puts a token on the read place `r`, so the encoding has no disjunction.
        assert_eq!(outcome_of("Small-RC-2", fed, Backend::MicroLp), EncodingOutcome::Refuted);
        assert_eq!(
            outcome_of("Small-RC-1", "state-equation+traps", Backend::MicroLp),
            EncodingOutcome::HasDisjunctions
        );
        if cfg!(feature = "z3") {
            assert_eq!(outcome_of("Small-RC-2", fed, Backend::Z3Reals), EncodingOutcome::Refuted);
            assert_eq!(
                outcome_of("Small-RC-1", plain, Backend::Z3Integers),
                EncodingOutcome::Refuted
            );
            assert_eq!(outcome_of("Small-RC-1", plain, Backend::Z3Bits), EncodingOutcome::Refuted);
        }
        if cfg!(feature = "highs") {
            assert_eq!(outcome_of("Small-RC-1", plain, Backend::Highs), EncodingOutcome::Refuted);
            assert_eq!(
                outcome_of("ReachabilityDeadlock", plain, Backend::Highs),
                EncodingOutcome::Refuted
            );
        }
    }

    #[cfg(feature = "z3")]
    #[test]
    fn what_is_reached_in_so_many_steps_is_told_from_what_is_refuted() {
        let mut small = small(false);
        small.exams = vec![Exam::ReachabilityCardinality];
        let encoding = |text: &str, k| text.parse::<Encoding>().unwrap().with_steps(k);
        small.encodings = vec![encoding("bmc", 2), encoding("bmc-steps", 1)];
        small.encodings.push(encoding("flows+k-induction", 2));
        small.backends = vec![Backend::Z3Reals, Backend::Z3Integers, Backend::Z3Bits];
        small.backends.extend(TokenEncoding::ALL.map(Backend::Sat));
        let measurements = small.measure("Small").unwrap().unwrap();
        std::fs::remove_dir_all(&small.inputs).unwrap();
        assert!(measurements.iter().all(|m| !m.is_wrong));
        let outcome_of = |id: &str, encoding: &str, backend: Backend| {
            let is_asked =
                |m: &&Measurement| m.id == id && m.encoding == encoding && m.backend == backend;
            measurements.iter().find(is_asked).unwrap().outcome
        };
        let [reals, integers] = [Backend::Z3Reals, Backend::Z3Integers];
        for backend in [reals, integers, Backend::Z3Bits] {
            assert_eq!(outcome_of("Small-RC-0", "bmc k=2", backend), EncodingOutcome::Reached);
            assert_eq!(outcome_of("Small-RC-1", "bmc k=2", backend), EncodingOutcome::NotWithin);
            assert_eq!(
                outcome_of("Small-RC-2", "bmc-steps k=1", backend),
                EncodingOutcome::NotWithin
            );
            assert_eq!(
                outcome_of("Small-RC-0", "flows+k-induction k=2", backend),
                EncodingOutcome::Candidate
            );
            assert_eq!(
                outcome_of("Small-RC-1", "flows+k-induction k=2", backend),
                EncodingOutcome::Refuted
            );
        }
        for backend in TokenEncoding::ALL.map(Backend::Sat) {
            assert_eq!(outcome_of("Small-RC-0", "bmc k=2", backend), EncodingOutcome::Reached);
            assert_eq!(outcome_of("Small-RC-1", "bmc k=2", backend), EncodingOutcome::NotWithin);
            assert_eq!(
                outcome_of("Small-RC-0", "bmc-steps k=1", backend),
                EncodingOutcome::Reached
            );
            assert_eq!(
                outcome_of("Small-RC-2", "bmc-steps k=1", backend),
                EncodingOutcome::NotWithin
            );
            let induction = outcome_of("Small-RC-1", "flows+k-induction k=2", backend);
            assert_eq!(induction, EncodingOutcome::NotAsked);
        }
        // Over the reals, a solution may fire half a transition, so it proves nothing.
        assert_eq!(outcome_of("Small-RC-0", "bmc-steps k=1", reals), EncodingOutcome::Candidate);
        assert_eq!(outcome_of("Small-RC-0", "bmc-steps k=1", integers), EncodingOutcome::Reached);
    }

    #[test]
    fn engines_are_measured_on_the_same_goals() {
        let mut small = small(false);
        small.exams = vec![Exam::ReachabilityCardinality];
        small.encodings.truncate(1);
        small.backends = vec![Backend::MicroLp];
        small.engines = engine_rows::ENGINES.map(str::to_owned).to_vec();
        let measurements = small.measure("Small").unwrap().unwrap();
        std::fs::remove_dir_all(&small.inputs).unwrap();
        assert!(measurements.iter().all(|m| !m.is_wrong));
        for engine in engine_rows::ENGINES {
            let of_engine = measurements.iter().filter(|m| m.encoding == engine);
            let outcomes: Vec<EncodingOutcome> = of_engine.map(|m| m.outcome).collect();
            let [reached, refuted] = [EncodingOutcome::Reached, EncodingOutcome::Refuted];
            assert_eq!(outcomes, [reached, refuted, refuted], "{engine}");
        }
    }

    #[test]
    fn what_is_known_to_be_reachable_can_be_left_out() {
        let mut small = small(true);
        let measurements = small.measure("Small").unwrap().unwrap();
        assert!(measurements.iter().all(|m| m.id != "Small-RC-0"));
        small.max_nodes = 3;
        assert!(small.measure("Small").unwrap().is_none());
        std::fs::remove_dir_all(&small.inputs).unwrap();
    }
}
