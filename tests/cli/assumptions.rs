//! Assumptions about a model are named in every answer that rests on them, and the auditor finds
//! the same assumptions in the model.

use crate::support::binary::{TestDirectory, objects};
use parikh::evidence::audit::{Audit, AuditVerdict, AuditedAnswer};
use parikh::evidence::reader::timing::TimeTreatment;
use parikh::evidence::reader::{self, Unreadable};

/// Returns a net in PNML with this content.
fn pnml(content: &str) -> String {
    format!(
        "<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/ptnet'>{content}</net></pnml>"
    )
}

/// Two steps from `in` to `out`, without an initial marking.
const STEPS: &str = "<place id='in'/><place id='mid'/><place id='out'/>
  <transition id='t'/><transition id='u'/>
  <arc id='a' source='in' target='t'/><arc id='b' source='t' target='mid'/>
  <arc id='c' source='mid' target='u'/><arc id='d' source='u' target='out'/>";

/// Returns a choice of two transitions with this additional content.
fn choice(first: &str, second: &str) -> String {
    pnml(&format!(
        "<place id='p'><initialMarking><text>1</text></initialMarking></place><place id='q'/><place id='r'/>
         <transition id='t'>{first}</transition><transition id='u'>{second}</transition>
         <arc id='a' source='p' target='t'/><arc id='b' source='t' target='q'/>
         <arc id='c' source='p' target='u'/><arc id='d' source='u' target='r'/>"
    ))
}

/// Returns the auditor's verdicts on an evidence file about the model.
fn audited(
    directory: &TestDirectory,
    model: &str,
    file: &str,
    times: TimeTreatment,
) -> Vec<AuditedAnswer> {
    let net = reader::read_model_with_times(directory.read(model).as_bytes(), times).unwrap().net;
    let net = net.into_plain().unwrap();
    let mut audit = Audit::new(&net, 1000, Box::new(|_| Err("no formulas".to_owned())));
    audit.file(&directory.at(file)).unwrap_or_else(|broken| panic!("{broken}"));
    audit.finish().judged
}

fn assumed(judged: &AuditedAnswer) -> Vec<&str> {
    assert!(matches!(judged.verdict, AuditVerdict::Confirmed(_)), "{judged:?}");
    judged.assumptions.iter().map(|it| it.key()).collect()
}

#[test]
fn an_assumed_source_token_applies_to_all_questions_of_a_command() {
    let directory = TestDirectory::new();
    directory.write("n.pnml", &pnml(STEPS));
    let said =
        directory.succeeds(&["check", "n.pnml", "-e", "S,QL", "--evidence", "ev", "--trace", "tr"]);
    let token =
        "assumed: the initial marking is one token in the source `in`, as the model has none";
    for line in said.lines() {
        assert!(line.contains(": TRUE — ") && line.contains(token), "{line}");
    }
    assert!(said.lines().next().unwrap().contains("in the sink `out`"), "{said}");
    let json = directory.succeeds(&["check", "n.pnml", "-e", "S,QL", "--format", "json"]);
    let answers: Vec<_> = objects(&json).into_iter().filter(|it| it["type"] == "answer").collect();
    assert_eq!(answers[0]["assumes"], serde_json::json!(["initial-token", "final-token"]));
    assert_eq!(answers[1]["assumes"], serde_json::json!(["initial-token"]));
    let judged = audited(&directory, "n.pnml", "ev/Soundness.jsonl", TimeTreatment::Refused);
    assert_eq!(assumed(&judged[0]), ["initial-token", "final-token"]);
    let judged = audited(&directory, "n.pnml", "ev/QuasiLiveness.jsonl", TimeTreatment::Refused);
    assert_eq!(assumed(&judged[0]), ["initial-token"]);
    // Without the option, the question is about the model as written.
    let said = directory.succeeds(&["check", "n.pnml", "-e", "QL"]);
    assert!(said.contains(": FALSE — ") && !said.contains("assumed"), "{said}");
    directory.fails_with(2, &["check", "n.pnml", "-e", "S,QL", "--k", "2"]);
    directory.succeeds(&["report", "n.pnml", "-e", "Soundness", "-o", "n.html"]);
    assert!(directory.read("n.html").contains("Assumed: the initial marking is one token"));
}

