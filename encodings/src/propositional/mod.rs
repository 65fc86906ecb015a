//! Unrolling for SAT solvers: markings as bits, firings as literals.
//!
//! Each of the markings m₀, m₁, …, mₖ has its own variables, and each step has a variable for every
//! transition that may fire in it. The tokens of a place are limited by its bound and by the number
//! of firings so far, which keeps the number of variables finite.
//!
//! # Values
//! There are three encodings of tokens as bits ([`TokenEncoding`]):
//!
//! ```text
//! order      "p holds at least 1, 2, 3, … tokens": one variable for each possible number
//! one-of-n   the same, and exactly one place of a component with one token is marked
//! log        the marked place of a component as a binary number: ⌈log₂ n⌉ variables
//! ```
//!
//! A *component* ([`components`]) is a set of places that together hold exactly one token, given by
//! a place invariant, or at most one, given by safe nested units. In the log encoding components do
//! not overlap. A place of a component has a variable that is equivalent to its number; all other
//! places use the order encoding.
//!
//! # Firing
//! A step fires at most one transition ([`StepSemantics::SingleFiring`]), or many
//! ([`StepSemantics::Steps`]), each once and in the order of the net, where
//!
//! 1. all are enabled in the marking before the step,
//! 2. at most one of them changes each place, and
//! 3. none that needs tokens of a place fires after one that takes from it.
//!
//! **Soundness.** When t fires, at most one other transition has changed each input place of t (2).
//! If it took tokens, it comes after t (3) or is t itself. If it added tokens, there are more than
//! before. So t is enabled by (1). The change of a place in the step is the change by the one
//! transition that changes it. **Completeness.** A single firing is a step, and an empty step is
//! allowed, so k steps reach everything that at most k firings reach.
//!
//! # Sources
//! A. Biere, A. Cimatti, E. Clarke, Y. Zhu, *Symbolic model checking without BDDs*, TACAS 1999; K.
//! Heljanko, *Bounded reachability checking with process semantics*, CONCUR 2001 (steps); J.
//! Rintanen, K. Heljanko, I. Niemelä, *Planning as satisfiability*, AIJ 170, 2006 (ordered steps);
//! N. Tamura et al., *Compiling finite linear CSP into SAT*, Constraints 14, 2009 (order encoding).

pub mod components;
mod goal;
mod question;
mod tokens;

pub use question::PropositionalGoal;
pub use tokens::MaybeLiteral;

use crate::encoding::TooManyValues;
use crate::legend::Notation;
use components::{CodedComponent, SafeComponent};
use parikh_net::{FiringSequence, Net, PlaceId, Predicate, TransitionId};
use parikh_solvers::cnf::{Clauses, Literal};
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use tokens::{OrderEncodedTokens, at_most_one, equal_if, imply};

/// The encoding of tokens as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TokenEncoding {
    /// One variable for each number k of tokens that a place may hold, except the smallest: true if
    /// the place holds at least k tokens.
    Order,
    /// The order encoding, with additional clauses for components, that is, for sets of places that
    /// together hold one token. The clauses state that exactly one place of a component is marked,
    /// or at most one if the component may be empty.
    OneOfN,
    /// For each component, that is, a set of places that together hold at most one token, the
    /// number of its marked place in binary. A component loses the places that it shares with a
    /// component chosen earlier. Places of no component use the order encoding.
    Log,
}

impl TokenEncoding {
    /// Every encoding, in a fixed order.
    pub const ALL: [TokenEncoding; 3] =
        [TokenEncoding::Order, TokenEncoding::OneOfN, TokenEncoding::Log];
}

impl fmt::Display for TokenEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            TokenEncoding::Order => "order",
            TokenEncoding::OneOfN => "one-of-n",
            TokenEncoding::Log => "log",
        })
    }
}

impl FromStr for TokenEncoding {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let encoding = TokenEncoding::ALL.into_iter().find(|values| values.to_string() == text);
        encoding.ok_or_else(|| {
            format!("`{text}` is not a token encoding: expected order, one-of-n or log")
        })
    }
}

/// The number of transitions per step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepSemantics {
    /// At most a single transition fires per step.
    SingleFiring,
    /// Any number of transitions fire per step, each at most once. At most one of them changes a
    /// place, and none reads a place after another has taken tokens from it.
    Steps,
}

/// A lower bound of the tokens of a place, and an upper bound if one is known.
pub type TokenRange = (u64, Option<u64>);

/// Limit on the range of a place in one marking of the unrolling: the largest minus the smallest
/// number of tokens that the place may hold there.
pub const MAX_RANGE: i128 = 64;

