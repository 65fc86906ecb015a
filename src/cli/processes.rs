//! Questions about processes on the command line: which net they are about.

use super::Misuse;
use crate::input;
use crate::mcc::Examination;
use crate::model::Model;
use crate::structure::workflow::{self, Workflow};
use anyhow::{Context, Result, anyhow, bail};
use parikh_net::counted::counted;
use parikh_net::{Net, marking_text};
use std::path::Path;

/// What `check --help` says of them.
pub(super) const ABOUT: &str = "\
Processes (workflow nets, and nets with a final marking):
  Soundness         from wherever a case gets, it can be completed; when it is done, no token is
                    left behind; every transition can fire
  WeakSoundness     the same, but transitions that never fire are allowed
  RelaxedSoundness  every transition fires on some run that completes a case
  EasySoundness     some run completes a case
  A case begins in the model's initial marking, or else with a token in the source; it is done in \
  the marking of --final, of the model's <finalmarkings>, or else with a token in the sink. The \
  answer is called 3-Soundness for --k 3. What makes a process unsound is named: the run that gets \
  stuck or leaves tokens behind (--trace), the places where they are, the transitions that never \
  fire.
  parikh check order.pnml -e Soundness --trace traces

  With --cases, formulas are about cases: constraints by name, over transitions or their names for \
  people, response(a, b), precedence(a, b), succession(a, b), absence(a), existence(a), \
  not_co_existence(a, b), chain_response(a, b), and the others of Declare, or any formula of LTL.
  parikh check order.pnml --cases --formula 'precedence(Accept, Ship)' --trace traces";

#[derive(clap::Args)]
pub(super) struct Cases {
    /// Of soundness: how many cases are handled at the same time. Initial and final marking are
    /// taken so many times.
    #[arg(long = "k", value_name = "N", default_value = "1", requires = "examination",
          value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) number: u64,
    /// Of soundness, and with --cases: the marking in which a case is done, for example 'end' or
    /// 'p + 2*q'. By default the one in the model's `<finalmarkings>`, or else one token in the
    /// sink of a workflow net.
    #[arg(long = "final", value_name = "MARKING")]
    last: Option<String>,
    /// Ask formulas of cases, which end in the final marking, and not of runs that go on: what
    /// every case does, or with E in front, what some case does.
    #[arg(long = "cases", conflicts_with = "fair")]
    pub(super) one_by_one: bool,
}

impl Cases {
    /// One case, which is done in this marking, or where the model says.
    pub(super) fn done_in(last: Option<String>) -> Cases {
        Cases { number: 1, last, one_by_one: false }
    }

    /// Whether anything is said of cases.
    pub(super) fn are_asked_about(&self) -> bool {
        self.number > 1 || self.last.is_some()
    }

    /// The net that a question about processes is about, of the model of a file.
    pub(super) fn begun(
        &self,
        model: &Model,
        examination: Examination,
        file: &Path,
    ) -> Result<Model> {
        let file = input::model_file(file)?;
        let Model::Plain(net) = model else {
            bail!(Misuse(
                "soundness is asked of place/transition nets: `parikh unfold MODEL -o flat.pnml` \
                 first, and name the final marking there with --final"
                    .to_owned()
            ));
        };
        if net.translation().is_some() {
            bail!(Misuse(
                "soundness is asked of nets without inhibitor and reset arcs: ask when a case is done as a \
                 formula, such as AG EF (end >= 1)"
                    .to_owned()
            ));
        }
        let chosen = self.last.as_ref().map(|last| marking_text::parse(last, net));
        let chosen = chosen.transpose().map_err(|why| anyhow!("--final: {why}"))?;
        if chosen.as_ref().is_some_and(|chosen| chosen.total() == 0) {
            bail!(Misuse("--final: a case that is done has a token somewhere".to_owned()));
        }
        let begun = workflow::cases(net, self.number, chosen.as_ref())
            .with_context(|| file.display().to_string())?;
        let workflow = Workflow::of(net);
        if let Some(hint) = several(net, &begun, &workflow) {
            tracing::warn!("{hint}");
        }
        let lacks = workflow.lacks(net);
        if !lacks.is_empty() {
            tracing::info!("no workflow net: {}", lacks.join("; "));
        }
        let assumptions = workflow::assumptions(net, self.last.is_some());
        let begun = begun.assuming(assumptions);
        Ok(Model::from(match examination {
            Examination::RelaxedSoundness => {
                counted(&begun).with_context(|| file.display().to_string())?
            }
            _ => begun,
        }))
    }
}

/// What to say of a model whose source holds the tokens of several cases, when one that is done is
/// one token in the sink.
fn several(net: &Net, begun: &Net, workflow: &Workflow) -> Option<String> {
    let (source, sink) = workflow.ends()?;
    let (cases, [last]) = (net.initial()[source], begun.final_markings()) else { return None };
    let alone = net.initial().total() == u128::from(cases) && last.total() == 1 && last[sink] == 1;
    let (i, o) = (net.place_name(source), net.place_name(sink));
    (alone && cases > 1).then(|| {
        format!(
            "the model begins with {cases} tokens in its source `{i}`, as for {cases} cases, and is done with \
             one in its sink `{o}`; to ask of {cases} cases at the same time, put one token there and add \
             --k {cases}, or add --final '{cases}*{o}'"
        )
    })
}
