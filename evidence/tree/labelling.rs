//! Labellings and their checker: the conditions are those of the [module](super).

use super::implied::implied_by;
use super::silent::silent;
use crate::certificate::Flaw;
use crate::certificate::markings::{packed, unpacked};
use parikh_net::{Marking, Net, Predicate, TransitionId, TreeProperty};
use parikh_temporal::{
    Atom, BRANCHING_RULES, Ctl, Formula, Literal, Node, PartValues, PartialTruth, Quantifier,
};
use std::collections::HashMap;

/// Steps of rewriting what is asked.
const STEPS: usize = 20_000;

/// The most firings that the property does not see from one marking.
const MOST_SILENT: usize = 10_000;

/// A part of the formula is true of a marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The part, in the property's store.
    pub formula: Formula<Quantifier>,
    /// For an until, a number that falls from each claim to those it rests on, up to where the
    /// until is met; else 0.
    pub rank: u32,
    /// The transition whose firing leads to the one marking that the claim rests on, if it rests on
    /// a single one.
    pub by: Option<TransitionId>,
}

/// Why the tree of runs has a property. See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelling {
    /// What is claimed of the initial marking.
    pub property: TreeProperty,
    /// Markings by number, each once, packed.
    pub(super) markings: Vec<Box<[u8]>>,
    /// By marking the claims about it, ascending by formula.
    pub(super) claims: Vec<Vec<Claim>>,
    /// What it takes for granted.
    pub given: Given,
}

/// What a labelling takes for granted of all reachable markings, which is shown elsewhere.
/// Predicates are in sorted form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// Predicates that no reachable marking satisfies.
    pub never: Vec<Predicate>,
    /// Predicates that stay reachable: from every reachable marking, one that satisfies the
    /// predicate can be reached.
    pub stays: Vec<Predicate>,
}

/// What is wrong with a labelling.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LabellingFlaw {
    /// A claim does not follow from the others.
    #[error("marking {marking}: claim {claim} does not follow")]
    Claim {
        /// The number of the marking.
        marking: usize,
        /// The number of the claim there.
        claim: usize,
    },
    /// The property is not true of the initial marking, by the claims.
    #[error("it does not say that the property holds initially")]
    Initially,
    /// It is not a labelling at all.
    #[error("{0}")]
    Shape(&'static str),
    /// It could not be gone through.
    #[error(transparent)]
    Flaw(#[from] Flaw),
}

impl Labelling {
    /// A labelling of no markings yet.
    pub fn new(property: TreeProperty, given: Given) -> Self {
        Labelling { property, markings: Vec::new(), claims: Vec::new(), given }
    }

    /// Adds a marking with claims about it; its number.
    pub fn add(&mut self, marking: &Marking, mut claims: Vec<Claim>) -> usize {
        claims.sort_unstable_by_key(|claim| claim.formula);
        self.markings.push(packed(marking.tokens()));
        self.claims.push(claims);
        self.markings.len() - 1
    }

    /// How many markings there are.
    pub fn markings(&self) -> usize {
        self.markings.len()
    }

    /// How many claims there are.
    pub fn claims(&self) -> usize {
        self.claims.iter().map(Vec::len).sum()
    }

    /// Accepts that the property is true of the initial marking of `net`, if no reachable marking
    /// satisfies what is given never to be, and what is given to stay reachable does. `goes_on` is
    /// asked at each marking.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self, net: &Net, goes_on: &mut dyn FnMut() -> bool) -> Result<(), LabellingFlaw> {
        let checked = Checked::of(self, net, goes_on)?;
        (0..self.markings.len()).try_for_each(|at| {
            if !goes_on() {
                return Err(Flaw::Stopped.into());
            }
            checked.claims_at(at)
        })?;
        let initial = self.markings.iter().position(|it| **it == *packed(net.initial().tokens()));
        let holds = match initial {
            Some(at) => checked.holds(at, self.property.formula()),
            None => {
                let instead = checked.listed_from(net.initial().clone())?;
                instead.is_some_and(|at| checked.holds(at, self.property.formula()))
                    || checked.holds_without_claims(net.initial())
            }
        };
        if holds { Ok(()) } else { Err(LabellingFlaw::Initially) }
    }

    /// Whether `asked` is true of the initial marking of `net`, as far as that follows from this
    /// labelling's property, which was checked to be.
    pub fn decides(&self, net: &Net, asked: &TreeProperty) -> Option<bool> {
        let mut store = self.property.formulas().clone();
        let mut atoms = self.property.atoms().to_vec();
        let in_store: Vec<Formula<Quantifier>> = asked
            .atoms()
            .iter()
            .map(|atom| literal(&mut store, &mut atoms, atom.clone().sorted()))
            .collect();
        let formula = asked.translated(&mut store, &in_store);
        let shown = self.property.formula();
        let not_shown = store.negate(shown);
        let here =
            |atom: Atom| PartialTruth::from(atoms[atom.0 as usize].holds(net, net.initial()));
        let (simple, _) = store.rewritten(formula, BRANCHING_RULES, STEPS);
        [formula, simple]
            .into_iter()
            .find_map(|formula| value(&store, formula, (shown, not_shown), here).known())
    }
}

