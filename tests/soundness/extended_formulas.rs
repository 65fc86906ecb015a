//! Formulas of every logic about nets with inhibitor, read and reset arcs, and bounds of their
//! places, against their own enumerator. The auditor confirms the answers.

use crate::support::extended::NetTable;
use crate::support::extended_formulas::{FormulaShape, RunPositions};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::answer::{Plan, QuestionValue};
use parikh::evidence::audit::AuditVerdict;
use parikh::evidence::extended::ExtendedAudit;
use parikh::evidence::reader::queries;
use parikh::evidence_files::EvidenceFile;
use parikh::extended::translate;
use parikh::formula::text::read_one;
use parikh::net::{Fairness, Net, PlaceId, TransitionId};
use parikh::run::{self, Event, RunConfig};
use parikh::solvers::Budget;
use std::collections::HashMap;
use std::time::Duration;

/// The questions about a net: formulas, and the most tokens of each place.
struct NetQuestions {
    shapes: Vec<FormulaShape>,
    /// Transitions of the model with weak fairness in LTL formulas.
    fair: Vec<usize>,
}

impl NetQuestions {
    /// Returns random questions. Fairness concerns only transitions with a single copy.
    fn random(seed: u64, table: &NetTable, net: &Net) -> NetQuestions {
        let mut rng = Rng::with_seed(seed);
        let shapes = (0..5).map(|_| FormulaShape::random(&mut rng, table)).collect();
        let copies = |t: usize| net.transitions_named(&format!("t{t}")).unwrap().len();
        let some = (0..table.transitions()).filter(|&t| copies(t) == 1 && rng.bool());
        let fair = some.collect::<Vec<_>>();
        NetQuestions { shapes, fair: if seed.is_multiple_of(3) { fair } else { Vec::new() } }
    }

    fn fairness(&self, net: &Net) -> Fairness {
        let copies = |t: &usize| net.transitions_named(&format!("t{t}")).unwrap();
        Fairness::new(self.fair.iter().flat_map(copies).collect::<Vec<TransitionId>>(), [])
    }

    fn plan(&self, net: &Net, places: usize) -> Plan {
        let mut plan = Plan::default();
        plan.set_fairness(self.fairness(net));
        for (at, shape) in self.shapes.iter().enumerate() {
            let text = shape.text();
            let formula = read_one(&text, "test", net).formula;
            let formula = formula.unwrap_or_else(|error| panic!("{text}: {error}"));
            plan.ask_formula(&at.to_string(), &formula, net).unwrap_or_else(|why| {
                panic!("{text}: {why}");
            });
        }
        for p in 0..places {
            let formula = read_one(&format!("bound(p{p})"), "test", net).formula.unwrap();
            plan.ask_formula(&format!("p{p}"), &formula, net).unwrap();
        }
        plan
    }

    fn queries(&self, places: usize) -> String {
        let property = |id: &str, formula: &str| {
            format!("<property><id>{id}</id><formula>{formula}</formula></property>")
        };
        let shapes = self.shapes.iter().enumerate();
        let formulas = shapes.map(|(at, shape)| property(&at.to_string(), &shape.xml()));
        let bounds = (0..places).map(|p| {
            let place = format!("p{p}");
            property(&place, &format!("<place-bound><place>{place}</place></place-bound>"))
        });
        format!("<property-set>{}</property-set>", formulas.chain(bounds).collect::<String>())
    }
}

#[test]
fn formulas_agree_with_enumeration_and_are_audited() {
    let directory = tempfile::tempdir().unwrap();
    let [mut answered, mut open, mut confirmed, mut beyond] = [0; 4];
    let mut values = [0, 0];
    for seed in 3_000_000..3_000_000 + scaled(60) {
        let table = NetTable::random(seed);
        let model = table.net();
        let space = table.explore(200, 30);
        let (false, Some(space)) = (model.is_plain(), space) else { continue };
        let net = translate(model.clone(), &Budget::unlimited()).unwrap();
        let asked = NetQuestions::random(seed, &table, &net);
        let places = table.tokens.len();
        let mut file = EvidenceFile::new(&net, "Formulas", Vec::new()).unwrap();
        let config = RunConfig { threads: 1, keep_certificates: true, ..RunConfig::default() };
        let budget = Budget::lasting(Duration::from_secs(60));
        let mut answers = HashMap::new();
        let report =
            run::run_net(&net, asked.plan(&net, places), &config, &budget, |event| match event {
                Event::Settled { id, goal, knowledge } => {
                    file.settled(id, goal, knowledge).unwrap()
                }
                Event::Answered(answer) => {
                    file.answer(answer).unwrap();
                    answers.insert(answer.id.clone(), answer.value.clone());
                }
                _ => {}
            });
        let said = |what: &str| format!("seed {seed}, {what}: {table:?}, fair to {:?}", asked.fair);
        assert_eq!(report.faults, 0, "{}", said("faults"));
        open += report.unanswered.len();
        let positions = RunPositions::new(&space);
        for (at, shape) in asked.shapes.iter().enumerate() {
            let Some(value) = answers.get(&at.to_string()) else { continue };
            // Fairness does not apply to formulas about the computation tree.
            let is_linear = !matches!(shape, FormulaShape::Reached(_) | FormulaShape::Home(_));
            let truth = positions.holds(shape, if is_linear { &asked.fair } else { &[] });
            assert_eq!(*value, QuestionValue::Bool(truth), "{}", said(&shape.text()));
            values[usize::from(truth)] += 1;
        }
        for p in 0..places {
            let most = space.markings.iter().map(|marking| marking[p]).max().unwrap();
            let id = format!("p{p}");
            let Some(value) = answers.get(&id) else { continue };
            assert_eq!(*value, QuestionValue::Number(most.into()), "{}", said(&id));
            assert_eq!(net.place_name(PlaceId::new(p)), id);
        }
        answered += answers.len();
        file.write_end().unwrap();
        let path = directory.path().join("Formulas.jsonl");
        std::fs::write(&path, file.finish().unwrap()).unwrap();
        let text = asked.queries(places);
        let read = |net: &Net, _: &str| {
            let properties = queries::read(net, text.as_bytes()).map_err(|e| e.to_string())?;
            let under = |mut it: queries::AuditedProperty| {
                it.question = it.question.map(|question| {
                    question.with_fairness(&asked.fairness(net)).expect("fairness to what is asked")
                });
                it
            };
            Ok(properties.into_iter().map(under).collect())
        };
        let mut audit = ExtendedAudit::new(&model, 10_000, Box::new(read));
        audit.file(&path).unwrap_or_else(|broken| panic!("{broken}, {}", said("evidence")));
        for it in audit.finish().judged {
            match it.verdict {
                AuditVerdict::Confirmed(_) => confirmed += 1,
                AuditVerdict::Refused(_) => panic!("{it:?}, {}", said("audit")),
                _ => beyond += 1,
            }
        }
    }
    let counts =
        format!("{answered} answered, {open} open, {confirmed} confirmed, {beyond} beyond");
    eprintln!("{counts}; {values:?}");
    assert!(open * 50 <= answered && beyond * 50 <= answered, "{counts}");
    assert!(answered > 100 && values[0] > 30 && values[1] > 30, "{counts}, {values:?}");
}
