//! Explanations why a transition never fires, or places are never marked together, from one sum of
//! tokens that no firing changes.
//!
//! Let y ≥ 0 with y·C = 0, so y·m = y·m₀ in every reachable marking m. If y·pre(t) exceeds y·m₀,
//! transition t is never enabled: m ≥ pre(t) would imply y·m ≥ y·pre(t). The input places of t in
//! the support of y then never hold enough tokens together. Often these are two places, and the sum
//! is short. The same argument applies to any lower bounds on the tokens of several places.
//!
//! Transitions known to be dead change no reachable marking, so y·C = 0 is required only of the
//! others.

use super::flows::PlaceFlow;
use super::integer::Integer;
use super::semiflows::place_semiflows;
use parikh_net::{Net, NetBuilder, PlaceId, Predicate, TransitionId};
use parikh_solvers::Budget;
use std::collections::{BTreeMap, HashSet};

/// Limit on the number of rays while semiflows are computed.
const MAX_RAYS: usize = 2_000;

/// Limit on the number of terms of a readable sum.
pub const MAX_TERMS: usize = 12;

/// Limit on the number of disjuncts that are explained.
const MAX_DISJUNCTS: usize = 3;

/// Sums of tokens that no firing changes. Each is checked against the arcs of the net without the
/// transitions known to be dead.
#[derive(Debug)]
pub struct InvariantSums {
    /// The sums, as semiflows.
    sums: Vec<PlaceFlow>,
    /// The indices of the sums that contain each place, by place index.
    sums_of_place: Vec<Vec<usize>>,
}

/// A proof that places never hold given numbers of tokens at the same time.
#[derive(Clone, Debug)]
pub struct Exclusion<'a> {
    /// The constant sum.
    pub sum: &'a PlaceFlow,
    net: &'a Net,
    /// The places of the sum with their required numbers of tokens, which no reachable marking has
    /// together.
    required: Vec<(PlaceId, u64)>,
}

impl InvariantSums {
    /// Computes sums of minimal support, as many as `budget` and `MAX_RAYS` allow. `dead` are
    /// transitions known never to fire.
    pub fn of(net: &Net, dead: &[TransitionId], budget: &Budget) -> InvariantSums {
        let live_net = if dead.is_empty() { None } else { without_transitions(net, dead) };
        let live_net = live_net.as_ref().unwrap_or(net);
        let mut sums = place_semiflows(live_net, MAX_RAYS, budget).flows;
        sums.retain(|sum| sum.is_semiflow() && sum.holds(live_net));
        let mut sums_of_place = vec![Vec::new(); net.place_count()];
        for (sum_index, sum) in sums.iter().enumerate() {
            sum.terms().iter().for_each(|(place, _)| sums_of_place[place.index()].push(sum_index));
        }
        InvariantSums { sums, sums_of_place }
    }

    /// Returns the simplest proof that `t` never fires: a sum with the fewest input places of `t`
    /// and, among such sums, the fewest terms. Returns `None` if no single sum proves this.
    pub fn exclude<'a>(&'a self, net: &'a Net, t: TransitionId) -> Option<Exclusion<'a>> {
        let required = net.pre(t).iter().map(|arc| (arc.place, arc.weight));
        self.exclude_all(net, &required.collect::<Vec<_>>())
    }