/// The predicate as a literal of the store: an atom that is there, or the negation of one, or a new
/// one.
fn literal(store: &mut Ctl, atoms: &mut Vec<Predicate>, it: Predicate) -> Formula<Quantifier> {
    let negation = it.clone().negated().sorted();
    let place_of = |it: &Predicate| atoms.iter().position(|atom| atom.clone().sorted() == *it);
    let known = place_of(&it).or_else(|| place_of(&negation));
    if let (Predicate::True | Predicate::False, None) = (&it, known) {
        return store.constant(it == Predicate::True);
    }
    let at = known.unwrap_or_else(|| {
        atoms.push(it.clone());
        atoms.len() - 1
    });
    let positive = atoms[at].clone().sorted() == it;
    store.literal(Literal { atom: Atom(at as u32), positive })
}

/// The value of a formula at the initial marking, where one formula is known to hold and another
/// not.
fn value(
    store: &Ctl,
    formula: Formula<Quantifier>,
    (shown, not_shown): (Formula<Quantifier>, Formula<Quantifier>),
    here: impl Fn(Atom) -> PartialTruth,
) -> PartialTruth {
    store.fold(formula, |part, node, values: &PartValues<Quantifier, PartialTruth>| {
        if part == shown || part == not_shown {
            return PartialTruth::from(part == shown);
        }
        match node {
            Node::True => PartialTruth::True,
            Node::False => PartialTruth::False,
            Node::Literal(it) if it.positive => here(it.atom),
            Node::Literal(it) => !here(it.atom),
            Node::And(all) => {
                all.iter().fold(PartialTruth::True, |so_far, &it| so_far.and(values[it]))
            }
            Node::Or(any) => {
                any.iter().fold(PartialTruth::False, |so_far, &it| so_far.or(values[it]))
            }
            Node::Next(..) => PartialTruth::Unknown,
            Node::Until(_, left, right) => {
                values[*right].or(values[*left].and(PartialTruth::Unknown))
            }
            Node::Release(_, left, right) => {
                values[*right].and(values[*left].or(PartialTruth::Unknown))
            }
        }
    })
}

/// A labelling while its claims are gone through.
struct Checked<'l> {
    labelling: &'l Labelling,
    net: &'l Net,
    numbers: HashMap<&'l [u8], usize>,
    /// The parts of the formula, ascending.
    parts: Vec<Formula<Quantifier>>,
    /// By part whether it holds in all reachable markings.
    everywhere: Vec<bool>,
    /// By marking, one bit for each part that holds there, given the claims.
    holds: Vec<Box<[u64]>>,
    /// The transitions whose firings the property does not see.
    silent: Vec<TransitionId>,
}

impl<'l> Checked<'l> {
    fn of(
        labelling: &'l Labelling,
        net: &'l Net,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Self, LabellingFlaw> {
        let (formulas, root) = (labelling.property.formulas(), labelling.property.formula());
        let parts = formulas.below(root);
        let implied = implied_by(formulas, labelling.property.atoms(), &parts, net);
        let mut checked = Checked {
            labelling,
            net,
            numbers: HashMap::new(),
            everywhere: everywhere(formulas, &parts, &implied, &labelling.given),
            parts,
            holds: Vec::new(),
            silent: silent(net, &labelling.property),
        };
        for (at, marking) in labelling.markings.iter().enumerate() {
            if !goes_on() {
                return Err(Flaw::Stopped.into());
            }
            if unpacked(marking).len() != net.place_count() {
                return Err(LabellingFlaw::Shape("a marking is one of another net"));
            }
            if checked.numbers.insert(marking, at).is_some() {
                return Err(LabellingFlaw::Shape("a marking is listed twice"));
            }
            let here = Marking::new(unpacked(marking));
            let holds = checked.values(&here, &labelling.claims[at]);
            checked.holds.push(holds);
        }
        Ok(checked)
    }

