//! The outer structure of PNML files, with both readers: types of nets, modules, several nets.

use crate::languages::{is, read};

const NET: &str = "net n\nplace p 1\nplace q\ntransition t: p -> q";

const INSIDE: &str = "<place id='p'><initialMarking><text>1</text></initialMarking></place>\
                      <place id='q'/><transition id='t'/><arc id='a' source='p' target='t'/>\
                      <arc id='b' source='t' target='q'/>";

/// Returns a PNML net of the type `kind`.
fn net(kind: &str) -> String {
    format!("<net id='n' type='{kind}'>{INSIDE}</net>")
}

#[test]
fn nets_of_prom_5_and_of_lolas_writer_are_place_transition_nets() {
    for kind in [
        "http://www.informatik.hu-berlin.de/top/pnml/basicPNML.rng",
        "http://www.informatik.hu-berlin.de/top/pnml/basicPNML",
        "basicPNML.rng",
        "http://www.informatik.hu-berlin.de/top/pntd/ptNetb",
        "http://www.informatik.hu-berlin.de/top/pnml/ptNetb",
        "http://www.informatik.hu-berlin.de/top/pnml/ptNetb.rng",
        "http://www.pnml.org/version-2009/grammar/pnmlcoremodel",
        "http://www.pnml.org/version-2009/grammar/pnml",
        "PTNet",
        "PT-Net",
        "PetriNet",
        "Petri net",
        "P/T Net",
        "",
    ] {
        for namespace in [
            "",
            "xmlns='http://www.informatik.hu-berlin.de/top/pnml/ptNetb'",
            "xmlns=\"http://www.informatik.hu-berlin.de/top/pnml/basicPNML\"",
            "xmlns='http://www.pnml.org/version-2009/grammar/pnml' xmlns:x='y'",
        ] {
            is("n", &format!("<pnml {namespace}>{}</pnml>", net(kind)), NET, &[]);
        }
    }
    let prefixed = format!("<a:pnml xmlns:a='b'>{}</a:pnml>", net("PTNet"));
    let prefixed = prefixed.replace("</", "</a:").replace("</a:a:", "</a:");
    let prefixed = ["net", "place", "transition", "arc", "initialMarking", "text"].iter().fold(
        prefixed,
        |file, name| {
            file.replace(&format!("<{name} "), &format!("<a:{name} "))
                .replace(&format!("<{name}>"), &format!("<a:{name}>"))
        },
    );
    is("n", &prefixed, NET, &[]);
    for kind in [
        "http://www.x.org/stochasticNet",
        "http://www.x.org/timedNet",
        "http://www.x.org/timed-ptnet",
        "TimedPTNet",
        "stochastic P/T net",
        "EN",
        "x",
    ] {
        let problem = read("n", format!("<pnml>{}</pnml>", net(kind))).unwrap_err();
        assert!(problem.contains(&format!("the net type `{kind}`")), "{problem}");
    }
}

#[test]
fn a_net_in_modules_is_read() {
    let net = net("PTNet");
    for file in [
        format!("<pnml><module>{net}</module></pnml>"),
        format!("<pnml><module id='m' name='x'>{net}</module></pnml>"),
        format!("<pnml><module><module>{net}</module></module></pnml>"),
        format!("<pnml><module/><module>{net}</module><module></module></pnml>"),
        format!("<pnml>{net}<module/></pnml>"),
        format!("<pnml><module><name><text>m</text></name>{net}<toolspecific/></module></pnml>"),
        format!("<pnml><module>\n<!-- x -->{net}<graphics/></module></pnml>"),
        format!("<pnml xmlns='x'><module>{net}</module></pnml>"),
        format!("<?xml version='1.0'?><pnml><module>\n\n{net}\n</module>\n</pnml>"),
        format!("<pnml><toolspecific><a/></toolspecific><module>{net}</module></pnml>"),
    ] {
        is("n", &file, NET, &[]);
    }
    for (inside, expected) in [
        ("<interface/>", "an element `interface` of a `<module>`"),
        ("<place id='z'/>", "an element `place` of a `<module>`"),
        ("<importPlace id='z'/>", "an element `importPlace` of a `<module>`"),
        ("<module><instance/></module>", "an element `instance` of a `<module>`"),
    ] {
        for file in [
            format!("<pnml><module>{inside}{net}</module></pnml>"),
            format!("<pnml><module>{net}{inside}</module></pnml>"),
            format!("<pnml>{net}<module>{inside}</module></pnml>"),
        ] {
            let problem = read("n", &file).unwrap_err();
            assert!(problem.contains(expected), "{problem}");
        }
    }
}

