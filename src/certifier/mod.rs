//! Certificates for what the engines have refuted.
//!
//! Engines say what kind of argument they have; only the state equation writes a certificate down
//! while it works. For the others one is made here afterwards, about the original net wherever that
//! can be done, and each is checked before it is handed out. In this order, each on what is left:
//!
//! 1. *kept*: what the state equation engine has written;
//! 2. *bounds*: what intervals decided, derived again by [`derivation`];
//! 3. *siphons and traps*: lemmas "this trap is never empty" and a propositional refutation of a
//!    dead marking;
//! 4. *linear*: the state equation engine once more, with only these goals;
//! 5. *markings*: all of them, if they are few;
//! 6. *reduced*: the net is reduced for the claim alone, with a log, and 2 to 5 are tried there.
//!
//! How a goal was refuted says only where to begin: a certificate stands by itself.

mod derivation;

use crate::board::{Board, Knowledge, Reach};
use crate::engine::{Task, state_equation};
use crate::evidence::certificate::{Lemma, Markings, MarkingsFlaw, Reduced, markings};
use crate::evidence::{Claim, Document, Proof};
use crate::reduction::{self, Needs};
use crate::structure::commoner::{Question, SiphonTrap, siphon_trap};
use derivation::Deriver;
use parikh_net::{Atom, Facts, Goal, GoalId, LinearSum, Net, PlaceId, Predicate, Provenance};
use parikh_solvers::Budget;
use std::collections::{BTreeMap, HashSet};

/// A goal that was refuted, or a maximum that was proved.
#[derive(Clone, Debug)]
pub struct Refuted {
    /// The question that asked: its formula's id, or the examination's name.
    pub id: String,
    /// What was proved.
    pub claim: Claim,
    /// How.
    pub proof: Proof,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Goals that have a certificate, by the kind of it.
    pub certified: BTreeMap<&'static str, usize>,
    /// The positions of goals that have none.
    pub without: Vec<usize>,
}

impl Summary {
    /// How many goals have a certificate.
    pub fn count(&self) -> usize {
        self.certified.values().sum()
    }
}

/// Which kinds of certificates to make.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Bounds on tokens.
    pub bounds: bool,
    /// Sums of inequalities, with and without traps.
    pub linear: bool,
    /// The most markings that a certificate says to look at one by one; 0 for none.
    pub markings: u64,
    /// A reduction, and any of the others about the reduced net.
    pub reduced: bool,
}

impl Default for Config {
    /// All of them, and up to a million markings.
    fn default() -> Self {
        Config { bounds: true, linear: true, markings: 1_000_000, reduced: true }
    }
}

/// The most bytes that markings may take, about.
const MOST_BYTES: u64 = 1 << 30;

/// Makes a certificate for as many of `refuted` as the budget allows. `hand_over` is given each with
/// the position of a goal it is for; it proves the claims of others of the same question too, if it
/// lists them.
pub fn certify(
    net: &Net,
    refuted: &[Refuted],
    config: &Config,
    budget: &Budget,
    mut hand_over: impl FnMut(usize, &Document),
) -> Summary {
    let mut summary = Summary::default();
    let mut left: Vec<usize> = Vec::new();
    for (position, goal) in refuted.iter().enumerate() {
        match &goal.proof {
            Proof::StateEquation { certificate: Some(certificate), .. } => {
                hand_over(position, &Document::Linear((**certificate).clone()));
                *summary.certified.entry("linear").or_default() += 1;
            }
            _ => left.push(position),
        }
    }
    let claims: Vec<&Claim> = refuted.iter().map(|goal| &goal.claim).collect();
    let mut take = |left: &mut Vec<usize>, (documents, done): Made| {
        for (kind, position, document) in documents {
            hand_over(position, &document);
            *summary.certified.entry(kind).or_default() += document.claims().len();
        }
        left.retain(|position| !done.contains(position));
    };
    let group = |position: usize| &*refuted[position].id;
    let maker = Maker { net, claims: &claims, group: &group, most_markings: config.markings };
    let intervals = |position: &usize| {
        matches!(refuted[*position].proof, Proof::Intervals { .. } | Proof::Trivial { .. })
    };
    let part: Vec<usize> = left.iter().copied().filter(intervals).collect();
    if config.bounds && !part.is_empty() {
        take(&mut left, maker.bounds(&part, budget));
    }
    if config.linear && !left.is_empty() {
        let made = maker.deadlock(&left, budget);
        take(&mut left, made);
    }
    if config.linear && !left.is_empty() {
        let made = maker.linear(&left, &share(budget, 0.2));
        take(&mut left, made);
    }
    if config.markings > 0 && !left.is_empty() {
        let made = maker.markings(&left, &share(budget, 0.4));
        take(&mut left, made);
    }
    if config.reduced {
        for position in left.clone() {
            if budget.is_exhausted() {
                break;
            }
            take(&mut left, maker.reduced(position, &share(budget, 0.5)));
        }
    }
    summary.without = left;
    summary
}

