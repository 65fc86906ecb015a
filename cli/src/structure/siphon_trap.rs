//! `parikh siphons --commoner`: checks the siphon–trap property and its consequences for dead
//! markings.
//!
//! The command decides two properties. The classical property is about every siphon. Sometimes it
//! fails, or holds without a consequence because of arc weights. Then the property restricted to
//! sets that can be the empty places of a dead marking may still exclude dead markings.

use super::super::ProgramOutcome;
use super::super::terminal::{line, note, object};
use super::{StructureFormat, list, names};
use parikh_evidence::refutation::RefutationFlaw;
use parikh_net::printable::counted;
use parikh_net::{Net, PlaceId};
use parikh_solvers::{Budget, ExhaustionReason};
use parikh_structure::commoner::{
    CertificateError, SiphonTrap, SiphonTrapProperty, TrapCertificate, consumes_single_tokens,
    siphon_trap,
};
use parikh_structure::siphons::is_siphon;
use parikh_structure::traps::{is_marked, largest_trap};
use serde_json::{Value, json};

/// The result for a [`SiphonTrapProperty`]. Such a property says that every set of places of one
/// kind, such as every siphon, contains an initially marked trap.
enum PropertyResult {
    /// The property is true, with the certificate that the check accepts.
    Holds(TrapCertificate),
    /// The property is false: this set of places contains no initially marked trap.
    Fails(Vec<PlaceId>),
    /// The budget was spent. The field is the reason why the budget was exhausted.
    Open(String),
    /// The check rejects the result of the search. The field describes the problem.
    Fault(String),
}

pub(super) fn run(net: &Net, format: StructureFormat, budget: &Budget) -> ProgramOutcome {
    let classical = decide(net, SiphonTrapProperty::EverySiphon, budget);
    report(net, format, SiphonTrapProperty::EverySiphon, &classical);
    let follows = |finding: &PropertyResult| match finding {
        PropertyResult::Holds(certificate) => certificate.excludes_deadlocks(net),
        _ => false,
    };
    let mut are_excluded = follows(&classical);
    let mut findings = vec![classical];
    if !are_excluded {
        let dead_marking_result = decide(net, SiphonTrapProperty::DeadMarkings, budget);
        report(net, format, SiphonTrapProperty::DeadMarkings, &dead_marking_result);
        are_excluded = follows(&dead_marking_result);
        findings.push(dead_marking_result);
    }
    let is_fault = |finding: &&PropertyResult| matches!(finding, PropertyResult::Fault(_));
    let faults = findings.iter().filter(is_fault).count();
    let outcome = outcome(&findings);
    match format {
        StructureFormat::Text if are_excluded => line("no reachable marking is dead"),
        StructureFormat::Text if outcome != ProgramOutcome::Complete => {
            line("dead markings: unknown");
        }
        StructureFormat::Text => line("this says nothing about dead markings"),
        StructureFormat::Json => {
            let conclusion = are_excluded.then_some("no reachable marking is dead");
            object(json!({
                "type": "summary",
                "net": net.name(),
                "deadlock_free": if are_excluded { Value::Bool(true) } else { Value::Null },
                "conclusion": conclusion,
                "complete": outcome == ProgramOutcome::Complete,
                "internal_errors": faults,
            }));
        }
    }
    outcome
}

/// Returns the outcome of the command: the worst over the findings.
fn outcome(findings: &[PropertyResult]) -> ProgramOutcome {
    let of_finding = |finding: &PropertyResult| match finding {
        PropertyResult::Holds(_) | PropertyResult::Fails(_) => ProgramOutcome::Complete,
        PropertyResult::Open(_) => ProgramOutcome::Incomplete,
        PropertyResult::Fault(_) => ProgramOutcome::InternalError,
    };
    findings.iter().map(of_finding).max().unwrap_or(ProgramOutcome::Complete)
}

