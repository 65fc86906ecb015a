//! Lowered formulas are equivalent to the original formulas: random formulas are compared with an
//! independent evaluation. State formulas are evaluated on random markings, temporal formulas over
//! all maximal paths of small nets.

use crate::support::oracle::{OracleLimits, explore};
use crate::support::scale::cases;
use crate::support::{runs, trees};
use parikh::formula::{
    Expression, Formula, NumberRelation, Proposition, Query, TemporalLogic, UnsupportedFormula,
    lower, lower_in, lower_state,
};
use parikh_net::{Goal, Marking, Net, PlaceId, TransitionId, text};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Nets of three places and three transitions with few reachable markings, with and without a
/// deadlock.
pub(super) const NETS: [&str; 3] = [
    "net ring\nplace p 2\nplace q\nplace r\n\
     transition t: p -> q\ntransition u: q -> r\ntransition v: r -> p",
    "net stuck\nplace p 3\nplace q 1\nplace r\n\
     transition t: p + q -> r\ntransition u: r -> q\ntransition v: 2*p -> r + q",
    "net loop\nplace p 1\nplace q\nplace r 1\n\
     transition t: p -> q\ntransition u: q + r -> p + r\ntransition v: q ->",
];

fn number(expression: &Expression, marking: &Marking) -> i128 {
    match expression {
        Expression::Constant(k) => i128::from(*k),
        Expression::Tokens(places) => places.iter().map(|&p| i128::from(marking[p])).sum(),
        Expression::Sum(parts) => parts.iter().map(|part| number(part, marking)).sum(),
        Expression::Product(parts) => parts.iter().map(|part| number(part, marking)).product(),
        Expression::Difference(a, b) => number(a, marking) - number(b, marking),
    }
}

/// A net and its reachability graph.
struct PathSpace {
    net: Net,
    markings: Vec<Marking>,
    next: Vec<Vec<usize>>,
}

impl PathSpace {
    fn of(net: &str) -> PathSpace {
        let net = text::parse(net).unwrap();
        let mut markings = vec![net.initial().clone()];
        let mut next = Vec::new();
        while next.len() < markings.len() {
            let marking = markings[next.len()].clone();
            let mut after = Vec::new();
            for t in net.transitions() {
                let mut marking = marking.clone();
                if net.fire(&mut marking, t).is_ok() {
                    let known = markings.iter().position(|known| *known == marking);
                    after.push(known.unwrap_or_else(|| {
                        markings.push(marking);
                        markings.len() - 1
                    }));
                }
            }
            next.push(after);
        }
        PathSpace { net, markings, next }
    }

    fn state(&self, formula: &Formula, at: usize) -> bool {
        match formula {
            Formula::AllPaths(path) => self.outcomes(path, at).iter().all(|&holds| holds),
            Formula::ExistsPath(path) => self.outcomes(path, at).contains(&true),
            Formula::Not(a) => !self.state(a, at),
            Formula::And(parts) => parts.iter().all(|part| self.state(part, at)),
            Formula::Or(parts) => parts.iter().any(|part| self.state(part, at)),
            Formula::Implies(a, b) => !self.state(a, at) || self.state(b, at),
            Formula::Equivalent(a, b) => self.state(a, at) == self.state(b, at),
            Formula::Xor(a, b) => self.state(a, at) != self.state(b, at),
            formula => holds(formula, &self.net, &self.markings[at]),
        }
    }

