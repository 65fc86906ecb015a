//! Labellings of markings with CTL formulas, and their checker. The [module](super) documentation
//! states the conditions.

use super::implying::implying_predicates;
use super::silent::silent;
use crate::certificate::Flaw;
use crate::certificate::markings::{packed, unpacked};
use parikh_net::property::{known_literal, literal_of};
use parikh_net::{Marking, Net, Predicate, TransitionId, TreeProperty};
use parikh_temporal::{
    AtomId, BRANCHING_RULES, Ctl, Formula, Node, PartValues, PartialTruth, Quantifier,
};
use std::collections::HashMap;

/// The maximum number of rewriting steps that simplify a question.
const MAX_REWRITE_STEPS: usize = 20_000;

/// The maximum number of silent firings from one marking.
const MAX_SILENT_FIRINGS: usize = 10_000;

/// The claim that a subformula is true of a marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LabelClaim {
    /// The subformula, in the store of the property.
    pub formula: Formula<Quantifier>,
    /// For an until, a number that decreases from each claim to the claims that it depends on,
    /// until the right operand holds. The check ignores it for other formulas.
    pub rank: u32,
    /// The transition to the only successor that the claim depends on. `None` if the claim depends
    /// on all successors or on no successor.
    pub transition: Option<TransitionId>,
}

/// A proof of a CTL property, as described in the [module](super) documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelling {
    /// The property that the labelling proves of the initial marking.
    pub property: TreeProperty,
    /// The packed markings by number. The check refuses duplicates.
    pub(super) markings: Vec<Box<[u8]>>,
    /// The claims about each marking, by the number of the marking and ascending by formula.
    pub(super) claims: Vec<Vec<LabelClaim>>,
    /// The premises of the proof.
    pub premises: TreePremises,
}

/// The premises of a labelling about all reachable markings, which other evidence must prove.
/// Predicates are in sorted form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreePremises {
    /// Predicates that no reachable marking satisfies.
    pub unreachable_predicates: Vec<Predicate>,
    /// Predicates that are reachable from every reachable marking.
    pub home_predicates: Vec<Predicate>,
}

