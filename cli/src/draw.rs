//! `parikh draw`: draws a net or a parallel system.

use super::systems::read_system;
use super::terminal::{note, print_verbatim};
use super::trace_file::TraceFile;
use super::trace_start::{StartedNet, with_trace_start};
use super::{ProgramOutcome, UsageError, limits, model, pixels, signals};
use anyhow::{Context, Result, bail};
use parikh_input::SourceModel;
use parikh_net::coloured::ColouredNet;
use parikh_net::printable::Quoted;
use parikh_net::{ExtendedNet, FiringSequence, Net};
use parikh_pictures::draw::{
    self, DrawnPart, Highlight, HighlightError, MAX_FIRINGS, MAX_READABLE_NODES, MAX_WHOLE_NODES,
    Scene, animated, coloured, dot, strip, summary, svg, system,
};
use parikh_solvers::Budget;
use parikh_systems::System;
use std::collections::{BTreeSet, HashSet};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

#[derive(clap::Args)]
#[command(group(
    clap::ArgGroup::new("shown").args(["highlight", "invariant", "siphon", "trap", "trace"])
))]
#[command(after_help = EXAMPLES)]
pub(super) struct DrawArguments {
    /// A net in any supported format, the directory of a contest instance, or a parallel system.
    model: PathBuf,
    /// Highlight these places and transitions, or labels of a system. Repeatable, for names that
    /// contain commas.
    #[arg(long, value_name = "NAME,…")]
    highlight: Vec<String>,
    /// Highlight the place invariant with this number, from 1.
    #[arg(long, value_name = "N")]
    invariant: Option<usize>,
    /// Highlight the minimal siphon with this number, from 1. Without a number: the largest siphon
    /// that is initially empty, or else the first minimal siphon.
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true)]
    siphon: Option<Option<usize>>,
    /// Highlight the minimal trap with this number, from 1. Without a number: the first one.
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true)]
    trap: Option<Option<usize>>,
    /// Play the firing sequence in this file, as written by `parikh check --trace`: in SVG the
    /// tokens move with each firing. With --still, in PNG, for Graphviz, and beyond 400 firings:
    /// highlight the sequence, and draw the marking it leads to.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Draw a trace as one picture without animation.
    #[arg(long, requires = "trace")]
    still: bool,
    /// Draw a trace as a strip of pictures, one per marking, each with the transition that leads to
    /// it. Beyond 60 markings, only the first 20 and the last 40 are drawn.
    #[arg(long, requires_all = ["trace", "output"], conflicts_with_all = ["still", "graphviz"])]
    strip: bool,
    /// The output file: FILE.svg or FILE.png (a picture), FILE.dot (for Graphviz). By default the
    /// text for Graphviz on stdout.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    pixels: pixels::PixelOptions,
    /// Let Graphviz's program `dot` lay out and draw the picture.
    #[arg(long, requires = "output", conflicts_with_all = ["scale", "width"])]
    graphviz: bool,
    /// Draw every node, however many there are.
    #[arg(long)]
    all: bool,
    /// Draw the unfolding of a coloured net, or the net of a system. Without this option the
    /// coloured net itself is drawn. An invariant, a siphon, a trap, a trace or a highlighted node
    /// of the unfolding also needs the unfolding.
    #[arg(long)]
    unfold: bool,
    #[command(flatten)]
    timing: model::TimingOptions,
    /// Time limit. A part of it is used to improve the layout.
    #[arg(short, long, value_parser = limits::duration, default_value = "60s")]
    timeout: Duration,
}

const EXAMPLES: &str = "\
Without highlighted nodes, a net of up to 1,000 nodes is drawn completely, and a larger net as \
groups of nodes. With highlighted nodes, a net of up to 300 nodes is drawn completely. Of a \
larger net, only the part around the highlighted nodes is drawn, or groups of nodes if this part \
is too large. A coloured net of more than 300 nodes is drawn with --all only. A PNG picture has \
at most 64 million pixels: a larger picture is scaled down, unless --scale or --width is given. \
If the time limit is reached, nothing is drawn and the exit code is 3.

The components of a parallel system are drawn side by side, and each shared label has a colour. \
Components with more than 300 states are drawn as boxes. So are the largest components, if all \
together have more than 1,000 states.

