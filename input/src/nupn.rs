//! The nested units of a P/T model: `<toolspecific tool="nupn">`. Places may be declared after the
//! units. So the units are read as text first, and checked against the whole net at the end.
//!
//! Engines rely on the units, so units with any error are left out as a whole. The net does not
//! depend on them: the reader reports the error and goes on without units.
//!
//! Source: H. Garavel, *Nested-Unit Petri Nets*, JLAMP 104, 2019.

use super::error::InputError;
use super::graph::PnmlGraph;
use super::xml::{XmlItem, XmlReader, digits, words};
use parikh_net::builder::NetNode;
use parikh_net::units::Unit;
use parikh_net::{PlaceId, UnitId, Units, UnitsError};
use std::collections::HashMap;
use std::io::BufRead;

/// The error in a section of nested units (NUPN). The net is then read without nested units.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NupnError {
    #[error("`<size>` states {stated} {what}, but the net has {found}")]
    Size { what: &'static str, stated: String, found: usize },
    #[error("`<structure>` states {stated} units, but it has {found}")]
    UnitCount { stated: String, found: usize },
    #[error("found two sections about units, expected one")]
    SecondSection,
    #[error("expected exactly one `<structure>`")]
    NotOneStructure,
    #[error("safe is `{0}`, expected `true` or `false`")]
    Safe(String),
    #[error("two units have the id `{0}`")]
    DuplicateUnit(String),
    #[error("the root unit `{0}` is not declared")]
    NoRoot(String),
    #[error("unit `{unit}` lists `{place}`, but the net has no such place")]
    UnknownPlace { unit: String, place: String },
    #[error("unit `{unit}` lists the sub-unit `{sub}`, which is not declared")]
    UnknownUnit { unit: String, sub: String },
    #[error("unit `{0}` is a sub-unit twice")]
    TwoParents(String),
    #[error(transparent)]
    Units(#[from] UnitsError),
}

/// An element `<unit>`: the id, and the lists of its places and sub-units as text.
#[derive(Default)]
struct UnitText {
    id: String,
    places: String,
    subunits: String,
}

/// The whole section of nested units, as read from the file and not yet checked.
#[derive(Default)]
pub(super) struct UnitTree {
    /// The numbers of places, transitions and arcs that each `<size>` states, in this order, as
    /// text. A missing number is an empty text.
    sizes: Vec<[String; 3]>,
    /// The number of `<structure>` elements.
    structures: usize,
    /// The number of units that `<structure>` states, as text.
    count: String,
    /// The id of the root unit.
    root: String,
    /// The claim that the units are safe, as text: `true` or `false` if valid.
    safe: String,
    units: Vec<UnitText>,
}

/// Reads the element `<toolspecific tool="nupn">` that was opened last.
pub(super) fn read<R: BufRead>(xml: &mut XmlReader<R>) -> Result<UnitTree, InputError> {
    let mut tree = UnitTree::default();
    let mut depth = 1;
    let text_or_empty = |value: Option<String>| value.unwrap_or_default();
    while depth > 0 {
        let tag = match xml.next()? {
            XmlItem::Open(tag) => tag,
            XmlItem::Close => {
                depth -= 1;
                continue;
            }
            XmlItem::Text(_) | XmlItem::Nothing | XmlItem::EndOfFile => continue,
        };
        match (depth, tag.name()) {
            (1, "size") => {
                let sizes = tag.attributes(["places", "transitions", "arcs"])?;
                tree.sizes.push(sizes.map(text_or_empty));
                xml.skip()?;
            }
            (1, "structure") => {
                let structure = tag.attributes(["units", "root", "safe"])?;
                [tree.count, tree.root, tree.safe] = structure.map(text_or_empty);
                tree.structures += 1;
                depth += 1;
            }
            (2, "unit") => {
                let [id] = tag.attributes(["id"])?.map(text_or_empty);
                tree.units.push(UnitText { id, ..UnitText::default() });
                depth += 1;
            }
            (3, list @ ("places" | "subunits")) => {
                let are_places = list == "places";
                let mut ids = String::from(" ");
                xml.text_after(&mut ids)?;
                // Inside a unit, the list of units has a last element.
                if let Some(unit) = tree.units.last_mut() {
                    let list = if are_places { &mut unit.places } else { &mut unit.subunits };
                    list.push_str(&ids);
                }
            }
            _ => xml.skip()?,
        }
    }
    Ok(tree)
}

impl UnitTree {
    /// Returns the units over the places of `graph` if the whole section is valid.
    pub(super) fn check(self, graph: &PnmlGraph) -> Result<Units, NupnError> {
        let builder = &graph.builder.core;
        let actual_counts = [builder.place_count(), graph.transitions, graph.arcs];
        let what = ["places", "transitions", "arcs"];
        for sizes in self.sizes {
            for ((stated, actual_count), what) in sizes.into_iter().zip(actual_counts).zip(what) {
                if digits(&stated) != Some(actual_count) {
                    let stated = if stated.is_empty() { "no number of".to_owned() } else { stated };
                    return Err(NupnError::Size { what, stated, found: actual_count });
                }
            }
        }
        if self.structures != 1 {
            return Err(NupnError::NotOneStructure);
        }
        if digits(&self.count) != Some(self.units.len()) {
            let stated = if self.count.is_empty() { "no number of".to_owned() } else { self.count };
            return Err(NupnError::UnitCount { stated, found: self.units.len() });
        }
        let safe = match &*self.safe {
            "true" => true,
            "false" => false,
            _ => return Err(NupnError::Safe(self.safe)),
        };
        let mut named: HashMap<&str, usize> = HashMap::with_capacity(self.units.len());
        for (index, unit) in self.units.iter().enumerate() {
            if named.insert(&unit.id, index).is_some() {
                return Err(NupnError::DuplicateUnit(unit.id.clone()));
            }
        }
        let Some(&root) = named.get(self.root.as_str()) else {
            return Err(NupnError::NoRoot(self.root.clone()));
        };
        let mut units = Vec::with_capacity(self.units.len());
        for unit in &self.units {
            let unknown = |place: &str| NupnError::UnknownPlace {
                unit: unit.id.clone(),
                place: place.to_owned(),
            };
            let place = |id: &str| match builder.node(id) {
                Some(NetNode::Place(place)) => Ok(place),
                _ => Err(unknown(id)),
            };
            let mut places: Vec<PlaceId> =
                words(&unit.places).map(place).collect::<Result<_, _>>()?;
            places.sort_unstable();
            units.push(Unit { name: unit.id.as_str().into(), places, parent: None });
        }
        for (index, unit) in self.units.iter().enumerate() {
            for sub in words(&unit.subunits) {
                let Some(&child) = named.get(sub) else {
                    let unit = unit.id.clone();
                    return Err(NupnError::UnknownUnit { unit, sub: sub.to_owned() });
                };
                if units[child].parent.replace(UnitId::new(index)).is_some() {
                    return Err(NupnError::TwoParents(sub.to_owned()));
                }
            }
        }
        let initial = builder.initial();
        let name = |place| builder.place_name(place);
        Ok(Units::new(units, UnitId::new(root), safe, &initial, name)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::TextPosition;

    const SIZE: &str = "<size places='3' transitions='1' arcs='0'/>";

    fn checked(nupn: &str) -> Result<Units, String> {
        let mut graph = PnmlGraph::new("f");
        for (id, tokens) in [("a", 1), ("b", 0), ("c", 0)] {
            graph.place(id, tokens, None, TextPosition::START).unwrap();
        }
        graph.transition("t", None, TextPosition::START).unwrap();
        let text = format!("<toolspecific tool='nupn'>{nupn}</toolspecific>");
        let mut xml = XmlReader::new(text.as_bytes(), "f").unwrap();
        assert!(matches!(xml.next(), Ok(XmlItem::Open(_))));
        read(&mut xml).unwrap().check(&graph).map_err(|problem| problem.to_string())
    }

    fn structure(head: &str, units: &str) -> Result<Units, String> {
        checked(&format!("{SIZE}<structure {head}>{units}</structure>"))
    }

    #[test]
    fn lists_over_several_lines_and_empty_ones_make_a_tree() {
        let units = structure(
            "units='2' root='r' safe='true'",
            "<unit id='r'><places/><subunits>\n u \n</subunits></unit>
             <unit id='u'><places>c\n\ta b</places><subunits/></unit>",
        )
        .unwrap();
        assert!(units.safe_from().is_some());
        assert_eq!(&*units.get(units.root()).name, "r");
        let inner = units.get(units.unit_of(PlaceId::new(2)));
        assert_eq!(inner.places, [0, 1, 2].map(PlaceId::new));
        assert_eq!(inner.parent, Some(units.root()));
    }

    #[test]
    fn everything_wrong_is_named() {
        let all = "<unit id='r'><places>a b c</places></unit>";
        let problem = |head: &str, units: &str| structure(head, units).unwrap_err();
        assert_eq!(
            problem("units='2' root='r' safe='true'", all),
            "`<structure>` states 2 units, but it has 1"
        );
        assert_eq!(
            problem("units='1' root='s' safe='true'", all),
            "the root unit `s` is not declared"
        );
        assert_eq!(
            problem("units='2' root='r' safe='true'", &all.repeat(2)),
            "two units have the id `r`"
        );
        assert_eq!(
            problem("units='1' root='r' safe='true'", "<unit id='r'><places>a x</places></unit>"),
            "unit `r` lists `x`, but the net has no such place"
        );
        assert_eq!(
            problem("units='1' root='r' safe='true'", "<unit id='r'><places>t</places></unit>"),
            "unit `r` lists `t`, but the net has no such place"
        );
        assert_eq!(
            problem("units='1' root='r' safe='true'", "<unit id='r'><subunits>u</subunits></unit>"),
            "unit `r` lists the sub-unit `u`, which is not declared"
        );
        assert_eq!(
            problem(
                "units='2' root='r' safe='true'",
                "<unit id='r'><subunits>u u</subunits></unit><unit id='u'/>"
            ),
            "unit `u` is a sub-unit twice"
        );
        assert_eq!(
            problem("units='1' root='r' safe='true'", "<unit id='r'><places>a b</places></unit>"),
            "place `c` is in no unit"
        );
        let said = |attributes: &str| {
            checked(&format!("<size {attributes}/><structure root='r'/>")).unwrap_err()
        };
        assert_eq!(said("places='4'"), "`<size>` states 4 places, but the net has 3");
        assert_eq!(
            said("places='3' transitions='1'"),
            "`<size>` states no number of arcs, but the net has 0"
        );
        for safe in ["", " safe=' true '", " safe='yes'"] {
            let problem = problem(&format!("units='1' root='r'{safe}"), all);
            assert!(problem.starts_with("safe is `"), "{problem}");
        }
        let structure = format!("<structure units='1' root='r' safe='true'>{all}</structure>");
        assert!(checked(&structure).is_ok());
        assert_eq!(
            checked(&structure.repeat(2)).unwrap_err(),
            "expected exactly one `<structure>`"
        );
    }
}
