//! A certificate of any kind, as it stands in a file: one JSON object on one line.
//!
//! | format | what it holds |
//! |---|---|
//! | `parikh-certificate-1` | sums of inequalities and a propositional refutation: [`LinearCertificate`] |
//! | `parikh-bounds-1` | bounds on tokens, step by step: [`Bounds`] |
//! | `parikh-markings-1` | the number of markings, each of which is looked at: [`Markings`] |
//! | `parikh-reduced-1` | a reduction, and a certificate about the reduced net: [`Reduced`] |
//!
//! ```json
//! {"format": "parikh-bounds-1", "net": "mutex", "about": "OneSafe",
//!  "claims": [{"unreachable": {"at_most": {"sum": [["lock", -1]], "bound": -2}}}],
//!  "assumes_safe_units": false,
//!  "steps": [{"inductive": [["dead", "at_most", 0]]},
//!            {"weighted": {"weights": [["lock", 1], ["in1", 1], ["in2", 1]],
//!                          "bounds": [["lock", "at_most", 1]]}},
//!            {"safe_units": ["idle1"]}]}
//! {"format": "parikh-markings-1", "net": "mutex", "about": "…", "claims": ["…"], "markings": 3}
//! {"format": "parikh-reduced-1", "net": "mutex", "about": "…", "claims": ["…"],
//!  "reduction": {"format": "parikh-reduction-log-1", "net": {"name": "mutex", "…": "…"},
//!                "reduced": {"…": "…"}, "preserves": ["reachability"], "support": ["in1"],
//!                "protected": [], "steps": [{"rule": "sink-places", "places": ["done"]}]},
//!  "certificate": {"format": "parikh-bounds-1", "…": "…"}}
//! ```

use super::bounds::{Bound, Bounds, Inference};
use super::document::Document;
use super::linear::LinearCertificate;
use super::linear_file;
use super::markings::Markings;
use super::reduced::Reduced;
use super::text::{ClaimText, FileError, Integer, claim_of, claim_text, collect, place_named};
use crate::reduction::LogFile;
use parikh_net::{Net, PlaceId};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

const BOUNDS: &str = "parikh-bounds-1";
const MARKINGS: &str = "parikh-markings-1";
const REDUCED: &str = "parikh-reduced-1";

