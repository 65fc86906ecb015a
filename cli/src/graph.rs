//! `parikh graph`: writes the reachability graph of a small net as a picture or for other tools.

use super::terminal::{note, print_verbatim};
use super::trace_file::TraceFile;
use super::trace_start::{StartedNet, with_trace_start};
use super::{ProgramOutcome, UsageError, limits, model, pixels, processes, signals};
use anyhow::{Context, Result, bail};
use parikh_formula::{lower, text};
use parikh_net::printable::counted;
use parikh_net::{FiringSequence, Goal, Marking, Net};
use parikh_pictures::graph::svg::svg;
use parikh_pictures::graph::view::GraphView;
use parikh_pictures::graph::write;
use parikh_solvers::Budget;
use parikh_structure::graph::coverability::Coverability;
use parikh_structure::graph::reachability::{NoGraph, Reachability};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct GraphArguments {
    /// A net in any supported format, or the directory of a contest instance.
    model: PathBuf,
    /// The output file: FILE.svg or FILE.png (a picture), FILE.dot (for Graphviz), FILE.aut (a
    /// labelled transition system in the Aldebaran format, for CADP and mCRL2), FILE.json (for
    /// scripts). By default the text for Graphviz on stdout.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    pixels: pixels::PixelOptions,
    /// The largest number of markings. By default 200 for pictures, because larger ones are
    /// unreadable, and 100000 for .aut and .json.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    most: Option<u32>,
    /// Write the coverability graph, even for a net with few markings.
    #[arg(long)]
    coverability: bool,
    /// Begin as a case does: a workflow net without an initial marking gets a token in its source.
    #[arg(long)]
    cases: bool,
    /// Highlight the firing sequence in this file, as written by `parikh check --trace`. The graph
    /// begins with the marking that the file states.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["formula", "cases"])]
    trace: Option<PathBuf>,
    /// Highlight a shortest firing sequence to a marking with a property: 'EF p >= 2', or to a
    /// violation: 'AG p <= 1'. The language is that of `check`.
    #[arg(long, value_name = "FORMULA", conflicts_with = "coverability")]
    formula: Option<String>,
    #[command(flatten)]
    timing: model::TimingOptions,
    /// Time limit.
    #[arg(short, long, value_parser = limits::duration, default_value = "60s")]
    timeout: Duration,
    /// Memory limit of the process: 4G, 500M. By default the memory of the machine or of its
    /// container. Engines may use 85 % of the limit.
    #[arg(short, long, value_parser = limits::memory)]
    memory: Option<u64>,
}

const EXAMPLES: &str = "\
The initial marking is at the top, with an arrow from nowhere. Markings in which nothing is \
enabled have a double edge; markings of terminal components, which are never left again, are \
green. Markings are written 2·p + q, with labels instead of ids if the labels are distinct.

For an unbounded net, the coverability graph of Karp and Miller is drawn, and a note says so. In \
it, ω stands for arbitrarily many tokens. The graph shows which places are bounded and which \
transitions can fire. It does not show which markings are reachable, nor whether a marking is \
dead. It is not the transition system of the net, so it cannot be written as .aut.

In .aut, transitions are named by their ids. The format allows ASCII characters only, and no \
quotation marks in labels. Other characters are written as \\u{22}, and a backslash is doubled.

With more markings than --most, no file is written, and the exit code is 3.

Examples:
  parikh graph philosophers.pnml -o markings.svg
  parikh check order.pnml -e Soundness --trace traces
  parikh graph order.pnml --trace traces/Soundness.trace -o stuck.svg
  parikh graph order.pnml --formula 'EF deadlock' -o dead.svg
  parikh graph mutex.pnml -o mutex.aut";

