//! Every construct of every language of models and formulas: the auditor, with its own readers,
//! confirms the prover's answers with evidence, and no other answers.
//!
//! Models are random: place/transition nets, coloured nets, nets with inhibitor and reset arcs, and
//! problems of mist. Formulas are random trees ([`questions`](crate::support::questions)) in random
//! spellings. For each answer, the test asserts:
//!
//! 1. The auditor confirms the answer, or reports that it rests on a search. Otherwise the question
//!    is of a kind in [`BEYOND`], which `docs/limits.md` lists.
//! 2. Enumeration gives the same answer, if there are few markings.
//! 3. The opposite answer is not confirmed, neither by the same evidence nor by that of another
//!    answer.
//!
//! The test `systems` asserts the same for answers about parallel systems.

use crate::support::extended::NetTable;
use crate::support::oracle::{self, StateSpace};
use crate::support::questions::Vocabulary;
use crate::support::scale::scaled;
use crate::support::spellings::{self, Spelling};
use crate::support::{coloured, runs, trees};
use fastrand::Rng;
use parikh::answer::Plan;
use parikh::evidence::audit::{Audit, AuditReport, AuditVerdict, AuditedAnswer};
use parikh::evidence::coloured::{self as audited, ColouredAudit, RepeatLimits};
use parikh::evidence::extended::ExtendedAudit;
use parikh::evidence::question::{AnswerValue, Question};
use parikh::evidence::reader::queries::AuditedProperty;
use parikh::evidence::reader::{self, FormulaLanguage};
use parikh::evidence_files::EvidenceFile;
use parikh::formula::text;
use parikh::formula::{Formula, TemporalLogic, UnsupportedFormula};
use parikh::input;
use parikh::model::{Model, ModelView, NotUnfolded};
use parikh::net::pnml::{pnml, write_extended};
use parikh::net::{ExtendedNet, Net, written};
use parikh::run::{self, Event, OpenQuestion, OpenReason, Questions, QuestionsOnNet, RunConfig};
use parikh::solvers::Budget;
use parikh_generate::{self as generate, Shape, random_coloured};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// The auditor's messages for questions that it does not support.
const BEYOND: [&str; 2] = [
    // The formula alone does not determine its logic.
    "differs between CTL and LTL",
    "CTL and LTL formulas are supported, but not their mixture",
];

/// Number of formulas per model.
const ASKED: usize = 5;

/// A model as a file, with the vocabulary for formulas.
struct GrammarModel {
    file: String,
    vocabulary: Vocabulary,
    /// The languages whose syntax can name the nodes; empty if the file contains its own question.
    spellings: &'static [Spelling],
}

/// The texts of formulas, in the prover's syntax.
struct Texts<'t>(&'t [String]);

impl Texts<'_> {
    /// Parses a formula.
    fn formula(text: &str, net: &Net) -> Result<Formula, String> {
        if text.starts_with('<') {
            let read = input::read_queries_from(text.as_bytes(), "f", net);
            let mut read = read.map_err(|error| error.to_string())?.queries;
            return read.remove(0).formula.map_err(|error| error.to_string());
        }
        if let Some(target) = input::target_of(text, "f") {
            let target = target.map_err(|error| error.to_string())?;
            return text::read_one(&target, "f", net).formula.map_err(|error| error.to_string());
        }
        let mut read = text::read(text, "f", text::detect(text), net, false);
        read.remove(0).formula.map_err(|error| error.to_string())
    }
}

impl Questions for Texts<'_> {
    type Error = NotUnfolded;

    fn for_view(&self, view: ModelView<'_>) -> Result<QuestionsOnNet, NotUnfolded> {
        let mut wording = QuestionsOnNet { plan: Plan::default(), ..QuestionsOnNet::default() };
        for (at, text) in self.0.iter().enumerate() {
            let id = format!("q{at}");
            let asked = Texts::formula(text, view.net()).and_then(|formula| {
                let logic = TemporalLogic::of(&formula);
                let asked = wording.plan.ask_formula_in(&id, &formula, view.net(), logic);
                asked.map_err(|error| {
                    wording.lacking_colours +=
                        usize::from(matches!(error, UnsupportedFormula::Colours));
                    error.to_string()
                })
            });
            if let Err(reason) = asked {
                let reason = OpenReason::refused(reason);
                wording.refused.push(OpenQuestion { id, reason });
            }
        }
        Ok(wording)
    }
}

