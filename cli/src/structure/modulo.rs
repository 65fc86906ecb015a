//! `parikh invariants --modulo`: sums of tokens whose remainder never changes.

use super::super::json::number;
use super::super::terminal::{line, object};
use super::StructureFormat;
use parikh_net::Net;
use parikh_solvers::{Budget, ExhaustionReason};
use parikh_structure::flows::PlaceFlow;
use parikh_structure::modulo::{ModuloInvariant, modulo_invariants};
use serde_json::json;

/// Returns the modulo invariants that the check on the net confirms and that do not follow from
/// `flows`, and the number of refuted ones. Each refuted one is a bug.
///
/// # Errors
/// The budget is spent.
pub(super) fn find(
    net: &Net,
    flows: &[PlaceFlow],
    budget: &Budget,
) -> Result<(Vec<ModuloInvariant>, usize), ExhaustionReason> {
    let flows: Vec<_> = flows.iter().filter_map(PlaceFlow::to_sum).collect();
    let mut all = modulo_invariants(net, &flows, budget)?;
    let found_count = all.len();
    all.retain(|found| found.holds(net));
    let refuted = found_count - all.len();
    Ok((all, refuted))
}

/// Prints a line for each modulo invariant.
pub(super) fn print(net: &Net, all: &[ModuloInvariant], format: StructureFormat) {
    if format == StructureFormat::Text {
        let sums = if all.len() == 1 { "sum keeps its" } else { "sums keep their" };
        line(&format!("# {} {sums} remainder modulo a number", all.len()));
    }
    for found in all {
        match format {
            StructureFormat::Text => line(&found.describe(net)),
            StructureFormat::Json => {
                let terms = found.sum.terms().iter().map(
                    |&(place, a)| json!({"place": net.place_name(place), "coefficient": number(a)}),
                );
                object(json!({
                    "type": "modulo",
                    "terms": terms.collect::<Vec<_>>(),
                    "modulus": number(found.modulus),
                    "remainder": number(found.remainder(net.initial())),
                    "text": found.describe(net),
                }));
            }
        }
    }
}