Examples:
  parikh draw philosophers.pnml -o philosophers.svg
  parikh draw philosophers.pnml -o philosophers.png --width 1600
  parikh draw mutex.pnml --trace traces/mutex.trace -o mutex.svg
  parikh draw mutex.pnml --trace traces/mutex.trace --strip -o mutex.png
  parikh draw post.dot -o post.svg --highlight send
  parikh draw INPUTS/Peterson-PT-2 --highlight WantSection_0_T,AskForSection_0_0 | xdot -";

/// The message printed when the time is over.
const OUT_OF_TIME: &str = "nothing was drawn; raise --timeout, write SVG instead of PNG, or omit --all to draw a part of \
     the net";

/// The share of the time for improving layouts. The rest is for writing the picture.
const LAYOUT_SHARE: f64 = 0.5;

/// The width or height in pixels from which the picture of a system is reported as large.
const LARGE_PIXELS: f64 = 4_000.0;

pub(super) fn run(arguments: &DrawArguments) -> Result<ProgramOutcome> {
    // An unsuitable ending of the file name is an error, so it is reported before the model is
    // read.
    let output = arguments.output.as_deref().map(|file| DrawOutput::of(file, arguments));
    let output = output.transpose()?;
    if output.is_none() && arguments.pixels.sets_size() {
        bail!(UsageError("--scale and --width require -o FILE.png".to_owned()));
    }
    let budget = limits::budget(Some(arguments.timeout), None);
    signals::leave_after(&budget, || note!("parikh: out of time: {OUT_OF_TIME}"));
    if !arguments.is_about_nets()
        && let Some(system) = read_system(&arguments.model)?
    {
        return arguments.of_system(&system, output, &budget);
    }
    let source = arguments.timing.read_source(&arguments.model)?;
    // A net with inhibitor or reset arcs is drawn as it is, unless an option needs the translated
    // net.
    if let SourceModel::Net(net) = &source
        && !net.is_plain()
        && !arguments.is_about_nets()
    {
        return arguments.picture(net, output, &budget);
    }
    let model = parikh_input::translated_model(source, &arguments.model)?;
    if let Some(net) = model.colours()
        && let Some(picture) = arguments.of_coloured(net)?
    {
        return write_scene(&picture, output, &budget);
    }
    let net = model.into_net(&parikh_unfolding::UnfoldingConfig::default(), &budget)?;
    let net = match &arguments.trace {
        Some(file) => {
            let name = || file.display().to_string();
            let text = std::fs::read_to_string(file).with_context(name)?;
            let started = with_trace_start(net, &arguments.model, &text, false);
            let StartedNet { net, remark } = started.with_context(name)?;
            remark.iter().for_each(|remark| note!("parikh: {remark}"));
            net
        }
        None => net,
    };
    if arguments.strip {
        let strip = arguments.drawn_strip(&net, &budget)?;
        write_picture(&strip, output)?;
        return Ok(ProgramOutcome::Complete);
    }
    if let (Some(DrawOutput::Svg(file)), false) = (&output, arguments.still)
        && let Some(moving) = arguments.animation(&net, &budget)?
    {
        write(file, &moving)?;
        return Ok(ProgramOutcome::Complete);
    }
    arguments.picture(&net.into(), output, &budget)
}

/// Writes a picture in the requested format. Without an output file, prints it on stdout for
/// Graphviz.
fn write_scene(
    picture: &Scene,
    output: Option<DrawOutput<'_>>,
    budget: &Budget,
) -> Result<ProgramOutcome> {
    match output {
        None => print_verbatim(&dot(picture))?,
        Some(DrawOutput::Dot(file)) => write(file, &dot(picture))?,
        Some(DrawOutput::ByGraphviz(file)) => {
            return render_by_graphviz(&dot(picture), file, budget);
        }
        output => write_picture(&svg(picture, &budget.share(LAYOUT_SHARE)), output)?,
    }
    Ok(ProgramOutcome::Complete)
}

/// Writes an SVG picture as it is, or converted to PNG.
fn write_picture(svg: &str, output: Option<DrawOutput<'_>>) -> Result<()> {
    match output {
        Some(DrawOutput::Svg(file)) => write(file, svg),
        Some(DrawOutput::Png(file, size)) => pixels::write(file, svg, size),
        // Callers pass only the two formats above. The command line of a strip requires one of
        // them.
        _ => bail!(UsageError("expected a name that ends in .svg or .png".to_owned())),
    }
}

