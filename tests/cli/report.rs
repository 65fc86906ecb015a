//! Command-line tests of `parikh report`: a complete page without external references, in which
//! names are never markup.

use crate::support::binary::{TestDirectory, example, stderr};
use parikh_net::NetBuilder;
use serde_json::Value;

/// Returns the page that `parikh report` writes, and the exit code.
fn page(directory: &TestDirectory, arguments: &[&str]) -> (String, Option<i32>) {
    let all = [&["report", "model.pnml", "-o", "r.html"], arguments].concat();
    let output = directory.run(&all);
    assert!(output.stdout.is_empty(), "stdout is for answers");
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 3)), "{}", stderr(&output));
    (directory.read("r.html"), code)
}

/// Returns the data of a page.
fn data(page: &str) -> Value {
    let begin = "<script type=\"application/json\" id=\"data\">";
    let (_, rest) = page.split_once(begin).expect("data");
    let (json, _) = rest.split_once("</script>").expect("an end");
    serde_json::from_str(json).expect("JSON")
}

/// Returns a sentence as displayed.
fn sentence(text: &Value, net: &Value) -> String {
    let piece = |piece: &Value| match (piece["p"].as_u64(), piece["t"].as_u64()) {
        (Some(p), _) => net["places"][p as usize].as_str().expect("a name").to_owned(),
        (_, Some(t)) => net["transitions"][t as usize].as_str().expect("a name").to_owned(),
        _ => piece.as_str().expect("words").to_owned(),
    };
    text.as_array().expect("a sentence").iter().map(piece).collect()
}

/// Returns the titles of findings with their levels, followed by all details.
fn findings(data: &Value) -> Vec<(String, String)> {
    let net = &data["net"];
    let of = |finding: &Value| {
        let mut text = sentence(&finding["title"], net);
        for detail in finding["details"].as_array().expect("details") {
            text.push_str(" | ");
            text.push_str(&sentence(detail, net));
        }
        (finding["level"].as_str().expect("a level").to_owned(), text)
    };
    data["findings"].as_array().expect("findings").iter().map(of).collect()
}

#[test]
fn the_page_shows_the_deadlock_of_the_sample() {
    let directory = TestDirectory::new();
    directory.write("model.pnml", &std::fs::read_to_string(example("philosophers.pnml")).unwrap());
    let (page, code) = page(&directory, &["--timeout", "60s"]);
    assert_eq!(code, Some(0));
    let data = data(&page);
    let found = findings(&data);
    let (level, deadlock) = &found[0];
    assert_eq!(level, "problem");
    assert!(deadlock.starts_with("A deadlock after "), "{deadlock}");
    assert!(deadlock.contains("Tokens there: wait1, wait2"), "{deadlock}");
    assert!(deadlock.contains("take_right1 waits for fork2"), "{deadlock}");
    assert!(found.contains(&("good".into(), found_good(&found, "Every transition can fire"))));
    assert!(found.iter().any(|(_, text)| text.starts_with("No place ever holds two tokens")));
    // The finding has an animation, a text, and highlighted nodes.
    let play = &data["findings"][0]["play"];
    let trace = data["traces"][play["trace"].as_u64().unwrap() as usize].as_array().unwrap();
    let firings: u64 = trace.iter().skip(1).step_by(2).map(|count| count.as_u64().unwrap()).sum();
    assert!(firings >= play["firings"].as_u64().unwrap());
    let lines = data["certificates"][0]["lines"].as_array().unwrap();
    assert!(sentence(&lines[0], &data["net"]).contains("No firing increases "), "{lines:?}");
    assert_eq!(data["net"]["drawing"]["x"].as_array().unwrap().len(), 15);
    assert_eq!(data["keys"].as_array().unwrap().len(), 21);
    assert_eq!(data["reductions"].as_array().unwrap().len(), 3);
    let kinds: Vec<&str> = data["shapes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|kind| kind["title"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        ["Place invariants", "Transition invariants", "Minimal siphons", "Minimal traps"]
    );
}

fn found_good(found: &[(String, String)], title: &str) -> String {
    let good = found.iter().find(|(_, text)| text.starts_with(title));
    good.map(|(_, text)| text.clone()).unwrap_or_default()
}

#[test]
fn dead_transitions_and_unbounded_places_have_reasons() {
    let directory = TestDirectory::with(
        "net n\nplace work 1\nplace queue\nplace never\nplace lonely 1\n\
         transition put: work -> work + queue\ntransition ship: queue + never -> never",
    );
    let (page, _) = page(&directory, &[]);
    let found = findings(&data(&page));
    let has = |level: &str, text: &str| {
        assert!(
            found.iter().any(|(of, it)| of == level && it.starts_with(text)),
            "{text}: {found:?}"
        );
    };
    has(
        "problem",
        "Transition ship can never fire because never is empty initially, and every transition \
         that puts tokens there takes at least as many",
    );
    has(
        "problem",
        "Place queue is unbounded | This loop adds tokens each time and can repeat forever: put",
    );
    has("warning", "Nothing is connected to lonely");
    has("warning", "Place never never holds a token");
}

