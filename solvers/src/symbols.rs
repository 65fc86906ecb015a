//! Names of variables as symbols of SMT-LIB, and as names in LP format.
//!
//! Both use the escapes of URLs: `%` and the two hexadecimal digits of a byte in UTF-8. Since `%`
//! itself is escaped, different names have different symbols. The symbol of a name does not depend
//! on other names.
//!
//! ```
//! use parikh_solvers::symbols;
//!
//! assert_eq!(symbols::smt_symbol("m(a|b)"), "|m(a%7Cb)|");
//! assert_eq!(symbols::smt_symbol("and"), "%61nd");
//! assert_eq!(symbols::lp_name("m(a-b)"), "m.a%2Db");
//! ```

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::LazyLock;

/// Writes a name with escapes. `is_plain` gets the position of a byte and the byte, and returns
/// true if the byte needs no escape. It must return false for `%` and for bytes beyond ASCII.
fn escape(name: &str, is_plain: impl Fn(usize, u8) -> bool) -> String {
    let mut escaped = String::with_capacity(name.len());
    for (position, byte) in name.bytes().enumerate() {
        match is_plain(position, byte) {
            true => escaped.push(byte.into()),
            false => _ = write!(escaped, "%{byte:02X}"),
        }
    }
    escaped
}

/// Returns true for the bytes that a symbol of SMT-LIB may contain between bars. `%` is left out,
/// because it begins an escape.
fn is_plain_in_smt(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && !matches!(byte, b'%' | b'|' | b'\\')
}

/// Returns a part of a name, such as the name of a place, as it occurs inside a symbol of SMT-LIB.
pub fn escaped_in_smt(part: &str) -> String {
    escape(part, |_, byte| is_plain_in_smt(byte))
}

/// Returns the symbol of a name in SMT-LIB, between bars where they are needed. The first character
/// of a name that SMT-LIB defines, or that the writer of terms uses, is escaped.
pub fn smt_symbol(name: &str) -> String {
    let is_reserved = name.starts_with(['@', '.'])
        || name.starts_with("t!")
        || name.starts_with("a!")
        || DEFINED.contains(name);
    let mut symbol =
        escape(name, |position, byte| is_plain_in_smt(byte) && !(is_reserved && position == 0));
    if name.is_empty() {
        // No byte has this escape.
        symbol.push('%');
    }
    let is_simple_byte =
        |byte: u8| byte.is_ascii_alphanumeric() || b"_.!~%&^<>=+-*/?".contains(&byte);
    let begins_with_letter = |byte: &u8| byte.is_ascii_alphabetic() || b"_%".contains(byte);
    match symbol.as_bytes().first().is_some_and(begins_with_letter)
        && symbol.bytes().all(is_simple_byte)
    {
        true => symbol,
        false => format!("|{symbol}|"),
    }
}

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

/// The names of all three lists.
static DEFINED: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    [RESERVED, COMMANDS, FUNCTIONS]
        .iter()
        .flat_map(|names| names.split_ascii_whitespace())
        .collect()
});

/// The largest number of characters of a name in LP format. Readers allow at most 255.
const MAX_LP_CHARACTERS: usize = 250;