/// The transitions that may fire between two markings, with their literals.
type FiringLiterals = Vec<(TransitionId, Literal)>;

/// The solver's variables for a marking.
struct Marking {
    /// The tokens of each place, by place index.
    places: Vec<OrderEncodedTokens>,
    /// For each component of `Unrolling::coded_components`, in the same order, the bits of the
    /// number of its marked place, lowest first.
    codes: Vec<Vec<Literal>>,
}

/// A sequence of markings that can be extended at any time, because clauses are only added.
pub struct Unrolling<'n> {
    net: &'n Net,
    /// For each place, bounds of its tokens in every reachable marking.
    place_ranges: Vec<TokenRange>,
    semantics: StepSemantics,
    /// The components whose marked place is encoded as a binary number, without common places.
    /// Empty unless the encoding is [`TokenEncoding::Log`].
    coded_components: Vec<CodedComponent>,
    /// For each transition, true if it needs or produces more than one token of a coded component,
    /// so that it never fires.
    never_fires: Vec<bool>,
    /// The components with explicit clauses: at most one place is marked, and at least one unless
    /// the component may be empty. Empty unless the encoding is [`TokenEncoding::OneOfN`].
    stated_components: Vec<SafeComponent>,
    /// True if markings are left out when a place could have token counts that differ by more than
    /// [`MAX_RANGE`]. If false, such a place is an error.
    leaves_out_markings: bool,
    /// True if possible token counts of some place were left out, because they differed by more
    /// than [`MAX_RANGE`]. Then markings may be missing.
    was_narrowed: bool,
    /// The markings so far, the initial marking first.
    markings: Vec<Marking>,
    /// The literals of the transitions that may fire, by step.
    steps: Vec<FiringLiterals>,
}

impl fmt::Debug for Unrolling<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unrolling").field("semantics", &self.semantics).finish_non_exhaustive()
    }
}

impl<'n> Unrolling<'n> {
    /// Starts with the initial marking. The given bounds and components must hold in every
    /// reachable marking.
    pub fn new(
        net: &'n Net,
        mut ranges: Vec<TokenRange>,
        components: Vec<SafeComponent>,
        token_encoding: TokenEncoding,
        semantics: StepSemantics,
        clauses: &mut impl Clauses,
    ) -> Self {
        if token_encoding != TokenEncoding::Order {
            for place in components.iter().flat_map(|component| &component.places) {
                let upper = &mut ranges[place.index()].1;
                *upper = Some(upper.map_or(1, |upper| upper.min(1)));
            }
        }
        let (mut coded_components, mut stated_components) = (Vec::new(), Vec::new());
        let mut never_fires = vec![false; net.transition_count()];
        match token_encoding {
            TokenEncoding::Order => {}
            TokenEncoding::OneOfN => stated_components = components,
            TokenEncoding::Log => {
                (coded_components, never_fires) = components::code_components(net, components)
            }
        }
        let places =
            net.places().map(|p| OrderEncodedTokens::constant(net.initial()[p].into())).collect();
        let mut codes = Vec::with_capacity(coded_components.len());
        for component in &coded_components {
            let code = component.bits(0).map(|_| clauses.variable()).collect::<Vec<_>>();
            let literals = component.number_literals(component.initial_number(net), &code);
            literals.iter().for_each(|&bit| clauses.clause(&[bit]));
            codes.push(code);
        }
        let markings = vec![Marking { places, codes }];
        Unrolling {
            net,
            place_ranges: ranges,
            semantics,
            coded_components,
            never_fires,
            stated_components,
            leaves_out_markings: false,
            was_narrowed: false,
            markings,
            steps: Vec::new(),
        }
    }

    /// Leaves out markings, so that the possible token counts of a place differ by at most
    /// [`MAX_RANGE`]. A model of the clauses still gives a firing sequence. Unsatisfiable clauses
    /// prove nothing once [`is_narrowed`](Self::is_narrowed) returns true.
    #[must_use]
    pub fn leave_out_markings(mut self) -> Self {
        self.leaves_out_markings = true;
        self
    }

    /// Returns true if possible token counts of some place were left out, because they differed by
    /// more than [`MAX_RANGE`]. Then markings may be missing.
    pub fn is_narrowed(&self) -> bool {
        self.was_narrowed
    }

    /// Returns true if the last step did not change the range of possible tokens of any place.
    /// Returns false before the first step.
    pub fn is_stable(&self) -> bool {
        let [.., before, last] = &self.markings[..] else { return false };
        let mut places = before.places.iter().zip(&last.places);
        places
            .all(|(earlier, later)| (earlier.low(), earlier.high()) == (later.low(), later.high()))
    }

