//! Orders of places for decision diagrams, compared: the nodes, the time and the end of each on
//! each net.

use crate::cactus::{self, Curve};
use crate::contest::read_list;
use crate::error::Error;
use crate::instance::Instance;
use crate::reductions::median;
use crate::signals;
use crate::structure::place_transition_instances;
use crate::{note, say};
use parikh::engine::diagrams::{Try, each_order};
use parikh_solvers::Budget;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

/// What to compare, and where it goes.
#[derive(Clone, Debug, clap::Args)]
pub struct Symbolic {
    /// Directory with the archives NAME.tgz
    #[arg(long, value_name = "DIR")]
    inputs: PathBuf,
    /// File with the names of the instances [default: every P/T archive]
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// Wall seconds for each order
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    /// Most megabytes resident
    #[arg(long, value_name = "MB", default_value_t = 8192)]
    memory: u64,
    /// The result file, written anew
    #[arg(long, value_name = "FILE.csv")]
    out: PathBuf,
    /// Draw how many sets each idea closes within which time
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

/// The columns of the result file.
const COLUMNS: [&str; 9] =
    ["instance", "places", "transitions", "order", "score", "end", "seconds", "nodes", "markings"];

impl Symbolic {
    /// Measures, writes and prints; the exit code.
    ///
    /// # Errors
    /// When an archive or a model cannot be read, or a file not be written.
    pub fn run(&self) -> Result<u8, Error> {
        let instances = match &self.list {
            Some(list) => read_list(list)?,
            None => place_transition_instances(&self.inputs)?,
        };
        let failed = |error: csv::Error| Error::at(&self.out)(error.into());
        let mut file = csv::Writer::from_path(&self.out).map_err(failed)?;
        file.write_record(COLUMNS).map_err(failed)?;
        signals::catch();
        let mut all: Vec<Vec<Try>> = Vec::new();
        for (at, name) in instances.iter().enumerate() {
            if signals::interrupted() {
                break;
            }
            let (size, tries) = self.measure(name)?;
            for tried in &tries {
                let first = [name.clone(), size[0].to_string(), size[1].to_string()];
                file.write_record(first.into_iter().chain(fields(tried))).map_err(failed)?;
            }
            file.flush().map_err(Error::at(&self.out))?;
            all.push(tries);
            note!("{}/{} {name}", at + 1, instances.len());
        }
        say!("{}", table(&all));
        if let Some(plot) = &self.plot {
            std::fs::write(plot, drawn(&all)).map_err(Error::at(plot))?;
        }
        Ok(if signals::interrupted() { 4 } else { 0 })
    }

