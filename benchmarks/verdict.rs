//! Comparison of an answer with the known answer.

use crate::answer::same_value;
use std::fmt;
use std::str::FromStr;

/// The outcome of comparing an answer with the known answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
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
pub const NOBODY_KNOWS: &str = "?";

/// The separator between contradicting values of one formula.
pub const CONTRADICTION: char = '/';

/// Compares an answer with the known answer; an empty text means no answer.
pub fn judge(expected: &str, got: &str) -> Verdict {
    let known = !expected.is_empty() && expected != NOBODY_KNOWS;
    match (known, got) {
        (true, "") => Verdict::Missing,
        (false, "") => Verdict::Unknown,
        (_, got) if got.contains(CONTRADICTION) => Verdict::Wrong,
        (true, got) if same_value(expected, got) => Verdict::Ok,
        (true, _) => Verdict::Wrong,
        (false, _) => Verdict::New,
    }
}

impl Verdict {
    /// Returns the word in result files.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Ok => "ok",
            Verdict::Wrong => "wrong",
            Verdict::Missing => "missing",
            Verdict::New => "new",
            Verdict::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// An unknown verdict.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a verdict, expected ok, wrong, missing, new or unknown")]
pub struct UnknownVerdict(String);

impl FromStr for Verdict {
    type Err = UnknownVerdict;

    /// Takes also the words of the peers' result files, `miss` and `miss-unknown`.
    fn from_str(word: &str) -> Result<Verdict, UnknownVerdict> {
        Ok(match word {
            "ok" => Verdict::Ok,
            "wrong" => Verdict::Wrong,
            "missing" | "miss" => Verdict::Missing,
            "new" => Verdict::New,
            "unknown" | "miss-unknown" => Verdict::Unknown,
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
            ("TRUE", "TRUE", Verdict::Ok),
            ("inf", "+inf", Verdict::Ok),
            ("TRUE", "FALSE", Verdict::Wrong),
            ("12", "13", Verdict::Wrong),
            ("TRUE", "", Verdict::Missing),
            ("?", "", Verdict::Unknown),
            ("", "", Verdict::Unknown),
            ("?", "FALSE", Verdict::New),
            ("", "7", Verdict::New),
            ("TRUE", "TRUE/FALSE", Verdict::Wrong),
            ("?", "TRUE/FALSE", Verdict::Wrong),
        ] {
            assert_eq!(judge(expected, got), verdict, "{expected} {got}");
        }
    }

    #[test]
    fn words_are_read_back() {
        let all = [Verdict::Ok, Verdict::Wrong, Verdict::Missing, Verdict::New, Verdict::Unknown];
        all.into_iter().for_each(|verdict| assert_eq!(verdict.word().parse(), Ok(verdict)));
        assert_eq!("miss".parse(), Ok(Verdict::Missing));
        assert_eq!("miss-unknown".parse(), Ok(Verdict::Unknown));
        assert!("OK".parse::<Verdict>().is_err());
    }
}