#[test]
fn soundness_is_reported_and_completed_cases_are_no_deadlocks() {
    let directory = TestDirectory::new();
    directory.write("model.pnml", &std::fs::read_to_string(example("orders.pnml")).unwrap());
    let (page, code) = page(&directory, &[]);
    assert_eq!(code, Some(0));
    let data_of = data(&page);
    let found = findings(&data_of);
    let (level, unsound) = &found[0];
    assert_eq!(level, "problem");
    assert!(unsound.starts_with("The process is not sound: a case is done after "), "{unsound}");
    assert!(unsound.ends_with("A case begins with tokens on n1, and is done with tokens on n6"));
    assert_eq!(found.iter().filter(|(level, _)| level == "problem").count(), 1, "{found:?}");
    assert!(!page.contains("A deadlock after"), "completion is no deadlock");
    assert_eq!(data_of["questions"][0]["id"], "Soundness");
    assert_eq!(data_of["net"]["done"], serde_json::json!([[5, 1]]));
    for examination in ["Soundness", "WeakSoundness", "EasySoundness"] {
        let (page, _) = self::page(&directory, &["-e", examination]);
        assert_eq!(data(&page)["questions"][0]["id"], *examination);
    }
    // The answer is about the net with counted firings, and the page shows the original net.
    let (page, code) = self::page(&directory, &["-e", "RelaxedSoundness"]);
    let relaxed = data(&page);
    assert_eq!((code, &relaxed["questions"][0]["value"]), (Some(0), &"FALSE".into()));
    assert_eq!(relaxed["net"]["places"], data_of["net"]["places"]);
    let (_, said) = &findings(&relaxed)[0];
    assert!(said.starts_with("The process is not relaxed sound: transition t3 "), "{said}");
}

#[test]
fn a_workflow_net_is_known_by_its_shape_and_may_lack_an_initial_marking() {
    let directory = TestDirectory::with(
        "net seq\nplace i\nplace m\nplace o\ntransition a: i -> m\ntransition b: m -> o",
    );
    let (page, code) = page(&directory, &[]);
    assert_eq!(code, Some(0));
    let data_of = data(&page);
    let found = findings(&data_of);
    assert!(found[0].1.starts_with("The process is sound | Every case can always"), "{found:?}");
    assert!(found.iter().all(|(level, _)| level == "good" || level == "note"), "{found:?}");
    assert!(data_of["remark"][0].as_str().unwrap().contains("which begins in i"));
    // If only deadlocks are asked for, a deadlock in which a case is done is no warning.
    directory.write("model.pnml", "net seq\nplace i 1\nplace o\ntransition a: i -> o");
    let (page, _) = self::page(&directory, &["-e", "RD"]);
    let found = findings(&data(&page));
    assert_eq!(found.len(), 1);
    assert!(found[0].1.starts_with("Nothing is enabled any more where a case is done"));
    assert_eq!(found[0].0, "note");
}

#[test]
fn every_unbounded_place_is_listed_with_a_loop() {
    let places: String = (0..7).map(|at| format!("place p{at}\n")).collect();
    let puts: String =
        (0..7).map(|at| format!("transition t{at}: work -> work + p{at}\n")).collect();
    let directory = TestDirectory::with(&format!("net n\nplace work 1\n{places}{puts}"));
    let (page, _) = page(&directory, &[]);
    let found = findings(&data(&page));
    for at in 0..7 {
        let title = format!("Place p{at} is unbounded | ");
        let place = found.iter().find(|(_, text)| text.starts_with(&title));
        let (level, text) = place.unwrap_or_else(|| panic!("{title}: {found:?}"));
        assert_eq!(level, "problem");
        assert!(text.ends_with(&format!("can repeat forever: t{at}")), "{text}");
    }
}

#[test]
fn further_unbounded_places_are_one_finding_and_prefixes_of_cycles_are_short() {
    let puts: String = (0..30)
        .map(|at| format!("place p{at}\ntransition t{at}: work -> work + p{at}\n"))
        .collect();
    let directory = TestDirectory::with(&format!("net n\nplace work 1\n{puts}"));
    let (page, _) = page(&directory, &[]);
    let found = findings(&data(&page));
    let unbounded: Vec<&String> =
        found.iter().map(|(_, text)| text).filter(|text| text.contains("unbounded")).collect();
    assert_eq!(unbounded.len(), 7, "{found:?}");
    assert!(unbounded.iter().all(|text| !text.contains("After ")), "{unbounded:?}");
    assert!(unbounded[6].starts_with("24 places are unbounded: p6, p7"), "{unbounded:?}");
    for at in 6..30 {
        let loops = format!("p{at}: This loop adds tokens each time and can repeat forever: t{at}");
        assert!(unbounded[6].contains(&loops), "{loops}: {unbounded:?}");
    }
}

