//! A parallel system with its properties, each read twice: by the engines' reader and by the
//! checker's reader.

use parikh_evidence::systems as checker;
use parikh_systems::read::{self, ReadError};
use parikh_systems::{BranchingFormula, LabelFormula, System, write};
use std::path::Path;

/// File formats of systems.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SystemFormat {
    /// The graph language of Graphviz, as used by RERS.
    Dot,
    /// Promela, as written by the generator of RERS.
    Promela,
    /// The Aldebaran format.
    Aut,
    /// The FSM format of mCRL2.
    Fsm,
}

impl SystemFormat {
    /// Detects the format of a file from its name, or otherwise from its beginning. Returns `None`
    /// if both are unknown.
    pub fn of(path: &Path, beginning: &[u8]) -> Option<SystemFormat> {
        let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
        let first = beginning.trim_ascii_start();
        match extension {
            "dot" | "gv" => Some(SystemFormat::Dot),
            "pml" => Some(SystemFormat::Promela),
            "aut" => Some(SystemFormat::Aut),
            "fsm" => Some(SystemFormat::Fsm),
            _ if first.starts_with(b"digraph") => Some(SystemFormat::Dot),
            _ => None,
        }
    }

    /// Reads a text in this format.
    ///
    /// # Errors
    /// With the position of the first error.
    pub fn read(self, text: &str, name: &str) -> Result<System, ReadError> {
        match self {
            SystemFormat::Dot => read::dot(text, name),
            SystemFormat::Promela => read::promela(text, name),
            SystemFormat::Aut => read::aut(text, name),
            SystemFormat::Fsm => read::fsm(text, name),
        }
    }
}

/// The logic of the properties.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SystemLogic {
    /// Linear temporal logic (LTL): a formula is evaluated on every run.
    Ltl,
    /// CTL: a formula is evaluated in every initial joint state, over maximal paths.
    Ctl,
}

/// A formula for the engines.
#[derive(Clone, Debug)]
pub enum PropertyFormula {
    /// An LTL formula.
    Linear(LabelFormula),
    /// A CTL formula.
    Branching(BranchingFormula),
}

/// A parallel system and the properties to check.
#[derive(Debug)]
pub struct SystemCase {
    /// The system.
    pub system: System,
    /// The properties as written in the file.
    pub properties: Vec<read::PropertyLine>,
    /// The formulas as the engines read them, in the order of `properties`.
    pub questions: Vec<PropertyFormula>,
    /// The logic of the properties.
    pub logic: SystemLogic,
    /// The system, read by the checker's reader.
    pub(super) checked_system: checker::System,
    /// The properties, read by the checker's reader.
    pub(super) checked_properties: checker::properties::PropertyFile,
}

/// Errors when reading a system and its properties.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// The system is not readable.
    #[error("{0}")]
    System(ReadError),
    /// The properties are not readable.
    #[error("{0}")]
    Properties(ReadError),
    /// The checker's reader disagrees with the engines' reader, so no answer could be checked.
    #[error("internal error: the checker reads {what} differently: {why}")]
    Checker {
        /// The input that differs: the system or the properties.
        what: &'static str,
        /// The checker's message, or what differs between the results of the two readers.
        why: String,
    },
}

impl SystemCase {
    /// Reads a system and its properties from text.
    ///
    /// # Errors
    /// If one of the two is not readable, or if the readers disagree.
    pub fn read(
        format: SystemFormat,
        system: &str,
        name: &str,
        properties: &str,
    ) -> Result<SystemCase, CaseError> {
        let read_system = format.read(system, name).map_err(CaseError::System)?;
        let disagreement = |what, why: String| CaseError::Checker { what, why };
        // The checker reads the file itself in the .dot format. For other formats, it reads the
        // converted system.
        let for_checker = match format {
            SystemFormat::Dot => checker::read_dot(system.as_bytes()),
            _ => checker::read_dot(write::dot(&read_system).as_bytes()),
        };
        let checked_system =
            for_checker.map_err(|it| disagreement("the system", it.to_string()))?;
        let labels = || read_system.labels().map(|label| read_system.label(label));
        if !checked_system.labels().eq(labels()) {
            return Err(disagreement("the system", "the labels differ".to_owned()));
        }
        let property_lines = read::properties(properties).map_err(CaseError::Properties)?;
        let is_branching_logic = property_lines.iter().any(|it| read::is_branching(&it.formula));
        let mut questions = Vec::new();
        for property in &property_lines {
            let question = match is_branching_logic {
                true => read::branching(&property.formula, &read_system)
                    .map(PropertyFormula::Branching)
                    .map_err(|error| error.in_whole_text(properties, property.offset)),
                false => LabelFormula::parse(&property.formula, &read_system)
                    .map(PropertyFormula::Linear)
                    .map_err(|error| property.error(properties, &error)),
            };
            questions.push(question.map_err(CaseError::Properties)?);
        }
        let checked_properties = checker::properties::read(properties.as_bytes())
            .map_err(|it| disagreement("the properties", it.to_string()))?;
        if !property_lines.iter().all(|it| checked_properties.by_number.contains_key(&it.number))
            || property_lines.len() != checked_properties.by_number.len()
        {
            return Err(disagreement("the properties", "the property numbers differ".to_owned()));
        }
        let logic = if is_branching_logic { SystemLogic::Ctl } else { SystemLogic::Ltl };
        let properties = property_lines;
        Ok(SystemCase {
            system: read_system,
            properties,
            questions,
            logic,
            checked_system,
            checked_properties,
        })
    }

    /// Returns the names in a formula that are no labels of the system. In LTL, such a name is
    /// always false. In CTL, no step has it.
    pub fn unknown_names(&self, at: usize) -> Vec<&str> {
        match &self.questions[at] {
            PropertyFormula::Linear(formula) => formula.unknown_names(),
            PropertyFormula::Branching(formula) => {
                formula.unknown_names().iter().map(String::as_str).collect()
            }
        }
    }
}