/// Runs the prover and returns its evidence file.
pub(crate) fn evidence(model: &Model, texts: &[String]) -> String {
    let mut file: Option<EvidenceFile<'_, Vec<u8>>> = None;
    let config = RunConfig { threads: 1, keep_certificates: true, ..RunConfig::default() };
    let budget = Budget::lasting(Duration::from_millis(500));
    let report = run::run(model, &Texts(texts), &config, &budget, |view, event| match event {
        Event::NetBegun { .. } if file.is_none() => {
            file = Some(EvidenceFile::new(view.net(), "Formulas", Vec::new()).unwrap());
        }
        Event::Settled { id, goal, knowledge } => {
            file.as_mut().unwrap().settled(id, goal, knowledge).unwrap();
        }
        Event::Answered(answer) => file.as_mut().unwrap().answer(answer).unwrap(),
        Event::Withdrawn { id } => file.as_mut().unwrap().withdrawn(id).unwrap(),
        _ => {}
    });
    let report = report.unwrap();
    assert_eq!(report.faults, 0, "{texts:?}");
    let mut file = file.unwrap();
    file.write_end().unwrap();
    String::from_utf8(file.finish().unwrap()).unwrap()
}

/// The auditor's result, with the net and the questions that it read.
pub(crate) struct AuditedFile {
    pub(crate) judged: Vec<AuditedAnswer>,
    net: Option<Net>,
    questions: Vec<AuditedProperty>,
}

/// Audits an evidence file against the model and the formulas as written.
pub(crate) fn audit(model: &[u8], texts: &[String], file: &Path) -> AuditedFile {
    let read = RefCell::new((None, Vec::new()));
    let asked = |net: &Net, _: &str| -> Result<Vec<AuditedProperty>, String> {
        let mut all = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            let questions =
                reader::read_questions(net, text.as_bytes(), FormulaLanguage::Detected, false);
            let mut first = questions.map_err(|error| error.to_string())?.remove(0);
            first.id = format!("q{at}");
            read.borrow_mut()
                .1
                .push(AuditedProperty { id: first.id.clone(), question: first.question.clone() });
            all.push(first);
        }
        read.borrow_mut().0 = Some(net.clone());
        Ok(all)
    };
    let told = |broken: Option<_>, report: AuditReport| {
        assert!(broken.is_none(), "{broken:?}");
        report.judged
    };
    let judged = if audited::is_coloured(model) {
        let model = audited::read(model).unwrap();
        let limits = RepeatLimits { max_tried_colours: 1_000_000, max_markings: 100_000 };
        let mut audit = ColouredAudit::new(&model, limits, Box::new(asked));
        let broken = audit.file(file).err();
        told(broken, audit.finish())
    } else {
        match reader::read_model(model).unwrap().net.into_plain() {
            Ok(net) => {
                let mut audit = Audit::new(&net, 100_000, Box::new(|it| asked(&net, it)));
                let broken = audit.file(file).err();
                told(broken, audit.finish())
            }
            Err(extended) => {
                let mut audit = ExtendedAudit::new(&extended, 100_000, Box::new(asked));
                let broken = audit.file(file).err();
                told(broken, audit.finish())
            }
        }
    };
    let (net, questions) = read.into_inner();
    AuditedFile { judged, net, questions }
}

