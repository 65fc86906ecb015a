//! `parikh info`: describes a model.

use super::json::number;
use super::systems;
use super::terminal::{in_json, lines, print_verbatim};
use super::{ProgramOutcome, model};
use anyhow::{Result, anyhow};
use clap::ValueEnum;
use parikh_evidence::description;
use parikh_input::SourceModel;
use parikh_input::model::Model;
use parikh_net::coloured::ColouredNet;
use parikh_net::printable::counted;
use parikh_net::{ExtendedNet, Marking, Net, UnitId, marking_text};
use parikh_solvers::Budget;
use parikh_structure::workflow::Workflow;
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct InfoArguments {
    /// A PNML file, a net as text, the directory of a contest instance, or a parallel system (.dot,
    /// .pml, .aut, .fsm).
    model: PathBuf,
    /// The output format.
    #[arg(long, value_enum, default_value = "text")]
    format: InfoFormat,
    #[command(flatten)]
    timing: model::TimingOptions,
}

#[derive(Clone, Copy, ValueEnum)]
enum InfoFormat {
    Text,
    Json,
}

pub(super) fn run(arguments: &InfoArguments) -> Result<ProgramOutcome> {
    if let Some(system) = systems::read_system(&arguments.model)? {
        match arguments.format {
            InfoFormat::Text => lines(&systems::about(&system))?,
            InfoFormat::Json => print_verbatim(&in_json(systems::about_json(&system)))?,
        }
        return Ok(ProgramOutcome::Complete);
    }
    let model = match arguments.timing.read_source(&arguments.model)? {
        SourceModel::Net(net) => return of_net(&net, arguments.format),
        SourceModel::Coloured(net) => Model::from(*net),
    };
    let colours = model.colours().map(|net| (coloured_text(net), coloured_json(net)));
    if let (InfoFormat::Text, Some((text, _))) = (arguments.format, &colours) {
        lines(text)?;
    }
    let net = model.into_net(&parikh_unfolding::UnfoldingConfig::default(), &Budget::unlimited());
    let unfolded = net.map(ExtendedNet::from);
    let info = unfolded.as_ref().map(Info::new);
    let obstacle = info.as_ref().err().map(|why| format!("{:#}", anyhow!((*why).clone())));
    match (arguments.format, &info) {
        (InfoFormat::Text, Ok(info)) => {
            if colours.is_some() {
                lines(&["unfolded, without places that never hold a token and transitions that \
                         never fire:"
                    .to_owned()])?;
            }
            lines(&info.text())?;
        }
        (InfoFormat::Text, Err(_)) => {
            lines(&[format!("unfolded     not possible: {}", obstacle.unwrap_or_default())])?;
        }
        (InfoFormat::Json, info) => {
            let mut object = info.as_ref().map_or(json!({}), |info| info.json());
            object["type"] = "info".into();
            if let Some((_, colours)) = colours {
                object["coloured"] = colours;
            }
            if let Some(obstacle) = obstacle {
                object["not_unfolded"] = obstacle.into();
            }
            // A closed pipe is no error.
            print_verbatim(&in_json(object))?;
        }
    }
    Ok(ProgramOutcome::Complete)
}

fn of_net(net: &ExtendedNet, format: InfoFormat) -> Result<ProgramOutcome> {
    let info = Info::new(net);
    match format {
        InfoFormat::Text => lines(&info.text())?,
        InfoFormat::Json => {
            let mut object = info.json();
            object["type"] = "info".into();
            print_verbatim(&in_json(object))?;
        }
    }
    Ok(ProgramOutcome::Complete)
}

fn coloured_text(net: &ColouredNet) -> [String; 6] {
    let guarded = net.transitions().iter().filter(|t| t.guard != parikh_net::coloured::Guard::TRUE);
    [
        format!("coloured net {}", net.name()),
        format!(
            "places       {}, with {} in total",
            net.places().len(),
            counted(net.colour_count(), "colour")
        ),
        format!(
            "transitions  {}, {} with guards, {} before guards are evaluated",
            net.transitions().len(),
            guarded.count(),
            counted(net.binding_count(), "binding")
        ),
        format!("arcs         {}", net.arc_count()),
        format!("sorts        {}", net.sorts().len()),
        format!("variables    {}", net.variables().len()),
    ]
}