#[test]
fn a_second_net_is_never_passed_over() {
    let net = net("PTNet");
    let hidden = "<net id='m'><place id='z'/></net>";
    for file in [
        format!("<pnml>{net}\n{hidden}</pnml>"),
        format!("<pnml>{net}<module>\n{hidden}</module></pnml>"),
        format!("<pnml>{net}<module><module>\n{hidden}</module></module></pnml>"),
        format!("<pnml><module>{net}</module>\n{hidden}</pnml>"),
        format!("<pnml><module>{net}\n{hidden}</module></pnml>"),
        format!("<pnml>{net}<toolspecific>\n{hidden}</toolspecific></pnml>"),
        format!("<pnml>{net}\n<net/></pnml>"),
        format!("<pnml>{}</pnml>", net.replace("</net>", &format!("\n{hidden}</net>"))),
        format!(
            "<pnml>{}</pnml>",
            net.replace("</net>", &format!("<toolspecific>\n{hidden}</toolspecific></net>"))
        ),
        format!(
            "<pnml>{}</pnml>",
            net.replace("</place>", &format!("<graphics>\n{hidden}</graphics></place>"))
        ),
        format!(
            "<pnml>{}</pnml>",
            net.replace(
                "<place id='q'/>",
                &format!("<place id='q'><name>\n{hidden}</name></place>")
            )
        ),
        format!("<pnml>{net}<toolspecific>\n<x:net xmlns:x='y'/></toolspecific></pnml>"),
    ] {
        let problem = read("n", &file).unwrap_err();
        assert!(problem.starts_with("n:2:1: a second `<net>` begins here"), "{problem}\n{file}");
    }
    for (file, around) in [
        (format!("<pnml><name>\n{hidden}</name>{net}</pnml>"), "name"),
        (format!("<pnml><graphics><y>\n{net}</y></graphics></pnml>"), "graphics"),
        (format!("<pnml><toolspecific>\n{hidden}</toolspecific>{net}</pnml>"), "toolspecific"),
        (format!("<pnml><module><name>\n{hidden}</name>{net}</module></pnml>"), "name"),
    ] {
        let problem = read("n", &file).unwrap_err();
        let expected =
            format!("n:2:1: a `<net>` begins inside `<{around}>`, expected it right inside");
        assert!(problem.starts_with(&expected), "{problem}\n{file}");
    }
}

#[test]
fn elements_beside_the_net_are_refused() {
    let net = net("PTNet");
    for beside in ["<initialmarkings/>", "<priorities/>", "<place id='z'/>", "<foo/>"] {
        let name = beside[1..].split([' ', '/', '>']).next().unwrap();
        for file in
            [format!("<pnml>{net}\n{beside}</pnml>"), format!("<pnml>\n{beside}{net}</pnml>")]
        {
            let problem = read("n", &file).unwrap_err();
            let expected =
                format!("n:2:1: an element `{name}` outside of the net is not supported");
            assert!(problem.starts_with(&expected), "{problem}");
        }
    }
    let harmless = "<name><text>x</text></name><graphics/><toolspecific tool='t'/>";
    is("n", &format!("<pnml>{harmless}{net}{harmless}</pnml>"), NET, &[]);
}

#[test]
fn final_markings_beside_the_net_are_those_of_the_net() {
    let net = net("PTNet");
    let finals =
        "<finalmarkings><marking><place idref='q'><text>2</text></place></marking></finalmarkings>";
    for file in [
        format!("<pnml>{net}{finals}</pnml>"),
        format!("<pnml>{finals}{net}</pnml>"),
        format!("<pnml><module>{net}{finals}</module></pnml>"),
    ] {
        let read_net = parikh_input::read_net_from(file.as_bytes(), "n").unwrap();
        let finals = read_net.final_markings();
        assert_eq!(finals.len(), 1, "{file}");
        assert_eq!(parikh_net::marking_text::print(&read_net, &finals[0]), "2*q");
        let audited = parikh::evidence::reader::pnml::read(file.as_bytes()).unwrap().net;
        assert_eq!(audited.final_markings(), finals, "{file}");
    }
}

#[test]
fn prologues_of_all_tools_are_read_and_ill_formed_ones_are_refused() {
    let net = format!("<pnml>{}</pnml>", net("PTNet"));
    for prologue in [
        "\n\n<?xml version='1.0' encoding='UTF-8'?>\n",
        "<!-- made by hand -->\n<?xml version='1.0'?>\n",
        "<?xml encoding='UTF-8'?>",
        "<?xml version='1.0' standalone='yes' encoding='UTF-8'?>",
        "<!DOCTYPE pnml SYSTEM 'pnml.dtd'>",
        "<!DOCTYPE pnml [<!ENTITY a \"1]>\"> <!-- ]> ' -->\n<!ELEMENT pnml ANY>]>\n",
    ] {
        is("n", &format!("{prologue}{net}"), NET, &[]);
    }
    for prologue in [
        "<!DOCTYPE pnml [<!ATTLIST place id CDATA 'p'>]>",
        "<!DOCTYPE pnml><!DOCTYPE pnml>",
        "<?xml version='1.0'?><?xml version='1.0'?>",
        "<!DOCTYPE pnml><?xml version='1.0'?>",
    ] {
        assert!(read("n", format!("{prologue}{net}")).is_err(), "{prologue}");
    }
    let entity = net.replace("<text>1", "<text>&a;");
    assert!(read("n", format!("<!DOCTYPE pnml [<!ENTITY a '1'>]>{entity}")).is_err());
}

