//! Comparison of the prover's and the auditor's readers of models and questions.
//!
//! `parikh check` reads with [`parikh::input`], `parikh-certify` with [`parikh_evidence::reader`];
//! the two share no code. Both read the model and the query files of each instance. Everything that
//! evidence can depend on must be equal: nodes by name, tokens, weights, units, and the meaning of
//! each formula, down to the predicate.

use crate::error::Error;
use crate::instance::{Instance, plain_net};
use parikh::formula::{Proposition, Query, lower};
use parikh::input::{read_net, read_queries};
use parikh_evidence::question::Question;
use parikh_evidence::reader::{pnml, queries};
use parikh_net::{Arc, Atom, Goal, LinearSum, Net, PlaceId, Predicate, TransitionId};
use std::path::Path;
use std::time::Instant;

/// The examinations whose formulas are compared.
const FORMULAS: [&str; 3] = ["ReachabilityCardinality", "ReachabilityFireability", "UpperBounds"];

/// The result of reading one instance with the prover's reader and with the auditor's reader.
#[derive(Clone, Debug, PartialEq)]
pub struct ReaderComparison {
    /// The instance's name.
    pub instance: String,
    /// Numbers of places, transitions and arcs.
    pub size: [usize; 3],
    /// Number of formulas that both readers translate to the same question.
    pub formulas: usize,
    /// Seconds of the prover's reader and of the auditor's, for model and questions together.
    pub seconds: [f64; 2],
    /// Descriptions of the differences.
    pub differences: Vec<String>,
}

/// Reads one instance with both readers. Returns `None`, with a line on stderr, if its model is
/// coloured. A model that a reader refuses is a difference.
///
/// # Errors
/// If the archive, the model file or a query file cannot be opened.
pub fn compare(inputs: &Path, name: &str) -> Result<Option<ReaderComparison>, Error> {
    let instance = Instance::unpack(inputs, name)?;
    let path = instance.path().join("model.pnml");
    let start = Instant::now();
    let first = read_net(&path);
    let mut seconds = [start.elapsed().as_secs_f64(), 0.0];
    let start = Instant::now();
    let bytes = std::fs::read(&path).map_err(Error::at(&path))?;
    let second = pnml::read(&bytes);
    drop(bytes);
    seconds[1] = start.elapsed().as_secs_f64();
    let mut measurement = ReaderComparison {
        instance: name.to_owned(),
        size: [0; 3],
        formulas: 0,
        seconds,
        differences: Vec::new(),
    };
    let (first, second) = match (first, second) {
        (Ok(first), Ok(second)) => (first, second),
        // If both readers refuse the model because it is coloured, there is no difference to
        // report.
        (Err(_), Err(_)) if matches!(plain_net(&instance), Ok(None)) => return Ok(None),
        (first, second) => {
            let errors = [first.err().map(|e| e.to_string()), second.err().map(|e| e.to_string())];
            measurement.differences.push(format!("the model: {errors:?}"));
            return Ok(Some(measurement));
        }
    };
    measurement.size = [first.place_count(), first.transition_count(), first.arc_count()];
    measurement.differences.extend(second.note);
    match NodePairing::of(&first, &second.net) {
        Ok(names) => names.compare_nets(&mut measurement.differences),
        Err(difference) => measurement.differences.push(difference),
    }
    if measurement.differences.is_empty() {
        for examination in FORMULAS {
            let file = instance.path().join(format!("{examination}.xml"));
            if file.is_file() {
                measurement.compare_queries(&first, &second.net, &file)?;
            }
        }
    }
    Ok(Some(measurement))
}

impl ReaderComparison {
    /// Reads a query file with both readers. Adds the differences, the times, and the number of
    /// formulas that both readers understand in the same way.
    ///
    /// # Errors
    /// If the query file cannot be opened.
    fn compare_queries(
        &mut self,
        prover_net: &Net,
        auditor_net: &Net,
        file: &Path,
    ) -> Result<(), Error> {
        let start = Instant::now();
        let prover_queries = read_queries(file, prover_net);
        let lowered: Vec<(String, Option<Query<Goal>>)> = match &prover_queries {
            Ok(prover_queries) => prover_queries
                .queries
                .iter()
                .map(|query| {
                    let formula = query.formula.as_ref().ok();
                    (query.id.clone(), formula.and_then(|formula| lower(formula, prover_net).ok()))
                })
                .collect(),
            Err(_) => Vec::new(),
        };
        self.seconds[0] += start.elapsed().as_secs_f64();
        let start = Instant::now();
        let bytes = std::fs::read(file).map_err(Error::at(file))?;
        let auditor_queries = queries::read(auditor_net, &bytes).unwrap_or_default();
        self.seconds[1] += start.elapsed().as_secs_f64();
        let ids_differ =
            (lowered.iter().map(|(id, _)| id)).ne(auditor_queries.iter().map(|it| &it.id));
        if ids_differ {
            self.differences.push(format!("{}: the lists of properties differ", file.display()));
            return Ok(());
        }
        let Ok(names) = NodePairing::of(prover_net, auditor_net) else { return Ok(()) };
        for ((id, prover_query), auditor_query) in lowered.into_iter().zip(auditor_queries) {
            let is_same = |first: &Query<Goal>, second: &Question| names.agree(first, second);
            match (prover_query, auditor_query.question) {
                (Some(first), Ok(second)) if is_same(&first, &second) => self.formulas += 1,
                (None, Err(_)) => {}
                // The prover's reader has no query over goals for a formula about runs, and the
                // auditor's reader has an automaton. The two are not compared.
                (None, Ok(second)) if is_about_runs(&second) => {}
                (Some(_), Err(error)) => self.differences.push(format!("{id}: {error}")),
                _ => self.differences.push(format!("{id} is read differently")),
            }
        }
        Ok(())
    }
}

