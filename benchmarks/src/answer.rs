//! The answer lines of the contest's protocol:
//! `FORMULA id value TECHNIQUES …` and `STATE_SPACE KEY value TECHNIQUES …`.

/// An answer that a tool prints for one question, or the known answer in one line of an oracle
/// file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolAnswer {
    /// The formula's id in a line `FORMULA`, or the key in a line `STATE_SPACE`, such as `STATES`.
    pub id: String,
    /// The value as printed.
    pub value: String,
    /// The words after the value, without the word `TECHNIQUES`, separated by single blanks.
    pub techniques: String,
}

impl ToolAnswer {
    /// Parses one line of output. Returns `None` for a line that is neither `FORMULA id value …`
    /// nor `STATE_SPACE key value …`. Also returns `None` for a line without a value, and for the
    /// values that mean "no answer". These are `CANNOT_COMPUTE`, `DO_NOT_COMPETE`, and `-1` for a
    /// state-space number.
    pub fn on_line(line: &str) -> Option<ToolAnswer> {
        let mut words = line.split_ascii_whitespace();
        let state_space = match words.next()? {
            "FORMULA" => false,
            "STATE_SPACE" => true,
            _ => return None,
        };
        let (id, value) = (words.next()?, words.next()?);
        let is_no_answer = matches!(value, "CANNOT_COMPUTE" | "DO_NOT_COMPETE" | "TECHNIQUES")
            || (state_space && value == "-1");
        if is_no_answer {
            return None;
        }
        let techniques = words.skip_while(|&word| word == "TECHNIQUES").collect::<Vec<_>>();
        Some(ToolAnswer { id: id.into(), value: value.into(), techniques: techniques.join(" ") })
    }
}

/// Returns true if two printed values are equal. Infinity is spelled `inf` or `+inf`, and numbers
/// may have leading zeros. Upper and lower case are the same. Numbers are compared as text, since
/// state counts have thousands of digits. A rounded number (`4.0000E+0009`) equals every whole
/// number that rounds to it. Two rounded numbers are compared as text.
pub fn same_value(a: &str, b: &str) -> bool {
    /// Returns a whole number without a plus sign and leading zeros. Returns another text without a
    /// plus sign.
    fn plain(value: &str) -> &str {
        let value = value.strip_prefix('+').unwrap_or(value);
        let stripped = value.trim_start_matches('0');
        let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
        match stripped {
            _ if !is_number => value,
            "" if !value.is_empty() => "0",
            number => number,
        }
    }
    // If only one of the numbers is rounded, the other is rounded to as many digits.
    match (RoundedNumber::parse(a), RoundedNumber::parse(b)) {
        (Some(rounded), None) => RoundedNumber::of(plain(b), rounded.digits.len()) == Some(rounded),
        (None, Some(rounded)) => RoundedNumber::of(plain(a), rounded.digits.len()) == Some(rounded),
        _ => plain(a).eq_ignore_ascii_case(plain(b)),
    }
}

/// A number in scientific notation: d.ddd… times a power of ten.
#[derive(Debug, PartialEq, Eq)]
struct RoundedNumber {
    /// The digits of the mantissa as ASCII characters, the first not 0.
    digits: Vec<u8>,
    /// The power of ten.
    exponent: usize,
}

impl RoundedNumber {
    /// Parses a number in scientific notation. Returns `None` for other texts.
    fn parse(value: &str) -> Option<RoundedNumber> {
        let (mantissa, exponent) = value.split_once(['E', 'e'])?;
        let digits: Vec<u8> = mantissa.bytes().filter(|&byte| byte != b'.').collect();
        let is_mantissa = mantissa.find('.').is_none_or(|at| at == 1)
            && digits.first().is_some_and(|digit| (b'1'..=b'9').contains(digit))
            && digits.iter().all(u8::is_ascii_digit);
        let exponent = exponent.strip_prefix('+').unwrap_or(exponent).parse().ok()?;
        is_mantissa.then_some(RoundedNumber { digits, exponent })
    }

    /// Rounds a whole number without leading zeros to `digits` digits, half up. Returns `None` for
    /// zero and for other texts.
    fn of(number: &str, digits: usize) -> Option<RoundedNumber> {
        if number.starts_with('0') || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let mut exponent = number.len().checked_sub(1)?;
        let mut kept: Vec<u8> =
            number.bytes().chain(std::iter::repeat(b'0')).take(digits).collect();
        if number.as_bytes().get(digits).is_some_and(|&next| next >= b'5') {
            match kept.iter().rposition(|&digit| digit != b'9') {
                Some(last) => {
                    kept[last] += 1;
                    kept[last + 1..].fill(b'0');
                }
                None => {
                    kept.fill(b'0');
                    kept[0] = b'1';
                    exponent += 1;
                }
            }
        }
        Some(RoundedNumber { digits: kept, exponent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_and_other_lines_are_not() {
        let answer =
            ToolAnswer::on_line("FORMULA A-PT-1-UpperBounds-00 +inf TECHNIQUES X  Y_Z").unwrap();
        assert_eq!(answer.id, "A-PT-1-UpperBounds-00");
        assert_eq!((answer.value.as_str(), answer.techniques.as_str()), ("+inf", "X Y_Z"));
        let states = ToolAnswer::on_line("STATE_SPACE STATES 12").unwrap();
        assert_eq!((states.id.as_str(), states.value.as_str()), ("STATES", "12"));
        for line in [
            "",
            "FORMULA x",
            "FORMULA x CANNOT_COMPUTE",
            "STATE_SPACE CANNOT_COMPUTE",
            "STATE_SPACE TRANSITIONS -1 TECHNIQUES EXPLICIT",
            "CANNOT_COMPUTE",
            "DO_NOT_COMPETE",
            "read 3 FORMULA lines",
        ] {
            assert_eq!(ToolAnswer::on_line(line), None, "{line}");
        }
    }

    #[test]
    fn spellings_of_one_value_are_the_same() {
        for (a, b) in [("inf", "+inf"), ("TRUE", "TRUE"), ("007", "7"), ("0", "00"), ("+3", "3")] {
            assert!(same_value(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("4000000007", "4.0000E+0009"),
            ("4.0000E+0009", "4000000000"),
            ("123455", "1.2346E+0005"),
            ("999996", "1.0000E+0006"),
            ("12", "1.2000E+0001"),
            ("1.5E+0003", "1.5E+0003"),
        ] {
            assert!(same_value(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("4000100000", "4.0000E+0009"),
            ("400000000", "4.0000E+0009"),
            ("123454", "1.2346E+0005"),
            ("TRUE", "1.0E+0000"),
            ("0", "0.0E+0000"),
        ] {
            assert!(!same_value(a, b), "{a} {b}");
        }
        let long = "123456789".repeat(50);
        assert!(same_value(&long, &format!("0{long}")) && !same_value(&long, &format!("{long}0")));
        for (a, b) in [("inf", "0"), ("TRUE", "FALSE"), ("70", "7"), ("0", ""), ("?", "TRUE")] {
            assert!(!same_value(a, b), "{a} {b}");
        }
    }
}