    /// Places and transitions of an instance, and what becomes of each order.
    fn measure(&self, name: &str) -> Result<([usize; 2], Vec<Try>), Error> {
        let instance = Instance::unpack(&self.inputs, name, None)?;
        let model = instance.path().join("model.pnml");
        let net = parikh::input::read_net(&model).map_err(|problem| Error::Rows {
            path: self.inputs.join(format!("{name}.tgz")),
            problem: problem.to_string(),
        })?;
        let slice = Duration::from_secs(self.timeout);
        // Orders are made in a fifth of what a dozen of them may take.
        let budget =
            Budget::lasting(slice * 12).with_memory_ceiling(self.memory.saturating_mul(1 << 20));
        let tries = each_order(&net, slice, &budget);
        Ok(([net.place_count(), net.transition_count()], tries))
    }
}

fn seconds(tried: &Try) -> Option<f64> {
    match &tried.end {
        Some((since, Ok(()))) => Some(since.as_secs_f64()),
        _ => None,
    }
}

fn fields(tried: &Try) -> [String; 6] {
    let (end, time) = match &tried.end {
        Some((since, Ok(()))) => ("closed".to_owned(), *since),
        Some((since, Err(stop))) => (stop.to_string(), *since),
        None => ("not begun".to_owned(), Duration::ZERO),
    };
    let time = format!("{:.3}", time.as_secs_f64());
    let markings = tried.markings.as_ref().map(ToString::to_string).unwrap_or_default();
    let (score, nodes) = (format!("{:.1}", tried.score), tried.figures.peak.to_string());
    [tried.idea.to_owned(), score, end, time, nodes, markings]
}

/// What each idea is good for, in Markdown.
fn table(all: &[Vec<Try>]) -> String {
    #[derive(Default)]
    struct Idea {
        made: usize,
        closed: usize,
        fewest: usize,
        fastest: usize,
        first: usize,
        /// Nodes for each of the fewest there, where it closed.
        ratios: Vec<f64>,
    }
    let mut ideas: BTreeMap<&str, Idea> = BTreeMap::new();
    let (mut closed_by_any, mut best_score_fewest) = (0, 0);
    for tries in all {
        let closed = || tries.iter().filter(|tried| seconds(tried).is_some());
        let fewest = closed().map(|tried| tried.figures.peak).min();
        let fastest = closed().filter_map(seconds).min_by(f64::total_cmp);
        closed_by_any += usize::from(fewest.is_some());
        for (at, tried) in tries.iter().enumerate() {
            let idea = ideas.entry(tried.idea).or_default();
            idea.made += 1;
            idea.first += usize::from(at == 0);
            let (Some(fewest), Some(time)) = (fewest, seconds(tried)) else { continue };
            idea.closed += 1;
            idea.fewest += usize::from(tried.figures.peak == fewest);
            idea.fastest += usize::from(Some(time) == fastest);
            idea.ratios.push(tried.figures.peak as f64 / fewest.max(1) as f64);
            best_score_fewest += usize::from(at == 0 && tried.figures.peak == fewest);
        }
    }
    let mut text = format!(
        "{closed_by_any} of {} sets closed; the order of the best score has the fewest nodes in \
         {best_score_fewest}\n\n\
         | order | made | best score | closed | fewest nodes | fastest | nodes to the fewest, median |\n\
         |---|---|---|---|---|---|---|\n",
        all.len()
    );
    for (name, idea) in ideas {
        let Idea { made, first, closed, fewest, fastest, ratios } = idea;
        let ratio = median(ratios).map_or(String::new(), |ratio| format!("{ratio:.2}"));
        // Writing to a String does not fail.
        let _ = writeln!(
            text,
            "| {name} | {made} | {first} | {closed} | {fewest} | {fastest} | {ratio} |"
        );
    }
    text
}

fn drawn(all: &[Vec<Try>]) -> String {
    let mut curves: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for tried in all.iter().flatten() {
        curves.entry(tried.idea).or_default().extend(seconds(tried));
    }
    let curve = |(name, seconds): (&str, Vec<f64>)| Curve {
        name: name.to_owned(),
        style: String::new(),
        seconds,
    };
    let curves: Vec<Curve> = curves.into_iter().map(curve).collect();
    cactus::plot(
        "Sets of all markings, by the order of places",
        "sets closed, each within",
        &curves,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::tests::pack;
    use parikh_net::generate;

    #[test]
    fn every_order_of_a_small_net_closes_the_same_set() {
        let inputs = tempfile::tempdir().unwrap();
        let net = generate::philosophers(5).net;
        let model = generate::pnml(&net);
        pack(inputs.path(), "Five-PT-5", &[("model.pnml", model.as_str())]);
        let out = inputs.path().join("out.csv");
        let plot = Some(inputs.path().join("out.svg"));
        let (list, timeout, memory) = (None, 10, 1024);
        let inputs = inputs.path().to_owned();
        let symbolic = Symbolic { inputs, list, timeout, memory, out: out.clone(), plot };
        assert_eq!(symbolic.run().unwrap(), 0);
        let text = std::fs::read_to_string(&out).unwrap();
        assert!(text.lines().count() > 2, "{text}");
        for line in text.lines().skip(1) {
            assert!(line.contains(",closed,") && line.ends_with(",243"), "{line}");
        }
        let (_, tries) = symbolic.measure("Five-PT-5").unwrap();
        let printed = table(&[tries]);
        assert!(printed.starts_with("1 of 1 sets closed;"), "{printed}");
        assert!(drawn(&[]).ends_with("</svg>\n"));
    }
}
