//! The thirteen examinations of the contest.

use parikh::mcc::Examination;
use std::fmt;
use std::str::FromStr;

macro_rules! exams {
    ($($(#[$doc:meta])* $exam:ident $short:literal $long:literal;)*) => {
        /// An examination of the contest. Its `Display` prints the abbreviation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Exam { $($(#[$doc])* $exam,)* }

        impl Exam {
            /// The thirteen examinations.
            pub const ALL: &[Exam] = &[$(Exam::$exam,)*];

            /// Returns the capitals of the name, as in oracle files and result files.
            pub fn short(self) -> &'static str {
                match self { $(Exam::$exam => $short,)* }
            }

            /// Returns the contest's name, as in `BK_EXAMINATION` and in the names of query files.
            pub fn long(self) -> &'static str {
                match self { $(Exam::$exam => $long,)* }
            }
        }
    };
}

exams! {
    /// Is there a deadlock?
    ReachabilityDeadlock "RD" "ReachabilityDeadlock";
    /// Sixteen formulas over token counts.
    ReachabilityCardinality "RC" "ReachabilityCardinality";
    /// Sixteen formulas over enabledness.
    ReachabilityFireability "RF" "ReachabilityFireability";
    /// Sixteen maxima of token counts.
    UpperBounds "UB" "UpperBounds";
    /// Does every place hold at most one token?
    OneSafe "OS" "OneSafe";
    /// Can every transition fire at least once?
    QuasiLiveness "QL" "QuasiLiveness";
    /// Is there a place that never changes its number of tokens?
    StableMarking "SM" "StableMarking";
    /// Can every transition always fire again?
    Liveness "L" "Liveness";
    /// Four numbers about the reachable markings.
    StateSpace "SS" "StateSpace";
    /// CTL over token counts.
    CtlCardinality "CTLC" "CTLCardinality";
    /// CTL over enabledness.
    CtlFireability "CTLF" "CTLFireability";
    /// LTL over token counts.
    LtlCardinality "LTLC" "LTLCardinality";
    /// LTL over enabledness.
    LtlFireability "LTLF" "LTLFireability";
}

impl fmt::Display for Exam {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.short())
    }
}

/// An unknown name of an examination.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not an examination, expected one of RD RC RF UB OS QL SM L SS CTLC CTLF LTLC LTLF"
)]
pub struct UnknownExam(String);

impl FromStr for Exam {
    type Err = UnknownExam;

    /// Takes the abbreviation, the full name or an alias in any case, as `parikh check -e` does.
    fn from_str(word: &str) -> Result<Exam, UnknownExam> {
        let unknown = || UnknownExam(word.to_owned());
        let examination: Examination = word.trim().parse().map_err(|_| unknown())?;
        let has_name = |exam: &&Exam| exam.long() == examination.name();
        Exam::ALL.iter().find(has_name).copied().ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviations_are_the_capitals_of_the_names() {
        for &exam in Exam::ALL {
            let capitals: String = exam.long().chars().filter(char::is_ascii_uppercase).collect();
            assert_eq!(exam.short(), capitals);
            assert_eq!(exam.short().parse(), Ok(exam));
            assert_eq!(exam.long().parse(), Ok(exam));
        }
        for (word, exam) in [
            ("rc", Exam::ReachabilityCardinality),
            (" deadlock", Exam::ReachabilityDeadlock),
            ("one-safe", Exam::OneSafe),
        ] {
            assert_eq!(word.parse(), Ok(exam), "{word}");
        }
        // No examination of the contest.
        assert!("Soundness".parse::<Exam>().is_err());
        assert!("XY".parse::<Exam>().is_err());
    }
}