    /// Returns the possible values of the path formula over all maximal paths from a marking.
    ///
    /// On a path, F and G only depend on the truth values that their operands take. So paths are
    /// explored together with the set of values seen so far. A set is final if the path can end, or
    /// can continue forever without new values.
    fn outcomes(&self, path: &Formula, at: usize) -> BTreeSet<bool> {
        let mut operands = Vec::new();
        temporal_operands(path, &mut operands);
        let met = |at: usize| -> BTreeSet<(usize, bool)> {
            operands.iter().enumerate().map(|(i, part)| (i, self.state(part, at))).collect()
        };
        let mut nodes = BTreeMap::from([((at, met(at)), false)]);
        let mut todo = vec![(at, met(at))];
        while let Some((at, seen)) = todo.pop() {
            for &to in &self.next[at] {
                let node = (to, seen.union(&met(to)).copied().collect::<BTreeSet<_>>());
                if nodes.insert(node.clone(), false).is_none() {
                    todo.push(node);
                }
            }
        }
        // Removes nodes that neither end nor continue with the same set, until nothing changes.
        let mut lasting: BTreeSet<_> = nodes.into_keys().collect();
        loop {
            let before = lasting.len();
            let goes_on = |(at, seen): &(usize, BTreeSet<(usize, bool)>)| {
                self.next[*at].is_empty()
                    || self.next[*at].iter().any(|&to| lasting.contains(&(to, seen.clone())))
            };
            let left: BTreeSet<_> = lasting.iter().filter(|node| goes_on(node)).cloned().collect();
            lasting = left;
            if lasting.len() == before {
                break;
            }
        }
        lasting.iter().map(|(_, seen)| self.on_path(path, at, seen, &mut 0)).collect()
    }

    fn on_path(
        &self,
        path: &Formula,
        start: usize,
        seen: &BTreeSet<(usize, bool)>,
        operand: &mut usize,
    ) -> bool {
        match path {
            Formula::Finally(_) | Formula::Globally(_) => {
                let index = *operand;
                *operand += 1;
                match path {
                    Formula::Finally(_) => seen.contains(&(index, true)),
                    _ => !seen.contains(&(index, false)),
                }
            }
            Formula::Not(a) => !self.on_path(a, start, seen, operand),
            Formula::And(parts) | Formula::Or(parts) => {
                // All parts are evaluated without short-circuiting, so that the operand count is
                // right.
                let mut each = Vec::new();
                for part in parts {
                    each.push(self.on_path(part, start, seen, operand));
                }
                match path {
                    Formula::And(_) => each.into_iter().all(|holds| holds),
                    _ => each.into_iter().any(|holds| holds),
                }
            }
            state => self.state(state, start),
        }
    }

    /// Returns true if a marking with the predicate is reachable from every marking.
    fn stays(&self, predicate: &parikh_net::Predicate) -> bool {
        let holds = |marking: &Marking| predicate.holds(&self.net, marking);
        let mut good: Vec<bool> = self.markings.iter().map(holds).collect();
        loop {
            let more = |at: usize| !good[at] && self.next[at].iter().any(|&to| good[to]);
            let new: Vec<usize> = (0..good.len()).filter(|&at| more(at)).collect();
            if new.is_empty() {
                return good.into_iter().all(|good| good);
            }
            new.into_iter().for_each(|at| good[at] = true);
        }
    }

    fn answer(&self, query: &Query<Goal>) -> bool {
        let Query::Truth(proposition) = query else { panic!("no bound was asked for") };
        let holds = |goal: &Goal| match goal {
            Goal::Reach(predicate) => {
                self.markings.iter().any(|marking| predicate.holds(&self.net, marking))
            }
            Goal::Home(predicate) => self.stays(predicate),
            Goal::Run(property) => {
                let space = explore(&self.net, OracleLimits::default()).expect("a small net");
                runs::exists(&space, property)
            }
            Goal::Tree(property) => {
                let space = explore(&self.net, OracleLimits::default()).expect("a small net");
                trees::holds(&space, property)
            }
            Goal::Maximise(_) => panic!("it was not asked for"),
        };
        assert!(consequences_hold(proposition, &holds), "{proposition:?}");
        proposition.value(&holds)
    }
}

