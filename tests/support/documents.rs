//! Proofs of every kind, produced by the engines, and the checker's verdicts on them.

use parikh::board::{Board, Knowledge, ReachKnowledge};
use parikh::engine::Assignment;
use parikh::engine::diagrams::confirm::closed_set;
use parikh::engine::diagrams::explore;
use parikh::engine::{Task, intervals, pdr, siphon_trap, state_equation};
use parikh::evidence::certificate::NamedDocument;
use parikh::evidence::reduction::{CheckedReduction, NamedLog};
use parikh::evidence::{Document, Flaw};
use parikh::evidence_files::document_in_names;
use parikh::net::{Facts, Goal, GoalId, Net, Predicate, marking_goals};
use parikh::reduction::{self, needs, reduce};
use parikh::solvers::Budget;
use parikh::structure;
use parikh::working_net::WorkingNet;
use std::sync::Arc;
use std::time::Duration;

/// A kind of proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProofKind {
    Bounds,
    Linear,
    Markings,
    Induction,
    ClosedSet,
    Reduced,
}

/// A certificate, or a reduction with a certificate about the reduced net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TestProof {
    Plain(Document),
    Reduced(NamedLog, NamedDocument),
}

/// A proof with the predicate that it refutes.
#[derive(Clone, Debug)]
pub(crate) struct ProvedRefutation {
    pub(crate) proof: TestProof,
    pub(crate) refuted: Vec<Predicate>,
}

/// Returns the checker's verdict for each predicate: true if the certificate refutes it. Returns an
/// error if the checker rejects the certificate as such.
pub(crate) fn verdicts(
    document: &Document,
    net: &Net,
    predicates: &[Predicate],
) -> Result<Vec<bool>, Flaw> {
    let goes_on = &mut || true;
    let checked = document.check(net, goes_on)?;
    Ok(predicates.iter().map(|predicate| checked.refutes(predicate, goes_on).is_ok()).collect())
}

/// Checks that the certificate refutes the predicate.
pub(crate) fn refutes(document: &Document, net: &Net, predicate: &Predicate) -> Result<(), Flaw> {
    let goes_on = &mut || true;
    document.check(net, goes_on)?.refutes(predicate, goes_on)
}

impl TestProof {
    /// Returns the verdicts for all predicates, like the function [`verdicts`].
    pub(crate) fn verdicts(&self, net: &Net, all: &[Predicate]) -> Result<Vec<bool>, String> {
        match self {
            TestProof::Plain(document) => {
                verdicts(document, net, all).map_err(|flaw| flaw.to_string())
            }
            TestProof::Reduced(log, document) => {
                let reduction = CheckedReduction::of_log(net, log, &mut || true);
                let reduction = reduction.map_err(|error| error.to_string())?;
                let small = reduction.net();
                let document = document.resolve(small).map_err(|flaw| flaw.to_string())?;
                let goes_on = &mut || true;
                let checked = document.check(small, goes_on).map_err(|flaw| flaw.to_string())?;
                let refuted = |predicate: &Predicate| {
                    let known = parikh::evidence::certificate::check_names(net, predicate).is_ok();
                    let here = known.then(|| reduction.translate(net, predicate)).flatten();
                    here.is_some_and(|here| checked.refutes(&here, &mut || true).is_ok())
                };
                Ok(all.iter().map(refuted).collect())
            }
        }
    }
}

/// Returns proofs of one kind, for as many predicates as possible.
pub(crate) fn proofs(net: &Net, refuted: &[Predicate], kind: ProofKind) -> Vec<ProvedRefutation> {
    let made = match kind {
        ProofKind::Bounds => by_bounds(net, refuted),
        ProofKind::Linear => by_sums(net, refuted),
        ProofKind::Markings => by_markings(net, refuted),
        ProofKind::Induction => by_induction(net, refuted),
        ProofKind::ClosedSet => by_closed_set(net, refuted),
        ProofKind::Reduced => refuted.iter().filter_map(|it| by_reduction(net, it)).collect(),
    };
    for ProvedRefutation { proof, refuted } in &made {
        let verdicts = proof.verdicts(net, refuted);
        assert_eq!(verdicts, Ok(vec![true; refuted.len()]), "{proof:?}");
        if let TestProof::Plain(document) = proof {
            let text = serde_json::to_string(&document_in_names(document, net)).unwrap();
            let read: NamedDocument = serde_json::from_str(&text).unwrap();
            assert_eq!(read.resolve(net).as_ref(), Ok(document));
        }
    }
    made
}

