//! Defines the operators of textual formulas with their precedences, and translates them to the
//! contest's XML.

use super::lexer::escaped;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// An infix operator.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Infix {
    /// A conjunction, disjunction or implication, with the name of its XML element.
    Connective(&'static str),
    /// An equivalence if true, an exclusive or if false.
    Equivalence(bool),
    Until,
    /// A comparison, with the name of its XML element.
    Compare(&'static str),
    Plus,
    Minus,
    Times,
}

impl Infix {
    pub(super) fn is_right_associative(self) -> bool {
        matches!(self, Infix::Until | Infix::Connective("implication"))
    }

    /// Returns true if a ∘ b ∘ c becomes one operator with three operands.
    fn is_chain(self) -> bool {
        matches!(self, Infix::Connective("conjunction" | "disjunction"))
    }
}

/// The infix operators with their precedences; higher numbers bind tighter.
pub(super) const INFIX: [(&str, Infix, u8); 26] = [
    ("<->", Infix::Equivalence(true), 1),
    ("<=>", Infix::Equivalence(true), 1),
    ("iff", Infix::Equivalence(true), 1),
    ("->", Infix::Connective("implication"), 2),
    ("=>", Infix::Connective("implication"), 2),
    ("implies", Infix::Connective("implication"), 2),
    ("||", Infix::Connective("disjunction"), 3),
    ("|", Infix::Connective("disjunction"), 3),
    ("or", Infix::Connective("disjunction"), 3),
    ("xor", Infix::Equivalence(false), 4),
    ("&&", Infix::Connective("conjunction"), 5),
    ("&", Infix::Connective("conjunction"), 5),
    ("and", Infix::Connective("conjunction"), 5),
    ("U", Infix::Until, 6),
    ("<=", Infix::Compare("integer-le"), 8),
    ("=<", Infix::Compare("integer-le"), 8),
    (">=", Infix::Compare("integer-ge"), 8),
    ("<", Infix::Compare("integer-lt"), 8),
    (">", Infix::Compare("integer-gt"), 8),
    ("=", Infix::Compare("integer-eq"), 8),
    ("==", Infix::Compare("integer-eq"), 8),
    ("!=", Infix::Compare("integer-ne"), 8),
    ("<>", Infix::Compare("integer-ne"), 8),
    ("+", Infix::Plus, 9),
    ("-", Infix::Minus, 9),
    ("*", Infix::Times, 10),
];

/// The prefix operators, each with its XML elements from the outside in.
pub(super) const PREFIX: [(&str, &[&str]); 13] = [
    ("!", &["negation"]),
    ("not", &["negation"]),
    ("A", &["all-paths"]),
    ("E", &["exists-path"]),
    ("G", &["globally"]),
    ("F", &["finally"]),
    ("X", &["next"]),
    ("AG", &["all-paths", "globally"]),
    ("AF", &["all-paths", "finally"]),
    ("AX", &["all-paths", "next"]),
    ("EG", &["exists-path", "globally"]),
    ("EF", &["exists-path", "finally"]),
    ("EX", &["exists-path", "next"]),
];

/// The precedence of prefix operators, between `U` and comparisons.
pub(super) const PREFIX_LEVEL: u8 = 7;

/// A formula in XML.
pub(super) struct XmlFormula {
    /// The XML, without the outermost element if `connective` names it.
    pub(super) xml: String,
    /// The name of the outermost element if the formula is a conjunction, a disjunction or an
    /// implication outside of parentheses. `None` if `xml` is complete.
    pub(super) connective: Option<&'static str>,
    /// True if the formula has a temporal operator or `fires` outside of all path quantifiers.
    pub(super) is_path_formula: bool,
}

impl XmlFormula {
    /// Returns the whole XML: `xml` inside the element that `connective` names, if any.
    pub(super) fn with_junction_element(self) -> String {
        match self.connective {
            Some(junction) => format!("<{junction}>{}</{junction}>", self.xml),
            None => self.xml,
        }
    }
}

/// A linear sum: the coefficients of places by id, and a constant.
#[derive(Default)]
pub(super) struct PlaceSum {
    /// The coefficient of each place, by id.
    pub(super) terms: BTreeMap<String, i128>,
    /// The constant part.
    pub(super) constant: i128,
}

/// A parsed operand.
pub(super) enum ParsedOperand {
    Formula(XmlFormula),
    Number(PlaceSum),
    /// The XML of a query for a bound, which cannot be inside another formula.
    Bound(String),
}

/// Returns the XML of a list of nodes, with elements of the name `kind`.
pub(super) fn node_elements(kind: &str, names: &[String]) -> String {
    names.iter().map(|name| format!("<{kind} name=\"{}\"/>", escaped(name))).collect()
}

/// Returns a parsed formula with `fires` or a temporal operator outside of all path quantifiers.
pub(super) fn path_formula(xml: String) -> ParsedOperand {
    ParsedOperand::Formula(XmlFormula { xml, connective: None, is_path_formula: true })
}

/// Returns the number that the decimal digits denote, times `sign`. Returns an error if the digits
/// denote 2^63 or more.
pub(super) fn constant(digits: &str, sign: i128) -> Result<ParsedOperand, String> {
    let number: i64 = digits.parse().map_err(|_| format!("{digits} is not a number below 2^63"))?;
    Ok(ParsedOperand::Number(PlaceSum {
        constant: sign * i128::from(number),
        ..PlaceSum::default()
    }))
}

/// Returns the content of a pair of parentheses as a complete operand. A conjunction or disjunction
/// in parentheses gets its own element, so that a further `&&` or `||` outside adds no operands to
/// it.
pub(super) fn without_chaining(part: ParsedOperand) -> ParsedOperand {
    match part {
        ParsedOperand::Formula(formula) => {
            let is_path_formula = formula.is_path_formula;
            ParsedOperand::Formula(XmlFormula {
                xml: formula.with_junction_element(),
                connective: None,
                is_path_formula,
            })
        }
        other => other,
    }
}

/// Returns the formula, or an error for a number or a bound.
pub(super) fn into_formula(part: ParsedOperand) -> Result<XmlFormula, String> {
    match part {
        ParsedOperand::Formula(formula) => Ok(formula),
        ParsedOperand::Number(_) => Err("found a number, expected a formula".to_owned()),
        ParsedOperand::Bound(_) => Err("`bound` cannot be part of another formula".to_owned()),
    }
}

/// Returns the sum, or an error for a formula or a bound.
fn into_sum(part: ParsedOperand) -> Result<PlaceSum, String> {
    match part {
        ParsedOperand::Number(sum) => Ok(sum),
        ParsedOperand::Formula(_) | ParsedOperand::Bound(_) => {
            Err("found a formula, expected a number".to_owned())
        }
    }
}

/// Applies a prefix operator to a formula. `names` are its XML elements from the outside in.
pub(super) fn apply_prefix(names: &[&str], part: ParsedOperand) -> Result<ParsedOperand, String> {
    let inner = into_formula(part)?;
    let is_path_formula = match names {
        ["negation"] => inner.is_path_formula,
        [first, ..] => !matches!(*first, "all-paths" | "exists-path"),
        [] => false,
    };
    let enclosed = |xml, name: &&str| format!("<{name}>{xml}</{name}>");
    let xml = names.iter().rev().fold(inner.with_junction_element(), enclosed);
    Ok(ParsedOperand::Formula(XmlFormula { xml, connective: None, is_path_formula }))
}

/// Applies an infix operator to two operands.
pub(super) fn apply_infix(
    operator: Infix,
    left: ParsedOperand,
    right: ParsedOperand,
) -> Result<ParsedOperand, String> {
    let (xml, connective, is_path_formula) = match operator {
        Infix::Plus | Infix::Minus | Infix::Times => {
            return apply_arithmetic(operator, into_sum(left)?, into_sum(right)?)
                .map(ParsedOperand::Number);
        }
        Infix::Compare(name) => {
            let sides =
                [into_sum(left)?, into_sum(right)?].iter().map(comparison_side).collect::<String>();
            (format!("<{name}>{sides}</{name}>"), None, false)
        }
        Infix::Connective(name) => {
            let (mut left, right) = (into_formula(left)?, into_formula(right)?);
            let is_of_a_run = left.is_path_formula || right.is_path_formula;
            if left.connective != Some(name) || !operator.is_chain() {
                left = XmlFormula {
                    xml: left.with_junction_element(),
                    connective: Some(name),
                    is_path_formula: is_of_a_run,
                };
            }
            left.xml.push_str(&right.with_junction_element());
            (left.xml, left.connective, is_of_a_run)
        }
        Infix::Equivalence(is_equivalence) => {
            let (left, right) = (into_formula(left)?, into_formula(right)?);
            let is_of_a_run = left.is_path_formula || right.is_path_formula;
            let name = if is_equivalence { "equivalence" } else { "exclusive-disjunction" };
            let (left, right) = (left.with_junction_element(), right.with_junction_element());
            (format!("<{name}>{left}{right}</{name}>"), None, is_of_a_run)
        }
        Infix::Until => {
            let (before, reach) = (
                into_formula(left)?.with_junction_element(),
                into_formula(right)?.with_junction_element(),
            );
            let parts = format!("<before>{before}</before><reach>{reach}</reach>");
            (format!("<until>{parts}</until>"), None, true)
        }
    };
    Ok(ParsedOperand::Formula(XmlFormula { xml, connective, is_path_formula }))
}

/// Adds `factor` times `other` to `sum`. Returns an error on overflow of 128 bits.
pub(super) fn add(sum: &mut PlaceSum, other: PlaceSum, factor: i128) -> Result<(), String> {
    let too_large = || "a number of the formula is too large".to_owned();
    let scaled = |number: i128| number.checked_mul(factor).ok_or_else(too_large);
    for (place, number) in other.terms {
        let coefficient = sum.terms.entry(place).or_default();
        *coefficient = coefficient.checked_add(scaled(number)?).ok_or_else(too_large)?;
    }
    sum.constant = sum.constant.checked_add(scaled(other.constant)?).ok_or_else(too_large)?;
    Ok(())
}

/// Applies `+`, `-` or `*` to two sums. Returns an error if both factors of a product have places,
/// or on overflow.
fn apply_arithmetic(
    operator: Infix,
    mut left: PlaceSum,
    mut right: PlaceSum,
) -> Result<PlaceSum, String> {
    if operator != Infix::Times {
        add(&mut left, right, if operator == Infix::Plus { 1 } else { -1 })?;
        return Ok(left);
    }
    if !left.terms.is_empty() {
        std::mem::swap(&mut left, &mut right);
    }
    if !left.terms.is_empty() {
        return Err("a product of token counts".to_owned());
    }
    let mut product = PlaceSum::default();
    add(&mut product, right, left.constant)?;
    Ok(product)
}

/// Returns the XML of a sum, as one side of a comparison.
fn comparison_side(sum: &PlaceSum) -> String {
    let mut xml = String::from("<integer-sum>");
    for (place, factor) in &sum.terms {
        let _ = write!(
            xml,
            "<integer-product><integer-constant>{factor}</integer-constant>\
             <tokens-count><place name=\"{}\"/></tokens-count></integer-product>",
            escaped(place)
        );
    }
    let _ = write!(xml, "<integer-constant>{}</integer-constant></integer-sum>", sum.constant);
    xml
}
