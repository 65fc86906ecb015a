//! Bounded model checking: is the goal reached in k firings, for k = 0, 1, 2, …?
//!
//! The net is unrolled: k + 1 markings, each with its own variables "at least so many tokens", and
//! one choice of a transition between two of them, or none. A marking may hold no more of a place
//! than bounds and so many firings allow, which is all that keeps the number of variables finite.
//! Each round adds a step to the same solver, and asks whether the last marking satisfies the goal.
//!
//! It only ever finds witnesses, the shortest there are.
//!
//! # Source
//! A. Biere, A. Cimatti, E. Clarke, Y. Zhu, *Symbolic model checking without BDDs*, TACAS 1999.

use super::decide::{Decide, End};
use super::solver::Lesson;
use super::terms::Terms;
use parikh_net::{Atom, Predicate, TransitionId};
use parikh_solvers::Budget;
use parikh_solvers::cnf::Literal;
use parikh_solvers::sat::{SatAnswer, SatSolver};
use parikh_solvers::sat_batsat::BatSat;
use std::collections::HashMap;

/// A marking has no more variables for one place: beyond, steps are no longer added.
const RANGE: i128 = 64;

const TOO_MANY: &str = "a place or a sum may have too many values for a variable each";

/// At work on one question.
pub(super) struct Bmc<'n> {
    terms: Terms<'n>,
    predicate: Predicate,
    sat: BatSat,
    /// By marking and place.
    markings: Vec<Vec<Tokens>>,
    /// By step the transitions with their literals.
    steps: Vec<Vec<(TransitionId, Literal)>>,
    /// Whether the goal was asked of the last marking.
    asked: bool,
    questions: u64,
}

/// A place in one marking: at least `low` tokens; `above[i]` says that there are more than `low` + i.
struct Tokens {
    low: i128,
    above: Vec<Literal>,
}

/// A literal that may be known.
#[derive(Clone, Copy)]
enum Known {
    Is(bool),
    Open(Literal),
}

impl Tokens {
    fn high(&self) -> i128 {
        self.low + self.above.len() as i128
    }

    fn at_least(&self, value: i128) -> Known {
        match usize::try_from(value - self.low - 1) {
            Err(_) => Known::Is(true),
            Ok(at) => self.above.get(at).map_or(Known::Is(false), |&literal| Known::Open(literal)),
        }
    }

    /// Between `low` and `high` tokens.
    fn within(sat: &mut BatSat, low: i128, high: i128) -> Tokens {
        let above: Vec<Literal> = (low..high).map(|_| sat.new_variable()).collect();
        for pair in above.windows(2) {
            sat.add_clause(&[!pair[1], pair[0]]);
        }
        Tokens { low, above }
    }
}

impl<'n> Decide<'n> for Bmc<'n> {
    const FINDS: &'static str = "steps";

    fn new(terms: Terms<'n>, predicate: Predicate) -> Self {
        let mut sat = BatSat::new();
        let first = terms.net.places().map(|p| {
            let tokens = i128::from(terms.net.initial()[p]);
            Tokens::within(&mut sat, tokens, tokens)
        });
        let markings = vec![first.collect()];
        Bmc { terms, predicate, sat, markings, steps: Vec::new(), asked: false, questions: 0 }
    }

    fn run(&mut self, budget: &Budget) -> End {
        loop {
            if !self.asked {
                let Some(goal) = self.goal() else { return End::NoMore(TOO_MANY) };
                let assumed = match goal {
                    Known::Is(false) => None,
                    Known::Is(true) => Some(Vec::new()),
                    Known::Open(goal) => Some(vec![goal]),
                };
                self.questions += 1;
                match assumed.map(|assumed| self.sat.solve(&assumed, budget)) {
                    Some(SatAnswer::NoAnswer(_)) => return End::Unfinished,
                    Some(SatAnswer::Satisfiable(values)) => {
                        let fired = self.steps.iter().filter_map(|step| {
                            let chosen =
                                step.iter().find(|(_, it)| it.evaluate(&values) == Some(true));
                            chosen.map(|&(t, _)| t)
                        });
                        return End::Reached(fired.collect());
                    }
                    Some(SatAnswer::Unsatisfiable { .. }) | None => self.asked = true,
                }
            }
            if budget.is_exhausted() {
                return End::Unfinished;
            }
            if !self.unroll() {
                return End::NoMore(TOO_MANY);
            }
            self.asked = false;
        }
    }

    fn predicate(&self) -> &Predicate {
        &self.predicate
    }

    fn into_parts(self) -> (Terms<'n>, Vec<Lesson>) {
        (self.terms, Vec::new())
    }

    fn so_far(&self) -> (u64, u64) {
        (self.steps.len() as u64, self.questions)
    }
}