/// The reason that a labelling is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LabellingFlaw {
    /// A claim that could not be derived from the premises and the other claims, or a claim about
    /// no subformula of the property.
    #[error("marking {marking}: claim {claim} does not follow")]
    Claim {
        /// The number of the marking, from 0.
        marking: usize,
        /// The number of the claim about this marking, from 0.
        claim: usize,
    },
    /// The claims do not imply that the property is true of the initial marking.
    #[error("the labelling does not claim the property for the initial marking")]
    NotShownInitially,
    /// The labelling is malformed.
    #[error("{0}")]
    Malformed(&'static str),
    /// The check was stopped, or a number is too large.
    #[error(transparent)]
    Flaw(#[from] Flaw),
}

impl Labelling {
    /// Creates a labelling without markings.
    pub fn new(property: TreeProperty, premises: TreePremises) -> Self {
        Labelling { property, markings: Vec::new(), claims: Vec::new(), premises }
    }

    /// Adds a marking with claims about it. Returns its number.
    pub fn add(&mut self, marking: &Marking, mut claims: Vec<LabelClaim>) -> usize {
        claims.sort_unstable_by_key(|claim| claim.formula);
        self.markings.push(packed(marking.tokens()));
        self.claims.push(claims);
        self.markings.len() - 1
    }

    /// Returns the number of markings.
    pub fn markings(&self) -> usize {
        self.markings.len()
    }

    /// Checks that the property is true of the initial marking of `net`, if the premises hold.
    /// Calls `goes_on` twice for each marking.
    ///
    /// # Errors
    /// The first flaw of the labelling. [`Flaw::Stopped`] when `goes_on` returns false, and
    /// [`Flaw::Overflow`] when a firing overflows a place.
    pub fn check(&self, net: &Net, goes_on: &mut dyn FnMut() -> bool) -> Result<(), LabellingFlaw> {
        let checked = LabellingCheck::of(self, net, goes_on)?;
        (0..self.markings.len()).try_for_each(|number| {
            if !goes_on() {
                return Err(Flaw::Stopped.into());
            }
            checked.check_claims_at(number)
        })?;
        let initial = self.markings.iter().position(|it| **it == *packed(net.initial().tokens()));
        let holds = match initial {
            Some(marking_number) => checked.holds(marking_number, self.property.formula()),
            None => {
                let representative = checked.listed_representative(net.initial().clone())?;
                representative.is_some_and(|marking_number| {
                    checked.holds(marking_number, self.property.formula())
                }) || checked.holds_without_claims(net.initial())
            }
        };
        if holds { Ok(()) } else { Err(LabellingFlaw::NotShownInitially) }
    }

    /// Derives the value of `question` at the initial marking of `net` from the labelling's
    /// property and the initial values of the atoms. The labelling must have been checked. Returns
    /// `None` if this does not determine the value.
    pub fn decides(&self, net: &Net, question: &TreeProperty) -> Option<bool> {
        let mut store = self.property.formulas().clone();
        let mut atoms = self.property.atoms().to_vec();
        let literals: Vec<Formula<Quantifier>> = question
            .atoms()
            .iter()
            .map(|atom| predicate_formula(&mut store, &mut atoms, atom.clone().sorted()))
            .collect();
        let formula = question.translated(&mut store, &literals);
        let shown = self.property.formula();
        let not_shown = store.negate(shown);
        let initial_value =
            |atom: AtomId| PartialTruth::from(atoms[atom.0 as usize].holds(net, net.initial()));
        let (simplified, _) = store.rewritten(formula, BRANCHING_RULES, MAX_REWRITE_STEPS);
        [formula, simplified].into_iter().find_map(|formula| {
            initial_truth(&store, formula, (shown, not_shown), initial_value).to_bool()
        })
    }
}

/// Returns the predicate as a formula of the store: a known atom, the negation of a known atom, a
/// constant, or a new atom.
fn predicate_formula(
    store: &mut Ctl,
    atoms: &mut Vec<Predicate>,
    predicate: Predicate,
) -> Formula<Quantifier> {
    match (known_literal(atoms, &predicate), &predicate) {
        (None, Predicate::True | Predicate::False) => store.constant(predicate == Predicate::True),
        (Some(literal), _) => store.literal(literal),
        (None, _) => store.literal(literal_of(atoms, predicate)),
    }
}

/// Returns the value of a formula at the initial marking, or `PartialTruth::Unknown`. There the
/// formula `shown` holds, `not_shown` does not hold, and `initial_value` has the values of atoms.
fn initial_truth(
    store: &Ctl,
    formula: Formula<Quantifier>,
    (shown, not_shown): (Formula<Quantifier>, Formula<Quantifier>),
    initial_value: impl Fn(AtomId) -> PartialTruth,
) -> PartialTruth {
    store.fold(formula, |part, node, values: &PartValues<Quantifier, PartialTruth>| {
        if part == shown || part == not_shown {
            return PartialTruth::from(part == shown);
        }
        match node {
            Node::True => PartialTruth::True,
            Node::False => PartialTruth::False,
            Node::Literal(it) if it.positive => initial_value(it.atom),
            Node::Literal(it) => !initial_value(it.atom),
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

/// A labelling whose claims are being checked.
struct LabellingCheck<'l> {
    /// The labelling under check.
    labelling: &'l Labelling,
    /// The net that the labelling is about.
    net: &'l Net,
    /// The number assigned to a packed marking.
    numbers: HashMap<&'l [u8], usize>,
    /// The subformulas of the property, ascending.
    subformulas: Vec<Formula<Quantifier>>,
    /// For each subformula, true if the premises imply that it holds in all reachable markings.
    /// False otherwise, also if this is unknown.
    hold_everywhere: Vec<bool>,
    /// For each marking, one bit per subformula. A bit is 1 if the claims and premises show that
    /// the subformula holds at the marking.
    truth_bits: Vec<Box<[u64]>>,
    /// The transitions whose firings the property cannot observe ([`silent`]), ascending.
    silent: Vec<TransitionId>,
}

impl<'l> LabellingCheck<'l> {
    /// Prepares the check: evaluates all subformulas at each listed marking. Returns an error if a
    /// marking belongs to another net or is listed twice, or when `goes_on` returns false.
    fn of(
        labelling: &'l Labelling,
        net: &'l Net,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Self, LabellingFlaw> {
        let (formulas, root) = (labelling.property.formulas(), labelling.property.formula());
        let subformulas = formulas.subformulas(root);
        let implying = implying_predicates(formulas, labelling.property.atoms(), &subformulas, net);
        let mut checked = LabellingCheck {
            labelling,
            net,
            numbers: HashMap::new(),
            hold_everywhere: hold_everywhere(
                formulas,
                &subformulas,
                &implying,
                &labelling.premises,
            ),
            subformulas,
            truth_bits: Vec::new(),
            silent: silent(net, &labelling.property),
        };
        for (number, marking) in labelling.markings.iter().enumerate() {
            if !goes_on() {
                return Err(Flaw::Stopped.into());
            }
            if unpacked(marking).len() != net.place_count() {
                return Err(LabellingFlaw::Malformed("a marking belongs to another net"));
            }
            if checked.numbers.insert(marking, number).is_some() {
                return Err(LabellingFlaw::Malformed("a marking is listed twice"));
            }
            let here = Marking::new(unpacked(marking));
            let bits = checked.evaluate(&here, &labelling.claims[number]);
            checked.truth_bits.push(bits);
        }
        Ok(checked)
    }

    /// Returns the index of a subformula of the property, or `None` for any other formula.
    fn subformula_index(&self, formula: Formula<Quantifier>) -> Option<usize> {
        self.subformulas.binary_search(&formula).ok()
    }

    /// Evaluates all subformulas at a marking, given the claims about it, which must be ascending
    /// by formula. Returns a bit set by the index of the subformula. A bit is 0 if the claims and
    /// premises do not show that the subformula holds.
    fn evaluate(&self, marking: &Marking, claims: &[LabelClaim]) -> Box<[u64]> {
        let formulas = self.labelling.property.formulas();
        let mut bits = vec![0u64; self.subformulas.len().div_ceil(64).max(1)].into_boxed_slice();
        let letter = self.labelling.property.letter(self.net, marking);
        let mut claims = claims.iter().map(|claim| claim.formula).peekable();
        for (index, &subformula) in self.subformulas.iter().enumerate() {
            let is_claimed = claims.next_if_eq(&subformula).is_some();
            let has = |subformula: &Formula<Quantifier>| {
                self.subformula_index(*subformula).is_some_and(|it| bit(&bits, it))
            };
            let holds = self.hold_everywhere[index]
                || match formulas.node(subformula) {
                    Node::True => true,
                    Node::False => false,
                    Node::Literal(literal) => letter.satisfies(*literal),
                    Node::And(all) => all.iter().all(has),
                    Node::Or(any) => any.iter().any(has),
                    Node::Next(..) | Node::Until(..) | Node::Release(..) => is_claimed,
                };
            bits[index / 64] |= u64::from(holds) << (index % 64);
        }
        bits
    }

    /// Returns true if the claims and premises show that the subformula holds at the marking with
    /// this number. Returns false if they do not, and for formulas that are not subformulas of the
    /// property.
    fn holds(&self, marking: usize, formula: Formula<Quantifier>) -> bool {
        self.subformula_index(formula).is_some_and(|part| bit(&self.truth_bits[marking], part))
    }

    /// Returns true if the premises and the token counts of a marking show the property there,
    /// without any claims about the marking.
    fn holds_without_claims(&self, marking: &Marking) -> bool {
        let bits = self.evaluate(marking, &[]);
        self.subformula_index(self.labelling.property.formula())
            .is_some_and(|part| bit(&bits, part))
    }

    /// Checks that each claim about a marking follows from other claims and the premises.
    fn check_claims_at(&self, marking_number: usize) -> Result<(), LabellingFlaw> {
        let claims = &self.labelling.claims[marking_number];
        let flaw = |claim: usize| LabellingFlaw::Claim { marking: marking_number, claim };
        if !claims.is_sorted_by(|first, second| first.formula < second.formula) {
            return Err(LabellingFlaw::Malformed("claims are not in order"));
        }
        let marking = Marking::new(unpacked(&self.labelling.markings[marking_number]));
        let mut successors: Option<Vec<Option<usize>>> = None;
        for (number, claim) in claims.iter().enumerate() {
            let part = self.subformula_index(claim.formula).ok_or(flaw(number))?;
            if self.hold_everywhere[part] {
                continue;
            }
            if !self.follows(marking_number, claim, &marking, &mut successors)? {
                return Err(flaw(number));
            }
        }
        Ok(())
    }

    /// Returns true if a claim about the marking with number `marking_number` follows from the
    /// subformulas that hold there and after one firing. Claims about untils also need decreasing
    /// ranks. `successors` caches, for each enabled transition, the number of the listed marking
    /// after the firing, or `None` if no listed marking represents it.
    fn follows(
        &self,
        marking_number: usize,
        claim: &LabelClaim,
        marking: &Marking,
        successors: &mut Option<Vec<Option<usize>>>,
    ) -> Result<bool, LabellingFlaw> {
        let formulas = self.labelling.property.formulas();
        let holds_here = |part: Formula<Quantifier>| self.holds(marking_number, part);
        let mut leads = |paths: Quantifier, to: &dyn Fn(usize) -> bool| {
            self.leads_to(marking, (paths, claim.transition), to, successors)
        };
        let is_dead = || self.net.is_dead(marking);
        let has_claim = |next: usize| self.holds(next, claim.formula);
        // If the next marking has the subformula but no claim about it, the subformula holds in all
        // reachable markings. Then no rank is needed.
        let has_lower_rank = |next: usize| {
            has_claim(next) && self.rank(next, claim.formula).is_none_or(|rank| rank < claim.rank)
        };
        Ok(match *formulas.node(claim.formula) {
            Node::Next(paths, inner) => leads(paths, &|next| self.holds(next, inner))?,
            Node::Until(paths, left, right) => {
                holds_here(right)
                    || holds_here(left) && !is_dead() && leads(paths, &has_lower_rank)?
            }
            Node::Release(paths, left, right) => {
                holds_here(right) && (holds_here(left) || is_dead() || leads(paths, &has_claim)?)
            }
            // Constants, literals, ∧ and ∨ are evaluated. A claim about such a subformula is
            // refused here. `check_claims_at` has already accepted it if the premises imply the
            // subformula everywhere.
            _ => false,
        })
    }

    /// Returns the rank of the claim about this formula at a marking, or `None` without such a
    /// claim. A temporal formula that holds without a claim holds in all reachable markings.
    fn rank(&self, marking: usize, formula: Formula<Quantifier>) -> Option<u32> {
        let claims = &self.labelling.claims[marking];
        let index = claims.binary_search_by_key(&formula, |claim| claim.formula).ok()?;
        Some(claims[index].rank)
    }

    /// For `Quantifier::Exists`, returns true if the given transition is enabled and leads to a
    /// listed marking whose number satisfies `is_target`. Returns false without a transition. For
    /// `Quantifier::All`, ignores the given transition, and returns true if every enabled
    /// transition leads to such a marking. A marking that is not listed may be represented by a
    /// listed marking, as in `listed_representative`. `successors` is as in `follows`.
    fn leads_to(
        &self,
        marking: &Marking,
        (paths, transition): (Quantifier, Option<TransitionId>),
        is_target: &dyn Fn(usize) -> bool,
        successors: &mut Option<Vec<Option<usize>>>,
    ) -> Result<bool, LabellingFlaw> {
        match (paths, transition) {
            (Quantifier::Exists, Some(t)) => {
                if t.index() >= self.net.transition_count() || !self.net.is_enabled(marking, t) {
                    return Ok(false);
                }
                Ok(self.listed_successor(marking, t)?.is_some_and(is_target))
            }
            (Quantifier::Exists, None) => Ok(false),
            (Quantifier::All, _) => {
                let next_numbers = match successors {
                    Some(known) => known,
                    None => {
                        let enabled =
                            self.net.transitions().filter(|&t| self.net.is_enabled(marking, t));
                        let numbers = enabled.map(|t| self.listed_successor(marking, t));
                        successors.insert(numbers.collect::<Result<_, _>>()?)
                    }
                };
                Ok(next_numbers.iter().all(|next| next.is_some_and(is_target)))
            }
        }
    }

    /// Returns the number of the listed marking that represents the marking after a firing, or
    /// `None` if no listed marking does.
    fn listed_successor(
        &self,
        marking: &Marking,
        t: TransitionId,
    ) -> Result<Option<usize>, LabellingFlaw> {
        let mut next = marking.clone();
        self.net.fire(&mut next, t).map_err(|_| Flaw::Overflow)?;
        self.listed_representative(next)
    }

    /// Returns the number of the marking if it is listed. Otherwise fires the first enabled silent
    /// transition repeatedly, and returns the first listed marking. Returns `None` if no silent
    /// transition is enabled, or after 10,000 firings.
    ///
    /// # Errors
    /// When a place overflows.
    fn listed_representative(&self, mut marking: Marking) -> Result<Option<usize>, LabellingFlaw> {
        for _ in 0..MAX_SILENT_FIRINGS {
            if let Some(&number) = self.numbers.get(&*packed(marking.tokens())) {
                return Ok(Some(number));
            }
            let next = self.silent.iter().find(|&&t| self.net.is_enabled(&marking, t));
            let Some(&t) = next else { break };
            self.net.fire(&mut marking, t).map_err(|_| Flaw::Overflow)?;
        }
        Ok(None)
    }
}

/// Returns the bit with this index of a bit set in words of 64 bits.
fn bit(bits: &[u64], index: usize) -> bool {
    bits[index / 64] >> (index % 64) & 1 == 1
}

/// Returns, for each subformula, true if the premises are found to imply that it holds in every
/// reachable marking. False may mean that this is unknown. `subformulas` is ascending, so operands
/// come first. `implying` has, by the same index, a predicate that implies the subformula.
pub fn hold_everywhere(
    formulas: &Ctl,
    subformulas: &[Formula<Quantifier>],
    implying: &[Predicate],
    premises: &TreePremises,
) -> Vec<bool> {
    let mut everywhere_flags: Vec<bool> = Vec::with_capacity(subformulas.len());
    let implying_predicate_of = |part: Formula<Quantifier>| {
        let index = subformulas.binary_search(&part).ok();
        index.map_or(&Predicate::False, |index| &implying[index])
    };
    let is_never = |state: &Predicate| premises.unreachable_predicates.contains(state);
    let is_never_dead = is_never(&Predicate::Dead);
    for (&part, predicate) in subformulas.iter().zip(implying) {
        let is_everywhere = |part: Formula<Quantifier>| {
            subformulas
                .binary_search(&part)
                .is_ok_and(|index| everywhere_flags.get(index) == Some(&true))
        };
        // A predicate that implies the target, or one of its disjuncts, is reachable from every
        // reachable marking.
        let stays_reachable = |target: Formula<Quantifier>| {
            let disjuncts = match formulas.node(target) {
                Node::Or(any) => &any[..],
                _ => &[],
            };
            disjuncts
                .iter()
                .chain([&target])
                .any(|&part| premises.home_predicates.contains(implying_predicate_of(part)))
        };
        let follows = match formulas.node(part) {
            Node::True => true,
            Node::False | Node::Literal(_) => false,
            Node::And(all) => all.iter().all(|&part| is_everywhere(part)),
            Node::Or(any) => any.iter().any(|&part| is_everywhere(part)),
            Node::Next(Quantifier::All, inner) => is_everywhere(*inner),
            // Some transition is enabled, and every successor satisfies the operand.
            Node::Next(Quantifier::Exists, inner) => is_never_dead && is_everywhere(*inner),
            Node::Until(Quantifier::Exists, left, right) => {
                is_everywhere(*right) || is_everywhere(*left) && stays_reachable(*right)
            }
            // The right operand ψ holds at once, which satisfies φ U ψ. A path on which ψ always
            // holds satisfies φ R ψ.
            Node::Until(Quantifier::All, _, right) | Node::Release(_, _, right) => {
                is_everywhere(*right)
            }
        };
        everywhere_flags.push(follows || is_never(&predicate.clone().negated().sorted()));
    }
    everywhere_flags
}