/// Returns true if every declared consequence of a part holds whenever the part holds.
fn consequences_hold(whole: &Proposition<Goal>, holds: &impl Fn(&Goal) -> bool) -> bool {
    let all = |parts: &[Proposition<Goal>]| parts.iter().all(|it| consequences_hold(it, holds));
    match whole {
        Proposition::Constant(_) | Proposition::Atom(_) => true,
        Proposition::Not(part) => consequences_hold(part, holds),
        Proposition::And(parts) | Proposition::Or(parts) => all(parts),
        Proposition::Iff(both) => all(&both[..]),
        Proposition::WithConsequences(main, others) => {
            let follow = !main.value(holds) || others.iter().all(|it| it.value(holds));
            follow && consequences_hold(main, holds) && all(others)
        }
    }
}

/// Collects the operands of F and G outside of inner path quantifiers, in order.
fn temporal_operands<'f>(path: &'f Formula, operands: &mut Vec<&'f Formula>) {
    match path {
        Formula::Finally(part) | Formula::Globally(part) => operands.push(part),
        Formula::Not(a) => temporal_operands(a, operands),
        Formula::And(parts) | Formula::Or(parts) => {
            parts.iter().for_each(|part| temporal_operands(part, operands));
        }
        _ => {}
    }
}

/// Evaluates a state formula without temporal operators.
pub(super) fn holds(formula: &Formula, net: &Net, marking: &Marking) -> bool {
    let holds = |formula: &Formula| holds(formula, net, marking);
    match formula {
        Formula::Not(a) => !holds(a),
        Formula::And(parts) => parts.iter().all(holds),
        Formula::Or(parts) => parts.iter().any(holds),
        Formula::Implies(a, b) => !holds(a) || holds(b),
        Formula::Equivalent(a, b) => holds(a) == holds(b),
        Formula::Xor(a, b) => holds(a) != holds(b),
        Formula::Compare { left, relation, right } => {
            let (left, right) = (number(left, marking), number(right, marking));
            match relation {
                NumberRelation::AtMost => left <= right,
                NumberRelation::AtLeast => left >= right,
                NumberRelation::Less => left < right,
                NumberRelation::Greater => left > right,
                NumberRelation::Equal => left == right,
                NumberRelation::Unequal => left != right,
            }
        }
        Formula::Fireable(list) => list.iter().any(|&t| net.is_enabled(marking, t)),
        Formula::Deadlock => net.is_dead(marking),
        Formula::True => true,
        Formula::False => false,
        other => panic!("{other:?} is no state formula"),
    }
}

fn expression() -> impl Strategy<Value = Expression> {
    let places = prop::collection::vec((0..3usize).prop_map(PlaceId::new), 1..4);
    let leaf = prop_oneof![
        (-4..8i64).prop_map(Expression::Constant),
        places.prop_map(Expression::Tokens),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        let list = || prop::collection::vec(inner.clone(), 1..3);
        prop_oneof![
            list().prop_map(Expression::Sum),
            list().prop_map(Expression::Product),
            (inner.clone(), inner.clone())
                .prop_map(|(a, b)| Expression::Difference(Box::new(a), Box::new(b))),
        ]
    })
}

pub(super) fn boolean(leaf: BoxedStrategy<Formula>, depth: u32) -> BoxedStrategy<Formula> {
    leaf.prop_recursive(depth, 10, 3, |inner| {
        let list = || prop::collection::vec(inner.clone(), 1..4);
        let pair = || (inner.clone().prop_map(Box::new), inner.clone().prop_map(Box::new));
        prop_oneof![
            list().prop_map(Formula::And),
            list().prop_map(Formula::Or),
            inner.clone().prop_map(|a| Formula::Not(Box::new(a))),
            pair().prop_map(|(a, b)| Formula::Implies(a, b)),
            pair().prop_map(|(a, b)| Formula::Equivalent(a, b)),
            pair().prop_map(|(a, b)| Formula::Xor(a, b)),
        ]
    })
    .boxed()
}