#[test]
fn a_file_that_assumes_less_than_the_model_takes_is_refused() {
    let directory = TestDirectory::new();
    directory.write("n.pnml", &pnml(STEPS));
    directory.succeeds(&["check", "n.pnml", "-e", "S", "--evidence", "ev"]);
    let text = directory.read("ev/Soundness.jsonl");
    let silent = text.replace("[\"initial-token\",\"final-token\"]", "[]");
    assert_ne!(text, silent);
    directory.write("ev/Soundness.jsonl", &silent);
    let net =
        reader::read_model(directory.read("n.pnml").as_bytes()).unwrap().net.into_plain().unwrap();
    let mut audit = Audit::new(&net, 1000, Box::new(|_| Err("no formulas".to_owned())));
    let broken = audit.file(&directory.at("ev/Soundness.jsonl")).unwrap_err();
    assert!(broken.what.contains("the model needs [initial-token, final-token]"), "{broken}");
}

#[test]
fn an_empty_final_marking_is_taken_as_it_is_written() {
    let directory = TestDirectory::new();
    let marked = STEPS.replace(
        "<place id='in'/>",
        "<place id='in'><initialMarking><text>1</text></initialMarking></place>",
    );
    let finals = "<finalmarkings><marking><place idref='out'><text>0</text></place></marking></finalmarkings>";
    directory.write("n.pnml", &pnml(&(marked.clone() + finals)));
    let said = directory.succeeds(&["check", "n.pnml", "-e", "S,ES", "--evidence", "ev"]);
    for line in said.lines() {
        assert!(line.contains(": FALSE — "), "{line}");
        assert!(line.contains("assumed: a case is done when no token is left"), "{line}");
    }
    for file in ["ev/Soundness.jsonl", "ev/EasySoundness.jsonl"] {
        let judged = audited(&directory, "n.pnml", file, TimeTreatment::Refused);
        assert_eq!(assumed(&judged[0]), ["empty-final-marking"]);
    }
    let given = directory.succeeds(&["check", "n.pnml", "-e", "S", "--final", "out"]);
    assert!(given.contains("assumed: the final marking of the model is ignored"), "{given}");
}

