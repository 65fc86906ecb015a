//! Every part of every encoding on random small nets, against plain enumeration. An
//! overapproximation never excludes a reachable goal. Bounded model checking is exact. k-induction
//! never proves a reachable goal unreachable. Each part excludes some goal that the plain state
//! equation does not. Every question is also written as a script and as a linear program, and Z3
//! answers the script with its own reader.

use crate::support::oracle::{GoalTruth, OracleLimits, StateSpace, explore};
use crate::support::scale::scaled;
use parikh::encodings::{EncodeError, EncodedGoal, Encoding, EncodingPart, Numbers};
use parikh::net::{Facts, FiringSequence, Goal, Marking, Net, Predicate, Provenance, text};
use parikh::solvers::Budget;
use parikh::solvers::certify::infeasible_near;
use parikh::solvers::lp::{LpAnswer, LpSolver};
use parikh::solvers::lp_microlp::MicroLp;
use parikh::solvers::smt::{SmtAnswer, SmtSolver};
use parikh::solvers::smt_lib::ExpectedAnswer;
use parikh::solvers::smt_z3::{Z3, run_script};
use parikh::structure::bounds::place_bounds;
use parikh::structure::closed::ClosureKind;
use parikh::structure::flows::place_flows;
use parikh::structure::minimal::minimal_sets;
use parikh_generate::{Shape, random, random_goals};
use std::collections::BTreeMap;
use std::time::Duration;

fn facts(net: &Net) -> Facts {
    let budget = Budget::unlimited();
    let flows = place_flows(net, &budget).unwrap();
    let mut facts = Facts::empty(net);
    place_bounds(net, &flows, &budget).write(&mut facts);
    facts.flows = flows.iter().filter_map(|flow| flow.to_sum()).collect();
    facts.traps = minimal_sets(net, ClosureKind::Trap, 20, &budget).sets;
    facts
}

/// Returns true if Z3 finds the question satisfiable.
fn satisfiable(question: &EncodedGoal<'_>) -> bool {
    let mut z3 = Z3::new().unwrap();
    for assertion in question.assertions() {
        z3.assert(question.terms(), assertion).unwrap();
    }
    match z3.check(question.terms(), &[], &Budget::unlimited()).unwrap() {
        SmtAnswer::Satisfiable(_) => true,
        SmtAnswer::Unsatisfiable { .. } => false,
        SmtAnswer::NoAnswer(reason) => panic!("no answer to a small question: {reason}"),
    }
}