pub(super) fn state() -> BoxedStrategy<Formula> {
    let relation = prop::sample::select(vec![
        NumberRelation::AtMost,
        NumberRelation::AtLeast,
        NumberRelation::Less,
        NumberRelation::Greater,
        NumberRelation::Equal,
        NumberRelation::Unequal,
    ]);
    let transitions = prop::collection::vec((0..3usize).prop_map(TransitionId::new), 1..4);
    let compare = (expression(), relation, expression())
        .prop_map(|(left, relation, right)| Formula::Compare { left, relation, right });
    let leaf = prop_oneof![
        5 => compare,
        2 => transitions.prop_map(Formula::Fireable),
        1 => Just(Formula::Deadlock),
        1 => Just(Formula::True),
        1 => Just(Formula::False),
    ];
    boolean(leaf.boxed(), 3)
}

/// Returns A or E over F, G and conditions on the initial marking, joined by Boolean connectives.
fn quantified() -> BoxedStrategy<Formula> {
    let part = || state().prop_map(Box::new);
    let leaf = prop_oneof![
        3 => part().prop_map(Formula::Finally),
        3 => part().prop_map(Formula::Globally),
        1 => state(),
    ];
    let path = leaf.prop_recursive(2, 5, 2, |inner| {
        let list = || prop::collection::vec(inner.clone(), 1..3);
        prop_oneof![
            inner.clone().prop_map(|a| Formula::Not(Box::new(a))),
            list().prop_map(Formula::And),
            list().prop_map(Formula::Or),
        ]
    });
    (path.prop_map(Box::new), any::<bool>())
        .prop_map(|(path, all)| match all {
            true => Formula::AllPaths(path),
            false => Formula::ExistsPath(path),
        })
        .boxed()
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn state_formulas_mean_the_same_in_every_marking(
        formula in state(),
        net in prop::sample::select(&NETS[..]),
        markings in prop::collection::vec(prop::collection::vec(0..6u64, 3), 10),
    ) {
        let net = text::parse(net).unwrap();
        let possible = Formula::ExistsPath(Box::new(Formula::Finally(Box::new(formula.clone()))));
        let always = Formula::AllPaths(Box::new(Formula::Globally(Box::new(formula.clone()))));
        let questions = [&possible, &always].map(|formula| lower(formula, &net));
        let only = |query: &Query<Goal>| query.only_atom().map(|(goal, then)| (goal.clone(), then));
        let (Ok(here), [Ok(possible), Ok(always)]) = (lower_state(&formula), &questions)
        else {
            prop_assert!(questions.iter().all(|q| *q == Err(UnsupportedFormula::NonLinear)), "{questions:?}");
            return Ok(());
        };
        let initially = Query::Truth(Proposition::Constant(here.holds(&net, net.initial())));
        prop_assert_eq!(lower(&formula, &net), Ok(initially));
        let (Some((Goal::Reach(sought), true)), Some((Goal::Reach(not), false))) =
            (only(possible), only(always))
        else {
            panic!("{questions:?}")
        };
        for tokens in markings {
            let marking = Marking::new(tokens);
            let expected = holds(&formula, &net, &marking);
            prop_assert_eq!(here.holds(&net, &marking), expected);
            prop_assert_eq!(sought.holds(&net, &marking), expected);
            prop_assert_eq!(not.holds(&net, &marking), !expected);
        }
    }

    #[test]
    fn temporal_formulas_mean_the_same(
        formula in boolean(prop_oneof![3 => quantified(), 1 => state()].boxed(), 2),
        net in prop::sample::select(&NETS[..]),
    ) {
        let space = PathSpace::of(net);
        let net = &space.net;
        for query in [lower(&formula, net), lower_in(&formula, net, TemporalLogic::Linear)] {
            match query {
                Ok(query) => {
                    prop_assert_eq!(space.answer(&query), space.state(&formula, 0), "{:?}", query);
                }
                Err(error) => prop_assert!(
                    matches!(error, UnsupportedFormula::NonLinear | UnsupportedFormula::Temporal(_)), "{}", error
                ),
            }
        }
    }
}
