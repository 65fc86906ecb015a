//! A coloured net and its exact quotient: they are bisimilar, answers agree, and the auditor
//! accepts the quotient by its own conditions.

use crate::audit::{audit, content, model as audited_model};
use crate::support::binary::TestDirectory;
use crate::support::coloured as pnml;
use crate::support::oracle;
use crate::support::scale::scaled;
use crate::without_unfolding::{model, some_classes};
use parikh::evidence::abstraction::Quotient;
use parikh::evidence::audit::{AuditVerdict, AuditedAnswer};
use parikh::evidence::coloured::{RequiredBindings, UnfoldingFlaw, read};
use parikh::evidence::file::Unfolding;
use parikh::unfold;
use parikh_generate::random_coloured;
use parikh_net::Net;
use parikh_net::coloured::{ColouredNet, text};
use parikh_solvers::Budget;
use std::collections::{BTreeMap, BTreeSet};

/// The tokens of coloured places, the enabled coloured transitions, and the successors.
type Folded = (Vec<u64>, BTreeSet<usize>, Vec<(usize, usize)>);

/// For each marking of `space`, returns the tokens of coloured places, the enabled coloured
/// transitions, and the successors.
fn folded(space: &oracle::StateSpace<'_>) -> Vec<Folded> {
    let net = space.net();
    let folding = net.folding().unwrap();
    let of = |at: usize| {
        let mut tokens = vec![0; folding.place_count()];
        for p in net.places() {
            tokens[folding.place_of(p)] += space.markings()[at][p];
        }
        let edges =
            space.fired_from(at).filter_map(|(to, t)| Some((folding.transition_of(t?), to)));
        let edges: Vec<(usize, usize)> = edges.collect();
        (tokens, edges.iter().map(|&(t, _)| t).collect(), edges)
    };
    (0..space.states()).map(of).collect()
}

/// Returns a random net in which most transitions move pairs of colours: by variables, constants,
/// `all` and combinations.
fn of_pairs(seed: u64) -> ColouredNet {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut any = |of: &[&str]| of[rng.usize(..of.len())].to_owned();
    let mut lines = vec![
        "sort A = 1..2\nsort B = 1..3\nsort P = A * B\nvar a, a2: A\nvar b, b2: B".to_owned(),
        "place f: B = {all}\nplace g: A = {all}\nplace q: B\nplace done".to_owned(),
    ];
    lines.push(format!(
        "place p: P{}",
        any(&["", " = {(1,1) + (2,2)}", " = {(all,1)}", " = {(1,all)}"])
    ));
    for t in 0..4 {
        let mut arcs = |least: usize| {
            let mut all = Vec::new();
            while all.len() < least || any(&["more", "", ""]) == "more" {
                let a = any(&["a", "a", "a2", "all", "1"]);
                let b = any(&["b", "b", "b2", "all", "2"]);
                let times = any(&["", "", "", "", "2'"]);
                all.push(match &*any(&["f", "g", "q", "p", "p", "done"]) {
                    "p" => format!("p{{{times}({a},{b})}}"),
                    "g" => format!("g{{{times}{a}}}"),
                    "done" => "done{.}".to_owned(),
                    place => format!("{place}{{{times}{b}}}"),
                });
            }
            all.join(" + ")
        };
        let (takes, puts) = (arcs(1), arcs(0));
        let guard = any(&["", "", "", " [b < 3]", " [a = 1]", " [b != b2]", " [b = 1 or a = 2]"]);
        lines.push(format!("transition t{t}{guard}: {takes} -> {puts}"));
    }
    text::parse(&lines.join("\n")).unwrap_or_else(|error| panic!("{error}: {}", lines.join("\n")))
}

