//! The checker accepts translated automata, and no automaton that accepts other words.

use crate::{random, scaled};
use fastrand::Rng;
use parikh_temporal::{
    AtomId, AtomNames, AutomatonEdge, AutomatonLimits, Cube, Formula, Lasso, Linear, Literal, Ltl,
    Marks,
};
use parikh_temporal::{LinearTableau, TableauRefusal};

const CASES: usize = 100_000;

#[test]
fn what_was_translated_is_complete_and_sound() {
    for case in 0..scaled(10_000) {
        let mut rng = Rng::with_seed(case);
        let mut formulas = Ltl::default();
        let operators = rng.usize(1..11);
        let formula = random::formula(&mut formulas, &mut rng, 3, operators);
        let text = formulas.text(formula, &AtomNames::default());
        let tableau =
            LinearTableau::new(&formulas, formula, AutomatonLimits::default()).expect(&text);
        assert_eq!(tableau.check_complete(&formulas, formula, CASES), Ok(()), "{text}, {case}");
        assert_eq!(tableau.check_sound(&formulas, formula), Ok(()), "{text}, case {case}");
    }
}

type Id = Formula<Linear>;
/// A mutation of an automaton. Returns true if it changed anything.
type Mutation = fn(&mut LinearTableau, &Ltl, &mut Rng) -> bool;

/// Returns a random edge, if there is any.
fn edge<'t>(tableau: &'t mut LinearTableau, rng: &mut Rng) -> Option<&'t mut AutomatonEdge> {
    let edges: Vec<&mut AutomatonEdge> = tableau.automaton.states.iter_mut().flatten().collect();
    let at = (!edges.is_empty()).then(|| rng.usize(..edges.len()))?;
    edges.into_iter().nth(at)
}

/// Returns the obligations of a random state.
fn obligations_of_random_state<'t>(
    tableau: &'t mut LinearTableau,
    rng: &mut Rng,
) -> &'t mut Vec<Id> {
    let state = rng.usize(..tableau.obligations.len());
    &mut tableau.obligations[state]
}

fn with_literals(
    edge: Option<&mut AutomatonEdge>,
    change: impl FnOnce(&mut Vec<Literal>) -> bool,
) -> bool {
    let Some(edge) = edge else { return false };
    let mut literals = edge.cube.literals().to_vec();
    let Some(cube) = change(&mut literals).then(|| Cube::of(literals)).flatten() else {
        return false;
    };
    edge.cube = cube;
    true
}

fn random_literal(rng: &mut Rng) -> Literal {
    Literal { atom: AtomId(rng.u32(..3)), positive: rng.bool() }
}