fn write(file: &Path, picture: &str) -> Result<()> {
    signals::stay();
    std::fs::write(file, picture).with_context(|| format!("cannot write {}", file.display()))
}

impl DrawArguments {
    /// Returns true if some option applies only to nets: an invariant, a siphon, a trap, a trace,
    /// or `--unfold`. In this case a system is drawn as a net.
    fn is_about_nets(&self) -> bool {
        let highlights_structure =
            self.invariant.is_some() || self.siphon.is_some() || self.trap.is_some();
        highlights_structure || self.trace.is_some() || self.unfold
    }

    /// Draws a parallel system.
    fn of_system(
        &self,
        system: &System,
        output: Option<DrawOutput<'_>>,
        budget: &Budget,
    ) -> Result<ProgramOutcome> {
        let mut highlighted = BTreeSet::new();
        for name in self.highlight.iter().flat_map(|names| names.split(',')) {
            let Some(label) = system.label_named(name) else {
                bail!(
                    "--highlight: no component has the label {}; in a system, labels are \
                     highlighted",
                    Quoted(name)
                );
            };
            highlighted.insert(label);
        }
        match output {
            None => print_verbatim(&system::dot(system, &highlighted))?,
            Some(DrawOutput::Dot(file)) => write(file, &system::dot(system, &highlighted))?,
            Some(DrawOutput::ByGraphviz(file)) => {
                return render_by_graphviz(&system::dot(system, &highlighted), file, budget);
            }
            output => {
                let share = budget.share(LAYOUT_SHARE);
                let picture = system::picture(system, &highlighted, self.all, &share);
                if picture.boxes > 0 {
                    note!(
                        "parikh: {} of {} components have too many states and are drawn as boxes; \
                         --all draws all states",
                        picture.boxes,
                        system.components().len()
                    );
                }
                if picture.width.max(picture.height) > LARGE_PIXELS {
                    note!(
                        "parikh: the picture has {:.0} × {:.0} pixels, more than fit on a screen; \
                         the page of `parikh report` can zoom",
                        picture.width,
                        picture.height
                    );
                }
                write_picture(&system::svg(&picture, system.name()), output)?;
            }
        }
        Ok(ProgramOutcome::Complete)
    }

    /// Returns the picture of a coloured net. Returns `None` if the unfolding has to be drawn,
    /// because an option asks for it or a highlighted name is no node of the coloured net.
    fn of_coloured(&self, net: &ColouredNet) -> Result<Option<Scene>> {
        let names: HashSet<&str> =
            self.highlight.iter().flat_map(|names| names.split(',')).collect();
        let needs_unfolding = self.unfold
            || self.invariant.is_some()
            || self.siphon.is_some()
            || self.trap.is_some()
            || self.trace.is_some()
            || names.iter().any(|name| net.node(name).is_none());
        let nodes = net.places().len() + net.transitions().len();
        if !needs_unfolding && nodes > MAX_READABLE_NODES && !self.all {
            bail!(
                "the net has {nodes} nodes, too many for a readable picture; --all draws it \
                   anyway"
            );
        }
        Ok((!needs_unfolding).then(|| coloured(net, &names)))
    }

    /// Reads the firing sequence of a trace, and checks that it fires. A repeated suffix is
    /// appended once.
    fn sequence(&self, net: &Net, file: &Path) -> Result<FiringSequence> {
        let name = || file.display().to_string();
        let text = std::fs::read_to_string(file).with_context(name)?;
        let trace = TraceFile::parse(net, &text).with_context(name)?;
        trace.check_no_stages_or_loops().with_context(name)?;
        TraceFile::replay(net, &text)
            .with_context(|| format!("{}: the trace does not replay", name()))?;
        let mut sequence = trace.sequence;
        if let Some(repeat) = &trace.repeat {
            sequence.extend(repeat);
        }
        Ok(sequence)
    }

    /// Returns the part of the net to draw for a trace. This is the whole net if it has at most
    /// [`MAX_READABLE_NODES`] nodes or `--all` is given, and otherwise the nodes around the
    /// transitions that fire. The flag is true if the part has more nodes and `--all` is not given.
    fn part_of_trace(&self, net: &Net, sequence: &FiringSequence) -> (DrawnPart, bool) {
        let part = match self.all || DrawnPart::whole(net).len() <= MAX_READABLE_NODES {
            true => DrawnPart::whole(net),
            false => {
                let fired = sequence.steps().iter().map(|step| (step.transition, String::new()));
                let fired = Highlight { transitions: fired.collect(), ..Highlight::default() };
                DrawnPart::around(net, &fired)
            }
        };
        let is_too_large = part.len() > MAX_READABLE_NODES && !self.all;
        (part, is_too_large)
    }