/// Returns the answer by enumeration. Returns `None` for kinds of questions that are not evaluated
/// here, and for a maximum beyond 64 bits.
fn answer(question: &Question, space: &StateSpace<'_>) -> Option<AnswerValue> {
    let net = space.net();
    let holds = |question: &Question| match answer(question, space) {
        Some(AnswerValue::Holds(holds)) => holds,
        other => panic!("{question:?}: {other:?}"),
    };
    Some(AnswerValue::Holds(match question {
        Question::Reach { goals, all, then } => {
            let mut met = goals.iter().map(|goal| space.reaches(goal));
            (if *all { met.all(|it| it) } else { met.any(|it| it) }) == *then
        }
        Question::StaysReachable(wanted) => wanted.iter().all(|wanted| space.stays(wanted)),
        Question::NoRun(property) => !runs::exists(space, property),
        Question::Tree(property) => trees::holds(space, property),
        Question::Initially(predicate) => predicate.holds(net, net.initial()),
        Question::Not(part) => !holds(part),
        Question::Connective { all: true, parts } => parts.iter().all(holds),
        Question::Connective { all: false, parts } => parts.iter().any(holds),
        Question::WithImplications { main, .. } => holds(main),
        Question::Maximum(sum) => {
            return i64::try_from(space.maximum(sum)).ok().map(AnswerValue::Number);
        }
        Question::Sound { .. } | Question::MaximumOf(_) | Question::Count { .. } => return None,
    }))
}

/// Counters of the results.
#[derive(Debug, Default)]
struct Tally {
    confirmed: u32,
    searched: u32,
    /// Number of unsupported questions, by message.
    beyond: BTreeMap<&'static str, u32>,
    unread: u32,
    enumerated: u32,
    opposite: u32,
    faults: Vec<String>,
}

impl Tally {
    /// Asks random formulas about a model.
    fn ask(&mut self, subject: &GrammarModel, rng: &mut Rng, directory: &Path, seed: u64) {
        let (model, proofs) = (directory.join("model"), directory.join("Formulas.jsonl"));
        std::fs::write(&model, &subject.file).unwrap();
        let texts: Vec<String> = match subject.spellings {
            // The file contains its own target.
            [] => vec![subject.file.clone()],
            all => {
                let text = |rng: &mut Rng| {
                    let spelling = all[rng.usize(..all.len())];
                    let mut vocabulary = subject.vocabulary.clone();
                    vocabulary.has_firings &= spelling == Spelling::Typed;
                    vocabulary.is_rich &= spelling != Spelling::Early;
                    if matches!(spelling, Spelling::Xml | Spelling::Contest) {
                        vocabulary.places.retain(|place| !place.contains('('));
                    }
                    let mut form = vocabulary.formula(rng);
                    while spelling == Spelling::Lola && format!("{form:?}").contains("Bound") {
                        form = vocabulary.formula(rng);
                    }
                    spellings::file(spelling, &form, rng)
                };
                (0..ASKED).map(|_| text(rng)).collect()
            }
        };
        let read = input::read_model(&model);
        let Ok(read) = read else {
            self.unread += 1;
            return;
        };
        let written = evidence(&read, &texts);
        std::fs::write(&proofs, &written).unwrap();
        let bytes = subject.file.as_bytes();
        let AuditedFile { judged, net, questions } = audit(bytes, &texts, &proofs);
        let limits = oracle::OracleLimits { states: 300, tokens: 50 };
        let is_counted = |net: &&Net| !net.has_caps();
        let space = net.as_ref().filter(is_counted).and_then(|net| oracle::explore(net, limits));
        let at = |id: &str| id[1..].parse::<usize>().unwrap();
        for judged in &judged {
            let text = &texts[at(&judged.id)];
            let mut fault = |what: &str| {
                let value = &judged.value;
                self.faults.push(format!("seed {seed}: {text}\n    {value}: {what}\n"));
            };
            match &judged.verdict {
                AuditVerdict::Confirmed(_) => self.confirmed += 1,
                AuditVerdict::Searched(_) => self.searched += 1,
                AuditVerdict::Unsupported(why) => match BEYOND.iter().find(|it| why.contains(**it))
                {
                    Some(kind) => *self.beyond.entry(kind).or_default() += 1,
                    None => fault(&format!("beyond: {why}")),
                },
                AuditVerdict::Refused(why) => fault(&format!("refused: {why}")),
                AuditVerdict::Stopped(_) => fault("stopped"),
            }
            let question = questions.iter().find(|it| it.id == judged.id);
            if let (Some(space), Some(Ok(question))) = (&space, question.map(|it| &it.question)) {
                let right = answer(question, space).map(|it| it.to_string());
                self.enumerated += 1;
                if right.is_some_and(|right| right != judged.value) {
                    fault("enumeration says another thing");
                }
            }
        }
        self.opposites(&written, bytes, (&texts, &proofs), seed);
    }

