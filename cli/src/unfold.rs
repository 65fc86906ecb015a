//! `parikh unfold`: unfolds a coloured net into a place/transition net.

use super::reduce::write_net;
use super::terminal::note;
use super::{ProgramOutcome, limits, model, signals};
use anyhow::{Context, Result, bail};
use parikh_evidence::abstraction::Quotient;
use parikh_input::model::unfolded;
use parikh_net::coloured::{ColouredNet, Folding};
use parikh_net::printable::counted;
use parikh_net::{BuildError, Net, NetBuilder};
use parikh_unfolding::{UnfoldingConfig, write_map};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct UnfoldArguments {
    /// A coloured net: a PNML file, a text, or the directory of a contest instance.
    model: PathBuf,
    /// Write the net as PNML. Places are named p(red,2), and transitions t(x=2,y=red).
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write a map as JSON: the places of each coloured place with their colours, and the
    /// transitions of each coloured transition with their bindings.
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// Create a transition for every binding, even for bindings with the same arcs as another one.
    #[arg(long)]
    every_binding: bool,
    /// Create a place for every colour and a transition for every binding whose guard holds, even
    /// those that no reachable marking uses.
    #[arg(long)]
    everything: bool,
    /// Merge equivalent colours: the smaller net reaches the same numbers of tokens in the coloured
    /// places, but has fewer markings. Prints the merged colours.
    #[arg(long)]
    quotient: bool,
    /// The largest number of transitions.
    #[arg(long, value_name = "N", default_value_t = UnfoldingConfig::default().limits.bindings)]
    limit: u64,
    /// Time limit: 90s, 5m, 1h. By default there is none.
    #[arg(short, long, value_parser = limits::duration)]
    timeout: Option<Duration>,
    /// Memory limit of the process: 4G, 500M. By default the memory of the machine or of its
    /// container. The unfolding may use 85 % of the limit.
    #[arg(short, long, value_parser = limits::memory)]
    memory: Option<u64>,
    #[command(flatten)]
    timing: model::TimingOptions,
}

const EXAMPLES: &str = "\
Examples:
  parikh unfold INPUTS/Philosophers-COL-000005 -o flat.pnml --map map.json
  parikh unfold model.pnml --every-binding -o flat.pnml
  parikh unfold INPUTS/DrinkVendingMachine-COL-98 --quotient -o small.pnml";

pub(super) fn run(arguments: &UnfoldArguments) -> Result<ProgramOutcome> {
    let budget = limits::budget(arguments.timeout, arguments.memory);
    signals::finish_on_signal(&budget);
    let model = arguments.timing.read(&arguments.model)?;
    let Some(coloured) = model.colours() else {
        bail!(
            "{}: expected a coloured net, and this net has no colours",
            arguments.model.display()
        );
    };
    let mut config = UnfoldingConfig {
        symmetry: !arguments.every_binding,
        fixpoint: !arguments.everything,
        ..UnfoldingConfig::default()
    };
    // With a larger --limit, the other limits grow in proportion.
    let scale = arguments.limit.div_ceil(config.limits.bindings).max(1);
    config.limits.bindings = arguments.limit;
    config.limits.arcs = config.limits.arcs.saturating_mul(scale);
    config.limits.places = config.limits.places.saturating_mul(scale).min(1 << 31);
    config.limits.tries = config.limits.tries.saturating_mul(scale);
    let start = Instant::now();
    let quotient = arguments.quotient.then(|| quotient(coloured)).flatten();
    let coloured = quotient.as_ref().map_or(coloured, Quotient::net);
    let net = unfolded(coloured, &config, &budget)?;
    note!(
        "parikh: {} and {} unfold to {} and {} with {}; {:.2?}",
        counted(coloured.places().len(), "coloured place"),
        counted(coloured.transitions().len(), "coloured transition"),
        counted(net.place_count(), "place"),
        counted(net.transition_count(), "transition"),
        counted(net.arc_count(), "arc"),
        start.elapsed()
    );
    if let Some(file) = &arguments.output {
        match net.folding().filter(|folding| folding.has_labels()) {
            Some(folding) => write_net(&with_names(&net, folding)?, file)?,
            None => write_net(&net, file)?,
        }
    }
    if let Some(file) = &arguments.map {
        write(&net, file).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(ProgramOutcome::Complete)
}

/// Returns an unfolding whose nodes have the labels of their coloured nodes, so that a formula can
/// name all colours of a place, or all bindings of a transition, at once.
fn with_names(net: &Net, folding: &Folding) -> Result<Net, BuildError> {
    let mut builder = NetBuilder::of(net)?;
    for p in net.places() {
        let coloured = folding.place_of(p);
        let label = folding.place_label(coloured);
        if let Some(label) = label.filter(|&label| label != folding.place_name(coloured)) {
            builder.label_place(p, label);
        }
    }
    for t in net.transitions() {
        let coloured = folding.transition_of(t);
        let label = folding.transition_label(coloured);
        if let Some(label) = label.filter(|&label| label != folding.transition_name(coloured)) {
            builder.label_transition(t, label);
        }
    }
    builder.build()
}

/// Merges equivalent colours of a net, and prints on stderr how many colours of each sort are
/// merged. Returns `None` if no colours are equivalent, or if the net with merged colours cannot be
/// built.
fn quotient(net: &ColouredNet) -> Option<Quotient> {
    let classes = Quotient::indistinguishable(net);
    if classes.is_trivial() {
        note!("parikh: no two colours of a sort are equivalent");
        return None;
    }
    let Some(quotient) = Quotient::of(net, &classes) else {
        note!(
            "parikh: some colours are equivalent, but the net with merged colours cannot be built"
        );
        return None;
    };
    for id in net.sort_ids() {
        if classes.of(id).is_some() {
            let [before, after] = [net, quotient.net()].map(|net| net.sort(id).size());
            note!("parikh: {before} colours of {} are merged into {after}", net.sort(id).name());
        }
    }
    Some(quotient)
}

/// Writes the map from coloured nodes to the nodes of the unfolding.
fn write(net: &Net, file: &Path) -> Result<()> {
    let mut out = BufWriter::new(File::create(file)?);
    write_map(net, &mut out)?;
    out.flush()?;
    Ok(())
}
