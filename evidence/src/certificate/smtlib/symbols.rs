//! Names as symbols of SMT-LIB.
//!
//! A symbol is the name between bars, `|p 1|`. In SMT-LIB, `|and|` and `and` are the same symbol.
//! So a name that a theory or a solver may know gets an escape. Escapes are those of URLs: `%` and
//! the two hexadecimal digits of a byte in UTF-8. Since `%` itself is escaped, different names have
//! different symbols.

use std::fmt::Write as _;

/// The beginning of the symbols of sums, which no place has.
const SUM: &str = "sum ";

/// Names that SMT-LIB or a solver defines.
const DEFINED: &[&str] = &[
    "!",
    "*",
    "**",
    "+",
    "-",
    "/",
    "<",
    "<=",
    "=",
    "=>",
    ">",
    ">=",
    "BINARY",
    "Bool",
    "DECIMAL",
    "HEXADECIMAL",
    "Int",
    "NUMERAL",
    "Real",
    "STRING",
    "^",
    "_",
    "abs",
    "and",
    "arccos",
    "arcsin",
    "arctan",
    "as",
    "assert",
    "concat",
    "const",
    "cos",
    "declare-fun",
    "define-fun",
    "distinct",
    "div",
    "divides",
    "divisible",
    "exists",
    "exp",
    "exponential",
    "extract",
    "false",
    "forall",
    "if",
    "iff",
    "implies",
    "int.iand",
    "int.pow2",
    "is",
    "is_int",
    "ite",
    "let",
    "ln",
    "log",
    "match",
    "max",
    "min",
    "mod",
    "nand",
    "nor",
    "not",
    "or",
    "par",
    "pi",
    "pow",
    "pow2",
    "real.pi",
    "rem",
    "repeat",
    "root-obj",
    "select",
    "sin",
    "sqrt",
    "store",
    "tan",
    "to_int",
    "to_real",
    "true",
    "tuple",
    "unit",
    "xnor",
    "xor",
    "~",
];

/// Returns the symbol of a name.
pub(super) fn symbol(name: &str) -> String {
    let mut symbol = String::with_capacity(name.len() + 2);
    symbol.push('|');
    let is_reserved = name.is_empty()
        || name.starts_with(['@', '.'])
        || name.starts_with(SUM)
        || DEFINED.binary_search(&name).is_ok();
    for (index, byte) in name.bytes().enumerate() {
        let is_plain = matches!(byte, b' '..=b'~') && !matches!(byte, b'%' | b'|' | b'\\');
        match is_plain && !(is_reserved && index == 0) {
            true => symbol.push(byte.into()),
            false => _ = write!(symbol, "%{byte:02X}"),
        }
    }
    // No byte has the escape of the empty name.
    if name.is_empty() {
        symbol.push('%');
    }
    symbol.push('|');
    symbol
}

/// Returns the symbol of the sum with this number.
pub(super) fn sum_symbol(number: usize) -> String {
    format!("|{SUM}{number}|")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn plain_names_stand_between_bars() {
        for name in ["p", "p 1", "Philo-3_fork.left", "7", "a(b,<c>)", "sums", "And"] {
            assert_eq!(symbol(name), format!("|{name}|"));
        }
        assert!(DEFINED.is_sorted(), "the names are searched");
    }

    #[test]
    fn different_names_have_different_symbols() {
        let names = [
            "a|b", "a\\b", "a%7Cb", "a%b", "a%257Cb", "and", "%61nd", "%2561nd", "sum 1",
            "%73um 1", "@a", ".a", "", "%", "é", "e\u{301}", "a\nb", "%0A",
        ];
        let symbols: BTreeSet<String> = names.iter().map(|name| symbol(name)).collect();
        assert_eq!(symbols.len(), names.len(), "{symbols:?}");
        let is_inner = |c: char| (' '..='~').contains(&c) && c != '|' && c != '\\';
        for symbol in symbols {
            let inner = symbol.strip_prefix('|').and_then(|rest| rest.strip_suffix('|'));
            assert!(inner.is_some_and(|inner| inner.chars().all(is_inner)), "{symbol}");
        }
        assert_eq!(
            [symbol("a|b"), symbol("and"), symbol("sum 1")],
            ["|a%7Cb|", "|%61nd|", "|%73um 1|"]
        );
        assert_ne!(symbol("sum 1"), sum_symbol(1));
    }
}
