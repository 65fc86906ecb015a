//! The PNML reader on the output of other tools, and its error messages.

use parikh::input::{InputError, read_net, read_net_from};
use parikh_net::{Net, text};
use std::path::Path;

fn read(file: &str) -> Result<Net, InputError> {
    read_net_from(file.as_bytes(), "m.pnml")
}

/// Returns the net with this content, in the textual format.
fn net(content: &str) -> String {
    let file = format!("<pnml>\n<net id='n'>\n{content}\n</net></pnml>");
    text::print(&read(&file).unwrap())
}

/// Returns the error message for a net with this content, which begins in line 3.
fn problem(content: &str) -> String {
    let file = format!("<pnml>\n<net id='n'>\n{content}\n</net></pnml>");
    read(&file).unwrap_err().to_string()
}

const PLAIN: &str = "net n\nplace p 1\nplace q\ntransition t: p -> 2*q\n";

const NODES: &str = "<place id='p'><initialMarking><text>1</text></initialMarking></place>
    <place id='q'/><transition id='t'/>";

const ARCS: &str = "<arc id='a' source='p' target='t'/>
    <arc id='b' source='t' target='q'><inscription><text>2</text></inscription></arc>";

#[test]
fn a_file_of_the_contest_is_read() {
    let file = r#"<?xml version="1.0" encoding="UTF-8"?>
        <!-- made by hand -->
        <pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
        <net id="n" type ="http://www.pnml.org/version-2009/grammar/ptnet">
          <page id="page">
            <name><text>a page</text></name>
            <place id="p">
              <name><graphics><offset x="1" y="2"/></graphics><text>the  place</text></name>
              <graphics><position x="1" y="2"/></graphics>
              <initialMarking>
                <graphics><offset x="1" y="2"/></graphics>
                <text> 1
                </text>
                <toolspecific tool="x" version="1"><text>7</text></toolspecific>
              </initialMarking>
            </place>
            <place id="q"><name><text>q</text></name></place>
            <transition id="t"/>
            <arc id="a" source="p" target="t" type="normal"/>
            <arc id="b" source="t" target="q"><inscription><text>2</text></inscription></arc>
            <toolspecific tool="Tina" version="1"><size>3</size></toolspecific>
          </page>
          <name><text>after the page</text></name>
        </net></pnml>"#;
    let net = read(file).unwrap();
    assert_eq!(text::print(&net), PLAIN);
    let label = |name| net.place_label(net.place_named(name).unwrap());
    assert_eq!((label("p"), label("q")), (Some("the  place"), None));
    assert!(net.units().is_none());
}

#[test]
fn nested_pages_and_missing_pages_give_the_same_net() {
    assert_eq!(net(&format!("{NODES}{ARCS}")), PLAIN);
    let split = format!("<page id='1'>{NODES}<page id='2'/><page id='3'>{ARCS}</page></page>");
    assert_eq!(net(&split), PLAIN);
}

#[test]
fn arcs_and_references_may_precede_their_nodes() {
    let content = format!(
        "<page id='1'>
           <arc id='a' source='p3' target='t'/>
           <arc id='b' source='t1' target='q'><inscription><text>2</text></inscription></arc>
           <referencePlace id='p3' ref='p2'><graphics/></referencePlace>
           <referencePlace id='p2' ref='p'/>
           <referenceTransition id='t1' ref='t'/>
         </page><page id='2'>{NODES}</page>"
    );
    assert_eq!(net(&content), PLAIN);
}

#[test]
fn prefixes_do_not_matter() {
    let file = "<x:pnml xmlns:x='a'><x:net id='n'><x:place id='p'><x:initialMarking><x:text>1\
        </x:text></x:initialMarking></x:place></x:net></x:pnml>";
    assert_eq!(text::print(&read(file).unwrap()), "net n\nplace p 1\n");
}

#[test]
fn parallel_arcs_add_up() {
    let arcs = "<arc source='t' target='q'/>".repeat(2);
    let content = format!("{NODES}<arc id='a' source='p' target='t'/>{arcs}");
    assert_eq!(net(&content), PLAIN);
}