    /// Draws the trace as a strip of pictures.
    fn drawn_strip(&self, net: &Net, budget: &Budget) -> Result<String> {
        let file = self.trace.as_deref().context("--strip requires --trace")?;
        let sequence = self.sequence(net, file)?;
        let (part, is_too_large) = self.part_of_trace(net, &sequence);
        if is_too_large {
            bail!(
                "{}: the part of the net around the trace has {} nodes, too many for a strip; \
                 --all draws it anyway; without --strip, only the final marking of the trace is \
                 drawn",
                file.display(),
                part.len()
            );
        }
        let strip = strip(net, &part, &sequence, &budget.share(LAYOUT_SHARE));
        let strip =
            strip.with_context(|| format!("{}: the trace does not replay", file.display()))?;
        if strip.left_out > 0 {
            note!(
                "parikh: the trace has {} firings, too many for a strip: {} of the markings in the \
                 middle are omitted",
                sequence.firings(),
                strip.left_out
            );
        }
        Ok(strip.svg)
    }

    /// Draws the trace as an animated picture. Returns `None` without a trace, and if the trace or
    /// the part of the net is too large.
    fn animation(&self, net: &Net, budget: &Budget) -> Result<Option<String>> {
        let Some(file) = &self.trace else { return Ok(None) };
        let sequence = self.sequence(net, file)?;
        let (part, is_too_large) = self.part_of_trace(net, &sequence);
        if sequence.firings() > MAX_FIRINGS || is_too_large {
            note!(
                "parikh: the trace has {} firings on {} nodes, too many for an animation; its \
                 final marking is drawn",
                sequence.firings(),
                part.len()
            );
            return Ok(None);
        }
        let animation = animated(net, &part, &sequence, &budget.share(LAYOUT_SHARE));
        animation
            .map(Some)
            .with_context(|| format!("{}: the trace does not replay", file.display()))
    }

    /// Draws a net without animation. With `--all` draws the whole net. Otherwise draws the first
    /// readable picture among the whole net, the part around the highlighted nodes, and the net in
    /// groups.
    fn picture(
        &self,
        net: &ExtendedNet,
        output: Option<DrawOutput<'_>>,
        budget: &Budget,
    ) -> Result<ProgramOutcome> {
        let highlight = match self.highlight(net.core(), budget) {
            Ok(highlight) => highlight.unwrap_or_default(),
            Err(error) => match error.downcast_ref() {
                Some(HighlightError::Spent(_)) => {
                    note!("parikh: {error}: nothing was drawn");
                    return Ok(ProgramOutcome::Incomplete);
                }
                Some(HighlightError::NoName) => bail!(UsageError(format!("--highlight: {error}"))),
                _ => return Err(error),
            },
        };
        let picture = match self.all {
            true => draw::extended(net, &DrawnPart::whole(net.core()), &highlight),
            false => part_or_summary(net, &highlight)?,
        };
        write_scene(&picture, output, budget)
    }

    /// Returns the nodes to highlight. Returns `None` if no option asks for highlighting.
    fn highlight(&self, net: &Net, budget: &Budget) -> Result<Option<Highlight>> {
        if let Some(number) = self.invariant {
            return Ok(Some(Highlight::invariant(net, number, budget)?));
        }
        if let Some(number) = self.siphon {
            return Ok(Some(Highlight::siphon(net, number, budget)?));
        }
        if let Some(number) = self.trap {
            return Ok(Some(Highlight::trap(net, number, budget)?));
        }
        if let Some(file) = &self.trace {
            let name = || file.display().to_string();
            let sequence = self.sequence(net, file)?;
            return Ok(Some(Highlight::sequence(net, &sequence).with_context(name)?));
        }
        if self.highlight.is_empty() {
            return Ok(None);
        }
        Ok(Some(Highlight::nodes(net, self.highlight.iter().map(String::as_str))?))
    }
}