fn script(question: &EncodedGoal<'_>) -> String {
    let mut out = Vec::new();
    question.write_smt2(ExpectedAnswer::Unknown, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn over(parts: &[EncodingPart], numbers: Numbers) -> Encoding {
    Encoding::new(parts.iter().copied(), numbers).unwrap()
}

/// Returns the encodings that are compared with the plain state equation.
fn encodings() -> Vec<Vec<EncodingPart>> {
    use EncodingPart::*;
    vec![
        vec![StateEquation],
        vec![Flows],
        vec![Bounds],
        vec![Flows, Traps],
        vec![StateEquation, Flows, Bounds, Units],
        vec![StateEquation, Traps],
        vec![StateEquation, ListedTraps],
        vec![StateEquation, ReadFeed],
        vec![StateEquation, CausalOrder],
        vec![StateEquation, Predecessor],
        vec![StateEquation, Traps, ListedTraps, ReadFeed, CausalOrder, Predecessor],
    ]
}

fn goals(seed: u64, net: &Net) -> Vec<Predicate> {
    let mut goals = vec![Predicate::Dead];
    for goal in random_goals(seed, net, 3) {
        if let Goal::Reach(predicate) = goal {
            goals.push(predicate);
        }
    }
    let t = net.transitions().nth(seed as usize % net.transition_count().max(1));
    goals.extend(t.map(Predicate::Enabled));
    goals
}

#[derive(Default, Debug)]
struct Tally {
    goals: usize,
    unreachable: usize,
    /// For each encoding, over the reals and over the integers: the number of refuted goals, and of
    /// those that the plain state equation over the same numbers does not refute.
    refuted: BTreeMap<String, [usize; 2]>,
}

fn compare(net: &Net, space: &StateSpace<'_>, goal: &Predicate, seed: u64, tally: &mut Tally) {
    let facts = facts(net);
    let reachable = space.reaches(goal);
    tally.goals += 1;
    tally.unreachable += usize::from(!reachable);
    for numbers in [Numbers::Reals, Numbers::Integers] {
        let mut plain = false;
        for (position, parts) in encodings().iter().enumerate() {
            let encoding = over(parts, numbers);
            let goal = Goal::Reach(goal.clone());
            let question = EncodedGoal::new(net, &goal, &encoding, &facts).unwrap();
            let refuted = !satisfiable(&question);
            let about = format!("net {seed}, {encoding} {numbers}: {goal:?}");
            assert!(!(refuted && reachable), "{about}\n{}", text::print(net));
            if position == 0 {
                plain = refuted;
            }
            let counts = tally.refuted.entry(format!("{encoding} {numbers}")).or_default();
            counts[0] += usize::from(refuted);
            counts[1] += usize::from(refuted && !plain);
            if seed.is_multiple_of(8) {
                let script = script(&question);
                let answer = run_script(&script, Duration::from_secs(60)).unwrap();
                let expected = if refuted { "unsat" } else { "sat" };
                assert_eq!(answer.trim(), expected, "{about}\n{script}");
            }
            check_program(&question, refuted, numbers, &about);
        }
    }
}

/// If the question is linear, the linear program over the reals must agree with Z3.
fn check_program(question: &EncodedGoal<'_>, refuted: bool, numbers: Numbers, about: &str) {
    let Ok(linear) = question.linear() else { return };
    let mut text = Vec::new();
    question.write_lp(&mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert_eq!(text.contains("General"), numbers == Numbers::Integers);
    match MicroLp::new().solve(&linear.program, &Budget::unlimited()) {
        LpAnswer::Infeasible(found) => {
            assert!(refuted, "{about}");
            let ray = found.multipliers.unwrap_or_default();
            infeasible_near(&linear.program, &ray).unwrap();
        }
        LpAnswer::Optimal(_) => assert!(!refuted || numbers == Numbers::Integers, "{about}"),
        // The solver microlp sometimes gives up.
        LpAnswer::Unbounded | LpAnswer::NoAnswer(_) => {}
    }
}

#[test]
fn no_part_excludes_reachable_goals_and_each_excludes_additional_ones() {
    let mut tally = Tally::default();
    for seed in 0..scaled(130) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, OracleLimits { states: 3000, tokens: 100 }) else {
            continue;
        };
        for goal in goals(seed, &net) {
            compare(&net, &space, &goal, seed, &mut tally);
        }
    }
    eprintln!("{tally:#?}");
    assert!(tally.goals > 200 && tally.unreachable > 60, "{tally:?}");
    let stronger = |name: &str| tally.refuted[name][1] > 0;
    for part in ["traps", "listed-traps", "predecessor"] {
        assert!(stronger(&format!("state-equation+{part} LRA")), "{part}: {tally:#?}");
        assert!(stronger(&format!("state-equation+{part} LIA")), "{part}: {tally:#?}");
    }
}

/// Small nets on which exactly one part excludes the goal.
#[test]
fn each_part_makes_its_own_difference() {
    let refutes = |net: &Net, goal: &Predicate, parts: &[EncodingPart]| {
        let facts = facts(net);
        [Numbers::Reals, Numbers::Integers].map(|numbers| {
            let goal = Goal::Reach(goal.clone());
            !satisfiable(&EncodedGoal::new(net, &goal, &over(parts, numbers), &facts).unwrap())
        })
    };
    let at =
        |net: &Net, name: &str, tokens| Predicate::at_least(net.place_named(name).unwrap(), tokens);
    use EncodingPart::*;
    // Transition `t` reads a place that is never marked. Only `t` adds tokens to this place, so `t`
    // would have to fire before itself.
    let read = text::parse("place r\nplace p\ntransition t: r -> r + p").unwrap();
    let goal = at(&read, "p", 1);
    assert_eq!(refutes(&read, &goal, &[StateEquation]), [false, false]);
    assert_eq!(refutes(&read, &goal, &[StateEquation, ReadFeed]), [true, true]);
    // Some tokens are produced in the right order, but fewer than the read arc needs.
    let few = text::parse(
        "place a 1\nplace r\nplace p\ntransition feed: a -> r\ntransition t: 2*r -> 2*r + p",
    );
    let few = few.unwrap();
    let goal = at(&few, "p", 1);
    assert_eq!(refutes(&few, &goal, &[StateEquation, CausalOrder]), [false, false]);
    assert_eq!(refutes(&few, &goal, &[StateEquation, ReadFeed]), [true, true]);
    // Each of two transitions needs the token that the other produces: a cycle.
    let circle =
        text::parse("place a\nplace b\nplace p\ntransition t: a -> b + p\ntransition u: b -> a");
    let circle = circle.unwrap();
    let goal = at(&circle, "p", 1);
    assert_eq!(refutes(&circle, &goal, &[StateEquation, ReadFeed]), [false, false]);
    assert_eq!(refutes(&circle, &goal, &[StateEquation, CausalOrder]), [true, true]);
    // Only over the integers is it visible that one token does not give two.
    let halves = text::parse("place a 1\nplace p\ntransition t: 2*a -> 2*p").unwrap();
    let goal = at(&halves, "p", 1);
    assert_eq!(refutes(&halves, &goal, &[StateEquation]), [false, true]);
    // A place invariant suffices, without firing counts.
    let goal = Predicate::and([at(&halves, "p", 1), at(&halves, "a", 1)]);
    assert_eq!(refutes(&halves, &goal, &[Flows]), [true, true]);
    // Bounds as facts.
    let source = text::parse("place p\ntransition t: -> p").unwrap();
    let goal = Goal::Reach(at(&source, "p", 4));
    let mut known = facts(&source);
    let bounds = over(&[Bounds], Numbers::Reals);
    let refuted =
        |facts: &Facts| !satisfiable(&EncodedGoal::new(&source, &goal, &bounds, facts).unwrap());
    // A bound that is only claimed is not used.
    known.bound_above(source.place_named("p").unwrap(), 3, Provenance::UnitsClaimed);
    assert!(!refuted(&known));
    known.bound_above(source.place_named("p").unwrap(), 3, Provenance::Flows);
    assert!(refuted(&known));
}

#[test]
fn bounded_model_checking_is_exact_and_induction_proves_no_false_claim() {
    let (mut reached, mut sooner, mut proved, mut narrow) = (0, 0, 0, 0);
    for seed in 0..scaled(60) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, OracleLimits { states: 500, tokens: 50 }) else { continue };
        let facts = facts(&net);
        let depths = depths(&net);
        for goal in goals(seed, &net) {
            let shortest = space.markings().iter().filter(|m| goal.holds(&net, m));
            let shortest = shortest.map(|m| depths[m]).min();
            for k in 1..=3u32 {
                let mut ask = |parts: &[EncodingPart], numbers| {
                    let encoding = over(parts, numbers).with_steps(k);
                    let goal = Goal::Reach(goal.clone());
                    let question = EncodedGoal::new(&net, &goal, &encoding, &facts).unwrap();
                    let satisfiable = satisfiable(&question);
                    if numbers == Numbers::Bits && seed.is_multiple_of(4) {
                        let script = script(&question);
                        let answer = run_script(&script, Duration::from_secs(60)).unwrap();
                        let expected = if satisfiable { "sat" } else { "unsat" };
                        assert_eq!(answer.trim(), expected, "net {seed} {goal:?}\n{script}");
                        narrow += usize::from(script.contains("(set-logic QF_BV)"));
                    }
                    satisfiable
                };
                let mut steps_of_integers = false;
                for numbers in [Numbers::Reals, Numbers::Integers, Numbers::Bits] {
                    let within = ask(&[EncodingPart::Unrolling], numbers);
                    assert_eq!(within, shortest.is_some_and(|d| d <= k), "net {seed} {goal:?}");
                    reached += usize::from(within);
                    // Over the integers, the encoding admits exactly the markings reachable with
                    // this number of firings.
                    let in_steps = ask(&[EncodingPart::Steps], numbers);
                    assert!(in_steps || !within, "net {seed} {goal:?}");
                    match numbers {
                        Numbers::Reals => {}
                        Numbers::Integers => {
                            assert!(shortest.is_some() || !in_steps, "net {seed} {goal:?}");
                            sooner += usize::from(in_steps && !within);
                            steps_of_integers = in_steps;
                        }
                        Numbers::Bits => {
                            assert_eq!(in_steps, steps_of_integers, "net {seed} {goal:?}");
                        }
                    }
                    let base = shortest.is_none_or(|d| d >= k);
                    let firings = if numbers == Numbers::Bits {
                        EncodingPart::Flows
                    } else {
                        EncodingPart::StateEquation
                    };
                    let parts = [firings, EncodingPart::Traps, EncodingPart::Induction];
                    if base && !ask(&parts, numbers) {
                        assert_eq!(shortest, None, "net {seed} {goal:?}");
                        proved += 1;
                    }
                }
            }
        }
    }
    eprintln!(
        "{reached} reached, {sooner} in fewer steps than firings, {proved} proved, {narrow} of bits only"
    );
    assert!(reached > 100 && sooner > 10 && proved > 100 && narrow > 100);
}

