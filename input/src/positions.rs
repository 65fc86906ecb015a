//! The positions of nodes in a PNML file. Positions have no meaning, so the readers of nets skip
//! them. Drawing a net reads the file once more.

use super::error::InputError;
use super::xml::{XmlItem, XmlReader};
use std::collections::HashMap;
use std::io::BufRead;
use std::path::Path;

/// Reads the positions of places and transitions, by id, as far as the file has them. The x
/// coordinate points right, and the y coordinate down.
///
/// # Errors
/// When the file cannot be read, or is not PNML.
pub fn read_positions(path: &Path) -> Result<HashMap<String, (f64, f64)>, InputError> {
    let (reader, file) = super::open(path)?;
    read_positions_from(reader, &file)
}

/// Reads positions from `reader`, as [`read_positions`] does. Messages use `name` for the file.
///
/// # Errors
/// The errors of [`read_positions`].
pub fn read_positions_from(
    reader: impl BufRead,
    name: &str,
) -> Result<HashMap<String, (f64, f64)>, InputError> {
    let mut xml = XmlReader::new(reader, name)?;
    xml.root("pnml")?;
    let mut positions = HashMap::new();
    // The id of the open node, and the number of open elements inside the node. The position of a
    // node is in its own graphics, not in the graphics of its labels.
    let mut node: Option<(String, usize)> = None;
    // True inside the `<graphics>` of the open node.
    let mut is_in_graphics = false;
    loop {
        match xml.next()? {
            XmlItem::EndOfFile => return Ok(positions),
            XmlItem::Open(tag) => match &mut node {
                None if matches!(tag.name(), "place" | "transition") => {
                    let [id] = tag.attributes(["id"])?;
                    node = id.map(|id| (id, 0));
                }
                None => {}
                Some((id, depth)) => {
                    *depth += 1;
                    match (*depth, tag.name()) {
                        (1, "graphics") => is_in_graphics = true,
                        (2, "position") if is_in_graphics => {
                            let number = |text: Option<String>| text?.trim().parse::<f64>().ok();
                            let [x, y] = tag.attributes(["x", "y"])?.map(number);
                            if let (Some(x), Some(y)) = (x, y)
                                && x.is_finite()
                                && y.is_finite()
                            {
                                positions.insert(id.clone(), (x, y));
                            }
                        }
                        _ => {}
                    }
                }
            },
            XmlItem::Close => match &mut node {
                Some((_, 0)) => node = None,
                Some((_, depth)) => {
                    *depth -= 1;
                    is_in_graphics &= *depth > 0;
                }
                None => {}
            },
            XmlItem::Text(_) | XmlItem::Nothing => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_of_nodes_and_not_of_labels() {
        let pnml = "<pnml><net id='n'><page id='g'>\
            <place id='p'><name><graphics><position x='9' y='9'/></graphics><text>a</text></name>\
            <graphics><position x='1.5' y='-2'/></graphics></place>\
            <transition id='t'><graphics><position x='oops' y='2'/></graphics></transition>\
            <arc id='a' source='p' target='t'><graphics><position x='3' y='3'/></graphics></arc>\
            </page></net></pnml>";
        let found = read_positions_from(pnml.as_bytes(), "test").unwrap();
        assert_eq!(found, HashMap::from([("p".to_owned(), (1.5, -2.0))]));
    }
}