/// Returns true if a part of the question is about runs.
fn is_about_runs(question: &Question) -> bool {
    match question {
        Question::NoRun(_) => true,
        Question::Not(part) => is_about_runs(part),
        Question::Connective { parts, .. } => parts.iter().any(is_about_runs),
        _ => false,
    }
}

/// The nodes of two nets, paired by name.
struct NodePairing<'n> {
    /// The net of the prover's reader.
    prover_net: &'n Net,
    /// The net of the auditor's reader.
    auditor_net: &'n Net,
    /// The place of the auditor's net for each place of the prover's net.
    places: Vec<PlaceId>,
    /// The transition of the auditor's net for each transition of the prover's net.
    transitions: Vec<TransitionId>,
}

impl<'n> NodePairing<'n> {
    /// Pairs each node of `first` with the node of `second` that has the same name. Returns a
    /// description of the difference if a number of nodes or arcs differs, or if a name is missing
    /// in `second`.
    fn of(first: &'n Net, second: &'n Net) -> Result<Self, String> {
        let counts = |net: &Net| [net.place_count(), net.transition_count(), net.arc_count()];
        if counts(first) != counts(second) {
            return Err(format!("sizes: {:?} and {:?}", counts(first), counts(second)));
        }
        let missing = |name: &str| format!("the second reader has no `{name}`");
        let place = |p| second.place_named(first.place_name(p)).ok_or(first.place_name(p));
        let transition =
            |t| second.transition_named(first.transition_name(t)).ok_or(first.transition_name(t));
        Ok(NodePairing {
            prover_net: first,
            auditor_net: second,
            places: first.places().map(place).collect::<Result<_, _>>().map_err(missing)?,
            transitions: first
                .transitions()
                .map(transition)
                .collect::<Result<_, _>>()
                .map_err(missing)?,
        })
    }

    /// Returns the place of the auditor's net that has the name of `place`, a place of the prover's
    /// net.
    fn place(&self, place: PlaceId) -> PlaceId {
        self.places[place.index()]
    }

    /// Adds the differences of the two nets.
    fn compare_nets(&self, differences: &mut Vec<String>) {
        if self.prover_net.name() != self.auditor_net.name() {
            differences.push("the net's name".to_owned());
        }
        for p in self.prover_net.places() {
            if self.prover_net.initial()[p] != self.auditor_net.initial()[self.place(p)] {
                differences.push(format!("tokens of `{}`", self.prover_net.place_name(p)));
            }
        }
        let renamed_arcs = |row: &[Arc]| {
            let mut arcs: Vec<_> =
                row.iter().map(|arc| (self.place(arc.place), arc.weight)).collect();
            arcs.sort_unstable();
            arcs
        };
        let unrenamed_arcs =
            |row: &[Arc]| row.iter().map(|arc| (arc.place, arc.weight)).collect::<Vec<_>>();
        for t in self.prover_net.transitions() {
            let other = self.transitions[t.index()];
            if renamed_arcs(self.prover_net.pre(t)) != unrenamed_arcs(self.auditor_net.pre(other))
                || renamed_arcs(self.prover_net.post(t))
                    != unrenamed_arcs(self.auditor_net.post(other))
            {
                differences.push(format!("arcs of `{}`", self.prover_net.transition_name(t)));
            }
        }
        if self.units(self.prover_net, true) != self.units(self.auditor_net, false) {
            differences.push("units".to_owned());
        }
    }

    /// Returns whether the model claims that its units are safe, and the units sorted by name. With
    /// `rename`, places of the prover's net become places of the auditor's net. Returns `None` for
    /// a net without units.
    fn units(&self, net: &'n Net, rename: bool) -> Option<(bool, Vec<UnitByName<'n>>)> {
        let units = net.units()?;
        let mut by_name: Vec<_> = units
            .iter()
            .map(|(_, unit)| {
                let renamed = |&place: &PlaceId| if rename { self.place(place) } else { place };
                let mut places: Vec<PlaceId> = unit.places.iter().map(renamed).collect();
                places.sort_unstable();
                (&*unit.name, unit.parent.map(|parent| &*units.get(parent).name), places)
            })
            .collect();
        by_name.sort_unstable();
        Some((units.safe_from().is_some(), by_name))
    }

