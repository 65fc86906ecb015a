//! Formulas about cases, and Declare constraints by name, checked against the enumerated cases of
//! small nets.

use crate::support::questions::{ONE, TWO};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::answer::{GoalAnswer, Plan, QuestionValue};
use parikh::formula::text::read_one;
use parikh::formula::{Expression, Formula, NumberRelation, TemporalLogic, of_cases};
use parikh::net::{Marking, Net, TransitionId, text};
use parikh::run::{Event, RunConfig, run_net};
use parikh::solvers::Budget;
use parikh_generate::{RandomKind, Shape, random};
use std::collections::BTreeMap;
use std::time::Duration;

/// A case: its markings, of which the last is final, and the firing that leaves each of the others.
#[derive(Clone)]
struct EnumeratedCase {
    markings: Vec<Marking>,
    fired: Vec<TransitionId>,
}

impl EnumeratedCase {
    /// Returns true if the finite word from this position satisfies the formula.
    fn satisfies(&self, formula: &Formula, at: usize) -> bool {
        let here = |part: &Formula| self.satisfies(part, at);
        let later = at..self.markings.len();
        match formula {
            Formula::Globally(it) => later.clone().all(|at| self.satisfies(it, at)),
            Formula::Finally(it) => later.clone().any(|at| self.satisfies(it, at)),
            Formula::Next(it) => at + 1 < later.end && self.satisfies(it, at + 1),
            Formula::Until { before, reach } => later.clone().any(|end| {
                self.satisfies(reach, end) && (at..end).all(|at| self.satisfies(before, at))
            }),
            Formula::Not(it) => !here(it),
            Formula::And(parts) => parts.iter().all(here),
            Formula::Or(parts) => parts.iter().any(here),
            Formula::Implies(a, b) => !here(a) || here(b),
            Formula::Equivalent(a, b) => here(a) == here(b),
            Formula::Xor(a, b) => here(a) != here(b),
            Formula::Fires(any) => self.fired.get(at).is_some_and(|t| any.contains(t)),
            Formula::Compare {
                left: Expression::Tokens(places),
                relation: NumberRelation::AtLeast,
                right,
            } => {
                let Expression::Constant(least) = right else { panic!("{right:?}") };
                let tokens: u64 = places.iter().map(|&p| self.markings[at][p]).sum();
                i64::try_from(tokens).unwrap() >= *least
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Returns all cases of a net: the runs that end in a final marking. Returns `None` if some firing
/// sequence is long, if there are too many firing sequences, or if a firing fails.
fn cases(net: &Net) -> Option<Vec<EnumeratedCase>> {
    let mut found = Vec::new();
    let first = EnumeratedCase { markings: vec![net.initial().clone()], fired: Vec::new() };
    let (mut open, mut runs) = (vec![first], 0);
    while let Some(case) = open.pop() {
        let marking = case.markings.last().unwrap();
        runs += 1;
        if runs > 3000 || case.fired.len() > 12 {
            return None;
        }
        for t in net.transitions().filter(|&t| net.is_enabled(marking, t)) {
            let (mut longer, mut next) = (case.clone(), marking.clone());
            net.fire(&mut next, t).ok()?;
            longer.markings.push(next);
            longer.fired.push(t);
            open.push(longer);
        }
        if net.final_markings().contains(marking) {
            found.push(case);
        }
    }
    Some(found)
}

/// Returns the answers to formulas about cases, by index.
fn answers(net: &Net, formulas: &[Formula]) -> BTreeMap<usize, bool> {
    let mut plan = Plan::default();
    for (at, formula) in formulas.iter().enumerate() {
        let formula = of_cases(formula, net).unwrap();
        plan.ask_formula_in(&at.to_string(), &formula, net, TemporalLogic::Linear).unwrap();
    }
    let config = RunConfig { threads: 1, ..RunConfig::default() };
    let budget = Budget::unlimited().slice(Duration::from_secs(3));
    let mut answers = BTreeMap::new();
    let report = run_net(net, plan, &config, &budget, |event| {
        if let Event::Answered(GoalAnswer { id, value: QuestionValue::Bool(holds), .. }) = event {
            answers.insert(id.parse().unwrap(), *holds);
        }
    });
    assert_eq!(report.faults, 0);
    answers
}

/// Returns a random formula with this number of operators, over firings and markings.
fn formula(rng: &mut Rng, net: &Net, operators: usize) -> Formula {
    if operators == 0 {
        if rng.bool() && net.transition_count() > 0 {
            let t = TransitionId::new(rng.usize(..net.transition_count()));
            return Formula::Fires(vec![t]);
        }
        let places = net.places().filter(|_| rng.u8(..3) == 0).take(2).collect::<Vec<_>>();
        if places.is_empty() {
            return Formula::Finally(Box::new(Formula::Fires(net.transitions().collect())));
        }
        let (left, right) = (Expression::Tokens(places), Expression::Constant(rng.i64(1..3)));
        return Formula::Compare { left, relation: NumberRelation::AtLeast, right };
    }
    let left = rng.usize(..operators);
    let a = Box::new(formula(rng, net, left));
    let b = Box::new(formula(rng, net, operators - 1 - left));
    match rng.u8(..8) {
        0 => Formula::And(vec![*a, *b]),
        1 => Formula::Or(vec![*a, *b]),
        2 => Formula::Not(b),
        3 => Formula::Globally(b),
        4 => Formula::Finally(b),
        5 => Formula::Until { before: a, reach: b },
        _ => Formula::Next(b),
    }
}

#[test]
fn formulas_about_cases_agree_with_the_enumerated_cases() {
    let (mut holding, mut failing, mut some, mut several) = (0, 0, 0, 0);
    for seed in 0..scaled(400) {
        let mut rng = Rng::with_seed(seed);
        let net = random(seed, &Shape { kind: RandomKind::Bounded, ..Shape::small(seed) });
        // One to three reachable dead markings are the final markings.
        let mut finals: Vec<Marking> = Vec::new();
        for _ in 0..rng.usize(1..4) {
            let mut marking = net.initial().clone();
            for _ in 0..12 {
                let enabled: Vec<TransitionId> =
                    net.transitions().filter(|&t| net.is_enabled(&marking, t)).collect();
                let Some(&t) = rng.choice(&enabled) else { break };
                net.fire(&mut marking, t).unwrap();
            }
            if net.is_dead(&marking) && marking.total() > 0 && !finals.contains(&marking) {
                finals.push(marking);
            }
        }
        if finals.is_empty() || net.is_dead(net.initial()) {
            continue;
        }
        several += usize::from(finals.len() > 1);
        let net = net.with_final_markings(finals);
        let Some(cases) = cases(&net) else { continue };
        let formulas: Vec<Formula> = (0..6)
            .map(|_| {
                let operators = rng.usize(1..6);
                let path = formula(&mut rng, &net, operators);
                if rng.u8(..3) == 0 { Formula::ExistsPath(Box::new(path)) } else { path }
            })
            .collect();
        for (at, holds) in answers(&net, &formulas) {
            let holds_of = |path: &Formula, case: &EnumeratedCase| case.satisfies(path, 0);
            let expected = match &formulas[at] {
                Formula::ExistsPath(path) => cases.iter().any(|case| holds_of(path, case)),
                path => cases.iter().all(|case| holds_of(path, case)),
            };
            assert_eq!(holds, expected, "net {seed}: {}", formulas[at].print(&net));
            holding += usize::from(holds);
            failing += usize::from(!holds);
            some += usize::from(matches!(formulas[at], Formula::ExistsPath(_)));
        }
    }
    assert!(holding > 20 && failing > 20 && some > 10, "{holding} {failing} {some}");
    assert!(several > 5, "{several}");
}

/// Evaluates a Declare constraint by its name, given the positions of a and of b in a case.
fn declared(name: &str, a: &[usize], b: &[usize]) -> bool {
    let after = |at: &usize, all: &[usize]| all.iter().any(|other| other > at);
    let next = |at: &usize, all: &[usize]| all.contains(&(at + 1));
    // The first position of a or b after a position.
    let first_after = |at: usize| a.iter().chain(b).filter(|&&it| it > at).min().copied();
    let last_before = |at: usize| a.iter().chain(b).filter(|&&it| it < at).max().copied();
    match name {
        "existence" => !a.is_empty(),
        "existence2" => a.len() >= 2,
        "existence3" => a.len() >= 3,
        "absence" => a.is_empty(),
        "absence2" => a.len() <= 1,
        "absence3" => a.len() <= 2,
        "exactly_one" => a.len() == 1,
        "init" => a.contains(&0),
        "choice" => !a.is_empty() || !b.is_empty(),
        "exclusive_choice" => a.is_empty() != b.is_empty(),
        "responded_existence" => a.is_empty() || !b.is_empty(),
        "not_responded_existence" => a.is_empty() || b.is_empty(),
        "co_existence" => a.is_empty() == b.is_empty(),
        "not_co_existence" => a.is_empty() || b.is_empty(),
        "response" => a.iter().all(|at| after(at, b)),
        "precedence" => b.iter().all(|at| a.iter().any(|before| before < at)),
        "succession" => declared("response", a, b) && declared("precedence", a, b),
        // No b has an a before it.
        "not_precedence" => !b.iter().any(|at| a.iter().any(|before| before < at)),
        "not_response" | "not_succession" => !a.iter().any(|at| after(at, b)),
        "alternate_response" => {
            a.iter().all(|&at| first_after(at).is_some_and(|next| b.contains(&next)))
        }
        "alternate_precedence" => {
            b.iter().all(|&at| last_before(at).is_some_and(|before| a.contains(&before)))
        }
        "alternate_succession" => {
            declared("alternate_response", a, b) && declared("alternate_precedence", a, b)
        }
        "chain_response" => a.iter().all(|at| next(at, b)),
        "chain_precedence" => b.iter().all(|&at| at > 0 && a.contains(&(at - 1))),
        "chain_succession" => {
            declared("chain_response", a, b) && declared("chain_precedence", a, b)
        }
        "not_chain_precedence" => !b.iter().any(|&at| at > 0 && a.contains(&(at - 1))),
        "not_chain_response" | "not_chain_succession" => !a.iter().any(|at| next(at, b)),
        other => panic!("{other}"),
    }
}

#[test]
fn named_constraints_have_the_meaning_of_declare() {
    const NET: &str = "place i 1\nplace p\nplace q\nplace r 3\nplace o\n\
        transition ask: i -> p\ntransition pay: p + r -> p\ntransition ship: p -> q\n\
        transition skip: i -> q\ntransition pays: q + r -> q\ntransition close: q -> o";
    let net = text::parse(NET).unwrap();
    let place = |name| net.place_named(name).unwrap();
    let mut both = [0, 0];
    for left in 0..=3 {
        let mut last = Marking::empty(net.place_count());
        (last[place("o")], last[place("r")]) = (1, left);
        let net = net.clone().with_final_markings(vec![last]);
        let cases = cases(&net).unwrap();
        let named = |t: TransitionId| net.transition_name(t).to_owned();
        let mut asked = Vec::new();
        for a in net.transitions() {
            asked.extend(ONE.iter().map(|&name| (name, a, a, format!("{name}({})", named(a)))));
            for b in net.transitions().filter(|&b| b != a) {
                let text = |name| format!("{name}({}, {})", named(a), named(b));
                asked.extend(TWO.iter().map(|&name| (name, a, b, text(name))));
            }
        }
        let formulas: Vec<Formula> =
            asked.iter().map(|(.., text)| read_one(text, "f", &net).formula.unwrap()).collect();
        // On each case, each formula agrees with the meaning of its name.
        for ((name, a, b, text), formula) in asked.iter().zip(&formulas) {
            for case in &cases {
                let at = |t: &TransitionId| -> Vec<usize> {
                    let fired = case.fired.iter().enumerate();
                    fired.filter(|(_, fired)| *fired == t).map(|(at, _)| at).collect()
                };
                let holds = case.satisfies(formula, 0);
                assert_eq!(holds, declared(name, &at(a), &at(b)), "{text}");
                both[usize::from(holds)] += 1;
            }
        }
        // A sample of the formulas is answered by a run.
        let some: Vec<Formula> = formulas.iter().step_by(23).cloned().collect();
        let answers = answers(&net, &some);
        assert!(answers.len() > some.len() / 2, "{} of {}", answers.len(), some.len());
        for (at, holds) in answers {
            let all = cases.iter().all(|case| case.satisfies(&some[at], 0));
            assert_eq!(holds, all, "{}", some[at].print(&net));
        }
    }
    assert!(both[0] > 1000 && both[1] > 1000, "{both:?}");
}