#[test]
fn times_and_priorities_are_refused_by_both_readers_and_left_out_on_demand() {
    let stochastic = |kind: &str, priority: &str| {
        format!(
            "<toolspecific tool='StochasticPetriNet' version='0.2'><property key='distributionType'>{kind}\
             </property><property key='priority'>{priority}</property></toolspecific>"
        )
    };
    let attributes = |kind: &str, priority: &str| {
        format!(
            "<toolspecific tool='StochasticPetriNet' version='0.2' invisible='False' priority='{priority}' \
             weight='2.0' distributionType='{kind}'/>"
        )
    };
    let pipe = |priority: &str, timed: &str| {
        format!(
            "<priority><value>{priority}</value></priority><timed><value>{timed}</value></timed>\
             <rate><value>1.0</value></rate>"
        )
    };
    let delay = |first: &str, last: &str| {
        format!(
            "<delay><interval closure='closed' xmlns='http://www.w3.org/1998/Math/MathML'>{first}{last}\
             </interval></delay>"
        )
    };
    let of_tool =
        |text: &str| format!("<toolspecific tool='some' version='1'>{text}</toolspecific>");
    let of_great_spn =
        |kind: &str| format!("<toolspecific tool='GreatSPN' version='1' type='{kind}'/>");
    let in_place = |text: &str| {
        let marked = "</initialMarking></place>";
        choice("", "").replacen(marked, &format!("</initialMarking>{text}</place>"), 1)
    };
    let in_arc = |text: &str| {
        choice("", "").replacen("target='t'/>", &format!("target='t'>{text}</arc>"), 1)
    };
    let in_net = |text: &str| choice("", "").replacen("<place", &format!("{text}<place"), 1);
    let (none, untimed) = (&[][..], &["untimed"][..]);
    let cases: Vec<(String, Vec<&str>, &[&str])> = vec![
        (
            choice(&stochastic("IMMEDIATE", "1"), &stochastic("EXPONENTIAL", "0")),
            vec!["tool-specific", "rates"],
            untimed,
        ),
        (
            choice(&stochastic("IMMEDIATE", "1"), &stochastic("IMMEDIATE", "2")),
            vec!["tool-specific"],
            untimed,
        ),
        (
            choice(&stochastic("EXPONENTIAL", "1"), &stochastic("NORMAL", "1")),
            vec!["tool-specific", "rates"],
            none,
        ),
        (
            choice(&stochastic("DETERMINISTIC", "1"), &stochastic("DETERMINISTIC", "1")),
            vec!["tool-specific"],
            untimed,
        ),
        (
            choice(&attributes("IMMEDIATE", "1"), &attributes("IMMEDIATE", "1")),
            vec!["tool-specific", "rates"],
            none,
        ),
        (
            choice(&attributes("IMMEDIATE", "1"), &attributes("UNIFORM", "1")),
            vec!["tool-specific", "rates"],
            untimed,
        ),
        (choice(&pipe("1", "false"), &pipe("1", "false")), vec!["rates"], none),
        (choice(&pipe("1", "true"), &pipe("1", "false")), vec!["rates"], untimed),
        (choice(&pipe("1", "true"), &pipe("2", "true")), vec!["rates"], untimed),
        (choice(&delay("<cn>2</cn>", "<cn>5</cn>"), ""), vec![], untimed),
        (choice(&delay("<cn>0</cn>", "<ci>infty</ci>"), ""), vec![], none),
        (
            choice(&of_tool("<priority>1</priority>"), &of_tool("<priority>2</priority>")),
            vec!["tool-specific"],
            untimed,
        ),
        (
            choice(&of_tool("<weight>1</weight>"), &of_tool("<weight>2</weight>")),
            vec!["tool-specific", "rates"],
            none,
        ),
        (choice(&of_tool("<colour>1</colour>"), ""), vec!["tool-specific"], none),
        // Other words for times and priorities.
        (
            choice(&of_great_spn("EXP"), &of_great_spn("IMM")),
            vec!["tool-specific", "rates"],
            untimed,
        ),
        (choice(&of_great_spn("EXP"), &of_great_spn("EXP")), vec!["tool-specific", "rates"], none),
        (choice(&of_tool("<time>0</time>"), ""), vec!["tool-specific"], none),
        (choice(&of_tool("<time>5</time>"), ""), vec!["tool-specific"], untimed),
        (choice(&of_tool("<minTime>2</minTime>"), ""), vec!["tool-specific"], untimed),
        (choice(&of_tool("<maxTime>inf</maxTime>"), ""), vec!["tool-specific"], none),
        (choice(&of_tool("<maxTime>3</maxTime>"), ""), vec!["tool-specific"], untimed),
        (choice(&of_tool("<urgent>true</urgent>"), ""), vec!["tool-specific"], untimed),
        (choice(&of_tool("<urgent>false</urgent>"), ""), vec!["tool-specific"], none),
        (
            choice(&of_tool("<immediate/>"), &of_tool("<immediate>false</immediate>")),
            vec!["tool-specific"],
            untimed,
        ),
        // A value in an attribute or inside is not compared.
        (
            choice(&of_tool("<priority level='1'/>"), &of_tool("<priority level='2'/>")),
            vec!["tool-specific"],
            untimed,
        ),
        (
            choice(&of_tool("<duration><mean>2</mean></duration>"), ""),
            vec!["tool-specific"],
            untimed,
        ),
        // Elements with their number directly inside, as of IOPT tools.
        (choice("<priority>1</priority>", "<priority>1</priority>"), vec![], none),
        (choice("<priority>1</priority>", "<priority>2</priority>"), vec![], untimed),
        (choice("<duration>5</duration>", ""), vec![], untimed),
        // A transition with rate 0 never fires.
        (choice("<rate><value>0.0</value></rate>", ""), vec!["rates"], untimed),
        (
            choice(&of_tool("<probability>0</probability>"), ""),
            vec!["tool-specific", "rates"],
            none,
        ),
        (choice(&of_tool("<weight>0.0</weight>"), ""), vec!["tool-specific", "rates"], none),
        // Places, arcs and the net have no priorities to compare.
        (in_place(&of_tool("<delay>5</delay>")), vec!["tool-specific"], untimed),
        (in_place(&of_tool("<colour>5</colour>")), vec!["tool-specific"], none),
        (in_place("<interval>[2,3]</interval>"), vec![], untimed),
        (in_arc(&of_tool("<interval>[2,3]</interval>")), vec!["tool-specific"], untimed),
        (in_arc(&of_tool("<priority>3</priority>")), vec!["tool-specific"], untimed),
        (in_arc(&of_tool("<weight>2</weight>")), vec!["tool-specific"], none),
        (in_net(&of_tool("<priority transition='t' level='2'/>")), vec!["tool-specific"], untimed),
        (in_net(&of_tool("<pr>t > u</pr>")), vec!["tool-specific"], untimed),
        (in_net(&of_tool("<page><width>2</width></page>")), vec!["tool-specific"], none),
        ("net n\npl p (1)\ntr t [2,5] p -> q\ntr u p -> r\n".to_owned(), vec![], untimed),
        ("net n\npl p (1)\ntr t p -> q\ntr u p -> r\npr t > u\n".to_owned(), vec![], untimed),
        ("net n\npl p (1)\ntr t [0,w[ p -> q\ntr u p -> r\n".to_owned(), vec![], none),
    ];
    for (at, (text, assumes, times)) in cases.iter().enumerate() {
        let directory = TestDirectory::new();
        let model = if text.starts_with('<') { "n.pnml" } else { "n.net" };
        directory.write(model, text);
        let check = ["check", model, "-e", "QL", "--format", "json", "--evidence", "ev"];
        let read = reader::read_model(text.as_bytes()).map(|_| ());
        let arguments: Vec<&str> = match times {
            [] => {
                assert_eq!(read, Ok::<(), Unreadable>(()), "{at}");
                check.to_vec()
            }
            _ => {
                let refused = directory.fails_with(1, &check);
                assert!(refused.contains("--untimed"), "{at}: {refused}");
                let refused = read.unwrap_err().what;
                assert!(refused.contains("--untimed"), "{at}: {refused}");
                [&check[..], &["--untimed"]].concat()
            }
        };
        let answer = objects(&directory.succeeds(&arguments)).remove(0);
        let expected = [&assumes[..], times].concat();
        assert_eq!(answer["value"], "TRUE", "{at}");
        assert_eq!(answer["assumes"], serde_json::json!(expected), "{at}: {text}");
        let way = if times.is_empty() { TimeTreatment::Refused } else { TimeTreatment::LeftOut };
        let judged = audited(&directory, model, "ev/QuasiLiveness.jsonl", way);
        assert_eq!(assumed(&judged[0]), expected, "{at}");
    }
}