/// Returns the length of a shortest firing sequence to each reachable marking.
fn depths(net: &Net) -> std::collections::HashMap<Marking, u32> {
    let mut depths = std::collections::HashMap::from([(net.initial().clone(), 0)]);
    let mut queue = std::collections::VecDeque::from([net.initial().clone()]);
    while let Some(marking) = queue.pop_front() {
        let depth = depths[&marking];
        for t in net.transitions() {
            let mut next = marking.clone();
            if net.fire(&mut next, t).is_ok() && !depths.contains_key(&next) {
                depths.insert(next.clone(), depth + 1);
                queue.push_back(next);
            }
        }
    }
    depths
}

/// Returns a shortest firing sequence to a marking with the property.
fn shortest_sequence(net: &Net, goal: &Predicate) -> Option<FiringSequence> {
    let mut seen = std::collections::HashSet::from([net.initial().clone()]);
    let mut queue =
        std::collections::VecDeque::from([(net.initial().clone(), FiringSequence::new())]);
    while let Some((marking, sequence)) = queue.pop_front() {
        if goal.holds(net, &marking) {
            return Some(sequence);
        }
        for t in net.transitions() {
            let mut next = marking.clone();
            if net.fire(&mut next, t).is_ok() && seen.insert(next.clone()) {
                let mut longer = sequence.clone();
                longer.push(t, 1);
                queue.push_back((next, longer));
            }
        }
    }
    None
}

