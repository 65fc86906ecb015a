//! The examinations with the contest's names, and additional ones about processes.

use std::fmt;
use std::str::FromStr;

/// An examination: a question, or a group of questions, about a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the contest's own; `question_text` explains each")]
pub enum Examination {
    StateSpace,
    ReachabilityDeadlock,
    QuasiLiveness,
    StableMarking,
    Liveness,
    OneSafe,
    UpperBounds,
    ReachabilityCardinality,
    ReachabilityFireability,
    CTLCardinality,
    CTLFireability,
    LTLCardinality,
    LTLFireability,
    /// Soundness of a process. The contest has no examinations of processes.
    Soundness,
    WeakSoundness,
    RelaxedSoundness,
    EasySoundness,
    /// A question about each place or transition. The contest has no such examinations.
    UpperBoundsAll,
    QuasiLivenessAll,
    LivenessAll,
    StableMarkingAll,
}

use Examination::*;

impl Examination {
    /// The list of examinations.
    pub const ALL: [Examination; 21] = [
        ReachabilityDeadlock,
        ReachabilityCardinality,
        ReachabilityFireability,
        UpperBounds,
        OneSafe,
        QuasiLiveness,
        StableMarking,
        StateSpace,
        Liveness,
        CTLCardinality,
        CTLFireability,
        LTLCardinality,
        LTLFireability,
        Soundness,
        WeakSoundness,
        RelaxedSoundness,
        EasySoundness,
        UpperBoundsAll,
        QuasiLivenessAll,
        LivenessAll,
        StableMarkingAll,
    ];

    /// Returns the name of the examination. For an examination of the contest, it is also the value
    /// of `BK_EXAMINATION`, and the name of the query file without its extension.
    pub fn name(self) -> &'static str {
        match self {
            StateSpace => "StateSpace",
            ReachabilityDeadlock => "ReachabilityDeadlock",
            QuasiLiveness => "QuasiLiveness",
            StableMarking => "StableMarking",
            Liveness => "Liveness",
            OneSafe => "OneSafe",
            UpperBounds => "UpperBounds",
            ReachabilityCardinality => "ReachabilityCardinality",
            ReachabilityFireability => "ReachabilityFireability",
            CTLCardinality => "CTLCardinality",
            CTLFireability => "CTLFireability",
            LTLCardinality => "LTLCardinality",
            LTLFireability => "LTLFireability",
            Soundness => "Soundness",
            WeakSoundness => "WeakSoundness",
            RelaxedSoundness => "RelaxedSoundness",
            EasySoundness => "EasySoundness",
            UpperBoundsAll => "UpperBoundsAll",
            QuasiLivenessAll => "QuasiLivenessAll",
            LivenessAll => "LivenessAll",
            StableMarkingAll => "StableMarkingAll",
        }
    }

    /// Returns a description of what the examination asks: a question that TRUE affirms, a question
    /// for a number, or a noun phrase.
    pub fn question_text(self) -> &'static str {
        match self {
            StateSpace => "the number of reachable markings, and their largest token counts",
            ReachabilityDeadlock => "is a marking reachable in which no transition is enabled?",
            QuasiLiveness => "can every transition fire at least once?",
            StableMarking => "is there a place whose number of tokens never changes?",
            Liveness => "can every transition be enabled again from every reachable marking?",
            OneSafe => "does every place always hold at most one token?",
            UpperBounds => "what is the largest number of tokens on a set of places?",
            ReachabilityCardinality => "formulas about numbers of tokens, from a query file",
            ReachabilityFireability => "formulas about enabled transitions, from a query file",
            CTLCardinality | CTLFireability => "branching-time formulas, from a query file",
            LTLCardinality | LTLFireability => "linear-time formulas, from a query file",
            Soundness => {
                "can every case always be completed without remaining tokens, and can every \
                 transition fire?"
            }
            WeakSoundness => "can every case always be completed without remaining tokens?",
            RelaxedSoundness => "is every transition on some run that completes a case?",
            EasySoundness => "can a case be completed at all?",
            UpperBoundsAll => "for each place, the largest number of tokens",
            QuasiLivenessAll => "for each transition, can it fire at least once?",
            LivenessAll => {
                "for each transition, can it be enabled again from every reachable marking?"
            }
            StableMarkingAll => "for each place, does its number of tokens never change?",
        }
    }

    /// Returns true if the questions come from a query file with the examination's name.
    pub fn has_queries(self) -> bool {
        let asks_by_itself = matches!(
            self,
            StateSpace | ReachabilityDeadlock | QuasiLiveness | StableMarking | Liveness | OneSafe
        );
        !asks_by_itself && !self.is_about_cases() && !self.is_about_each_node()
    }

    /// Returns true if the questions are about runs (LTL).
    pub fn is_about_runs(self) -> bool {
        matches!(self, LTLCardinality | LTLFireability)
    }

    /// Returns true if the examination has a question about each place or each transition. The id
    /// of the question is the name of the node.
    pub fn is_about_each_node(self) -> bool {
        matches!(self, UpperBoundsAll | QuasiLivenessAll | LivenessAll | StableMarkingAll)
    }

    /// Returns true if the examination has a question about each place.
    pub fn is_about_each_place(self) -> bool {
        matches!(self, UpperBoundsAll | StableMarkingAll)
    }

    /// Returns true if the Model Checking Contest has the examination.
    pub fn is_in_contest(self) -> bool {
        !self.is_about_cases() && !self.is_about_each_node()
    }

    /// Returns true if the examination is about processes and the completion of their cases.
    pub fn is_about_cases(self) -> bool {
        matches!(self, Soundness | WeakSoundness | RelaxedSoundness | EasySoundness)
    }

    /// Returns the capitals of the name, as in the names of files with expected answers: `RC`,
    /// `CTLF`, ….
    pub fn abbreviation(self) -> String {
        self.name().chars().filter(char::is_ascii_uppercase).collect()
    }
}