#[test]
fn every_command_can_ignore_times_and_states_this() {
    let directory = TestDirectory::new();
    directory.write("n.net", "net n\npl p (1)\ntr t [2,5] p -> q\n");
    let commands: [&[&str]; 13] = [
        &["check", "n.net", "-e", "QL"],
        &["states", "n.net"],
        &["info", "n.net"],
        &["info", "n.net", "--format", "json"],
        &["properties", "n.net"],
        &["graph", "n.net"],
        &["draw", "n.net"],
        &["convert", "n.net", "-o", "n.pnml"],
        &["reduce", "n.net", "--preserve", "deadlock"],
        &["invariants", "n.net"],
        &["siphons", "n.net"],
        &["encode", "n.net", "--goal", "EF q >= 1"],
        &["play", "n.net"],
    ];
    for command in commands {
        let refused = directory.fails_with(1, command);
        assert!(refused.contains("--untimed"), "{command:?}: {refused}");
        let (code, printed, remarks) = directory.outputs(&[command, &["--untimed"]].concat());
        assert_eq!(code, 0, "{command:?}: {remarks}");
        let stated = "assumed: times and priorities are ignored (--untimed)";
        assert!((printed + &remarks).contains(stated), "{command:?}: {remarks}");
    }
    assert_eq!(directory.succeeds(&["check", "n.pnml", "-e", "QL"]).matches("assumed").count(), 0);
    let coloured = "<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/symmetricnet'>
        <place id='p'/><transition id='t'><delay>5</delay></transition>
        <arc id='a' source='t' target='p'/></net></pnml>";
    directory.write("c.pnml", coloured);
    assert!(directory.fails_with(1, &["unfold", "c.pnml"]).contains("--untimed"));
    let (code, _, remarks) = directory.outputs(&["unfold", "c.pnml", "--untimed"]);
    assert_eq!(code, 0, "{remarks}");
    assert!(remarks.contains("assumed: times and priorities are ignored"), "{remarks}");
}

/// A case goes from `in` over `a` and `b` to `out`. Cancelling `a` resets `b`. There is no initial
/// marking.
const CANCEL: &str = "<place id='in'/><place id='a'/><place id='b'/><place id='out'/>
  <transition id='t'/><transition id='u'/><transition id='cancel'/>
  <arc id='1' source='in' target='t'/><arc id='2' source='t' target='a'/>
  <arc id='3' source='t' target='b'/><arc id='4' source='a' target='u'/>
  <arc id='5' source='b' target='u'/><arc id='6' source='u' target='out'/>
  <arc id='7' source='a' target='cancel'/><arc id='8' source='cancel' target='out'/>
  <arc id='9' source='b' target='cancel' type='reset'/>";

