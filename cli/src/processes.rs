//! Questions about processes on the command line (`check -e Soundness`, `check --cases`): options,
//! and the net with the initial and final markings on which the questions are answered.

use super::UsageError;
use super::model::translated;
use anyhow::{Context, Result, anyhow, bail};
use parikh::mcc::Examination;
use parikh_evidence::description;
use parikh_formula::place_of_text;
use parikh_input::model::Model;
use parikh_net::counted::with_counters;
use parikh_net::{Marking, Net, PlaceId, marking_text};
use parikh_structure::workflow::{self, Workflow};
use std::path::Path;

/// The section about processes in `check --help`.
pub(super) const ABOUT: &str = "\
Processes (workflow nets, and nets with a final marking):
  Soundness         every case can be completed from every reachable marking; a completed case
                    leaves no token behind; every transition can fire
  WeakSoundness     the same, but transitions that never fire are allowed
  RelaxedSoundness  every transition fires on some run that completes a case
  EasySoundness     some run completes a case
  A case begins in the model's initial marking, or else with a token in the source; it is \
completed in any marking of --final, or else of the model's <finalmarkings>, or else with a token \
in the sink. With --k 3, each of three cases may end in another of these markings. Models may \
have inhibitor and reset arcs, where the places at these arcs are bounded. The answer is called \
3-Soundness for --k 3. What makes a process unsound is named: the run that gets stuck or leaves \
tokens behind (--trace), the places where they are, the transitions that never fire.
  parikh check order.pnml -e Soundness --trace traces

  With --cases, formulas are about cases: constraints of Declare by name, over transitions or \
their labels, or any formula of LTL. The constraints are
    of a:      existence, existence2, existence3, absence, absence2, absence3, exactly_one, init
    of a, b:   choice, exclusive_choice, responded_existence, co_existence,
               not_responded_existence, not_co_existence,
               and response, precedence, succession, also with not_, alternate_, chain_, not_chain_
  parikh check order.pnml --cases --formula 'precedence(Accept, Ship)' --trace traces";

#[derive(clap::Args)]
pub(super) struct CaseOptions {
    /// For soundness: the number of cases handled at the same time. The initial and the final
    /// marking are multiplied by it.
    #[arg(long = "k", value_name = "N", default_value = "1", requires = "examination",
          value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) number: u64,
    /// For soundness, and with --cases: a marking in which a case is done, as in `end` or `p+2*q`.
    /// Names are read as in formulas: ids or labels, `"in quotes"`, `id "p"`. By default the
    /// markings in the model's `<finalmarkings>`, or else one token in the sink of a workflow net.
    /// Repeatable: a case may end in any of several markings.
    #[arg(long = "final", value_name = "MARKING")]
    last: Vec<String>,
    /// Let formulas consider cases, which end in a final marking, instead of maximal runs. A
    /// formula states what every case does, or with E in front what some case does.
    #[arg(long = "cases", conflicts_with = "fair")]
    pub(super) one_by_one: bool,
}

impl CaseOptions {
    /// Returns the options for one case. `last` has its final markings, as texts. If `last` is
    /// empty, the final markings of the model are used.
    pub(super) fn done_in(last: Vec<String>) -> CaseOptions {
        CaseOptions { number: 1, last, one_by_one: false }
    }

    /// Returns true if `--final` is given, or `--k` with more than one case. `--cases` is not
    /// considered.
    pub(super) fn are_asked_about(&self) -> bool {
        self.number > 1 || !self.last.is_empty()
    }

