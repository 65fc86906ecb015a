//! Makes documents for claims that engines have refuted without one.
//!
//! Most engines write a document down while they work, and hand it over with their proofs. What is
//! left, mostly searches by stubborn sets, is asked for here: one claim about one net, with what is
//! known of how it was refuted, within a budget. In this order:
//!
//! 1. *bounds*: what intervals decide, with place invariants and the model's safe units;
//! 2. *siphons and traps*: lemmas "this trap is never empty" and a propositional refutation of a
//!    dead marking;
//! 3. *linear*: the state equation engine, with only this claim to think of;
//! 4. *markings*: all of them, if they are few; before the others when a search found them to be;
//! 5. *reduced*: the net is reduced for the claim alone, with a log, and 1 to 4 are tried there.
//!
//! How a claim was refuted says only where to begin: a document stands by itself, and each is checked
//! before it is handed out. [`certify`] does it for all claims of a run together.

mod maker;

pub use maker::Maker;

use crate::board::{Argument, Proof};
use crate::evidence::certificate::{Bounds, Markings};
use crate::evidence::{Claim, Document, LinearCertificate};
use parikh_net::{Net, Predicate, Provenance};
use parikh_solvers::Budget;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

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

/// Hands over a document for as many of `refuted` as have one or get one in time. `hand_over` is given
/// each with the position of a goal it is for; it proves the claims of others of the same question
/// too, if it lists them.
pub fn certify(
    net: &Net,
    refuted: &[Refuted],
    config: &Config,
    budget: &Budget,
    mut hand_over: impl FnMut(usize, &Document),
) -> Summary {
    let mut summary = Summary::default();
    let mut left: HashSet<usize> = (0..refuted.len()).collect();
    let mut take = |left: &mut HashSet<usize>, (documents, done): Made| {
        for (kind, position, document) in documents {
            hand_over(position, &document);
            *summary.certified.entry(kind).or_default() += document.claims().len();
        }
        left.retain(|position| !done.contains(position));
    };
    let claims: Vec<&Claim> = refuted.iter().map(|goal| &goal.claim).collect();
    let group = |position: usize| &*refuted[position].id;
    let maker = Maker::new(net, config);
    take(&mut left, maker.checked(kept(refuted)));
    let batch = Batch { maker: &maker, claims: &claims, group: &group };
    let sorted = |left: &HashSet<usize>| {
        let mut left: Vec<usize> = left.iter().copied().collect();
        left.sort_unstable();
        left
    };
    let by_bounds = |at: &usize| matches!(refuted[*at].proof.argument, Argument::Bounds(_));
    let part: Vec<usize> = sorted(&left).into_iter().filter(by_bounds).collect();
    if config.bounds && !part.is_empty() {
        take(&mut left, batch.bounds(&part, budget));
    }
    if config.linear && !left.is_empty() {
        let made = batch.deadlock(&sorted(&left), budget);
        take(&mut left, made);
        let made = batch.linear(&sorted(&left), &budget.share(0.2));
        take(&mut left, made);
    }
    if config.markings > 0 && !left.is_empty() {
        let made = batch.markings(&sorted(&left), &budget.share(0.4));
        take(&mut left, made);
    }
    if config.reduced {
        for position in sorted(&left) {
            if budget.is_exhausted() {
                break;
            }
            let made = maker.reduced(claims[position], &budget.share(0.5));
            let made = made.map(|document| ("reduced", vec![position], document));
            take(&mut left, maker.checked(made.into_iter().collect()));
        }
    }
    summary.without = sorted(&left);
    summary
}

