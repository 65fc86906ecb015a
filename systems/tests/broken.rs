//! Invalid inputs: each error names the line, and nothing panics.

use parikh_systems::read::{self, ReadError};
use parikh_systems::{LabelFormula, System};

const DOT: &str = "digraph G {
  subgraph component0 {
0 [label=\"0\" style=filled];
1 [label=\"1\"];
0->1 [label=\"\" color=black ];
1->1 [label=\"work\" color=black ];
  }
  subgraph component1 {
2->3 [label=\"\"];
3->4 [label=\"work\"];
4->3 [label=\"rest\"];
  }
}
";

const AUT: &str = "des (0, 3, 2)\n(0, \"send\", 1)\n(1, ack, 0)\n(1, \"lose, or not\", 1)\n";

const FSM: &str = "state(2) Nat\n---\n0\n1\n---\n1 2 \"send\"\n2 1 \"ack\"\n";

const PROMELA: &str = "mtype = { nop, a };
active proctype Environment()
{
}
active proctype Proc0()
{
  int state = 0;
  do
  :: state == 0 ->
    atomic {
      if
      :: p0 ? nop ->

        state = 4;
      fi
    }
  :: state == 4 ->
    atomic {
      if
      :: p0 ? a ->
        act ! a;
        state = 4;
      fi
    }
  od
}

#define pa	 (lastAction == a)

ltl p1 { (! pa V true) }
";

const PROPERTIES: &str = "#1:  true\n( (work => F(rest)) )\n\n#2:\n( !rest\n# a comment\n  U work )\n\n#3: unknown\n( X(rest) )\n";

type Reader = fn(&str) -> Result<(), ReadError>;

fn dot(text: &str) -> Result<(), ReadError> {
    read::dot(text, "x").map(|_| ())
}

fn aut(text: &str) -> Result<(), ReadError> {
    read::aut(text, "x").map(|_| ())
}

fn fsm(text: &str) -> Result<(), ReadError> {
    read::fsm(text, "x").map(|_| ())
}

fn promela(text: &str) -> Result<(), ReadError> {
    read::promela(text, "x").map(|_| ())
}

fn system() -> System {
    read::dot(DOT, "x").unwrap()
}

fn properties(text: &str) -> Result<(), ReadError> {
    let system = system();
    for property in read::properties(text)? {
        match read::is_branching(&property.formula) {
            true => drop(
                read::branching(&property.formula, &system)
                    .map_err(|error| error.in_whole_text(text, property.offset))?,
            ),
            false => drop(
                LabelFormula::parse(&property.formula, &system)
                    .map_err(|error| property.error(text, &error))?,
            ),
        }
    }
    Ok(())
}

const READERS: [(Reader, &str); 5] =
    [(dot, DOT), (aut, AUT), (fsm, FSM), (promela, PROMELA), (properties, PROPERTIES)];

/// Invalid inputs, each with the line and the text of its error.
const BROKEN: &[(Reader, &str, usize, &str)] = &[
    (dot, "", 1, "expected `digraph`, found the end of the file"),
    (dot, "graph G {}", 1, "expected `digraph`"),
    (dot, "digraph G", 1, "expected `{` after `digraph`"),
    (dot, "digraph G {", 1, "expected `subgraph NAME {`"),
    (dot, "digraph G {\n}", 2, "no components"),
    (dot, "digraph G {\n1->2 [label=\"a\"];\n}", 2, "expected `subgraph NAME {`"),
    (dot, "digraph G {\nsubgraph a {\n}\n}", 2, "exactly one state without incoming edges"),
    (dot, "digraph G {\nsubgraph a {\n1->2;\n}}", 3, "expected a label of the edge"),
    (dot, "digraph G {\nsubgraph a {\n1->2 [label=];\n}}", 3, "the value of the attribute"),
    (dot, "digraph G {\nsubgraph a {\n1->2 [label=\"a];\n}}", 3, "a closing `\"`"),
    (dot, "digraph G {\nsubgraph a {\n1-> [label=\"a\"];\n}}", 3, "the target state of the edge"),
    (dot, "digraph G {\nsubgraph a {\n1->2 [label \"a\"];\n}}", 3, "expected `=`"),
    (dot, "digraph G {\nsubgraph a {\n1->2 [label=\"a\"\n}}", 4, "expected an attribute"),
    (dot, "digraph G {\nsubgraph a {\n1->1 [label=\"a\"];\n}}", 2, "exactly one state"),
    (
        dot,
        "digraph G {\nsubgraph a {\n1->2 [label=\"\"];\n2->1 [label=\"a\"];\n}}",
        4,
        "no edge back to the root",
    ),
    (
        dot,
        "digraph G {\nsubgraph a {\n1->2 [label=\"\"];\n1->2 [label=\"a\"];\n}}",
        4,
        "only edges with an empty label",
    ),
    (
        dot,
        "digraph G {\nsubgraph a {\n1->2 [label=\"\"];\n2->3 [label=\"\"];\n}}",
        4,
        "an empty label only on edges from one root",
    ),
    (
        dot,
        "digraph G {\nsubgraph a {\n1->2 [label=\"\"];\n}\nsubgraph b {\n3->2 [label=\"\"];\n}}",
        6,
        "a state of this component",
    ),
    (dot, "digraph G {\n/* no end", 2, "a closing `*/`"),
    (dot, "digraph G {\nsubgraph a {\n1->2 [label=\"\"];\n}\n}\nmore", 6, "the end of the file"),
    (dot, "digraph G {\nsubgraph a {\n1->2 [label=\"\"];\n?\n}\n}", 4, "expected a name"),
    (aut, "", 1, "expected `des (FIRST, TRANSITIONS, STATES)`"),
    (aut, "des (0, 1)\n", 1, "expected `des"),
    (aut, "des (2, 0, 2)\n", 1, "FIRST below STATES"),
    (aut, "des (0, 1, 2)\n(0, a, 2)\n", 2, "with states below 2"),
    (aut, "des (0, 1, 2)\n(0, \"a, 1)\n", 2, "expected `(FROM"),
    (aut, "des (0, 1, 2)\n0 a 1\n", 2, "expected `(FROM"),
    (aut, "des (0, 2, 2)\n(0, a, 1)\n", 3, "expected 2 transitions"),
    (aut, "des (0, 1, 2)\n(0, , 1)\n", 2, "expected `(FROM"),
    (fsm, "", 1, "two lines `---`"),
    (fsm, "---\n0\n---\n1 0 \"a\"\n", 4, "states from 1 to 100000"),
    (fsm, "---\n0\n---\n1 200000 \"a\"\n", 4, "states from 1 to 100000"),
    (fsm, "---\n0\n---\n1 [1 1/2 2 1/2] \"a\"\n", 4, "found the probability distribution `[1"),
    (fsm, "---\n---\n1 2 \"a\"\n---\n[1 0.5 2 0.5]\n", 5, "found the probability distribution"),
    (fsm, "---\n---\n1 2 \"a\"\n---\n1\n2\n", 6, "expected the end of the file"),
    (fsm, "---\n---\n1 2 \"a\"\n---\nx\n", 5, "expected the initial state"),
    (
        aut,
        "des (0 1/2 1, 1, 2)\n(0, \"a\", 1)\n",
        1,
        "found the probability distribution `0 1/2 1`",
    ),
    (
        aut,
        "des (0, 1, 2)\n(0, \"a\", 0 0.5 1)\n",
        2,
        "found the probability distribution `0 0.5 1`",
    ),
    (aut, "des (0, 1, 2)\n(0, a, 1 1/3 0 1/3 1)\n", 2, "probabilities are not supported"),
    (fsm, "---\n0\n---\n1 1\n", 4, "expected `FROM TO"),
    (fsm, "---\n---\n", 3, "a system without states"),
    (promela, "", 1, "a process `active proctype Proc0()`"),
    (
        promela,
        "active proctype Proc0()\n{\nint state = 0;\nstate = 1;\n}\n",
        4,
        "`:: state == N ->`",
    ),
    (
        promela,
        "active proctype Proc0()\n{\n:: state == 0 ->\nstate = 1;\n}\n",
        4,
        "a message before",
    ),
    (promela, "active proctype Proc0()\n{\nx++;\n}\n", 3, "a line of a process"),
    (
        promela,
        "active proctype Proc0()\n{\n:: state == 0 ->\n:: run\n}\n",
        4,
        "`:: CHANNEL ? LABEL ->`",
    ),
    (
        promela,
        "active proctype Proc0()\n{\nint state = 0;\n:: state == 0 ->\n:: p ? nop ->\nstate = 1;\n:: p ? a ->\nstate = 1;\n}\n",
        8,
        "only the message `nop`",
    ),
    (
        promela,
        "active proctype Proc0()\n{\nint state = 0;\n:: state == 0 ->\n:: p ? a ->\nstate = 1;\n:: state == 1 ->\n:: p ? nop ->\nstate = 1;\n}\n",
        9,
        "only in the first state",
    ),
    (
        promela,
        "active proctype Proc0()\n{\n:: state == 0 ->\n:: p ? a ->\nstate = 1;\n}\n",
        1,
        "`int state = N;` in this process",
    ),
    (
        promela,
        "active proctype Proc0()\n{\nint state = 0;\n:: state == 0 ->\n:: p ? a ->\n:: p ? b ->\nstate = 2;\n}\n",
        5,
        "`state = N;` after this message",
    ),
    (
        promela,
        "active proctype Proc0()\n{\nint state = 0;\n:: state == 0 ->\n:: p ? a ->\n:: state == 1 ->\n:: p ? b ->\nstate = 2;\n}\n",
        5,
        "`state = N;` after this message",
    ),
    (
        promela,
        "active proctype Proc0()\n{\nint state = 0;\n:: state == 0 ->\n:: p ? a ->\n}\n",
        5,
        "`state = N;` after this message",
    ),
    (properties, "", 1, "properties such as `#1:`"),
    (properties, "( a )\n", 1, "a number such as `#1:`"),
    (properties, "#1:\n\n#2:\n( work )\n", 1, "a formula after this line"),
    (properties, "#1:\n( work )\n#1:\n( work )\n", 3, "a number of its own"),
    (properties, "#1: maybe\n( work )\n", 1, "`true`, `false`, `unknown`"),
    (properties, "#1:\n( work )\n\n#2:\n( work & )\n", 5, "expected"),
    (properties, "#1:\n( work\n", 2, "expected"),
    (properties, "#1:\n( work U )\n", 2, "expected"),
    (properties, "#1:\n( work\n  ? rest )\n", 3, "expected an operator"),
    (properties, "#1:\n( [work]true & work )\n", 2, "labels are written in brackets"),
    (properties, "#1:\n( [work true )\n", 2, "expected"),
    (properties, "#1:\nA(true U <work>true\n", 2, "expected an operator or `)`"),
    (properties, "#1:\nA(true X true)\n", 2, "expected"),
    (properties, "#1:\nAG\n", 2, "expected"),
    (properties, "#1:\nAG [\"a\" b]true\n", 2, "expected"),
    (properties, "#1:\n[work]true true\n", 2, "an operator or the end"),
];

#[test]
fn errors_have_their_line_and_excerpt() {
    for &(reader, text, line, message) in BROKEN {
        let error = reader(text).expect_err(text);
        assert!(error.to_string().contains(message), "{text}\n{error}");
        assert_eq!(error.line, line, "{text}\n{error}");
        let [shown, caret] = error.excerpt();
        assert!(
            caret.trim_end().ends_with('^') && caret.chars().count() <= shown.chars().count() + 1,
            "{shown}\n{caret}"
        );
    }
}

#[test]
fn unmodified_texts_are_read() {
    for (reader, text) in READERS {
        reader(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    }
    let system = read::promela(PROMELA, "x").unwrap();
    assert_eq!((system.components().len(), system.label_count()), (1, 1));
}

/// A mutation of a line: something is inserted at the wrong place or removed.
type Spoil = fn(&str) -> String;

const SPOILS: [Spoil; 8] = [
    |line| format!("? {line}"),
    |line| format!("{line} ?"),
    |_| "?".to_owned(),
    |line| line.replacen(' ', " ? ", 1),
    |line| line.replacen(['>', '('], "?", 1),
    |line| line.replacen(['-', ',', ';', ')'], " ", 1),
    |line| line.chars().take(line.chars().count() / 2).collect(),
    |line| format!("{line}\n{line}"),
];

#[test]
fn the_error_names_the_spoiled_line() {
    let (mut broken, mut exact) = ([0; READERS.len()], 0);
    for (at, (reader, text)) in READERS.into_iter().enumerate() {
        let lines: Vec<&str> = text.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            for spoil in SPOILS {
                let spoiled = spoil(line);
                if spoiled == *line {
                    continue;
                }
                let mut lines: Vec<&str> = lines.clone();
                lines[number] = &spoiled;
                let text = lines.join("\n") + "\n";
                let Err(error) = reader(&text) else { continue };
                broken[at] += 1;
                exact += usize::from(error.line == number + 1);
                assert!(!error.expected.is_empty() && !error.found.is_empty(), "{text}");
                assert!(error.line <= text.lines().count() + 1, "{error}\n{text}");
            }
        }
    }
    let all: usize = broken.iter().sum();
    assert!(all >= 200 && broken.iter().all(|it| *it >= 10), "{broken:?}");
    // A missing end of a line may be detected only on the next line.
    assert!(4 * exact >= 3 * all, "{exact} of {all}");
}

#[test]
fn mutated_texts_never_panic() {
    let mut random = fastrand::Rng::with_seed(9);
    let pieces = [
        "\"", "[", "]", "->", "{", "}", "(", ")", "#7:", "---", "é", "\n", "-", "U", "<", "!", "0",
    ];
    let (mut broken, mut read) = (0, 0);
    for (reader, text) in READERS {
        for _ in 0..600 {
            let mut bytes: Vec<char> = text.chars().collect();
            for _ in 0..random.usize(1..4) {
                let at = random.usize(0..=bytes.len().saturating_sub(1));
                if bytes.is_empty() {
                    break;
                }
                match random.u8(0..4) {
                    0 => drop(bytes.remove(at)),
                    1 => bytes.truncate(at.max(1)),
                    2 => {
                        let piece = pieces[random.usize(0..pieces.len())];
                        bytes.splice(at..at, piece.chars());
                    }
                    _ => bytes[at] = char::from(random.u8(32..127)),
                }
            }
            let text: String = bytes.into_iter().collect();
            match reader(&text) {
                Ok(()) => read += 1,
                Err(error) => {
                    broken += 1;
                    assert!(error.line >= 1 && error.line <= text.matches('\n').count() + 1);
                    assert!(!error.expected.is_empty() && !error.found.is_empty());
                    drop(error.excerpt());
                }
            }
        }
    }
    assert!(broken > 200 && read > 200, "{broken} broken, {read} read");
}

#[test]
fn a_comment_ends_after_its_beginning() {
    let text = DOT.replacen("digraph", "/*/ one comment */ digraph", 1);
    assert_eq!(read::dot(&text, "x").unwrap(), system());
}

#[test]
fn labels_with_backslashes_and_quotes_are_written_and_read() {
    let lines = "(0, a\\, 1)\n(1, \\\"b\\\\, 2)\n(2, \"c\\\\d\", 0)\n";
    let system = read::aut(&format!("des (0, 3, 3)\n{lines}"), "x").unwrap();
    for name in ["a\\", "\\\"b\\\\", "c\\d"] {
        assert!(system.label_named(name).is_some(), "{name}");
    }
    let again = read::dot(&parikh_systems::write::dot(&system), "x").unwrap();
    assert!(
        system.labels().map(|it| system.label(it)).eq(again.labels().map(|it| again.label(it)))
    );
}

#[test]
fn a_label_in_quotes_may_contain_the_closing_bracket() {
    let system = read::aut("des (0, 2, 1)\n(0, \"a]b\", 0)\n(0, \"a->b\", 0)\n", "x").unwrap();
    for formula in ["[\"a]b\"]true", "<\"a->b\">true", "[ \"a]b\" ]true"] {
        assert!(read::is_branching(formula), "{formula}");
        let read = read::branching(formula, &system).unwrap();
        assert!(read.unknown_names().is_empty(), "{formula}");
    }
}
