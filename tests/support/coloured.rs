//! Writes coloured nets as PNML, so that generated nets can be read from files.

use parikh_net::coloured::{
    ColouredNet, Guard, Multiset, Relation, SortId, SortKind, Term, VariableId,
};
use std::fmt::Write as _;

/// Returns the net as PNML. Ids are names; the id of a constant begins with the name of its sort.
pub(crate) fn write(net: &ColouredNet) -> String {
    let mut declarations = String::new();
    for sort in net.sorts() {
        let name = sort.name();
        let user = |sort: SortId| format!("<usersort declaration=\"{}\"/>", net.sort(sort).name());
        let kind = match sort.kind() {
            SortKind::Dot => "<dot/>".to_owned(),
            SortKind::Enumeration { constants, cyclic } => {
                let element = if *cyclic { "cyclicenumeration" } else { "finiteenumeration" };
                let mut declared = String::new();
                for it in constants {
                    let _ = write!(declared, "<feconstant id=\"{name} {it}\" name=\"{it}\"/>");
                }
                format!("<{element}>{declared}</{element}>")
            }
            SortKind::Range { start, end } => {
                format!("<finiteintrange start=\"{start}\" end=\"{end}\"/>")
            }
            SortKind::Product(parts) => {
                let parts: String = parts.iter().map(|&part| user(part)).collect();
                format!("<productsort>{parts}</productsort>")
            }
            SortKind::Partition { of, elements, block_of } => {
                let mut parts = user(*of);
                for (at, element) in elements.iter().enumerate() {
                    let _ = write!(
                        parts,
                        "<partitionelement id=\"{name} {element}\" name=\"{element}\">"
                    );
                    for colour in (0..).zip(block_of).filter(|(_, part)| **part as usize == at) {
                        parts.push_str(&constant(net, *of, colour.0));
                    }
                    parts.push_str("</partitionelement>");
                }
                let _ = write!(
                    declarations,
                    "<partition id=\"{name}\" name=\"{name}\">{parts}</partition>"
                );
                continue;
            }
        };
        let _ = write!(declarations, "<namedsort id=\"{name}\" name=\"{name}\">{kind}</namedsort>");
    }
    for variable in net.variables() {
        let (name, sort) = (&variable.name, net.sort(variable.sort).name());
        let _ = write!(
            declarations,
            "<variabledecl id=\"v{name}\" name=\"{name}\"><usersort declaration=\"{sort}\"/></variabledecl>"
        );
    }
    let mut page = String::new();
    for place in net.places() {
        let (name, sort) = (&place.name, net.sort(place.sort).name());
        let _ = write!(
            page,
            "<place id=\"{name}\"><type><structure><usersort declaration=\"{sort}\"/></structure></type>"
        );
        if place.initial != Multiset::EMPTY {
            let term = multiset(net, &place.initial);
            let _ =
                write!(page, "<hlinitialMarking><structure>{term}</structure></hlinitialMarking>");
        }
        page.push_str("</place>\n");
    }
    for t in net.transitions() {
        let guard = guard(net, &t.guard);
        let _ = writeln!(
            page,
            "<transition id=\"{}\"><condition><structure>{guard}</structure></condition></transition>",
            t.name
        );
        for (arcs, takes) in [(&t.inputs, true), (&t.outputs, false)] {
            for (at, arc) in arcs.iter().enumerate() {
                let place = &net.place(arc.place).name;
                let (source, target) = if takes { (place, &t.name) } else { (&t.name, place) };
                let term = multiset(net, &arc.inscription);
                let _ = writeln!(
                    page,
                    "<arc id=\"{source} {target} {at}\" source=\"{source}\" target=\"{target}\">\
                     <hlinscription><structure>{term}</structure></hlinscription></arc>"
                );
            }
        }
    }
    document(&declarations, &page).replace("<net id=\"n\"", &format!("<net id=\"{}\"", net.name()))
}