#[test]
fn numbers_stand_in_entities_cdata_value_or_alone() {
    for text in [
        "<text>&#49;&#x32;</text>",
        "<text>1<![CDATA[2]]></text>",
        "<text>\n 12 <!-- twelve --></text>",
        "<value>12</value>",
        "12",
    ] {
        let content = format!("<place id='p'><initialMarking>{text}</initialMarking></place>");
        assert_eq!(net(&content), "net n\nplace p 12\n", "{text}");
    }
    let empty = "<place id='p'><initialMarking><text/></initialMarking></place>";
    assert_eq!(net(empty), "net n\nplace p\n");
}

#[test]
fn entities_stand_in_ids_and_names() {
    let content = "<place id='a&amp;b'><name><text>x &lt; y</text></name></place>";
    let file = format!("<pnml><net id='n'>{content}</net></pnml>");
    let net = read(&file).unwrap();
    let place = net.place_named("a&b").unwrap();
    assert_eq!(net.place_label(place), Some("x < y"));
}

#[test]
fn encodings_and_byte_order_marks_are_understood() {
    let body = b"<pnml><net id='n'><place id='caf\xe9'/></net></pnml>";
    let latin = [&b"<?xml version='1.0' encoding='ISO-8859-1'?>"[..], body].concat();
    let expected = "net n\nplace café\n";
    assert_eq!(text::print(&read_net_from(&latin[..], "m").unwrap()), expected);
    let marked = "\u{feff}<pnml><net id='n'><place id='café'/></net></pnml>";
    assert_eq!(text::print(&read(marked).unwrap()), expected);
    let not_utf_8 = read_net_from(&body[..], "m").unwrap_err().to_string();
    assert!(not_utf_8.starts_with("m:1:19: malformed XML: cannot decode"), "{not_utf_8}");
}

#[test]
fn the_largest_numbers_of_the_contest_and_of_the_format_fit() {
    for tokens in ["4000000000", "9223372036854775807"] {
        let content =
            format!("<place id='p'><initialMarking><text>{tokens}</text></initialMarking></place>");
        assert_eq!(net(&content), format!("net n\nplace p {tokens}\n"));
    }
}

#[test]
fn sound_units_are_kept_and_unsound_ones_left_out() {
    let units = |places: usize, safe: bool, list: &str| {
        let nupn = format!(
            "<toolspecific tool='nupn' version='1.1'>
               <size places='{places}' transitions='1' arcs='2'/>
               <structure units='2' root='r' safe='{safe}'>
                 <unit id='r'><places/><subunits>u</subunits></unit>
                 <unit id='u'><places>{list}</places><subunits/></unit>
               </structure></toolspecific>"
        );
        let file = format!("<pnml><net id='n'><page>{nupn}{NODES}{ARCS}</page></net></pnml>");
        let net = read(&file).unwrap();
        assert_eq!(text::print(&net), PLAIN);
        net.units().map(|units| (units.len(), units.safe_from().is_some()))
    };
    assert_eq!(units(2, true, "p\nq"), Some((2, true)));
    assert_eq!(units(2, false, " q p "), Some((2, false)));
    assert_eq!(units(3, true, "p q"), None);
    assert_eq!(units(2, true, "p"), None);
    assert_eq!(units(2, true, "p q p"), None);
    assert_eq!(units(2, true, "p q t"), None);
}

#[test]
fn the_reader_of_plain_nets_knows_coloured_ones_by_their_first_sign() {
    let address = "http://www.pnml.org/version-2009/grammar/symmetricnet";
    let file = format!("<pnml>\n <net id='n' type='{address}'>this is not even read");
    assert_eq!(
        read(&file).unwrap_err().to_string(),
        format!(
            "m.pnml:2:2: this is a coloured net (found the net type `{address}`), expected a \
             place/transition net"
        )
    );
    for content in [
        "<declaration><structure/></declaration>",
        "<place id='p'><hlinitialMarking/></place>",
        "<place id='p'><type><structure/></type></place>",
        "<transition id='p'><condition><structure/></condition></transition>",
        "<arc source='p' target='t'><hlinscription/></arc>",
    ] {
        let problem = problem(content);
        assert!(problem.contains(": this is a coloured net (found "), "{problem}");
    }
    assert_eq!(net("<declaration><text> </text></declaration>"), "net n\n");
}