    /// Returns the simplest proof that the places never hold the required numbers of tokens at the
    /// same time. Returns `None` if no single sum proves it. `required` must list each place once.
    fn exclude_all<'a>(
        &'a self,
        net: &'a Net,
        required: &[(PlaceId, u64)],
    ) -> Option<Exclusion<'a>> {
        let sum_indices = required.iter().flat_map(|(place, _)| &self.sums_of_place[place.index()]);
        let exclusions = sum_indices.map(|&sum_index| {
            let sum = &self.sums[sum_index];
            let in_sum = required.iter().filter(|(place, _)| !sum.coefficient(*place).is_zero());
            Exclusion { sum, net, required: in_sum.copied().collect() }
        });
        let exclusions = exclusions.filter(Exclusion::holds);
        exclusions.min_by_key(|exclusion| (exclusion.required.len(), exclusion.sum.terms().len()))
    }

    /// Explains why no reachable marking satisfies `predicate`: one proof for each part of a
    /// disjunction.
    ///
    /// Returns `None` if some part has no proof by a single sum, or if its simplest proof uses a
    /// sum of more than [`MAX_TERMS`] terms. Also returns `None` for more than `MAX_DISJUNCTS`
    /// parts, or if [`required_tokens`] returns `None` for a part.
    pub fn why_never<'a>(
        &'a self,
        net: &'a Net,
        predicate: &Predicate,
    ) -> Option<Vec<Exclusion<'a>>> {
        match predicate {
            Predicate::Or(disjuncts) if disjuncts.len() <= MAX_DISJUNCTS => {
                let disjuncts = disjuncts.iter().map(|disjunct| self.why_never(net, disjunct));
                Some(disjuncts.collect::<Option<Vec<_>>>()?.concat())
            }
            _ => {
                let exclusion = self.exclude_all(net, &required_tokens(net, predicate)?)?;
                (exclusion.sum.terms().len() <= MAX_TERMS).then(|| vec![exclusion])
            }
        }
    }
}

/// Returns lower bounds on the tokens of places that `predicate` implies, each place once. The
/// bounds come from enabled transitions and from inequalities on a single place. Other conjuncts
/// are ignored. Returns `None` if `predicate` is neither a conjunction nor a linear inequality nor
/// the condition that a transition is enabled.
pub fn required_tokens(net: &Net, predicate: &Predicate) -> Option<Vec<(PlaceId, u64)>> {
    let conjuncts = match predicate {
        Predicate::And(conjuncts) => &conjuncts[..],
        Predicate::Atom(_) | Predicate::Enabled(_) => std::slice::from_ref(predicate),
        _ => return None,
    };
    let mut least: BTreeMap<PlaceId, u64> = BTreeMap::new();
    let mut raise = |place, tokens: u64| {
        let minimum = least.entry(place).or_default();
        *minimum = tokens.max(*minimum);
    };
    for conjunct in conjuncts {
        match conjunct {
            Predicate::Enabled(t) => {
                net.pre(*t).iter().for_each(|arc| raise(arc.place, arc.weight));
            }
            // −a·m(p) ≤ −k means m(p) ≥ k / a, rounded up.
            Predicate::Atom(atom) if atom.bound < 0 => {
                if let [(place, factor)] = *atom.sum.terms()
                    && factor < 0
                {
                    let (tokens, factor) = (atom.bound.unsigned_abs(), factor.unsigned_abs());
                    raise(place, tokens.div_ceil(factor));
                }
            }
            _ => {}
        }
    }
    Some(least.into_iter().collect())
}

/// Returns the net without the dead transitions, or `None` if it cannot be built.
fn without_transitions(net: &Net, dead: &[TransitionId]) -> Option<Net> {
    let mut builder = NetBuilder::new(net.name());
    for p in net.places() {
        builder.place(net.place_name(p), net.initial()[p]).ok()?;
    }
    let dead: HashSet<TransitionId> = dead.iter().copied().collect();
    for t in net.transitions().filter(|t| !dead.contains(t)) {
        let live_transition = builder.transition(net.transition_name(t)).ok()?;
        for arc in net.pre(t) {
            builder.take(live_transition, arc.place, arc.weight).ok()?;
        }
        for arc in net.post(t) {
            builder.put(live_transition, arc.place, arc.weight).ok()?;
        }
    }
    builder.build().ok().filter(|live_net| live_net.place_count() == net.place_count())
}

