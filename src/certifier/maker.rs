//! One claim about one net.

use super::{Config, Made};
use crate::board::{Argument, Board, Knowledge, Reach};
use crate::engine::{Task, intervals, siphon_trap, state_equation};
use crate::evidence::certificate::{Markings, MarkingsFlaw, Reduced, markings};
use crate::evidence::{Claim, Document};
use crate::reduction::{self, Needs};
use crate::structure;
use crate::structure::commoner::{SiphonTrap, SiphonTrapProperty};
use parikh_net::{Facts, Goal, GoalId, Net, Predicate, Provenance};
use parikh_solvers::Budget;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::sync::Arc;

/// The most bytes that markings may take, about.
const MOST_BYTES: u64 = 1 << 30;

/// A search that visited no more than this is repeated first.
const FEW: u64 = 100_000;

/// Makes documents about one net.
pub struct Maker<'a> {
    net: &'a Net,
    config: &'a Config,
    /// What is known of the net; found out when it is first asked for.
    facts: OnceCell<Facts>,
}

impl<'a> Maker<'a> {
    /// For claims about `net`.
    pub fn new(net: &'a Net, config: &'a Config) -> Self {
        Maker { net, config, facts: OnceCell::new() }
    }

    /// With what is known of the net already.
    pub fn with_facts(net: &'a Net, config: &'a Config, facts: Facts) -> Self {
        Maker { net, config, facts: OnceCell::from(facts) }
    }

    /// A document that proves `claim`, checked; `how` it was refuted says where to begin.
    pub fn document(
        &self,
        claim: &Claim,
        how: Option<&Argument>,
        budget: &Budget,
    ) -> Option<Document> {
        let few = matches!(how, Some(Argument::Searched { markings, .. }) if *markings <= FEW);
        let by_bounds = || {
            let make = |within| self.bounds(&[claim], within, budget);
            Provenance::ALL.into_iter().find_map(make).map(|made| Arc::unwrap_or_clone(made.0))
        };
        let by_markings = |part: f64| {
            let claims = vec![claim.clone()];
            let count = self.count(&claims, &budget.share(part))?;
            Some(Document::Markings(Markings { claims, count }))
        };
        let linear = |part: f64| {
            self.linear(&[claim], &budget.share(part)).into_iter().map(|(_, made)| made).next()
        };
        let made = (few && self.config.markings > 0)
            .then(|| by_markings(0.3))
            .flatten()
            .or_else(|| self.config.bounds.then(by_bounds).flatten())
            .or_else(|| self.config.linear.then(|| self.traps(claim, budget)).flatten())
            .or_else(|| self.config.linear.then(|| linear(0.3)).flatten())
            .or_else(|| (self.config.markings > 0).then(|| by_markings(0.4)).flatten())
            .or_else(|| self.config.reduced.then(|| self.reduced(claim, budget)).flatten())?;
        self.accepts(&made).then_some(made)
    }

    /// Whether the checker accepts it; if not, that is a bug of ours.
    fn accepts(&self, document: &Document) -> bool {
        let checked = document.check(self.net);
        if let Err(flaw) = &checked {
            tracing::error!("internal error: a document: {flaw}");
        }
        checked.is_ok()
    }