#[test]
fn lost_completion_and_dead_transitions_are_reported() {
    let directory = TestDirectory::with(
        "net n\nplace i 1\nplace a\nplace b\nplace c\nplace o\ntransition s: i -> a\n\
         transition e: a -> o\ntransition l: a -> b\ntransition l1: b -> c\n\
         transition l2: c -> b\ntransition never: b + c -> o",
    );
    let (page, _) = page(&directory, &[]);
    let found = findings(&data(&page));
    let problems = found.iter().filter(|(level, _)| level == "problem").map(|(_, text)| text);
    let problems: Vec<&String> = problems.collect();
    let says = |text: &str| problems.iter().any(|it| it.contains(text));
    assert!(says("Transition never can never fire because b and c are never marked together"));
    assert!(says("a case can no longer be completed after 2 firings"), "{problems:?}");
}

#[test]
fn a_case_may_end_in_several_markings() {
    let directory = TestDirectory::new();
    directory.write(
        "model.pnml",
        "<pnml><net id='n' type='http://x/ptnet'><page id='g'><place id='i'><initialMarking>\
         <text>1</text></initialMarking></place><place id='a'/><place id='b'/><transition id='t'/>\
         <transition id='u'/><arc source='i' target='t'/><arc source='t' target='a'/>\
         <arc source='i' target='u'/><arc source='u' target='b'/></page><finalmarkings><marking>\
         <place idref='a'><text>1</text></place></marking><marking><place idref='b'><text>1</text>\
         </place></marking></finalmarkings></net></pnml>",
    );
    let (page, _) = page(&directory, &[]);
    let data_of = data(&page);
    let found = findings(&data_of);
    assert!(found.iter().all(|(level, _)| level == "good" || level == "note"), "{found:?}");
    let says = |text: &str| found.iter().any(|(_, finding)| finding.contains(text));
    assert!(says("The process is sound"), "{found:?}");
    assert!(says("is done with tokens on a, or on b"), "{found:?}");
}

#[test]
fn places_and_transitions_of_the_translation_are_no_findings() {
    let directory = TestDirectory::new();
    directory.write(
        "model.pnml",
        "<pnml><net id='n' type='http://x/ptnet'><place id='lock'><initialMarking><text>1</text>\
         </initialMarking></place><place id='a'><initialMarking><text>2</text></initialMarking>\
         </place><place id='b'/><transition id='t'/><transition id='u'/><transition id='f'/>\
         <arc source='a' target='t'/><arc source='t' target='b'/><arc source='b' target='u'/>\
         <arc source='u' target='a'/><arc source='lock' target='u' type='inhibitor'/>\
         <arc source='b' target='f' type='reset'/></net></pnml>",
    );
    let (page, _) = page(&directory, &[]);
    let data_of = data(&page);
    let found = findings(&data_of);
    let problems: Vec<&String> =
        found.iter().filter(|(level, _)| level == "problem").map(|(_, text)| text).collect();
    assert_eq!(problems.len(), 1, "{found:?}");
    assert!(problems[0].starts_with("Transition u can never fire"), "{problems:?}");
    let warned = found.iter().filter(|(level, _)| level == "warning");
    assert!(warned.clone().all(|(_, text)| text.starts_with("Not every transition")), "{found:?}");
    let bounded = found.iter().find(|(_, text)| text.starts_with("The net is bounded"));
    assert!(bounded.unwrap().1.contains("more than 2 tokens"), "{found:?}");
    assert!(data_of["remark"][0].as_str().unwrap().contains("inhibitor or reset arcs"));
}

#[test]
fn many_dead_transitions_with_reasons_of_their_own_are_one_finding() {
    let mut net = "net n\n".to_owned();
    for at in 0..6 {
        net.push_str(&format!(
            "place f{at} 1\nplace a{at}\nplace b{at}\ntransition x{at}: f{at} -> a{at}\n\
             transition y{at}: f{at} -> b{at}\ntransition z{at}: a{at} + b{at} ->\n"
        ));
    }
    let directory = TestDirectory::with(&net);
    let (page, _) = page(&directory, &["-e", "QL"]);
    let found = findings(&data(&page));
    let dead = &found[0].1;
    assert!(
        dead.starts_with("6 transitions can never fire, for different reasons | "),
        "{found:?}"
    );
    let why = "z5 can never fire because a5 and b5 are never marked together: f5 + a5 + b5 = 1";
    assert!(dead.contains(why), "{dead}");
}

