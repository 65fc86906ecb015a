//! Runs every command line of the guide, `docs/`, as written. Commands that need more than this
//! machine are listed here with the place where they are tested.

use super::printed::{Page, commands_spoken_of, run};
use crate::support::binary::{TestDirectory, repository};

const CARGO: (&str, &str) = ("cargo", "builds");
const RELEASE: (&str, &str) = ("tar", "takes a release: scripts/try-release.sh asks one");
const CLUSTER: &str = "takes Slurm: benchmarks/tests/batches.rs has a stand-in";
const PAGES: &[Page<'_>] = &[
    Page { path: "docs/tutorial.md", not_run: &[], before: &[] },
    Page { path: "docs/fairness.md", not_run: &[], before: &[] },
    Page {
        path: "docs/installing.md",
        not_run: &[
            RELEASE,
            ("parikh-0.1.0", "a release: scripts/try-release.sh asks one"),
            ("scripts/setup.sh", "installs"),
            ("python3 scripts/licences.py", ".ci/run does it"),
            CARGO,
        ],
        before: &[],
    },
    Page {
        path: "docs/asking.md",
        not_run: &[],
        before: &[("parikh check MODEL --formulas", "echo 'EF (p1 >= 1)' > FILE")],
    },
    Page { path: "docs/each-node.md", not_run: &[], before: &[] },
    Page {
        path: "docs/ci.md",
        not_run: &[
            ("cat answers", "prints what the line before has written"),
            ("grep -q", "looks at what the first line has written"),
            ("test \"$(grep", "looks at what the first line has written"),
            ("echo 'mutex", "is run before the line after it"),
            ("docker", "takes Docker"),
        ],
        before: &[(
            "parikh check model.pnml --formulas",
            "echo 'mutex: AG !(c1 >= 1 && c2 >= 1)' > requirements.txt",
        )],
    },
    Page { path: "docs/formulas.md", not_run: &[], before: &[] },
    Page { path: "docs/coloured.md", not_run: &[], before: &[] },
    Page {
        path: "docs/formats.md",
        not_run: &[("echo 'random 3'", "tests/cli/play.rs plays")],
        before: &[],
    },
    Page { path: "docs/processes.md", not_run: &[], before: &[] },
    Page {
        path: "docs/systems.md",
        not_run: &[],
        before: &[(
            "parikh rers RERS2020",
            "mkdir RERS2020; cp examples/post.dot examples/post-properties.txt RERS2020",
        )],
    },
    Page { path: "docs/states.md", not_run: &[], before: &[] },
    Page { path: "docs/pictures.md", not_run: &[], before: &[] },
    Page {
        path: "docs/serve.md",
        not_run: &[
            ("parikh serve", "serves until it is ended: tests/cli/serve asks it"),
            ("export TOKEN=", "the token of a server that is not started"),
            ("PARIKH_SERVE_TOKEN=", "serves until it is ended: tests/cli/serve asks it"),
            ("ID=$(curl", "asks a running server, as tests/cli/serve does"),
            ("curl", "asks a running server, as tests/cli/serve does"),
        ],
        before: &[],
    },
    Page { path: "docs/structure.md", not_run: &[], before: &[] },
    Page { path: "docs/reducing.md", not_run: &[], before: &[] },
    Page { path: "docs/library.md", not_run: &[], before: &[] },
    Page { path: "docs/evidence.md", not_run: &[], before: &[] },
    Page { path: "docs/certificates.md", not_run: &[], before: &[] },
    Page {
        path: "docs/proved-checker.md",
        not_run: &[
            ("scripts/proofs.sh", "installs Coq: .ci/run does it"),
            ("target/proofs/parikh-proved", "scripts/proofs.sh builds and tries it"),
        ],
        before: &[],
    },
    Page {
        path: "docs/third-opinion.md",
        not_run: &[
            ("python3 -m venv solvers", "installs"),
            ("scripts/third-opinion.sh", "takes other solvers: tests/cli/smtlib.rs has stand-ins"),
        ],
        before: &[],
    },
    Page { path: "docs/deciding.md", not_run: &[], before: &[] },
    Page {
        path: "docs/encodings.md",
        not_run: &[
            ("parikh check MODEL -e RD --engines bmc-smt,k-induction-smt", "takes cvc5"),
            ("python3 -m venv solvers", "installs"),
            ("scripts/encode-agreement.py", "takes other solvers"),
        ],
        before: &[],
    },
    Page {
        path: "docs/contest.md",
        not_run: &[
            ("mkdir -p /home/mcc", "outside of here"),
            ("cd /home/mcc", "outside of here"),
            RELEASE,
        ],
        before: &[],
    },
    Page {
        path: "docs/batches.md",
        not_run: &[
            ("slurm/contest.sh", CLUSTER),
            ("pip install", "installs"),
            ("cd tasks", "takes BenchExec"),
            (
                "parikh-bench collect",
                "takes BenchExec's results: benchmarks/tests/batches.rs has some",
            ),
        ],
        before: &[
            (
                "parikh-bench glance",
                "printf 'kind,examination,tool,answers,errors\\nPT,RD,BVT,1,0\\n' > TOTALS.csv",
            ),
            ("parikh-bench hard", "echo 'Toy-PT-1 RD ReachabilityDeadlock TRUE' > GOALS"),
        ],
    },
    Page { path: "docs/extending.md", not_run: &[CARGO], before: &[] },
    Page { path: "docs/adding-proofs.md", not_run: &[CARGO], before: &[] },
    Page { path: "docs/json.md", not_run: &[], before: &[] },
    Page { path: "docs/python.md", not_run: &[], before: &[] },
    Page { path: "docs/limits.md", not_run: &[], before: &[] },
    Page { path: "docs/index.md", not_run: &[], before: &[] },
];

#[cfg(unix)]
#[test]
fn every_command_line_of_the_guide_runs() {
    let pages = PAGES.iter().map(run);
    assert!(pages.sum::<usize>() > 50);
}

#[test]
fn every_page_of_the_guide_is_tried() {
    let mut there: Vec<String> = std::fs::read_dir(repository("docs"))
        .expect("readable")
        .map(|entry| format!("docs/{}", entry.expect("readable").file_name().to_string_lossy()))
        .filter(|file| file.ends_with(".md"))
        .collect();
    there.sort_unstable();
    let mut tried: Vec<&str> = PAGES.iter().map(|page| page.path).collect();
    tried.sort_unstable();
    assert_eq!(there, tried);
}

#[test]
fn every_command_in_the_guide_exists() {
    for page in PAGES {
        let text = std::fs::read_to_string(repository(page.path)).expect("readable");
        for name in commands_spoken_of(&text) {
            let help = TestDirectory::new().succeeds(&[&name, "--help"]);
            assert!(help.contains("Usage: parikh"), "{}: {name}", page.path);
        }
    }
}