/// The documents that came with the proofs about this net, those of one question together.
fn kept(refuted: &[Refuted]) -> Vec<(&'static str, Vec<usize>, Document)> {
    /// By question and document.
    type Groups<'a> = BTreeMap<(&'a str, *const Document), (Arc<Document>, Vec<usize>)>;
    let mut groups = Groups::new();
    for (position, goal) in refuted.iter().enumerate() {
        let Proof { document: Some(document), reduced: None, .. } = &goal.proof else { continue };
        let key = (&*goal.id, Arc::as_ptr(document));
        groups.entry(key).or_insert_with(|| (document.clone(), Vec::new())).1.push(position);
    }
    let mut kept = Vec::new();
    for (document, positions) in groups.into_values() {
        let claims = || positions.iter().map(|&at| refuted[at].claim.clone()).collect();
        match &*document {
            Document::Bounds(bounds) => {
                let document = Document::Bounds(Bounds { claims: claims(), ..bounds.clone() });
                kept.push(("bounds", positions, document));
            }
            Document::Markings(markings) => {
                let count = markings.count;
                let document = Document::Markings(Markings { claims: claims(), count });
                kept.push(("markings", positions, document));
            }
            Document::Linear(certificate) => {
                for position in positions {
                    let claim = refuted[position].claim.clone();
                    let document =
                        Document::Linear(LinearCertificate { claim, ..certificate.clone() });
                    kept.push(("linear", vec![position], document));
                }
            }
            // No engine works on a net that was reduced without a ground of its own.
            Document::Reduced(_) => {}
        }
    }
    kept
}

/// Documents, each with its kind and the position of a goal, and the positions of all goals that they
/// are for.
type Made = (Vec<(&'static str, usize, Document)>, HashSet<usize>);

/// Many claims about one net.
struct Batch<'a> {
    maker: &'a Maker<'a>,
    claims: &'a [&'a Claim],
    /// Claims of one group may stand in one document.
    group: &'a dyn Fn(usize) -> &'a str,
}

impl Batch<'_> {
    fn grouped(&self, positions: &[usize]) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for &position in positions {
            groups.entry((self.group)(position)).or_default().push(position);
        }
        groups.into_values().collect()
    }

    fn bounds(&self, positions: &[usize], budget: &Budget) -> Made {
        let mut made = Vec::new();
        for mut left in self.grouped(positions) {
            for within in Provenance::ALL {
                let claims: Vec<&Claim> = left.iter().map(|&at| self.claims[at]).collect();
                let Some((document, shown)) = self.maker.bounds(&claims, within, budget) else {
                    continue;
                };
                let is_shown = |index: usize| shown[index];
                let (done, rest): (Vec<_>, Vec<_>) =
                    left.iter().copied().enumerate().partition(|&(index, _)| is_shown(index));
                left = rest.into_iter().map(|(_, position)| position).collect();
                let done = done.into_iter().map(|(_, position)| position).collect();
                made.push(("bounds", done, Arc::unwrap_or_clone(document)));
            }
        }
        self.maker.checked(made)
    }

    fn deadlock(&self, positions: &[usize], budget: &Budget) -> Made {
        let dead = Claim::Unreachable(Predicate::Dead);
        let position = positions.iter().copied().find(|&at| *self.claims[at] == dead);
        let made = position.and_then(|at| Some((at, self.maker.traps(self.claims[at], budget)?)));
        let made = made.map(|(position, document)| ("linear", vec![position], document));
        self.maker.checked(made.into_iter().collect())
    }

    fn linear(&self, positions: &[usize], budget: &Budget) -> Made {
        let claims: Vec<&Claim> = positions.iter().map(|&at| self.claims[at]).collect();
        let made = self.maker.linear(&claims, budget);
        let made = made.into_iter().map(|(at, document)| ("linear", vec![positions[at]], document));
        self.maker.checked(made.collect())
    }

    fn markings(&self, positions: &[usize], budget: &Budget) -> Made {
        let claims: Vec<Claim> = positions.iter().map(|&at| self.claims[at].clone()).collect();
        let Some(count) = self.maker.count(&claims, budget) else { return Made::default() };
        // Each was looked at with all claims just now.
        let mut made = Made::default();
        for positions in self.grouped(positions) {
            let claims = positions.iter().map(|&at| self.claims[at].clone()).collect();
            made.0.push(("markings", positions[0], Document::Markings(Markings { claims, count })));
            made.1.extend(positions);
        }
        made
    }
}