    /// Estimates the number of literals in the clauses of the next step.
    pub fn next_step_literals(&self) -> usize {
        let values =
            |place| (self.last_tokens(place).high() - self.last_tokens(place).low()) as usize + 2;
        let literals_for = |t: &TransitionId| -> usize {
            let (taken, changed) = (self.net.pre(*t).iter(), self.net.delta(*t).iter());
            3 * taken.len() + changed.map(|change| 10 * values(change.place)).sum::<usize>()
        };
        self.possibly_enabled().iter().map(literals_for).sum()
    }

    /// Returns the number of steps to the last marking.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// Adds a step and the marking after it.
    ///
    /// # Errors
    /// Returns an error if the possible token counts of a place after the step differ by more than
    /// [`MAX_RANGE`]. After [`leave_out_markings`](Self::leave_out_markings), markings are left out
    /// instead where that suffices.
    pub fn unroll(&mut self, clauses: &mut impl Clauses) -> Result<(), TooManyValues> {
        let possible = self.possibly_enabled();
        let mut ranges = self.ranges_after(&possible);
        if self.leaves_out_markings {
            let full_ranges = ranges.clone();
            ranges
                .iter_mut()
                .zip(&self.last().places)
                .for_each(|(range, before)| narrow(range, before));
            self.was_narrowed |= full_ranges != ranges;
        }
        if ranges.iter().any(|(low, high)| high - low > MAX_RANGE) {
            return Err(TooManyValues);
        }
        let step: FiringLiterals = possible.into_iter().map(|t| (t, clauses.variable())).collect();
        let mut changes_by_place: Vec<Vec<FiringChange>> = vec![Vec::new(); self.net.place_count()];
        for &(t, fired) in &step {
            for arc in self.net.pre(t) {
                imply(clauses, &[fired], self.last_tokens(arc.place).at_least(arc.weight.into()));
                if self.net.post_weight(t, arc.place) == arc.weight {
                    changes_by_place[arc.place.index()].push(FiringChange { fired, delta: 0 });
                }
            }
            for change in self.net.delta(t) {
                changes_by_place[change.place.index()]
                    .push(FiringChange { fired, delta: change.delta.into() });
            }
        }
        match self.semantics {
            StepSemantics::SingleFiring => {
                at_most_one(clauses, &step.iter().map(|&(_, fired)| fired).collect::<Vec<_>>());
            }
            StepSemantics::Steps => {
                changes_by_place.iter().for_each(|changes| add_order_clauses(clauses, changes))
            }
        }
        let after = self.next_marking(clauses, &step, &changes_by_place, ranges);
        for component in &self.stated_components {
            component.add_clauses(clauses, |place| after.places[place.index()].at_least(1));
        }
        self.markings.push(after);
        self.steps.push(step);
        Ok(())
    }

    /// Returns a literal that implies the predicate in the last marking, or a constant. The leaves
    /// of the predicate must be comparisons or constants ([`Predicate::to_atoms`]).
    ///
    /// # Errors
    /// Returns an error if a sum has too many places, or the sums of the predicate together have
    /// too many values.
    pub fn goal(
        &self,
        predicate: &Predicate,
        clauses: &mut impl Clauses,
    ) -> Result<MaybeLiteral, TooManyValues> {
        goal::encode(&self.last().places, predicate, clauses)
    }

    /// Returns the transitions whose firing literals are true, step by step. `values` has the value
    /// of each of the solver's variables.
    pub fn firing_sequence(&self, values: &[bool]) -> FiringSequence {
        let fires = |&&(_, fired): &&(TransitionId, Literal)| fired.evaluate(values) == Some(true);
        self.steps.iter().flatten().filter(fires).map(|&(t, _)| t).collect()
    }

    /// Explains the variables of the components whose marked place is a binary number: the places
    /// by number. Returns no text if there are none. `name` gives the written name of a place.
    fn component_legend(&self, name: impl Fn(PlaceId) -> String) -> String {
        let mut text = String::new();
        for component in &self.coded_components {
            let places = component.places.iter().enumerate();
            let numbers = places.map(|(number, &place)| format!("{number} {}", name(place)));
            let numbers = numbers.collect::<Vec<_>>().join(", ");
            let none = match component.may_be_empty {
                true => format!(", {} none is marked", component.empty_number()),
                false => String::new(),
            };
            text += &format!("  component of {}: {numbers}{none}\n", name(component.places[0]));
        }
        text
    }

