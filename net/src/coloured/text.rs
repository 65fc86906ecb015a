//! The textual format of coloured nets, for tests, examples and bug reports.
//!
//! ```text
//! net example                            # `#` starts a comment
//! sort Colour = {red, green}             # an enumeration; cyclic {…} where colours have successors
//! sort Level = 1..3
//! sort Pair = Colour * Level
//! sort Height = partition Level {low: 1 2; high: 3}
//! var x: Colour
//! var l, m: Level
//! place p: Pair = {2'(red,1) + (green,2)}
//! place free: Level = {all - 3}
//! place done = {2'.}                     # black tokens
//! transition t [l < m and x != red]: p{(x,l)} + free{m} -> p{(x,m)} + done
//! ```
//!
//! A multiset stands in braces: `2'c`, `c + d`, `all`, `all - c`, `(all,3)`, with brackets for
//! grouping as in `2'[x + y]`. `x++` and `x--` are the successor and the predecessor; `Height(l)`
//! is the block of a partition. Guards have `=`, `!=`, `<`, `<=`, `>`, `>=`, `and`, `or`, `not` and
//! brackets. Names are quoted like `"a b"` unless they consist of letters, digits, `_`, `.` and
//! `@`, and are none of `all`, `and`, `or`, `not`, `cyclic`, `partition`. In quotes, `\n` and `\r`
//! are a line break and a carriage return. A variable hides a constant of the same name.
//! [`parse`] reads back what [`print()`] writes, which leaves out labels and assumptions.

mod lexer;
mod parser;
mod printer;

pub use parser::parse;
pub use printer::{guard, multiset, print};

/// An error in the text of a coloured net, with its line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ColouredTextError {
    /// The line number, from 1.
    pub line: usize,
    /// The description of the error.
    pub problem: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coloured::{
        ColourError, ColouredNet, Guard, Multiset, Relation, SortId, SortKind, Term,
    };

    const EXAMPLE: &str = "net example
