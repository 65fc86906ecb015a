//! Command-line tests of `parikh check --formula` and `--formulas`.

use crate::support::binary::TestDirectory;

/// A net of two processes with a shared lock.
const MUTEX: &str = "<pnml><net id='mutex'>
  <place id='idle_1'><initialMarking><text>1</text></initialMarking></place>
  <place id='idle_2'><initialMarking><text>1</text></initialMarking></place>
  <place id='lock'><initialMarking><text>1</text></initialMarking></place>
  <place id='critical_1'/><place id='critical_2'/>
  <transition id='enter_1'/><transition id='leave_1'/>
  <transition id='enter_2'/><transition id='leave_2'/>
  <arc id='a1' source='idle_1' target='enter_1'/><arc id='a2' source='lock' target='enter_1'/>
  <arc id='a3' source='enter_1' target='critical_1'/>
  <arc id='a4' source='critical_1' target='leave_1'/>
  <arc id='a5' source='leave_1' target='idle_1'/><arc id='a6' source='leave_1' target='lock'/>
  <arc id='b1' source='idle_2' target='enter_2'/><arc id='b2' source='lock' target='enter_2'/>
  <arc id='b3' source='enter_2' target='critical_2'/>
  <arc id='b4' source='critical_2' target='leave_2'/>
  <arc id='b5' source='leave_2' target='idle_2'/><arc id='b6' source='leave_2' target='lock'/>
</net></pnml>";

struct Folder(TestDirectory);

impl Folder {
    fn new() -> Self {
        let folder = Folder(TestDirectory::new());
        folder.write("mutex.pnml", MUTEX);
        folder
    }

    fn write(&self, name: &str, text: &str) {
        self.0.write(name, text);
    }

    /// Runs `parikh check mutex.pnml`. Returns the exit code, the sorted lines without times, and
    /// stderr.
    fn check(&self, arguments: &[&str]) -> (i32, Vec<String>, String) {
        let check = [&["check", "mutex.pnml", "--timeout", "30s"], arguments].concat();
        let (code, text, stderr) = self.0.outputs(&check);
        // The engine that answers may differ between runs.
        let answer = |line: &str| line.split(" — ").next().unwrap_or_default().to_owned();
        let mut lines: Vec<String> = text.lines().map(answer).collect();
        lines.sort();
        (code, lines, stderr)
    }
}

#[test]
fn equal_names_are_numbered_in_order() {
    let folder = Folder::new();
    folder.write("f.txt", "a: EF lock >= 1\nb: EF lock >= 2\nb: EF lock >= 1\n");
    let formulas = ["--formula", "a: EF lock >= 2", "--formula", "a: EF deadlock"];
    let (code, lines, _) = folder.check(&[&formulas[..], &["--formulas", "f.txt"]].concat());
    assert_eq!(code, 0);
    assert_eq!(lines, ["a-2: FALSE", "a-3: TRUE", "a: FALSE", "b-2: TRUE", "b: FALSE"]);
}

#[test]
fn query_files_in_utf_16_are_read() {
    let folder = Folder::new();
    let text = "\u{feff}<?xml version='1.0' encoding='UTF-16'?><property-set><property><id>a</id>\
                <formula><true/></formula></property></property-set>";
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(folder.0.at("q.xml"), bytes).unwrap();
    let (code, lines, _) = folder.check(&["--formulas", "q.xml"]);
    assert_eq!((code, lines), (0, vec!["a: TRUE".to_owned()]));
}