#[test]
fn dead_transitions_are_grouped_by_their_reason() {
    // A mutual exclusion that one transition would violate, and two dozen transitions that wait for
    // it. Another group waits for a place that is never marked.
    let mut net = "net n\nplace free 1\nplace a\nplace b\nplace s0\nplace key\nplace r0\n\
                   transition ta: free -> a\ntransition tb: free -> b\ntransition ua: a -> free\n\
                   transition ub: b -> free\ntransition both: a + b -> s0 + free\n\
                   transition open: key -> r0\ntransition shut: r0 -> r0\n"
        .to_owned();
    for at in 0..24 {
        net.push_str(&format!("place s{}\ntransition w{at}: s{at} -> s{}\n", at + 1, at + 1));
    }
    let directory = TestDirectory::with(&net);
    let (page, _) = page(&directory, &["-e", "QL"]);
    let found = findings(&data(&page));
    let dead: Vec<&String> =
        found.iter().filter(|(level, _)| level == "problem").map(|(_, text)| text).collect();
    assert_eq!(dead.len(), 2, "{dead:?}");
    assert!(
        dead[0].starts_with(
            "25 transitions can never fire because both cannot: a and b are never marked together: \
             free + a + b = 1 always | Therefore these transitions never get the tokens they need: \
             w0, w1"
        ),
        "{dead:?}"
    );
    assert_eq!(
        dead[1],
        "2 transitions can never fire because key is empty initially, and no transition puts a \
         token there | These are open, shut"
    );
}

#[test]
fn transitions_disabled_by_the_same_sum_are_one_finding() {
    let mut net = "net n\nplace a 1\nplace b\ntransition go: a -> b\ntransition back: b -> a\n\
                   place c 1\nplace d\ntransition on: c -> d\ntransition off: d -> c\n\
                   transition two: c + d -> c + d\n"
        .to_owned();
    for at in 0..12 {
        net.push_str(&format!("place d{at}\ntransition both{at}: a + b -> d{at}\n"));
    }
    for at in 0..5 {
        net.push_str(&format!("transition after{at}: d{at} -> a\n"));
    }
    let directory = TestDirectory::with(&net);
    let (page, _) = page(&directory, &["-e", "QL"]);
    let found = findings(&data(&page));
    let dead: Vec<&String> =
        found.iter().filter(|(level, _)| level == "problem").map(|(_, text)| text).collect();
    let [many, one] = dead[..] else { panic!("{dead:?}") };
    assert!(
        many.starts_with(
            "17 transitions can never fire: a and b are never marked together: a + b = 1 always | \
             These transitions can never fire for this reason: both0, both1"
        ) && many.ends_with("the tokens they need: after0, after1, after2, after3, after4"),
        "{many}"
    );
    let expected = "Transition two can never fire because c and d are never marked together";
    assert!(one.starts_with(expected), "{one}");
}

#[test]
fn irreversibility_is_explained_by_a_place_that_never_loses_tokens() {
    let directory = TestDirectory::with(
        "net n\nplace idle 1\nplace busy\nplace orders\nplace mails\n\
         transition start: idle -> busy + orders\ntransition finish: busy -> idle\n\
         transition mail: orders -> orders + mails\ntransition drop: mails ->",
    );
    let (page, _) = page(&directory, &["--timeout", "60s"]);
    let found = findings(&data(&page));
    let (_, back) = found.iter().find(|(_, text)| text.contains("initial marking")).unwrap();
    assert_eq!(
        back,
        "The net cannot always return to its initial marking | After 1 firing orders has more tokens \
         than initially, and no transition makes them fewer"
    );
}