pub(super) fn run(arguments: &GraphArguments) -> Result<ProgramOutcome> {
    // An unsuitable ending of the file name is an error, so it is reported before the model is
    // read.
    let kind = GraphOutput::of(arguments.output.as_deref())?;
    if arguments.pixels.sets_size() && kind != GraphOutput::Png {
        bail!(UsageError("--scale and --width require an output file FILE.png".to_owned()));
    }
    let budget = limits::budget(Some(arguments.timeout), arguments.memory);
    signals::cancel_on_signal(&budget, || note!("parikh: stopped before the graph was complete"));
    signals::leave_after(&budget, || {
        note!("parikh: time limit reached: no output was written; raise --timeout");
    });
    let model = arguments.timing.read(&arguments.model)?;
    let model = match arguments.cases {
        true => processes::with_assumed_token(model, &arguments.model, false)?,
        false => model,
    };
    let net = model.into_net(&parikh_unfolding::UnfoldingConfig::default(), &budget)?;
    let (net, trace) = match &arguments.trace {
        Some(file) => {
            let (net, sequence) = read_trace(net, &arguments.model, file)?;
            (net, Some(sequence))
        }
        None => {
            let is_unmarked = net.model_places().all(|p| net.initial()[p] == 0);
            if is_unmarked && !arguments.cases && net.folding().is_none() {
                note!(
                    "parikh: the model has no initial marking, and the graph begins without \
                     tokens; --cases begins with a token in the source of a workflow net"
                );
            }
            (net, None)
        }
    };
    let max_nodes = arguments.most.unwrap_or(kind.default_max_markings()) as usize;
    // `Err(None)` means that the reachability graph is not wanted, and `Err(Some(_))` that it could
    // not be computed.
    let graph = match arguments.coverability {
        true => Err(None),
        false => Reachability::of(&net, max_nodes, &budget).map_err(Some),
    };
    let mut view = match &graph {
        Ok(graph) => GraphView::of_reachability(&net, graph),
        Err(Some(why @ (NoGraph::Exhausted(_) | NoGraph::TooManyEdges))) => {
            return Ok(incomplete(why));
        }
        Err(why) => match compute_coverability(&net, max_nodes, &budget, why.is_some()) {
            Err(why) => return Ok(incomplete(&why)),
            Ok(graph) => GraphView::of_coverability(&net, &graph),
        },
    };
    if view.is_coverability && kind == GraphOutput::Aut {
        note!(
            "parikh: the net is unbounded or --coverability is given, and a coverability graph \
             cannot be written as .aut, because it is not the transition system of the net; use a \
             .svg, .png, .dot or .json file"
        );
        return Ok(ProgramOutcome::Incomplete);
    }
    if let Some(sequence) = &trace {
        highlight(&mut view, sequence)?;
    }
    if let (Some(formula), Ok(graph)) = (&arguments.formula, &graph) {
        match path_to_formula(&net, graph, formula)? {
            FormulaPath::Found(sequence) => highlight(&mut view, &sequence)?,
            FormulaPath::Absent(why) => note!("parikh: nothing is highlighted: {why}"),
        }
    } else if arguments.formula.is_some() {
        bail!(UsageError(
            "--formula requires the reachability graph, but the net is unbounded or --coverability \
             is given".to_owned()
        ));
    }
    view.caption_lines().iter().for_each(|line| note!("parikh: {line}"));
    let written = match kind {
        GraphOutput::Svg | GraphOutput::Png => svg(&view, &budget),
        GraphOutput::Dot => write::dot(&view),
        GraphOutput::Aut => write::aut(&view),
        GraphOutput::Json => write::json(&view),
    };
    match &arguments.output {
        Some(file) if kind == GraphOutput::Png => {
            pixels::write(file, &written, arguments.pixels.size())?
        }
        None => print_verbatim(&written)?,
        Some(file) => {
            signals::stay();
            std::fs::write(file, written)
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
    }
    Ok(ProgramOutcome::Complete)
}

/// The form of the output, by the ending of the file name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GraphOutput {
    Svg,
    Png,
    Dot,
    Aut,
    Json,
}

impl GraphOutput {
    fn of(file: Option<&Path>) -> Result<GraphOutput> {
        let Some(file) = file else { return Ok(GraphOutput::Dot) };
        Ok(match pixels::extension(file).as_deref() {
            Some("svg") => GraphOutput::Svg,
            Some("png") => GraphOutput::Png,
            Some("dot" | "gv") => GraphOutput::Dot,
            Some("aut") => GraphOutput::Aut,
            Some("json") => GraphOutput::Json,
            _ => bail!(UsageError(format!(
                "{}: expected a name that ends in .svg, .png, .dot, .aut or .json",
                file.display()
            ))),
        })
    }

    /// Returns the default limit on the number of markings.
    fn default_max_markings(self) -> u32 {
        match self {
            GraphOutput::Svg | GraphOutput::Png | GraphOutput::Dot => 200,
            GraphOutput::Aut | GraphOutput::Json => 100_000,
        }
    }
}