    fn part(&self, formula: Formula<Quantifier>) -> Option<usize> {
        self.parts.binary_search(&formula).ok()
    }

    /// Which parts hold in a marking, given these claims about it.
    fn values(&self, marking: &Marking, claims: &[Claim]) -> Box<[u64]> {
        let formulas = self.labelling.property.formulas();
        let mut bits = vec![0u64; self.parts.len().div_ceil(64).max(1)].into_boxed_slice();
        let letter = self.labelling.property.letter(self.net, marking);
        let mut claims = claims.iter().map(|claim| claim.formula).peekable();
        for (at, &part) in self.parts.iter().enumerate() {
            let is_claimed = claims.next_if_eq(&part).is_some();
            let has =
                |part: &Formula<Quantifier>| self.part(*part).is_some_and(|it| bit(&bits, it));
            let holds = self.everywhere[at]
                || match formulas.node(part) {
                    Node::True => true,
                    Node::False => false,
                    Node::Literal(literal) => letter.satisfies(*literal),
                    Node::And(all) => all.iter().all(has),
                    Node::Or(any) => any.iter().any(has),
                    Node::Next(..) | Node::Until(..) | Node::Release(..) => is_claimed,
                };
            bits[at / 64] |= u64::from(holds) << (at % 64);
        }
        bits
    }

    fn holds(&self, marking: usize, formula: Formula<Quantifier>) -> bool {
        self.part(formula).is_some_and(|part| bit(&self.holds[marking], part))
    }

    /// Whether the property holds in a marking of which nothing is claimed.
    fn holds_without_claims(&self, marking: &Marking) -> bool {
        let bits = self.values(marking, &[]);
        self.part(self.labelling.property.formula()).is_some_and(|part| bit(&bits, part))
    }

    /// Accepts the claims about a marking.
    fn claims_at(&self, at: usize) -> Result<(), LabellingFlaw> {
        let claims = &self.labelling.claims[at];
        let flaw = |claim: usize| LabellingFlaw::Claim { marking: at, claim };
        if !claims.is_sorted_by(|one, other| one.formula < other.formula) {
            return Err(LabellingFlaw::Shape("claims are not in order"));
        }
        let marking = Marking::new(unpacked(&self.labelling.markings[at]));
        let mut all: Option<Vec<Option<usize>>> = None;
        for (number, claim) in claims.iter().enumerate() {
            let part = self.part(claim.formula).ok_or(flaw(number))?;
            if self.everywhere[part] {
                continue;
            }
            if !self.follows(at, claim, &marking, &mut all)? {
                return Err(flaw(number));
            }
        }
        Ok(())
    }

    /// Whether a claim follows from what holds here and after one firing. `all` has
    /// what stands for all successors once that is known.
    fn follows(
        &self,
        at: usize,
        claim: &Claim,
        marking: &Marking,
        all: &mut Option<Vec<Option<usize>>>,
    ) -> Result<bool, LabellingFlaw> {
        let formulas = self.labelling.property.formulas();
        let here = |part: Formula<Quantifier>| self.holds(at, part);
        let mut leads = |paths: Quantifier, to: &dyn Fn(usize) -> bool| {
            self.leads(marking, (paths, claim.by), to, all)
        };
        let is_dead = || self.net.is_dead(marking);
        let same = |next: usize| self.holds(next, claim.formula);
        // A marking without this claim has the part because it holds everywhere, and needs no rank.
        let nearer = |next: usize| {
            same(next) && self.rank(next, claim.formula).is_none_or(|rank| rank < claim.rank)
        };
        Ok(match *formulas.node(claim.formula) {
            Node::Next(paths, inner) => leads(paths, &|next| self.holds(next, inner))?,
            Node::Until(paths, left, right) => {
                here(right) || here(left) && !is_dead() && leads(paths, &nearer)?
            }
            Node::Release(paths, left, right) => {
                here(right) && (here(left) || is_dead() || leads(paths, &same)?)
            }
            // Constants, literals, ∧ and ∨ are evaluated; a claim of one of them is never accepted.
            _ => false,
        })
    }

    /// The rank of a claim; nothing where there is no such claim, since it holds everywhere.
    fn rank(&self, marking: usize, formula: Formula<Quantifier>) -> Option<u32> {
        let claims = &self.labelling.claims[marking];
        let at = claims.binary_search_by_key(&formula, |claim| claim.formula).ok()?;
        Some(claims[at].rank)
    }