/// Runs an engine on the predicates. Returns its certificates, each with the refuted predicate.
fn by_engine(
    net: &Net,
    facts: &Facts,
    refuted: &[Predicate],
    run: fn(&Task<'_>),
) -> Vec<ProvedRefutation> {
    let goals: Vec<Goal> = refuted.iter().cloned().map(Goal::Reach).collect();
    let listed: Vec<(GoalId, Goal)> =
        goals.iter().cloned().enumerate().map(|(at, goal)| (GoalId::new(at), goal)).collect();
    let board = Board::new(net, goals);
    let budget = Budget::unlimited();
    run(&Task {
        net,
        goals: &marking_goals(&listed),
        facts,
        board: &board,
        budget: &budget,
        seed: 1,
    });
    assert_eq!(board.faults(), 0);
    let mut found: Vec<(Arc<Document>, Vec<Predicate>)> = Vec::new();
    for (id, predicate) in board.ids().zip(refuted) {
        let Some(Knowledge::Reach(ReachKnowledge::Unreachable { proof, .. })) = board.knowledge(id)
        else {
            continue;
        };
        let Some(document) = proof.document else { continue };
        match found.iter_mut().find(|(known, _)| Arc::ptr_eq(known, &document)) {
            Some((_, refuted)) => refuted.push(predicate.clone()),
            None => found.push((document, vec![predicate.clone()])),
        }
    }
    let made = |(document, refuted): (Arc<Document>, _)| ProvedRefutation {
        proof: TestProof::Plain(Arc::unwrap_or_clone(document)),
        refuted,
    };
    found.into_iter().map(made).collect()
}

fn by_bounds(net: &Net, refuted: &[Predicate]) -> Vec<ProvedRefutation> {
    let (mut facts, budget) = (Facts::empty(net), Budget::unlimited());
    if let Ok(flows) = structure::flows::place_flows(net, &budget) {
        structure::bounds::place_bounds(net, &flows, &budget).write(&mut facts);
    }
    facts.claim_units(net);
    by_engine(net, &facts, refuted, |task| {
        let (under, over) =
            (task.board.witness_reporter("TEST"), task.board.proof_reporter("TEST"));
        intervals::run(task, under, over);
    })
}

fn by_sums(net: &Net, refuted: &[Predicate]) -> Vec<ProvedRefutation> {
    by_engine(net, &Facts::empty(net), refuted, |task| {
        siphon_trap::run(task, task.board.proof_reporter("TEST"));
        state_equation::run(
            task,
            task.board.proof_reporter("TEST"),
            &state_equation::StateEquationConfig::default(),
        );
    })
}

/// Returns proofs by induction, with place invariants and without.
fn by_induction(net: &Net, refuted: &[Predicate]) -> Vec<ProvedRefutation> {
    let (mut facts, budget) = (Facts::empty(net), Budget::unlimited());
    let run = |task: &Task<'_>| {
        let known = parikh::structure::intervals::Intervals::new(task.net, task.facts);
        let goals = task.goals.iter().map(|(id, goal)| (*id, goal.clone().into())).collect();
        let working_net = WorkingNet::original(task.net, goals, task.facts.clone(), &known);
        let (working_net, board) = (&working_net, task.board);
        let work = Assignment { threads: 2, ..Assignment::new(working_net, board, 1) };
        let mut session = (pdr::ENGINE.start)(work).expect("works on any net");
        session.slice(&task.budget.slice(Duration::from_millis(20)));
    };
    let mut made = by_engine(net, &facts, refuted, run);
    if let Ok(flows) = structure::flows::place_flows(net, &budget) {
        structure::bounds::place_bounds(net, &flows, &budget).write(&mut facts);
        made.extend(by_engine(net, &facts, refuted, run));
    }
    made
}

fn by_markings(net: &Net, refuted: &[Predicate]) -> Vec<ProvedRefutation> {
    let visited = parikh::evidence::certificate::markings::visit(net, 10_000, |_| true);
    let document = Document::Markings(visited.expect("few").count());
    // Groups of four predicates, as from a question with several goals.
    let some = refuted.chunks(4).map(<[_]>::to_vec);
    some.map(|refuted| ProvedRefutation { proof: TestProof::Plain(document.clone()), refuted })
        .collect()
}

fn by_closed_set(net: &Net, refuted: &[Predicate]) -> Vec<ProvedRefutation> {
    let set = explore(net, 1, &Budget::unlimited(), |reached| Ok(closed_set(&reached)));
    let document = Document::ClosedSet(set.expect("few"));
    let some = refuted.chunks(4).map(<[_]>::to_vec);
    some.map(|refuted| ProvedRefutation { proof: TestProof::Plain(document.clone()), refuted })
        .collect()
}

/// Returns a proof by reducing the net for this predicate alone.
fn by_reduction(net: &Net, refuted: &Predicate) -> Option<ProvedRefutation> {
    let needs = needs::of_goals(net, [&Goal::Reach(refuted.clone())]);
    let reduction =
        reduce(net, &needs, &Budget::unlimited(), &reduction::ReductionConfig::default());
    let log = reduction.log.in_names(net, reduction.needs());
    let checked = CheckedReduction::of_log(net, &log, &mut || true).expect("our own");
    let here = [checked.translate(net, refuted)?];
    let kinds = [ProofKind::Bounds, ProofKind::Linear, ProofKind::Induction, ProofKind::Markings];
    let inner = kinds.iter().find_map(|kind| proofs(checked.net(), &here, *kind).pop())?;
    let TestProof::Plain(document) = inner.proof else { return None };
    let document = document_in_names(&document, checked.net());
    Some(ProvedRefutation {
        proof: TestProof::Reduced(log, document),
        refuted: vec![refuted.clone()],
    })
}
