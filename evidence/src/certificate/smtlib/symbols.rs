//! Names as symbols of SMT-LIB.
//!
//! A symbol is the name between bars, `|p 1|`. In SMT-LIB, `|and|` and `and` are the same symbol.
//! So a name that a theory or a solver may know gets an escape. Escapes are those of URLs: `%` and
//! the two hexadecimal digits of a byte in UTF-8. Since `%` itself is escaped, different names have
//! different symbols.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::LazyLock;

/// The beginning of the symbols of sums, which no place has.
const SUM: &str = "sum ";

/// The reserved words of SMT-LIB 2.7.
const RESERVED: &str = "\
    ! BINARY DECIMAL HEXADECIMAL NUMERAL STRING _ as choice exists forall lambda let match par";

/// The commands of SMT-LIB 2.7, which are reserved words, too, and those that Z3 and cvc5 add.
const COMMANDS: &str = "\
    apply assert assert-soft block-model block-model-values check-sat check-sat-assuming \
    check-sat-using check-synth constraint declare-codatatype declare-codatatypes \
    declare-const declare-datatype declare-datatypes declare-fun declare-funs declare-heap \
    declare-map declare-oracle-fun declare-pool declare-rel declare-sort \
    declare-sort-parameter declare-sorts declare-tactic declare-var define define-const \
    define-fun define-fun-rec define-funs define-funs-rec define-sort display echo eval exit \
    get-abduct get-assertions get-assignment get-difficulty get-info get-interpolant \
    get-learned-literals get-model get-objectives get-option get-proof get-qe get-timeout-core \
    get-unsat-assumptions get-unsat-core get-unsat-core-lemmas get-value help include labels \
    maximize minimize pop push query reset reset-assertions rule set-info set-logic set-option \
    simplify synth-fun";

/// Names of sorts and functions that a theory of SMT-LIB or a common solver defines.
const FUNCTIONS: &str = "\
    * ** + - / < <= = => > >= Array Bag BitVec Bool Float128 Float16 Float32 Float64 \
    FloatingPoint Int RM RNA RNE RTN RTP RTZ Real RegLan RoundingMode Seq Set String Tuple \
    Unicode ^ abs and arccos arcsin arctan bv2int bv2nat bvadd bvand bvashr bvcomp bvlshr \
    bvmul bvnand bvneg bvnego bvnor bvnot bvor bvredand bvredor bvsaddo bvsdiv bvsdivo bvsge \
    bvsgt bvshl bvsle bvslt bvsmod bvsmulo bvsrem bvssubo bvsub bvuaddo bvudiv bvuge bvugt \
    bvule bvult bvumulo bvurem bvusubo bvxnor bvxor concat const cos cosh cot csc distinct div \
    divides divisible exp exponential extract false fp if iff implies int.iand int.pow2 int2bv \
    int_to_bv is is_int ite ln log map max min mod nand nat2bv nor not or pi pow pow2 real.pi \
    rem repeat root-obj rotate_left rotate_right sbv_to_int sec select sign_extend sin sinh \
    sqrt store tan tanh to_int to_real true tuple ubv_to_int unit update xnor xor zero_extend \
    ~";

/// All names that a solver may know: reserved words, commands and predefined symbols.
static DEFINED: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    [RESERVED, COMMANDS, FUNCTIONS]
        .iter()
        .flat_map(|names| names.split_ascii_whitespace())
        .collect()
});

/// Returns the symbol of a name.
pub(super) fn symbol(name: &str) -> String {
    let mut symbol = String::with_capacity(name.len() + 2);
    symbol.push('|');
    let is_reserved = name.is_empty()
        || name.starts_with(['@', '.'])
        || name.starts_with(SUM)
        || DEFINED.contains(name);
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
    fn plain_names_are_written_between_bars() {
        for name in ["p", "p 1", "Philo-3_fork.left", "7", "a(b,<c>)", "sums", "And"] {
            assert_eq!(symbol(name), format!("|{name}|"));
        }
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
            [symbol("a|b"), symbol("and"), symbol("sum 1"), symbol("check-sat")],
            ["|a%7Cb|", "|%61nd|", "|%73um 1|", "|%63heck-sat|"]
        );
        assert_ne!(symbol("sum 1"), sum_symbol(1));
    }
}