#[test]
fn arcs_of_no_known_type_are_refused_by_name() {
    for (attribute, child) in [
        (" type='transport'", ""),
        ("", "<type value='transport'/>"),
        ("", "<arctype><text>transport</text></arctype>"),
    ] {
        let arc = format!("<arc id='a' source='p' target='t'{attribute}>{child}</arc>");
        let problem = problem(&format!("{NODES}\n{arc}"));
        assert!(
            problem.contains(": arc `a` has the type `transport`, expected `normal`"),
            "{problem}"
        );
    }
    let same = "<arc source='p' target='t'><type value='normal'/></arc>";
    assert!(net(&format!("{NODES}{same}")).contains("transition t: p ->"));
}

#[test]
fn arcs_that_test_or_empty_are_read_in_every_spelling() {
    for (attribute, child, is) in [
        (" type='inhibitor'", "", "co(p) -> co(p)"),
        (" type='Inhibitor'", "", "co(p) -> co(p)"),
        ("", "<type value='inhibitor'/>", "co(p) -> co(p)"),
        ("", "<arctype><text>inhibitor</text></arctype>", "co(p) -> co(p)"),
        (" type='read'", "", "p -> p"),
        (" type='test'", "", "p -> p"),
        ("", "<arctype><text>reset</text></arctype>", "t[p=1]: p ->"),
    ] {
        let arc = format!("<arc id='a' source='p' target='t'{attribute}>{child}</arc>");
        let net = net(&format!("{NODES}\n{arc}"));
        assert!(net.contains(is), "{arc}\n{net}");
    }
    for (arc, expected) in [
        ("<arc id='a' source='t' target='p' type='inhibitor'/>", "lead from a place"),
        (
            "<arc id='a' source='p' target='t' type='inhibitor'><type value='reset'/></arc>",
            "second `<type>`",
        ),
        (
            "<arc id='a' source='p' target='t'><inscription><text>2</text></inscription>\
             <arctype><text>inhibitor</text></arctype></arc>",
            "tools disagree",
        ),
    ] {
        let problem = problem(&format!("{NODES}\n{arc}"));
        assert!(problem.contains(expected), "{problem}");
    }
}