    /// Returns the net for a question about processes. Its initial and final markings are those of
    /// the given number of cases. A model with inhibitor or reset arcs is translated for these
    /// markings. For relaxed soundness, the net has additional places that count firings.
    ///
    /// # Errors
    /// The model is coloured, or has no initial or no final marking. Also an error: `--final` is no
    /// marking of the model or has no token. Another cause is that the markings of several cases
    /// are too large or too many. Further causes are that the model cannot be read again or
    /// translated, and that the places that count firings cannot be added.
    pub(super) fn prepared_model(
        &self,
        model: &Model,
        examination: Examination,
        file: &Path,
    ) -> Result<Model> {
        let path = file;
        let file = parikh_input::model_file(path)?;
        let Model::Plain(net) = model else {
            bail!(UsageError(
                "questions about cases of coloured nets are not supported: run `parikh unfold \
                 MODEL -o flat.pnml` first, with --everything if the model has no initial marking, \
                 and ask about the unfolding; --final names its final marking"
                    .to_owned()
            ));
        };
        // The translation of inhibitor and reset arcs uses bounds of places. The bounds depend on
        // the number of cases, so the model is read and translated again.
        let extended = match net.translation() {
            Some(_) => Some(parikh_input::read_extended(path)?),
            None => None,
        };
        let core = extended.as_ref().map_or(&**net, |extended| extended.core());
        let given_finals = self.finals(core)?;
        let (initial, finals) =
            workflow::initial_and_final_markings(core, self.number, &given_finals)
                .with_context(|| file.display().to_string())?;
        let workflow = Workflow::of(core);
        if let Some(hint) = hint_at_several_cases(core, &finals, &workflow) {
            tracing::warn!("{hint}");
        }
        let flaws = workflow.violated_conditions(core);
        if !flaws.is_empty() {
            tracing::info!("not a workflow net: {}", flaws.join("; "));
        }
        let assumed = workflow::assumptions(core, !given_finals.is_empty());
        let begun = match extended {
            None => net.from_marking(initial).with_final_markings(finals),
            Some(extended) => {
                let begun = extended.from_marking(initial).with_final_markings(finals);
                translated(begun, path, true)?
            }
        };
        let begun = begun.assuming(assumed);
        Ok(Model::from(match examination {
            // The function `counted` adds the places that count firings.
            Examination::RelaxedSoundness => {
                with_counters(&begun).with_context(|| file.display().to_string())?
            }
            _ => begun,
        }))
    }
}

impl CaseOptions {
    /// Returns the markings of `--final` without duplicates.
    fn finals(&self, net: &Net) -> Result<Vec<Marking>> {
        let mut finals: Vec<Marking> = Vec::new();
        for text in &self.last {
            let find = |name: &str, mention| {
                place_of_text(net, name, mention).map_err(|problem| problem.to_string())
            };
            let final_marking = marking_text::parse_with(text, net, find)
                .map_err(|why| anyhow!("--final: {why}"))?;
            if final_marking.total() == 0 {
                bail!(UsageError("--final: expected a marking with at least one token".to_owned()));
            }
            if !finals.contains(&final_marking) {
                finals.push(final_marking);
            }
        }
        Ok(finals)
    }
}

/// Returns the model with one token in the source, if it is a workflow net without an initial
/// marking. Returns all other models unchanged, including coloured models. A workflow net with
/// inhibitor or reset arcs is translated again, with caps, that is, assumed bounds of places, only
/// if `allows_caps` is true. `file` is the path of the model.
///
/// # Errors
/// The model cannot be read again, or cannot be translated with this initial marking.
pub(super) fn with_assumed_token(model: Model, file: &Path, allows_caps: bool) -> Result<Model> {
    let Model::Plain(net) = &model else { return Ok(model) };
    let begun = match net.translation() {
        None => workflow::assumed_token(net)
            .map(|(initial, assumed)| net.from_marking(initial).assuming([assumed])),
        Some(_) => {
            let extended = parikh_input::read_extended(file)?;
            let token = workflow::assumed_token(extended.core());
            let begun = token.map(|(initial, assumed)| {
                let begun = extended.from_marking(initial).assuming([assumed]);
                translated(begun, file, allows_caps)
            });
            begun.transpose()?
        }
    };
    Ok(begun.map_or(model, Model::from))
}

/// Returns the reason why soundness of a net with caps is not decided. Caps are assumed bounds of
/// places that the model may exceed.
pub(super) fn why_not_with_caps(net: &Net) -> String {
    let caps = net.translation().and_then(|translation| translation.caps());
    let places: Vec<PlaceId> = caps.iter().flat_map(|caps| caps.overflow.keys().copied()).collect();
    format!(
        "soundness of nets with inhibitor and reset arcs is undecidable in general; it is answered \
         only if the places at these arcs are bounded, and no bound of {} is known; easy and \
         relaxed soundness and reachability (EF, AG) are answered for such nets",
        description::join_first(&places, |&place| description::place(net, place))
    )
}

/// Returns a note for a model whose source holds the tokens of several cases while the final
/// marking has one token in the sink. Returns `None` for other models.
fn hint_at_several_cases(net: &Net, finals: &[Marking], workflow: &Workflow) -> Option<String> {
    let (source, sink) = workflow.source_and_sink()?;
    let (cases, [last]) = (net.initial()[source], finals) else { return None };
    let has_only_case_tokens =
        net.initial().total() == u128::from(cases) && last.total() == 1 && last[sink] == 1;
    let (i, o) = (net.place_name(source), net.place_name(sink));
    (has_only_case_tokens && cases > 1).then(|| {
        format!(
            "the initial marking has {cases} tokens in the source `{i}`, as for {cases} cases, but \
             the final marking has one token in the sink `{o}`; for {cases} cases at the same \
             time, put one token in the source and add --k {cases}, or add --final '{cases}*{o}'"
        )
    })
}