#[derive(Deserialize)]
struct Head {
    format: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BoundsText {
    #[serde(default, skip_serializing, rename = "id")]
    _id: IgnoredAny,
    #[serde(default, skip_serializing, rename = "on")]
    _on: IgnoredAny,
    format: String,
    net: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    about: String,
    claims: Vec<ClaimText>,
    assumes_safe_units: bool,
    steps: Vec<StepText>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StepText {
    Inductive(Vec<BoundText>),
    Weighted(WeightedText),
    SafeUnits(Vec<String>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WeightedText {
    weights: Vec<(String, Integer)>,
    bounds: Vec<BoundText>,
}

/// Place, side, tokens.
type BoundText = (String, Side, Integer);

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Side {
    AtMost,
    AtLeast,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MarkingsText {
    #[serde(default, skip_serializing, rename = "id")]
    _id: IgnoredAny,
    #[serde(default, skip_serializing, rename = "on")]
    _on: IgnoredAny,
    format: String,
    net: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    about: String,
    claims: Vec<ClaimText>,
    markings: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReducedText {
    #[serde(default, skip_serializing, rename = "id")]
    _id: IgnoredAny,
    #[serde(default, skip_serializing, rename = "on")]
    _on: IgnoredAny,
    format: String,
    net: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    about: String,
    claims: Vec<ClaimText>,
    reduction: LogFile,
    certificate: serde_json::Value,
}

impl Document {
    /// The certificate as one line of JSON; `about` says what asked for it, such as a formula's id.
    pub fn print(&self, net: &Net, about: &str) -> String {
        let claims = || self.claims().iter().map(|claim| claim_text(net, claim)).collect();
        let (name, about_text) = (net.name().to_owned(), about.to_owned());
        let text = match self {
            Document::Linear(certificate) => return certificate.print(net, about),
            Document::Bounds(bounds) => serde_json::to_string(&BoundsText {
                _id: IgnoredAny,
                _on: IgnoredAny,
                format: BOUNDS.to_owned(),
                net: name,
                about: about_text,
                claims: claims(),
                assumes_safe_units: bounds.assumes_units,
                steps: bounds.steps.iter().map(|step| step_text(net, step)).collect(),
            }),
            Document::Markings(markings) => serde_json::to_string(&MarkingsText {
                _id: IgnoredAny,
                _on: IgnoredAny,
                format: MARKINGS.to_owned(),
                net: name,
                about: about_text,
                claims: claims(),
                markings: markings.count,
            }),
            Document::Reduced(reduced) => serde_json::to_string(&ReducedText {
                _id: IgnoredAny,
                _on: IgnoredAny,
                format: REDUCED.to_owned(),
                net: name,
                about: about_text,
                claims: claims(),
                reduction: reduced.log.clone(),
                certificate: reduced.inner.clone(),
            }),
        };
        // Fails only for maps with keys that are no strings and writers that fail; neither occurs.
        let mut text = text.unwrap_or_default();
        text.push('\n');
        text
    }

    /// Reads a certificate about `net`; nothing of it is checked yet. What it was asked for comes
    /// with it. In a [file of evidence](crate::file) it has an `id` and says what it is `on`: that is
    /// for whoever reads the file.
    ///
    /// # Errors
    /// Anything that is not as [`print`](Self::print) writes it.
    pub fn parse(net: &Net, text: &str) -> Result<(Document, String), FileError> {
        let head: Head = serde_json::from_str(text)?;
        let claims = |texts: &[ClaimText]| collect(texts, |text| claim_of(net, text));
        match head.format.as_str() {
            linear_file::FORMAT => {
                let (certificate, about) = LinearCertificate::parse(net, text)?;
                Ok((Document::Linear(certificate), about))
            }
            BOUNDS => {
                let file: BoundsText = serde_json::from_str(text)?;
                let bounds = Bounds {
                    claims: claims(&file.claims)?,
                    assumes_units: file.assumes_safe_units,
                    steps: collect(&file.steps, |step| step_of(net, step))?,
                };
                Ok((Document::Bounds(bounds), file.about))
            }
            MARKINGS => {
                let file: MarkingsText = serde_json::from_str(text)?;
                let markings = Markings { claims: claims(&file.claims)?, count: file.markings };
                Ok((Document::Markings(markings), file.about))
            }
            REDUCED => {
                let file: ReducedText = serde_json::from_str(text)?;
                let reduced = Reduced {
                    claims: claims(&file.claims)?,
                    log: file.reduction,
                    inner: file.certificate,
                };
                Ok((Document::Reduced(reduced), file.about))
            }
            _ => Err(FileError::Format(head.format)),
        }
    }
}

fn step_text(net: &Net, step: &Inference) -> StepText {
    let name = |place: PlaceId| net.place_name(place).to_owned();
    let texts = |bounds: &[Bound]| {
        let text = |bound: &Bound| {
            let side = if bound.upper { Side::AtMost } else { Side::AtLeast };
            (name(bound.place), side, Integer::from(i128::from(bound.tokens)))
        };
        bounds.iter().map(text).collect()
    };
    match step {
        Inference::Inductive(bounds) => StepText::Inductive(texts(bounds)),
        Inference::Weighted { weights, bounds } => StepText::Weighted(WeightedText {
            weights: weights.iter().map(|&(place, weight)| (name(place), weight.into())).collect(),
            bounds: texts(bounds),
        }),
        Inference::SafeUnits(places) => {
            StepText::SafeUnits(places.iter().copied().map(name).collect())
        }
    }
}

fn step_of(net: &Net, text: &StepText) -> Result<Inference, FileError> {
    let bounds = |texts: &[BoundText]| {
        collect(texts, |(name, side, tokens)| {
            let place = place_named(net, name)?;
            let tokens = tokens.value()?;
            let tokens = u64::try_from(tokens).map_err(|_| {
                FileError::Json(serde::de::Error::custom(format!(
                    "{tokens} is no number of tokens"
                )))
            })?;
            Ok(Bound { place, upper: *side == Side::AtMost, tokens })
        })
    };
    Ok(match text {
        StepText::Inductive(texts) => Inference::Inductive(bounds(texts)?),
        StepText::Weighted(text) => Inference::Weighted {
            weights: collect(&text.weights, |(name, weight)| {
                Ok((place_named(net, name)?, weight.value()?))
            })?,
            bounds: bounds(&text.bounds)?,
        },
        StepText::SafeUnits(names) => {
            Inference::SafeUnits(collect(names, |name| place_named(net, name))?)
        }
    })
}