#[test]
fn unsupported_elements_with_a_meaning_are_refused() {
    assert_eq!(
        problem("<place id='p'><capacity><value>3</value></capacity></place>"),
        "m.pnml:3:15: the capacity `3` of place `p` is not supported; express it by a \
         complementary place"
    );
    assert_eq!(
        net("<place id='p'><capacity><value>0</value></capacity></place>"),
        "net n\nplace p\n"
    );
    assert_eq!(
        problem("<place id='p' initialMarking='3'/>"),
        "m.pnml:3:1: an attribute `initialMarking` is not supported; it is unknown here: correct \
         its name, or export the net as standard PNML"
    );
    let arc = |attribute: &str, inside: &str| {
        problem(&format!("{NODES}\n<arc source='p' target='t'{attribute}>{inside}</arc>"))
    };
    for (problem, found) in [
        (problem("<place id='p' capacity='0'/>"), "an attribute `capacity`"),
        (problem("<place id='p'><initialMarking value='3'/></place>"), "an attribute `value`"),
        (problem("<place id='p'><inscription/></place>"), "an element `inscription`"),
        (problem("<transition id='t' priority='1'/>"), "an attribute `priority`"),
        (
            problem("<transition id='t'/><transition id='u'><priority/></transition>"),
            "the `priority` or `timed` of transition `u`, other than before,",
        ),
        (problem("<page tokens='3'/>"), "an attribute `tokens`"),
        (problem("<inhibitorArc source='p' target='t'/>"), "an element `inhibitorArc`"),
        (arc(" weight='2'", ""), "an attribute `weight`"),
        (arc(" inscription='2'", ""), "an attribute `inscription`"),
        (arc("", "<multiplicity/>"), "an element `multiplicity`"),
        (problem("<transition id='t'><delay/></transition>"), "the `delay` of transition `t`"),
        (problem("<transition id='t'><timing><x/></timing></transition>"), "an element `timing`"),
        (problem("<transition id='t'><k><interval/></k></transition>"), "an element `k`"),
        (problem("<k><l><uplink/></l></k>"), "an element `k`"),
        // Misspelt or misplaced elements are errors, because ignoring them would lose information.
        (
            problem("<place id='p'><initialMarkin><text>1</text></initialMarkin></place>"),
            "an element `initialMarkin`",
        ),
        (problem("<place id='p'><tokens><text>1</text></tokens></place>"), "an element `tokens`"),
        (problem("<Place id='p'/>"), "an element `Place`"),
        (problem("<group><place id='p'/></group>"), "an element `group`"),
        (problem("<place id='p'><place id='q'/></place>"), "an element `place`"),
        (arc("", "<kind value='inhibitor'/>"), "an element `kind`"),
        (arc("", "<type id='inhibitor'/>"), "an empty type of arc `p -> t`"),
        (problem("<x:place id='p' xmlns:x='urn:x'/>"), "an element `x:place` of another language"),
        (problem("<place id='p' xmlns='urn:x'/>"), "an attribute `xmlns`"),
        (problem("<transition id='t' player='1'/>"), "an attribute `player`"),
        (problem("<transition id='t' urgent='true'/>"), "an attribute `urgent`"),
        (
            problem("<transition id='t'><condition><text>x &gt; 2</text></condition></transition>"),
            "the guard `x > 2` of transition `t`",
        ),
        (
            arc("", "<inscription><value>[0,inf)</value></inscription>"),
            "the weight of arc `p -> t` with the time interval `[0,inf)`",
        ),
    ] {
        assert!(problem.contains(&format!(": {found} is not supported")), "{problem}");
    }
    let drawn = "<place id='p' name='p' x:weight='2' xmlns:x='y'/><labels/>
        <transition id='t'><rate/><label><text>a</text></label></transition>";
    assert_eq!(net(drawn), "net n\nplace p\ntransition t:  ->\n");
    let of_no_game =
        "<transition id='t' player='0' urgent='false'/><place id='p' isStatic='false'/>";
    assert_eq!(net(of_no_game), "net n\nplace p\ntransition t:  ->\n");
    let cut = "<place id='p'><initialMarking><text>1<x/>2</text></initialMarking></place>";
    assert!(problem(cut).contains("a second `<text>`"));
    // Tool-specific data may contain any words.
    let of_a_tool = "<place id='p'><toolspecific tool='w'><time>0</time></toolspecific>
        <name><text>p</text><graphics><delay/></graphics></name></place>";
    assert_eq!(net(of_a_tool), "net n\nplace p\n");
}

#[test]
fn types_of_plain_nets_are_known_and_others_are_refused() {
    let of =
        |kind: &str| read(&format!("<pnml><net id='n' type='{kind}'><place id='p'/></net></pnml>"));
    for kind in [
        "",
        "P/T net",
        "ptNet",
        "http://www.pnml.org/version-2009/grammar/ptnet",
        "http://www.pnml.org/version-2009/grammar/pnmlcoremodel",
        "http://www.informatik.hu-berlin.de/top/pntd/ptNetb",
        "http://www.yasper.org/specs/epnml-1.1",
    ] {
        assert_eq!(of(kind).map(|net| net.place_count()).unwrap(), 1, "{kind}");
    }
    for kind in ["RefNet", "timednet", "http://www.pnml.org/version-2009/grammar/pt-prio"] {
        let problem = of(kind).unwrap_err().to_string();
        assert!(problem.contains(&format!("the net type `{kind}` is not supported")), "{problem}");
    }
}

#[test]
fn text_outside_of_labels_is_refused() {
    for content in [
        "3",
        "<page>3</page>",
        "<place id='p'>3</place>",
        "<place id='p'/><finalmarkings><marking>3</marking></finalmarkings>",
    ] {
        let problem = problem(content);
        assert!(problem.contains("found the text `3` where no text is expected"), "{problem}");
    }
    // Harmless mistakes of other tools.
    assert_eq!(net("<page>></page> $\n > "), "net n\n");
    for label in ["3<text>1</text>", "<text>1</text>3"] {
        let twice =
            problem(&format!("<place id='p'><initialMarking>{label}</initialMarking></place>"));
        assert!(twice.contains("initial marking of place `p`"), "{twice}");
    }
    for label in ["<structure>3</structure>", "<tokens>3</tokens>", "<text>+3</text>"] {
        let bad =
            problem(&format!("<place id='p'><initialMarking>{label}</initialMarking></place>"));
        assert!(bad.contains("initial marking of place `p`"), "{bad}");
    }
}

