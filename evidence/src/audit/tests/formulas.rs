//! Boolean formulas over questions, and the evidence that their answers need.

use super::*;

#[test]
fn formulas_over_questions_take_evidence_for_each_part_that_decides() {
    // q ≥ 1 is reachable, q ≥ 3 is not, and q ≥ 2 stays possible.
    let small = "net small\nplace p 2\nplace q\ntransition t: p -> q";
    let evidence = trace("[\"t\", 1]") + &document(3);
    let judge = |id: &str, value: &str, shown_by: &str, why: Option<&str>| {
        let lines = evidence.clone() + &answer(id, value, shown_by);
        check(small, &formulas(), "Some", &lines, why);
    };
    let both = format!("{BY_TRACE}, {BY_DOCUMENT}");
    judge("both", "TRUE", &both, None);
    judge(
        "both",
        "TRUE",
        BY_TRACE,
        Some("not shown: a proof that no reachable marking has `q` ≥ 3"),
    );
    judge("both", "TRUE", BY_DOCUMENT, Some("not shown: a reachable marking with `q` ≥ 1"));
    judge("both", "TRUE", "", Some("and 1 more"));
    judge("both", "FALSE", &both, Some("or another alternative"));
    judge("both", "1", &both, Some("TRUE or FALSE"));
    judge("either", "FALSE", &both, None);
    judge("either", "FALSE", BY_TRACE, Some("`q` ≥ 3"));
    judge("either", "FALSE", BY_DOCUMENT, Some("`q` ≥ 1"));
    judge("either", "TRUE", &both, Some("or another alternative"));
    // A repeated search shows the refuted goals, and a trace the reached goals.
    let searched = |value: &str, shown_by: &str| {
        format!(
            "{{\"answer\": {{\"id\": \"both\", \"value\": \"{value}\", \"evidence\": \"searched\", \
             \"searched\": {{\"markings\": 3, \"stubborn\": false}}, \"shown_by\": [{shown_by}]}}}}\n"
        )
    };
    let search = |value: &str, by: &str, why: Option<&str>| {
        check(small, &formulas(), "Some", &(evidence.clone() + &searched(value, by)), why);
    };
    search("TRUE", BY_TRACE, None);
    search("TRUE", "", Some("a reachable marking with `q` ≥ 1"));
    search("FALSE", BY_TRACE, Some("visited again"));
    let visited = "{\"structure\": {\"id\": \"s\", \"structure\": {\"visited\": 3}}}\n";
    let stays =
        |value: &str| visited.to_owned() + &answer("stays", value, "{\"structure\": \"s\"}");
    check(small, &formulas(), "Some", &stays("TRUE"), None);
    check(small, &formulas(), "Some", &stays("FALSE"), Some("some goal can become unreachable"));
}

/// Evaluates a formula over questions about goals under a partial assignment of the goals.
fn value_of(question: &Question, known: &dyn Fn(&Predicate) -> Option<bool>) -> Option<bool> {
    match question {
        Question::Reach { goals, then, .. } => Some(known(&goals[0])? == *then),
        Question::Not(part) => value_of(part, known).map(|value| !value),
        Question::Connective { all, parts } => {
            let values: Vec<_> = parts.iter().map(|part| value_of(part, known)).collect();
            match values.contains(&Some(!all)) {
                true => Some(!all),
                false => values.iter().all(Option::is_some).then_some(*all),
            }
        }
        _ => unreachable!("no such part is made"),
    }
}

fn random_question(rng: &mut fastrand::Rng, goals: &[Predicate], depth: usize) -> Question {
    match rng.u8(0..if depth == 0 { 1 } else { 4 }) {
        0 => {
            let goal = goals[rng.usize(..goals.len())].clone();
            Question::Reach { goals: vec![goal], all: true, then: rng.bool() }
        }
        1 => Question::Not(Box::new(random_question(rng, goals, depth - 1))),
        _ => {
            let parts = (0..rng.usize(1..4)).map(|_| random_question(rng, goals, depth - 1));
            let parts: Vec<Question> = parts.collect();
            Question::Connective { all: rng.bool(), parts }
        }
    }
}

/// Evidence for some of the goals confirms exactly the answers that these goals decide.
#[test]
fn combinations_are_confirmed_by_the_goals_that_decide_them() {
    let (mut right, mut bare) = (0, 0);
    for seed in 0..300 {
        let net = random(seed, &Shape::small(seed));
        let Some(found) = enumerate(&net) else { continue };
        let mut rng = fastrand::Rng::with_seed(seed);
        let goals: Vec<Predicate> =
            (0..4).map(|_| random_predicate(&mut rng, &net, 2).sorted()).collect();
        let lines = evidence_for(&net, &found, &goals);
        let truth = |goal: &Predicate| found.iter().any(|(m, _)| goal.holds(&net, m));
        let initially = |goal: &Predicate| {
            goal.holds(&net, net.initial()).then_some(true).or_else(|| {
                let alone = net.is_dead(net.initial());
                (*goal == Predicate::False || alone).then_some(false)
            })
        };
        for _ in 0..6 {
            let question = random_question(&mut rng, &goals, 3);
            let listed: Vec<usize> = (0..goals.len()).filter(|_| rng.bool()).collect();
            let by = listed.iter().map(|&at| {
                let sort = if truth(&goals[at]) { "trace" } else { "document" };
                format!("{{\"{sort}\": \"{at}\"}}")
            });
            let by: Vec<String> = by.collect();
            let right_value = value_of(&question, &|goal| Some(truth(goal)));
            let shown = value_of(&question, &|goal| {
                let is_listed = listed.iter().any(|&at| goals[at] == *goal);
                is_listed.then(|| truth(goal)).or_else(|| initially(goal))
            });
            for value in [true, false] {
                let answer = answer("f", &AnswerValue::Holds(value).to_string(), &by.join(", "));
                let judged = judged(&net, &question, &format!("{lines}{answer}"));
                let confirmed = matches!(judged.verdict, AuditVerdict::Confirmed(_));
                let context = || format!("seed {seed}: {judged:?}\n{question:?}");
                assert!(!confirmed || right_value == Some(value), "{}", context());
                assert!(confirmed || shown != Some(value), "{}", context());
                if by.is_empty() {
                    assert_eq!(confirmed, shown == Some(value), "{}", context());
                    bare += usize::from(!confirmed);
                }
                right += usize::from(confirmed && !by.is_empty());
            }
        }
    }
    assert!(right > 300 && bare > 50, "{right} {bare}");
}