sort dot = .
sort Colour = {red, green}
sort Ring = cyclic {a, b, c}
sort Level = 1..3
sort Pair = Colour * Level
sort Height = partition Level {low: 1 2; high: 3}
var x: Colour
var l: Level
var m: Level
var r: Ring
place p: Pair = {2'(red,1) + (green,2)}
place free: Level = {all - 3}
place done: dot = {2'.}
place \"odd name\": Ring
transition t [l < m and [x != red or Height(l) = low]]: p{(x,l)} + free{m} -> p{(x,m)} + done{.}
transition u: \"odd name\"{r} -> \"odd name\"{r++} + free{2'all - 2'3} + p{(all,2)}
transition v
";

    #[test]
    fn printed_nets_are_parsed_back_unchanged() {
        let net = parse(EXAMPLE).unwrap();
        assert_eq!(print(&net), EXAMPLE);
        assert_eq!(print(&parse(&print(&net)).unwrap()), EXAMPLE);
        assert_eq!((net.colour_count(), net.binding_count()), (13, 22));
    }

    #[test]
    fn tuples_are_compared_part_by_part() {
        let read = |guard: &str| {
            let net = format!("sort A = 1..9\nvar x, y: A\ntransition t [{guard}]");
            print(&parse(&net).unwrap()).lines().last().unwrap().to_owned()
        };
        assert_eq!(read("(x,y) = (y,1)"), "transition t [x = y and y = 1]");
        assert_eq!(read("(x,y) != (y,1)"), "transition t [x != y or y != 1]");
    }

    #[test]
    fn tuples_in_guards_of_huge_parts_are_refused_without_an_overflow() {
        let net = parse("sort A = 1..1099511627776").unwrap();
        let part = || Term::Constant { sort: SortId(0), colour: 7 };
        let inner = || Term::Tuple(vec![part(), part()]);
        let outer = || Term::Tuple(vec![inner(), inner()]);
        let guard = Guard::Compare(Relation::Equal, outer(), outer());
        assert_eq!(net.check_guard(&guard), Err(ColourError::HugeTuple(2)));
    }

    #[test]
    fn unusual_names_and_empty_inscriptions_are_read_back() {
        let mut net = ColouredNet::new("two\r\nlines");
        let kind = SortKind::Enumeration { constants: vec!["a".into()], cyclic: false };
        let part = net.add_sort("partition", kind).unwrap();
        net.add_sort("pair", SortKind::Product(vec![part, part])).unwrap();
        let place = net.add_place("p\n\"q", part, Multiset::EMPTY).unwrap();
        let t = net.add_transition("cyclic", Guard::TRUE).unwrap();
        net.take(t, place, Multiset::EMPTY).unwrap();
        let all = || Multiset::single(Term::All(part));
        net.put(t, place, Multiset::minus(all(), Multiset::EMPTY)).unwrap();
        let text = print(&net);
        let again = parse(&text).unwrap();
        assert_eq!((again.name(), print(&again)), (net.name(), text));
        assert_eq!(again.places()[0].name, net.places()[0].name);
    }

    #[test]
    fn factors_are_distributed_over_brackets() {
        let read = |inscription: &str| {
            let net = parse(&format!(
                "sort A = 1..9\nvar x, y: A\nplace p: A\ntransition t: p{{{inscription}}} ->"
            ));
            let text = print(&net.unwrap());
            text.split("p{").nth(1).unwrap().split('}').next().unwrap().to_owned()
        };
        assert_eq!(read("2'[all - 3] + x"), "[2'all - 2'3] + x");
        assert_eq!(read("all - x - y"), "[all - x] - y");
        assert_eq!(read("all - [x + 3'y]"), "all - [x + 3'y]");
        assert_eq!(read("2'[x + [y + 1]]"), "2'x + 2'y + 2'1");
    }

    #[test]
    fn tuples_in_guards_have_at_most_as_many_values_as_sorts() {
        let net = parse("sort A = 1..1099511627776").unwrap();
        let pair = || {
            let part = || Term::Constant { sort: SortId(0), colour: 7 };
            Term::Tuple(vec![part(), part()])
        };
        let guard = Guard::Compare(Relation::Equal, pair(), pair());
        assert_eq!(net.check_guard(&guard), Err(ColourError::HugeTuple(2)));
    }

    #[test]
    fn errors_have_their_line() {
        for (text, problem) in [
            ("sort A = {a, a}", "line 1: the sort `A` has two colours with the name `a`"),
            ("sort A = 3..1", "line 1: the sort `A` has no colour"),
            ("\nplace p: B", "line 2: `B` is not a sort"),
            (
                "sort A = {a}\nplace p: A = {b}",
                "line 2: `b` is neither a colour of `A` nor a variable",
            ),
            (
                "sort A = {a}\nvar x: A\nplace p: A = {x}",
                "line 3: the initial marking of place `p` contains the variable `x`",
            ),
            (
                "sort A = {a}\nvar x: A\nplace p: A\ntransition t: p{x++} ->",
                "line 4: the sort `A` is not cyclic, so its colours have no successor or predecessor",
            ),
            (
                "sort A = {a}\nvar x: A\nplace p: A\ntransition t: p{(x,x)} ->",
                "line 4: found a tuple of 2, expected a colour of `A`",
            ),
            (
                "sort A = 1..4000000000000000000\nsort B = partition A {x: 1}",
                "line 2: a partition of more than 2^24 colours is not supported",
            ),
            (
                "sort A = {a, b}\nsort B = partition A {x: a b; y: b}",
                "line 2: `b` is listed twice, expected one block",
            ),
            (
                "sort A = {a, b}\nvar x: A\ntransition t [(x,a) < (a,x)]: ->",
                "line 3: tuples are compared by `=` or `!=`, and have equally many parts",
            ),
            (
                "sort A = {a, b}\ntransition t [a = b]: ->",
                "line 2: a guard compares two constants, expected a variable",
            ),
            ("transition t: p ->", "line 1: this net has no place `p`"),
            ("place p\nplace p", "line 2: the id `p` is used by two nodes"),
            (
                "oops",
                "line 1: found `oops`, expected `net`, `sort`, `var`, `place` or `transition`",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), problem, "{text}");
        }
    }
}
