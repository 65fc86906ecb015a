//! Output of nets as PNML (place/transition nets, version 2009), the format of the Model Checking
//! Contest.

use crate::extended::ExtendedNet;
use crate::net::Net;
use crate::printable::EscapedXml;
use crate::units::{Unit, Units};
use std::fmt::{self, Write};

/// Returns the net as a PNML document: places, then transitions, then arcs, with labels as names.
/// Then come nested units in the format of the Model Checking Contest, and final markings. This
/// format separates ids by blanks. So the units are left out if an id of a place or unit has
/// blanks.
pub fn pnml(net: &Net) -> String {
    let mut text = String::new();
    write_pnml(net, &mut text).expect("writing to a String does not fail");
    text
}

/// Writes the document that [`pnml`] returns, piece by piece, for nets that are too large for a
/// second copy in memory.
///
/// # Errors
/// The errors of `out`.
pub fn write_pnml(net: &Net, out: &mut dyn Write) -> fmt::Result {
    write_document(net, None, out)
}

/// Writes a net with inhibitor and reset arcs, as arcs with a `type`, in TAPAAL's style.
///
/// # Errors
/// The errors of `out`.
pub fn write_extended(net: &ExtendedNet, out: &mut dyn Write) -> fmt::Result {
    write_document(net.core(), Some(net), out)
}

/// Writes the PNML document of a net, with the inhibitor and reset arcs of `extended` if it is
/// given.
fn write_document(net: &Net, extended: Option<&ExtendedNet>, out: &mut dyn Write) -> fmt::Result {
    const NAMESPACE: &str = "http://www.pnml.org/version-2009/grammar";
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<pnml xmlns=\"{NAMESPACE}/pnml\">")?;
    writeln!(out, "<net id=\"{}\" type=\"{NAMESPACE}/ptnet\">", EscapedXml(net.name()))?;
    writeln!(out, "<name><text>{}</text></name>", EscapedXml(net.title()))?;
    writeln!(out, "<page id=\"page\">")?;
    for p in net.places() {
        let id = net.place_name(p);
        write!(out, "<place id=\"{}\">", EscapedXml(id))?;
        write!(out, "<name><text>{}</text></name>", EscapedXml(net.place_label(p).unwrap_or(id)))?;
        if net.initial()[p] > 0 {
            write!(out, "<initialMarking><text>{}</text></initialMarking>", net.initial()[p])?;
        }
        writeln!(out, "</place>")?;
    }
    for t in net.transitions() {
        let id = net.transition_name(t);
        write!(out, "<transition id=\"{}\">", EscapedXml(id))?;
        write!(
            out,
            "<name><text>{}</text></name>",
            EscapedXml(net.transition_label(t).unwrap_or(id))
        )?;
        writeln!(out, "</transition>")?;
    }
    write_arcs(net, extended, out)?;
    if let Some(units) = net.units().filter(|units| can_be_listed(net, units)) {
        write_units(net, units, out)?;
    }
    writeln!(out, "</page>")?;
    write_final_markings(net, out)?;
    writeln!(out, "</net>\n</pnml>")
}

/// Writes final markings in the style of PM4Py and ProM.
fn write_final_markings(net: &Net, out: &mut dyn Write) -> fmt::Result {
    if net.final_markings().is_empty() {
        return Ok(());
    }
    writeln!(out, "<finalmarkings>")?;
    for marking in net.final_markings() {
        write!(out, "<marking>")?;
        for (place, tokens) in marking.marked() {
            let id = EscapedXml(net.place_name(place));
            write!(out, "<place idref=\"{id}\"><text>{tokens}</text></place>")?;
        }
        writeln!(out, "</marking>")?;
    }
    writeln!(out, "</finalmarkings>")
}

/// Writes the arcs. Their ids are `arc0`, `arc1`, …, with underscores in front if an id of a node
/// begins with `arc`. So the ids of arcs differ from the ids of nodes.
fn write_arcs(net: &Net, extended: Option<&ExtendedNet>, out: &mut dyn Write) -> fmt::Result {
    let mut prefix = String::from("arc");
    let node_ids = || {
        let places = net.places().map(|p| net.place_name(p));
        places.chain(net.transitions().map(|t| net.transition_name(t)))
    };
    while node_ids().any(|name| name.starts_with(&prefix)) {
        prefix.insert(0, '_');
    }
    let mut number = 0usize;
    let mut arc = |out: &mut dyn Write, source: &str, target: &str, weight: u64, kind: &str| {
        let (source, target) = (EscapedXml(source), EscapedXml(target));
        write!(out, "<arc id=\"{prefix}{number}\" source=\"{source}\" target=\"{target}\"{kind}")?;
        number += 1;
        match weight {
            1 => writeln!(out, "/>"),
            _ => writeln!(out, "><inscription><text>{weight}</text></inscription></arc>"),
        }
    };
    for t in net.transitions() {
        let name = net.transition_name(t);
        for input in net.pre(t) {
            arc(out, net.place_name(input.place), name, input.weight, "")?;
        }
        for output in net.post(t) {
            arc(out, name, net.place_name(output.place), output.weight, "")?;
        }
        let Some(extended) = extended else { continue };
        for inhibitor in extended.inhibitors(t) {
            arc(
                out,
                net.place_name(inhibitor.place),
                name,
                inhibitor.weight,
                " type=\"inhibitor\"",
            )?;
        }
        for &place in extended.resets(t) {
            arc(out, net.place_name(place), name, 1, " type=\"reset\"")?;
        }
    }
    Ok(())
}