/// Decides a property, and checks the certificate or the counterexample that the search returns.
fn decide(net: &Net, property: SiphonTrapProperty, budget: &Budget) -> PropertyResult {
    match siphon_trap(net, property, budget) {
        Err(reason) => PropertyResult::Open(reason.to_string()),
        Ok(SiphonTrap::Holds(certificate)) => match certificate.check(net, budget) {
            Ok(()) => PropertyResult::Holds(certificate),
            Err(CertificateError::Refutation(RefutationFlaw::Stopped)) => {
                let reason = budget.exhausted().unwrap_or(ExhaustionReason::Cancelled);
                PropertyResult::Open(format!("{reason} while checking the certificate"))
            }
            Err(error) => PropertyResult::Fault(format!("the certificate was refused: {error}")),
        },
        Ok(SiphonTrap::Fails(set)) if is_counter_example(net, property, &set) => {
            PropertyResult::Fails(set)
        }
        Ok(SiphonTrap::Fails(_)) => {
            PropertyResult::Fault("the counterexample was refused".to_owned())
        }
    }
}

/// Returns true if the property claims a trap for `set`, and `set` contains no initially marked
/// trap. The property about dead markings concerns a set that can be the empty places of a dead
/// marking: each transition has an input place in the set, or an arc that takes several tokens. The
/// places of `set` must be ascending.
fn is_counter_example(net: &Net, property: SiphonTrapProperty, set: &[PlaceId]) -> bool {
    let is_concerned = match property {
        SiphonTrapProperty::EverySiphon => !set.is_empty() && is_siphon(net, set),
        SiphonTrapProperty::DeadMarkings => net.transitions().all(|t| {
            let mut arcs = net.pre(t).iter();
            arcs.any(|arc| arc.weight > 1 || set.binary_search(&arc.place).is_ok())
        }),
    };
    is_concerned && !is_marked(net, &largest_trap(net, set))
}

fn report(
    net: &Net,
    format: StructureFormat,
    property: SiphonTrapProperty,
    finding: &PropertyResult,
) {
    let (key, whose) = match property {
        SiphonTrapProperty::EverySiphon => ("every_siphon", "every siphon"),
        SiphonTrapProperty::DeadMarkings => {
            ("dead_markings", "every set that can be the empty places of a dead marking")
        }
    };
    if let PropertyResult::Fault(problem) = finding {
        note!("parikh: {whose}: {problem}; please report it");
        return;
    }
    match format {
        StructureFormat::Text => print_in_words(net, property, whose, finding),
        StructureFormat::Json => {
            let (value, traps, set, reason) = match finding {
                PropertyResult::Holds(certificate) => {
                    let traps = certificate.traps.iter().map(|trap| names(net, trap));
                    (json!(true), Some(traps.collect::<Vec<_>>()), None, None)
                }
                PropertyResult::Fails(set) => (json!(false), None, Some(names(net, set)), None),
                PropertyResult::Open(reason) | PropertyResult::Fault(reason) => {
                    (Value::Null, None, None, Some(reason))
                }
            };
            object(json!({
                "type": "siphon_trap",
                "question": key,
                "holds": value,
                "marked_traps": traps,
                "counter_example": set,
                "reason": reason,
            }));
        }
    }
}

fn print_in_words(net: &Net, property: SiphonTrapProperty, whose: &str, finding: &PropertyResult) {
    match finding {
        PropertyResult::Holds(certificate) => {
            let (traps, steps) = (certificate.traps.len(), certificate.refutation.len());
            line(&format!(
                "{whose} contains a trap that is marked initially: TRUE — a certificate with {} \
                 and {} was checked",
                counted(traps, "trap"),
                counted(steps, "clause")
            ));
            let heavy = property == SiphonTrapProperty::EverySiphon && !consumes_single_tokens(net);
            if heavy {
                line(
                    "# some transition takes several tokens from a place, so this alone says \
                      nothing about dead markings",
                );
            }
        }
        PropertyResult::Fails(set) => {
            line(&format!(
                "{whose} contains a trap that is marked initially: FALSE — the counterexample:"
            ));
            match set.is_empty() {
                true => line("# the empty set"),
                false => line(&list(names(net, set).into_iter())),
            }
        }
        PropertyResult::Open(reason) | PropertyResult::Fault(reason) => {
            line(&format!("{whose} contains a trap that is marked initially: unknown — {reason}"))
        }
    }
}