const MUTATIONS: &[(&str, Mutation)] = &[
    ("an edge is missing", |tableau, _, rng| {
        let state = rng.usize(..tableau.automaton.states.len());
        let edges = &mut tableau.automaton.states[state];
        if edges.is_empty() {
            return false;
        }
        edges.remove(rng.usize(..edges.len()));
        true
    }),
    ("all edges of a state are missing", |tableau, _, rng| {
        let state = rng.usize(..tableau.automaton.states.len());
        !std::mem::take(&mut tableau.automaton.states[state]).is_empty()
    }),
    ("an edge more", |tableau, _, rng| {
        let states = tableau.automaton.states.len();
        let (from, target) = (rng.usize(..states), rng.usize(..states));
        let cube = Cube::of([random_literal(rng)]).expect("one literal");
        let marks = Marks(rng.u64(..)).and(Marks::all(tableau.automaton.marks));
        tableau.automaton.states[from].push(AutomatonEdge { target, marks, cube });
        true
    }),
    ("an edge reads fewer letters", |tableau, _, rng| {
        let literal = random_literal(rng);
        with_literals(edge(tableau, rng), |all| {
            all.push(literal);
            true
        })
    }),
    ("an edge reads more letters", |tableau, _, rng| {
        let number = rng.usize(..3);
        with_literals(edge(tableau, rng), |all| {
            number < all.len() && {
                all.remove(number);
                true
            }
        })
    }),
    ("an edge reads other letters", |tableau, _, rng| {
        let number = rng.usize(..3);
        with_literals(edge(tableau, rng), |all| {
            number < all.len() && {
                all[number] = all[number].negated();
                true
            }
        })
    }),
    ("an edge speaks of another atom", |tableau, _, rng| {
        let (number, atom) = (rng.usize(..3), AtomId(rng.u32(..4)));
        with_literals(edge(tableau, rng), |all| {
            number < all.len() && {
                all[number].atom = atom;
                true
            }
        })
    }),
    ("an edge leads elsewhere", |tableau, _, rng| {
        let target = rng.usize(..tableau.automaton.states.len());
        edge(tableau, rng).is_some_and(|edge| std::mem::replace(&mut edge.target, target) != target)
    }),
    ("an edge leads nowhere", |tableau, _, rng| {
        let target = tableau.automaton.states.len();
        edge(tableau, rng).map(|edge| edge.target = target).is_some()
    }),
    ("an edge carries all marks", |tableau, _, rng| {
        let all = Marks::all(tableau.automaton.marks);
        edge(tableau, rng).is_some_and(|edge| std::mem::replace(&mut edge.marks, all) != all)
    }),
    ("an edge carries no mark", |tableau, _, rng| {
        edge(tableau, rng)
            .is_some_and(|edge| std::mem::replace(&mut edge.marks, Marks::NONE) != Marks::NONE)
    }),
    ("all edges carry all marks", |tableau, _, _| {
        let all = Marks::all(tableau.automaton.marks);
        let edges = tableau.automaton.states.iter_mut().flatten();
        let changed_edges = edges.filter_map(|edge| (edge.marks != all).then(|| edge.marks = all));
        changed_edges.count() > 0
    }),
    ("a state need not meet something", |tableau, _, rng| {
        let all = obligations_of_random_state(tableau, rng);
        !all.is_empty() && {
            let at = rng.usize(..all.len());
            all.remove(at);
            true
        }
    }),
    ("a state has to meet something more", |tableau, formulas, rng| {
        let first = *tableau.obligations[0].first().unwrap_or(&formulas.constant(false));
        let parts = formulas.subformulas(first);
        let part = parts[rng.usize(..parts.len())];
        let all = obligations_of_random_state(tableau, rng);
        !all.contains(&part) && {
            all.push(part);
            true
        }
    }),
    ("a state has to meet a part only", |tableau, formulas, rng| {
        let all = obligations_of_random_state(tableau, rng);
        !all.is_empty() && {
            let at = rng.usize(..all.len());
            let parts = formulas.subformulas(all[at]);
            let part = parts[rng.usize(..parts.len())];
            std::mem::replace(&mut all[at], part) != part
        }
    }),
    ("two states change what they stand for", |tableau, _, rng| {
        let states = tableau.obligations.len();
        let (one, two) = (rng.usize(..states), rng.usize(..states));
        tableau.obligations.swap(one, two);
        one != two
    }),
    ("two states change their edges", |tableau, _, rng| {
        let states = tableau.obligations.len();
        let (one, two) = (rng.usize(..states), rng.usize(..states));
        tableau.automaton.states.swap(one, two);
        one != two
    }),
    ("runs begin elsewhere", |tableau, _, rng| {
        let state = rng.usize(..tableau.obligations.len());
        std::mem::replace(&mut tableau.automaton.initial, state) != state
    }),
    ("marks stand for other untils", |tableau, _, _| {
        tableau.untils.reverse();
        tableau.untils.len() > 1
    }),
    ("a mark stands for another formula", |tableau, formulas, rng| {
        let Some(first) = tableau.untils.first_mut() else { return false };
        let parts = formulas.subformulas(*first);
        let part = parts[rng.usize(..parts.len())];
        std::mem::replace(first, part) != part
    }),
    ("a mark is forgotten", |tableau, _, _| {
        tableau.untils.pop();
        tableau.automaton.marks = tableau.automaton.marks.saturating_sub(1);
        let all = Marks::all(tableau.automaton.marks);
        let edges = tableau.automaton.states.iter_mut().flatten();
        edges.for_each(|edge| edge.marks = edge.marks.and(all));
        !tableau.untils.is_empty()
    }),
    ("a state stands for nothing known", |tableau, _, _| tableau.obligations.pop().is_some()),
];

/// The completeness check must refuse automata that lose words; the soundness check must refuse
/// automata that gain words. The product with the automaton of the negation has every gained word,
/// so none is missed. Lost words are sought among 40 random words.
#[test]
fn what_was_spoiled_is_refused() {
    // Indexed by mutation: the refusals of the completeness check and of the soundness check.
    let mut refused = vec![(0, 0); MUTATIONS.len()];
    for case in 0..scaled(6_000) {
        let mut rng = Rng::with_seed(case);
        let mut formulas = Ltl::default();
        let operators = rng.usize(2..8);
        let formula = random::formula(&mut formulas, &mut rng, 3, operators);
        let negation = formulas.negate(formula);
        let limits = AutomatonLimits::default();
        let good = LinearTableau::new(&formulas, formula, limits).expect("small");
        let number = case as usize % MUTATIONS.len();
        let (name, mutate) = MUTATIONS[number];
        let mut spoiled = good.clone();
        if !mutate(&mut spoiled, &formulas, &mut rng) {
            continue;
        }
        let complete = spoiled.check_complete(&formulas, formula, CASES);
        let sound = spoiled.check_sound(&formulas, formula);
        refused[number].0 += usize::from(complete.is_err());
        refused[number].1 += usize::from(sound.is_err());
        let well_formed = |result: &Result<(), TableauRefusal>| {
            !matches!(result, Err(TableauRefusal::Malformed(_)))
        };
        if !well_formed(&complete) || !well_formed(&sound) {
            continue;
        }
        let text = formulas.text(formula, &AtomNames::default());
        let opposite = LinearTableau::new(&formulas, negation, limits).expect("small").automaton;
        if sound.is_ok() {
            let gained_word = spoiled.automaton.and(&opposite, limits).expect("small").find_word();
            assert_eq!(gained_word, None, "{name}: {text}, case {case}");
        }
        if complete.is_ok() {
            let is_lost =
                |word: &Lasso| good.automaton.accepts(word) && !spoiled.automaton.accepts(word);
            let lost_word = (0..40).map(|_| random::lasso(&mut rng, 3)).find(is_lost);
            assert_eq!(lost_word, None, "{name}: {text}, case {case}");
        }
    }
    for ((name, _), (complete, sound)) in MUTATIONS.iter().zip(&refused) {
        assert!(complete + sound >= 5, "{name}: {complete} and {sound} refused");
    }
    let (complete, sound) = refused.iter().fold((0, 0), |(a, b), (c, d)| (a + c, b + d));
    assert!(complete > 500 && sound > 500, "{complete} and {sound} refused");
}