/// Returns true if no id of a place or unit is empty or has blanks.
fn can_be_listed(net: &Net, units: &Units) -> bool {
    let has_blank = |id: &str| id.is_empty() || id.contains(char::is_whitespace);
    !net.places().any(|p| has_blank(net.place_name(p)))
        && !units.iter().any(|(_, unit)| has_blank(&unit.name))
}

/// Writes the nested units in the format of the Model Checking Contest.
fn write_units(net: &Net, units: &Units, out: &mut dyn Write) -> fmt::Result {
    let (places, transitions) = (net.place_count(), net.transition_count());
    writeln!(out, "<toolspecific tool=\"nupn\" version=\"1.1\">")?;
    let arcs = net.arc_count();
    writeln!(out, "<size places=\"{places}\" transitions=\"{transitions}\" arcs=\"{arcs}\"/>")?;
    let root = EscapedXml(&units.get(units.root()).name);
    let (count, are_safe) = (units.len(), net.safe_units().is_some());
    writeln!(out, "<structure units=\"{count}\" root=\"{root}\" safe=\"{are_safe}\">")?;
    // Children are collected once; a look-up per unit would be quadratic.
    let mut children: Vec<Vec<&Unit>> = vec![Vec::new(); units.len()];
    for (_, unit) in units.iter() {
        if let Some(parent) = unit.parent {
            children[parent.index()].push(unit);
        }
    }
    for (id, unit) in units.iter() {
        write!(out, "<unit id=\"{}\"><places>", EscapedXml(&unit.name))?;
        write_list(out, unit.places.iter().map(|&p| net.place_name(p)))?;
        write!(out, "</places><subunits>")?;
        write_list(out, children[id.index()].iter().map(|unit| &*unit.name))?;
        writeln!(out, "</subunits></unit>")?;
    }
    writeln!(out, "</structure>\n</toolspecific>")
}

fn write_list<'n>(out: &mut dyn Write, names: impl Iterator<Item = &'n str>) -> fmt::Result {
    for (index, name) in names.enumerate() {
        write!(out, "{}{}", if index == 0 { "" } else { " " }, EscapedXml(name))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NetBuilder, UnitId};

    #[test]
    fn a_net_is_written_with_weights_tokens_and_escapes() {
        let net = crate::text::parse(
            "net \"a<b\"
             place \"p & q\" 2
             place arc0
             transition \"say \\\"t\\\"\": 2*\"p & q\" -> arc0",
        )
        .unwrap();
        let text = pnml(&net);
        for part in [
            "<net id=\"a&lt;b\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">",
            "<place id=\"p &amp; q\"><name><text>p &amp; q</text></name>\
             <initialMarking><text>2</text></initialMarking></place>",
            "<transition id=\"say &quot;t&quot;\">",
            "<arc id=\"_arc0\" source=\"p &amp; q\" target=\"say &quot;t&quot;\">\
             <inscription><text>2</text></inscription></arc>",
            "<arc id=\"_arc1\" source=\"say &quot;t&quot;\" target=\"arc0\"/>",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(!text.contains("nupn"));
    }

    #[test]
    fn control_characters_do_not_break_the_document() {
        assert_eq!(EscapedXml("a\tb\nc\u{1}>").to_string(), "a&#9;b&#10;c\u{fffd}&gt;");
    }

    /// Returns the document of a net with two places in one unit. The second place has this id.
    fn with_units(second: &str) -> String {
        let mut builder = NetBuilder::new("n");
        let p = builder.place("p", 1).unwrap();
        let q = builder.place(second, 0).unwrap();
        builder.label_place(p, "the first");
        let units = vec![
            Unit { name: "root".into(), places: vec![], parent: None },
            Unit { name: "u".into(), places: vec![p, q], parent: Some(UnitId::new(0)) },
        ];
        let initial = builder.initial();
        let units = Units::new(units, UnitId::new(0), true, &initial, |_| "").unwrap();
        builder.set_units(units);
        pnml(&builder.build().unwrap())
    }

    #[test]
    fn units_with_blanks_in_ids_are_left_out() {
        assert!(!with_units("p q").contains("nupn"));
    }

    #[test]
    fn labels_and_nested_units_are_written() {
        let text = with_units("q");
        assert!(text.contains("<text>the first</text>"));
        assert!(text.contains("<structure units=\"2\" root=\"root\" safe=\"true\">"));
        assert!(text.contains("<unit id=\"root\"><places></places><subunits>u</subunits></unit>"));
        assert!(text.contains("<unit id=\"u\"><places>p q</places><subunits></subunits></unit>"));
    }
}