    /// Audits the opposite answers, with their own evidence and with that of others.
    fn opposites(
        &mut self,
        written: &str,
        model: &[u8],
        (texts, proofs): (&[String], &Path),
        seed: u64,
    ) {
        let lines: Vec<serde_json::Value> =
            written.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let is_answer = |line: &&serde_json::Value| line.get("answer").is_some();
        let answers: Vec<&serde_json::Value> = lines.iter().filter(is_answer).collect();
        for shift in 0..2.min(answers.len()) {
            let mut count = 0;
            let changed = lines.iter().map(|line| {
                let mut line = line.clone();
                let Some(answer) = line.get_mut("answer") else { return format!("{line}\n") };
                let other = &answers[(count + shift) % answers.len()]["answer"];
                count += 1;
                let value = answer["value"].as_str().unwrap();
                answer["value"] = match value {
                    "TRUE" => "FALSE".into(),
                    "FALSE" => "TRUE".into(),
                    "+inf" => "3".into(),
                    number => (number.parse::<i64>().unwrap() + 1).to_string().into(),
                };
                for key in ["shown_by", "searched", "assumes"] {
                    match other.get(key) {
                        Some(own) => answer[key] = own.clone(),
                        None => drop(answer.as_object_mut().unwrap().remove(key)),
                    }
                }
                format!("{line}\n")
            });
            std::fs::write(proofs, changed.collect::<String>()).unwrap();
            for judged in audit(model, texts, proofs).judged {
                self.opposite += 1;
                if matches!(judged.verdict, AuditVerdict::Confirmed(_)) {
                    let text = &texts[judged.id[1..].parse::<usize>().unwrap()];
                    self.faults.push(format!("seed {seed}: {text}\n    {judged:?}\n"));
                }
            }
        }
    }

    fn settle(self, least: u32) {
        println!(
            "{} confirmed, {} searched, beyond {:?}, {} enumerated, {} opposites, {} unread",
            self.confirmed, self.searched, self.beyond, self.enumerated, self.opposite, self.unread
        );
        let shown = self.faults.iter().take(20).cloned().collect::<String>();
        assert!(self.faults.is_empty(), "{} faults\n{shown}", self.faults.len());
        assert!(self.confirmed >= least, "{} confirmed", self.confirmed);
    }
}

fn vocabulary(net: &Net) -> Vocabulary {
    Vocabulary {
        places: net.places().map(|p| net.place_name(p).to_owned()).collect(),
        transitions: net.transitions().map(|t| net.transition_name(t).to_owned()).collect(),
        has_firings: true,
        has_arithmetic: true,
        is_rich: true,
    }
}

/// Tests random models, each generated from its seed.
fn ask(models: u64, first: u64, subject: impl Fn(u64, &mut Rng) -> Option<GrammarModel>) -> Tally {
    let directory = tempfile::tempdir().unwrap();
    let mut tally = Tally::default();
    for seed in first..first + scaled(models) {
        let mut rng = Rng::with_seed(seed);
        if let Some(subject) = subject(seed, &mut rng) {
            tally.ask(&subject, &mut rng, directory.path(), seed);
        }
    }
    tally
}

const ALL: &[Spelling] =
    &[Spelling::Xml, Spelling::Typed, Spelling::Lola, Spelling::Contest, Spelling::Early];