#[test]
fn firing_sequences_are_solutions_of_all_encodings() {
    let (mut solved, mut joined, mut late) = (0, 0, 0);
    for seed in 0..scaled(60) {
        let net = random(seed, &Shape::small(seed));
        if explore(&net, OracleLimits { states: 500, tokens: 50 }).is_none() {
            continue;
        }
        let facts = facts(&net);
        for goal in goals(seed, &net) {
            let Some(sequence) = shortest_sequence(&net, &goal) else { continue };
            let length = sequence.firings() as u32;
            let about = format!("net {seed} {goal:?} {sequence:?}\n{}", text::print(&net));
            let is_solved = |parts: &[EncodingPart], numbers, k| {
                let encoding = over(parts, numbers).with_steps(k);
                let goal_of_net = Goal::Reach(goal.clone());
                let question = EncodedGoal::new(&net, &goal_of_net, &encoding, &facts).unwrap();
                question.is_solved_by(&sequence, &goal)
            };
            for numbers in [Numbers::Reals, Numbers::Integers, Numbers::Bits] {
                for parts in encodings() {
                    // A net without units makes no claim.
                    let is_solution = is_solved(&parts, numbers, 1);
                    assert!(is_solution, "{parts:?} {numbers}: {about}");
                    solved += 1;
                }
                for k in 1..=3 {
                    let unrolled = is_solved(&[EncodingPart::Unrolling], numbers, k);
                    assert_eq!(unrolled, length <= k, "bmc {k} {numbers}: {about}");
                    let in_steps = is_solved(&[EncodingPart::Steps], numbers, k);
                    assert!(in_steps || length > k, "bmc-steps {k} {numbers}: {about}");
                    joined += usize::from(in_steps && length > k);
                    let parts = [EncodingPart::StateEquation, EncodingPart::Induction];
                    let is_late = is_solved(&parts, numbers, k);
                    // The step case leaves out firings without effect, which no shortest sequence
                    // has.
                    assert_eq!(is_late, length >= k, "k-induction {k} {numbers}: {about}");
                    late += usize::from(is_late);
                }
            }
        }
    }
    assert!(solved > 500 && joined > 20 && late > 50, "{solved} {joined} {late}");
}