impl Bmc<'_> {
    /// Adds a step; `false` where a place would take too many variables.
    fn unroll(&mut self) -> bool {
        let net = self.terms.net;
        let before = self.markings.last().expect("the initial marking is there");
        // What can be enabled at all.
        let possible: Vec<TransitionId> = net
            .transitions()
            .filter(|&t| {
                let mut inputs = net.pre(t).iter();
                inputs.all(|arc| before[arc.place.index()].high() >= i128::from(arc.weight))
            })
            .collect();
        let mut ends: Vec<(i128, i128)> = before.iter().map(|it| (it.low, it.high())).collect();
        for &t in &possible {
            for change in net.delta(t) {
                let at = change.place.index();
                let (low, high) = (before[at].low, before[at].high());
                let after = i128::from(change.delta);
                ends[at].0 = ends[at].0.min(low + after).max(0);
                ends[at].1 = ends[at].1.max(high + after);
            }
        }
        for (at, end) in ends.iter_mut().enumerate() {
            end.0 = self.terms.low(at).map_or(end.0, |low| end.0.max(low));
            end.1 = self.terms.high(at).map_or(end.1, |high| end.1.min(high));
        }
        if ends.iter().any(|(low, high)| high - low > RANGE) {
            return false;
        }
        let after: Vec<Tokens> =
            ends.into_iter().map(|(low, high)| Tokens::within(&mut self.sat, low, high)).collect();
        let step: Vec<(TransitionId, Literal)> =
            possible.into_iter().map(|t| (t, self.sat.new_variable())).collect();
        self.at_most_one(&step);
        let before = self.markings.len() - 1;
        let mut around: Vec<Vec<(Literal, i128)>> = vec![Vec::new(); net.place_count()];
        for &(t, chosen) in &step {
            for arc in net.pre(t) {
                let enough = self.markings[before][arc.place.index()].at_least(arc.weight.into());
                self.imply(&[chosen], enough);
            }
            for change in net.delta(t) {
                around[change.place.index()].push((chosen, change.delta.into()));
            }
        }
        for (place, changing) in around.into_iter().enumerate() {
            let (low, high) = (after[place].low, after[place].high());
            for &(chosen, change) in &changing {
                for value in low..=high + 1 {
                    let now = after[place].at_least(value);
                    let earlier = self.markings[before][place].at_least(value - change);
                    self.equal(&[chosen], now, earlier);
                }
            }
            // No transition that changes it: it stays.
            let others: Vec<Literal> = changing.iter().map(|&(chosen, _)| !chosen).collect();
            for value in low..=high + 1 {
                let now = after[place].at_least(value);
                let earlier = self.markings[before][place].at_least(value);
                self.equal(&others, now, earlier);
            }
        }
        self.markings.push(after);
        self.steps.push(step);
        true
    }

    /// Of these transitions fires at most one: each after the first is chosen only if none before is.
    fn at_most_one(&mut self, step: &[(TransitionId, Literal)]) {
        let mut earlier: Option<Literal> = None;
        for &(_, chosen) in step {
            let so_far = self.sat.new_variable();
            self.sat.add_clause(&[!chosen, so_far]);
            if let Some(earlier) = earlier {
                self.sat.add_clause(&[!earlier, so_far]);
                self.sat.add_clause(&[!earlier, !chosen]);
            }
            earlier = Some(so_far);
        }
    }

    /// Where all of `given` hold, `then` does.
    fn imply(&mut self, given: &[Literal], then: Known) {
        let mut clause: Vec<Literal> = given.iter().map(|&literal| !literal).collect();
        match then {
            Known::Is(true) => return,
            Known::Is(false) => {}
            Known::Open(literal) => clause.push(literal),
        }
        self.sat.add_clause(&clause);
    }

    /// Where all of `given` hold, these are the same.
    fn equal(&mut self, given: &[Literal], one: Known, other: Known) {
        for (premise, then) in [(one, other), (other, one)] {
            match premise {
                Known::Is(false) => {}
                Known::Is(true) => self.imply(given, then),
                Known::Open(literal) => {
                    let given: Vec<Literal> = given.iter().copied().chain([literal]).collect();
                    self.imply(&given, then);
                }
            }
        }
    }

    /// A literal from which it follows that the last marking satisfies the goal; `None` where a sum
    /// takes too many variables.
    fn goal(&mut self) -> Option<Known> {
        let predicate = self.predicate.clone();
        self.holds(&predicate)
    }

    fn holds(&mut self, predicate: &Predicate) -> Option<Known> {
        Some(match predicate {
            Predicate::True => Known::Is(true),
            Predicate::Atom(atom) => {
                let mut known = HashMap::new();
                self.at_most(atom, 0, atom.bound.into(), &mut known)?
            }
            Predicate::And(parts) => {
                let own = self.sat.new_variable();
                for part in parts {
                    let part = self.holds(part)?;
                    self.imply(&[own], part);
                }
                Known::Open(own)
            }
            Predicate::Or(parts) => {
                let own = self.sat.new_variable();
                let mut clause = vec![!own];
                for part in parts {
                    match self.holds(part)? {
                        Known::Is(true) => return Some(Known::Is(true)),
                        Known::Is(false) => {}
                        Known::Open(literal) => clause.push(literal),
                    }
                }
                self.sat.add_clause(&clause);
                Known::Open(own)
            }
            // Nothing else is left in a predicate of comparisons.
            _ => Known::Is(false),
        })
    }

    /// A literal from which it follows that the terms of the sum from `from` on come to `most` at most.
    fn at_most(
        &mut self,
        atom: &Atom,
        from: usize,
        most: i128,
        known: &mut HashMap<(usize, i128), Literal>,
    ) -> Option<Known> {
        /// A sum of many places with large weights has too many values.
        const NODES: usize = 20_000;
        let last = self.markings.len() - 1;
        let ends = |&(place, a): &(parikh_net::PlaceId, i64)| {
            let tokens = &self.markings[last][place.index()];
            let (one, other) = (i128::from(a) * tokens.low, i128::from(a) * tokens.high());
            (one.min(other), one.max(other))
        };
        let rest = &atom.sum.terms()[from..];
        let least: i128 = rest.iter().map(|term| ends(term).0).sum();
        let greatest: i128 = rest.iter().map(|term| ends(term).1).sum();
        if greatest <= most {
            return Some(Known::Is(true));
        }
        if least > most {
            return Some(Known::Is(false));
        }
        if let Some(&literal) = known.get(&(from, most)) {
            return Some(Known::Open(literal));
        }
        if known.len() >= NODES {
            return None;
        }
        let own = self.sat.new_variable();
        known.insert((from, most), own);
        let (place, a) = atom.sum.terms()[from];
        let a = i128::from(a);
        let (low, high) = {
            let tokens = &self.markings[last][place.index()];
            (tokens.low, tokens.high())
        };
        // Each number of tokens, or more in the costly direction, leaves so much to the others.
        for value in low..=high {
            let others = self.at_most(atom, from + 1, most - a * value, known)?;
            let tokens = &self.markings[last][place.index()];
            let costly =
                if a > 0 { tokens.at_least(value) } else { not(tokens.at_least(value + 1)) };
            match costly {
                Known::Is(false) => {}
                Known::Is(true) => self.imply(&[own], others),
                Known::Open(literal) => self.imply(&[own, literal], others),
            }
        }
        Some(Known::Open(own))
    }
}

fn not(known: Known) -> Known {
    match known {
        Known::Is(holds) => Known::Is(!holds),
        Known::Open(literal) => Known::Open(!literal),
    }
}