impl Examination {
    /// Returns other common names, besides the name and its capitals.
    pub fn aliases(self) -> &'static [&'static str] {
        match self {
            StateSpace => &["states", "markings"],
            ReachabilityDeadlock => &["deadlock", "deadlocks"],
            QuasiLiveness => &["quasi-liveness"],
            StableMarking => &["stable", "stable-marking"],
            Liveness => &["live"],
            OneSafe => &["safe", "one-safe", "1-safe"],
            UpperBounds => &["bounds", "upper-bounds"],
            ReachabilityCardinality => &["cardinality"],
            ReachabilityFireability => &["fireability"],
            Soundness => &["sound"],
            WeakSoundness => &["weak-soundness"],
            RelaxedSoundness => &["relaxed-soundness"],
            EasySoundness => &["easy-soundness"],
            CTLCardinality | CTLFireability | LTLCardinality | LTLFireability => &[],
            UpperBoundsAll | QuasiLivenessAll | LivenessAll | StableMarkingAll => &[],
        }
    }
}

impl fmt::Display for Examination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error that a text is not the name of an examination.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an examination, expected one of {list}", list = names())]
pub struct UnknownExamination(String);

fn names() -> String {
    Examination::ALL.map(Examination::name).join(", ")
}

impl FromStr for Examination {
    type Err = UnknownExamination;

    /// Accepts the full name, the capitals or an alias, in upper or lower case. The name may
    /// contain hyphens: `reachability-deadlock`.
    fn from_str(text: &str) -> Result<Self, UnknownExamination> {
        let is_called = |examination: &Examination| {
            let abbreviation = examination.abbreviation();
            let names = [examination.name(), &abbreviation];
            let mut names = names.iter().chain(examination.aliases());
            names.any(|name| name.eq_ignore_ascii_case(text))
                || examination.name().eq_ignore_ascii_case(&text.replace('-', ""))
        };
        let found = Examination::ALL.into_iter().find(is_called);
        found.ok_or_else(|| UnknownExamination(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_capitals_are_read_back() {
        for examination in Examination::ALL {
            assert_eq!(examination.name().parse(), Ok(examination));
            assert_eq!(examination.abbreviation().parse(), Ok(examination));
            assert_eq!(examination.abbreviation().to_lowercase().parse(), Ok(examination));
            let hyphens = examination.name().replace("State", "state-").replace("ity", "ity-");
            assert_eq!(hyphens.trim_end_matches('-').parse(), Ok(examination), "{hyphens}");
            for alias in examination.aliases() {
                assert_eq!(alias.parse(), Ok(examination), "{alias}");
            }
        }
        assert_eq!(CTLFireability.abbreviation(), "CTLF");
        let error = "Deadlok".parse::<Examination>().unwrap_err().to_string();
        assert!(error.contains("expected one of ReachabilityDeadlock, "), "{error}");
    }
}