/// A part of the time that is left.
fn share(budget: &Budget, part: f64) -> Budget {
    match budget.remaining() {
        Some(left) => budget.slice(left.mul_f64(part)),
        None => budget.slice(std::time::Duration::from_secs(10)),
    }
}

/// Certificates, each with its kind and the position of a goal, and the positions of all goals that
/// they are for.
type Made = (Vec<(&'static str, usize, Document)>, HashSet<usize>);

/// Makes certificates about one net.
struct Maker<'a> {
    net: &'a Net,
    claims: &'a [&'a Claim],
    /// Claims of one group may stand in one certificate.
    group: &'a dyn Fn(usize) -> &'a str,
    most_markings: u64,
}

impl Maker<'_> {
    fn grouped(&self, positions: &[usize]) -> BTreeMap<&str, Vec<usize>> {
        let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for &position in positions {
            groups.entry((self.group)(position)).or_default().push(position);
        }
        groups
    }

    /// Keeps those that the checker accepts; the others are bugs of ours.
    fn checked(&self, made: Vec<(&'static str, Vec<usize>, Document)>) -> Made {
        let (mut documents, mut done) = (Vec::new(), HashSet::new());
        for (kind, positions, document) in made {
            match document.check(self.net) {
                Ok(()) => {
                    documents.push((kind, positions[0], document));
                    done.extend(positions);
                }
                Err(flaw) => tracing::error!("internal error: a {kind} certificate: {flaw}"),
            }
        }
        (documents, done)
    }

    /// By bounds on tokens that rest on as little as does.
    fn bounds(&self, positions: &[usize], budget: &Budget) -> Made {
        let deriver = Deriver::new(self.net, &share(budget, 0.3));
        let mut made = Vec::new();
        for (_, mut left) in self.grouped(positions) {
            for within in Provenance::ALL {
                let safe = || self.net.units().is_some_and(|units| units.safe());
                if left.is_empty() || (within.assumes_units() && !safe()) {
                    continue;
                }
                let claims: Vec<&Claim> = left.iter().map(|&at| self.claims[at]).collect();
                let (bounds, certified) = deriver.certificate(&claims, within);
                if certified.is_empty() {
                    continue;
                }
                let certified: Vec<usize> = certified.iter().map(|&index| left[index]).collect();
                let done: HashSet<usize> = certified.iter().copied().collect();
                left.retain(|position| !done.contains(position));
                made.push(("bounds", certified, Document::Bounds(bounds)));
            }
        }
        self.checked(made)
    }

    /// Dead markings by marked traps.
    fn deadlock(&self, positions: &[usize], budget: &Budget) -> Made {
        let dead = Claim::Unreachable(Predicate::Dead);
        let mut wanted = positions.iter().copied().filter(|&at| *self.claims[at] == dead);
        let Some(position) = wanted.next() else { return Made::default() };
        let found = siphon_trap(self.net, Question::DeadMarkings, &share(budget, 0.3));
        let Ok(SiphonTrap::Holds(holds)) = found else { return Made::default() };
        let mut atoms: Vec<PlaceId> = holds.traps.iter().flatten().copied().collect();
        atoms.sort_unstable();
        atoms.dedup();
        // "All of the trap's places are empty" contradicts the trap.
        let lemma = |(index, trap): (usize, &Vec<PlaceId>)| Lemma {
            atoms: trap.iter().filter_map(|p| Some((atoms.binary_search(p).ok()?, 1))).collect(),
            traps: vec![(index, 1)],
            ..Lemma::default()
        };
        let lemmas: Vec<Lemma> = holds.traps.iter().enumerate().map(lemma).collect();
        let lemmas: Vec<&Lemma> = lemmas.iter().collect();
        let atom = |index: usize| Atom { sum: LinearSum::place(atoms[index]), bound: 0 };
        let certificate =
            state_equation::certificate(self.net, dead, &lemmas, &atom, &holds.traps, budget);
        match certificate {
            Some(certificate) => {
                self.checked(vec![("linear", vec![position], Document::Linear(certificate))])
            }
            None => Made::default(),
        }
    }

    /// By the state equation, which has only these goals to think of.
    fn linear(&self, positions: &[usize], budget: &Budget) -> Made {
        let refuted = |&at: &usize| Goal::Reach(self.claims[at].refuted());
        let goals: Vec<Goal> = positions.iter().map(refuted).collect();
        let listed: Vec<(GoalId, Goal)> =
            goals.iter().enumerate().map(|(at, goal)| (GoalId::new(at), goal.clone())).collect();
        let board = Board::new(self.net, goals);
        let facts = Facts::none(self.net);
        let (net, seed) = (self.net, 1);
        let task = Task { net, goals: &listed, facts: &facts, board: &board, budget, seed };
        let over = board.over("STATE_EQUATION");
        state_equation::run(&task, over, &state_equation::Config::default());
        let mut made = Vec::new();
        for (id, &position) in board.ids().zip(positions) {
            if let Some(Knowledge::Reach(Reach::Unreachable {
                proof: Proof::StateEquation { certificate: Some(certificate), .. },
                ..
            })) = board.knowledge(id)
            {
                let mut certificate = (*certificate).clone();
                // The same predicate, as it was asked.
                certificate.claim = self.claims[position].clone();
                made.push(("linear", vec![position], Document::Linear(certificate)));
            }
        }
        self.checked(made)
    }

    /// By looking at all markings.
    fn markings(&self, positions: &[usize], budget: &Budget) -> Made {
        let most = self.most_markings.min(MOST_BYTES / (self.net.place_count() as u64 + 64));
        let claims: Vec<Claim> = positions.iter().map(|&at| self.claims[at].clone()).collect();
        let explored = markings::explore(self.net, &claims, most, || !budget.is_exhausted());
        let count = match explored {
            Ok(count) => count,
            Err(MarkingsFlaw::Reached(index)) => {
                tracing::error!("internal error: refuted, yet reached: {:?}", claims[index]);
                return Made::default();
            }
            Err(_) => return Made::default(),
        };
        // Each was looked at with all claims just now.
        let mut made = Made::default();
        for (_, positions) in self.grouped(positions) {
            let claims = positions.iter().map(|&at| self.claims[at].clone()).collect();
            made.0.push(("markings", positions[0], Document::Markings(Markings { claims, count })));
            made.1.extend(positions);
        }
        made
    }

    /// By reducing the net for this claim alone.
    fn reduced(&self, position: usize, budget: &Budget) -> Made {
        let claim = self.claims[position];
        let needs = Needs::of_goals(self.net, [&claim.goal()]);
        let config = reduction::Config::default();
        let reduction = reduction::reduce(self.net, &needs, &share(budget, 0.3), &config);
        let Some(inner_claim) = reduction.translate_claim(self.net, claim) else {
            return Made::default();
        };
        let claims = [&inner_claim];
        let group = |_: usize| "";
        let most_markings = Config::default().markings;
        let maker = Maker { net: &reduction.net, claims: &claims, group: &group, most_markings };
        let tries: [&dyn Fn() -> Made; 4] = [
            &|| maker.bounds(&[0], budget),
            &|| maker.deadlock(&[0], budget),
            &|| maker.linear(&[0], &share(budget, 0.3)),
            &|| maker.markings(&[0], budget),
        ];
        let inner = tries.iter().find_map(|make| {
            make().0.into_iter().map(|(_, _, document)| document).find(|it| !it.assumes_units())
        });
        let Some(inner) = inner else { return Made::default() };
        let Ok(inner) = serde_json::from_str(&inner.print(&reduction.net, "")) else {
            return Made::default();
        };
        let log = reduction.log.to_file(self.net, reduction.needs(), &reduction.net);
        let document = Document::Reduced(Reduced { claims: vec![claim.clone()], log, inner });
        self.checked(vec![("reduced", vec![position], document)])
    }
}