#[test]
fn combinations_are_answered_with_the_deciding_parts() {
    let folder = Folder::new();
    let check = |formula: &str, more: &[&str]| {
        let (code, said, stderr) =
            folder.0.outputs(&[&["check", "mutex.pnml", "--formula", formula][..], more].concat());
        assert_eq!((code, stderr.as_str()), (0, ""), "{formula}");
        said
    };
    let both = "EF (critical_1 >= 1) && AG (critical_1 + critical_2 <= 1) || EF lock >= 2";
    let said = check(both, &[]);
    assert!(
        said.contains("TRUE — EF `critical_1` ≥ 1: a witness of 1 firing was replayed; AG "),
        "{said}"
    );
    let said = check(both, &["--format", "json"]);
    assert!(
        said.contains(r#""value":"TRUE""#) && said.contains(r#""reason":"EF `critical_1`"#),
        "{said}"
    );
    // A single false part decides the formula.
    let said = check("EF lock >= 2 && EF critical_1 >= 1 && EF lock >= 1", &[]);
    assert!(said.contains("FALSE — place `lock`: "), "{said}");
    // The left side is false and the right side is true, so the equivalence is false.
    let said = check("(EF lock >= 2) <-> (AG EF lock >= 1)", &[]);
    // Which engine excludes the second part differs from run to run, and so does its claim.
    let second = ["; AG EF `lock` ≥ 1: ", "; not EFAG!\"`lock` ≥ 1\": "];
    assert!(said.contains("FALSE — AG `lock` ≤ 1: "), "{said}");
    assert!(second.iter().any(|claim| said.contains(claim)), "{said}");
    let said = check("lock >= 1 || EF lock >= 2", &[]);
    assert!(said.contains("TRUE — the initial marking shows it"), "{said}");
}

#[test]
fn formulas_without_a_name_get_one_that_is_free() {
    let (code, lines, stderr) = Folder::new().check(&[
        "--formula",
        "EF critical_1 >= 5",
        "--formula",
        "formula-3: EF critical_1 >= 1",
        "--formula",
        "EF critical_2 >= 1",
        "--formula",
        "formula-1: true",
    ]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_eq!(
        lines,
        ["formula-1: TRUE", "formula-2: FALSE", "formula-3: TRUE", "formula-4: TRUE"]
    );
}

#[test]
fn formulas_on_the_command_line_are_answered() {
    let (code, lines, stderr) = Folder::new().check(&[
        "--formula",
        "AG !(critical_1 >= 1 && critical_2 >= 1)",
        "--formula",
        "busy: EF (critical_2 = 1 and not fireable(enter_1))",
        "--formula",
        "bound(critical_1 + critical_2 + lock)",
        "--formula",
        "EF deadlock",
    ]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_eq!(lines, ["busy: TRUE", "formula-1: TRUE", "formula-3: 1", "formula-4: FALSE"]);
}

#[test]
fn a_wrong_formula_leaves_the_others_and_is_shown() {
    let folder = Folder::new();
    let (code, lines, stderr) = folder.check(&[
        "--formula",
        "EF critcal_1 >= 1",
        "--formula",
        "EF (critical_1 >= 1)",
        "--formula",
        "AG EF (idle_1 >= 1)",
        "--formula",
        "A F X (EF idle_1 >= 1)",
    ]);
    assert_eq!(code, 3);
    assert_eq!(
        lines,
        ["formula-1: unknown", "formula-2: TRUE", "formula-3: TRUE", "formula-4: unknown"]
    );
    assert_eq!(
        stderr,
        "parikh: --formula:1:4: the net has no place `critcal_1`; did you mean `critical_1`?\n  \
         EF critcal_1 >= 1\n     \
         ^^^^^^^^^\n\
         parikh: formula formula-4: E below a temporal operator is not supported: expected a CTL \
         formula, or an LTL formula with at most one path quantifier in front\n"
    );
    let (code, lines, stderr) = folder.check(&["--formula", "EF ("]);
    assert_eq!((code, lines.len()), (1, 0));
    assert!(stderr.ends_with("parikh: none of the formulas could be read\n"), "{stderr}");
}

#[test]
fn files_of_every_language_are_read() {
    let folder = Folder::new();
    folder.write("inline.txt", "safe: AG critical_1 + critical_2 <= 1\nends: EF deadlock\n");
    folder.write(
        "contest.txt",
        "Property m-00\n  \"d\"\n  is:\n    E (F (is-fireable(\"leave_1\")))\n  end.\n",
    );
    folder.write("2011.txt", "f1 = invariant not (critical_1 contains {2*[.]})\n");
    folder.write(
        "queries.xml",
        "<property-set><property><id>x-00</id><formula><exists-path><finally><deadlock/></finally>\
         </exists-path></formula></property></property-set>",
    );
    let (code, lines, stderr) = folder.check(&[
        "--formulas",
        "inline.txt",
        "--formulas",
        "contest.txt",
        "--formulas",
        "2011.txt",
        "--formulas",
        "queries.xml",
    ]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_eq!(lines, ["ends: FALSE", "f1: TRUE", "m-00: TRUE", "safe: TRUE", "x-00: FALSE"]);
}

#[test]
fn formulas_of_lola_are_recognised_by_their_own_syntax() {
    let folder = Folder::new();
    folder.write("dead.formula", "EF DEADLOCK\n");
    folder.write("two.formula", "AG (critical_1 <= 1);\n{ and } EF critical_1 > 0;\n");
    folder.write("comment.formula", "{ whether } AGEF critical_1 > 0 /* always */\n");
    let files = ["dead.formula", "two.formula", "comment.formula"];
    let arguments = files.map(|file| ["--formulas", file]).concat();
    let (code, mut lines, stderr) = folder.check(&arguments);
    lines.sort();
    let values: Vec<&str> =
        lines.iter().filter_map(|line| line.split_once(": ")).map(|it| it.1).collect();
    assert_eq!((code, stderr.as_str()), (0, ""), "{lines:?}");
    assert_eq!(values, ["FALSE", "TRUE", "TRUE", "TRUE"], "{lines:?}");
}

#[test]
fn files_are_refused_as_a_whole_for_their_own_reasons() {
    let folder = Folder::new();
    let problem = |arguments: &[&str]| {
        let (code, lines, stderr) = folder.check(arguments);
        assert_eq!((code, lines.len()), (1, 0));
        stderr
    };
    folder.write("other.txt", "a: EF x >= 1\nb: EF y >= 1\n");
    assert_eq!(
        problem(&["--formulas", "other.txt"]),
        "parikh: other.txt: all 2 formulas name places or transitions that the net does not have; \
         does the file belong to another model? The first error: other.txt:1:7: the net has no \
         place `x`\n"
    );
    folder.write("empty.txt", "# nothing\n");
    assert_eq!(problem(&["--formulas", "empty.txt"]), "parikh: empty.txt contains no formula\n");
    std::fs::write(folder.0.at("binary.txt"), b"true\n\xff\xfe").unwrap();
    assert_eq!(
        problem(&["--formulas", "binary.txt"]),
        "parikh: binary.txt:2: expected text in UTF-8\n"
    );
    assert!(problem(&["--formulas", "none.txt"]).starts_with("parikh: none.txt: cannot be read"));
}

#[test]
fn strictness_of_2011_is_asked_for() {
    let folder = Folder::new();
    folder.write("f.txt", "a = reachable idle_1 equals {} and (lock equals {})\n");
    let (_, _, stderr) = folder.check(&["--formulas", "f.txt"]);
    assert_eq!(stderr, "");
    let (code, lines, stderr) = folder.check(&["--formulas", "f.txt", "--strict-2011"]);
    assert_eq!((code, lines), (0, vec!["a: TRUE".to_owned()]));
    assert_eq!(
        stderr,
        "parikh: note: f.txt:1:15: not in the grammar of 2011: operands of `and` and `or` without \
         parentheses\n  \
         a = reachable idle_1 equals {} and (lock equals {})\n                \
         ^^^^^^^^^^^^^^^^\n"
    );
}

#[test]
fn an_examination_or_formulas_or_both_are_asked() {
    let folder = Folder::new();
    for arguments in [&[][..], &["--strict-2011"]] {
        assert_eq!(folder.check(arguments).0, 2, "{arguments:?}");
    }
    assert_eq!(folder.check(&["-e", "RD"]).0, 0);
    assert_eq!(folder.check(&["-e", "RD", "--formula", "true"]).0, 0);
}

#[test]
fn a_trace_is_called_by_the_formula() {
    let folder = Folder::new();
    let (code, ..) = folder.check(&["--formula", "in: EF critical_1 = 1", "--trace", "traces"]);
    assert_eq!(code, 0);
    let trace = folder.0.read("traces/in.trace");
    assert!(trace.contains("enter_1"), "{trace}");
}

#[test]
fn ltl_answers_have_runs_or_proofs() {
    let folder = Folder::new();
    let (code, lines, stderr) = folder.check(&[
        "--formula",
        "served: A F (critical_1 = 1)",
        "--formula",
        "leaves: G (critical_1 = 1 -> F (idle_1 = 1))",
        "--formula",
        "next: A X X (idle_1 = 1 && idle_2 = 1)",
        "--formula",
        "idles: E G (idle_1 = 1)",
        "--formula",
        "ends: A F deadlock",
        "--trace",
        "traces",
        "--evidence",
        "proofs",
    ]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_eq!(
        lines,
        ["ends: FALSE", "idles: TRUE", "leaves: TRUE", "next: TRUE", "served: FALSE"]
    );
    // The other process repeats its cycle forever.
    let trace = folder.0.read("traces/served.trace");
    let repeated = trace.split_once("@repeat").expect("a lasso").1;
    assert!(repeated.contains("enter_2") && !repeated.contains("enter_1"), "{trace}");
    let (code, said, _) = folder.0.outputs(&["replay", "mutex.pnml", "traces/served.trace"]);
    assert_eq!(code, 0);
    assert!(said.contains("lead back to the same marking"), "{said}");
    // The explanation has the prefix, the cycle, and the starved process.
    let (way_in, again) = said.split_once("cycle, repeated forever:\n").expect("a cycle");
    assert!(way_in.contains("prefix:\n  from "), "{said}");
    assert!(again.contains("  enter_2: "), "{said}");
    assert!(
        again.contains("enabled at some point of the cycle, but never fired: enter_1"),
        "{said}"
    );
    assert!(folder.0.read("proofs/Formulas.jsonl").contains("\"lasso\""));
}

#[test]
fn fairness_restricts_the_considered_runs() {
    let folder = Folder::new();
    let served = "served: G F critical_1 = 1";
    let check = |fair: &[&str], value: &str| {
        let asked = ["--formula", served, "--trace", "traces"];
        let (code, lines, stderr) = folder.check(&[&asked[..], fair].concat());
        assert_eq!((code, stderr.as_str()), (0, ""), "{fair:?}");
        assert_eq!(lines, [format!("served: {value}")], "{fair:?}");
    };
    check(&[], "FALSE");
    // The other process may take the lock each time before the first process is enabled again.
    check(&["--fair", "weak"], "FALSE");
    let trace = folder.0.read("traces/served.trace");
    let repeated = trace.split_once("@repeat").expect("a lasso").1;
    assert!(repeated.contains("enter_2") && repeated.contains("leave_2"), "{trace}");
    check(&["--fair", "strong:enter_2", "--fair", "weak:leave_2, enter_1"], "FALSE");
    check(&["--fair", "strong:enter_1"], "TRUE");
    check(&["--fair", "strong"], "TRUE");
    let refused = |expected: i32, arguments: &[&str]| {
        let (code, lines, stderr) = folder.check(arguments);
        assert_eq!((code, lines.as_slice()), (expected, &[][..]), "{arguments:?}");
        stderr
    };
    // The exit code is the same as for a formula with an unknown name.
    let stderr = refused(1, &["--formula", served, "--fair", "weak:enter_3"]);
    assert!(stderr.contains("--fair: the net has no transition `enter_3`"), "{stderr}");
    let stderr = refused(2, &["-e", "RD", "--fair", "weak"]);
    assert!(stderr.contains("--fair applies to runs only"), "{stderr}");
}

#[test]
fn a_run_that_never_ends_is_in_json_and_on_the_page_of_a_report() {
    let folder = Folder::new();
    let asked = ["--formula", "served: G F critical_1 = 1"];
    let check = [&["check", "mutex.pnml", "--format", "json"], &asked[..]].concat();
    let (code, said, _) = folder.0.outputs(&check);
    assert_eq!(code, 0);
    assert!(said.contains(r#""witness":{"end":"repeats""#), "{said}");
    folder.0.succeeds(&[&["report", "mutex.pnml", "-o", "page.html"], &asked[..]].concat());
    let page = folder.0.read("page.html");
    assert!(page.contains(r#""comes_back":true"#) && page.contains(r#""holds":""#));
}

#[test]
fn automata_of_formulas_are_shown_and_written() {
    let folder = Folder::new();
    let automaton =
        |more: &[&str]| folder.0.succeeds(&[&["automaton", "G(a -> F b)"], more].concat());
    let said = automaton(&[]);
    assert!(said.contains(" state") && said.contains(" mark") && said.contains("; "), "{said}");
    let hoa = automaton(&["-o", "-"]);
    assert!(hoa.starts_with("HOA: v1\n") && hoa.contains("AP: 2 \"a\" \"b\""), "{hoa}");
    for (file, begins) in [("a.svg", "<svg"), ("a.dot", "digraph"), ("a.hoa", "HOA: v1")] {
        automaton(&["-o", file]);
        assert!(folder.0.read(file).starts_with(begins), "{file}");
    }
    let negated = automaton(&["--negated"]);
    assert!(negated != said && negated.contains("weak"), "{negated}");
    let stderr = folder.0.fails_with(2, &["automaton", "G(a -> )"]);
    assert!(stderr.contains("column 8") && stderr.contains("\n         ^"), "{stderr}");
    assert!(folder.0.fails_with(2, &["automaton", "F a", "-o", "a.txt"]).contains(".hoa"));
}
