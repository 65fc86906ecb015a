//! Output of coloured nets as text.

use super::lexer::WrittenName;
use crate::coloured::{
    ColouredArc, ColouredNet, Guard, Multiset, Relation, SortId, SortKind, Term,
};
use std::fmt::Write as _;

/// Returns the net in the language that [`parse`](super::parse) reads, without labels and
/// assumptions.
pub fn print(net: &ColouredNet) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(text, "net {}", WrittenName(net.name()));
    for sort in net.sorts() {
        let kind = match sort.kind() {
            SortKind::Dot => ".".to_owned(),
            SortKind::Enumeration { constants, cyclic } => {
                let names: Vec<String> =
                    constants.iter().map(|it| WrittenName(it).to_string()).collect();
                format!("{}{{{}}}", if *cyclic { "cyclic " } else { "" }, names.join(", "))
            }
            SortKind::Range { start, end } => format!("{start}..{end}"),
            SortKind::Product(parts) => {
                let name = |&part: &SortId| WrittenName(net.sort(part).name()).to_string();
                let names: Vec<String> = parts.iter().map(name).collect();
                format!("{}{}", if names.len() == 1 { "* " } else { "" }, names.join(" * "))
            }
            SortKind::Partition { of, elements, block_of } => {
                let mut blocks = Vec::new();
                for (block_number, element) in elements.iter().enumerate() {
                    let mut block = format!("{}:", WrittenName(element));
                    for colour in (0..).zip(block_of).filter(|(_, b)| **b as usize == block_number)
                    {
                        let _ = write!(block, " {}", WrittenName(&net.colour_name(*of, colour.0)));
                    }
                    blocks.push(block);
                }
                let of = WrittenName(net.sort(*of).name());
                format!("partition {of} {{{}}}", blocks.join("; "))
            }
        };
        let _ = writeln!(text, "sort {} = {kind}", WrittenName(sort.name()));
    }
    for variable in net.variables() {
        let sort = WrittenName(net.sort(variable.sort).name());
        let _ = writeln!(text, "var {}: {sort}", WrittenName(&variable.name));
    }
    for place in net.places() {
        let sort = WrittenName(net.sort(place.sort).name());
        let _ = write!(text, "place {}: {sort}", WrittenName(&place.name));
        if place.initial != Multiset::EMPTY {
            let _ = write!(text, " = {{{}}}", multiset(net, &place.initial));
        }
        text.push('\n');
    }
    for transition in net.transitions() {
        let _ = write!(text, "transition {}", WrittenName(&transition.name));
        if transition.guard != Guard::TRUE {
            let _ = write!(text, " [{}]", guard(net, &transition.guard));
        }
        if !transition.inputs.is_empty() || !transition.outputs.is_empty() {
            let _ = write!(text, ": {}", arcs(net, &transition.inputs));
            let space = if transition.inputs.is_empty() { "" } else { " " };
            let _ = write!(text, "{space}-> {}", arcs(net, &transition.outputs));
            text.truncate(text.trim_end().len());
        }
        text.push('\n');
    }
    text
}

fn arcs(net: &ColouredNet, arcs: &[ColouredArc]) -> String {
    let arc = |arc: &ColouredArc| {
        let inscription = multiset(net, &arc.inscription);
        format!("{}{{{inscription}}}", WrittenName(&net.place(arc.place).name))
    };
    arcs.iter().map(arc).collect::<Vec<_>>().join(" + ")
}

/// Returns a multiset in the notation used inside braces.
pub fn multiset(net: &ColouredNet, of: &Multiset) -> String {
    write_multiset(net, of, false)
}

/// Returns a guard in the notation used inside brackets.
pub fn guard(net: &ColouredNet, of: &Guard) -> String {
    write_guard(net, of, false)
}

/// Writes a multiset. With `is_operand`, a sum or a difference gets brackets, so that it is a
/// single operand.
fn write_multiset(net: &ColouredNet, multiset_: &Multiset, is_operand: bool) -> String {
    let text = match multiset_ {
        Multiset::Tokens { count: 1, term } => return write_term(net, term),
        Multiset::Tokens { count, term } => return format!("{count}'{}", write_term(net, term)),
        Multiset::Sum(parts) => {
            let parts: Vec<String> =
                parts.iter().map(|part| write_multiset(net, part, true)).collect();
            parts.join(" + ")
        }
        Multiset::Difference(a, b) => {
            format!("{} - {}", write_multiset(net, a, true), write_multiset(net, b, true))
        }
    };
    if is_operand { format!("[{text}]") } else { text }
}

/// Writes a term.
fn write_term(net: &ColouredNet, term: &Term) -> String {
    match term {
        Term::Constant { sort, colour } => constant(net, *sort, *colour),
        Term::Variable(variable) => WrittenName(&net.variable(*variable).name).to_string(),
        Term::Shift { of, by } => {
            let signs = if *by > 0 { "++" } else { "--" };
            let steps = usize::try_from(by.unsigned_abs()).unwrap_or(usize::MAX);
            format!("{}{}", write_term(net, of), signs.repeat(steps))
        }
        Term::Block { partition, of } => {
            format!("{}({})", WrittenName(net.sort(*partition).name()), write_term(net, of))
        }
        Term::Tuple(parts) => {
            let parts: Vec<String> = parts.iter().map(|part| write_term(net, part)).collect();
            format!("({})", parts.join(","))
        }
        Term::All(_) => "all".to_owned(),
    }
}

fn constant(net: &ColouredNet, sort: SortId, colour: u64) -> String {
    match net.sort(sort).kind() {
        SortKind::Dot => ".".to_owned(),
        SortKind::Product(_) => {
            let parts = net.components(sort, colour).into_iter();
            let parts: Vec<String> =
                parts.map(|(sort, colour)| constant(net, sort, colour)).collect();
            format!("({})", parts.join(","))
        }
        _ => WrittenName(&net.colour_name(sort, colour)).to_string(),
    }
}

/// Writes a guard. With `is_operand`, a conjunction or disjunction with parts gets brackets, so
/// that it is a single operand.
fn write_guard(net: &ColouredNet, guard_: &Guard, is_operand: bool) -> String {
    let (parts, word) = match guard_ {
        Guard::Compare(relation, left, right) => {
            let sign = match relation {
                Relation::Equal => "=",
                Relation::Unequal => "!=",
                Relation::Less => "<",
                Relation::AtMost => "<=",
                Relation::Greater => ">",
                Relation::AtLeast => ">=",
            };
            return format!("{} {sign} {}", write_term(net, left), write_term(net, right));
        }
        Guard::And(parts) => (parts, " and "),
        Guard::Or(parts) => (parts, " or "),
    };
    if parts.is_empty() {
        return if word == " or " { "not all".to_owned() } else { "all".to_owned() };
    }
    let parts: Vec<String> = parts.iter().map(|part| write_guard(net, part, true)).collect();
    let text = parts.join(word);
    if is_operand { format!("[{text}]") } else { text }
}
