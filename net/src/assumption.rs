//! Assumptions: statements about a model that nothing proves, and on which answers about the model
//! rest.
//!
//! A reader adds an assumption to the net where a file leaves something open, or says something
//! that is not part of the net. Answers, evidence files and reports repeat the assumption.

use crate::printable::Quoted;
use std::fmt;

/// An assumption on which answers about a model rest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Assumption {
    /// The nested units (NUPN) are safe, as the model claims.
    SafeUnits,
    /// A case, that is, a run of the modelled process, begins with one token in this place, the
    /// source. The model has no initial marking.
    InitialToken(String),
    /// A case, that is, a run of the modelled process, is complete with one token in this place,
    /// the sink. The model names no final marking.
    FinalToken(String),
    /// A case, that is, a run of the modelled process, is complete in a marking that the user gave.
    /// The final markings in the model are ignored.
    OtherFinalMarking,
    /// A case, that is, a run of the modelled process, is complete in the empty marking, as the
    /// model says.
    EmptyFinalMarking,
    /// The part of the file that is meant for this tool was skipped. The name may be empty.
    ToolSpecific(String),
    /// Rates, weights or probabilities of transitions were ignored.
    Rates,
    /// Times and priorities were left out, as the user asked.
    Untimed,
}

impl Assumption {
    /// Returns the identifier of the assumption in output for programs, without its parameters.
    pub fn key(&self) -> &'static str {
        match self {
            Assumption::SafeUnits => "units",
            Assumption::InitialToken(_) => "initial-token",
            Assumption::FinalToken(_) => "final-token",
            Assumption::OtherFinalMarking => "other-final-marking",
            Assumption::EmptyFinalMarking => "empty-final-marking",
            Assumption::ToolSpecific(_) => "tool-specific",
            Assumption::Rates => "rates",
            Assumption::Untimed => "untimed",
        }
    }
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Assumption::SafeUnits => f.write_str("the nested units are safe, as the model claims"),
            Assumption::InitialToken(place) => write!(
                f,
                "the initial marking is one token in the source {}, as the model has none",
                Quoted(place)
            ),
            Assumption::FinalToken(place) => write!(
                f,
                "a case is done with one token in the sink {}, as the model names no final marking",
                Quoted(place)
            ),
            Assumption::OtherFinalMarking => {
                f.write_str("the final marking of the model is ignored, as another one is given")
            }
            Assumption::EmptyFinalMarking => {
                f.write_str("a case is done when no token is left, as the final marking is empty")
            }
            Assumption::ToolSpecific(tool) if tool.is_empty() => {
                f.write_str("the information of an unnamed tool is ignored")
            }
            Assumption::ToolSpecific(tool) => {
                write!(f, "the information of the tool {} is ignored", Quoted(tool))
            }
            Assumption::Rates => f.write_str("rates and probabilities are ignored"),
            Assumption::Untimed => f.write_str("times and priorities are ignored (--untimed)"),
        }
    }
}

/// Adds an assumption to a list, unless it is there, and keeps the list in order.
pub(crate) fn add(list: &mut Vec<Assumption>, assumption: Assumption) {
    if let Err(index) = list.binary_search(&assumption) {
        list.insert(index, assumption);
    }
}

/// Returns the keys of the assumptions in a sorted list, in order and without repetition.
pub fn keys(assumptions: &[Assumption]) -> Vec<&'static str> {
    let mut keys: Vec<&str> = assumptions.iter().map(Assumption::key).collect();
    keys.dedup();
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_each_assumption_once_and_programs_read_each_kind_once() {
        let mut list = Vec::new();
        for tool in ["b", "a", "b"] {
            add(&mut list, Assumption::ToolSpecific(tool.to_owned()));
        }
        add(&mut list, Assumption::Untimed);
        add(&mut list, Assumption::SafeUnits);
        let tool = |name: &str| Assumption::ToolSpecific(name.to_owned());
        assert_eq!(list, [Assumption::SafeUnits, tool("a"), tool("b"), Assumption::Untimed]);
        assert_eq!(keys(&list), ["units", "tool-specific", "untimed"]);
        assert_eq!(tool("\u{1b}").to_string(), "the information of the tool `\\u{1b}` is ignored");
    }
}
