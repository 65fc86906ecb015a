//! `parikh invariants --bounds` for nested units: which of the model's claims follow from the
//! invariants, and which stay assumptions.

use super::super::terminal::{line, object};
use super::{StructureFormat, list, names};
use parikh_net::{Net, PlaceId};
use parikh_solvers::Budget;
use parikh_structure::bounds::PlaceBounds;
use parikh_structure::flows::PlaceFlow;
use parikh_structure::units::{UnitProof, assumed_one_safe, prove_units};
use serde_json::json;

/// Prints for each unit that its safety is proved, or the assumptions under which the unit is safe.
/// Prints nothing if the model does not claim that its units are safe.
pub(super) fn print(
    net: &Net,
    flows: &[PlaceFlow],
    bounds: &PlaceBounds,
    format: StructureFormat,
    budget: &Budget,
) {
    let (Some(units), Some(proofs)) = (net.units(), prove_units(net, flows, bounds, budget)) else {
        return;
    };
    let assumed = assumed_one_safe(net, bounds);
    let places_of = |proof: &UnitProof| -> Vec<PlaceId> {
        assumed.iter().copied().filter(|&place| units.unit_of(place) == proof.unit).collect()
    };
    let proved = proofs.iter().filter(|proof| proof.is_complete()).count();
    if format == StructureFormat::Text {
        line(&format!(
            "# units claimed to be safe (NUPN): {proved} of {} proved safe, the others assumed safe",
            proofs.len()
        ));
    }
    for proof in &proofs {
        let (unit, places) = (&units.get(proof.unit).name, places_of(proof));
        match format {
            StructureFormat::Text if proof.is_complete() => {
                line(&format!("unit {unit} is safe, proved"))
            }
            StructureFormat::Text => {
                let what = assumptions(proof, || list(names(net, &places).into_iter()));
                line(&format!("unit {unit} is safe if, as assumed, {what}"));
            }
            StructureFormat::Json => object(json!({
                "type": "unit",
                "unit": unit,
                "proved": proof.is_complete(),
                "one_safe": proof.one_safe,
                "exclusive": proof.exclusive,
                "excludes_ancestors": proof.excludes_ancestors,
                "assumed_one_safe": names(net, &places),
            })),
        }
    }
}

/// Describes the claims that stay assumptions: `at most one token is on p, its places are mutually
/// exclusive`.
fn assumptions(proof: &UnitProof, places: impl Fn() -> String) -> String {
    let one_safe = (!proof.one_safe).then(|| format!("at most one token is on {}", places()));
    let exclusive = (!proof.exclusive).then(|| "its places are mutually exclusive".to_owned());
    let around = (!proof.excludes_ancestors)
        .then(|| "its places and those of the enclosing units are mutually exclusive".to_owned());
    [one_safe, exclusive, around].into_iter().flatten().collect::<Vec<_>>().join(", ")
}