/// An exact quotient is bisimilar to the net: partition refinement over the markings of both puts
/// the initial markings into one block. So both satisfy the same CTL* formulas over the tokens of
/// coloured places and over enabled or firing coloured transitions.
#[test]
fn a_net_and_its_exact_quotient_are_bisimilar() {
    let (mut exact, mut smaller, mut inexact, mut taken) = (0, 0, 0, 0);
    for seed in 0..scaled(20_000) {
        let net = if seed % 8 < 4 { of_pairs(seed) } else { random_coloured(seed) };
        let classes = some_classes(&net, seed);
        let Some(quotient) = Quotient::of(&net, &classes) else { continue };
        if classes.is_trivial() {
            continue;
        }
        let config = unfold::UnfoldingConfig {
            symmetry: seed % 3 == 0,
            ..unfold::UnfoldingConfig::default()
        };
        let [whole, less] = [&net, quotient.net()]
            .map(|it| unfold::unfold(it, &config, &Budget::unlimited()).unwrap().0);
        let limits = oracle::OracleLimits { states: 300, tokens: 1_000 };
        let spaces = (oracle::explore(&whole, limits), oracle::explore(&less, limits));
        let (Some(there), Some(here)) = spaces else { continue };
        let bisimilar = are_bisimilar(folded(&there), folded(&here));
        let shown = || format!("{}\n{}", text::print(&net), text::print(quotient.net()));
        assert!(bisimilar || !quotient.is_exact(), "seed {seed}\n{}", shown());
        if let Some(said) = audited(&net, &quotient, &less) {
            match &said {
                Ok(()) => assert!(bisimilar, "seed {seed}\n{}", shown()),
                Err(_) => assert!(!quotient.is_exact(), "seed {seed}: {said:?}\n{}", shown()),
            }
            taken += u64::from(said.is_ok());
        }
        exact += u64::from(quotient.is_exact());
        smaller += u64::from(quotient.is_exact() && here.states() < there.states());
        inexact += u64::from(!bisimilar);
    }
    let least = scaled(20_000) / 400;
    assert!(exact > least && smaller > least && inexact > least, "{exact} {smaller} {inexact}");
    assert!(taken > least, "{taken} of {exact}");
}

/// Returns the auditor's verdict on the quotient `less` of the net. Returns `None` if an evidence
/// file cannot name the classes.
fn audited(
    net: &ColouredNet,
    quotient: &Quotient,
    less: &Net,
) -> Option<Result<(), UnfoldingFlaw>> {
    let listed = Unfolding { classes: quotient.named_classes(net)?, ..Unfolding::of(less) };
    let model = read(pnml::write(net).as_bytes()).unwrap();
    let own = model.unfold(&listed, RequiredBindings::OnePerEffect, 1_000_000, &mut || true);
    Some(own.map(|own| {
        assert_eq!(content(&own), content(less), "{}", text::print(net));
        assert!(own.is_of_quotient());
        let counted = model.unfold(&listed, RequiredBindings::All, 1_000_000, &mut || true);
        assert!(matches!(counted, Err(UnfoldingFlaw::Wrong(_))));
    }))
}

/// Returns true if the first markings of both lists are in one block of the coarsest bisimulation.
fn are_bisimilar(there: Vec<Folded>, here: Vec<Folded>) -> bool {
    let first_here = there.len();
    let mut all = there;
    all.extend(here.into_iter().map(|(tokens, enabled, edges)| {
        let edges = edges.into_iter().map(|(t, to)| (t, to + first_here)).collect();
        (tokens, enabled, edges)
    }));
    let mut blocks = number(all.iter().map(|(tokens, enabled, _)| (tokens, enabled)));
    loop {
        let signature = |at: usize| -> (usize, BTreeSet<(usize, usize)>) {
            (blocks[at], all[at].2.iter().map(|&(t, to)| (t, blocks[to])).collect())
        };
        let refined = number((0..all.len()).map(signature));
        if refined == blocks {
            return blocks[0] == blocks[first_here];
        }
        blocks = refined;
    }
}

/// Numbers the items so that equal items have equal numbers.
fn number<T: Ord>(items: impl Iterator<Item = T>) -> Vec<usize> {
    let mut numbers = BTreeMap::new();
    let number_of = |item| {
        let next = numbers.len();
        *numbers.entry(item).or_insert(next)
    };
    items.map(number_of).collect()
}