/// Returns the first readable picture among three: the whole net, the part around the highlighted
/// nodes, and the net in groups. The first two are readable with at most [`MAX_READABLE_NODES`]
/// nodes. Without highlighted nodes, the whole net is also drawn with up to [`MAX_WHOLE_NODES`].
///
/// # Errors
/// None of the three pictures is small enough.
fn part_or_summary(net: &ExtendedNet, highlight: &Highlight) -> Result<Scene> {
    let whole = DrawnPart::whole(net.core());
    let nodes = whole.len();
    let around = DrawnPart::around(net.core(), highlight);
    if nodes <= MAX_READABLE_NODES || around.is_empty() && nodes <= MAX_WHOLE_NODES {
        return Ok(draw::extended(net, &whole, highlight));
    }
    if !around.is_empty() && around.len() <= MAX_READABLE_NODES {
        return Ok(draw::extended(net, &around, highlight));
    }
    let too_many = match around.len() {
        0 => format!("the net has {nodes} nodes, too many for a readable picture"),
        part => format!(
            "{part} nodes are highlighted or adjacent to a highlighted node, too many \
                         for a readable picture"
        ),
    };
    let summary = summary(net.core(), highlight);
    summary.lines.iter().for_each(|line| note!("{line}"));
    match summary.scene {
        Some(scene) => {
            note!(
                "parikh: {too_many}; groups of nodes are drawn instead; --all draws every node, and \
                 --highlight the part around some nodes"
            );
            Ok(scene)
        }
        None => bail!(
            "{too_many}, and there are too many groups of nodes as well; --all draws every node, and \
             --highlight the part around some nodes"
        ),
    }
}

/// The output file and its format.
#[derive(Clone, Copy)]
enum DrawOutput<'a> {
    Dot(&'a Path),
    Svg(&'a Path),
    Png(&'a Path, parikh_pictures::png::PngSize),
    ByGraphviz(&'a Path),
}

impl<'a> DrawOutput<'a> {
    fn of(file: &'a Path, arguments: &DrawArguments) -> Result<Self> {
        let wrong = |problem: &str| UsageError(format!("{}: {problem}", file.display()));
        let extension = pixels::extension(file);
        let extension = extension.as_deref();
        if arguments.strip && matches!(extension, Some("dot" | "gv")) {
            bail!(wrong(
                "Graphviz cannot draw a strip: expected an output name that ends in .svg \
                         or .png, without --graphviz"
            ));
        }
        if arguments.pixels.sets_size() && extension != Some("png") {
            bail!(wrong("--scale and --width require an output name that ends in .png"));
        }
        match extension {
            Some("dot" | "gv") => Ok(DrawOutput::Dot(file)),
            Some("svg" | "png") if arguments.graphviz => Ok(DrawOutput::ByGraphviz(file)),
            Some("svg") => Ok(DrawOutput::Svg(file)),
            Some("png") => Ok(DrawOutput::Png(file, arguments.pixels.size())),
            _ => bail!(wrong("expected a name that ends in .svg, .png or .dot")),
        }
    }
}

/// Runs Graphviz to draw `picture` into `file`.
fn render_by_graphviz(picture: &str, file: &Path, budget: &Budget) -> Result<ProgramOutcome> {
    // The loop below checks the time limit itself, because it also has to end the child process.
    signals::stay();
    let spawned = Command::new("dot")
        .arg(if pixels::extension(file).as_deref() == Some("png") { "-Tpng" } else { "-Tsvg" })
        .arg("-o")
        .arg(file)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn();
    let mut dot = match spawned {
        Ok(dot) => dot,
        Err(error) if error.kind() == ErrorKind::NotFound => bail!(
            "{}: the program `dot` of Graphviz is not installed; install the package graphviz, or \
             omit --graphviz",
            file.display()
        ),
        Err(error) => return Err(error).context("cannot run `dot` of Graphviz"),
    };
    if let Some(mut input) = dot.stdin.take() {
        // If the child process ends early, its exit code below shows the error.
        let _ = input.write_all(picture.as_bytes());
    }
    let status = loop {
        match dot.try_wait().context("`dot` of Graphviz")? {
            Some(status) => break status,
            None if budget.is_exhausted() => {
                let _ = dot.kill();
                let _ = dot.wait();
                note!("parikh: `dot` of Graphviz reached the time limit: {OUT_OF_TIME}");
                return Ok(ProgramOutcome::Incomplete);
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    if !status.success() {
        bail!("`dot` of Graphviz could not draw {}: {status}", file.display());
    }
    Ok(ProgramOutcome::Complete)
}
