//! Rewrite rules produce equivalent formulas: each rule alone, and all together.

use crate::random::{self, RandomPaths};
use crate::scaled;
use fastrand::Rng;
use parikh_generate::EdgeGraph;
use parikh_temporal::{
    AtomId, AtomNames, BRANCHING_RULES, Formula, Formulas, LINEAR_RULES, Lasso, Linear, ParseError,
    Quantifier, RewriteRule, parse_ctl, parse_ltl,
};

/// The differences between the logics for these tests.
trait Logic: RandomPaths + 'static {
    const RULES: &'static [RewriteRule<Self>];
    /// The structures on which formulas have values.
    type Model: std::fmt::Debug;

    fn parse(
        text: &str,
        formulas: &mut Formulas<Self>,
        names: &mut AtomNames,
    ) -> Result<Formula<Self>, ParseError>;

    fn model(rng: &mut Rng, atoms: u32) -> Self::Model;

    fn values(formulas: &Formulas<Self>, formula: Formula<Self>, model: &Self::Model) -> Vec<bool>;
}

impl Logic for Linear {
    const RULES: &'static [RewriteRule<Self>] = LINEAR_RULES;
    type Model = Lasso;

    fn parse(
        text: &str,
        formulas: &mut Formulas<Self>,
        names: &mut AtomNames,
    ) -> Result<Formula<Self>, ParseError> {
        parse_ltl(text, formulas, names)
    }

    fn model(rng: &mut Rng, atoms: u32) -> Lasso {
        random::lasso(rng, atoms)
    }

    fn values(formulas: &Formulas<Self>, formula: Formula<Self>, model: &Lasso) -> Vec<bool> {
        model.values(formulas, formula)
    }
}

impl Logic for Quantifier {
    const RULES: &'static [RewriteRule<Self>] = BRANCHING_RULES;
    type Model = EdgeGraph;

    fn parse(
        text: &str,
        formulas: &mut Formulas<Self>,
        names: &mut AtomNames,
    ) -> Result<Formula<Self>, ParseError> {
        parse_ctl(text, formulas, names)
    }

    fn model(rng: &mut Rng, atoms: u32) -> EdgeGraph {
        random::graph(rng, atoms)
    }

    fn values(formulas: &Formulas<Self>, formula: Formula<Self>, model: &EdgeGraph) -> Vec<bool> {
        model.values(formulas, formula)
    }
}

fn assert_equal<L: Logic>(
    formulas: &Formulas<L>,
    one: Formula<L>,
    other: Formula<L>,
    rng: &mut Rng,
    what: &str,
) {
    for _ in 0..4 {
        let model = L::model(rng, 3);
        assert_eq!(
            L::values(formulas, one, &model),
            L::values(formulas, other, &model),
            "{what}: {} and {} on {model:?}",
            formulas.text(one, &AtomNames::default()),
            formulas.text(other, &AtomNames::default())
        );
    }
}

fn examples_are_as_they_say<L: Logic>() {
    for rule in L::RULES {
        let (mut formulas, mut names) = (Formulas::<L>::default(), AtomNames::default());
        let before = L::parse(rule.example, &mut formulas, &mut names).expect(rule.example);
        let after =
            L::parse(rule.example_result, &mut formulas, &mut names).expect(rule.example_result);
        let applied = (rule.apply)(&mut formulas, before).map(|it| formulas.text(it, &names));
        assert_eq!(applied, Some(formulas.text(after, &names)), "{}", rule.name);
    }
}

#[test]
fn examples_of_rules_are_as_they_say() {
    examples_are_as_they_say::<Linear>();
    examples_are_as_they_say::<Quantifier>();
}

/// Tests each rule on its example and its dual, with random formulas in place of the atoms. The
/// rule then applies often and in both directions. Other parts to which the rule applies are
/// rewritten, too.
fn each_rule_alone<L: Logic>(cases: u64) {
    for rule in L::RULES {
        let mut applied = 0;
        for case in 0..cases {
            let mut rng = Rng::with_seed(case);
            let (mut formulas, mut names) = (Formulas::<L>::default(), AtomNames::default());
            let mut example =
                L::parse(rule.example, &mut formulas, &mut names).expect(rule.example);
            if rng.bool() {
                example = formulas.negate(example);
            }
            let meanings: Vec<_> = (0..names.len())
                .map(|_| {
                    let operators = rng.usize(..4);
                    random::formula(&mut formulas, &mut rng, 3, operators)
                })
                .collect();
            let instance =
                formulas.substitute(example, |_, AtomId(at)| Some(meanings[at as usize]));
            for part in formulas.subformulas(instance) {
                if let Some(result) = (rule.apply)(&mut formulas, part) {
                    applied += 1;
                    let what = format!("{}, case {case}", rule.name);
                    assert_equal(&formulas, part, result, &mut rng, &what);
                }
            }
        }
        assert!(applied * 4 > cases, "{}: applied {applied} times in {cases}", rule.name);
    }
}

#[test]
fn each_rule_alone_gives_equal_linear_formulas() {
    each_rule_alone::<Linear>(scaled(600));
}