#[test]
fn broken_nets_are_located_and_named() {
    let arc = |arc: &str| problem(&format!("{NODES}\n{arc}"));
    assert_eq!(
        arc("<arc id='a' source='x' target='t'/>"),
        "m.pnml:5:1: arc `a` is connected to `x`, but no place or transition has this id"
    );
    assert_eq!(
        arc("<arc source='p' target='q'/>"),
        "m.pnml:5:1: arc `p -> q` goes from `p` to `q`, both places, expected a place and a \
         transition"
    );
    assert_eq!(arc("<arc id='a' source='p'/>"), "m.pnml:5:1: `<arc>` has no attribute `target`");
    assert_eq!(arc("<place id='t'/>"), "m.pnml:5:1: the id `t` is used by two nodes");
    assert_eq!(
        arc("<referencePlace id='p' ref='q'/>"),
        "m.pnml:5:1: the id `p` is used by two nodes"
    );
    assert_eq!(problem("<place id=''/>"), "m.pnml:3:1: a node has an empty id");
    assert_eq!(problem("<place/>"), "m.pnml:3:1: `<place>` has no attribute `id`");
    assert_eq!(
        problem("<referencePlace id='r' ref='s'/><referencePlace id='s' ref='r'/>"),
        "m.pnml:3:1: the reference `r` refers to itself, directly or through other references"
    );
    assert_eq!(
        problem("<referencePlace id='r' ref='x'/>"),
        "m.pnml:3:1: the reference `r` refers to `x`, but this net has no place with this id"
    );
    assert_eq!(
        problem("<transition id='t'/>\n<referencePlace id='r' ref='t'/>"),
        "m.pnml:4:1: the reference `r` refers to `t`, but this net has no place with this id"
    );
}

#[test]
fn wrong_numbers_are_located_and_named() {
    for bad in ["-3", "9223372036854775808", "99999999999999999999999", "1.5", "Default"] {
        let content =
            format!("<place id='p'>\n<initialMarking><text>{bad}</text></initialMarking></place>");
        assert_eq!(
            problem(&content),
            format!(
                "m.pnml:4:1: initial marking of place `p`: found `{bad}`, expected a whole number \
                 from 0 to 2^63 - 1"
            )
        );
    }
    let arc = "<arc id='a' source='p' target='t'><inscription><text>0</text></inscription></arc>";
    assert_eq!(
        problem(&format!("{NODES}\n{arc}")),
        "m.pnml:5:35: weight of arc `a`: found `0`, expected a whole number from 1 to 2^63 - 1"
    );
    let marking = "<initialMarking><text>1</text></initialMarking>";
    assert_eq!(
        problem(&format!("<place id='p'>{marking}\n{marking}</place>")),
        "m.pnml:4:1: place `p` has a second `<initialMarking>`, expected at most one"
    );
    let heavy = "<arc source='p' target='t'><inscription><text>9223372036854775807</text>\
        </inscription></arc>";
    assert_eq!(
        problem(&format!("{NODES}{heavy}{heavy}")),
        "m.pnml:2:1: the arcs between `p` and `t` together weigh more than 2^63 - 1"
    );
    let texts =
        "<place id='p'><initialMarking><text>1</text><text>2</text></initialMarking></place>";
    assert_eq!(
        problem(texts),
        "m.pnml:3:15: initial marking of place `p` has a second `<text>`, expected at most one"
    );
    let same =
        "<place id='p'><initialMarking><text>1</text><value>1</value></initialMarking></place>";
    assert_eq!(net(same), "net n\nplace p 1\n");
}