impl Exclusion<'_> {
    /// Returns true if the required tokens exceed the constant value of the sum.
    fn holds(&self) -> bool {
        let weighted = self.required.iter().fold(Integer::ZERO, |weighted, &(place, tokens)| {
            let factor = self.sum.coefficient(place);
            Integer::combine(&Integer::ONE, &weighted, &factor, &Integer::from(tokens))
        });
        let available = self.sum.constant(self.net.initial());
        let excess = Integer::combine(&Integer::ONE, &weighted, &Integer::from(-1_i64), &available);
        excess.is_positive()
    }

    /// Returns the places of the sum with their required numbers of tokens.
    pub fn required_tokens(&self) -> &[(PlaceId, u64)] {
        &self.required
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn the_simplest_sum_that_disables_a_transition_is_found() {
        let net = text::parse(
            "place p 1\nplace q\nplace r\nplace s 1\nplace z\ntransition a: p -> q\n\
             transition b: q -> r\ntransition both: p + q + s -> 2*q + s\ntransition two: 2*s -> 2*s\n\
             transition fine: r + s -> r + s",
        );
        let net = net.unwrap();
        let dead = [net.transition_named("both").unwrap(), net.transition_named("two").unwrap()];
        let sums = InvariantSums::of(&net, &dead, &Budget::unlimited());
        let said = |name: &str| {
            let exclusion = sums.exclude(&net, net.transition_named(name).unwrap())?;
            let together = exclusion.required_tokens().iter().copied();
            let named: Vec<_> = together.map(|(p, n)| (net.place_name(p).to_owned(), n)).collect();
            Some((exclusion.sum.describe(&net), named))
        };
        let two = |one: &str, other: &str| vec![(one.to_owned(), 1), (other.to_owned(), 1)];
        assert_eq!(said("both"), Some(("p + q + r = 1".to_owned(), two("p", "q"))));
        assert_eq!(said("two"), Some(("s = 1".to_owned(), vec![("s".to_owned(), 2)])));
        assert_eq!(said("fine"), None);
    }

    #[test]
    fn sums_explain_unreachable_predicates() {
        let net = text::parse(
            "place p 1\nplace q\nplace r 2\nplace s\ntransition a: p -> q\ntransition b: q -> p\n\
             transition c: r -> s\ntransition d: s -> r\ntransition e: 2*q -> 2*q",
        );
        let net = net.unwrap();
        let sums = InvariantSums::of(&net, &[], &Budget::unlimited());
        let place = |name| net.place_named(name).unwrap();
        let at_least = |name, tokens| Predicate::at_least(place(name), tokens);
        let said = |predicate: &Predicate| {
            let parts = sums.why_never(&net, predicate)?;
            let one = |it: &Exclusion<'_>| {
                let named = |&(p, n): &(PlaceId, u64)| format!("{n}·{}", net.place_name(p));
                let together: Vec<String> = it.required_tokens().iter().map(named).collect();
                format!("{}, never {}", it.sum.describe(&net), together.join(" and "))
            };
            Some(parts.iter().map(one).collect::<Vec<_>>().join("; "))
        };
        let both = Predicate::and([at_least("p", 1), at_least("q", 1), at_least("s", 1)]);
        let why = "p + q = 1, never 1·p and 1·q";
        assert_eq!(said(&both).as_deref(), Some(why));
        let many = Predicate::and([at_least("r", 1), at_least("s", 2)]);
        assert_eq!(said(&many).as_deref(), Some("r + s = 2, never 1·r and 2·s"));
        let either = Predicate::or([both, at_least("s", 3)]);
        assert_eq!(said(&either), Some(format!("{why}; r + s = 2, never 3·s")));
        let fires = Predicate::Enabled(net.transition_named("e").unwrap());
        assert_eq!(said(&fires).as_deref(), Some("p + q = 1, never 2·q"));
        // Satisfiable predicates, and predicates that are not lower bounds, have no explanation.
        assert_eq!(said(&at_least("s", 2)), None);
        assert_eq!(said(&at_least("s", 3).negated()), None);
        assert_eq!(said(&Predicate::Dead), None);
    }
}
