//! Comparison of an answer with the known answer.

use crate::answer::same_value;
use std::fmt;
use std::str::FromStr;

/// The outcome of comparing an answer with the known answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Score {
    /// The answer is the known answer.
    Ok,
    /// The answer differs from the known answer, or two answers contradict each other.
    Wrong,
    /// There is no answer, and one is known.
    Missing,
    /// There is an answer, and none is known.
    New,
    /// There is no answer, and none is known.
    Unknown,
}

/// The value in oracle files where the contest's tools did not agree.
pub const UNKNOWN_ANSWER: &str = "?";

/// The separator between contradicting values of one formula.
pub const CONTRADICTION: char = '/';

/// Compares an answer with the known answer. An empty `got` means no answer. An empty `expected` or
/// `?` means that no answer is known.
pub fn judge(expected: &str, got: &str) -> Score {
    let is_known = !expected.is_empty() && expected != UNKNOWN_ANSWER;
    match (is_known, got) {
        (true, "") => Score::Missing,
        (false, "") => Score::Unknown,
        (_, got) if got.contains(CONTRADICTION) => Score::Wrong,
        (true, got) if same_value(expected, got) => Score::Ok,
        (true, _) => Score::Wrong,
        (false, _) => Score::New,
    }
}

impl Score {
    /// Returns the word in result files.
    pub fn word(self) -> &'static str {
        match self {
            Score::Ok => "ok",
            Score::Wrong => "wrong",
            Score::Missing => "missing",
            Score::New => "new",
            Score::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// An unknown verdict.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a verdict, expected ok, wrong, missing, new or unknown")]
pub struct UnknownVerdict(String);

impl FromStr for Score {
    type Err = UnknownVerdict;

    /// Parses a word of a result file. Also accepts the words in result files of other tools,
    /// `miss` and `miss-unknown`.
    fn from_str(word: &str) -> Result<Score, UnknownVerdict> {
        Ok(match word {
            "ok" => Score::Ok,
            "wrong" => Score::Wrong,
            "missing" | "miss" => Score::Missing,
            "new" => Score::New,
            "unknown" | "miss-unknown" => Score::Unknown,
            _ => return Err(UnknownVerdict(word.to_owned())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_expected_and_got_has_its_verdict() {
        for (expected, got, verdict) in [
            ("TRUE", "TRUE", Score::Ok),
            ("inf", "+inf", Score::Ok),
            ("TRUE", "FALSE", Score::Wrong),
            ("12", "13", Score::Wrong),
            ("TRUE", "", Score::Missing),
            ("?", "", Score::Unknown),
            ("", "", Score::Unknown),
            ("?", "FALSE", Score::New),
            ("", "7", Score::New),
            ("TRUE", "TRUE/FALSE", Score::Wrong),
            ("?", "TRUE/FALSE", Score::Wrong),
        ] {
            assert_eq!(judge(expected, got), verdict, "{expected} {got}");
        }
    }

    #[test]
    fn words_are_read_back() {
        let all = [Score::Ok, Score::Wrong, Score::Missing, Score::New, Score::Unknown];
        all.into_iter().for_each(|verdict| assert_eq!(verdict.word().parse(), Ok(verdict)));
        assert_eq!("miss".parse(), Ok(Score::Missing));
        assert_eq!("miss-unknown".parse(), Ok(Score::Unknown));
        assert!("OK".parse::<Score>().is_err());
    }
}