/// Returns a PNML document with these declarations and this page content.
pub(crate) fn document(declarations: &str, page: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n\
         <net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/symmetricnet\">\n\
         <page id=\"page\">\n{page}\n</page>\n<declaration><structure><declarations>\n{declarations}\n\
         </declarations></structure></declaration>\n</net></pnml>"
    )
}

fn element(name: &str, operands: impl IntoIterator<Item = String>) -> String {
    let operands: String =
        operands.into_iter().map(|it| format!("<subterm>{it}</subterm>")).collect();
    format!("<{name}>{operands}</{name}>")
}

fn constant(net: &ColouredNet, sort: SortId, colour: u64) -> String {
    let name = net.sort(sort).name();
    match net.sort(sort).kind() {
        SortKind::Dot => "<dotconstant/>".to_owned(),
        SortKind::Product(_) => {
            let parts = net.components(sort, colour).into_iter();
            element("tuple", parts.map(|(sort, colour)| constant(net, sort, colour)))
        }
        SortKind::Range { start, end } => {
            let value = net.colour_name(sort, colour);
            format!(
                "<finiteintrangeconstant value=\"{value}\"><finiteintrange start=\"{start}\" end=\"{end}\"/></finiteintrangeconstant>"
            )
        }
        _ => {
            format!("<useroperator declaration=\"{name} {}\"/>", net.colour_name(sort, colour))
        }
    }
}

fn term(net: &ColouredNet, it: &Term) -> String {
    let sort = |sort: &SortId| net.sort(*sort).name().to_owned();
    let variable = |it: &VariableId| net.variable(*it).name.clone();
    match it {
        Term::Constant { sort, colour } => constant(net, *sort, *colour),
        Term::Variable(it) => format!("<variable refvariable=\"v{}\"/>", variable(it)),
        Term::Shift { of, by } => {
            let name = if *by > 0 { "successor" } else { "predecessor" };
            (0..by.unsigned_abs()).fold(term(net, of), |of, _| element(name, [of]))
        }
        Term::Block { partition, of } => {
            let of = term(net, of);
            format!(
                "<partitionelementof refpartition=\"{}\"><subterm>{of}</subterm></partitionelementof>",
                sort(partition)
            )
        }
        Term::Tuple(parts) => element("tuple", parts.iter().map(|part| term(net, part))),
        Term::All(it) => format!("<all><usersort declaration=\"{}\"/></all>", sort(it)),
    }
}

fn multiset(net: &ColouredNet, it: &Multiset) -> String {
    match it {
        Multiset::Tokens { count: 1, term: of } => term(net, of),
        Multiset::Tokens { count, term: of } => {
            let count = format!("<numberconstant value=\"{count}\"><positive/></numberconstant>");
            element("numberof", [count, term(net, of)])
        }
        Multiset::Sum(parts) if parts.is_empty() => "<empty/>".to_owned(),
        Multiset::Sum(parts) => element("add", parts.iter().map(|part| multiset(net, part))),
        Multiset::Difference(a, b) => element("subtract", [a, b].map(|it| multiset(net, it))),
    }
}

fn guard(net: &ColouredNet, it: &Guard) -> String {
    let name = match it {
        Guard::Compare(relation, left, right) => {
            let name = match relation {
                Relation::Equal => "equality",
                Relation::Unequal => "inequality",
                Relation::Less => "lessthan",
                Relation::AtMost => "lessthanorequal",
                Relation::Greater => "greaterthan",
                Relation::AtLeast => "greaterthanorequal",
            };
            return element(name, [left, right].map(|side| term(net, side)));
        }
        Guard::And(parts) | Guard::Or(parts) if parts.is_empty() => {
            return format!("<booleanconstant value=\"{}\"/>", matches!(it, Guard::And(_)));
        }
        Guard::And(_) => "and",
        Guard::Or(_) => "or",
    };
    let (Guard::And(parts) | Guard::Or(parts)) = it else { return String::new() };
    element(name, parts.iter().map(|part| guard(net, part)))
}