/// Reports that nothing is written, and why.
fn incomplete(why: &dyn std::fmt::Display) -> ProgramOutcome {
    note!("parikh: no output was written: {why}");
    ProgramOutcome::Incomplete
}

/// Computes the coverability graph. Returns the reason as an error if the graph is too large, a
/// token count overflows, or the budget is spent. If `only_if_unbounded` is true, the reachability
/// graph was wanted but could not be computed. Then a coverability graph without unbounded places
/// is an error, too: its markings are the reachable markings, which could not be computed.
fn compute_coverability(
    net: &Net,
    max_nodes: usize,
    budget: &Budget,
    only_if_unbounded: bool,
) -> Result<Coverability, String> {
    let too_many = || {
        format!(
            "more than {max_nodes} markings are reachable; raise the limit with --most N, or count them \
             with `parikh states`"
        )
    };
    match Coverability::of(net, max_nodes, budget) {
        Ok(graph) if only_if_unbounded && graph.unbounded(net).is_empty() => Err(too_many()),
        Ok(graph) => Ok(graph),
        Err(NoGraph::TooMany(_)) if only_if_unbounded => Err(too_many()),
        Err(NoGraph::TooMany(max_nodes)) => Err(format!(
            "the coverability graph has more than {max_nodes} nodes; raise the limit with \
                         --most N"
        )),
        Err(why) => Err(why.to_string()),
    }
}

/// Reads a trace. Returns the net with the initial marking that the trace states, and the firing
/// sequence with the repeated suffix appended once.
fn read_trace(net: Net, model: &Path, file: &Path) -> Result<(Net, FiringSequence)> {
    let name = || file.display().to_string();
    let text = std::fs::read_to_string(file).with_context(name)?;
    let StartedNet { net, remark } =
        with_trace_start(net, model, &text, false).with_context(name)?;
    remark.iter().for_each(|remark| note!("parikh: {remark}"));
    let trace = TraceFile::parse(&net, &text).with_context(name)?;
    trace.check_no_stages_or_loops().with_context(name)?;
    TraceFile::replay(&net, &text)
        .with_context(|| format!("{}: the trace does not replay", file.display()))?;
    let mut sequence = trace.sequence;
    if let Some(repeat) = &trace.repeat {
        sequence.extend(repeat);
    }
    Ok((net, sequence))
}

/// Highlights a firing sequence in the graph. Returns an error if the graph has no path for all its
/// firings.
fn highlight(view: &mut GraphView<'_>, sequence: &FiringSequence) -> Result<()> {
    let fired = view.highlight(sequence);
    if fired < sequence.firings() {
        bail!(
            "the trace does not replay: only the first {fired} of its {} firings are possible",
            sequence.firings()
        );
    }
    Ok(())
}

/// The result of a formula on the graph.
enum FormulaPath {
    /// A shortest firing sequence to a marking that satisfies φ for a formula EF φ, or violates φ
    /// for a formula AG φ.
    Found(FiringSequence),
    /// No reachable marking satisfies, or violates, φ. The text is a message for the user.
    Absent(String),
}

/// Finds a shortest firing sequence to a marking that satisfies φ for a formula EF φ, or violates φ
/// for a formula AG φ.
fn path_to_formula(net: &Net, graph: &Reachability, formula: &str) -> Result<FormulaPath> {
    let parsed = text::read_one(formula, "--formula", net);
    let formula = parsed.formula?;
    let markings = counted(graph.markings.len(), "marking");
    let query = lower(&formula, net).map_err(|error| UsageError(error.to_string()))?;
    let (predicate, absence) = match query.only_atom() {
        Some((Goal::Reach(predicate), true)) => {
            (predicate, format!("none of the {markings} satisfies the property of --formula"))
        }
        Some((Goal::Reach(predicate), false)) => (
            predicate,
            format!(
                "the formula of --formula holds, so none of the {markings} \
                                 violates it"
            ),
        ),
        _ => bail!(UsageError(
            "--formula: expected EF φ, or AG φ to highlight a marking that \
                               violates φ"
                .to_owned()
        )),
    };
    let holds = |marking: &Marking| predicate.holds(net, marking);
    // The markings are in breadth-first order, so the first one has a shortest firing sequence.
    Ok(match graph.markings.iter().position(holds) {
        Some(index) => FormulaPath::Found(graph.sequence_to(index as u32).into_iter().collect()),
        None => FormulaPath::Absent(absence),
    })
}