    /// Returns true if `first`, from the prover's reader, asks the same as `second`, from the
    /// auditor's reader. Returns false for a query with several goals: the query files of the
    /// compared examinations have none.
    fn agree(&self, first: &Query<Goal>, second: &Question) -> bool {
        let predicate = |it: &Predicate| self.predicate(it).sorted();
        match (first.only_atom(), first, second) {
            (Some((Goal::Reach(goal), then)), _, second) => {
                *second == Question::Reach { goals: vec![predicate(goal)], all: true, then }
            }
            (Some((Goal::Maximise(sum), _)), _, second) => {
                *second == Question::Maximum(self.sum(sum))
            }
            (
                None,
                Query::Truth(Proposition::Constant(value)),
                Question::Initially(initial_predicate),
            ) => initial_predicate.holds(self.auditor_net, self.auditor_net.initial()) == *value,
            _ => false,
        }
    }

    /// Translates a sum from the prover's net to the auditor's net.
    fn sum(&self, sum: &LinearSum) -> LinearSum {
        let renamed = sum.terms().iter().map(|&(place, a)| (self.place(place), a));
        LinearSum::new(renamed).expect("a sum with its places renamed is as large as before")
    }

    /// Translates a predicate from the prover's net to the auditor's net.
    fn predicate(&self, predicate: &Predicate) -> Predicate {
        let transition = |t: &TransitionId| self.transitions[t.index()];
        let translate_all =
            |parts: &[Predicate]| parts.iter().map(|part| self.predicate(part)).collect();
        match predicate {
            Predicate::Atom(Atom { sum, bound }) => {
                Predicate::Atom(Atom { sum: self.sum(sum), bound: *bound })
            }
            Predicate::Enabled(t) => Predicate::Enabled(transition(t)),
            Predicate::Disabled(t) => Predicate::Disabled(transition(t)),
            Predicate::And(parts) => Predicate::And(translate_all(parts)),
            Predicate::Or(parts) => Predicate::Or(translate_all(parts)),
            constant => constant.clone(),
        }
    }
}

/// A unit's name, the name of its enclosing unit, and its places in order.
type UnitByName<'n> = (&'n str, Option<&'n str>, Vec<PlaceId>);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::tests::pack;
    use parikh_net::pnml::pnml;
    use parikh_net::text;

    const NET: &str = "net n\nplace p 1\nplace q\ntransition a: p -> q\ntransition b: q -> p";

    #[test]
    fn both_readers_are_asked_and_their_formulas_compared() {
        let inputs = tempfile::tempdir().unwrap();
        let model = pnml(&text::parse(NET).unwrap());
        let property = |id: &str, formula: &str| {
            format!("<property><id>{id}</id><formula>{formula}</formula></property>")
        };
        let fireable = "<exists-path><finally><negation><is-fireable><transition>b</transition>
            <transition>a</transition></is-fireable></negation></finally></exists-path>";
        let next = "<exists-path><next><true/></next></exists-path>";
        let file = [property("f", fireable), property("g", next)].concat();
        let file = format!("<property-set>{file}</property-set>");
        let bound = property("h", "<place-bound><place>q</place><place>p</place></place-bound>");
        let bounds = format!("<property-set>{bound}</property-set>");
        let files = [
            ("model.pnml", &*model),
            ("ReachabilityFireability.xml", &*file),
            ("UpperBounds.xml", &*bounds),
        ];
        pack(inputs.path(), "Ring-PT-1", &files);
        let measurement = compare(inputs.path(), "Ring-PT-1").unwrap().unwrap();
        assert_eq!(measurement.differences, Vec::<String>::new());
        assert_eq!((measurement.size, measurement.formulas), ([2, 2, 4], 2));
    }

    #[test]
    fn differences_are_seen() {
        let net = text::parse(NET).unwrap();
        let reordered = "net n\nplace q\nplace p 1\ntransition b: q -> p\ntransition a: p -> q";
        let differences = |other: &str| {
            let other = text::parse(other).unwrap();
            let mut found = Vec::new();
            match NodePairing::of(&net, &other) {
                Ok(names) => names.compare_nets(&mut found),
                Err(difference) => found.push(difference),
            }
            found
        };
        assert_eq!(differences(reordered), Vec::<String>::new());
        assert_eq!(differences(&reordered.replace("p 1", "p 2")), ["tokens of `p`"]);
        assert_eq!(differences(&reordered.replace("a: p", "a: 2*p")), ["arcs of `a`"]);
        assert_eq!(differences(&reordered.replace(" b:", " c:")).len(), 1);
        assert_eq!(differences(&reordered.replace("q -> p", "q ->")).len(), 1);
        let other = text::parse(reordered).unwrap();
        let names = NodePairing::of(&net, &other).unwrap();
        let [p, q] = [0, 1].map(PlaceId::new);
        let question =
            |place| Query::Truth(Proposition::Atom(Goal::Reach(Predicate::at_least(place, 1))));
        let goals = vec![Predicate::at_least(q, 1)];
        let asked = Question::Reach { goals, all: true, then: true };
        assert!(names.agree(&question(p), &asked), "p comes second in the other net");
        assert!(!names.agree(&question(q), &asked));
    }
}
