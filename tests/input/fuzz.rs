//! Readers on arbitrary bytes: a result or an error, without panics, overflows or endless loops.

use crate::support::scale::cases;
use parikh::formula::lower;
use parikh::input::{read_net_from, read_queries_from};
use parikh_net::{Net, text};
use proptest::prelude::*;

const PNML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="ptnet"><page id="1">
<place id="p"><name><text>a &lt; b</text></name><initialMarking><text>1</text></initialMarking></place>
<place id="q"/><referencePlace id="r" ref="q"/><transition id="t"><name><text><![CDATA[t]]></text></name></transition>
<arc id="a" source="p" target="t" type="normal"/><arc id="b" source="t" target="r"><inscription><text>2</text></inscription></arc>
<toolspecific tool="nupn" version="1.1"><size places="2" transitions="1" arcs="2"/>
<structure units="2" root="u" safe="true"><unit id="u"><places/><subunits>v</subunits></unit>
<unit id="v"><places>p q</places><subunits/></unit></structure></toolspecific></page></net></pnml>"#;

const QUERIES: &str = r#"<?xml version="1.0" encoding="ISO-8859-1"?><!DOCTYPE property-set>
<property-set xmlns="http://mcc.lip6.fr/"><property><id>a</id><description>d</description><formula>
<all-paths><globally><disjunction><integer-le><integer-constant>3</integer-constant><tokens-count>
<place>p</place><place>q</place></tokens-count></integer-le><negation><is-fireable><transition>t</transition>
</is-fireable></negation></disjunction></globally></all-paths></formula></property><property><id>b</id>
<formula><exists-path><until><before><deadlock/></before><reach><true/></reach></until></exists-path></formula>
</property><property><id>c</id><formula><place-bound><place>p</place></place-bound></formula></property></property-set>"#;

const PIECES: [&str; 40] = [
    "<pnml>",
    "</pnml>",
    "<net id='n'>",
    "</net>",
    "<page>",
    "</page>",
    "<place id='p'>",
    "<place id='q'/>",
    "</place>",
    "<transition id='t'/>",
    "<initialMarking>",
    "</initialMarking>",
    "<text>",
    "</text>",
    "1",
    "-1",
    "99999999999999999999",
    "<arc source='p' target='t'/>",
    "<referencePlace id='r' ref='s'/>",
    "<referencePlace id='s' ref='r'/>",
    "<toolspecific tool='nupn'>",
    "</toolspecific>",
    "<structure root='u'>",
    "</structure>",
    "<unit id='u'>",
    "</unit>",
    "<places>p q</places>",
    "<subunits>u</subunits>",
    "<property-set>",
    "</property-set>",
    "<property>",
    "</property>",
    "<id>a</id>",
    "<formula>",
    "</formula>",
    "<negation>",
    "</negation>",
    "<deadlock/>",
    "<!--",
    "-->",
];

fn net() -> Net {
    text::parse("net n\nplace p 1\nplace q\ntransition t: p -> 2*q").unwrap()
}

fn both_readers_survive(bytes: &[u8]) {
    if let Ok(net) = read_net_from(bytes, "fuzz") {
        let _ = text::print(&net);
    }
    let net = net();
    if let Ok(file) = read_queries_from(bytes, "fuzz", &net) {
        let _ = file.cut_short.map(|problem| problem.to_string());
        for query in file.queries {
            let _ = query.formula.map(|formula| lower(&formula, &net));
        }
    }
}

/// An edit of a text: a byte replaced, a range removed, a range duplicated elsewhere, or a piece of
/// XML inserted.
#[derive(Clone, Debug)]
enum Edit {
    Replace(prop::sample::Index, u8),
    Remove(prop::sample::Index, usize),
    Repeat(prop::sample::Index, usize, prop::sample::Index),
    Insert(prop::sample::Index, &'static str),
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let at = any::<prop::sample::Index>;
    let edit = prop_oneof![
        (at(), any::<u8>()).prop_map(|(at, byte)| Edit::Replace(at, byte)),
        (at(), 1..40usize).prop_map(|(at, length)| Edit::Remove(at, length)),
        (at(), 1..80usize, at()).prop_map(|(at, length, to)| Edit::Repeat(at, length, to)),
        (at(), prop::sample::select(&PIECES[..])).prop_map(|(at, piece)| Edit::Insert(at, piece)),
    ];
    prop::collection::vec(edit, 1..5)
}

fn apply(text: &str, edits: &[Edit]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for edit in edits {
        if bytes.is_empty() {
            break;
        }
        match edit {
            Edit::Replace(at, byte) => {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            Edit::Remove(at, length) => {
                let at = at.index(bytes.len());
                bytes.drain(at..(at + length).min(bytes.len()));
            }
            Edit::Repeat(at, length, to) => {
                let at = at.index(bytes.len());
                let piece = bytes[at..(at + length).min(bytes.len())].to_vec();
                let to = to.index(bytes.len());
                bytes.splice(to..to, piece);
            }
            Edit::Insert(at, piece) => {
                let at = at.index(bytes.len());
                bytes.splice(at..at, piece.bytes());
            }
        }
    }
    bytes
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        both_readers_survive(&bytes);
    }

    #[test]
    fn random_bytes_after_a_declaration(
        encoding in "(UTF-8|utf-16|ISO-8859-1|Shift_JIS|gb18030|x)",
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let head = format!("<?xml version='1.0' encoding='{encoding}'?><pnml>");
        both_readers_survive(&[head.as_bytes(), &bytes].concat());
    }

    #[test]
    fn random_markup(text in "[<>/!?&;'\"= a-]{0,60}", before in any::<bool>()) {
        let text = if before { text } else { format!("<pnml>{text}</pnml>") };
        both_readers_survive(text.as_bytes());
    }

    #[test]
    fn random_pieces(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40)) {
        both_readers_survive(pieces.concat().as_bytes());
    }

    #[test]
    fn mutated_nets(edits in edits()) {
        both_readers_survive(&apply(PNML, &edits));
    }

    #[test]
    fn mutated_queries(edits in edits()) {
        both_readers_survive(&apply(QUERIES, &edits));
    }

    #[test]
    fn cut_files(at in any::<prop::sample::Index>()) {
        both_readers_survive(&PNML.as_bytes()[..at.index(PNML.len())]);
        both_readers_survive(&QUERIES.as_bytes()[..at.index(QUERIES.len())]);
    }
}

#[test]
fn the_files_that_are_mutated_are_right() {
    let net = read_net_from(PNML.as_bytes(), "m").unwrap();
    assert!(net.units().is_some());
    let file = read_queries_from(QUERIES.as_bytes(), "q", &net).unwrap();
    assert!(file.cut_short.is_none() && file.queries.len() == 3);
    assert!(file.queries.iter().all(|query| query.formula.is_ok()));
}
