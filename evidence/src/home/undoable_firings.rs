//! Checks that every firing can be undone, in a way that may depend on the marking.
//!
//! Let Δ(t) = post(t) − pre(t) be the effect of t. After a firing of t the marking holds at least v
//! = post(t). A firing sequence that is enabled at v and leads from v exactly to v − Δ(t) undoes
//! the firing. If the sequence needs more tokens, *cases* help. Let y be weights of places with
//! y·Δ(u) ≥ 0 for every transition u, so that y·m is never below y·m₀. If y·m₀ > y·v, then a
//! reachable marking that holds v holds at least one more token on some place of y. For each such
//! place there may be another sequence, for v plus that token.
//!
//! If every firing can be undone, so can be the last firing of any sequence, and then the one
//! before it. So from every reachable marking the initial marking is reachable.

use super::HomeFlaw;
use crate::certificate::Flaw;
use crate::replay::Replayer;
use parikh_net::{Arc, FiringStep, Marking, Net, PlaceId, TransitionId};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;

/// A way to undo a firing from markings with at least certain tokens; the module documentation
/// explains the cases. In memory, places and transitions are ids; in a file they are names.
///
/// ```json
/// [["release", 1], ["bind", 1]]
/// {"sum": [["free", 1], ["bound", 1]], "cases": [[["bind", 1]], [["release", 1]]]}
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum UndoProof<P = PlaceId, T = TransitionId> {
    /// A firing sequence: transitions, each with the number of firings in a row.
    By(Vec<(T, u64)>),
    /// A case distinction by an additional token.
    Cases {
        /// The weights y, of distinct places.
        sum: Vec<(P, u64)>,
        /// For each place of `sum`, in order, the way to undo the firing if this place holds one
        /// more token.
        cases: Vec<UndoProof<P, T>>,
    },
}

/// Reads a list as a sequence, and an object as cases. The visitor decides by the first token:
/// trying one form after the other would buffer and copy the content once per level.
impl<'de, P: Deserialize<'de>, T: Deserialize<'de>> Deserialize<'de> for UndoProof<P, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UndoVisitor(PhantomData))
    }
}

struct UndoVisitor<P, T>(PhantomData<(P, T)>);

impl<'de, P: Deserialize<'de>, T: Deserialize<'de>> Visitor<'de> for UndoVisitor<P, T> {
    type Value = UndoProof<P, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of firings, or {\"sum\": …, \"cases\": …}")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(UndoProof::By)
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Self::Value, A::Error> {
        #[derive(Deserialize)]
        struct Cases<P, T> {
            sum: Vec<(P, u64)>,
            #[serde(bound(deserialize = "P: Deserialize<'de>, T: Deserialize<'de>"))]
            cases: Vec<UndoProof<P, T>>,
        }
        let Cases { sum, cases } = Cases::deserialize(MapAccessDeserializer::new(object))?;
        Ok(UndoProof::Cases { sum, cases })
    }
}

impl<P, T> UndoProof<P, T> {
    /// Translates places and transitions by the given functions.
    ///
    /// # Errors
    /// The first error that one of the functions returns.
    pub fn renamed<Q, U>(
        &self,
        place: &dyn Fn(&P) -> Result<Q, Flaw>,
        transition: &dyn Fn(&T) -> Result<U, Flaw>,
    ) -> Result<UndoProof<Q, U>, Flaw> {
        Ok(match self {
            UndoProof::By(steps) => {
                let steps = steps.iter().map(|(t, count)| Ok((transition(t)?, *count)));
                UndoProof::By(steps.collect::<Result<_, Flaw>>()?)
            }
            UndoProof::Cases { sum, cases } => {
                let sum = sum.iter().map(|(p, weight)| Ok((place(p)?, *weight)));
                let cases = cases.iter().map(|case| case.renamed(place, transition));
                UndoProof::Cases {
                    sum: sum.collect::<Result<_, Flaw>>()?,
                    cases: cases.collect::<Result<_, Flaw>>()?,
                }
            }
        })
    }
}