/// Returns a part of a name, such as the name of a place, as it occurs inside a name in LP format.
/// Letters, digits and `_` are plain.
pub fn escaped_in_lp(part: &str) -> String {
    escape(part, |_, byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns the name of a variable in LP format. LP format has no parentheses in names: `m(p)`
/// becomes `m.p`, and `x(t) and 2 more` becomes `x.t.and.2.more`. Other names are escaped after
/// `_`. The name may be too long for readers: see [`lp_names`].
pub fn lp_name(name: &str) -> String {
    match parts_of_lp_name(name) {
        Some((family, part, rest)) => {
            let words: String = rest
                .split(' ')
                .skip(1)
                .fold(String::new(), |words, word| words + "." + &escaped_in_lp(word));
            format!("{family}.{}{words}", escaped_in_lp(part))
        }
        None => format!("_{}", escaped_in_lp(name)),
    }
}

/// Splits a name of the form `family(part)rest`. The family consists of letters and digits, and
/// begins with a letter other than `e`, which readers take for an exponent. The rest is empty or
/// begins with a blank. Returns `None` for a name of another form.
fn parts_of_lp_name(name: &str) -> Option<(&str, &str, &str)> {
    let (family, after) = name.split_once('(')?;
    let (part, rest) = after.rsplit_once(')')?;
    let begins_well = |first: u8| first.is_ascii_alphabetic() && !matches!(first, b'e' | b'E');
    let is_family = family.bytes().next().is_some_and(begins_well)
        && family.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_family && (rest.is_empty() || rest.starts_with(' '))).then_some((family, part, rest))
}

/// Returns the names of variables in LP format, in the same order. Different variables have
/// different names. A name that is too long for readers is cut, and ends with `~` and its position.
pub fn lp_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let shortened = |(position, name): (usize, &str)| {
        let mut name = lp_name(name);
        if name.len() > MAX_LP_CHARACTERS {
            // No other name contains `~`.
            let end = format!("~{position}");
            name.truncate(MAX_LP_CHARACTERS - end.len());
            name += &end;
        }
        name
    };
    names.into_iter().enumerate().map(shortened).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Names that look alike, names with escapes, and names that SMT-LIB or the writer defines.
    const NAMES: &[&str] = &[
        "",
        "%",
        "%%",
        "a|b",
        "a_b",
        "a\\b",
        "a%7Cb",
        "a%b",
        "a%257Cb",
        "a%5F7Cb",
        "and",
        "%61nd",
        "%2561nd",
        "And",
        "let",
        "|let|",
        "t!1",
        "t!!1",
        "%74!1",
        "a!1",
        "@a",
        ".a",
        "a.b",
        "a..b",
        "é",
        "e\u{301}",
        "a\nb",
        "%0A",
        "m(p)",
        "m.p",
        "_m",
        "m(p) and 1 more",
        "m(p).and.1.more",
        "m(p)and 1 more",
        "m(p) and 1 more)",
        "m(p(",
        "1",
        "e1",
        "assert",
        "exists",
        "check-sat",
        "|check-sat|",
        "define-fun-rec",
        "bvudiv",
    ];

    #[test]
    fn different_names_have_different_symbols() {
        for name_of in [smt_symbol, lp_name, escaped_in_smt, escaped_in_lp] {
            let symbols: BTreeSet<String> = NAMES.iter().map(|name| name_of(name)).collect();
            assert_eq!(symbols.len(), NAMES.len(), "{symbols:?}");
        }
        let alphabet: Vec<char> = "m().% _a7C|\\é".chars().collect();
        let random = |rng: &mut fastrand::Rng| -> String {
            (0..rng.usize(0..7)).map(|_| alphabet[rng.usize(..alphabet.len())]).collect()
        };
        let mut rng = fastrand::Rng::with_seed(1);
        let names: BTreeSet<String> = (0..20_000).map(|_| random(&mut rng)).collect();
        for name_of in [smt_symbol, lp_name] {
            let symbols: BTreeSet<String> = names.iter().map(|name| name_of(name)).collect();
            assert_eq!(symbols.len(), names.len());
        }
    }

    #[test]
    fn symbols_are_valid_where_readers_expect_them() {
        for name in NAMES {
            let symbol = smt_symbol(name);
            let inner = symbol.strip_prefix('|').and_then(|rest| rest.strip_suffix('|'));
            let inner = inner.unwrap_or(&symbol);
            let is_inner = |c: char| (' '..='~').contains(&c) && c != '|' && c != '\\';
            assert!(!inner.is_empty() && inner.chars().all(is_inner), "{symbol}");
            assert!(!DEFINED.contains(inner) && !inner.starts_with("t!"), "{symbol}");
            let lp = lp_name(name);
            let is_lp = |c: char| c.is_ascii_alphanumeric() || "_.%".contains(c);
            assert!(lp.chars().all(is_lp), "{lp}");
            assert!(
                lp.starts_with(|c: char| c.is_ascii_alphabetic() && c != 'e' || c == '_'),
                "{lp}"
            );
        }
        assert_eq!(["p1", "1p", "x y"].map(smt_symbol), ["p1", "|1p|", "|x y|"]);
        assert_eq!(["let", "t!7", ""].map(smt_symbol), ["%6Cet", "%74!7", "%"]);
        assert_eq!(["check-sat", "lets"].map(smt_symbol), ["%63heck-sat", "lets"]);
        assert_eq!(
            ["m(p_1)", "x(t) and 2 more", "x"].map(lp_name),
            ["m.p_1", "x.t.and.2.more", "_x"]
        );
    }

    #[test]
    fn long_names_stay_distinct_in_lp_format() {
        let name = |end: &str| format!("m({}{end})", "p".repeat(400));
        let names = [name("1"), name("2"), "m(p)".to_owned()];
        let names = lp_names(names.iter().map(String::as_str));
        assert_eq!([names[0].len(), names[1].len()], [MAX_LP_CHARACTERS; 2]);
        assert!(names[0] != names[1] && names[2] == "m.p", "{names:?}");
    }
}