/// `all` combined with one colour of another sort: two arbitrary tokens are not enough.
#[test]
fn colours_combined_with_all_are_not_merged() {
    let model = model(
        "sort A = 1..2
         sort B = 1..9
         sort P = A * B
         var x: B
         place f: B = {all}
         place one = {.}
         place two = {.}
         place p: P
         place done
         transition m1: f{x} + one{.} -> p{(1,x)}
         transition m2: f{x} + two{.} -> p{(2,x)}
         transition t: p{(all,x)} -> done{.}",
    );
    assert!(Quotient::indistinguishable(model.net()).is_trivial());
}

/// Classes that a successor function does not preserve are refused, even if no guard distinguishes
/// their colours. Preserved classes are accepted.
#[test]
fn successor_functions_must_preserve_classes() {
    let net = text::parse(
        "sort N = cyclic {a, b, c, d}
         var x: N
         place p: N = {a}
         transition step: p{x} -> p{x++}",
    );
    let (model, _) = audited_model(&net.unwrap());
    let unfold = |classes: &[&[&str]]| {
        let names = |class: &&[&str]| class.iter().map(|&name| name.to_owned()).collect();
        let listed = Unfolding {
            places: classes.iter().map(|class| format!("p({})", class[0])).collect(),
            transitions: classes.iter().map(|class| format!("step(x={})", class[0])).collect(),
            classes: vec![classes.iter().map(names).collect()],
        };
        model.unfold(&listed, RequiredBindings::OnePerEffect, 1_000, &mut || true)
    };
    assert_eq!(unfold(&[&["a", "c"], &["b", "d"]]).unwrap().place_count(), 2);
    assert_eq!(unfold(&[&["a", "b", "c", "d"]]).unwrap().place_count(), 1);
    let error = unfold(&[&["a", "b"], &["c", "d"]]).unwrap_err().to_string();
    assert!(error.contains("an arc of `step` may distinguish colours"), "{error}");
    let twice = unfold(&[&["a", "a"], &["b", "c"]]).unwrap_err().to_string();
    assert!(twice.contains("no sort contains"), "{twice}");
}

/// Parcels of 1,500 kinds that are sent, lost or delivered, with no distinction between kinds. The
/// unfolding is large, and the quotient small.
const POST: &str = "sort K = 1..1500
    var k: K
    place shelf: K = {all}
    place way: K
    place home: K
    place free = {.}
    transition send: shelf{k} + free{.} -> way{k}
    transition lose: way{k} -> shelf{k} + free{.}
    transition deliver: way{k} -> home{k} + free{.}
    transition again: home{k} -> home{k}";

#[test]
fn formulas_about_runs_use_the_quotient_unless_bindings_matter() {
    let directory = TestDirectory::new();
    directory.write("model.pnml", &pnml::write(&text::parse(POST).unwrap()));
    let apart = "with equivalent colours merged";
    let formulas = [
        ("EX (fireable(deliver) && EX home >= 1)", "TRUE"),
        ("A X X (way = 1)", "FALSE"),
        ("E F A G (home >= 1)", "TRUE"),
        ("A G (A X (way <= 1))", "TRUE"),
        ("A F (home >= 1)", "FALSE"),
    ];
    for (formula, value) in formulas {
        let ask = |more: &[&str]| {
            let asked =
                [&["check", "model.pnml", "-t", "60s", "--formula", formula], more].concat();
            directory.succeeds(&asked)
        };
        let merged = ask(&[]);
        assert!(merged.contains(&format!("formula-1: {value} — ")), "{merged}");
        let whole = ask(&["--trace", "runs"]);
        assert!(whole.contains(&format!("formula-1: {value} — ")), "{whole}");
        assert!(!whole.contains(apart), "{whole}");
        if formula.contains('X') && !formula.starts_with("A G") {
            assert!(merged.contains(apart) && merged.contains("[certified"), "{merged}");
        }
    }
    // A question about a single kind distinguishes it.
    let one = directory.succeeds(&["check", "model.pnml", "--formula", "EX way(7) >= 1"]);
    assert!(one.contains("TRUE") && !one.contains(apart), "{one}");
    // Fairness is about each binding.
    let fair = ["check", "model.pnml", "-t", "5s", "--fair", "weak", "--formula", "F (home >= 1)"];
    assert!(!directory.outputs(&fair).1.contains(apart));
}