#[test]
fn answers_about_plain_nets_in_every_language_are_confirmed() {
    let tally = ask(1_000, 0, |seed, rng| {
        let shape =
            Shape { places: rng.u32(1..=4), transitions: rng.u32(1..=5), ..Shape::small(seed) };
        let net = generate::random(seed, &shape);
        let mut file = String::new();
        let extended = ExtendedNet::from(net.clone());
        match rng.u8(..4) {
            0 => file = parikh::net::text::print(&net),
            1 => written::write_lola(&extended, &mut file).ok()?,
            2 => written::write_tina(&extended, &mut file).ok()?,
            _ => file = pnml(&net),
        }
        Some(GrammarModel { file, vocabulary: vocabulary(&net), spellings: ALL })
    });
    tally.settle(scaled(3_000) as u32);
}

#[test]
fn answers_about_coloured_nets_in_every_language_are_confirmed() {
    let tally = ask(500, 1_000_000, |seed, _| {
        let net = random_coloured(seed);
        let mut vocabulary = Vocabulary {
            places: net.places().iter().map(|place| place.name.clone()).collect(),
            transitions: net.transitions().iter().map(|t| t.name.clone()).collect(),
            has_firings: true,
            has_arithmetic: true,
            is_rich: true,
        };
        // Places with a colour, and each whole place.
        for place in net.places() {
            let size = net.sort(place.sort).size();
            let colour = |colour| net.unfolded_name(place, colour);
            vocabulary.places.extend((0..size.min(4)).map(colour));
        }
        Some(GrammarModel { file: coloured::write(&net), vocabulary, spellings: ALL })
    });
    tally.settle(scaled(1_000) as u32);
}

#[test]
fn answers_about_nets_with_inhibitor_and_reset_arcs_are_confirmed() {
    let tally = ask(500, 2_000_000, |seed, _| {
        let net = NetTable::random(seed).net();
        let mut file = String::new();
        write_extended(&net, &mut file).unwrap();
        let vocabulary = vocabulary(net.core());
        Some(GrammarModel { file, vocabulary, spellings: ALL })
    });
    tally.settle(scaled(500) as u32);
}

#[test]
fn answers_about_problems_of_mist_are_confirmed() {
    let tally = ask(500, 3_000_000, |_, rng| {
        let variables = rng.usize(1..=3);
        let name = |rng: &mut Rng| format!("x{}", rng.usize(..variables));
        let mut file = "vars\n".to_owned();
        (0..variables).for_each(|at| file += &format!(" x{at}"));
        file += "\n\nrules\n";
        for _ in 0..rng.usize(1..=4) {
            let from = rng.usize(..variables);
            let taken = rng.u32(0..=2);
            let guard = match rng.u8(..4) {
                0 if variables > 1 => {
                    format!(", x{} <= {}", (from + 1) % variables, rng.u32(0..=2))
                }
                _ => String::new(),
            };
            let mut changes = match rng.u8(..6) {
                0 => format!("x{from}' = 0"),
                _ => format!("x{from}' = x{from} - {taken}"),
            };
            if variables > 1 && rng.bool() {
                let to = (from + 1) % variables;
                changes += &format!(", x{to}' = x{to} + {}", rng.u32(0..=2));
            }
            file += &format!("x{from} >= {taken}{guard} -> {changes};\n");
        }
        file += "\ninit\n";
        let start = |at: usize, rng: &mut Rng| match rng.u8(..3) {
            0 => format!("x{at} >= {}", rng.u32(0..=2)),
            _ => format!("x{at} = {}", rng.u32(0..=2)),
        };
        let all: Vec<String> = (0..variables).map(|at| start(at, rng)).collect();
        file += &all.join(", ");
        file += "\n\ntarget\n";
        for _ in 0..rng.usize(1..=2) {
            file += &format!("{} >= {}\n", name(rng), rng.u32(0..=3));
        }
        let vocabulary = Vocabulary {
            places: Vec::new(),
            transitions: Vec::new(),
            has_firings: false,
            has_arithmetic: false,
            is_rich: false,
        };
        Some(GrammarModel { file, vocabulary, spellings: &[] })
    });
    tally.settle(scaled(200) as u32);
}