fn coloured_json(net: &ColouredNet) -> Value {
    json!({
        "net": net.name(),
        "places": net.places().len(),
        "transitions": net.transitions().len(),
        "arcs": net.arc_count(),
        "sorts": net.sorts().len(),
        "variables": net.variables().len(),
        "colours": number(net.colour_count()),
        "bindings": number(net.binding_count()),
    })
}

/// The facts about a net that the command prints.
struct Info<'n> {
    net: &'n Net,
    extended: &'n ExtendedNet,
    /// The largest arc weight.
    largest_weight: u64,
    /// The number of arcs between places and transitions with a weight above 1.
    heavy_arcs: usize,
    marked_places: usize,
    /// The initially marked place with the most tokens, and their number. `None` if no place is
    /// marked.
    largest_marking: Option<(String, u64)>,
    /// Number of transitions without input arcs.
    without_input: usize,
    /// Number of transitions without output arcs.
    without_output: usize,
    workflow: Workflow,
}

impl<'n> Info<'n> {
    fn new(extended: &'n ExtendedNet) -> Self {
        let net = extended.core();
        let arcs = || net.transitions().flat_map(|t| net.pre(t).iter().chain(net.post(t)));
        let largest = net.initial().marked().max_by_key(|&(_, tokens)| tokens);
        Info {
            net,
            extended,
            largest_weight: arcs().map(|arc| arc.weight).max().unwrap_or(0),
            heavy_arcs: arcs().filter(|arc| arc.weight > 1).count(),
            marked_places: net.initial().marked().count(),
            largest_marking: largest.map(|(place, n)| (net.place_name(place).to_owned(), n)),
            without_input: net.transitions().filter(|&t| net.pre(t).is_empty()).count(),
            without_output: net.transitions().filter(|&t| net.post(t).is_empty()).count(),
            workflow: Workflow::of(net),
        }
    }

    /// Returns a line per fact.
    fn text(&self) -> Vec<String> {
        let net = self.net;
        let mut text = vec![format!("net          {}", net.name())];
        let mut row = |key: &str, value: String| text.push(format!("{key:<13}{value}"));
        row("places", net.place_count().to_string());
        row("transitions", {
            let mut value = format!("{}, {} effects", net.transition_count(), net.effect_count());
            for (count, what) in [(self.without_input, "input"), (self.without_output, "output")] {
                if count > 0 {
                    value.push_str(&format!(", {count} without {what}"));
                }
            }
            value
        });
        row(
            "arcs",
            match self.heavy_arcs {
                0 => format!("{}, all of weight 1", net.arc_count()),
                n => format!(
                    "{}, {n} heavier than 1, at most {}",
                    net.arc_count(),
                    self.largest_weight
                ),
            },
        );
        let inhibitors =
            net.transitions().map(|t| self.extended.inhibitors(t).len()).sum::<usize>();
        let resets = net.transitions().map(|t| self.extended.resets(t).len()).sum::<usize>();
        for (key, number) in [("inhibitors", inhibitors), ("resets", resets)] {
            if number > 0 {
                let arcs = if number == 1 { "arc" } else { "arcs" };
                row(key, format!("{number} {arcs}"));
            }
        }
        row(
            "marking",
            match &self.largest_marking {
                None => "no tokens".to_owned(),
                Some((place, tokens)) => {
                    let maximum = format!("at most {tokens} (on {place})");
                    match (net.initial().total(), self.marked_places) {
                        (1, _) => format!("1 token (on {place})"),
                        (total, places) => {
                            format!("{total} tokens on {}, {maximum}", counted(places, "place"))
                        }
                    }
                }
            },
        );
        row(
            "units",
            match net.units() {
                None => "none".to_owned(),
                Some(units) => format!(
                    "{}, {} deep, {}",
                    units.len(),
                    self.unit_depth(),
                    match net.safe_units() {
                        Some(_) => "claimed to be safe",
                        None => "not claimed to be safe",
                    }
                ),
            },
        );
        row(
            "workflow",
            match self.workflow.source_and_sink() {
                Some((source, sink)) => format!(
                    "a workflow net, from {} to {}",
                    description::place(net, source),
                    description::place(net, sink)
                ),
                None => format!(
                    "not a workflow net: {}",
                    self.workflow.violated_conditions(net).join("; ")
                ),
            },
        );
        for marking in net.final_markings() {
            row("final", marking_text::print(net, marking));
        }
        text
    }

