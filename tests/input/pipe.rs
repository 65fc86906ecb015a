//! Nets of PIPE, with both readers: its additions to the standard's labels.

use crate::languages::{is, read};

/// Returns a net as written by PIPE. The parameters are the tokens of its place, the weight of the
/// first arc, the kind of the second arc, and for each of two transitions its priority and whether
/// it is timed.
fn net(tokens: &str, weight: &str, kind: &str, urgencies: [(&str, &str); 2]) -> String {
    let label = |key: &str, text: &str| {
        format!(
            "<{key}><value>{text}</value><graphics><offset x=\"0.0\" y=\"0.0\"/></graphics></{key}>"
        )
    };
    let transition = |id: &str, (priority, timed): (&str, &str)| {
        format!(
            "<transition id=\"{id}\">{}{}{}{}{}{}</transition>\n",
            label("name", id),
            label("orientation", "0"),
            label("rate", "1.0"),
            label("timed", timed),
            label("infiniteServer", "false"),
            label("priority", priority)
        )
    };
    let arc = |source: &str, target: &str, weight: &str, kind: &str| {
        format!(
            "<arc id=\"{source} to {target}\" source=\"{source}\" target=\"{target}\"><graphics/>{}\
             <tagged><value>false</value></tagged><arcpath id=\"000\" x=\"171\" y=\"117\" curvePoint=\"false\"/>\
             <type value=\"{kind}\"/></arc>\n",
            label("inscription", weight)
        )
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><pnml>\n<net id=\"n\" type=\"P/T net\">\n\
         <token id=\"Default\" enabled=\"true\" red=\"0\" green=\"0\" blue=\"0\"/>\n\
         <labels x=\"1\" y=\"2\" width=\"3\" height=\"4\" border=\"true\"><text>a remark</text></labels>\n\
         <place id=\"P0\"><graphics><position x=\"1.0\" y=\"2.0\"/></graphics>{}{}{}</place>\n{}{}{}{}{}</net>\n</pnml>\n",
        label("name", "P0"),
        label("initialMarking", tokens),
        label("capacity", "0"),
        transition("T0", urgencies[0]),
        transition("T1", urgencies[1]),
        arc("P0", "T0", weight, "normal"),
        arc("P0", "T1", "Default,1", kind),
        arc("T1", "P0", "Default,1", "normal"),
    )
}

const SAME: [(&str, &str); 2] = [("1", "false"); 2];

#[test]
fn tokens_of_the_first_class_are_tokens() {
    let plain = "net n\nplace P0 3\ntransition T0: 2*P0 ->\ntransition T1: P0 -> P0";
    is("n", &net("Default,3", "Default,2", "normal", SAME), plain, &[]);
    is("n", &net("3", "2", "normal", SAME), plain, &[]);
    let timed = [("1", "true"); 2];
    is("n", &net("Default,3", "Default,2", "normal", timed), plain, &[]);
    // PIPE lists all classes of the net, also those without tokens.
    is("n", &net("Default,3,Red,0", "Default,2, Red,0", "normal", SAME), plain, &[]);
    is("n", &net("Red,0,Default,3", "Default,2", "normal", SAME), plain, &[]);
    // Groups of conditions on markings serve PIPE's analyses.
    let group = "<stategroup id=\"SG1\" name=\"x\"><name><value>x</value></name><statecondition \
                 condition=\"P0\"><value>P0 == 2</value></statecondition></stategroup></net>";
    let grouped = net("3", "2", "normal", SAME).replace("</net>", group);
    is("n", &grouped, plain, &[]);
    // Some versions write nothing for an empty place.
    let empty =
        net("", "1", "normal", SAME).replace("<value>false</value></tagged>", "false</tagged>");
    is("n", &empty, "net n\nplace P0\ntransition T0: P0 ->\ntransition T1: P0 -> P0", &[]);
    let without = "net n\nplace P0\ntransition T0: P0 ->\ntransition T1: -> P0";
    let inhibited = net("Default,0", "Default,1", "inhibitor", SAME);
    is("n", &inhibited, without, &["T1 inhibited by P0 1"]);
}

#[test]
fn unsupported_features_of_pipe_are_refused() {
    let later = |urgencies| net("1", "1", "normal", urgencies);
    for (file, expected) in [
        (
            net("Default,1,Red,2", "1", "normal", SAME),
            "n:5:140: the initial marking of place `P0` in several classes, `Default,1,Red,2`, is not supported",
        ),
        (
            net("Red,1", "1", "normal", SAME),
            "n:5:140: the initial marking of place `P0` in several",
        ),
        (
            net("Default,1,Default,0", "1", "normal", SAME),
            "n:5:140: the initial marking of place `P0` in several",
        ),
        (
            net("Default,1,Red", "1", "normal", SAME),
            "n:5:140: the initial marking of place `P0` in several",
        ),
        (net("1", "Default,x", "normal", SAME), "n:8:"),
        (net("1", "Default,", "normal", SAME), "n:8:"),
        (
            later([("1", "false"), ("2", "false")]),
            "n:7:1: the `priority` or `timed` of transition `T1`, other than before, is not supported",
        ),
        (later([("1", "false"), ("1", "true")]), "n:7:1: the `priority` or `timed`"),
        (
            later(SAME).replace("<capacity><value>0", "<capacity><value>4"),
            "n:5:235: the capacity `4` of place `P0`",
        ),
    ] {
        let problem = read("n", &file).unwrap_err();
        assert!(problem.starts_with(expected), "{problem}\n{expected}\n{file}");
    }
}