/// Evidence files about the quotient contain the classes, which the auditor checks.
#[test]
fn evidence_about_a_quotient_is_audited_with_its_classes() {
    let directory = TestDirectory::new();
    let net = text::parse(POST).unwrap();
    directory.write("model.pnml", &pnml::write(&net));
    let property = |id: &str, formula: &str| {
        format!("<property><id>{id}</id><formula>{formula}</formula></property>")
    };
    let home = "<tokens-count><place>home</place></tokens-count>";
    let some = format!("<integer-le><integer-constant>1</integer-constant>{home}</integer-le>");
    let next = |inside: &str| format!("<exists-path><next>{inside}</next></exists-path>");
    let always = format!("<all-paths><finally>{some}</finally></all-paths>");
    // The formula AF EG (way <= 0).
    let none = "<integer-le><tokens-count><place>way</place></tokens-count>
                <integer-constant>0</integer-constant></integer-le>";
    let stays = format!("<exists-path><globally>{none}</globally></exists-path>");
    let soon = format!("<all-paths><finally>{stays}</finally></all-paths>");
    let deliver = "<is-fireable><transition>deliver</transition></is-fireable>";
    let one = "<is-fireable><transition>deliver(k=1)</transition></is-fireable>";
    let queries = [
        property("q1", &next(&format!("<conjunction>{deliver}{}</conjunction>", next(&some)))),
        property("q2", &always),
        property("q3", &next(&next(&next(deliver)))),
        // The only goal of CTL. Without such a goal, an evidence file would be about the unfolding,
        // which exists here.
        property("q4", &soon),
    ];
    let file = |all: &[String]| {
        format!("<property-set xmlns=\"http://mcc.lip6.fr/\">{}</property-set>", all.concat())
    };
    directory.write("CTLFireability.xml", &file(&queries));
    let ask = ["check", "model.pnml", "-e", "CTLF", "--evidence", "proofs", "-t", "60s"];
    let said = directory.succeeds(&ask);
    for (id, value) in [("q1", "TRUE"), ("q2", "FALSE"), ("q3", "TRUE"), ("q4", "FALSE")] {
        assert!(said.contains(&format!("{id}: {value}")), "{said}");
    }
    let apart = "with equivalent colours merged";
    // Returns the verdicts by id, or the reason why the file is rejected as a whole.
    let audited = |net: &str| {
        let (model, _) = audited_model(&text::parse(net).unwrap());
        let (report, broken) = audit(&directory, &model, "CTLFireability", 1_000_000);
        let is_confirmed = |it: &AuditedAnswer| matches!(it.verdict, AuditVerdict::Confirmed(_));
        let judged = report.judged.iter();
        assert!(judged.clone().all(|it| it.question.is_empty() || it.question.contains(apart)));
        let ids = judged.filter(|it| is_confirmed(it)).map(|it| it.id.clone());
        (ids.collect::<BTreeSet<_>>(), broken)
    };
    let these = |ids: &[&str]| (ids.iter().map(|&id| id.to_owned()).collect(), String::new());
    assert_eq!(audited(POST), these(&["q1", "q2", "q3", "q4"]));

    // The file contains the classes, and the auditor checks them.
    let evidence = directory.read("proofs/CTLFireability.jsonl");
    assert!(evidence.contains("\"classes\":[[[\"1\",\"2\","), "{}", &evidence[..400]);
    let (none, broken) = audited(&POST.replace("again: home{k}", "again [k != 7]: home{k}"));
    assert!(none.is_empty() && broken.contains("may distinguish colours"), "{broken}");
    directory.write("proofs/CTLFireability.jsonl", &evidence.replacen("\"1\",\"2\",", "\"1\",", 1));
    let (none, broken) = audited(POST);
    assert!(none.is_empty() && broken.contains("no sort contains"), "{broken}");
    directory.write("proofs/CTLFireability.jsonl", &evidence);

    // A question about a single kind cannot be asked on the quotient.
    let asked =
        [&queries[..2], &[property("q3", &next(&next(&next(one))))], &queries[3..]].concat();
    directory.write("CTLFireability.xml", &file(&asked));
    assert_eq!(audited(POST), these(&["q1", "q2", "q4"]));
}