    /// Whether the named firing, or all, lead to listed markings of which this is true.
    fn leads(
        &self,
        marking: &Marking,
        (paths, by): (Quantifier, Option<TransitionId>),
        to: &dyn Fn(usize) -> bool,
        all: &mut Option<Vec<Option<usize>>>,
    ) -> Result<bool, LabellingFlaw> {
        match (paths, by) {
            (Quantifier::Exists, Some(t)) => {
                if t.index() >= self.net.transition_count() || !self.net.is_enabled(marking, t) {
                    return Ok(false);
                }
                Ok(self.after(marking, t)?.is_some_and(to))
            }
            (Quantifier::Exists, None) => Ok(false),
            (Quantifier::All, _) => {
                let successors = match all {
                    Some(known) => known,
                    None => {
                        let enabled =
                            self.net.transitions().filter(|&t| self.net.is_enabled(marking, t));
                        let after = enabled.map(|t| self.after(marking, t));
                        all.insert(after.collect::<Result<_, _>>()?)
                    }
                };
                Ok(successors.iter().all(|next| next.is_some_and(to)))
            }
        }
    }

    /// The number of the marking that stands for the one after a firing.
    fn after(&self, marking: &Marking, t: TransitionId) -> Result<Option<usize>, LabellingFlaw> {
        let mut next = marking.clone();
        self.net.fire(&mut next, t).map_err(|_| Flaw::Overflow)?;
        self.listed_from(next)
    }

    /// The number of a marking that is listed; where it is not, that of the first such that is
    /// reached from it by firings that the property does not see, of those that are enabled always
    /// the first.
    fn listed_from(&self, mut marking: Marking) -> Result<Option<usize>, LabellingFlaw> {
        for _ in 0..MOST_SILENT {
            if let Some(&at) = self.numbers.get(&*packed(marking.tokens())) {
                return Ok(Some(at));
            }
            let next = self.silent.iter().find(|&&t| self.net.is_enabled(&marking, t));
            let Some(&t) = next else { break };
            self.net.fire(&mut marking, t).map_err(|_| Flaw::Overflow)?;
        }
        Ok(None)
    }
}

fn bit(bits: &[u64], at: usize) -> bool {
    bits[at / 64] >> (at % 64) & 1 == 1
}

/// By part, parts of each before it, whether it holds in every reachable marking, as far as that
/// follows from what is given. `implied` has for each a predicate that implies it.
pub fn everywhere(
    formulas: &Ctl,
    parts: &[Formula<Quantifier>],
    implied: &[Predicate],
    given: &Given,
) -> Vec<bool> {
    let mut known: Vec<bool> = Vec::with_capacity(parts.len());
    let implied_by = |part: Formula<Quantifier>| {
        let at = parts.binary_search(&part).ok();
        at.map_or(&Predicate::False, |at| &implied[at])
    };
    let is_never = |state: &Predicate| given.never.contains(state);
    let goes_on = is_never(&Predicate::Dead);
    for (&part, implied) in parts.iter().zip(implied) {
        let is = |part: Formula<Quantifier>| {
            parts.binary_search(&part).is_ok_and(|at| known.get(at) == Some(&true))
        };
        // One of them can be reached from everywhere.
        let stays = |met: Formula<Quantifier>| {
            let each = match formulas.node(met) {
                Node::Or(any) => &any[..],
                _ => &[],
            };
            each.iter().chain([&met]).any(|&part| given.stays.contains(implied_by(part)))
        };
        let follows = match formulas.node(part) {
            Node::True => true,
            Node::False | Node::Literal(_) => false,
            Node::And(all) => all.iter().all(|&part| is(part)),
            Node::Or(any) => any.iter().any(|&part| is(part)),
            Node::Next(Quantifier::All, inner) => is(*inner),
            // There is a firing, and whatever it leads to will do.
            Node::Next(Quantifier::Exists, inner) => goes_on && is(*inner),
            Node::Until(Quantifier::Exists, left, right) => {
                is(*right) || is(*left) && stays(*right)
            }
            // ψ holds at once; and a path on which ψ always holds satisfies φ R ψ.
            Node::Until(Quantifier::All, _, right) | Node::Release(_, _, right) => is(*right),
        };
        known.push(follows || is_never(&implied.clone().negated().sorted()));
    }
    known
}
