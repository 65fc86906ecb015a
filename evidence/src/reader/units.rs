//! Reads nested units (NUPN), with which a model claims properties of its markings. The claim may
//! be false.
//!
//! ```xml
//! <toolspecific tool="nupn" version="1.1">
//!   <size places="4" transitions="4" arcs="10"/>
//!   <structure units="3" root="u0" safe="true">
//!     <unit id="u0"><places/><subunits>u1 u2</subunits></unit>
//!     <unit id="u1"><places>a b</places><subunits/></unit> …
//! ```
//!
//! With `safe="true"` the model claims that its units are *safe*. In each reachable marking, the
//! places of a unit hold at most one token. If a unit has a token, the units inside it have none.
//! Nothing proves this claim, so answers that use it state it as an assumption. The units are left
//! out if the section has an error: wrong sizes, units that do not form a tree, places in no unit
//! or in two, or an initial marking that violates the claim.

use super::{BLANKS, Unreadable, attribute, child, elements, name, parse_number, text};
use parikh_net::builder::NetNode;
use parikh_net::printable::Quoted;
use parikh_net::units::Unit;
use parikh_net::{NetBuilder, UnitId, Units};
use roxmltree::Node;
use std::collections::HashMap;

/// Reads the units in the only section of a file, over the nodes of `builder`. Returns `None`
/// without a section, and an error for a second section. `transitions` and `arcs` are the numbers
/// of transitions and arcs in the file. Returns an error if a declared size differs from that of
/// the file.
pub(super) fn read(
    builder: &NetBuilder,
    sections: &[Node<'_, '_>],
    (transitions, arcs): (usize, usize),
) -> Result<Option<Units>, Unreadable> {
    let section = match sections {
        [] => return Ok(None),
        [section] => *section,
        [_, second, ..] => return Err(Unreadable::at(*second, "a second section on units")),
    };
    for size in elements(section).filter(|&node| name(node) == "size") {
        for (key, actual_size) in
            [("places", builder.place_count()), ("transitions", transitions), ("arcs", arcs)]
        {
            let declared_size: usize = parse_number(size, attribute(size, key)?)?;
            if declared_size != actual_size {
                return Err(Unreadable::at(
                    size,
                    format!("{declared_size} {key}; the net has {actual_size}"),
                ));
            }
        }
    }
    read_structure(builder, child(section, "structure")?).map(Some)
}

/// Reads the units inside the element `structure`.
fn read_structure(builder: &NetBuilder, structure: Node<'_, '_>) -> Result<Units, Unreadable> {
    let nodes: Vec<_> = elements(structure).filter(|&node| name(node) == "unit").collect();
    let declared_count: usize = parse_number(structure, attribute(structure, "units")?)?;
    if declared_count != nodes.len() {
        let what = format!("{declared_count} units; {} are listed", nodes.len());
        return Err(Unreadable::at(structure, what));
    }
    let is_safe = match attribute(structure, "safe")? {
        "true" => true,
        "false" => false,
        other => return Err(Unreadable::at(structure, format!("safe is {}", Quoted(other)))),
    };
    let mut index_by_id = HashMap::new();
    for (index, &node) in nodes.iter().enumerate() {
        if index_by_id.insert(attribute(node, "id")?, index).is_some() {
            return Err(Unreadable::at(node, "two units have this id"));
        }
    }
    let unit_named = |node, id: &str| {
        let known = index_by_id.get(id).copied();
        known.ok_or_else(|| Unreadable::at(node, format!("there is no unit {}", Quoted(id))))
    };
    let mut units = Vec::with_capacity(nodes.len());
    for &node in &nodes {
        let mut places = Vec::new();
        for id in listed_ids(node, "places")? {
            match builder.node(&id) {
                Some(NetNode::Place(place)) => places.push(place),
                _ => {
                    return Err(Unreadable::at(node, format!("there is no place {}", Quoted(&id))));
                }
            }
        }
        places.sort_unstable();
        units.push(Unit { name: attribute(node, "id")?.into(), places, parent: None });
    }
    for (index, &node) in nodes.iter().enumerate() {
        for id in listed_ids(node, "subunits")? {
            let subunit = unit_named(node, &id)?;
            if units[subunit].parent.replace(UnitId::new(index)).is_some() {
                return Err(Unreadable::at(
                    node,
                    format!("unit {} is inside two other units", Quoted(&id)),
                ));
            }
        }
    }
    let root = UnitId::new(unit_named(structure, attribute(structure, "root")?)?);
    let initial = builder.initial();
    Units::new(units, root, is_safe, &initial, |place| builder.place_name(place))
        .map_err(|error| Unreadable::at(structure, error.to_string()))
}

/// Returns the ids in the lists `key` of a unit, which are separated by blanks.
fn listed_ids(unit: Node<'_, '_>, key: &str) -> Result<Vec<String>, Unreadable> {
    let mut ids = Vec::new();
    for list in elements(unit).filter(|&list| name(list) == key) {
        ids.extend(text(list)?.split(BLANKS).filter(|id| !id.is_empty()).map(str::to_owned));
    }
    Ok(ids)
}