/// Checks that every firing can be undone, so that the net is reversible. `proofs` has one entry
/// per transition, by index.
///
/// # Errors
/// The first flaw of the argument, or a stop by `goes_on`.
pub fn check_undone(
    net: &Net,
    proofs: &[UndoProof],
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<(), HomeFlaw> {
    let mut check = UndoCheck { net, initial_sums: HashMap::new(), goes_on };
    for t in net.transitions() {
        let proof = proofs.get(t.index()).ok_or(HomeFlaw::NotUndone(t))?;
        let mut tokens = vec![0; net.place_count()];
        net.post(t).iter().for_each(|arc| tokens[arc.place.index()] = arc.weight);
        check.check_undoes(t, tokens, proof)?;
    }
    Ok(())
}

/// A check of proofs that firings can be undone.
struct UndoCheck<'n, 'g> {
    net: &'n Net,
    /// The initial value of each weighted sum that no firing decreases. The sum is at least this
    /// value in every reachable marking.
    initial_sums: HashMap<Vec<(PlaceId, u64)>, i128>,
    goes_on: &'g mut dyn FnMut() -> bool,
}

impl UndoCheck<'_, '_> {
    /// Checks that `proof` undoes `t` from all reachable markings with at least the tokens
    /// `lower_bounds`, by place index. The recursion is as deep as the nesting of the file, which
    /// its reader limits.
    fn check_undoes(
        &mut self,
        t: TransitionId,
        lower_bounds: Vec<u64>,
        proof: &UndoProof,
    ) -> Result<(), HomeFlaw> {
        let net = self.net;
        let not_undone = || HomeFlaw::NotUndone(t);
        if !(self.goes_on)() {
            return Err(HomeFlaw::Document(Flaw::Stopped));
        }
        match proof {
            UndoProof::By(steps) => {
                let mut marking_before = lower_bounds.clone();
                for arc in net.post(t) {
                    let tokens = &mut marking_before[arc.place.index()];
                    *tokens = tokens.checked_sub(arc.weight).ok_or_else(not_undone)?;
                }
                for arc in net.pre(t) {
                    let tokens = &mut marking_before[arc.place.index()];
                    *tokens = tokens.checked_add(arc.weight).ok_or_else(not_undone)?;
                }
                let mut replayer = Replayer::from_marking(net, Marking::new(lower_bounds));
                for &(transition, count) in steps {
                    if !(self.goes_on)() {
                        return Err(HomeFlaw::Document(Flaw::Stopped));
                    }
                    replayer.fire(FiringStep { transition, count }).map_err(|_| not_undone())?;
                }
                match replayer.marking().tokens() == marking_before {
                    true => Ok(()),
                    false => Err(not_undone()),
                }
            }
            UndoProof::Cases { sum, cases } => {
                let value = self.weighted_sum(sum, &lower_bounds)?;
                if cases.len() != sum.len() || self.initial_sum(sum)? <= value {
                    return Err(not_undone());
                }
                for (&(place, _), case) in sum.iter().zip(cases) {
                    let mut with_token = lower_bounds.clone();
                    let tokens = &mut with_token[place.index()];
                    *tokens = tokens.checked_add(1).ok_or_else(not_undone)?;
                    self.check_undoes(t, with_token, case)?;
                }
                Ok(())
            }
        }
    }

    /// Returns the weighted sum of `tokens`, by place index.
    fn weighted_sum(&self, sum: &[(PlaceId, u64)], tokens: &[u64]) -> Result<i128, HomeFlaw> {
        let term = |&(place, weight): &(PlaceId, u64)| {
            let tokens = *tokens.get(place.index())?;
            i128::from(weight).checked_mul(i128::from(tokens))
        };
        let total = sum.iter().try_fold(0i128, |total, it| total.checked_add(term(it)?));
        total.ok_or(HomeFlaw::Weights)
    }

    /// Returns the initial value of a weighted sum, after checking that no firing decreases it.
    fn initial_sum(&mut self, sum: &[(PlaceId, u64)]) -> Result<i128, HomeFlaw> {
        if let Some(&initial_value) = self.initial_sums.get(sum) {
            return Ok(initial_value);
        }
        let net = self.net;
        let mut weight: HashMap<PlaceId, u64> = HashMap::new();
        for &(place, w) in sum {
            // A place that occurs twice would have two weights.
            if weight.insert(place, w).is_some() {
                return Err(HomeFlaw::Weights);
            }
        }
        for t in net.transitions() {
            let weighted_sum = |arcs: &[Arc]| {
                let term = |arc: &Arc| {
                    let weight = weight.get(&arc.place).copied().unwrap_or(0);
                    i128::from(weight).checked_mul(i128::from(arc.weight))
                };
                arcs.iter().try_fold(0i128, |total, arc| total.checked_add(term(arc)?))
            };
            let (taken, put) = (weighted_sum(net.pre(t)), weighted_sum(net.post(t)));
            if put.ok_or(HomeFlaw::Weights)? < taken.ok_or(HomeFlaw::Weights)? {
                return Err(HomeFlaw::DecreasesSum(t));
            }
        }
        let initial_value = self.weighted_sum(sum, net.initial().tokens())?;
        self.initial_sums.insert(sum.to_vec(), initial_value);
        Ok(initial_value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    fn by(steps: &[usize]) -> UndoProof {
        UndoProof::By(steps.iter().map(|&t| (TransitionId::new(t), 1)).collect())
    }

    #[test]
    fn undoing_firings_need_only_the_output_tokens() {
        let check = |u: &str, how: [usize; 3]| {
            let net = text::parse(&format!(
                "place a 1\nplace b\nplace c 1\ntransition t: a -> b\ntransition u: {u}\n\
                 transition v: b -> a"
            ));
            check_undone(&net.unwrap(), &how.map(|t| by(&[t])), &mut || true).is_ok()
        };
        let [t, u, v] = [0, 1, 2];
        // u puts back the token of c that it consumes. But c need not be marked after t.
        assert!(check("b + c -> a + c", [v, t, t]) && !check("b + c -> a + c", [u, t, t]));
        // This u does not put back the token of c.
        assert!(!check("b + c -> a", [v, t, t]));
        let without = text::parse("place a 1\nplace b\ntransition t: a -> b\ntransition v: b -> a");
        let without = without.unwrap();
        assert!(check_undone(&without, &[by(&[1]), by(&[0])], &mut || true).is_ok());
        assert!(check_undone(&without, &[by(&[1])], &mut || true).is_err());
        assert!(check_undone(&without, &[by(&[1]), by(&[])], &mut || true).is_err());
    }

    #[test]
    fn cases_need_a_sum_that_is_larger_and_never_falls_and_all_of_them() {
        // Only k brings b back. k is either free or bound to x; if it is bound, it is freed first.
        let net = |free: u64, leak: &str| {
            text::parse(&format!(
                "place a 1\nplace b\nplace k {free}\nplace x\ntransition t: a -> b\n\
                 transition u: b + k -> a + k\ntransition bind: k -> x\ntransition free: x -> k{leak}"
            ))
            .unwrap()
        };
        let [k, x] = [2, 3].map(PlaceId::new);
        let [t, u, bind, free] = [0, 1, 2, 3];
        let proofs = |sum: &[(PlaceId, u64)], cases: &[&[usize]]| {
            let cases = cases.iter().map(|case| by(case)).collect();
            vec![UndoProof::Cases { sum: sum.to_vec(), cases }, by(&[t]), by(&[free]), by(&[bind])]
        };
        let right = proofs(&[(k, 1), (x, 1)], &[&[u], &[free, u, bind]]);
        let mut right_with_leak = right.clone();
        right_with_leak.push(by(&[]));
        let check = |net: &Net, all: &[UndoProof]| check_undone(net, all, &mut || true).is_ok();
        assert!(check(&net(1, ""), &right));
        assert!(!check(&net(0, ""), &right), "nothing is there");
        assert!(!check(&net(1, "\ntransition leak: x ->"), &right_with_leak), "it may be lost");
        assert!(!check(&net(1, ""), &proofs(&[(k, 1)], &[&[u]])), "the sum falls");
        assert!(!check(&net(1, ""), &proofs(&[(k, 1), (x, 1)], &[&[u]])), "a case is missing");
        assert!(!check(&net(1, ""), &proofs(&[(k, 1), (x, 1)], &[&[u], &[u]])), "a case is wrong");
        assert!(!check(&net(1, ""), &proofs(&[(k, 1), (k, 1)], &[&[u], &[u]])), "k twice");
    }

    #[test]
    fn files_have_sequences_as_lists_and_cases_as_objects() {
        let text = r#"{"sum":[["p",1]],"cases":[[["t",2]],{"cases":[],"sum":[]}]}"#;
        let read: UndoProof<String, String> = serde_json::from_str(text).unwrap();
        let inner = UndoProof::Cases { sum: Vec::new(), cases: Vec::new() };
        let cases = vec![UndoProof::By(vec![("t".to_owned(), 2)]), inner];
        assert_eq!(read, UndoProof::Cases { sum: vec![("p".to_owned(), 1)], cases });
        let again = serde_json::to_string(&read).unwrap();
        assert_eq!(serde_json::from_str::<UndoProof<String, String>>(&again).unwrap(), read);
        for wrong in ["1", r#"{"sum":[]}"#, r#"{"sum":[],"sum":[],"cases":[]}"#, r#"[["t"]]"#] {
            assert!(serde_json::from_str::<UndoProof<String, String>>(wrong).is_err(), "{wrong}");
        }
    }
}