#[test]
fn each_rule_alone_gives_equal_branching_formulas() {
    each_rule_alone::<Quantifier>(scaled(600));
}

fn all_rules<L: Logic>(cases: u64) {
    const STEPS: usize = 10_000;
    let (mut before, mut after) = (0, 0);
    for case in 0..cases {
        let mut rng = Rng::with_seed(case);
        let mut formulas = Formulas::<L>::default();
        let operators = rng.usize(1..15);
        let formula = random::formula(&mut formulas, &mut rng, 3, operators);
        let (result, steps) = formulas.rewritten(formula, L::RULES, STEPS);
        assert!(steps.len() < STEPS, "case {case} does not end");
        assert_equal(&formulas, formula, result, &mut rng, &format!("case {case}"));
        for step in steps {
            assert_equal(&formulas, step.original, step.replacement, &mut rng, step.rule);
        }
        assert_eq!(formulas.rewritten(result, L::RULES, STEPS), (result, Vec::new()), "{case}");
        before += formulas.subformulas(formula).len();
        after += formulas.subformulas(result).len();
    }
    assert!(after < before * 9 / 10, "{after} of {before} parts are left");
}

#[test]
fn all_rules_together_give_equal_linear_formulas() {
    all_rules::<Linear>(scaled(10_000));
}

#[test]
fn all_rules_together_give_equal_branching_formulas() {
    all_rules::<Quantifier>(scaled(10_000));
}

fn implications<L: Logic>(cases: u64) {
    let mut seen = 0;
    for case in 0..cases {
        let mut rng = Rng::with_seed(case);
        let mut formulas = Formulas::<L>::default();
        // Two parts of one formula are related more often than two independent formulas.
        let formula = random::formula(&mut formulas, &mut rng, 2, 8);
        let parts = formulas.subformulas(formula);
        for _ in 0..4 {
            let one = parts[rng.usize(..parts.len())];
            let other = parts[rng.usize(..parts.len())];
            if one == other || !formulas.implies(one, other) {
                continue;
            }
            seen += 1;
            let model = L::model(&mut rng, 2);
            let values = L::values(&formulas, one, &model).into_iter();
            for (one, other) in values.zip(L::values(&formulas, other, &model)) {
                assert!(!one || other, "case {case}: {model:?}");
            }
        }
    }
    assert!(seen * 10 > cases, "{seen} implications in {cases} cases");
}

#[test]
fn what_implies_something_is_true_less_often() {
    implications::<Linear>(scaled(8_000));
    implications::<Quantifier>(scaled(8_000));
}

#[test]
fn rules_that_do_not_hold_are_noticed() {
    // Two wrong rules of another tool: the test that our rules pass refutes them.
    for (before, after) in [("AGEFAGEFa", "EFAGEFa"), ("EFEGAGEFAGa", "EGAGEFAGa")] {
        let (mut formulas, mut names) = (Formulas::<Quantifier>::default(), AtomNames::default());
        let before = parse_ctl(before, &mut formulas, &mut names).expect(before);
        let after = parse_ctl(after, &mut formulas, &mut names).expect(after);
        let mut rng = Rng::with_seed(0);
        let differs = (0..2_000).any(|_| {
            let graph = random::graph(&mut rng, 1);
            graph.values(&formulas, before) != graph.values(&formulas, after)
        });
        assert!(differs);
    }
}

#[test]
fn deep_formulas_are_rewritten_without_recursion() {
    let depth = 20_000;
    let (mut formulas, mut names) = (Formulas::<Linear>::default(), AtomNames::default());
    let nested = format!("{}a{}", "X(b U (".repeat(depth), "))".repeat(depth));
    let formula = parse_ltl(&nested, &mut formulas, &mut names).expect("deep");
    let (result, _) = formulas.rewritten(formula, LINEAR_RULES, 10);
    assert!(!formulas.atoms(result).is_empty());
}

#[test]
fn every_row_of_four_operators_is_as_the_graphs_say() {
    // The rules must rewrite each chain of four operators to an equivalent formula.
    let operators = ["EF", "AF", "EG", "AG"];
    let mut shorter = 0;
    for chain_number in 0..4usize.pow(4) {
        let chain_text =
            [chain_number % 4, chain_number / 4 % 4, chain_number / 16 % 4, chain_number / 64]
                .map(|at| operators[at])
                .concat();
        let (mut formulas, mut names) = (Formulas::<Quantifier>::default(), AtomNames::default());
        let text = format!("{chain_text}a");
        let before = parse_ctl(&text, &mut formulas, &mut names).expect(&text);
        let (after, _) = formulas.rewritten(before, BRANCHING_RULES, 100);
        shorter +=
            usize::from(formulas.subformulas(after).len() < formulas.subformulas(before).len());
        let mut rng = Rng::with_seed(0);
        for _ in 0..scaled(20) {
            assert_equal(&formulas, before, after, &mut rng, &chain_text);
        }
    }
    // The other twelve are irreducible for the rules.
    assert_eq!(shorter, 244);
}
