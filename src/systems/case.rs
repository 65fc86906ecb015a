//! A system with what is asked of it, each read twice: for the engines and for the checkers.

use crate::evidence::systems as checker;
use parikh_systems::read::{self, ReadError};
use parikh_systems::{BranchingFormula, LabelFormula, System, write};
use std::path::Path;

/// What systems are written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// The graph language of Graphviz, as RERS uses it.
    Dot,
    /// Promela, as the generator of RERS writes it.
    Promela,
    /// Aldebaran.
    Aut,
    /// mCRL2's.
    Fsm,
}

impl Format {
    /// The format of a file, by its name, or by its beginning where it is called otherwise.
    pub fn of(path: &Path, beginning: &[u8]) -> Option<Format> {
        let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
        let first = beginning.trim_ascii_start();
        match extension {
            "dot" | "gv" => Some(Format::Dot),
            "pml" => Some(Format::Promela),
            "aut" => Some(Format::Aut),
            "fsm" => Some(Format::Fsm),
            _ if first.starts_with(b"digraph") => Some(Format::Dot),
            _ => None,
        }
    }

    /// Reads a text of the format.
    ///
    /// # Errors
    /// With the place of the first problem.
    pub fn read(self, text: &str, name: &str) -> Result<System, ReadError> {
        match self {
            Format::Dot => read::dot(text, name),
            Format::Promela => read::promela(text, name),
            Format::Aut => read::aut(text, name),
            Format::Fsm => read::fsm(text, name),
        }
    }
}

/// What properties are about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Logic {
    /// All runs.
    Ltl,
    /// All states, along maximal paths.
    Ctl,
}

/// A formula, for the engines.
#[derive(Clone, Debug)]
pub enum Question {
    /// Of LTL.
    Linear(LabelFormula),
    /// Of CTL.
    Branching(BranchingFormula),
}

/// A system with its properties.
#[derive(Debug)]
pub struct Case {
    /// The system.
    pub system: System,
    /// Its properties as they stand in the file.
    pub properties: Vec<read::PropertyLine>,
    /// Their formulas, in the same order.
    pub questions: Vec<Question>,
    /// What they are about.
    pub logic: Logic,
    pub(super) checked_system: checker::System,
    pub(super) checked_properties: checker::properties::Properties,
}

/// Why a case cannot be worked on.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// The system cannot be read.
    #[error("{0}")]
    System(ReadError),
    /// The properties cannot be read.
    #[error("{0}")]
    Properties(ReadError),
    /// The checkers' readers do not read what the engines' do: nothing could be shown.
    #[error("the checker reads {what} otherwise: {why}")]
    Checker {
        /// The system or the properties.
        what: &'static str,
        /// What it says.
        why: String,
    },
}

impl Case {
    /// A system as text with properties as text.
    ///
    /// # Errors
    /// Why it cannot be worked on.
    pub fn read(
        format: Format,
        system: &str,
        name: &str,
        properties: &str,
    ) -> Result<Case, CaseError> {
        let read_system = format.read(system, name).map_err(CaseError::System)?;
        let wrong = |what, why: String| CaseError::Checker { what, why };
        // The checker reads the file itself; of other formats than .dot, what was made of them.
        let for_checker = match format {
            Format::Dot => checker::read_dot(system.as_bytes()),
            _ => checker::read_dot(write::dot(&read_system).as_bytes()),
        };
        let checked_system = for_checker.map_err(|it| wrong("the system", it.to_string()))?;
        let labels = || read_system.labels().map(|label| read_system.label(label));
        if !checked_system.labels().eq(labels()) {
            return Err(wrong("the system", "it has other labels".to_owned()));
        }
        let listed = read::properties(properties).map_err(CaseError::Properties)?;
        let branching = listed.iter().any(|it| read::is_branching(&it.formula));
        let mut questions = Vec::new();
        for property in &listed {
            let question = match branching {
                true => read::branching(&property.formula, &read_system)
                    .map(Question::Branching)
                    .map_err(|error| error.within(properties, property.offset)),
                false => LabelFormula::parse(&property.formula, &read_system)
                    .map(Question::Linear)
                    .map_err(|error| property.error(properties, &error)),
            };
            questions.push(question.map_err(CaseError::Properties)?);
        }
        let checked_properties = checker::properties::read(properties.as_bytes())
            .map_err(|it| wrong("the properties", it.to_string()))?;
        if !listed.iter().all(|it| checked_properties.all.contains_key(&it.number))
            || listed.len() != checked_properties.all.len()
        {
            return Err(wrong("the properties", "it sees others".to_owned()));
        }
        let logic = if branching { Logic::Ctl } else { Logic::Ltl };
        let properties = listed;
        Ok(Case {
            system: read_system,
            properties,
            questions,
            logic,
            checked_system,
            checked_properties,
        })
    }

    /// The names in a formula that no label has, which never hold.
    pub fn unknown_names(&self, at: usize) -> Vec<&str> {
        match &self.questions[at] {
            Question::Linear(formula) => formula.unknown_names(),
            Question::Branching(formula) => {
                formula.unknown_names().iter().map(String::as_str).collect()
            }
        }
    }
}
