//! Reads markings from the command line, such as `end` or `p + 2*"odd name"`.

use super::names::{NameNotation, NamedNodeKind, ids_of_name};
use parikh_net::printable::Quoted;
use parikh_net::{Marking, Mention, Net, marking_text};

/// Reads a marking of `net`. Places are named as in formulas, but each name must denote one place.
///
/// # Errors
/// When the text is not a sum of places, or a name denotes no place or more than one.
pub fn marking(net: &Net, text: &str) -> Result<Marking, String> {
    marking_text::parse_with(text, net, |name, mention| {
        let notation = match mention {
            Mention::Id => NameNotation::Id,
            Mention::Word => NameNotation::Bare,
            Mention::Name => NameNotation::Quoted,
        };
        match &ids_of_name(net, NamedNodeKind::Places, name, notation)?[..] {
            [id] => {
                let unknown = || format!("the net has no place {}", Quoted(name));
                net.place_named(id).ok_or_else(unknown)
            }
            ids => Err(format!("{} is the label of {} places", Quoted(name), ids.len())),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::NetBuilder;

    #[test]
    fn places_are_named_as_in_formulas() {
        let mut builder = NetBuilder::new("n");
        for (id, label) in [("start", "begin"), ("p1", "start"), ("p2", "end"), ("p3", "end")] {
            let place = builder.place(id, 0).unwrap();
            builder.label_place(place, label);
        }
        let net = builder.build().unwrap();
        let tokens = |text: &str| marking(&net, text).map(|read| read.tokens().to_vec());
        assert_eq!(tokens("start"), Ok(vec![1, 0, 0, 0]));
        assert_eq!(tokens("2*\"start\" + id \"p2\""), Ok(vec![0, 2, 1, 0]));
        assert_eq!(tokens("begin + p3"), Ok(vec![1, 0, 0, 1]));
        for wrong in ["end", "\"end\"", "id \"end\"", "id \"begin\"", "x"] {
            assert!(tokens(wrong).is_err(), "{wrong}");
        }
    }
}