#[test]
fn ill_formed_xml_in_skipped_elements_is_refused() {
    for inside in [
        "<name><text>a\u{1}</text></name>",
        "<name><text>a&#1;</text></name>",
        "<toolspecific tool='yasper'><yasper:role/></toolspecific>",
        "<graphics><position x='1'y='2'/></graphics>",
        "<graphics><position x='1' x='2'/></graphics>",
        "<graphics><position x=1/></graphics>",
        "<graphics><position x='<'/></graphics>",
        "<!-- \u{1} -->",
    ] {
        let net =
            net("PTNet").replace("<place id='q'/>", &format!("<place id='q'>{inside}</place>"));
        let problem = read("n", format!("<pnml>{net}</pnml>")).unwrap_err();
        assert!(problem.contains(": malformed XML: "), "{inside}: {problem}");
    }
    let undeclared = format!("<pnml xsi:schemaLocation='a b'>{}</pnml>", net("PTNet"));
    let problem = read("n", undeclared).unwrap_err();
    assert!(problem.contains("`xsi:schemaLocation` is not declared; add `xmlns:xsi="), "{problem}");
}

#[test]
fn numbers_may_stand_directly_in_their_labels() {
    let bare = INSIDE
        .replace("<text>1</text>", "1")
        .replace("target='t'/>", "target='t'><inscription>1</inscription></arc>")
        .replace("<place id='q'/>", "<place id='q'><capacity>0</capacity></place>")
        .replace("<transition id='t'/>", "<transition id='t'><timed>true</timed></transition>");
    let file = format!("<pnml><net id='n' type='PTNet'>{bare}<labels>a note</labels></net></pnml>");
    is("n", &file, NET, &[]);
    for (old, new) in [("ing>1<", "ing>1<text>2</text><"), ("ing>1<", "ing><text>1</text>2<")] {
        assert!(read("n", file.replacen(old, new, 1)).is_err(), "{new}");
    }
    // Empty labels of coloured nets do not make a net coloured.
    let empty = INSIDE.replace(
        "<transition id='t'/>",
        "<transition id='t'><condition><text/></condition></transition><declaration><text/></declaration>",
    );
    is("n", &format!("<pnml><net id='n' type='PTNet'>{empty}</net></pnml>"), NET, &[]);
}

#[test]
fn sub_processes_of_woped_are_refused_by_name() {
    let sub = "<page id='sub1'>\n<net id='s'><place id='z'/><transition id='u'/></net></page>";
    let operator = "<toolspecific tool='WoPeD' version='1.0'><subprocess/></toolspecific>";
    let net = net("http://www.informatik.hu-berlin.de/top/pntd/ptNetb");
    for file in [
        net.replace("</net>", &format!("{sub}</net>")),
        net.replace("<place id='q'/>", &format!("{sub}<place id='q'/>")),
        net.replace(
            "<transition id='t'/>",
            &format!("<transition id='t'>{operator}</transition>{sub}"),
        ),
        net.replace("<place id='q'/>", &format!("<page id='outer'>{sub}</page><place id='q'/>")),
        net.replace("</net>", &format!("{sub}<toolspecific tool='WoPeD'/></net>")),
    ] {
        for file in
            [format!("<pnml>{file}</pnml>"), format!("<pnml><module>{file}</module></pnml>")]
        {
            let problem = read("n", &file).unwrap_err();
            let expected =
                "n:2:1: a `<net>` begins inside page `sub1`: this is a sub-process, as WoPeD";
            assert!(problem.starts_with(expected), "{problem}");
        }
    }
    // A page only groups nodes.
    let page = net.replace("<place id='q'/>", "<page id='g'><place id='q'/></page>");
    is("n", &format!("<pnml>{page}</pnml>"), NET, &[]);
}

#[test]
fn only_a_tagged_token_of_pipe_means_something() {
    let net = |of_place: &str, of_transition: &str, of_arc: &str| {
        let inside = INSIDE
            .replace("<place id='q'/>", &format!("<place id='q'>{of_place}</place>"))
            .replace(
                "<transition id='t'/>",
                &format!("<transition id='t'>{of_transition}</transition>"),
            )
            .replace("target='q'/>", &format!("target='q'>{of_arc}</arc>"));
        format!("<pnml><net id='n' type='P/T net'>{inside}</net></pnml>")
    };
    for tagged in [
        "<tagged><value>false</value></tagged>",
        "<tagged><text>false</text></tagged>",
        "<tagged>false</tagged>",
        "<tagged/>",
        "<tagged>\n<value> False </value>\n</tagged>",
        "<tagged><value>0</value><graphics/></tagged>",
    ] {
        is("n", &net(tagged, "", tagged), NET, &[]);
        is("n", &net("", tagged, ""), NET, &[]);
    }
    for tagged in
        ["<tagged><value>true</value></tagged>", "<tagged>1</tagged>", "<tagged><x/>2</tagged>"]
    {
        for (file, owner) in [
            (net(tagged, "", ""), "place `q`"),
            (net("", tagged, ""), "transition `t`"),
            (net("", "", tagged), "arc `b`"),
        ] {
            let problem = read("n", &file).unwrap_err();
            assert!(
                problem.contains(&format!("`<tagged>` of {owner} with the value")),
                "{problem}"
            );
        }
    }
}