#[test]
fn maxima_are_bounded_from_above_in_both_forms() {
    let mut tight = 0;
    for seed in 0..scaled(60) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, OracleLimits { states: 3000, tokens: 100 }) else {
            continue;
        };
        let goal = random_goals(seed, &net, 8).into_iter().find(|g| matches!(g, Goal::Maximise(_)));
        let Some(goal) = goal else { continue };
        let GoalTruth::Maximum(most) = space.answer(&goal) else { unreachable!() };
        let encoding =
            over(&[EncodingPart::StateEquation, EncodingPart::ListedTraps], Numbers::Integers);
        let mut with = facts(&net);
        with.traps.retain(|trap| trap.iter().any(|&place| net.initial()[place] > 0));
        let question = EncodedGoal::new(&net, &goal, &encoding, &with).unwrap();
        let script = format!("{}(get-objectives)\n", script(&question));
        let answer = run_script(&script, Duration::from_secs(60)).unwrap();
        assert!(answer.starts_with("sat"), "{answer}\n{script}");
        // The output ends with `((objective) value))`.
        let value = answer.trim_end().trim_end_matches([')', '\n', ' ']);
        let value = value.rsplit([' ', '(']).next().unwrap();
        if let Ok(value) = value.parse::<i128>() {
            let value = if answer.contains("(- ") { -value } else { value };
            assert!(value >= most, "net {seed}: {answer} {most}\n{script}");
            tight += usize::from(value == most);
        } else {
            assert!(answer.contains("oo"), "{answer}");
        }
        let linear = question.linear().unwrap();
        if let LpAnswer::Optimal(optimum) =
            MicroLp::new().solve(&linear.program, &Budget::unlimited())
        {
            let bound = optimum.certify(&linear.program).unwrap().integer_bound();
            assert!(bound + &linear.constant >= most.into(), "net {seed}");
        }
    }
    assert!(tight > 20, "{tight}");
}

#[test]
fn wrong_facts_are_refused() {
    let net = text::parse("place p 1\nplace q\ntransition t: p -> q\ntransition u: q ->").unwrap();
    let [p, q] = ["p", "q"].map(|name| net.place_named(name).unwrap());
    let goal = Goal::Reach(Predicate::at_least(q, 1));
    let mut facts = facts(&net);
    facts.traps = vec![vec![p, q]];
    let ask = |parts: &[EncodingPart], facts: &Facts| {
        EncodedGoal::new(&net, &goal, &over(parts, Numbers::Reals), facts).map(|_| ()).unwrap_err()
    };
    assert_eq!(ask(&[EncodingPart::ListedTraps], &facts), EncodeError::NotATrap("u".into()));
    facts.flows = vec![parikh::net::LinearSum::new([(p, 1), (q, 1)]).unwrap()];
    assert_eq!(ask(&[EncodingPart::Flows], &facts), EncodeError::NotAFlow("u".into()));
    let sum = Goal::Maximise(parikh::net::LinearSum::place(p));
    let encoding = over(&[EncodingPart::StateEquation, EncodingPart::Predecessor], Numbers::Reals);
    let refused = EncodedGoal::new(&net, &sum, &encoding, &facts).map(|_| ());
    assert_eq!(refused, Err(EncodeError::NoFirst(EncodingPart::Predecessor)));
}

#[test]
fn similar_names_stay_distinct() {
    // The class of `t` and `u`, and a transition whose name equals the possible name of the class.
    let net = text::parse(
        "place \"p|\" 1
         place \"p\\\\\"
         place q
         transition t: \"p|\" -> q
         transition u: \"p|\" -> q
         transition \"t) and 1 more\": q -> \"p\\\\\"",
    );
    let Ok(net) = net else { panic!("{net:?}") };
    let goal = Goal::Reach(Predicate::at_least(net.places().nth(1).unwrap(), 1));
    let encoding = over(
        &[EncodingPart::StateEquation, EncodingPart::Traps, EncodingPart::CausalOrder],
        Numbers::Integers,
    );
    let question = EncodedGoal::new(&net, &goal, &encoding, &facts(&net)).unwrap();
    let answer = run_script(&script(&question), Duration::from_secs(60)).unwrap();
    assert_eq!(answer.trim(), "sat");
}