#[test]
fn files_without_a_net_are_refused_with_the_reason() {
    let problem = |file: &str| read(file).unwrap_err().to_string();
    let empty = "m.pnml: the file has no content, expected an element `<pnml>`";
    assert_eq!(problem(""), empty);
    assert_eq!(problem("<?xml version='1.0'?>\n<!-- nothing -->\n"), empty);
    assert_eq!(
        problem("\n<html><body/></html>"),
        "m.pnml:2:1: found `<html>`, expected `<pnml>`; is this the right file?"
    );
    assert_eq!(
        problem("net n\nplace p 1"),
        "m.pnml:1:1: found the text `net n`, expected `<pnml>`; is this the right file?"
    );
    assert_eq!(
        problem("<pnml/>"),
        "m.pnml: no `<net>` in the file, expected one right inside `<pnml>`"
    );
    assert_eq!(
        problem("<pnml><net/>\n<net/></pnml>"),
        "m.pnml:2:1: a second `<net>` begins here, expected one net per file; split the file"
    );
    assert_eq!(
        problem("<pnml><net>\n<place id='p'>"),
        "m.pnml:2:15: malformed XML: the file ends, but 3 elements are still open; was it cut off?"
    );
    assert_eq!(
        problem("<pnml><net>\n <place id='p'></net></pnml>"),
        "m.pnml:2:16: malformed XML: ill-formed document: expected `</place>`, but `</net>` was \
         found"
    );
}

#[test]
fn directories_and_missing_files_have_different_errors() {
    let directory = tempfile::tempdir().unwrap();
    let shown = directory.path().display();
    assert_eq!(
        read_net(directory.path()).unwrap_err().to_string(),
        format!("{shown}: this is a directory, expected an XML file")
    );
    let missing = read_net(&directory.path().join("m.pnml")).unwrap_err().to_string();
    assert!(missing.starts_with(&format!("{shown}/m.pnml: cannot be read: ")), "{missing}");
    assert!(read_net(Path::new("")).is_err());
}

#[test]
fn deep_nesting_costs_no_stack() {
    let pages = "<page>".repeat(100_000) + NODES + &"</page>".repeat(100_000);
    assert!(net(&pages).contains("place p 1"));
    let other = "<x>".repeat(100_000) + &"</x>".repeat(100_000);
    let of_a_tool = format!("<toolspecific tool='x'>{other}</toolspecific>{NODES}");
    assert!(net(&of_a_tool).contains("place p 1"));
}

#[test]
fn final_markings_are_written_as_they_are_read() {
    let file = "<pnml><net id='n'><page id='g'><place id='p'/><place id='q'/></page><finalmarkings>
        <marking><place idref='q'><text>2</text></place></marking><marking><place idref='p'><text>1</text></place></marking></finalmarkings></net></pnml>";
    let net = read(file).unwrap();
    assert_eq!(net.final_markings().len(), 2);
    let again = read(&parikh_net::pnml::pnml(&net)).unwrap();
    assert_eq!(again.final_markings(), net.final_markings());
}

#[test]
fn labels_of_tina_and_player_0_of_tapaal_are_ignored() {
    let net = |player: &str| {
        format!(
            "<pnml><net id='n' type='http://www.laas.fr/tina/tpn'><place id='p'><label><text>l</text>\
             </label></place><transition id='t'>{player}<label><text>l</text></label></transition>\
             <arc source='p' target='t'/></net></pnml>"
        )
    };
    let plain = "net n\nplace p\ntransition t: p ->";
    for player in ["", "<player><value>0</value></player>"] {
        crate::languages::is("n", &net(player), plain, &[]);
    }
    for player in ["<player><value>1</value></player>", "<player/>"] {
        let problem = crate::languages::read("n", net(player)).unwrap_err();
        assert!(problem.contains("of transition `t` is not supported"), "{problem}");
        assert!(problem.contains("a game of TAPAAL"), "{problem}");
    }
}

#[test]
fn data_petri_nets_are_named() {
    for inside in [
        "<transition id='t' guard='x &gt; 1'/>",
        "<variables><variable/></variables>",
        "<transition id='t'><readVariable>x</readVariable></transition>",
    ] {
        let file = format!("<pnml><net id='n'><place id='p'/>{inside}</net></pnml>");
        let problem = crate::languages::read("n", file).unwrap_err();
        assert!(problem.contains("it belongs to a data Petri net"), "{problem}");
    }
}