    /// Returns the meaning of the variables of markings and steps, sorted by variable. Names of
    /// nodes have the escapes of SMT-LIB.
    pub fn names(&self) -> Vec<(Literal, String)> {
        let mut names = Vec::new();
        for (number, marking) in self.markings.iter().enumerate() {
            for (place, tokens) in self.net.places().zip(&marking.places) {
                let name = Notation::Dimacs.escaped(self.net.place_name(place));
                let with_name =
                    |(tokens, literal)| (literal, format!("m{number}({name}) >= {tokens}"));
                names.extend(tokens.variables().map(with_name));
            }
            for (component, code) in self.coded_components.iter().zip(&marking.codes) {
                let first = Notation::Dimacs.escaped(self.net.place_name(component.places[0]));
                let with_name = |(bit, &literal)| (literal, format!("bit{number}({first},{bit})"));
                names.extend(code.iter().enumerate().map(with_name));
            }
        }
        for (number, step) in self.steps.iter().enumerate() {
            let with_name = |&(t, fired): &(TransitionId, Literal)| {
                let name = Notation::Dimacs.escaped(self.net.transition_name(t));
                (fired, format!("fire({},{name})", number + 1))
            };
            names.extend(step.iter().map(with_name));
        }
        names.sort_by_key(|(literal, _)| literal.variable());
        // An unchanged place keeps its variables, so the first name of a variable suffices.
        names.dedup_by_key(|(literal, _)| literal.variable());
        names
    }

    fn last(&self) -> &Marking {
        self.markings.last().expect("the initial marking is there")
    }

    /// Returns the tokens of a place in the last marking.
    fn last_tokens(&self, place: PlaceId) -> &OrderEncodedTokens {
        &self.last().places[place.index()]
    }

    /// Returns the transitions that change some place and may be enabled in the last marking.
    fn possibly_enabled(&self) -> Vec<TransitionId> {
        let is_possible = |&t: &TransitionId| {
            let mut inputs = self.net.pre(t).iter();
            !self.never_fires[t.index()]
                && !self.net.delta(t).is_empty()
                && inputs.all(|arc| self.last_tokens(arc.place).high() >= i128::from(arc.weight))
        };
        self.net.transitions().filter(is_possible).collect()
    }

    /// Returns the smallest and the largest possible number of tokens of each place after one step
    /// with transitions of `possible`.
    fn ranges_after(&self, possible: &[TransitionId]) -> Vec<(i128, i128)> {
        let before = &self.last().places;
        let mut ranges: Vec<(i128, i128)> = before.iter().map(|it| (it.low(), it.high())).collect();
        for change in possible.iter().flat_map(|&t| self.net.delta(t)) {
            let (range, tokens) =
                (&mut ranges[change.place.index()], self.last_tokens(change.place));
            range.0 = range.0.min(tokens.low() + i128::from(change.delta)).max(0);
            // Parikh represents at most 2⁶³ − 1 tokens. At most one transition changes a place in a
            // step.
            range.1 = range.1.max(tokens.high() + i128::from(change.delta)).min(i64::MAX.into());
        }
        for (range, &(low, high)) in ranges.iter_mut().zip(&self.place_ranges) {
            range.0 = range.0.max(low.into());
            range.1 = high.map_or(range.1, |high| range.1.min(high.into()));
        }
        ranges
    }

    /// Returns the marking after the step, and adds the clauses that relate it to the last marking.
    fn next_marking(
        &self,
        clauses: &mut impl Clauses,
        step: &FiringLiterals,
        changes_by_place: &[Vec<FiringChange>],
        ranges: Vec<(i128, i128)>,
    ) -> Marking {
        let mut places: Vec<Option<OrderEncodedTokens>> = vec![None; ranges.len()];
        let mut codes = Vec::with_capacity(self.coded_components.len());
        let literal_of: HashMap<TransitionId, Literal> = step.iter().copied().collect();
        for (component, before) in self.coded_components.iter().zip(&self.last().codes) {
            let code: Vec<Literal> = before.iter().map(|_| clauses.variable()).collect();
            let mut moves = Vec::new();
            for token_move in &component.moves {
                let Some(&fired) = literal_of.get(&token_move.transition) else { continue };
                moves.push(fired);
                let mut implied = component.number_literals(token_move.target_number, &code);
                if token_move.arrives {
                    implied.extend(component.number_literals(component.empty_number(), before));
                }
                implied.iter().for_each(|&bit| clauses.clause(&[!fired, bit]));
            }
            let is_moved = any_of(clauses, &moves);
            for (&bit, &earlier) in code.iter().zip(before) {
                equal_if(
                    clauses,
                    &[!is_moved],
                    MaybeLiteral::Open(bit),
                    MaybeLiteral::Open(earlier),
                );
            }
            for (number, place) in component.places.iter().enumerate() {
                let (low, high) = ranges[place.index()];
                let tokens = OrderEncodedTokens::between(clauses, low, high);
                equal_to_all(
                    clauses,
                    tokens.at_least(1),
                    &component.number_literals(number, &code),
                );
                places[place.index()] = Some(tokens);
            }
            codes.push(code);
        }
        let places = places.into_iter().zip(ranges).zip(changes_by_place).zip(&self.last().places);
        let tokens = places.map(|(((coded, range), changes), before)| {
            coded.unwrap_or_else(|| tokens_after(clauses, before, changes, range))
        });
        Marking { places: tokens.collect(), codes }
    }
}

