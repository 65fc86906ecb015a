//! `parikh convert`: writes a net in another format.

use super::terminal::note;
use super::{ProgramOutcome, UsageError, model};
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use parikh_input::SourceModel;
use parikh_net::pnml::write_extended;
use parikh_net::written::{Unwritable, write_lola, write_tina};
use parikh_net::{ExtendedNet, text};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ConvertArguments {
    /// A net in any supported format, but no coloured net.
    model: PathBuf,
    /// The output file. The ending of its name selects the format: .pnml, .net (TINA), .lola, .txt
    /// (Parikh's own).
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The format. By default it follows from the ending of the file name.
    #[arg(long, value_enum)]
    to: Option<ConvertFormat>,
    #[command(flatten)]
    timing: model::TimingOptions,
}

/// An output format for nets.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ConvertFormat {
    /// PNML; inhibitor and reset arcs have a type.
    Pnml,
    /// TINA's language; no reset arcs.
    Tina,
    /// LoLA's language; plain arcs only.
    Lola,
    /// Parikh's own language; plain arcs only.
    Text,
}

const EXAMPLES: &str = "\
A net with features that the format cannot express is refused. Read arcs are written as \
self-loops. Only PNML keeps units (NUPN) and final markings. Only PNML and TINA keep labels.

Examples:
  parikh convert model.lola -o model.pnml
  parikh convert INPUTS/Peterson-PT-2 -o peterson.net";

pub(super) fn run(arguments: &ConvertArguments) -> Result<ProgramOutcome> {
    let target = arguments.target()?;
    let net = match arguments.timing.read_source(&arguments.model)? {
        SourceModel::Net(net) => *net,
        SourceModel::Coloured(_) => bail!(
            "{}: this net is coloured, and these formats have no colours: `parikh unfold` first",
            arguments.model.display()
        ),
    };
    let file = &arguments.output;
    let written =
        written(&net, target).map_err(|why| anyhow::anyhow!("{}: {why}", file.display()))?;
    std::fs::write(file, written).with_context(|| format!("cannot write {}", file.display()))?;
    let core = net.core();
    if !core.final_markings().is_empty() && target != ConvertFormat::Pnml {
        note!("parikh: the final markings are left out");
    }
    if core.units().is_some() && target != ConvertFormat::Pnml {
        note!("parikh: the nested units are left out");
    }
    Ok(ProgramOutcome::Complete)
}

impl ConvertArguments {
    fn target(&self) -> Result<ConvertFormat> {
        let ending = Path::extension(&self.output).and_then(|ending| ending.to_str());
        match (self.to, ending.map(str::to_ascii_lowercase).as_deref()) {
            (Some(target), _) => Ok(target),
            (None, Some("pnml")) => Ok(ConvertFormat::Pnml),
            (None, Some("net")) => Ok(ConvertFormat::Tina),
            (None, Some("lola" | "llnet")) => Ok(ConvertFormat::Lola),
            (None, Some("txt")) => Ok(ConvertFormat::Text),
            (None, _) => bail!(UsageError(
                "expected an output name that ends in .pnml, .net, .lola or .txt, or --to FORMAT"
                    .to_owned()
            )),
        }
    }
}

/// Returns the net as text in the format.
fn written(net: &ExtendedNet, target: ConvertFormat) -> Result<String, Unwritable> {
    let mut out = String::new();
    match target {
        ConvertFormat::Pnml => write_extended(net, &mut out)?,
        ConvertFormat::Tina => write_tina(net, &mut out)?,
        ConvertFormat::Lola => write_lola(net, &mut out)?,
        ConvertFormat::Text if net.is_plain() => out = text::print(net.core()),
        ConvertFormat::Text => {
            let has_special_arcs =
                |t: &_| !net.inhibitors(*t).is_empty() || !net.resets(*t).is_empty();
            let t = net.core().transitions().find(has_special_arcs);
            return Err(Unwritable::Arcs {
                transition: t.map(|t| net.core().transition_name(t).to_owned()).unwrap_or_default(),
                kind: "inhibitor or reset",
                language: "Parikh's language",
            });
        }
    }
    Ok(out)
}