#[test]
fn formulas_of_the_user_and_a_verdict_file_are_compared_with_the_net() {
    let directory = TestDirectory::with(
        "net n\nplace p 2\nplace q\ntransition t: p -> q\ntransition u: q -> p",
    );
    let (page, code) =
        page(&directory, &["--formula", "mine: AG p + q = 2", "--formula", "bound: bound(q)"]);
    assert_eq!(code, Some(0));
    let data_of = data(&page);
    let ids: Vec<(&str, &str)> = data_of["questions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|question| (question["id"].as_str().unwrap(), question["value"].as_str().unwrap()))
        .collect();
    assert_eq!(ids, [("mine", "TRUE"), ("bound", "2")]);
    let form = directory.run(&["properties", "model.pnml", "--format", "xml"]);
    let form = String::from_utf8(form.stdout).unwrap();
    let lie =
        form.replacen("reference=\"SAFE\" value=\"false\"", "reference=\"SAFE\" value=\"true\"", 1);
    assert_ne!(form, lie, "the net is not safe");
    directory.write("form.xml", &lie);
    let (page, _) = self::page(&directory, &["--form", "form.xml"]);
    let found = findings(&data(&page));
    assert_eq!(found[0].1, "The form says SAFE is true, but it is false");
}

#[test]
fn names_are_never_markup() {
    let names = ["<script>alert(1)</script>", "\"'`&amp;", "\u{2028}</script><!--", "${x}\\u003c"];
    let mut builder = NetBuilder::new("<img src=x onerror=alert(1)>");
    for (at, name) in names.iter().enumerate() {
        let place = builder.place(name, 1).unwrap();
        let t = builder.transition(&format!("t{at}{name}")).unwrap();
        builder.take(t, place, 1).unwrap();
    }
    let directory = TestDirectory::with_net(&builder.build().unwrap());
    let (page, _) = page(&directory, &[]);
    let data = data(&page);
    let places: Vec<&str> = data["net"]["places"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    assert_eq!(places, names);
    // The page has exactly our two scripts.
    assert_eq!((page.matches("<script").count(), page.matches("</script").count()), (2, 2));
    assert!(!page.contains("<img") && !page.contains('\u{2028}'));
}

#[test]
fn a_page_has_no_external_references_and_closed_elements() {
    let directory = TestDirectory::with("net n\nplace p 1\ntransition t: p -> p");
    let (page, _) = page(&directory, &[]);
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    let policy = "default-src 'none'; script-src 'nonce-";
    assert!(page.contains(policy));
    // The only address is the SVG namespace, which is never requested.
    let addresses = page.matches("://").count();
    assert_eq!(addresses, page.matches("http://www.w3.org/2000/svg").count());
    for word in
        ["fetch(", "XMLHttpRequest", "WebSocket", "import(", "eval(", "innerHTML", "@import"]
    {
        assert!(!page.contains(word), "{word}");
    }
    let (head, _) = page.split_once("<script").unwrap();
    let body = &head[head.find("<body>").unwrap()..];
    for element in ["div", "section", "main", "header", "button", "p", "ul", "h1", "h2", "label"] {
        let opened = body.matches(&format!("<{element}>")).count()
            + body.matches(&format!("<{element} ")).count()
            + body.matches(&format!("<{element}\n")).count();
        assert_eq!(opened, body.matches(&format!("</{element}>")).count(), "{element}");
    }
}

#[test]
fn a_page_stays_small() {
    // A net of 1,000 places and as many transitions, in rings that share a place.
    let mut net = String::from("net rings\nplace lock 3\n");
    for ring in 0..333 {
        net.push_str(&format!("place a_{ring} 1\nplace b_{ring}\nplace c_{ring}\n"));
        net.push_str(&format!("transition go_{ring}: a_{ring} + lock -> b_{ring}\n"));
        net.push_str(&format!("transition on_{ring}: b_{ring} -> c_{ring}\n"));
        net.push_str(&format!("transition back_{ring}: c_{ring} -> a_{ring} + lock\n"));
    }
    let directory = TestDirectory::with(&net);
    let (page, _) = page(&directory, &["--timeout", "10s"]);
    assert!(page.len() <= 2 << 20, "{} bytes", page.len());
    let data = data(&page);
    assert_eq!(data["net"]["groups"]["places"].as_array().unwrap().len(), 4);
}

#[test]
fn unsupported_options_of_reports_are_refused() {
    let directory = TestDirectory::with("net n\nplace p 1\ntransition t: p -> p");
    let output = directory.run(&["report", "model.pnml", "-o", "r.html", "-e", "StateSpace"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("use `parikh states`"));
    let output =
        directory.run(&["report", "model.pnml", "-o", "r.html", "-e", "OneSafe", "--queries", "x"]);
    assert_eq!(output.status.code(), Some(2));
    for several in [&["-e", "RD,OS"][..], &["-e", "RD", "-e", "OS"]] {
        let output = directory.run(&[&["report", "model.pnml", "-o", "r.html"], several].concat());
        assert_eq!(output.status.code(), Some(2), "{several:?}");
        assert!(stderr(&output).contains("a page has one examination"), "{several:?}");
    }
    // Shell completions do not offer the option either.
    let script = directory.succeeds(&["completions", "fish"]);
    assert_eq!(script.matches("StateSpace\\t'").count(), 1, "of `check` alone");
    assert_eq!(script.matches("OneSafe\\t'").count(), 2);
}

#[test]
fn a_deadlock_counts_the_omitted_waiting_transitions() {
    let mut net = "place p 1\nplace q\ntransition go: 2*p ->\n".to_owned();
    for at in 0..100 {
        net += &format!("transition t{at}: p + q -> q\n");
    }
    let directory = TestDirectory::with(&net);
    let (page, _) = page(&directory, &["-e", "RD"]);
    let found = findings(&data(&page));
    let (_, stuck) = found.iter().find(|(level, _)| level == "problem").expect("a deadlock");
    assert!(stuck.contains("; and 94 more wait"), "{stuck}");
}

#[test]
fn a_page_is_written_to_stdout_and_questions_come_from_a_query_file() {
    let directory = TestDirectory::with("net n\nplace p 1\nplace q\ntransition t: p -> q");
    let page = directory.succeeds(&["report", "model.pnml", "-o", "-", "-e", "OneSafe"]);
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    assert!(!directory.at("-").exists());
    directory.write(
        "questions.xml",
        "<property-set><property><id>dead</id><formula><exists-path><finally><deadlock/></finally>\
         </exists-path></formula></property></property-set>",
    );
    let page =
        directory.succeeds(&["report", "model.pnml", "-o", "-", "--queries", "questions.xml"]);
    let data = data(&page);
    let question = &data["questions"][0];
    assert_eq!((question["id"].as_str(), question["value"].as_str()), (Some("dead"), Some("TRUE")));
    // Without the file name, the missing argument is reported.
    let said = directory.fails_with(2, &["report", "model.pnml", "-o", "r.html", "--queries"]);
    assert!(said.contains("'--queries <FILE>'"), "{said}");
}

#[test]
fn a_name_that_clashes_costs_no_other_node_its_name() {
    let mut builder = NetBuilder::new("n");
    let names = [("1", "waiting"), ("2", "lock"), ("3", "lock"), ("4", " ")];
    for (id, name) in names {
        let place = builder.place(id, 1).unwrap();
        builder.label_place(place, name);
        let t = builder.transition(&format!("t{id}")).unwrap();
        builder.take(t, place, 1).unwrap();
    }
    let directory = TestDirectory::with_net(&builder.build().unwrap());
    let (page, _) = page(&directory, &["-e", "OneSafe"]);
    let labels = &data(&page)["net"]["labels"];
    assert_eq!(labels["places"], serde_json::json!(["waiting", "2", "3", "4"]));
    assert_eq!(labels["shared"], serde_json::json!({"1": "lock", "2": "lock"}));
    // The texts that the search field matches.
    assert!(page.contains("[nameOf(node), idOf(node), sharedNameOf(node) ?? \"\"]"));
}

#[test]
fn large_numbers_are_written_as_text() {
    let directory = TestDirectory::with(
        "net n\nplace p 9223372036854775807\nplace q\ntransition t: p -> q\ntransition up: -> p",
    );
    let (page, _) = page(&directory, &["-e", "OneSafe"]);
    assert_eq!(data(&page)["net"]["initial"][0][1], "9223372036854775807");
    let said = directory.run(&["report", "model.pnml", "-o", "r.html", "--timeout", "0s"]);
    assert_eq!(said.status.code(), Some(3));
    assert!(
        stderr(&said).contains("questions are open; the page gives the reasons"),
        "{}",
        stderr(&said)
    );
    // No number of tokens is printed in rounded scientific notation.
    assert!(!page.contains("}e${"), "a rounded number");
}

#[test]
fn a_transition_that_waits_for_its_own_tokens_waits_for_no_other() {
    let directory = TestDirectory::with("net n\nplace p 1\nplace q 1\ntransition dbl: 2*p -> 3*p");
    let (page, _) = self::page(&directory, &["-e", "QL"]);
    let found = findings(&data(&page));
    let expected = "Transition dbl can never fire because it needs 2 tokens on p, which holds 1 \
                    initially, and only dbl adds tokens there";
    assert!(found.iter().any(|(_, said)| said.starts_with(expected)), "{found:?}");
}

#[test]
fn dead_transitions_with_the_same_reason_are_one_finding() {
    let mut net = String::from("net n\nplace never\nplace later\n");
    for name in ["ship", "send", "sell"] {
        net.push_str(&format!("transition {name}: never -> later\n"));
    }
    let directory = TestDirectory::with(&net);
    let (page, _) = page(&directory, &["-e", "QuasiLiveness"]);
    let found = findings(&data(&page));
    let dead: Vec<&str> =
        found.iter().map(|(_, text)| &**text).filter(|text| text.contains("never fire")).collect();
    assert_eq!(dead.len(), 1, "{found:?}");
    assert_eq!(
        dead[0],
        "3 transitions can never fire because never is empty initially, and no transition puts a \
         token there | These are ship, send, sell"
    );
}

#[test]
fn a_false_formula_of_the_author_is_a_problem_and_a_contest_formula_is_a_note() {
    let directory = TestDirectory::with("net n\nplace p 1\nplace q\ntransition t: p -> q");
    let (page, _) =
        page(&directory, &["--formula", "stays: AG p = 1", "--formula", "goes: EF q = 1"]);
    let found = findings(&data(&page));
    assert!(found[0].1.starts_with("stays is false | AG (p = 1)"), "{found:?}");
    assert_eq!(found[0].0, "problem");
    assert_eq!((found[1].0.as_str(), found.len()), ("good", 2));
    assert!(data(&page)["findings"][0]["play"].is_object(), "the counterexample is played");
    directory.write(
        "ReachabilityFireability.xml",
        "<property-set><property><id>f</id><formula><all-paths><globally><is-fireable>\
         <transition>t</transition></is-fireable></globally></all-paths></formula></property>\
         </property-set>",
    );
    let (page, _) = self::page(&directory, &["-e", "RF"]);
    assert_eq!(findings(&data(&page))[0].0, "note");
}

#[test]
fn the_title_of_a_page_is_the_name_of_the_net() {
    let directory = TestDirectory::with("net \"Two cranes\"\nplace p 1\ntransition t: p -> p");
    let (page, _) = page(&directory, &["-e", "RD"]);
    assert_eq!(data(&page)["model"], "Two cranes");
    assert!(page.contains("<title>Two cranes – Parikh</title>"));
}

#[test]
fn the_title_of_a_page_about_a_pnml_file_is_the_name_of_the_net_and_not_its_id() {
    let directory = TestDirectory::new();
    let net = |name: &str| {
        format!(
            "<pnml><net id=\"noID\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">{name}\
             <page id=\"g\"><name><text>The page</text></name>\
             <place id=\"p\"><name><text>P</text></name></place></page></net></pnml>"
        )
    };
    directory.write("model.pnml", &net("<name><text>Two\n cranes </text></name>"));
    let (page, _) = self::page(&directory, &["-e", "RD"]);
    assert_eq!(data(&page)["model"], "Two  cranes");
    directory.succeeds(&["draw", "model.pnml", "-o", "model.svg"]);
    assert!(directory.read("model.svg").contains("<title>Two  cranes</title>"));
    directory.write("model.pnml", &net(""));
    let (page, _) = self::page(&directory, &["-e", "RD"]);
    assert_eq!(data(&page)["model"], "noID");
}

#[test]
fn a_page_about_a_large_coloured_net_lists_no_single_bindings() {
    // The unfolding has more transitions than are examined one by one.
    let directory = TestDirectory::new();
    directory.write(
        "model.pnml",
        "sort C = 1..60\nsort D = C * C\nvar x: C\nvar y: C\nplace p: D = {all}\nplace q: D\n\
         transition t: p{(x,y)} -> q{(x,y)}\ntransition u: q{(x,y)} -> p{(x,y)}",
    );
    let (page, _) = self::page(&directory, &["-e", "QL", "--timeout", "20s"]);
    assert_eq!(data(&page)["fates"], serde_json::json!([]));
}

#[test]
fn no_assumption_and_no_part_of_a_formula_has_backticks() {
    let directory = TestDirectory::with("net n\nplace i\nplace o\ntransition a: i -> o");
    let (page, _) = self::page(&directory, &[]);
    let remark = data(&page)["remark"].to_string();
    assert!(remark.contains("Assumed: ") && !remark.contains('`'), "{remark}");
    let directory = TestDirectory::with(
        "net n\nplace p 1\nplace q\ntransition t: p -> q\ntransition u: q -> p",
    );
    let (page, _) = self::page(&directory, &["--formula", "A F G (q >= 1)"]);
    let questions = data(&page)["questions"].to_string();
    assert!(questions.contains("\"parts\"") && !questions.contains('`'), "{questions}");
}

#[test]
fn no_sentence_of_a_page_has_backticks() {
    let nets = [
        "net n\nplace p 2\nplace q\nplace r\ntransition t: p -> q\ntransition u: r -> r + q",
        "net n\nplace p 1\nplace q\ntransition t: p -> p + q\ntransition u: q ->",
    ];
    for net in nets {
        let (page, _) = page(&TestDirectory::with(net), &[]);
        let data = data(&page);
        assert!(!data.to_string().contains('`'), "{data}");
    }
}

#[test]
fn a_stable_place_is_reported() {
    let directory = TestDirectory::with(
        "net n\nplace key 1\nplace p 1\nplace q\ntransition t: p + key -> q + key",
    );
    let (page, _) = page(&directory, &["-e", "StableMarking"]);
    let found = findings(&data(&page));
    let kept = "Some place never changes its number of tokens | place key always holds 1 token; any other \
                number is unreachable: ";
    assert!(found[0].1.starts_with(kept), "{found:?}");
}

#[test]
fn a_claim_of_safe_units_that_a_marking_breaks_decides_no_key() {
    // The claim implies that `a` and `b` are never marked together and never hold two tokens.
    let directory = TestDirectory::new();
    directory.write(
        "model.pnml",
        "<pnml><net id='n'><place id='a'><initialMarking><text>1</text></initialMarking></place>\
         <place id='b'/><transition id='t'/><transition id='u'/>\
         <arc id='1' source='a' target='t'/><arc id='2' source='t' target='b'/>\
         <arc id='3' source='b' target='u'/><arc id='4' source='u' target='b'>\
         <inscription><text>2</text></inscription></arc>\
         <toolspecific tool='nupn' version='1.1'><size places='2' transitions='2' arcs='4'/>\
         <structure units='1' root='u' safe='true'><unit id='u'><places>a b</places><subunits/>\
         </unit></structure></toolspecific></net></pnml>",
    );
    let (page, _) = page(&directory, &[]);
    let data = data(&page);
    let keys = data["keys"].as_array().unwrap();
    let value = |key: &str| &keys.iter().find(|row| row["key"] == key).unwrap()["value"];
    assert_eq!(value("SAFE"), "false", "{keys:?}");
    for question in data["questions"].as_array().unwrap() {
        assert_eq!(question["assumes_units"], false, "{question}");
    }
}

#[test]
fn keys_of_a_page_are_about_the_net_without_assumed_tokens() {
    let directory = TestDirectory::with("net n\nplace i\nplace o\ntransition a: i -> o");
    let (page, _) = page(&directory, &[]);
    let data = data(&page);
    assert!(
        data["remark"][0]
            .as_str()
            .unwrap()
            .contains("The properties of the model form are about the net without tokens")
    );
    let found = directory.outputs(&["properties", "model.pnml", "--format", "json"]).1;
    for line in found.lines() {
        let ours: Value = serde_json::from_str(line).unwrap();
        let rows = data["keys"].as_array().unwrap();
        let row = rows.iter().find(|row| row["key"] == ours["key"]).unwrap();
        assert_eq!((&row["value"], &row["net"]), (&ours["value"], &ours["net"]), "{row}");
    }
}

/// Returns a net in PNML with reset arcs: cancelling `a` resets `b`. `tokens` is the content of the
/// source.
fn cancelling(tokens: &str) -> String {
    format!(
        "<pnml><net id='n' type='http://x/ptnet'><place id='in'>{tokens}</place><place id='a'/>\
         <place id='b'/><place id='out'/><transition id='t'/><transition id='u'/>\
         <transition id='cancel'/><arc source='in' target='t'/><arc source='t' target='a'/>\
         <arc source='t' target='b'/><arc source='a' target='u'/><arc source='b' target='u'/>\
         <arc source='u' target='out'/><arc source='a' target='cancel'/>\
         <arc source='cancel' target='out'/><arc source='b' target='cancel' type='reset'/>\
         </net></pnml>"
    )
}

#[test]
fn soundness_with_reset_arcs_is_reported_with_its_assumptions() {
    let directory = TestDirectory::new();
    let marked = "<initialMarking><text>1</text></initialMarking>";
    for (tokens, remark) in [("", "which begins in in."), (marked, "reset arcs")] {
        directory.write("model.pnml", &cancelling(tokens));
        let (page, _) = page(&directory, &[]);
        let data = data(&page);
        assert_eq!(data["questions"][0]["id"], "Soundness", "{data}");
        assert_eq!(data["questions"][0]["value"], "TRUE", "{data}");
        let said = data["remark"].to_string();
        assert!(said.contains(remark) && said.contains("in the sink out"), "{said}");
        let is_assumed = said.contains("Assumed: the initial marking is one token");
        assert_eq!(is_assumed, tokens.is_empty(), "{said}");
        let found = findings(&data);
        assert!(found.iter().all(|(_, text)| !text.starts_with("A deadlock")), "{found:?}");
    }
    // No answer about a formula rests on when a case is done.
    let (page, _) = page(&directory, &["--formula", "EF (a >= 1)"]);
    assert!(!data(&page)["remark"].to_string().contains("Assumed"));
}

#[test]
fn a_formula_with_names_is_shown_as_written_with_the_nodes_it_means() {
    let directory = TestDirectory::new();
    directory.write(
        "model.pnml",
        "<pnml><net id='n' type='http://x/ptnet'><place id='n1'><initialMarking><text>1</text>\
         </initialMarking></place><place id='n2'/><transition id='n3'><name><text>Pay</text></name>\
         </transition><transition id='n4'><name><text>Pay</text></name></transition>\
         <arc source='n1' target='n3'/><arc source='n1' target='n4'/><arc source='n3' target='n2'/>\
         <arc source='n4' target='n2'/></net></pnml>",
    );
    let (page, _) = page(&directory, &["--formula", "paid: E F  fires(\"Pay\")"]);
    let title = data(&page)["questions"][0]["title"].clone();
    assert_eq!(title, "E F fires(\"Pay\"); \"Pay\" means transitions n3, n4");
}