    /// Keeps the documents that the checker accepts.
    pub(super) fn checked(&self, made: Vec<(&'static str, Vec<usize>, Document)>) -> Made {
        let (mut documents, mut done) = (Vec::new(), HashSet::new());
        for (kind, positions, document) in made {
            if self.accepts(&document) {
                documents.push((kind, positions[0], document));
                done.extend(positions);
            }
        }
        (documents, done)
    }

    fn facts(&self, budget: &Budget) -> &Facts {
        self.facts.get_or_init(|| {
            let mut facts = Facts::none(self.net);
            let budget = budget.share(0.3);
            if let Ok(flows) = structure::flows::place_flows(self.net, &budget) {
                structure::bounds::place_bounds(self.net, &flows, &budget).write(&mut facts);
            }
            facts.claim_units(self.net);
            facts
        })
    }

    /// By bounds on tokens that rest on no more than `within`, for as many claims as that does; by
    /// claim whether it is for it.
    pub(super) fn bounds(
        &self,
        claims: &[&Claim],
        within: Provenance,
        budget: &Budget,
    ) -> Option<(Arc<Document>, Vec<bool>)> {
        let facts = self.facts(budget);
        let new = within == Provenance::Arcs || facts.has_bounds_by(within);
        (new && !claims.is_empty())
            .then(|| intervals::document(self.net, facts, within, claims, budget))
            .flatten()
    }

    /// A dead marking by marked traps.
    pub(super) fn traps(&self, claim: &Claim, budget: &Budget) -> Option<Document> {
        if *claim != Claim::Unreachable(Predicate::Dead) {
            return None;
        }
        let found = structure::commoner::siphon_trap(
            self.net,
            SiphonTrapProperty::DeadMarkings,
            &budget.share(0.3),
        );
        match found {
            Ok(SiphonTrap::Holds(holds)) => siphon_trap::document(self.net, &holds.traps, budget),
            _ => None,
        }
    }

    /// By the state equation, which has only these claims to think of; with the position of each
    /// claim that it refutes.
    pub(super) fn linear(&self, claims: &[&Claim], budget: &Budget) -> Vec<(usize, Document)> {
        let goals: Vec<Goal> = claims.iter().map(|claim| Goal::Reach(claim.refuted())).collect();
        let listed: Vec<(GoalId, Goal)> =
            goals.iter().enumerate().map(|(at, goal)| (GoalId::new(at), goal.clone())).collect();
        let board = Board::new(self.net, goals);
        let facts = Facts::none(self.net);
        let (net, seed) = (self.net, 1);
        let task = Task { net, goals: &listed, facts: &facts, board: &board, budget, seed };
        let over = board.over("STATE_EQUATION");
        state_equation::run(&task, over, &state_equation::Config::default());
        let mut made = Vec::new();
        for (at, id) in board.ids().enumerate() {
            if let Some(Knowledge::Reach(Reach::Unreachable { proof, .. })) = board.knowledge(id)
                && let Some(Document::Linear(certificate)) = proof.document.as_deref()
            {
                let mut certificate = certificate.clone();
                // The same predicate, as it was asked.
                certificate.claim = claims[at].clone();
                made.push((at, Document::Linear(certificate)));
            }
        }
        made
    }

    /// How many markings there are, if they are few and none contradicts a claim.
    pub(super) fn count(&self, claims: &[Claim], budget: &Budget) -> Option<u64> {
        let most = self.config.markings.min(MOST_BYTES / (self.net.place_count() as u64 + 64));
        match markings::explore(self.net, claims, most, || !budget.is_exhausted()) {
            Ok(count) => Some(count),
            Err(MarkingsFlaw::Reached(index)) => {
                tracing::error!("internal error: refuted, yet reached: {:?}", claims[index]);
                None
            }
            Err(_) => None,
        }
    }

    /// By reducing the net for this claim alone.
    pub(super) fn reduced(&self, claim: &Claim, budget: &Budget) -> Option<Document> {
        let needs = Needs::of_goals(self.net, [&claim.goal()]);
        let config = reduction::Config::default();
        let reduction = reduction::reduce(self.net, &needs, &budget.share(0.3), &config);
        let inner_claim = reduction.translate_claim(self.net, claim)?;
        let config = Config { reduced: false, ..Config::default() };
        let maker = Maker::new(&reduction.net, &config);
        let inner = maker.document(&inner_claim, None, budget)?;
        if inner.assumes_units() {
            return None;
        }
        let inner = serde_json::from_str(&inner.print(&reduction.net, "")).ok()?;
        let log = reduction.log.to_file(self.net, reduction.needs(), &reduction.net);
        Some(Document::Reduced(Reduced { claims: vec![claim.clone()], log, inner }))
    }
}