/// Narrows the range of a place's token counts, so that its ends differ by at most [`MAX_RANGE`].
/// Values are removed at both ends, but no value that is possible in the previous marking.
fn narrow((low, high): &mut (i128, i128), before: &OrderEncodedTokens) {
    let excess = (*high - *low - MAX_RANGE).max(0);
    let (removable_below, removable_above) =
        ((before.low() - *low).max(0), (*high - before.high()).max(0));
    let removed_below =
        removable_below.min((excess + 1) / 2).max(excess - removable_above).min(removable_below);
    *low += removed_below;
    *high -= (excess - removed_below).min(removable_above);
}

/// A change of a place's tokens by the firing of a transition in a step.
#[derive(Clone, Copy)]
struct FiringChange {
    /// The literal of the firing.
    fired: Literal,
    /// The change of the tokens; 0 if the transition only reads the place.
    delta: i128,
}

/// Returns a new literal that implies that some literal of `literals` holds.
fn any_of(clauses: &mut impl Clauses, literals: &[Literal]) -> Literal {
    let literal = clauses.variable();
    let clause: Vec<Literal> = std::iter::once(!literal).chain(literals.iter().copied()).collect();
    clauses.clause(&clause);
    literal
}

/// Adds the clauses of a step for one place: at most one fired transition changes the place, and no
/// transition reads the place after another one has taken tokens from it.
fn add_order_clauses(clauses: &mut impl Clauses, changes: &[FiringChange]) {
    let changing: Vec<Literal> =
        changes.iter().filter(|change| change.delta != 0).map(|change| change.fired).collect();
    at_most_one(clauses, &changing);
    // A literal that is true if an earlier transition takes tokens.
    let mut taken: Option<Literal> = None;
    for (index, change) in changes.iter().enumerate() {
        let has_later_reader = || changes[index + 1..].iter().any(|later| later.delta == 0);
        match (change.delta, taken) {
            (0, Some(taken)) => clauses.clause(&[!change.fired, !taken]),
            (by, _) if by < 0 && has_later_reader() => {
                let taken_so_far = clauses.variable();
                clauses.clause(&[!change.fired, taken_so_far]);
                if let Some(earlier) = taken {
                    clauses.clause(&[!earlier, taken_so_far]);
                }
                taken = Some(taken_so_far);
            }
            _ => {}
        }
    }
}

/// Returns the tokens of a place after a step, with clauses for its changes.
fn tokens_after(
    clauses: &mut impl Clauses,
    before: &OrderEncodedTokens,
    changes: &[FiringChange],
    (low, high): (i128, i128),
) -> OrderEncodedTokens {
    let changing = || changes.iter().filter(|change| change.delta != 0);
    let fired: Vec<Literal> = changing().map(|change| change.fired).collect();
    if fired.is_empty() {
        return before.clone();
    }
    let next_tokens = OrderEncodedTokens::between(clauses, low, high);
    let is_changed = any_of(clauses, &fired);
    for value in low..=high + 1 {
        for change in changing() {
            let earlier = before.at_least(value - change.delta);
            equal_if(clauses, &[change.fired], next_tokens.at_least(value), earlier);
        }
        equal_if(clauses, &[!is_changed], next_tokens.at_least(value), before.at_least(value));
    }
    next_tokens
}

/// Adds the clauses that `single` is equivalent to the conjunction of `literals`.
fn equal_to_all(clauses: &mut impl Clauses, single: MaybeLiteral, literals: &[Literal]) {
    match single {
        MaybeLiteral::Is(true) => literals.iter().for_each(|&it| clauses.clause(&[it])),
        MaybeLiteral::Is(false) => {
            clauses.clause(&literals.iter().map(|&it| !it).collect::<Vec<_>>())
        }
        MaybeLiteral::Open(single) => {
            literals.iter().for_each(|&it| clauses.clause(&[!single, it]));
            let converse: Vec<Literal> = literals.iter().map(|&it| !it).chain([single]).collect();
            clauses.clause(&converse);
        }
    }
}