#[test]
fn graphs_use_the_assumed_token_and_keep_reset_arcs() {
    let directory = TestDirectory::new();
    directory.write("n.pnml", &pnml(CANCEL));
    let graph = |options: &[&str]| {
        directory.succeeds(&[&["graph", "n.pnml", "-o", "g.json"], options].concat());
        let graph: serde_json::Value = serde_json::from_str(&directory.read("g.json")).unwrap();
        (graph["nodes"].as_array().unwrap().len(), graph["assumes"].clone())
    };
    // Like `check --formula`, the graph is about the model as written.
    assert_eq!(graph(&[]), (1, serde_json::json!([])));
    assert_eq!(graph(&["--cases"]), (3, serde_json::json!(["initial-token"])));
    let formula = "EF (b >= 1 && out >= 1)";
    let (_, _, stderr) = directory.outputs(&["graph", "n.pnml", "--cases", "--formula", formula]);
    assert!(stderr.contains("nothing is highlighted"), "{stderr}");
    assert!(stderr.contains("assumed: the initial marking is one token"), "{stderr}");
    for file in ["g.svg", "g.dot"] {
        directory.succeeds(&["graph", "n.pnml", "--cases", "-o", file]);
        assert!(
            directory.read(file).contains("assumed: the initial marking is one token"),
            "{file}"
        );
    }
    // The trace has a copy of `cancel`, which exists only if `b` can be marked.
    let formula = "c: absence(cancel)";
    let check = ["check", "n.pnml", "--cases", "--formula", formula, "--trace", "tr"];
    assert!(directory.succeeds(&check).starts_with("c: FALSE"));
    assert!(
        directory.read("tr/c.trace").contains("# from: in\n"),
        "{}",
        directory.read("tr/c.trace")
    );
    assert_eq!(graph(&["--trace", "tr/c.trace"]), (3, serde_json::json!(["initial-token"])));
    directory.succeeds(&["draw", "n.pnml", "--trace", "tr/c.trace", "-o", "d.svg"]);
    let replayed = directory.succeeds(&["replay", "n.pnml", "tr/c.trace"]);
    assert!(replayed.starts_with("starting from in, not from the initial marking"), "{replayed}");
}

#[test]
fn a_trace_of_several_cases_is_drawn_and_replayed_from_their_tokens() {
    let directory = TestDirectory::new();
    let marked = CANCEL.replace(
        "<place id='in'/>",
        "<place id='in'><initialMarking><text>1</text></initialMarking></place>",
    );
    // Cancelling one of two cases also removes the token of the other case on `b`, without which
    // the other case cannot go on.
    let marked = marked + "<arc id='10' source='b' target='cancel'/>";
    directory.write("n.pnml", &pnml(&marked));
    let check = ["check", "n.pnml", "-e", "S", "--k", "2", "--trace", "tr"];
    assert!(directory.succeeds(&check).starts_with("2-Soundness: FALSE"));
    let trace = "tr/2-Soundness.trace";
    let (_, _, stderr) = directory.outputs(&["graph", "n.pnml", "--trace", trace, "-o", "g.svg"]);
    assert!(stderr.contains("starting from 2*in, not from"), "{stderr}");
    directory.succeeds(&["draw", "n.pnml", "--trace", trace, "-o", "d.svg"]);
    let replayed = directory.succeeds(&["replay", "n.pnml", trace]);
    assert!(replayed.starts_with("starting from 2*in, not from"), "{replayed}");
}

#[test]
fn keys_of_a_model_form_state_assumptions() {
    let directory = TestDirectory::new();
    let tool = "<toolspecific tool='some' version='1'><colour>1</colour></toolspecific>";
    directory.write("n.pnml", &choice(tool, ""));
    let assumed = "; assumed: the information of the tool `some` is ignored";
    let said = directory.succeeds(&["properties", "n.pnml"]);
    assert!(said.lines().all(|line| line.ends_with(assumed)), "{said}");
    for key in objects(&directory.succeeds(&["properties", "n.pnml", "--format", "json"])) {
        assert_eq!(key["assumes"], serde_json::json!(["tool-specific"]), "{key}");
    }
    let file = directory.succeeds(&["properties", "n.pnml", "--format", "xml"]);
    assert!(file.contains("the information of the tool `some` is ignored"), "{file}");
    directory.write("verdicts.xml", &file);
    let compared =
        directory.succeeds(&["verdicts", "compare", "--force", "verdicts.xml", "n.pnml"]);
    assert!(compared.contains(assumed), "{compared}");
    let (_, _, stderr) = directory.outputs(&["invariants", "n.pnml"]);
    assert!(stderr.contains("assumed: the information of the tool"), "{stderr}");
}