    /// Returns the nesting depth of the model's units: 1 if no unit contains another, and 0 without
    /// units.
    fn unit_depth(&self) -> usize {
        let Some(units) = self.net.units() else { return 0 };
        let depth = |unit: UnitId| {
            std::iter::successors(Some(unit), |&unit| units.get(unit).parent).count()
        };
        units.iter().map(|(unit, _)| depth(unit)).max().unwrap_or(0)
    }

    fn json(&self) -> Value {
        let net = self.net;
        json!({
            "net": net.name(),
            "places": net.place_count(),
            "transitions": net.transition_count(),
            "effects": net.effect_count(),
            "arcs": net.arc_count(),
            "arcs_heavier_than_1": self.heavy_arcs,
            "largest_weight": number(self.largest_weight),
            "tokens": number(net.initial().total()),
            "marked_places": self.marked_places,
            "largest_marking": self.largest_marking.as_ref().map(|(_, tokens)| number(tokens)),
            "source_transitions": self.without_input,
            "sink_transitions": self.without_output,
            "workflow": json!({
                "is": self.workflow.source_and_sink().is_some(),
                "source": self.workflow.source_and_sink().map(|(source, _)| net.place_name(source)),
                "sink": self.workflow.source_and_sink().map(|(_, sink)| net.place_name(sink)),
                "lacks": self.workflow.violated_conditions(net),
            }),
            "final_markings": net.final_markings().iter()
                .map(|marking| marking_text::print(net, marking))
                .collect::<Vec<_>>(),
            "nodes": nodes(net),
            "arc_list": arcs(net),
            "inhibitor_arcs": inhibitor_arcs(self.extended),
            "reset_arcs": reset_arcs(self.extended),
            "marking": tokens(net, net.initial()),
            "finals": net.final_markings().iter().map(|it| tokens(net, it)).collect::<Vec<_>>(),
            "units": net.units().map(|units| json!({
                "count": units.len(),
                "depth": self.unit_depth(),
                "safe": net.safe_units().is_some(),
            })),
        })
    }
}

/// Returns the ids of all nodes in the order of the net, with their labels. A label is null if the
/// model gives none.
fn nodes(net: &Net) -> Value {
    let place = |p| json!({"id": net.place_name(p), "name": net.place_label(p)});
    let transition = |t| json!({"id": net.transition_name(t), "name": net.transition_label(t)});
    json!({
        "places": net.places().map(place).collect::<Vec<_>>(),
        "transitions": net.transitions().map(transition).collect::<Vec<_>>(),
    })
}

/// Returns all arcs, transition by transition, input arcs first.
fn arcs(net: &Net) -> Vec<Value> {
    let arcs_of = |t| {
        let transition = net.transition_name(t);
        let ins =
            net.pre(t).iter().map(move |arc| (net.place_name(arc.place), transition, arc.weight));
        let outs =
            net.post(t).iter().map(move |arc| (transition, net.place_name(arc.place), arc.weight));
        ins.chain(outs)
    };
    let arc = |(from, to, weight)| json!({"from": from, "to": to, "weight": number(weight)});
    net.transitions().flat_map(arcs_of).map(arc).collect()
}

/// Returns the inhibitor arcs. The place of an arc disables the transition if it holds at least as
/// many tokens as the weight of the arc.
fn inhibitor_arcs(net: &ExtendedNet) -> Vec<Value> {
    let core = net.core();
    let arcs_of = |t| {
        net.inhibitors(t).iter().map(move |arc| {
            let (place, transition) = (core.place_name(arc.place), core.transition_name(t));
            json!({"place": place, "transition": transition, "weight": number(arc.weight)})
        })
    };
    core.transitions().flat_map(arcs_of).collect()
}

/// Returns the reset arcs: the places that a transition empties.
fn reset_arcs(net: &ExtendedNet) -> Vec<Value> {
    let core = net.core();
    let arcs_of = |t| {
        net.resets(t).iter().map(move |&place| {
            json!({"place": core.place_name(place), "transition": core.transition_name(t)})
        })
    };
    core.transitions().flat_map(arcs_of).collect()
}

/// Returns the marked places with their numbers of tokens.
fn tokens(net: &Net, marking: &Marking) -> Value {
    let entry = |(p, n)| (net.place_name(p).to_owned(), number(n));
    Value::Object(marking.marked().map(entry).collect())
}
